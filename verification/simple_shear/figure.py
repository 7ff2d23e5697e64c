"""Friction over the strain, and over the inertial number."""

import numpy as np

import nsgalpha as ns
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.simple_shear import model, reference

SMOOTH = 25  # recorded states in a mean of the curve


def draw(result: ns.Result, flows: list[reference.Flow]) -> Figure:
    """The stress ratio of a run, and its means beside the published limit."""
    figure, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    stress, strain = ns.mean_stress(result).total, result.cell.shear
    window = np.ones(SMOOTH) / SMOOTH
    shear, normal = (np.convolve(each, window, "valid") for each in (stress[:, 0, 1], -stress[:, 1, 1]))
    middle = np.convolve(strain, window, "valid")
    dense = normal > 0.5 * model.PRESSURE
    left.plot(middle[dense], shear[dense] / normal[dense], color=COLOURS[0])
    left.axhline(reference.FRICTION, color="0.5", linestyle=":")
    left.set_ylim(0.0, 0.4)
    label(left, "shear strain", "shear stress over pressure", "slower and slower (dotted: published limit)")
    numbers = np.array([flow.number for flow in flows])
    friction = np.array([flow.friction for flow in flows])
    first, slope = reference.limit(numbers, friction, reference.EXPONENTS[0])
    curve = np.linspace(0.0, numbers.max(), 200)
    scatter = [flow.scatter for flow in flows]
    right.errorbar(numbers, friction, scatter, fmt="o", color=COLOURS[0], label="this run")
    right.plot(curve, first + slope * curve ** reference.EXPONENTS[0], color=COLOURS[0], label="fit")
    right.errorbar(
        [0.0], [reference.FRICTION], [reference.SPREAD], fmt="s", color=COLOURS[1], label="published"
    )
    right.set_ylim(0.0, None)
    label(right, "inertial number", "friction", "balls without friction", legend="lower right")
    return figure
