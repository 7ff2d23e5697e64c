"""The paper's system for a contact problem that is given as `u = W r + q`.

Velocities v of unit mass belong to any factor of the operator: with `W = G G^T`, M = 1 and `c = q`,

    v - G^T Pi(sigma) = 0,      k/p (Pi(sigma) - k L) = 0,      sigma = k L - p (G v + q).

G has the eigenvectors of W times the roots of its eigenvalues. The characteristic mass, lost with the
velocities, is the inverse of the mean diagonal of W, for rows of forces and of torques apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from nsgalpha.contact import ContactProblem
from nsgalpha.contact.augmented_lagrangian.contact_elements import Elements
from nsgalpha.contact.augmented_lagrangian.lagrangian_system import LagrangianSystem, Newton

Array = np.ndarray[Any, np.dtype[np.float64]]
NOTHING = 1e-13  # eigenvalue over the largest that counts as none


def directions(W: Array) -> Array:
    """G (n, m) with `G G^T = W`."""
    value, vector = np.linalg.eigh(0.5 * (W + W.T))
    there = value > NOTHING * value[-1]
    G: Array = vector[:, there] * np.sqrt(value[there])
    return G


def system_of(problem: ContactProblem, penalty: float = 1.0) -> LagrangianSystem:
    """The system of a `problem` of contacts alone; `penalty`: k and p over the characteristic mass."""
    count, n = problem.contacts, problem.rows
    W = problem.W.toarray()
    G = directions(W)
    sets, block = problem.cones
    own = slice(block[0], block[1])
    columns = np.stack([sets.row[own], sets.size[own], sets.parent[own]], axis=1)
    forces = np.arange(n) < 3
    of_row = W.diagonal().reshape(count, n)
    mass = np.empty(n)
    for rows in (forces, ~forces):
        mass[rows] = penalty / of_row[:, rows].mean() if rows.any() else 1.0
    row, m = np.arange(count * n).reshape(count, n), G.shape[1]
    elements = Elements(
        dof=np.broadcast_to(np.arange(m), (count, m)),
        row=row,
        G=G[row],
        sets=tuple(map(tuple, columns.tolist())),
        radius=sets.radius.reshape(count, -1),
        k=np.broadcast_to(mass, row.shape),
        p=np.broadcast_to(mass, row.shape),
        compliance=np.zeros(row.shape),
    )
    return LagrangianSystem(sparse.eye_array(m).tocoo(), [elements])


def solve(problem: ContactProblem, tol: float, penalty: float = 1.0) -> Newton:
    """Newton's method from rest, to the residual `tol` or rounding."""

    def judge(r: Array, _: Array) -> tuple[float, int, bool]:
        residual = problem.residual(r)
        return residual, 0, residual <= max(tol, problem.rounding(r))

    return system_of(problem, penalty).newton(problem.q, np.zeros_like(problem.q), judge)
