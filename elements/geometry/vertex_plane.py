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
def _rim_point(scene, candidates, c, k, vertex):
    """Point of a feature of a round solid `k`, and True if it is a contact."""
    solids, q = scene.shapes.solids, scene.q[candidates.a[c]]
    n = turned(scene.q[candidates.b[c]], row(scene.planes.normal, candidates.plane[c]))
    count, circles = solids.vertex[k + 1] - solids.vertex[k], solids.face[k + 1] - solids.face[k]
    rim = solids.corner[solids.face[k] + 1] - solids.corner[solids.face[k]]
    if vertex >= count:
        point, sine = deepest_point(solids, k, vertex - count, q, n)
        return point, sine > LEVEL
    point = turned(q, row(solids.vertices, solids.vertex[k] + vertex))
    if vertex >= rim * circles:
        return point, True
    return point, deepest_point(solids, k, vertex // rim, q, n)[1] <= STEEP


@geometry_kernel
def measure_vertex_plane(first, last, candidates, section, scene):
    """Vertices of solids, whose numbers are the features of A, and planes."""
    shapes, solids = scene.shapes, scene.shapes.solids
    for c in range(first, last):
        a = candidates.a[c]
        number, vertex, _, _ = numbers(candidates, c)
        s = shapes.first[a] + number
        k, r = shapes.solid[s], shapes.thickness[s]
        candidates.length[c] = solids.size[k, 1] + r
        if solids.kind[k] == POLYTOPE:
            arm = turned(scene.q[a], row(solids.vertices, solids.vertex[k] + vertex))
            touch_plane(c, arm, r, candidates, scene.planes, scene.x, scene.q)
            continue
        arm, counts = _rim_point(scene, candidates, c, k, vertex)
        touch_plane(c, arm, r, candidates, scene.planes, scene.x, scene.q)
        if not counts:
            candidates.gap[c] = math.inf
