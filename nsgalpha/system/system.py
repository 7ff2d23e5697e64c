"""From the model as stated to the arrays that the kernels work on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from nsgalpha.arrays import (
    Candidates,
    Floats,
    Ints,
    Motion,
    Planes,
    Scene,
    candidate_table,
    empty_motion,
    no_section,
)
from nsgalpha.checks import floats_or_none, refuse, shown
from nsgalpha.constraints.joint_coordinates import CoordinateTable
from nsgalpha.constraints.joint_tables import (
    Ties,
    effort_table,
    friction_table,
    joint_arrays,
    joint_table,
    refuse_contradiction,
    relation_table,
    with_relations,
)
from nsgalpha.constraints.recorded_joints import stated_coordinates
from nsgalpha.geometry.contact_identity import ContactTable, occurrences, rows_in
from nsgalpha.geometry.geometry_signature import selection_of, tables
from nsgalpha.geometry.narrow_phase import measure, measure_all
from nsgalpha.jit.addresses import named
from nsgalpha.model.carried_shapes import shapes_of
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.contact_element import (
    LAST_ANGLE,
    AnchoredPairs,
    MarkerContact,
    MeshPairs,
    Pairs,
    SolidPairs,
    TurnedPairs,
    sort_elements,
)
from nsgalpha.model.contact_keys import KEYS
from nsgalpha.model.coordinate_relations import Coordinates, Drive, ties
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.inactive_bodies import InactiveBodies, gravity_of
from nsgalpha.model.inlets_outlets import check_boundaries
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.load_interface import CompiledLoad
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import placed_cell
from nsgalpha.model.state import ContactForces, ContactHistory, State
from nsgalpha.stepping.contact_slots import NO_FEATURE, arrange
from nsgalpha.stepping.smooth_motion import accelerations
from nsgalpha.stepping.step_constants import Elements
from nsgalpha.system.body_arrays import arms_of, body_arrays
from nsgalpha.system.contact_exclusion import ContactExclusion
from nsgalpha.system.law_table import law_table
from nsgalpha.system.periodic_checks import check_cell
from nsgalpha.system.primitive_measures import Points
from nsgalpha.system.reference_frames import Frames, prescribed_frame_of
from nsgalpha.system.shared_pairs import refuse_shared_pairs

OVERLAP = 1e-6  # admitted at the start, over the length of the contact

Listed = tuple[Ints, Ints, Ints, Ints]  # bodies a, b, planes, features of candidates


class System:
    """The arrays of one model, for one run: constant properties, laws, and the candidate pairs."""

    def __init__(self, model: Model) -> None:
        if not model.bodies:
            raise ValueError("model: has no bodies; add one with add_sphere")
        self.model = model
        self.count = len(model.bodies)
        self.moving_planes = [plane for plane in model.planes if plane.motion is not None]
        kinds = sort_elements(model.elements)
        self.elements, self.markers, self.compliant = [*kinds.set_valued], kinds.markers, kinds.compliant
        self.surfaces, self.force_elements = kinds.surfaces, kinds.force_elements
        self._place_anchors()
        first = self.count + 1 + len(self.moving_planes)  # bodies, the ground, prescribed frames
        prescribed = prescribed_frame_of(model.drives, self.markers)
        self.places = first + len(self.anchors)  # number of all that is in space
        self.size = self.places + len(prescribed) + 3 * (model.cell_motion is not None)  # drives, a cell
        self.frames = Frames(self.count, self.size, self.moving_planes, self.anchors, prescribed, model)
        self.turns = np.array([body.turns for body in model.bodies])
        for load in model.loads:
            if isinstance(load, CompiledLoad):
                load.check(self.count)
        self.massless = [body.name for body in model.bodies if body.mass == 0.0 and not body.fixed]
        self.bodies = body_arrays(model, self.size)
        self.cell = self.bodies.cell
        solids = [solid for each in self.elements if isinstance(each, SolidPairs) for solid in each.polytopes]
        meshes = [mesh for each in self.elements if isinstance(each, MeshPairs) for mesh in each.meshes]
        self.shapes = shapes_of(model, self.bodies.radius, solids, meshes)
        self.planes = self._planes()
        self.weight = np.zeros((self.count, 6))
        self.weight[:, :3] = self.bodies.mass[: self.count, None] * gravity_of(model)
        self.work = self.bodies.inverse_inertia.copy()
        self.inactive = InactiveBodies(model, self.bodies, self.weight, self.work)
        self.numbers = self._joined()
        self.apart = ContactExclusion(model.joints, self.numbers, self.count)
        self._arrange_elements()
        others = [*self.surfaces, *self.force_elements]
        self.frames.least = check_cell(model, self.elements, self.compliant, others)
        check_boundaries(model, [*self.force_elements, *self.markers], self.surfaces)
        self._join()

    def _joined(self) -> Ints:
        """Numbers (J, 2) of the bodies and frames that joints join."""
        for each in (*self.model.joints, *self.model.drives):
            if isinstance(each, Missing):
                each()
        numbers = [[self.frame_of(carrier) for carrier in joint.carriers] for joint in self.model.joints]
        return np.array(numbers, np.int64).reshape(-1, 2)

    def _join(self) -> None:
        """Tell the bodies of their joints."""
        moving = self.bodies.inverse_mass > 0.0
        table = joint_table(self.model.joints, self.numbers)
        coordinates = Coordinates(self.model.joints, self.model.drives)
        relating = ties(self.model.drives)
        self.rows_of: list[Joint | Drive] = [
            *self.model.joints,
            *relating,
        ]  # joints and relations, in the order of their rows
        refuse_contradiction(relating, coordinates)
        known = CoordinateTable(*(np.ascontiguousarray(column) for column in coordinates.kinds.T))
        stated = stated_coordinates(table, known, self.frames.stated(self.model))
        frames = {id(drive): k for k, drive in enumerate(self.frames.prescribed, start=self.places)}
        relations, bodies = relation_table(relating, coordinates, table, frames, self.count, stated)
        self.soft = table.row[-1] + np.flatnonzero(relations.soft)  # soft rows
        efforts = effort_table(self.model.drives, coordinates, frames)
        of_markers = {id(each): each.friction() for each in self.markers}
        friction = [of_markers.get(id(each)) for each in self.elements]
        wound = np.flatnonzero(self.widths == LAST_ANGLE + 1)
        rubbing = friction_table(friction, [frames.get(id(each), -1) for each in self.elements])
        acting = Ties(known, relations, efforts, rubbing, wound)
        table = with_relations(table, bodies, self.count)
        counts = self.count, acting, self.frames.rows
        self.joints = named(joint_arrays(table, moving, self.bodies, *counts))
        self.frames.keep(self.joints.acted)
        joints = self.joints if table.row[-1] > 0 else None
        self.bodies = named(self.bodies._replace(joints=joints))

    def _lengths(self, a: Ints) -> Floats:
        """Length (C,) [m] of contacts with the bodies `a`, of which the geometry may know better."""
        radius = self.bodies.radius[a]
        return radius if (radius > 0.0).all() else np.where(radius > 0.0, radius, self.levers()[a])

    def _place_anchors(self) -> None:
        """The fixed points in space that elements refer to, each a frame behind all others."""
        self._first_anchor: dict[int, int] = {}
        points: list[Floats] = [np.empty((0, 3))]
        first = self.count + 1 + len(self.moving_planes)
        for element in self.compliant:
            if isinstance(element.pairs, AnchoredPairs):
                self._first_anchor[id(element.pairs)] = first
                points.append(np.reshape(element.pairs.anchors, (-1, 3)))
                first += len(points[-1])
        self.anchors = np.concatenate(points)

    def _planes(self) -> Planes:
        planes = self.model.planes
        carrier = np.full(len(planes), self.count, np.int64)
        for plane in planes:
            if plane.body is not None:
                carrier[plane.index] = plane.body.index
            elif plane.motion is not None:
                carrier[plane.index] = self.count + 1 + self.moving_planes.index(plane)
        normal = np.array([plane.normal for plane in planes]).reshape(-1, 3)
        return Planes(carrier, normal, np.array([plane.offset for plane in planes], float))

    def _arrange_elements(self) -> None:
        """Sort set-valued contact by geometry: each compiled function measures one run of candidates.

        Raises ValueError if two elements have a pair in common.
        """
        geometries: list[Geometry] = []
        for element in self.elements:
            if element.geometry not in geometries:
                geometries.append(element.geometry)
        self.elements.sort(key=lambda e: geometries.index(e.geometry))
        self._kind = [geometries.index(e.geometry) for e in self.elements]
        refuse_shared_pairs([*self.elements, *(e.pairs for e in self.compliant), *self.surfaces])
        table = law_table([element.law for element in self.elements])
        self.laws, none = named(table), np.zeros(len(table.mu))
        self.frictionless = named(table._replace(mu=none, rolling_radius=none, drilling_radius=none))
        self.geometry, self.options = tables(geometries)
        self.widths = np.array([len(each.options) for each in geometries], np.int64)
        self.kinds = np.zeros(len(geometries) + 1, np.int64)
        #: Inputs of the kernels for measuring the candidates.
        self.element_tables = named(
            Elements(
                *(self.geometry, self.options, self.kinds, self.planes, self.shapes, self.cell),
                selection_of(geometries),
            )
        )

    def select(self, motion: Motion, candidates: Candidates) -> None:
        """Select the features of new `candidates` that may touch at the pose `motion`."""
        tables = self.element_tables
        if tables.selection is not None:
            arrange(tables.selection, tables, motion, candidates, None)

    def measure(self, motion: Motion, candidates: Candidates) -> None:
        """Write the gaps, normals and levers of `candidates` at the pose `motion`."""
        measure(self.element_tables, motion, candidates)

    def candidates(self, x: Floats, reach: float, q: Floats | None = None) -> Candidates:
        """Candidate pairs at the centres `x` (B, 3) whose gap is below `reach` [m].

        Without rotations `q` (B, 4) they are those of bodies that are turned in any way.
        """
        parts: list[Listed] = []
        number: list[Ints] = []
        self.kinds[:] = 0
        for law, (kind, element) in enumerate(zip(self._kind, self.elements, strict=True)):
            part = self._listed(element, x, reach, q, True)
            parts.append(part)
            number.append(np.full(len(part[0]), law, np.int64))
            self.kinds[kind + 1] += len(part[0])
        self.kinds[:] = np.cumsum(self.kinds)
        empty = np.empty(0, np.int64)
        a, b, plane, feature = (np.concatenate([empty, *(part[i] for part in parts)]) for i in range(4))
        laws = np.concatenate([empty, *number])
        return named(candidate_table(a, b, plane, laws, feature, self._lengths(a), len(self.cell) > 2))

    def owners(self, contacts: ContactTable, candidates: Candidates) -> Ints:
        """Numbers (K,) of the elements of `contacts` that are among the `candidates`; -1 for others."""
        return np.append(candidates.law, -1)[rows_in(candidates, contacts)]

    def by_images(self, pairs: Pairs) -> bool:
        """True if the `pairs` meet by their nearest images in a periodic cell."""
        return len(self.cell) > 0 and pairs.geometry.images is True

    def near(self, pairs: Pairs, x: Floats, reach: float, q: Floats | None = None) -> tuple[Ints, ...]:
        """Result of `pairs.candidates` at the centres `x` (B, 3) and rotations `q` (B, 4), None: all."""
        more: dict[str, Any] = {"cell": placed_cell(self.cell, x)} if self.by_images(pairs) else {}
        more |= {"q": q} if isinstance(pairs, TurnedPairs) else {}
        return pairs.candidates(x, self.bodies.radius, self.planes, reach, **more)

    def _listed(
        self, pairs: Pairs, x: Floats, reach: float, q: Floats | None, selects: bool = False
    ) -> Listed:
        """Bodies, planes and features of the candidates of one element, slots if its geometry `selects`."""
        a, b, plane, *feature = self.near(pairs, x, reach, q)
        number = feature[0] if feature else occurrences(a, b, plane)
        meet = self.apart.may_meet(a, b, pairs)
        a, b, plane, number = a[meet], b[meet], plane[meet], number[meet]
        meet = self.inactive.may_touch(a, b)
        a, b, plane, number = a[meet], b[meet], plane[meet], number[meet]
        if len(number) and not 0 <= number.min() <= number.max() < KEYS:
            name = f"features of {type(pairs).__name__}"
            raise refuse(name, f"{number.min()} to {number.max()}", f"in [0, {KEYS - 1}]")
        slots, stated = pairs.geometry.slots * selects, len(pairs.geometry.features) or 1
        keys = np.full(slots, NO_FEATURE) if slots else pairs.geometry.keys(np.arange(stated))
        a, b, plane, number = (np.repeat(each, len(keys)) for each in (a, b, plane, number))
        number = number + np.tile(keys, len(a) // len(keys))
        return a, b, plane, ~number if slots else number

    def table(self, pairs: Pairs, x: Floats, reach: float, q: Floats | None = None) -> Candidates:
        """Candidates of one compliant element, as in `candidates`."""
        a, b, plane, feature = self._listed(pairs, x, reach, q)
        if len(self.anchors):
            b = np.where(b < 0, self._first_anchor.get(id(pairs), 0) - 1 - b, b)
        return candidate_table(a, b, plane, np.zeros_like(a), feature, self._lengths(a), len(self.cell) > 2)

    def measure_pairs(self, pairs: Pairs, motion: Motion, candidates: Candidates) -> None:
        """Write the gaps, normals and levers of a `table` at the pose `motion`."""
        options = np.array(pairs.geometry.options)
        scene = Scene(self.shapes, self.planes, options, motion.x, motion.q, self.cell)
        measure_all(pairs.geometry.kernel.address, candidates, no_section(), scene)

    def pair_names(self, a: int, b: int, plane: int) -> tuple[str, str]:
        """Names of the two sides of a contact."""
        return self.model.bodies[a].name, self._side_name(b, plane)

    def _side_name(self, b: int, plane: int) -> str:
        if plane >= 0:
            return self.model.planes[plane].name
        if b < self.count:
            return self.model.bodies[b].name
        return "the ground" if b == self.count else self.moving_planes[b - self.count - 1].name

    def motion(self, state: State) -> Motion:
        """`state` with the frames behind the bodies, and with consistent accelerations if it has none."""
        state.check(self.count, len(self.joints.acted))
        first = len(self.joints.multiplier) + len(self.joints.last)
        end, known = first + len(self.joints.wound), state.joints
        angles = np.zeros(end - first) if known is None else known[first:end, 0]
        self.options[self.joints.wound, LAST_ANGLE:] = angles[:, None]
        motion = empty_motion(self.size)
        n = self.count
        motion.x[:n] = state.position
        motion.q[:n] = state.rotation
        motion.v[:n] = state.velocity
        motion.w[:n] = state.angular_velocity
        self.inactive.begin(state.presence, motion)
        self.frames.begin(state)
        if text := self.frames_at([state.t])[1]:
            raise ValueError(text)
        self.place_frames(motion, state.t)
        if state.acceleration is not None and state.auxiliary is not None:
            motion.dv[:n] = state.acceleration
            motion.a[:n] = state.auxiliary
        elif not self.massless:
            accelerations(self.bodies, motion, self.loads(state))
        return motion

    def state(
        self,
        t: float,
        motion: Motion,
        contacts: ContactHistory | None = None,
        forces: ContactForces | None = None,
        h: float | None = None,
    ) -> State:
        """The state of the bodies in `motion`, copied; `contacts`, `forces` and `h` see State."""
        x, q, v, w, dv, a = (part[: self.count].copy() for part in motion)
        joints = self.joints.acted.copy() if len(self.joints.acted) else None
        return State(t, x, q, v, w, dv, a, contacts, forces, joints, self.inactive.presence(), h)

    def place_frames(self, motion: Motion, t: float) -> None:
        """Put the frames behind the bodies where they are at time `t` [s]."""
        self.frames.place(motion, t)

    def frames_at(self, times: Sequence[float] | Floats) -> tuple[Floats, str]:
        """See `Frames.table`."""
        return self.frames.table(np.asarray(times, float))

    def loads(self, state: State) -> Floats:
        """Wrenches (N, 6) of gravity and the user's loads at `state`, inertial.

        Raises ValueError if a load returns an array of another shape.
        """
        wrench = self.weight.copy()
        force, torque = wrench[:, :3], wrench[:, 3:]
        for load in self.model.loads:
            name = getattr(load, "__name__", "load")
            value = load(state.t, state)
            parts = value if isinstance(value, tuple) else (value,)
            if len(parts) > 2:
                raise ValueError(
                    f"load {name} returned {len(parts)} arrays: must be force or (force, torque), each "
                    f"of shape {force.shape}"
                )
            for total, part in zip((force, torque), parts, strict=False):
                array = _numbers(name, part)
                if array.shape != force.shape:
                    raise ValueError(
                        f"load {name} returned shape {array.shape}: must be {force.shape}, a row per body"
                    )
                total += array
        self.clear_wrenches(wrench)
        return wrench

    def clear_wrenches(self, wrench: Floats) -> None:
        """Remove wrenches (N, 6) without effect: torques on points, all on inactive bodies."""
        wrench[:, 3:][~self.turns] = 0.0
        self.inactive.clear_wrenches(wrench)

    def points(self) -> Points:
        """Corners of primitives: centres of the bodies, then the rigid ones."""
        shapes, first = self.model.shapes, self.count
        carrier = np.array([self.frame_of(carrier) for carrier in shapes.carriers], np.int64)
        owner = np.concatenate([np.arange(first), carrier])
        place = np.concatenate([np.zeros((first, 3)), np.reshape(shapes.places, (-1, 3))])
        return Points(owner, place)

    def frame_of(self, carrier: Body | Plane | None) -> int:
        """Number of the frame that moves with `carrier`."""
        if carrier is None:
            return self.count
        return int(self.planes.body[carrier.index]) if isinstance(carrier, Plane) else carrier.index

    def levers(self) -> Floats:
        """Distance [m] (N,) from every body's centre to its surface or carried shapes.

        Points without a surface have that of the smallest of the others, 1 in a model of points.
        """
        lever = np.maximum(self.bodies.radius[: self.count], self._arms)
        least = float(lever[lever > 0.0].min(initial=np.inf))
        lever[lever == 0.0] = least if np.isfinite(least) else 1.0
        return lever

    @cached_property
    def _arms(self) -> Floats:
        """Distance [m] (N,) from every body's centre to the shapes that it carries, 0 without any."""
        return arms_of(self.model.primitives, self.points(), self.count)

    @property
    def thinnest(self) -> float:
        """Least radius [m] of bodies and primitives, or edge of a surface; else least lever."""
        model = self.model
        radii = np.array([b.radius for b in model.bodies] + [p.radius for p in model.primitives])
        least = float(np.abs(radii[radii != 0.0]).min(initial=np.inf))
        least = min(least, *(float(s.reference.length.min()) for s in model.surfaces), np.inf)
        return least if np.isfinite(least) else float(self.levers().min())

    def refuse_massless(self, scheme: str) -> None:
        """ValueError if a body has no mass, which the `scheme` needs."""
        if self.massless:
            raise ValueError(
                f"mass of {self.massless[0]!r} = 0: must be positive for {scheme}; give it a mass, or leave "
                "inertia out: scheme=Overdamped(...)"
            )

    def refuse_joints(self, scheme: str) -> None:
        """ValueError if the model has joints, which the `scheme` knows nothing of."""
        if self.model.joints:
            allowed = f"GeneralizedAlpha for joints ({self.model.joints[0].name})"
            remedy = "others know no joints: leave the scheme out, or state stiff springs in their place"
            raise refuse("scheme", scheme, allowed, remedy)

    def refuse_overlap(self, candidates: Candidates) -> None:
        """ValueError if measured candidates overlap by more than rounding of the data explains."""
        depth = -candidates.gap / candidates.length
        if len(depth) == 0 or depth.max() <= OVERLAP:
            return
        c = int(depth.argmax())
        element = self.elements[int(candidates.law[c])]
        if isinstance(element, MarkerContact):
            raise ValueError(element.violation(float(-candidates.gap[c])))
        first, second = self.pair_names(int(candidates.a[c]), int(candidates.b[c]), int(candidates.plane[c]))
        raise ValueError(
            f"position: {first!r} and {second!r} overlap by {-candidates.gap[c]:.3g} m at the start: must be "
            f"at most {OVERLAP:g} of {candidates.length[c]:.3g} m; move them apart, or give separate=True"
        )


def _numbers(load: str, value: Any) -> Floats:
    """The values that a `load` returned, as an array, or a ValueError."""
    try:
        array = floats_or_none(value)
    except (OverflowError, TypeError, ValueError):
        array = None
    if array is None:
        raise ValueError(f"load {load} returned {shown(value)}: must be numbers, a row per body")
    return array
