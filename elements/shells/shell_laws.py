"""Laws of single coordinates: f = dE/dq, which makes the coordinate smaller where it is positive.

Proportional   f = k (q - q_0)                              E = k (q - q_0)^2/2
Breaking       the same until q > q_max
Sine           f = k sin(q - q_0)                           E = k (1 - cos(q - q_0))
Regulated      f = k (q - q_0)/q_0 + f_0 + (k/tau) I        E = k (q - q_0)^2/(2 q_0) + f_0 q
dI/dt = (q - q_0)/q_0,  q_0 and f_0 numbers or functions of time
Damped         f = c u
Flowing        f = k y, the exact flow of MaxwellSpring (elements/laws/springs/maxwell.py)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from elements.laws.springs.maxwell import _flowed, _yielded
from elements.laws.springs.spring_table import SpringRow
from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, refuse
from nsgalpha.forces.scalar_force_element import ScalarLaw, ScalarResponse, Scalars
from nsgalpha.jit.decorators import kernel

Course = float | ArrayLike | Callable[[float], ArrayLike]  # numbers, or a function of time that gives them


class Proportional(ScalarLaw):
    """f = k (q - q_0) with k, q_0 (K,)."""

    energy_known = True

    def __init__(self, stiffness: Floats, rest: Floats) -> None:
        self.stiffness, self.rest = stiffness, rest

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """See ScalarLaw."""
        y = q.value - self.rest
        response.force[:] = self.stiffness * y
        response.by_value[:] = self.stiffness
        response.energy[:] = 0.5 * self.stiffness * y * y


class Breaking(ScalarLaw):
    """f = k (q - q_0) with k, q_0 (K,) until a step ends with q > q_max (K,), 0 from then on."""

    energy_known = True
    history = 1  # 1 where it is broken

    def __init__(self, stiffness: Floats, rest: Floats, longest: Floats) -> None:
        self.stiffness, self.rest, self.longest = stiffness, rest, longest

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """See ScalarLaw."""
        whole = q.history[:, 0] == 0.0
        k, y = np.where(whole, self.stiffness, 0.0), q.value - self.rest
        response.force[:] = k * y
        response.by_value[:] = k
        response.energy[:] = 0.5 * k * y * y
        response.history[:, 0] = np.where(whole & (q.value <= self.longest), 0.0, 1.0)


class Sine(ScalarLaw):
    """f = k sin(q - q_0) with k, q_0 (K,)."""

    energy_known = True

    def __init__(self, stiffness: Floats, rest: Floats) -> None:
        self.stiffness, self.rest = stiffness, rest

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """See ScalarLaw."""
        y = q.value - self.rest
        response.force[:] = self.stiffness * np.sin(y)
        response.by_value[:] = self.stiffness * np.cos(y)
        response.energy[:] = 2.0 * self.stiffness * np.sin(0.5 * y) ** 2


class Regulated(ScalarLaw):
    """f = k (q - q_0)/q_0 + f_0 + (k/tau) I; k (K,), q_0 and f_0 courses, tau [s] or None."""

    def __init__(
        self, stiffness: Floats, rest: Course, offset: Course, time: float | None, name: str = "area"
    ) -> None:
        self.stiffness, self.rest, self.offset, self.time = stiffness, rest, offset, time
        self.name = name  # of q_0
        self.history = 0 if time is None else 1
        self.flows = time is not None
        self.energy_known = time is None and not callable(rest) and not callable(offset)

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """See ScalarLaw; the integral is by the trapezoidal rule."""
        rest = now(self.name, self.rest, q.t, positive=True)
        offset = now("offset", self.offset, q.t)
        k, strain = self.stiffness, (q.value - rest) / rest
        response.force[:] = k * strain + offset
        response.by_value[:] = k / rest
        response.energy[:] = 0.5 * k * strain * (q.value - rest) + offset * q.value
        if self.time is not None:
            response.history[:, 0] = q.history[:, 0] + 0.5 * q.h * (strain + (q.start - rest) / rest)
            response.force[:] += k / self.time * response.history[:, 0]
            response.by_value[:] += 0.5 * k / self.time * q.h / rest


def now(name: str, course: Course, t: float, positive: bool = False) -> Floats:
    """The numbers of a course at the time `t` [s], or a ValueError."""
    if not callable(course):
        return np.asarray(course, float)
    value = finite(f"{name}({t:g})", course(t))
    if positive and not (value > 0.0).all():
        raise refuse(f"{name}({t:g})", value, "positive")
    return value


class Damped(ScalarLaw):
    """f = c u with c (K,)."""

    energy_known = True
    damped = True

    def __init__(self, damping: Floats) -> None:
        self.damping = damping

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """See ScalarLaw."""
        response.force[:] = self.damping * q.rate
        response.by_rate[:] = self.damping


@kernel
def _flow(q, rows, response):
    """Springs (k, r_0, eta, theta) in `rows` (K, 4) whose length at rest flows; see ScalarLaw."""
    for c in range(rows.shape[0]):
        k, r_0, eta, theta = rows[c]
        p = SpringRow(r_0, k, k, 0.0, np.inf, eta, theta)
        y, s = q.start[c] - r_0 - q.history[c, 0], q.value[c] - q.start[c]
        if theta > 0.0:
            end, _, by_s = _yielded(y, s, q.value[c], p, q.h)
        else:
            end, _, by_s = _flowed(y, s, p, q.h)
        response.force[c] = k * end
        response.by_value[c] = k * by_s
        response.energy[c] = 0.5 * k * end * end
        response.history[c, 0] = q.value[c] - end - r_0


class Flowing(ScalarLaw):
    """Springs in series with dashpots: k, r_0, eta (K,), threshold theta."""

    energy_known = True
    history = 1  # flow of the length at rest
    flows = True

    def __init__(self, stiffness: Floats, rest: Floats, dashpot: Floats, threshold: float) -> None:
        self.rows = np.column_stack([stiffness, rest, dashpot, np.full_like(stiffness, threshold)])

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """See ScalarLaw."""
        _flow(q, self.rows, response)
