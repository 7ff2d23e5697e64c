"""Vertices of solids and planes, each of which is a contact.

    g = n . (x + R X_v) - offset - r,    n: normal of the plane

with the vertex X_v in the frame of the body, and the radius r of rounded solids. The deepest point of a solid
is a vertex. The gap of each is smooth at any rotation, and no contact ends while the solid turns.

Cylinders and cones have vertices at their rims and the apex, and behind them the numbers of their circles,
whose deepest points are contacts (rim_circle.py).
"""

import math

from elements.geometry.rim_circle import LEVEL, STEEP, deepest_point
from elements.geometry.scene_access import numbers
from elements.geometry.sphere_geometry import touch_plane
from nsgalpha.arrays import POLYTOPE
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import row
from nsgalpha.jit.decorators import kernel


@kernel
def _circle_of(solids, k, vertex):
    """Number of the circle of a round solid `k` that a feature is on; -1: it is an apex."""
    count, circles = solids.vertex[k + 1] - solids.vertex[k], solids.face[k + 1] - solids.face[k]
    rim = solids.corner[solids.face[k] + 1] - solids.corner[solids.face[k]]
    if vertex >= count:
        return vertex - count
    return vertex // rim if vertex < rim * circles else -1


@geometry_kernel(images=False)
def measure_vertex_plane(first, last, candidates, section, scene):
    """Vertices of solids, whose numbers are the features of A, and planes."""
    shapes, solids = scene.shapes, scene.shapes.solids
    known, deepest, sine = (-1, -1, -1, -1), (0.0, 0.0, 0.0), 0.0  # of the circle of the candidate before
    for c in range(first, last):
        a, b, plane = candidates.a[c], candidates.b[c], candidates.plane[c]
        number, vertex, _, _ = numbers(candidates, c)
        s = shapes.first[a] + number
        k, r, counts = shapes.solid[s], shapes.thickness[s], True
        candidates.length[c] = solids.size[k, 1] + r
        is_vertex = vertex < solids.vertex[k + 1] - solids.vertex[k]
        if solids.kind[k] != POLYTOPE:
            circle = _circle_of(solids, k, vertex)
            if circle >= 0 and known != (s, circle, b, plane):
                n = turned(scene.q[b], row(scene.planes.normal, plane))
                deepest, sine = deepest_point(solids, k, circle, scene.q[a], n)
                known = (s, circle, b, plane)
            counts = (circle < 0 or sine <= STEEP) if is_vertex else sine > LEVEL
        arm = turned(scene.q[a], row(solids.vertices, solids.vertex[k] + vertex)) if is_vertex else deepest
        touch_plane(c, arm, r, candidates, scene.planes, scene.x, scene.q)
        if not counts:
            candidates.gap[c] = math.inf
