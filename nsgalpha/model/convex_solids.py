"""Solids: convex bodies bounded by polygons that one carrier holds, and the half-spaces of planes.

The faces of a solid are primitives of three corners or more that share corners, as those of one `add_mesh`
do. A prism over a regular polygon of SIDES corners, as `add_cylinder` makes it, is a cylinder.

Compliant contact takes solids in separate frames. Set-valued contact takes polytopes in the frames of their
bodies, with the vertices as stated. A pyramid over such a polygon is a cone there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nsgalpha.arrays import CONE, CYLINDER, HALF_SPACE, POLYTOPE, Floats, Ints, Solids
from nsgalpha.checks import refuse
from nsgalpha.model.handles import Body, Plane, Primitive

SIDES = 32  # of the prism that is shown of a cylinder
ROUND = 48  # corners of the ends of a cylinder in contact (elements/geometry/polytopes.py)
RIM = 32  # points of a rim that are fixed in the body, for set-valued contact
FLAT = 1e-7  # by which corners may lie outside of the planes of a convex solid, over its size
THIN = 1e-6  # least width of a polytope of set-valued contact, over its size
CHUNK = 1024  # planes whose heights are in memory together
PARALLEL = 1e-10  # sine of the angle between planes that count as one
REMEDY = "take its hull, concavity= for parts, or RoundedTriangles for smooth surfaces"


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex solid, or the half-space behind a plane, in its own frame."""

    name: str
    index: int  # of its first face among the primitives, -1 of a half-space
    carrier: Body | Plane | None
    kind: int
    size: Floats  # (3,) see arrays.Solids
    frame: Floats = field(repr=False)  # (4, 3) centre and axes in the frame of the carrier
    vertices: Floats = field(repr=False)  # (V, 3) in the frame
    faces: list[list[int]] = field(repr=False)
    planes: Floats = field(repr=False)  # (F, 4)
    radius: float = 0.0
    rigid: bool = True
    edges: list[tuple[int, ...]] = field(default_factory=list, repr=False)  # see arrays.Solids


def half_space(plane: Plane) -> Solid:
    """The half-space behind a plane."""
    t = np.cross(plane.normal, np.eye(3)[np.abs(plane.normal).argmin()])
    t /= np.linalg.norm(t)
    frame = np.array([plane.offset * plane.normal, t, np.cross(plane.normal, t), plane.normal])
    up, size = np.array([[0.0, 0.0, 1.0, 0.0]]), np.array([1.0, 0.0, 0.0])
    return Solid(plane.name, -1, plane, HALF_SPACE, size, frame, np.empty((0, 3)), [[]], up)


def solids_of(name: str, faces: Sequence[Primitive], *, convex: bool = True) -> list[Solid]:
    """The solids whose faces are `faces`, rigid polygons, in the order of their first ones.

    Raises ValueError, with the `name` of the argument, for faces that do not close, turn inwards or are not
    convex together.
    """
    return [_solid(name, group, convex) for group in connected(faces)]


def divided_faces(faces: Sequence[Primitive]) -> tuple[list[Primitive], list[Primitive]]:
    """The `faces` of closed surfaces, and the others, polygons alone or of an open surface."""
    closed: list[Primitive] = []
    others: list[Primitive] = []
    for group in connected(faces):
        edges = {pair for face in group for pair in _pairs(list(face.corners))}
        (closed if all((b, a) in edges for a, b in edges) else others).extend(group)
    return closed, others


def round_solids(name: str, faces: Sequence[Primitive]) -> list[tuple[Solid, list[Primitive]]]:
    """The cylinders and cones among closed surfaces, each with its faces."""
    groups = [group for group in connected(faces) if any(len(face.corners) == SIDES for face in group)]
    found = [(_polytope(name, group, False), group) for group in groups]
    return [(solid, group) for solid, group in found if solid.kind != POLYTOPE]


def connected(faces: Sequence[Primitive]) -> list[list[Primitive]]:
    """Faces that share corners, group by group."""
    group_of: dict[int, int] = {}  # by corner: the corner that stands for its group

    def root(corner: int) -> int:
        while group_of.setdefault(corner, corner) != corner:
            group_of[corner] = group_of[group_of[corner]]
            corner = group_of[corner]
        return corner

    for face in faces:
        for corner in face.corners[1:]:
            group_of[root(corner)] = root(face.corners[0])
    groups: dict[int, list[Primitive]] = {}
    for face in sorted(faces, key=lambda each: each.index):
        groups.setdefault(root(face.corners[0]), []).append(face)
    return list(groups.values())


def _solid(name: str, faces: list[Primitive], convex: bool) -> Solid:
    """The solid of connected faces."""
    first, (X, lists) = faces[0], corners_and_faces(faces)
    _check_closed(name, first.name, lists)
    centre = 0.5 * (X.min(axis=0) + X.max(axis=0))
    X = X - centre
    size = float(np.linalg.norm(X, axis=1).max())
    areas, planes = _faces(X, lists)
    if (planes[:, 3] * areas).sum() <= 0.0:
        remedy = "turn them"
        raise refuse(name, first.name, "a surface whose faces are counter-clockwise from outside", remedy)
    if convex and _height(X, planes) > FLAT * size:
        raise refuse(name, first.name, "a convex solid", REMEDY)
    found = _cylinder(X, lists, planes)
    if found is None:
        axes, kind, size_of = _axes(X[lists[0]], planes[0, :3]), POLYTOPE, np.array([size, 0.0, 0.0])
        V = X @ axes.T
        planes[:, :3] = planes[:, :3] @ axes.T
    else:
        axes, radius, half = found
        kind, size_of = CYLINDER, np.array([float(np.hypot(radius, half)), radius, half])
        V, lists, planes = _prism(radius, half)
    frame = np.vstack([centre, axes])
    return Solid(first.name, first.index, first.carrier, kind, size_of, frame, V, lists, planes)


def corners_and_faces(faces: list[Primitive]) -> tuple[Floats, list[list[int]]]:
    """Corners (V, 3) of connected `faces` in the frame of their carrier, and their lists by face."""
    rows = sorted({corner for face in faces for corner in face.corners})
    number = {row: k for k, row in enumerate(rows)}
    places = faces[0].model.shapes.places
    return np.array([places[row] for row in rows]), [[number[k] for k in face.corners] for face in faces]


def polytopes_of(name: str, faces: Sequence[Primitive], *, convex: bool = True) -> list[Solid]:
    """As `solids_of`, in the frames of their carriers.

    Convex ones have edges, and one face for those in a plane, to within FLAT of their size. Cylinders and
    cones have circles in their place. Raises ValueError also for solids of less width than THIN of their
    size, and for faces of one solid with different radii.
    """
    found = [_polytope(name, group, convex) for group in connected(faces)]
    return [_with_edges(solid) if convex and solid.kind == POLYTOPE else solid for solid in found]


def _with_edges(solid: Solid) -> Solid:
    """A convex `solid` with its edges, and with one face for those in a plane."""
    corners, faces = {*extreme_vertices(solid).tolist()}, []
    owner = {pair: k for k, face in enumerate(solid.faces) for pair in _pairs(face)}
    plane = list(range(len(solid.faces)))  # of every face: the face that stands for its plane
    for (i, j), k in owner.items():
        other = owner[j, i]
        heights = solid.vertices[solid.faces[other]] @ solid.planes[k, :3] - solid.planes[k, 3]
        if plane[k] != plane[other] and np.abs(heights).max() <= FLAT * solid.size[0]:
            old, new = max(plane[k], plane[other]), min(plane[k], plane[other])
            plane = [new if each == old else each for each in plane]
    outlines: dict[int, dict[int, int]] = {}  # of every plane: the next corner of each one
    for (i, j), k in owner.items():
        if plane[k] != plane[owner[j, i]]:
            outlines.setdefault(plane[k], {})[i] = j
    for _, following in sorted(outlines.items()):
        loop = [min(following)]
        while following[loop[-1]] != loop[0]:
            loop.append(following[loop[-1]])
        faces.append([corner for corner in loop if corner in corners])
    owner = {pair: k for k, face in enumerate(faces) for pair in _pairs(face)}
    edges = _coloured([(i, j, k, owner[j, i]) for (i, j), k in owner.items() if i < j])
    return replace(solid, faces=faces, planes=_faces(solid.vertices, faces)[1], edges=edges)


def _coloured(edges: list[tuple[int, int, int, int]]) -> list[tuple[int, ...]]:
    """`edges`, each with the first colour that no other edge of its two faces has."""
    used: dict[int, set[int]] = {}
    found: list[tuple[int, ...]] = []
    for i, j, one, two in edges:
        taken = used.setdefault(one, set()) | used.setdefault(two, set())
        colour = next(k for k in range(len(taken) + 1) if k not in taken)
        used[one].add(colour)
        used[two].add(colour)
        found.append((i, j, one, two, colour))
    return found


def _pairs(face: list[int]) -> Iterator[tuple[int, int]]:
    """Corners of a `face`, each with the next one."""
    return zip(face, [*face[1:], *face[:1]], strict=True)


def _polytope(name: str, faces: list[Primitive], convex: bool) -> Solid:
    """The solid of connected faces in the frame of its carrier."""
    solid, (X, lists) = _solid(name, faces, convex), corners_and_faces(faces)
    radii = {face.radius for face in faces}
    if len(radii) > 1 or min(radii) < 0.0:
        raise refuse(name, solid.name, f"a solid whose faces have one radius >= 0, not {sorted(radii)}")
    planes = _faces(X, lists)[1]
    width = float(np.ptp(X @ planes[:, :3].T, axis=0).min())
    if width < THIN * solid.size[0]:
        allowed = f"a solid with a width of at least {THIN:g} of its size, not {width:.3g} m"
        raise refuse(name, solid.name, allowed, "a thin plate may be a polygon with a radius (SpherePolygon)")
    kind = solid.kind if solid.kind == CYLINDER else _cone(X, lists, planes)
    if kind != POLYTOPE:
        X, lists, planes, size = _circles(kind, X, lists)
    else:
        size = np.array([float(np.linalg.norm(X, axis=1).max()), 0.5 * width, 0.0])
    radius, frame = radii.pop(), np.vstack([np.zeros(3), np.eye(3)])
    return Solid(solid.name, solid.index, solid.carrier, kind, size, frame, X, lists, planes, radius=radius)


def _cone(X: Floats, faces: list[list[int]], planes: Floats) -> int:
    """CONE for a pyramid over a regular polygon of SIDES corners, else POLYTOPE."""
    bases = [k for k, face in enumerate(faces) if len(face) == SIDES]
    if len(X) != SIDES + 1 or len(faces) != SIDES + 1 or len(bases) != 1:
        return POLYTOPE
    base, n = faces[bases[0]], planes[bases[0], :3]
    apex = X[next(k for k in range(SIDES + 1) if k not in base)]
    centre = X[base].mean(axis=0)
    r, side = (np.linalg.norm(X[base] - other, axis=1) for other in (centre, np.roll(X[base], 1, axis=0)))
    off = apex - centre - ((apex - centre) @ n) * n
    tolerance = FLAT * (np.linalg.norm(apex - centre) + r[0])
    regular = max(np.ptp(r), np.ptp(side), float(np.linalg.norm(off))) <= tolerance
    return CONE if regular else POLYTOPE


def _circles(kind: int, X: Floats, faces: list[list[int]]) -> tuple[Floats, list[list[int]], Floats, Floats]:
    """Vertices, faces, planes, size of a cylinder or cone: points of rims, then the apex."""
    rims = [np.array(face) for face in faces if len(face) == SIDES]
    middle = [X[rim].mean(axis=0) for rim in rims]
    first = X[rims[0][0]] - middle[0]
    radius = float(np.linalg.norm(first))
    n = _faces(X, [[*rims[0]]])[1][0, :3]
    angle = 2.0 * np.pi * np.arange(RIM) / RIM
    ring = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * np.cross(n, first)
    V = np.concatenate([centre + ring for centre in middle])
    if kind == CYLINDER:
        least = min(radius, 0.5 * float(np.linalg.norm(middle[1] - middle[0])))
    else:
        apex = X[[k for k in range(len(X)) if k not in rims[0]]]
        height = float(np.linalg.norm(apex[0] - middle[0]))
        least = 0.5 * min(height, 2.0 * radius * height / float(np.hypot(radius, height)))
        V = np.concatenate([V, apex])
    lists = [[*range(RIM)], [*range(2 * RIM - 1, RIM - 1, -1)]][: len(rims)]
    size = np.array([float(np.linalg.norm(X, axis=1).max()), least, radius])
    return V, lists, _faces(V, lists)[1], size


def plane_features(solid: Solid) -> Ints:
    """Numbers of the features of a `solid` that may touch a plane: extreme vertices.

    Of cylinders and cones they are the points of the rims, the apex, and the deepest points of the circles.
    """
    if solid.kind == POLYTOPE:
        return extreme_vertices(solid)
    return np.arange(len(solid.vertices) + len(solid.faces))


def corners_around(solid: Solid) -> Floats:
    """Points (n, 3) [m] whose hull holds a `solid`: its vertices, beyond the rim of round ones."""
    X = solid.vertices.copy()
    for rim in solid.faces if solid.kind != POLYTOPE else ():
        centre = X[rim].mean(axis=0)
        X[rim] = centre + (X[rim] - centre) / np.cos(np.pi / RIM)
    return X


def plane_points(solid: Solid, features: Ints) -> tuple[Floats, Floats]:
    """Centres (n, 3) [m] and radii (n,) [m] of spheres that hold the `features` of a `solid`."""
    circles = [solid.vertices[face].mean(axis=0) for face in solid.faces] if solid.kind != POLYTOPE else []
    places = np.concatenate([solid.vertices, np.reshape(circles, (-1, 3))])
    return places[features], solid.radius + np.where(features < len(solid.vertices), 0.0, solid.size[2])


def extreme_vertices(solid: Solid) -> Ints:
    """Numbers of the vertices of a `solid` in which three faces of different planes meet.

    The others are in the middle of an edge or a face. They lie between vertices of it.
    """
    meeting: list[list[int]] = [[] for _ in solid.vertices]
    for number, face in enumerate(solid.faces):
        for vertex in face:
            meeting[vertex].append(number)
    normals = np.zeros((len(meeting), max(map(len, meeting)), 3))
    for k, faces in enumerate(meeting):
        normals[k, : len(faces)] = solid.planes[faces, :3]
    return np.flatnonzero(np.linalg.svd(normals, compute_uv=False)[:, 2] > PARALLEL)


def _axes(face: Floats, normal: Floats) -> Floats:
    """Axes (3, 3) of a solid: an edge of a face (C, 3), one across, the `normal`."""
    edge = face[1] - face[0]
    edge -= (edge @ normal) * normal
    edge /= np.linalg.norm(edge)
    return np.array([edge, np.cross(normal, edge), normal])


def _check_closed(name: str, first: str, faces: list[list[int]]) -> None:
    """ValueError unless every edge is there once in either direction."""
    edges = [pair for face in faces for pair in _pairs(face)]
    known = set(edges)
    if len(known) < len(edges) or any((b, a) not in known for a, b in edges):
        allowed = (
            "one of a closed surface, each edge of which is in two faces, counter-clockwise from outside"
        )
        raise refuse(name, first, allowed, "give all faces of the solid, as add_box and add_mesh return them")


def height_over(X: Floats, faces: list[list[int]]) -> float:
    """Greatest height [m] of vertices (V, 3) over the planes of `faces`; 0 if they are convex."""
    return _height(X, _faces(X, faces)[1])


def _height(X: Floats, planes: Floats) -> float:
    """Greatest height [m] of points `X` (V, 3) over `planes` (F, 4)."""
    parts = np.split(planes, range(CHUNK, len(planes), CHUNK))
    return max(float((X @ part[:, :3].T - part[:, 3]).max()) for part in parts)


def _faces(X: Floats, faces: list[list[int]]) -> tuple[Floats, Floats]:
    """Areas (F,) of faces, and their outward normals and offsets (F, 4), by Newell's sum."""
    following = [corner for face in faces for corner in (*face[1:], face[0])]
    corners = X[[corner for face in faces for corner in face]]
    crossed, end, sums, planes = np.cross(corners, X[following]), 0, [], []
    for face in faces:
        part, end = slice(end, end + len(face)), end + len(face)
        sums.append(crossed[part].sum(axis=0))
        n = sums[-1] / np.linalg.norm(sums[-1])
        planes.append((*n, float(n @ corners[part].mean(axis=0))))
    return 0.5 * np.linalg.norm(sums, axis=1), np.array(planes)


def _cylinder(X: Floats, faces: list[list[int]], planes: Floats) -> tuple[Floats, float, float] | None:
    """Axes (3, 3), radius, half length of a prism over a regular polygon of SIDES corners."""
    ends = [k for k, face in enumerate(faces) if len(face) == SIDES]
    if len(X) != 2 * SIDES or len(faces) != SIDES + 2 or len(ends) != 2:
        return None
    axis, half = planes[ends[0], :3], float(planes[ends[0], 3])
    along = X @ axis
    across = X - np.outer(along, axis)
    r = np.linalg.norm(across, axis=1)
    edges = across[faces[ends[0]]] - np.roll(across[faces[ends[0]]], 1, axis=0)
    side = np.linalg.norm(edges, axis=1)
    tolerance = FLAT * (half + r[0])
    if np.abs(np.abs(along) - half).max() > tolerance or np.ptp(r) > tolerance or np.ptp(side) > tolerance:
        return None
    first = across[faces[ends[0]][0]] / r[0]
    return np.array([first, np.cross(axis, first), axis]), float(r.mean()), half


def _prism(radius: float, half: float) -> tuple[Floats, list[list[int]], Floats]:
    """Corners, faces and planes of a prism over ROUND corners, in place of a cylinder."""
    angle = 2.0 * np.pi * np.arange(ROUND) / ROUND
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.vstack([np.column_stack([ring, np.full(ROUND, side * half)]) for side in (1.0, -1.0)])
    faces = prism_faces(ROUND)
    return X, faces, _faces(X, faces)[1]


def prism_faces(count: int) -> list[list[int]]:
    """Faces of a prism, above, below, around; corners are those above, then below."""
    sides = [[i, count + i, count + (i + 1) % count, (i + 1) % count] for i in range(count)]
    return [[*range(count)], [*range(2 * count - 1, count - 1, -1)], *sides]


def distinct_solids(solids: Sequence[Solid]) -> tuple[list[Solid], list[int]]:
    """The `solids` with different arrays in a library, and the number of each solid among them.

    Bodies of one shape so share one solid, and a thousand boxes read the same few lines of memory.
    """
    found: dict[object, tuple[int, Solid]] = {}
    numbers = []
    for solid in solids:
        arrays = solid.size.tobytes(), solid.vertices.tobytes(), solid.planes.tobytes()
        key = solid.kind, arrays, tuple(map(tuple, solid.faces)), tuple(solid.edges)
        numbers.append(found.setdefault(key, (len(found), solid))[0])
    return [solid for _, solid in found.values()], numbers


def library(solids: Sequence[Solid]) -> Solids:
    """The arrays of all `solids`."""
    lists = [face for solid in solids for face in solid.faces]
    ints: list[Ints] = [
        np.cumsum([0, *map(len, part)], dtype=np.int64)
        for part in ([s.vertices for s in solids], [s.faces for s in solids], lists)
    ]
    kind = np.array([solid.kind for solid in solids], np.int64)
    size = np.reshape([solid.size for solid in solids], (-1, 3)).astype(float)
    vertices = np.concatenate([np.empty((0, 3)), *(solid.vertices for solid in solids)])
    planes = np.concatenate([np.empty((0, 4)), *(solid.planes for solid in solids)])
    corners = np.array([corner for face in lists for corner in face], np.int64)
    many = np.cumsum([0, *(len(solid.edges) for solid in solids)], dtype=np.int64)
    edges = np.reshape([edge for solid in solids for edge in solid.edges], (-1, 5)).astype(np.int64)
    faces = ints[1], planes, ints[2], corners, _sides(solids)
    return Solids(kind, size, ints[0], vertices, *faces, many, edges)


def _sides(solids: Sequence[Solid]) -> Ints:
    """Numbers (I,) of the edges that begin at the corners of all faces; -1 without edges."""
    sides = []
    for solid in solids:
        number = {pair: k for k, (i, j, *_) in enumerate(solid.edges) for pair in ((i, j), (j, i))}
        for face in solid.faces:
            sides += [number.get(pair, -1) for pair in _pairs(face)]
    return np.array(sides, np.int64)
