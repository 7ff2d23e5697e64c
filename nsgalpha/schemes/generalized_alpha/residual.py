"""How well multipliers fulfil the contact conditions, for all islands at once, without forming W."""

import numpy as np

from nsgalpha.compiled import part
from nsgalpha.contact.sets import ROUNDING, natural_map
from nsgalpha.stepping.islands import scaled_sets


@part
def relative_residual(rows, r, u, b, tol, floor):
    """Natural map at multipliers `r` and rates `u` (R,), island by island over the largest |b|, or 0.

    Returns (residual, worst contact as an index into `rows.contact`, fulfilled); `floor` is the
    rounding error of the rates, in their unit.
    """
    sets, _, scale = scaled_sets(rows, 0, rows.contact.shape[0])
    n = r.shape[0]
    F = np.empty(n)
    scaled_r = np.empty(n)
    scaled_u = np.empty(n)
    for j in range(n):
        scaled_r[j] = r[j] * scale[j]
        scaled_u[j] = u[j] / scale[j]
    natural_map(sets, scaled_r, scaled_u, F)
    residual, worst, fulfilled = 0.0, 0, True
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        size, bottom = 0.0, 0.0
        for j in range(rows.row[first], rows.row[last]):
            size = max(size, abs(b[j]) / scale[j])
            bottom = max(bottom, floor / scale[j], ROUNDING * abs(scaled_r[j]))
        for k in range(first, last):
            for j in range(rows.row[k], rows.row[k + 1]):
                if not abs(F[j]) <= max(tol * size, bottom):
                    fulfilled = False
                    worst = k
                if abs(F[j]) > max(bottom, residual * size):
                    residual = abs(F[j]) / size
                    if fulfilled:
                        worst = k
    return residual, worst, fulfilled
