"""The watchers of a run: sensors, conditions that end it, calls at impacts.

    simulate(model, ..., watch=[Sensor("height", lambda now: now.state.position[ball, 2], every=10)])

A watcher is visited after the steps that it names, with the moment: the state, its contacts, the state of the
step before. The run between two visits is compiled as it is without.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import MARKERS, Floats
from nsgalpha.checks import count, finite, function, instance, listed, positive, refuse, typed
from nsgalpha.constraints.joint_outputs import IMPACT, Reaction
from nsgalpha.constraints.marker_outputs import JointOutputs, JointRecords, record_of
from nsgalpha.forces.contact_outputs import CompliantContacts, compliant_contacts
from nsgalpha.model.contact_element import MarkerContact
from nsgalpha.model.handles import Body, Plane, own
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.run.growable_array import GrowableArray
from nsgalpha.run.run_records import Contacts
from nsgalpha.stepping.step_times import StepTimes

NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Moment(JointOutputs):
    """The end of a step, for watchers."""

    model: Model = field(repr=False)
    h: float  # [s] size of the step; at a start to which none led, of the first
    state: State
    contacts: Contacts  # the closed set-valued contacts of this step
    before: State | None  # the state of the step before; None unless it was visited, too
    impulses: Floats | None = field(default=None, repr=False)  # (B, 6) see `impulse`

    @property
    def t(self) -> float:
        """Time [s]."""
        return self.state.t

    def _records(self) -> JointRecords:
        return record_of(self.model, self.state, self.contacts)

    def compliant_contacts(self) -> CompliantContacts:
        """The closed compliant contacts; ValueError if the model has none."""
        return compliant_contacts(self.model, self.state)

    def impulse(self, of: Body | Plane) -> Floats:
        """Impulse (3,) [N s] and angular impulse (3,) [N m s] of the compliant contacts on `of`, as (6,).

        Sums of h times the forces of the scheme over all steps since the run began. They are about the centre
        of a body or the origin of a prescribed plane's frame. All other planes that no body carries are the
        ground and have one. Differences over the time between are mean forces. Unlike `compliant_contacts` at
        single states they are right where friction trembles within its zone, see docs/design/compliant.md.

        Raises ValueError for a plane that a body carries, and unless the scheme is VelocityVerlet.
        """
        if self.impulses is None:
            raise ValueError("impulse: only VelocityVerlet adds it up; others have compliant_contacts()")
        instance("of", of, Body | Plane, "a body or a plane of the model")
        own(self.model, "of", of)
        if isinstance(of, Plane):
            if of.body is not None:
                raise refuse("of", of.name, "a body or a plane that none carries", f"give {of.body.name!r}")
            moving = [plane for plane in self.model.planes if plane.motion is not None]
            number = 1 + moving.index(of) if of.motion is not None else 0
            return self.impulses[len(self.model.bodies) + number].copy()
        return self.impulses[of.index].copy()

    def reaction_impulse(self, joint: Joint | MarkerContact | str) -> Reaction:
        """Impulses (3,) [N s], (3,) [N m s] of a joint in impacts of this step."""
        return self._reaction(joint, IMPACT)


@runtime_checkable
class Watcher(Protocol):
    """Visited after steps that it names."""

    def due(self, step: int, times: StepTimes) -> int:
        """The first of the `times`, level `step` or later, at which it is visited."""

    def see(self, now: Moment) -> str:
        """Look; a reason to end the run, or an empty text."""


@typed
@dataclass(frozen=True, slots=True)
class Sensor:
    """Measures `quantity(moment)`, a number or an array of always the same shape, to `result.sensors[name]`.

    Measured values are kept as floats, also whole numbers and True and False.

    every: steps between two measurements; or times: instants [s], at the first step at or after each.

    Raises ValueError if the name is empty, `quantity` is no function, both or bad `every` and `times` are
    given.
    """

    name: str
    quantity: Callable[[Moment], ArrayLike]
    every: int | None = None
    times: Sequence[float] | Floats | None = None

    def __post_init__(self) -> None:
        if self.name in ("", ".") or "/" in self.name:
            raise refuse("name", self.name, "a text that is not empty, without '/', and not '.'")
        function("quantity", self.quantity)
        if self.every is not None and self.times is not None:
            raise ValueError("every and times: give one of them")
        if self.every is not None:
            count("every", self.every)
        if self.times is not None and finite("times", self.times).ndim != 1:
            raise refuse("times", self.times, "finite numbers [s] in a list")

    def due(self, step: int, times: StepTimes) -> int:
        """Every so many steps, or the first at or after one of the times."""
        if self.times is None:
            every = self.every or 1
            return -(-step // every) * every
        wanted = np.sort(self.times)
        k = bisect_left(wanted, step, key=times.first_at)
        return times.first_at(wanted[k]) if k < len(wanted) else NEVER

    def see(self, now: Moment) -> str:
        """Nothing ends here; `WatcherVisits` keeps the measurements."""
        return ""


@typed
@dataclass(frozen=True, slots=True)
class StopWhen:
    """Ends the run after the first step for which `condition(moment)` holds; looked at every `every` steps.

    Raises ValueError if the condition is no function or `every` is out of its range.
    """

    condition: Callable[[Moment], Any]
    every: int = 1
    name: str = "a condition"

    def __post_init__(self) -> None:
        function("condition", self.condition)
        count("every", self.every)

    def due(self, step: int, times: StepTimes) -> int:
        """Every so many steps, not at the start."""
        return max(-(-step // self.every), 1) * self.every

    def see(self, now: Moment) -> str:
        """The name if the condition holds."""
        return self.name if self.condition(now) else ""


@dataclass(frozen=True, slots=True)
class Impact:
    """A contact that was struck in the step that ends at `t` [s]."""

    t: float
    a: Body
    b: Body | Plane
    normal: Floats  # (3,) from B to A, inertial
    impulse: Floats  # (3,) on A over the step [N s]
    jump: float  # change of the impulse along the normal over the reduced mass [m/s]


@typed
@dataclass(frozen=True, slots=True)
class OnImpact:
    """Calls `call(impact)` for every set-valued contact that is struck, with an `Impact`.

    A contact is struck if its normal impulse in a step exceeds that of the step before by more than the
    reduced mass times `faster_than` [m/s] > 0. A contact at rest has the same impulse in every step. A soft
    landing of a ball has g h times its mass: stay above g h.

    Raises ValueError if `call` is no function or `faster_than` is not positive.
    """

    call: Callable[[Impact], None]
    faster_than: float = 0.05

    def __post_init__(self) -> None:
        function("call", self.call)
        positive("faster_than", self.faster_than, "it is a velocity in m/s")

    def due(self, step: int, times: StepTimes) -> int:
        """Every step."""
        return step

    def see(self, now: Moment) -> str:
        """Call for every contact that was struck."""
        c, model = now.contacts, now.model
        earlier = _normal_impulses(now)
        for k, (a, b, plane) in enumerate(zip(c.body_a, c.body_b, c.plane, strict=True)):
            if plane <= MARKERS:
                continue  # of markers: Moment.reaction_impulse
            one = model.bodies[a]
            other = model.planes[plane] if plane >= 0 else model.bodies[b]
            jump = (c.multipliers[k, 0] - earlier[k]) * (_inverse_mass(one) + _inverse_mass(other))
            if jump > self.faster_than:
                self.call(Impact(now.t, one, other, c.normal[k].copy(), c.impulse[k].copy(), float(jump)))
        return ""


def _normal_impulses(now: Moment) -> Floats:
    """Impulses (contacts,) of the contacts of a moment along their normals in the step before."""
    c, f = now.contacts, now.before.forces if now.before is not None else None
    if f is None:
        return np.zeros(len(c.gap))
    known = {
        (int(a), -1 if plane >= 0 else int(b), int(plane), int(feature)): wrench[:3]
        for a, b, plane, feature, wrench in zip(f.a, f.b, f.plane, f.feature, f.wrench, strict=True)
    }
    pairs = zip(c.body_a.tolist(), c.body_b.tolist(), c.plane.tolist(), c.feature.tolist(), strict=True)
    return np.array([now.h * (known.get(p, np.zeros(3)) @ c.normal[k]) for k, p in enumerate(pairs)])


def _inverse_mass(side: Body | Plane) -> float:
    body = side.body if isinstance(side, Plane) else side
    return 0.0 if body is None or body.fixed else 1.0 / body.mass


def watchers(watch: Sequence[Watcher]) -> list[Watcher]:
    """`watch` as a list, or a ValueError."""
    allowed = "a list of Sensor(...), StopWhen(...), OnImpact(...)"
    found: list[Watcher] = listed("watch", watch, allowed)
    for watcher in found:
        if not isinstance(watcher, Watcher) or isinstance(watcher, type):
            raise refuse("watch", watcher, allowed)
    return found


class WatcherVisits:
    """The watchers of a run, and the measurements since the last part of a file."""

    def __init__(self, watch: Sequence[Watcher], times: StepTimes) -> None:
        self.watch = watchers(watch)
        self.times = times
        names = [watcher.name for watcher in self.watch if isinstance(watcher, Sensor)]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"watch: two sensors are called {name!r}; give each its own name")
        self._last: tuple[int, State] | None = None  # step and state of the last visit
        self.measured = {name: GrowableArray(np.empty(0), np.empty(0)) for name in names}  # times and values
        self._shapes: dict[str, tuple[int, ...]] = {}

    def begin(self, step: int, state: State) -> None:
        """The run continues from `state`, after `step`, which was visited before."""
        self._last = step, state

    def due(self, step: int) -> int:
        """The first step not before `step` after which one is visited."""
        return min((watcher.due(step, self.times) for watcher in self.watch), default=NEVER)

    def see(
        self, model: Model, step: int, state: State, contacts: Contacts, impulse: Floats | None = None
    ) -> str:
        """Visit all watchers that are due after `step`; a reason to end the run, or ""."""
        before = self._last[1] if self._last is not None and self._last[0] == step - 1 else None
        self._last = step, state
        h = self.times.size_before(step) or self.times.size(step)
        now, reasons = Moment(model, h, state, contacts, before, impulse), []
        for watcher in self.watch:
            if watcher.due(step, self.times) == step:
                reasons.append(watcher.see(now))
                if isinstance(watcher, Sensor):
                    self._measure(watcher, now)
        return next(filter(None, reasons), "")

    def _measure(self, sensor: Sensor, now: Moment) -> None:
        measured = sensor.quantity(now)
        try:
            value = np.array(measured)
        except ValueError:  # rows of different lengths
            value = np.array(None)
        if sensor.name not in self._shapes:
            self._shapes[sensor.name] = value.shape
            self.measured[sensor.name] = GrowableArray(np.empty(0), np.empty((0, *value.shape)))
        shape = self._shapes[sensor.name]
        if value.shape != shape or value.dtype.kind not in "fiub":
            raise ValueError(
                f"sensor {sensor.name!r}: {value.dtype} {value.shape} at t = {now.t:g} s: must be numbers of "
                f"always the same shape, {shape} so far"
            )
        self.measured[sensor.name].append(now.t, value)
