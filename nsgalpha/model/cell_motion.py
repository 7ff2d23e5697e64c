"""The motion of a periodic cell by its images: shear, compression and extension.

    ns.Model(periodic=(1.0, 1.0, 1.0), cell_motion=ns.CellMotion(flow="x", gradient="y", shear_rate=2.0))
    ns.Model(periodic=(1.0, 1.0, 1.0), cell_motion=ns.CellMotion(strain_rate=(-0.1, -0.1, -0.1)))

The image of a body n periods L along the gradient is displaced by n gamma L along the flow. It moves with n
L dgamma/dt relative to the body (Lees and Edwards, J. Phys. C 5 (1972) 1921). With strains the periods are
L exp(eps), and images move as the periods change, see nsgalpha/model/cell_kinematics.py. Nothing else
moves: bodies are free. The strain comes in by the contacts across the faces.

A target stress of an axis sets the strain rate from step to step (nsgalpha/run/cell_control.py):

    deps/dt = (target - sigma)/viscosity, at most max_rate to either side

with the mean stress sigma < 0 in compression; a cell with too much pressure extends. A packing of the modulus
K reaches the target as exp(-K t/viscosity).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, listed, named_methods, positive, refuse, truth
from nsgalpha.model.cell_kinematics import STILL, CellKinematics, ways_to_images
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.time_function import Given, Linear, Table, TimeFunction, time_function

AXES = ("x", "y", "z")
RATE = "a number, or a table of rows (time, rate)"
REMEDY = "state a function of time as the strain `shear`, which returns it or (strain, rate)"
OF_STRAIN = "state a function of time as the `strain`, which returns it or (strain, rate)"
STATE_ROWS = 3  # strains, rates of the next step, integral J of the shear
OF_AXIS = "three, one for each axis, 0 or None for an axis without"


class StrainOfRates(Table):
    """The integral of a table of rates, linear in between, from its first time on."""

    def __init__(self, name: str, table: Table) -> None:
        self.name, self.rows, self.corners = name, table.rows, table.corners
        self._rate = table._spline
        self._spline = self._rate.antiderivative()


@named_methods
@recorded
class CellMotion:
    """Shear and strains of a periodic cell: its images move, and its periods change.

    flow, gradient: "x", "y" or "z", two periodic directions of the shear. shear_rate [1/s]: a number, or a
    table of rows (time, rate) with linear rates between. shear: the strain itself in its place, as a time
    function. It is a table of rows (time, strain), or a function f(t) that returns the strain or (strain,
    rate). The strain of a number is 0 at t = 0, that of a table of rates at its first time.

    strain_rate [1/s]: those along x, y, z, each a number, a table of rates, or None for a constant period;
    below 0 in compression. strain: in their place logarithmic strains as time functions. A period is L
    exp(strain). Rates and shear rate are the velocity gradient: a shear is carried along by the strains.

    stress [Pa]: targets of the normal stresses along x, y, z, each a time function, or None; below 0 in
    compression. The strain rate is (target less stress of the cell)/viscosity, at most `max_rate` [1/s] to
    either side. viscosity [Pa s], max_rate: needed with a target.

    A number 0 is None in each of the three: a target of no stress is a table, or -1e-9.

    affine: True if the stated velocities of bodies are those relative to the mean field of the start.

    Raises ValueError if flow and gradient are the same, nothing moves, or an axis has two of strain rate,
    strain and stress.

    >>> motion = ns.CellMotion(flow="x", gradient="z", shear_rate=[(0.0, 0.0), (2.0, 1.0)])
    >>> motion.strain(2.0), motion.rate(2.0)
    (1.0, 1.0)
    >>> ns.CellMotion(strain_rate=(-0.1, None, None)).period_strains(2.0)
    array([-0.2,  0. ,  0. ])
    """

    def __init__(
        self,
        *,
        flow: str = "x",
        gradient: str = "y",
        shear_rate: float | ArrayLike | None = None,
        shear: Given | None = None,
        strain_rate: Sequence[float | ArrayLike | None] | None = None,
        strain: Sequence[Given | None] | None = None,
        stress: Sequence[Given | None] | None = None,
        viscosity: float | None = None,
        max_rate: float | None = None,
        affine: bool = False,
    ) -> None:
        self.flow, self.gradient = choice("flow", flow, AXES), choice("gradient", gradient, AXES)
        if self.flow == self.gradient:
            raise refuse("gradient", gradient, f"another direction than the flow {flow!r}")
        self.is_sheared = shear_rate is not None or shear is not None
        others = strain_rate is not None or strain is not None or stress is not None
        if (shear_rate is not None and shear is not None) or not (self.is_sheared or others):
            raise ValueError(
                "shear_rate and shear: give exactly one of them, the rate or the strain; or state a "
                "strain_rate, a strain or a stress"
            )
        each = enumerate(_three("strain_rate", strain_rate))
        rates = [_rates(f"strain_rate[{i}]", given, OF_STRAIN) for i, given in each]
        strains, self.targets = _functions("strain", strain), tuple(_functions("stress", stress))
        for i, given in enumerate(zip(rates, strains, self.targets, strict=True)):
            if sum(each is not None for each in given) > 1:
                raise ValueError(f"strain_rate[{i}], strain[{i}], stress[{i}]: give at most one of them")
        self.viscosity, self.max_rate = self._checked_control(viscosity, max_rate)
        self.affine = truth("affine", affine)
        if shear is not None:
            self._shear = time_function("shear", shear)
        else:
            self._shear = _rates("shear_rate", shear_rate, REMEDY) or STILL
        x, y, z = (rate or each for rate, each in zip(rates, strains, strict=True))
        self.kinematics = CellKinematics(*self.axes, (x, y, z), self._shear)
        _check_integral(self.kinematics)

    def _checked_control(self, viscosity: Any, max_rate: Any) -> tuple[float, float]:
        """Viscosity and largest rate of target stresses; 0 without any."""
        if self.is_controlled:
            remedy = "it is needed with a target stress"
            return positive("viscosity", viscosity, remedy), positive("max_rate", max_rate, remedy)
        for name, value in (("viscosity", viscosity), ("max_rate", max_rate)):
            if value is not None:
                raise refuse(name, value, "left out without a target stress")
        return 0.0, 0.0

    @property
    def is_controlled(self) -> bool:
        """True if a stress sets the period along an axis."""
        return any(each is not None for each in self.targets)

    @property
    def state_rows(self) -> int:
        """Rows of a state that keep the cell, behind those of joints and drives."""
        return STATE_ROWS if self.is_controlled else 0

    @property
    def axes(self) -> tuple[int, int]:
        """Numbers of the axes of flow and gradient."""
        return AXES.index(self.flow), AXES.index(self.gradient)

    @property
    def strained(self) -> tuple[int, ...]:
        """Numbers of the axes whose periods change."""
        both = zip(self.kinematics.strains, self.targets, strict=True)
        return tuple(i for i, each in enumerate(both) if each != (None, None))

    def strain(self, t: float) -> float:
        """Shear strain at the time `t` [s]."""
        return self._shear.at(t)[0]

    def rate(self, t: float) -> float:
        """Shear rate [1/s] at the time `t` [s]."""
        return self._shear.at(t)[1]

    def through(self, t: Floats) -> tuple[Floats, str]:
        """Shear strains and rates (n, 2) at the times `t` (n,), see TimeFunction."""
        return self._shear.through(t)

    def period_strains(self, t: float) -> Floats:
        """Logarithmic strains (3,) of the periods at `t` [s]; 0 of axes under a target stress."""
        return self.kinematics.at(t)[0]

    def period_rates(self, t: float) -> Floats:
        """Strain rates (3,) [1/s] of the periods at `t` [s]; 0 of axes under a target stress."""
        return self.kinematics.at(t)[1]


def _three(name: str, given: Any) -> list[Any]:
    """Three stated things, one for each axis; None for those without, which may be 0."""
    if given is None:
        return [None] * 3
    found = listed(name, given, OF_AXIS)
    if len(found) != 3:
        raise refuse(name, given, OF_AXIS)
    if all(each is None for each in found):
        raise refuse(name, given, "three with at least one that is not None", "or leave it out")
    return [None if isinstance(each, int | float) and each == 0.0 else each for each in found]


def _functions(name: str, given: Any) -> list[TimeFunction | None]:
    """Time functions of three axes, None for those without."""
    each = enumerate(_three(name, given))
    return [None if one is None else time_function(f"{name}[{i}]", one) for i, one in each]


def _rates(name: str, given: Any, remedy: str) -> TimeFunction | None:
    """The strain of a stated rate, None without one."""
    if given is None:
        return None
    if callable(given):
        raise refuse(name, given, RATE, remedy)
    found = time_function(name, given, straight=True)
    if isinstance(found, Linear):
        return Linear(0.0, found.value)
    assert isinstance(found, Table)
    return StrainOfRates(name, found)


def _check_integral(kinematics: CellKinematics) -> None:
    """ValueError for a shear with strains along it that are functions of a user."""
    if kinematics.shear is STILL or kinematics.is_plain:
        return
    of = {"shear": kinematics.shear}
    of |= {
        f"strain[{i}]": each
        for i in (kinematics.flow, kinematics.gradient)
        if (each := kinematics.strains[i])
    }
    for name, each in of.items():
        if not isinstance(each, Linear | Table):
            raise refuse(
                name,
                "a function",
                "a number or a table, where a cell is sheared and strained along the shear",
            )


Periods = tuple[float | None, float | None, float | None]


class WithCell(Protocol):
    """A model with a periodic cell."""

    periodic: Periods | None
    cell_motion: CellMotion | None


def checked_motion(motion: Any, periodic: Any) -> CellMotion | None:
    """The argument `cell_motion` of a model with the periods `periodic`, or a ValueError."""
    if motion is None:
        return None
    if not isinstance(motion, CellMotion):
        raise refuse("cell_motion", motion, "a CellMotion or None")
    sheared = zip(("flow", "gradient"), motion.axes, strict=True) if motion.is_sheared else ()
    needed = [*sheared, *(("strained axes", i) for i in motion.strained)]
    if motion.is_controlled:
        needed += [("stressed cell", i) for i in range(3)]
    for name, axis in needed:
        if periodic is None or periodic[axis] is None:
            where = f"cell_motion.{name}" if name in ("flow", "gradient") else f"cell_motion: its {name}"
            raise refuse(where, AXES[axis], "a periodic direction", f"give a period along {AXES[axis]}")
    return motion


def period_vectors(
    model: WithCell, t: float, kinematics: CellKinematics | None = None
) -> tuple[Floats, Floats]:
    """Ways to the next images along the axes, rows (3, 3) [m], at `t` [s], and their rates.

    kinematics: that of a run whose stresses are targets. Raises ValueError if the model needs one.
    """
    periods = model.periodic or (None,) * 3
    if model.cell_motion is None:
        return np.diag([each or 0.0 for each in periods]), np.zeros((3, 3))
    if kinematics is None:
        kinematics = model.cell_motion.kinematics
        if model.cell_motion.is_controlled:
            raise ValueError(
                "cell_motion: periods under a target stress are those of a run: must be taken from its "
                "result; see Result.cell"
            )
    strain, rate, J, shear = kinematics.at(t)
    return ways_to_images(periods, kinematics, strain, rate, np.asarray(J), np.asarray(shear))


def kinematics_from(motion: CellMotion, t: float, rows: Floats) -> CellKinematics:
    """The strains of a cell from the `rows` of a state at `t` [s] on."""
    if not motion.is_controlled:
        return motion.kinematics
    each = zip(motion.kinematics.strains, motion.targets, rows[0].tolist(), rows[1].tolist(), strict=True)
    x, y, z = (given if target is None else Linear(e, rate, t) for given, target, e, rate in each)
    return motion.kinematics._replace(strains=(x, y, z), begin=t, first=float(rows[2, 0]))
