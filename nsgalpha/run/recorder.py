"""Collects what the compiled loop records, block by block, and hands it to the result or to a file."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Protocol

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.model.state import ContactHistory, State
from nsgalpha.model.system import System
from nsgalpha.run.recording import Recording
from nsgalpha.run.result import Contacts, Result, Statistics, contact_status
from nsgalpha.run.status import Status
from nsgalpha.run.watch import Series, Visits
from nsgalpha.stepping.record import STATISTICS, Record, record_state

BLOCK_BYTES = 4e6  # of recorded states


@dataclass(slots=True)
class Part:
    """A part of a run: recorded states with their contacts, and the steps up to the last of them."""

    states: dict[str, Floats]  # t, position, ... (n, ...)
    contacts: Contacts  # of these states
    statistics: Floats  # (steps, columns), see record.STATISTICS
    histories: list[ContactHistory]  # (n,) or none
    sensors: dict[str, Series]


class Store(Protocol):
    """Where parts go that are not kept in memory."""

    def append(self, part: Part) -> None:
        """Keep it for good."""

    def close(self, status: Status) -> Result:
        """The result of all parts."""

    def interrupted(self, error: BaseException) -> None:
        """Keep the parts that are there."""


class Recorder:
    """A block that the kernels fill, the filled blocks before it, and the store where they go, if any."""

    def __init__(self, system: System, t: float, start: Motion, history: ContactHistory | None) -> None:
        self.system = system
        self.states = int(np.clip(BLOCK_BYTES / (system.size * 200), 16, 1024))
        self.recording = Recording()
        self.store: Store | None = None
        self._written = monotonic()
        self._blocks: list[Record] = []
        self._stats: list[Floats] = []
        self._histories: list[ContactHistory] = []  # of the recorded states, if any law has one
        self.visits: Visits | None = None
        self.block = self._new_block(0)
        record_state(self.block, t, start)
        self.add_history(history)

    def _new_block(self, contacts: int) -> Record:
        n, size = self.states, self.system.size
        m = max(4 * n, 4 * contacts)
        return Record(
            np.empty(n),
            np.empty((n, size, 3)),
            np.empty((n, size, 4)),
            np.empty((n, size, 3)),
            np.empty((n, size, 3)),
            np.empty((n, size, 6)),
            np.empty((n, size, 6)),
            np.empty(n, np.int64),
            np.empty((m, 4), np.int64),
            np.empty((m, 4)),
            np.empty((m, 6)),
            np.empty((m, 3)),
            np.empty((m, 6)),
            np.zeros(2, np.int64),
        )

    def make_room(self, contacts: int) -> None:
        """Begin a new block with room for a state with `contacts` contacts."""
        if self.block.filled[0]:
            self._blocks.append(_used(self.block))
        self.block = self._new_block(contacts)

    def add_statistics(self, table: Floats) -> None:
        """Keep the statistics (steps, columns) of accepted steps."""
        self._stats.append(table.copy())

    def add_history(self, history: ContactHistory | None) -> None:
        """Keep what the compliant contacts of the state recorded last remember."""
        if history is not None:
            self._histories.append(history)

    def drop_last(self) -> None:
        """Forget the state recorded last."""
        block = self.block
        last = int(block.filled[0]) - 1
        block.filled[:] = last, block.end[last - 1] if last else 0
        if self._histories:
            self._histories.pop()

    def last(self) -> tuple[State, Contacts]:
        """The state recorded last, and its contacts."""
        block = self.block
        i, n = int(block.filled[0]) - 1, self.system.count
        first = int(block.end[i - 1]) if i else 0
        motion = Motion(block.x[i], block.q[i], block.v[i], block.w[i], block.dv[i], block.a[i])
        contacts = self._contacts([_slice(block, i, i + 1, first, int(block.end[i]))])
        history = self._histories[-1] if self._histories else None
        copied = Motion(*(rows[:n].copy() for rows in motion))
        return State(float(block.t[i]), *copied, history, contacts.forces(0)), contacts

    def hand_over(self, *, now: bool = False) -> None:
        """Give what was recorded to the store, if there is one: when it is time for it, or `now`."""
        if self.store is None:
            return
        late = monotonic() - self._written > self.recording.seconds
        if now or late or self._blocks:
            self.store.append(self._take())
            self._written = monotonic()

    def interrupted(self, error: BaseException) -> None:
        """The run ends with an `error`, between two of its steps or within one: a store keeps what it has."""
        if self.store is not None:
            self.store.interrupted(error)

    def _take(self) -> Part:
        """All that was recorded since the last time; the block is empty then."""
        blocks = [*self._blocks, _used(self.block)]

        def joined(name: str) -> Floats:
            return np.concatenate([getattr(block, name) for block in blocks])

        n = self.system.count
        states = {"t": joined("t")}
        names = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "auxiliary")
        for name, column in zip(names, ("x", "q", "v", "w", "dv", "a"), strict=True):
            states[name] = joined(column)[:, :n]
        contacts = self._contacts(blocks)
        if not self.recording.contacts:
            contacts = contacts.of_last_state()
        part = Part(
            states,
            contacts,
            np.concatenate([np.empty((0, len(STATISTICS))), *self._stats]),
            self._histories,
            self.visits.take() if self.visits else {},
        )
        self._blocks, self._stats, self._histories = [], [], []
        self.block.filled[:] = 0
        return part

    def result(self, status: Status) -> Result:
        """The result of all that was recorded."""
        if self.store is not None:
            self.hand_over(now=True)
            return self.store.close(status)
        part = self._take()
        return Result(
            model=self.system.model,
            **part.states,
            contacts=part.contacts,
            stats=Statistics.from_table(part.statistics),
            status=status,
            histories=part.histories,
            sensors=part.sensors,
        )

    def _contacts(self, blocks: list[Record]) -> Contacts:
        counts = np.concatenate([np.diff(block.end, prepend=0) for block in blocks])
        pair = np.concatenate([block.pair for block in blocks])
        kinematics = np.concatenate([block.kinematics for block in blocks])
        multipliers = np.concatenate([block.impulse for block in blocks])
        return Contacts(
            np.concatenate([[0], np.cumsum(counts)]),
            pair[:, 0],
            np.where(pair[:, 2] >= 0, -1, pair[:, 1]),
            pair[:, 2],
            kinematics[:, 0],
            kinematics[:, 1:],
            np.concatenate([block.force for block in blocks]),
            np.concatenate([block.wrench for block in blocks]),
            multipliers,
            contact_status(multipliers, self.system.laws.mu[pair[:, 3]]),
        )


def _used(block: Record) -> Record:
    """The filled part of a block."""
    return _slice(block, 0, int(block.filled[0]), 0, int(block.filled[1]))


def _slice(block: Record, first: int, last: int, low: int, high: int) -> Record:
    """States `first` to `last` - 1 of a block, whose contacts are `low` to `high` - 1."""
    states = {name: getattr(block, name)[first:last] for name in ("t", "x", "q", "v", "w", "dv", "a")}
    contacts = {
        name: getattr(block, name)[low:high] for name in ("pair", "kinematics", "impulse", "force", "wrench")
    }
    filled: Ints = np.array([last - first, high - low])
    return block._replace(**states, **contacts, end=block.end[first:last] - low, filled=filled)
