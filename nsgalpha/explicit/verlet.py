"""Velocity Verlet for compliant contact: one evaluation of the forces in a step.

    v_{n+1/2} = v_n + h/2 a_n,     x_{n+1} = x_n + h v_{n+1/2},     v_{n+1} = v_{n+1/2} + h/2 a_{n+1}

Positions, velocities and accelerations are known at the full steps. Forces that depend on velocities
(dashpots, friction) are taken at v_{n+1/2} + h/2 a_n, the velocity at the end of the step to second order; at
v_{n+1/2}, as leapfrog codes have it, dashpots would be of first order. Rotations are those of the spin
momentum L = R J R^T w, inertial: a midpoint rule in which L_{n+1/2} is constant,

    L_{n+1/2} = L_n + h/2 t_n,     L_{n+1} = L_{n+1/2} + h/2 t_{n+1}
    w_mid = w(exp(h/2 w(q_n, L_{n+1/2})) q_n, L_{n+1/2}),     q_{n+1} = exp(h w_mid) q_n

so that a free body keeps its momentum exactly. For isotropic inertia w = L/J, whatever q.

Source: Swope et al., J. Chem. Phys. 76 (1982) 637; rotations as in Omelyan, Comput. Phys. 12 (1998) 97.
"""

import numpy as np

from nsgalpha.compiled import entry, part
from nsgalpha.explicit.block import evaluate
from nsgalpha.integrator import CONTACTS, SMOOTH_ITERATIONS, accept, place_frames, reached, record_state
from nsgalpha.rotation import exponential, product, to_body, to_inertial
from nsgalpha.smooth import euler_residual, times
from nsgalpha.status import NO_ROOM, NOT_FINITE, OUT_OF_REACH, SOLVED


@part
def _torque_of(bodies, old, b, out, work):
    """`out` = R (J dW + W x J W) of body `b`: the torque, inertial, that its accelerations stand for."""
    if bodies.isotropic[b]:
        for i in range(3):
            out[i] = bodies.inertia[b, 0, 0] * old.dv[b, 3 + i]
    else:
        W, T, zero = work[0], work[1], work[2]
        to_body(old.q[b], old.w[b], W)
        euler_residual(bodies.inertia[b], old.dv[b, 3:], W, zero, T)
        to_inertial(old.q[b], T, out)


@part
def _spin(tensor, q, vector, out, work):
    """`out = R A R^T vector` with the body-frame `tensor` A (3, 3): w from L, or L from w."""
    to_body(q, vector, work[0])
    times(tensor, work[0], work[1])
    to_inertial(q, work[1], out)


@entry
def drift(bodies, h, count, old, new, increment):
    """Half a kick and the motion over the step: poses, expected velocities, and the displacements.

    `new.v`, `new.w` are the velocities at the end of the step if the accelerations stay; `new.a` holds
    v_{n+1/2} and L_{n+1/2}.
    """
    work, middle, torque, spin, turn = np.zeros((3, 3)), np.empty(4), np.empty(3), np.empty(3), np.empty(4)
    for b in range(count):
        half = new.a[b]
        for i in range(3):
            half[i] = old.v[b, i] + 0.5 * h * old.dv[b, i]
            increment[b, i] = h * half[i]
            new.x[b, i] = old.x[b, i] + increment[b, i]
            new.v[b, i] = half[i] + 0.5 * h * old.dv[b, i]
        if bodies.isotropic[b]:
            J = bodies.inertia[b, 0, 0]
            for i in range(3):
                w = old.w[b, i] + 0.5 * h * old.dv[b, 3 + i]
                half[3 + i] = J * w
                increment[b, 3 + i] = h * w
                new.w[b, i] = w + 0.5 * h * old.dv[b, 3 + i]
            exponential(increment[b, 3:], turn)
            product(turn, old.q[b], new.q[b])
        else:
            inverse = bodies.inverse_inertia[b]
            _torque_of(bodies, old, b, torque, work)
            _spin(bodies.inertia[b], old.q[b], old.w[b], half[3:], work)
            for i in range(3):
                half[3 + i] += 0.5 * h * torque[i]
            _spin(inverse, old.q[b], half[3:], spin, work)
            for i in range(3):
                spin[i] *= 0.5 * h
            exponential(spin, turn)
            product(turn, old.q[b], middle)
            _spin(inverse, middle, half[3:], spin, work)
            for i in range(3):
                increment[b, 3 + i] = h * spin[i]
                torque[i] = half[3 + i] + 0.5 * h * torque[i]
            exponential(increment[b, 3:], turn)
            product(turn, old.q[b], new.q[b])
            _spin(inverse, new.q[b], torque, new.w[b], work)


@entry
def kick(bodies, h, count, wrench, new):
    """The other half: accelerations and velocities under the `wrench` (B, 6); False if one is not finite."""
    work, zero = np.zeros((3, 3)), np.zeros(3)
    momentum, T = np.empty(3), np.empty(3)
    total = 0.0
    for b in range(count):
        half = new.a[b]
        for i in range(3):
            new.dv[b, i] = wrench[b, i] * bodies.inverse_mass[b]
            new.v[b, i] = half[i] + 0.5 * h * new.dv[b, i]
            momentum[i] = half[3 + i] + 0.5 * h * wrench[b, 3 + i]
        if bodies.isotropic[b]:
            for i in range(3):
                new.dv[b, 3 + i] = wrench[b, 3 + i] * bodies.inverse_inertia[b, 0, 0]
                new.w[b, i] = momentum[i] * bodies.inverse_inertia[b, 0, 0]
        else:
            _spin(bodies.inverse_inertia[b], new.q[b], momentum, new.w[b], work)
            to_body(new.q[b], new.w[b], momentum)
            to_body(new.q[b], wrench[b, 3:], T)
            # J dW = T - W x J W
            euler_residual(bodies.inertia[b], zero, momentum, T, work[0])
            times(bodies.inverse_inertia[b], work[0], momentum)
            for i in range(3):
                new.dv[b, 3 + i] = -momentum[i]
        for i in range(6):
            new.a[b, i] = new.dv[b, i]
            total += 0.0 * new.dv[b, i]
        for i in range(3):
            total += 0.0 * (new.x[b, i] + new.v[b, i] + new.w[b, i])
    return total == 0.0


@entry
def advance_verlet(
    geometry,
    laws,
    table,
    parts,
    planes,
    bodies,
    block,
    t0,
    h,
    first,
    last,
    final,
    every,
    weight,
    frames,
    anchor,
    reach,
    old,
    new,
    increment,
    moved,
    turned,
    wrench,
    stats,
    record,
):
    """Steps `first` to `last` - 1 of size `h` from `t0` under the constant wrenches `weight` (B, 6).

    Recording, `frames` and what is returned are those of `integrator.advance`.
    """
    count = old.x.shape[0] - frames.shape[1]
    for step in range(first, last):
        recording = (step + 1) % every == 0 or step + 1 == final
        if recording and record.filled[0] == record.t.shape[0]:
            return step, NO_ROOM, -1
        drift(bodies, h, count, old, new, increment)
        place_frames(frames[step - first + 1], count, h, old, new, increment)
        if reached(new.x, anchor, reach):
            return step, OUT_OF_REACH, -1
        for b in range(wrench.shape[0]):
            for i in range(3):
                moved[b, i] = increment[b, i]
                turned[b, i] = increment[b, 3 + i]
            for i in range(6):
                wrench[b, i] = weight[b, i]
        closed = evaluate(geometry, laws, table, parts, planes, bodies, new, moved, turned, h, block, wrench)
        if not kick(bodies, h, count, wrench, new):
            return step, NOT_FINITE, -1
        accept(new, old)
        table.now[0] = 1 - table.now[0]
        stats[step - first, SMOOTH_ITERATIONS] = 1
        stats[step - first, CONTACTS] = closed
        if recording:
            record_state(record, t0 + (step + 1) * h, old)
    return last, SOLVED, -1
