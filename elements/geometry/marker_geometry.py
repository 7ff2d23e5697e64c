"""Ropes, and coordinates of joints: one row between two markers, the points p, q of the sides of a joint.

    rope           d = x_A + p - x_B - q,   n = -d/|d|,   g = L - |d|,    levers p, q
    displacement   s = a . d,   d = x_2 + q - x_1 - p,    levers d + p on side 1, q on side 2
    angle          phi = atan2(a_1 . b_0, a_0 . b_0)

with the axes a, a_0, a_1 of side 1 of the joint and b_0 of side 2. The lower limit has the gap s - l, pushes
side 2 along a (or turns it about a), the upper one u - s and pushes it back; friction has no gap. Side A of
the contact is side 2 of the joint, unless that is no body.

    options        0-2, 3-5 points of sides 1, 2; 6-8 a; 9 l; 10 u; 11 is 1 if A is side 2, else -1
    of a rope      0-2, 3-5 points of A, B; 6 L
    of an angle    0-2 a_0, 3-5 a_1, 6-8 a, 9-11 as above, 12-14 b_0; 15, 16 numbers of the sides;
                   17 the angle measured last

Angles go on over whole turns from the one measured last. Gaps are measured from the limit itself, so that
they are as exact after many turns as in the first.
"""

import math

from nsgalpha.constraints.joint_coordinates import nearest
from nsgalpha.jit.decorators import inlined
from nsgalpha.model.geometry_signature import geometry_kernel
from nsgalpha.stepping.marker_rows import ANGLE
from nsgalpha.stepping.rotations import turned
from nsgalpha.stepping.vector_triples import dot, plus, row, store

LOWER, UPPER, RUBBING = range(3)  # of a coordinate: feature of a candidate modulo PARTS
PARTS = 4
FREE = 0.0, 0.0, 0.0


@inlined
def _levers(candidates, c, p, q):
    for k in range(3):
        candidates.lever[c, 0, k] = p[k]
        candidates.lever[c, 1, k] = q[k]


@inlined
def _beyond(limit, angle, sine, cosine):
    """How far an `angle` is beyond a `limit` [rad], either of which may be infinite or of many turns."""
    if math.isinf(limit):
        return -limit
    c, s = math.cos(limit), math.sin(limit)
    rest = math.atan2(sine * c - cosine * s, cosine * c + sine * s)
    return nearest(rest, angle - limit)


@geometry_kernel(options=(0.0,) * 7, images=False)
def measure_rope(first, last, candidates, section, scene):
    """Ropes between points; a slack one whose points are at one place pulls in no direction."""
    given = scene.options
    for c in range(first, last):
        a, b = candidates.a[c], candidates.b[c]
        p = turned(scene.q[a], (given[0], given[1], given[2]))
        q = turned(scene.q[b], (given[3], given[4], given[5]))
        d = plus(plus(row(scene.x, a), 1.0, p), -1.0, plus(row(scene.x, b), 1.0, q))
        distance = math.sqrt(dot(d, d))
        n = (1.0, 0.0, 0.0)
        if distance > 0.0:
            n = -d[0] / distance, -d[1] / distance, -d[2] / distance
        candidates.gap[c] = given[6] - distance
        candidates.length[c] = given[6]
        store(n, candidates.normal, c, 0)
        _levers(candidates, c, p, q)


@geometry_kernel(options=(0.0,) * 12, images=False)
def measure_displacement(first, last, candidates, section, scene):
    """Limits of a displacement along an axis of a joint, and friction along it."""
    given = scene.options
    for c in range(first, last):
        a, b = candidates.a[c], candidates.b[c]
        ahead = given[11] > 0.0
        one, two = (b, a) if ahead else (a, b)
        p = turned(scene.q[one], (given[0], given[1], given[2]))
        q = turned(scene.q[two], (given[3], given[4], given[5]))
        axis = turned(scene.q[one], (given[6], given[7], given[8]))
        arm = plus(plus(row(scene.x, two), 1.0, q), -1.0, row(scene.x, one))
        s = dot(axis, plus(arm, -1.0, p))
        part = candidates.feature[c] % PARTS
        sign = given[11]
        if part == LOWER:
            candidates.gap[c] = s - given[9]
        elif part == UPPER:
            candidates.gap[c] = given[10] - s
            sign = -sign
        else:
            candidates.gap[c] = math.inf
        store((sign * axis[0], sign * axis[1], sign * axis[2]), candidates.normal, c, 0)
        if ahead:
            _levers(candidates, c, q, arm)
        else:
            _levers(candidates, c, arm, q)


@geometry_kernel(options=(0.0,) * (ANGLE + 1), images=False)
def measure_angle(first, last, candidates, section, scene):
    """Limits of an angle of a joint, and friction about its axis."""
    given = scene.options
    for c in range(first, last):
        a, b = candidates.a[c], candidates.b[c]
        one, two = (b, a) if given[11] > 0.0 else (a, b)
        axis = turned(scene.q[one], (given[6], given[7], given[8]))
        e0 = turned(scene.q[one], (given[0], given[1], given[2]))
        e1 = turned(scene.q[one], (given[3], given[4], given[5]))
        b0 = turned(scene.q[two], (given[12], given[13], given[14]))
        cosine, sine = dot(e0, b0), dot(e1, b0)
        angle = math.atan2(sine, cosine)
        angle = nearest(angle, given[ANGLE])
        given[ANGLE] = angle
        part = candidates.feature[c] % PARTS
        sign = given[11]
        if part == LOWER:
            candidates.gap[c] = _beyond(given[9], angle, sine, cosine)
        elif part == UPPER:
            candidates.gap[c] = -_beyond(given[10], angle, sine, cosine)
            sign = -sign
        else:
            candidates.gap[c] = math.inf
        candidates.length[c] = 1.0
        store((sign * axis[0], sign * axis[1], sign * axis[2]), candidates.normal, c, 0)
        _levers(candidates, c, FREE, FREE)
