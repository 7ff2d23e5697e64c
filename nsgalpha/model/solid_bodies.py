"""Methods of Model: boxes, cylinders, cones, capsules, clumps and solids within meshes, in one line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, turned
from nsgalpha.checks import direction, instance, named_methods, truth, vector
from nsgalpha.model.appearance import Colour
from nsgalpha.model.body_inertia import inertia_tensor
from nsgalpha.model.clumps import Spheres, clump_properties
from nsgalpha.model.handles import Body, own
from nsgalpha.model.mass_properties import (
    MassProperties,
    box_properties,
    capsule_properties,
    cone_properties,
    cylinder_properties,
    mass_of,
    mesh_properties,
)
from nsgalpha.model.mesh_sources import Source
from nsgalpha.model.parts import Part, joined, part_list, placed
from nsgalpha.model.primitive_table import Shapes
from nsgalpha.model.visual_shapes import Visual, visual_shape


@named_methods
class SolidBodies(ABC):
    """The part of a model that states homogeneous solids."""

    shapes: Shapes
    visuals: list[Visual]
    robots: dict[str, Any]

    @abstractmethod
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
    ) -> Body:
        """Add a body."""

    def add_box(
        self,
        size: ArrayLike,
        *,
        position: ArrayLike,
        mass: float | None = None,
        density: float | None = None,
        radius: float = 0.0,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add a homogeneous box with edges of `size` (3,) [m] along its axes, and return its handle.

        mass [kg], or density [kg/m^3], neither of which a fixed body needs; the others, and errors, are those
        of `add_sphere`. radius [m]: of a ball that sweeps the box. It adds to all sides, outside of `size`,
        and rounds edges and corners; mass and inertia are those of the rounded box. Its six faces are
        primitives that it carries. `SolidSolid`, `SolidPlane`, `CompliantSolids` and `CompliantSolidPlane`
        let it touch. The compliant ones take sharp boxes only.

        >>> model = ns.Model()
        >>> brick = model.add_box((0.2, 0.1, 0.06), density=2000, position=(0, 0, 0.03))
        >>> round(brick.mass, 12), brick.inertia.diagonal().round(6).tolist()
        (2.4, [0.00272, 0.00872, 0.01])
        """
        motion, own = (position, velocity, angular_velocity, rotation), (fixed, gravity)
        return self._add_bulk("box", name, motion, own, box_properties(size, radius), mass, density)

    def add_cylinder(
        self,
        radius: float,
        length: float,
        *,
        position: ArrayLike,
        mass: float | None = None,
        density: float | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add a homogeneous cylinder of `radius` and `length` [m] around its z axis, and return its handle.

        The others are those of `add_box`. It carries a prism of 32 sides, which pictures show. Contact takes
        it as round, by the elements of `add_box`.

        >>> from elements import SolidPlane
        >>> model = ns.Model(gravity=(0, 0, -10))
        >>> can = model.add_cylinder(0.03, 0.1, mass=0.4, position=(0, 0, 0.05))
        >>> element = model.add(SolidPlane(can, model.add_plane(normal=(0, 0, 1)), mu=0.3))
        >>> result = ns.simulate(model, t_end=0.5, h=0.01)
        >>> float(result.position[-1, can, 2].round(9))  # it stands
        0.05
        """
        motion, own = (position, velocity, angular_velocity, rotation), (fixed, gravity)
        return self._add_bulk(
            "cylinder", name, motion, own, cylinder_properties(radius, length), mass, density
        )

    def add_cone(
        self,
        radius: float,
        height: float,
        *,
        position: ArrayLike,
        mass: float | None = None,
        density: float | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add a homogeneous cone around its z axis, with the apex above, and return its handle.

        radius [m]: of its base, which is height/4 [m] below the centre of mass. The others are those of
        `add_box`. It carries a pyramid of 32 sides, which pictures show. Set-valued contact takes
        it as round, compliant contact as the pyramid.

        >>> model = ns.Model()
        >>> cone = model.add_cone(0.1, 0.2, density=3000 / np.pi, position=(0, 0, 0.05))
        >>> round(cone.mass, 12), cone.inertia.diagonal().round(6).tolist()
        (2.0, [0.006, 0.006, 0.006])
        """
        motion, own = (position, velocity, angular_velocity, rotation), (fixed, gravity)
        return self._add_bulk("cone", name, motion, own, cone_properties(radius, height), mass, density)

    def add_capsule(
        self,
        radius: float,
        length: float,
        *,
        position: ArrayLike,
        mass: float | None = None,
        density: float | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add a homogeneous capsule around its z axis, and return its handle.

        length [m] > 0: between the centres of its caps. The others are those of `add_box`. It carries one
        primitive, a segment with the radius, for all elements of capsules.
        """
        motion, own = (position, velocity, angular_velocity, rotation), (fixed, gravity)
        return self._add_bulk("capsule", name, motion, own, capsule_properties(radius, length), mass, density)

    def add_solid(
        self,
        source: Source,
        *,
        position: ArrayLike,
        mass: float | None = None,
        density: float | None = None,
        scale: float = 1.0,
        hull: bool = False,
        concavity: float | None = None,
        repair: bool = False,
        radius: float = 0.0,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add the homogeneous solid within a mesh, and return its handle.

        source: a file, or a pair of vertices (V, 3) and triangles (T, 3), counter-clockwise from outside.
        Files are STL, OBJ, PLY, OFF, GLB (trimesh, the extra "mesh"), or COLLADA (the extra "collada"), of
        which all meshes are taken together. scale: metres in a unit of the source; COLLADA is in metres.
        hull: take the convex hull, also of points (V, 3) alone. concavity, .01 to 1: give the body convex
        parts in the place of a concave surface. That is how deep, over its half width, these may fill its
        dents (coacd, the extra "convex"). Mass and inertia stay those of the source. repair: repair the mesh
        first; `ns.mesh_report(source, repair=True)` lists the changes. radius [m], not scaled: rounds a
        convex solid as in `add_box`, outside of the mesh. position is that of the centre of mass. The frame
        of the body has the axes of the source. The others are those of `add_box`.

        Raises ValueError for a file that is missing or no mesh. Raises it, with the first place, for open
        edges, and for triangles that are turned, doubled, without area, or more than two at an edge. Raises
        it for hull with concavity or repair, for a concave solid with a radius, and as add_box does. Raises
        ImportError without trimesh or coacd.
        """
        motion, own = (position, velocity, angular_velocity, rotation), (fixed, gravity)
        hull, repair = truth("hull", hull), truth("repair", repair)
        found = mesh_properties(source, scale, hull, concavity, repair=repair, radius=radius)
        return self._add_bulk("solid", name, motion, own, found, mass, density)

    def add_compound(
        self,
        parts: Sequence[Part],
        *,
        position: ArrayLike | None = None,
        origin: ArrayLike | None = None,
        mass: float | None = None,
        density: float | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add a rigid body of several `parts` (ns.parts), and return its handle.

        position (3,) [m]: of the centre of mass, or origin (3,) [m]: of the frame of the parts. density
        [kg/m^3]: of all parts without their own, or mass [kg] of the whole. Parts that overlap count twice.
        The velocity is that of the centre of mass. The others are those of `add_box`. All parts are shapes
        that the body carries, with no contact with each other.

        Raises ValueError for a list without parts, if not exactly one of position and origin is given, and as
        add_box does.

        >>> model = ns.Model()
        >>> head = ns.parts.box((0.1, 0.03, 0.03), position=(0, 0, 0.3), density=7800)
        >>> hammer = model.add_compound([head, ns.parts.cylinder(0.01, 0.6)], density=700, origin=(0, 0, 1))
        >>> round(hammer.mass, 3), hammer.position.round(4).tolist()
        (0.834, [0.0, 0.0, 1.2525])
        """
        pieces = part_list(parts)
        if (position is None) == (origin is None):
            raise ValueError("position and origin: give one of them")
        none = truth("fixed", fixed) and mass is None and density is None
        m, centre, inertia = joined(pieces, 1.0 if none else density, mass)
        if origin is not None:
            position = vector("origin", origin) + turned(direction("rotation", rotation, 4), centre)
        assert position is not None
        motion = position, velocity, angular_velocity, rotation
        tensor = 0.0 * inertia if none else inertia_tensor("inertia", inertia)
        body = self._add_body(
            "compound", name, motion, (fixed, gravity), radius=0.0, mass=0.0 if none else m, inertia=tensor
        )
        for part in pieces:
            carry(self.shapes, placed(part, centre), body)
        return body

    def add_clump(
        self,
        spheres: Spheres,
        *,
        position: ArrayLike,
        mass: float | None = None,
        density: float | None = None,
        scale: float = 1.0,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        name: str | None = None,
        fixed: bool = False,
        gravity: ArrayLike | None = None,
    ) -> Body:
        """Add a homogeneous body in the shape of overlapping balls, and return its handle.

        spheres: rows (K, 4) of x, y, z and radius, or a text file with these four numbers in each line. #
        begins a remark in it. scale: metres in a unit of the spheres. Mass, centre and inertia are those of
        the union: overlaps count once. Their relative error is below 1e-9. position is that of the
        centre of mass. The frame of the body has the axes of the spheres. The others are those of `add_box`.

        The body carries a ball for each sphere that is not inside another one. `CapsulePlane`,
        `CapsuleSphere`, `CapsuleCapsule` and `Contact` let them touch, and their compliant counterparts.

        Raises ValueError for spheres that are none, by line of a file, and as add_box does, OSError for a
        file that cannot be read.

        >>> model = ns.Model()
        >>> peanut = model.add_clump([(-0.5, 0, 0, 1), (0.5, 0, 0, 1)], density=8 / np.pi, position=(0, 0, 0))
        >>> round(peanut.mass, 9)  # 2 pi/3 (2 + 3/2 - 1/8) for the density 1
        18.0
        """
        motion, own = (position, velocity, angular_velocity, rotation), (fixed, gravity)
        bulk, radii = clump_properties(spheres, scale)
        body = self._add_bulk("clump", name, motion, own, bulk, mass, density)
        for x, r in zip(bulk.vertices, radii.tolist(), strict=True):
            self.shapes.add(x[None], r, body, None)
        return body

    def add_visual(
        self,
        source: Part | Source,
        *,
        body: Body | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        scale: float = 1.0,
        colour: Colour | None = None,
    ) -> Visual:
        """Add a visual shape, which is drawn and met by nothing, and return it.

        source: a part (ns.parts), or a mesh as for `add_solid` that may have open edges. body: that carries
        it, by default space. position (3,) [m] and rotation (4,), a quaternion: of the shape in the frame of
        the body, whose origin is the centre of mass. scale: metres in a unit of the source. colour: see
        `add`; by default that of the body.

        Pictures, films and pages show it in place of the shapes that the body carries for contact. Mass and
        motion are those without it.

        Raises ValueError for a value out of its range, a mesh without an area, or a body of another model.

        >>> model = ns.Model()
        >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
        >>> cube = model.add_visual(ns.parts.box((0.2, 0.2, 0.2)), body=ball, colour="#b03030")
        >>> len(model.visuals), len(model.primitives)
        (1, 0)
        """
        if body is not None:
            own(self, "body", instance("body", body, Body, "a body, as returned by the model"))  # type: ignore[arg-type]
        made = visual_shape(source, position, rotation, scale=scale, colour=colour)
        self.visuals.append(replace(made, carrier=body))
        return self.visuals[-1]

    def _add_bulk(
        self,
        kind: str,
        name: str | None,
        motion: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike],
        own: tuple[bool, ArrayLike | None],
        bulk: MassProperties,
        mass: float | None,
        density: float | None,
    ) -> Body:
        """A body with the surface of a solid as primitives."""
        none = truth("fixed", own[0]) and mass is None and density is None
        m = 0.0 if none else mass_of(bulk, mass, density)
        tensor = 0.0 * bulk.inertia if none else inertia_tensor("inertia", m / bulk.volume * bulk.inertia)
        body = self._add_body(kind, name, motion, own, radius=0.0, mass=m, inertia=tensor)
        if kind != "clump":
            carry(self.shapes, bulk, body)
        return body


def carry(shapes: Shapes, bulk: MassProperties, body: Body) -> None:
    """Let a `body` carry the surface of a solid, among the `shapes` of its model."""
    if bulk.faces:
        shapes.add_mesh(bulk.vertices, _filled(bulk.faces), bulk.radius, body)
    else:
        shapes.add(bulk.vertices, bulk.radius, body, None)


def _filled(faces: list[list[int]]) -> list[list[int]]:
    """Rows of one length: those with fewer corners end with -1."""
    width = max(map(len, faces))
    return [[*face, *[-1] * (width - len(face))] for face in faces]
