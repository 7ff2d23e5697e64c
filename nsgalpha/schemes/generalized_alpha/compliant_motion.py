"""The smooth motion under compliant contacts: Newton's method on the wrenches f of the bodies.

    r(f) = f - F(q~(f), v~(f)),     (M + c_q K + c_v C) z = -r,     f <- f + M z

`q~(f)`, `v~(f)` is the scheme's motion under given wrenches (smooth_motion.py). F is the sum of gravity,
loads and contacts there, z the change of the accelerations, and with the scheme's factors

    c_q = h^2 beta (1 - alpha_f)/(1 - alpha_m),    c_v = h gamma (1 - alpha_f)/(1 - alpha_m)

Joints hold in each of these motions (constrained_motion.py), which then need several iterations. With rows G
and changes l of their multipliers, each step of Newton's method is that of the saddle point

    [M + c_q K + c_v C   G^T] [ z]   [-r]
    [G                   -c ] [-l] = [ 0],           f <- f - r - (c_q K + c_v C) z

(constraints/saddle_point.py), and the next motion begins with the multipliers that it leads to.

K, C are the tangents of the contacts (contact_tangents.py), and M is that of the inertia forces. For general
bodies it has their gyroscopic terms, rotated to the inertial frame. The user's loads have no tangent: they
are taken as they come, which converges while they are soft.

A force that jumps at touch, as a dashpot's, may leave no solution. Without the force the contact is closed at
the end of the step, by some d; with the force f it is open. Then

    d < c_q f/m_eff,

and the contact waits. Its force begins in the next step, an error of f h, as of any instant of touch that is
rounded to a step. It may not where the overlap that it would begin with stores much of the energy of its
approach. Nor is a step accepted at whose end contacts give more energy than they got (impact_passivity.py).
Both are impacts for which the step is too long.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.constraints.jointed_response import begin_joints
from nsgalpha.constraints.saddle_point import Saddle, compliances
from nsgalpha.geometry.rotations import to_body
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg import SingularMatrixError
from nsgalpha.linalg.low_rank import summed
from nsgalpha.schemes.generalized_alpha.constrained_motion import free_motion
from nsgalpha.schemes.generalized_alpha.impact_passivity import gives_energy
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.stepping.smooth_motion import inertia_blocks, smooth_motion, times
from nsgalpha.stepping.step_outcome import NOT_FINITE, SMOOTH

MAX_ITERATIONS = 40
SHORTEST = 1 / 16  # part of a Newton step below which it is taken although the residual has grown
ROUNDING = 4e-16  # relative change of the positions that counts as none


@kernel
def _size(bodies, q, wrench):
    """`w . M^-1 w` of the `wrench` w (N, 6), inertial, on bodies with the rotations `q`."""
    total = 0.0
    T = np.empty(3)
    W = np.empty(3)
    for b in range(wrench.shape[0]):
        to_body(q[b], wrench[b, 3:], T)
        times(bodies.inverse_inertia[b], T, W)
        for i in range(3):
            total += bodies.inverse_mass[b] * wrench[b, i] ** 2 + T[i] * W[i]
    return total


def smooth_contacts(now: StepData, t: float, h: float) -> tuple[Floats, int] | int:
    """Smooth motion in `now.new` at the time `t` after a step of `h` [s].

    Returns the wrenches (N, 6) and the number of iterations, or the outcome of a failure.
    """
    am, af, gamma, beta = now.scheme
    to_a = (1.0 - af) / (1.0 - am)
    factor_q, factor_v = h * h * beta * to_a, h * gamma * to_a
    now.compliant.begin(now.old)
    outcome: tuple[Floats, int] | int = SMOOTH
    resolved = True
    if not now.waits:
        outcome = _newton(now, t, h, factor_q, factor_v)
    if outcome == SMOOTH:
        now.compliant.wait()
        outcome = _newton(now, t, h, factor_q, factor_v)
        if not isinstance(outcome, int):
            opens, resolved = now.compliant.may_wait(factor_q)
            if now.waits:
                return outcome
            if not opens:
                return SMOOTH
    if not isinstance(outcome, int) and (not resolved or gives_energy(now, h)):
        now.unresolved = True
        return SMOOTH
    return outcome


def _newton(now: StepData, t: float, h: float, factor_q: float, factor_v: float) -> tuple[Floats, int] | int:
    """`smooth_contacts` with the contacts that there are."""
    blocks = np.empty((now.system.count, 6, 6))
    if now.system.model.joints:
        begin_joints(now.system.joints)
    f = now.wrenches(t, now.old, now.old, np.zeros_like(now.increment), h)
    if not np.isfinite(f).all():
        return NOT_FINITE
    trial = _trial(now, t, h, f, now.system.joints.multiplier)
    change = np.inf
    for iteration in range(1, MAX_ITERATIONS + 1):
        if trial is None:
            return SMOOTH
        residual, merit = trial
        balanced = _converged(f, residual, now.compliant.largest(), now.levers, now.tol)
        if balanced or factor_q * change <= ROUNDING * np.abs(now.new.x).max():
            return f - residual, iteration
        inertia_blocks(now.system.bodies, now.new, f, factor_q, factor_v, blocks)
        try:
            z, step, reaction = _direction(now, blocks, residual, factor_q, factor_v)
        except SingularMatrixError:
            return SMOOTH
        change = max(float(np.abs(z[:, :3]).max()), now.lever * float(np.abs(z[:, 3:]).max()))
        part, multiplier = 1.0, now.system.joints.multiplier.copy()
        trial = _trial(now, t, h, f + step, multiplier + reaction)
        while part > SHORTEST and (trial is None or not trial[1] <= merit):
            part *= 0.5
            trial = _trial(now, t, h, f + part * step, multiplier + part * reaction)
        f = f + part * step
    return SMOOTH


def _direction(
    now: StepData, blocks: Floats, residual: Floats, factor_q: float, factor_v: float
) -> tuple[Floats, Floats, Floats]:
    """Changes of accelerations (N, 6), wrenches (N, 6) and multipliers (R,) that take the `residual` (N, 6).

    `blocks` (N, 6, 6) are tangents of the inertia forces. Raises SingularMatrixError.
    """
    pattern, values = now.compliant.tangents(factor_q, factor_v)
    low = now.compliant.low_rank(factor_q, factor_v)
    if not now.system.model.joints:
        z = pattern.factorise(blocks, values, low).solve(-residual.ravel()).reshape(-1, 6)
        return z, np.einsum("bij,bj->bi", blocks, z), np.zeros(0)
    tangents = summed(pattern.matrix(values).copy(), low)
    joints, bodies = now.system.joints, now.system.bodies
    c = compliances(joints, factor_q, factor_v)
    saddle = Saddle(now.saddles, joints, bodies, c, pattern.assemble(blocks, values), low)
    z, reaction = saddle.solve_both(-residual.ravel())
    step = -residual - (tangents @ z).reshape(-1, 6)
    return z.reshape(-1, 6), step, reaction


def _trial(now: StepData, t: float, h: float, f: Floats, multiplier: Floats) -> tuple[Floats, float] | None:
    """Motion under the wrenches `f`, residual, and its norm in M^-1; or None.

    Multipliers of joints begin with `multiplier` (R,).
    """
    if now.system.model.joints:
        now.system.joints.multiplier[:] = multiplier
        iterations = free_motion(now.constants, h, f, now.instant)
    else:
        iterations = smooth_motion(now.constants, h, f, now.old, now.new, now.increment)
    if iterations < 0:
        return None
    residual = f - now.wrenches(t, now.new, now.new, now.increment, h)
    if not np.isfinite(residual).all():
        return None
    return residual, float(_size(now.system.bodies, now.new.q, residual))


@kernel
def _converged(wrench, residual, local, lever, tol):
    """True if each body's residual is below `tol` of its largest force (torques: `lever`).

    `local` (N,): its largest force in a contact. Measured by the largest force of all, light bodies would
    move anyhow beside heavy ones.
    """
    for b in range(residual.shape[0]):
        force, torque, rest, rest_torque = local[b], 0.0, 0.0, 0.0
        for i in range(3):
            force, torque = max(force, abs(wrench[b, i])), max(torque, abs(wrench[b, 3 + i]))
            rest, rest_torque = max(rest, abs(residual[b, i])), max(rest_torque, abs(residual[b, 3 + i]))
        if not (rest <= tol * force and rest_torque <= tol * max(torque, force * lever[b])):
            return False
    return True
