"""The start of jointed bodies: what violates a joint is refused, accelerations and reactions are consistent.

    [M  -G^T] [dV_0    ]   [f    ]
    [G   0  ] [lambda_0] = [-dG/dt V]                      dG/dt V by differences along the motion

`a_0` stands for the acceleration at the time t_0 + (alpha_m - alpha_f) h (docs/design/joints.md): with dV_0
in its place reactions are of first order in the first steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nsgalpha.arrays import Flags, Floats, Motion
from nsgalpha.checks import refuse
from nsgalpha.compiled import uncounted
from nsgalpha.joints.response import add_wrenches, gather_joints, measure_and_factorise, solve_joints
from nsgalpha.model.system import System
from nsgalpha.pointers import contents
from nsgalpha.stepping.pose import displace, rotate_inertias
from nsgalpha.stepping.smooth import accelerations
from nsgalpha.turning import turned

VIOLATION = 1e-9  # admitted at the start, of a length or a speed, over that of the bodies
ROUNDING = 1e-14  # of a coordinate
PART = 1e-3  # of a radian, or of a length of a body, that bodies move between differences
STENCIL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))  # of fourth order, over 12 steps

Wrenches = Callable[[float, Motion], Floats]


@uncounted
def _measure(bodies, motion, inverse_inertia):
    rotate_inertias(bodies, motion.q, inverse_inertia)
    measure_and_factorise(bodies.joints, motion, bodies, inverse_inertia)


@uncounted
def _rates(bodies, V):
    gather_joints(bodies.joints, V, contents(bodies.joints).c)


@uncounted
def _solve(bodies):
    solve_joints(bodies.joints, contents(bodies.joints).c)


@uncounted
def _react(bodies, wrench):
    add_wrenches(bodies.joints, 1.0, contents(bodies.joints).multiplier, wrench)


def refuse_violation(system: System, motion: Motion, h: float) -> None:
    """ValueError, with the size of the violation, if a joint does not hold in `motion` at either level.

    What moves bodies in a step of `h` by less than rounding is none: those that joints hold at rest have
    velocities of rounding, and nothing to compare them with.
    """
    joints = system.joints
    _measure(system.bodies, motion, system.work)
    _rates(system.bodies, np.hstack([motion.v, motion.w]))
    size = max(1.0, float(np.abs(motion.x).max())) * VIOLATION
    speed = np.abs(motion.v).max() + np.abs(motion.w).max() * joints.lever.max(initial=0.0)
    least = max(speed * VIOLATION, ROUNDING * size / (VIOLATION * h))
    for values, limit, what, unit, remedy in (
        (joints.rows.g, size, "position", "m or rad", "place the bodies so that the joint holds"),
        (joints.c, least, "velocity", "m/s or rad/s", "give velocities that the joint admits"),
    ):
        wrong = np.flatnonzero(~(np.abs(values) <= limit))
        if len(wrong):
            row = wrong[np.abs(values[wrong]).argmax()]
            joint = system.model.joints[int(np.searchsorted(joints.table.row, row, side="right")) - 1]
            allowed = f"at most {limit:.3g} {unit}"
            raise refuse(f"{what}: violation of {joint.name}", float(values[row]), allowed, remedy)


def begin_joints(
    system: System, motion: Motion, t: float, h: float, ahead: float, wrenches: Wrenches
) -> None:
    """Consistent accelerations `dv`, `a` in `motion` at `t` under `wrenches(t, motion)`, and reactions.

    `ahead` is alpha_m - alpha_f.
    """
    fastest = float(
        max(
            np.abs(motion.w).max(), (np.abs(motion.v[: system.count]).max(axis=1) / system.joints.lever).max()
        )
    )
    step = min(0.1 * h, PART / fastest) if fastest > 0.0 else 0.1 * h
    dv = _accelerate(system, motion, t, step, wrenches)
    slope = np.zeros_like(dv)
    if ahead != 0.0:
        for k, weight in STENCIL:
            there = _moved(system, motion, dv, t, k * step)
            slope += weight / (12.0 * step) * _accelerate(system, there, t + k * step, step, wrenches)
        _accelerate(system, motion, t, step, wrenches)  # and the reactions
    system.joints.impulse[:] = system.joints.struck[:] = 0.0
    motion.dv[: system.count] = dv
    motion.a[: system.count] = dv + ahead * h * slope


def _accelerate(system: System, motion: Motion, t: float, step: float, wrenches: Wrenches) -> Floats:
    """Accelerations (N, 6) of jointed bodies, in the frames of smooth.py; fills the multipliers."""
    n, bodies, joints = system.count, system.bodies, system.joints
    f = wrenches(t, motion)
    turning = np.zeros(len(joints.c))
    still = np.zeros((n, 6))
    for k, weight in STENCIL:
        there = _moved(system, motion, still, t, k * step)
        _measure(bodies, there, system.work)
        _rates(bodies, np.hstack([there.v, there.w]))
        turning += weight / (12.0 * step) * joints.c
    _measure(bodies, motion, system.work)
    free = motion._replace(dv=motion.dv.copy(), a=motion.a.copy())
    accelerations(bodies, free, f)
    A = np.zeros((system.size, 6))
    A[:n] = _inertial(bodies.isotropic[:n], free)
    _rates(bodies, A)
    joints.c[:] += turning
    _solve(bodies)
    joints.multiplier[:] = -joints.c
    driven = f.copy()
    _react(bodies, driven)
    accelerations(bodies, free, driven)
    return free.dv[:n].copy()


def _inertial(isotropic: Flags, motion: Motion) -> Floats:
    """`dv` (N, 6) with angular accelerations in the inertial frame."""
    n = len(isotropic)
    dv = motion.dv[:n].copy()
    dv[:, 3:] = np.where(isotropic[:, None], dv[:, 3:], turned(motion.q[:n], dv[:, 3:]))
    return dv


def _moved(system: System, motion: Motion, dv: Floats, t: float, step: float) -> Motion:
    """The motion `step` [s] away with accelerations `dv` (N, 6); frames where they are then."""
    n = system.count
    there = Motion(*(part.copy() for part in motion))
    A = _inertial(system.bodies.isotropic[:n], motion._replace(dv=np.vstack([dv, motion.dv[n:]])))
    U = np.zeros((system.size, 6))
    U[:n, :3] = step * motion.v[:n] + 0.5 * step**2 * A[:, :3]
    U[:n, 3:] = step * motion.w[:n] + 0.5 * step**2 * A[:, 3:]
    displace(motion.x, motion.q, U, there)
    there.v[:n] += step * A[:, :3]
    there.w[:n] += step * A[:, 3:]
    system.place_frames(there, t + step)
    return there
