"""Accelerations that follow the spin of general bodies, after contacts have changed it.

    dv, a  <-  dv + D, a + D,    D = P M^-1 R (W~ x J W~ - W x J W)

The smooth motion has the gyroscopic term of its spin W~ at level n+1. Contacts change that to W, by O(h)
where they carry loads, and at once where they strike. With the term of W the smooth motion of the next step
keeps the angular momentum, to which contacts add their impulses. With that of W~ every step errs by O(h^2):
coins that roll gain energy. P, which joints let through, keeps the accelerations consistent with them.
"""

import numpy as np

from nsgalpha.constraints.jointed_response import mechanism_of, project_velocities
from nsgalpha.geometry.rotations import to_body, to_inertial
from nsgalpha.jit.decorators import kernel
from nsgalpha.stepping.poses import first_general
from nsgalpha.stepping.smooth_motion import euler_residual, times


@kernel
def _change(constants, h, b, old, new, out):
    """Change `out` (3,) [rad/s^2], inertial, of the acceleration of body `b` by its gyroscopic term."""
    J, gamma, table = constants.bodies.inertia[b], constants.scheme[2], np.zeros((5, 3))
    W, smooth, zero, torque, change = table[0], table[1], table[2], table[3], table[4]
    to_body(new.q[b], new.w[b], W)
    to_body(old.q[b], old.w[b], smooth)
    for i in range(3):
        smooth[i] += h * ((1.0 - gamma) * old.a[b, 3 + i] + gamma * new.a[b, 3 + i])
    euler_residual(J, zero, W, zero, torque)
    euler_residual(J, zero, smooth, torque, change)
    times(constants.bodies.inverse_inertia[b], change, torque)
    to_inertial(new.q[b], torque, out)


@kernel
def follow_spin(rows, constants, h, now):
    """Let the accelerations of `now.new` follow its spin, after both corrections of a step of `h`.

    They do of the bodies in contacts, the `rows`, and of those that joints connect with these.
    """
    bodies, new = constants.bodies, now.new
    first, count = first_general(bodies), bodies.mass.shape[0]
    if first == count or rows.contact.shape[0] == 0:
        return
    acted, D, turned = np.zeros(count, np.bool_), np.zeros((count, 6)), np.empty(3)
    for k in range(rows.contact.shape[0]):
        for side in range(2):
            acted[mechanism_of(bodies.joints, rows.body[k, side])] = True
    for b in range(first, count):
        if acted[mechanism_of(bodies.joints, b)] and not bodies.isotropic[b]:
            _change(constants, h, b, now.old, new, D[b, 3:])
    project_velocities(bodies.joints, D)
    for b in range(count):
        if not acted[mechanism_of(bodies.joints, b)]:
            continue
        turned[:] = D[b, 3:]
        if not bodies.isotropic[b]:
            to_body(new.q[b], D[b, 3:], turned)
        for i in range(3):
            new.dv[b, i] += D[b, i]
            new.a[b, i] += D[b, i]
            new.dv[b, 3 + i] += turned[i]
            new.a[b, 3 + i] += turned[i]
