"""The motion of a periodic cell: simple shear without walls, by images that move.

    ns.Model(periodic=(1.0, 1.0, 1.0), cell_motion=ns.CellMotion(flow="x", gradient="y", shear_rate=2.0))

The image of a body n periods L along the gradient is displaced by n gamma L along the flow. It moves with n
L dgamma/dt relative to the body (Lees and Edwards, J. Phys. C 5 (1972) 1921). Nothing else moves: bodies are
free, and no velocity is added to them. The shear comes in by the contacts across the faces.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, named_methods, refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.time_function import Given, Linear, Table, TimeFunction, time_function

AXES = ("x", "y", "z")
RATE = "a number, or a table of rows (time, rate)"
REMEDY = "state a function of time as the strain `shear`, which returns it or (strain, rate)"


class StrainOfRates(Table):
    """The integral of a table of rates, linear in between, from its first time on."""

    def __init__(self, name: str, table: Table) -> None:
        self.name, self.rows, self.corners = name, table.rows, table.corners
        self._rate = table._spline
        self._spline = self._rate.antiderivative()


@named_methods
@recorded
class CellMotion:
    """Simple shear of a periodic cell: images move along the `flow`, across the `gradient`.

    flow, gradient: "x", "y" or "z", two periodic directions. shear_rate [1/s]: a number, or a table of rows
    (time, rate) with linear rates between. shear: the strain itself in its place, as a time function. It is a
    table of rows (time, strain), or a function f(t) that returns the strain or (strain, rate). The strain of
    a number is 0 at t = 0, that of a table of rates at its first time.

    Raises ValueError if flow and gradient are the same, or not exactly one of `shear_rate` and `shear` is
    given.

    >>> motion = ns.CellMotion(flow="x", gradient="z", shear_rate=[(0.0, 0.0), (2.0, 1.0)])
    >>> motion.strain(2.0), motion.rate(2.0)
    (1.0, 1.0)
    """

    def __init__(
        self,
        *,
        flow: str = "x",
        gradient: str = "y",
        shear_rate: float | ArrayLike | None = None,
        shear: Given | None = None,
    ) -> None:
        self.flow, self.gradient = choice("flow", flow, AXES), choice("gradient", gradient, AXES)
        if self.flow == self.gradient:
            raise refuse("gradient", gradient, f"another direction than the flow {flow!r}")
        if (shear_rate is None) == (shear is None):
            raise ValueError("shear_rate and shear: give exactly one of them, the rate or the strain")
        self._shear = _rates(shear_rate) if shear is None else time_function("shear", shear)

    @property
    def axes(self) -> tuple[int, int]:
        """Numbers of the axes of flow and gradient."""
        return AXES.index(self.flow), AXES.index(self.gradient)

    def strain(self, t: float) -> float:
        """Shear strain at the time `t` [s]."""
        return self._shear.at(t)[0]

    def rate(self, t: float) -> float:
        """Shear rate [1/s] at the time `t` [s]."""
        return self._shear.at(t)[1]

    def through(self, t: Floats) -> tuple[Floats, str]:
        """Strains and rates (n, 2) at the times `t` (n,), see TimeFunction."""
        return self._shear.through(t)


def _rates(given: Any) -> TimeFunction:
    """The strain of a stated rate."""
    if callable(given):
        raise refuse("shear_rate", given, RATE, REMEDY)
    found = time_function("shear_rate", given, straight=True)
    if isinstance(found, Linear):
        return Linear(0.0, found.value)
    assert isinstance(found, Table)
    return StrainOfRates("shear_rate", found)


class WithCell(Protocol):
    """A model with a periodic cell."""

    periodic: tuple[float | None, float | None, float | None] | None
    cell_motion: CellMotion | None


def checked_motion(motion: Any, periodic: Any) -> CellMotion | None:
    """The argument `cell_motion` of a model with the periods `periodic`, or a ValueError."""
    if motion is None:
        return None
    if not isinstance(motion, CellMotion):
        raise refuse("cell_motion", motion, "a CellMotion or None")
    for name, axis in zip(("flow", "gradient"), motion.axes, strict=True):
        if periodic is None or periodic[axis] is None:
            where = f"cell_motion.{name}"
            raise refuse(where, AXES[axis], "a periodic direction", f"give a period along {AXES[axis]}")
    return motion


def period_vectors(model: WithCell, t: float) -> tuple[Floats, Floats]:
    """Ways to the next images along the axes, rows (3, 3) [m], at `t` [s], and their rates."""
    vectors, rates = np.diag([each or 0.0 for each in model.periodic or (None,) * 3]), np.zeros((3, 3))
    if model.cell_motion is not None:
        strain, rate = model.cell_motion._shear.at(t)
        flow, gradient = model.cell_motion.axes
        vectors[gradient, flow] = strain * vectors[gradient, gradient]
        rates[gradient, flow] = rate * vectors[gradient, gradient]
    return vectors, rates
