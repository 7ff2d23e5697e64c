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

The distance of a circle from a line, from the side of a cone, or from another circle has up to two minima.
They are found among samples, then by Newton's method.
"""

import math

from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import combined, cross, dot, mean, plus, row
from nsgalpha.jit.decorators import kernel

LEVEL = 1e-11  # sine of the tilt from which on there is a deepest point
STEEP = 1e-2  # from which on fixed points of the rim are no contacts
SAMPLES = 32  # of a circle, among which minima are sought
ASIDE = 1e-3  # cosine between radius and line from which on a point is of the second branch
FLAT = 1e-6  # squared radii: curvature of a squared distance along a circle that has no least
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
def _value_at(x, a, weights):
    """The function F of `least_on_circle`."""
    A, B, C, D = weights
    q = plus(x, -dot(x, a), a)
    square = dot(q, q)
    return 0.5 * A * dot(x, x) + 0.5 * B * square + C * math.sqrt(square) + D * dot(a, x)


@kernel
def _least_sample(circle, w, a, weights, split, branch):
    """Angle of the lowest sample below those beside it, on a branch if possible; or -1."""
    (R, axis, start), (along, aside) = circle, split
    v = cross(axis, start)
    best, place, right, before, here = math.inf, -1.0, False, 0.0, 0.0
    for k in range(-1, SAMPLES + 1):
        angle = 2.0 * math.pi * (k % SAMPLES) / SAMPLES
        u = combined(R * math.cos(angle), start, R * math.sin(angle), v, 0.0, v)
        after = _value_at(plus(w, 1.0, u), a, weights)
        if k > 0 and here <= before and here < after:
            at = 2.0 * math.pi * (k - 1) / SAMPLES
            u = combined(math.cos(at), start, math.sin(at), v, 0.0, v)
            is_right = (dot(u, along) > aside) == (branch == 1)
            if (is_right and not right) or (is_right == right and here < best):
                best, place, right = here, at, is_right
        before, here = here, after
    return place


@kernel
def least_on_circle(circle, w, a, weights, split, branch):
    """Unit vectors to and along a circle where a function is least, True if found.

    circle: radius R, unit axis, and a unit vector to a point. The function of x = w + R u is

        F = A |x|^2/2 + B |q|^2/2 + C |q| + D a . x,    q = x - (a . x) a,    weights A, B, C, D

    half the squared distance from a line (B), R times that from the side of a cone (C, D), or half the
    squared distance from another circle (A, C). w: the centre, seen from a point of the axis a. split: a
    vector and a number; on branch 1 the product of u and the vector is above the number.
    """
    (R, axis, start), (A, B, C, D) = circle, weights
    v = cross(axis, start)
    place = _least_sample(circle, w, a, weights, split, branch)
    if place < 0.0:
        return v, v, False
    for _ in range(ITERATIONS):
        u = combined(R * math.cos(place), start, R * math.sin(place), v, 0.0, v)
        t = combined(-R * math.sin(place), start, R * math.cos(place), v, 0.0, v)
        x = plus(w, 1.0, u)
        q = plus(x, -dot(x, a), a)
        curved = dot(t, t) - dot(t, a) ** 2 - dot(q, u)
        slope = A * dot(x, t) + B * dot(q, t) + D * dot(a, t)
        bend = A * (dot(t, t) - dot(x, u)) + B * curved - D * dot(a, u)
        if C != 0.0:
            rho = math.sqrt(dot(q, q))
            rate = dot(q, t) / rho
            slope += C * rate
            bend += C * (curved - rate * rate) / rho
        if bend <= FLAT * R * R:
            return v, v, False
        step = slope / bend
        place -= step
        if abs(step) < 1e-15:
            break
    u = combined(math.cos(place), start, math.sin(place), v, 0.0, v)
    return u, combined(-math.sin(place), start, math.cos(place), v, 0.0, v), True
