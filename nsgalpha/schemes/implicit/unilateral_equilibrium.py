"""Stops and ropes at rest: one-sided rows; and motors at their bound.

    g >= 0,   y >= 0,   g y = 0,       r = F + G^T lambda + A^T y

A are the rows of touching contacts, and y those of all forces y >= 0 with the least residual. Here B = A - (A
D^-1 G^T) S^-1 G are the rows projected by the joints. The solution is the minimum of |F + G^T lambda + B^T y|
in the metric D^-1, lambda without stops (non-negative least squares: Lawson and Hanson, Solving Least Squares
Problems, 1974). So r is the steepest descent that stops allow, and zero where bodies rest on them. Pushing
contacts hold like joints in a step of Newton's method, and passed ones are closed like joints after it. y is
a function of the pose: no set of active stops is kept, so that none cycles.

A motor that is to hold a rate, where all is at rest, gives its whole strength: it is a load. Friction, and a
motor that is to hold the rate 0, may exert anything up to its bound: no one state balances, they are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import nnls

from nsgalpha.arrays import FRICTION, TORQUE, TURNING_FRICTION, Flags, Floats, Ints, Motion, turned
from nsgalpha.checks import refuse
from nsgalpha.constraints.geometric_stiffness import geometric_stiffness
from nsgalpha.model.contact_element import Friction, MarkerContact
from nsgalpha.model.joint_interface import DISTANCE
from nsgalpha.model.state import ContactForces
from nsgalpha.system.system import System

CLOSED = 1e-13  # gap, over the length of the contact and the coordinates, that is none
HELD = 1e-10  # part of a row, squared, that joints let through, up to which they hold it
PARTS, UPPER = (
    4,
    1,
)  # features of an element, and that of an upper limit: elements/geometry/marker_geometry.py


def refuse_others(system: System, t: float) -> None:
    """ValueError for set-valued contacts that at the time `t` [s] have no unique state of rest."""
    others = [each for each in system.elements if not isinstance(each, MarkerContact)]
    if others:
        names = ", ".join(sorted({type(each).__name__ for each in others}))
        remedy = "equilibrium needs forces: state these contacts as compliant ones"
        raise refuse("scheme", "equilibrium", f"GeneralizedAlpha for set-valued contact ({names})", remedy)
    markers: list[Any] = list(system.elements)
    for element in markers:
        friction = element.friction()
        if friction is not None and _speed(friction, t) == 0.0:
            raise refuse(
                "model",
                element.name,
                "without friction and brakes of joints in equilibrium",
                "they hold anything up to their bound, so that no one state balances; leave them out, or run",
            )


def _speed(friction: Friction, t: float) -> float:
    """The rate that a motor is to hold at `t`; 0 of friction."""
    if friction.motion is not None:
        return float(friction.motion.at(t)[0])
    times, rates = np.array(friction.speed, float).T
    return float(np.interp(t, times, rates))


class UnilateralConstraints:
    """The contacts between markers of a `system`; `force` (C,) are theirs in the last balance."""

    def __init__(self, system: System, motion: Motion) -> None:
        self.system = system
        self.elements: list[Any] = list(system.elements)
        self.table = system.candidates(motion.x, np.inf)
        self.count, self.size = len(self.table.a), system.size
        self.one_sided = np.asarray(self.table.plane > FRICTION)
        self.turning = np.isin(self.table.plane, (TORQUE, TURNING_FRICTION))
        self.force = np.zeros(self.count)
        self.rows = np.zeros((self.count, self.size, 6))  # wrenches on all bodies for a force of 1
        self.gap = np.full(self.count, np.inf)
        if self.count:
            self.measure(motion)
            system.refuse_overlap(self.table)

    def measure(self, motion: Motion) -> None:
        """Gaps and rows at the pose of `motion`; contacts that touch within rounding have the gap 0."""
        table = self.table
        if not self.count:
            return
        self.system.measure(motion, table)
        self.rows[:] = 0.0
        every = np.arange(self.count)
        for side, body in enumerate((table.a, table.b)):
            n = table.normal if side == 0 else -table.normal
            about = np.where(self.turning[:, None], n, np.cross(table.lever[:, side], n))
            along = np.where(self.turning[:, None], 0.0, n)
            self.rows[every, body] += np.hstack([along, about])
        size = table.length + np.abs(motion.x[: self.system.places]).max(initial=0.0)
        self.gap = np.where(np.abs(table.gap) <= CLOSED * size, 0.0, table.gap)

    def begin(self, t: float, part: float) -> None:
        """Motors at the time `t` [s] of a load step with a `part` of the loads."""
        refuse_others(self.system, t)
        for k in np.flatnonzero(~self.one_sided):
            friction: Any = self.elements[self.table.law[k]].friction()
            self.force[k] = part * friction.bound * np.sign(_speed(friction, t))

    def push(self, touching: Flags, rows: Floats, rest: Floats, scale: Floats) -> None:
        """Let `touching` (C,) contacts push with the least remainder of the `rest` (B, 6) that joints leave.

        `rows` (K, B, 6) are their projections by joints, `scale` (B, 6) is the root of D^-1.
        """
        self.force[self.one_sided] = 0.0
        whole = np.sqrt(np.sum((scale * self.rows[touching]) ** 2, axis=(1, 2)))
        through = np.sqrt(np.sum((scale * rows) ** 2, axis=(1, 2)))
        free = through > np.sqrt(HELD) * whole
        if free.any():
            A = (scale * rows[free]).reshape(int(free.sum()), -1) / through[free, None]
            pushed = nnls(A.T, -(scale * rest).ravel())[0] / through[free]
            self.force[np.flatnonzero(touching)[free]] = pushed

    def pushing(self) -> Flags:
        """The contacts (C,) that hold in the last balance."""
        return np.asarray(self.one_sided & (self.force > 0.0))

    def stiffness(self, motion: Motion) -> tuple[Ints, Floats]:
        """Bodies (n, 2) and stiffness (n, 2, 6, 2, 6) of the forces of the last balance, which turn."""
        acting = np.flatnonzero(self.force)
        sides = [self.elements[self.table.law[k]].measures() for k in acting]
        body = np.array([[self.system.frame_of(each) for each in one.carriers] for one in sides], np.int64)
        body = body.reshape(-1, 2)
        kind = np.array([one.kind for one in sides], np.int64)
        # a rope grows shorter, and an upper limit pushes back
        upper = (self.table.feature[acting] % PARTS == UPPER) | (kind == DISTANCE)
        points = np.array([one.points for one in sides], float).reshape(-1, 2, 3)
        rotation: Floats = motion.q[body]
        levers: Floats = turned(rotation, points)
        p, q = levers[:, 0], levers[:, 1]
        axis: Floats = turned(rotation[:, 0], np.array([one.axis for one in sides], float).reshape(-1, 3))
        d = motion.x[body[:, 1]] + q - motion.x[body[:, 0]] - p
        exerted = np.where(upper, -1.0, 1.0) * self.force[acting]
        return body, geometric_stiffness(kind, exerted, (axis, axis), (p, q), d)

    def contacts(self) -> ContactForces | None:
        """Forces of the last balance, with which a run continues; None without stops."""
        if not self.count:
            return None
        known, table = np.flatnonzero(self.force), self.table
        n = table.normal[known] * self.force[known, None]
        wrench = np.where(self.turning[known, None], np.hstack([0.0 * n, n]), np.hstack([n, 0.0 * n]))
        return ContactForces(table.a[known], table.b[known], table.plane[known], wrench, table.feature[known])

    def bodies(self) -> Ints:
        """Numbers of the bodies at which there are any."""
        return np.concatenate([self.table.a, self.table.b])
