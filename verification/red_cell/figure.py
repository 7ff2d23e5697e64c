"""Diameters of the red cell over the force."""

from collections.abc import Mapping

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure


def draw(curves: Mapping[str, Floats], found: Mapping[float, Floats]) -> Figure:
    """Lines: `curves` (n, 2) of force [pN] and diameter [um]; markers: the equilibria `found`."""
    figure, axis = new_figure()
    forces = np.array(list(found))
    sizes = np.array(list(found.values()))
    for k, (name, marker) in enumerate((("axial", "o"), ("transverse", "s"))):
        axis.plot(*curves[name].T, color=COLOURS[k], linewidth=1.0, label=f"{name}, published")
        axis.plot(
            forces, sizes[:, k], marker, color=COLOURS[k], markerfacecolor="none", label=f"{name}, ours"
        )
    label(axis, "force [pN]", "diameter [um]")
    axis.legend(loc="upper left", fontsize=8, frameon=False)
    return figure
