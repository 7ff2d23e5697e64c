"""Memory of the contacts for the next step: their forces, and touching pairs.

Forces are those by which contacts carry the loads, without impacts. They are kept as inertial wrenches. The
tangents of a contact follow from its normal and may jump; the force and the torque at the contact do not.
When they are recalled they rotate with the normal, as it has since the last step: friction stays tangential.
A contact is known by contact_identity.py, for any place in the candidate table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Candidates, Flags, Floats
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.geometry.contact_identity import carried, columns, find_rows
from nsgalpha.jit.addresses import named
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.linalg.vectors import fill
from nsgalpha.model.state import ContactForces

UNIT = 1e-9  # of the square of a unit vector: rounding
OPPOSITE = 1e-3  # 1 + cosine of the angle between two normals up to which one does not turn to the other


class Past(NamedTuple):
    """The candidates over the last step and at its end."""

    wrench: Floats  # (C, 6) force [N] and torque [N m] on side A, inertial, zero where a pair carried no load
    struck: Floats  # (C, 6) impulse [N s] and angular impulse [N m s] on side A of its impacts
    touched: Flags  # (C,)
    place: Floats  # (C, 9) normal [-] and levers [m] of A and B at its end, of those that touch
    flying: Flags  # (C,) candidates without contact at any gap, see `Memory.fly`
    turned: Floats  # (C, 3) impulse [N s] on side A by which its force rotated (persistent_contacts.py)
    closed: Flags  # (C,) contacts that are closed in a step whose velocities are left to Python
    arranged: Flags  # (C,) first slots of pairs whose features are those that `arrange` selects where
    x: Floats  # (B, 3) the bodies are here [m], see contact_slots.py,
    q: Floats  # (B, 4) with these rotations


@kernel
def first_column(G, j):
    """First relevant column of row `j` of `G` (R, 2, 6): force with lever, or torque."""
    return 0 if G[j, 0, 0] != 0.0 or G[j, 0, 1] != 0.0 or G[j, 0, 2] != 0.0 else 3


@kernel
def store(contact, row, G, impulse, factor, wrench):
    """Put `factor` times the `impulse` (R,) into `wrench` (C, 6), on side A; 0 for all other candidates."""
    fill(wrench, 0.0)
    for k in range(contact.shape[0]):
        for j in range(row[k], row[k + 1]):
            first = first_column(G, j)
            for i in range(first, first + 3):
                wrench[contact[k], i] += factor * G[j, 0, i] * impulse[j]


@inlined
def along_row(G, j, f):
    """Component of `f`, six numbers of two vectors on side A, along row `j`."""
    first, total = first_column(G, j), 0.0
    for i in range(first, first + 3):
        total += G[j, 0, i] * f[i]
    return total


@inlined
def multiplier_of(G, j, f):
    """Multiplier of row `j` in the wrench `f`. Rows of anisotropic friction are no unit vectors."""
    first, square = first_column(G, j), 0.0
    for i in range(first, first + 3):
        square += G[j, 0, i] * G[j, 0, i]
    total = along_row(G, j, f)
    return total / square if abs(square - 1.0) > UNIT else total


@kernel
def recall(contact, row, G, wrench, r):
    """Multipliers (R,) of the rows from the stored wrenches."""
    for k in range(contact.shape[0]):
        for j in range(row[k], row[k + 1]):
            r[j] = multiplier_of(G, j, wrench[contact[k]])


@kernel
def turn(p, n, x, y, z):
    """The vector (x, y, z) in the smallest rotation that takes the unit vector `p` to `n`, not opposite."""
    a, b, c = p[0] + n[0], p[1] + n[1], p[2] + n[2]
    along = (a * x + b * y + c * z) / (1.0 + p[0] * n[0] + p[1] * n[1] + p[2] * n[2])
    twice = 2.0 * (p[0] * x + p[1] * y + p[2] * z)
    return x - along * a + twice * n[0], y - along * b + twice * n[1], z - along * c + twice * n[2]


@kernel
def turn_all(p, n, x, out):
    """`turn` of vectors `x` (C, 3), for Python; one whose unit vectors are nearly opposite does not turn."""
    for c in range(x.shape[0]):
        out[c, 0], out[c, 1], out[c, 2] = x[c, 0], x[c, 1], x[c, 2]
        if 1.0 + p[c, 0] * n[c, 0] + p[c, 1] * n[c, 1] + p[c, 2] * n[c, 2] > OPPOSITE:
            out[c, 0], out[c, 1], out[c, 2] = turn(p[c], n[c], x[c, 0], x[c, 1], x[c, 2])


@kernel
def turned(past, candidates, c):
    """Last force and torque of contact `c`, six numbers, rotated with its normal."""
    return rotated(past, candidates, c, past.wrench[c])


@kernel
def rotated(past, candidates, c, f):
    """Two vectors `f` at contact `c`, six numbers, rotated with its normal since the last step.

    Where that is nearly opposite it is the normal of another contact, and nothing turns.
    """
    p, n = past.place[c], candidates.normal[c]
    same = p[0] == n[0] and p[1] == n[1] and p[2] == n[2]
    if same or not past.touched[c] or not 1.0 + p[0] * n[0] + p[1] * n[1] + p[2] * n[2] > OPPOSITE:
        return f[0], f[1], f[2], f[3], f[4], f[5]
    fx, fy, fz = turn(p, n, f[0], f[1], f[2])
    tx, ty, tz = turn(p, n, f[3], f[4], f[5])
    return fx, fy, fz, tx, ty, tz


@kernel
def recall_turned(contact, row, G, past, candidates, r):
    """Multipliers (R,) of the rows, measured in `candidates`, from the forces of the last step."""
    for k in range(contact.shape[0]):
        f = turned(past, candidates, contact[k])
        for j in range(row[k], row[k + 1]):
            r[j] = multiplier_of(G, j, f)


def _recall(rows: Rows, wrench: Floats) -> Floats:
    r = np.empty(len(rows.G))
    recall(rows.contact, rows.row, rows.G, wrench, r)
    return r


def _past(count: int, bodies: int) -> Past:
    """A `Past` of so many candidates, in which nothing acts, touches or flies, of so many `bodies`."""
    wrench, struck, turned, place = (np.zeros((count, width)) for width in (6, 6, 3, 9))
    touched, flying, closed, arranged = np.zeros((4, count), np.bool_)
    x, q = np.zeros((bodies, 3)), np.zeros((bodies, 4))
    return named(Past(wrench, struck, touched, place, flying, turned, closed, arranged, x, q))


@kernel
def follow(old, new, before, after):
    """Move the `before` of the contacts `old` to the `after` of the contacts `new`; both are a `Past`.

    Each table of contacts is (a, b, plane, feature). Contacts that are new have no past.
    """
    row = np.full(new[0].shape[0], -1)
    find_rows(old, new, row)
    for c in range(row.shape[0]):
        if row[c] < 0:
            continue
        after.flying[c] = before.flying[row[c]]
        for i in range(6):
            after.wrench[c, i] = before.wrench[row[c], i]
            after.struck[c, i] = before.struck[row[c], i]
        for i in range(3):
            after.turned[c, i] = before.turned[row[c], i]


class Memory:
    """The past of the candidates of a run with so many `bodies`."""

    def __init__(self, bodies: int) -> None:
        self.past = _past(0, bodies)
        self.unknown = True  # whether the run starts from a state without forces

    @property
    def wrench(self) -> Floats:
        """Forces and torques (C, 6) of the candidates."""
        return self.past.wrench

    def fly(self, flying: Flags) -> None:
        """Let the candidates `flying` (C,) pass through each other in the next steps, the others touch.

        Friction in joints acts nevertheless.
        """
        self.past.flying[:] = flying
        self.past.touched[flying] = False

    def store(self, rows: Rows, load: Floats, h: float) -> None:
        """Keep the impulses `load` (R,) of a step of `h` [s] and forget all others."""
        store(rows.contact, rows.row, rows.G, load, 1.0 / h, self.wrench)

    def store_impacts(self, rows: Rows, impact: Floats) -> None:
        """Keep the impulses `impact` (R,) of an accepted step and forget all others."""
        store(rows.contact, rows.row, rows.G, impact, 1.0, self.past.struck)

    def recall(self, rows: Rows) -> Floats:
        """Multipliers (R,) of the rows for the forces."""
        return _recall(rows, self.wrench)

    def recall_impacts(self, rows: Rows) -> Floats:
        """Impulses (R,) of the rows for the impacts."""
        return _recall(rows, self.past.struck)

    def acting(self) -> Flags:
        """Candidates (C,) that touch, or have pushed in the last step."""
        return self.past.touched | self.wrench.any(axis=1) | self.past.struck.any(axis=1)

    def contacts(self, candidates: Candidates) -> ContactForces:
        """The forces, to begin another run with."""
        known = np.flatnonzero(self.wrench.any(axis=1))
        c, feature = candidates, candidates.feature[known]
        key = np.where(feature < 0, ~feature, feature)  # after a step that was not accepted
        return ContactForces(c.a[known], c.b[known], c.plane[known], self.wrench[known], key)

    def begin(self, forces: ContactForces, candidates: Candidates) -> None:
        """Start from these."""
        self.wrench[:] = carried(forces, candidates, forces.wrench)
        self.unknown = False

    def follow(self, before: Candidates, after: Candidates) -> None:
        """Carry the forces over to a new candidate table."""
        known, self.past = self.past, _past(len(after.a), len(self.past.x))
        if len(before.a):
            follow(columns(before), columns(after), known, self.past)
