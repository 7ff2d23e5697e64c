"""Pictures of a result: figures, stills, films, a page for the browser, files for ParaView.

    from nsgalpha import show
    show.speeds(result, "cue").savefig("speeds.png")

Nothing is shown on a screen by itself: figures are returned, all else is written to files. Drawing modules
are imported at their first use.
"""

from nsgalpha.show.camera import Camera
from nsgalpha.show.force_network import network
from nsgalpha.show.gap_series import gaps
from nsgalpha.show.html_player import embedded, viewer
from nsgalpha.show.overview import overview
from nsgalpha.show.paraview_series import paraview
from nsgalpha.show.pictures import film, look, still
from nsgalpha.show.plots import contact_bars, energies, iterations, paths, speeds, statuses
from nsgalpha.show.sweep_maps import heat_map

__all__ = [
    "Camera",
    "contact_bars",
    "embedded",
    "energies",
    "film",
    "gaps",
    "heat_map",
    "iterations",
    "look",
    "network",
    "overview",
    "paraview",
    "paths",
    "speeds",
    "statuses",
    "still",
    "viewer",
]
