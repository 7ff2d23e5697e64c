"""Bonded pairs, such as bonds and cell halves: candidates at any distance.

A law says by `holds` which column of its history is > 0 for such a pair. Neighbours of all others are found
by the reach of the element.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Candidates, Flags, Floats, Ints, Motion
from nsgalpha.geometry.contact_identity import missing
from nsgalpha.model.contact_element import Pairs
from nsgalpha.model.periodic_cell import nearest_images, placed_cell
from nsgalpha.model.state import ContactHistory
from nsgalpha.system.system import System


def has_bond(history: Floats, column: int) -> Flags:
    """Flags (C,) of contacts with a bond, by the `column` of their law's `history` (C, k); -1: none."""
    return history[:, column] > 0.0 if column >= 0 else np.zeros(len(history), bool)


def keep_bonded(system: System, before: Candidates, after: Candidates, kept: Flags) -> Candidates:
    """The table `after`, with the contacts of `before` that are `kept` (C,) behind it where it lacks them.

    A bond ends when one of its sides has left.
    """
    kept = kept & system.inactive.may_touch(before.a, before.b)
    return _joined(after, before, kept & missing(before, after)) if kept.any() else after


def add_recorded(
    system: System, pairs: Pairs, motion: Motion, known: Candidates, history: ContactHistory, rows: Ints
) -> Candidates:
    """The table `known` of `pairs` with the contacts in the `rows` of a `history` that it lacks.

    Pairs outside of the element are left out.
    """
    a, b, plane = history.pair[rows, 1:].T
    size = system.size
    if not ((a >= 0) & (a < size) & (b >= 0) & (b < size)).all():
        return known
    names = known._replace(a=a, b=b, plane=plane, feature=history.feature[rows])
    far = np.flatnonzero(missing(names, known))
    if len(far) == 0:
        return known
    apart = motion.x[a[far]] - motion.x[b[far]]
    if system.by_images(pairs):
        apart = nearest_images(apart, placed_cell(system.cell, motion.x))
    distance = np.linalg.norm(apart, axis=1)
    all_near = system.table(pairs, motion.x, float(distance.max()))
    return _joined(known, all_near, missing(all_near, known) & ~missing(all_near, names))


def _joined(first: Candidates, second: Candidates, rows: Flags) -> Candidates:
    """`first` with the `rows` (C,) of `second` behind it."""
    if not rows.any():
        return first
    both = zip(first, second, strict=True)
    return Candidates(*(np.concatenate([one, two[rows[: len(two)]]]) for one, two in both))
