"""Interior point method for sliding contacts of free bodies: it finds the active set, from anywhere.

With `x = (mu r_N, r_T)`, `z = (u_N + mu |u_T|, mu u_T)` and the second-order cone L a contact is

    x in L,     z in L,     x o z = 0,

`o` being the product of the Jordan algebra, and `x o z = gap e` on the central path. With the scaling `Theta`
of Nesterov and Todd (1997), `Theta z = x`, and Mehrotra's predictor and corrector, a step solves

    dx + Theta dz = sigma gap z^-1 - x - corrector
    dz = Z (I + e_N ds/du) du + Z (u + s e_N) - z,      X = diag(1/mu, 1, 1),   Z = diag(1, mu, mu)

for the velocities of the bodies, as body_newton.py does, with `A = X Theta Z (I + e_N ds/du)`. A contact
without friction is a half line, with mu = 1. The shift `s = mu |u_T|` is differentiated. It has a kink where
contacts stick, so that the method comes down to 1e-4 of the largest rate: Newton's method takes over.
"""

import math

import numpy as np

from nsgalpha.contact.friction_cone import MOST_ROWS
from nsgalpha.contact.methods.block_factor import assemble, factorise
from nsgalpha.contact.methods.body_newton import rates_of, solve_condensed
from nsgalpha.contact.multiplier_sets import HALF_LINE, natural_map, squares
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, fill, largest

BOUNDARY = 0.98  # part of the way to the boundary of the cones that a step takes
CENTRING = 1e-6  # least sigma
SHORTEST = 1e-8  # step, or the method ends
FARTHEST = 1e3  # step to a boundary that is looked for
TINY = 1e-300
STUCK = 1e-12  # sliding rate, over the largest rate, whose direction is rounding


@kernel
def is_sliding(sets, block):
    """True if all contacts have the rows N, or N and two of sliding friction."""
    found = True
    for k in range(block.shape[0] - 1):
        first, count = block[k], block[k + 1] - block[k]
        found = found and sets.parent[first] == HALF_LINE and count <= 2
        found = found and (count == 1 or (sets.size[first + 1] == 2 and sets.radius[first + 1] > 0.0))
    return found


@kernel
def _scaling(x, z, W, inverse):
    """Write the scaling matrix `W` (3, 3), `W z = W^-1 x`, and its inverse, for `x`, `z` (3,) inside L."""
    dx = math.sqrt(max(x[0] * x[0] - x[1] * x[1] - x[2] * x[2], TINY))
    dz = math.sqrt(max(z[0] * z[0] - z[1] * z[1] - z[2] * z[2], TINY))
    product = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (dx * dz)
    half = 0.5 / math.sqrt(max(0.5 * (1.0 + product), TINY))
    w0 = half * (x[0] / dx + z[0] / dz)
    w1 = half * (x[1] / dx - z[1] / dz)
    w2 = half * (x[2] / dx - z[2] / dz)
    eta, c = math.sqrt(dx / dz), 1.0 / (1.0 + w0)
    for M, factor, sign in ((W, eta, 1.0), (inverse, 1.0 / eta, -1.0)):
        M[0, 0] = factor * w0
        M[0, 1] = M[1, 0] = sign * factor * w1
        M[0, 2] = M[2, 0] = sign * factor * w2
        M[1, 1] = factor * (1.0 + c * w1 * w1)
        M[2, 2] = factor * (1.0 + c * w2 * w2)
        M[1, 2] = M[2, 1] = factor * c * w1 * w2


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
def _begin(problem, r, u, size, inside, x, z):
    """Write the start `x`, `z` (K, 3): `size` in the middle of the cones, or that of `r` moved `inside`."""
    for k in range(x.shape[0]):
        i, mu = problem.rows.row[k], _friction(problem, k)
        x[k, 0] = z[k, 0] = size
        x[k, 1] = x[k, 2] = z[k, 1] = z[k, 2] = 0.0
        if inside > 0.0:
            sliding = tangent = 0.0
            if problem.block[k + 1] - problem.block[k] == 2:
                for j in range(1, 3):
                    x[k, j], z[k, j] = r[i + j], mu * u[i + j]
                sliding, tangent = math.hypot(u[i + 1], u[i + 2]), math.hypot(r[i + 1], r[i + 2])
            x[k, 0] = max(mu * r[i], tangent) + inside * size
            z[k, 0] = max(u[i], 0.0) + mu * sliding + inside * size


@kernel
def _friction(problem, k):
    """Mu of contact `k`; 1 without friction."""
    first = problem.block[k]
    return problem.sets.radius[first + 1] if problem.block[k + 1] - first == 2 else 1.0


@kernel
def interior_point(problem, pattern, factor, inside, r, goal, limit):
    """At most `limit` steps until the residual is <= `goal`; returns (steps, residual).

    It starts in the middle of the cones, or from `r` (n,), moved `inside` by this part of the largest rate,
    if > 0. `r` is then the best point met after the start.
    """
    rows = problem.rows
    n, K, size = r.shape[0], rows.body.shape[0], largest(problem.q)
    vectors, A = np.empty((6, n)), np.zeros((K, MOST_ROWS, MOST_ROWS))
    point, u, F, g, d, du = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5]
    V, triples, scalings = np.empty_like(factor.x), np.zeros((6, K, 3)), np.empty((2, K, 3, 3))
    x, z, dx, dz = triples[0], triples[1], triples[2], triples[3]
    rest, corrector = triples[4], triples[5]
    rates_of(problem, r, V, u)
    _begin(problem, r, u, size, inside, x, z)
    lowest = np.inf
    for iteration in range(limit + 1):
        for k in range(K):
            mu = _friction(problem, k)
            for j in range(rows.row[k + 1] - rows.row[k]):
                point[rows.row[k] + j] = x[k, j] / (mu if j == 0 else 1.0)
        rates_of(problem, point, V, u)
        residual = natural_map(problem.sets, point, u, F)
        if not np.isfinite(squares(F)):  # comparisons with NaN would make it a solution
            return iteration, lowest
        if residual < lowest:
            lowest = residual
            copy_into(r, point)
        if residual <= goal or iteration == limit:
            return iteration, lowest
        gap = 0.0
        for k in range(K):
            for j in range(3):
                gap += x[k, j] * z[k, j] / K
        _linearise(problem, u, x, z, size, rest, scalings, A)
        assemble(rows, pattern, A, factor)
        if not factorise(pattern, factor):
            return iteration, lowest
        fill(corrector.reshape(-1), 0.0)
        sigma = t = 0.0
        for corrects in range(2):
            _right_side(problem, x, z, rest, corrector, scalings, sigma * gap, g)
            solve_condensed(rows, pattern, A, g, factor, V, du, d)
            t = min(_steps(problem, (u, du), d, (x, z), rest, size, (dx, dz)), 1.0 / BOUNDARY)
            if corrects == 0:
                after, t = 0.0, min(t, 1.0)
                for k in range(K):
                    for j in range(3):
                        after += (x[k, j] + t * dx[k, j]) * (z[k, j] + t * dz[k, j]) / K
                sigma = max(min(max(after / gap, 0.0), 1.0) ** 3, CENTRING)
                _correct(z, dx, dz, scalings, corrector)
        t *= BOUNDARY
        if not t > SHORTEST:
            return iteration, lowest
        for k in range(K):
            for j in range(3):
                x[k, j] += t * dx[k, j]
                z[k, j] += t * dz[k, j]
    return limit, lowest


@kernel
def _linearise(problem, u, x, z, size, rest, scalings, A):
    """Write `Z (u + s e_N) - z` to `rest` (K, 3), the scalings, and A (K, 6, 6)."""
    theta = np.empty((3, 3))
    for k in range(x.shape[0]):
        i, n, mu = problem.rows.row[k], problem.rows.row[k + 1] - problem.rows.row[k], _friction(problem, k)
        W, inverse = scalings[0, k], scalings[1, k]
        _scaling(x[k], z[k], W, inverse)
        for p in range(n):
            for j in range(n):
                theta[p, j] = W[p, 0] * W[0, j] + W[p, 1] * W[1, j] + W[p, 2] * W[2, j]
        sliding = math.hypot(u[i + 1], u[i + 2]) if n == 3 else 0.0
        rest[k, 0] = u[i] + mu * sliding - z[k, 0]
        for j in range(1, n):
            rest[k, j] = mu * u[i + j] - z[k, j]
        for p in range(n):
            f = 1.0 / mu if p == 0 else 1.0
            for j in range(n):
                A[k, p, j] = f * theta[p, j] * (1.0 if j == 0 else mu)
                if j > 0 and sliding > STUCK * size:
                    A[k, p, j] += f * theta[p, 0] * mu * u[i + j] / sliding


@kernel
def _right_side(problem, x, z, rest, corrector, scalings, target, g):
    """Write `X (target z^-1 - x - corrector - Theta rest)` to `g` (n,)."""
    table = np.empty((2, 3))
    for k in range(x.shape[0]):
        first, W = problem.rows.row[k], scalings[0, k]
        f = target / max(z[k, 0] ** 2 - z[k, 1] ** 2 - z[k, 2] ** 2, TINY)
        _times(W, rest[k], table[0])
        _times(W, table[0], table[1])
        for j in range(problem.rows.row[k + 1] - first):
            inverse = f * z[k, j] if j == 0 else -f * z[k, j]
            g[first + j] = inverse - x[k, j] - corrector[k, j] - table[1, j]
        g[first] /= _friction(problem, k)


@kernel
def _steps(problem, rates, d, point, rest, size, steps):
    """Write the `steps` (dx, dz), (K, 3), of the `point` (x, z); the largest that stays in the cones.

    `rates`: u and their change, for that of the multipliers, `d` (n,).
    """
    u, du = rates
    x, z = point
    dx, dz = steps
    t = FARTHEST
    for k in range(x.shape[0]):
        i, n, mu = problem.rows.row[k], problem.rows.row[k + 1] - problem.rows.row[k], _friction(problem, k)
        dx[k, 0], dz[k, 0] = mu * d[i], rest[k, 0] + du[i]
        for j in range(1, n):
            dx[k, j], dz[k, j] = d[i + j], rest[k, j] + mu * du[i + j]
        sliding = math.hypot(u[i + 1], u[i + 2]) if n == 3 else 0.0
        if sliding > STUCK * size:
            dz[k, 0] += mu * (u[i + 1] * du[i + 1] + u[i + 2] * du[i + 2]) / sliding
        t = min(t, _longest(x[k], dx[k]), _longest(z[k], dz[k]))
    return t


@kernel
def _correct(z, dx, dz, scalings, corrector):
    """Write Mehrotra's corrector to `corrector` (K, 3): `W y` with `(W z) o y = (W^-1 dx) o (W dz)`."""
    table = np.empty((4, 3))
    s, a, b, y = table[0], table[1], table[2], table[3]
    for k in range(z.shape[0]):
        W, inverse = scalings[0, k], scalings[1, k]
        _times(W, z[k], s)
        _times(inverse, dx[k], a)
        _times(W, dz[k], b)
        p0 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
        p1, p2 = a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]
        y[0] = (s[0] * p0 - s[1] * p1 - s[2] * p2) / max(s[0] ** 2 - s[1] ** 2 - s[2] ** 2, TINY)
        y[1], y[2] = (p1 - y[0] * s[1]) / s[0], (p2 - y[0] * s[2]) / s[0]
        _times(W, y, corrector[k])
