"""Reports of meshes: faults, measures, and the changes by a repair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import named, truth
from nsgalpha.model.convex_solids import FLAT
from nsgalpha.model.height_fields import TriangleMesh
from nsgalpha.model.mesh_faults import MeshFaults, edges_of, fault_lines, find_faults, volumes
from nsgalpha.model.mesh_repair import Hole, holes_of, near_vertices, repair_mesh
from nsgalpha.model.mesh_sources import Source, mesh_of
from nsgalpha.model.model_repr import counted
from nsgalpha.shown_text import triple

LARGE, SMALL = 20.0, 1e-4  # [m] sizes beyond which the unit is doubtful
BLOCK, COARSE = 1 << 18, 1e-5  # of them at once; rounding of squares in single precision
GRAZING = 1e-9  # sine of the angle of a ray to a plane, up to which it is parallel
RAYS = 100_000_000  # pairs of rays and triangles, at most, that are looked at for the thickness
PLANES = 50_000_000  # pairs of vertices and planes, at most, that are looked at for convexity
LISTED = 5  # holes in the text of a report


@dataclass(frozen=True, eq=False)
class MeshReport:
    """Faults and measures of a mesh in metres; `print` it.

    faults has rows of `mesh` for each kind: degenerate, duplicate, crowded, misoriented, open, inside_out.
    `repairs` are sentences, of a report with `repair=True`. thickness and its place are None while the mesh
    bounds no solid.
    """

    source: str
    mesh: TriangleMesh = field(repr=False)
    faults: MeshFaults = field(repr=False)
    holes: list[Hole] = field(repr=False)  # each with vertices, centre (3,) [m], extent [m] and width [m]
    merged: Ints = field(repr=False)  # (n,) vertices in the place of an earlier one
    unreferenced: Ints = field(repr=False)  # (n,) vertices in no triangle
    low: Floats  # (3,) [m] corners of the bounding box
    high: Floats
    area: float  # [m^2]
    volume: float  # [m^3]; without meaning unless the mesh is sound
    convex: bool
    thickness: float | None  # [m] the least, along inward normals at the middles of triangles
    thinnest: Floats | None = field(repr=False)  # (3,) [m] where
    rays: int = field(repr=False)  # triangles from which the thickness was measured
    repairs: list[str] = field(repr=False)
    remarks: list[str] = field(repr=False)  # on doubtful units, and on components that may overlap

    @property
    def components(self) -> int:
        """The number of components, triangles that edges link."""
        return int(self.faults.component.max(initial=-1)) + 1

    @property
    def watertight(self) -> bool:
        """True if every edge has two triangles."""
        return not (len(self.faults.open) or len(self.faults.crowded))

    @property
    def sound(self) -> bool:
        """True if the mesh bounds a solid, so that `add_solid` takes it."""
        return self.faults.none and self.volume > 0.0

    def __str__(self) -> str:
        """Some lines."""
        return "\n".join([self.source, *(f"  {line}" for line in self._lines())])

    def _lines(self) -> Iterator[str]:
        x, triangles = self.mesh
        counts = (len(x), "vertices"), (len(triangles), "triangles"), (self.components, "components")
        yield ", ".join(counted(*each) for each in counts)
        size = triple(self.high - self.low)
        yield f"box of {size} m, from ({triple(self.low)}) to ({triple(self.high)}) m"
        yield f"area {self.area:.4g} m^2" + (f", volume {self.volume:.4g} m^3" if self.sound else "")
        if self.sound:
            yield f"watertight, oriented outwards, {'convex' if self.convex else 'not convex'}"
        if self.thickness is not None and self.thinnest is not None:
            measured = f"along inward normals at the middles of {counted(self.rays, 'triangles')}"
            yield f"least thickness {self.thickness:.4g} m at ({triple(self.thinnest)}) m, {measured}"
        for allowed, words in fault_lines(x, triangles, self.faults):
            yield f"must be {allowed}; {words}"
        for hole in self.holes[:LISTED]:
            place = f"around ({triple(hole.centre)}) m, {hole.extent:.4g} m wide"
            yield f"hole of {len(hole.vertices)} edges {place}"
        if len(self.holes) > LISTED:
            yield f"and {len(self.holes) - LISTED} more holes"
        if len(self.merged):
            yield f"{counted(len(self.merged), 'vertices')} in the place of others"
        if len(self.unreferenced):
            yield f"{counted(len(self.unreferenced), 'vertices')} in no triangle"
        yield from self.remarks
        yield from (f"repaired: {each}" for each in self.repairs)


@named
def mesh_report(source: Source, *, scale: float = 1.0, repair: bool = False) -> MeshReport:
    """The faults and measures of a mesh that should bound a solid.

    source and scale are those of `Model.add_solid`. Vertices of a file that are in exactly one place are one.
    repair: report on the mesh after the repair that add_solid(repair=True) makes, with its changes. Triangles
    that intersect are not looked for.

    The thickness at a triangle is the way from its middle along the inward normal to the next triangle that
    is met from inside. Its least value is over all triangles, or evenly over as many as take seconds.

    Raises ValueError for a source that is no mesh, ImportError without trimesh.

    >>> vertices, triangles = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)], [(0, 2, 1), (0, 1, 3), (1, 2, 3)]
    >>> report = ns.mesh_report((vertices, triangles))
    >>> report.watertight, len(report.faults.open), ns.mesh_report((vertices, triangles), repair=True).sound
    (False, 3, True)
    """
    name, x, triangles = mesh_of(source, scale)
    near = near_vertices(x)
    unreferenced = np.setdiff1d(np.arange(len(x)), triangles)
    repairs: list[str] = []
    if truth("repair", repair):
        x, triangles, repairs = repair_mesh(x, triangles)
        near, unreferenced = np.arange(len(x)), np.empty(0, np.int64)
    faults, used = find_faults(x, triangles), x[np.unique(triangles)]
    volume = float(volumes(x, triangles, faults.component).sum())
    solid = faults.none and volume > 0.0
    thickness, thinnest, rays = least_thickness(x, triangles) if solid else (None, None, 0)
    low, high = (used.min(axis=0), used.max(axis=0)) if len(used) else (np.zeros(3), np.zeros(3))
    remarks = [*_on_units(float(max(high - low)), float(scale)), *_on_overlaps(x, triangles, faults)]
    return MeshReport(
        source=name,
        mesh=TriangleMesh(x, triangles),
        faults=faults,
        holes=holes_of(x, triangles),
        merged=np.flatnonzero(near != np.arange(len(x))),
        unreferenced=unreferenced,
        low=low,
        high=high,
        area=0.5 * float(np.linalg.norm(_normals(x, triangles), axis=1).sum()),
        volume=volume,
        convex=solid and _is_convex(x, triangles, faults),
        thickness=thickness,
        thinnest=thinnest,
        rays=rays,
        repairs=repairs,
        remarks=remarks,
    )


def _normals(x: Floats, triangles: Ints) -> Floats:
    a, b, c = (x[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def _on_units(size: float, scale: float) -> Iterator[str]:
    if size > LARGE:
        yield f"{size:.4g} m is large; if the source is in millimetres, take scale={1e-3 * scale:g}"
    elif size < SMALL:
        yield f"{size:.4g} m is small; if the source is in metres, take scale=1, in millimetres 0.001"


def _on_overlaps(x: Floats, triangles: Ints, faults: MeshFaults) -> Iterator[str]:
    """A remark on components whose boxes overlap, of which none holds the other."""
    count = faults.component.max(initial=-1) + 1
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for k in range(3):
        kept = faults.component >= 0
        np.minimum.at(low, faults.component[kept], x[triangles[kept, k]])
        np.maximum.at(high, faults.component[kept], x[triangles[kept, k]])
    many = 0
    for k in range(count - 1):
        meet = ((low[k] < high[k + 1 :]) & (low[k + 1 :] < high[k])).all(axis=1)
        inner = ((low[k] <= low[k + 1 :]) & (high[k + 1 :] <= high[k])).all(axis=1)
        outer = ((low[k] >= low[k + 1 :]) & (high[k + 1 :] >= high[k])).all(axis=1)
        many += int((meet & ~inner & ~outer).sum())
    if many:
        pairs = "1 pair has" if many == 1 else f"{many} pairs have"
        yield f"of components {pairs} boxes that overlap; matter in both counts twice in the mass"


def _is_convex(x: Floats, triangles: Ints, faults: MeshFaults) -> bool:
    """True if no vertex is outside of the plane of a triangle.

    Of many triangles only neighbours are looked at: a closed surface is convex if it is so at all edges.
    """
    if faults.component.max() > 0:
        return False
    edges, normal = edges_of(triangles), _normals(x, triangles)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    used = x[np.unique(triangles)]
    flat = FLAT * float(np.linalg.norm(used - 0.5 * (used.min(axis=0) + used.max(axis=0)), axis=1).max())
    # first of neighbours, which decide for most
    one, two = np.argsort(edges.of.ravel(), kind="stable").reshape(-1, 2).T // 3
    apart = x[triangles[two]] - x[triangles[one, 0]][:, None]
    if np.einsum("eki,ei->ek", apart, normal[one]).max() > flat:
        return False
    height, step = (normal * x[triangles[:, 0]]).sum(axis=1), max(BLOCK // len(used), 1)
    return len(used) * len(triangles) > PLANES or all(
        (used @ normal[k : k + step].T - height[k : k + step]).max() <= flat
        for k in range(0, len(triangles), step)
    )


def least_thickness(x: Floats, triangles: Ints) -> tuple[float | None, Floats | None, int]:
    """The least thickness [m] and its place; see `mesh_report`.

    Also the number of triangles from which it is measured, evenly chosen where there are many.
    """
    normal, corners = _normals(x, triangles), x[triangles]
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    middle = corners.mean(axis=1)
    middle -= (origin := middle.mean(axis=0))
    corners = corners - origin
    size = np.sqrt((middle**2).sum(axis=1).max())
    count, M, N = len(triangles), (middle / size).astype(np.float32), normal.astype(np.float32)
    radius = (np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1) / size).astype(np.float32)
    reach, far = 1.01 * radius**2 + COARSE, (M * M).sum(axis=1)
    chosen = np.linspace(0, count - 1, min(count, max(RAYS // count, 1))).astype(np.int64)
    least, place, step = np.inf, None, max(BLOCK // count, 1)
    for start in range(0, len(chosen), step):
        rays = chosen[start : start + step]
        along = (N[rays] * M[rays]).sum(axis=1)[:, None] - N[rays] @ M.T
        apart = far[rays][:, None] + far - 2.0 * (M[rays] @ M.T) - along * along
        near = (apart <= reach) & (along > -radius) & (N[rays] @ N.T < 0.0)
        near[np.arange(len(rays)), rays] = False
        ray, other = np.nonzero(near)
        ray = rays[ray]
        t = _met(middle[ray], -normal[ray], corners[other], normal[other])
        if len(t) and t.min() < least:
            k = int(t.argmin())
            least, place = float(t[k]), middle[ray[k]] + origin
    return (least, place, len(chosen)) if place is not None else (None, None, len(chosen))


def _met(start: Floats, way: Floats, corners: Floats, normal: Floats) -> Floats:
    """Ways (n,) of rays to the planes of triangles that they meet, inf for the others."""
    a = corners[:, 0]
    facing = (way * normal).sum(axis=1)
    t = ((a - start) * normal).sum(axis=1) / np.maximum(facing, GRAZING)
    p = start + t[:, None] * way
    inside = (t > 0.0) & (facing > GRAZING)
    for k in range(3):
        i, j = corners[:, k], corners[:, (k + 1) % 3]
        edge = np.cross(normal, j - i)
        inside &= ((p - i) * edge).sum(axis=1) >= -1e-9 * (edge**2).sum(axis=1)
    return np.where(inside, t, np.inf)
