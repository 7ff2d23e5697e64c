"""Singular positions: rows of joints become dependent, as in a flat four-bar.

Two branches of motion cross there. Here `s` is along the branch of the mechanism and `t` along the other. A
combination `w` of the rows, dependent where s = t = 0, and its derivatives in time are to leading order

    w . g = c s t,     w^T G V = c (t ds/dt + s dt/dt),     w^T dG/dt V = 2 c ds/dt dt/dt,

and the smallest pivot is of the order s^2. Rounding e of g leaves t uncertain by e/s, and dt/dt by
e ds/dt / s^2: iterates come no closer (`blur`). Velocities still fulfil the rows of the pose to rounding.

Where the pivot is below DEPENDENT (joint_factor.py) the combination is left out, and nothing holds t. The
rows of the next level do: that of velocities gives t, its derivative dt/dt. With H = w^T dG/dt, which is c
ds/dt along t, and K = P M^-1 H^T, its part in the null space of the other rows,

    V <- V - K (H V) / (2 H K),        U <- U - K (w^T G V) / (H K).

Both are well conditioned as long as the mechanism moves. Rows that are always redundant have their H in the
range of G^T, so that K = 0. docs/design/joints.md has the derivation.
"""

import math

import numpy as np

from nsgalpha.constraints.geometric_rank import geometric_pivot
from nsgalpha.constraints.joint_coordinates import ignore_soft
from nsgalpha.constraints.joint_factor import lacks_rank, least_pivot
from nsgalpha.constraints.joint_redundancy import complete_null, depends
from nsgalpha.constraints.jointed_response import (
    SINGULAR,
    are_redundant,
    factorise_joints,
    gather_joints,
    measure_and_factorise,
    measure_rows,
    project_onto_joints,
    project_velocities_onto_joints,
    scatter_joints,
    solve_joints,
    spread_joints,
)
from nsgalpha.contact.rows.contact_kinematics import twists
from nsgalpha.geometry.twists import divide
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, fill
from nsgalpha.stepping.poses import displace, rotate_inertias

ROUNDING = 1e-15  # of a displacement, relative to the coordinates
BLUR = 10.0  # times the change of velocities that follows from rounding of the coordinates
TIMES = 3  # corrections of a pose at which rows are left out; they converge quadratically
MOVED = 1e-3  # of a radian, or of a length of a body, between differences
# part of H, squared, in the null space of other rows, up to which a combination is always redundant
HELD = 1e-6


@kernel
def rounding(joints, motion):
    """Rounding error [m] of a displacement at the coordinates of `motion`."""
    floor = 0.0
    for b in range(joints.lever.shape[0]):
        x = motion.x[b]
        floor = max(floor, ROUNDING * (abs(x[0]) + abs(x[1]) + abs(x[2]) + joints.lever[b]))
    return floor


@kernel
def _rate(joints, motion):
    """Largest rate [1/s] of body lengths or radians, and largest speed [m/s]."""
    rate, speed = 0.0, 0.0
    for b in range(joints.lever.shape[0]):
        v, w = 0.0, 0.0
        for i in range(3):
            v, w = max(v, abs(motion.v[b, i])), max(w, abs(motion.w[b, i]))
        rate = max(rate, v / joints.lever[b], w)
        speed = max(speed, v, w * joints.lever[b])
    return rate, speed


@kernel
def blur(joints, motion):
    """Change [m/s] of velocities that rounding of the coordinates makes, near a singular position."""
    rate, _ = _rate(joints, motion)
    return BLUR * rate * rounding(joints, motion) / least_pivot(joints.factor)


@kernel
def arrive(constants, now):
    """The end of a smooth motion that has converged to `now.new`: multipliers and velocities of joints."""
    joints = constants.bodies.joints
    nearest, dependent = least_pivot(joints.factor), are_redundant(joints)
    if dependent or nearest < SINGULAR:
        factorise_joints(joints)
        nearest = least_pivot(joints.factor)
    if lacks_rank(joints.factor):
        found = pass_singular(constants, now)
        nearest = min(nearest, found) if found > 0.0 else geometric_pivot(joints, constants.bodies)
    elif nearest < SINGULAR:
        V = joints.twist[0]
        twists(now.new, V)
        project_velocities_onto_joints(joints, V)
        _take(V, joints, now.new)
        nearest = geometric_pivot(joints, constants.bodies)
    joints.factor.nearest[0] = nearest
    if dependent:
        spread_joints(joints, joints.multiplier)


@kernel
def _take(V, joints, motion):
    """Give the bodies of `motion` the velocities `V` (B, 6)."""
    for b in range(joints.lever.shape[0]):
        for i in range(3):
            motion.v[b, i] = V[b, i]
            motion.w[b, i] = V[b, 3 + i]


@kernel
def _measure_at(constants, now, x, q, factor, V):
    """Rows of the joints at the pose `x`, `q` displaced by `factor V` (B, 6), to which `now.new` moves."""
    joints = constants.bodies.joints
    U = joints.twist[2]
    for b in range(V.shape[0]):
        for i in range(6):
            U[b, i] = factor * V[b, i]
    displace(x, q, U, now.new)
    measure_rows(constants.bodies.joints, now.new, constants.bodies, now.inverse_inertia)


@kernel
def _combine(joints, m, w, rows, out):
    """`out = rows^T w` (B, 6), of rows (R, K, 6) with multipliers `w` (R,)."""
    fill(out, 0.0)
    for j in range(joints.table.body.shape[0]):
        for side in range(joints.table.body.shape[1]):
            b = joints.table.body[j, side]
            for r in range(joints.table.row[j], joints.table.row[j + 1]):
                for i in range(6):
                    out[b, i] += w[r] * rows[r, side, i]


@kernel
def _differentiate(before, dt, rows):
    """`rows = (rows - before) / dt`, both (R, K, 6)."""
    for r in range(rows.shape[0]):
        for side in range(rows.shape[1]):
            for i in range(6):
                rows[r, side, i] = (rows[r, side, i] - before[r, side, i]) / dt


@kernel
def _product(a, b, count):
    """Scalar product of the first `count` rows."""
    total = 0.0
    for k in range(count):
        for i in range(6):
            total += a[k, i] * b[k, i]
    return total


@kernel
def _pivot(joints, w, workspace):
    """`w^T S w`, relative to the same of rows that were orthogonal."""
    fill(workspace, 0.0)
    scatter_joints(joints, 1.0, w, workspace)
    gather_joints(joints, workspace, joints.c)
    total, size = 0.0, 0.0
    for r in range(w.shape[0]):
        total += w[r] * joints.c[r]
        size += w[r] * joints.factor.diagonal[r] * w[r]
    return total / size


@kernel
def pass_singular(constants, now):
    """Correct pose, velocities and increment of `now` where rows are left out that usually are kept.

    Returns the smallest pivot, of all rows.
    """
    bodies, new = constants.bodies, now.new
    joints = bodies.joints
    pattern, factor, rows = joints.pattern, joints.factor, joints.rows
    count, size, start = joints.lever.shape[0], new.v.shape[0], pattern.mechanism_rows
    dG, w = np.empty_like(rows.G), np.empty(rows.g.shape[0])
    V, U, H, K = np.empty((size, 6)), np.empty((size, 6)), np.empty((size, 6)), np.empty((size, 6))
    nearest = 0.0
    for _ in range(TIMES):
        twists(new, V)
        rate, _ = _rate(joints, new)
        if not (rate > 0.0 and math.isfinite(rate)):
            break
        x, q, dt = new.x.copy(), new.q.copy(), MOVED / rate
        _measure_at(constants, now, x, q, dt, V)
        copy_into(dG.reshape(-1), rows.G.reshape(-1))
        _measure_at(constants, now, x, q, -dt, V)
        _differentiate(rows.G, 2.0 * dt, dG)
        fill(U, 0.0)
        _measure_at(constants, now, x, q, 0.0, V)
        factorise_joints(joints)
        project_velocities_onto_joints(joints, V)
        copy_into(joints.c, rows.g)
        ignore_soft(joints)
        solve_joints(joints, joints.c)
        scatter_joints(joints, -1.0, joints.c, U)
        nearest = 0.0
        for m in range(factor.missing.shape[0]):
            if factor.missing[m] <= factor.usual[m]:
                continue
            for d in pattern.rows[start[m] : start[m + 1]]:
                if not depends(factor, d):
                    continue
                fill(w, 0.0)
                w[d] = 1.0 / math.sqrt(factor.diagonal[d])
                complete_null(pattern, rows.G, rows.MG, factor, m, w)
                _combine(joints, m, w, dG, H)
                fill(K, 0.0)
                divide(bodies, now.inverse_inertia, 1.0, H[:count], K)
                whole = _product(H, K, count)
                project_onto_joints(joints, K)
                part = _product(H, K, count)
                if not part > HELD * whole:
                    continue
                nearest = max(nearest, _pivot(joints, w, joints.twist[2]))
                gather_joints(joints, V, joints.c)
                to_pose = 0.0
                for r in range(w.shape[0]):
                    to_pose -= w[r] * joints.c[r] / part
                to_rate = -0.5 * _product(H, V, size) / part
                for b in range(count):
                    for i in range(6):
                        U[b, i] += to_pose * K[b, i]
                        V[b, i] += to_rate * K[b, i]
        displace(x, q, U, new)
        for b in range(count):
            for i in range(6):
                now.increment[b, i] += U[b, i]
        _take(V, joints, new)
    rotate_inertias(bodies, new.q, now.inverse_inertia)
    measure_and_factorise(joints, new, bodies, now.inverse_inertia)
    twists(new, V)
    project_velocities_onto_joints(joints, V)
    _take(V, joints, new)
    return nearest
