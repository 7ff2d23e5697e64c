"""Anderson acceleration of an iteration `x <- g(x)` (Walker and Ni 2011).

The next iterate is the combination of the last values of g, with weights of sum 1, for which the
same combination of the changes `g(x) - x` is least.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact.methods.dense_newton import eliminate
from nsgalpha.jit.decorators import inlined, kernel

DEPTH = 5  # iterates before the last that are combined
DEPENDENT = 1e-10  # weight on the diagonal of their scaled normal equations, where they depend on each other


class Iterates(NamedTuple):
    """The last iterates, in turn."""

    value: Floats  # (DEPTH + 1, n) of g
    change: Floats  # (DEPTH + 1, n) g(x) - x
    noted: Ints  # (1,) how many there have been


@inlined
def no_iterates(n):
    """Workspace for `Iterates` of n numbers."""
    both = np.empty((2, DEPTH + 1, n))
    return Iterates(both[0], both[1], np.zeros(1, np.int64))


@kernel
def note(iterates, x, value):
    """Note the iterate `x` (n,) and the `value` (n,) of g there."""
    last = iterates.noted[0] % (DEPTH + 1)
    for i in range(x.shape[0]):
        iterates.value[last, i] = value[i]
        iterates.change[last, i] = value[i] - x[i]
    iterates.noted[0] += 1


@kernel
def combine(iterates, x):
    """Write the combination of the noted iterates to `x` (n,)."""
    total = iterates.noted[0]
    last, count = (total - 1) % (DEPTH + 1), min(total - 1, DEPTH)
    F = iterates.change
    A, weight, size = np.empty((count, count)), np.empty(count), np.empty(count)
    for p in range(count):
        j = (total - 2 - p) % (DEPTH + 1)
        for q in range(p + 1):
            k = (total - 2 - q) % (DEPTH + 1)
            A[p, q] = 0.0
            for i in range(x.shape[0]):
                A[p, q] += (F[j, i] - F[last, i]) * (F[k, i] - F[last, i])
        weight[p] = 0.0
        for i in range(x.shape[0]):
            weight[p] -= (F[j, i] - F[last, i]) * F[last, i]
        size[p] = np.sqrt(max(A[p, p], 1e-300))
    for p in range(count):
        weight[p] /= size[p]
        for q in range(p + 1):
            A[p, q] /= size[p] * size[q]
            A[q, p] = A[p, q]
        A[p, p] += DEPENDENT
    for i in range(x.shape[0]):
        x[i] = iterates.value[last, i]
    if eliminate(A, weight):
        for p in range(count):
            j = (total - 2 - p) % (DEPTH + 1)
            for i in range(x.shape[0]):
                x[i] += weight[p] / size[p] * (iterates.value[j, i] - iterates.value[last, i])


@inlined
def accelerate(iterates, plain, x, value):
    """Note the `value` (n,) of g at `x` (n,) and, after `plain` others, put the next iterate into it."""
    note(iterates, x, value)
    if iterates.noted[0] > plain:
        combine(iterates, value)
