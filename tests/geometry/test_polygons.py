"""Polygons against spheres and capsules: exact areas and fractions, meshes as the plane."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from primitive_scenes import on_arrays, one, regular
from scipy.integrate import quad
from scipy.spatial import ConvexHull

from elements.geometry import (
    measure_capsule_sphere,
    measure_polygon_capsule,
    measure_polygon_sphere,
    measured,
    primitives,
)
from nsgalpha.system.primitive_measures import Primitives
from nsgalpha.testing import check_geometry
from verification.mesh_contact.mesh import triangulated_square

C = 60
FLIP, REJECT_LARGE = (True, False), (False, True)  # flip_normals, reject_large_overlap
seeds = st.integers(0, 2**32 - 1)


def convex(rng, points=7):
    """A random convex polygon (N, 3) around the origin, counter-clockwise."""
    x = rng.normal(size=(points, 2))
    x = x[ConvexHull(x).vertices]
    return np.pad(x, ((0, 0), (0, 1)))


def cut(polygon, direction, at):
    """The parts of a convex polygon on both sides of a line."""
    height = polygon @ direction - at
    parts = [[], []]
    for p, q, hp, hq in zip(polygon, np.roll(polygon, -1, 0), height, np.roll(height, -1), strict=True):
        parts[int(hp > 0.0)].append(p)
        if (hp > 0.0) != (hq > 0.0):
            for part in parts:
                part.append(p + hp / (hp - hq) * (q - p))
    return [np.array(part) for part in parts if len(part) > 2]


def over(polygons, measure, b, radius, *options, contacts=1):
    """The contacts of one primitive with every one of `polygons`."""
    A = primitives(polygons)
    B = primitives(np.repeat(np.array(b, float)[None], len(polygons), axis=0), radius)
    return measured(measure, A, B, *options, contacts=contacts)


def scenes(seed, number, low, high):
    """Polygons in the plane z = 0, `number` points between `low` and `high` above it, ways and turns."""
    rng = np.random.default_rng(seed)
    a = np.stack([regular(4) + 0.1 * np.pad(rng.normal(size=(4, 2)), ((0, 0), (0, 1))) for _ in range(C)])
    b = rng.uniform([-0.7, -0.7, low], [0.7, 0.7, high], (C, number, 3))
    ways = rng.normal(size=(C, 3)) * [2.0, 2.0, 0.1 * low]
    turns = rng.normal(size=(C, 3)) * [0.0, 0.0, 1.0]
    return (a, np.zeros(C), b, np.full(C, 0.5)), {"ways": ways, "turns": turns}


@pytest.mark.parametrize("options", [(), FLIP, REJECT_LARGE])
def test_polygons_and_spheres(options):
    arrays, motion = scenes(0, 1, 0.3, 0.48)
    check_geometry(on_arrays(measure_polygon_sphere, *options), *arrays, **motion)


def test_thick_polygons():
    arrays, motion = scenes(1, 1, 0.4, 0.58)
    check_geometry(on_arrays(measure_polygon_sphere), arrays[0], np.full(C, 0.1), *arrays[2:], **motion)


@pytest.mark.parametrize("corners", [3, 4, 6])
def test_contact_weights_give_the_contact_point_back(corners):
    a, x = regular(corners), np.array([[0.5, 0.3, 0.4]])
    here = one(measure_polygon_sphere, a, 0.0, x, 0.5)
    assert 0.0 < here.fraction[0] < 1.0 or corners == 6
    assert_allclose(here.weight_a[0] @ a, here.point[0] * [1.0, 1.0, 0.0], atol=1e-14)
    assert_allclose(here.point[0, 2], -0.05)


def test_a_half_and_a_quarter_of_the_circle():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    for x, y, part in ((0.5, 0.0, 0.5), (0.0, 0.0, 0.25), (0.5, 0.5, 1.0), (-0.3, 0.5, 0.0), (1.0, 0.5, 0.5)):
        here = one(measure_polygon_sphere, square, 0.0, [[x, y, 0.4]], 0.5)
        assert_allclose(here.contact_radius[0], 0.3)
        assert_allclose(here.fraction[0], part, rtol=1e-14)
        assert_allclose(here.area[0], part * np.pi * 0.09, rtol=1e-14)
        assert here.rejected[0] == (part == 0.0)


@given(st.floats(-0.999, 0.999))
def test_circular_segments(at):
    # centre of the circle at the distance `at` radii within an edge
    square = 10.0 * np.array([[0, -1, 0], [2, -1, 0], [2, 1, 0], [0, 1, 0]], float)
    here = one(measure_polygon_sphere, square, 0.0, [[0.3 * at, 0.2, 0.4]], 0.5)
    angle = np.arccos(-at)
    assert_allclose(here.fraction[0], (angle + at * np.sin(angle)) / np.pi, rtol=1e-10, atol=1e-14)
    centroid = 2.0 / 3.0 * 0.3 * np.sin(angle) ** 3 / (angle + at * np.sin(angle))
    assert_allclose(here.point[0, :2], [0.3 * at + centroid, 0.2], rtol=1e-7)


@given(seeds)
def test_the_area_in_a_polygon_is_that_of_quadrature(seed):
    rng = np.random.default_rng(seed)
    polygon, x = convex(rng, 5), np.append(rng.normal(size=2), 0.6)

    def width(u):
        ends = []
        for p, q in zip(polygon, np.roll(polygon, -1, 0), strict=True):
            if (p[0] - u) * (q[0] - u) < 0.0:
                ends.append(p[1] + (u - p[0]) / (q[0] - p[0]) * (q[1] - p[1]))
        half = np.sqrt(max(0.64 - (u - x[0]) ** 2, 0.0))
        return max(min(max(ends), x[1] + half) - max(min(ends), x[1] - half), 0.0) if len(ends) == 2 else 0.0

    breaks = sorted({*np.clip(polygon[:, 0], x[0] - 0.8, x[0] + 0.8), x[0] - 0.8, x[0] + 0.8})
    area = sum(quad(width, p, q, limit=200, epsabs=1e-9)[0] for p, q in pairwise(breaks))
    here = one(measure_polygon_sphere, polygon, 0.0, x[None], 1.0)
    assert_allclose(here.area[0], area, atol=1e-6)


@given(seeds)
def test_parts_of_a_polygon_have_its_area_and_centroid_together(seed):
    rng = np.random.default_rng(seed)
    polygon, angle = convex(rng), rng.uniform(0.0, 2 * np.pi)
    x = np.append(rng.normal(size=2), rng.uniform(0.0, 1.0))
    whole = one(measure_polygon_sphere, polygon, 0.0, x[None], 1.0)
    split = cut(polygon, np.array([np.cos(angle), np.sin(angle), 0.0]), 0.5 * rng.normal())
    parts = [one(measure_polygon_sphere, part, 0.0, x[None], 1.0) for part in split]
    assert_allclose(sum(part.fraction for part in parts), whole.fraction, rtol=1e-12, atol=1e-13)
    first = sum(part.fraction[:, None] * part.point for part in parts)
    assert_allclose(first, whole.fraction[:, None] * whole.point, rtol=1e-10, atol=1e-12)


@given(seeds)
def test_fractions_over_a_mesh_sum_to_one_and_centroids_to_the_centre(seed):
    rng = np.random.default_rng(seed)
    x = np.append(rng.uniform(-1.0, 1.0, 2), rng.uniform(-0.3, 0.9))
    here = over(triangulated_square(6, 4.0, bend=0.2, seed=seed), measure_polygon_sphere, x[None], 1.0)
    assert_allclose(here.fraction.sum(), 1.0, rtol=1e-12)
    assert (here.overlap == here.overlap[0]).all()
    assert_allclose(here.fraction @ here.point[:, :2], x[:2], atol=1e-12)
    assert (here.fraction > 0.0).sum() > 1 or here.fraction.max() == 1.0


def test_a_sphere_beyond_the_edge_leaves_the_polygon_exactly_when_it_does_not_meet_it():
    for gap in (-1e-3, 1e-3):
        here = one(measure_polygon_sphere, regular(4), 0.0, [[0.3 + np.sqrt(0.5) + gap, 0.0, 0.4]], 0.5)
        edge = one(
            measure_capsule_sphere, regular(4)[[3, 0]], 0.0, [[0.3 + np.sqrt(0.5) + gap, 0.0, 0.4]], 0.5
        )
        assert here.rejected[0] == (edge.overlap[0] < 0.0)


@pytest.mark.parametrize(
    ("options", "z", "overlap", "rejected"),
    [
        ((), 0.4, 0.1, False),
        ((), -0.3, 0.8, False),
        ((), -0.6, 1.1, True),
        (REJECT_LARGE, 0.1, 0.4, False),
        (REJECT_LARGE, -0.1, 0.6, True),
        (FLIP, -0.3, 0.2, False),
        (FLIP, -0.6, -0.1, False),
        ((), 0.6, -0.1, False),
    ],
)
def test_behind_the_plane(options, z, overlap, rejected):
    here = one(measure_polygon_sphere, regular(3, 5.0), 0.0, [[0.1, 0.2, z]], 0.5, *options)
    assert_allclose(here.overlap[0], overlap)
    assert here.rejected[0] == rejected
    assert_allclose(here.normal[0], [0.0, 0.0, 1.0 if z < 0.0 and options == FLIP else -1.0])


def test_a_hollow_sphere_has_no_contact_with_polygons():
    assert one(measure_polygon_sphere, regular(3, 5.0), 0.0, [[0.1, 0.2, 0.3]], -0.5).rejected[0]


def test_polygons_of_different_corners_share_a_table():
    points = np.concatenate([regular(4), regular(3)])
    A = Primitives(points, np.array([[0, 1, 2, 3], [4, 5, 6, -1]]), np.zeros(2))
    here = measured(measure_polygon_sphere, A, primitives([[[0.3, 0.2, 0.4]]] * 2, 0.5))
    for k, corners in enumerate((4, 3)):
        alone = one(measure_polygon_sphere, regular(corners), 0.0, [[0.3, 0.2, 0.4]], 0.5)
        assert_allclose(here.fraction[k], alone.fraction[0], rtol=1e-14)
        assert_allclose(here.weight_a[k, :corners], alone.weight_a[0], rtol=1e-12)
    assert here.weight_a[1, 3] == 0.0


@pytest.mark.parametrize(
    ("x", "y", "number"), [(0.1, 0.2, 1), (0.5, 0.25, 1), (0.5, 0.5, 2), (1.0, 0.5, 2), (1.0, 1.0, 6)]
)
@pytest.mark.parametrize("z", [0.3, -0.2])
def test_a_point_belongs_to_a_mesh_once_on_edges_and_nodes_too(x, y, z, number):
    here = over(triangulated_square(4, 4.0), measure_polygon_sphere, [[x, y, z]], 0.0)
    touching = here.fraction > 0.0
    assert touching.sum() == number
    assert_allclose(here.fraction.sum(), 1.0, rtol=1e-6)
    assert_allclose(here.overlap, -z)
    assert not here.rejected[touching].any()
    assert here.area.max() == 0.0


def ends_of(here):
    """Contacts of end spheres whose whole circle is in the polygon."""
    return (here.overlap > 0.0) & (here.fraction == 1.0) & (np.arange(len(here.overlap)) % 3 < 2)


@pytest.mark.parametrize("options", [(), FLIP, REJECT_LARGE])
def test_polygons_and_capsules(options):
    arrays, motion = scenes(2, 2, 0.2, 0.8)
    # capsules that tilt through the flat position
    motion["turns"] = np.random.default_rng(3).normal(size=(C, 3)) * [0.3, 0.3, 1.0]
    geometry = on_arrays(measure_polygon_capsule, *options, contacts=3)
    check_geometry(geometry, arrays[0], arrays[1], arrays[2], np.full(C, 0.4), smooth=ends_of, **motion)


def test_thick_polygons_and_capsules():
    arrays, motion = scenes(4, 2, 0.4, 0.9)
    geometry = on_arrays(measure_polygon_capsule, contacts=3)
    check_geometry(geometry, arrays[0], np.full(C, 0.1), *arrays[2:], smooth=ends_of, **motion)


def test_the_contact_point_is_in_the_middle_between_a_thick_polygon_and_the_other_surface():
    sphere = one(measure_polygon_sphere, regular(4), 0.1, [[0.1, 0.2, 0.55]], 0.5)
    assert_allclose(sphere.overlap, 0.05)
    assert_allclose(sphere.point, [[0.1, 0.2, 0.075]])
    capsule = one(measure_polygon_capsule, regular(4), 0.1, [[0, 0, 0.55], [0.2, 0, 0.55]], 0.5, contacts=3)
    assert_allclose(capsule.overlap, 0.05)
    assert_allclose(capsule.point[:, 2], 0.075)
    below = one(measure_polygon_sphere, regular(4), 0.1, [[0.1, 0.2, -0.55]], 0.5, *FLIP)
    assert_allclose(below.point, [[0.1, 0.2, -0.075]])


def test_a_flat_capsule_has_two_half_circles_and_a_hull():
    here = one(measure_polygon_capsule, regular(4, 9.0), 0.0, [[0, 0, 0.4], [1, 0, 0.4]], 0.5, contacts=3)
    assert_allclose(here.fraction, [0.5, 0.5, 1.0])
    assert_allclose(here.overlap, 0.1)
    assert_allclose(here.area, [0.5 * np.pi * 0.09, 0.5 * np.pi * 0.09, 0.6], rtol=1e-14)
    assert_allclose(here.contact_radius, 0.3)
    assert_allclose(here.weight_b, [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], atol=1e-14)
    half = 4 * 0.3 / (3 * np.pi)
    assert_allclose(here.point, [[-half, 0, -0.05], [1 + half, 0, -0.05], [0.5, 0, -0.05]], atol=1e-14)


def test_a_standing_capsule_is_a_sphere():
    sphere = one(measure_polygon_sphere, regular(4), 0.0, [[0.3, 0.2, 0.4]], 0.5)
    for tilt in (0.0, 1e-12, 0.3):
        ends = [[0.3, 0.2, 0.4], [0.3 + tilt, 0.2, 1.4]]
        here = one(measure_polygon_capsule, regular(4), 0.0, ends, 0.5, contacts=3)
        if tilt == 0.3:  # h tan(alpha) is wider than the circle
            assert here.area[0] == sphere.area[0]
        for name in ("overlap", "point", "normal", "area", "fraction"):
            assert_allclose(getattr(here, name)[0], getattr(sphere, name)[0], rtol=1e-12, atol=1e-15)
        assert here.rejected[1:].all()


@given(seeds)
def test_capsules_feel_a_mesh_as_the_plane(seed):
    rng = np.random.default_rng(seed)
    ends = rng.uniform([-1.0, -1.0, 0.1], [1.0, 1.0, 0.9], (2, 3))
    plane = over([regular(4, 20.0)], measure_polygon_capsule, ends, 0.6, contacts=3)
    mesh = over(
        triangulated_square(6, 6.0, bend=0.2, seed=seed), measure_polygon_capsule, ends, 0.6, contacts=3
    )
    strength = np.where(mesh.rejected, 0.0, mesh.fraction * mesh.overlap)
    for part in range(3):
        rows, whole = slice(part, None, 3), 0.0 if plane.rejected[part] else plane.overlap[part]
        share = plane.fraction[part]
        assert_allclose(mesh.fraction[rows].sum(), share, rtol=1e-11, atol=1e-12)
        assert_allclose(strength[rows].sum(), share * whole, rtol=1e-11, atol=1e-12)
        moment = strength[rows] @ mesh.point[rows, :2]
        assert_allclose(moment, share * whole * plane.point[part, :2], rtol=1e-10, atol=1e-11)


def test_the_hull_of_a_flat_capsule_follows_its_weights():
    """The mean overlap of a hull that is wholly submerged changes as its middle does."""
    square, ends = regular(4, 9.0), np.array([[-0.5, 0.1, 0.4], [0.7, 0.0, 0.4]])
    here = one(measure_polygon_capsule, square, 0.0, ends, 0.5, contacts=3)
    eps = 1e-6
    for side, weight in ((0, here.weight_a[2]), (1, here.weight_b[2])):
        for i in range(len(weight)):
            change = []
            for sign in (1.0, -1.0):
                moved = [square.copy(), ends.copy()]
                moved[side][i, 2] += sign * eps
                there = one(measure_polygon_capsule, moved[0], 0.0, moved[1], 0.5, contacts=3)
                change.append(there.overlap[2])
            slope = (change[0] - change[1]) / (2 * eps)
            assert_allclose(slope, (1 - 2 * side) * weight[i], atol=1e-6)


@given(seeds)
def test_the_ends_of_a_capsule_can_be_exchanged(seed):
    rng = np.random.default_rng(seed)
    polygon, ends = convex(rng), rng.uniform([-1.0, -1.0, -0.1], [1.0, 1.0, 0.7], (2, 3))
    here = one(measure_polygon_capsule, polygon, 0.0, ends, 0.6, contacts=3)
    there = one(measure_polygon_capsule, polygon, 0.0, ends[::-1], 0.6, contacts=3)
    for name in ("overlap", "fraction", "area", "point", "weight_a"):
        valid = ~here.rejected
        expected = getattr(there, name)[[1, 0, 2]]
        assert_allclose(getattr(here, name)[valid], expected[valid], rtol=1e-7, atol=1e-9)
    assert_allclose(here.weight_b, there.weight_b[[1, 0, 2], ::-1], atol=1e-7)


@pytest.mark.parametrize("high", [0.3, 0.4, 0.5])
def test_the_parts_are_those_of_the_section_of_the_capsule(high):
    """Points of the plane within the capsule, by the nearest part of the axis."""
    ends, r = np.array([[-0.5, 0.0, 0.3], [0.6, 0.4, high]]), 0.55
    here = one(measure_polygon_capsule, regular(4, 9.0), 0.0, ends, r, contacts=3)
    s = np.linspace(-1.6, 1.6, 1601)
    x = np.stack([*np.meshgrid(s, s, indexing="ij"), np.zeros((1601, 1601))], axis=2)
    axis = ends[1] - ends[0]
    along = (x - ends[0]) @ axis / (axis @ axis)
    nearest = ends[0] + np.clip(along, 0.0, 1.0)[..., None] * axis
    inside = np.linalg.norm(x - nearest, axis=2) < r
    cell = (s[1] - s[0]) ** 2
    for part, where in enumerate((along < 0.0, along > 1.0)):
        assert_allclose(here.area[part], cell * (inside & where).sum(), rtol=3e-3)
    hull = cell * (inside & (along > 0.0) & (along < 1.0)).sum()
    assert 0.9 * hull < here.area[2] < 1.003 * hull  # a trapezoid within an arc


@pytest.mark.parametrize("heights", [(0.1, -0.3), (-0.3, 0.1), (-0.2, -0.4)])
def test_a_capsule_is_pushed_to_the_side_of_its_middle_by_two_sided_polygons(heights):
    ends = np.array([[-0.2, 0.1, heights[0]], [0.3, 0.0, heights[1]]])
    mirror = [1.0, 1.0, -1.0]
    below = one(measure_polygon_capsule, regular(4), 0.0, ends, 0.5, *FLIP, contacts=3)
    above = one(measure_polygon_capsule, regular(4), 0.0, ends * mirror, 0.5, contacts=3)
    assert_allclose(below.normal, above.normal * mirror)
    assert_allclose(below.overlap, above.overlap, rtol=1e-12)
    assert_allclose(below.fraction, above.fraction, rtol=1e-12)
    assert_allclose(below.point, above.point * mirror, atol=1e-12)
