"""Rockable's time stepping for two bodies, with the laws of this project.

    x <- x + h v + h^2/2 a,    v <- v + h/2 a,    a from the forces at x, v,    v <- v + h/2 a

and the same for the spins: velocity Verlet, whose forces see the velocity in the middle of the step, and
increments that are h times these rates. The laws get three components of sliding, in inertial axes: the
program holds f_t there, with a component along the normal where that has turned; if it was compiled with
FT_CORR, f_t turns with normal and spin to first order. Spheres: rotations have no influence.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.forces.law_kernel import LAW
from nsgalpha.jit.addresses import caller
from nsgalpha.jit.decorators import kernel

ROWS = 7  # normal, sliding and moment in inertial axes

call_law = caller(LAW)


class TwoBodies(NamedTuple):
    """Side A, a sphere, and side B, a sphere or a plane y = x_y + r that does not turn."""

    x: Floats  # (2, 3)
    v: Floats  # (2, 3)
    w: Floats  # (2, 3)
    a: Floats  # (2, 3)
    alpha: Floats  # (2, 3)
    radius: Floats  # (2,)
    inverse_mass: Floats  # (2,) 0: moves as told
    inverse_inertia: Floats  # (2,)
    gravity: Floats  # (3,)
    n: Floats  # (3,) from B to A
    arm: Floats  # (2, 3) from the centres to the contact point
    plane: bool


class HeldSpring(NamedTuple):
    """The spring of sliding in inertial axes."""

    column: int  # first of the history
    turns: bool  # with the normal and the spin: FT_CORR


@kernel
def _cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def _kick(s, h):
    for b in range(2):
        if s.inverse_mass[b] > 0.0:
            for i in range(3):
                s.v[b, i] += 0.5 * h * s.a[b, i]
                s.w[b, i] += 0.5 * h * s.alpha[b, i]


@kernel
def _drift(s, h):
    for b in range(2):
        for i in range(3):
            s.x[b, i] += h * s.v[b, i]
            if s.inverse_mass[b] > 0.0:
                s.x[b, i] += 0.5 * h * h * s.a[b, i]


@kernel
def _turn_spring(s, before, h, spring):
    """FT_CORR: turn `spring` (3,) with the normal, `before` (3,) one step ago, and the mean spin about it."""
    axis, by = np.empty(3), np.empty(3)
    spin = 0.0
    for i in range(3):
        spin += 0.5 * h * (s.w[0, i] + s.w[1, i]) * s.n[i]
    _cross(before, s.n, axis)
    _cross(spring, axis, by)
    for i in range(3):
        spring[i] -= by[i]
        axis[i] = spin * s.n[i]
    _cross(spring, axis, by)
    for i in range(3):
        spring[i] -= by[i]


@kernel
def _across(arm, w):
    """Length of the part of `arm` (3,) normal to the spin `w`: the lever in the program's Avalanche."""
    along, square, length = 0.0, 0.0, 0.0
    for i in range(3):
        along += arm[i] * w[i]
        square += w[i] ** 2
        length += arm[i] ** 2
    return np.sqrt(max(length - along * along / square, 0.0)) if square > 0.0 else np.sqrt(length)


@kernel
def _measure(s, h, c):
    """Geometry of the contact, overlap and rates into the `Contact` c."""
    square = 0.0
    for i in range(3):
        s.n[i] = s.x[0, i] - s.x[1, i]
        if s.plane and i != 1:
            s.n[i] = 0.0
        square += s.n[i] ** 2
    distance = np.sqrt(square)
    d = s.radius[0] + s.radius[1] - distance
    u = np.empty(3)
    turn = np.empty(3)
    for i in range(3):
        s.n[i] /= distance
        s.arm[0, i] = -s.n[i] * (s.radius[0] - 0.5 * d)
        s.arm[1, i] = s.x[0, i] + s.arm[0, i] - s.x[1, i]
        u[i] = s.v[0, i] - s.v[1, i]
    for b in range(2):
        _cross(s.w[b], s.arm[b], turn)
        for i in range(3):
            u[i] += (1.0 - 2.0 * b) * turn[i]
    c.overlap[0] = d
    normal = u[0] * s.n[0] + u[1] * s.n[1] + u[2] * s.n[2]
    c.rate[0, 0] = normal
    for i in range(3):
        c.rate[0, 1 + i] = u[i] - normal * s.n[i]
        c.rate[0, 4 + i] = s.w[0, i] - s.w[1, i]
    for r in range(ROWS):
        c.increment[0, r] = h * c.rate[0, r]
    c.branch[0] = _across(s.arm[0], s.w[0])


@kernel
def _accelerate(s, force):
    """Accelerations under gravity and the contact force (ROWS,)."""
    f = np.empty(3)
    torque = np.empty(3)
    for i in range(3):
        f[i] = force[0] * s.n[i] + force[1 + i]
    for b in range(2):
        _cross(s.arm[b], f, torque)
        sign = 1.0 - 2.0 * b
        for i in range(3):
            s.a[b, i] = sign * f[i] * s.inverse_mass[b]
            if s.inverse_mass[b] > 0.0:
                s.a[b, i] += s.gravity[i]
            s.alpha[b, i] = sign * (torque[i] + force[4 + i]) * s.inverse_inertia[b]


@kernel
def _forces(law, s, h, spring):
    """Law and accelerations; the history is that of the next step."""
    laws, parameters, c, response = law
    before = s.n.copy()
    _measure(s, h, c)
    if spring.turns:
        _turn_spring(s, before, h, c.history[0, spring.column : spring.column + 3])
    response.force[:] = 0.0
    response.history[:] = 0.0
    call_law(laws[0], (c, response, parameters))
    c.history[:] = response.history
    _accelerate(s, response.force[0])


@kernel
def run(law, s, drive, every, glued, spring, frames):
    """Fill the `frames`: motion (K, 3, 2, 3), x, v, w of A and B, and force (K, ROWS).

    law: the address of a kernel (1,), its numbers, contact and response of one contact with ROWS rows.
    s: `TwoBodies`.
    drive: velocity (steps, 3) of side B, if it is driven. glued: there are forces at the start.
    """
    (motion, force), h, response = frames, law[2].h, law[3]
    if glued:
        _forces(law, s, h, spring)
    for frame in range(force.shape[0]):
        for step in range(max(frame - 1, 0) * every, frame * every):
            if s.inverse_mass[1] == 0.0:
                s.v[1] = drive[step]
            _drift(s, h)
            _kick(s, h)
            _forces(law, s, h, spring)
            _kick(s, h)
        motion[frame, 0], motion[frame, 1], motion[frame, 2] = s.x, s.v, s.w
        force[frame] = response.force[0]
