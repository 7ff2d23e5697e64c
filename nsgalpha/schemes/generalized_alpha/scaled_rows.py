"""The rows of a large island divided by the root of the mass, `H = G M^(-1/2)`: `H H^T = G M^-1 G^T`."""

import math

import numpy as np

from nsgalpha.arrays import Bodies, Floats
from nsgalpha.jit.decorators import kernel
from nsgalpha.stepping.contact_kinematics import Rows


@kernel
def _half_rows(body, row, G, inverse_mass, inverse_inertia, H):
    """`H` (n, 2, 6) of the contacts; `row` (K + 1,) are offsets of their rows into `G` and `H`."""
    L = np.zeros((3, 3))  # L L^T: the inverse inertia
    for k in range(body.shape[0]):
        for side in range(2):
            b = body[k, side]
            for i in range(3):
                for j in range(i + 1):
                    total = inverse_inertia[b, i, j]
                    for p in range(j):
                        total -= L[i, p] * L[j, p]
                    if i == j:
                        L[i, i] = math.sqrt(max(total, 0.0))
                    else:
                        L[i, j] = total / L[j, j] if L[j, j] > 0.0 else 0.0
            m = math.sqrt(inverse_mass[b])
            for r in range(row[k], row[k + 1]):
                for j in range(3):
                    H[r, side, j] = m * G[r, side, j]
                    total = 0.0
                    for i in range(j, 3):
                        total += G[r, side, 3 + i] * L[i, j]
                    H[r, side, 3 + j] = total


def half_rows(rows: Rows, bodies: Bodies, inverse_inertia: Floats, first: int, last: int) -> Floats:
    """`H` (n, 2, 6) of the contacts `first` to `last` - 1; `inverse_inertia` (B, 3, 3) is inertial."""
    r0, r1 = rows.row[first], rows.row[last]
    H = np.empty((r1 - r0, 2, 6))
    row = rows.row[first : last + 1] - r0
    _half_rows(rows.body[first:last], row, rows.G[r0:r1], bodies.inverse_mass, inverse_inertia, H)
    return H
