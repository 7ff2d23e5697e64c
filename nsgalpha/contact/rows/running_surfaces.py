"""Surfaces that run on their bodies, such as belts and tracks.

    u_k = t_k . (v_A + w_A x p_A - v_B - w_B x p_B - w),      w = R_B c,   or  w = -R_A c

c is the velocity of the surface in the frame of its owner, B or A. Only its part within the tangent plane
counts: w is in no other row than those of sliding. It is an inhomogeneous term of their rates, like the
velocity of a frame. The contact forces act on the body of the surface.
"""

from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import row
from nsgalpha.jit.decorators import kernel

NONE = (0.0, 0.0, 0.0)


@kernel
def surface_velocity(owner, surface, law, q, a, b):
    """The velocity w [m/s] of a contact of the bodies `a`, `b` with the rotations in `q` (B, 4).

    `owner` and `surface` are those of LawTable.
    """
    if surface.shape[0] == 0:
        return NONE
    c = row(surface, law)
    if owner[law] == 1:
        return turned(q[b], c)
    x, y, z = turned(q[a], c)
    return -x, -y, -z


@kernel
def subtract_surfaces(rows, q, out):
    """Take w off the rates `out` (R,) of the sliding `rows`; `q` (B, 4) are the rotations of the bodies."""
    if rows.surface.shape[0] == 0:
        return
    for k in range(rows.body.shape[0]):
        if rows.row[k + 1] == rows.row[k] + 1:
            continue
        w = surface_velocity(rows.owner, rows.surface, rows.law[k], q, rows.body[k, 0], rows.body[k, 1])
        for r in range(rows.row[k] + 1, rows.row[k + 1]):
            out[r] -= rows.G[r, 0, 0] * w[0] + rows.G[r, 0, 1] * w[1] + rows.G[r, 0, 2] * w[2]


@kernel
def fastest_surface(rows):
    """The largest component [m/s] of the velocities of surfaces."""
    speed = 0.0
    for law in range(rows.surface.shape[0]):
        for i in range(3):
            speed = max(speed, abs(rows.surface[law, i]))
    return speed
