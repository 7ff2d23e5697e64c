"""Work of contacts in a step, and initial energy of contacts that wait."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.model.compliant_law import Response

CARRIED = 0.5  # overlap before over that after an impact, above which it is none

Velocities = tuple[Floats, Floats]  # linear and angular (B, 3) of bodies and frames


class Work(NamedTuple):
    """Work and stored energy of contacts that approach in a step."""

    body: Ints  # (K, 2)
    done: Floats  # (K,) by their forces on the bodies [J]
    taken: Floats  # (K,) by the normal forces until nothing approaches [J]
    stored: Floats  # (K,) at the start of the step [J]


class Span(NamedTuple):
    """The time [s] that forces act, between two velocities of the bodies."""

    time: float
    before: Velocities
    after: Velocities
    closes: bool = True  # whether it is a step, in which contacts close; else all are closed all the time


class Rates(NamedTuple):
    """Local rates (C, 6) before and after a span of time [s]."""

    before: Floats
    after: Floats
    span: Span


def energy_of(response: Response, overlap: Floats) -> Floats:
    """Energy (C,) that contacts with the `overlap` (C,) have stored [J], for laws that do not say it, too."""
    spring = 0.5 * response.by_overlap[:, 0] * overlap**2
    return np.where(overlap > 0.0, np.maximum(response.energy, spring), 0.0)


def closing_columns(
    response: Response, overlaps: tuple[Floats, Floats], mass: Floats, rate: Floats
) -> Floats:
    """Columns (C, 5) of contacts that closed in a step, evaluated with the `rate` (C,) at its end.

    The first of the `overlaps`, which begins where the force does; normal force over effective `mass`;
    energy stored at the second, and kinetic energy of the approach [J]. The last is the rate.
    """
    beyond, overlap = overlaps
    approach = 0.5 * mass * np.minimum(rate, 0.0) ** 2
    energies = energy_of(response, overlap), approach
    return np.column_stack([beyond, response.force[:, 0] / mass, *energies, rate])


def strikes(response: Response, start: Floats, end: Floats) -> bool:
    """True if a contact that pushes at the `end` had a much smaller overlap (C,) at the `start`."""
    return bool(((response.force[:, 0] > 0.0) & (start <= CARRIED * end)).any())


def work_of(
    body: Ints, response: Response, overlaps: tuple[Floats, Floats], rates: Rates, judged: Flags
) -> Work:
    """Work of the contacts `judged` (C,) that push at the end, or approach in a step.

    `overlaps` (C,) at the start and at the end of the step. The energy stored at its start follows from the
    overlaps, as that of linear springs. Contacts that were apart approach, too; those that have carried as
    much before oscillate about their load and have no impact.
    """
    start, end = overlaps
    force, approach, span = response.force, rates.before[:, 0], rates.span
    judged = judged & (force[:, 0] > 0.0) & (end > 0.0)
    if span.closes:
        judged &= (start <= 0.0) | ((approach < 0.0) & (start <= CARRIED * end))
        judged &= ~(np.isneginf(start) & (approach > 0.0))  # found deep, behind a one-sided face
    force, start, end, approach = force[judged], start[judged], end[judged], approach[judged]
    done = 0.5 * span.time * np.einsum("ci,ci->c", force, rates.before[judged] + rates.after[judged])
    taken = 0.5 * span.time * force[:, 0] * np.maximum(-approach, 0.0)
    stored = energy_of(response, overlaps[1])[judged]
    if span.closes:
        stored *= (np.maximum(start, 0.0) / end) ** 2
    return Work(body[judged], done, taken, stored)


def joined(works: list[Work]) -> Work:
    """All of them."""
    none = Work(np.empty((0, 2), np.int64), *np.empty((3, 0)))
    return Work._make(np.concatenate(parts) for parts in zip(none, *works, strict=True))
