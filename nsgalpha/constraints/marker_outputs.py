"""Reactions of ropes, limits and friction of joints, from the recorded contacts.

    force, torque = result.reaction(rope)

They are contacts of one row (contact/rows/marker_rows.py), found by their features. Their forces act at
the point of side B, where they have no torque; stops and friction of angles are torques alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import SimpleNamespace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import MARKERS, Floats
from nsgalpha.constraints.joint_outputs import (
    FORCE,
    IMPACT,
    Coordinate,
    Effort,
    OneState,
    Reaction,
    States,
    constraint_reaction,
    coordinate,
    drive_reaction,
    effort,
    find,
)
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


PARTS = 4  # features of an element: elements/geometry/marker_geometry.py


def reaction(model: Model, thing: Any, states: States, did: Any, contacts: Any, column: int) -> Reaction:
    """The reaction (n, 3) of a joint, rope, limit or friction, or of a name.

    That of a joint is of its rows and of all loads between its two sides: drives, motors, springs, friction
    and stops. A sensor of force and torque between the joint and side B reads it.

    `did` (n, R, 3) are the rows of joints in the `states`; `contacts` are those of a result.
    """
    element = _number(model, thing)
    if element is not None:
        return _of_contacts(model, element, contacts, column)
    number, joint = find(model, thing)
    parts = [
        constraint_reaction(model, joint, states, did, column),
        drive_reaction(model, number, states, did, column),
    ]
    for k, each in enumerate(model.elements):
        if isinstance(each, _InJoint) and each.joint is joint:
            parts.append(_of_contacts(model, k, contacts, column))
    return Reaction(*(np.sum([part[i] for part in parts], axis=0) for i in range(2)))


def of_forces(forces: ContactForces | None) -> SimpleNamespace:
    """The `forces` of one state as contacts of a result."""
    none = np.zeros(0, np.int64)
    if forces is None:
        return SimpleNamespace(start=[0, 0], record=none, plane=none, feature=none, wrench=np.zeros((0, 6)))
    record = np.zeros(len(forces.a), np.int64)
    given = {name: getattr(forces, name) for name in ("plane", "feature", "wrench")}
    return SimpleNamespace(start=[0, len(record)], record=record, **given)


class OneStateOutputs(ABC):
    """Outputs of the joints of one state, as those of a Result for several."""

    __slots__ = ()
    model: Model
    state: State

    @abstractmethod
    def _contacts(self) -> Any:
        """The contacts of the state, as a result has them."""

    def _reaction(self, joint: Joint | MarkerContact | str, column: int) -> Reaction:
        states, did = OneState(self.state), self._did()
        return reaction(self.model, joint, states, did, self._contacts(), column).at(0)

    def _did(self) -> Floats:
        """Loads and impulses (1, R, 3) of joints, as recorded."""
        return np.zeros((1, 0, 3)) if self.state.joints is None else self.state.joints[None]

    def reaction(self, joint: Joint | MarkerContact | str) -> Reaction:
        """Force (3,) [N] and torque (3,) [N m] of a joint, stop or rope on side B, see `Result.reaction`."""
        return self._reaction(joint, FORCE)

    def constraint_reaction(self, joint: Joint | str) -> Reaction:
        """Force (3,) [N] and torque (3,) [N m] of its constraints alone, see `Result.constraint_reaction`."""
        return constraint_reaction(self.model, joint, OneState(self.state), self._did(), FORCE).at(0)

    def coordinate(self, joint: Joint | str, name: str | None = None) -> Coordinate:
        """A coordinate of a joint [m] or [rad] and its rate, see `Result.coordinate`.

        An angle is in [-pi, pi], unless a drive acts on it: then its turns are counted.
        """
        return coordinate(self.model, joint, name, OneState(self.state), self._did()).at(0)

    def effort(self, drive: Drive | str) -> Effort:
        """Load [N] or [N m] and power [W] of a drive on its coordinate, see `Result.effort`."""
        return effort(self.model, drive, OneState(self.state), self._did()).at(0)


def _of_contacts(model: Model, number: int, contacts: Any, column: int) -> Reaction:
    """That of the element `number` in the states of the `contacts`."""
    element: Any = model.elements[number]
    sign = 1.0 if element.second_is_a else -1.0
    record, kind, feature = (np.asarray(each) for each in (contacts.record, contacts.plane, contacts.feature))
    rows = np.flatnonzero((kind <= MARKERS) & (feature // PARTS == number))
    total = np.zeros((len(contacts.start) - 1, 6))
    if column == IMPACT:
        along = np.asarray(contacts.multipliers)[rows, 2:3] * np.asarray(contacts.normal)[rows]
        np.add.at(total[:, 3:] if element.turns else total[:, :3], record[rows], sign * along)
    else:
        np.add.at(total, record[rows], sign * np.asarray(contacts.wrench)[rows])
    none = np.zeros((len(total), 3))
    return Reaction(none, total[:, 3:]) if element.turns else Reaction(total[:, :3], none)


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
