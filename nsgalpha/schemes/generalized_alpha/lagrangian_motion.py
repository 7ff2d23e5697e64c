"""Smooth motion of jointed bodies by the paper's system: the equations of constrained_motion.py.

    M dv = f + G^T lambda,   G(q~) V~ = 0,      g(q~) = 0   by   M U = G^T nu

Each iteration takes the motion of the bodies under the last multipliers, moves it onto g = 0, and corrects
velocities and multipliers there. Both are linear systems of the joints' elements (contact_elements.py):
joints have `Pi(sigma) = sigma`, so that one step of Newton's method solves them.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.constraints.joint_coordinates import ignore_soft, set_compliance, soften
from nsgalpha.constraints.jointed_response import (
    add_wrenches,
    are_measured,
    measure_and_factorise,
    measure_rows,
    recall_answers,
)
from nsgalpha.contact.augmented_lagrangian.row_elements import BodySystem
from nsgalpha.geometry.twists import divide, least_change, size_of
from nsgalpha.linalg import SingularMatrixError
from nsgalpha.schemes.generalized_alpha.constrained_motion import (
    CLOSING,
    MAX_ITERATIONS,
    are_closed,
    gather_rates,
    rounded_rates,
)
from nsgalpha.schemes.generalized_alpha.singular_positions import arrive, blur, rounding
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.stepping.poses import displace, rotate_inertias
from nsgalpha.stepping.smooth_motion import smooth_motion


def lagrangian_motion(now: StepData, h: float, wrench: Floats, penalty: float) -> int:
    """The smooth motion under the `wrench` (N, 6) and the joints in a step of `h`.

    Returns the iterations, -1 where they do not converge; the joints' multipliers are on entry the start.
    """
    joints, bodies, constants, new = now.system.joints, now.system.bodies, now.constants, now.new
    am, af, gamma, beta = now.scheme
    to_a = (1.0 - af) / (1.0 - am)
    step = h * gamma * to_a
    set_compliance(joints, h * h * beta * to_a, step)
    if not are_measured(joints, now.old):
        measure_rows(joints, now.old, bodies, now.system.work)
    recall_answers(joints)
    U, work, last = np.zeros_like(now.increment), np.empty_like(wrench), np.inf
    for iteration in range(1, MAX_ITERATIONS + 1):
        before, after = np.zeros_like(wrench), np.zeros_like(wrench)
        add_wrenches(joints, 1.0, joints.multiplier, before)
        if smooth_motion(constants, h, wrench + before, now.old, new, now.increment) < 0:
            return -1
        try:
            if not _close(now, U, penalty):
                return -1
            add_wrenches(joints, 1.0, joints.multiplier, after)
            V = np.zeros_like(U)  # effect of the joints, rotated by the motion, on the velocities
            divide(bodies, now.system.work, step, after - before, V)
            gather_rates(joints, new, V)
            soften(joints, step)
            W, impulse = BodySystem(bodies, now.system.work, None, penalty).hold(joints.c)
        except SingularMatrixError:
            return -1
        V += W
        joints.multiplier[:] += impulse / step
        size, least = size_of(joints.lever, V), least_change(constants, joints.lever, new, now.old)
        least = max(least, rounded_rates(joints, step, work))
        if size <= least or (last <= 2.0 * size and size <= blur(joints, new)):
            count = now.system.count
            new.v[:count] += V[:count, :3]
            new.w[:count] += V[:count, 3:]
            arrive(constants, now.instant)
            joints.measured.smooth[:] = joints.measured.gap
            return iteration
        last = size
    return -1


def _close(now: StepData, U: Floats, penalty: float) -> bool:
    """Displace the new pose by `U` (B, 6), on entry a guess; True if g = 0 there."""
    joints, bodies, new = now.system.joints, now.system.bodies, now.new
    x, q, floor = new.x.copy(), new.q.copy(), rounding(joints, new)
    for _ in range(CLOSING):
        displace(x, q, U, new)
        rotate_inertias(bodies, new.q, now.system.work)
        measure_and_factorise(joints, new, bodies, now.system.work)  # its pivots tell dependent rows
        joints.c[:] = joints.rows.g
        ignore_soft(joints)
        D, _ = BodySystem(bodies, now.system.work, None, penalty).hold(joints.c)
        if size_of(joints.lever, D) <= floor or are_closed(joints, floor):
            now.increment += U
            return True
        U += D
    return False
