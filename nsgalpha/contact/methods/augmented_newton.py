"""Dense Newton for contacts that are nearly redundant: W has positive eigenvalues close to rounding.

    F_a(r) = r - P(r - a u),    a = augmentation |r|/|F_1|,    dF_a = I - D + a D (W + c I)

Rods of a stack whose axes differ by 4e-5 slide on each other, at about that part of their speed, when they
roll together. W has an eigenvalue 1e-10. The method of dense_newton.py stops at their rates, for two
reasons. Its proximal term is larger than the eigenvalue. The kinks of its map F_1 are |u| apart, while steps
along the eigenvector are as long as |r|. The solutions of F_a are the same, but its kinks are apart by a part
of |r|. |F_a| may grow for some steps, as in cone_newton.py.

The last attempt takes two terms c in turn. With the light one, steps in the null space of W have the length
of rounding over c, and friction that slips turns along. A step with the other one takes that back.
"""

import numpy as np

from nsgalpha.contact.methods import dense_newton
from nsgalpha.contact.methods.dense_newton import eliminate, jacobian
from nsgalpha.contact.multiplier_sets import natural_map, rates, squares
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, fill, largest

# Two attempts:
CLOSE = 1e-3, 1e-6  # residuals, over the largest rate, from which they begin,
AUGMENTATION = 1e-2, 1e-4
PROXIMAL = (1e-6, 1e-6), (1e-11, dense_newton.PROXIMAL)  # c in turn, relative to the unit diagonal of W,
ITERATIONS = 40, 100
RAISED = 3.0  # times a, from which on it is raised; it does not fall
HALVINGS = 10
MEMORY = 5  # steps whose largest |F_a|,
GROWTH = 3.0  # so many times, a step may come to
DECREASE = 1e-4  # of |F_a|, over the step


@kernel
def newton_augmented(W, b, sets, r, residual, tolerance):
    """Improve `r` (n,) until the natural map, on entry `residual`, is <= `tolerance`; returns the iterations.

    On failure `r` is the best point met.
    """
    n, scale, total = b.shape[0], largest(b), 0
    vectors, matrices = np.empty((6, n)), np.empty((2, n, n))
    for attempt in range(2):
        if tolerance < residual <= CLOSE[attempt] * scale:
            iterations, residual = _attempt(vectors, matrices, W, b, sets, r, tolerance, attempt)
            total += iterations
    return total


@kernel
def _attempt(vectors, matrices, W, b, sets, r, tolerance, attempt):
    """One of the attempts, with its workspace; returns (iterations, residual)."""
    n, a, sizes = b.shape[0], 0.0, np.empty(MEMORY)
    u, F, best, start, delta, scaled = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5]
    scaled_W, J = matrices[0], matrices[1]
    rates(W, b, r, u)
    residual = lowest = natural_map(sets, r, u, F)
    copy_into(best, r)
    for iteration in range(ITERATIONS[attempt]):
        if residual <= tolerance:
            return iteration, residual
        wanted = max(AUGMENTATION[attempt] * largest(r) / residual, 1.0)
        if wanted > RAISED * a:
            a = wanted
            multiply(a, W.reshape(-1), scaled_W.reshape(-1))
            fill(sizes, 0.0)
        multiply(a, u, scaled)
        natural_map(sets, r, scaled, F)
        sizes[iteration % MEMORY] = squares(F)
        allowed = GROWTH * GROWTH * largest(sizes)
        jacobian(scaled_W, sets, r, scaled, a * PROXIMAL[attempt][iteration % 2], J)
        copy_into(delta, F)
        if not eliminate(J, delta):
            break
        step = 1.0
        copy_into(start, r)
        for _halving in range(HALVINGS):
            for i in range(n):
                r[i] = start[i] - step * delta[i]
            rates(W, b, r, u)
            multiply(a, u, scaled)
            natural_map(sets, r, scaled, F)
            if squares(F) <= (1.0 - DECREASE * step) ** 2 * allowed:
                break
            step *= 0.5
        residual = natural_map(sets, r, u, F)
        if residual < lowest:
            lowest = residual
            copy_into(best, r)
    copy_into(r, best)
    return ITERATIONS[attempt], lowest


@kernel
def multiply(a, x, out):
    """`out = a x`, (n,)."""
    for i in range(x.shape[0]):
        out[i] = a * x[i]
