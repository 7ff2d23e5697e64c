"""Circles of the ends of cylinders and cones, seen by planes.

With the centre c, the outward axis a, the radius R, and the normal n of the plane the deepest point is

    c + R u,    u = -(n - (n . a) a)/s,    s = |n x a|

Its height is n . c - R s. The gradient is that of the point of the body which is there, as u is where the
height is least. The point goes around the rim as that of a sphere goes over the sphere. It is a contact of a
circle that is tilted, s > LEVEL.

In a level circle the height has no gradient. Contacts are points of the rim that are fixed in the body. They
hold it within their polygon, whose lever is cos(pi/32) = 0.995 of the radius between two of 32. They go
on while the circle tilts by up to STEEP. Above they would strike the plane one after another as the circle
rolls on its rim: they touch where the deepest point is, with the rounding of its gap.
"""

import math

from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import cross, dot, mean, plus, row
from nsgalpha.jit.decorators import kernel

LEVEL = 1e-11  # sine of the tilt from which on there is a deepest point
STEEP = 1e-2  # from which on fixed points of the rim are no contacts


@kernel
def deepest_point(solids, k, circle, q, n):
    """The deepest point of a circle, off the centre of its body, and the sine of its tilt.

    Of a level circle it is a fixed one.
    """
    face = solids.face[k] + circle
    first, many = solids.corner[face], solids.corner[face + 1] - solids.corner[face]
    start = row(solids.vertices, solids.vertex[k] + solids.corners[first])
    opposite = row(solids.vertices, solids.vertex[k] + solids.corners[first + many // 2])
    axis = turned(q, row(solids.planes, face))
    across = cross(n, axis)
    sine = math.sqrt(dot(across, across))
    if sine <= LEVEL:
        return turned(q, start), sine
    down = cross(across, axis)
    return plus(turned(q, mean(start, opposite)), solids.size[k, 2] / math.sqrt(dot(down, down)), down), sine
