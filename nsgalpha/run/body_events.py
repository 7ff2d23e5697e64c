"""Events of a run: arrivals and departures of bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.checks import instance
from nsgalpha.model.handles import Body, own
from nsgalpha.model.inlets_outlets import PRESENT, OpenBoundary
from nsgalpha.model.model import Model

CHANGE = 3  # of a change: body, stage from then on, open boundary


class Event(NamedTuple):
    """A body that came or left at `t` [s], through a `boundary`."""

    t: float
    body: Body
    entered: bool
    boundary: OpenBoundary

    def __str__(self) -> str:
        did = "came by" if self.entered else "left by"
        return f"{self.body.name!r} {did} {self.boundary.name!r} at t = {self.t:g} s"


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """Bodies that came and left, arrays (E,) in time order; iteration yields each `Event`."""

    model: Model = field(repr=False)
    t: Floats  # [s] the start of the first step with the change
    body: Ints
    entered: Flags  # True: came, False: left
    boundary: Ints  # numbers in `model.open_boundaries`

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[Event]:
        for t, body, entered, boundary in zip(self.t, self.body, self.entered, self.boundary, strict=True):
            yield Event(
                float(t), self.model.bodies[body], bool(entered), self.model.open_boundaries[boundary]
            )

    def __repr__(self) -> str:
        return f"<Events: {int(self.entered.sum())} came, {int((~self.entered).sum())} left>"

    def of(self, what: Body | OpenBoundary) -> Events:
        """Events of one body, outlet or feeder. Raises ValueError for one of another model."""
        instance("what", what, Body | OpenBoundary, "a body, an outlet or a feeder of the model")
        if isinstance(what, Body):
            own(self.model, "what", what)
            chosen = self.body == what.index
        else:
            numbers = [k for k, boundary in enumerate(self.model.open_boundaries) if boundary is what]
            if not numbers:
                raise ValueError(f"what: {what.name!r} is no outlet or feeder of this model")
            chosen = self.boundary == numbers[0]
        columns = (self.t, self.body, self.entered, self.boundary)
        return Events(self.model, *(column[chosen] for column in columns))


def events_of(model: Model, t: Floats, value: Floats) -> Events:
    """The events of changes `value` (C, 3) at the times `t` (C,); those of a start at -inf are none."""
    known = np.isfinite(t)
    body, stage, boundary = np.asarray(value)[known].astype(np.int64).T
    return Events(model, np.asarray(t)[known], body, stage == PRESENT, boundary)


def stages_at(start: Ints, t: Floats, times: Floats, value: Floats) -> Ints:
    """Stages (n, N) of the bodies in states at `t` (n,), before the changes there.

    `value` (C, 3) are the changes at `times` (C,) since they were in the stages `start` (N,).
    """
    found = np.tile(start, (len(t), 1))
    for when, (body, stage, _) in zip(np.asarray(times), np.asarray(value).astype(np.int64), strict=True):
        found[np.searchsorted(t, when, side="right") :, body] = stage
    return found
