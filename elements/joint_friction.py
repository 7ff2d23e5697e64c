"""Dry friction in joints, and motors of limited strength: intervals for coordinate rates.

    |r| <= h (w + c |F|),    r (u - omega(t)) <= 0 where |r| is at its bound,    u = omega(t) within

with F the reaction force of the joint (nsgalpha/contact/rows/marker_rows.py). Rates are as in
elements/joint_limits.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from elements.geometry.marker_geometry import RUBBING
from elements.joint_limits import OnCoordinate
from nsgalpha.arrays import SLIDING_FRICTION, TURNING_FRICTION, Floats, Ints, Planes
from nsgalpha.checks import finite, number_in, refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import Friction
from nsgalpha.model.handles import JointHandle
from nsgalpha.model.registration import offered
from nsgalpha.model.time_function import TimeFunction, time_function


class _FrictionInterval(OnCoordinate):
    bound, part = 0.0, 0.0
    speed: tuple[tuple[float, float], ...] = ((0.0, 0.0),)
    motion: TimeFunction | None = None

    def friction(self) -> Friction | None:
        """See nsgalpha.model.contact_element.MarkerContact."""
        return Friction(int(self.joint), self.bound, self.part, self.speed, self.motion)

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, ...]:
        """Itself, always."""
        a, b, kind, feature = self.of_kinds([TURNING_FRICTION if self.turns else SLIDING_FRICTION], planes)
        return a, b, kind, feature + RUBBING


@offered("elements", urdf=("friction",))
@recorded
class JointFriction(_FrictionInterval):
    """Dry friction of a `coordinate` of a `joint`: at most `bound` + `mu` r |F|, F its reaction force.

    bound: a torque [N m] >= 0 about the axis, or a force [N] along it. mu [-] >= 0, with the `radius` r [m]
    > 0 of the bearing for an angle; without one for a displacement. What the joint does in the step itself
    counts, the contributions of friction and contacts to it are of the last step: friction in proportion to F
    is of first order in h. Constant friction is exact for a wheel alone, and of first order in mechanisms
    whose levers change. coordinate: as of `Limit`.

    Raises ValueError if a value is out of its range or both are zero. Also raises it if the radius is missing
    or superfluous, or the joint has no such coordinate.

    >>> model = ns.Model()
    >>> spin = (0, 0, 1)
    >>> wheel = model.add_body(mass=1, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0), angular_velocity=spin)
    >>> axle = model.add(Revolute(None, wheel, point=(0, 0, 0), axis=(0, 0, 1)))
    >>> brake = model.add(JointFriction(axle, bound=0.1))
    >>> angle, rate = ns.simulate(model, t_end=3.0, h=0.01).coordinate(axle)
    >>> print(abs(rate[[50, 100, 300]]).round(9))  # 1 - 0.5 t
    [0.75 0.5  0.  ]
    """

    title = "friction"

    def __init__(
        self,
        joint: JointHandle,
        *,
        coordinate: str | None = None,
        bound: float = 0.0,
        mu: float = 0.0,
        radius: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(joint, coordinate, name)
        unit = "a torque in N m" if self.turns else "a force in N"
        self.bound = number_in("bound", bound, 0.0, math.inf, remedy=f"it is {unit}")
        self.mu = number_in("mu", mu, 0.0, math.inf, remedy="0 is friction of constant strength")
        if not self.bound and not self.mu:
            raise ValueError("bound, mu: both are zero; give one of them, or leave the friction out")
        given = self.turns and self.mu > 0.0
        if given != (radius is not None):
            what = "needs the radius of the bearing in m" if given else "no radius"
            allowed = f"given for friction of an angle with mu alone: {self.name} {what}"
            raise refuse("radius", radius, allowed)
        self.radius = 1.0 if radius is None else number_in("radius", radius, 0.0, math.inf, open_low=True)
        self.part = self.mu * self.radius


@offered("elements")
@recorded
class SpeedMotor(_FrictionInterval):
    """Motor that holds the rate of a `coordinate` of a `joint` at `speed` with at most `strength`.

    speed: a rate [rad/s] or [m/s], a table of times [s] and rates (k, 2), linear between them and constant
    beyond, or a function f(t) of the time [s]. strength: a torque [N m] > 0, or a force [N]. Where it does
    not suffice, it is all that acts. coordinate: as of `Limit`.

    Raises ValueError if a value is out of its range, times do not increase, or the joint has no such
    coordinate. A run ends with a status where a function returns no finite number.

    >>> model = ns.Model()
    >>> wheel = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0))
    >>> axle = model.add(Revolute(None, wheel, point=(0, 0, 0), axis=(0, 0, 1)))
    >>> motor = model.add(SpeedMotor(axle, speed=2.0, strength=0.1))
    >>> angle, rate = ns.simulate(model, t_end=6.0, h=0.01).coordinate(axle)
    >>> print(rate[[200, 400, 600]].round(9))  # 0.5 t, until it has reached its speed
    [1. 2. 2.]
    """

    title = "motor"

    def __init__(
        self,
        joint: JointHandle,
        *,
        speed: float | Sequence[Sequence[float]] | Callable[[float], float],
        strength: float,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(joint, coordinate, name)
        self.bound = number_in("strength", strength, 0.0, math.inf, open_low=True)
        if callable(speed):
            self.motion = time_function("speed", speed)
        else:
            self.speed = _table(speed)


def _table(speed: Any) -> tuple[tuple[float, float], ...]:
    if isinstance(speed, str) or not isinstance(speed, Sequence | np.ndarray):
        return ((0.0, number_in("speed", speed, -math.inf, math.inf)),)
    allowed = "a number, rows of a time and a rate, (k, 2), at increasing times, or a function f(t)"
    rows = finite("speed", speed, allowed)
    if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows) or not (np.diff(rows[:, 0]) > 0.0).all():
        raise refuse("speed", speed, allowed)
    return tuple((float(t), float(rate)) for t, rate in rows)
