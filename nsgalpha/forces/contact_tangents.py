"""Chain rule from derivatives of local forces to those of the wrenches.

With a variation (dx, dtheta) of the poses the normal, the frame (as a spin `om`), the levers and the
overlap change by

    spheres   dn = (1 - n n^T)(dx_A - dx_B) / (n . (x_A - x_B)),      plane   dn = dtheta_B x n
    om   = n x dn + n [dphi - n_0 . (n x dn) / (1 + n_0 . n)]
    dphi = (n_0 + n) . (dtheta_A + dtheta_B)/4 + dn . (psi_A + psi_B)/4
    dp_A = -(r_A - d/2) dn + n dd/2,    dp_B = dx_A - dx_B + dp_A,    dd = -n . dc

so that with the frame E, c = v_A + w_A x p_A - v_B - w_B x p_B and w = w_A - w_B

    du   = E (c x om + w_A x dp_A - w_B x dp_B),  E (w x om)
    df   = f_d dd + f_u (du + G dv) + f_s (ds + (G_0 + G)/2 (dx, dtheta)),   ds: du of the increments, halved
    dF   = om x F + E^T df,    dT_A = dp_A x F + p_A x dF + om x M + E^T df,   on B with the other sign

A force along the line of two centres, F = f n, has no more than

    dF = n [-f_d n + f_u P (v_A - v_B)/l + f_s (P (s_A - s_B)/l + n_0 + n)/2] . (dx_A - dx_B)
         + f P/l (dx_A - dx_B) + f_u n n . (dv_A - dv_B),      P = 1 - n n^T,    l = n . (x_A - x_B)

Points that are fixed to bodies, at r_A, r_B from their centres, are a distance g apart and have instead

    dn   = (1 - n n^T) (dx_A + dtheta_A x r_A - dx_B - dtheta_B x r_B)/g
    dp_A = dtheta_A x r_A - g dn/2 + n dd/2,      dp_B = dx_A - dx_B + dp_A

All but dtheta sees x_A - x_B alone: the columns of x_B are minus those of x_A, nine are left of twelve. Only
the difference between the variations of a rotation vector and of a rotation is neglected, of the order of the
angle of a step.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import Floats, Ints
from nsgalpha.forces.contact_frames import FLIPPED, POINTS
from nsgalpha.geometry.vector_triples import combined, cross, dot, leg, plus, row
from nsgalpha.jit.decorators import fused, kernel

ASIDE = 1e-26  # square of a lever's part across the normal, over that along it, that is rounding
NONE = (0.0, 0.0, 0.0)


class Factors(NamedTuple):
    """Factors of stiffness and damping in Newton's matrix, `q K + v C`."""

    q: float
    v: float


class Columns(NamedTuple):
    """A sparse matrix by columns, and the places of the blocks of contacts in it."""

    place: Ints  # (C, 2, 2) [side of row, of column] of a block among those of its columns, -1: none
    indptr: NDArray[np.int32]
    values: Floats


@fused
def _local(E, a):
    """`E a` of three axes `E`."""
    return dot(E[0], a), dot(E[1], a), dot(E[2], a)


@fused
def _world(E, a):
    """`E^T a`."""
    return combined(a[0], E[0], a[1], E[1], a[2], E[2])


@fused
def _times(A, k, first, column, a):
    """`A[k, first : first + 3, column : column + 3] a` of three numbers `a`."""
    x, y, z = a
    i, j = column + 1, column + 2
    return (
        A[k, first, column] * x + A[k, first, i] * y + A[k, first, j] * z,
        A[k, first + 1, column] * x + A[k, first + 1, i] * y + A[k, first + 1, j] * z,
        A[k, first + 2, column] * x + A[k, first + 2, i] * y + A[k, first + 2, j] * z,
    )


@fused
def _swing(column, e, frames, k, n):
    """Change of the normal `n` for a unit variation `e` of x_A - x_B (column 0), theta_A (1), theta_B (2)."""
    plane, length = frames.plane[k], frames.distance[k]
    if plane == POINTS and column > 0:
        sign = 3.0 - 2.0 * column
        turned = cross(e, plus(leg(frames.p, k, column - 1), sign * 0.5 * length, n))
        d = (sign * turned[0], sign * turned[1], sign * turned[2])
    elif plane < 0 and column == 0:
        d = e
    else:
        return cross(e, n) if plane >= 0 and column == 2 else NONE
    d = plus(d, -dot(n, d), n)
    return d[0] / length, d[1] / length, d[2] / length


@fused
def _spin(n, n0, dn, about, psi):
    """Spin of the frame for a change `dn` of the normal and rotations `about`."""
    om, c = cross(n, dn), 1.0 + dot(n0, n)
    spin = 0.25 * (dot(dn, psi) + dot(n0, about) + dot(n, about))
    if c > FLIPPED:
        spin -= dot(n0, om) / c
    return plus(om, spin, n)


@fused
def _carried(om, dp, relative):
    """Change of `c` and `w` in the frame, which spins by `om`, when the levers change by `dp`."""
    c, w, wa, wb = relative
    return plus(plus(cross(c, om), 1.0, cross(wa, dp[0])), -1.0, cross(wb, dp[1])), cross(w, om)


@fused
def _relative(twists, a, b, p):
    """Velocities `c` at the contact point with the levers `p`, `w`, and the spins of A and B."""
    wa, wb = row(twists.angular, a), row(twists.angular, b)
    c = plus(row(twists.linear, a), -1.0, row(twists.linear, b))
    return plus(plus(c, 1.0, cross(wa, p[0])), -1.0, cross(wb, p[1])), plus(wa, -1.0, wb), wa, wb


@fused
def _respond(k, response, turning, du, ds, dd):
    """Change of the local forces, (3,) along n, t1, t2 and about them.

    `du`, `ds` are those of the rates and increments, each along and about the axes; `dd` that of the overlap.
    The rows 3, 4, 5 of a law are about t1, t2, n.
    """
    by_d, by_u, by_s = response.by_overlap, response.by_rate, response.by_increment
    f = plus(_times(by_u, k, 0, 0, du[0]), 1.0, _times(by_s, k, 0, 0, ds[0]))
    f = plus(f, dd, row(by_d, k))
    if not turning:
        return f, NONE
    (u2, u0, u1), (s2, s0, s1) = du[1], ds[1]
    u, s = (u0, u1, u2), (s0, s1, s2)
    f = plus(plus(f, 1.0, _times(by_u, k, 0, 3, u)), 1.0, _times(by_s, k, 0, 3, s))
    m = plus(_times(by_u, k, 3, 0, du[0]), 1.0, _times(by_s, k, 3, 0, ds[0]))
    m = plus(plus(m, 1.0, _times(by_u, k, 3, 3, u)), 1.0, _times(by_s, k, 3, 3, s))
    m = plus(m, dd, (by_d[k, 3], by_d[k, 4], by_d[k, 5]))
    return f, (m[2], m[0], m[1])


@fused
def _put(columns, k, side, body, j, sign, wrenches):
    """Subtract `sign` times the change of both wrenches from column `j` of a body."""
    place, indptr, values = columns
    for r in range(2):
        if place[k, r, side] >= 0:
            first = indptr[6 * body + j] + 6 * place[k, r, side]
            outward = sign * (2.0 * r - 1.0)
            for i in range(3):
                values[first + i] += outward * wrenches[0][i]
                values[first + 3 + i] += outward * wrenches[1 + r][i]


@kernel
def _add(k, frames, response, turning, velocity, moved, factors, columns):
    """Add the tangents of contact `k`."""
    a, b = frames.body[k, 0], frames.body[k, 1]
    E = leg(frames.E, k, 0), leg(frames.E, k, 1), leg(frames.E, k, 2)
    E0 = leg(frames.E0, k, 0), leg(frames.E0, k, 1), leg(frames.E0, k, 2)
    p, p0 = (leg(frames.p, k, 0), leg(frames.p, k, 1)), (leg(frames.p0, k, 0), leg(frames.p0, k, 1))
    n, n0 = E[0], E0[0]
    rates, increments = _relative(velocity, a, b, p), _relative(moved, a, b, p)
    psi = plus(increments[2], 1.0, increments[3])
    force = response.force
    F = _world(E, row(force, k))
    M = _world(E, (force[k, 5], force[k, 3], force[k, 4])) if turning else NONE
    points = frames.plane[k] == POINTS
    arm = 0.5 * frames.distance[k] if points else -dot(n, p[0])
    q, v = factors
    for number in range(9):
        column, i = number // 3, number % 3
        e = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        if column == 0:
            g, g0, about, by = e, e, NONE, NONE
        else:
            sign = 3.0 - 2.0 * column
            about, by = e, (sign * e[0], sign * e[1], sign * e[2])
            g, g0 = cross(by, p[column - 1]), cross(by, p0[column - 1])
        dn = _swing(column, e, frames, k, n)
        om = _spin(n, n0, dn, about, psi)
        dd = -dot(n, g)
        dpa = combined(-arm, dn, 0.5 * dd, n, 0.0, n)
        if points and column == 1:
            dpa = plus(dpa, 1.0, cross(e, plus(p[0], arm, n)))
        dp = dpa, (plus(dpa, 1.0, e) if column == 0 else dpa)
        (cu, wu), (cs, ws) = _carried(om, dp, rates), _carried(om, dp, increments)
        du = _local(E, combined(q, cu, v, g, 0.0, g))
        ds = plus(_local(E, combined(0.5 * q, cs, 0.5 * q, g, 0.0, g)), 0.5 * q, _local(E0, g0))
        tu, ts = NONE, NONE
        if turning:
            tu = _local(E, combined(q, wu, v, by, 0.0, by))
            ts = plus(_local(E, combined(0.5 * q, ws, 0.5 * q, by, 0.0, by)), 0.5 * q, _local(E0, by))
        df, dm = _respond(k, response, turning, (du, tu), (ds, ts), q * dd)
        dF, dM = plus(_world(E, df), q, cross(om, F)), NONE
        if turning:
            dM = plus(_world(E, dm), q, cross(om, M))
        dTa = plus(plus(dM, q, cross(dp[0], F)), 1.0, cross(p[0], dF))
        dTb = plus(plus(dM, q, cross(dp[1], F)), 1.0, cross(p[1], dF))
        wrenches = dF, dTa, dTb
        if column == 0:
            _put(columns, k, 0, a, i, 1.0, wrenches)
            _put(columns, k, 1, b, i, -1.0, wrenches)
        else:
            side = column - 1
            _put(columns, k, side, frames.body[k, side], 3 + i, 1.0, wrenches)


@kernel
def _central(k, frames, response, rows):
    """True if contact `k` has a central force, by the central rates alone."""
    if frames.plane[k] >= 0 or frames.plane[k] == POINTS:
        return False
    for r in range(1, rows):
        if response.force[k, r] != 0.0 or response.by_overlap[k, r] != 0.0:
            return False
    for r in range(rows):
        for m in range(rows):
            alone = r == 0 and m == 0
            if not alone and (response.by_rate[k, r, m] != 0.0 or response.by_increment[k, r, m] != 0.0):
                return False
    n = leg(frames.E, k, 0)
    for side in range(2):
        p = leg(frames.p, k, side)
        along = dot(p, n)
        off = plus(p, -along, n)
        if dot(off, off) > ASIDE * along * along:
            return False
    return True


@kernel
def _add_central(k, frames, response, velocity, moved, factors, columns):
    """The same for a force along the line of the centres."""
    place, indptr, values = columns
    a, b = frames.body[k, 0], frames.body[k, 1]
    n, n0 = leg(frames.E, k, 0), leg(frames.E0, k, 0)
    by_rate, by_increment = response.by_rate[k, 0, 0], response.by_increment[k, 0, 0]
    v, s = velocity.linear, moved.linear
    dv, ds = plus(row(v, a), -1.0, row(v, b)), plus(row(s, a), -1.0, row(s, b))
    inverse = 1.0 / frames.distance[k]
    turn = combined(by_rate, dv, 0.5 * by_increment, ds, 0.0, ds)
    slope = combined(-response.by_overlap[k, 0], n, 0.5 * by_increment, n0, 0.5 * by_increment, n)
    slope = combined(1.0, slope, inverse, turn, -inverse * dot(turn, n), n)
    aside = factors.q * response.force[k, 0] * inverse
    along = combined(factors.q, slope, factors.v * by_rate - aside, n, 0.0, n)
    for j in range(3):
        for column in range(2):
            for r in range(2):
                if place[k, r, column] >= 0:
                    first = indptr[6 * frames.body[k, column] + j] + 6 * place[k, r, column]
                    sign = -1.0 if r == column else 1.0
                    for i in range(3):
                        values[first + i] += sign * (n[i] * along[j] + (aside if i == j else 0.0))


@kernel
def fill(frames, response, rows, velocity, moved, factors, columns):
    """Add `q K + v C`, K = -dW/d(x, theta), C = -dW/d(v, w), to the sparse matrix `columns`.

    Laws have the first 3 or all 6 `rows`. `velocity` at the end of the step, and the displacements `moved`
    over it, are `Twists`.
    """
    for k in range(response.force.shape[0]):
        if _central(k, frames, response, rows):
            _add_central(k, frames, response, velocity, moved, factors, columns)
        else:
            _add(k, frames, response, rows > 3, velocity, moved, factors, columns)
