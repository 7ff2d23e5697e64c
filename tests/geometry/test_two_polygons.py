"""Polygons against polygons: contact plane, common polygon, overlap in a position, volumes that add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from primitive_scenes import on_arrays, one, regular
from scipy.spatial.transform import Rotation

from elements.geometry import (
    measure_polygon_polygon,
    measured,
    overlap_at_position,
    polygon_patches,
    primitives,
)
from nsgalpha.testing import check_geometry
from verification.mesh_contact.mesh import triangulated_square

C = 40
UP = np.array([0.0, 0.0, 1.0])
DOWN = np.array([1.0, -1.0, -1.0])  # a polygon turned over, about x
seeds = st.integers(0, 2**32 - 1)
geometry = on_arrays(measure_polygon_polygon)


def scenes(seed, corners_a=4, corners_b=3, tilt=0.15):
    """Polygons A in the plane z = 0, those of B face them at some angle, partly below."""
    rng = np.random.default_rng(seed)
    a = np.repeat(regular(corners_a)[None], C, axis=0)
    R = Rotation.from_rotvec(tilt * rng.normal(size=(C, 3)) * [1.0, 1.0, 9.0]).as_matrix()
    b = np.einsum("cij,nj->cni", R, regular(corners_b, 0.8) * DOWN)
    b += rng.uniform([-0.6, -0.6, -0.1], [0.6, 0.6, 0.05], (C, 1, 3))
    return a, np.zeros(C), b, np.zeros(C)


def patches(a, b):
    """The polygon in which a pair overlaps."""
    corners, count = np.zeros((1, len(a) + len(b) + 1, 3)), np.zeros(1, np.int64)
    number = np.zeros(1, np.int64)
    polygon_patches(0, 1, number, number, primitives(a[None]), primitives(b[None]), corners, count)
    return corners[0, : count[0]]


def overlap_at(a, b, x):
    """Overlaps of a pair in positions (n, 3)."""
    number, overlap = np.zeros(len(x), np.int64), np.zeros(len(x))
    overlap_at_position(
        0, len(x), number, number, primitives(a[None]), primitives(b[None]), np.array(x, float), overlap
    )
    return overlap


def volume(here):
    """Area times mean overlap."""
    return here.area * np.where(here.area > 0.0, here.overlap, 0.0)


def small_over_large(seed):
    """Small triangles B parallel to large squares A, and ways over the edges."""
    rng = np.random.default_rng(seed)
    a = np.repeat(regular(4)[None], C, axis=0)
    b = np.repeat((0.2 * regular(3) * DOWN)[None], C, axis=0)
    b += rng.uniform([-0.3, -0.3, -0.1], [0.3, 0.3, -0.02], (C, 1, 3))
    ways, turns = rng.normal(size=(C, 3)) * [1.5, 1.5, 0.1], rng.normal(size=(C, 3)) * [0.4, 0.4, 1.0]
    return (a, np.zeros(C), b, np.zeros(C)), {"ways": ways, "turns": turns}


def test_polygons():
    arrays, motion = small_over_large(0)
    check_geometry(geometry, *arrays, strength=volume, **motion)


def test_thick_polygons():
    (a, _, b, _), motion = small_over_large(1)
    thick = a, np.full(C, 0.03), b + 0.05 * UP, np.full(C, 0.02)
    check_geometry(geometry, *thick, strength=volume, **motion)
    thin = geometry(a, np.zeros(C), b, np.zeros(C))
    assert_allclose(geometry(*thick).overlap, thin.overlap, rtol=1e-12)
    assert_allclose(geometry(*thick).point, thin.point + 0.03 * UP, atol=1e-12)


def test_tilted_polygons_can_be_exchanged():
    arrays = scenes(2)
    here, there = geometry(*arrays), geometry(arrays[2], arrays[3], arrays[0], arrays[1])
    assert (~here.rejected & (here.overlap > 0.0)).sum() > C // 4
    assert_allclose(there.normal, -here.normal, atol=1e-15)
    for one_side, other in (
        ("overlap", "overlap"),
        ("point", "point"),
        ("weight_a", "weight_b"),
        ("area", "area"),
    ):
        assert_allclose(getattr(there, one_side), getattr(here, other), rtol=1e-9, atol=1e-12)


def test_the_overlap_is_that_of_the_planes_at_half_their_angle():
    """Two tan(alpha) times the distance from the line in which the planes meet."""
    angle = 0.2
    a = regular(4, 2.0)
    b = Rotation.from_rotvec([0.0, angle, 0.0]).apply(regular(4, 2.0) * DOWN)
    b += [0.3, 0.1, 0.0]
    here = one(measure_polygon_polygon, a, 0.0, b, 0.0)
    normal = np.array([-np.sin(angle / 2), 0.0, -np.cos(angle / 2)])
    assert_allclose(here.normal[0], normal, atol=1e-15)
    line, direction = np.array([0.3, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])  # z = 0 = sin(angle) (x - 0.3)
    x = np.random.default_rng(3).uniform(-1.0, 1.0, (20, 3))
    expected = 2 * np.tan(angle / 2) * (x - line) @ np.cross(normal, direction)
    assert_allclose(np.abs(overlap_at(a, b, x)), np.abs(expected), rtol=1e-12, atol=1e-14)
    assert overlap_at(a, b, [[1.0, 0.0, 0.0]])[0] > 0.0  # there B has turned down, into A


def test_the_record_is_that_of_the_polygon_and_the_overlaps_in_it():
    for seed in range(10):
        a, _, b, _ = (each[seed] for each in scenes(seed))
        here, patch = one(measure_polygon_polygon, a, 0.0, b, 0.0), patches(a, b)
        if not here.area[0]:
            assert not len(patch)
            continue
        fan = np.array([[patch[0], patch[k], patch[k + 1]] for k in range(1, len(patch) - 1)])
        double = np.cross(fan[:, 1] - fan[:, 0], fan[:, 2] - fan[:, 0])
        assert (double @ here.normal[0] >= 0.0).all()  # counter-clockwise
        area = 0.5 * np.linalg.norm(double, axis=1)
        middles = 0.5 * (fan + np.roll(fan, -1, axis=1))  # exact quadrature of degree two
        overlap = overlap_at(a, b, middles.reshape(-1, 3)).reshape(-1, 3)
        assert (overlap > -1e-14).all()
        total = (area * overlap.mean(axis=1)).sum()
        moment = np.einsum("t,tk,tki->i", area / 3, overlap, middles)
        assert_allclose(here.area[0], area.sum(), rtol=1e-10)
        assert_allclose(here.overlap[0] * here.area[0], total, rtol=1e-10)
        along = here.point[0] - moment / total
        assert_allclose(np.cross(along, here.normal[0]), 0.0, atol=1e-10)
        for weight, corners in ((here.weight_a[0], a), (here.weight_b[0], b)):
            assert_allclose(np.cross(weight @ corners - here.point[0], here.normal[0]), 0.0, atol=1e-12)


@given(seeds)
def test_a_mesh_has_the_volume_and_moment_of_the_plane(seed):
    b = scenes(seed)[2][0]
    mesh, square = triangulated_square(5, 4.0, bend=0.2, seed=seed), regular(4, 20.0)
    whole = one(measure_polygon_polygon, square, 0.0, b, 0.0)
    parts = measured(
        measure_polygon_polygon, primitives(mesh), primitives(np.repeat(b[None], len(mesh), axis=0))
    )
    assert_allclose(parts.area.sum(), whole.area[0], rtol=1e-9, atol=1e-14)
    assert_allclose(volume(parts) @ np.ones(len(mesh)), volume(whole)[0], rtol=1e-9, atol=1e-14)
    assert_allclose(volume(parts) @ parts.point, volume(whole)[0] * whole.point[0], rtol=1e-9, atol=1e-13)


def test_squares_in_parallel():
    b = regular(4) * DOWN + [0.5, 0.5, -0.1]
    here = one(measure_polygon_polygon, regular(4), 0.0, b, 0.0)
    assert_allclose(here.area[0], 1.0)
    assert_allclose(here.overlap[0], 0.1)
    assert_allclose(here.point[0], [0.25, 0.25, -0.05], atol=1e-15)
    assert_allclose(here.normal[0], [0.0, 0.0, -1.0], atol=1e-15)
    assert here.effective_radius[0] == np.inf
    assert_allclose(here.contact_radius[0], np.sqrt(1.0 / np.pi))


@pytest.mark.parametrize(
    ("b", "options"),
    [
        (regular(4) - [0.0, 0.0, 0.1], ()),  # seen from behind
        (regular(4) * DOWN + [3.0, 0.0, -0.1], ()),  # beside
        (regular(4) @ [[0, 0, 1], [0, 1, 0], [1, 0, 0]], ()),  # upright
        (regular(4) * DOWN - [0.0, 0.0, 0.3], (0.2, 0.0)),  # far behind
    ],
)
def test_polygons_that_do_not_face_each_other_are_rejected(b, options):
    assert one(measure_polygon_polygon, regular(4), 0.0, b, 0.0, *options).rejected[0]


def test_an_open_pair_has_its_least_distance_as_a_gap():
    b = Rotation.from_rotvec([0.1, 0.0, 0.0]).apply(regular(4, 0.5) * DOWN)
    b += 0.2 * UP
    here = one(measure_polygon_polygon, regular(4), 0.0, b, 0.0)
    assert not here.rejected[0]
    assert here.area[0] == 0.0
    assert_allclose(-here.overlap[0], (0.2 - 0.5 * np.sin(0.1)) / np.cos(0.05), rtol=1e-12)
