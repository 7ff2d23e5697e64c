"""Meshes and boxes on them: models, and their runs."""

import numpy as np
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SolidMesh, SolidPlane

G = 10.0
SIZE = (0.4, 0.3, 0.2)
CORNERS = np.array([(x, y, z) for z in (1, -1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))], float)
FACES = [(0, 1, 2, 3), (7, 6, 5, 4), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)]


def quaternion(turn):
    """Scalar first."""
    return np.roll(turn.as_quat(), 1)


def about(axis, angle):
    return quaternion(Rotation.from_rotvec(angle * np.array(axis, float)))


def run(model, t_end, h, **settings):
    result = ns.simulate(model, t_end=t_end, h=h, **settings)
    assert result.status, result.status
    return result


def random_floor(count=150, seed=0):
    """A square of triangles with random vertices within, all in the plane z = 0."""
    rng = np.random.default_rng(seed)
    points = np.vstack([2.0 * CORNERS[:4, :2], rng.uniform(-2, 2, (count, 2))])
    triangles = Delaunay(points).simplices
    (a, b), (c, d) = ((points[triangles[:, k]] - points[triangles[:, 0]]).T for k in (1, 2))
    clockwise = a * d < b * c
    triangles[clockwise] = triangles[clockwise, ::-1]
    return np.column_stack([points, np.zeros(len(points))]), triangles


def scene(mesh, boxes, turn=None, shift=(0, 0, 0), law=None, order=None):
    """A model with a fixed mesh, or a plane for None, and boxes; the boxes.

    All are turned and shifted.

    boxes: arguments of add_box. order: of the triangles.
    """
    turn = Rotation.identity() if turn is None else turn
    model = ns.Model(gravity=turn.apply((0, 0, -G)))
    bodies = []
    for box in boxes:
        own = {"mass": 1.0, "size": SIZE, "rotation": (1, 0, 0, 0)} | box
        own["rotation"] = quaternion(turn * Rotation.from_quat(np.roll(own["rotation"], -1)))
        own["position"] = turn.apply(own["position"]) + shift
        for name in ("velocity", "angular_velocity"):
            own[name] = turn.apply(own.get(name, (0, 0, 0)))
        bodies.append(model.add_box(own.pop("size"), **own))
    if mesh is None:
        model.add(SolidPlane(bodies, model.add_plane(normal=(0, 0, 1)), **(law or {})))
        return model, bodies
    vertices, triangles = mesh
    ground = model.add_body(fixed=True, position=shift, rotation=quaternion(turn))
    triangles = np.asarray(triangles)
    model.add_mesh(vertices, triangles if order is None else triangles[order], carrier=ground)
    model.add(SolidMesh(bodies, ground, **(law or {})))
    return model, bodies


def roof(slope, sign=1.0, count=4):
    """Two planes of triangles that meet at x = 0 in a ridge, for sign -1 in a valley."""
    x, y = np.linspace(-2, 2, 2 * count + 1), np.linspace(-1.5, 1.5, count)
    heights = -sign * slope * np.abs(x)[:, None] + 0.0 * y
    return ns.height_field(heights, (x[1] - x[0], y[1] - y[0]), origin=(-2, -1.5, 0))


def bumpy(seed=4, bumps=0.05, count=12):
    rng = np.random.default_rng(seed)
    return ns.height_field(bumps * rng.normal(size=(count, count)), 0.25, origin=(-1.4, -1.4, 0))
