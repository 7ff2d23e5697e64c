"""Loads that case files state by name where Python has functions of time; motions:
nsgalpha/model/frame_motions.py.

    F = f, T = m,  from t_0 to t_1                 Force
    F = -(k (r - l) + c u_n) n                     SpringToPoint
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import number_in, positive, refuse, vector
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.handles import Body, handle_list
from nsgalpha.model.load_interface import CompiledLoad, load_kernel


@load_kernel
def constant(t, x, q, v, w, at, p, wrench):
    """The wrench `p[2:]` from `p[0]` to `p[1]`."""
    if p[0] <= t <= p[1]:
        for b in at:
            for i in range(6):
                wrench[b, i] += p[2 + i]


@load_kernel
def spring_to_point(t, x, q, v, w, at, p, wrench):
    """Springs to the point `p[:3]`; stiffness, damping and length are `p[3:]`."""
    stiffness, damping, length = p[3], p[4], p[5]
    r = np.empty(3)
    for b in at:
        distance = rate = 0.0
        for i in range(3):
            r[i] = x[b, i] - p[i]
            distance += r[i] * r[i]
            rate += v[b, i] * r[i]
        distance = math.sqrt(distance)
        rate /= distance
        for i in range(3):
            if length == 0.0:
                wrench[b, i] -= stiffness * r[i] + damping * v[b, i]
            else:  # in the point itself there is no direction: the run ends with a status
                wrench[b, i] -= (stiffness * (distance - length) + damping * rate) * r[i] / distance


@recorded
class Force(CompiledLoad):
    """A `force` [N] and a `torque` [N m] on each of `bodies`, inertial, from `start` to `end` [s].

    Raises ValueError if both are zero, a value is not finite or the end is before the start.
    """

    kernel = constant

    def __init__(
        self,
        bodies: Body | Sequence[Body],
        *,
        force: ArrayLike = (0.0, 0.0, 0.0),
        torque: ArrayLike = (0.0, 0.0, 0.0),
        start: float = 0.0,
        end: float | None = None,
    ) -> None:
        self.bodies = handle_list("bodies", bodies, Body)
        self.force, self.torque = vector("force", force), vector("torque", torque)
        if not (self.force.any() or self.torque.any()):
            raise ValueError("force, torque: both are zero; give one of them")
        self.start = number_in("start", start, 0.0, math.inf)
        self.end = math.inf
        if end is not None:
            self.end = number_in(
                "end", end, self.start, math.inf, open_low=True, remedy="it is after the start"
            )
        numbers = [self.start, self.end, *self.force, *self.torque]
        super().__init__([body.index for body in self.bodies], numbers)

    def handles(self) -> Sequence[Body]:
        """The bodies on which it acts."""
        return self.bodies

    @property
    def energy_known(self) -> bool:
        """True for a force that acts all the time, without a torque."""
        return self.start == 0.0 and self.end == math.inf and not self.torque.any()

    def energy(self, x: Floats) -> float:
        """Potential energy [J] with the bodies of the model at `x` (N, 3), zero at the origin."""
        return -float((x[self.at] @ self.force).sum())


@recorded
class SpringToPoint(CompiledLoad):
    """A spring and a dashpot from the centre of each of `bodies` to a fixed `point` [m].

    stiffness k [N/m] > 0, damping c [N s/m] >= 0 along the spring, length l [m] >= 0 at rest. Without a
    length the dashpot acts in all directions.

    Raises ValueError if a value is out of its range, or a body is in the point and there is a length.
    """

    kernel = spring_to_point
    energy_known = True

    def __init__(
        self,
        bodies: Body | Sequence[Body],
        *,
        point: ArrayLike,
        stiffness: float,
        damping: float = 0.0,
        length: float = 0.0,
    ) -> None:
        self.bodies = handle_list("bodies", bodies, Body)
        self.point = vector("point", point)
        self.stiffness = positive("stiffness", stiffness)
        self.damping = number_in("damping", damping, 0.0, math.inf)
        self.length = number_in("length", length, 0.0, math.inf, remedy="it is a length in metres")
        for body in self.bodies:
            if self.length > 0.0 and (body.position == self.point).all():
                remedy = "or leave the length out"
                raise refuse("point", point, f"apart from the centre of {body.name!r}", remedy)
        numbers = [*self.point, self.stiffness, self.damping, self.length]
        super().__init__([body.index for body in self.bodies], numbers)

    def handles(self) -> Sequence[Body]:
        """The bodies that it holds."""
        return self.bodies

    def energy(self, x: Floats) -> float:
        """Energy [J] in the springs with the bodies of the model at `x` (N, 3)."""
        stretch = np.linalg.norm(x[self.at] - self.point, axis=1) - self.length
        return 0.5 * self.stiffness * float(stretch @ stretch)
