"""Scenes of bodies of all shapes in periodic cells."""

import numpy as np

import elements as e
import nsgalpha as ns

L, RATE = 2.4, 2.0  # [m] periods of the cell, [1/s]
LAW = {"mu": 0.3, "e_n": 0.5}
CELL = (L, L, L)
POINTS = [(1, 0.1, 0.2), (-0.9, 0.3, 0), (0, 1, 0), (0.1, -1, 0.2), (0, 0.3, 0.9), (0.2, 0, -1)]
CUBE = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def shear():
    return ns.CellMotion(flow="x", gradient="y", shear_rate=RATE)


def add_shape(model, kind, **at):
    """A body with one of seven shapes."""
    if kind == "box":
        return model.add_box((0.2, 0.16, 0.12), mass=1.0, **at)
    if kind == "cylinder":
        return model.add_cylinder(0.09, 0.2, mass=1.0, **at)
    if kind == "cone":
        return model.add_cone(0.1, 0.2, mass=1.0, **at)
    if kind == "sphere":
        return model.add_sphere(radius=0.1, mass=1.0, **at)
    if kind == "capsule":
        return model.add_capsule(0.06, 0.14, mass=1.0, **at)
    if kind == "hull":
        return model.add_solid(0.11 * np.array(POINTS), hull=True, mass=1.0, **at)
    body = model.add_body(mass=1.0, inertia=0.006, **at)  # a round box
    model.add_mesh(0.08 * np.array(list(np.ndindex(2, 2, 2))) - 0.04, CUBE, carrier=body, radius=0.03)
    return body


SHAPES = ("box", "cylinder", "cone", "sphere", "capsule", "hull", "round box")


def cluster(cell=CELL, motion=None, shift=(0, 0, 0), periods=None, shapes=SHAPES, law=LAW, seed=3):
    """Twelve bodies that fly together, tumble and rub.

    Each is stated as an image that is some `periods` (12, 3) away.
    """
    rng = np.random.default_rng(seed)
    model = ns.Model(periodic=cell, cell_motion=motion)
    periods = np.zeros((12, 3)) if periods is None else periods
    for k, (place, n) in enumerate(zip(np.ndindex(3, 2, 2), periods, strict=True)):
        d = 0.3 * (np.array(place) - [1.0, 0.5, 0.5])
        q, v, w = rng.normal(size=4), rng.normal(0, 0.3, 3) - 3.0 * d, rng.normal(0, 3, 3)
        v[0] += n[1] * RATE * L * (motion is not None)
        at = {"position": d + L / 2 + shift + n * L, "rotation": q / np.linalg.norm(q)}
        add_shape(model, shapes[k % len(shapes)], velocity=v, angular_velocity=w, **at)
    if law is not None:
        model.add(e.Contact(among=model.bodies, **law))
    return model


def images_of(periods, t, length=L):
    """Ways (n, N, 3) of images of a sheared cell that are `periods` (N, 3) of some `length` away."""
    way = np.tile(length * periods, (len(t), 1, 1))
    way[:, :, 0] += RATE * length * t[:, None] * periods[:, 1]
    return way
