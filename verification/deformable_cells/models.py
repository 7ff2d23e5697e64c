"""Cells that come to rest, with R_0 = 1 and gamma = 1, and balls through parts of their surfaces."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import Cell, SurfaceContact, add_cell, icosphere
from nsgalpha.arrays import Floats, Ints
from verification.run import simulate

STIFF = 100.0  # k_v
VISCOSITY = 0.5  # keeps triangles in shape; not in the state of rest
CONTACT = 200.0  # pressure over overlap
H = 0.1


def cells(
    fineness: int, *places: tuple[float, ...], tensions: Sequence[float] = ()
) -> tuple[ns.Model, list[Cell]]:
    """Cells of `icosphere(fineness)` around `places`, with the tension 1 or those given."""
    model, mesh = ns.Model(), icosphere(fineness)
    return model, [
        add_cell(
            model,
            mesh,
            position=place,
            tension=tension,
            volume_stiffness=STIFF,
            viscosity=VISCOSITY,
            thickness=1.0,
        )
        for place, tension in zip(places, tensions or (1.0,) * len(places), strict=True)
    ]


def stick(model: ns.Model, made: Sequence[Cell], work: float, reach: float, **given: object) -> None:
    """Adhesive contact of the cells."""
    surfaces = [cell.surface for cell in made]
    law = {"stiffness": CONTACT, "work": work, "reach": reach} | given
    model.add(SurfaceContact(surfaces, **law))  # type: ignore[arg-type]


def settle(
    model: ns.Model, made: Sequence[Cell], t_end: float, h: float = H, watch: Sequence[Any] = ()
) -> ns.Result:
    """The motion against a unit resistance."""
    scheme = ns.Overdamped([cell.drag(1.0) for cell in made])
    return simulate(model, t_end=t_end, h=h, scheme=scheme, watch=watch)


def size(volume: float) -> float:
    """The radius of the ball with the `volume`."""
    return float((3.0 * volume / (4.0 * np.pi)) ** (1.0 / 3.0))


def ball_through(x: Floats) -> tuple[Floats, float]:
    """Centre and radius of the ball that is nearest to points (N, 3)."""
    rows = np.column_stack([2.0 * x, np.ones(len(x))])
    *centre, rest = np.linalg.lstsq(rows, (x**2).sum(axis=1), rcond=None)[0]
    return np.array(centre), float(np.sqrt(rest + np.dot(centre, centre)))


def free_ball(result: ns.Result, cell: Cell) -> tuple[Floats, float]:
    """The ball through the nodes of a cell at the end that touch nothing."""
    free = result.surface(cell.surface, -1).contact_area <= 0.0
    return ball_through(result.position[-1][cell.surface.bodies][free])


def angle_between(one: tuple[Floats, float], other: tuple[Floats, float]) -> float:
    """The angle [deg] outside two balls where they meet."""
    (c, r), (d, s) = one, other
    return float(np.degrees(np.arccos((((c - d) ** 2).sum() - r * r - s * s) / (2.0 * r * s))))


def graded(fineness: int, factor: float) -> tuple[Floats, Ints]:
    """An icosphere whose edges are shorter at the pole z = 1 by a `factor`; angles stay (Moebius)."""
    x, triangles = icosphere(fineness)
    across = np.linalg.norm(x[:, :2], axis=1)
    polar = 2.0 * np.arctan(np.tan(0.5 * np.arccos(np.clip(x[:, 2], -1.0, 1.0))) / factor)
    unit = x[:, :2] / np.where(across > 0.0, across, 1.0)[:, None]
    return np.column_stack([unit * np.sin(polar)[:, None], np.cos(polar)]), triangles


class Suction:
    """A pressure beyond a plane that keeps the tip near a prescribed height."""

    GAIN, BASE = 8.0, 2.5

    def __init__(self, cell: Cell, height: float, course: Callable[[float], float]) -> None:
        self._surface, self._height, self._course = cell.surface, height, course

    def length(self, x: Floats) -> float:
        """Height of the tip over the plane."""
        return float(x[self._surface.bodies, 2].max() - self._height)

    def pressure(self, t: float, x: Floats) -> float:
        """The pressure at the time `t` with the nodes in `x`."""
        return self.BASE + self.GAIN * (self._course(t) - self.length(x))

    def __call__(self, t: float, state: ns.State) -> Floats:
        """Forces (N, 3) on the nodes; of triangles in part beyond the plane, that part of them."""
        corners = self._surface.bodies[self._surface.triangles]
        X = state.position[corners]
        area = 0.5 * np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
        share = part_above(X[:, :, 2] - self._height) * self.pressure(t, state.position) / 3.0
        force = np.zeros_like(state.position)
        np.add.at(force, corners, (share[:, None] * area)[:, None])
        return force


def part_above(heights: Floats) -> Floats:
    """The parts (T,) of triangles above a plane, by the heights (T, 3) of their corners."""
    low, middle, high = np.sort(heights, axis=1).T
    with np.errstate(divide="ignore", invalid="ignore"):
        one = high**2 / ((high - low) * (high - middle))
        two = 1.0 - low**2 / ((middle - low) * (high - low))
    return np.asarray(np.select([low >= 0.0, high <= 0.0, middle <= 0.0], [1.0, 0.0, one], two))
