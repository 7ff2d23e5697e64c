"""Velocities and poses of the theta method.

    v  = v_k + h [(1 - theta) a_k + theta a_{k+1}],      m a = f,    J a + W x J W = R^T t
    q_{k+1} = q_k o exp( h [(1 - theta) v_k + theta v_{k+1}] )

Rotations use the body frame, `W = R^T w`, where the inertia tensor has a direction, and the inertial frame
where it has none, as in stepping/smooth_motion.py. At a pose q* the angular velocity of W is `R* W`.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Motion, turned, turned_back
from nsgalpha.stepping.poses import displace
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.system.system import System


class ThetaMethod:
    """Steps of `h` [s], which may change, of the bodies of a `system`, without contacts."""

    def __init__(self, system: System, h: float, theta: float) -> None:
        self.system, self.h, self.theta = system, h, theta
        self.follows = bool(system.model.loads) or not bool(system.bodies.isotropic[: system.count].all())
        self._directed = np.flatnonzero(~system.bodies.isotropic[: system.count])

    def accelerate(self, t: float, motion: Motion) -> Floats:
        """Accelerations (N, 6) under the loads at the time `t` [s], which become those of `motion`."""
        system = self.system
        wrench = system.weight
        if system.model.loads:
            wrench = system.loads(system.state(t, motion))
        accelerations(system.bodies, motion, wrench)
        return np.array(motion.a[: system.count])

    def predict(self, old: Motion, increment: Floats, part: float, out: Motion) -> None:
        """The pose of `old` moved by its velocities over the `part` of a step; frames by the `increment`."""
        U = part * increment
        n = self.system.count
        U[:n, :3], U[:n, 3:] = part * self.h * old.v[:n], part * self.h * old.w[:n]
        displace(old.x, old.q, U, out)

    def turn(self, w: Floats, before: Floats, after: Floats) -> Floats:
        """Angular velocities (N, 3) at the rotations `after` of bodies with `w` (N, 3) at those `before`."""
        out, chosen = np.array(w), self._directed
        if len(chosen):
            out[chosen] = turned(after[chosen], turned_back(before[chosen], w[chosen]))
        return out

    def free(self, old: Motion, a_old: Floats, a_new: Floats, at: Motion) -> None:
        """Write the velocities without contacts, at the pose of `at`, to it."""
        n, h = self.system.count, self.h
        mean = (1.0 - self.theta) * a_old + self.theta * a_new
        at.v[:n] = old.v[:n] + h * mean[:, :3]
        chosen = self._directed
        change = h * mean[:, 3:]
        if len(chosen):
            change[chosen] = turned(at.q[chosen], change[chosen])
        at.w[:n] = self.turn(old.w[:n], old.q[:n], at.q[:n]) + change

    def move(self, old: Motion, at: Motion, increment: Floats, new: Motion) -> None:
        """Poses and velocities `new` of bodies with the velocities `at` a pose; sets their `increment`.

        Frames have been placed.
        """
        n, h, theta = self.system.count, self.h, self.theta
        frames = new.x[n:].copy(), new.q[n:].copy()
        increment[:n, :3] = h * ((1.0 - theta) * old.v[:n] + theta * at.v[:n])
        w = self.turn(at.w[:n], at.q[:n], old.q[:n])
        increment[:n, 3:] = h * ((1.0 - theta) * old.w[:n] + theta * w)
        displace(old.x, old.q, increment, new)
        new.x[n:], new.q[n:] = frames
        new.v[:n] = at.v[:n]
        new.w[:n] = self.turn(at.w[:n], at.q[:n], new.q[:n])
