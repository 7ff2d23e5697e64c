"""The result of a run: arrays with named axes, the status, the statistics, the contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha import checks
from nsgalpha.arrays import Flags, Floats, Ints, turned, turned_back
from nsgalpha.model.contact_element import ContactLaw, MarkerContact
from nsgalpha.model.coordinate_relations import Drive
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.inactive_bodies import gravity_of
from nsgalpha.model.inlets_outlets import PRESENT, stages
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.model import Model
from nsgalpha.model.model_repr import counted, kinds_of, parts_of
from nsgalpha.model.state import STATE_WIDTHS, ContactHistory, State
from nsgalpha.model.triangulated_surface import Surface
from nsgalpha.run.body_events import Events, events_of, stages_at
from nsgalpha.run.cell_series import CellSeries, cell_series
from nsgalpha.run.contact_filter import contacts_of
from nsgalpha.run.dataframes import to_pandas, to_xarray
from nsgalpha.run.run_records import NO_CHANGES, Contacts, SensorTable, Series, Statistics, is_forgotten
from nsgalpha.run.run_settings import Settings
from nsgalpha.shown_text import COLOURS, as_html, table
from nsgalpha.stepping.status import Status, outcome

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

    from nsgalpha.run.result_outputs import (
        Budget,
        CompliantContacts,
        Coordinate,
        Effort,
        MotionAt,
        Outputs,
        Reaction,
        RedundantJoints,
        SurfaceOutputs,
    )


@checks.named_methods
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
    h: Floats  # (n,) [s] size of the step that led there; 0 for a start to which none did
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
    sensors: SensorTable = field(default_factory=SensorTable)  # by name, their measurements
    joints: Floats = field(default_factory=lambda: np.empty((0, 0, 3)))  # (n, R, 3) of their rows, see State
    settings: Settings | None = field(default=None, repr=False)  # of a run whose result is in memory
    begins: bool = field(default=False, repr=False)  # see Stepper
    #: Body, new stage, open boundary; at -inf the stages of a start that differ from the model; see `events`
    changes: Series = field(default=NO_CHANGES, repr=False)

    def __repr__(self) -> str:
        bodies, states = counted(len(self.model.bodies), "bodies"), counted(len(self.t), "states")
        return f"<Result: {bodies}, {states} from t = {self.t[0]:g} s; {self.status}>"

    def _repr_html_(self) -> str:
        """A table of its contents, as notebooks show it."""
        return result_as_html(self)

    def state(self, index: int = -1) -> State:
        """The recorded state `index`, from which a run continues identically; ValueError if there is none.

        Files keep the memory of the integrator, `acceleration`, `auxiliary`, of the last state of each part.
        Other states, and the start under SemiImplicit or Overdamped, have none.
        """
        index = checks.index("index", index, len(self.t))
        motion: dict[str, Any] = {name: getattr(self, name)[index] for name in STATE_WIDTHS}
        if is_forgotten(motion["acceleration"]) or (self.begins and index == 0):
            motion |= {"acceleration": None, "auxiliary": None}
        history = self.histories[index] if len(self.histories) else None
        joints = np.asarray(self.joints[index]) if self.joints.shape[1] else None
        forces = self.contacts.forces(index)
        presence = self._stages(index)[0] if self.model.open_boundaries else None
        x, q, v, w, dv, a = (motion[name] for name in STATE_WIDTHS)
        known = forces if index or dv is not None or len(forces.a) else None
        h = float(self.h[index]) or None
        return State(float(self.t[index]), x, q, v, w, dv, a, history, known, joints, presence, h)

    def at(self, times: ArrayLike) -> MotionAt:
        """Motion of all bodies at the `times` (n,) [s], between the recorded states: arrays (n, N, ...).

        Cubics of each step, to second order. No curve crosses an impact: at its time are the velocities after
        it. Raises ValueError for times outside of the run, or if not every step is recorded.

        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 20))
        >>> result = ns.simulate(model, t_end=1.0, accuracy=1e-6)
        >>> print(result.at([0.2, 0.5]).position[:, ball, 2].round(9))
        [19.8  18.75]
        """
        return self._outputs.at(times)

    @property
    def events(self) -> Events:
        """The bodies that came and left through feeders and outlets, see Events."""
        return events_of(self.model, self.changes.t, self.changes.value)

    @property
    def present(self) -> Flags:
        """True (n, N) for bodies that are there: not yet to come, and not gone.

        A body that leaves or comes at the time of a recorded state does so after that state.
        """
        if not self.model.open_boundaries:
            return np.ones((len(self.t), len(self.model.bodies)), bool)
        return self._stages() == PRESENT

    def _stages(self, index: int | None = None) -> Ints:
        t = np.asarray(self.t)[slice(None) if index is None else [index]]
        return stages_at(stages(self.model), t, self.changes.t, self.changes.value)

    @property
    def cell(self) -> CellSeries:
        """The periodic cell in the recorded states: periods, strains and their rates, see CellSeries.

        Raises ValueError for a model without a cell.

        >>> motion = ns.CellMotion(strain_rate=(-0.5, None, None))
        >>> model = ns.Model(periodic=(1.0, 1.0, 1.0), cell_motion=motion)
        >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
        >>> cell = ns.simulate(model, t_end=0.2, h=0.1).cell
        >>> print(cell.volume.round(6), cell.strain_rate[-1] + 0.0)
        [1.       0.951229 0.904837] [-0.5  0.   0. ]
        """
        return cell_series(self)

    def contacts_of(self, a: Body | Plane | str, b: Body | Plane | str | None = None) -> Contacts:
        """The set-valued contacts of `a`, or those between `a` and `b`: handles or names, in any order.

        Raises ValueError for things outside of the model.

        >>> from elements import SpherePlane
        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), name="ball")
        >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1), name="floor")))
        >>> result = ns.simulate(model, t_end=0.1, h=0.01)
        >>> result.contacts_of("ball", "floor").wrench[-1].round(9)
        array([ 0.,  0., 10.,  0.,  0.,  0.])
        """
        return contacts_of(self.model, self.contacts, a, b)

    def compliant_contacts(self, index: int = -1) -> CompliantContacts:
        """The closed compliant contacts of the recorded state `index`, see CompliantContacts.

        Raises ValueError if the model has none.
        """
        return self._outputs.compliant_contacts(index)

    def surface(self, surface: Surface, index: int = -1) -> SurfaceOutputs:
        """Sizes, curvatures, tensions, pressures and forces of a `surface` in the recorded state `index`.

        See SurfaceOutputs. Raises ValueError for a surface of another model.
        """
        return self._outputs.surface(surface, index)

    def surfaces(self, index: int = -1) -> list[SurfaceOutputs]:
        """Outputs of all surfaces of the model, in about the time of one; see `surface`."""
        return self._outputs.surfaces(index)

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
        return self._outputs.reaction(joint)

    def constraint_reaction(self, joint: Joint | str) -> Reaction:
        """Force (n, 3) [N], torque (n, 3) [N m] of the constraints alone: no drives, friction, stops."""
        return self._outputs.constraint_reaction(joint)

    def reaction_impulse(self, joint: Joint | MarkerContact | str) -> Reaction:
        """Impulses (n, 3) [N s] and (n, 3) [N m s] of a `joint` in impacts, as `reaction`.

        Works of the one step that ends at the recorded state.
        """
        return self._outputs.reaction_impulse(joint)

    def coordinate(self, joint: Joint | str, name: str | None = None) -> Coordinate:
        """A coordinate of a `joint`, that of B relative to A, and its rate, (n,) each; see Coordinate.

        name: which, for joints with several. "angle" [rad]: about the third axis of A, from the first axis of
        A to that of B. The axes coincide at the start for joints stated by a point. "displacement" [m]: along
        the third axis, of the points. "distance" [m]: of the points. Of `Planar` the displacements are
        "first" and "second", along these axes of A. Of `Universal` the angles are "angle_a", about the axis
        of A, and "angle_b", about that of B. The "angle" of `Link` is that of its rod.

        Angles are continuous over whole turns, from one in (-pi, pi] at the first state on. They are right if
        the mean of the rates at two recorded states gives the turn between them to less than half a turn.

        Raises ValueError for a joint that the model does not have and for a coordinate that it does not have.
        """
        return self._outputs.coordinate(joint, name)

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
        return self._outputs.effort(drive)

    @property
    def redundant(self) -> RedundantJoints:
        """Joints with dependent rows at the first state, as two hinges of a door."""
        return self._outputs.redundant()

    def energy(self, kind: str = "total") -> Floats:
        """Energy (n,) [J]: "kinetic", "potential" (of gravity, zero at the origin), "elastic" or "total".

        "elastic" is the stored energy of the compliant contacts, as their laws state it, evaluated at every
        recorded state. It includes elements of shells, and springs of joints with a constant rest.

        Raises ValueError for another kind.
        """
        parts = {"kinetic": self._kinetic, "potential": self._potential, "elastic": self._elastic}
        if checks.choice("kind", kind, ("total", *parts)) == "total":
            return sum((part() for part in parts.values()), np.zeros(len(self.t)))
        return parts[kind]()

    def budget(self) -> Budget:
        """Energies, works of drives, friction, impacts and loads, and the residual.

        Works are sums over all steps, so that each must be recorded, with its contacts. The residual is the
        error of the steps themselves: of order h^2 in smooth motion, of order h with impacts.

        Raises ValueError if steps or contacts are not recorded, or a body has no mass.

        >>> from elements import SpherePlane
        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(1, 0, 0))
        >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.2))
        >>> budget = ns.simulate(model, t_end=0.3, h=0.01).budget()
        >>> print(budget.friction[-1].round(9), budget.residual[-1].round(9) + 0.0)  # m v^2/7: it rolls
        -0.142857143 0.0
        """
        return self._outputs.budget()

    def works(self) -> dict[str, Floats]:
        """Works (n,) [J] of every element and drive on the bodies since the first state, by name.

        Elements without a name are called by class and number, `SpherePlane 1`. A set-valued element works by
        friction and impacts. A compliant one works by its forces, which also store energy and give it back. A
        drive, motor or spring works by its load, an element of shells by its forces. Loads and moving frames
        have none here. Steps and contacts must be recorded as for `budget`.

        Raises ValueError as `budget`.

        >>> from elements import SpherePlane
        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(1, 0, 0))
        >>> floor = model.add_plane(normal=(0, 0, 1))
        >>> element = model.add(SpherePlane(ball, floor, mu=0.2), name="cloth")
        >>> works = ns.simulate(model, t_end=0.3, h=0.01).works()
        >>> print({name: round(float(work[-1]), 9) for name, work in works.items()})  # m v^2/7: it rolls
        {'cloth': -0.142857143}
        """
        return self._outputs.works()

    def save(self, path: str | PathLike[str], what: str | None = None, *, overwrite: bool = False) -> Path:
        """Write the result to an HDF5 file, or a table to a CSV or Parquet file.

        Returns the path. `ns.load` opens an HDF5 file, `ns.resume` continues from it. A run that has recorded
        to a file is copied. Elements, loads and motions that are functions of a script are in no file. A path
        that ends with .csv or .parquet (`pip install nsgalpha[parquet]`) makes a table, `what` as for
        `to_pandas`, by default "bodies", with the columns of the index first.

        Raises FileExistsError if there is a file and `overwrite` is False, OSError where it cannot be
        written. Raises ValueError for a result that is none of a run, an unknown table, and `what` of an
        HDF5 file.
        """
        files = import_module("nsgalpha.io.result_saving")  # which is built on results
        return cast(Path, files.save(self, path, what, overwrite))

    def to_pandas(self, what: str = "bodies") -> DataFrame:
        """A table of pandas, with bodies and planes by name: `pip install nsgalpha[tables]`.

        what: "bodies": a row for each time and body, positions x, y, z [m], quaternions qw to qz, velocities
        vx, vy, vz [m/s], angular velocities wx, wy, wz [rad/s]. "contacts": a row for each set-valued
        contact, see Contacts: time t, a, b, gap, normal n, impulse p, mean force f, torque m on a, status.
        "steps": the statistics of each step. "energies": kinetic, potential, elastic, total [J]. "joints": a
        row for each time and joint, see `reaction` and `coordinate`: force f [N], torque m [N m], coordinates
        and their rates. "drives": load and power, see `effort`. "works": see `works`. "cell": periods L
        [m], strains and rates, shear, volume, see `cell`. "sensors": a row for
        each time of any sensor, nan where one has not measured; arrays have a column for each entry,
        `name[0]`. Or the name of a sensor, at its own times.

        Raises ValueError for another table, ImportError without pandas.
        """
        return to_pandas(self, what)

    def to_xarray(self) -> Dataset:
        """A data set of xarray with all arrays, dimensions t, body, axis: `pip install nsgalpha[tables]`.

        Bodies are coordinates by name, `data.position.sel(body="cue", axis="x")`; contacts are variables
        `contact_...`, statistics `step_...`, sensors `sensor_...`. Units are attributes.

        Raises ImportError without xarray.
        """
        return to_xarray(self)

    @property
    def _outputs(self) -> Outputs:
        """Functions that need the compiler; a file is opened without it."""
        from nsgalpha.run.result_outputs import Outputs

        return Outputs(self)

    def _masses(self) -> Floats:
        return np.array([body.mass for body in self.model.bodies])

    def _kinetic(self) -> Floats:
        energy = 0.5 * np.einsum("b,nbi,nbi->n", self._masses(), self.velocity, self.velocity)
        return energy + 0.5 * np.einsum("nbi,nbi->n", self.angular_velocity, self.angular_momentum())

    def _potential(self) -> Floats:
        if not self.model.open_boundaries:
            return -np.einsum("b,nbi,bi->n", self._masses(), self.position, gravity_of(self.model))
        mass = self._masses() * self.present
        return -np.einsum("nb,nbi,bi->n", mass, self.position, gravity_of(self.model))

    def _elastic(self) -> Floats:
        soft = any(not isinstance(each.law, ContactLaw) for each in self.model.elements)
        return self._outputs.elastic() if soft or self.model.drives else np.zeros(len(self.t))

    def angular_momentum(self) -> Floats:
        """Spin angular momentum `R J R^T w` (n, N, 3) of each body about its centre [N m s], inertial."""
        inertia = np.array([body.inertia for body in self.model.bodies])
        rotation = np.asarray(self.rotation)
        body_frame = turned_back(rotation, np.asarray(self.angular_velocity))
        return turned(rotation, np.einsum("bij,nbj->nbi", inertia, body_frame))


def result_as_html(result: Result) -> str:
    """The end of the run, and its contents."""
    model, t = result.model, np.asarray(result.t)
    colour = COLOURS[outcome(result.status)]
    rows = [
        ("states", f"{len(t)}", f"t = {t[0]:g} to {t[-1]:g} s"),
        ("steps", f"{len(result.stats.contacts)}", ""),
        ("contacts", f"{int(result.contacts.start[-1])}", "set-valued, in all recorded states"),
        *((name, str(number), kinds_of(model, name)) for name, number in parts_of(model) if number),
        *((f"sensor {name}", f"{len(series.t)}", "") for name, series in result.sensors.items()),
    ]
    status = f'<span style="color: {colour}">{as_html(result.status.message)}</span>'
    return f"<b>Result</b>: {status}{table(('', '', ''), rows)}"
