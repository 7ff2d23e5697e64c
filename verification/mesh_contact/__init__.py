"""Sphere and capsule rolled over a triangulated plane.

The triangles of a mesh share the contact in proportion to the contact areas in them, which add up to that of
the plane. So force and moment have to be those of the plane wherever the edges are, but for rounding.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

import elements as e
import nsgalpha as ns
from elements.geometry import measure_polygon_capsule, measure_polygon_sphere, measured, primitives
from nsgalpha.arrays import Floats
from nsgalpha.forces import Laws
from nsgalpha.system.primitive_measures import Measured
from verification.mesh_contact.figure import draw
from verification.mesh_contact.mesh import triangulated_square
from verification.outcome import Outcome, Row, bound_row
from verification.run import simulate
from verification.scenes import add_spheres

RADIUS = 0.01  # [m]
OVERLAP = 2e-4  # [m]
LENGTH = 0.015  # of the capsule [m]
STIFFNESS = 1e9  # effective modulus [Pa]
PLACES = 600
ROUNDING = 5e-13


class Rolled(NamedTuple):
    """Contacts of one body with every triangle in every place of its path."""

    mesh: Floats  # (T, 3, 3)
    path: Floats  # (PLACES, 3)
    radius: float  # of the contact circle
    force: Floats  # (PLACES, T) normal force by Hertz, over that of the plane
    point: Floats  # (PLACES, T, 3)
    touching: Floats  # (PLACES,) number of triangles in contact


def run() -> Outcome:
    """Sum the triangles' loads over a path that crosses edges and passes nodes."""
    mesh = triangulated_square(8, 0.05, bend=0.2, seed=4)
    s = np.linspace(-1.0, 1.0, PLACES)
    path = np.stack([0.015 * s, 0.004 * np.sin(4.0 * s), np.full(PLACES, RADIUS - OVERLAP)], axis=1)
    rolled = _roll_sphere(mesh, path)
    centre = np.einsum("pt,pti->pi", rolled.force, rolled.point)[:, :2]
    arm = float(np.abs(centre - path[:, :2]).max() / rolled.radius)
    what = "sphere: arm of the total force over the radius of the contact"
    rows: list[Row] = [
        bound_row("sphere: total force over Hertz's, less 1", "-", _off(rolled.force), ROUNDING, PLANE),
        bound_row(what, "-", arm, ROUNDING, PLANE),
    ]
    for name, tilt in (("flat", 0.0), ("tilted", 0.01)):
        what = f"{name} capsule: force in proportion to the overlap over that on a plane, less 1"
        rows.append(bound_row(what, "-", _off(_roll_capsule(mesh, path, tilt)), ROUNDING, PLANE))
    rows.append(_run_over(mesh))
    return Outcome(rows=rows, figures={"A sphere rolled over triangles": partial(draw, rolled)})


def _run_over(mesh: Floats) -> Row:
    """A ball that bounces, slides and rolls on the mesh, and on the plane."""
    laws: Laws = {"normal": e.SpringDashpot(stiffness=5e3), "tangential": e.HaffWerner(damping=1.0, mu=0.2)}
    positions = []
    for on_mesh in (True, False):
        model = ns.Model(gravity=(0.0, 0.0, -9.81))
        place, v, w = (-0.02, -0.015, RADIUS), (0.4, 0.3, -0.1), (20.0, -40.0, 0.0)
        (ball,) = add_spheres(model, RADIUS, 0.03, [place], v, w)
        if on_mesh:
            triangles = [model.add_primitive(corners) for corners in mesh]
            model.add(e.CompliantPolygonSphere(triangles, ball, **laws))
        else:
            plane = model.add_plane(normal=(0.0, 0.0, 1.0))
            model.add(e.CompliantSpherePlane(ball, plane, **laws))
        positions.append(simulate(model, t_end=0.08, h=2e-4).position)
    apart = float(np.abs(positions[0] - positions[1]).max()) / RADIUS
    return bound_row("ball in a run: largest distance from the one on a plane", "R", apart, 1e-8, PLANE)


PLANE = "the same body on a plane"


def _off(force: Floats) -> float:
    """Largest distance of the totals from one."""
    return float(np.abs(force.sum(axis=1) - 1.0).max())


def _every(measure, mesh: Floats, corners: Floats, contacts: int) -> Measured:
    """Contacts of every triangle with every one of `corners` (PLACES, N, 3), place by place."""
    A = primitives(np.tile(mesh, (len(corners), 1, 1)))
    B = primitives(np.repeat(corners, len(mesh), axis=0), RADIUS)
    return measured(measure, A, B, contacts=contacts)


def _roll_sphere(mesh: Floats, path: Floats) -> Rolled:
    here = _every(measure_polygon_sphere, mesh, path[:, None], 1)
    hertz = 4.0 / 3.0 * STIFFNESS * np.sqrt(RADIUS) * OVERLAP**1.5
    force = np.where(here.rejected, 0.0, here.fraction)
    force = force * 4.0 / 3.0 * STIFFNESS * np.sqrt(here.effective_radius) * here.overlap**1.5 / hertz
    shape = len(path), len(mesh)
    force = force.reshape(shape)
    touching = (force > 0.0).sum(axis=1)
    return Rolled(mesh, path, here.contact_radius[0], force, here.point.reshape(*shape, 3), touching)


def _strength(here: Measured, places: int) -> Floats:
    return np.where(here.rejected, 0.0, here.fraction * here.overlap).reshape(places, -1)


def _roll_capsule(mesh: Floats, path: Floats, tilt: float) -> Floats:
    """Overlap times fraction of all contacts, over that of one large triangle."""
    angle = np.linspace(0.0, 2.0 * np.pi, len(path))
    axis = LENGTH * np.stack([np.cos(angle), np.sin(angle), np.full(len(path), tilt)], axis=1)
    ends = np.stack([path, path + axis], axis=1) - 0.5 * axis[:, None] * [1.0, 1.0, 0.0]
    plane = np.array([[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]]])
    on_mesh, on_plane = (
        _strength(_every(measure_polygon_capsule, triangles, ends, 3), len(path))
        for triangles in (mesh, plane)
    )
    return on_mesh / on_plane.sum(axis=1, keepdims=True)
