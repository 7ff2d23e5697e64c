"""Loops of the normal force over the overlap."""

import numpy as np

from elements import LudingNormal
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.compliant_luding import reference
from verification.compliant_luding.driven import loop, yade_law
from verification.compliant_luding.reduce import kept

LOOPS = {
    "normal_below_limit": "below $\\delta_{lim}$",
    "normal_beyond_limit": "beyond $\\delta_{lim}$",
    "normal_no_adhesion": "no adhesion",
}


def draw() -> Figure:
    """Left: documented law; right: d_max bounded by d_lim and lowered on the adhesive branch."""
    figure, axes = new_figure(1, 2, size=(8.4, 3.9))
    for (name, words), colour in zip(LOOPS.items(), COLOURS, strict=False):
        motion, out = reference.driven(name)
        params = reference.record()["driven"][name]["params"]
        law = reference.laws(params)["normal"]
        assert isinstance(law, LudingNormal)
        overlap = -motion[:, 0]
        force = loop(law, overlap, 0.5 * reference.reduced_radius(params))[0]
        axes[0].plot(1e3 * overlap, force, color=colour, linewidth=1.0, label=words)
        axes[0].plot(1e3 * overlap[kept(len(overlap))], -out[:, 0], "o", color=colour, markersize=3)
    cases = reference.record()["yade"]
    p = cases["params"]
    law = yade_law(p, saturates=True, softens=True)
    for name, colour in zip(("beyond_limit", "adhesive_reload"), COLOURS[1:4:2], strict=True):
        overlap, forces = reference.driven(f"yade.{name}")
        force = loop(law, overlap, 0.5 * p["R"])[0]
        rows = kept(len(overlap))
        axes[1].plot(1e3 * overlap, force, color=colour, linewidth=1.0, label=name.replace("_", " "))
        axes[1].plot(1e3 * overlap[rows], forces[:, 0], "o", color=colour, markersize=3)
    label(axes[0], "overlap [mm]", "normal force [N]", "as documented; Woo", legend="upper left")
    label(axes[1], "overlap [mm]", "", "bounded, softening; Yade", legend="upper left")
    for axis in np.ravel(axes):
        axis.axhline(0.0, color="0.5", linewidth=0.6)
    return figure
