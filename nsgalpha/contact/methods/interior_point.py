"""Interior point method for contacts of free bodies: it finds the active set, from anywhere.

A ball j of a contact, of sliding, rolling or drilling friction with the radius rho_j, has the points

    x_j = (rho_j r_N, r_j),     z_j = (z_j0, rho_j u_j),     sum_j z_j0 = u_N + s,     s = sum_j rho_j |u_j|

in the second-order cone L, and `x_j o z_j = 0`, `o` being the product of the Jordan algebra. On the central
path that is `gap e`. Without friction a contact has the half line `x = r_N`, `z = u_N`, as a ball of radius 1
without rows. With the scaling `Theta` of Nesterov and Todd (1997), `Theta z = x`, and Mehrotra's predictor
and corrector, a step solves

    dx + Theta dz = c,     c = sigma gap z^-1 - x - corrector

and the sums above, linearised. For every contact that is `dr = g - A du` with
`alpha = 1 / sum_j rho_j / Theta_00`, `kappa_j = Theta_T0 / Theta_00`, and `tau_j = u_j / |u_j|`,

    A_N = alpha (1, rho_j (kappa_j + tau_j)),     A_j = rho_j (kappa_j A_N + Theta_TT - kappa_j Theta_0T)

for which the velocities of the bodies are solved as in body_newton.py. The shift s has kinks where
contacts stick, at which steps become short. From there on its derivative counts only in part. The method
comes down to 1e-5 of the largest rate, and Newton's method follows.
"""

import math

import numpy as np

from nsgalpha.contact.friction_cone import MOST_ROWS
from nsgalpha.contact.methods.block_factor import assemble, factorise, velocities
from nsgalpha.contact.methods.body_newton import rates_of, solve_condensed
from nsgalpha.contact.multiplier_sets import HALF_LINE, natural_map, squares
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, fill, largest

BOUNDARY = 0.95  # part of the way to the boundary of the cones that a step takes
CENTRING = 1e-6  # least sigma
SHORTEST = 1e-8  # step, or the method ends
FARTHEST = 1e3  # step to a boundary that is looked for
TINY = 1e-300
# Below STALLED a step is blocked by kinks of s: the part of its derivative that counts falls by the factor
# DAMPED, down to LEAST. It rises again after steps above LONG.
STALLED, LONG, DAMPED, LEAST = 0.1, 0.7, 0.9, 0.5
STUCK = 1e-12  # sliding rate, over the largest rate, whose direction is rounding


@kernel
def has_interior(sets):
    """True if all sets are those of contacts: joints and intervals have no such cones."""
    found = True
    for s in range(sets.row.shape[0]):
        found = found and sets.parent[s] >= HALF_LINE
    return found


@kernel
def cone_radii(sets, block):
    """Radius (S,) of the ball of each set in the cones; 0 of sets that have none."""
    radius = np.zeros(sets.row.shape[0])
    for k in range(block.shape[0] - 1):
        radius[block[k]] = 1.0
        for s in range(block[k] + 1, block[k + 1]):
            radius[s] = sets.radius[s]
            if radius[s] > 0.0:
                radius[block[k]] = 0.0
    return radius


@kernel
def _scaling(x, z, theta):
    """Write the scaling matrix W (3, 3), `W z = W^-1 x`, its inverse and its square to `theta` (3, 3, 3)."""
    dx = math.sqrt(max(x[0] * x[0] - x[1] * x[1] - x[2] * x[2], TINY))
    dz = math.sqrt(max(z[0] * z[0] - z[1] * z[1] - z[2] * z[2], TINY))
    product = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (dx * dz)
    half = 0.5 / math.sqrt(max(0.5 * (1.0 + product), TINY))
    w0 = half * (x[0] / dx + z[0] / dz)
    w1 = half * (x[1] / dx - z[1] / dz)
    w2 = half * (x[2] / dx - z[2] / dz)
    eta, c = math.sqrt(dx / dz), 1.0 / (1.0 + w0)
    for inverted in range(2):
        M = theta[inverted]
        factor, sign = (1.0 / eta, -1.0) if inverted else (eta, 1.0)
        M[0, 0] = factor * w0
        M[0, 1] = M[1, 0] = sign * factor * w1
        M[0, 2] = M[2, 0] = sign * factor * w2
        M[1, 1] = factor * (1.0 + c * w1 * w1)
        M[2, 2] = factor * (1.0 + c * w2 * w2)
        M[1, 2] = M[2, 1] = factor * c * w1 * w2
    W = theta[0]
    for i in range(3):
        for j in range(3):
            theta[2, i, j] = W[i, 0] * W[0, j] + W[i, 1] * W[1, j] + W[i, 2] * W[2, j]


@kernel
def _times(M, x, y):
    """`y = M x`, (3,)."""
    for i in range(3):
        y[i] = M[i, 0] * x[0] + M[i, 1] * x[1] + M[i, 2] * x[2]


@kernel
def _longest(x, d):
    """Largest t up to FARTHEST with `x + t d` in L; `x`, `d` (3,)."""
    a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2]
    b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2]
    c = max(x[0] * x[0] - x[1] * x[1] - x[2] * x[2], 0.0)
    t = -x[0] / d[0] if d[0] < 0.0 else FARTHEST
    discriminant = b * b - a * c
    if discriminant >= 0.0:  # a t^2 + 2 b t + c = 0
        w = -(b + math.copysign(math.sqrt(discriminant), b))
        if w * a > 0.0:
            t = min(t, w / a)
        if w * c > 0.0:
            t = min(t, c / w)
    return min(t, FARTHEST)


@kernel
def _slip(sets, s, u):
    """`|u_j|` of the set `s`; 0 of a half line."""
    total = 0.0
    if sets.parent[s] >= 0:
        for j in range(sets.row[s], sets.row[s] + sets.size[s]):
            total += u[j] * u[j]
    return math.sqrt(total)


@kernel
def _point(sets, s, rho, normal, r, x):
    """Write `(normal, rho r_j)` (3,) of the set `s`."""
    x[0], x[1], x[2] = normal, 0.0, 0.0
    if sets.parent[s] >= 0:
        for j in range(sets.size[s]):
            x[1 + j] = rho * r[sets.row[s] + j]


@kernel
def _begin(problem, radius, inside, r, u, size, z):
    """Write the start to `r` (n,) and `z` (S, 3): the middle of the cones, or that of `r`, moved `inside`."""
    sets, block = problem.sets, problem.block
    for k in range(block.shape[0] - 1):
        first, height, widest = sets.row[block[k]], 0.0, 0.0
        for s in range(block[k], block[k + 1]):
            rho = radius[s]
            widest = max(widest, rho)
            if rho > 0.0:
                z[s, 0], z[s, 1], z[s, 2] = size, 0.0, 0.0
                if inside > 0.0:
                    _point(sets, s, rho, rho * _slip(sets, s, u) + inside * size, u, z[s])
                    height = max(height, _slip(sets, s, r) / rho)
            if sets.parent[s] >= 0 and (rho == 0.0 or inside == 0.0):
                for j in range(sets.row[s], sets.row[s] + sets.size[s]):
                    r[j] = 0.0
        if inside > 0.0:
            r[first] = max(r[first], height) + inside * size / widest
            for s in range(block[k], block[k + 1]):
                if radius[s] > 0.0:
                    z[s, 0] += max(u[first], 0.0) / (block[k + 1] - block[k])
        else:
            r[first] = size / widest


@kernel
def interior_point(problem, pattern, factor, inside, r, goal, limit):
    """At most `limit` steps until the residual is <= `goal`; returns (steps, residual).

    It starts in the middle of the cones, or from `r` (n,), moved `inside` by this part of the largest rate,
    if > 0. `r` is then the best point met after the start.
    """
    rows, sets, radius = problem.rows, problem.sets, cone_radii(problem.sets, problem.block)
    n, S, size, count = r.shape[0], radius.shape[0], largest(problem.q), np.count_nonzero(radius)
    vectors, A = np.empty((6, n)), np.zeros((rows.body.shape[0], MOST_ROWS, MOST_ROWS))
    point, u, F, g, d, du = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5]
    V, table, theta = velocities(factor), np.zeros((6, S, 3)), np.empty((S, 3, 3, 3))
    x, z, dx, dz, c, corrector = table[0], table[1], table[2], table[3], table[4], table[5]
    copy_into(point, r)
    rates_of(problem, point, V, u)
    _begin(problem, radius, inside, point, u, size, z)
    lowest, part = np.inf, 1.0
    for iteration in range(limit + 1):
        rates_of(problem, point, V, u)
        residual = natural_map(sets, point, u, F)
        if not np.isfinite(squares(F)):  # comparisons with NaN would make it a solution
            return iteration, lowest
        if residual < lowest:
            lowest = residual
            copy_into(r, point)
        if residual <= goal or iteration == limit:
            return iteration, lowest
        gap = 0.0
        for s in range(S):
            if radius[s] > 0.0:
                normal = sets.row[s] if sets.parent[s] < 0 else sets.parent[s]
                _point(sets, s, 1.0, radius[s] * point[normal], point, x[s])
                gap += (x[s, 0] * z[s, 0] + x[s, 1] * z[s, 1] + x[s, 2] * z[s, 2]) / count
                _scaling(x[s], z[s], theta[s])
        linearise(problem, radius, theta, u, part, A)
        assemble(rows, pattern, A, factor)
        if not factorise(pattern, factor):
            return iteration, lowest
        fill(corrector.reshape(-1), 0.0)
        sigma = t = 0.0
        for corrects in range(2):
            _target(radius, x, z, sigma * gap, corrector, c)
            right_side(problem, radius, theta, u, z, c, g)
            solve_condensed(rows, pattern, A, g, factor, V, du, d)
            move_cones(problem, radius, theta, (u, du, d), c, z, (dx, dz))
            t = 1.0 / BOUNDARY
            for s in range(S):
                if radius[s] > 0.0:
                    t = min(t, _longest(x[s], dx[s]), _longest(z[s], dz[s]))
            if corrects == 0:
                after, t = 0.0, min(t, 1.0)
                for s in range(S):
                    for j in range(3):
                        after += (x[s, j] + t * dx[s, j]) * (z[s, j] + t * dz[s, j]) / count
                sigma = max(min(max(after / gap, 0.0), 1.0) ** 3, CENTRING)
                _correct(radius, theta, z, dx, dz, corrector)
        t *= BOUNDARY
        if t < STALLED:
            part = max(part * DAMPED, LEAST)
        elif t > LONG:
            part = min(part / DAMPED, 1.0)
        if not t > SHORTEST:
            return iteration, lowest
        for i in range(n):
            point[i] += t * d[i]
        for s in range(S):
            for j in range(3):
                z[s, j] += t * dz[s, j]
    return limit, lowest


@kernel
def linearise(problem, radius, theta, u, part, A):
    """Write A (K, 6, 6) of the scalings `theta` (S, 3, 3, 3) and the rates `u` (n,).

    Of the derivative of s this `part` counts.
    """
    sets, block, still = problem.sets, problem.block, STUCK * largest(problem.q)
    for k in range(block.shape[0] - 1):
        first, stiffness = sets.row[block[k]], 0.0
        for i in range(MOST_ROWS):
            for j in range(MOST_ROWS):
                A[k, i, j] = 0.0
        for s in range(block[k], block[k + 1]):
            if radius[s] > 0.0:
                stiffness += radius[s] / theta[s, 2, 0, 0]
        A[k, 0, 0] = 1.0 / stiffness
        for s in range(block[k] + 1, block[k + 1]):
            slip, rho, i0, square = _slip(sets, s, u), radius[s], sets.row[s] - first, theta[s, 2]
            for j in range(sets.size[s] if rho > 0.0 else 0):
                tau = part * u[sets.row[s] + j] / slip if slip > still else 0.0
                A[k, 0, i0 + j] = rho * (square[0, 1 + j] / square[0, 0] + tau) / stiffness
        for s in range(block[k] + 1, block[k + 1]):
            rho, i0, square = radius[s], sets.row[s] - first, theta[s, 2]
            for i in range(sets.size[s] if rho > 0.0 else 0):
                kappa = square[1 + i, 0] / square[0, 0]
                for j in range(MOST_ROWS):
                    A[k, i0 + i, j] = rho * kappa * A[k, 0, j]
                for j in range(sets.size[s]):
                    A[k, i0 + i, i0 + j] += rho * (square[1 + i, 1 + j] - kappa * square[0, 1 + j])


@kernel
def _target(radius, x, z, centre, corrector, c):
    """Write `centre z^-1 - x - corrector` to `c` (S, 3)."""
    for s in range(radius.shape[0]):
        if radius[s] > 0.0:
            f = centre / max(z[s, 0] ** 2 - z[s, 1] ** 2 - z[s, 2] ** 2, TINY)
            for j in range(3):
                c[s, j] = (f if j == 0 else -f) * z[s, j] - x[s, j] - corrector[s, j]


@kernel
def right_side(problem, radius, theta, u, z, c, g):
    """Write g (n,), the change of the multipliers where no rate changes."""
    sets, block = problem.sets, problem.block
    rest = np.empty(3)
    for k in range(block.shape[0] - 1):
        first = sets.row[block[k]]
        stiffness, total = 0.0, -u[first]
        for s in range(block[k], block[k + 1]):
            if radius[s] > 0.0:
                rho, square = radius[s], theta[s, 2]
                _point(sets, s, rho, 0.0, u, rest)
                total += z[s, 0] - rho * _slip(sets, s, u) + c[s, 0] / square[0, 0]
                for j in range(1, 3):
                    total -= square[0, j] * (rest[j] - z[s, j]) / square[0, 0]
                stiffness += rho / square[0, 0]
        g[first] = total / stiffness
        for s in range(block[k] + 1, block[k + 1]):
            rho, square = radius[s], theta[s, 2]
            _point(sets, s, rho, 0.0, u, rest)
            for i in range(sets.size[s]):
                g[sets.row[s] + i] = 0.0
                if rho > 0.0:
                    kappa = square[1 + i, 0] / square[0, 0]
                    value = c[s, 1 + i] - kappa * (c[s, 0] - rho * g[first])
                    for j in range(1, 3):
                        value -= (square[1 + i, j] - kappa * square[0, j]) * (rest[j] - z[s, j])
                    g[sets.row[s] + i] = value


@kernel
def move_cones(problem, radius, theta, changes, c, z, steps):
    """Write the `steps` (dx, dz), (S, 3), of the points of the cones; `changes` are u, du and dr (n,)."""
    sets, (u, du, d), (dx, dz) = problem.sets, changes, steps
    ahead = np.empty(3)
    for s in range(radius.shape[0]):
        if radius[s] > 0.0:
            rho, square = radius[s], theta[s, 2]
            normal = sets.row[s] if sets.parent[s] < 0 else sets.parent[s]
            _point(sets, s, 1.0, rho * d[normal], d, dx[s])
            _point(sets, s, rho, 0.0, u, ahead)
            _point(sets, s, rho, 0.0, du, dz[s])
            dz[s, 0] = (c[s, 0] - dx[s, 0]) / square[0, 0]
            for j in range(1, 3):
                dz[s, j] += ahead[j] - z[s, j]
                dz[s, 0] -= square[0, j] * dz[s, j] / square[0, 0]


@kernel
def _correct(radius, theta, z, dx, dz, corrector):
    """Write Mehrotra's corrector to `corrector` (S, 3): `W y` with `(W z) o y = (W^-1 dx) o (W dz)`."""
    table = np.empty((4, 3))
    p, a, b, y = table[0], table[1], table[2], table[3]
    for s in range(radius.shape[0]):
        if radius[s] > 0.0:
            _times(theta[s, 0], z[s], p)
            _times(theta[s, 1], dx[s], a)
            _times(theta[s, 0], dz[s], b)
            p0 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
            p1, p2 = a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]
            y[0] = (p[0] * p0 - p[1] * p1 - p[2] * p2) / max(p[0] ** 2 - p[1] ** 2 - p[2] ** 2, TINY)
            y[1], y[2] = (p1 - y[0] * p[1]) / p[0], (p2 - y[0] * p[2]) / p[0]
            _times(theta[s, 0], y, corrector[s])
