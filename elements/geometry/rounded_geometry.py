"""Contact of rounded triangles with one another, with spheres, flat polygons and cylinders.

A rounded triangle is a piece of the sphere (centre c, signed radius R) that encompasses it: convex R > 0,
concave R < 0, flat R = inf. The centre is x - s N, behind the triangle by s, with the foot x on it; with q =
R^2 - s^2,

    sign = sgn(R_A + R_B),  n = sign (c_A - c_B)/D,  d = R_A + R_B - sign D,  D = |c_A - c_B|,
    Rhat = R_A R_B/(R_A + R_B) > 0,    point of contact c_A + (d/2 - R_A) n,

where, without loss of digits for a large R_B, |R_B| - D = (q - w^2 - 2 s N . w)/(|R_B| + D), w = c_A - x_B;
flat ones have n = N, d = R_A - N . w. The circle in which the spheres meet has

    a^2 = d (2 R_A - d) (2 R_B - d) (2 R_A + 2 R_B - d)/(4 (R_A + R_B - d)^2).

A triangle counts only where it faces the other side, N_A . n < 0, N_B . n > 0. The patch is the common part
of both polygons, projected along n; of spheres and cylinders the triangle alone. At its point that is nearest
to the point of contact, at rho, the local overlap is d - sum (R - sgn(R) sqrt(R^2 - rho^2)). A cylinder is
the sphere at the point of its axis that is nearest to the centre of the triangle, of a flat one to its foot.

Source: B. Smeets et al., Comput. Methods Appl. Mech. Engrg. 277 (2014) 219; documentation of mpacts.
"""

import math

from elements.geometry.flat_polygons import axes
from elements.geometry.planar_polygons import common, moments
from nsgalpha.jit.decorators import kernel
from nsgalpha.stepping.vector_triples import cross, dot, plus, row, store

ROUND, FITTED, GIVEN, FLAT = 0.0, 1.0, 2.0, 3.0  # kinds of a side: sphere or cylinder, and polygons
EDGE_ON = 1e-10  # cosine of the angle between normals, below which a triangle has no patch


@kernel
def _side(X, many, radius, form, towards):
    """Foot, normal, s, q and signed radius of a side; segments by their point nearest to `towards`."""
    x = row(X, 0)
    if many == 1:
        return x, (0.0, 0.0, 0.0), 0.0, radius * radius, radius, 0.0
    e = plus(row(X, 1), -1.0, x)
    if many == 2:
        f = min(1.0, max(0.0, dot(e, plus(towards, -1.0, x)) / dot(e, e)))
        return plus(x, f, e), (0.0, 0.0, 0.0), 0.0, radius * radius, radius, f
    g = plus(row(X, 2), -1.0, x)
    N = cross(e, g)
    square = dot(N, N)
    size = math.sqrt(square)
    unit = (N[0] / size, N[1] / size, N[2] / size)
    if form[0] == FLAT:
        return plus(plus(x, 1.0 / 3.0, e), 1.0 / 3.0, g), unit, math.inf, 0.0, math.inf, 0.0
    s = form[1]
    if form[0] == GIVEN:
        foot = plus(plus(x, form[4], e), form[5], g)
        return foot, unit, s, form[2] * form[2] - s * s, form[2], 0.0
    ee, gg = dot(e, e), dot(g, g)
    one, two = cross(N, e), cross(g, N)
    half = 0.5 / square
    arm = (
        half * (gg * one[0] + ee * two[0]),
        half * (gg * one[1] + ee * two[1]),
        half * (gg * one[2] + ee * two[2]),
    )
    q = dot(arm, arm)
    return plus(x, 1.0, arm), unit, s, q, math.copysign(math.sqrt(q + s * s), s), 0.0


@kernel
def _centre(side):
    """Centre of the sphere of a side; the foot of a flat one."""
    return side[0] if math.isinf(side[4]) else plus(side[0], -side[2], side[1])


@kernel
def _meet(large, y, small):
    """Overlap, normal from the large to the small sphere (centre y, radius `small`), effective radius, a."""
    x, N, s, q, R, _ = large
    w = plus(y, -1.0, x)
    h = dot(N, w)
    if math.isinf(R):
        d = small - h
        a2 = small * small if d > small else d * (2.0 * small - d)
        return d, N, small, math.sqrt(max(a2, 0.0)) if small > 0.0 and d > 0.0 else 0.0
    total = R + small
    if total == 0.0:
        return -math.inf, (0.0, 0.0, 1.0), 0.0, 0.0
    sign = 1.0 if total > 0.0 else -1.0
    v = plus(w, s, N)
    D = math.sqrt(dot(v, v))
    n = (sign * v[0] / D, sign * v[1] / D, sign * v[2] / D) if D > 0.0 else (0.0, 0.0, 1.0)
    d = small + sign * (q - dot(w, w) - 2.0 * s * h) / (abs(R) + D)
    effective = small / (1.0 + small / R)
    if effective <= 0.0 or d <= 0.0:
        return d, n, effective, 0.0
    r = abs(small)
    if sign * (sign * (small - d) * (D + abs(R)) + r * r) <= 0.0:
        return d, n, effective, r
    a2 = d * (2.0 * R - d) * (2.0 * small - d) * (2.0 * total - d) / (4.0 * (total - d) ** 2)
    return d, n, effective, math.sqrt(max(a2, 0.0))


@kernel
def _sagitta(R, rho):
    """Depth of a sphere below its top at the distance `rho`; inf beyond it."""
    if math.isinf(R):
        return 0.0
    if rho >= abs(R):
        return math.inf
    return rho * rho / (R + math.copysign(math.sqrt((abs(R) - rho) * (abs(R) + rho)), R))


@kernel
def _nearest(polygon, count):
    """Point of a polygon that is nearest to the origin."""
    least, at_x, at_y, inside = math.inf, 0.0, 0.0, True
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        x, y = polygon[k, 0], polygon[k, 1]
        dx, dy = polygon[m, 0] - x, polygon[m, 1] - y
        square = dx * dx + dy * dy
        f = min(1.0, max(0.0, -(x * dx + y * dy) / square)) if square > 0.0 else 0.0
        px, py = x + f * dx, y + f * dy
        if px * px + py * py < least:
            least, at_x, at_y = px * px + py * py, px, py
        inside = inside and x * dy - y * dx >= 0.0
    return (0.0, 0.0) if inside else (at_x, at_y)


@kernel
def _project(X, many, origin, t1, t2, back, out):
    """`out`: the corners in the plane, in reverse order if they are seen from behind."""
    for k in range(many):
        m = many - 1 - k if back else k
        d = plus(row(X, k), -1.0, origin)
        out[m, 0], out[m, 1] = dot(d, t1), dot(d, t2)


@kernel
def measure_rounded(A, B, patch):
    """Fill the `Patches` of contacts of the `RoundedSide`s A and B (nsgalpha/forces/patch_contacts.py)."""
    room = patch.room
    for c in range(patch.corners.shape[0]):
        many_a, many_b = A.many[c], B.many[c]
        origin = row(A.X[c], 0)
        side_b = _side(B.X[c], many_b, B.radius[c], B.form[c], origin)
        side_a = _side(A.X[c], many_a, A.radius[c], A.form[c], _centre(side_b))
        if many_b == 2:
            side_b = _side(B.X[c], many_b, B.radius[c], B.form[c], _centre(side_a))
        RA, RB = side_a[4], side_b[4]
        a_is_large = abs(RA) > abs(RB)
        patch.corners[c], patch.local[c] = 0, -math.inf
        patch.share[c, 0], patch.share[c, 1] = side_a[5], side_b[5]
        if math.isinf(RA) and math.isinf(RB):
            patch.overlap[c], patch.radius[c], patch.circle[c] = -math.inf, 0.0, 0.0
            store(side_b[1], patch.normal, c, 0)
            store(side_a[0], patch.point, c, 0)
            continue
        small = RB if a_is_large else RA
        y = _centre(side_b if a_is_large else side_a)
        d, n, effective, circle = _meet(side_a if a_is_large else side_b, y, small)
        point = plus(y, 0.5 * d - small if d > -math.inf else 0.0, n)
        if a_is_large:
            n = (-n[0], -n[1], -n[2])
        patch.overlap[c], patch.radius[c], patch.circle[c] = d, effective, circle
        store(n, patch.normal, c, 0)
        store(point, patch.point, c, 0)
        t1, t2 = axes(n)
        store(t1, patch.t1, c, 0)
        store(t2, patch.t2, c, 0)
        if effective <= 0.0 or (many_a > 2 and dot(side_a[1], n) >= -EDGE_ON):
            continue
        if many_b > 2 and dot(side_b[1], n) <= EDGE_ON:
            continue
        polygon = patch.polygon[c]
        if many_a > 2 and many_b > 2:
            _project(A.X[c], many_a, point, t1, t2, True, room[0])
            _project(B.X[c], many_b, point, t1, t2, False, room[1])
            count = common(room[0], many_a, room[1], many_b, polygon, room[2])
        elif many_a > 2:
            _project(A.X[c], many_a, point, t1, t2, True, polygon)
            count = many_a
        else:
            _project(B.X[c], many_b, point, t1, t2, False, polygon)
            count = many_b
        area, _, mx, my = moments(polygon, count, 1.0, 0.0, 0.0)
        if not area > 0.0:
            continue
        u, v = _nearest(polygon, count)
        patch.nearest[c, 0], patch.nearest[c, 1] = u, v
        rho = math.sqrt(u * u + v * v)
        patch.corners[c], patch.area[c] = count, area
        patch.centroid[c, 0], patch.centroid[c, 1] = mx / area, my / area
        patch.local[c] = d - _sagitta(RA, rho) - _sagitta(RB, rho)
