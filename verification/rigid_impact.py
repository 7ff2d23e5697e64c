"""Impacts of rigid balls by hand: an independent reference for the solver.

No time step, no scheme, no sparse matrices: velocities before go in, velocities after come out. One
impact of several contacts at once is

    u+ = u- + W P,    n.u+ = -e n.u- (P_n >= 0),    |P_t| <= mu P_n against u_t+,

Here u is the relative velocity of the contact points, solved by plain Gauss-Seidel over the contacts. The
impacts follow each other on a vanishing interval until no contact approaches. Loads have no part in them: a
contact that bears a weight takes part when it approaches. The effective masses of balls are isotropic at a
contact: 1/m in the normal, 1/m + R^2/I in the tangential direction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SWEEPS = 10_000
ROUNDING = 1e-15

Ball = tuple[float, float, float]  # radius [m], mass [kg], moment of inertia [kg m^2]


@dataclass(frozen=True, slots=True)
class Touch:
    """A contact of ball `a` with ball `b` (None: something fixed); `normal` (3,) from b to a.

    rolling: radius of rolling friction [m], |M| <= rolling P_n against the spin of `a` along the surface.
    """

    a: int
    b: int | None
    normal: tuple[float, float, float]
    mu: float
    e: float
    rolling: float = 0.0

    def sides(self) -> list[tuple[int, float]]:
        """The balls with the sign of their motion in the relative velocity."""
        return [(self.a, 1.0)] if self.b is None else [(self.a, 1.0), (self.b, -1.0)]


def relative_velocity(touch: Touch, v: np.ndarray, w: np.ndarray, radius: float) -> np.ndarray:
    """Velocity (3,) [m/s] of the contact point of `a` relative to that of `b`."""
    n = np.array(touch.normal)
    # the lever is -sign R n, and the sign squared is one
    return sum(sign * v[i] - radius * np.cross(w[i], n) for i, sign in touch.sides())


def push(touch: Touch, impulse: np.ndarray, v: np.ndarray, w: np.ndarray, ball: Ball) -> None:
    """Apply `impulse` (3,) [N s] on `a`, its reaction on `b`; changes `v`, `w` (balls, 3) in place."""
    radius, mass, inertia = ball
    for i, sign in touch.sides():
        v[i] += sign * impulse / mass
        w[i] += np.cross(-radius * np.array(touch.normal), impulse) / inertia


def relative_spin(touch: Touch, w: np.ndarray) -> np.ndarray:
    """Spin (3,) [rad/s] of `a` relative to that of `b`."""
    return sum(sign * w[i] for i, sign in touch.sides())


def within(wanted: np.ndarray, allowed: float) -> np.ndarray:
    """`wanted` (3,), or as long as is `allowed` in its direction."""
    size = float(np.linalg.norm(wanted))
    return wanted if size <= allowed else wanted * (allowed / size)


def impact(
    touches: Sequence[Touch], v: np.ndarray, w: np.ndarray, ball: Ball
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (balls, 3) after one impact of all `touches` at once."""
    radius, mass, inertia = ball
    v, w = v.copy(), w.copy()
    target = [-t.e * min(float(relative_velocity(t, v, w, radius) @ t.normal), 0.0) for t in touches]
    impulses, moments = np.zeros((len(touches), 3)), np.zeros((len(touches), 3))
    for _ in range(SWEEPS):
        largest = 0.0
        for k, touch in enumerate(touches):
            n = np.array(touch.normal)
            count = len(touch.sides())
            u = relative_velocity(touch, v, w, radius)
            old_n = float(impulses[k] @ n)
            new_n = max(0.0, old_n - float(u @ n - target[k]) * mass / count)
            stuck = (u - (u @ n) * n) / (count * (1.0 / mass + radius**2 / inertia))
            new = new_n * n + within(impulses[k] - old_n * n - stuck, touch.mu * new_n)
            push(touch, new - impulses[k], v, w, ball)
            largest = max(largest, float(np.abs(new - impulses[k]).max()))
            impulses[k] = new
            if touch.rolling > 0.0:
                spin = relative_spin(touch, w)
                stopped = (spin - (spin @ n) * n) * inertia / count
                moment = within(moments[k] - stopped, touch.rolling * new_n)
                for i, sign in touch.sides():
                    w[i] += sign * (moment - moments[k]) / inertia
                largest = max(largest, float(np.abs(moment - moments[k]).max()) / radius)
                moments[k] = moment
        if largest <= ROUNDING * np.abs(impulses).max():
            return v, w
    raise ArithmeticError("the impact did not converge")


def impact_sequence(
    touches: Sequence[Touch], v: np.ndarray, w: np.ndarray, ball: Ball
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (balls, 3) [m/s], [rad/s] when no contact approaches any more."""

    def approaching(v: np.ndarray, w: np.ndarray) -> list[Touch]:
        least = -1e-12 * np.abs(v).max()
        return [t for t in touches if relative_velocity(t, v, w, ball[0]) @ t.normal < least]

    while active := approaching(v, w):
        v, w = impact(active, v, w, ball)
    return v, w
