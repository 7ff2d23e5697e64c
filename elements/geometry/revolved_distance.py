"""Distance of a point from solids of revolution: cylinders and cones, with the gradient.

In the plane of the axis and the point, rho off the axis, a solid is a convex polygon. A cylinder of the
radius R and half length l has the sides rho = R and z = +-l; z is counted from its middle. A cone of the
height H over its base at z = 0 has the sides z = 0 and

    s = (H (rho - R) + R z) / S,   S^2 = H^2 + R^2,   t = (H z - R (rho - R)) / S

the height of the point over its slant and the foot on it, 0 at the rim, S at the apex.
"""

import math

from elements.geometry.polytope_distance import from_polytope
from nsgalpha.arrays import CYLINDER, POLYTOPE
from nsgalpha.geometry.vector_triples import combined, dot, mean, plus, row
from nsgalpha.jit.decorators import kernel


@kernel
def of_cylinder(rho, z, R, half):
    """Signed distance of a point from a cylinder; its gradient along rho and z."""
    side = 1.0 if z >= 0.0 else -1.0
    dr, dz = rho - R, abs(z) - half
    if dr <= 0.0 or dz <= 0.0:
        return (dr, 1.0, 0.0) if dr > dz else (dz, 0.0, side)
    size = math.sqrt(dr * dr + dz * dz)
    return size, dr / size, side * dz / size


@kernel
def _of_cone(rho, z, R, H):
    """Signed distance of a point from a cone; its gradient along rho and z."""
    S = math.sqrt(H * H + R * R)
    s, t = (H * (rho - R) + R * z) / S, (H * z - R * (rho - R)) / S
    if s <= 0.0 and z >= 0.0:
        return (s, H / S, R / S) if s > -z else (-z, 0.0, -1.0)
    if z < 0.0 and rho <= R:
        return -z, 0.0, -1.0
    if 0.0 < t < S:
        return s, H / S, R / S
    dr, dz = (rho - R, z) if t <= 0.0 else (rho, z - H)
    size = math.sqrt(dr * dr + dz * dz)
    return size, dr / size, dz / size


@kernel
def from_revolved(solids, k, x):
    """Signed distance of `x` from the cylinder or cone `k`, and its gradient.

    All are in the frame of the body.
    """
    first, face = solids.vertex[k], solids.face[k]
    rim = solids.corner[face + 1] - solids.corner[face]
    base = mean(row(solids.vertices, first), row(solids.vertices, first + rim // 2))
    n = row(solids.planes, face)
    last = row(solids.vertices, solids.vertex[k + 1] - 1)
    high = abs(dot(n, plus(last, -1.0, base)))
    is_cylinder = solids.kind[k] == CYLINDER
    if is_cylinder:
        axis, origin = n, plus(base, -0.5 * high, n)
    else:
        axis, origin = (-n[0], -n[1], -n[2]), base
    d = plus(x, -1.0, origin)
    z = dot(d, axis)
    radial = plus(d, -z, axis)
    rho = math.sqrt(dot(radial, radial))
    if rho > 0.0:
        out = (radial[0] / rho, radial[1] / rho, radial[2] / rho)
    else:
        out = plus(row(solids.vertices, first), -1.0, base)
        size = math.sqrt(dot(out, out))
        out = (out[0] / size, out[1] / size, out[2] / size)
    R = solids.size[k, 2]
    if is_cylinder:
        h, along, up = of_cylinder(rho, z, R, 0.5 * high)
    else:
        h, along, up = _of_cone(rho, z, R, high)
    return h, combined(along, out, up, axis, 0.0, out)


@kernel
def from_core(solids, k, x):
    """Signed distance of `x` from the polytope, cylinder or cone `k`, and its gradient, as above."""
    if solids.kind[k] != POLYTOPE:
        return from_revolved(solids, k, x)
    V = solids.vertices[solids.vertex[k] : solids.vertex[k + 1]]
    return from_polytope(solids, k, V, solids.planes[solids.face[k] : solids.face[k + 1]], x)
