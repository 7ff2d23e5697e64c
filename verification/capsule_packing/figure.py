"""The capsules from the side, and the force across every height."""

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.capsule_packing.model import LENGTH, RADIUS, WIDTH

MM = 1e3


def draw(axes: Floats, state: ns.State, heights: Floats, above: Floats, across: Floats) -> Figure:
    """Left: capsules in the front over those behind. Right: force across a height and weight above it.

    `axes` (N, 3) are the directions of the capsules.
    """
    from matplotlib import colormaps
    from matplotlib.collections import PolyCollection

    figure, (left, right) = new_figure(1, 2, size=(9.2, 4.0), gridspec_kw={"width_ratios": [3, 2]})
    order = np.argsort(-state.position[:, 1])
    tilt = np.degrees(np.arcsin(np.abs(axes[:, 2])))
    outlines = [_outline(state.position[k, ::2], 0.5 * LENGTH * axes[k, ::2]) for k in order]
    colours = colormaps["viridis"](tilt[order] / 90.0)
    left.add_collection(PolyCollection(outlines, facecolors=colours, edgecolors="0.2", linewidths=0.6))
    left.plot(MM * np.array([0, 0, WIDTH, WIDTH]), MM * np.array([0.07, 0, 0, 0.07]), color="0.3")
    left.set_aspect("equal")
    left.set_xlim(-5.0, MM * WIDTH + 5.0)
    left.set_ylim(-4.0, 70.0)
    label(left, "x [mm]", "z [mm]", "at rest, the lighter the steeper")
    right.plot(above, MM * heights, color=COLOURS[1], linewidth=3.0, alpha=0.5, label="weight above")
    right.plot(across, MM * heights, color=COLOURS[0], linewidth=1.0, label="force across")
    right.set_ylim(-4.0, 70.0)
    label(right, "over the total weight [-]", "height z [mm]", "vertical force", legend="upper right")
    return figure


def _outline(centre: Floats, arm: Floats) -> Floats:
    """Outline (n, 2) [mm] of a capsule along y: around its projected axis or point."""
    turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 19) + np.arctan2(arm[1], arm[0])
    cap = RADIUS * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return MM * (centre + np.concatenate([cap + arm, -cap - arm]))
