"""Resistances against velocities of single bodies, for overdamped motion or as a load.

    F = -w gamma v,    T = -w gamma_r omega

`gamma` and `gamma_r` are numbers or tensors, w a weight of each body, such as an area. A sphere in a viscous
fluid has gamma = 6 pi eta r, gamma_r = 8 pi eta r^3 (Stokes).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Bodies, Floats, Motion, turned
from nsgalpha.checks import choice, floats, positive, refuse
from nsgalpha.geometry.rotations import to_body, to_inertial
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.handles import Body, handle_list, sphere_list
from nsgalpha.model.load_interface import CompiledLoad, load_kernel
from nsgalpha.model.registration import offered

FRAMES = "inertial", "body"


@load_kernel
def drag(t, x, q, v, w, at, matrices, wrench):
    """`-A (v, w)`; `matrices`: 1 if the frame is that of the body, and the entries of all A (6, 6)."""
    turns, twist, out, part = matrices[0] != 0.0, np.empty(6), np.empty(6), np.empty(3)
    for k in range(at.shape[0]):
        b = at[k]
        for i in range(3):
            twist[i], twist[3 + i] = v[b, i], w[b, i]
        if turns:
            to_body(q[b], v[b], twist[:3])
            to_body(q[b], w[b], twist[3:])
        for i in range(6):
            out[i] = 0.0
            for j in range(6):
                out[i] += matrices[1 + 36 * k + 6 * i + j] * twist[j]
        for half in range(2):
            for i in range(3):
                part[i] = out[3 * half + i]
            if turns:
                to_inertial(q[b], out[3 * half : 3 * half + 3], part)
            for i in range(3):
                wrench[b, 3 * half + i] -= part[i]


@offered("loads", "resistances", also=("stokes",))
@recorded
class Drag(CompiledLoad):
    """Linear resistance of `bodies`, a scheme's `resistance` or a load: `model.add_load(Drag(...))`.

    translational [N s/m], rotational [N m s]: a number, one for each body, or symmetric positive
    semidefinite tensors (3, 3) or (bodies, 3, 3). weight: a number or one for each body, by which both are
    multiplied, such as areas or 0 and 1. All >= 0. frame of the tensors: "inertial" (default), or "body",
    with which they turn, as those of rigid rods do.

    Raises ValueError that names the parameter, its value and its range.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    >>> model.add_load(Drag(ball, translational=5.0))
    >>> result = ns.simulate(model, t_end=10.0, h=0.01)
    >>> result.velocity[-1, ball].round(6)  # m g / c
    array([ 0.,  0., -2.])
    """

    kernel = drag
    energy_known = True

    def __init__(
        self,
        bodies: Body | Sequence[Body],
        *,
        translational: ArrayLike = 0.0,
        rotational: ArrayLike = 0.0,
        weight: ArrayLike = 1.0,
        frame: str = "inertial",
    ) -> None:
        self.frame = choice("frame", frame, FRAMES)
        self.bodies = handle_list("bodies", bodies, Body)
        if not self.bodies:
            raise refuse("bodies", bodies, "at least one body")
        count = len(self.bodies)
        scale = _per_body("weight", weight, count)[:, None, None]
        self.matrices = np.zeros((count, 6, 6))
        self.matrices[:, :3, :3] = scale * _tensors("translational", translational, count)
        self.matrices[:, 3:, 3:] = scale * _tensors("rotational", rotational, count)
        if not self.matrices.any():
            raise ValueError("translational, rotational: both are 0; give one that resists")
        super().__init__(
            [body.index for body in self.bodies], np.append(self.frame == "body", self.matrices.ravel())
        )

    @classmethod
    def stokes(cls, spheres: Body | Sequence[Body], viscosity: float) -> Drag:
        """Spheres alone in a fluid of the dynamic viscosity eta [Pa s] > 0 at small Reynolds numbers."""
        eta = positive("viscosity", viscosity)
        bodies = sphere_list("spheres", spheres)
        if not bodies:
            raise refuse("spheres", spheres, "at least one sphere")
        radius = np.array([body.radius for body in bodies])
        return cls(
            bodies, translational=6.0 * math.pi * eta * radius, rotational=8.0 * math.pi * eta * radius**3
        )

    def handles(self) -> Sequence[Body]:
        """The bodies that it resists."""
        return self.bodies

    def energy(self, x: Floats) -> float:
        """None is stored: it takes energy."""
        return 0.0

    def matrix(self, motion: Motion, bodies: Bodies) -> Floats:
        """Matrices (N, 6, 6) of all bodies of the model, N from the body that this one's are of."""
        total = np.zeros((len(self.bodies[0].model.bodies), 6, 6))
        if self.frame == "inertial":
            total[self.at] = self.matrices
            return total
        R = np.swapaxes(turned(motion.q[self.at][:, None], np.eye(3)), 1, 2)
        for half in (slice(0, 3), slice(3, 6)):
            total[self.at, half, half] = R @ self.matrices[:, half, half] @ np.swapaxes(R, 1, 2)
        return total


def _per_body(name: str, value: ArrayLike, count: int) -> Floats:
    """One number >= 0 for each of `count` bodies."""
    array = floats(name, value, f"a number >= 0, or one for each of the {count} bodies")
    if array.shape not in ((), (count,)) or not (np.isfinite(array) & (array >= 0.0)).all():
        raise refuse(name, value, f"a number >= 0, or one for each of the {count} bodies")
    return np.broadcast_to(array, (count,))


def _tensors(name: str, value: ArrayLike, count: int) -> Floats:
    """Tensors (count, 3, 3) from numbers or tensors."""
    array = floats(name, value, f"numbers >= 0, or symmetric tensors (3, 3) or ({count}, 3, 3)")
    if array.shape[-2:] != (3, 3):
        return _per_body(name, value, count)[:, None, None] * np.eye(3)
    symmetric = np.isfinite(array).all() and np.allclose(array, np.swapaxes(array, -1, -2), atol=0.0)
    if not symmetric or array.shape not in ((3, 3), (count, 3, 3)):
        raise refuse(name, value, f"symmetric tensors (3, 3) or ({count}, 3, 3)")
    if np.linalg.eigvalsh(array).min() < 0.0:
        raise refuse(name, value, "positive semidefinite", "a resistance takes energy")
    return np.broadcast_to(array, (count, 3, 3))
