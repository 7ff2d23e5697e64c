"""Solve one small island: semismooth Newton, helped by Gauss-Seidel when it does not settle.

The problem is scaled to a unit diagonal (sets.py), so that all rows have the same unit and the
solution does not depend on units or on the scale and penalty of the augmented Lagrangian.
"""

from nsgalpha.compiled import kernel
from nsgalpha.contact.gauss_seidel import gauss_seidel
from nsgalpha.contact.newton import newton

NEWTON_ITERATIONS = 15
ROUNDS = 8  # of Gauss-Seidel and Newton, each with twice the sweeps of the one before


@kernel
def solve_dense(W, b, sets, block, r, tolerance):
    """Solve the scaled problem `W` (n, n), `b` (n,), `sets` for `r` (n,), which is the start on entry.

    `block` (K + 1,) are the offsets of each contact's sets. Returns (iterations, residual): solved
    if the residual is at most `tolerance`.
    """
    total, residual = newton(W, b, sets, r, tolerance, NEWTON_ITERATIONS, False)
    sweeps = 10
    for _ in range(ROUNDS):
        if residual <= tolerance:
            break
        gauss_seidel(W, b, sets, block, r, tolerance, sweeps)
        iterations, residual = newton(W, b, sets, r, tolerance, 2 * NEWTON_ITERATIONS, True)
        total += iterations + sweeps
        sweeps *= 2
    return total, residual
