"""Contact kinematics: the rows of every contact, the same for all kinds.

A contact has a gap `g`, a unit normal `n` from side B to side A and two levers `p` from the centres
to the contact point. Its rows are wrenches (force, torque) on the sides A, B that are duals of

    normal     n   . (v_A + w_A x p_A - v_B - w_B x p_B)
    sliding    t_k . (v_A + w_A x p_A - v_B - w_B x p_B),   k = 1, 2
    rolling    t_k . (w_A - w_B)
    drilling   n   . (w_A - w_B)

(docs/theory.md, section 4: for spheres `p_A = -r_A n`, `p_B = r_B n`.) A side is a row with a sign: side 0 is
A with +1, side 1 is B with -1. A contact has only the rows that its law needs. The set of a row's multiplier
is listed beside it: a half line, or a ball with the radius `mu` times the normal row. Isotropic friction
allows any tangents orthonormal to the current normal. Contacts between markers have one
row, a force or a torque along the normal (marker_rows.py). In a periodic cell that moves `v_B` is that of the
image of B (nsgalpha/geometry/nearest_images.py).

Anisotropic friction has the ellipse `(r_1/mu_1)^2 + (r_2/mu_2)^2 <= r_N^2` about an axis in the tangent
plane. With `r = S r'`, `S = diag(1, mu_2/mu_1)`, it is the ball of the radius `mu_1 r_N`, and the rates that
are duals of `r'` are `S u`. The maximum of the dissipation is the same one. Sliding rows are therefore the
unit vector along the axis, and `mu_2/mu_1` times that across it. Where the axis is along the normal, all
directions are across it: the set is a ball of the radius `mu_2 r_N`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import FRICTION, LEAST_AXIS, TORQUE, TURNING_FRICTION, Floats, Ints
from nsgalpha.constraints.jointed_response import project_velocities
from nsgalpha.contact.multiplier_sets import HALF_LINE, INTERVAL, Sets
from nsgalpha.geometry.nearest_images import image_way
from nsgalpha.jit.decorators import inlined, kernel


class Rows(NamedTuple):
    """Rows and sets of the closed contacts, in the order of `contact` (sorted by island)."""

    contact: Ints  # (K,) index in the candidate table
    law: Ints  # (K,)
    island: Ints  # (I + 1,) offsets into `contact`
    row: Ints  # (K + 1,) offsets into the rows
    sets: Ints  # (K + 1,) offsets into the sets
    body: Ints  # (K, 2)
    G: Floats  # (R, 2, 6) wrench on either side
    MG: Floats  # (R, 2, 6) M^-1 G^T: effect of a unit multiplier on the velocities
    set_row: Ints  # (S,) first row of the set
    set_size: Ints  # (S,) 1 or 2 rows
    set_parent: Ints  # (S,) row of the normal that scales the ball; HALF_LINE, INTERVAL
    set_radius: Floats  # (S,) mu, rolling radius or drilling radius; bound of an interval
    set_weight: Floats  # (S,) 1
    joints: Any  # those of Bodies
    image: Floats  # (K, 3) as that of Candidates
    owner: Ints  # (L,) as that of LawTable
    surface: Floats  # (L, 3)


@kernel
def tangents(n0, n1, n2):
    """Unit vectors `t1`, `t2`, as six numbers, that complete a unit normal to a right-handed frame."""
    a0, a1, a2 = abs(n0), abs(n1), abs(n2)
    # t1 = e x n with the axis e that is least aligned with n
    if a0 <= a1 and a0 <= a2:
        x, y, z = 0.0, -n2, n1
    elif a1 <= a2:
        x, y, z = n2, 0.0, -n0
    else:
        x, y, z = -n1, n0, 0.0
    scale = 1.0 / math.sqrt(x * x + y * y + z * z)
    x, y, z = x * scale, y * scale, z * scale
    return x, y, z, n1 * z - n2 * y, n2 * x - n0 * z, n0 * y - n1 * x


@kernel
def tangents_of(normals, first, second):
    """`tangents` of unit vectors (C, 3), for Python."""
    for c in range(normals.shape[0]):
        n, p, q = normals[c], first[c], second[c]
        p[0], p[1], p[2], q[0], q[1], q[2] = tangents(n[0], n[1], n[2])


@kernel
def _side(G, MG, r, side, wrench, b, bodies, J):
    """The `wrench` of row `r`, six numbers, on body `b`, and over its mass; J (3, 3): inverse inertia."""
    fx, fy, fz, tx, ty, tz = wrench
    G[r, side, 0] = fx
    G[r, side, 1] = fy
    G[r, side, 2] = fz
    G[r, side, 3] = tx
    G[r, side, 4] = ty
    G[r, side, 5] = tz
    m = bodies.inverse_mass[b]
    MG[r, side, 0] = m * fx
    MG[r, side, 1] = m * fy
    MG[r, side, 2] = m * fz
    if bodies.isotropic[b]:
        MG[r, side, 3] = J[0, 0] * tx
        MG[r, side, 4] = J[0, 0] * ty
        MG[r, side, 5] = J[0, 0] * tz
    else:
        for i in range(3):
            MG[r, side, 3 + i] = J[i, 0] * tx + J[i, 1] * ty + J[i, 2] * tz


@inlined
def _force_row(G, MG, r, direction, c, candidates, bodies, J):
    """Row `r`: unit force in the `direction` d at the contact point of candidate `c`, + on A and - on B."""
    dx, dy, dz = direction
    lever, a, b = candidates.lever, candidates.a[c], candidates.b[c]
    x, y, z = lever[c, 0, 0], lever[c, 0, 1], lever[c, 0, 2]
    tx, ty, tz = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
    _side(G, MG, r, 0, (dx, dy, dz, tx, ty, tz), a, bodies, J[a])
    x, y, z = lever[c, 1, 0], lever[c, 1, 1], lever[c, 1, 2]
    tx, ty, tz = z * dy - y * dz, x * dz - z * dx, y * dx - x * dy
    _side(G, MG, r, 1, (-dx, -dy, -dz, tx, ty, tz), b, bodies, J[b])


@inlined
def _torque_row(G, MG, r, direction, c, candidates, bodies, J):
    """Row `r`: unit torque in the `direction` d, + on A and - on B of candidate `c`."""
    dx, dy, dz = direction
    a, b = candidates.a[c], candidates.b[c]
    _side(G, MG, r, 0, (0.0, 0.0, 0.0, dx, dy, dz), a, bodies, J[a])
    _side(G, MG, r, 1, (0.0, 0.0, 0.0, -dx, -dy, -dz), b, bodies, J[b])


@inlined
def _sliding_directions(candidates, laws, c, n, t1, t2):
    """Directions of both sliding rows, and the radius of their set over the normal force.

    The directions are `t1`, `t2`, or those of the ellipse of anisotropic friction.
    """
    s, mu = laws.across[candidates.law[c]], candidates.mu[c]
    a = candidates.axis[c, 0], candidates.axis[c, 1], candidates.axis[c, 2]
    along = a[0] * n[0] + a[1] * n[1] + a[2] * n[2]
    x, y, z = a[0] - along * n[0], a[1] - along * n[1], a[2] - along * n[2]
    square = x * x + y * y + z * z
    if not square > LEAST_AXIS * LEAST_AXIS:
        return t1, t2, s * mu
    f = 1.0 / math.sqrt(square)
    x, y, z = f * x, f * y, f * z
    across = s * (n[1] * z - n[2] * y), s * (n[2] * x - n[0] * z), s * (n[0] * y - n[1] * x)
    return (x, y, z), across, mu


@kernel
def contact_rows(order, island, candidates, laws, bodies, inverse_inertia):
    """`Rows` of the contacts `order` (K,), whose islands begin at `island` (I + 1,).

    `inverse_inertia` (B, 3, 3) is inertial.
    """
    J = inverse_inertia
    count = order.shape[0]
    offsets, of_contact = np.empty((2, count + 1), np.int64), np.empty(3 * count, np.int64)
    row, sets = offsets[0], offsets[1]
    number, body = of_contact[:count], of_contact[count:].reshape(count, 2)
    row[0] = sets[0] = 0
    for k in range(count):
        law = candidates.law[order[k]]
        sliding, rolling = laws.mu[law] > 0.0, laws.rolling_radius[law] > 0.0
        drilling = laws.drilling_radius[law] > 0.0
        row[k + 1] = row[k] + 1 + 2 * sliding + 2 * rolling + drilling
        sets[k + 1] = sets[k] + 1 + sliding + rolling + drilling
    wrenches = np.empty((2, row[count], 2, 6))
    G, MG = wrenches[0], wrenches[1]
    table = np.empty((3, sets[count]), np.int64)
    set_row, set_size, set_parent = table[0], table[1], table[2]
    set_values = np.ones((2, sets[count]))
    set_radius = set_values[0]
    image = np.empty((count if candidates.image.shape[0] > 0 else 0, 3))
    for k in range(image.shape[0]):
        for i in range(3):
            image[k, i] = candidates.image[order[k], i]
    for k in range(count):
        c = order[k]
        law = number[k] = candidates.law[c]
        body[k, 0], body[k, 1] = candidates.a[c], candidates.b[c]
        n = candidates.normal[c, 0], candidates.normal[c, 1], candidates.normal[c, 2]
        parent = r = row[k]
        s = sets[k]
        set_row[s], set_size[s], set_parent[s], set_radius[s] = r, 1, HALF_LINE, 0.0
        kind = candidates.plane[c]
        if kind <= FRICTION:
            set_parent[s] = INTERVAL
        if kind in (TORQUE, TURNING_FRICTION):
            _torque_row(G, MG, r, n, c, candidates, bodies, J)
            continue
        _force_row(G, MG, r, n, c, candidates, bodies, J)
        if row[k + 1] == r + 1:
            continue
        px, py, pz, qx, qy, qz = tangents(n[0], n[1], n[2])
        t1, t2 = (px, py, pz), (qx, qy, qz)
        r, s = r + 1, s + 1
        if laws.mu[law] > 0.0:
            d1, d2, mu = t1, t2, laws.mu[law]
            if laws.varies[law]:
                d1, d2, mu = _sliding_directions(candidates, laws, c, n, t1, t2)
            _force_row(G, MG, r, d1, c, candidates, bodies, J)
            _force_row(G, MG, r + 1, d2, c, candidates, bodies, J)
            set_row[s], set_size[s], set_parent[s], set_radius[s] = r, 2, parent, mu
            r, s = r + 2, s + 1
        if laws.rolling_radius[law] > 0.0:
            _torque_row(G, MG, r, t1, c, candidates, bodies, J)
            _torque_row(G, MG, r + 1, t2, c, candidates, bodies, J)
            set_row[s], set_size[s], set_parent[s] = r, 2, parent
            set_radius[s] = laws.rolling_radius[law]
            r, s = r + 2, s + 1
        if laws.drilling_radius[law] > 0.0:
            _torque_row(G, MG, r, n, c, candidates, bodies, J)
            set_row[s], set_size[s], set_parent[s] = r, 1, parent
            set_radius[s] = laws.drilling_radius[law]
    kinds, parent_of = (set_row, set_size, set_parent), (set_radius, set_values[1])
    runs = laws.owner, laws.surface
    return Rows(
        order, number, island, row, sets, body, G, MG, *kinds, *parent_of, bodies.joints, image, *runs
    )


@inlined
def rows_sets(rows):
    """The sets of all rows, without a copy."""
    return Sets(rows.set_row, rows.set_size, rows.set_parent, rows.set_radius, rows.set_weight)


@kernel
def twists(motion, out):
    """Copy velocity and angular velocity of all bodies to `out` (B, 6)."""
    for b in range(out.shape[0]):
        for i in range(3):
            out[b, i] = motion.v[b, i]
            out[b, 3 + i] = motion.w[b, i]


@kernel
def add_twists(V, motion):
    """Add `V` (B, 6) to the velocities and angular velocities of all bodies."""
    for b in range(V.shape[0]):
        for i in range(3):
            motion.v[b, i] += V[b, i]
            motion.w[b, i] += V[b, 3 + i]


@kernel
def gather(rows, velocity, out):
    """`out = G velocity`: rates (R,) of the rows; `velocity` (B, 6) linear and angular."""
    for k in range(rows.body.shape[0]):
        a, b = rows.body[k, 0], rows.body[k, 1]
        way = image_way(rows.image, k, velocity)
        for r in range(rows.row[k], rows.row[k + 1]):
            total = 0.0
            for i in range(6):
                total += rows.G[r, 0, i] * velocity[a, i] + rows.G[r, 1, i] * velocity[b, i]
            if rows.image.shape[0] > 0:
                total += rows.G[r, 1, 0] * way[0] + rows.G[r, 1, 1] * way[1] + rows.G[r, 1, 2] * way[2]
            out[r] = total


@kernel
def add_response(rows, multiplier, out):
    """`out += M^-1 G^T multiplier` (B, 6), as if there were no joints."""
    for k in range(rows.body.shape[0]):
        for side in range(2):
            b = rows.body[k, side]
            for r in range(rows.row[k], rows.row[k + 1]):
                for i in range(6):
                    out[b, i] += rows.MG[r, side, i] * multiplier[r]


@kernel
def scatter(rows, multiplier, out):
    """`out += P G^T multiplier`: change of velocity (B, 6), in the joints' null space, by multipliers (R,).

    P is M^-1 where there are no joints (constraints/jointed_response.py).
    """
    add_response(rows, multiplier, out)
    project_velocities(rows.joints, out)
