"""The primitives of a model, and the table of corners of rigid ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import floats, integers, number_in, refuse
from nsgalpha.model.handles import Body, Owner, Plane, Primitive, own
from nsgalpha.model.model_names import Names

Corners = ArrayLike | Sequence[Body]  # coordinates (n, 3), or bodies

FLAT = 1e-9  # distance of a corner from the plane of its polygon, over the size
FAULTS: tuple[tuple[str, ...], ...] = (  # of polygons: property, required property, remedy
    (),
    ("two corners in one place", "apart from each other"),
    ("corners on a line", "those of a polygon with an area"),
    ("corners beside a plane", "flat", "divide the polygon into triangles"),
    ("a corner that turns back", "convex", "divide the polygon into triangles"),
)
DEFORMABLE = 3  # most corners of a polygon that stays flat for any motion of its corners


class Shapes:
    """Primitives; the points of rigid ones: the carrier of each, and its place in that frame."""

    def __init__(self, model: Owner, names: Names) -> None:
        self.model = model
        self.names = names
        self.primitives: list[Primitive] = []
        self.carriers: list[Body | Plane | None] = []
        self.places: list[Floats] = []  # (3,) each

    def add(
        self, corners: Corners, radius: float, carrier: Body | Plane | None, name: str | None
    ) -> Primitive:
        """See Model.add_primitive."""
        bodies = self._bodies("corners", corners, carrier)
        if bodies is None:
            places = _coordinates("corners", corners)
            _check_polygon("corners", places)
        elif len(bodies) > DEFORMABLE:
            remedy = "divide the polygon into triangles"
            raise refuse("corners", f"{len(bodies)} bodies", f"at most {DEFORMABLE}", remedy)
        radius = _radius(radius, len(bodies) if bodies is not None else len(places))
        name = self.names.free(name, "primitive", len(self.primitives))
        rows = self._rows(carrier, places) if bodies is None else [body.index for body in bodies]
        return self._add(rows, radius, bodies is None, carrier, name)

    def add_mesh(
        self, vertices: Corners, polygons: ArrayLike, radius: float, carrier: Body | Plane | None
    ) -> list[Primitive]:
        """See Model.add_mesh."""
        bodies = self._bodies("vertices", vertices, carrier)
        of_bodies = None if bodies is None else np.array([body.position for body in bodies])
        places = _coordinates("vertices", vertices) if of_bodies is None else of_bodies
        rows = integers("polygons", polygons, "integers (K, n), n >= 3; fill up short rows with -1")
        if rows.ndim != 2 or rows.shape[1] < 3:
            raise refuse("polygons", f"array {rows.shape}", "integers (K, n), n >= 3")
        if not ((rows >= -1) & (rows < len(places))).all() or (rows[:, :3] < 0).any():
            allowed = f"numbers of the {len(places)} vertices, at least 3 a row"
            raise refuse("polygons", "rows out of range", allowed)
        if bodies is not None and rows.shape[1] > DEFORMABLE:
            allowed = f"at most {DEFORMABLE} where they are bodies"
            raise refuse("polygons", f"{rows.shape[1]} corners", allowed)
        lists = [[int(v) for v in row if v >= 0] for row in rows]
        _check_polygons("polygons", lists, places)
        radius = _radius(radius, 3)
        table = self._rows(carrier, places) if bodies is None else [body.index for body in bodies]
        made = []
        for row in lists:
            name = self.names.free(None, "primitive", len(self.primitives))
            made.append(self._add([table[v] for v in row], radius, bodies is None, carrier, name))
        return made

    def restore(
        self, name: str, corners: list[int], radius: float, rigid: bool, carrier: Body | Plane | None
    ) -> Primitive:
        """Add a primitive with rows of the table or bodies as corners.

        Raises as `add`. `check_rigid` looks at the shapes of all together.
        """
        known = len(self.places) if rigid else len(self.model.bodies)
        if not all(0 <= row < known for row in corners):
            raise refuse("corners", corners, f"numbers of {known} {'points' if rigid else 'bodies'}")
        if rigid:
            if any(self.carriers[row] is not carrier for row in corners):
                raise refuse("corners", corners, "points of the carrier")
        elif carrier is not None or len(set(corners)) < len(corners) or len(corners) > DEFORMABLE:
            raise refuse("corners", corners, f"up to {DEFORMABLE} different bodies without a carrier")
        name = self.names.free(name, "primitive", len(self.primitives))
        return self._add(corners, _radius(radius, len(corners)), rigid, carrier, name)

    def check_rigid(self) -> None:
        """ValueError, with its number, for a rigid primitive whose corners `add` refuses."""
        rigid = [k for k, each in enumerate(self.primitives) if each.rigid]
        places = np.array(self.places).reshape(-1, 3)
        faults = _faults([list(self.primitives[k].corners) for k in rigid], places)
        for k, fault in zip(rigid, faults, strict=True):
            if fault:
                raise ValueError(f"primitives[{k}]: {refuse('corners', *FAULTS[fault])}")

    def _add(
        self, corners: list[int], radius: float, rigid: bool, carrier: Body | Plane | None, name: str
    ) -> Primitive:
        primitive = Primitive(self.model, len(self.primitives), name, tuple(corners), radius, rigid, carrier)
        self.primitives.append(primitive)
        self.names.take(name)
        return primitive

    def _bodies(self, name: str, corners: Corners, carrier: Body | Plane | None) -> Sequence[Body] | None:
        """The corners if they are bodies of the model, else None. Raises ValueError for mixtures."""
        listed = list(corners) if isinstance(corners, Sequence) else []
        if not any(isinstance(corner, Body) for corner in listed):
            return None
        if carrier is not None:
            message = f"{name}, carrier: bodies carry themselves; give coordinates or leave the carrier out"
            raise ValueError(message)
        for corner in listed:
            own(self.model, name, corner)
            if not isinstance(corner, Body):
                raise refuse(name, corner, "bodies, or coordinates, not both")
        if len({id(corner) for corner in listed}) < len(listed):
            raise ValueError(f"{name}: a body is given twice; name each one once")
        return listed

    def _rows(self, carrier: Body | Plane | None, places: Floats) -> list[int]:
        first = len(self.places)
        self.places.extend(places)
        self.carriers.extend([carrier] * len(places))
        return list(range(first, len(self.places)))


def _coordinates(name: str, corners: Corners) -> Floats:
    x = floats(name, corners, "coordinates (n, 3), or bodies")
    if x.ndim != 2 or x.shape[1] != 3 or len(x) == 0 or not np.isfinite(x).all():
        raise refuse(name, f"array {x.shape}", "finite, of the shape (n, 3), n >= 1")
    return x


def _radius(radius: float, corners: int) -> float:
    low = -np.inf if corners < 3 else 0.0
    return number_in("radius", radius, low, np.inf, remedy="half the thickness of a polygon is not negative")


def _check_polygons(name: str, lists: list[list[int]], places: Floats) -> None:
    """ValueError unless polygons, rows of `places` (n, 3), have different corners, see `polygon_faults`."""
    for k, (row, fault) in enumerate(zip(lists, _faults(lists, places), strict=True)):
        if len(set(row)) < len(row):
            raise refuse(f"{name}[{k}]", row, "different vertices")
        if fault:
            raise refuse(f"{name}[{k}]", *FAULTS[fault])


def _faults(lists: list[list[int]], places: Floats) -> Ints:
    """`polygon_faults` (K,) of polygons of any numbers of corners, rows of `places` (n, 3)."""
    faults = np.zeros(len(lists), np.int64)
    sizes = np.array([len(row) for row in lists])
    for n in np.unique(sizes):
        of_size = np.flatnonzero(sizes == n)
        faults[of_size] = polygon_faults(places[np.array([lists[k] for k in of_size])])
    return faults


def _check_polygon(name: str, x: Floats) -> None:
    """ValueError unless the corners `x` (n, 3) are apart, and those of a polygon flat and convex."""
    fault = polygon_faults(x[None])[0]
    if fault:
        raise refuse(name, *FAULTS[fault])


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def polygon_faults(x: Floats) -> Ints:
    """Numbers (K,) in FAULTS of the polygons with the corners `x` (K, n, 3), 0 where nothing is wrong."""
    n = x.shape[1]
    size = np.linalg.norm(x - x[:, :1], axis=2).max(axis=1)
    edges = np.roll(x, -1, axis=1) - x
    meet = (np.linalg.norm(edges, axis=2).min(axis=1) <= FLAT * size) & (n > 1)
    if n < 3:
        return np.where(meet, 1, 0)
    arms = x - x[:, :1]
    normal = np.cross(arms, np.roll(arms, -1, axis=1)).sum(axis=1)  # twice the area
    area = np.linalg.norm(normal, axis=1)
    normal /= area[:, None]
    beside = np.abs(np.einsum("kni,ki->kn", x - x.mean(axis=1, keepdims=True), normal)).max(axis=1)
    turns = np.einsum("kni,ki->kn", np.cross(edges, np.roll(edges, -1, axis=1)), normal).min(axis=1)
    wrong = meet, area <= FLAT * size * size, beside > FLAT * size, turns < -FLAT * size * size
    return np.select(wrong, (1, 2, 3, 4), 0)
