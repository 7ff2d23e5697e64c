"""Meshes of triangles in contact: search in their trees, and triangles under points.

Tables: nsgalpha/model/contact_meshes.py.
"""

import math

from nsgalpha.geometry.vector_triples import dot, plus, row
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.model.contact_meshes import WALL

DEEP = 1.0  # of the half width of A: depths
SHALLOW = 1e-5  # the same: of points that need not be beyond the mesh as seen from the middle of A
CREASE = 0.01  # the same: by which a vertex has the face beyond a concave edge as well
BEHIND = 0.1  # the same: of edges that cross where that of the mesh is not within A
LEAN = 0.1  # sine of the angle by which a normal may lie beside those of a feature
NEARER = 0.125  # of FAR, where there are too many features


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
def is_before_folds(meshes, t, x, middle, beside):
    """True if a body with this `middle` is before the faces beyond concave edges at `x`.

    The body may be on the other side of such a face, flush with it, and its point over triangle `t` by no
    more than `beside` [m]. The normal of the face is cos(b) n - sin(b) m (nsgalpha/model/contact_meshes.py).
    """
    d = plus(middle, -1.0, x)
    for k in range(3):
        side = meshes.sides[t, k]
        s = side[0] * x[0] + side[1] * x[1] + side[2] * x[2] - side[3]
        if side[4] < 0.0 and s < beside:
            up = (1.0 - side[4] * side[4]) * dot(row(meshes.planes, t), d)
            if up <= 2.0 * side[4] * (side[0] * d[0] + side[1] * d[1] + side[2] * d[2]):
                return False
    return True


@kernel
def pierces(meshes, t, ends, beside):
    """True if the line between two `ends` passes triangle `t`, from the front to the back.

    It may be `beside` [m] the triangle.
    """
    n, offset = row(meshes.planes, t), meshes.planes[t, 3]
    high, low = dot(n, ends[0]) - offset, dot(n, ends[1]) - offset
    if not high > 0.0 > low:
        return False
    y = plus(ends[0], high / (high - low), plus(ends[1], -1.0, ends[0]))
    for k in range(3):
        side = meshes.sides[t, k]
        if side[0] * y[0] + side[1] * y[1] + side[2] * y[2] - side[3] < -beside:
            return False
    return True


@kernel
def is_beyond(meshes, m, ends, beside):
    """True if the line between two `ends` passes a triangle of the mesh, as in `pierces`.

    From the middle of a convex body to its point: the body is cut by the mesh, and the point behind it.
    """
    (x0, y0, z0), (x1, y1, z1) = ends
    low = min(x0, x1) - beside, min(y0, y1) - beside, min(z0, z1) - beside
    high = max(x0, x1) + beside, max(y0, y1) + beside, max(z0, z1) + beside
    vertices, edges = mesh_counts(meshes, m)
    leaf = next_leaf(meshes, m, 1, low, high)
    while leaf > 0:
        t = item_at(meshes, m, leaf) - vertices - edges
        if t >= 0 and pierces(meshes, meshes.first[m, 2] + t, ends, beside):
            return True
        leaf = next_leaf(meshes, m, following(leaf), low, high)
    return False


@kernel
def is_seen(middle, mesh, point, limits):
    """True if a point of A touches the triangle below, or has come through it.

    It is not where A is on the other side, or beside a border. A blunt vertex has no edge that goes down
    to either side: A has to be above. mesh: tables, number, triangle. point: and its height. limits: size of
    A, and `beside` of `pierces`.
    """
    (meshes, m, t), (x, h), (size, beside) = mesh, point, limits
    if dot(row(meshes.planes, t), middle) - meshes.planes[t, 3] <= h:
        return False
    if h > -SHALLOW * size:
        return is_before_folds(meshes, t, x, middle, SHALLOW * size)
    return is_beyond(meshes, m, (middle, x), beside)


@kernel
def is_peak(meshes, m, w, n, lean):
    """True if no edge of vertex `w` rises along `n`, by more than the sine `lean`."""
    vertex = meshes.first[m, 0] + w
    for k in range(meshes.spoke[vertex], meshes.spoke[vertex + 1]):
        if dot(n, row(meshes.spokes, k)) > lean:
            return False
    return True


@kernel
def is_to_back(meshes, m, w, n):
    """True if `n` goes down a wall at vertex `w`, to the back of the mesh."""
    vertex = meshes.first[m, 0] + w
    for k in range(meshes.spoke[vertex], meshes.spoke[vertex + 1]):
        way = row(meshes.spokes, k)
        if dot(way, way) > 1.0 + WALL and dot(n, way) > LEAN:
            return True
    return False


@inlined
def leans(n, one, two, lean):
    """True if `n` is beside the normals of an edge with these vectors across it."""
    return dot(n, one) < -lean or dot(n, two) < -lean


@kernel
def is_low(V, E, i, n):
    """True if no edge of vertex `i` goes down along `n` by more than LEAN; False without edges."""
    low = False
    for e in range(E.shape[0]):
        if E[e, 0] == i or E[e, 1] == i:
            low = True
            d = plus(row(V, E[e, 0] + E[e, 1] - i), -1.0, row(V, i))
            if dot(n, d) < -LEAN * math.sqrt(dot(d, d)):
                return False
    return low
