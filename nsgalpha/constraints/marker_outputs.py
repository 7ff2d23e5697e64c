"""Reactions of ropes, limits and friction of joints, from the recorded contacts.

    force, torque = result.reaction(rope)

They are contacts of one row (contact/rows/marker_rows.py), found by their features. Their forces act at
the point of side B, where they have no torque; stops and friction of angles are torques alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from nsgalpha.arrays import MARKERS
from nsgalpha.constraints import joint_outputs as outputs
from nsgalpha.model.contact_element import MarkerContact
from nsgalpha.model.coordinate_relations import Drive
from nsgalpha.model.handles import JointHandle
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.model import Model
from nsgalpha.model.state import ContactForces, State


@runtime_checkable
class _InJoint(Protocol):
    """A limit, friction or motor of a joint."""

    joint: Any  # of the model
    coordinate: str | None


Output = TypeVar("Output", outputs.Reaction, outputs.Coordinate, outputs.Effort)
PARTS = 4  # features of an element: elements/geometry/marker_geometry.py


def reaction(
    model: Model, thing: Any, states: outputs.States, did: Any, contacts: Any, column: int
) -> outputs.Reaction:
    """The reaction (n, 3) of a joint, rope, limit or friction, or of a name.

    That of a joint is of its rows and of all loads between its two sides: drives, motors, springs, friction
    and stops. A sensor of force and torque between the joint and side B reads it.

    `did` (n, R, 3) are the rows of joints in the `states`; `contacts` are those of a result.
    """
    element = _number(model, thing)
    if element is not None:
        return _of_contacts(model, element, contacts, column)
    number, joint = outputs.find(model, thing)
    parts = [
        outputs.constraint_reaction(model, joint, states, did, column),
        outputs.drive_reaction(model, number, states, did, column),
    ]
    for k, each in enumerate(model.elements):
        if isinstance(each, _InJoint) and each.joint is joint:
            parts.append(_of_contacts(model, k, contacts, column))
    return outputs.Reaction(*(np.sum([part[i] for part in parts], axis=0) for i in range(2)))


def of_forces(forces: ContactForces | None) -> SimpleNamespace:
    """The `forces` of one state as contacts of a result."""
    none = np.zeros(0, np.int64)
    if forces is None:
        return SimpleNamespace(start=[0, 0], record=none, plane=none, feature=none, wrench=np.zeros((0, 6)))
    record = np.zeros(len(forces.a), np.int64)
    given = {name: getattr(forces, name) for name in ("plane", "feature", "wrench")}
    return SimpleNamespace(start=[0, len(record)], record=record, **given)


class JointRecords(NamedTuple):
    """Motions, loads (n, R, 3) of joints and contacts of n states; `single`: outputs are those of the one."""

    model: Model
    states: outputs.States
    did: Any
    contacts: Any
    single: bool = False

    def shown(self, found: Output) -> Output:
        """The outputs (n, ...) `found`, or those of the one state."""
        return found.at(0) if self.single else found


def record_of(model: Model, state: State, contacts: Any) -> JointRecords:
    """The records of one state and its `contacts`."""
    did = np.zeros((1, 0, 3)) if state.joints is None else state.joints[None]
    return JointRecords(model, outputs.OneState(state), did, contacts, single=True)


class JointOutputs(ABC):
    """Reactions, coordinates and efforts of joints, of the states that `_records` has."""

    __slots__ = ()

    @abstractmethod
    def _records(self) -> JointRecords:
        """The recorded motions, loads and contacts."""

    def _reaction(self, joint: Joint | MarkerContact | str, column: int) -> outputs.Reaction:
        known = self._records()
        return known.shown(reaction(known.model, joint, known.states, known.did, known.contacts, column))

    def reaction(self, joint: Joint | MarkerContact | str) -> outputs.Reaction:
        """Force (3,) [N] and torque (3,) [N m] of a joint, stop or rope on side B, see `Result.reaction`."""
        return self._reaction(joint, outputs.FORCE)

    def constraint_reaction(self, joint: Joint | str) -> outputs.Reaction:
        """Force (3,) [N] and torque (3,) [N m] of its constraints alone, see `Result.constraint_reaction`."""
        known = self._records()
        return known.shown(
            outputs.constraint_reaction(known.model, joint, known.states, known.did, outputs.FORCE)
        )

    def coordinate(self, joint: Joint | str, name: str | None = None) -> outputs.Coordinate:
        """A coordinate of a joint [m] or [rad] and its rate, see `Result.coordinate`.

        Of one state, an angle is in [-pi, pi], unless a drive acts on it: then its turns are counted.
        """
        known = self._records()
        return known.shown(outputs.coordinate(known.model, joint, name, known.states, known.did))

    def effort(self, drive: Drive | str) -> outputs.Effort:
        """Load [N] or [N m] and power [W] of a drive on its coordinate, see `Result.effort`."""
        known = self._records()
        return known.shown(outputs.effort(known.model, drive, known.states, known.did))


def _of_contacts(model: Model, number: int, contacts: Any, column: int) -> outputs.Reaction:
    """That of the element `number` in the states of the `contacts`."""
    element: Any = model.elements[number]
    sign = 1.0 if element.second_is_a else -1.0
    record, kind, feature = (np.asarray(each) for each in (contacts.record, contacts.plane, contacts.feature))
    rows = np.flatnonzero((kind <= MARKERS) & (feature // PARTS == number))
    total = np.zeros((len(contacts.start) - 1, 6))
    if column == outputs.IMPACT:
        along = np.asarray(contacts.multipliers)[rows, 2:3] * np.asarray(contacts.normal)[rows]
        np.add.at(total[:, 3:] if element.turns else total[:, :3], record[rows], sign * along)
    else:
        np.add.at(total, record[rows], sign * np.asarray(contacts.wrench)[rows])
    none = np.zeros((len(total), 3))
    return outputs.Reaction(none, total[:, 3:]) if element.turns else outputs.Reaction(total[:, :3], none)


def _number(model: Model, thing: Any) -> int | None:
    """Number among the elements of a rope, limit or friction, or of a unique name."""
    if isinstance(thing, JointHandle):
        return None
    if isinstance(thing, str):
        if any(getattr(joint, "name", None) == thing for joint in model.joints):
            return None
        found = [k for k, each in enumerate(model.elements) if getattr(each, "name", None) == thing]
        return found[0] if len(found) == 1 else None
    return next((k for k, each in enumerate(model.elements) if each is thing), None)
