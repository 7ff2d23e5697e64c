"""Shells and membranes: forces on the edges and triangles of a surface, and on it as a whole."""

from elements.shells.bending import Bending, ShellBending
from elements.shells.edges import MaxwellShell, ShellSprings, ShellViscosity
from elements.shells.icosphere import icosphere
from elements.shells.sizes_of import GlobalArea, LocalArea, Volume

__all__ = [
    "Bending",
    "GlobalArea",
    "LocalArea",
    "MaxwellShell",
    "ShellBending",
    "ShellSprings",
    "ShellViscosity",
    "Volume",
    "icosphere",
]
