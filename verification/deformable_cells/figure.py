"""Markers: cells; lines: closed forms."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.deformable_cells import closed
from verification.deformable_cells.parts import LIP, RADIUS


def _figure(x: Floats, y: Floats, found: Floats, names: tuple[str, str], place: str = "upper left") -> Figure:
    """A line and the markers `found` (n, 2)."""
    figure, axis = new_figure()
    axis.plot(x, y, color=COLOURS[0], linewidth=1.0, label="closed form")
    axis.plot(*found.T, "o", color=COLOURS[1], markersize=7, markerfacecolor="none", label="cells")
    label(axis, *names)
    axis.legend(loc=place, fontsize=8, frameon=False)
    return figure


def pressures(found: list[float]) -> Figure:
    """Errors of the pressure over the fineness of the mesh."""
    figure, axis = new_figure()
    edge = 1.2 / 2.0 ** np.arange(1, len(found) + 1)
    axis.loglog(edge, np.array(found) - 1.0, "o", color=COLOURS[1], markerfacecolor="none", label="cells")
    line = (found[-1] - 1.0) * (edge / edge[-1]) ** 2
    axis.loglog(edge, line, color=COLOURS[0], linewidth=1.0, label="second order")
    label(axis, "edge of the mesh over the radius [-]", "p R/(2 gamma) - 1 [-]")
    axis.legend(loc="upper left", fontsize=8, frameon=False)
    return figure


def forces(found: Floats) -> Figure:
    """Force of plates over the height."""
    heights, exact = np.array([closed.pressed(a) for a in np.linspace(0.02, 0.65, 60)]).T
    names = "height over that of the ball [-]", "force over gamma R_0 [-]"
    return _figure(heights, exact, found, names, "upper right")


def contact_angles(found: Floats) -> Figure:
    """Angles on a plane."""
    work = np.linspace(0.0, 1.8, 200)
    angle = np.degrees(np.arccos(work - 1.0))
    return _figure(work, angle, found, ("work of adhesion over gamma [-]", "angle [deg]"), "upper right")


def half_angles(found: Floats) -> Figure:
    """Angles between two cells."""
    work = np.linspace(0.0, 1.8, 200)
    angle = np.degrees(np.arccos(1.0 - 0.5 * work))
    return _figure(work, angle, found, ("work of adhesion over gamma [-]", "half the angle [deg]"))


def suctions(found: Floats) -> Figure:
    """Pressures over the length of the tongue."""
    length = np.linspace(0.15, 0.8, 200)
    outer = [closed.outer_radius(each, RADIUS) for each in length]
    p = np.array([closed.suction(each, RADIUS, LIP, R) for each, R in zip(length, outer, strict=True)])
    return _figure(length, p, found, ("length over R_0 [-]", "pressure over gamma/R_0 [-]"), "lower right")


def rings(found: Floats) -> Figure:
    """Radii over the tension of a ring."""
    tensions, radii = np.array([closed.ring(s) for s in np.linspace(0.0, 0.95, 200)]).T
    names = "tension over gamma R_0 [-]", "radius of the ring over R_0 [-]"
    return _figure(tensions, radii, found, names, "lower left")


#: Captions and figures of the parts.
DRAWN: dict[str, tuple[str, Callable[[Any], Figure]]] = {
    "laplace": ("Pressure of a cell over Laplace's, by the mesh", pressures),
    "compression": ("Force of plates on a cell", forces),
    "spreading": ("Angle of contact of a cell on a plane", contact_angles),
    "doublets": ("Half the angle between two cells that adhere", half_angles),
    "aspiration": ("Pressure that sucks a tongue into a pipette", suctions),
    "cleavage": ("Radius of a contractile ring; the last has closed", rings),
}
