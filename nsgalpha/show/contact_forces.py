"""Contacts of a recorded state as lines between centres, and the forces on each body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import MARKERS, Ints
from nsgalpha.model.compliant_law import CompliantLaw
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import cell_at, nearest_images
from nsgalpha.run.result import Result
from nsgalpha.run.run_records import Contacts
from nsgalpha.show.colours import STATUSES
from nsgalpha.show.contact_appearance import ContactOwners
from nsgalpha.show.contact_lines import Lines, Pose
from nsgalpha.show.periodic_images import shifts_of, shown_places
from nsgalpha.show.user_choices import has_compliant

if TYPE_CHECKING:
    from nsgalpha.forces.contact_outputs import CompliantContacts  # which imports the compiler


def status_numbers(status: NDArray[np.str_]) -> Ints:
    """Numbers in STATUSES of the words (K,) of Contacts.status."""
    words = np.asarray(status)
    return np.select([words == word for word in STATUSES], range(len(STATUSES)), 0)


def contact_lines(result: Result, record: int, owners: ContactOwners | None = None) -> Lines:
    """All closed contacts of the recorded state number `record`; `owners` are asked for the elements."""
    lines = set_valued_lines(result, record, owners)
    if not has_compliant(result.model):
        return lines
    return joined(lines, lines_of_compliant(result.compliant_contacts(record), float(result.t[record])))


def joined(first: Lines, second: Lines) -> Lines:
    """The contacts of both."""
    return Lines(*(np.concatenate(pair) for pair in zip(first, second, strict=True)))


def set_valued_lines(result: Result, record: int, owners: ContactOwners | None = None) -> Lines:
    """The closed set-valued contacts of the recorded state number `record`, without those between markers."""
    pose = float(result.t[record]), np.asarray(result.position[record]), np.asarray(result.rotation[record])
    return lines_of(result.contacts.at(record), result.model, pose, owners)


def lines_of(contacts: Contacts, model: Model, pose: Pose, owners: ContactOwners | None = None) -> Lines:
    """Set-valued `contacts` of one state, without those between markers."""
    x = pose[1]
    rows = np.flatnonzero(np.asarray(contacts.plane) > MARKERS)
    element = np.full(len(rows), -1) if owners is None else owners.numbers(contacts, *pose)[rows]
    a, b, plane = contacts.body_a[rows], contacts.body_b[rows], contacts.plane[rows]
    gap, normal = contacts.gap[rows], contacts.normal[rows]
    radius = np.array([body.radius for body in model.bodies])
    cell_motion, others = model.cell_motion, ~((radius[a] > 0.0) & (radius[b] > 0.0))[:, None]
    apart = x[a] - x[b]
    x = shown_places(model, x, pose[0])
    foot = x[a] - (radius[a] + gap)[:, None] * normal
    other = x[b] if model.periodic is None else foot - radius[b, None] * normal
    if model.periodic is not None and not (cell_motion is not None and cell_motion.is_controlled):
        other = np.where(others, x[a] - nearest_images(apart, cell_at(model, pose[0])), other)
    end = np.where((b >= 0)[:, None], other, foot)
    force = contacts.wrench[rows][:, :3]
    status = status_numbers(contacts.status[rows])
    point = x[a] - radius[a][:, None] * normal
    return Lines(x[a], end, a, b, plane, gap, normal, force, status, point, element)


def lines_of_compliant(c: CompliantContacts, t: float) -> Lines:
    """The closed compliant contacts of one state, at the time `t` [s]."""
    start = c.point - c.lever_a
    shift = shifts_of(c.model, c.body_a, start, t)
    start = start + shift
    touch = np.full(len(c.gap), STATUSES.index("touch"))
    sides = c.body_a, c.body_b, c.plane
    end, point, element = start - c.displacement, c.point + shift, _compliant(c.model)[c.element]
    return Lines(start, end, *sides, c.gap, c.normal, c.force, touch, point, element)


def _compliant(model: Model) -> Ints:
    """Numbers in `model.elements` of the compliant elements."""
    return np.array([k for k, each in enumerate(model.elements) if isinstance(each.law, CompliantLaw)])


def body_status(lines: Lines, count: int) -> Ints:
    """Numbers (count,) in STATUSES of the bodies: the last that one of its contacts has."""
    status = np.zeros(count, np.int64)
    for side in (lines.body_a, lines.body_b):
        np.maximum.at(status, side[side >= 0], lines.status[side >= 0])
    return status
