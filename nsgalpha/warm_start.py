"""Multipliers of the last step, as a start for the next: kept per pair, as inertial wrenches.

The tangents of a contact follow from its normal and may jump; the force and the torque at the contact
do not. A pair is known by its bodies and its plane, whatever its place in the candidate table.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Candidates, Floats, Ints
from nsgalpha.compiled import entry
from nsgalpha.kinematics import Rows


@entry
def _store(contact, row, G, r, wrench):
    """Add to `wrench` (C, 6), on side A, the forces and the pure torques of the multipliers `r` (R,)."""
    for k in range(contact.shape[0]):
        for j in range(row[k], row[k + 1]):
            # a row is a force with its lever, or a torque alone
            first = 0 if G[j, 0, 0] != 0.0 or G[j, 0, 1] != 0.0 or G[j, 0, 2] != 0.0 else 3
            for i in range(first, first + 3):
                wrench[contact[k], i] += G[j, 0, i] * r[j]


@entry
def _recall(contact, row, G, wrench, r):
    """Multipliers (R,) of the rows from the stored wrenches."""
    for k in range(contact.shape[0]):
        for j in range(row[k], row[k + 1]):
            first = 0 if G[j, 0, 0] != 0.0 or G[j, 0, 1] != 0.0 or G[j, 0, 2] != 0.0 else 3
            total = 0.0
            for i in range(first, first + 3):
                total += G[j, 0, i] * wrench[contact[k], i]
            r[j] = total


class Memory:
    """Wrenches of the candidates at the last step, zero where a pair was open."""

    def __init__(self, count: int = 0) -> None:
        self.wrench = np.zeros((count, 6))

    def store(self, rows: Rows, r: Floats) -> None:
        """Keep the multipliers `r` (R,) and forget all others."""
        self.wrench[:] = 0.0
        _store(rows.contact, rows.row, rows.G, r, self.wrench)

    def recall(self, rows: Rows) -> Floats:
        """Multipliers (R,) to start from."""
        r = np.empty(len(rows.G))
        _recall(rows.contact, rows.row, rows.G, self.wrench, r)
        return r

    def follow(self, before: Candidates, after: Candidates) -> None:
        """Carry the wrenches over to a new candidate table."""
        old, new = _keys(before), _keys(after)
        wrench = np.zeros((len(new), 6))
        order = np.argsort(old)
        if len(old):
            place = np.minimum(np.searchsorted(old, new, sorter=order), len(old) - 1)
            known = old[order[place]] == new
            wrench[known] = self.wrench[order[place[known]]]
        self.wrench = wrench


def _keys(candidates: Candidates) -> Ints:
    """A number for every pair, the same in all tables of a run."""
    side = np.where(candidates.plane >= 0, 2 * candidates.plane + 1, 2 * candidates.b)
    return (candidates.a << 32) + side
