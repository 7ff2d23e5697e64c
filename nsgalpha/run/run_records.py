"""Records of a run: statistics of its steps, contacts, series of sensors."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsgalpha import checks
from nsgalpha.arrays import Floats, Ints
from nsgalpha.model.contact_keys import key_parts
from nsgalpha.model.model_repr import counted
from nsgalpha.model.state import ContactForces
from nsgalpha.run.body_events import CHANGE
from nsgalpha.shown_text import meant

#: Numbers of a contact in the columns that have several.
CONTACT_WIDTHS = {"normal": 3, "impulse": 3, "wrench": 6, "multipliers": 6}
#: Stands in files for memory of the integrator that was not kept: a NaN that no calculation gives.
FORGOTTEN = np.array([0x7FF8DEADDEADF0F0], np.uint64).view(float)[0]


def is_forgotten(memory: Floats) -> bool:
    """True if the memory of a state was not kept."""
    first = np.ravel(memory)[:1]
    return bool(len(first)) and first.view(np.uint64)[0] == np.float64(FORGOTTEN).view(np.uint64)


@dataclass(frozen=True, slots=True)
class Series:
    """The measurements of a sensor: `value` (n, ...) at the times `t` (n,) [s]."""

    t: Floats
    value: NDArray[Any]


class SensorTable(dict[str, Series]):
    """The series of sensors by their names. Others are a KeyError with the nearest name."""

    def __missing__(self, name: object) -> Series:
        near = meant(name, self) if isinstance(name, str) else ""
        known = ", ".join(map(repr, self)) or "no sensors; state them by simulate(watch=[...])"
        raise KeyError(f"sensor {checks.shown(name)}: {near}the run has {known}")


NO_CHANGES = Series(np.empty(0), np.empty((0, CHANGE)))


@dataclass(frozen=True, slots=True)
class Statistics:
    """One entry for each step taken, recorded or not: arrays (steps,).

    Iterations are Newton iterations, the largest number of all islands (impacts of a sequence
    added up). `residual` is the scaled natural map, relative to the data of the contact problem.
    """

    smooth_iterations: Ints
    position_iterations: Ints
    velocity_iterations: Ints
    sub_impacts: Ints  # impacts in the longest sequence
    contacts: Ints  # closed contacts
    position_residual: Floats
    velocity_residual: Floats
    velocity_error: Floats  # violation of the law of a contact whose residual is above the tolerance [m/s]
    penetration: Floats  # largest, over the length of the contact
    capped: Ints  # sequences ended by a simultaneous correction without restitution
    relaxed: Ints  # islands whose residual stayed above the tolerance, see docs/design/positions.md
    divided: Ints  # parts in which the step was taken after it, or a part planned of it, had failed, or 0
    fast: Ints  # 1 + number of a body that moved further onto another than the smaller radius, or 0
    singular: Floats  # smallest pivot of the rows of joints where it is below 1e-6, else 0
    resting: Ints  # large islands that keep the impulses of the last step, which solve this step, too
    h: Floats  # size of the step [s]
    located: Ints  # 1 where the step ends at an impact, -1 where one was not found; 2: both
    trials: Ints  # steps that were tried for it; 0 with fixed steps
    handed: Ints  # impacts whose rebound is too low to be one: the contact is held in the step
    error: Floats  # relative error of the step, where steps follow from an accuracy; else 0
    following: Floats  # size that the next step is to have then [s]; else 0
    speed: Floats  # largest so far, over which errors of velocities are taken then [m/s]; else 0

    def __repr__(self) -> str:
        return f"<Statistics of {counted(len(self.contacts), 'steps')}>"


STATISTICS = tuple(each.name for each in fields(Statistics))
REAL_STATISTICS = (
    *("position_residual", "velocity_residual", "velocity_error", "penetration", "singular"),
    *("h", "error", "following", "speed"),
)


def no_steps() -> list[NDArray[Any]]:
    """Columns of no steps, in the order of `STATISTICS`."""
    return [np.empty(0, float if name in REAL_STATISTICS else np.int64) for name in STATISTICS]


@dataclass(frozen=True, slots=True)
class Contacts:
    """All closed set-valued contacts of the recorded states, arrays (contacts,): those of state i are
    `start[i]` to `start[i + 1]`. Compliant ones have forces: `Result.compliant_contacts`.

    Impulses [N s] are those of the one step that ends at the recorded state, and act on body A. A first state
    that was given with forces has the contacts that exert them, without impulse: no step led to it. Taut
    ropes, limits that push and friction of joints are among them, `Result.reaction` has their forces.
    """

    start: Ints  # (n + 1,)
    body_a: Ints
    body_b: Ints  # -1 where side B is a plane or the ground
    plane: Ints  # -1 where side B is a body; -2 force, -3 torque, -4, -5 friction between markers
    feature: Ints  # key of its features, see `features`
    gap: Floats  # [m]
    normal: Floats  # (contacts, 3), from B to A
    impulse: Floats  # (contacts, 3) force impulse on A, inertial, along all normals of the step
    wrench: Floats  # (contacts, 6) mean force [N] and torque [N m] on A over that step, without impacts
    #: (contacts, 6): normal, sliding (2) [N s]; rolling (2), drilling [N m s]. Between markers: the whole
    #: impulse, the most that it can be (of friction), that of impacts [N s, N m s]
    multipliers: Floats
    status: NDArray[np.str_]  # "idle" (no impulse), "slip", or "stick" (also without friction law)

    def __repr__(self) -> str:
        return f"<Contacts: {len(self.gap)} in {counted(len(self.start) - 1, 'states')}>"

    @property
    def features(self) -> Ints:
        """Columns (contacts, 4) of `feature`: shape and feature of A, shape and feature of B.

        Shapes of a body are numbered: its sphere, its capsules, its polygons. Ends of capsules are the
        features 0 and 1, and their axis is 2. For those of solids see docs/design/contact-identity.md. Other
        shapes have the feature 0.
        """
        return np.column_stack(key_parts(np.asarray(self.feature)))

    @property
    def record(self) -> Ints:
        """Indices (contacts,) into result.t."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def at(self, index: int) -> Contacts:
        """Contacts of the recorded state `index`."""
        i = range(len(self.start) - 1)[checks.index("index", index, len(self.start) - 1)]
        rows = slice(self.start[i], self.start[i + 1])
        start = self.start[i : i + 2] - self.start[i]
        return Contacts(start, *(getattr(self, each.name)[rows] for each in fields(self)[1:]))

    def forces(self, index: int) -> ContactForces:
        """The forces that those of the recorded state `index` exert, see State."""
        i = range(len(self.start) - 1)[checks.index("index", index, len(self.start) - 1)]
        if self.start[i] == self.start[i + 1]:
            none = np.empty(0, np.int64)
            return ContactForces(none, none, none, np.empty((0, 6)), none)
        c = self.at(i)
        acting = np.asarray(c.wrench).any(axis=1)
        a, b, plane, feature = (each[acting] for each in (c.body_a, c.body_b, c.plane, c.feature))
        return ContactForces(a, b, plane, c.wrench[acting], feature)
