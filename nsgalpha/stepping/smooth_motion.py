"""First subproblem: the smooth motion `q~, v~`, on which no set-valued contact acts.

    m dv = f,    J dW + W x J W = R^T t                          (docs/theory.md, section 2)
    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) dv_{n+1} + alpha_f dv_n
    v~ = v_n + h (1 - gamma) a_n + h gamma a_{n+1}
    q~ = q_n o exp( h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_{n+1} )

Translations are inertial. Rotations use the body frame (`W = R^T w`, increment from the right) when
the inertia tensor has a direction, the inertial frame when it has none: then the gyroscopic term
vanishes and a constant torque is integrated exactly. `dv[3:]` and `a[3:]` are in that frame.
"""

import math

import numpy as np

from nsgalpha.jit.decorators import kernel
from nsgalpha.stepping.rotations import exponential, inertial_tensor, product, to_body, to_inertial

MAX_ITERATIONS = 30
NONE = 1e-280  # torque [N m] that is none: products with it underflow


@kernel
def cross(a, b, out):
    """`out = a x b`, each (3,); `out` must be neither of them."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def times(A, x, out):
    """`out = A x`, A (3, 3); `out` must not be `x`."""
    for i in range(3):
        out[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]


@kernel
def _solve3(A, b, x):
    """`x = A^-1 b` by Cramer's rule; A (3, 3) is an inertia tensor plus a term of order h."""
    c00 = A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1]
    c01 = A[1, 2] * A[2, 0] - A[1, 0] * A[2, 2]
    c02 = A[1, 0] * A[2, 1] - A[1, 1] * A[2, 0]
    det = A[0, 0] * c00 + A[0, 1] * c01 + A[0, 2] * c02
    x[0] = (
        b[0] * c00
        + b[1] * (A[0, 2] * A[2, 1] - A[0, 1] * A[2, 2])
        + b[2] * (A[0, 1] * A[1, 2] - A[0, 2] * A[1, 1])
    ) / det
    x[1] = (
        b[0] * c01
        + b[1] * (A[0, 0] * A[2, 2] - A[0, 2] * A[2, 0])
        + b[2] * (A[0, 2] * A[1, 0] - A[0, 0] * A[1, 2])
    ) / det
    x[2] = (
        b[0] * c02
        + b[1] * (A[0, 1] * A[2, 0] - A[0, 0] * A[2, 1])
        + b[2] * (A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0])
    ) / det


@kernel
def euler_residual(J, rate, W, torque, out):
    """`out = J dW + W x J W - T`, body frame; `rate` = dW (3,), `torque` = T (3,)."""
    m0, m1, m2 = _momentum(J, W)
    g0, g1, g2 = W[1] * m2 - W[2] * m1, W[2] * m0 - W[0] * m2, W[0] * m1 - W[1] * m0
    times(J, rate, out)
    out[0] += g0 - torque[0]
    out[1] += g1 - torque[1]
    out[2] += g2 - torque[2]


@kernel
def _momentum(J, W):
    """`J W`, three numbers."""
    return (
        J[0, 0] * W[0] + J[0, 1] * W[1] + J[0, 2] * W[2],
        J[1, 0] * W[0] + J[1, 1] * W[1] + J[1, 2] * W[2],
        J[2, 0] * W[0] + J[2, 1] * W[1] + J[2, 2] * W[2],
    )


@kernel
def euler_tangent(J, W, factor_v, torque, factor_q, out):
    """`out = J + factor_v d(W x J W)/dW - factor_q d(R^T t)/dtheta` (3, 3), body frame.

    `factor_v = dW/d(dW)` and `factor_q = dtheta/d(dW)` are the scheme's; `torque` = R^T t.
    """
    m0, m1, m2 = _momentum(J, W)
    for j in range(3):
        # column j of  skew(W) J - skew(J W)  and of  skew(R^T t)
        w0, w1, w2 = W[0], W[1], W[2]
        j0, j1, j2 = J[0, j], J[1, j], J[2, j]
        out[0, j] = j0 + factor_v * (w1 * j2 - w2 * j1)
        out[1, j] = j1 + factor_v * (w2 * j0 - w0 * j2)
        out[2, j] = j2 + factor_v * (w0 * j1 - w1 * j0)
    # skew(a)[j, i] = a[k], skew(a)[i, j] = -a[k]
    e0 = factor_v * m0 + factor_q * torque[0]
    e1 = factor_v * m1 + factor_q * torque[1]
    e2 = factor_v * m2 + factor_q * torque[2]
    out[2, 1] -= e0
    out[1, 2] += e0
    out[0, 2] -= e1
    out[2, 0] += e1
    out[1, 0] -= e2
    out[0, 1] += e2


@kernel
def accelerations(bodies, motion, wrench):
    """Consistent start `dv = a` at the state `motion` under the `wrench` (N, 6), inertial."""
    W = np.empty(3)
    T = np.empty(3)
    residual = np.empty(3)
    zero = np.zeros(3)
    for b in range(wrench.shape[0]):
        for i in range(3):
            motion.dv[b, i] = wrench[b, i] * bodies.inverse_mass[b]
        if bodies.isotropic[b]:
            for i in range(3):
                motion.dv[b, 3 + i] = wrench[b, 3 + i] * bodies.inverse_inertia[b, 0, 0]
        else:
            to_body(motion.q[b], motion.w[b], W)
            to_body(motion.q[b], wrench[b, 3:], T)
            euler_residual(bodies.inertia[b], zero, W, T, residual)
            for i in range(3):
                motion.dv[b, 3 + i] = -(
                    bodies.inverse_inertia[b, i, 0] * residual[0]
                    + bodies.inverse_inertia[b, i, 1] * residual[1]
                    + bodies.inverse_inertia[b, i, 2] * residual[2]
                )
        for i in range(6):
            motion.a[b, i] = motion.dv[b, i]


@kernel
def inertia_wrenches(bodies, motion, wrench):
    """The `wrench` (N, 6), inertial, of which the accelerations `dv` of `motion` are those."""
    for b in range(wrench.shape[0]):
        for i in range(3):
            wrench[b, i] = bodies.mass[b] * motion.dv[b, i]
            wrench[b, 3 + i] = bodies.inertia[b, 0, 0] * motion.dv[b, 3 + i]
        if not bodies.isotropic[b]:
            _inertia_torque(bodies.inertia[b], motion, b, wrench[b, 3:])


@kernel
def _inertia_torque(J, motion, b, torque):
    """`R (J dW + W x J W)` of body `b` to `torque` (3,)."""
    W, T, zero = np.empty(3), np.empty(3), np.zeros(3)
    to_body(motion.q[b], motion.w[b], W)
    euler_residual(J, motion.dv[b, 3:], W, zero, T)
    to_inertial(motion.q[b], T, torque)


@kernel
def smooth_motion(constants, h, wrench, old, new, increment):
    """Write `q~, v~` and the accelerations of level n+1 to `new`, the motion over the step to `increment`.

    The `wrench` (N, 6) acts at n+1, inertial; `increment` (B, 6) takes the displacements and the
    inertial rotation vectors. Returns the largest number of Newton iterations of a body, or -1
    when one did not converge. Frames are not touched.
    """
    bodies = constants.bodies
    am, af, gamma, beta = constants.scheme
    to_a = (1.0 - af) / (1.0 - am)
    room = np.empty((10, 4))
    psi, turn = room[0, :3], room[1]
    most = 1
    for b in range(wrench.shape[0]):
        rows = 6 if bodies.isotropic[b] else 3
        for i in range(rows):
            if i < 3:
                new.dv[b, i] = wrench[b, i] * bodies.inverse_mass[b]
                v = old.v[b, i]
            else:
                new.dv[b, i] = wrench[b, i] * bodies.inverse_inertia[b, 0, 0]
                v = old.w[b, i - 3]
            a_n = old.a[b, i]
            a = to_a * new.dv[b, i] + (af * old.dv[b, i] - am * a_n) / (1.0 - am)
            new.a[b, i] = a
            increment[b, i] = h * v + h * h * ((0.5 - beta) * a_n + beta * a)
            v += h * ((1.0 - gamma) * a_n + gamma * a)
            if i < 3:
                new.v[b, i] = v
            else:
                new.w[b, i - 3] = v
        if rows == 6:
            for i in range(3):
                psi[i] = increment[b, 3 + i]
            exponential(psi, turn)
            product(turn, old.q[b], new.q[b])
        else:
            iterations = _rotate(constants, b, h, wrench[b, 3:], old, new, increment, room)
            if iterations < 0:
                return -1
            most = max(most, iterations)
        for i in range(3):
            new.x[b, i] = old.x[b, i] + increment[b, i]
    return most


@kernel
def _rotate(constants, b, h, torque, old, new, increment, room):
    """Smooth rotation of body `b` with a general inertia tensor: Newton on `dW`, body frame.

    `torque` (3,) is inertial, `room` (10, 4). Returns the iterations, or -1.
    """
    am, af, gamma, beta = constants.scheme
    to_a = (1.0 - af) / (1.0 - am)
    J = constants.bodies.inertia[b]
    psi, turn, W_n, W, T = room[0, :3], room[1], room[2, :3], room[3, :3], room[4, :3]
    residual, delta, tangent = room[5, :3], room[6, :3], room[7:, :3]
    rate, a_n, known = new.dv[b, 3:], old.a[b, 3:], room[4:7, 3]
    for i in range(3):
        rate[i] = old.dv[b, 3 + i]
        known[i] = (af * old.dv[b, 3 + i] - am * a_n[i]) / (1.0 - am)
    to_body(old.q[b], old.w[b], W_n)
    last = math.inf
    for iteration in range(MAX_ITERATIONS):
        for i in range(3):
            a = to_a * rate[i] + known[i]
            new.a[b, 3 + i] = a
            psi[i] = h * W_n[i] + h * h * ((0.5 - beta) * a_n[i] + beta * a)
            W[i] = W_n[i] + h * ((1.0 - gamma) * a_n[i] + gamma * a)
        exponential(psi, turn)
        product(old.q[b], turn, new.q[b])
        to_body(new.q[b], torque, T)
        euler_residual(J, rate, W, T, residual)
        size = 0.0
        scale = 0.0
        for i in range(3):
            size = max(size, abs(residual[i]))
            scale = max(scale, abs(T[i]))
            for j in range(3):
                scale = max(scale, abs(J[i, j]) * (abs(rate[j]) + W[j] * W[j]))
        if size <= max(constants.tol * scale, NONE) or (size <= 1e-13 * scale and size >= last):
            to_inertial(new.q[b], W, new.w[b])
            to_inertial(old.q[b], psi, delta)
            for i in range(3):
                increment[b, 3 + i] = delta[i]
            return max(iteration, 1)
        last = size
        euler_tangent(J, W, h * gamma * to_a, T, h * h * beta * to_a, tangent)
        _solve3(tangent, residual, delta)
        for i in range(3):
            rate[i] -= delta[i]
    return -1


@kernel
def inertia_blocks(bodies, motion, wrench, factor_q, factor_v, blocks):
    """Tangents `blocks` (N, 6, 6) of the inertia forces by the accelerations, inertial."""
    W = np.empty(3)
    T = np.empty(3)
    tangent = np.empty((3, 3))
    turned = np.empty((3, 3))
    for b in range(blocks.shape[0]):
        for i in range(6):
            for j in range(6):
                blocks[b, i, j] = 0.0
        for i in range(3):
            blocks[b, i, i] = bodies.mass[b]
            blocks[b, 3 + i, 3 + i] = bodies.inertia[b, 0, 0]
        if bodies.isotropic[b]:
            continue
        to_body(motion.q[b], motion.w[b], W)
        to_body(motion.q[b], wrench[b, 3:], T)
        euler_tangent(bodies.inertia[b], W, factor_v, T, factor_q, tangent)
        inertial_tensor(motion.q[b], tangent, turned)
        for i in range(3):
            for j in range(3):
                blocks[b, 3 + i, 3 + j] = turned[i, j]
