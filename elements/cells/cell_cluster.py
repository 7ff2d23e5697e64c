"""Clusters of cells that grow, divide and adhere.

A cell is born with the volume V, grows at a constant rate to 2 V and divides; the times between are drawn.
Future cells are stated with the model as small copies within the first cell, without tension and contact
until their mother divides.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from elements.cells.dividing_contact import DividingContact
from elements.motion_resistance import Drag
from elements.shells.area_volume_elasticity import GlobalArea, Volume
from elements.shells.edge_springs import ShellViscosity
from elements.shells.icosphere import icosphere
from nsgalpha import checks
from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.model.handles import Body, Plane, handle_list, own
from nsgalpha.model.model import Model
from nsgalpha.model.registration import offered
from nsgalpha.model.triangulated_surface import Surface

SEED = 0.02  # size of a cell that is to come, over that of one that is born
LATE = 1e-9  # of a time: at divisions the targets of cells are the former ones, with rounding too


@offered("parts")
@checks.parameter_set
class Cycles:
    """The volume of a cell that grows from `volume` [m^3] to twice that between successive `times` [s].

    It is born at the first of them and keeps a half at each of the others but the last. After the last it has
    twice the volume. Before its birth it has a part of it, the cube of `SEED`.

    Raises ValueError that names the argument.
    """

    volume: float = checks.positive_field()
    times: ArrayLike = ()

    def __post_init__(self) -> None:
        times = checks.finite("times", self.times, "numbers (K,) [s]")
        if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0.0).all():
            raise checks.refuse("times", self.times, "two or more, one after the other")
        object.__setattr__(self, "times", tuple(times.tolist()))

    def __call__(self, t: float) -> float:
        """The volume [m^3] at `t` [s]."""
        times: Floats = np.asarray(self.times)
        times = times + LATE * np.abs(times)
        if t <= times[0]:
            return self.volume * SEED**3
        k = int(np.searchsorted(times, t))
        part = 1.0 if k == len(times) else (t - times[k - 1]) / (times[k] - times[k - 1])
        return float(self.volume * (1.0 + part))


@offered("parts")
@checks.parameter_set
class StepFunction:
    """A `value` from the time `start` [s] on, 0 before. Raises ValueError that names the argument."""

    value: float = checks.field_in(-math.inf, math.inf)
    start: float = checks.field_in(-math.inf, math.inf)

    def __call__(self, t: float) -> float:
        """The value at `t` [s]."""
        return self.value if t >= self.start else 0.0


@offered()
@dataclass(frozen=True, eq=False)
class Cluster:
    """Cells of a model that come from one another: their surfaces (N), births (N,) [s] and mothers (N,)."""

    surfaces: Sequence[Surface]
    births: Floats
    mothers: Ints
    contact: DividingContact
    area: float  # of a node of a cell that is born [m^2]

    @property
    def nodes(self) -> Sequence[Body]:
        """The nodes of all cells."""
        return [node for surface in self.surfaces for node in surface.nodes]

    def present(self, t: float) -> Flags:
        """True (N,) for the cells that are there at `t` [s]; ValueError if that is no number."""
        return np.asarray(self.births <= checks.number_in("t", t, -math.inf, math.inf))

    def drag(self, resistance: float) -> Drag:
        """Resistance of a medium, `resistance` [N s/m^3] an area of a cell that is born."""
        return Drag(self.nodes, translational=checks.positive("resistance", resistance) * self.area)


@offered("cells")
def add_cluster(
    model: Model,
    *,
    count: int,
    radius: float,
    cycle: float,
    tension: float,
    volume_stiffness: float,
    stiffness: float,
    work: float = 0.0,
    reach: float = 0.0,
    viscosity: float | None = None,
    thickness: float | None = None,
    scatter: float = 0.0,
    axis: str = "random",
    seed: int = 0,
    position: ArrayLike = (0.0, 0.0, 0.0),
    subdivisions: int = 2,
    planes: Plane | Sequence[Plane] = (),
    shown: bool = True,
    name: str | None = None,
) -> Cluster:
    """Add cells that grow, divide and adhere: one at first, around `position` (3,) [m], `count` in the end.

    radius [m]: of a cell that is born; cycle [s]: time in which it doubles its volume and divides, drawn each
    time from cycle (1 - scatter) to cycle (1 + scatter) by the `seed`. Surplus cells stay at twice the
    volume. axis: normal of the cut of a cell, its "longest" axis or one at "random". tension gamma [N/m],
    volume_stiffness k_v [Pa], viscosity mu [Pa s] with a thickness [m]: see `add_cell`. stiffness,
    work, reach, planes: contact as for `SurfaceContact`. Meshes are those of icosphere(subdivisions). With a
    name the surfaces are `name 0`, `name 1`, ... in the order of birth.

    For runs with Overdamped. Nothing is added where an argument is refused: ValueError names it.
    """
    checks.instance("model", model, Model, "a Model")
    many, size = checks.integer("count", count), checks.positive("radius", radius)
    centre = checks.vector("position", position)
    if many < 1:
        raise checks.refuse("count", count, "an integer >= 1")
    gamma = checks.number_in("tension", tension, 0.0, math.inf)
    k_v = checks.positive("volume_stiffness", volume_stiffness)
    mean = checks.positive("cycle", cycle)
    spread = checks.number_in("scatter", scatter, 0.0, 1.0, open_high=True)
    if viscosity is not None:
        checks.positive("viscosity", viscosity)
        if thickness is None:
            raise checks.refuse("thickness", None, "given", "viscosity is that of a shell")
    visible, drawn = checks.truth("shown", shown), checks.integer("seed", seed)
    if drawn < 0:
        raise checks.refuse("seed", seed, "an integer >= 0")
    times, mothers = lineage(many, mean, spread, drawn)
    vertices, triangles = icosphere(subdivisions)
    law = {"stiffness": stiffness, "work": work, "reach": reach, "planes": planes, "axis": axis}
    trial = Model()
    tried = []
    for _ in range(2):
        nodes = [trial.add_point(position=size * each) for each in vertices]
        tried.append(trial.add_surface(nodes, triangles, thickness=thickness))
    DividingContact(tried, births=(0.0, 1.0), mothers=(-1, 0), **law)  # type: ignore[arg-type]
    for plane in handle_list("planes", planes, Plane):
        own(model, "planes", plane)
    names = [None if name is None else f"{checks.text('name', name)} {k}" for k in range(many)]
    for each in names:
        model.names.free(each, "surface", 0)
    surfaces = []
    for k in range(many):
        x = centre + (size if k == 0 else SEED * size) * vertices
        nodes = [model.add_point(position=each) for each in x]
        surfaces.append(model.add_surface(nodes, triangles, thickness=thickness, name=names[k]))
        if visible:
            model.add_mesh(nodes, triangles)
    born, area = float(surfaces[0].reference.volume.sum()), float(surfaces[0].reference.area.sum())
    births = np.array([each[0] for each in times])
    for surface, turns in zip(surfaces, times, strict=True):
        model.add(GlobalArea(surface, stiffness=0.0, tension=StepFunction(value=gamma, start=turns[0])))
        model.add(Volume(surface, stiffness=k_v, volume=Cycles(volume=born, times=turns)))
        if viscosity is not None:
            model.add(ShellViscosity(surface, viscosity=viscosity))
    contact = model.add(DividingContact(surfaces, births=births, mothers=mothers, seed=drawn, **law))  # type: ignore[arg-type]
    return Cluster(surfaces, births, mothers, contact, area / len(vertices))


def lineage(count: int, cycle: float, scatter: float, seed: int) -> tuple[list[list[float]], Ints]:
    """Times of birth and division of `count` cells, the last one open, and their mothers (count,).

    The first is born just before 0.
    """
    random = np.random.default_rng(seed)

    def turn() -> float:
        return float(cycle * (1.0 + scatter * random.uniform(-1.0, 1.0)))

    first = turn()
    times, mothers = [[-LATE * first, first]], [-1]
    due = [(first, 0)]
    while len(times) < count:
        t, mother = heapq.heappop(due)
        daughter = len(times)
        times.append([t, t + turn()])
        times[mother].append(t + turn())
        mothers.append(mother)
        for each in (mother, daughter):
            heapq.heappush(due, (times[each][-1], each))
    return times, np.array(mothers)
