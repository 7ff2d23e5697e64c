"""Start of jointed bodies: violations are refused, accelerations and reactions consistent.

    [M  -G^T] [dV_0    ]   [f    ]
    [G   0  ] [lambda_0] = [-dG/dt V]                      dG/dt V by differences along the motion

`a_0` stands for the acceleration at the time t_0 + (alpha_m - alpha_f) h (docs/design/joints.md): with dV_0
in its place reactions are of first order in the first steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nsgalpha.arrays import Bodies, Flags, Floats, Motion, copy_motion, turned
from nsgalpha.checks import refuse
from nsgalpha.constraints.joint_coordinates import set_compliance
from nsgalpha.constraints.jointed_response import (
    add_wrenches,
    gather_joints,
    measure_and_factorise,
    note_coordinates,
    solve_joints,
)
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.joint_interface import PERPENDICULAR
from nsgalpha.stepping.poses import displace, rotate_inertias
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.system.system import System

VIOLATION = 1e-9  # admitted at the start, of a length or a speed, over that of the bodies
ROUNDING = 1e-14  # of a coordinate
LIGHT = 1e7  # times as easily as it moves a body may turn, at the lever of a joint
NONE = 1e-30  # [s^2], [s]: the effect of a force that has none
PART = 1e-3  # of a radian, or of a length of a body, that bodies move between differences
CENTRAL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))  # of fourth order, over 12 steps
FORWARD = ((0, -25.0), (1, 48.0), (2, -36.0), (3, 16.0), (4, -3.0))  # so too

Wrenches = Callable[[float, Motion], Floats]
Stencil = tuple[tuple[int, float], ...]


@kernel
def set_rigid(joints):
    """Give springs and controllers no part in the reactions of joints."""
    set_compliance(joints, NONE, NONE)


def measure_start(
    system: System, motion: Motion, bodies: Bodies | None = None, work: Floats | None = None
) -> None:
    """Rows of the joints of the `system` at `motion`, factorised.

    `bodies` with their inverse inertias `work` (B, 3, 3), inertial, may answer in the place of the model's.
    """
    given = system.bodies if bodies is None else bodies, system.work if work is None else work
    rotate_inertias(given[0], motion.q, given[1])
    measure_and_factorise(system.joints, motion, *given)


def solve_start(system: System, values: Floats) -> Floats:
    """`S^-1 values` (R,) with the rows that were measured last."""
    system.joints.c[:] = values
    solve_joints(system.joints, system.joints.c)
    return system.joints.c.copy()


def begin_coordinates(system: System, motion: Motion, memory: Floats | None) -> None:
    """Coordinates of joints at the start, angles with the turns of the `memory` of a state.

    Without a memory, that of a drive is next to where its motion begins, and others are in [-pi, pi].
    """
    joints = system.joints
    last, relations, rows = joints.last, joints.relations, len(joints.c)
    last[:] = 0.0 if memory is None else memory[rows : rows + len(last)]
    if memory is None:
        for k in np.flatnonzero((np.diff(relations.first) == 1) & ~relations.soft):
            term, frame = relations.first[k], relations.frame[k]
            prescribed = relations.offset[k] + (motion.x[frame, 0] if frame >= 0 else 0.0)
            last[relations.coordinate[term], 0] = prescribed / relations.ratio[term]
    note_coordinates(joints, motion)


def refuse_violation(system: System, motion: Motion, h: float) -> None:
    """Raises ValueError, with the violation, if a joint fails in `motion` at either level.

    Motions of bodies in a step of `h` below rounding count as none. Bodies that joints hold at rest have
    velocities of rounding, and no scale for them.
    """
    joints = system.joints
    measure_start(system, motion)
    joints.factor.usual[:] = joints.factor.missing
    refuse_branch(system)
    refuse_light(system)
    gather_joints(joints, np.hstack([motion.v, motion.w]), joints.c)
    joints.c[system.soft] = 0.0
    size = max(1.0, float(np.abs(motion.x[: system.places]).max())) * VIOLATION
    speed = np.abs(motion.v[: system.places]).max() + np.abs(motion.w).max() * joints.lever.max(initial=0.0)
    least = max(speed * VIOLATION, ROUNDING * size / (VIOLATION * h))
    for values, limit, what, unit, remedy in (
        (joints.rows.g, size, "position", "m or rad", "place the bodies so that the joint holds"),
        (joints.c, least, "velocity", "m/s or rad/s", "give velocities that the joint admits"),
    ):
        wrong = np.flatnonzero(~(np.abs(values) <= limit))
        if len(wrong):
            row = wrong[np.abs(values[wrong]).argmax()]
            number = int(np.searchsorted(joints.table.row, row, side="right")) - 1
            joint = system.rows_of[number]
            if number >= len(system.model.joints):
                remedy = f"begin at the {what} that it tells, or let it begin at that of the model"
            allowed = f"at most {limit:.3g} {unit}"
            raise refuse(f"{what}: violation of {joint.name}", float(values[row]), allowed, remedy)


def refuse_light(system: System) -> None:
    """Raises ValueError if a body is so free about a joint that rows coincide.

    A force at a long lever on a next to massless rotation is a torque. Its row is then parallel, in the
    metric of the masses, to that of an axis, to rounding.
    """
    joints = system.joints
    rows = joints.table.row[len(system.model.joints)]
    G, MG = joints.rows.G[:rows, :2], joints.rows.MG[:rows, :2]
    straight = (G[..., :3] * MG[..., :3]).sum(axis=2)
    turned = (G[..., 3:] * MG[..., 3:]).sum(axis=2)
    for row, side in np.argwhere((straight > 0.0) & (turned > LIGHT * straight))[:1]:
        number = int(np.searchsorted(joints.table.row, row, side="right")) - 1
        body, joint = system.model.bodies[joints.table.body[number, side]], system.model.joints[number]
        least = float(turned[row, side] / straight[row, side] / LIGHT)
        allowed = f"about {least:.1g} times as large at the lever of {joint.name}"
        remedy = "give it a larger one, or place the joint at its centre"
        raise refuse(f"inertia of {body.name}", body.inertia.diagonal().tolist(), allowed, remedy)


def refuse_branch(system: System) -> None:
    """ValueError if a joint that was measured last is further than 90 degrees from the branch meant.

    Rows of perpendicular axes also hold where axes that are to be parallel point in opposite directions.
    """
    table, axes = system.joints.table, system.joints.rows.axes
    count = len(table.point)  # without relations
    joint = np.repeat(np.arange(count), np.diff(table.row[: count + 1]))
    perpendicular = table.kind == PERPENDICULAR
    to_third = perpendicular & (table.axis[:, 0] < 2) & (table.axis[:, 1] == 2)
    parallel = np.bincount(joint, to_third, count) == 2
    crossed = perpendicular & (table.axis[:, 0] == 0) & (table.axis[:, 1] == 1)
    unturned = parallel & (np.bincount(joint, crossed, count) > 0)
    for axis, meant, which in ((2, parallel, "the axes"), (0, unturned, "the second directions")):
        cosine = np.einsum("ji,ji->j", axes[:, 0, axis], axes[:, 1, axis])
        for j in np.flatnonzero(meant & (cosine <= 0.0))[:1]:
            angle = float(np.degrees(np.arccos(np.clip(cosine[j], -1.0, 1.0))))
            what = f"angle between {which} of the two sides of {system.model.joints[j].name}"
            raise refuse(what, angle, "below 90 degrees", "turn a body, or reverse the axis of a marker")


def begin_joints(
    system: System,
    motion: Motion,
    t: float,
    h: float,
    ahead: Floats,
    wrenches: Wrenches,
    *,
    stencil: Stencil = CENTRAL,
) -> None:
    """Consistent accelerations `dv`, `a` in `motion` at `t` under `wrenches(t, motion)`, and reactions.

    `ahead` (N,) is alpha_m - alpha_f, or 0 for bodies whose `a` is `dv`. stencil: of the slope in time of
    accelerations; FORWARD where they may have a corner at `t`.
    """
    fastest = float(
        max(
            np.abs(motion.w).max(), (np.abs(motion.v[: system.count]).max(axis=1) / system.joints.lever).max()
        )
    )
    step = min(0.1 * h, PART / fastest) if fastest > 0.0 else 0.1 * h
    free = np.zeros(len(system.soft), bool)
    dv = _accelerate(system, motion, t, step, wrenches, free)
    slope = np.zeros_like(dv)
    if ahead.any():
        stiff = _are_stiff(system, h)
        for k, weight in stencil:
            there = _moved(system, motion, dv, t, k * step)
            slope += weight / (12.0 * step) * _accelerate(system, there, t + k * step, step, wrenches, stiff)
        _accelerate(system, motion, t, step, wrenches, free)  # and the reactions
    system.joints.impulse[:] = system.joints.struck[:] = 0.0
    motion.dv[: system.count] = dv
    motion.a[: system.count] = dv + ahead[:, None] * h * slope


def _are_stiff(system: System, h: float) -> Flags:
    """Soft rows (n,) whose loads change faster than steps of `h` resolve."""
    relations, rows, soft = system.joints.relations, system.joints.rows, system.soft
    mass = np.einsum("rsi,rsi->r", rows.G[soft], rows.MG[soft])  # over it
    rates = h * h * relations.stiffness + h * relations.damping
    return np.asarray(rates[relations.soft] * mass > 1.0)


def _accelerate(
    system: System, motion: Motion, t: float, step: float, wrenches: Wrenches, frozen: Flags
) -> Floats:
    """Accelerations (N, 6) of jointed bodies, in the frames of smooth_motion.py; fills the multipliers.

    Soft rows keep their multipliers where they are `frozen` (n,).
    """
    n, bodies, joints = system.count, system.bodies, system.joints
    f = wrenches(t, motion)
    set_rigid(joints)
    measure_start(system, motion)
    kept = system.soft[frozen]
    yielding = _yielding(system, motion)
    yielding[kept] = joints.multiplier[kept]
    joints.multiplier[:] = yielding
    add_wrenches(joints, 1.0, joints.multiplier, f)
    turning = np.zeros(len(joints.c))
    still = np.zeros((n, 6))
    for k, weight in CENTRAL:
        there = _moved(system, motion, still, t, k * step)
        measure_start(system, there)
        gather_joints(joints, np.hstack([there.v, there.w]), joints.c)
        turning += weight / (12.0 * step) * joints.c
    measure_start(system, motion)
    free = motion._replace(dv=motion.dv.copy(), a=motion.a.copy())
    accelerations(bodies, free, f)
    A = np.zeros((system.size, 6))
    A[:n] = _inertial(bodies.isotropic[:n], free)
    gather_joints(joints, A, joints.c)
    joints.c[:] += turning
    joints.c[system.soft] = 0.0
    solve_joints(joints, joints.c)
    joints.multiplier[:] = -joints.c
    driven = f.copy()
    add_wrenches(joints, 1.0, joints.multiplier, driven)
    accelerations(bodies, free, driven)
    joints.multiplier[system.soft] = yielding[system.soft]
    return free.dv[:n].copy()


def _yielding(system: System, motion: Motion) -> Floats:
    """Loads (R,) of soft rows at the measured pose of `motion`, 0 in other rows."""
    joints, relations = system.joints, system.joints.relations
    loads = np.zeros(len(joints.c))
    gather_joints(joints, np.hstack([motion.v, motion.w]), joints.c)
    rates = joints.c[len(loads) - len(relations.soft) :]
    law = -relations.stiffness * joints.measured.gap - relations.damping * rates
    loads[system.soft] = law[relations.soft]
    return loads


def _inertial(isotropic: Flags, motion: Motion) -> Floats:
    """`dv` (N, 6) with angular accelerations in the inertial frame."""
    n = len(isotropic)
    dv = motion.dv[:n].copy()
    dv[:, 3:] = np.where(isotropic[:, None], dv[:, 3:], turned(motion.q[:n], dv[:, 3:]))
    return dv


def _moved(system: System, motion: Motion, dv: Floats, t: float, step: float) -> Motion:
    """The motion `step` [s] away with accelerations `dv` (N, 6); frames where they are then."""
    n = system.count
    there = copy_motion(motion)
    A = _inertial(system.bodies.isotropic[:n], motion._replace(dv=np.vstack([dv, motion.dv[n:]])))
    U = np.zeros((system.size, 6))
    U[:n, :3] = step * motion.v[:n] + 0.5 * step**2 * A[:, :3]
    U[:n, 3:] = step * motion.w[:n] + 0.5 * step**2 * A[:, 3:]
    displace(motion.x, motion.q, U, there)
    there.v[:n] += step * A[:, :3]
    there.w[:n] += step * A[:, 3:]
    system.place_frames(there, t + step)
    return there
