"""Work of set-valued contacts in every recorded step: friction, impacts, and moving frames.

    friction    h/2 (F_n . u_n + F_{n+1} . u_{n+1}) + h/2 (T_n . w_n + T_{n+1} . w_{n+1})
    impacts     L . (G V^- + G V^+)/2,      V^+ = V^- + M^-1 G^T L

u and w are the relative velocities of the points of contact and of the sides, u_n those after the impacts of
the step. Impacts that are located are at its end: u_{n+1} are then those before them. The forces of a step
are recorded in the frame of its end, n + 1; at its start they are turned with the normal. Normal forces do no
work in them: their error in steps is residual. L are the impulses of the impacts of a step, V^- the
velocities before it as joints at its end let them be. The change of the kinetic energy in a sequence of
impacts is L . (G V^- + G V^+)/2 in any order, as M (V^+ - V^-) = G^T L. Surfaces that run count as moving
frames (contact/rows/running_surfaces.py).

Loads may hold a rebound: the impulse against them is a part of the recorded impact (docs/design/impacts.md).
It does not change the opening rate of the contact. The smaller of the rates after the impact and at the end
of the step is that of the law.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import (
    FRICTION,
    MARKERS,
    TORQUE,
    TURNING_FRICTION,
    Candidates,
    Flags,
    Floats,
    Ints,
    Motion,
    turned,
)
from nsgalpha.constraints.joint_coordinates import set_compliance
from nsgalpha.constraints.jointed_response import project_onto_joints, project_velocities_onto_joints
from nsgalpha.contact.impacts.velocity_problem import NEARLY_NONE
from nsgalpha.contact.rows.contact_kinematics import tangents_of
from nsgalpha.geometry.contact_identity import carried
from nsgalpha.model.state import ContactForces
from nsgalpha.stepping.poses import rotate_inertias
from nsgalpha.stepping.warm_start import turn_all
from nsgalpha.system.consistent_start import measure_start
from nsgalpha.system.system import System

ROUNDING = 1e-9  # of an impulse, relative to that of the step
REACH = 1e-2  # of the largest body, to which contacts of a recorded state are looked for


class ContactWork(NamedTuple):
    """Works in each step, of each of the L set-valued elements of the system, (L, n - 1) [J]."""

    friction: Floats
    impacts: Floats
    frames: Floats  # that moving frames and surfaces do
    jumps: dict[int, Floats]  # velocities (B, 6) by located impacts, in the steps that have some
    elements: list[Any]  # (L,)


class _Done(NamedTuple):
    """Forces and impulses of the candidates (C,) of a step, on side A."""

    force: Floats  # (C, 3) mean [N]
    couple: Floats  # (C, 3) [N m]
    struck: Floats  # (C, 3) impulse of impacts [N s]
    twisted: Floats  # (C, 3) [N m s]
    normal: Floats  # (C,) normal impulse of impacts


class _Rates(NamedTuple):
    """Relative velocities (C, 3) of A against B, and those of sides that are frames."""

    slip: Floats
    spin: Floats
    frame_slip: Floats  # of B less A, as far as they are frames or surfaces that run
    frame_spin: Floats


def contact_work(result: Any) -> ContactWork:
    """The work of all recorded contacts; that of each element in the order of `System.elements`."""
    jumps, start = dict[int, Floats](), np.asarray(result.contacts.start)
    system = System(result.model) if len(result.model.elements) and start[-1] > 0 else None
    works = np.zeros((3, len(system.elements) if system else 0, len(result.t) - 1))
    if system is not None:
        for i in np.flatnonzero(np.diff(start)[1:]) + 1:
            works[:, :, i - 1] = _of_step(system, result, int(i), jumps)
    return ContactWork(works[0], works[1], works[2], jumps, system.elements if system else [])


def impact_jumps(result: Any, steps: Ints) -> dict[int, Floats]:
    """Jumps (B, 6) of the velocities at the ends of those `steps` that end at located impacts.

    All steps are recorded, and their contacts.
    """
    system, jumps = System(result.model), dict[int, Floats]()
    for step in steps.tolist():
        _of_step(system, result, step + 1, jumps)
    return jumps


def _of_step(system: System, result: Any, i: int, jumps: dict[int, Floats]) -> Floats:
    """Works (3, L) of friction, impacts, frames in the step to the recorded state `i`; fills the `jumps`."""
    h = float(result.t[i] - result.t[i - 1])
    old, new = system.motion(result.state(i - 1)), system.motion(result.state(i))
    V, W = _twists(old), _twists(new)
    recorded = result.contacts.at(i)
    reach = REACH * max(float(system.bodies.extent.max()), system.thinnest)
    reach = max(reach, 1.01 * float(np.max(recorded.gap, initial=0.0, where=np.isfinite(recorded.gap))))
    at_old = system.candidates(new.x, reach, new.q)
    own = {name: getattr(at_old, name).copy() for name in ("gap", "normal", "lever", "image")}
    at_new = at_old._replace(**own)
    system.select(new, at_old)
    system.measure(old, at_old)
    system.measure(new, at_new)
    done = _done(recorded, at_new, h, system)
    end = _rates(system, at_new, new, W)
    lost, given = np.zeros((2, len(done.force)))
    if done.struck.any() or done.twisted.any():
        at_end = bool(result.stats.located[i - 1] > 0)  # else velocities of the start have the impacts
        before, after = _around_impacts(system, new, V, W, at_new, done, h)
        change = after - before
        if at_end:
            before, after, jumps[i - 1] = W - change, W, change
            end = _rates(system, at_new, new, before)
        else:
            V = V + change
        one, two = _rates(system, at_new, new, before), _rates(system, at_new, new, after)
        last = two if at_end else end
        opening = np.minimum(_along(two.slip, at_new.normal), _along(last.slip, at_new.normal))
        slip = two.slip + (opening - _along(two.slip, at_new.normal))[:, None] * at_new.normal
        spin = two.spin
        turns = at_new.plane == TORQUE
        least = np.minimum(_along(two.spin, at_new.normal), _along(last.spin, at_new.normal))
        spin = np.where(turns[:, None], least[:, None] * at_new.normal, spin)
        lost = 0.5 * (_along(done.struck, one.slip + slip) + _along(done.twisted, one.spin + spin))
        given = _along(done.struck, two.frame_slip) + _along(done.twisted, two.frame_spin)
    begin = _rates(system, at_old, old, V)
    force = _turned(at_new.normal, at_old.normal, done.force)
    couple = _turned(at_new.normal, at_old.normal, done.couple)
    power = _power(system, at_old, force, couple, begin), _power(system, at_new, done.force, done.couple, end)
    rubbed, moved = 0.5 * h * (np.array(power[0]) + np.array(power[1]))
    wanted = _motors(system, at_new, done, np.asarray(result.t[i - 1 : i + 1])) * h
    works, law = (rubbed - wanted, lost, moved + wanted + given), at_new.law
    return np.array([np.bincount(law, each, minlength=len(system.elements)) for each in works])


def _done(recorded: Any, candidates: Candidates, h: float, system: System) -> _Done:
    """Forces and impulses of the `recorded` contacts of a state, in the order of the `candidates`."""
    c = recorded
    at = ContactForces(c.body_a, c.body_b, c.plane, np.asarray(c.wrench), c.feature)
    values = np.hstack([recorded.wrench, recorded.impulse, recorded.multipliers])
    wrench, impulse, multipliers = np.split(carried(at, candidates, values), [6, 9], axis=1)
    force, n, kind = wrench[:, :3], candidates.normal, candidates.plane
    couple = wrench[:, 3:]  # torques of rolling and drilling, without those of the force about the centre
    turning = (kind == TORQUE) | (kind == TURNING_FRICTION)
    marked = kind <= MARKERS
    load = h * _along(force, n)
    normal = np.where(marked, multipliers[:, 2], multipliers[:, 0] - load)
    normal = np.where((kind <= FRICTION) | (normal <= ROUNDING * np.abs(multipliers[:, 0])), 0.0, normal)
    struck = normal[:, None] * n
    rest = impulse - h * force
    rest -= _along(rest, n)[:, None] * n
    is_friction_row = (normal > 0.0) & ~marked & (system.laws.mu[candidates.law] > 0.0)
    struck[is_friction_row] += rest[is_friction_row]
    twisted = np.zeros_like(struck)
    twisted[turning], struck[turning] = struck[turning], 0.0
    t1, t2 = np.empty_like(n), np.empty_like(n)
    tangents_of(n, t1, t2)
    for column, axis in ((3, t1), (4, t2), (5, n)):
        part = multipliers[:, column] - h * _along(couple, axis)
        twisted += np.where((normal > 0.0) & ~marked, part, 0.0)[:, None] * axis
    return _Done(force, couple, struck, twisted, normal)


def _around_impacts(
    system: System, new: Motion, V: Floats, W: Floats, candidates: Candidates, done: _Done, h: float
) -> tuple[Floats, Floats]:
    """Velocities (B, 6) before and after the impacts of a step, as joints allow."""
    before, change = V.copy(), np.zeros_like(V)
    before[system.count :] = W[system.count :]
    for sign, side, body in ((1.0, 0, candidates.a), (-1.0, 1, candidates.b)):
        np.add.at(change[:, :3], body, sign * done.struck)
        arm = np.cross(candidates.lever[:, side], done.struck)
        np.add.at(change[:, 3:], body, sign * (arm + done.twisted))
    change[:, :3] *= system.bodies.inverse_mass[:, None]
    rotate_inertias(system.bodies, new.q, system.work)
    change[:, 3:] = np.einsum("bij,bj->bi", system.work, change[:, 3:])
    if system.bodies.joints is not None:
        set_compliance(system.joints, NEARLY_NONE * h * h, h)
        measure_start(system, new)
        project_velocities_onto_joints(system.joints, before)
        project_onto_joints(system.joints, change)
    return before, before + change


def _power(
    system: System, candidates: Candidates, force: Floats, couple: Floats, rates: _Rates
) -> tuple[Floats, Floats]:
    """Power (C,) [W] of friction, and that of moving frames, under forces and couples on A."""
    n, law, kind = candidates.normal, candidates.law, candidates.plane
    sliding = force - _along(force, n)[:, None] * n
    sliding[kind <= FRICTION] = force[kind <= FRICTION]
    turning = np.where(((kind == TORQUE) | (kind > MARKERS) & _smooth(system, law))[:, None], 0.0, couple)
    rubbed = _along(sliding, rates.slip) + _along(turning, rates.spin)
    return rubbed, _along(force, rates.frame_slip) + _along(couple, rates.frame_spin)


def _smooth(system: System, law: Ints) -> Flags:
    """True (C,) for contacts whose law has neither rolling nor drilling friction."""
    return np.equal(system.laws.rolling_radius[law] + system.laws.drilling_radius[law], 0.0)


def _motors(system: System, candidates: Candidates, done: _Done, t: Floats) -> Floats:
    """Power (C,) [W] of motors of limited strength: loads at the rates wanted at the times `t` (2,), mean."""
    power = np.zeros(len(done.force))
    for k in np.flatnonzero(candidates.plane <= FRICTION):
        friction = system.elements[candidates.law[k]].friction()
        times, rates = np.array(friction.speed).T
        motion = friction.motion
        at = np.interp(t, times, rates) if motion is None else [motion.at(each)[0] for each in t.tolist()]
        wanted = float(np.mean(at))
        power[k] = wanted * float((done.force[k] + done.couple[k]) @ candidates.normal[k])
    return power


def _rates(system: System, candidates: Candidates, motion: Motion, V: Floats) -> _Rates:
    """Relative velocities at the points of contact with `V` (B, 6), at the pose of `motion`.

    Frames are the rows of `V` behind those of the bodies. Images and surfaces that move count as frames, by
    their velocities relative to the bodies.
    """
    sides = []
    for side, body in ((0, candidates.a), (1, candidates.b)):
        v, w = V[body, :3], V[body, 3:]
        v = v + np.cross(w, candidates.lever[:, side])
        frame = (body >= system.count)[:, None]
        moved = np.where(frame, v, 0.0)
        if side == 1 and len(candidates.image):
            image = candidates.image @ V[-3:, :3]
            v, moved = v + image, moved + image
        if side == 1 and len(system.laws.surface):
            runs = _surfaces(system, candidates, motion)
            v, moved = v + runs, moved + runs
        sides.append((v, w, moved, np.where(frame, w, 0.0)))
    a, b = sides
    return _Rates(a[0] - b[0], a[1] - b[1], b[2] - a[2], b[3] - a[3])


def _surfaces(system: System, candidates: Candidates, motion: Motion) -> Floats:
    """Velocities (C, 3) of the surfaces of B, less those of A, within the tangent planes."""
    laws, law, n = system.laws, candidates.law, candidates.normal
    second = laws.owner[law] == 1
    owner = np.where(second, candidates.b, candidates.a)
    runs = np.where(second, 1.0, -1.0)[:, None] * turned(motion.q[owner], laws.surface[law])
    runs[candidates.plane <= MARKERS] = 0.0
    return np.asarray(runs - _along(runs, n)[:, None] * n)


def _along(a: Floats, b: Floats) -> Floats:
    return np.einsum("ci,ci->c", a, b)


def _turned(p: Floats, n: Floats, x: Floats) -> Floats:
    """Vectors `x` (C, 3) in the smallest rotations that take the unit vectors `p` to `n`."""
    out = np.empty_like(x)
    turn_all(p, n, x, out)
    return out


def _twists(motion: Motion) -> Floats:
    return np.hstack([motion.v, motion.w])
