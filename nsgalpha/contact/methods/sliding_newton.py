"""Newton's method for one contact with friction in three rows: what Gauss-Seidel spends most on.

The natural map of multiplier_sets.py, as in dense_newton.py, whose general form, with arrays, takes ten times
as long.
"""

import math

from nsgalpha.contact.methods.dense_newton import PROXIMAL
from nsgalpha.jit.decorators import kernel

ITERATIONS = 8
HALVINGS = 6
DECREASE = 1e-4  # of |F|^2, over the step


@kernel
def _natural_map(W, b, mu, x, y, z):
    """`F` and `r - u` at `r = (x, y, z)`, normal first, as six numbers."""
    u = W[0, 0] * x + W[0, 1] * y + W[0, 2] * z + b[0]
    v = W[1, 0] * x + W[1, 1] * y + W[1, 2] * z + b[1]
    w = W[2, 0] * x + W[2, 1] * y + W[2, 2] * z + b[2]
    sx, sy, sz = x - u, y - v, z - w
    if sx <= 0.0:
        return x, y, z, sx, sy, sz
    length, bound = math.sqrt(sy * sy + sz * sz), mu * sx
    if length <= bound:
        return u, v, w, sx, sy, sz
    factor = bound / length
    return u, y - factor * sy, z - factor * sz, sx, sy, sz


@kernel
def _solve(first, second, third, right):
    """Solve the three rows for the `right` side (x, y, z); not finite where they are singular."""
    (a, b, c), (d, e, f), (g, h, i), (x, y, z) = first, second, third, right
    p, q, r = e * i - f * h, f * g - d * i, d * h - e * g
    scale = 1.0 / (a * p + b * q + c * r)
    return (
        scale * (p * x + (c * h - b * i) * y + (b * f - c * e) * z),
        scale * (q * x + (a * i - c * g) * y + (c * d - a * f) * z),
        scale * (r * x + (b * g - a * h) * y + (a * e - b * d) * z),
    )


@kernel
def solve_sliding(W, b, mu, r, tolerance):
    """Improve `r` (3,) until the natural map is <= `tolerance`; whether it is. Else `r` is kept."""
    x, y, z = r[0], r[1], r[2]
    F, G, H, sx, sy, sz = _natural_map(W, b, mu, x, y, z)
    for _ in range(ITERATIONS):
        if max(abs(F), abs(G), abs(H)) <= tolerance:
            r[0], r[1], r[2] = x, y, z
            return True
        if sx <= 0.0:
            dx, dy, dz = F, G, H
        else:
            j, k, m = W[0, 0] + PROXIMAL, W[1, 1] + PROXIMAL, W[2, 2] + PROXIMAL
            length = math.sqrt(sy * sy + sz * sz)
            if length <= mu * sx:
                dx, dy, dz = _solve(
                    (j, W[0, 1], W[0, 2]), (W[1, 0], k, W[1, 2]), (W[2, 0], W[2, 1], m), (F, G, H)
                )
            else:
                # D = ratio (I - t t^T) + mu t e_N^T in the rows of friction, which are I - D + D W
                p, q, ratio = sy / length, sz / length, mu * sx / length
                yy, yz, zz = ratio * q * q, -ratio * p * q, ratio * p * p
                yn, zn = mu * p, mu * q
                dx, dy, dz = _solve(
                    (j, W[0, 1], W[0, 2]),
                    (
                        yn * (W[0, 0] - 1.0) + yy * W[1, 0] + yz * W[2, 0],
                        1.0 + yn * W[0, 1] + yy * (W[1, 1] - 1.0) + yz * W[2, 1],
                        yn * W[0, 2] + yy * W[1, 2] + yz * (W[2, 2] - 1.0),
                    ),
                    (
                        zn * (W[0, 0] - 1.0) + yz * W[1, 0] + zz * W[2, 0],
                        zn * W[0, 1] + yz * (W[1, 1] - 1.0) + zz * W[2, 1],
                        1.0 + zn * W[0, 2] + yz * W[1, 2] + zz * (W[2, 2] - 1.0),
                    ),
                    (F, G, H),
                )
        size, t = F * F + G * G + H * H, 1.0
        x0, y0, z0 = x, y, z
        for _ in range(HALVINGS):
            x, y, z = x0 - t * dx, y0 - t * dy, z0 - t * dz
            F, G, H, sx, sy, sz = _natural_map(W, b, mu, x, y, z)
            if (1.0 - DECREASE * t) * size > F * F + G * G + H * H:
                break
            t *= 0.5
    return False
