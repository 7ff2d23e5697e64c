"""Collects what the compiled loop records, block by block, and makes the result of it."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.model.state import ContactHistory
from nsgalpha.model.system import System
from nsgalpha.run.result import Contacts, Result, Statistics, contact_status
from nsgalpha.run.status import Status
from nsgalpha.stepping.integrator import STATISTICS, Record, record_state

BLOCK_BYTES = 4e6  # of recorded states


class Recorder:
    """A block that the kernels fill, and the filled blocks before it."""

    def __init__(self, system: System, t: float, start: Motion) -> None:
        self.system = system
        self.states = int(np.clip(BLOCK_BYTES / (system.size * 200), 16, 1024))
        self._blocks: list[Record] = []
        self._stats: list[Floats] = []
        self.histories: list[ContactHistory | None] = []  # of the recorded states, if any law has one
        self.block = self._new_block(0)
        record_state(self.block, t, start)

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
        self._blocks.append(_used(self.block))
        self.block = self._new_block(contacts)

    def add_statistics(self, table: Floats) -> None:
        """Keep the statistics (steps, columns) of accepted steps."""
        self._stats.append(table.copy())

    def result(self, status: Status) -> Result:
        """The result of all that was recorded."""
        blocks = [*self._blocks, _used(self.block)]

        def joined(name: str) -> Floats:
            return np.concatenate([getattr(block, name) for block in blocks])

        n = self.system.count
        table = np.concatenate([np.empty((0, len(STATISTICS))), *self._stats])
        return Result(
            self.system.model,
            joined("t"),
            joined("x")[:, :n],
            joined("q")[:, :n],
            joined("v")[:, :n],
            joined("w")[:, :n],
            joined("dv")[:, :n],
            joined("a")[:, :n],
            self._contacts(blocks),
            Statistics.from_table(table),
            status,
            [history for history in self.histories if history is not None],
        )

    def _contacts(self, blocks: list[Record]) -> Contacts:
        counts = np.concatenate([np.diff(block.end, prepend=0) for block in blocks])
        pair = np.concatenate([block.pair for block in blocks])
        kinematics = np.concatenate([block.kinematics for block in blocks])
        multipliers = np.concatenate([block.impulse for block in blocks])
        return Contacts(
            np.concatenate([[0], np.cumsum(counts)]),
            np.repeat(np.arange(len(counts)), counts),
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
    n, m = block.filled
    states = {name: getattr(block, name)[:n] for name in ("t", "x", "q", "v", "w", "dv", "a", "end")}
    contacts = {
        name: getattr(block, name)[:m] for name in ("pair", "kinematics", "impulse", "force", "wrench")
    }
    return block._replace(**states, **contacts)
