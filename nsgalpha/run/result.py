"""The result of a run: arrays with named axes, the status, the statistics, the contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from nsgalpha import checks
from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.lazy_import import late
from nsgalpha.model.contact_element import MarkerContact
from nsgalpha.model.coordinate_relations import Drive
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.inactive_bodies import gravity_of
from nsgalpha.model.inlets_outlets import PRESENT, stages
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.model import Model
from nsgalpha.model.model_repr import counted
from nsgalpha.model.state import STATE_WIDTHS, ContactForces, ContactHistory, State
from nsgalpha.model.triangulated_surface import Surface
from nsgalpha.rotate_vectors import turned, turned_back
from nsgalpha.run.body_events import CHANGE, Events, events_of, stages_at
from nsgalpha.run.run_settings import Settings
from nsgalpha.run.status import Status

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

    from nsgalpha.forces.contact_outputs import CompliantContacts
    from nsgalpha.forces.surface_outputs import SurfaceOutputs
    from nsgalpha.run.energy_budget import Budget
    from nsgalpha.run.joint_outputs import Coordinate, Effort, Reaction
    from nsgalpha.run.redundant_joints import RedundantJoints

#: Numbers of a contact in the columns that have several.
CONTACT_WIDTHS = {"normal": 3, "impulse": 3, "wrench": 6, "multipliers": 6}
#: Stands in files for memory of the integrator that was not kept: a NaN that no calculation gives.
FORGOTTEN = np.array([0x7FF8DEADDEADF0F0], np.uint64).view(float)[0]


def is_forgotten(memory: Floats) -> bool:
    """True if the memory of a state was not kept."""
    first = np.ravel(memory)[:1]
    return bool(len(first)) and first.view(np.uint64)[0] == np.float64(FORGOTTEN).view(np.uint64)


REAL_STATISTICS = ("position_residual", "velocity_residual", "penetration", "singular")


@dataclass(frozen=True, slots=True)
class Series:
    """The measurements of a sensor: `value` (n, ...) at the times `t` (n,) [s]."""

    t: Floats
    value: NDArray[Any]


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
    penetration: Floats  # largest, over the length of the contact
    capped: Ints  # sequences ended by a simultaneous correction without restitution
    relaxed: Ints  # islands whose residual stayed above the tolerance, see docs/design/positions.md
    divided: Ints  # parts in which the step was taken after it, or a part planned of it, had failed, or 0
    fast: Ints  # 1 + number of a body that moved further onto another than the smaller radius, or 0
    singular: Floats  # smallest pivot of the rows of joints where it is below 1e-6, else 0

    def __repr__(self) -> str:
        return f"<Statistics of {counted(len(self.contacts), 'steps')}>"


@dataclass(frozen=True, slots=True)
class Contacts:
    """All closed set-valued contacts of the recorded states, arrays (contacts,): those of state i are
    `start[i]` to `start[i + 1]`. Compliant ones have forces: `Result.compliant_contacts`.

    Impulses [N s] are those of the one step that ends at the recorded state, and act on body A. A first
    state that was given with forces has the contacts that exert them, without impulse: no step led to it.
    Taut ropes, limits that push and friction of joints are among them, `Result.reaction` says what they do.
    """

    start: Ints  # (n + 1,)
    body_a: Ints
    body_b: Ints  # -1 where side B is a plane or the ground
    plane: Ints  # -1 where side B is a body; -2 force, -3 torque, -4, -5 friction between markers
    feature: Ints  # which of several contacts of its pair
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
    def record(self) -> Ints:
        """Indices (contacts,) into result.t."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def at(self, index: int) -> Contacts:
        """Those of the recorded state `index`."""
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


@dataclass(frozen=True, slots=True)
class Result:
    """Recorded run of `model`: n recorded states of N bodies, the start among them.

    Vectors are inertial; a body's handle serves as index: `result.position[:, ball]`.

    >>> from elements import SpherePlane
    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(1, 0, 0))
    >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    >>> result = ns.simulate(model, t_end=0.1, h=0.01)
    >>> print(result.velocity.shape, result.contacts.status[-1])
    (11, 1, 3) slip
    >>> print(result.energy("kinetic")[[0, -1]].round(3))  # v = 1 - 2 t, and it begins to turn
    [0.5  0.37]
    """

    model: Model
    t: Floats  # (n,) [s]
    position: Floats  # (n, N, 3) [m]
    rotation: Floats  # (n, N, 4) unit quaternions, scalar first, body to inertial
    velocity: Floats  # (n, N, 3) [m/s]
    angular_velocity: Floats  # (n, N, 3) [rad/s]
    acceleration: Floats  # (n, N, 6), see State
    auxiliary: Floats  # (n, N, 6), see State
    contacts: Contacts
    stats: Statistics
    status: Status
    histories: Sequence[ContactHistory] = field(repr=False)  # of compliant contacts, empty if no law has one
    sensors: dict[str, Series] = field(default_factory=dict)  # by name, what the run was watched by
    joints: Floats = field(default_factory=lambda: np.empty((0, 0, 3)))  # (n, R, 3) of their rows, see State
    settings: Settings | None = field(default=None, repr=False)  # of a run whose result is in memory
    begins: bool = field(default=False, repr=False)  # see Stepper
    #: of bodies that came or left: body, stage from then on, gate, or -inf and -1 for a start in which a body
    #: is in another stage than in the model; see `events`
    changes: Series = field(default=NO_CHANGES, repr=False)

    def __repr__(self) -> str:
        bodies, states = counted(len(self.model.bodies), "bodies"), counted(len(self.t), "states")
        return f"<Result: {bodies}, {states} from t = {self.t[0]:g} s; {self.status}>"

    def _repr_html_(self) -> str:
        """A table of what is in it, as notebooks show it."""
        return cast(str, late("nsgalpha.show.notebook_repr:result_as_html")(self))

    def state(self, index: int = -1) -> State:
        """The recorded state `index`, from which a run continues identically; ValueError if there is none.

        Files keep the memory of the integrator, `acceleration`, `auxiliary`, of the last state of each part
        that was written at once; other states, and the start under SemiImplicit or Overdamped, have none.
        """
        index = checks.index("index", index, len(self.t))
        motion: dict[str, Any] = {name: getattr(self, name)[index] for name in STATE_WIDTHS}
        if is_forgotten(motion["acceleration"]) or (self.begins and index == 0):
            motion |= {"acceleration": None, "auxiliary": None}
        history = self.histories[index] if len(self.histories) else None
        joints = np.asarray(self.joints[index]) if self.joints.shape[1] else None
        forces, presence = self.contacts.forces(index), self._stages(index)[0] if self.model.gates else None
        x, q, v, w, dv, a = (motion[name] for name in STATE_WIDTHS)
        known = forces if index or dv is not None or len(forces.a) else None
        return State(float(self.t[index]), x, q, v, w, dv, a, history, known, joints, presence)

    @property
    def events(self) -> Events:
        """The bodies that came and left through feeders and outlets, see Events."""
        return events_of(self.model, self.changes.t, self.changes.value)

    @property
    def present(self) -> Flags:
        """True (n, N) for bodies that are there: not yet to come, and not gone.

        A body that leaves or comes at the time of a recorded state does so after that state.
        """
        if not self.model.gates:
            return np.ones((len(self.t), len(self.model.bodies)), bool)
        return self._stages() == PRESENT

    def _stages(self, index: int | None = None) -> Ints:
        t = np.asarray(self.t)[slice(None) if index is None else [index]]
        return stages_at(stages(self.model), t, self.changes.t, self.changes.value)

    def contacts_of(self, a: Body | Plane | str, b: Body | Plane | str | None = None) -> Contacts:
        """The set-valued contacts of `a`, or those between `a` and `b`: handles or names, in any order.

        Raises ValueError for what the model does not have.

        >>> from elements import SpherePlane
        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), name="ball")
        >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1), name="floor")))
        >>> result = ns.simulate(model, t_end=0.1, h=0.01)
        >>> result.contacts_of("ball", "floor").wrench[-1].round(9)
        array([ 0.,  0., 10.,  0.,  0.,  0.])
        """
        return cast(Contacts, late("nsgalpha.run.contact_filter:contacts_of")(self, a, b))

    def compliant_contacts(self, index: int = -1) -> CompliantContacts:
        """The closed compliant contacts of the recorded state `index`, see CompliantContacts.

        Raises ValueError if the model has none.
        """
        from nsgalpha.forces.contact_outputs import compliant_contacts

        return compliant_contacts(self.model, self.state(index))

    def surface(self, surface: Surface, index: int = -1) -> SurfaceOutputs:
        """Sizes, curvatures, tensions, pressures and forces of a `surface` in the recorded state `index`.

        See SurfaceOutputs. Raises ValueError for a surface of another model.
        """
        from nsgalpha.forces.surface_outputs import surface_outputs

        return surface_outputs(self.model, self.state(index), surface)

    def surfaces(self, index: int = -1) -> list[SurfaceOutputs]:
        """Those of all surfaces of the model in their order, in about the time of one; see `surface`."""
        from nsgalpha.forces.surface_outputs import outputs_of_surfaces

        return outputs_of_surfaces(self.model, self.state(index))

    def reaction(self, joint: Joint | MarkerContact | str) -> Reaction:
        """Force (n, 3) [N] and torque (n, 3) [N m] that a `joint` exerts on its side B, at its point there.

        As a sensor there reads it, with drives, motors, friction, stops of the joint, over the step that ends
        at the state, without impacts. joint: one of the model, a rope, a limit or friction, or its name; the
        latter need recorded contacts. Of redundant joints single reactions are not unique, their sum is.

        Raises ValueError for a joint that the model does not have.

        >>> from elements import Revolute
        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
        >>> pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
        >>> result = ns.simulate(model, t_end=0.2, h=1e-3)
        >>> force, torque = result.reaction(pin)
        >>> print(force[0].round(3))  # m g (1 - m s^2/(m s^2 + J)), s = 0.5 m
        [0.    0.    2.857]
        >>> angle, rate = result.coordinate(pin)
        >>> print(angle[-1].round(3), rate[-1].round(3))
        0.285 2.834
        """
        from nsgalpha.run.joint_outputs import FORCE
        from nsgalpha.run.marker_outputs import reaction

        return reaction(self.model, joint, self, self.joints, self.contacts, FORCE)

    def constraint_reaction(self, joint: Joint | str) -> Reaction:
        """Force (n, 3) [N], torque (n, 3) [N m] of the constraints alone: no drives, friction, stops."""
        from nsgalpha.run.joint_outputs import FORCE, constraint_reaction

        return constraint_reaction(self.model, joint, self, self.joints, FORCE)

    def reaction_impulse(self, joint: Joint | MarkerContact | str) -> Reaction:
        """Impulses (n, 3) [N s] and (n, 3) [N m s] of a `joint` in impacts, as `reaction`.

        Those of the one step that ends at the recorded state.
        """
        from nsgalpha.run.joint_outputs import IMPACT
        from nsgalpha.run.marker_outputs import reaction

        return reaction(self.model, joint, self, self.joints, self.contacts, IMPACT)

    def coordinate(self, joint: Joint | str, name: str | None = None) -> Coordinate:
        """A coordinate of a `joint`, that of B relative to A, and its rate, (n,) each; see Coordinate.

        name: which, for joints with several. "angle" [rad]: about the third axis of A, from the first axis
        of A to that of B, which coincide at the start for joints stated by a point. "displacement" [m]:
        along the third axis, of the points. "distance" [m]: of the points. Of `Planar` the displacements
        are "first" and "second", along these axes of A; of `Universal` the angles are "angle_a", about the
        axis of A, and "angle_b", about that of B; the "angle" of `Link` is that of its rod.

        Angles go on over whole turns, from one in (-pi, pi] at the first state on. They are right as long as
        the mean of the rates at two recorded states tells the turn between them to less than half a turn.

        Raises ValueError for a joint that the model does not have and for a coordinate that it does not have.
        """
        from nsgalpha.run.joint_outputs import coordinate

        return coordinate(self.model, joint, name, self, self.joints)

    def effort(self, drive: Drive | str) -> Effort:
        """Load (n,) [N] or [N m] and power (n,) [W] of a drive, transmission, motor or spring; see Effort.

        That of the step that ends at the recorded state, without impacts. drive: one of the model, or the
        name of one.

        Raises ValueError for a drive that the model does not have.

        >>> from elements import Drive, Revolute
        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
        >>> pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
        >>> servo = model.add(Drive(pin, 0.0))
        >>> torque, power = ns.simulate(model, t_end=0.1, h=1e-2).effort(servo)
        >>> print(torque[-1].round(9))  # m g s: the rod is held up
        -5.0
        """
        from nsgalpha.run.joint_outputs import effort

        return effort(self.model, drive, self, self.joints)

    @property
    def redundant(self) -> RedundantJoints:
        """Joints with rows that depend on others, as those of two hinges of a door, at the first state."""
        from nsgalpha.model.system import System
        from nsgalpha.run.redundant_joints import redundant_joints

        return redundant_joints(System(self.model), self.state(0))

    def energy(self, kind: str = "total") -> Floats:
        """Energy (n,) [J]: "kinetic", "potential" (of gravity, zero at the origin), "elastic" or "total".

        "elastic" is what the compliant contacts have stored, as their laws state it; they are evaluated for
        it at every recorded state; and springs of joints with a constant rest.

        Raises ValueError for another kind.
        """
        parts = {"kinetic": self._kinetic, "potential": self._potential, "elastic": self._elastic}
        if checks.choice("kind", kind, ("total", *parts)) == "total":
            return sum((part() for part in parts.values()), np.zeros(len(self.t)))
        return parts[kind]()

    def budget(self) -> Budget:
        """Energies, works of drives, friction, impacts and loads since the first state, and what is left.

        Works are sums over all steps, so that each must be recorded, with its contacts. The residual is what
        the steps themselves make: of order h^2 in smooth motion, of order h with impacts.

        Raises ValueError if steps or contacts are not recorded, or a body has no mass.

        >>> from elements import SpherePlane
        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(1, 0, 0))
        >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.2))
        >>> budget = ns.simulate(model, t_end=0.3, h=0.01).budget()
        >>> print(budget.friction[-1].round(9), budget.residual[-1].round(9) + 0.0)  # m v^2/7: it rolls
        -0.142857143 0.0
        """
        from nsgalpha.run.energy_budget import budget

        return budget(self)

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the result to an HDF5 file and return its path.

        `ns.load` opens it, `ns.resume` goes on from it. A run that has recorded to a file is copied.
        Elements, loads and motions that are functions of a script are in no file.

        Raises FileExistsError if there is a file and `overwrite` is False, OSError where it cannot be
        written, ValueError for a result that is none of a run.
        """
        return cast(Path, late("nsgalpha.io.result_saving:save")(self, path, overwrite))

    def to_pandas(self, what: str = "bodies") -> DataFrame:
        """A table of pandas, with bodies and planes by name: `pip install nsgalpha[tables]`.

        what: "bodies": a row for each time and body, positions x, y, z [m], quaternions qw to qz, velocities
        vx, vy, vz [m/s], angular velocities wx, wy, wz [rad/s]. "contacts": a row for each set-valued
        contact, see Contacts: time t, a, b, gap, normal n, impulse p, mean force f, torque m on a, status.
        "steps": the statistics of each step. "energies": kinetic, potential, elastic, total [J].

        Raises ValueError for another table, ImportError without pandas.
        """
        return late("nsgalpha.show.dataframes:to_pandas")(self, what)

    def to_xarray(self) -> Dataset:
        """A data set of xarray with all arrays, dimensions t, body, axis: `pip install nsgalpha[tables]`.

        Bodies are coordinates by name, `data.position.sel(body="cue", axis="x")`; contacts are variables
        `contact_...`, statistics `step_...`, sensors `sensor_...`. Units are attributes.

        Raises ImportError without xarray.
        """
        return late("nsgalpha.show.dataframes:to_xarray")(self)

    def _masses(self) -> Floats:
        return np.array([body.mass for body in self.model.bodies])

    def _kinetic(self) -> Floats:
        energy = 0.5 * np.einsum("b,nbi,nbi->n", self._masses(), self.velocity, self.velocity)
        return energy + 0.5 * np.einsum("nbi,nbi->n", self.angular_velocity, self.angular_momentum())

    def _potential(self) -> Floats:
        if not self.model.gates:
            return -np.einsum("b,nbi,bi->n", self._masses(), self.position, gravity_of(self.model))
        mass = self._masses() * self.present
        return -np.einsum("nb,nbi,bi->n", mass, self.position, gravity_of(self.model))

    def _elastic(self) -> Floats:
        from nsgalpha.forces.contact_outputs import has_compliant, stored_energy

        stored = np.zeros(len(self.t))
        if has_compliant(self.model):
            stored = stored_energy(self.model, (self.state(i) for i in range(len(self.t))))
        if self.model.drives:
            from nsgalpha.run.joint_outputs import energy_of_springs

            stored = stored + energy_of_springs(self.model, self.joints)
        return stored

    def angular_momentum(self) -> Floats:
        """Spin angular momentum `R J R^T w` (n, N, 3) of each body about its centre [N m s], inertial."""
        inertia = np.array([body.inertia for body in self.model.bodies])
        rotation = np.asarray(self.rotation)
        body_frame = turned_back(rotation, np.asarray(self.angular_velocity))
        return turned(rotation, np.einsum("bij,nbj->nbi", inertia, body_frame))
