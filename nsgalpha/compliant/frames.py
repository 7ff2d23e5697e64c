"""Local kinematics of compliant contacts: overlap, frame, levers, rates and increments.

The contact point lies in the middle of the overlap d, the arms are shortened by d/2:

    p_A = -(r_A - d/2) n,    p_B = x_A + p_A - x_B

The frame E = (n, t_1, t_2) goes with the contact: from the start of the step it is turned by the least
rotation from n_0 to n, and then about n by the mean spin of the bodies,

    phi = (n_0 + n) . (psi_A + psi_B) / 4

with the rotation vectors psi of the step. Rates u = G v with the rows

    0 n . c    1, 2 t_k . c    3, 4 t_k . (w_A - w_B)    5 n . (w_A - w_B)
    c = v_A + w_A x p_A - v_B - w_B x p_B

Increments are (G_0 + G)/2 times the displacements of the step, of second order as the scheme.

Pairs of points that are fixed to bodies off their centres stand in the table of candidates with POINTS in the
place of a plane: they have levers, no surface, and a normal that turns with both bodies.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import entry, kernel, uncounted
from nsgalpha.stepping.kinematics import tangents

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


class Twists(NamedTuple):
    """Velocities of the bodies and frames, or displacements and rotation vectors over a step."""

    linear: Floats  # (B, 3)
    angular: Floats  # (B, 3)


def no_frames(count: int) -> Frames:
    """Room for `count` contacts."""
    return Frames(
        np.empty((count, 2), np.int64),
        np.empty(count, np.int64),
        np.empty((count, 3, 3)),
        np.empty((count, 3, 3)),
        np.empty((count, 2, 3)),
        np.empty((count, 2, 3)),
        np.empty(count),
        np.empty(count),
        np.empty((count, 6)),
        np.empty((count, 6)),
        np.empty(count),
        np.empty(count),
        np.empty(count),
        np.empty(count),
        np.empty(count),
        np.empty(count),
    )


@kernel
def complete(E):
    """Third axis `t2 = n x t1` of a frame."""
    E[2, 0] = E[0, 1] * E[1, 2] - E[0, 2] * E[1, 1]
    E[2, 1] = E[0, 2] * E[1, 0] - E[0, 0] * E[1, 2]
    E[2, 2] = E[0, 0] * E[1, 1] - E[0, 1] * E[1, 0]


@kernel
def transport(E0, n, phi, E):
    """`E`: the frame `E0` with its normal turned to `n` (3,), and by `phi` about it."""
    c = 1.0 + E0[0, 0] * n[0] + E0[0, 1] * n[1] + E0[0, 2] * n[2]
    for i in range(3):
        E[0, i] = n[i]
    if c > FLIPPED:
        along = (n[0] * E0[1, 0] + n[1] * E0[1, 1] + n[2] * E0[1, 2]) / c
        for i in range(3):
            E[1, i] = E0[1, i] - along * (n[i] + E0[0, i])
    else:
        E[1, 0], E[1, 1], E[1, 2], _, _, _ = tangents(n[0], n[1], n[2])
    complete(E)
    cosine, sine = math.cos(phi), math.sin(phi)
    for i in range(3):
        E[1, i] = cosine * E[1, i] + sine * E[2, i]
    complete(E)


@kernel
def project(E, p, linear, angular, a, b, factor, out):
    """`out += factor G y`: six rates from linear and angular velocities (B, 3) of the bodies."""
    wa, wb = angular[a], angular[b]
    for r in range(3):
        i, j, k = r, (r + 1) % 3, (r + 2) % 3
        c = linear[a, i] + wa[j] * p[0, k] - wa[k] * p[0, j]
        c -= linear[b, i] + wb[j] * p[1, k] - wb[k] * p[1, j]
        w = wa[i] - wb[i]
        for axis in range(3):
            out[axis] += factor * E[axis, i] * c
            out[3 + (axis + 2) % 3] += factor * E[axis, i] * w


@kernel
def _levers(gap, n, lever, p):
    """Levers to the middle of the overlap from those to the surfaces."""
    for i in range(3):
        p[0, i] = lever[0, i] - 0.5 * gap * n[i]
        p[1, i] = lever[1, i] + 0.5 * gap * n[i]


@kernel
def surface_radius(radius, lever):
    """`radius` of A where its surface is what touches, 0 for its centre, without a `lever` (2, 3)."""
    return radius if lever[0, 0] != 0.0 or lever[0, 1] != 0.0 or lever[0, 2] != 0.0 else 0.0


@entry
def localise(active, candidates, start, tangent, bodies, motion, moved, frames):
    """Fill `frames` for the candidates `active` (C,) measured at `motion`.

    `start` are the same candidates measured at the start of the step, `tangent` (all, 3) their t1
    there, zero for new contacts; `moved` are displacements and rotation vectors of the step.
    """
    shifted, turned = moved
    for k in range(active.shape[0]):
        c = active[k]
        a, b = candidates.a[c], candidates.b[c]
        frames.body[k, 0], frames.body[k, 1] = a, b
        frames.plane[k] = candidates.plane[c]
        frames.overlap[k] = -candidates.gap[c]
        n, n0 = candidates.normal[c], start.normal[c]
        E0, E = frames.E0[k], frames.E[k]
        known = tangent[c, 0] != 0.0 or tangent[c, 1] != 0.0 or tangent[c, 2] != 0.0
        E0[1, 0], E0[1, 1], E0[1, 2], _, _, _ = tangents(n0[0], n0[1], n0[2])
        phi, distance, curvature = 0.0, 0.0, 0.0
        for i in range(3):
            E0[0, i] = n0[i]
            if known:
                E0[1, i] = tangent[c, i]
            phi += 0.25 * (n0[i] + n[i]) * (turned[a, i] + turned[b, i])
            distance += n[i] * (motion.x[a, i] - motion.x[b, i])
            curvature += n[i] * candidates.lever[c, 1, i]
        complete(E0)
        transport(E0, n, phi, E)
        _levers(start.gap[c], n0, start.lever[c], frames.p0[k])
        _levers(candidates.gap[c], n, candidates.lever[c], frames.p[k])
        ra = surface_radius(bodies.radius[a], candidates.lever[c])
        if candidates.plane[c] == POINTS:
            ra = curvature = 0.0
        frames.distance[k] = distance if ra > 0.0 or curvature != 0.0 else candidates.gap[c]
        frames.radius[k] = frames.branch[k] = frames.radius_a[k] = ra
        if candidates.plane[c] < 0:
            frames.radius[k] = 1.0 / (1.0 / ra + 1.0 / curvature)
            frames.branch[k] = abs(ra + curvature)
        frames.fraction[k] = 1.0
        frames.area[k] = math.pi * frames.radius[k] * max(frames.overlap[k], 0.0)
        frames.mass[k] = 1.0 / (bodies.inverse_mass[a] + bodies.inverse_mass[b])
        for i in range(6):
            frames.rate[k, i] = 0.0
            frames.increment[k, i] = 0.0
        project(E, frames.p[k], motion.v, motion.w, a, b, 1.0, frames.rate[k])
        project(E0, frames.p0[k], shifted, turned, a, b, 0.5, frames.increment[k])
        project(E, frames.p[k], shifted, turned, a, b, 0.5, frames.increment[k])


@entry
def rates(frames, linear, angular, rate):
    """Add the rates `G v` of all contacts to `rate` (C, 6), from velocities (B, 3) of bodies and frames."""
    for c in range(rate.shape[0]):
        a, b = frames.body[c, 0], frames.body[c, 1]
        project(frames.E[c], frames.p[c], linear, angular, a, b, 1.0, rate[c])


@entry
def add_wrenches(frames, force, wrench):
    """Add the local forces `force` (C, 6) to the wrenches (B, 6) on the bodies, inertial."""
    F = np.empty(3)
    M = np.empty(3)
    for c in range(force.shape[0]):
        world(frames.E[c], force[c], F, M)
        for side in range(2):
            sign = 1.0 - 2.0 * side
            b = frames.body[c, side]
            p = frames.p[c, side]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                wrench[b, i] += sign * F[i]
                wrench[b, 3 + i] += sign * (M[i] + p[j] * F[k] - p[k] * F[j])


@uncounted
def world(E, force, F, M):
    """Inertial force `F` and couple `M` (3,) on A from the local six."""
    for i in range(3):
        F[i] = E[0, i] * force[0] + E[1, i] * force[1] + E[2, i] * force[2]
        M[i] = E[1, i] * force[3] + E[2, i] * force[4] + E[0, i] * force[5]
