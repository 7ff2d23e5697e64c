"""Spheres and capsules (A) on convex polytopes (B), all of whose surfaces may be rounded.

They touch as spheres around the nearest points of the cores do, the radius r of A and the rounding t of B,

    sphere          h of its centre                        n = grad h,    g = h - r - t
    capsule         h of both ends of its axis             the same
                    d of its axis and every edge of        n = (x - y)/d, g = d - r - t
                    the face beneath it

with the distances h, d of polytope_distance.py. No gap is below that of the shapes, and the least one is it.
Each has its own normal, which is its gradient. A capsule on a face rests on those ends that are over the
face, and on the edges that its axis crosses.

Contacts of a capsule are known by its ends 0 and 1, and by its axis at the edge of a colour. Edges of a face
have different colours. An edge keeps its contact when the capsule tilts from one of its faces to the other.
Near a corner an edge has the contact of the next edge that the axis crosses, but open by SPARE. So no gap
jumps when the axis crosses from one to the other. The distance from the corner itself would not do: its
normal leans, while its gap is the same to rounding.

Spheres touch cylinders and cones likewise (revolved_distance.py), and so do the ends of capsules. The axis
of a capsule may cross their side, two branches of each circle, and the apex (feature_distances.py). Each of
these is a contact. The side counts only where both are not nearly parallel, as with two capsules.

An axis within a polytope has the depth of its lower end under one face, in place of the edge of colour 0.
"""

import math

from elements.geometry.capsule_geometry import BESIDE, farther_end
from elements.geometry.feature_distances import (
    circle_to_line,
    is_on_line,
    line_to_line,
    point_to_line,
    ruling_of,
)
from elements.geometry.polytope_distance import between, crossing, face_beneath, height
from elements.geometry.revolved_distance import from_core
from elements.geometry.scene_access import (
    CENTRE,
    apart,
    note_image,
    numbers,
    put_contact,
    put_nothing,
    segment,
)
from elements.geometry.solid_features import Line, circle_of, line_of, point_of
from nsgalpha.arrays import CONE, POLYTOPE
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.rotations import turned, turned_back
from nsgalpha.geometry.vector_triples import cross, dot, plus, row
from nsgalpha.jit.decorators import inlined, kernel

SPARE = 1e-9  # reaches by which the contact of an edge is open where a neighbour has it


@inlined
def _solid(scene, candidates, c, number):
    """Number, corners and planes, rounding and rotation of the solid of side B."""
    solids, b = scene.shapes.solids, candidates.b[c]
    shape = scene.shapes.first[b] + number
    k = scene.shapes.solid[shape]
    V = solids.vertices[solids.vertex[k] : solids.vertex[k + 1]]
    P = solids.planes[solids.face[k] : solids.face[k + 1]]
    return k, (V, P), scene.shapes.thickness[shape], scene.q[b]


@kernel
def _touch_point(scene, candidates, c, number, arm, r):
    """Contact `c` of a sphere, whose centre is `arm` off that of its body, and a solid."""
    k, _, rounding, q = _solid(scene, candidates, c, number)
    d = plus(apart(scene, candidates, c), 1.0, arm)  # seen from B
    h, n = from_core(scene.shapes.solids, k, turned_back(q, d))
    n = turned(q, n)
    candidates.length[c] = min(r, scene.shapes.solids.size[k, 1] + rounding)
    put_contact(candidates, c, h - r - rounding, n, plus(arm, -r, n), plus(d, rounding - h, n))


@geometry_kernel(images=True)
def measure_sphere_solid(first, last, candidates, section, scene):
    """Spheres and convex solids, cylinders and cones among them."""
    for c in range(first, last):
        _, _, number, _ = numbers(candidates, c)
        _touch_point(scene, candidates, c, number, CENTRE, scene.shapes.radius[candidates.a[c]])


@kernel
def _touch_axis(scene, candidates, c, axis, found, rounding):
    """Contact `c` of a capsule, `axis` its ends and radius, with a point of a solid.

    `found`: the coordinate on the axis, the point in the frame of the solid, the sign of the distance.
    """
    (e0, e1, r), (s, y, sign) = axis, found
    x, y = between(e0, e1, s), turned(scene.q[candidates.b[c]], y)
    d = plus(plus(apart(scene, candidates, c), 1.0, x), -1.0, y)
    distance = sign * math.sqrt(dot(d, d))
    n = d[0] / distance, d[1] / distance, d[2] / distance
    put_contact(candidates, c, distance - r - rounding, n, plus(x, -r, n), plus(y, rounding, n))


@kernel
def _measure_on_polytopes(first, last, candidates, scene):
    """Capsules and convex polytopes."""
    known, face, within, x0, x1 = (-1, -1, -1, -1), -1, False, CENTRE, CENTRE
    solids = scene.shapes.solids
    for c in range(first, last):
        note_image(scene, candidates, c)
        number_a, part, number_b, colour = numbers(candidates, c)
        a, b = candidates.a[c], candidates.b[c]
        e0, e1, r = segment(scene, a, number_a)
        if part == 0 or (part == 1 and e0 != e1):
            _touch_point(scene, candidates, c, number_b, e1 if part == 1 else e0, r)
            continue
        if e0 == e1:  # a ball
            put_nothing(candidates, c)
            continue
        k, (V, P), rounding, q = _solid(scene, candidates, c, number_b)
        candidates.length[c] = min(r, solids.size[k, 1] + rounding)
        if known != (a, b, number_a, number_b):  # those of a pair follow one another
            known, d = (a, b, number_a, number_b), apart(scene, candidates, c)
            x0, x1 = turned_back(q, plus(d, 1.0, e0)), turned_back(q, plus(d, 1.0, e1))
            face, within = face_beneath(solids, k, V, P, x0, x1)
        s, y, sign = -1.0, CENTRE, 1.0
        if within and colour == 0:
            s = 0.0 if height(P, face, x0) < height(P, face, x1) else 1.0
            x, sign = between(x0, x1, s), -1.0
            y = plus(x, -height(P, face, x), row(P, face))
        elif face >= 0 and not within:
            s, y, spare = crossing(solids, k, face, colour, V, row(P, face), (x0, x1), r + rounding)
            rounding -= SPARE * (r + rounding) if spare else 0.0
        if s >= 0.0:
            _touch_axis(scene, candidates, c, (e0, e1, r), (s, y, sign), rounding)
        else:
            put_nothing(candidates, c)


@geometry_kernel(images=True, features=((0, 0), (1, 0)))
def measure_capsule_solid(first, last, candidates, section, scene):
    """Capsules and convex polytopes: both ends, and the axis with an edge of every colour."""
    _measure_on_polytopes(first, last, candidates, scene)


@kernel
def _crosses(line, surface, n, feet, beside):
    """True if an axis crosses a line of a surface, as in capsule_geometry.py."""
    x, y = feet
    if not is_on_line(surface, n, (y, x), 0.0):
        return False
    ruling = ruling_of(surface, n)
    across, s, t = (
        cross(ruling, line.axis),
        dot(plus(x, -1.0, line.point), line.axis),
        dot(plus(y, -1.0, surface.point), ruling),
    )
    one, two = (s, line.high - s), (t - surface.low, surface.high - t)
    return farther_end(one, two, dot(ruling, line.axis)) * math.sqrt(dot(across, across)) > beside


@kernel
def _axis_to_revolved(scene, candidates, c, capsule, part):
    """Gap, normal, feet of an axis and a `part`: side, branches of circles, apex.

    capsule: number of the solid on its body, ends and radius of the capsule seen from B. The gap is that of
    the core of the solid and the capsule. It is infinite unless feet are within both.
    """
    solids, b, (number, e0, e1, r) = scene.shapes.solids, candidates.b[c], capsule
    k = scene.shapes.solid[scene.shapes.first[b] + number]
    side = (k, scene.q[b], CENTRE)
    axis = plus(e1, -1.0, e0)
    length = math.sqrt(dot(axis, axis))
    branches = 2 * (solids.face[k + 1] - solids.face[k])
    if length == 0.0 or part > branches + (1 if solids.kind[k] == CONE else 0):
        return math.inf, CENTRE, CENTRE, CENTRE
    axis = (axis[0] / length, axis[1] / length, axis[2] / length)
    line = Line(e0, axis, 0.0, r, 0.0, length, CENTRE)
    if part > branches:
        y = point_of(solids, side, solids.vertex[k + 1] - solids.vertex[k] - 1)
        gap, n, x = point_to_line(y, line)
        n = (-n[0], -n[1], -n[2])
    elif part > 0:
        gap, n, y, x = circle_to_line(circle_of(solids, side, (part - 1) // 2), line, (part - 1) % 2)
        n = (-n[0], -n[1], -n[2])
    else:
        surface = line_of(scene, b, side, 0)
        gap, n, x, y = line_to_line(line, surface)
        if gap < math.inf and not _crosses(line, surface, n, (x, y), BESIDE * min(r, solids.size[k, 2])):
            return math.inf, n, CENTRE, CENTRE
    if gap < math.inf and not 0.0 < dot(plus(x, -1.0, e0), axis) < length:
        return math.inf, n, CENTRE, CENTRE
    return gap, n, x, y


@geometry_kernel(images=True, features=((0, 0), (1, 0)))
def measure_capsule_convex(first, last, candidates, section, scene):
    """Capsules and convex solids: both ends, and the axis with their parts."""
    shapes = scene.shapes
    for c in range(first, last):
        note_image(scene, candidates, c)
        number_a, part, number, piece = numbers(candidates, c)
        a, b = candidates.a[c], candidates.b[c]
        shape = shapes.first[b] + number
        k, rounding = shapes.solid[shape], shapes.thickness[shape]
        if shapes.solids.kind[k] == POLYTOPE:
            _measure_on_polytopes(c, c + 1, candidates, scene)
            continue
        e0, e1, r = segment(scene, a, number_a)
        if part == 0 or (part == 1 and e0 != e1):
            _touch_point(scene, candidates, c, number, e1 if part == 1 else e0, r)
            continue
        if e0 == e1:
            put_nothing(candidates, c)
            continue
        d = apart(scene, candidates, c)
        candidates.length[c] = min(r, shapes.solids.size[k, 1] + rounding)
        capsule = number, plus(d, 1.0, e0), plus(d, 1.0, e1), r
        gap, n, x, y = _axis_to_revolved(scene, candidates, c, capsule, piece)
        put_contact(candidates, c, gap - rounding, n, plus(x, -1.0, d), plus(y, rounding, n))
