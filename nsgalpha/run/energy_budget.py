"""The energy budget of a run: works of its drives, friction, impacts and loads.

    kinetic + potential + elastic = that of the first state + drives + friction + impacts + loads + residual

All of it follows from the records of every step (docs/how-to/joints.md, "Energy"). Works of a step of h are

    drives      h/2 (P_n + P_{n+1}) + Lambda . (c'_n + c'_{n+1})/2,     P = lambda c'
    friction    h/2 (F_n . u_n + F_{n+1} . u_{n+1})                     contact_work.py
    impacts     L . (G V^- + G V^+)/2                                    contact_work.py
    loads       h/2 (f_n . V_n + f_{n+1} . V_{n+1}) + change of the energy stored in compliant contacts

with the multipliers lambda of the smooth motion and the impulses Lambda of the corrections.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.constraints.joint_outputs import energy_of_springs, measured_sides, rows_of_joints
from nsgalpha.forces.contact_outputs import evaluated, has_compliant
from nsgalpha.model.coordinate_relations import CoordinateLoad, Coordinates, ties
from nsgalpha.model.handles import Plane
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.run.contact_work import contact_work
from nsgalpha.system.system import System

SMOOTH, FORCE, IMPACT = 0, 1, 2  # columns of the rows of joints, see State


class Budget(NamedTuple):
    """Energies and works of a run, (n,) each [J]; works on bodies since the first state."""

    kinetic: Floats
    potential: Floats  # of gravity, zero at the origin
    elastic: Floats  # in compliant contacts, shells, and springs of joints with a constant rest
    drives: Floats  # of drives, motors and moving frames, less the loss in dampers of joints
    friction: Floats  # of sliding, rolling and drilling, in contacts and joints: < 0
    impacts: Floats  # < 0 with restitution below 1
    loads: Floats  # of loads besides gravity, less the loss in compliant contacts
    residual: Floats  # error of the steps themselves: the energies less those of the start and all works

    @property
    def total(self) -> Floats:
        """Kinetic, potential and elastic energy (n,) [J]."""
        return self.kinetic + self.potential + self.elastic


def budget(result: Any) -> Budget:
    """The budget of a result; ValueError unless every step and its contacts are recorded."""
    refuse_gaps(result, "budget")
    kinetic, potential, elastic = (result.energy(kind) for kind in ("kinetic", "potential", "elastic"))
    h = np.diff(np.asarray(result.t))
    contacts = contact_work(result)
    rubbed, lost, moved = (each.sum(axis=0) for each in contacts[:3])
    springs = np.diff(energy_of_springs(result.model, np.asarray(result.joints)))
    driven = work_of_drives(result, h).sum(axis=0) + springs
    works = [driven + _of_frames(result, h) + moved, rubbed, lost, _of_loads(result, h, contacts.jumps)]
    summed = [np.concatenate([[0.0], np.cumsum(work)]) for work in works]
    total = kinetic + potential + elastic
    residual = total - total[0] - sum(summed)
    drives, friction, impacts, loads = summed
    return Budget(kinetic, potential, elastic, drives, friction, impacts, loads, residual)


def refuse_gaps(result: Any, what: str) -> None:
    """ValueError about `what` unless there is a recorded state for every step, with its contacts."""
    steps, closed = len(result.stats.contacts), np.asarray(result.stats.contacts)
    if len(result.t) != steps + 1:
        raise ValueError(
            f"{what}: {len(result.t) - 1} of {steps} steps are recorded: works are sums over all steps; "
            "leave out `every` of the recording"
        )
    start = np.asarray(result.contacts.start)
    if has_compliant(result.model):  # which the statistics count, too
        closed = np.asarray(result.stats.sub_impacts) + (start[-1] > 0)
    if len(start) > 2 and closed[:-1].any() and start[-2] == 0:
        raise ValueError(f"{what}: no contacts are recorded: leave out `contacts=False` of the recording")
    if result.model.open_boundaries:
        raise ValueError(
            f"{what}: bodies come and go by {result.model.open_boundaries[0].name!r}, and take their energy "
            "with them; it is of runs in which all stay"
        )
    massless = [body.name for body in result.model.bodies if body.mass == 0.0 and not body.fixed]
    if massless:
        raise ValueError(f"{what}: {massless[0]!r} has no mass: an overdamped run has no kinetic energy")


def _between(h: Floats, acted: Floats, rate: Floats) -> Floats:
    """Work (n - 1,) of a row that `acted` (n, 3), see State, at the `rate` (n,)."""
    smooth, force, struck = acted.T
    mean = 0.5 * (rate[1:] + rate[:-1])
    power = smooth * rate
    return 0.5 * h * (power[1:] + power[:-1]) + (h * (force - smooth)[1:] + struck[1:]) * mean


def work_of_drives(result: Any, h: Floats) -> Floats:
    """Work (D, n - 1) of each of the drives, motors and springs in each step."""
    model, did, t = result.model, np.asarray(result.joints), np.asarray(result.t)
    work = {id(drive): np.zeros(len(h)) for drive in model.drives}
    if not model.drives:
        return np.zeros((0, len(h)))
    first, relations = rows_of_joints(model, did), ties(model.drives)
    coordinates = Coordinates(model.joints, model.drives)
    rates = did[:, first + len(relations) :, 1]
    for k, drive in enumerate(relations):
        rate = sum(each.ratio * rates[:, coordinates.number(each)] for each in drive.terms)
        work[id(drive)] += _between(h, did[:, first + k], np.asarray(rate))
    for drive in model.drives:
        if isinstance(drive, CoordinateLoad):
            load = np.array([drive.load(float(each)) for each in t])
            power = load * rates[:, coordinates.number(drive.terms[0])]
            work[id(drive)] += 0.5 * h * (power[1:] + power[:-1])
    return np.array([work[id(drive)] for drive in model.drives])


def _of_frames(result: Any, h: Floats) -> Floats:
    """Work (n - 1,) that moving frames do through the joints that they carry."""
    did, first, work = np.asarray(result.joints), 0, np.zeros(len(h))
    for joint in result.model.joints:
        for side, carrier in enumerate(joint.carriers):
            if not (isinstance(carrier, Plane) and carrier.motion is not None):
                continue
            G, V = measured_sides(joint, result)
            rates = np.einsum("nri,ni->nr", G[:, :, side], V[:, side])
            for r in range(len(joint.rows)):
                work -= _between(h, did[:, first + r], rates[:, r])
        first += len(joint.rows)
    return work


def _of_loads(result: Any, h: Floats, jumps: dict[int, Floats]) -> Floats:
    """Work (n - 1,) of loads, and of compliant contacts less their stored energy.

    Steps with `jumps` of the velocities, of located impacts, end before these.
    """
    model: Model = result.model
    compliant = has_compliant(model)
    if not (model.loads or compliant):
        return np.zeros(len(h))
    system, stored = System(model), np.zeros(len(result.t))
    start, end = np.zeros((2, len(result.t)))  # power at the start and at the end of steps

    def power(state: State) -> tuple[float, float]:
        wrench, energy = system.loads(state) - system.weight, 0.0
        if compliant:
            contacts, _, pushed = evaluated(system, state)
            wrench, energy = wrench + pushed, contacts.energy
        both = wrench[:, :3] * state.velocity + wrench[:, 3:] * state.angular_velocity
        return float(both.sum()), energy

    for i in range(len(result.t)):
        state = result.state(i)
        start[i], stored[i] = power(state)
        end[i] = start[i]
        if i - 1 in jumps:
            change = jumps[i - 1][: system.count]
            v, w = state.velocity - change[:, :3], state.angular_velocity - change[:, 3:]
            end[i], _ = power(replace(state, velocity=v, angular_velocity=w))
    return 0.5 * h * (start[:-1] + end[1:]) + np.diff(stored)
