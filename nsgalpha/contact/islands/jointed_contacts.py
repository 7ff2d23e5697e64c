"""The operator of contacts of jointed bodies, `W = G_c P G_c^T` (n, n), never formed.

P = M^-1 - M^-1 G^T S^-1 G M^-1 (jointed_response.py) takes one solution with the factor of S for each
product. For Newton's matrix contacts stand beside the joints in one table, as rows `T G_c` with the
compliance 1:

    [ S                     G M^-1 G_c^T T            ] [ x ]   [ 0 ]
    [ T G_c M^-1 G^T        I + T G_c M^-1 G_c^T T    ] [ y ] = [ z ],        y = (I + T W T)^-1 z

for the elimination of x leaves `I + T W T`. So joint_factor.py solves it, in an order of elimination for
both. A contact with a fixed thing is in the clique of one body, goes first, and makes no fill. A chain on the
ground is a chain.

Gauss-Seidel needs the rows of W: it takes those of a bound (contact/body_delassus.py). That is slow where
chains are long, and must serve as a fallback: an iteration of Newton's method costs as much as some sweeps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.constraints.joint_factor import Factor, empty_factor, factorise, substitute
from nsgalpha.constraints.joint_pattern import Pattern, pattern
from nsgalpha.constraints.jointed_response import Joints, clear_mechanism, project_onto_mechanism
from nsgalpha.contact.body_delassus import BodyOperator, Bounded
from nsgalpha.contact.delassus_interface import Analysis, Cones, Inverse
from nsgalpha.jit.addresses import Handle
from nsgalpha.jit.decorators import kernel


class _Table(NamedTuple):
    """Rows of joints, and behind them those of contacts."""

    pattern: Pattern
    factor: Factor
    G: Floats  # (R + n, S, 6)
    MG: Floats  # (R + n, S, 6)
    x: Floats  # (R + n,)


class Coupling:
    """The pattern of joints and contacts of one island; it serves for fewer contacts, too.

    Attributes:
        body: (K, 2) of the contacts.
        row: (K + 1,) offsets of their rows.
        mechanisms: their numbers in the pattern of the joints.
        joined: (R,) rows of the joints of these.
    """

    def __init__(self, joints: Joints, moving: Flags, body: Ints, row: Ints) -> None:
        self.body, self.row = body, row
        self._number = {key: k for k, key in enumerate(_keys(body, row))}
        table = joints.table
        mine = np.unique(joints.number[body])
        self.mechanisms = mine[mine >= 0]
        own = joints.number[table.body]
        chosen = (np.isin(own, self.mechanisms) & (own >= 0)).any(axis=1)
        size = np.diff(table.row)
        self.joined = np.flatnonzero(np.repeat(chosen, size))
        still = int(np.argmin(moving))
        wide = np.pad(body, ((0, 0), (0, table.body.shape[1] - 2)), constant_values=still)
        first = len(self.joined)
        offsets = np.concatenate([[0], np.cumsum(size[chosen]), first + row[1:]])
        order = pattern(np.concatenate([table.body[chosen], wide]), offsets, moving)
        G = np.zeros((offsets[-1], wide.shape[1], 6))
        factor = empty_factor(order, len(moving))
        factor.compliance[first:] = 1.0
        self.table = _Table(order, factor, G, np.zeros_like(G), np.zeros(len(G)))
        self.handle = Handle(self.table)

    def find(self, body: Ints, row: Ints) -> Ints | None:
        """The numbers (K,) of contacts of the bodies (K, 2) in it, None if some are not there."""
        found = [self._number.get(key, -1) for key in _keys(body, row)]
        return None if -1 in found else np.array(found, np.int64)

    def joined_by(self, body: Ints, row: Ints) -> tuple[Ints, Ints]:
        """Bodies and offsets of these contacts, with further ones of this coupling if fewer."""
        known = set(_keys(body, row))
        more = np.array([key not in known for key in self._number], bool)
        if np.count_nonzero(more) > len(body):
            return body, row
        sizes = np.concatenate([np.diff(row), np.diff(self.row)[more]])
        return np.concatenate([body, self.body[more]]), np.concatenate([[0], np.cumsum(sizes)])


def _keys(body: Ints, row: Ints) -> list[tuple[int, int, int, int]]:
    """Bodies, number of rows, and which of several such contacts: of every contact."""
    seen: dict[tuple[int, int, int], int] = {}
    keys = []
    for a, b, size in zip(*body.T.tolist(), np.diff(row).tolist(), strict=True):
        before = seen.get((a, b, size), 0)
        seen[a, b, size] = before + 1
        keys.append((a, b, size, before))
    return keys


@kernel
def _multiply(joints, mechanisms, body, row, rows, r, V, u):
    """`u = W r` (n,) of contacts of the bodies `body` (K, 2); `rows` (2, n, 2, 6) are G and M^-1 G^T.

    `mechanisms` are those of the bodies, `V` (B, 6) is workspace.
    """
    held, G, MG = joints, rows[0], rows[1]
    for m in mechanisms:
        clear_mechanism(held, m, V)
    for k in range(body.shape[0]):
        for side in range(2):
            for d in range(6):
                V[body[k, side], d] = 0.0
    for k in range(body.shape[0]):
        for side in range(2):
            for i in range(row[k], row[k + 1]):
                for d in range(6):
                    V[body[k, side], d] += MG[i, side, d] * r[i]
    for m in mechanisms:
        project_onto_mechanism(held, m, V)
    for k in range(body.shape[0]):
        a, b = body[k, 0], body[k, 1]
        for i in range(row[k], row[k + 1]):
            u[i] = 0.0
            for d in range(6):
                u[i] += G[i, 0, d] * V[a, d] + G[i, 1, d] * V[b, d]


@kernel
def _factorise(table, first, place, row, T, rows):
    """Factorise with the blocks `T` (K, 6, 6) of contacts, whose rows in the table begin at `place` (K,)."""
    for i in range(first, table.G.shape[0]):
        for side in range(2):
            for d in range(6):
                table.G[i, side, d] = table.MG[i, side, d] = 0.0
    for k in range(place.shape[0]):
        size = row[k + 1] - row[k]
        for i in range(size):
            for side in range(2):
                for d in range(6):
                    g, mg = 0.0, 0.0
                    for j in range(size):
                        g += T[k, i, j] * rows[0, row[k] + j, side, d]
                        mg += T[k, i, j] * rows[1, row[k] + j, side, d]
                    table.G[place[k] + i, side, d] = g
                    table.MG[place[k] + i, side, d] = mg
    factorise(table.pattern, table.G, table.MG, table.factor)


@kernel
def _substitute(table):
    for m in range(table.pattern.mechanism.shape[0] - 1):
        substitute(table.pattern, table.factor, m, table.x)


class JointedOperator(Bounded):
    """W with the `rows` (2, n, 2, 6), G_c and M^-1 G_c^T, of the contacts `which` (K,) of a coupling, scaled.

    `bound` is W_M; both are scaled by the diagonal of W_M. `handle` is that of the joints.
    """

    unsymmetric = dense = None
    direct = True

    def __init__(
        self, handle: Any, coupling: Coupling, which: Ints, rows: Floats, bound: BodyOperator
    ) -> None:
        self.handle, self.coupling, self.which, self.rows, self.bound = handle, coupling, which, rows, bound
        self._body, self._row = coupling.body[which], bound.graph.row
        self._V = np.zeros((len(coupling.table.factor.velocity), 6))

    def __matmul__(self, r: Floats) -> Floats:
        u = np.empty(len(r))
        where = self.coupling.mechanisms, self._body, self._row
        _multiply(self.handle, *where, self.rows, r, self._V, u)
        return u

    def inverse(self, T: Floats, cones: Cones, analysis: Analysis) -> Inverse:
        """`z -> (I + T W T)^-1 z`; rows of T that are 0 are those of contacts that are left out."""
        table, first = self.coupling.table, len(self.coupling.joined)
        measured = self.handle.arrays
        table.G[:first], table.MG[:first] = (
            each[self.coupling.joined] for each in (measured.rows.G, measured.rows.MG)
        )
        table.factor.compliance[:first] = measured.factor.compliance[self.coupling.joined]
        place = first + self.coupling.row[self.which]
        _factorise(self.coupling.handle, first, place, self._row, T, self.rows)
        rows = np.repeat(place - self._row[:-1], np.diff(self._row)) + np.arange(self._row[-1])

        def apply(z: Floats) -> Floats:
            table.x[:] = 0.0
            table.x[rows] = z
            _substitute(self.coupling.handle)
            return table.x[rows]

        return apply

    def part(self, rows: Ints) -> JointedOperator:
        """The operator of some rows, those of whole contacts."""
        of_row = np.repeat(np.arange(len(self.which)), np.diff(self._row))
        which = self.which[np.unique(of_row[rows])]
        return JointedOperator(
            self.handle, self.coupling, which, np.ascontiguousarray(self.rows[:, rows]), self.bound.part(rows)
        )
