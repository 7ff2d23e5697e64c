"""The contacts of a recorded state as lines between centres, and what they do to each body."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import MARKERS, Floats, Ints
from nsgalpha.model.model import Model
from nsgalpha.run.result import Contacts, Result
from nsgalpha.show.choices import has_compliant
from nsgalpha.show.colours import STATUSES
from nsgalpha.show.places import shifts_of, shown_places

if TYPE_CHECKING:
    from nsgalpha.compliant.outputs import CompliantContacts  # which imports the compiler


class Lines(NamedTuple):
    """K contacts. Set-valued ones come first, with the mean force of the step that led to the state."""

    start: Floats  # (K, 3) centre of side A [m]
    end: Floats  # (K, 3) centre of side B, or the foot on a plane
    body_a: Ints  # (K,) -1 where side A is no body
    body_b: Ints  # -1 where side B is no body
    plane: Ints  # -1 where side B is no plane
    gap: Floats  # [m]
    normal: Floats  # (K, 3) unit, from B to A
    force: Floats  # (K, 3) on A [N]
    status: Ints  # numbers in STATUSES
    point: Floats  # (K, 3) in the contact [m]

    @property
    def pressure(self) -> Floats:
        """Normal force (K,) [N], > 0 pushes apart."""
        return np.einsum("ki,ki->k", self.force, self.normal)


def status_numbers(status: NDArray[np.str_]) -> Ints:
    """Numbers in STATUSES of the words (K,) of Contacts.status."""
    words = np.asarray(status)
    return np.select([words == word for word in STATUSES], range(len(STATUSES)), 0)


def contact_lines(result: Result, record: int) -> Lines:
    """All closed contacts of the recorded state number `record`."""
    lines = set_valued_lines(result, record)
    if not has_compliant(result.model):
        return lines
    return joined(lines, lines_of_compliant(result.compliant_contacts(record)))


def joined(first: Lines, second: Lines) -> Lines:
    """The contacts of both."""
    return Lines(*(np.concatenate(pair) for pair in zip(first, second, strict=True)))


def set_valued_lines(result: Result, record: int) -> Lines:
    """The closed set-valued contacts of the recorded state number `record`, without those between markers."""
    return lines_of(result.contacts.at(record), result.model, result.position[record])


def lines_of(contacts: Contacts, model: Model, x: Floats) -> Lines:
    """Set-valued `contacts` of one state with the bodies at `x` (N, 3) [m], without those between markers."""
    rows = np.flatnonzero(np.asarray(contacts.plane) > MARKERS)
    a, b, plane = contacts.body_a[rows], contacts.body_b[rows], contacts.plane[rows]
    gap, normal = contacts.gap[rows], contacts.normal[rows]
    radius = np.array([body.radius for body in model.bodies])
    x = shown_places(model, x)
    foot = x[a] - (radius[a] + gap)[:, None] * normal
    end = np.where(
        (b >= 0)[:, None], x[b] if model.periodic is None else foot - radius[b, None] * normal, foot
    )
    force = contacts.wrench[rows][:, :3]
    status = status_numbers(contacts.status[rows])
    return Lines(x[a], end, a, b, plane, gap, normal, force, status, x[a] - radius[a][:, None] * normal)


def lines_of_compliant(c: CompliantContacts) -> Lines:
    """The closed compliant contacts of one state."""
    start = c.point - c.lever_a
    shift = shifts_of(c.model, c.body_a, start)
    start = start + shift
    touch = np.full(len(c.gap), STATUSES.index("touch"))
    sides = c.body_a, c.body_b, c.plane
    return Lines(start, start - c.displacement, *sides, c.gap, c.normal, c.force, touch, c.point + shift)


def body_status(lines: Lines, count: int) -> Ints:
    """Numbers (count,) in STATUSES of the bodies: the last that one of its contacts has."""
    status = np.zeros(count, np.int64)
    for side in (lines.body_a, lines.body_b):
        np.maximum.at(status, side[side >= 0], lines.status[side >= 0])
    return status
