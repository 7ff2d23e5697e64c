"""Impacts of compliant contacts that a step does not resolve: contacts that would give more than they got.

A force `m dv_{n+1}` acts on the velocities of several steps, in all by `h dv_{n+1}`:

    P = v + h (1 - alpha_m - gamma) a + h alpha_f dv,        P_{n+1} = P_n + h dv_{n+1}

P is the velocity that is left when no other force follows. A contact that is shorter than a step ends it
nearly without overlap: its force is m u h/c_q, and that impulse makes of the rate u^- = G P_n one that is up
to h^2/c_q - 1 times as large, 2.9 by default. Passive contacts cannot: what they do on the bodies

    W = h f . (u^- + u^+)/2,        u^+ = G P_{n+1},

is at most what they have stored. Contacts of bodies that contacts or joints connect count together. Springs
that were closed before, bonds and cohesion may give what they hold: only contacts that approach are judged.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.constraints.joint_pattern import components
from nsgalpha.forces.step_work import Span, Velocities
from nsgalpha.jit.decorators import kernel
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.stepping.rotations import to_inertial

MORE = 0.1  # rate after over that before, less 1, up to which an error of the scheme explains it


@kernel
def _left(bodies, motion, of_a, of_dv, linear, angular):
    """Velocities P (B, 3) each, that `motion` ends with where no other force follows."""
    turned = np.empty(3)
    local = np.empty(3)
    for b in range(linear.shape[0]):
        for i in range(3):
            linear[b, i] = motion.v[b, i] + of_a * motion.a[b, i] + of_dv * motion.dv[b, i]
            local[i] = of_a * motion.a[b, 3 + i] + of_dv * motion.dv[b, 3 + i]
            turned[i] = local[i]
        if not bodies.isotropic[b]:
            to_inertial(motion.q[b], local, turned)
        for i in range(3):
            angular[b, i] = motion.w[b, i] + turned[i]


def _left_by(now: StepData, motion: Motion, h: float) -> Velocities:
    """Velocities P of `motion` with steps of `h` [s]."""
    am, af, gamma, _ = now.scheme
    linear, angular = np.empty((2, now.system.size, 3))
    _left(now.system.bodies, motion, h * (1.0 - am - gamma), h * af, linear, angular)
    return linear, angular


def gives_energy(now: StepData, h: float) -> bool:
    """True if contacts that approach in this step of `h` [s] do more work than they may."""
    if not now.compliant.strikes:
        return False
    work = now.compliant.work(Span(h, _left_by(now, now.old, h), _left_by(now, now.new, h)))
    surplus = work.done - work.stored - MORE * work.taken
    if not (surplus > 0.0).any():
        return False
    return bool((_by_island(now, work.body, surplus) > 0.0).any())


def settle_impulses(now: StepData, h: float) -> None:
    """Give bodies at once what impacts in steps of `h` [s], shorter than others, leave to steps to come.

    Longer ones would multiply it. Of the bodies of contacts to which that would give energy, and of what
    joints hold with them, P becomes the velocity; the accelerations of such an impact say nothing.
    """
    system, old = now.system, now.old
    left = _left_by(now, old, h)
    work = now.compliant.work(Span(0.5 * (now.h - h), left, _left_by(now, old, now.h), closes=False))
    struck = np.zeros(system.size, bool)
    struck[work.body[work.done > work.stored + MORE * work.taken]] = True
    if system.model.joints:
        mechanism = system.joints.mechanism
        struck |= np.isin(mechanism, mechanism[struck & (system.joints.number >= 0)])
    struck &= system.bodies.inverse_mass > 0.0
    old.v[struck], old.w[struck] = left[0][struck], left[1][struck]
    old.a[struck] = old.dv[struck] = 0.0


def _by_island(now: StepData, body: Ints, values: Floats) -> Floats:
    """Sums of `values` (K,) of contacts of the bodies (K, 2) by what contacts and joints connect."""
    moving = now.system.bodies.inverse_mass > 0.0
    linked = [body]
    if now.system.model.joints:
        table = now.system.joints.table.body
        linked += [table[:, [0, side]] for side in range(1, table.shape[1])]
    number = components(np.concatenate(linked), moving)
    one = np.where(moving[body[:, 0]], body[:, 0], body[:, 1])
    return np.asarray(np.bincount(number[one], weights=values), float)
