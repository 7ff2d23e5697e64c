"""Growth of the mechanical energy in a run whose model has no source of energy.

    E = T + U + W    T kinetic; U of gravity, and of loads that state theirs; W of laws and springs of joints

Without moving planes, drives, bodies that come and go, and cells that move, E exceeds that of the start, E_0,
by errors of the steps alone. An oscillation of the circular frequency w has an error of (w h)^2/4 of its
energy under VelocityVerlet: 0.21 with seven steps in a period. GeneralizedAlpha allows impacts that leave
with 1.1 times the rate, 1.21 times the energy (impact_passivity.py). Steps that resolve the motion stay below

    E - E_0 <= 0.21 S + sum m g^2 h^2 + 1e-6 sum m g l + B

S   largest kinetic energy so far, or |W| if that is larger
g   of gravity, or the acceleration at the start. The first step gives m g^2 h^2 to a body that begins to
    move. Overlaps of 1e-6 of the size l are admitted at the start.
B   2 sum h |m dv . v| of steps with set-valued contact. Bodies meet at the end of a step instead of within
    it; under a ceiling they gain up to 2 m g h |v| (docs/how-to/step-and-tolerance.md).

Evaluations of laws are expensive. W is not negative in most laws, so that T + U is compared first. Laws are
evaluated at the start and in few states, and only where T + U exceeds the limit. Elastic energy that has not
become energy of motion is therefore not seen.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints, turned_back
from nsgalpha.constraints.joint_outputs import energy_of_springs
from nsgalpha.forces.compiled_forces import CompiledForces
from nsgalpha.forces.contact_outputs import has_compliant
from nsgalpha.forces.step_size import contact_time
from nsgalpha.model.compliant_law import CompliantLaw
from nsgalpha.model.contact_element import ContactLaw, is_marker
from nsgalpha.model.coordinate_relations import CoordinateLoad, moves
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.model.switched_elements import Switched, timed
from nsgalpha.run.recorder import Recorded, spread_over
from nsgalpha.schemes.generalized_alpha.impact_passivity import MORE
from nsgalpha.system.system import OVERLAP, System

SHARE = (1.0 + MORE) ** 2 - 1.0  # of the energy of the motion
LOOKS, LEAST_LOOKS = 32, 2  # states that are looked at, of a run or of a part that is written
MOST = 2_000_000  # bodies of all states that are looked at together
EVALUATIONS = 4  # of the laws, in one part
ROUNDING = 1e3 * np.finfo(float).eps  # of coordinates
PER_CONTACT = 30.0  # steps in a contact that are recommended, see VelocityVerlet


def source_of(model: Model) -> str:
    """Name of the first source of energy or part of unknown energy; "" without one."""
    if model.open_boundaries:
        return "bodies that come and go"
    if any(plane.motion is not None for plane in model.planes):
        return "planes that move"
    if model.cell_motion is not None:
        return "images that move"
    for load in model.loads:
        if not getattr(load, "energy_known", False):
            return f"the load {type(load).__name__}"
    for drive in model.drives:
        if isinstance(drive, CoordinateLoad) or moves(drive):
            return f"the drive {drive.name!r}"
    for element in model.elements:
        if timed(element) or not _known(element):
            return f"the element {type(element).__name__}"
    return ""


def _known(element: Any) -> bool:
    """True if an element gives back at most its stated energy."""
    law = element.law
    if isinstance(law, CompliantLaw):
        return law.on == (1.0, 1.0) and all(traits.energy_known for traits in law.traits)
    if not isinstance(law, ContactLaw):
        return bool(getattr(element, "energy_known", False))
    if law.surface_velocity is not None:
        return False
    friction = element.friction() if is_marker(element) else None
    return friction is None or (friction.motion is None and not any(rate for _, rate in friction.speed))


class EnergyGrowth:
    """Largest energy growth in a run of `system` from `start` on, in steps of `h` [s].

    has_inertia: of the scheme, see Stepper.
    """

    def __init__(self, system: System, start: State, h: float, has_inertia: bool) -> None:
        self.system, self.h, self._start = system, h, start
        inert = has_inertia and not system.massless
        #: see `source_of`; nothing is looked at where it is not empty
        self.source = source_of(system.model) if inert else "motion without inertia"
        #: growth of the energy [J], the same over that of the motion, and when it was seen first [s]
        self.growth: tuple[float, float, float] | None = None
        if self.source:
            return
        with np.errstate(over="ignore", invalid="ignore"):
            self._begin(system, start, h)

    def _begin(self, system: System, start: State, h: float) -> None:
        """Find the energy of the start, and the constants of the run."""
        self._switches = _switches(system.model)
        count, bodies = system.count, system.bodies
        self._mass, self._inertia = bodies.mass[:count].copy(), bodies.inertia[:count].copy()
        self._weight = system.weight[:, :3].copy()
        strength = np.linalg.norm(self._weight, axis=1)
        begun = np.zeros((count, 6)) if start.acceleration is None else start.acceleration
        push, spin = np.linalg.norm(begun[:, :3], axis=1), np.linalg.norm(begun[:, 3:], axis=1)
        self._turning = np.linalg.norm(self._inertia, axis=(1, 2))
        self._isotropic = bodies.isotropic[:count].copy()
        self._noise = float(np.sum(self._mass * np.maximum(push, strength / self._mass) ** 2)) * h * h
        self._noise += float(np.sum(self._turning * spin**2)) * h * h
        self._noise += OVERLAP * float(strength @ bodies.extent[:count])
        self._noise += ROUNDING * float(strength @ np.abs(start.position).max(axis=1))
        motion = start.position, start.rotation, start.velocity, start.angular_velocity
        (self._largest,), (first,) = self._energies(*(part[None] for part in (*motion, system.joints.acted)))
        self._first = float(self._largest + first)
        self._stored: float | None = None  # W at the start, once it is asked for
        self._before: tuple[float, float] | None = None  # time and power of the last look, for B
        self._late = 0.0

    def look(self, seen: Recorded) -> None:
        """Compare the energy of some states with the limit; parts of a run in order."""
        if self.source:
            return
        if _switches(self.system.model) != self._switches:
            self.source = "elements that are switched"
            return
        rows = spread_over(len(seen.t), min(LOOKS, max(LEAST_LOOKS, MOST // self.system.count)))
        with np.errstate(over="ignore", invalid="ignore"):
            some = (part[rows] for part in (seen.x, seen.q, seen.v, seen.w, seen.joint))
            kinetic, potential = self._energies(*some)
            late = self._lateness(seen, rows)
        known = np.isfinite(kinetic + potential + late)
        rows, kinetic, potential, late = rows[known], kinetic[known], potential[known], late[known]
        if not len(rows):
            return
        largest = np.maximum(np.maximum.accumulate(kinetic), self._largest)
        self._largest = float(largest[-1])
        grown, limit = kinetic + potential - self._first, SHARE * largest + self._noise + late
        if self._stored is None:
            if not (grown > limit).any():
                return
            self._stored = self._at_start()
        grown -= self._stored
        beyond = np.flatnonzero(grown > np.maximum(limit, SHARE * abs(self._stored)))
        for k in beyond[spread_over(len(beyond), EVALUATIONS)].tolist():
            stored = self._stored_in(seen, int(rows[k]))
            size = max(float(largest[k]), abs(stored), abs(self._stored))
            growth = float(grown[k]) + stored
            if growth > SHARE * (size - float(largest[k])) + float(limit[k]):
                self._keep(growth, size, float(seen.t[rows[k]]))

    def _keep(self, growth: float, size: float, t: float) -> None:
        """Keep the largest growth and the time of the first."""
        before = self.growth
        if before is None or growth > before[0]:
            self.growth = growth, growth / max(size, growth), t if before is None else before[2]

    def _energies(self, x: Floats, q: Floats, v: Floats, w: Floats, joint: Floats) -> tuple[Floats, Floats]:
        """Kinetic energies T (n,) of states, and U (n,) with that of joint springs [J]."""
        kinetic = 0.5 * np.einsum("b,nbi,nbi->n", self._mass, v, v)
        ball, other = self._isotropic, ~self._isotropic
        kinetic += 0.5 * np.einsum("b,nbi,nbi->n", self._inertia[ball, 0, 0], w[:, ball], w[:, ball])
        if other.any():
            local = turned_back(q[:, other], w[:, other])
            moment = np.einsum("bij,nbj->nbi", self._inertia[other], local)
            kinetic += 0.5 * np.einsum("nbi,nbi->n", local, moment)
        potential = -np.einsum("nbi,bi->n", x, self._weight)
        for load in self.system.model.loads:
            potential += np.array([load.energy(each) for each in x])  # type: ignore[attr-defined]
        if self.system.model.drives:
            potential += energy_of_springs(self.system.model, joint)
        return kinetic, potential

    def _lateness(self, seen: Recorded, rows: Ints) -> Floats:
        """B (n,) of the states `rows`."""
        late = np.zeros(len(rows))
        if not self.system.elements:
            return late
        dv = seen.dv[rows]
        power = _product(dv[..., :3], seen.v[rows]) @ self._mass
        power += _product(dv[..., 3:], seen.w[rows]) @ self._turning
        for k, (t, P) in enumerate(zip(seen.t[rows].tolist(), power.tolist(), strict=True)):
            if self._before is not None and np.isfinite(P):
                self._late += seen.touching * (t - self._before[0]) * (P + self._before[1])
            self._before = t, P
            late[k] = self._late
        return late

    def _at_start(self) -> float:
        """Lower bound of W at the start [J]; laws state a part for varying areas."""
        forces = self._evaluated(self._start)
        if forces is None:
            return 0.0
        total = forces.energy
        for group in forces.surfaces.surfaces:
            most = float(np.maximum(group.response.force[:, 0] * group.overlaps()[1], 0.0).sum())
            total += max(most - group.energy, 0.0)
        return total

    def _stored_in(self, seen: Recorded, k: int) -> float:
        """W in the state `k` [J]."""
        forces = self._evaluated(seen.state(k))
        return 0.0 if forces is None else forces.energy

    def _evaluated(self, state: State) -> CompiledForces | None:
        if not has_compliant(self.system.model):
            return None
        system = System(self.system.model)
        motion, forces = system.motion(state), CompiledForces(system)
        forces.find(motion, 0.0)
        forces.set_time(state.t)
        forces.start(motion, state.contacts)
        return forces

    def __str__(self) -> str:
        """Sentence of the status; empty if the energy has not grown."""
        if self.growth is None:
            return ""
        growth, part, t = self.growth
        return (
            f"the energy has grown by {growth:.3g} J, {part:.2g} times that of the motion, first seen at "
            f"t = {t:g} s: the step is too long, take h = {self._shorter():.1g} s or less"
        )

    def _shorter(self) -> float:
        """A step [s] that resolves the contacts, at most half of that of the run."""
        try:
            resolving = contact_time(self.system.model) / PER_CONTACT
        except ValueError:  # no compliant contact
            resolving = self.h
        return min(resolving, 0.5 * self.h)


def _product(one: Floats, two: Floats) -> Floats:
    """Products (n, N) of the lengths of vectors (n, N, 3)."""
    squares = (np.einsum("nbi,nbi->nb", each, each) for each in (one, two))
    return np.sqrt(math.prod(squares))


def _switches(model: Model) -> list[bool]:
    """True for each switched element that acts."""
    return [bool(each.active) for each in model.elements if isinstance(each, Switched)]
