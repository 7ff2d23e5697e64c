"""How well multipliers fulfil the contact conditions, for all islands at once, without forming W."""

import numpy as np

from nsgalpha.contact.multiplier_sets import ROUNDING, natural_map, weigh
from nsgalpha.jit.decorators import inlined
from nsgalpha.stepping.islands import scaled_sets


@inlined
def relative_residual(rows, r, u, b, tol, floor):
    """Natural map at multipliers `r` and rates `u` (R,), island by island over the largest |b|, or 0.

    Entries count by weight (contact/multiplier_sets.py). Returns (residual, worst contact as an index into
    `rows.contact`, fulfilled); `floor` (R,) are the rounding errors of the rates, in their units.
    """
    sets, _, scale = scaled_sets(rows, 0, rows.contact.shape[0])
    n = r.shape[0]
    vectors = np.empty((4, n))
    F, scaled_r, scaled_u, scaled_b = vectors[0], vectors[1], vectors[2], vectors[3]
    for j in range(n):
        scaled_r[j] = r[j] * scale[j]
        scaled_u[j] = u[j] / scale[j]
        scaled_b[j] = b[j] / scale[j]
    natural_map(sets, scaled_r, scaled_u, F)
    residual, worst, fulfilled = 0.0, 0, True
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        weigh(sets, rows.sets[first], rows.sets[last], scale, scaled_b)
        size, bottom = 0.0, 0.0
        for j in range(rows.row[first], rows.row[last]):
            size = max(size, abs(scaled_b[j]))
            bottom = max(bottom, floor[j] / scale[j], ROUNDING * abs(scaled_r[j]))
        for k in range(first, last):
            for s in range(rows.sets[k], rows.sets[k + 1]):
                for j in range(sets.row[s], sets.row[s] + sets.size[s]):
                    entry = sets.weight[s] * abs(F[j])
                    if not entry <= max(tol * size, bottom):
                        fulfilled = False
                        worst = k
                    if entry > max(bottom, residual * size):
                        residual = entry / size
                        if fulfilled:
                            worst = k
    return residual, worst, fulfilled
