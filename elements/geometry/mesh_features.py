"""Meshes of triangles in contact: search in their trees, and triangles under points.

Tables: nsgalpha/model/contact_meshes.py.
"""

from nsgalpha.geometry.vector_triples import dot, row
from nsgalpha.jit.decorators import inlined, kernel


@inlined
def mesh_counts(meshes, m):
    """Numbers of vertices and edges of a mesh."""
    return meshes.first[m + 1, 0] - meshes.first[m, 0], meshes.first[m + 1, 1] - meshes.first[m, 1]


@inlined
def edge_vectors(meshes, m, e):
    """Ends of an edge, vectors of both faces across it, and their middle."""
    line = meshes.edges[meshes.first[m, 1] + e]
    return row(line, 0), row(line, 1), row(line, 2), row(line, 3), row(line, 4)


@inlined
def following(node):
    """The node after the subtree of a `node`; 0 at the end."""
    while node & 1:
        node >>= 1
    return node + 1 if node > 0 else 0


@kernel
def next_leaf(meshes, m, node, low, high):
    """The first leaf from `node` on whose box meets that from `low` to `high`; 0 for none. The root is 1."""
    first, leaves = meshes.first[m, 3], meshes.first[m + 1, 3] - meshes.first[m, 3]
    while node > 0:
        meets, box = True, 2 * first + node
        for i in range(3):
            meets = meets and meshes.boxes[box, i] <= high[i] and low[i] <= meshes.boxes[box, 3 + i]
        if not meets:
            node = following(node)
        elif node < leaves:
            node *= 2
        else:
            return node
    return 0


@inlined
def item_at(meshes, m, leaf):
    """The item at a `leaf`: a vertex, an edge, or a triangle, numbered in this order."""
    first = meshes.first[m, 3]
    return meshes.items[first + leaf - (meshes.first[m + 1, 3] - first)]


@kernel
def is_over_triangle(meshes, t, x, h, tolerance, crease):
    """True if `x` belongs to triangle `t`, at the height `h`, to a `tolerance` [m].

    Above the plane it is over the triangle, below it is on its side of the bisector planes of the edges. At
    concave edges it may be beside that by `crease` [m]: both planes bound the space there.
    """
    for k in range(3):
        side = meshes.sides[t, k]
        s = side[0] * x[0] + side[1] * x[1] + side[2] * x[2] - side[3]
        if s < -(tolerance if side[4] >= 0.0 else crease) - min(h, 0.0) * side[4]:
            return False
    return True


@kernel
def is_peak(meshes, m, w, n, lean):
    """True if no edge of vertex `w` rises along `n`, by more than the sine `lean`."""
    vertex = meshes.first[m, 0] + w
    for k in range(meshes.spoke[vertex], meshes.spoke[vertex + 1]):
        if dot(n, row(meshes.spokes, k)) > lean:
            return False
    return True
