"""Boxes, hulls and round bodies on height fields of triangles.

On a field that is a slope a box slides by g (sin a - mu cos a) t^2/2, and rests where that is negative. It
tips beyond atan(w/h), an octagonal prism of the height h beyond atan(2 r/h), r to its polygon along the
slope. A ball, a can and a capsule roll by g sin a t^2/2 / (1 + I/(m r^2)). So do those on a plane: no seam
may trip or hold them, however they are turned. Rocks that tumble down
a rough field touch it and stay above it. Their corners are compared with the triangles below, and their
faces with all points of the field.
"""

import math
from typing import Any

import numpy as np
from matplotlib.tri import LinearTriInterpolator, Triangulation
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Contact, SphereMesh
from nsgalpha.arrays import Floats, turned, turned_back
from verification.outcome import Row, bound_row
from verification.run import simulate
from verification.shapes.slopes import fallen
from verification.shapes.stacks import SIDES, octagon

G = 9.81
SPACING = 0.07  # [m] of the field
SLIDING = ((20.0, 0.2, 0.0), (20.0, 0.2, 0.7), (30.0, 0.5, 0.3), (25.0, 0.5, 0.3))  # slope, mu, yaw
BOX = (0.2, 0.1, 0.06)
TALL = (0.1, 0.1, 0.3)
TILTS = (-0.05, 0.05)  # [deg] from the angle at which they tip
HEIGHT = 0.4  # [m] of the prism
RADIUS, LENGTH = 0.05, 0.2  # [m] of round bodies
ROLLING = 20.0, 0.5  # slope [deg], mu


def field(angle: float) -> tuple[ns.Model, ns.Body, Rotation]:
    """A field that falls along x by `angle` [rad], its body, and its rotation."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    heights = np.repeat(-math.tan(angle) * SPACING * np.arange(40.0)[:, None], 20, axis=1)
    ground = model.add_body(fixed=True, position=(0.0, 0.0, 0.0))
    model.add_mesh(*ns.height_field(heights, SPACING), carrier=ground)
    return model, ground, Rotation.from_rotvec((0.0, angle, 0.0))


def on_field(angle: float, yaw: float, mu: float, shape: str) -> tuple[ns.Model, ns.Body]:
    """A field, and a box or prism on it, turned by `yaw` [rad]."""
    model, ground, turn = field(angle)
    high = {"box": BOX[2], "tall box": TALL[2], "prism": HEIGHT}[shape]
    rotation = np.roll((turn * Rotation.from_rotvec((0.0, 0.0, yaw))).as_quat(), 1)
    place = turn.apply((0.5, 0.0, 0.5 * high)) + np.array((0.0, 0.66, 0.0))
    motion: dict[str, Any] = {"position": place, "rotation": rotation, "density": 700.0}
    if shape == "prism":
        body = model.add_solid(octagon(0.0, HEIGHT), hull=True, **motion)
    else:
        body = model.add_box(BOX if shape == "box" else TALL, **motion)
    model.add(Contact(among=[ground, body], mu=mu))
    return model, body


def sliding() -> list[Row]:
    """Distances on slopes, turned boxes among them."""
    rows = []
    for degrees, mu, yaw in SLIDING:
        a = math.radians(degrees)
        model, box = on_field(a, yaw, mu, "box")
        result = simulate(model, t_end=1.0, h=0.01)
        way = result.position[-1, box] - result.position[0, box]
        distance = 0.5 * G * max(math.sin(a) - mu * math.cos(a), 0.0)
        expected = distance * np.array([math.cos(a), 0.0, -math.sin(a)])
        label = f"box on a field of {degrees:g} deg, mu = {mu:g}, turned by {yaw:g} rad"
        error = float(np.abs(way - expected).max())
        rows.append(bound_row(f"{label}: error of its way", "m", error, 1e-12, "closed form"))
        spin = np.abs(result.angular_velocity).max()
        rows.append(bound_row(f"{label}: rotation", "rad/s", spin, 1e-9, "none"))
    return rows


def rolling() -> list[Row]:
    """Distances of round bodies that lie across a slope."""
    rows = []
    degrees, mu = ROLLING
    a = math.radians(degrees)
    for shape in ("ball", "can", "capsule"):
        model, ground, turn = field(a)
        place = turn.apply((0.5, 0.0, RADIUS)) + np.array((0.0, 0.66, 0.0))
        across = np.roll((turn * Rotation.from_rotvec((0.5 * math.pi, 0.0, 0.0))).as_quat(), 1)
        motion: dict[str, Any] = {"position": place, "rotation": across, "density": 700.0}
        if shape == "ball":
            body = model.add_sphere(radius=RADIUS, mass=1.0, position=place)
            model.add(SphereMesh(body, ground, mu=mu))
        else:
            add = model.add_cylinder if shape == "can" else model.add_capsule
            body = add(RADIUS, LENGTH, **motion)
            model.add(Contact(among=[ground, body], mu=mu))
        result = simulate(model, t_end=1.0, h=0.01)
        way = result.position[-1, body] - result.position[0, body]
        part = 1.0 + body.inertia[2, 2] / (body.mass * RADIUS**2)
        expected = 0.5 * G * math.sin(a) / part * np.array([math.cos(a), 0.0, -math.sin(a)])
        error = float(np.abs(way - expected).max())
        label = f"{shape} rolling on a field of {degrees:g} deg"
        rows.append(bound_row(f"{label}: error of its way", "m", error, 1e-12, "closed form"))
    return rows


def tipping() -> list[Row]:
    """Below and above the angles of a box and of a prism."""
    rows = []
    sides = 2.0 * math.pi / SIDES * np.arange(SIDES)
    for shape, yaw in (("tall box", 0.0), ("prism", 0.05), ("prism", 0.3)):
        reach = 0.5 * TALL[0] / (0.5 * TALL[2])
        if shape == "prism":
            reach = min(0.1 / c for c in np.cos(yaw + sides) if c > 1e-9) / (0.5 * HEIGHT)
        critical = math.degrees(math.atan(reach))
        for tilt in TILTS:
            model, body = on_field(math.radians(critical + tilt), yaw, 2.0, shape)
            result = simulate(model, t_end=1.5, h=5e-3)
            rows.append(fallen(f"{shape} on a field of {critical + tilt:.3f} deg", result, body, tilt > 0.0))
    return rows


def nearest_peak(result: ns.Result, corners: list[Floats], vertices: Floats) -> float:
    """Least height [m] of `vertices` over the highest face of a rock beside them."""
    least = math.inf
    for k, own in enumerate(corners):
        planes = ConvexHull(own).equations
        for x, q in zip(result.position[:, k + 1], result.rotation[:, k + 1], strict=True):
            seen = turned_back(q, vertices - x)
            least = min(least, float((seen @ planes[:, :3].T + planes[:, 3]).max(axis=1).min()))
    return least


def rocks() -> list[Row]:
    """Hulls and boxes that tumble down a rough field."""
    rng, model = np.random.default_rng(7), ns.Model(gravity=(0.0, 0.0, -G))
    i, j = np.indices((40, 30))
    heights = -0.03 * i + 0.06 * np.sin(0.5 * i) * np.cos(0.4 * j) + 0.02 * rng.normal(size=i.shape)
    vertices, triangles = ns.height_field(heights, 0.1)
    ground = model.add_body(fixed=True, position=(0.0, 0.0, 0.0))
    model.add_mesh(vertices, triangles, carrier=ground)
    corners: list[Floats] = []
    for k in range(16):
        place = 0.4 + 0.6 * (k % 4), 0.5 + 0.6 * (k // 4), 0.65 - 0.17 * (k % 4)
        motion: dict[str, Any] = {"position": place, "rotation": rng.normal(size=4), "density": 1000.0}
        points = len(model.shapes.places)
        if k % 2:
            model.add_box(rng.uniform(0.12, 0.25, 3), **motion)
        else:
            model.add_solid(0.1 * rng.normal(size=(14, 3)), hull=True, **motion)
        corners.append(np.array(model.shapes.places[points:]))
    model.add(Contact(among=model.bodies, mu=0.4, e_n=0.2))
    result = simulate(model, t_end=1.5, h=2e-3)
    height = LinearTriInterpolator(Triangulation(vertices[:, 0], vertices[:, 1], triangles), vertices[:, 2])
    lowest = math.inf
    for k, own in enumerate(corners):
        x, q = result.position[:, k + 1], result.rotation[:, k + 1]
        for corner in own:
            point = x + turned(q, corner)
            above = point[:, 2] - height(point[:, 0], point[:, 1])  # masked beyond the border
            beyond = np.ma.getmaskarray(height(x[:, 0], x[:, 1]))
            lowest = min(lowest, np.ma.masked_where(beyond, above).filled(math.inf).min())
    found = {"height of the lowest corner": lowest, "nearest peak": nearest_peak(result, corners, vertices)}
    return [bound_row(f"rocks on a rough field: {name}", "m", d, 1e-9, "none") for name, d in found.items()]


def run_all() -> list[Row]:
    """All of them."""
    return [*sliding(), *rolling(), *tipping(), *rocks()]
