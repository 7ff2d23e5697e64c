"""Reactions and coordinates of joints in recorded states.

    force, torque = result.reaction(pin)        angle, rate = result.coordinate(pin)
    torque, power = result.effort(servo)        force, torque = result.constraint_reaction(pin)

The constraint reaction is that of the rows of a joint. The loads of drives, motors and springs on its
coordinates, G_c^T Q, are a part of its reaction, as friction and stops are (marker_outputs.py).

A run keeps the multipliers of the rows of joints. The rows, and those that measure coordinates, are measured
again at the recorded states, by the functions that a step calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np

from nsgalpha.arrays import Bodies, Floats, empty_motion
from nsgalpha.checks import either, refuse
from nsgalpha.constraints.joint_rows import no_joint_rows
from nsgalpha.constraints.joint_tables import joint_table
from nsgalpha.constraints.recorded_joints import RowsOfStates, measure_states
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.coordinate_relations import (
    CoordinateLoad,
    Coordinates,
    Drive,
    constant_of,
    memory_rows,
    moves,
    ties,
)
from nsgalpha.model.coordinate_relations import Drive as Relating
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.joint_interface import Joint, Row
from nsgalpha.model.model import Model
from nsgalpha.model.plane_motion import frame_motion
from nsgalpha.model.state import State

FORCE, IMPACT = 1, 2  # columns of the rows of joints, see State


class Reaction(NamedTuple):
    """The load of a joint on its side B, at its point; inertial, (n, 3) or (3,) each.

    A force [N] and a torque [N m], or of impacts their impulses [N s], [N m s]. Side A feels the opposite
    force, at the same place unless the joint slides.
    """

    force: Floats
    torque: Floats

    def at(self, index: int) -> Reaction:
        """That of the state `index`."""
        return Reaction(self.force[index], self.torque[index])


class Coordinate(NamedTuple):
    """A coordinate of a joint, [m] or [rad], and its rate; (n,) each, or a number."""

    value: Floats
    rate: Floats

    def at(self, index: int) -> Coordinate:
        """That of the state `index`."""
        return Coordinate(self.value[index], self.rate[index])


class States(Protocol):
    """The motion of all bodies in n states, such as a result."""

    @property
    def t(self) -> Floats:
        """Times (n,) [s]."""

    @property
    def position(self) -> Floats:
        """(n, N, 3) [m]."""

    @property
    def rotation(self) -> Floats:
        """(n, N, 4)."""

    @property
    def velocity(self) -> Floats:
        """(n, N, 3) [m/s]."""

    @property
    def angular_velocity(self) -> Floats:
        """(n, N, 3) [rad/s]."""


class OneState:
    """A state as one of n = 1."""

    def __init__(self, state: State) -> None:
        self.t = np.array([state.t])
        self.position, self.rotation = state.position[None], state.rotation[None]
        self.velocity, self.angular_velocity = state.velocity[None], state.angular_velocity[None]


class _Sides(NamedTuple):
    """The motion of the two sides of a joint in n states."""

    x: Floats  # (n, 2, 3)
    q: Floats  # (n, 2, 4)
    V: Floats  # (n, 2, 6)


class Effort(NamedTuple):
    """The load of a drive on its coordinate, and its power; (n,) each, or a number.

    value: a force [N] or a torque [N m], positive where it moves side B as the coordinate grows. Of a Gear
    that on the second coordinate, of a Differential that for a weight of 1. power: [W], that the drive gives
    to the bodies.
    """

    value: Floats
    power: Floats

    def at(self, index: int) -> Effort:
        """That of the state `index`."""
        return Effort(self.value[index], self.power[index])


def effort(model: Model, drive: Drive | str, states: States, did: Any) -> Effort:
    """The load of a drive of the model; the rows `did` are (n, R, 3)."""
    drive = _drive(model, drive)
    first = rows_of_joints(model, did)
    relations = ties(model.drives)
    t = np.asarray(states.t)
    if isinstance(drive, CoordinateLoad):
        number = Coordinates(model.joints, model.drives).number(drive.terms[0])
        load = np.array([drive.load(float(each)) for each in t])
        return Effort(load, load * did[:, first + len(relations) + number, 1])
    (number,) = (k for k, each in enumerate(relations) if each is drive)
    load = np.asarray(did[:, first + number, FORCE])
    if drive.motion is None:
        return Effort(load, np.zeros(len(t)))
    known = Coordinates(model.joints, model.drives).number(drive.terms[0])
    return Effort(load, load * did[:, first + len(relations) + known, 1])


def energy_of_springs(model: Model, did: Any) -> Floats:
    """Energy (n,) [J] in springs of joints that have a constant rest."""
    first = rows_of_joints(model, did) + len(ties(model.drives))
    coordinates, total = Coordinates(model.joints, model.drives), np.zeros(len(did))
    for drive in ties(model.drives):
        if drive.stiffness > 0.0 and not moves(drive):
            value = np.asarray(did[:, first + coordinates.number(drive.terms[0]), 0])
            total += 0.5 * drive.stiffness * (value - constant_of(drive)) ** 2
    return total


def _drive(model: Model, drive: Drive | str) -> Drive:
    """A drive of the model, or the one of a name; ValueError if there is none."""
    for each in model.drives:
        if isinstance(each, Missing):
            each()
    found = [
        each for each in model.drives if each is drive or (isinstance(drive, str) and each.name == drive)
    ]
    if len(found) != 1:
        known = ", ".join(repr(each.name) for each in model.drives[:8]) or "none"
        which = drive.name if isinstance(drive, Relating) else drive
        remedy = f"it has {known}; reaction has the load of joint friction and of motors of limited strength"
        raise refuse("drive", which, "a drive of the model, or the name of one", remedy)
    return found[0]


def rows_of_joints(model: Model, did: Any) -> int:
    """Number of joint rows of the model. Raises ValueError unless they are recorded."""
    count = memory_rows(model)
    if did.shape[1] != count:
        what = f"{count} rows, and {did.shape[1]} are recorded"
        raise ValueError(f"joint: those of the model have {what}; leave the model of a result as it was")
    return sum(len(joint.rows) for joint in model.joints)


def measured_sides(joint: Joint, states: States) -> tuple[Floats, Floats]:
    """Rows `G` (n, R, 2, 6) of a joint, and the velocities (n, 2, 6) of its sides."""
    sides = _sides(joint, states)
    return _measured(joint, joint.rows, sides)[1], sides.V


def constraint_reaction(model: Model, joint: Joint | str, states: States, did: Any, column: int) -> Reaction:
    """The reaction of the rows of a joint of the model, which `did` (n, R, 3)."""
    number, joint = find(model, joint)
    ends = np.cumsum([0, *(len(each.rows) for each in model.joints)])
    rows_of_joints(model, did)
    first = ends[number]
    multiplier = np.asarray(did[:, first : first + len(joint.rows), column])
    _, G, lever = _measured(joint, joint.rows, _sides(joint, states))
    wrench = np.einsum("nr,nri->ni", multiplier, G[:, :, 1])
    force = wrench[:, :3]
    return Reaction(force, wrench[:, 3:] - np.cross(lever, force))


def drive_reaction(model: Model, number: int, states: States, did: Any, column: int) -> Reaction:
    """Reaction of drives, motors and springs of the joint `number` on its side B, see above."""
    joint, first, relations = model.joints[number], rows_of_joints(model, did), ties(model.drives)
    wrench, sides = np.zeros((len(states.t), 6)), _sides(joint, states)
    lever = _measured(joint, joint.rows, sides)[2]
    for drive in model.drives:
        for term in drive.terms:
            if term.joint is not joint:
                continue
            if isinstance(drive, CoordinateLoad):
                times = np.asarray(states.t).tolist() if column == FORCE else []
                load = np.array([drive.load(t) for t in times] or np.zeros(len(wrench)))
            else:
                row = next(k for k, each in enumerate(relations) if each is drive)
                load = term.ratio * np.asarray(did[:, first + row, column])
            g, G, _ = _measured(joint, _coordinate_rows(joint, term.name)[1], sides)
            wrench += load[:, None] * _gradient(g, G[:, :, 1])
    force = wrench[:, :3]
    return Reaction(force, wrench[:, 3:] - np.cross(lever, force))


def _gradient(g: Floats, G: Floats) -> Floats:
    """Derivatives (n, ...) of a coordinate of the values `g` (n, R), which have those in `G` (n, R, ...).

    An angle is known by its cosine and sine times a length.
    """
    if g.shape[1] == 1:
        return G[:, 0]
    (c, s), (dc, ds) = g.T[:, :, None], np.swapaxes(G, 0, 1)
    return np.asarray((c * ds - s * dc) / (c * c + s * s))


def coordinate(model: Model, joint: Joint | str, name: str | None, states: States, did: Any) -> Coordinate:
    """A coordinate of a joint, by `name` if there are several; drives know theirs."""
    number, joint = find(model, joint)
    name, _ = _coordinate_rows(joint, name)
    if model.drives:
        known = Coordinates(model.joints, model.drives).of.get((number, name))
        if known is not None:
            first = rows_of_joints(model, did) + len(ties(model.drives))
            return Coordinate(*np.asarray(did[:, first + known, :2]).T)
    return measured_coordinate(joint, name, states)


def measured_coordinate(joint: Joint, name: str, states: States) -> Coordinate:
    """The coordinate `name` of a joint in `states`, with the turns counted by its drive."""
    _, rows = _coordinate_rows(joint, name)
    sides = _sides(joint, states)
    g, G, _ = _measured(joint, rows, sides)
    rates = np.einsum("nrsi,nsi->nr", G, sides.V)
    rate = _gradient(g, rates[:, :, None])[:, 0]
    if len(rows) == 1:
        return Coordinate(g[:, 0], rate)
    c, s = g.T
    return Coordinate(unwrapped(states.t, np.arctan2(s, c), rate), rate)


def point_of_b(joint: Joint, states: States) -> Floats:
    """Place (n, 3) [m] of the point of a joint on its side B."""
    sides = _sides(joint, states)
    return sides.x[:, 1] + _measured(joint, joint.rows, sides)[2]


def unwrapped(t: Floats, angle: Floats, rate: Floats) -> Floats:
    """Angles (n,) with their whole turns, counted by the mean of the rates between two times."""
    expected = 0.5 * (rate[1:] + rate[:-1]) * np.diff(t)
    turns = np.round((expected - np.diff(angle)) / (2.0 * np.pi))
    return angle + 2.0 * np.pi * np.concatenate([[0.0], np.cumsum(turns)])


def find(model: Model, joint: Joint | str) -> tuple[int, Joint]:
    """Number and joint, for a joint or a name. Raises ValueError without one."""
    joints = model.joints
    for each in joints:
        if isinstance(each, Missing):
            each()
    if isinstance(joint, str):
        found = [k for k, each in enumerate(joints) if each.name == joint]
        if len(found) > 1:
            remedy = f"{len(found)} have it; give the joint itself"
            raise refuse("joint", joint, "the name of one joint", remedy)
    else:
        found = [k for k, each in enumerate(joints) if each is joint]
    if not found:
        known = ", ".join(repr(each.name) for each in joints[:8]) or "none"
        shown = joint.name if isinstance(joint, Joint) else joint
        allowed = "a joint of the model, or the name of one"
        raise refuse("joint", shown, allowed, f"it has {known}{', ...' if len(joints) > 8 else ''}")
    return found[0], joints[found[0]]


def _coordinate_rows(joint: Joint, name: str | None) -> tuple[str, Sequence[Row]]:
    known: dict[str, Sequence[Row]] = getattr(joint, "coordinates", {})
    if not known:
        what = "see the positions and rotations of its bodies"
        raise ValueError(f"joint: {joint.name} has no coordinate; {what}")
    if name is None and len(known) == 1:
        return next(iter(known.items()))
    if not isinstance(name, str) or name not in known:
        raise refuse("name", name, f"{either(list(known))} for {joint.name}")
    return name, known[name]


def _sides(joint: Joint, states: States) -> _Sides:
    """The motion of the two sides; that of frames at the times of the states."""
    n = len(states.t)
    sides = _Sides(np.zeros((n, 2, 3)), np.zeros((n, 2, 4)), np.zeros((n, 2, 6)))
    sides.q[..., 0] = 1.0
    for side, carrier in enumerate(joint.carriers):
        if isinstance(carrier, Body):
            k = carrier.index
            sides.x[:, side], sides.q[:, side] = states.position[:, k], states.rotation[:, k]
            sides.V[:, side, :3] = states.velocity[:, k]
            sides.V[:, side, 3:] = states.angular_velocity[:, k]
        elif isinstance(carrier, Plane):
            for i, t in enumerate(np.asarray(states.t).tolist()):
                x, q, v, w = frame_motion(carrier, t)
                sides.x[i, side], sides.q[i, side], sides.V[i, side] = x, q, np.concatenate([v, w])
    return sides


def _measured(joint: Joint, rows: Sequence[Row], sides: _Sides) -> tuple[Floats, Floats, Floats]:
    """Values (n, R) and `G` (n, R, 2, 6) of `rows` between the markers of a joint, the lever (n, 3) of B."""
    one = SimpleNamespace(points=joint.points, axes=joint.axes, rows=rows, length=0.0)
    table = joint_table([one], np.array([[0, 1]]))
    n, count = len(sides.x), len(rows)
    workspace = no_joint_rows(1, count)
    inverse = np.zeros((2, 3, 3))
    massless: list[Any] = [np.zeros(2)] * len(Bodies._fields)
    bodies = Bodies(*massless)  # of which the inverse masses alone are read
    found = RowsOfStates(np.zeros((n, count)), np.zeros((n, count, 2, 6)), np.zeros((n, 1, 2, 3)))
    measure_states(table, workspace, bodies, inverse, empty_motion(2), (sides.x, sides.q), found)
    return found.g, found.G, found.lever[:, 0, 1]
