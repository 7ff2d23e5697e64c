"""Capsules around circles and lines of solids: those far from each other are sorted out."""

import math

from elements.geometry.polytope_distance import between, closest_on_segments
from elements.geometry.solid_features import CIRCLE, LINE, circle_of, first_of_kind, line_of
from nsgalpha.arrays import POLYTOPE
from nsgalpha.geometry.vector_triples import dot, plus, store
from nsgalpha.jit.decorators import kernel


@kernel
def put_capsules(scene, body, side, table):
    """Write capsules around all branches of circles, and all lines: ends, radius, axes of circles (n, 10)."""
    solids, k = scene.shapes.solids, side[0]
    circles = first_of_kind(solids, k, CIRCLE)[1]
    for i in range(circles):
        circle = circle_of(solids, side, i // 2)
        store(circle.centre, table, i, 0)
        store(circle.centre, table, i, 3)
        table[i, 6] = circle.radius
        store(circle.axis, table, i, 7)
    for i in range(first_of_kind(solids, k, LINE)[1]):
        line = line_of(scene, body, side, i)
        f = math.sqrt(1.0 - line.slant * line.slant)
        store(plus(line.point, line.low * f, line.axis), table, circles + i, 0)
        store(plus(line.point, line.high * f, line.axis), table, circles + i, 3)
        table[circles + i, 6] = solids.size[k, 2] if solids.kind[k] != POLYTOPE else 0.0


@kernel
def are_far(one, two, reach):
    """True if two capsules, ends and radius (7,), are more than `reach` [m] apart."""
    a0, a1 = (one[0], one[1], one[2]), (one[3], one[4], one[5])
    b0, b1 = (two[0], two[1], two[2]), (two[3], two[4], two[5])
    s, t = closest_on_segments(a0, a1, b0, b1)
    d = plus(between(a0, a1, s), -1.0, between(b0, b1, t))
    return dot(d, d) > (one[6] + two[6] + reach) ** 2


@kernel
def is_off_circle(circle, other, reach):
    """True if a capsule is off a circle, or within it, by more than `reach` [m].

    circle: ends and radius of a capsule around it, and its axis (10,).
    """
    centre, axis = (circle[0], circle[1], circle[2]), (circle[7], circle[8], circle[9])
    d = plus((other[0], other[1], other[2]), -1.0, centre)
    e = plus((other[3], other[4], other[5]), -1.0, centre)
    far, low, high = other[6] + reach, dot(d, axis), dot(e, axis)
    if min(low, high) > far or max(low, high) < -far:
        return True
    within = circle[6] - far
    return within > 0.0 and max(dot(d, d), dot(e, e)) < within * within
