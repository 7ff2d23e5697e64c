"""Contact forces of the last step: a start for the next, kept per pair as inertial wrenches.

The tangents of a contact follow from its normal and may jump; the force and the torque at the contact
do not. A pair is known by its bodies and its plane, whatever its place in the candidate table.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Candidates, Floats, Ints
from nsgalpha.compiled import entry, kernel
from nsgalpha.model.state import ContactForces
from nsgalpha.stepping.kinematics import Rows


@kernel
def _first(G, j):
    """First column that counts of row `j` of `G` (R, 2, 6): a force with its lever, or a torque alone."""
    return 0 if G[j, 0, 0] != 0.0 or G[j, 0, 1] != 0.0 or G[j, 0, 2] != 0.0 else 3


@entry
def store(contact, row, G, impulse, factor, wrench):
    """Put `factor` times the `impulse` (R,) into `wrench` (C, 6), on side A; 0 for all other candidates."""
    for c in range(wrench.shape[0]):
        for i in range(6):
            wrench[c, i] = 0.0
    for k in range(contact.shape[0]):
        for j in range(row[k], row[k + 1]):
            first = _first(G, j)
            for i in range(first, first + 3):
                wrench[contact[k], i] += factor * G[j, 0, i] * impulse[j]


@entry
def _recall(contact, row, G, wrench, r):
    """Multipliers (R,) of the rows from the stored wrenches."""
    for k in range(contact.shape[0]):
        for j in range(row[k], row[k + 1]):
            first = _first(G, j)
            r[j] = 0.0
            for i in range(first, first + 3):
                r[j] += G[j, 0, i] * wrench[contact[k], i]


class Memory:
    """Forces [N] and torques [N m] of the candidates over the last step, zero where a pair was open."""

    def __init__(self) -> None:
        self.wrench = np.zeros((0, 6))
        self.struck = False  # whether the last step was a sequence of impacts
        self.taken = False  # whether a position correction took its friction from them

    def store(self, rows: Rows, impulse: Floats, h: float) -> None:
        """Keep the `impulse` (R,) of a step of `h` [s] and forget all others."""
        store(rows.contact, rows.row, rows.G, impulse, 1.0 / h, self.wrench)

    def known(self) -> Ints:
        """Candidates that the last step closed."""
        return np.flatnonzero(self.wrench.any(axis=1))

    def recall(self, rows: Rows) -> Floats:
        """Multipliers (R,) of the rows for these forces."""
        r = np.empty(len(rows.G))
        _recall(rows.contact, rows.row, rows.G, self.wrench, r)
        return r

    def contacts(self, candidates: Candidates) -> ContactForces:
        """The forces by pair, to begin another run with."""
        known = self.known()
        c = candidates
        return ContactForces(c.a[known], c.b[known], c.plane[known], self.wrench[known])

    def begin(self, forces: ContactForces, candidates: Candidates) -> None:
        """Start from these."""
        self.wrench = carried(forces, candidates, forces.wrench)

    def follow(self, before: Candidates, after: Candidates) -> None:
        """Carry the forces over to a new candidate table."""
        self.wrench = carried(before, after, self.wrench)


def carried(before: Candidates | ContactForces, after: Candidates, values: Floats) -> Floats:
    """The rows of `values` (before, k) in the order of the table `after`; 0 for pairs that are new."""
    old, new = _keys(before), _keys(after)
    out = np.zeros((len(new), values.shape[1]))
    order = np.argsort(old)
    if len(old):
        place = np.minimum(np.searchsorted(old, new, sorter=order), len(old) - 1)
        known = old[order[place]] == new
        out[known] = values[order[place[known]]]
    return out


def _keys(candidates: Candidates | ContactForces) -> Ints:
    """A number for every pair, the same in all tables of a run."""
    side = np.where(candidates.plane >= 0, 2 * candidates.plane + 1, 2 * candidates.b)
    return (candidates.a << 32) + side
