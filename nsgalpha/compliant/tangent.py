"""Chain rule: from the derivatives of the local forces to those of the wrenches on two bodies.

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

Nothing is left out but the difference between a variation of a rotation vector and that of a rotation,
of the order of the angle turned in a step.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import uncounted
from nsgalpha.compliant.frames import FLIPPED, POINTS, world

ASIDE = 1e-26  # square of a lever's part across the normal, over that along it, that is rounding


class Work(NamedTuple):
    """Room that one contact after another uses."""

    G: Floats  # (6, 12)
    middle: Floats  # (6, 12)
    df: Floats  # (6,)
    du: Floats  # (6,)
    ds: Floats  # (6,)
    vectors: Floats  # (12, 3)
    dp: Floats  # (2, 3)
    block: Floats  # (12, 12)


class Factors(NamedTuple):
    """Factors of stiffness and damping in Newton's matrix, `q K + v C`."""

    q: float
    v: float


class Columns(NamedTuple):
    """A sparse matrix by columns, and the places of the blocks of contacts in it."""

    place: Ints  # (C, 2, 2) [side of row, of column] of a block among those of its columns, -1: none
    indptr: NDArray[np.int32]
    values: Floats


def no_work() -> Work:
    """Room for `fill`."""
    return Work(
        np.empty((6, 12)),
        np.empty((6, 12)),
        np.empty(6),
        np.empty(6),
        np.empty(6),
        np.empty((12, 3)),
        np.empty((2, 3)),
        np.empty((12, 12)),
    )


@uncounted
def _rows(E, p, factor, G):
    """`G += factor` times the rows (6, 12) of the frame `E` with the levers `p`; columns A, B."""
    for axis in range(3):
        turning = 3 + (axis + 2) % 3
        for side in range(2):
            sign = factor * (1.0 - 2.0 * side)
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                G[axis, 6 * side + i] += sign * E[axis, i]
                G[axis, 6 * side + 3 + i] += sign * (p[side, j] * E[axis, k] - p[side, k] * E[axis, j])
                G[turning, 6 * side + 3 + i] += sign * E[axis, i]


@uncounted
def _add_cross(a, b, factor, out):
    """`out += factor a x b`, each (3,)."""
    out[0] += factor * (a[1] * b[2] - a[2] * b[1])
    out[1] += factor * (a[2] * b[0] - a[0] * b[2])
    out[2] += factor * (a[0] * b[1] - a[1] * b[0])


@uncounted
def _relative(linear, angular, a, b, p, c, w):
    """Relative velocity `c` at the contact point and relative spin `w` (3,)."""
    for i in range(3):
        c[i] = linear[a, i] - linear[b, i]
        w[i] = angular[a, i] - angular[b, i]
    _add_cross(angular[a], p[0], 1.0, c)
    _add_cross(angular[b], p[1], -1.0, c)


@uncounted
def _moving_rows(E, om, dp, relative, work, out):
    """`out` (6,): change of the rates when the frame spins by `om` and the levers change by `dp` (2, 3).

    `relative`: c, w, and the spins w_A, w_B, each (3,).
    """
    c, w, wa, wb = relative
    for i in range(3):
        work[i] = 0.0
    _add_cross(c, om, 1.0, work)
    _add_cross(wa, dp[0], 1.0, work)
    _add_cross(wb, dp[1], -1.0, work)
    for axis in range(3):
        out[axis] = E[axis, 0] * work[0] + E[axis, 1] * work[1] + E[axis, 2] * work[2]
    for i in range(3):
        work[i] = 0.0
    _add_cross(w, om, 1.0, work)
    for axis in range(3):
        turning = 3 + (axis + 2) % 3
        out[turning] = E[axis, 0] * work[0] + E[axis, 1] * work[1] + E[axis, 2] * work[2]


@uncounted
def _spin(k, column, frames, psi, dn, om):
    """Change `dn` of the normal and spin `om` of the frame of contact `k` for a unit variation `column`."""
    E, n, n0 = frames.E[k], frames.E[k, 0], frames.E0[k, 0]
    side, i = column // 6, column % 6
    sign = 1.0 - 2.0 * side
    for m in range(3):
        dn[m] = 0.0
        om[m] = 0.0
    if frames.plane[k] == POINTS and i >= 3:
        j, lever, along = i - 3, frames.p[k, side], 0.0
        # +- e_j x r with r = p + g n/2 for A, p - g n/2 for B
        dn[(j + 1) % 3], dn[(j + 2) % 3] = -sign * lever[(j + 2) % 3], sign * lever[(j + 1) % 3]
        half = 0.5 * frames.distance[k]
        dn[(j + 1) % 3] -= half * n[(j + 2) % 3]
        dn[(j + 2) % 3] += half * n[(j + 1) % 3]
        for m in range(3):
            along += n[m] * dn[m]
        for m in range(3):
            dn[m] = (dn[m] - along * n[m]) / frames.distance[k]
    elif frames.plane[k] < 0:
        if i < 3:
            for m in range(3):
                dn[m] = -sign * n[m] * n[i] / frames.distance[k]
            dn[i] += sign / frames.distance[k]
    elif side == 1 and i >= 3:
        # e_i x n
        j = i - 3
        dn[(j + 1) % 3] = -n[(j + 2) % 3]
        dn[(j + 2) % 3] = n[(j + 1) % 3]
    _add_cross(n, dn, 1.0, om)
    spin, c = 0.0, 1.0
    for m in range(3):
        spin -= n0[m] * om[m]
        c += n0[m] * n[m]
    spin = spin / c if c > FLIPPED else 0.0
    for m in range(3):
        spin += 0.25 * dn[m] * psi[m]
    if i >= 3:
        spin += 0.25 * (n0[i - 3] + n[i - 3])
    for m in range(3):
        om[m] += spin * E[0, m]


@uncounted
def _block(k, frames, response, velocity, moved, factors, work):
    """Fill `work.block` (12, 12) = -q dW/d(x, theta) - v dW/d(v, w), with the wrenches on A and B."""
    v, w = velocity
    shifted, turned = moved
    block = work.block
    factor_q, factor_v = factors.q, factors.v
    a, b = frames.body[k, 0], frames.body[k, 1]
    E, p = frames.E[k], frames.p[k]
    G, middle, df, du, ds = work.G, work.middle, work.df, work.du, work.ds
    c, wr, s, sr = work.vectors[0], work.vectors[1], work.vectors[2], work.vectors[3]
    psi, dn, om, vec = work.vectors[4], work.vectors[5], work.vectors[6], work.vectors[7]
    dF, dM, F, M = work.vectors[8], work.vectors[9], work.vectors[10], work.vectors[11]
    dp = work.dp
    for r in range(6):
        for j in range(12):
            G[r, j] = 0.0
            middle[r, j] = 0.0
    _rows(E, p, 1.0, G)
    _rows(E, p, 0.5, middle)
    _rows(frames.E0[k], frames.p0[k], 0.5, middle)
    _relative(v, w, a, b, p, c, wr)
    _relative(shifted, turned, a, b, p, s, sr)
    rates, increments = (c, wr, w[a], w[b]), (s, sr, turned[a], turned[b])
    world(E, response.force[k], F, M)
    points = frames.plane[k] == POINTS
    arm = 0.0
    for i in range(3):
        psi[i] = turned[a, i] + turned[b, i]
        arm -= E[0, i] * p[0, i]
    if points:
        arm = 0.5 * frames.distance[k]
    for j in range(12):
        _spin(k, j, frames, psi, dn, om)
        dd = -G[0, j]
        for i in range(3):
            dp[0, i] = -arm * dn[i] + 0.5 * dd * E[0, i]
        if points and 3 <= j < 6:
            for i in range(3):
                vec[i] = p[0, i] + arm * E[0, i]
            one, two = (j + 1) % 3, (j + 2) % 3
            dp[0, one] -= vec[two]
            dp[0, two] += vec[one]
        for i in range(3):
            dp[1, i] = dp[0, i]
        if j % 6 < 3:
            dp[1, j % 6] += 1.0 if j < 6 else -1.0
        _moving_rows(E, om, dp, rates, vec, du)
        _moving_rows(E, om, dp, increments, vec, ds)
        for r in range(6):
            du[r] = factor_q * du[r] + factor_v * G[r, j]
            ds[r] = factor_q * (0.5 * ds[r] + middle[r, j])
        for r in range(6):
            total = factor_q * response.by_overlap[k, r] * dd
            for m in range(6):
                total += response.by_rate[k, r, m] * du[m] + response.by_increment[k, r, m] * ds[m]
            df[r] = total
        world(E, df, dF, dM)
        _add_cross(om, F, factor_q, dF)
        _add_cross(om, M, factor_q, dM)
        for side in range(2):
            sign = 2.0 * side - 1.0  # tangents are minus the derivatives
            for i in range(3):
                vec[i] = dM[i]
            _add_cross(dp[side], F, factor_q, vec)
            _add_cross(p[side], dF, 1.0, vec)
            for i in range(3):
                block[6 * side + i, j] = sign * dF[i]
                block[6 * side + 3 + i, j] = sign * vec[i]


@uncounted
def _central(k, frames, response):
    """True if contact `k` has a force along the line of the centres alone, by the rates along it."""
    if frames.plane[k] >= 0 or frames.plane[k] == POINTS:
        return False
    for r in range(6):
        if r > 0 and (response.force[k, r] != 0.0 or response.by_overlap[k, r] != 0.0):
            return False
        for m in range(6):
            alone = r == 0 and m == 0
            if not alone and (response.by_rate[k, r, m] != 0.0 or response.by_increment[k, r, m] != 0.0):
                return False
    n = frames.E[k, 0]
    for side in range(2):
        p = frames.p[k, side]
        along = p[0] * n[0] + p[1] * n[1] + p[2] * n[2]
        aside = 0.0
        for i in range(3):
            aside += (p[i] - along * n[i]) ** 2
        if aside > ASIDE * along * along:
            return False
    return True


@uncounted
def _central_block(k, frames, response, velocity, moved, factors, work):
    """The same in `work.block` (3, 3) = -q dF/dx - v dF/dv, of the force on A by the motion of A alone."""
    v, s, block = velocity.linear, moved.linear, work.block
    factor_q, factor_v = factors.q, factors.v
    a, b = frames.body[k, 0], frames.body[k, 1]
    n, n0 = frames.E[k, 0], frames.E0[k, 0]
    by_rate, by_increment = response.by_rate[k, 0, 0], response.by_increment[k, 0, 0]
    turn, slope = work.vectors[0], work.vectors[1]
    inverse, along = 1.0 / frames.distance[k], 0.0
    for i in range(3):
        turn[i] = by_rate * (v[a, i] - v[b, i]) + 0.5 * by_increment * (s[a, i] - s[b, i])
        along += turn[i] * n[i]
    for i in range(3):
        slope[i] = -response.by_overlap[k, 0] * n[i] + 0.5 * by_increment * (n0[i] + n[i])
        slope[i] += inverse * (turn[i] - along * n[i])
    aside = factor_q * response.force[k, 0] * inverse
    for i in range(3):
        for j in range(3):
            along_n = factor_q * slope[j] + (factor_v * by_rate - aside) * n[j]
            block[i, j] = -n[i] * along_n
        block[i, i] -= aside


@uncounted
def fill(frames, response, velocity, moved, factors, columns, work):
    """Add `q K + v C`, K = -dW/d(x, theta), C = -dW/d(v, w), to the sparse matrix `columns`.

    `velocity` at the end of the step, and what was `moved` over it, are `Twists`.
    """
    block = work.block
    place, indptr, values = columns
    for k in range(response.force.shape[0]):
        if _central(k, frames, response):
            _central_block(k, frames, response, velocity, moved, factors, work)
            for column in range(2):
                for row in range(2):
                    if place[k, row, column] < 0:
                        continue
                    sign = 1.0 if row == column else -1.0
                    for j in range(3):
                        first = indptr[6 * frames.body[k, column] + j] + 6 * place[k, row, column]
                        for i in range(3):
                            values[first + i] += sign * block[i, j]
            continue
        _block(k, frames, response, velocity, moved, factors, work)
        for column in range(2):
            for row in range(2):
                if place[k, row, column] < 0:
                    continue
                for j in range(6):
                    first = indptr[6 * frames.body[k, column] + j] + 6 * place[k, row, column]
                    for i in range(6):
                        values[first + i] += block[6 * row + i, 6 * column + j]
