"""The contact problem with Coulomb friction, solved by plain means to rounding.

    u = W r + b,    0 <= r_N _|_ u_N >= 0,    |r_T| <= mu r_N,  r_T = -mu r_N u_T/|u_T| where u_T != 0

for blocks of one row (no friction, or a slip direction that is known already) or three rows. Gauss-Seidel
finds about the active set, Newton's method on the natural map finishes. Its linear systems are solved in the
sense of least squares, since the multipliers of redundant contacts are not unique.
"""

import math
from collections.abc import Sequence

import numpy as np

Floats = np.ndarray

EXACT = 2e-14  # of the largest entry of b, scaled: the natural map of a solved problem
SWEEPS = (3, *[40] * 60)  # of each round, before Newton's method
NEWTON = 25


class UnsolvedError(ArithmeticError):
    """No method reached the tolerance."""


def solve(W: Floats, b: Floats, blocks: Sequence[tuple[int, int]], mu: Sequence[float] | Floats) -> Floats:
    """Multipliers r (n,) of the problem; `blocks` are (first row, 1 or 3 rows), `mu` one for each."""
    scale = np.ones(len(b))
    for first, size in blocks:
        scale[first : first + size] = 1.0 / np.sqrt(np.mean(np.diag(W)[first : first + size]))
    What, bhat = W * np.outer(scale, scale), b * scale
    bound = EXACT * float(np.abs(bhat).max(initial=0.0))
    r = np.zeros(len(b))
    best, least = r, math.inf
    for sweeps in SWEEPS:
        for _ in range(sweeps):
            sweep(What, bhat, blocks, mu, r)
        tried = r.copy()
        for _ in range(NEWTON):
            F, J = natural_map(What, bhat, blocks, mu, tried)
            residual = float(np.abs(F).max(initial=0.0))
            if residual < least:
                best, least = tried.copy(), residual
            if residual <= max(bound, 4e-15 * np.abs(tried).max(initial=0.0)):
                return best * scale
            tried = tried - np.linalg.lstsq(J, F, rcond=1e-12)[0]
    raise UnsolvedError(f"contact problem of {len(b)} rows: residual {least:.1e}, wanted {bound:.1e}")


def sweep(
    W: Floats, b: Floats, blocks: Sequence[tuple[int, int]], mu: Sequence[float] | Floats, r: Floats
) -> None:
    """One sweep of projected Gauss-Seidel on `r`, in place."""
    for (i, size), friction in zip(blocks, mu, strict=True):
        r[i] = max(0.0, r[i] - (W[i] @ r + b[i]) / W[i, i])
        if size == 3:
            tangents = slice(i + 1, i + 3)
            step = (W[tangents] @ r + b[tangents]) / max(W[i + 1, i + 1], W[i + 2, i + 2])
            wanted = r[tangents] - step
            length, allowed = float(np.hypot(*wanted)), friction * r[i]
            r[tangents] = wanted if length <= allowed else wanted * (allowed / length)


def natural_map(
    W: Floats, b: Floats, blocks: Sequence[tuple[int, int]], mu: Sequence[float] | Floats, r: Floats
) -> tuple[Floats, Floats]:
    """Natural map F (n,) at `r` and one of its generalized Jacobians (n, n)."""
    n = len(b)
    s = r - (W @ r + b)
    projected, D = np.zeros(n), np.zeros((n, n))  # projection of s, and its derivative
    for (i, size), friction in zip(blocks, mu, strict=True):
        if s[i] <= 0.0:
            continue
        projected[i], D[i, i] = s[i], 1.0
        if size == 3:
            tangents = slice(i + 1, i + 3)
            length, allowed = float(np.hypot(*s[tangents])), friction * s[i]
            if length <= allowed:
                projected[tangents], D[tangents, tangents] = s[tangents], np.eye(2)
            else:
                tau = s[tangents] / length
                projected[tangents], D[tangents, i] = allowed * tau, friction * tau
                D[tangents, tangents] = allowed / length * (np.eye(2) - np.outer(tau, tau))
    return r - projected, np.eye(n) - D @ (np.eye(n) - W)
