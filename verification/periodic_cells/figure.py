"""Beads on a ring, wrapped; and temperatures of the gas."""

import numpy as np

import nsgalpha as ns
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.periodic_cells import reference


def draw(beads: ns.Result, gases: list[ns.Result]) -> Figure:
    """Places of the beads over time; T^(-1/2) of the gas beside Haff's law."""
    figure, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    x = beads.model.wrap(beads.position)[:, :, 0]
    for bead in range(x.shape[1]):
        cut = np.where(abs(np.diff(x[:, bead], prepend=x[0, bead])) > 0.5, np.nan, x[:, bead])
        left.plot(beads.t, cut, color=COLOURS[bead % len(COLOURS)], linewidth=1.2)
    label(left, "t [s]", "x in the cell [m]", "five beads on a ring")
    for k, gas in enumerate(gases):
        y = reference.temperature(gas) ** -0.5
        right.plot(gas.t, y, color=COLOURS[0], linewidth=0.7, label="runs" if k == 0 else None)
    right.plot(gas.t, y[0] + reference.haff() * gas.t, color=COLOURS[1], label="Haff's law")
    label(right, "t [s]", "T^(-1/2) [s/m]", "a cooling gas", legend="upper left")
    return figure
