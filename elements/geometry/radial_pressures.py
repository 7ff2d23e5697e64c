"""Radial pressures over convex polygons, exactly.

Corners (M, 2) go counter-clockwise, the origin is the middle of the pressure p(r). With

    P(r) = int_0^r p s ds,    G(r) = -int_r^inf p s ds    (grad G = p x)

force and first moment are sums over the edges,

    F = sum int P dphi,    m = int x p dA = sum nu int G du,    dphi = D du/(D^2 + u^2),

u along the edge from the foot of the origin, D = p x t the distance of the edge, > 0 with the origin on its
left, nu = (t_y, -t_x) outward. The pressure, a row of `nsgalpha.forces.patch_contacts.Pressure`, has four
parts:

    Hertz       k sqrt(a^2 - r^2)                                         r < a
    uniform     q                                                         r < a
    Dugdale     -(2 s_0/pi) atan(b/y), b^2 = c^2 - a^2, y^2 = a^2 - r^2   r < a,     -s_0    a < r < c
    linear      -t (r^2 - a^2)                                            a < r < e

Hertz's part is, with s = sqrt(w^2 - u^2), w^2 = a^2 - D^2, within the circle

    int P dphi = (k/3) [a^3 phi - (a^3 atan2(a u, D s) - D a^2 asin(u/w) - (D/2) (u s + w^2 asin(u/w)))]
    int G du   = -(k/3) [u s^3/4 + (3 w^2/8) (u s + w^2 asin(u/w))]

and Dugdale's has P = (s_0/pi) [psi(y) - psi(a)], psi = y^2 atan(b/y) + b y - b^2 atan(y/b), which Gauss's
rule in u = w sin(chi) integrates to 1e-12, since it is analytic in chi. The quadrature that is printed, a fan
of triangles with 16 points each (D. A. Dunavant, Int. J. Numer. Meth. Eng. 21 (1985) 1129, degree 8), is
there for comparison.
"""

import math

import numpy as np

from elements.geometry.planar_polygons import circle_part, moments
from nsgalpha.jit.decorators import kernel

GAUSS_X, GAUSS_W = np.polynomial.legendre.leggauss(16)
#: Barycentric points (16, 3) and weights (16,) of Dunavant's rule of degree 8.
_ORBITS = (
    (0.095091634267285, 0.081414823414554),
    (0.103217370534718, 0.658861384496480),
    (0.032458497623198, 0.898905543365938),
)
_SIX, _P, _Q = 0.027230314174435, 0.008394777409958, 0.263112829634638
_R = 1.0 - _P - _Q
FAN = np.array(
    [(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0)]
    + [x for _, a in _ORBITS for b in [0.5 * (1.0 - a)] for x in ((a, b, b), (b, a, b), (b, b, a))]
    + [(_P, _Q, _R), (_P, _R, _Q), (_Q, _P, _R), (_Q, _R, _P), (_R, _P, _Q), (_R, _Q, _P)]
)
FAN_W = np.array([0.144315607677787] + [w for w, _ in _ORBITS for _ in range(3)] + [_SIX] * 6)


@kernel
def _psi(y, b):
    return y * y * math.atan2(b, y) + b * y - b * b * math.atan2(y, b)


@kernel
def _arc(u, w):
    return math.asin(min(1.0, max(-1.0, u / w))) if w > 0.0 else 0.0


@kernel
def _hertz(D, a, w, u):
    """The terms of Hertz's part at one end of a piece within the circle, over k/3."""
    s, arc = math.sqrt(max((w - u) * (w + u), 0.0)), _arc(u, w)
    f = 0.0
    if D != 0.0:  # the branch of atan2 that is continuous through u = 0
        f = math.copysign(a * a * a, D) * math.atan2(a * u, abs(D) * s)
    f -= D * a * a * arc + 0.5 * D * (u * s + w * w * arc)
    return f, 0.25 * u * s * s * s + 0.375 * w * w * (u * s + w * w * arc)


@kernel
def _inner(D, u, v, row):
    """Integrals of P dphi and G du over a piece u to v of an edge, within the circle of radius a."""
    a, k, q, c, s0, e, t = row[0], row[1], row[2], row[3], row[4], row[5], row[6]
    phi = math.atan2(D * (v - u), D * D + u * v) if D != 0.0 else 0.0
    du, cubes = v - u, (v * v * v - u * u * u) / 3.0
    w = math.sqrt(max((a - D) * (a + D), 0.0))
    f0, g0 = _hertz(D, a, w, u)
    f1, g1 = _hertz(D, a, w, v)
    f, g = k / 3.0 * (a * a * a * phi - (f1 - f0)), -k / 3.0 * (g1 - g0)
    f, g = f + 0.5 * q * D * du, g + 0.5 * q * ((D * D - a * a) * du + cubes)
    if t > 0.0 and e > a:
        g += 0.25 * t * (e * e - a * a) ** 2 * du
    if s0 == 0.0:
        return f, g
    b = math.sqrt(max((c - a) * (c + a), 0.0))
    whole, edge = s0 / math.pi * _psi(a, b), s0 / math.pi * _psi(0.0, b)
    first, last = _arc(u, w), _arc(v, w)
    middle, half = 0.5 * (first + last), 0.5 * (last - first)
    for i in range(GAUSS_X.shape[0]):
        chi = middle + half * GAUSS_X[i]
        x, y = w * math.sin(chi), w * math.cos(chi)
        value, weight = s0 / math.pi * _psi(y, b), half * GAUSS_W[i] * y
        if D != 0.0:
            f += weight * (value - whole) * D / (D * D + x * x)
        g += weight * (0.5 * s0 * b * b + value - edge)
    return f, g


@kernel
def _ring(D, u, v, row):
    """The same of a piece in the ring outside of it."""
    a, k, q, c, s0, e, t = row[0], row[1], row[2], row[3], row[4], row[5], row[6]
    phi = math.atan2(D * (v - u), D * D + u * v) if D != 0.0 else 0.0
    du, cubes = v - u, (v * v * v - u * u * u) / 3.0
    f, g = (k * a * a * a / 3.0 + 0.5 * q * a * a) * phi, 0.0
    if s0 != 0.0:
        b = math.sqrt(max((c - a) * (c + a), 0.0))
        at = s0 / math.pi * (_psi(0.0, b) - _psi(a, b))
        f += (at + 0.5 * s0 * a * a) * phi - 0.5 * s0 * D * du
        g += 0.5 * s0 * ((c * c - D * D) * du - cubes)
    if t > 0.0:
        low, fifths = D * D - a * a, (v**5 - u**5) / 5.0
        f -= 0.25 * t * (D * (D * D * du + cubes) - 2.0 * a * a * D * du + a**4 * phi)
        g += 0.25 * t * ((e * e - a * a) ** 2 * du - (low * low * du + 2.0 * low * cubes + fifths))
    return f, g


@kernel
def _outside(row):
    """P beyond all circles: the force of the whole over 2 pi."""
    a, k, q, c, s0, e, t = row[0], row[1], row[2], row[3], row[4], row[5], row[6]
    total = k * a * a * a / 3.0 + 0.5 * q * a * a
    if s0 != 0.0:
        b = math.sqrt(max((c - a) * (c + a), 0.0))
        total += s0 / math.pi * (_psi(0.0, b) - _psi(a, b)) - 0.5 * s0 * b * b
    if t > 0.0 and e > a:
        total -= 0.25 * t * (e * e - a * a) ** 2
    return total


@kernel
def _within(x, low, high):
    return min(max(x, low), high)


@kernel
def _exact(polygon, count, row, outer):
    """Force and first moment, edge by edge."""
    a = row[0]
    f, mx, my, beyond = 0.0, 0.0, 0.0, _outside(row)
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        px, py = polygon[i, 0], polygon[i, 1]
        dx, dy = polygon[j, 0] - px, polygon[j, 1] - py
        length = math.sqrt(dx * dx + dy * dy)
        if length == 0.0:
            continue
        tx, ty = dx / length, dy / length
        D, u0 = px * ty - py * tx, px * tx + py * ty
        u1 = polygon[j, 0] * tx + polygon[j, 1] * ty
        wide = math.sqrt((outer - D) * (outer + D)) if abs(D) < outer else 0.0
        w = math.sqrt((a - D) * (a + D)) if abs(D) < a else 0.0
        start, into = _within(-wide, u0, u1), _within(-w, u0, u1)
        out, end = _within(w, u0, u1), _within(wide, u0, u1)
        g = 0.0
        if D != 0.0:
            f += beyond * math.atan2(D * (start - u0), D * D + u0 * start)
            f += beyond * math.atan2(D * (u1 - end), D * D + u1 * end)
        if into > start:
            one, two = _ring(D, start, into, row)
            f, g = f + one, g + two
        if out > into:
            one, two = _inner(D, into, out, row)
            f, g = f + one, g + two
        if end > out:
            one, two = _ring(D, out, end, row)
            f, g = f + one, g + two
        mx, my = mx + ty * g, my - tx * g
    return f, mx, my


@kernel
def _pressure(r, row):
    """The pressure at the radius `r`."""
    a, k, q, c, s0, e, t = row[0], row[1], row[2], row[3], row[4], row[5], row[6]
    if r < a:
        y = math.sqrt((a - r) * (a + r))
        b = math.sqrt(max((c - a) * (c + a), 0.0))
        return k * y + q - (2.0 * s0 / math.pi * math.atan2(b, y) if s0 != 0.0 else 0.0)
    pull = s0 if r <= c else 0.0
    return -pull - (t * (r * r - a * a) if r < e else 0.0)


@kernel
def _printed(polygon, count, row, part):
    """Force and first moment by 16 points in each triangle of a fan; of small circles by their `part`."""
    a = row[0] if row[7] == 0.0 else row[7]
    area, _, _, _ = moments(polygon, count, 1.0, 0.0, 0.0)
    if 0.1 * (count - 2) * 16.0 * math.pi * a * a < area:
        f = 2.0 * math.pi * _outside(row) * part[0]
        return f, f * part[1], f * part[2]
    f, mx, my = 0.0, 0.0, 0.0
    ox, oy = polygon[0, 0], polygon[0, 1]
    for i in range(1, count - 1):
        ex, ey = polygon[i, 0] - ox, polygon[i, 1] - oy
        gx, gy = polygon[i + 1, 0] - ox, polygon[i + 1, 1] - oy
        T = 0.5 * (ex * gy - ey * gx)
        for n in range(FAN_W.shape[0]):
            x = ox + FAN[n, 1] * ex + FAN[n, 2] * gx
            y = oy + FAN[n, 1] * ey + FAN[n, 2] * gy
            p = FAN_W[n] * T * _pressure(math.sqrt(x * x + y * y), row)
            f, mx, my = f + p, mx + p * x, my + p * y
    return f, mx, my


@kernel
def integrate_pressures(polygon, count, pressure, printed, out):
    """`out` (C, 4): force, its first moments (2), part of the outer circle that lies in the polygon.

    `polygon` (C, M, 2) with `count` (C,) corners, rows of `pressure` (C, 8): a, k, q, c, s_0, e, t, and the
    radius in the criterion of the printed quadrature, 0 for a.
    """
    for i in range(count.shape[0]):
        row = pressure[i]
        outer = max(row[0], row[3], row[5])
        for j in range(4):
            out[i, j] = 0.0
        if count[i] < 3 or outer == 0.0:
            continue
        part = circle_part(polygon[i], count[i], outer)
        out[i, 3] = part[0]
        if printed:
            out[i, 0], out[i, 1], out[i, 2] = _printed(polygon[i], count[i], row, part)
        else:
            out[i, 0], out[i, 1], out[i, 2] = _exact(polygon[i], count[i], row, outer)
