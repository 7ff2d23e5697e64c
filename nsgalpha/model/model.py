"""The model: bodies, planes, loads and elements, as a user states them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import (
    direction,
    finite,
    function,
    named_methods,
    number_in,
    positive,
    refuse,
    scaled_direction,
    truth,
    vector,
)
from nsgalpha.model.additions import ElementGroup, add_thing
from nsgalpha.model.appearance import Appearances, Colour, stated_appearance
from nsgalpha.model.body_inertia import own_gravity, refuse_motion, stated_inertia, stated_mass
from nsgalpha.model.body_markers import checked_markers
from nsgalpha.model.cell_motion import CellMotion, checked_motion, period_vectors
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.contact_element import CompliantElement, ContactElement, SurfaceElement
from nsgalpha.model.coordinate_relations import Drive
from nsgalpha.model.force_element import ForceElement
from nsgalpha.model.handles import Body, Plane, PrescribedMotion, Primitive, own, own_all
from nsgalpha.model.inlets_outlets import OpenBoundary, stages
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.many_spheres import add_spheres
from nsgalpha.model.mass_properties import mass_of, sphere_properties
from nsgalpha.model.model_names import Names, find_named
from nsgalpha.model.model_repr import model_as_html, model_in_words
from nsgalpha.model.periodic_cell import mean_field, stated_periods, wrapped_at
from nsgalpha.model.plane_motion import frame_motion
from nsgalpha.model.primitive_table import Corners, Shapes
from nsgalpha.model.solid_bodies import SolidBodies
from nsgalpha.model.state import State
from nsgalpha.model.triangulated_surface import Surface, surface_of

Load = Callable[[float, State], ArrayLike | tuple[ArrayLike, ArrayLike]]
Element = TypeVar(
    "Element",
    bound="ContactElement | CompliantElement | SurfaceElement | ForceElement | ElementGroup | Joint | Drive"
    " | OpenBoundary",
)


@named_methods
class Model(SolidBodies):
    """Bodies, planes, primitives, loads and the elements that act between them.

    gravity: acceleration [m/s^2], inertial frame (3,). periodic: periods [m] along x, y and z, None for a
    direction without: (0.2, 0.1, None) is a layer without end. Bodies meet the nearest image of one another;
    positions are continuous beyond the cell, `wrap` puts them into it. cell_motion: a `CellMotion`, by which
    the cell is sheared and strained. See docs/how-to/periodic-cells.md.

    Raises ValueError if `gravity` is not three finite numbers, or a period is not positive. Also raises it
    for a motion along a direction without a period.

    >>> model = ns.Model(gravity=(0, 0, -9.81))
    >>> ball = model.add_sphere(radius=0.03, mass=0.2, position=(0, 0, 0.03), velocity=(1, 0, 0))
    >>> floor = model.add_plane(normal=(0, 0, 1))
    >>> [body.name for body in model.spheres], int(ball)
    (['sphere 0'], 0)
    """

    def __init__(
        self,
        gravity: ArrayLike = (0.0, 0.0, 0.0),
        *,
        periodic: Sequence[float | None] | None = None,
        cell_motion: CellMotion | None = None,
    ) -> None:
        self.gravity = vector("gravity", gravity)
        self.periodic = stated_periods(periodic)
        self.cell_motion = checked_motion(cell_motion, self.periodic)
        self.bodies: list[Body] = []
        self.planes: list[Plane] = []
        self.names = Names()
        self.shapes = Shapes(self, self.names)
        self.loads: list[Load] = []
        self.elements: list[ContactElement | CompliantElement | SurfaceElement | ForceElement] = []
        self.joints: list[Joint] = []
        self.drives: list[Drive] = []  # and other loads on coordinates of joints
        self.surfaces: list[Surface] = []
        self.open_boundaries: list[OpenBoundary] = []  # outlets and feeders
        self.labels: dict[int, str] = {}  # names of elements by their numbers
        self.appearances = Appearances()  # of elements and joints
        self.visuals, self.robots = [], {}  # shapes that nothing meets, robots from files by their names

    def __repr__(self) -> str:
        return model_in_words(self)

    def _repr_html_(self) -> str:
        """A table of its contents, as notebooks show it."""
        return model_as_html(self)

    @property
    def spheres(self) -> list[Body]:
        """All bodies with a spherical surface, in the order in which they were added."""
        return [body for body in self.bodies if body.radius > 0.0]

    @property
    def primitives(self) -> list[Primitive]:
        """All primitives, in the order in which they were added."""
        return self.shapes.primitives

    def add_sphere(
        self,
        *,
        radius: float,
        mass: float | None = None,
        position: ArrayLike,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
        density: float | None = None,
    ) -> Body:
        """Add a rigid body with a spherical surface and return its handle.

        radius [m]; mass [kg], or density [kg/m^3] of the ball; position of the centre of mass (3,) [m], the
        centre of the sphere; velocity (3,) [m/s] and angular_velocity (3,) [rad/s], both inertial; inertia
        [kg m^2], body frame: a number, three principal values or a tensor (3, 3), by default the homogeneous
        ball's 2/5 m r^2; rotation: quaternion (4,), scalar first, body to inertial, of any length.

        fixed: the body stays at its place under any load; it needs no mass and has no velocity.
        gravity: its own acceleration (3,) [m/s^2] in the place of the model's, or a factor on that, 0 for a
        body without weight.

        Raises ValueError if a value is out of its range, the name is in use, or the mass is missing or stated
        twice.
        """
        radius = positive("radius", radius)
        if density is not None:
            mass = mass_of(sphere_properties(radius), mass, density)
        mass = stated_mass(mass, fixed)
        tensor = stated_inertia(inertia, mass, radius)
        motion = position, velocity, angular_velocity, rotation
        own = fixed, gravity
        return self._add_body("sphere", name, motion, own, radius=radius, mass=mass, inertia=tensor)

    def add_spheres(
        self,
        *,
        position: ArrayLike,
        radius: ArrayLike,
        mass: ArrayLike,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    ) -> list[Body]:
        """Add N homogeneous balls, one for each row of `position` (N, 3) [m]; return their handles.

        The other arguments are those of `add_sphere`, each one value for all or N of them. Ten thousand balls
        take a tenth of a second.

        Raises ValueError, which names the row, if a value is out of its range.

        >>> model = ns.Model()
        >>> balls = model.add_spheres(position=[(0, 0, 0), (0, 0, 1)], radius=0.1, mass=(1, 2))
        >>> [(ball.name, ball.mass) for ball in balls]
        [('sphere 0', 1.0), ('sphere 1', 2.0)]
        """
        return add_spheres(self, self.names, radius, mass, position, velocity, angular_velocity, rotation)

    def add_body(
        self,
        *,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        position: ArrayLike,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        markers: Mapping[str, ArrayLike] | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add a rigid body without surface, which can carry primitives and planes; return its handle.

        Arguments and errors are those of `add_sphere`; `position` is that of the centre of mass. markers: for
        joints, by name, `Marker.of(body, name)`. Each is a point (3,) [m] from the centre, in the frame of
        the body, or (2, 3) a point and an axis. (3, 3) is a point, an axis and a second direction.
        """
        mass = stated_mass(mass, fixed)
        tensor = stated_inertia(inertia, mass)
        motion = position, velocity, angular_velocity, rotation
        named = checked_markers({} if markers is None else markers)
        own = fixed, gravity
        return self._add_body("body", name, motion, own, radius=0.0, mass=mass, inertia=tensor, markers=named)

    def add_point(
        self,
        *,
        position: ArrayLike,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        mass: float = 0.0,
        radius: float = 0.0,
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add a point, a body of three degrees of freedom without rotation; return its handle.

        position (3,) [m] and velocity (3,) [m/s]; mass [kg] >= 0, 0 for motion without inertia
        (`Overdamped`) and statics; radius [m] >= 0 of a spherical surface around it, 0: it has none;
        fixed and gravity as for `add_sphere`.

        Raises ValueError if a value is out of its range or the name is in use.
        """
        mass = number_in("mass", mass, 0.0, np.inf, remedy="0 is for motion without inertia")
        radius = number_in("radius", radius, 0.0, np.inf, remedy="0 is a point without a surface")
        motion, none = (position, velocity, np.zeros(3), (1.0, 0.0, 0.0, 0.0)), np.zeros((3, 3))
        own = fixed, gravity
        return self._add_body("point", name, motion, own, radius=radius, mass=mass, inertia=none, turns=False)

    def _add_body(
        self,
        kind: str,
        name: str | None,
        motion: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike],
        own: tuple[bool, ArrayLike | None],
        *,
        radius: float,
        mass: float,
        inertia: Floats,
        turns: bool = True,
        markers: Mapping[str, Floats] | None = None,
    ) -> Body:
        number = len(self.bodies)
        free, vectors = self.names.free(name, kind, number), ("position", "velocity", "angular_velocity")
        x, v, w = (vector(each, value) for each, value in zip(vectors, motion, strict=False))
        q = direction("rotation", motion[3], 4)
        fixed, weight = truth("fixed", own[0]), own_gravity(own[1], self.gravity)
        if fixed:
            refuse_motion(free, v, w)
        body = Body(
            self, number, free, radius, mass, inertia, x, v, w, q, turns, markers or {}, fixed, weight
        )
        self.bodies.append(body)
        self.names.take(body.name)
        return body

    def add_primitive(
        self,
        corners: Corners,
        *,
        radius: float = 0.0,
        carrier: Body | Plane | None = None,
        name: str | None = None,
    ) -> Primitive:
        """Add a primitive in its points (sphere, segment, polygon) and return its handle.

        One corner is a sphere of the `radius` [m], negative for a hollow one that is seen from within, or a
        point with the radius 0. Two are the axis of a capsule, cylinder or disk. More are a flat convex
        polygon, counter-clockwise around its outward normal, whose thickness is twice the radius. The
        elements that take them decide their role.

        corners: coordinates (n, 3) [m] in the frame of `carrier`, a body or a plane that moves the primitive
        rigidly, by default space. Up to three bodies are allowed instead, with which it deforms.

        Raises ValueError if a value is out of its range, or polygons are not flat and convex. Also raises it
        if the name is in use or handles are of another model.
        """
        if carrier is not None:
            own(self, "carrier", carrier)
        return self.shapes.add(corners, radius, carrier, name)

    def add_mesh(
        self,
        vertices: Corners,
        polygons: ArrayLike,
        *,
        radius: float = 0.0,
        carrier: Body | Plane | None = None,
    ) -> list[Primitive]:
        """Add polygons that share their corners, `polygons` (K, n) rows of `vertices`; return their handles.

        Arguments and errors are those of `add_primitive`; rows of polygons with fewer corners end with -1.
        """
        if carrier is not None:
            own(self, "carrier", carrier)
        return self.shapes.add_mesh(vertices, polygons, radius, carrier)

    def add_surface(
        self,
        nodes: Sequence[Body],
        triangles: ArrayLike,
        *,
        thickness: ArrayLike | None = None,
        name: str | None = None,
    ) -> Surface:
        """Add a triangulated surface with bodies as nodes, a shell or membrane; return its handle.

        nodes: N bodies, such as `add_point` returns. triangles (T, 3): rows of the nodes, counter-clockwise
        from outside. thickness [m] > 0: a number, or one for each triangle, where elements are to have it
        from here. A surface may have borders and several pieces. Its edges, areas, lengths, angles and
        volumes in the model as stated are `topology` and `reference` of the handle. By itself it does
        nothing: elements such as `ShellSprings` act on it, and for contact and pictures `add_mesh(nodes,
        triangles)` makes primitives of it.

        Raises ValueError, with names, for a triangle without area or stated twice, or a node in no triangle.
        Also raises it for more than two triangles at an edge, or two of opposite orientation.

        >>> model = ns.Model()
        >>> corners = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
        >>> nodes = [model.add_point(position=corner) for corner in corners]
        >>> surface = model.add_surface(nodes, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
        >>> surface.closed, surface.reference.volume.round(6)
        (True, array([0.166667]))
        """
        free = self.names.free(name, "surface", len(self.surfaces))
        surface = surface_of(self, len(self.surfaces), free, nodes, triangles, thickness)
        self.surfaces.append(surface)
        self.names.take(free)
        return surface

    def add_plane(
        self,
        *,
        normal: ArrayLike,
        offset: float = 0.0,
        name: str | None = None,
        body: Body | None = None,
        motion: PrescribedMotion | None = None,
    ) -> Plane:
        """Add the plane `normal . x = offset` and return its handle; spheres are on the normal's side.

        normal (3,) of any length; for a unit normal the offset is the distance [m] from the origin. Without
        more the plane is fixed. With `body` it is carried by that body, and normal and offset are in the
        body's frame. With `motion` its frame is prescribed. `motion(t)` returns position (3,) [m] and
        velocity (3,) [m/s] of the frame's origin, and, if it rotates, rotation (4,) and inertial angular
        velocity (3,) [rad/s]. Normal and offset are in that frame.

        Raises ValueError if the normal is zero, a value is not finite, or the name is in use. Also raises it
        if the body belongs to another model, or both `body` and `motion` are given.
        """
        if body is not None and motion is not None:
            raise ValueError("body and motion: give one of them; a plane is carried or prescribed")
        if body is not None:
            own(self, "body", body)
        if motion is not None:
            function("motion", motion, "a callable motion(t)")
        unit, length = scaled_direction("normal", normal)
        free = self.names.free(name, "plane", len(self.planes))
        distance = number_in("offset", offset, -np.inf, np.inf) / length
        plane = Plane(self, len(self.planes), free, unit, distance, body, motion)
        if motion is not None and not isinstance(motion, Missing):
            frame_motion(plane, 0.0)
        self.planes.append(plane)
        self.names.take(plane.name)
        return plane

    def add_load(self, load: Load) -> None:
        """Add a load `load(t, state)`, inertial: force (N, 3) [N], or (force, torque (N, 3) [N m]).

        Raises ValueError if it is not callable, or states by a method `handles()`, as those of `elements` do,
        that it refers to another model. Also raises it for `energy_known` without a method `energy(x)`.
        """
        if getattr(load, "energy_known", False):
            function(f"energy of {type(load).__name__}", getattr(load, "energy", None), "a method energy(x)")
        own_all(self, f"load {type(load).__name__}", function("load", load, "a callable f(t, state)"))
        self.loads.append(load)

    def add(
        self, element: Element, *, name: str | None = None, colour: Colour | None = None, show: bool = True
    ) -> Element:
        """Add an element and return it; with a name, `model.element(name)` is that element.

        Parts of a group, such as `Contact`, are separate elements, "name 1", "name 2".

        colour: of its contacts, springs, ropes or joint in pictures and pages, in place of the usual one. It
        is "#rrggbb", "#rrggbbaa", or red, green, blue and opacity in [0, 1], (3,) or (4,). show: whether
        these are drawn. Bodies and carried shapes are drawn by themselves.

        Raises ValueError if it is no such thing or was added already. Also raises it if it or a law of it
        refers to a thing of another model, or to a joint that was not added. A name must be free, and left
        out for joints and drives, which have their own. A colour must be valid, and is refused for elements
        in no picture, such as limits.

        >>> from elements import Spring
        >>> model = ns.Model()
        >>> balls = [model.add_sphere(radius=1, mass=1, position=(3 * k, 0, 0)) for k in range(2)]
        >>> rope = model.add(Spring([balls], stiffness=1.0), name="rope", colour="#b03030")
        >>> model.element("rope") is rope
        True
        """
        add_thing(self, element, name, stated_appearance(colour, show))
        return element

    def wrap(self, position: ArrayLike, t: ArrayLike = 0.0) -> Floats:
        """Places (..., 3) [m] in the periodic cell, in [0, L) along its directions; `result.position`, say.

        t: the time [s] in a cell that moves, or those (n,) of places (n, ..., 3), such as `result.t`.

        >>> ns.Model(periodic=(2.0, None, None)).wrap((-0.5, -0.5, 7.0))
        array([ 1.5, -0.5,  7. ])
        """
        x = finite("position", position)
        if x.shape[-1:] != (3,):
            raise refuse("position", position, "of the shape (..., 3)")
        times = finite("t", t)
        if times.ndim > 1 or (times.ndim == 1 and (x.ndim < 2 or len(x) != len(times))):
            raise refuse("t", t, "a number, or as many as there are rows of position")
        return wrapped_at(self, x, times)

    def body(self, name: str) -> Body:
        """The body with the `name`; ValueError if there is none.

        >>> model = ns.Model()
        >>> ball = model.add_sphere(radius=1, mass=1, position=(0, 0, 0), name="cue")
        >>> model.body("cue") is ball
        True
        """
        return find_named("body", name, self.bodies)

    def plane(self, name: str) -> Plane:
        """The plane with the `name`; ValueError if there is none."""
        return find_named("plane", name, self.planes)

    def element(self, name: str) -> Any:
        """The element that was added with the `name`; ValueError if there is none."""
        elements = self.elements  # those of a file are made now, with their names
        for number, known in self.labels.items():
            if isinstance(name, str) and known == name:
                return elements[number]
        named = ", ".join(map(repr, self.labels.values())) or "none: see Model.add(name=)"
        raise refuse("name", name, "that of an element", f"names are {named}")

    def initial_state(self) -> State:
        """The state in which the model was stated, at t = 0."""
        names = {"position": 3, "rotation": 4, "velocity": 3, "angular_velocity": 3}
        parts = ([getattr(body, name) for body in self.bodies] for name in names)
        x, q, v, w = (np.reshape(part, (-1, n)) for part, n in zip(parts, names.values(), strict=True))
        if self.cell_motion is not None and self.cell_motion.affine:
            moving = np.array([not body.fixed for body in self.bodies], bool)
            v = v + mean_field(x, *period_vectors(self, 0.0, self.cell_motion.kinematics)) * moving[:, None]
        return State(0.0, x, q, v, w, presence=stages(self) if self.open_boundaries else None)
