"""Collects records of the compiled loop for the result or, in parts, a file.

An error or Ctrl-C may strike anywhere between two instructions of Python. Valid rows are those of
`Record.filled`, which the kernels write last; all else is cut to it (`cut_short`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple, Protocol

import numpy as np

from nsgalpha.arrays import Candidates, Flags, Floats, Ints, Motion
from nsgalpha.jit.addresses import named
from nsgalpha.model.inlets_outlets import GONE, PRESENT, stages
from nsgalpha.model.state import ContactHistory, State
from nsgalpha.run.body_events import CHANGE, stages_at
from nsgalpha.run.growable_array import GrowableArray, enlarge, fit
from nsgalpha.run.record_block import (
    add_acting,
    columns_of_contacts,
    columns_of_states,
    contacts_of,
    empty_block,
    keep_last_contacts,
    rows_of,
    states_of,
)
from nsgalpha.run.recording import Recording
from nsgalpha.run.result import Result
from nsgalpha.run.run_records import (
    FORGOTTEN,
    NO_CHANGES,
    STATISTICS,
    Contacts,
    SensorTable,
    Series,
    Statistics,
    no_steps,
)
from nsgalpha.run.run_settings import Settings
from nsgalpha.run.watchers import WatcherVisits
from nsgalpha.stepping.record_kernels import CONTACTS, Record, record_joints, record_state
from nsgalpha.stepping.status import Status
from nsgalpha.system.system import System

BLOCK_BYTES = 4e6  # of recorded states that are written to a file at once
SPARE = 1 << 22  # bytes for all that is small when memory has ended


@dataclass(slots=True)
class Part:
    """A part of a run: recorded states, contacts, and the steps up to the last."""

    states: dict[str, Floats]  # t, position, ... (n, ...)
    contacts: Contacts  # of these states
    statistics: Floats  # (steps, columns), see STATISTICS
    histories: list[ContactHistory]  # (n,) or none
    sensors: dict[str, Series]
    changes: Series = NO_CHANGES  # of bodies that came or left, see Result


class Recorded(NamedTuple):
    """States that were recorded since the last part, for those who look at them: (n, N, ...)."""

    t: Floats  # (n,)
    x: Floats
    q: Floats
    v: Floats
    w: Floats
    dv: Floats
    joint: Floats  # (n, R, 3) see State
    there: Flags  # (n, N)
    histories: list[ContactHistory]  # (n,) or none
    touching: float  # part of the steps that had contacts

    def state(self, k: int) -> State:
        """The state `k`, without memory of the integrator."""
        x, q, v, w = (part[k].copy() for part in (self.x, self.q, self.v, self.w))
        contacts = self.histories[k] if self.histories else None
        there = np.where(self.there[k], PRESENT, GONE)
        return State(float(self.t[k]), x, q, v, w, contacts=contacts, presence=there)


def spread_over(count: int, most: int) -> Ints:
    """Numbers of at most `most` of `count` things, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int)) if count else np.empty(0, int)


class Store(Protocol):
    """Where parts go that are not kept in memory."""

    def append(self, part: Part) -> None:
        """Keep it for good."""

    @property
    def t(self) -> float | None:
        """Time of the last state that is kept [s], None if there is none."""

    def close(self, status: Status) -> Result:
        """The result of all parts."""

    def discard(self) -> None:
        """Leave no trace: there was no part."""


class Recorder:
    """The block for the kernels, the statistics, and the store, if any."""

    def __init__(self, system: System, recorded: bool) -> None:
        self.system, self.recorded = system, recorded
        width = 200 * system.count + system.joints.acted.nbytes
        self.states = int(np.clip(BLOCK_BYTES / width, 16, 1024))
        self.recording = Recording()
        self.settings: Settings | None = None
        self.store: Store | None = None
        self.visits: WatcherVisits | None = None
        self.watchers: list[Callable[[Recorded], None]] = []  # see `show`
        self.begins = False  # see Stepper
        self.steps = 0  # before those of `_statistics`
        self._written, self._writing = monotonic(), False
        self._statistics = GrowableArray(*no_steps())
        self._stage = stages(system.model)  # of the bodies, before `_changes`
        self._changes = GrowableArray(np.empty(0), np.empty((0, CHANGE)))
        self._under_way: Floats | None = None
        self._histories: list[ContactHistory] = []  # of the recorded states, if any law has one
        self._aside: tuple[list[int], list[int], list[ContactHistory]] | None = None
        self.block = empty_block(self.states, 4 * self.states, system.count, len(system.joints.acted))
        self._filling: Record | None = None
        self._reserve = self._needed_at_the_end()

    @property
    def filling(self) -> Record:
        """The block for kernels, until it is enlarged."""
        if self._filling is None:
            self._filling = named(self.block)
        return self._filling

    def record(self, t: float, h: float, motion: Motion, history: ContactHistory | None) -> None:
        """Record a state after a step of `h` [s], whose contacts are there already."""
        if self.block.filled[0] == len(self.block.t):
            self.make_room(0)
        block = self.filling
        record_joints(block, self.system.joints)
        record_state(block, t, h, motion)
        self.add_history(history)

    def add_acting(self, candidates: Candidates, wrench: Floats) -> None:
        """Record the contacts that exert the `wrench` (C, 6) on the first state of a continued run.

        They have no impulse: the step that led there is none of this run.
        """
        acting = np.flatnonzero(wrench.any(axis=1))
        self.make_room(len(acting))
        add_acting(self.filling, candidates, acting, wrench)

    def make_room(self, contacts: int) -> None:
        """Make workspace for one more state with `contacts` contacts."""
        block = self.block
        if not self.recording.contacts:
            keep_last_contacts(self.block)
        n, m = block.filled.tolist()
        if n == len(block.t) or m + contacts > len(block.pair):
            self._filling = None  # arrays move
        if n == len(block.t):
            enlarge(columns_of_states(block), n + 1)
        if m + contacts > len(block.pair):
            enlarge(columns_of_contacts(block), m + contacts)
        self._reserve = self._needed_at_the_end()

    def _needed_at_the_end(self) -> Floats | None:
        """Workspace for the rest of a result: status, bodies and offsets of its contacts."""
        return np.empty((20 * len(self.block.pair) + 8 * len(self.block.t) + SPARE) // 8)

    def begin_steps(self, count: int) -> Floats:
        """The table (count, columns) for the statistics of steps that are about to be taken."""
        self._statistics.make_room(count)
        self._under_way = np.zeros((count, len(STATISTICS)))
        return self._under_way

    def end_steps(self, table: Floats) -> None:
        """Keep the statistics (steps, columns) of accepted steps."""
        self._statistics.extend(*table.T)
        self._under_way = None

    def add_history(self, history: ContactHistory | None) -> None:
        """Keep the histories of compliant contacts of the state recorded last."""
        if history is not None:
            self._histories.append(history)

    def add_changes(self, t: float, changes: Sequence[tuple[int, int, int]]) -> None:
        """Keep the `changes` at the time `t` [s] of bodies that came or left: body, stage, open boundary."""
        for change in changes:
            self._changes.append(t, np.array(change, float))

    def drop_last(self) -> None:
        """Forget the state recorded last."""
        block = self.block
        last = int(block.filled[0]) - 1
        block.filled[:] = last, block.end[last - 1] if last else 0
        del self._histories[last:]

    def begin_again(self) -> None:
        """Forget the first state, and who was there: a file has them."""
        self.drop_last()
        self._changes.cut(0)
        self._stage = self.system.inactive.stage

    def set_aside(self) -> None:
        """Forget the state recorded last, unless the run is cut short before the next."""
        filled, histories = self.block.filled.tolist(), self._histories[-1:]
        self.drop_last()
        self._aside = self.block.filled.tolist(), filled, histories

    def last(self) -> tuple[State, Contacts]:
        """The state recorded last, and its contacts."""
        rows = self._last_rows()
        contacts = contacts_of(rows)
        history = self._histories[-1] if self._histories else None
        x, q, v, w, dv, a = (part[0] for part in (rows.x, rows.q, rows.v, rows.w, rows.dv, rows.a))
        joints = rows.joint[0] if rows.joint.size else None
        memory = history, contacts.forces(0), joints, self.system.inactive.presence()
        return State(float(rows.t[0]), x, q, v, w, dv, a, *memory, float(rows.h[0]) or None), contacts

    def last_contacts(self) -> Contacts:
        """The contacts of the state recorded last."""
        return contacts_of(self._last_rows())

    def _last_rows(self) -> Record:
        i = int(self.block.filled[0]) - 1
        return rows_of(self.block, i, i + 1)

    def hand_over(self, *, now: bool = False) -> None:
        """Pass records to the store, if any, when it is due, or `now`."""
        if self.store is None:
            return
        late = monotonic() - self._written > self.recording.seconds
        n, m = self.block.filled.tolist()
        if now or late or n >= self.states or m >= 4 * self.states:
            self.show()
            part = self._part()
            self._writing = True
            self.store.append(part)
            self._forget()
            self._writing = False

    def show(self) -> None:
        """Show the records since the last part to the watchers."""
        n, block = int(self.block.filled[0]), self.block
        if not (self.watchers and n):
            return
        columns = (block.t, block.x, block.q, block.v, block.w, block.dv, block.joint)
        t, x, q, v, w, dv, joint = (column[:n] for column in columns)
        touched = self._statistics.copy(CONTACTS) > 0
        touching = float(touched.mean()) if len(touched) else 0.0
        seen = Recorded(t, x, q, v, w, dv, joint, self._present(t), self._histories, touching)
        for watcher in self.watchers:
            watcher(seen)

    def _present(self, t: Floats) -> Flags:
        """Presence (n, N) of bodies in the states at `t` (n,) since the last part."""
        if not self.system.model.open_boundaries:
            return np.ones((len(t), self.system.count), bool)
        return stages_at(self._stage, t, *self._changes.copies()) == PRESENT

    def result(self, status: Status) -> Result:
        """The result of all that was recorded."""
        if self.store is None:
            return self._in_memory(status)
        self.hand_over(now=True)
        return self.store.close(status)

    def cut_short(self, step: Callable[[float], int], status: Callable[[float], Status]) -> Result:
        """The result up to the last complete state of an interrupted run.

        `step` is the number of the step that ends at a time [s], `status` the sentence on that end.
        """
        self._reserve = None
        store = self.store
        if store is not None and self._writing and store.t is not None:
            return store.close(status(store.t))  # all but the part that was being written
        block = self.block
        if self._aside is not None and self._aside[0] == block.filled.tolist():
            block.filled[:] = self._aside[1]
            self._histories += self._aside[2]
        n = self._complete()
        t = float(block.t[n - 1]) if n or store is None or store.t is None else store.t
        self._settle(step(t) - self.steps)
        if store is not None and store.t is not None:
            self.hand_over(now=True)
            return store.close(status(t))
        if store is not None:
            self.store = None
            store.discard()
        return self._in_memory(status(t))

    def _complete(self) -> int:
        """Count the complete states; drop the others with their contacts."""
        block, n = self.block, int(self.block.filled[0])
        if self.recorded:
            n = min(n, len(self._histories))
            del self._histories[n:]
        block.filled[:] = n, block.end[n - 1] if n else 0
        return n

    def _settle(self, steps: int) -> None:
        """Let there be statistics of so many `steps`, including those under way."""
        missing = steps - len(self._statistics)
        if missing > 0 and self._under_way is not None:
            self.end_steps(self._under_way[:missing])
        self._statistics.cut(max(steps, 0))

    def _part(self) -> Part:
        """Copies of all that was recorded since the last part."""
        if not self.recording.contacts:
            keep_last_contacts(self.block)
        rows = rows_of(self.block, 0, int(self.block.filled[0]))
        states = states_of(rows)
        if self.begins and self.store is not None and self.store.t is None:
            for name in ("acceleration", "auxiliary"):
                states[name] = states[name].copy()
                states[name][0] = FORGOTTEN
        contacts = contacts_of(rows)
        statistics = np.stack(self._statistics.copies(), axis=1).astype(float)
        sensors = {name: Series(*series.copies()) for name, series in self._sensors().items()}
        changes = Series(*self._changes.copies())
        return Part(states, contacts, statistics, self._histories, sensors, changes)

    def _sensors(self) -> dict[str, GrowableArray]:
        return self.visits.measured if self.visits is not None else {}

    def _forget(self) -> None:
        """Forget the records, which are all in the store."""
        if self.block.filled[0]:
            self._aside = None
        self.block.filled[:] = 0
        self._histories = []
        self.steps += len(self._statistics)
        self._statistics.cut(0)
        for series in (*self._sensors().values(), self._changes):
            series.cut(0)
        self._stage = self.system.inactive.stage
        self._written = monotonic()

    def _in_memory(self, status: Status) -> Result:
        """The result in the arrays that were recorded to: the run has ended."""
        self._reserve, self._filling, block = None, None, self.block
        if not self.recording.contacts:
            keep_last_contacts(self.block)
        n, m = block.filled.tolist()
        fit(columns_of_states(block), n)
        fit(columns_of_contacts(block), m)
        return Result(
            model=self.system.model,
            **states_of(block),
            contacts=contacts_of(block),
            stats=Statistics(*self._statistics.fitted()),
            status=status,
            histories=self._histories,
            sensors=SensorTable((name, Series(*series.fitted())) for name, series in self._sensors().items()),
            settings=self.settings,
            begins=self.begins,
            changes=Series(*self._changes.fitted()),
        )
