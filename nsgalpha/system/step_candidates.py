"""Motion, candidates and remaining forces of steps with set-valued contact."""

from __future__ import annotations

from operator import is_not

import numpy as np

from nsgalpha.arrays import Motion, empty_motion, no_candidates
from nsgalpha.contact.impacts.velocity_problem import Impulses, no_impulses
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.geometry.broad_phase import ALL_ROWS, LOOK_AHEAD, SLOTS_AHEAD, reach_of, speeds
from nsgalpha.jit.addresses import named
from nsgalpha.model.contact_element import TurnedPairs
from nsgalpha.model.periodic_cell import images_of, stray_velocities
from nsgalpha.model.state import State
from nsgalpha.stepping.contact_slots import SAME, arrange
from nsgalpha.stepping.friction_coefficients import set_friction
from nsgalpha.stepping.poses import mark_touching
from nsgalpha.stepping.record_kernels import Record, record_contacts, record_joints, record_state
from nsgalpha.stepping.step_constants import Instant, Listing
from nsgalpha.stepping.step_motion import follow_step
from nsgalpha.stepping.warm_start import Memory
from nsgalpha.system.body_arrays import thicknesses, widths
from nsgalpha.system.periodic_checks import touching_distance
from nsgalpha.system.system import System


class StepCandidates:
    """Motions and candidates of a `system` from `state` on, in a next step of `h` [s].

    `old` is the last accepted state; `new` and the `increment` (B, 6) are those of the step.
    """

    def __init__(self, system: System, state: State, h: float) -> None:
        self.system, self.h = system, h
        self.old: Motion = named(system.motion(state))
        self.new: Motion = named(empty_motion(system.size))
        bodies, sets = system.bodies, [each for each in system.elements if isinstance(each, TurnedPairs)]
        rows = (each.all_pairs * (each.geometry.slots or len(each.geometry.features) or 1) for each in sets)
        self._few = sum(rows) <= ALL_ROWS
        slots = any(each.geometry.slots for each in sets)
        self._ahead = SLOTS_AHEAD if slots else LOOK_AHEAD
        self._thickness = thicknesses(system.model, bodies) if slots else np.empty(0)
        self._sizes = widths(system.model, bodies)
        self._lever = np.where(bodies.extent > bodies.radius, bodies.extent, 0.0)
        self.size = np.array([state.h if state.h is not None and state.auxiliary is not None else h])
        self.increment = np.zeros((system.size, 6))
        self.candidates = named(no_candidates())
        self.forces = Memory(system.size)
        self._instants: dict[bool, Instant] = {}  # by whether the forces are unknown

    @property
    def instant(self) -> Instant:
        """The arrays of a step."""
        unknown = self.forces.unknown
        motions, forces = (self.old, self.new, self.increment), (self.forces.past, self.size, unknown)
        values = *motions, self.system.work, self.candidates, *forces, self.listing
        known = self._instants.get(unknown)
        if known is None or any(map(is_not, known, values)):
            self._instants[unknown] = known = named(Instant(*values))
        return known

    def find(self, tries: int) -> None:
        """Broad phase at the present positions, with a skin that lasts for several steps."""
        places = self.system.places
        x, q, lever = self.old.x[:places].copy(), self.old.q[:places].copy(), self._lever[:places]
        cell = self.system.cell
        straying = stray_velocities(cell, self.old.x, self.old.v)[:places]
        speed = speeds(straying) + lever * speeds(self.old.w[:places])
        self.reach = 4.0**tries * reach_of(speed, self._sizes, self.h, self._few, self._ahead)
        images = images_of(cell, self.old.x, touching_distance(self.system) + self.reach)
        self.listing = named(Listing(x, q, lever, self.reach, images))
        self.select()
        before = self.candidates
        self.candidates = self.system.candidates(self.old.x, self.reach, self.old.q)
        if len(self._thickness):
            self._measure_thinner()
        self.system.select(self.old, self.candidates)
        self.forces.follow(before, self.candidates)
        self.mark_touching()
        self.set_friction()

    def _measure_thinner(self) -> None:
        """Give slots without a contact a length: half the least width of the thinner body."""
        c, thickness = self.candidates, self._thickness
        least = np.minimum(thickness[c.a], np.where(c.plane == -1, thickness[c.b], np.inf))
        thinner = np.minimum(c.length, least)
        c.length[c.feature < 0] = thinner[c.feature < 0]

    def select(self, motion: Motion | None = None) -> int:
        """Select the features that may touch at `motion`, by default the last accepted state.

        Coefficients of friction that vary are those of that state. Returns as `arrange` does.
        """
        tables, result = self.system.element_tables, SAME
        if tables.selection is not None:
            motion = self.old if motion is None else motion
            result = int(arrange(tables.selection, tables, motion, self.candidates, self.forces.past))
        self.set_friction()
        return result

    def set_friction(self) -> None:
        """Set the coefficients of friction that vary to those of the last accepted state."""
        if self.system.laws.varies.any():
            set_friction(self.system.element_tables, self.system.laws, self.old, self.candidates)

    def mark_touching(self) -> None:
        """Note which candidates touch in the last accepted state."""
        self.system.measure(self.old, self.candidates)
        mark_touching(self.candidates, self.forces.past)

    def record(self, h: float, filling: Record) -> None:
        """Record the contacts of the last accepted state, after a step of `h` [s]."""
        system = self.system
        follow_step(self.old, h, self.size)
        self.mark_touching()
        closed = np.flatnonzero(self.forces.acting())
        rows = closed_rows(closed, self.candidates, system.laws, system.bodies, system.work)
        impulses = no_impulses(len(rows.G))
        impulses.load[:] = h * self.forces.recall(rows)
        impulses.impact[:] = self.forces.recall_impacts(rows)
        record_contacts(filling, self.candidates, system.laws, rows, impulses, self.forces.past)

    def record_step(self, filling: Record, t: float, rows: Rows | None, impulses: Impulses | None) -> None:
        """Record the last accepted state, at `t` [s], with the contacts of its step of `h`."""
        if rows is not None:
            past = self.forces.past
            record_contacts(filling, self.candidates, self.system.laws, rows, impulses, past)
        record_joints(filling, self.system.joints)
        record_state(filling, t, self.h, self.old)

    def coincident(self) -> tuple[str, str] | None:
        """Bodies, if any, with one centre, and no normal, in the failed step."""
        c = self.candidates
        lost = np.flatnonzero(np.isnan(c.normal).any(axis=1) & np.isfinite(c.gap))
        return self.names(int(lost[0])) if len(lost) else None

    def names(self, candidate: int) -> tuple[str, str]:
        """Names of the two sides of a candidate."""
        c = self.candidates
        return self.system.pair_names(int(c.a[candidate]), int(c.b[candidate]), int(c.plane[candidate]))
