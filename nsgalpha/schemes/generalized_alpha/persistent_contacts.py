"""Contacts that stay closed over a step: their forces rotate with the normals.

    M W = h [f - f~] + h/2 (G_n^T - G_{n+1}^T) lambda + G_{n+1}^T (P + Lambda)                      (10)

`lambda` are the forces of the last step. In the second term they rotate with the normals of the contacts,
from q_n to q_{n+1}. The impulse of a contact is then its mean over the step, to second order. Where no normal
rotates, as on planes at rest, the term is zero, and nothing is computed.

The joints' answers to contacts rotate with the mechanism, also where no normal rotates. With the multipliers
`eta` of the joints' rows G_B that answered the last step's corrections, and P, which joints let through,

    P_{n+1} h/2 M^-1 (G_B,n^T - G_B,n+1^T) eta

is added to the velocities of mechanisms with a contact that stays closed. Friction in joints likewise adds

    P_{n+1} h/2 (P_n M^-1 G_n^T - M^-1 G_{n+1}^T) lambda
"""

import math

import numpy as np

from nsgalpha.arrays import TORQUE
from nsgalpha.constraints.jointed_response import add_wrenches, has_joints, project_impulses
from nsgalpha.contact.rows.contact_kinematics import add_twists, scatter
from nsgalpha.contact.rows.marker_rows import is_friction_row
from nsgalpha.geometry.narrow_phase import touches
from nsgalpha.geometry.nearest_images import image_way
from nsgalpha.geometry.twists import copy, divide
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import fill
from nsgalpha.stepping.warm_start import turn, turned

JUMP = 4.0  # path of a point of contact over that of the bodies, from which on it is another point, and
RUN = 0.25  # least such path on planes, over the extent: points run around the rim of a coin that lies down


@kernel
def persists(now, c):
    """True if candidate `c` has carried a load and is closed still."""
    loaded = False
    if now.past.touched[c] and touches(now.candidates, now.past.flying, c):
        for i in range(6):
            loaded = loaded or now.past.wrench[c, i] != 0.0
    return loaded


@kernel
def turns(now, bodies, c):
    """True if candidate `c` persists, by a force, and its normal or levers have changed.

    The lever of a side that no force moves does not count.
    """
    past, candidates = now.past, now.candidates
    if not persists(now, c):
        return False
    place, loaded, moved, free = past.place[c], False, False, bodies.inverse_mass[candidates.b[c]] > 0.0
    for i in range(3):
        loaded = loaded or past.wrench[c, i] != 0.0
        moved = moved or place[i] != candidates.normal[c, i] or place[3 + i] != candidates.lever[c, 0, i]
        moved = moved or (free and place[6 + i] != candidates.lever[c, 1, i])
    return loaded and moved


@kernel
def path(now, bodies, c):
    """Longest known path [m] of points of candidate `c`'s bodies over the step."""
    total = 0.0
    for b in (now.candidates.a[c], now.candidates.b[c]):
        moved = spun = 0.0
        for i in range(3):
            moved += now.increment[b, i] ** 2
            spun += now.increment[b, 3 + i] ** 2
        total += math.sqrt(moved) + bodies.extent[b] * math.sqrt(spun)
    return total


@kernel
def lever_before(now, c, side, longest):
    """The lever of a `side` of candidate `c` at the start of the step, three numbers.

    It is one that has turned with the normal where the point of contact has gone further than `longest`, as
    where faces meet.
    """
    place, q = now.past.place[c], now.candidates.lever[c, side]
    p = place[3 + 3 * side : 6 + 3 * side]
    x, y, z = turn(now.candidates.normal[c], place, q[0], q[1], q[2])
    if math.sqrt((x - p[0]) ** 2 + (y - p[1]) ** 2 + (z - p[2]) ** 2) > longest:
        return x, y, z
    return p[0], p[1], p[2]


@kernel
def turned_away(now, bodies, c, side):
    """Half of the change of the wrench of candidate `c` on a `side` by rotation: six numbers [N, N m]."""
    w, q = now.past.wrench[c], now.candidates.lever[c, side]
    body = now.candidates.a[c] if side == 0 else now.candidates.b[c]
    least = RUN * bodies.extent[body] if now.candidates.plane[c] >= 0 else 0.0
    x, y, z = lever_before(now, c, side, max(JUMP * path(now, bodies, c), least))
    fx, fy, fz, tx, ty, tz = turned(now.past, now.candidates, c)
    s = 0.5 if side == 0 else -0.5
    return (
        s * (w[0] - fx),
        s * (w[1] - fy),
        s * (w[2] - fz),
        s * (w[3] - tx + y * w[2] - z * w[1] - q[1] * fz + q[2] * fy),
        s * (w[4] - ty + z * w[0] - x * w[2] - q[2] * fx + q[0] * fz),
        s * (w[5] - tz + x * w[1] - y * w[0] - q[0] * fy + q[1] * fx),
    )


@kernel
def _turn_friction(joints, rows, h, load, new):
    """`turn_velocities` by the friction in `joints`, whose last impulses are among the `load` (R,)."""
    if joints is None:
        return
    impulse, found = np.zeros(load.shape[0]), False
    for k in range(rows.contact.shape[0]):
        if is_friction_row(rows, k):
            for r in range(rows.row[k], rows.row[k + 1]):
                impulse[r] = -0.5 * load[r]
                found = found or load[r] != 0.0
    if not found:
        return
    V = np.zeros((new.v.shape[0], 6))
    for b in range(V.shape[0]):
        for i in range(6):
            V[b, i] = joints.rubbed[b, i] / h
    scatter(rows, impulse, V)
    add_twists(V, new)


@kernel
def _turn_answers(joints, rows, bodies, h, now, V):
    """Set `V` (B, 6) to the effect of rotated joint answers; True if any persist."""
    if joints is None:
        return False
    number, found = joints.number, False
    turning = np.zeros(joints.pattern.mechanism.shape[0], np.bool_)
    for k in range(rows.contact.shape[0]):
        if not is_friction_row(rows, k) and persists(now, rows.contact[k]):
            for side in range(2):
                m = number[rows.body[k, side]]
                if m >= 0:
                    turning[m] = found = True
    if not found:
        return False
    wrench, found = joints.wrench[0], False
    copy(joints.answered, wrench)
    add_wrenches(joints, -1.0, joints.answer, wrench)
    for b in range(wrench.shape[0]):
        turns_too = number[b] >= 0 and turning[number[b]]
        for i in range(6):
            wrench[b, i] = wrench[b, i] if turns_too else 0.0
            found = found or wrench[b, i] != 0.0
    if found:
        divide(bodies, now.inverse_inertia, 0.5 * h, wrench, V)
    return found


@kernel
def turn_velocities(rows, constants, h, now, load):
    """Add the effect of the forces' rotation over `h` to the velocities `now.new`.

    `load` (R,) are the impulses of the last step. Those on side A that do so are kept in `now.past.turned`.
    """
    bodies, new, impulse = constants.bodies, now.new, now.past.turned
    _turn_friction(rows.joints, rows, h, load, new)
    found = False
    fill(impulse, 0.0)
    for k in range(rows.contact.shape[0]):
        found = found or turns(now, bodies, rows.contact[k])
    if not (found or has_joints(rows.joints)):
        return
    V = np.zeros((new.v.shape[0], 6))
    found = _turn_answers(rows.joints, rows, bodies, h, now, V) or found
    if not found:
        return
    for k in range(rows.contact.shape[0]):
        c = rows.contact[k]
        if not turns(now, bodies, c):
            continue
        for side in range(2):
            b, wrench = rows.body[k, side], turned_away(now, bodies, c, side)
            for i in range(3):
                V[b, i] += h * bodies.inverse_mass[b] * wrench[i]
                if side == 0:
                    impulse[c, i] = h * wrench[i]
                for j in range(3):
                    V[b, 3 + i] += h * now.inverse_inertia[b, i, j] * wrench[3 + j]
    project_impulses(rows.joints, V)
    add_twists(V, new)


@kernel
def turned_rates(rows, V, before, now, out):
    """Approaches by rotating normals: `out` (R,), in the normal rows, zero on entry.

    Contacts that touched at the start of the step approached by their normals there, if at all. `before` (R,)
    are the rates of the velocities `V` (B, 6) by the normals at its end.
    """
    past, candidates = now.past, now.candidates
    for k in range(rows.contact.shape[0]):
        c, r = rows.contact[k], rows.row[k]
        n, p = candidates.normal[c], past.place[c]
        same = p[0] == n[0] and p[1] == n[1] and p[2] == n[2]
        if same or not past.touched[c] or not before[r] < 0.0:
            continue
        rate = 0.0
        for side in range(2):
            v, q = V[rows.body[k, side]], p[3 + 3 * side : 6 + 3 * side]
            if candidates.plane[c] == TORQUE:
                of_side = p[0] * v[3] + p[1] * v[4] + p[2] * v[5]
            else:
                of_side = p[0] * (v[0] + v[4] * q[2] - v[5] * q[1])
                of_side += p[1] * (v[1] + v[5] * q[0] - v[3] * q[2])
                of_side += p[2] * (v[2] + v[3] * q[1] - v[4] * q[0])
            rate += of_side if side == 0 else -of_side
        way = image_way(rows.image, k, V)
        rate -= p[0] * way[0] + p[1] * way[1] + p[2] * way[2]
        out[r] = abs(rate - before[r])
