"""Gaps between points of a surface and planes, spheres, pipettes and triangles, with two derivatives.

A point p = sum a_k x_k of a triangle, c the nearest point of what it meets, g the gap along n, p = c + g n:

    dg = n . delta,    delta = dp - sum b_k dx_k,    b the coordinates of c in its triangle

and with the weights beta of all nodes in delta, d^2g is the quadratic form

    face      2 dn . delta - g |dn|^2,   dn = -sum grad b_k (n . dx_k)
    edge      (m . delta)^2/g - 2 (t . delta) (n . de)/L - g (n . de)^2/L^2,   t = e/L, m = n x t
    corner    (|delta|^2 - (n . delta)^2)/g;   sphere: over its distance g + R
    pipette   that of a function of the distances r from and z along its axis

A pipette is the wall r > R_p, z > 0, whose edge is rounded with the radius a:
q = (R_p + a - r, a - z), g = |max(q, 0)| + min(max(q), 0) - a.
"""

import math

import numpy as np

from nsgalpha.jit.decorators import kernel

PLANE, PIPETTE, SPHERE, TRIANGLE = range(4)
FACE, EDGE, CORNER, WALL, LIP = range(5)
SMALL = 1e-9  # of an edge: a gap without a direction of its own


@kernel
def of_plane(p, wall, out):
    """Gap over the plane `wall` (n, offset); `out` (ROOM,) see below."""
    out[0], out[1], out[2] = wall[0], wall[1], wall[2]
    out[6], out[9] = 0.0, WALL
    return p[0] * wall[0] + p[1] * wall[1] + p[2] * wall[2] - wall[3]


@kernel
def of_sphere(p, c, radius, out):
    """Gap over a sphere."""
    dx, dy, dz = p[0] - c[0], p[1] - c[1], p[2] - c[2]
    r = math.sqrt(dx * dx + dy * dy + dz * dz)
    out[0], out[1], out[2], out[9] = dx / r, dy / r, dz / r, CORNER
    out[3], out[4], out[5], out[10] = 1.0, 0.0, 0.0, r
    return r - radius


@kernel
def of_pipette(p, wall, out):
    """Gap over a pipette `wall`: point, axis, R_p, a."""
    dx, dy, dz = p[0] - wall[0], p[1] - wall[1], p[2] - wall[2]
    z = dx * wall[3] + dy * wall[4] + dz * wall[5]
    rx, ry, rz = dx - z * wall[3], dy - z * wall[4], dz - z * wall[5]
    r = math.sqrt(rx * rx + ry * ry + rz * rz)
    if r > 0.0:
        rx, ry, rz = rx / r, ry / r, rz / r
    a = wall[7]
    q, s = wall[6] + a - r, a - z
    fr, fz, how, rho = 0.0, 0.0, WALL, 1.0
    if q > 0.0 and s > 0.0:
        rho = math.sqrt(q * q + s * s)
        fr, fz, how = -q / rho, -s / rho, LIP
        g = rho - a
    elif q > s:
        fr, g = -1.0, q - a
    else:
        fz, g = -1.0, s - a
    out[0] = fr * rx + fz * wall[3]
    out[1] = fr * ry + fz * wall[4]
    out[2] = fr * rz + fz * wall[5]
    out[3], out[4], out[5] = rx, ry, rz
    out[6], out[7] = fr, fz
    out[9], out[10], out[11] = how, r, rho
    out[12], out[13], out[14] = wall[3], wall[4], wall[5]
    return g


@kernel
def _to_edge(p, u, v):
    """Distance squared to an edge and the place on it."""
    ex, ey, ez = v[0] - u[0], v[1] - u[1], v[2] - u[2]
    dx, dy, dz = p[0] - u[0], p[1] - u[1], p[2] - u[2]
    s = (dx * ex + dy * ey + dz * ez) / (ex * ex + ey * ey + ez * ez)
    s = min(max(s, 0.0), 1.0)
    dx, dy, dz = dx - s * ex, dy - s * ey, dz - s * ez
    return dx * dx + dy * dy + dz * dz, s


@kernel
def of_triangle(p, x0, x1, x2, out):
    """Gap over a triangle, > 0 on the side of its normal."""
    ux, uy, uz = x1[0] - x0[0], x1[1] - x0[1], x1[2] - x0[2]
    vx, vy, vz = x2[0] - x0[0], x2[1] - x0[1], x2[2] - x0[2]
    dx, dy, dz = p[0] - x0[0], p[1] - x0[1], p[2] - x0[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    root = math.sqrt(nn)
    height = (dx * nx + dy * ny + dz * nz) / root
    b1 = ((dy * vz - dz * vy) * nx + (dz * vx - dx * vz) * ny + (dx * vy - dy * vx) * nz) / nn
    b2 = ((uy * dz - uz * dy) * nx + (uz * dx - ux * dz) * ny + (ux * dy - uy * dx) * nz) / nn
    b0 = 1.0 - b1 - b2
    out[0], out[1], out[2] = nx / root, ny / root, nz / root
    if b0 >= 0.0 and b1 >= 0.0 and b2 >= 0.0:
        out[3], out[4], out[5], out[9] = b0, b1, b2, FACE
        return height
    best, s = _to_edge(p, x0, x1)
    c0, c1, c2, first = 1.0 - s, s, 0.0, 0
    d, s = _to_edge(p, x1, x2)
    if d < best:
        best, c0, c1, c2, first = d, 0.0, 1.0 - s, s, 1
    d, s = _to_edge(p, x2, x0)
    if d < best:
        best, c0, c1, c2, first = d, s, 0.0, 1.0 - s, 2
    sign = 1.0 if height >= 0.0 else -1.0
    g = sign * math.sqrt(best)
    out[3], out[4], out[5] = c0, c1, c2
    out[9], out[10] = EDGE, first
    if max(c0, c1, c2) == 1.0:
        out[9], out[10] = CORNER, g
    if math.sqrt(best) <= SMALL * math.sqrt(root):
        out[9] = FACE
        return g
    for i in range(3):
        out[i] = (p[i] - (c0 * x0[i] + c1 * x1[i] + c2 * x2[i])) / g
    return g


@kernel
def second(how, g, x, nodes, beta, out, scratch, H):
    """Write d^2g (18, 18) into `H`; `beta` (6,) weights of the nodes in delta, `scratch` (2, 6, 3)."""
    for s in range(18):
        for r in range(18):
            H[s, r] = 0.0
    n = out[0:3]
    if how == CORNER:
        for s in range(6):
            for r in range(6):
                for i in range(3):
                    for j in range(3):
                        same = 1.0 if i == j else 0.0
                        H[3 * s + i, 3 * r + j] = beta[s] * beta[r] * (same - n[i] * n[j]) / out[10]
    elif how == EDGE:
        first = int(out[10])
        one, two = 3 + first, 3 + (first + 1) % 3
        u, v = x[nodes[one]], x[nodes[two]]
        L = math.sqrt((v[0] - u[0]) ** 2 + (v[1] - u[1]) ** 2 + (v[2] - u[2]) ** 2)
        t = scratch[0, 0]
        m = scratch[0, 1]
        for i in range(3):
            t[i] = (v[i] - u[i]) / L
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            m[i] = n[j] * t[k] - n[k] * t[j]
        for s in range(6):
            gs = (1.0 if s == two else 0.0) - (1.0 if s == one else 0.0)
            for r in range(6):
                gr = (1.0 if r == two else 0.0) - (1.0 if r == one else 0.0)
                for i in range(3):
                    for j in range(3):
                        value = beta[s] * beta[r] * m[i] * m[j] / g
                        value -= (beta[s] * t[i] * gr * n[j] + gs * n[i] * beta[r] * t[j]) / L
                        value -= g / (L * L) * gs * gr * n[i] * n[j]
                        H[3 * s + i, 3 * r + j] = value
    elif how == FACE:
        G = scratch[1]
        size = 0.0
        a, b, c = x[nodes[3]], x[nodes[4]], x[nodes[5]]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            size += n[i] * ((b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]))
        for q in range(3):
            e, f = x[nodes[3 + (q + 1) % 3]], x[nodes[3 + (q + 2) % 3]]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                G[3 + q, i] = -(n[j] * (f[k] - e[k]) - n[k] * (f[j] - e[j])) / size
                G[q, i] = 0.0
        for s in range(6):
            for r in range(6):
                dot = G[s, 0] * G[r, 0] + G[s, 1] * G[r, 1] + G[s, 2] * G[r, 2]
                for i in range(3):
                    for j in range(3):
                        value = n[i] * beta[r] * G[s, j] + beta[s] * G[r, i] * n[j]
                        H[3 * s + i, 3 * r + j] = value - g * dot * n[i] * n[j]
    else:
        _second_of_pipette(how, beta, out, H)


@kernel
def _second_of_pipette(how, beta, out, H):
    """Write d^2g of a pipette into `H`."""
    fr, fz, r, rho = out[6], out[7], out[10], out[11]
    if fr == 0.0 or r == 0.0:
        return
    for i in range(3):
        for j in range(3):
            same = 1.0 if i == j else 0.0
            value = fr / r * (same - out[3 + i] * out[3 + j] - out[12 + i] * out[12 + j])
            if how == LIP:
                left = fz * out[3 + i] - fr * out[12 + i]
                value += left * (fz * out[3 + j] - fr * out[12 + j]) / rho
            for s in range(3):
                for k in range(3):
                    H[3 * s + i, 3 * k + j] = beta[s] * beta[k] * value


ROOM = 15  # of `out`: n, b or the radial direction, fr and fz, how, two numbers, the axis of a pipette


def _permuted(a, b):
    """The points with the coordinates a, b and the rest, in any order."""
    c = 1.0 - a - b
    return sorted({(a, b, c), (b, c, a), (c, a, b), (a, c, b), (c, b, a), (b, a, c)})


def _rule(*orbits):
    """Points (Q, 3) and weights (Q,) of `orbits` (weight, a, b)."""
    found = [(point, w) for w, a, b in orbits for point in _permuted(a, b)]
    return np.array([point for point, _ in found]), np.array([w for _, w in found])


_A, _B, _C, _D = 0.445948490915965, 0.091576213509771, 0.249286745170910, 0.063089014491502
#: Points and weights on triangles by their number, of degrees 2, 4, 6: Dunavant, as in radial_pressures.py.
RULES = {
    3: _rule((1.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0)),
    6: _rule((0.223381589678011, _A, _A), (0.109951743655322, _B, _B)),
    12: _rule(
        (0.116786275726379, _C, _C),
        (0.050844906370207, _D, _D),
        (0.082851075618374, 0.310352451033785, 0.053145049844816),
    ),
}
