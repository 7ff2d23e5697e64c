"""Circles of the ends of cylinders and cones, seen by planes and lines.

With the centre c, the outward axis a, the radius R, and the normal n of the plane the deepest point is

    c + R u,    u = -(n - (n . a) a)/s,    s = |n x a|

Its height is n . c - R s. The gradient is that of the point of the body which is there, as u is where the
height is least. The point goes around the rim as that of a sphere goes over the sphere. It is a contact of a
circle that is tilted, s > LEVEL.

In a level circle the height has no gradient. Contacts are points of the rim that are fixed in the body. They
hold it within their polygon, whose lever is cos(pi/32) = 0.995 of the radius between two of 32. They
count while the circle tilts by up to STEEP. Beyond it a circle that rolls on its rim would strike the plane
with one after another. They touch where the deepest point is, with the rounding of its gap.

The distance of a circle and a line has up to two minima that count, one to each side along the line. They are
found among samples, then by Newton's method.
"""

import math

from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import combined, cross, dot, mean, plus, row
from nsgalpha.jit.decorators import kernel

LEVEL = 1e-11  # sine of the tilt from which on there is a deepest point
STEEP = 1e-2  # from which on fixed points of the rim are no contacts
SAMPLES = 32  # of a circle, among which minima are sought
ASIDE = 1e-3  # cosine between radius and line from which on a point is of the second branch
OTHER = 1e6  # squared radii that put the other branch behind
ITERATIONS = 30


@kernel
def deepest_of(c, a, R, n):
    """Deepest point of a circle over a plane, and the sine of its tilt."""
    across = cross(n, a)
    down = cross(across, a)
    size = math.sqrt(dot(down, down))
    if size <= LEVEL:
        return c, size
    return plus(c, R / size, down), size


@kernel
def deepest_point(solids, k, circle, q, n):
    """Deepest point of a circle off its body's centre, and the sine of the tilt.

    Of a level circle it is a fixed one.
    """
    face = solids.face[k] + circle
    first, many = solids.corner[face], solids.corner[face + 1] - solids.corner[face]
    start = row(solids.vertices, solids.vertex[k] + solids.corners[first])
    opposite = row(solids.vertices, solids.vertex[k] + solids.corners[first + many // 2])
    axis = turned(q, row(solids.planes, face))
    point, sine = deepest_of(turned(q, mean(start, opposite)), axis, solids.size[k, 2], n)
    return (turned(q, start) if sine <= LEVEL else point), sine


@kernel
def nearest_to_line(c, a, R, start, e0, edge, branch):
    """Point of a circle nearest to the line `e0 + t edge`, its tangent, True if found.

    On a branch, if there are two: to one or the other side along the line.
    start: unit, from the centre to a point of the rim. edge: unit.
    """
    v = cross(a, start)
    w = plus(c, -1.0, e0)
    best, place = math.inf, -1.0
    before, here = 0.0, 0.0
    for k in range(-1, SAMPLES + 1):
        angle = 2.0 * math.pi * (k % SAMPLES) / SAMPLES
        u = combined(R * math.cos(angle), start, R * math.sin(angle), v, 0.0, v)
        p = plus(w, 1.0, u)
        p = plus(p, -dot(p, edge), edge)
        after = dot(p, p)
        if k > 0 and here <= before and here < after:
            at = 2.0 * math.pi * (k - 1) / SAMPLES
            u = combined(math.cos(at), start, math.sin(at), v, 0.0, v)
            other = 0.0 if (dot(u, edge) > ASIDE) == (branch == 1) else OTHER * R * R
            if here + other < best:
                best, place = here + other, at
        before, here = here, after
    if place < 0.0:
        return c, v, False
    for _ in range(ITERATIONS):
        u = combined(R * math.cos(place), start, R * math.sin(place), v, 0.0, v)
        t = combined(-R * math.sin(place), start, R * math.cos(place), v, 0.0, v)
        p = plus(w, 1.0, u)
        p = plus(p, -dot(p, edge), edge)
        slope, bend = dot(p, t), dot(t, t) - dot(t, edge) ** 2 - dot(p, u)
        if bend <= 1e-6 * R * R:
            return c, v, False
        step = slope / bend
        place -= step
        if abs(step) < 1e-15:
            break
    u = combined(math.cos(place), start, math.sin(place), v, 0.0, v)
    t = combined(-math.sin(place), start, math.cos(place), v, 0.0, v)
    return plus(c, R, u), t, True
