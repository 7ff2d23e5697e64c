"""Conjugate gradients for the steps of Newton's method where no contact has friction.

Each contact has one row then, and `d = g - A H H^T d` with diagonal A (body_newton.py). A row with A = 0
gives `d = g`, and the others

    (A^-1 + H H^T) d = g/A - H H^T d_0

with `d_0 = g` on rows with A = 0, else 0. The matrix is symmetric and positive definite. That of a heap is
well conditioned: 20 to 60 products reduce the residual to a thousandth, for 130 to 2000 balls. For columns,
whose condition grows with the square of their height, a factorisation is cheap.
"""

from nsgalpha.contact.body_rows import gather, scatter
from nsgalpha.contact.multiplier_sets import squares
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import largest


@kernel
def solve_gradients(rows, A, g, goal, most, work, V, d):
    """Solve `d = g - A H H^T d` for `d` (n,) to a residual of the rates of at most `goal` times its start.

    Returns False if that takes more than `most` products with `H H^T`. `work` (3, n) and `V` (N, m) are
    workspace.
    """
    body, row, H = rows.body, rows.row, rows.H
    rest, p, Wp = work[0], work[1], work[2]
    for i in range(g.shape[0]):
        d[i] = g[i] if A[i, 0, 0] == 0.0 else 0.0
    scatter(body, row, H, d, V)
    gather(body, row, H, V, Wp)
    for i in range(g.shape[0]):
        a = A[i, 0, 0]
        rest[i] = g[i] / a - Wp[i] if a > 0.0 else 0.0
        p[i] = rest[i]
    size, enough = squares(rest), goal * largest(rest)
    for _product in range(most):
        if largest(rest) <= enough:
            return True
        scatter(body, row, H, p, V)
        gather(body, row, H, V, Wp)
        curvature = 0.0
        for i in range(g.shape[0]):
            a = A[i, 0, 0]
            Wp[i] = Wp[i] + p[i] / a if a > 0.0 else 0.0
            curvature += p[i] * Wp[i]
        step, before = size / curvature, size
        for i in range(g.shape[0]):
            d[i] += step * p[i]
            rest[i] -= step * Wp[i]
        size = squares(rest)
        for i in range(g.shape[0]):
            p[i] = rest[i] + size / before * p[i]
    return largest(rest) <= enough
