"""The path over the mesh, and the forces of its triangles."""

from typing import Any

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure

MM = 1e3
EVERY = 24  # circles that are drawn


def draw(rolled: Any) -> Figure:
    """Left: mesh, path, contact circles. Right: parts of the triangles, their sum, and without fractions."""
    figure, (left, right) = new_figure(1, 2, size=(9.2, 3.9))
    corners = MM * rolled.mesh[:, [0, 1, 2, 0], :2]
    left.plot(corners[..., 0].T, corners[..., 1].T, color="0.7", linewidth=0.7)
    turn = np.linspace(0.0, 2.0 * np.pi, 61)
    circle = rolled.radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    for place in rolled.path[::EVERY]:
        left.plot(*(MM * (place[:2] + circle)).T, color=COLOURS[0], linewidth=0.7)
    left.plot(*(MM * rolled.path[:, :2]).T, color=COLOURS[1], linewidth=1.2)
    left.set_aspect("equal")
    left.set_xlim(-18.0, 18.0)
    left.set_ylim(-9.0, 9.0)
    label(left, "x [mm]", "y [mm]", "contact circles on the mesh")
    x = MM * rolled.path[:, 0]
    right.plot(x, rolled.force[:, rolled.force.any(axis=0)], color="0.6", linewidth=0.8)
    right.plot([], [], color="0.6", linewidth=0.8, label="of one triangle")
    right.plot(x, rolled.touching, color=COLOURS[1], linewidth=0.9, label="sum without fractions")
    right.plot(x, rolled.force.sum(axis=1), color=COLOURS[0], linewidth=2.0, label="sum")
    right.set_ylim(0.0, 1.3 * rolled.touching.max())
    label(right, "x [mm]", "force over that of the plane [-]", "Hertz's force", legend="upper center")
    return figure
