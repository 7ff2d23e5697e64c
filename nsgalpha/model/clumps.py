"""Clumps: unions of balls as one homogeneous solid, and files of their spheres.

    V = int A dz,   int x dV = int (int x dA) dz,   int x x^T dV = int (int x x^T dA) dz

over slices z = constant. A slice is a union of discs. Overlaps count once. By Green's
theorem its moments are sums over the arcs of its boundary. These are the parts of the circles
x = c + s (cos a, sin a) in no other disc:

    A = 1/2 oint x dy - y dx,   int x = 1/2 oint x^2 dy,   int y = -1/2 oint y^2 dx,
    int x^2 = 1/3 oint x^3 dy,   int y^2 = -1/3 oint y^3 dx,   int x y = 1/2 oint x^2 y dy

Along z the moments are smooth between the heights where a disc or an arc begins or ends. At these they go as
half-integer powers of the distance, which z = m - l cos(phi) makes smooth. An adaptive rule then takes the
integral with a relative error of TOLERANCE.
"""

from __future__ import annotations

import itertools
import math
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad_vec

from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, positive, refuse
from nsgalpha.model.mass_properties import MassProperties
from nsgalpha.model.mesh_sources import existing
from nsgalpha.user_files import read_bytes

TOLERANCE = 1e-10  # of moments, over those of the ball around all
NEAR = 1e-9  # of the size: spheres that are so close to one inside another one are
MERGED = 1e-14  # heights so close to each other are one
MOST_SPHERES, MOST_BYTES = 100, 1_000_000
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)  # exact to rounding for the fourth powers on an arc
Spheres = str | PathLike[str] | ArrayLike


def clump_properties(source: Spheres, scale: float) -> tuple[MassProperties, Floats]:
    """The union of balls, its vertices the centres of the outer ones, and their radii (V,).

    source: rows (K, 4) of x, y, z and radius, or a file of them (read_spheres); scale: metres in its unit.
    Raises ValueError for other things, and without a sphere or above MOST_SPHERES of them.
    """
    if isinstance(source, str | PathLike):
        rows = read_spheres(source)
    else:
        rows = finite("spheres", source, "rows (K, 4) of x, y, z and radius")
        if rows.ndim != 2 or rows.shape[1] != 4 or not 1 <= len(rows) <= MOST_SPHERES:
            wanted = f"rows (K, 4) of x, y, z and radius, 1 to {MOST_SPHERES}"
            raise refuse("spheres", f"an array {rows.shape}", wanted)
        if not (rows[:, 3] > 0.0).all():
            raise refuse("spheres", f"a radius of {rows[:, 3].min():g}", "radii above 0")
    rows = positive("scale", scale, "it is the metres in a unit of the spheres") * rows
    middle = 0.5 * ((rows[:, :3] - rows[:, 3:]).min(axis=0) + (rows[:, :3] + rows[:, 3:]).max(axis=0))
    size = float((np.linalg.norm(rows[:, :3] - middle, axis=1) + rows[:, 3]).max())
    outer = _outermost(np.column_stack([rows[:, :3] - middle, rows[:, 3]]) / size)
    volume, first, second = _moments(outer)
    centre = first / volume
    second = second - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    x, place = size * (outer[:, :3] - centre), middle + size * centre
    return MassProperties(x, [], size**3 * volume, place, size**5 * inertia), size * outer[:, 3]


def read_spheres(file: str | PathLike[str]) -> Floats:
    """Rows (K, 4) of a text file with x, y, z and radius in each line; # starts a remark.

    Numbers stand apart by blanks, commas or semicolons. Raises ValueError, with its line, for anything but
    four finite numbers with a radius above 0. Raises it for a file that is missing or without spheres,
    and OSError for one that cannot be read.
    """
    given = existing("spheres", file)
    rows = []
    for number, line in enumerate(read_bytes(given, MOST_BYTES).decode(errors="replace").splitlines(), 1):
        words = line.split("#")[0].replace(",", " ").replace(";", " ").split()
        if not words:
            continue
        try:
            row = [float(word) for word in words]
        except ValueError:
            row = []
        if len(row) != 4 or not all(map(math.isfinite, row)) or row[3] <= 0.0:
            at = f"{given}, line {number}"
            raise refuse(at, line.strip()[:80], "x, y, z and radius: four numbers, the radius above 0")
        rows.append(row)
    if not 1 <= len(rows) <= MOST_SPHERES:
        raise refuse("spheres", str(given), f"a file with 1 to {MOST_SPHERES} spheres", f"it has {len(rows)}")
    return np.array(rows)


def _outermost(balls: Floats) -> Floats:
    """The `balls` (K, 4) without those inside others, the first of equal ones."""
    kept: list[int] = []
    for k in np.argsort(-balls[:, 3], kind="stable").tolist():
        apart = np.linalg.norm(balls[kept, :3] - balls[k, :3], axis=1)
        if (apart + balls[k, 3] > balls[kept, 3] + NEAR).all():
            kept.append(k)
    return balls[sorted(kept)]


def _moments(balls: Floats) -> tuple[float, Floats, Floats]:
    """Volume, first (3,) and second moments (3, 3) of the union of `balls` (K, 4)."""
    heights, total = _heights(balls), np.zeros(10)
    error = TOLERANCE / len(heights)
    for low, high in itertools.pairwise(heights):
        middle, half = 0.5 * (low + high), 0.5 * (high - low)

        def slice_at(phi: float, middle: float = middle, half: float = half) -> Floats:
            found: Floats = half * math.sin(phi) * _section(balls, middle - half * math.cos(phi))
            return found

        total += quad_vec(slice_at, 0.0, math.pi, epsabs=error, epsrel=0.0, quadrature="gk15")[0]
    volume, x, y, z, xx, yy, zz, xy, xz, yz = total.tolist()
    return volume, np.array([x, y, z]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _heights(balls: Floats) -> list[float]:
    """Heights of the ends of balls, ends of circles of two, and points of three."""
    ends = balls[:, 3:] * (0.0, 0.0, 1.0)
    found = [balls[:, :3] - ends, balls[:, :3] + ends]
    near: dict[int, list[int]] = {i: [] for i in range(len(balls))}
    for i, j in itertools.combinations(range(len(balls)), 2):
        points = _ends_of_circle(balls[i], balls[j])
        if len(points):
            near[i].append(j)
            found.append(points)
    for i, others in near.items():
        for j, k in itertools.combinations(others, 2):
            if k in near[j]:
                found.append(_shared(balls[[i, j, k]]))
    points = np.concatenate(found)
    depth = (balls[:, 3] - np.linalg.norm(points[:, None] - balls[:, :3], axis=2)).max(axis=1)
    z = np.sort(points[depth < NEAR, 2])  # those within a ball are not on the surface
    return z[np.concatenate([[True], np.diff(z) > MERGED])].tolist()


def _ends_of_circle(one: Floats, two: Floats) -> Floats:
    """The lowest and the highest point (0 or 2, 3) of the circle of two spheres."""
    d = two[:3] - one[:3]
    length = float(np.linalg.norm(d))
    along = 0.5 * (length + (one[3] ** 2 - two[3] ** 2) / length)
    square = float(one[3] ** 2 - along**2)
    if square <= 0.0:
        return np.zeros((0, 3))
    n = d / length
    up = (0.0, 0.0, 1.0) - n[2] * n
    if up @ up < NEAR**2:  # all of the circle has one height
        up = np.array((1.0, 0.0, 0.0))
    rise = math.sqrt(square) * up / np.linalg.norm(up)
    foot = one[:3] + along * n
    return np.array([foot - rise, foot + rise])


def _shared(three: Floats) -> Floats:
    """The points (0 or 2, 3) that three spheres have in common."""
    a, b = three[1, :3] - three[0, :3], three[2, :3] - three[0, :3]
    n = np.cross(a, b)
    if n @ n <= NEAR**2 * (a @ a) * (b @ b):
        return np.zeros((0, 3))  # in a row: they share a circle or nothing
    own = 0.5 * (three[0, 3] ** 2 - three[1:, 3] ** 2 + np.array([a @ a, b @ b]))
    foot = (own[0] * np.cross(b, n) + own[1] * np.cross(n, a)) / (n @ n)
    square = three[0, 3] ** 2 - foot @ foot
    if square <= 0.0:
        return np.zeros((0, 3))
    rise = math.sqrt(square / (n @ n)) * n
    return three[0, :3] + np.array([foot - rise, foot + rise])


def _section(balls: Floats, z: float) -> Floats:
    """Moments (10,) of the slice at `z`: 1, x, y, z, x x, y y, z z, x y, x z, y z."""
    square = balls[:, 3] ** 2 - (z - balls[:, 2]) ** 2
    cut = square > 0.0
    centre, s = balls[cut, :2], np.sqrt(square[cut])
    pieces = [_free_arcs(centre, s, i) for i in range(len(s))]
    circle = np.repeat(np.arange(len(s)), [len(each) for each in pieces])
    if not len(circle):
        return np.zeros(10)
    arcs = np.concatenate(pieces)
    half = 0.5 * (arcs[:, 1] - arcs[:, 0])[:, None]
    angle = 0.5 * (arcs[:, 0] + arcs[:, 1])[:, None] + half * NODES
    weight, c, sine = half * WEIGHTS, np.cos(angle), np.sin(angle)
    r = s[circle, None]
    x, y = centre[circle, 0, None] + r * c, centre[circle, 1, None] + r * sine
    dx, dy = -r * sine * weight, r * c * weight
    area = 0.5 * (x * dy - y * dx).sum()
    mx, my = 0.5 * (x * x * dy).sum(), -0.5 * (y * y * dx).sum()
    xx, yy, xy = (x**3 * dy).sum() / 3.0, -(y**3 * dx).sum() / 3.0, 0.5 * (x * x * y * dy).sum()
    return np.array([area, mx, my, z * area, xx, yy, z * z * area, xy, z * mx, z * my])


def _free_arcs(centre: Floats, s: Floats, i: int) -> Floats:
    """Angles (n, 2) from which and to which circle `i` lies in no other disc."""
    d = np.delete(centre - centre[i], i, axis=0)
    others, r = np.delete(s, i), s[i]
    length = np.hypot(d[:, 0], d[:, 1])
    if (length + r <= others).any():
        return np.zeros((0, 2))
    crossing = (length < r + others) & (length > abs(r - others))
    d, others, length = d[crossing], others[crossing], length[crossing]
    inner = np.clip((r * r + length**2 - others**2) / (2.0 * r * length), -1.0, 1.0)
    half, way = np.arccos(inner), np.arctan2(d[:, 1], d[:, 0])
    begin = (way - half) % (2.0 * np.pi)
    free, at = [], 0.0
    end = begin + 2.0 * half
    over = end > 2.0 * np.pi  # those that go past the start of the circle begin again there
    covered = [*zip(begin, end, strict=True), *((0.0, each - 2.0 * np.pi) for each in end[over])]
    for low, high in sorted(covered):
        if low > at:
            free.append((at, low))
        at = max(at, high)
    if at < 2.0 * np.pi:
        free.append((at, 2.0 * np.pi))
    return np.reshape(np.array(free, float), (-1, 2))
