"""Local kinematics of compliant contacts: overlap, frame, levers, rates and increments.

The contact point lies in the middle of the overlap d, the arms are shortened by d/2:

    p_A = -(r_A - d/2) n,    p_B = x_A + p_A - x_B

The frame E = (n, t_1, t_2) goes with the contact. From the start of the step it rotates by the least rotation
from n_0 to n, and then about n by the mean spin of the bodies,

    phi = (n_0 + n) . (psi_A + psi_B) / 4

with the rotation vectors psi of the step. Rates u = G v with the rows

    0 n . c    1, 2 t_k . c    3, 4 t_k . (w_A - w_B)    5 n . (w_A - w_B)
    c = v_A + w_A x p_A - v_B - w_B x p_B

Increments are (G_0 + G)/2 times the displacements of the step, of second order as the scheme.

Pairs of points that are fixed to bodies off their centres have POINTS in the column of the plane. They have
levers, no surface, and a normal that rotates with both bodies.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.contact.rows.contact_kinematics import tangents
from nsgalpha.geometry.nearest_images import image_way, push_images
from nsgalpha.geometry.vector_triples import combined, cross, dot, leg, plus, row
from nsgalpha.jit.decorators import fused, kernel

POINTS = -6  # next to the kinds of contacts between markers, see nsgalpha/arrays.py
FLIPPED = 1e-8  # of 1 + n_0 . n, below which the normal has turned round and no rotation is the least


class Frames(NamedTuple):
    """Kinematics of C contacts at the end of a step (and, with 0, at its start)."""

    body: Ints  # (C, 2) bodies or frames A, B
    plane: Ints  # (C,) -1 for a body, POINTS for points of bodies
    E0: Floats  # (C, 3, 3) rows n, t1, t2
    E: Floats  # (C, 3, 3)
    p0: Floats  # (C, 2, 3) levers to the contact point [m]
    p: Floats  # (C, 2, 3)
    distance: Floats  # (C,) n . (x_A - x_B); without meaning at planes
    overlap: Floats  # (C,)
    rate: Floats  # (C, 6)
    increment: Floats  # (C, 6)
    radius: Floats  # (C,) effective
    mass: Floats  # (C,) effective
    branch: Floats  # (C,) distance of the centres at touch; r_A at a plane
    radius_a: Floats  # (C,) of A
    fraction: Floats  # (C,) of the contact circle
    area: Floats  # (C,)
    image: Floats  # (C, 3) as that of Candidates


class Twists(NamedTuple):
    """Velocities of the bodies and frames, or displacements and rotation vectors over a step."""

    linear: Floats  # (B, 3)
    angular: Floats  # (B, 3)


def no_frames(count: int, images: bool = False) -> Frames:
    """Workspace for `count` contacts; `images`: in a cell that moves."""
    numbers = (np.empty(count) for _ in range(8))
    at = np.empty((count, 2), np.int64), np.empty(count, np.int64)
    frames, levers = np.empty((2, count, 3, 3)), np.empty((2, count, 2, 3))
    first = *at, *frames, *levers, next(numbers), next(numbers)
    image = np.zeros((count if images else 0, 3))
    rates = np.empty((2, count, 6))
    return Frames._make((*first, *rates, *numbers, image))


@fused
def initial(n, t):
    """The frame with the normal `n` and the tangent `t`, any tangent where that is zero."""
    if t[0] == 0.0 and t[1] == 0.0 and t[2] == 0.0:
        x, y, z, _, _, _ = tangents(n[0], n[1], n[2])
        t = (x, y, z)
    return n, t, cross(n, t)


@fused
def transported(E0, n, phi):
    """The frame `E0` with its normal turned to `n`, and by `phi` about it."""
    n0, t0, _ = E0
    c = 1.0 + dot(n0, n)
    if c > FLIPPED:
        along = dot(n, t0) / c
        t = combined(1.0, t0, -along, n, -along, n0)
    else:
        x, y, z, _, _, _ = tangents(n[0], n[1], n[2])
        t = (x, y, z)
    t = combined(math.cos(phi), t, math.sin(phi), cross(n, t), 0.0, n)
    return n, t, cross(n, t)


@fused
def put(E, A, k):
    """`A[k] = E`, the axes of a frame as rows."""
    for axis in range(3):
        for i in range(3):
            A[k, axis, i] = E[axis][i]


@fused
def _rates(E, p, linear, angular, a, b, way):
    """Six rates `G y` of linear and angular velocities (B, 3) of the bodies, three along and three about.

    `way` is the velocity of the image of B less that of B.
    """
    wa, wb = row(angular, a), row(angular, b)
    at_a = plus(row(linear, a), 1.0, cross(wa, p[0]))
    c = plus(plus(plus(at_a, -1.0, row(linear, b)), -1.0, cross(wb, p[1])), -1.0, way)
    w = plus(wa, -1.0, wb)
    return (dot(E[0], c), dot(E[1], c), dot(E[2], c)), (dot(E[1], w), dot(E[2], w), dot(E[0], w))


@fused
def _levers(gap, n, lever, c):
    """Levers to the middle of the overlap from those to the surfaces."""
    return plus(leg(lever, c, 0), -0.5 * gap, n), plus(leg(lever, c, 1), 0.5 * gap, n)


@kernel
def localise(active, candidates, start, tangent, bodies, motion, moved, frames):
    """Fill `frames` for the candidates `active` (C,) measured at `motion`.

    `start` are the same candidates measured at the start of the step, `tangent` (all, 3) their t1 there, zero
    for new contacts. `moved` are displacements and rotation vectors of the step.
    """
    shifted, turned = moved
    for k in range(active.shape[0]):
        c = active[k]
        a, b = candidates.a[c], candidates.b[c]
        frames.body[k, 0], frames.body[k, 1] = a, b
        frames.plane[k] = candidates.plane[c]
        frames.overlap[k] = -candidates.gap[c]
        n, n0 = row(candidates.normal, c), row(start.normal, c)
        apart = plus(row(motion.x, a), -1.0, row(motion.x, b))
        phi = 0.25 * dot(plus(n0, 1.0, n), plus(row(turned, a), 1.0, row(turned, b)))
        E0 = initial(n0, row(tangent, c))
        E = transported(E0, n, phi)
        p0 = _levers(start.gap[c], n0, start.lever, c)
        p = _levers(candidates.gap[c], n, candidates.lever, c)
        put(E0, frames.E0, k)
        put(E, frames.E, k)
        for side in range(2):
            for i in range(3):
                frames.p0[k, side, i], frames.p[k, side, i] = p0[side][i], p[side][i]
        surface = leg(candidates.lever, c, 0)
        curvature = dot(n, leg(candidates.lever, c, 1))
        touches = surface[0] != 0.0 or surface[1] != 0.0 or surface[2] != 0.0
        ra = bodies.radius[a] if touches else 0.0  # of its centre, which has no lever
        if candidates.plane[c] == POINTS:
            ra = curvature = 0.0
        frames.distance[k] = dot(n, apart) if ra > 0.0 or curvature != 0.0 else candidates.gap[c]
        frames.radius[k] = frames.branch[k] = frames.radius_a[k] = ra
        if candidates.plane[c] < 0:
            frames.radius[k] = 1.0 / (1.0 / ra + 1.0 / curvature)
            frames.branch[k] = abs(ra + curvature)
        frames.fraction[k] = 1.0
        frames.area[k] = math.pi * frames.radius[k] * max(frames.overlap[k], 0.0)
        frames.mass[k] = 1.0 / (bodies.inverse_mass[a] + bodies.inverse_mass[b])
        if frames.image.shape[0] > 0:
            for i in range(3):
                frames.image[k, i] = candidates.image[c, i]
        rate = _rates(E, p, motion.v, motion.w, a, b, image_way(frames.image, k, motion.v))
        way = image_way(frames.image, k, shifted)
        before, after = _rates(E0, p0, shifted, turned, a, b, way), _rates(E, p, shifted, turned, a, b, way)
        for part in range(2):
            for i in range(3):
                frames.rate[k, 3 * part + i] = rate[part][i]
                frames.increment[k, 3 * part + i] = 0.5 * (before[part][i] + after[part][i])


@kernel
def rates(frames, linear, angular, rate):
    """Add the rates `G v` of all contacts to `rate` (C, 6), from velocities (B, 3) of bodies and frames."""
    for c in range(rate.shape[0]):
        E = leg(frames.E, c, 0), leg(frames.E, c, 1), leg(frames.E, c, 2)
        p = leg(frames.p, c, 0), leg(frames.p, c, 1)
        way = image_way(frames.image, c, linear)
        found = _rates(E, p, linear, angular, frames.body[c, 0], frames.body[c, 1], way)
        for part in range(2):
            for i in range(3):
                rate[c, 3 * part + i] += found[part][i]


@kernel
def add_wrenches(frames, force, on, wrench):
    """Add the local forces `force` (C, 6) to the wrenches (B, 6) on the bodies, inertial.

    `on`: the parts that sides A and B feel, 1 or 0. Frames of a cell that moves have the forces on images.
    """
    for c in range(force.shape[0]):
        F, M = world(frames.E, force, c)
        if frames.image.shape[0] > 0:
            push_images((frames.image[c, 0], frames.image[c, 1], frames.image[c, 2]), -on[1], F, wrench)
        for side in range(2):
            sign = (1.0 - 2.0 * side) * on[side]
            b = frames.body[c, side]
            T = plus(M, 1.0, cross(leg(frames.p, c, side), F))
            for i in range(3):
                wrench[b, i] += sign * F[i]
                wrench[b, 3 + i] += sign * T[i]


@fused
def world(E, force, c):
    """Inertial force and couple on A from the local six of contact `c`."""
    n, t1, t2 = leg(E, c, 0), leg(E, c, 1), leg(E, c, 2)
    F = combined(force[c, 0], n, force[c, 1], t1, force[c, 2], t2)
    return F, combined(force[c, 3], t1, force[c, 4], t2, force[c, 5], n)
