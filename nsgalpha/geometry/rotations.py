"""Rotations: unit quaternions, scalar first, body to inertial frame.

    R(q) v = v + 2 s (u x v) + 2 u x (u x v),      q = (s, u)
    exp(psi) = (cos |psi|/2, sin(|psi|/2) psi/|psi|)

An inertial rotation increment psi acts from the left, `q <- exp(psi) q`; one in the body frame from
the right, `q <- q exp(psi)` (Geradin and Cardona, Flexible Multibody Dynamics, ch. 4).
"""

import math

import numpy as np

from nsgalpha.jit.decorators import inlined, kernel


@kernel
def exponential(psi, q):
    """Unit quaternion `q` (4,) of the rotation vector `psi` (3,) [rad]."""
    angle2 = psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2]
    if angle2 < 1e-3:  # series: the next term is below rounding
        q[0] = 1.0 - angle2 * (1 / 8 - angle2 * (1 / 384 - angle2 * (1 / 46080 - angle2 / 10321920)))
        s = 0.5 - angle2 * (1 / 48 - angle2 * (1 / 3840 - angle2 / 645120))
    else:
        angle = math.sqrt(angle2)
        q[0] = math.cos(0.5 * angle)
        s = math.sin(0.5 * angle) / angle
    for i in range(3):
        q[i + 1] = s * psi[i]


@kernel
def product(p, q, out):
    """Normalised quaternion product `out = p q` (first q, then p); `out` may be `p` or `q`."""
    s = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]
    x = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2]
    y = p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3]
    z = p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1]
    scale = 1.0 / math.sqrt(s * s + x * x + y * y + z * z)
    out[0] = s * scale
    out[1] = x * scale
    out[2] = y * scale
    out[3] = z * scale


@kernel
def matrix(q, R):
    """Rotation matrix `R` (3, 3), body to inertial, of the unit quaternion `q` (4,)."""
    s, x, y, z = q[0], q[1], q[2], q[3]
    R[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    R[0, 1] = 2.0 * (x * y - s * z)
    R[0, 2] = 2.0 * (x * z + s * y)
    R[1, 0] = 2.0 * (x * y + s * z)
    R[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    R[1, 2] = 2.0 * (y * z - s * x)
    R[2, 0] = 2.0 * (x * z - s * y)
    R[2, 1] = 2.0 * (y * z + s * x)
    R[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def turned(q, v):
    """`R(q) v` of three numbers `v`, as three numbers."""
    s, x, y, z = q[0], q[1], q[2], q[3]
    cx, cy, cz = 2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])
    return v[0] + s * cx + y * cz - z * cy, v[1] + s * cy + z * cx - x * cz, v[2] + s * cz + x * cy - y * cx


@inlined
def turned_back(q, v):
    """`R(q)^T v` of three numbers `v`, as three numbers."""
    return turned((q[0], -q[1], -q[2], -q[3]), v)


@kernel
def to_inertial(q, v, out):
    """`out = R(q) v`, both (3,)."""
    out[0], out[1], out[2] = turned(q, v)


@kernel
def to_body(q, v, out):
    """`out = R(q)^T v`, both (3,); `out` must not be `v`."""
    s, x, y, z = q[0], -q[1], -q[2], -q[3]
    cx = 2.0 * (y * v[2] - z * v[1])
    cy = 2.0 * (z * v[0] - x * v[2])
    cz = 2.0 * (x * v[1] - y * v[0])
    out[0] = v[0] + s * cx + y * cz - z * cy
    out[1] = v[1] + s * cy + z * cx - x * cz
    out[2] = v[2] + s * cz + x * cy - y * cx


@kernel
def inertial_tensor(q, J, out):
    """`out = R(q) J R(q)^T` (3, 3): a body-frame tensor in the inertial frame."""
    if J[0, 1] == J[1, 0] == J[0, 2] == 0.0 and J[2, 0] == J[1, 2] == J[2, 1] == 0.0:
        _turned_principal(q, J[0, 0], J[1, 1], J[2, 2], out)
    else:
        _turned_tensor(q, J, out)


@kernel
def _turned_principal(q, a, b, c, out):
    """`inertial_tensor` of a diagonal one, to the same bits: products with 0 change no sum."""
    s, x, y, z = q[0], q[1], q[2], q[3]
    xx, xy, xz = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - s * z), 2.0 * (x * z + s * y)
    yx, yy, yz = 2.0 * (x * y + s * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - s * x)
    zx, zy, zz = 2.0 * (x * z - s * y), 2.0 * (y * z + s * x), 1.0 - 2.0 * (x * x + y * y)
    ax, bx, cx = xx * a, xy * b, xz * c
    ay, by, cy = yx * a, yy * b, yz * c
    az, bz, cz = zx * a, zy * b, zz * c
    out[0, 0] = ax * xx + bx * xy + cx * xz
    out[0, 1] = ax * yx + bx * yy + cx * yz
    out[0, 2] = ax * zx + bx * zy + cx * zz
    out[1, 0] = ay * xx + by * xy + cy * xz
    out[1, 1] = ay * yx + by * yy + cy * yz
    out[1, 2] = ay * zx + by * zy + cy * zz
    out[2, 0] = az * xx + bz * xy + cz * xz
    out[2, 1] = az * yx + bz * yy + cz * yz
    out[2, 2] = az * zx + bz * zy + cz * zz


@kernel
def _turned_tensor(q, J, out):
    R = np.empty((3, 3))
    matrix(q, R)
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total += R[i, k] * J[k, m] * R[j, m]
            out[i, j] = total
