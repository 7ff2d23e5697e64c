"""Rotation of bodies with anisotropic inertia in a linearly implicit step.

    J dW = h (R^T t - W x J W + lambda h (R^T t) x W) + ...,    W+ = W + dW,    R+ = R exp(h (W + lambda dW))

The term with lambda is the change of R^T t as the body turns with W; `...` are terms with dW, which are
in the matrix (`inertia_blocks`). Isotropic bodies turn in the inertial frame, where these
vanish.
"""

import numpy as np

from nsgalpha.jit.decorators import kernel
from nsgalpha.stepping.rotations import to_body, to_inertial
from nsgalpha.stepping.smooth_motion import cross, times


@kernel
def add_gyroscopic(bodies, motion, factor, wrench):
    """Add the torques above, `factor` = lambda h, to the `wrench` (N, 6), inertial."""
    W, T, JW = np.empty(3), np.empty(3), np.empty(3)
    one, two = np.empty(3), np.empty(3)
    for b in range(wrench.shape[0]):
        if bodies.isotropic[b]:
            continue
        to_body(motion.q[b], motion.w[b], W)
        to_body(motion.q[b], wrench[b, 3:], T)
        times(bodies.inertia[b], W, JW)
        cross(W, JW, one)
        cross(T, W, two)
        for i in range(3):
            two[i] = factor * two[i] - one[i]
        to_inertial(motion.q[b], two, one)
        for i in range(3):
            wrench[b, 3 + i] += one[i]


@kernel
def carry(bodies, before, change, h, motion):
    """Velocities and accelerations in `motion` after the `change` (N, 6), inertial, of those in `before`."""
    W, dW = np.empty(3), np.empty(3)
    for b in range(change.shape[0]):
        for i in range(3):
            motion.v[b, i] = before.v[b, i] + change[b, i]
            motion.dv[b, i] = change[b, i] / h
        if bodies.isotropic[b]:
            for i in range(3):
                motion.w[b, i] = before.w[b, i] + change[b, 3 + i]
                motion.dv[b, 3 + i] = change[b, 3 + i] / h
        else:
            to_body(before.q[b], change[b, 3:], dW)
            to_body(before.q[b], before.w[b], W)
            for i in range(3):
                W[i] += dW[i]
                motion.dv[b, 3 + i] = dW[i] / h
            to_inertial(motion.q[b], W, motion.w[b])
        for i in range(6):
            motion.a[b, i] = motion.dv[b, i]


@kernel
def inertial_accelerations(bodies, motion, out):
    """`motion.dv` in inertial components (N, 6)."""
    for b in range(out.shape[0]):
        for i in range(6):
            out[b, i] = motion.dv[b, i]
        if not bodies.isotropic[b]:
            to_inertial(motion.q[b], motion.dv[b, 3:], out[b, 3:])
