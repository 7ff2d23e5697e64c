"""Rigid bodies that touch, and the contact problem of one step of theirs.

    M v = H r + M v_free,    u = H^T v + w

with `v_free` the velocities after loads and without contacts, `w` gaps over the step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.transform import Rotation

from nsgalpha.contact import ContactProblem

FIXED = -1  # as a body: the ground
Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass
class Scene:
    """Bodies and contacts, added one by one. Lists have an entry for each."""

    position: list[Array] = field(default_factory=list)
    inverse_mass: list[Array] = field(default_factory=list)  # (6, 6), inertial frame
    pair: list[tuple[int, int]] = field(default_factory=list)
    point: list[Array] = field(default_factory=list)
    normal: list[Array] = field(default_factory=list)  # from the second body to the first
    gap: list[float] = field(default_factory=list)

    def body(self, position: Array, mass: float, inertia: Array, turned: Rotation | None = None) -> int:
        """Add a body with the principal inertias (3,); returns its number."""
        R = np.eye(3) if turned is None else turned.as_matrix()
        inverse = np.zeros((6, 6))
        inverse[:3, :3] = np.eye(3) / mass
        inverse[3:, 3:] = R @ np.diag(1.0 / np.asarray(inertia)) @ R.T
        self.position.append(np.asarray(position, float))
        self.inverse_mass.append(inverse)
        return len(self.position) - 1

    def box(self, position: Array, half: Array, density: float = 1.0, turned: Rotation | None = None) -> int:
        """Add a homogeneous box with half edges `half` (3,)."""
        mass = 8.0 * density * float(np.prod(half))
        square = np.asarray(half) ** 2
        return self.body(position, mass, mass / 3.0 * (square.sum() - square), turned)

    def contact(self, a: int, b: int, point: Array, normal: Array, gap: float = 0.0) -> None:
        """Add a contact; `normal` need not have unit length."""
        self.pair.append((a, b))
        self.point.append(np.asarray(point, float))
        self.normal.append(np.asarray(normal, float) / np.linalg.norm(normal))
        self.gap.append(gap)

    def directions(self, rows: int) -> sparse.csr_array:
        """H (6 bodies, rows contacts): forces along normal and tangents, torques about the tangents."""
        H = np.zeros((6 * len(self.position), rows * len(self.pair)))
        for k, (sides, point, normal) in enumerate(zip(self.pair, self.point, self.normal, strict=True)):
            axis = np.eye(3)[np.argmin(np.abs(normal))]
            first = np.cross(axis, normal)
            first /= np.linalg.norm(first)
            frame = np.array([normal, first, np.cross(normal, first)])
            for body, sign in zip(sides, (1.0, -1.0), strict=True):
                if body == FIXED:
                    continue
                part = H[6 * body : 6 * body + 6, rows * k : rows * k + rows]
                part[:3, :3] = sign * frame.T
                part[3:, :3] = sign * np.cross(point - self.position[body], frame).T
                if rows == 5:
                    part[3:, 3:] = sign * frame[1:].T
        return sparse.csr_array(H)

    def problem(
        self, velocity: Array, mu: Array | float, step: float = 5e-3, rolling: float | None = None
    ) -> ContactProblem:
        """The problem at the free velocities (bodies, 6); `rolling` is a rolling radius [m]."""
        rows, count = 3 if rolling is None else 5, len(self.pair)
        H = self.directions(rows)
        inverse = sparse.block_diag([sparse.coo_array(each) for each in self.inverse_mass], format="csr")
        q = H.T @ np.ravel(velocity)
        q[::rows] += np.array(self.gap) / step
        radii = None if rolling is None else np.full(count, rolling)
        return ContactProblem(H.T @ inverse @ H, q, np.broadcast_to(mu, count), radii)
