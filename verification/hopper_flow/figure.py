"""Discharge of the silos, and Beverloo's law as a line."""

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.hopper_flow import model, reference


def draw(results: dict[float, ns.Result], rates: Floats, law: reference.Law, density: float) -> Figure:
    """Balls gone over time; W^(2/5) over D with the fit and with the published constants."""
    figure, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    for k, (hole, result) in enumerate(results.items()):
        left.plot(
            result.t,
            reference.discharged(result),
            color=COLOURS[k % len(COLOURS)],
            label=f"hole of {hole:g} d",
        )
    label(left, "t [sqrt(d/g)]", "balls gone", "silos of 14 diameters", legend="upper left")
    holes = np.array([*results])
    wide = np.linspace(1.0, holes[-1] + 0.5, 50)
    right.plot(holes, rates**0.4, "o", color=COLOURS[0], label="rates")
    for each, style, words in (
        (law, "-", f"C = {law.C:.2f}, k = {law.k:.2f}"),
        (reference.Law(reference.C, reference.K), ":", "C = 0.58, k = 1.4"),
    ):
        line = (each.C * density * np.sqrt(model.GRAVITY)) ** 0.4 * np.maximum(wide - each.k, 0.0)
        right.plot(wide, line, style, color=COLOURS[1], label=words)
    label(right, "hole D [d]", "W^(2/5)", "Beverloo's law", legend="upper left")
    return figure
