"""Concave solids divided into convex parts."""

import sys

import numpy as np
import pytest
from solid_scenes import run

import nsgalpha as ns
from elements import Contact
from nsgalpha.model import convex_parts
from nsgalpha.model.convex_solids import polytopes_of

coacd = pytest.importorskip("coacd")
G = 9.81
CONCAVITY = 0.05


def prism(outline, inner, height):
    """Vertices and triangles of a prism over a polygon (n, 2), whose `inner` triangles are given."""
    n = len(outline)
    vertices = np.vstack([np.column_stack([outline, np.full(n, z)]) for z in (0.0, height)])
    triangles = [tuple(n + i for i in each) for each in inner] + [each[::-1] for each in inner]
    for i in range(n):
        j = (i + 1) % n
        triangles += [(i, j, n + j), (i, n + j, n + i)]
    return vertices, np.array(triangles)


ANGLE = prism(
    np.array([(0, 0), (1, 0), (1, 0.3), (0.3, 0.3), (0.3, 1), (0, 1)], float),
    [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)],
    0.2,
)
CHANNEL = prism(
    np.array([(0, 0), (1, 0), (1, 0.6), (0.8, 0.6), (0.8, 0.2), (0.2, 0.2), (0.2, 0.6), (0, 0.6)], float),
    [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)],
    0.8,
)


def ring(r, outer, height, count=24):
    """A ring around the z axis."""
    angle = 2.0 * np.pi * np.arange(count) / count
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    rows = [(r, 0.0), (outer, 0.0), (r, height), (outer, height)]
    vertices = np.vstack([np.column_stack([a * circle, np.full(count, z)]) for a, z in rows])
    triangles = []
    for one, two in ((1, 0), (3, 1), (2, 3), (0, 2)):
        for i in range(count):
            j = (i + 1) % count
            a, b, c, d = one * count + i, one * count + j, two * count + j, two * count + i
            triangles += [(a, d, b), (b, d, c)]
    return vertices, np.array(triangles)


def add(source, **motion):
    model = ns.Model(gravity=(0, 0, -G))
    body = model.add_solid(source, concavity=CONCAVITY, density=1000.0, **{"position": (0, 0, 0)} | motion)
    return model, body


def test_mass_centre_and_inertia_are_those_of_the_surface():
    _, body = add(ANGLE)
    boxes = [
        ns.parts.box((1.0, 0.3, 0.2), position=(0.5, 0.15, 0.1)),
        ns.parts.box((0.3, 0.7, 0.2), position=(0.15, 0.65, 0.1)),
    ]
    other = ns.Model().add_compound(boxes, density=1000.0, position=(0, 0, 0))
    assert body.mass == pytest.approx(other.mass, rel=1e-12)
    assert body.inertia == pytest.approx(other.inertia, abs=1e-10)


@pytest.mark.parametrize("source", [ANGLE, CHANNEL, ring(0.3, 0.5, 0.2)], ids=["angle", "channel", "ring"])
def test_parts_are_convex_and_as_near_to_the_surface_as_stated(source):
    model, body = add(source)
    solids = polytopes_of("source", model.primitives)
    assert len(solids) > 1
    x, triangles = source
    half = 0.5 * np.ptp(x, axis=0).max()
    seen = x - _centre(x, triangles)
    off = [(seen @ solid.planes[:, :3].T - solid.planes[:, 3]).max(axis=1) for solid in solids]
    assert np.min(off, axis=0).max() < CONCAVITY * half
    volume = sum((solid.planes[:, 3] * _areas(solid)).sum() / 3.0 for solid in solids)
    a, b, c = (x[triangles[:, k]] for k in range(3))
    surface = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    exact = body.mass / 1000.0
    assert abs(volume - exact) < CONCAVITY * half * surface
    assert abs(volume - exact) < 0.05 * exact


def _centre(x, triangles):
    a, b, c = (x[triangles[:, k]] for k in range(3))
    v = (a * np.cross(b, c)).sum(axis=1)
    return (v[:, None] * (a + b + c)).sum(axis=0) / (4.0 * v.sum())


def _areas(solid):
    """Areas of the faces."""
    areas = []
    for face in solid.faces:
        X = solid.vertices[face]
        areas.append(0.5 * np.linalg.norm(np.cross(X - X[0], np.roll(X, -1, axis=0) - X[0]).sum(axis=0)))
    return np.array(areas)


def test_a_ball_falls_into_a_channel_and_not_onto_its_hull():
    """It lies 0.2 m above the ground, to the concavity."""
    upright = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)  # y of the source upwards
    model, body = add(CHANNEL, rotation=upright)
    x, triangles = CHANNEL
    bottom = -_centre(x, triangles)[1]
    floor = model.add_plane(normal=(0, 0, 1), offset=bottom)
    ball = model.add_sphere(radius=0.15, mass=5.0, position=(0.05, 0, bottom + 0.9))
    model.add(Contact(among=[body, ball, floor], mu=0.3))
    result = run(model, 1.5, 2e-3)
    assert result.stats.penetration.max() < 1e-9
    height = result.position[-1, ball, 2] - bottom - 0.15
    assert height == pytest.approx(0.2, abs=CONCAVITY * 0.5)
    assert abs(result.position[-1, body, 2]) < 1e-6


def test_a_ring_falls_around_a_peg():
    model, body = add(ring(0.3, 0.5, 0.2), position=(0.03, 0.02, 1.2))
    model.add_cylinder(0.2, 1.0, fixed=True, position=(0, 0, 0.5))
    model.add(Contact(among=[*model.bodies, model.add_plane(normal=(0, 0, 1))], mu=0.3))
    result = run(model, 1.0, 2e-3)
    assert result.stats.penetration.max() < 1e-9
    assert result.position[-1, body, 2] == pytest.approx(0.1, abs=1e-6)


def test_a_division_is_the_same_each_time_and_made_once(monkeypatch):
    one = ns.parts.solid(ANGLE, concavity=0.1)
    convex_parts._known.clear()
    two = ns.parts.solid(ANGLE, concavity=0.1)
    assert np.array_equal(one.bulk.vertices, two.bulk.vertices)
    assert one.bulk.faces == two.bulk.faces
    monkeypatch.setattr(coacd, "run_coacd", None)
    three = ns.parts.solid(ANGLE, concavity=0.1)
    assert three.bulk.faces == two.bulk.faces
    with pytest.raises(TypeError):
        ns.parts.solid(ANGLE, concavity=0.2)


@pytest.mark.parametrize("concavity", [0.0, 0.001, 1.5, True, "fine", float("nan")])
def test_a_concavity_out_of_range_is_refused(concavity):
    with pytest.raises(ValueError, match=r"concavity = .*: must be 0\.01 to 1; the smaller, the more parts"):
        ns.Model().add_solid(ANGLE, concavity=concavity, mass=1.0, position=(0, 0, 0))


def test_a_hull_has_no_parts():
    with pytest.raises(ValueError, match="hull and concavity: give one of them"):
        ns.Model().add_solid(ANGLE, concavity=0.1, hull=True, mass=1.0, position=(0, 0, 0))


def test_without_coacd_the_extra_is_named(monkeypatch):
    convex_parts._known.clear()
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(ImportError, match=r"pip install nsgalpha\[convex\]"):
        ns.Model().add_solid(ANGLE, concavity=0.1, mass=1.0, position=(0, 0, 0))
