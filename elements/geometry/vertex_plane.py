"""Vertices of solids and planes, each of which is a contact.

    g = n . (x + R X_v) - offset - r,    n: normal of the plane

with the vertex X_v in the frame of the body, and the radius r of rounded solids. The deepest point of a solid
is a vertex. The gap of each is smooth at any rotation, and no contact ends while the solid turns.
"""

from elements.geometry.scene_access import numbers
from elements.geometry.sphere_geometry import touch_plane
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import row


@geometry_kernel
def measure_vertex_plane(first, last, candidates, section, scene):
    """Vertices of solids, whose numbers are the features of A, and planes."""
    shapes, solids = scene.shapes, scene.shapes.solids
    for c in range(first, last):
        a = candidates.a[c]
        number, vertex, _, _ = numbers(candidates, c)
        s = shapes.first[a] + number
        k, r = shapes.solid[s], shapes.thickness[s]
        arm = turned(scene.q[a], row(solids.vertices, solids.vertex[k] + vertex))
        candidates.length[c] = solids.size[k, 1] + r
        touch_plane(c, arm, r, candidates, scene.planes, scene.x, scene.q)
