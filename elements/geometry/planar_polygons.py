"""Convex polygons in a plane: clipping, areas, moments, and exact areas of circles in polygons.

A polygon is an array (M, 2) of which the first `count` rows are the corners, counter-clockwise. Parts are cut
off one edge at a time (Sutherland and Hodgman 1974, for convex polygons). Moments are sums over a fan of
triangles T; for linear f

    int_T f = |T| (f_0 + f_1 + f_2)/3,    int_T f x = |T|/12 (sum f sum x + sum f_i x_i)

Area and moments of the circle of radius a around the origin, in the polygon, are sums over its edges of

    triangle 0, p, q:         p x q / 2,                 p x q (p + q)/6
    sector from p to q:       a^2 phi / 2,               a^3/3 (sin phi_q - sin phi_p, cos phi_p - cos phi_q)

with the triangle for the piece of an edge within the circle, sectors for those outside. These sums need no
convexity, and all are additive over polygons that are cut in parts.
"""

import math

from nsgalpha.jit.decorators import kernel


@kernel
def below(polygon, count, nx, ny, d, out):
    """`out`: the part of `polygon` with nx x + ny y <= d; returns its number of corners, 0 if it is empty."""
    kept = 0
    if count == 0:
        return 0
    px, py = polygon[count - 1, 0], polygon[count - 1, 1]
    p = nx * px + ny * py - d
    for k in range(count):
        qx, qy = polygon[k, 0], polygon[k, 1]
        q = nx * qx + ny * qy - d
        if (p < 0.0 and q > 0.0) or (p > 0.0 and q < 0.0):
            f = p / (p - q)
            out[kept, 0], out[kept, 1] = px + f * (qx - px), py + f * (qy - py)
            kept += 1
        if q <= 0.0:
            out[kept, 0], out[kept, 1] = qx, qy
            kept += 1
        px, py, p = qx, qy, q
    return kept if kept > 2 else 0


@kernel
def common(polygon, count, other, others, one, two):
    """`one`: the intersection of the polygons `polygon` and `other`, by way of `two`; returns its corners.

    `one` and `two` have workspace for `count` + `others` corners.
    """
    for k in range(count):
        one[k, 0], one[k, 1] = polygon[k, 0], polygon[k, 1]
    for k in range(others):
        m = k + 1 if k + 1 < others else 0
        nx, ny = other[m, 1] - other[k, 1], other[k, 0] - other[m, 0]
        count = below(one, count, nx, ny, nx * other[k, 0] + ny * other[k, 1], two)
        for i in range(count):
            one[i, 0], one[i, 1] = two[i, 0], two[i, 1]
    return count


@kernel
def moments(polygon, count, f, fx, fy):
    """Area of a polygon, and the integrals of F, F x, F y over it, with F = f + fx x + fy y."""
    area, total, mx, my = 0.0, 0.0, 0.0, 0.0
    if count < 3:
        return area, total, mx, my
    x0, y0 = polygon[0, 0], polygon[0, 1]
    f0 = f + fx * x0 + fy * y0
    for k in range(1, count - 1):
        x1, y1, x2, y2 = polygon[k, 0], polygon[k, 1], polygon[k + 1, 0], polygon[k + 1, 1]
        f1, f2 = f + fx * x1 + fy * y1, f + fx * x2 + fy * y2
        T = 0.5 * ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
        area += T
        total += T * (f0 + f1 + f2) / 3.0
        mx += T / 12.0 * ((f0 + f1 + f2) * (x0 + x1 + x2) + f0 * x0 + f1 * x1 + f2 * x2)
        my += T / 12.0 * ((f0 + f1 + f2) * (y0 + y1 + y2) + f0 * y0 + f1 * y1 + f2 * y2)
    return area, total, mx, my


@kernel
def inscribed(polygon, count):
    """Distance of the origin from the nearest edge of a polygon, < 0 outside."""
    nearest = math.inf if count > 2 else -math.inf
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        dx, dy = polygon[m, 0] - polygon[k, 0], polygon[m, 1] - polygon[k, 1]
        length = math.sqrt(dx * dx + dy * dy)
        if length > 0.0:
            nearest = min(nearest, (polygon[k, 0] * dy - polygon[k, 1] * dx) / length)
    return nearest


@kernel
def _sector(px, py, qx, qy, a):
    """Signed area and moments of the sector from the direction of p to that of q."""
    p, q = math.sqrt(px * px + py * py), math.sqrt(qx * qx + qy * qy)
    if p == 0.0 or q == 0.0:
        return 0.0, 0.0, 0.0
    angle = math.atan2(px * qy - py * qx, px * qx + py * qy)
    third = a * a * a / 3.0
    return 0.5 * a * a * angle, third * (qy / q - py / p), third * (px / p - qx / q)


@kernel
def _edge(px, py, qx, qy, a):
    """Signed area and moments of the part of the circle in the triangle 0, p, q."""
    dx, dy = qx - px, qy - py
    square = dx * dx + dy * dy
    if square == 0.0:
        return 0.0, 0.0, 0.0
    length = math.sqrt(square)
    distance = (px * dy - py * dx) / length
    if abs(distance) >= a:
        return _sector(px, py, qx, qy, a)
    middle, half = -(px * dx + py * dy) / square, math.sqrt((a - distance) * (a + distance)) / length
    first, last = middle - half, middle + half
    if first >= 1.0 or last <= 0.0:
        return _sector(px, py, qx, qy, a)
    first, last = max(first, 0.0), min(last, 1.0)
    ux, uy = px + first * dx, py + first * dy
    vx, vy = px + last * dx, py + last * dy
    twice = ux * vy - uy * vx
    area, mx, my = 0.5 * twice, twice * (ux + vx) / 6.0, twice * (uy + vy) / 6.0
    if first > 0.0:
        A, X, Y = _sector(px, py, ux, uy, a)
        area, mx, my = area + A, mx + X, my + Y
    if last < 1.0:
        A, X, Y = _sector(vx, vy, qx, qy, a)
        area, mx, my = area + A, mx + X, my + Y
    return area, mx, my


@kernel
def circle_part(polygon, count, a):
    """Area and centroid of the part of a central circle within a polygon; radius `a`.

    Of a circle without radius: whether its centre lies in the polygon.
    """
    distance = inscribed(polygon, count)
    if distance >= a:
        return 1.0, 0.0, 0.0
    area, mx, my = 0.0, 0.0, 0.0
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        A, X, Y = _edge(polygon[k, 0], polygon[k, 1], polygon[m, 0], polygon[m, 1], a)
        area, mx, my = area + A, mx + X, my + Y
    fraction = area / (math.pi * a * a) if a > 0.0 else 0.0
    if fraction < 1e-14:  # rounding errors of sectors that cancel
        return 0.0, 0.0, 0.0
    return min(fraction, 1.0), mx / area, my / area
