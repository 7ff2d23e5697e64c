"""The shapes that rigid bodies carry, as arrays for the kernels.

The shapes of a body are numbered. Its own sphere, if it has a radius, is number 0. Its capsules follow in
their order, and then its other primitives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints, ShapeTable
from nsgalpha.checks import refuse
from nsgalpha.model.contact_keys import MOST_SHAPES
from nsgalpha.model.contact_meshes import Mesh, mesh_library
from nsgalpha.model.convex_solids import Solid, distinct_solids, library
from nsgalpha.model.handles import Body, Owner, Primitive


def is_capsule(primitive: Primitive) -> bool:
    """True if it has two corners, fixed in the frame of a body."""
    return primitive.rigid and len(primitive.corners) == 2 and isinstance(primitive.carrier, Body)


def is_ball(primitive: Primitive) -> bool:
    """True if it has one corner, fixed in the frame of a body."""
    return primitive.rigid and len(primitive.corners) == 1 and isinstance(primitive.carrier, Body)


def shapes_on(
    name: str, handles: Any, kinds: tuple[Any, ...] = (Body, Primitive)
) -> list[tuple[Any, list[Any]]]:
    """Each of the `handles`, one or several, with the shapes that it is or carries.

    A body has its sphere, with a radius above 0, and its rigid primitives. Raises ValueError, with the
    `name` of the argument, for handles that are not of the `kinds`, and for shapes given twice.
    """
    words = [f"{kind.__name__.lower()}s".replace("bodys", "bodies") for kind in kinds]
    allowed = f"a list of {', '.join(words[:-1])} or {words[-1]}, as returned by the model"
    if not isinstance(handles, (Sequence, *kinds)) or isinstance(handles, str | bytes | range):
        raise refuse(name, handles, allowed)
    carried: dict[int, list[Any]] = {}
    found: list[tuple[Any, list[Any]]] = []
    known, models = set[int](), set[int]()
    listing: Any = [handles] if isinstance(handles, kinds) else handles
    for each in listing:
        if not isinstance(each, kinds):
            raise refuse(name, each, allowed)
        own: list[Any] = [each]
        if isinstance(each, Body):
            if id(each.model) not in models:
                models.add(id(each.model))
                for primitive in each.model.shapes.primitives:
                    if primitive.rigid:
                        carried.setdefault(id(primitive.carrier), []).append(primitive)
            own = [each] * (each.radius > 0.0) + carried.get(id(each), [])
        if id(each) in known or any(id(shape) in known for shape in own):
            raise ValueError(f"{name}: {each.name!r} is given twice; name each one once")
        known |= {id(each), *map(id, own)}
        found.append((each, own))
    return found


def shape_numbers(model: Owner) -> dict[int, int]:
    """Number on its body of every rigid primitive, by that of the primitive; capsules first."""
    free = [int(body.radius > 0.0) for body in model.bodies]
    numbers = {}
    for primitive in sorted(model.shapes.primitives, key=lambda each: not is_capsule(each)):
        if primitive.rigid and isinstance(primitive.carrier, Body):
            numbers[primitive.index] = free[primitive.carrier.index]
            free[primitive.carrier.index] += 1
    return numbers


def numbers_of(name: str, shapes: Sequence[Primitive | Body]) -> Ints:
    """Numbers (K,) of `shapes` on their bodies, 0 for the spheres of bodies.

    Raises ValueError for the argument `name` if that of a shape does not fit into a key.
    """
    known = shape_numbers(shapes[0].model) if shapes else {}
    numbers = np.array([0 if isinstance(each, Body) else known[each.index] for each in shapes], np.int64)
    if numbers.max(initial=0) >= MOST_SHAPES:
        remedy = "divide the body: several that `Rigid` joins, or that are fixed"
        raise refuse(name, shapes[int(numbers.argmax())].name, f"one of {MOST_SHAPES} on its body", remedy)
    return numbers


def corners_of(shape: Primitive | Body) -> Floats:
    """Corners (n, 3) [m] of a rigid primitive in its carrier's frame; centre of a sphere."""
    if isinstance(shape, Body):
        return np.zeros((1, 3))
    return np.array([shape.model.shapes.places[row] for row in shape.corners], float)


def extent_of(primitive: Primitive) -> float:
    """Radius [m] of the sphere around the centre of the carrier that holds a rigid primitive."""
    return float(np.linalg.norm(corners_of(primitive), axis=1).max()) + abs(primitive.radius)


def shapes_of(
    model: Owner, radius: Floats, solids: Sequence[Solid] = (), meshes: Sequence[Mesh] = ()
) -> ShapeTable:
    """The shapes of all bodies and frames of the `model`, whose spheres have the `radius` (B,).

    solids, meshes: those of set-valued contact, each at the row of its first face. Raises ValueError for two
    of them with some faces in common.
    """
    listed = [
        (p.carrier.index, not is_capsule(p), p)
        for p in model.shapes.primitives
        if p.rigid and isinstance(p.carrier, Body)
    ]
    listed.sort(key=lambda each: each[:2])
    many = np.bincount(np.array([body for body, *_ in listed], np.int64), minlength=len(radius))
    most = max((len(p.corners) for *_, p in listed), default=2)
    corners = [[*p.corners, *[-1] * (most - len(p.corners))] for *_, p in listed]
    first, places = np.cumsum(many) - many - (radius > 0.0), np.array(model.shapes.places, float)
    rows = np.reshape(np.array(corners, np.int64), (-1, most))
    thickness = np.array([primitive.radius for *_, primitive in listed], float)
    of_shape: dict[int, Solid] = {}
    for each in solids:
        known = of_shape.setdefault(each.index, each)
        if len(known.vertices) != len(each.vertices):
            raise refuse("solids", each.name, "a solid of the same faces in all elements")
        if each.edges:  # planes need no edges, and see the same vertices
            of_shape[each.index] = each
    distinct, number = distinct_solids(list(of_shape.values()))
    numbers = dict(zip(of_shape, number, strict=True))
    solid = np.array([numbers.get(primitive.index, -1) for *_, primitive in listed], np.int64)
    surfaces: dict[int, Mesh] = {}
    for mesh in meshes:
        known_mesh = surfaces.setdefault(mesh.index, mesh)
        if len(known_mesh.triangles) != len(mesh.triangles):
            raise refuse("polygons", mesh.name, "a mesh of the same faces in all elements")
        if known_mesh.two_sided != mesh.two_sided:
            allowed = f"the same in all elements with the mesh of {mesh.carrier.name!r}"
            raise refuse("two_sided", mesh.two_sided, allowed, "give it to all of them, or to none")
    numbers = {index: k for k, index in enumerate(surfaces)}
    of = np.array([numbers.get(primitive.index, -1) for *_, primitive in listed], np.int64)
    tables = library(distinct), mesh_library(list(surfaces.values()), of)
    own = rows, thickness, solid, *tables
    return ShapeTable(radius, first, np.reshape(places, (-1, 3)), *own)
