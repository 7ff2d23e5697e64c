"""The paper's position correction, with friction, in the step in which balls meet.

Its (2) and (8) with their misprints corrected: multipliers nu and displacements U of two balls on a
cloth with

    M U - G^T Pi(xi) = 0,      k/p (Pi(xi) - k nu) = 0,      xi = k nu - p g(q~ + U)

g_N is exact, and g_T the displacement of the points in contact over the step along the tangents at its start.
The scheme here has normal rows alone: friction moves bodies with the forces of the last step
(docs/theory.md, section 2). This module counts the iterations of the printed problem.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nsgalpha import linalg
from nsgalpha.contact.augmented_lagrangian.contact_elements import Elements
from nsgalpha.contact.augmented_lagrangian.lagrangian_system import LagrangianSystem
from nsgalpha.contact.multiplier_sets import HALF_LINE
from verification.balls import GRAVITY, INERTIA, MASS, RADIUS, UP

Array = np.ndarray[Any, np.dtype[np.float64]]
MOST = 50  # iterations


@dataclass(frozen=True, slots=True)
class Meeting:
    """A cue ball meets an object ball at rest: angle `cut` [rad] to its velocity along x."""

    speed: float  # [m/s]
    spin: Array  # (3,) [rad/s]
    cut: float
    mu: float
    mu_cloth: float
    h: float  # [s]


def iterations(meeting: Meeting, phase: float, penalty: float, tol: float) -> int:
    """Iterations to the residual `tol` over the first; the balls meet at 1 - `phase` of the step."""
    increment = np.zeros((2, 6))
    increment[0, 0], increment[0, 3:] = meeting.h * meeting.speed, meeting.h * meeting.spin
    increment[:, 2] = -0.5 * GRAVITY * meeting.h**2
    reach = phase * meeting.h * meeting.speed * np.cos(meeting.cut)
    across = (2.0 * RADIUS - reach) * np.array([-np.cos(meeting.cut), np.sin(meeting.cut), 0.0])
    normal = _unit(across - increment[0, :3] * (1.0 - UP))  # at the start of the step
    scale = np.full((3, 3), penalty * MASS)
    U, nu, first = np.zeros(12), np.zeros(9), 0.0
    M = sparse.diags_array(np.tile([MASS] * 3 + [INERTIA] * 3, 2)).tocoo()
    for iteration in range(MOST):
        G, g = _rows(across + U[:3] - U[6:9], normal, increment + U.reshape(2, 6))
        elements = Elements(
            dof=np.tile(np.arange(12), (3, 1)),
            row=np.arange(9).reshape(3, 3),
            G=G,
            sets=((0, 1, HALF_LINE), (1, 2, 0)),
            radius=np.array([[0.0, meeting.mu], [0.0, meeting.mu_cloth], [0.0, meeting.mu_cloth]]),
            k=scale,
            p=scale,
            compliance=np.zeros((3, 3)),
        )
        F, K = LagrangianSystem(M, [elements]).assemble(U, nu, (g - G @ U).ravel())
        size = float(np.abs(F).max())
        first = first or size
        if size <= tol * first:
            return iteration
        step = linalg.analyse(K, kind="general").factorise(K).solve(-F)
        U, nu = U + step[:12], nu + step[12:]
    raise RuntimeError(f"the printed position correction did not converge in {MOST} iterations")


def _rows(across: Array, normal: Array, increment: Array) -> tuple[Array, Array]:
    """Rows G (3, 3, 12) and gaps (3, 3): of the balls, and of each with the cloth.

    across: from the object ball to the cue ball; increment: (2, 6) over the step.
    """
    G, n = np.zeros((3, 3, 12)), _unit(across)
    tangents = _tangents(normal)
    for body, sign in enumerate((1.0, -1.0)):
        own = 6 * body
        G[0, 0, own : own + 3] = sign * n
        G[0, 1:, own : own + 3] = sign * tangents
        G[0, 1:, own + 3 : own + 6] = -RADIUS * np.cross(normal, tangents)
        cloth = G[1 + body]
        cloth[0, own : own + 3], cloth[1:, own : own + 3] = UP, _tangents(UP)
        cloth[1:, own + 3 : own + 6] = -RADIUS * np.cross(UP, _tangents(UP))
    g = G @ increment.ravel()
    g[0, 0] = np.linalg.norm(across) - 2.0 * RADIUS
    return G, g


def _tangents(n: Array) -> Array:
    first = _unit(np.cross(np.eye(3)[np.abs(n).argmin()], n))
    return np.array([first, np.cross(n, first)])


def _unit(a: Array) -> Array:
    u: Array = a / np.linalg.norm(a)
    return u
