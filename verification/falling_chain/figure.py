"""The fall of the chain: joints, energy, contacts, and where it is."""

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure

FLOOR = 1e-20  # of the values on a logarithmic axis


def draw(result: ns.Result, g: Floats, rate: Floats) -> Figure:
    """Openings of joints (n,) [m], [m/s], energy and contacts over time; where the balls are at some."""
    figure, ((joints, energy), (contacts, heights)) = new_figure(2, 2, size=(10.0, 6.4))
    for values, colour, name in zip((g, rate), COLOURS, ("opening [m]", "rate [m/s]"), strict=False):
        joints.semilogy(result.t, np.maximum(values, FLOOR), color=colour, linewidth=1.0, label=name)
    joints.legend(fontsize=8, frameon=False)
    label(joints, "t [s]", "m, m/s", "joints: the largest of 999")
    energy.plot(result.t, result.energy(), color=COLOURS[0], linewidth=1.2)
    label(energy, "t [s]", "J", "kinetic and potential energy")
    steps = np.asarray(result.stats.contacts)
    contacts.plot(np.linspace(0.0, result.t[-1], len(steps)), steps, color=COLOURS[1], linewidth=1.2)
    label(contacts, "t [s]", "-", "balls on the floor")
    chosen = np.linspace(0, len(result.t) - 1, 5).astype(int)
    for k, colour in zip(chosen, COLOURS, strict=False):
        x, z = result.position[k, :, 0], result.position[k, :, 2]
        heights.plot(x, 1e3 * z, color=colour, linewidth=1.0, label=f"{result.t[k]:.2f} s")
    heights.legend(fontsize=8, frameon=False, ncols=2)
    label(heights, "x [m]", "z [mm]", "centres of the balls")
    return figure
