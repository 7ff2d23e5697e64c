"""The block of states and contacts for the kernels: columns, rows, names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import FRICTION, Candidates, Floats, Ints
from nsgalpha.model.state import STATE_WIDTHS
from nsgalpha.run.run_records import Contacts
from nsgalpha.stepping.record_kernels import Record

PIECE = 1 << 16  # contacts whose status is found at a time


def empty_block(states: int, contacts: int, bodies: int, joints: int) -> Record:
    """Workspace for states and contacts of a model with so many bodies and joint rows."""
    x, q, v, w, dv, a = (np.empty((states, bodies, width)) for width in STATE_WIDTHS.values())
    kinematics, impulse, force, wrench = (np.empty((contacts, width)) for width in (4, 6, 3, 6))
    t, h, end = np.empty(states), np.empty(states), np.empty(states, np.int64)
    pair = np.empty((contacts, 5), np.int64)
    filled, joint = np.zeros(2, np.int64), np.zeros((states, joints, 3))
    of_contacts = kinematics, impulse, force, wrench, np.empty(contacts)
    return Record(t, h, x, q, v, w, dv, a, joint, end, pair, *of_contacts, filled)


def columns_of_states(block: Record) -> list[NDArray[Any]]:
    """The columns with a row for each state; `t` has the number of rows."""
    return [block.t, block.h, block.x, block.q, block.v, block.w, block.dv, block.a, block.joint, block.end]


def columns_of_contacts(block: Record) -> list[NDArray[Any]]:
    """The columns with a row for each contact; `pair` has the number of rows."""
    return [block.pair, block.kinematics, block.impulse, block.force, block.wrench, block.limit]


def rows_of(block: Record, first: int, last: int) -> Record:
    """Copies of the states `first` to `last` - 1 and of their contacts."""
    low, high = (int(block.end[i - 1]) if i else 0 for i in (first, last))
    states = [column[first:last].copy() for column in columns_of_states(block)]
    states[-1] -= low  # ends of the contacts
    contacts = [column[low:high].copy() for column in columns_of_contacts(block)]
    return Record._make([*states, *contacts, np.array([last - first, high - low])])


def add_acting(block: Record, candidates: Candidates, acting: Ints, wrench: Floats) -> None:
    """Append the candidates `acting` (K,) with their `wrench` (C, 6), without impulse: no step led to it."""
    first, c = int(block.filled[1]), candidates
    rows = slice(first, first + len(acting))
    block.pair[rows] = np.stack([c.a, c.b, c.plane, c.law, c.feature], axis=1)[acting]
    gap = np.where(c.gap < np.inf, c.gap, 0.0)  # which friction in joints has not
    block.kinematics[rows, 0], block.kinematics[rows, 1:] = gap[acting], c.normal[acting]
    block.impulse[rows], block.force[rows], block.wrench[rows] = 0.0, 0.0, wrench[acting]
    block.limit[rows] = 0.0
    block.filled[1] = rows.stop


def keep_last_contacts(block: Record) -> None:
    """Forget the contacts of all states but the last."""
    n = int(block.filled[0])
    first, last = (int(block.end[i]) if i >= 0 else 0 for i in (n - 2, n - 1))
    for column in columns_of_contacts(block):
        column[: last - first] = column[first:last]
    block.end[:n] = 0
    block.end[n - 1 : n] = block.filled[1] = last - first


def states_of(rows: Record) -> dict[str, Floats]:
    """The columns of states by the names that a result has for them."""
    return dict(zip(("t", "h", *STATE_WIDTHS, "joints"), columns_of_states(rows), strict=False))


def contacts_of(rows: Record) -> Contacts:
    """The contacts, in the arrays of `rows`, which are used up."""
    pair = rows.pair
    status = np.empty(len(pair), "<U5")
    for first in range(0, len(pair), PIECE):
        part = slice(first, first + PIECE)
        status[part] = contact_status(rows.impulse[part], rows.limit[part], pair[part, 2])
    np.copyto(pair[:, 1], -1, where=(pair[:, 2] >= 0) | (pair[:, 1] >= rows.x.shape[1]))
    start, (a, b, plane, _, feature) = np.concatenate([[0], rows.end]), pair.T
    gap, normal = rows.kinematics[:, 0], rows.kinematics[:, 1:]
    return Contacts(start, a, b, plane, feature, gap, normal, rows.force, rows.wrench, rows.impulse, status)


def contact_status(multipliers: Floats, limit: Floats, kind: Ints) -> NDArray[np.str_]:
    """Status of contacts from `multipliers` (n, 6), limits of sliding friction (n,) and their planes (n,).

    Friction in joints has its bound beside its impulse.
    """
    is_friction_row = (kind <= FRICTION) & (multipliers[:, 0] != 0.0)
    normal = np.where(is_friction_row, np.abs(multipliers[:, 0]), multipliers[:, 0])
    held = is_friction_row & (normal < multipliers[:, 1] * (1.0 - 1e-9))
    sliding = np.hypot(multipliers[:, 1], multipliers[:, 2])
    at_limit = sliding >= limit * (1.0 - 1e-9)
    return np.where(normal <= 0.0, "idle", np.where(at_limit & ~held, "slip", "stick"))
