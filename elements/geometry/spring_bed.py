"""Two solids in contact as a bed of springs: the four contacts that stand for it.

The pressure in a point is proportional to the overlap there, along the normal (Johnson, Contact Mechanics
(1985), 4.3)

    n = S/|S|,   S = area vector of the faces of B in A less that of the faces of A in B, halved

In the plane across n, with the projected area w = n . N dA of these faces, negative for those of A,

    S = int w,    c = 1/S int w y,    M = 1/S int w (y - c)(y - c)^T     halves of both sums
    V = int w z = int d dS,    int d (y - c) dS = int w z (y - c)        of both, d the overlap along n

V is the common volume and V/S the mean overlap. Four contacts are in c + M^(1/2) (+-t +-u), each for a
fourth of the area, with the overlaps of the linear function of the same V and moments: sums over them are
those of the pressures, with their moments and the stiffness and damping against rocking, exactly where the
overlap is linear. M^(1/2) is the symmetric root, and t, u are across n and each other with the largest

    sum ((e . t)^4 + (e . u)^4)/r      over the axes e of both solids, of the sizes r

so that they go continuously with the faces and turn with the solids. A half-space has no faces and no axes:
its normal is given, and sums are over the faces and the axes of A alone, which may be any closed surface.

Energies are those of the whole bed: they go with

    int d^2 dS = int (fit of d)^2 + R_A + R_B,    R = int w z^2 - int (fit of z)^2

the fits linear over the common area, exactly if the faces of A or those of B lie in a plane; of edges that
cross it is 3/2 S (V/S)^2, which is the most of any concave d (Berwald, Acta Math. 79 (1947) 17). What is
stored behind a half-space is int w z^2/2 whatever the surface: its derivative is the volume.
"""

import math

from nsgalpha.jit.decorators import kernel
from nsgalpha.stepping.vector_triples import combined, cross, dot, plus

STEEP = 0.9  # part of an axis of A along the normal, from which on another axis tells t from u
THIN = 1e-13  # of det M over tr^2, below which the contact is a line


@kernel
def _fourth(size, frame, t, u):
    """Sum of (e . t + i e . u)^4 over the axes of a solid, by its size: real part, imaginary part."""
    real, imaginary = 0.0, 0.0
    for k in range(1, 4):
        p, q = dot(frame[k], t), dot(frame[k], u)
        a, b = p * p - q * q, 2.0 * p * q
        real += (a * a - b * b) / size
        imaginary += 2.0 * a * b / size
    return real, imaginary


@kernel
def frame_across(n, a, b, origin):
    """Frame (origin, t, u, n) of two solids (size, frame); the size of a half-space is infinite."""
    first, second = a[1][1], a[1][2]
    along = dot(n, first)
    t = plus(first, -along, n) if abs(along) < STEEP else cross(second, n)
    f = 1.0 / math.sqrt(dot(t, t))
    t = (f * t[0], f * t[1], f * t[2])
    u = cross(n, t)
    one, two = _fourth(a[0], a[1], t, u), _fourth(b[0], b[1], t, u)
    angle = 0.25 * math.atan2(one[1] + two[1], one[0] + two[0])
    c, s = math.cos(angle), math.sin(angle)
    return origin, combined(c, t, s, u, 0.0, n), combined(c, u, -s, t, 0.0, n), n


@kernel
def _left(total, area, square, det):
    """Mean square of what a linear function leaves of the heights of one side; `area` (S, u, v) is signed."""
    (S, u, v), (uu, uv, vv) = area, square
    z = total[6] / S
    zu, zv = total[7] / S - u * z, total[8] / S - v * z
    trace = uu + vv
    explained = 0.0
    if det > THIN * trace * trace:
        explained = (zu * (vv * zu - uv * zv) + zv * (uu * zv - uv * zu)) / det
    return max(total[9] / S - z * z - explained, 0.0)


@kernel
def bed_of(of_a, of_b, half_space, most, found):
    """Fill `found` (4, 4) with u, v, the overlap and the height of the middle of the four contacts.

    `of_a`, `of_b` (10,) are the moments of both sides. Returns the area, and the mean square of the overlaps
    over that of the four; no area if the mean overlap is `most` [m] or more, as in a body within another one.
    """
    share = 1.0 if half_space else 0.5
    S = share * (of_b[0] - of_a[0])
    if not most * S > abs(of_a[6] + of_b[6]):
        return 0.0, 1.0
    u, v = share * (of_b[1] - of_a[1]) / S, share * (of_b[2] - of_a[2]) / S
    uu = share * (of_b[3] - of_a[3]) / S - u * u
    uv = share * (of_b[4] - of_a[4]) / S - u * v
    vv = share * (of_b[5] - of_a[5]) / S - v * v
    uu, vv = max(uu, 0.0), max(vv, 0.0)
    depth = (of_a[6] + of_b[6]) / S
    height = 0.5 * (of_b[6] - of_a[6]) / S
    du, dv = (of_a[7] + of_b[7]) / S - u * depth, (of_a[8] + of_b[8]) / S - v * depth
    hu, hv = 0.5 * (of_b[7] - of_a[7]) / S - u * height, 0.5 * (of_b[8] - of_a[8]) / S - v * height
    trace, det = uu + vv, uu * vv - uv * uv
    gu = gv = mu = mv = 0.0
    if det > THIN * trace * trace:
        gu, gv = (vv * du - uv * dv) / det, (uu * dv - uv * du) / det
        mu, mv = (vv * hu - uv * hv) / det, (uu * hv - uv * hu) / det
    root = math.sqrt(max(det, 0.0))
    scale = 1.0 / math.sqrt(trace + 2.0 * root) if trace > 0.0 else 0.0
    a, b, e = scale * (uu + root), scale * uv, scale * (vv + root)
    for k in range(4):
        p, q = 1.0 - 2.0 * (k % 2), 1.0 - 2.0 * (k // 2)
        x, y = a * p + b * q, b * p + e * q
        found[k, 0], found[k, 1] = u + x, v + y
        found[k, 2] = depth + gu * x + gv * y
        found[k, 3] = height + mu * x + mv * y
    fit = depth * depth + du * gu + dv * gv
    if half_space:
        return S, max(-of_a[9] / S, 0.0) / fit
    left = _left(of_a, (-S, u, v), (uu, uv, vv), det) + _left(of_b, (S, u, v), (uu, uv, vv), det)
    return S, max(min(fit + left, 1.5 * depth * depth) / fit, 1.0)
