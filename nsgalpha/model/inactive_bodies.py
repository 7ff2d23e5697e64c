"""Fixed bodies and bodies that are absent for now, in a system's arrays.

    1/m = 0,    J^-1 = 0,    f = 0,    v = w = dv = a = 0

No force reaches them, so that they stay where they are in every scheme. Contacts of two sides that cannot
move are left out, and all of bodies that are absent.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Bodies, Flags, Floats, Ints, Motion
from nsgalpha.checks import refuse
from nsgalpha.model.inlets_outlets import PRESENT, stages
from nsgalpha.model.model import Model


def gravity_of(model: Model) -> Floats:
    """Acceleration (N, 3) [m/s^2] of each body by gravity alone, 0 for those that are fixed."""
    own = [model.gravity if body.gravity is None else body.gravity for body in model.bodies]
    free = np.array([not body.fixed for body in model.bodies], float)
    return free[:, None] * np.reshape(own, (-1, 3))


class InactiveBodies:
    """Fixed and inactive bodies of a model.

    `weight` (N, 6) acts on them, `work` (B, 3, 3) are their inertial inverse inertias.
    """

    def __init__(self, model: Model, bodies: Bodies, weight: Floats, work: Floats) -> None:
        self.model, self._inverse, self._work = model, bodies.inverse_inertia, work
        self.fixed = np.array([body.fixed for body in model.bodies])
        self.stage = stages(model)  # (N,) see inlets_outlets.py
        inertia = bodies.inertia, bodies.inverse_inertia, bodies.isotropic
        self._parts: tuple[Floats | Flags, ...] = (bodies.mass, bodies.inverse_mass, *inertia, weight)
        self._given = tuple(part[: len(self.fixed)].copy() for part in self._parts)
        self._fill: tuple[float | bool | Floats, ...] = (1.0, 0.0, np.eye(3), 0.0, True, 0.0)
        self._size = len(bodies.mass)
        self._apply()
        work[:] = bodies.inverse_inertia

    def _apply(self) -> None:
        n = len(self.fixed)
        self.present = self.stage == PRESENT
        self.still = self.fixed | ~self.present  # (N,)
        self.any = bool(self.still.any())
        for part, given, fill in zip(self._parts, self._given, self._fill, strict=True):
            part[:n] = given
            part[:n][self.still] = fill
        self._there = np.ones(self._size, bool)
        self._there[:n] = self.present
        self._moves = np.zeros(self._size, bool)
        self._moves[:n] = ~self.still

    def begin(self, presence: Ints | None, motion: Motion) -> None:
        """Set the `presence` of a state (N,), None: the start of the model; absent bodies rest.

        Raises ValueError if the model has no outlets and feeders, and not all bodies are there.
        """
        if self.model.open_boundaries:
            self.set_stage(stages(self.model) if presence is None else presence)
            self.stop(motion)
        elif presence is not None and (presence != PRESENT).any():
            allowed = "None for a model without outlets and feeders"
            raise refuse("state.presence", presence, allowed, "use a state of the same model")

    def set_stage(self, stage: Ints) -> None:
        """From now on the bodies are in these stages (N,)."""
        changed = np.flatnonzero(stage != self.stage)
        self.stage = stage.copy()
        self._apply()
        self._work[changed] = self._inverse[changed]

    def presence(self) -> Ints | None:
        """The stages (N,) of the bodies, None in a model without outlets and feeders."""
        return self.stage.copy() if self.model.open_boundaries else None

    def may_touch(self, a: Ints, b: Ints) -> Flags:
        """Flags of candidates of `a` and `b`, frames and anchors included, that can matter."""
        if not self.any:
            return np.ones(len(a), bool)
        frame = np.where((b < 0) | (b >= self._size), self._size - 1, b)
        return self._there[a] & self._there[frame] & (self._moves[a] | self._moves[frame])

    def are_there(self, rows: Ints) -> Flags:
        """Flags of the `rows` (K, S) of bodies or frames with all S present."""
        return np.asarray(self._there[rows].all(axis=1))

    def clear_wrenches(self, wrench: Floats) -> None:
        """Take the wrenches (N, 6) from bodies that stand still."""
        if self.any:
            wrench[self.still] = 0.0

    def stop(self, motion: Motion) -> None:
        """Take the velocities and accelerations from bodies that stand still."""
        if self.any:
            for part in (motion.v, motion.w, motion.dv, motion.a):
                part[: len(self.still)][self.still] = 0.0
