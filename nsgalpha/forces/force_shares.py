"""The compliant contacts of an explicit run, divided between threads: same bits for any number.

Each thread has the forces on a part of the bodies, near each other in space, and all contacts of these. A
contact of bodies of two threads is computed by both, each with a separate memory, and pushes the bodies of
each alone. The forces on a body are thus added in the order of all candidates, as in one thread.

    ForceShares     bodies and candidates of each thread
    gather          after the forces of a step: those on some bodies
    settle          contacts of all threads that open, and their number
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.forces.compiled_forces import CompiledForces
from nsgalpha.forces.force_kernels import BLOCK, ForceArrays, PairTable, forget, is_remembered, no_block
from nsgalpha.jit.addresses import named
from nsgalpha.jit.decorators import kernel
from nsgalpha.system.system import System

WORTH = 2000  # candidates of a thread whose forces take longer than the threads wait for one another
CUT = 0.1  # part of the pairs that may be cut by a division in the order of numbers
CLOSED = 8.0  # time for a contact, in that for an open candidate


class Settlement(NamedTuple):
    """The candidates of T threads, one thread after another, and sums over those of all."""

    serial: Ints  # (R,) numbers among all candidates
    counted: Flags  # (R,) False for those that another thread counts
    twice: Ints  # the rows of those
    start: Ints  # (T, G + 1) offsets of the elements
    opening: Ints  # (T, 1 + C), see PairTable
    read: Ints  # (T,) how many of them have been forgotten
    closed: Ints  # (T,) contacts
    memory: Floats  # (R, FRAME + k)
    opened: Floats  # (G, k)
    owner: Ints  # (B,) the thread that has the forces on a body; 0 or -1 for frames
    wrenches: Floats  # (T, B, 6) of the contacts of each thread


class ForceShares:
    """The candidates of `contacts` for `threads`, at the positions `x` (B, 3).

    With `frames` the first thread has all contacts of frames, so that the forces on these are complete.
    """

    def __init__(self, contacts: CompiledForces, x: Floats, threads: int, frames: bool) -> None:
        system, table = contacts.system, contacts.table
        assert contacts.parts is not None
        self.table, self.frames = table, frames
        owner = np.full(system.size, 0 if frames else -1)
        owner[: system.count] = _owners(_places(x, system), table, threads)
        of_a, of_b = owner[table.a], owner[table.b]
        counting = np.maximum(np.where(of_a < 0, of_b, of_a), 0)
        rows = [np.flatnonzero((of_a == t) | (of_b == t) | (counting == t)) for t in range(threads)]
        sizes = [len(each) for each in rows]
        first = np.cumsum([0, *sizes[:-1]])
        serial = np.concatenate(rows)
        counted = counting[serial] == np.repeat(np.arange(threads), sizes)
        start = np.array(
            [i + np.searchsorted(each, table.start) for i, each in zip(first, rows, strict=True)]
        )
        opening, read, closed = (np.zeros((threads, *n), np.int64) for n in ((1 + max(sizes),), (), ()))
        columns = "a", "b", "plane", "mass", "pair", "feature", "memory"
        whole = table._replace(**{name: getattr(table, name)[serial] for name in columns})
        self.wrenches = np.zeros((threads, system.size, 6))
        counts = opening, read, closed, whole.memory, table.opened, owner, self.wrenches
        self.settlement = named(Settlement(serial, counted, np.flatnonzero(~counted), start, *counts))
        self.forces: list[ForceArrays] = []  # of each thread
        self.own: list[Ints] = []  # bodies and frames on which it has the forces
        for t in range(threads):
            part = whole._replace(start=start[t], opening=opening[t])
            size = max(BLOCK, int(np.diff(start[t]).max(initial=0))) if contacts.whole else BLOCK
            sides = system.planes, system.bodies, no_block(size, contacts.width)
            self.forces.append(named(ForceArrays(part, contacts.parts, *sides)))
            self.own.append(np.flatnonzero(owner == t))

    def collect(self) -> None:
        """Put the memory of all contacts into the table of the candidates."""
        put_back(self.settlement, self.table.memory)


def _places(x: Floats, system: System) -> Floats:
    """Places (N, 3) [m] of the bodies, in the periodic cell if there is one."""
    x, cell = x[: system.count], system.bodies.cell
    return x - cell[0] * np.floor(x * cell[1]) if len(cell) else x


def _efforts(table: PairTable, count: int) -> Floats:
    """Relative times (N,) of the forces on each body: half of those of its candidates."""
    effort: Floats = np.zeros(count)
    of_pair = np.where(table.memory[:, 3:6].any(axis=1), 0.5 * CLOSED, 0.5)
    for side in (table.a, table.b):
        is_body = side < count
        effort += np.bincount(side[is_body], of_pair[is_body], count)
    return effort


def _owners(x: Floats, table: PairTable, threads: int) -> Ints:
    """A thread (N,) for each body at `x` (N, 3): few pairs of the `table` are of two threads."""
    count = len(x)
    effort = _efforts(table, count)
    done = np.cumsum(effort)
    owner = np.searchsorted(done[-1] / threads * np.arange(1, threads), done - 0.5 * effort)
    inside = (table.a < count) & (table.b < count)
    cut = owner[table.a[inside]] != owner[table.b[inside]]
    if np.count_nonzero(cut) > CUT * len(table.a):
        _divide(x, effort, threads, 0, owner)
    return owner


def _divide(x: Floats, effort: Floats, threads: int, first: int, owner: Ints) -> None:
    """The `owner` of each body, a thread from `first` on, in halves along the longest axis."""
    owner[:] = first
    if threads == 1 or len(x) < threads:
        return
    order = np.argsort(x[:, np.argmax(np.ptp(x, axis=0))], kind="stable")
    done, few = np.cumsum(effort[order]), threads // 2
    cut = int(np.searchsorted(done, done[-1] * few / threads))
    for some, part, begin in ((order[:cut], few, first), (order[cut:], threads - few, first + few)):
        theirs = owner[some]
        _divide(x[some], effort[some], part, begin, theirs)
        owner[some] = theirs


@kernel
def put_back(settlement, memory):
    """Copy the memory of the counted candidates to `memory`, in the order of all."""
    for c in range(settlement.serial.shape[0]):
        if settlement.counted[c]:
            for j in range(memory.shape[1]):
                memory[settlement.serial[c], j] = settlement.memory[c, j]


@kernel
def note(settlement, me, closed):
    """Thread `me` has so many `closed` contacts."""
    if settlement is None:
        return
    settlement.closed[me] = closed


@kernel
def gather(settlement, moved):
    """Put the forces of all threads on the bodies `moved` into the array of the first."""
    if settlement is None:
        return
    owner, wrenches = settlement.owner, settlement.wrenches
    for b in moved:
        t = owner[b]
        if t != 0:
            for i in range(6):
                wrenches[0, b, i] = wrenches[t, b, i]


@kernel
def settle(settlement, closed):
    """Forget the contacts that opened in a step, in the order of all candidates.

    Returns the number of contacts; without a settlement it is `closed`.
    """
    if settlement is None:
        return closed
    opening, read, serial = settlement.opening, settlement.read, settlement.serial
    total = np.int64(0)
    for t in range(read.shape[0]):
        total += settlement.closed[t]
        read[t] = 0
    while True:
        thread, c = -1, 0
        for t in range(read.shape[0]):
            if read[t] < opening[t, 0]:
                other = opening[t, 1 + read[t]]
                if thread < 0 or serial[other] < serial[c]:
                    thread, c = t, other
        if thread < 0:
            break
        read[thread] += 1
        if settlement.counted[c]:
            g = 0
            while settlement.start[thread, g + 1] <= c:
                g += 1
            forget(g, c, settlement.memory, settlement.opened)
        else:
            for j in range(settlement.memory.shape[1]):
                settlement.memory[c, j] = 0.0
    for t in range(read.shape[0]):
        opening[t, 0] = 0
    for c in settlement.twice:
        if is_remembered(settlement.memory, c):
            total -= 1
    return total
