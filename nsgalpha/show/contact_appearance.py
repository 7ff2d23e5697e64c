"""Colours and visibility of contacts, as they were stated for their elements.

Recorded set-valued contacts do not know their elements. These are found again among the candidate pairs of a
state, by the sides and the feature of a contact.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.model.appearance import RGBA
from nsgalpha.model.contact_element import ContactLaw, MarkerContact
from nsgalpha.model.model import Model
from nsgalpha.model.state import ContactForces, State
from nsgalpha.run.run_records import Contacts
from nsgalpha.show.contact_lines import Lines

REACH = 1e-2  # of the largest body, in which contacts are looked for


class ContactOwners:
    """The elements of the set-valued contacts of a model, but for contacts between markers."""

    def __init__(self, model: Model, numbers: list[int]) -> None:
        from nsgalpha.system.system import System  # which imports the compiler

        alone = copy.copy(model)
        alone.__dict__ |= {"loads": [], "joints": [], "drives": [], "open_boundaries": [], "labels": {}}
        alone.__dict__["elements"] = [model.elements[k] for k in numbers]
        self.system, self.element = System(alone), np.array(numbers, np.int64)
        self.reach = REACH * max(float(self.system.bodies.extent.max()), self.system.thinnest)

    def numbers(self, contacts: Contacts, t: float, x: Floats, q: Floats) -> Ints:
        """Numbers (K,) in `model.elements` of the `contacts` of the pose `x`, `q` of the bodies; -1: none."""
        none, rest = np.zeros_like(x), np.zeros((len(x), 6))
        motion = self.system.motion(State(t, x, q, none, none, rest, rest))
        gap = np.asarray(contacts.gap)
        reach = max(self.reach, 1.01 * float(np.max(gap, initial=0.0, where=np.isfinite(gap))))
        found = self.system.candidates(motion.x, reach, motion.q)
        self.system.select(motion, found)
        self.system.measure(motion, found)
        a, b, plane, feature = (
            np.asarray(each) for each in (contacts.body_a, contacts.body_b, contacts.plane, contacts.feature)
        )
        known: Any = ContactForces(a, b, plane, np.zeros((len(gap), 6)), feature)
        return np.append(self.element, -1)[self.system.owners(known, found)]


def owners_of(model: Model) -> ContactOwners | None:
    """The owners of set-valued contacts; None if none of their elements has a stated appearance."""
    if not model.appearances.elements:
        return None
    numbers = [
        k
        for k, element in enumerate(model.elements)
        if isinstance(element.law, ContactLaw) and not isinstance(element, MarkerContact)
    ]
    if not any(k in model.appearances.elements for k in numbers):
        return None
    return ContactOwners(model, numbers)


def shown_lines(lines: Lines, model: Model) -> Lines:
    """The `lines` of elements to be shown."""
    hidden = [k for k, look in model.appearances.elements.items() if not look.show]
    if not hidden:
        return lines
    kept = ~np.isin(lines.element, hidden)
    columns: Any = (column[kept] for column in lines)
    return type(lines)(*columns)


def stated_colours(model: Model) -> list[RGBA]:
    """The different colours that were stated for elements of a `model`."""
    looks = model.appearances.elements.values()
    return list(dict.fromkeys(look.colour for look in looks if look.colour is not None))


def colour_numbers(lines: Lines, model: Model) -> Ints:
    """Numbers (K,) in `stated_colours` of the colours of `lines`; -1: the usual one."""
    known = stated_colours(model)
    table = np.full(len(model.elements) + 1, -1)  # the last is that of no element
    for element, look in model.appearances.elements.items():
        if look.colour is not None:
            table[element] = known.index(look.colour)
    return table[lines.element]
