"""Motion between the recorded states of a run.

A step from level 0 to level 1, s = (t - t_0)/h in [0, 1]:

    x = x_0 + h v_0 s + c_2 s^2 + c_3 s^3,      v = dx/dt

c_2 and c_3 follow from x_1 and v_1, the cubic of Hermite. After impacts v_1 is no velocity of the step.
Recorded impulses of a located impact give that before it; else c_3 = 0. Rotation vectors from q_0 on take the
place of x, and w that of v. The error is of second order, as that of the scheme, and nothing where
accelerations are constant.

Rotation vectors of large turns about a changing axis tell nothing of w. So w is linear in time for bodies
that are alike about all axes, and for turns of more than a radian.

No curve crosses the arrival of a body: it begins with the velocities that the model states. Where these are
v_0 and the place was drawn from a region, x_0 = x_1 - h (v_0 + v_1)/2, or that of free fall in a step with an
impact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.checks import floats, refuse
from nsgalpha.model.inactive_bodies import gravity_of
from nsgalpha.model.inlets_outlets import PRESENT, Feeder, stages
from nsgalpha.model.model import Model
from nsgalpha.run.body_events import stages_at
from nsgalpha.run.contact_work import impact_jumps

SAME = 1e-9  # of a step: difference of its size and of two times that is rounding


class MotionAt(NamedTuple):
    """Motion of all bodies (N) at times (n,), inertial."""

    t: Floats  # (n,) [s]
    position: Floats  # (n, N, 3) [m]
    rotation: Floats  # (n, N, 4) unit quaternions, scalar first, body to inertial
    velocity: Floats  # (n, N, 3) [m/s]
    angular_velocity: Floats  # (n, N, 3) [rad/s]
    present: Flags  # (n, N) see Result.present


def motion_at(result: Any, times: ArrayLike) -> MotionAt:
    """See Result.at."""
    known = np.asarray(result.t)
    allowed = f"numbers (n,) in [{known[0]:g}, {known[-1]:g}] s, the times of the run"
    t = np.atleast_1d(floats("times", times, allowed))
    if t.ndim != 1 or not ((t >= known[0]) & (t <= known[-1])).all():
        raise refuse("times", times, allowed)
    before = np.clip(np.searchsorted(known, t, side="right") - 1, 0, max(len(known) - 2, 0))
    after = np.minimum(before + 1, len(known) - 1)
    x, q, v, w = (
        np.asarray(getattr(result, name))[[before, after]]
        for name in ("position", "rotation", "velocity", "angular_velocity")
    )
    present = stages_at(stages(result.model), t, result.changes.t, result.changes.value) == PRESENT
    if len(known) == 1 or not len(t):  # a start alone, or no times, which old versions of SciPy do not rotate
        return MotionAt(t, x[0], q[0], v[0], w[0], present)
    h = known[after] - known[before]
    if (np.abs(h - np.asarray(result.h)[after]) > SAME * h + 4.0 * np.spacing(np.abs(t))).any():
        raise ValueError("times: the states around them are further apart than a step; record every step")
    ends = known[0] + np.cumsum(result.stats.h)
    step = np.searchsorted(ends, known[before] + 0.5 * h)
    struck = np.asarray(result.stats.sub_impacts)[step][:, None, None] > 0
    s, h = ((t - known[before]) / h)[:, None, None], h[:, None, None]
    last = s >= 1.0, v[1], w[1]
    v, w, struck = _before_impacts(result, before, (v, w), struck)
    if result.model.open_boundaries:
        _begin_again(result.model, result.present[before], present, (x, v, w), h, struck)
    way, rate = _curve(x[1] - x[0], h * v[0], h * v[1], struck, s)
    turn = _turn(q, 0.5 * h * (w[0] + w[1]))
    plain = ~struck & (_round(result.model) | (np.linalg.norm(turn, axis=2, keepdims=True) > 1.0))
    # the rate of a rotation vector p is w - p x w / 2 + ..., to second order
    bent = np.where(plain, 0.0, 0.5 * np.cross(turn, w[1]))
    angle, spin = _curve(turn, h * w[0], h * (w[1] - bent), struck, s)
    spin = np.where(plain, h * (w[0] + s * (w[1] - w[0])), spin + 0.5 * np.cross(angle, spin))
    rotation = Rotation.from_rotvec(angle.reshape(-1, 3)) * _rotation(q[0])
    turned = np.roll(rotation.as_quat(), 1, axis=1).reshape(q[0].shape)
    velocity, angular = (np.where(last[0], at, part / h) for at, part in ((last[1], rate), (last[2], spin)))
    return MotionAt(t, x[0] + way, turned, velocity, angular, present)


def _before_impacts(
    result: Any, before: Ints, velocities: tuple[Floats, Floats], struck: Flags
) -> tuple[Floats, Floats, Flags]:
    """Velocities (2, n, N, 3) without the located impacts at ends of steps, and where others have `struck`.

    before: levels (n,) where these steps begin.
    """
    v, w = velocities
    ends = struck[:, 0, 0] & (
        np.asarray(result.stats.located)[np.minimum(before, len(result.stats.h) - 1)] > 0
    )
    if len(result.t) != len(result.stats.h) + 1 or not ends.any() or not result.contacts.start[-1]:
        return v, w, struck
    jumps, count = impact_jumps(result, np.unique(before[ends])), v.shape[2]
    v, w, struck = v.copy(), w.copy(), struck.copy()
    for k in np.flatnonzero(ends):
        jump = jumps.get(int(before[k]))
        if jump is not None:
            v[1, k] -= jump[:count, :3]
            w[1, k] -= jump[:count, 3:]
            struck[k] = False
    return v, w, struck


def _round(model: Model) -> Flags:
    """Bodies (N, 1) that are alike about all axes."""
    same = [np.array_equal(body.inertia, body.inertia[0, 0] * np.eye(3)) for body in model.bodies]
    return np.array(same, bool)[:, None]


def _begin_again(
    model: Model,
    before: Flags,
    there: Flags,
    motion: tuple[Floats, Floats, Floats],
    h: Floats,
    struck: Flags,
) -> None:
    """Let curves begin after arrivals and departures.

    Bodies were there `before`, and are `there` afterwards (n, N). motion: positions, velocities and angular
    velocities at both ends, (2, n, N, 3), of steps of `h` [s].
    """
    (x, v, w), changed = motion, there != before
    stated = model.initial_state()
    for part, given in ((v, stated.velocity), (w, stated.angular_velocity)):
        part[0] = np.where(changed[..., None], given * there[..., None], part[0])
    drawn = np.zeros(len(model.bodies), bool)
    for each in model.open_boundaries:
        if isinstance(each, Feeder) and each.region is not None:
            drawn[[body.index for body in each.bodies]] = True
    mean = np.where(struck, v[0] + 0.5 * h * gravity_of(model), 0.5 * (v[0] + v[1]))
    x[0] = np.where((changed & there & drawn)[..., None], x[1] - h * mean, x[0])


def _rotation(q: Floats) -> Rotation:
    return Rotation.from_quat(np.roll(q.reshape(-1, 4), -1, axis=1))


def _turn(q: Floats, expected: Floats) -> Floats:
    """Rotation vectors from `q[0]` to `q[1]` (n, N, 4), with the whole turns of those `expected`."""
    turn = (_rotation(q[1]) * _rotation(q[0]).inv()).as_rotvec().reshape(expected.shape)
    size = np.linalg.norm(turn, axis=2, keepdims=True)
    axis = np.divide(turn, size, out=np.zeros_like(turn), where=size > 0.0)
    along = (expected * axis).sum(axis=2, keepdims=True)
    return turn + 2.0 * np.pi * np.round((along - size) / (2.0 * np.pi)) * axis


def _curve(way: Floats, v0: Floats, v1: Floats, struck: Flags, s: Floats) -> tuple[Floats, Floats]:
    """Displacements and their rates at `s` of the cubics over a `way`; of parabolas where `struck`."""
    c3 = np.where(struck, 0.0, v0 + v1 - 2.0 * way)
    c2 = way - v0 - c3
    return ((c3 * s + c2) * s + v0) * s, (3.0 * c3 * s + 2.0 * c2) * s + v0
