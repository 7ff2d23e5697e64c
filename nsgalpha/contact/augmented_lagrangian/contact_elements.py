"""Elements of the augmented Lagrangian: residual and tangent of contacts and joints.

With the gap `g = G V + c` of the rows of an element, at position or velocity level, its multipliers `L` and
`sigma = k L - p g`, the augmented Lagrangian is, (2) and (5) of the paper,

    -k g . L + p/2 |g|^2 - dist^2[sigma, C(sigma_N)] / (2 p)

and its variation, (6) and (16) of the paper with their misprints corrected (docs/theory.md, errata),

    F = (-G^T P,  k/p (P - k L)),       P = Pi(sigma)

    gap        sigma_N < 0                     P = 0
    stick      |sigma_T| < mu sigma_N          P = (sigma_N, sigma_T)
    slip       |sigma_T| >= mu sigma_N         P = (sigma_N, mu sigma_N tau),    tau = sigma_T / |sigma_T|

Rolling and drilling rows are as sliding ones, with their radii in the place of mu. The rows of a joint have
`P = sigma`. A bound of a fixed radius has it in the place of `mu sigma_N`. The impulses are `k L`.

The tangent is the generalised Jacobian of F, with `D = dPi/dsigma`, unsymmetric where a contact slips:

    K = [ p G^T D G         -k G^T D          ]
        [ -k D G            k^2/p (D - I)     ]

Contacts that more than determine a motion leave multipliers open: K is then singular. In the last block
contacts therefore have `(1 - PROXIMAL) D`, which selects the smallest change of the multipliers. F is as it
is, and solutions have no part of it. Rows of joints are independent, and have no such term.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact.multiplier_sets import FREE, HALF_LINE, INTERVAL

PROXIMAL = 1e-9
#: Sets of an element: first row, number of rows, normal row or HALF_LINE, FREE, INTERVAL.
Kind = tuple[tuple[int, int, int], ...]


class Elements(NamedTuple):
    """E elements of one kind, of n rows in m velocities; their sets are those of multiplier_sets.py."""

    dof: Ints  # (E, m) velocities in the system, -1 where nothing moves
    row: Ints  # (E, n) multipliers in the system
    G: Floats  # (E, n, m)
    sets: Kind
    radius: Floats  # (E, S) of the sets
    k: Floats  # (E, n) scale of the multipliers
    p: Floats  # (E, n) penalty
    compliance: Floats  # (E, n) of soft joints: their gap is g + compliance k L


def project(elements: Elements, sigma: Floats) -> tuple[Floats, Floats]:
    """`Pi(sigma)` (E, n) and its derivative D (E, n, n)."""
    P, D = np.zeros_like(sigma), np.zeros((*sigma.shape, sigma.shape[1]))
    for s, (first, size, parent) in enumerate(elements.sets):
        rows = slice(first, first + size)
        if parent == FREE:
            P[:, rows], D[:, rows, rows] = sigma[:, rows], np.eye(size)
        elif parent == HALF_LINE:
            P[:, first] = np.maximum(sigma[:, first], 0.0)
            D[:, first, first] = sigma[:, first] >= 0.0
        else:
            radius = elements.radius[:, s]
            sigma_N = np.ones_like(radius) if parent == INTERVAL else sigma[:, parent]
            P[:, rows], D[:, rows, rows], by_normal = _ball(sigma[:, rows], radius, sigma_N)
            if parent != INTERVAL:
                D[:, rows, parent] = by_normal
    return P, D


def _ball(sigma_T: Floats, mu: Floats, sigma_N: Floats) -> tuple[Floats, Floats, Floats]:
    """Projection on balls of the radius `mu max(sigma_N, 0)`; derivatives by `sigma_T` and `sigma_N`."""
    length = np.linalg.norm(sigma_T, axis=1)
    radius = mu * np.maximum(sigma_N, 0.0)
    slips = length >= radius
    length[length == 0.0] = 1.0
    tau, unit = sigma_T / length[:, None], np.eye(sigma_T.shape[1])
    across = unit - tau[:, :, None] * tau[:, None, :]
    P = np.where(slips[:, None], radius[:, None] * tau, sigma_T)
    D = np.where(slips[:, None, None], (radius / length)[:, None, None] * across, unit)
    by_normal = np.where((slips & (sigma_N > 0.0))[:, None], mu[:, None] * tau, 0.0)
    return P, D, by_normal


def residual_and_tangent(
    elements: Elements, V: Floats, L: Floats, c: Floats
) -> tuple[Floats, Floats, Floats]:
    """`F` in velocities (E, m) and multipliers (E, n), and K (E, m + n, m + n).

    `V` (E, m), `L` (E, n), and the gaps `c` (E, n) at `V = 0`.
    """
    G, k, p = elements.G, elements.k, elements.p
    G_T = G.transpose(0, 2, 1)
    g = (G @ V[:, :, None])[:, :, 0] + c + elements.compliance * k * L
    P, D = project(elements, k * L - p * g)
    by_V, by_L = -p[:, :, None] * G, k * (1.0 - p * elements.compliance)  # derivatives of sigma
    F_V = -(G_T @ P[:, :, None])[:, :, 0]
    F_L = k / p * (P - k * L)
    m, n = V.shape[1], L.shape[1]
    K = np.empty((len(G), m + n, m + n))
    K[:, :m, :m] = -G_T @ D @ by_V
    K[:, :m, m:] = -G_T @ D * by_L[:, None, :]
    K[:, m:, :m] = (k / p)[:, :, None] * (D @ by_V)
    proximal = 0.0 if elements.sets[0][2] == FREE else PROXIMAL
    K[:, m:, m:] = (k / p)[:, :, None] * ((1.0 - proximal) * D * by_L[:, None, :] - k[:, :, None] * np.eye(n))
    return F_V, F_L, K
