"""Spheres, points, capsules, cylinders and disks: checked, and against closed forms and exact distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from primitive_scenes import on_arrays, one
from scipy.optimize import lsq_linear

from elements.geometry import (
    measure_capsule_capsule,
    measure_capsule_sphere,
    measure_cylinder_sphere,
    measure_disk_sphere,
    measure_sphere_sphere,
    measured,
    primitives,
)
from nsgalpha.system.primitive_measures import Measured
from nsgalpha.testing import check_geometry

C = 60
seeds = st.integers(0, 2**32 - 1)


def scenes(seed, corners_a, corners_b, scale_a=1.0, scale_b=1.0):
    """Scenes of B above A, axes apart, and ways and turns that keep them so."""
    rng = np.random.default_rng(seed)
    a = rng.uniform([-1.0, -1.0, -0.4], [1.0, 1.0, -0.1], (C, corners_a, 3))
    b = rng.uniform([-1.0, -1.0, 0.1], [1.0, 1.0, 0.4], (C, corners_b, 3))
    ways = 4.0 * rng.normal(size=(C, 3)) * [1.0, 1.0, 0.0]
    turns = rng.normal(size=(C, 3)) * [0.0, 0.0, 1.0]
    radii = [scale * rng.uniform(0.6, 1.0, C) for scale in (scale_a, scale_b)]
    return (a, radii[0], b, radii[1]), {"ways": ways, "turns": turns}


def test_spheres():
    arrays, motion = scenes(0, 1, 1)
    check_geometry(on_arrays(measure_sphere_sphere), *arrays, exchange=True, **motion)


@pytest.mark.parametrize("scale", [(0.3, -1.5), (-1.5, 0.3)])
def test_a_sphere_in_a_hollow_sphere(scale):
    arrays, motion = scenes(1, 1, 1, *scale)
    check_geometry(on_arrays(measure_sphere_sphere), *arrays, exchange=True, **motion)


@pytest.mark.parametrize("scale", [(1.0, 0.0), (0.0, -0.5)])
def test_a_point_and_a_sphere(scale):
    arrays, motion = scenes(2, 1, 1, *scale)
    check_geometry(on_arrays(measure_sphere_sphere), *arrays, exchange=True, **motion)


def test_points_have_a_distance():
    arrays, _ = scenes(3, 1, 1, 0.0, 0.0)
    geometry = on_arrays(measure_sphere_sphere)
    check_geometry(geometry, *arrays, exchange=True, smooth=lambda here: here.overlap < 0.0, continuous="")
    here = geometry(*arrays)
    assert_allclose(-here.overlap, np.linalg.norm(arrays[0] - arrays[2], axis=2)[:, 0], rtol=1e-14)
    assert not here.rejected.any()


def test_capsules_and_spheres():
    arrays, motion = scenes(4, 2, 1)
    check_geometry(on_arrays(measure_capsule_sphere), *arrays, **motion)


def test_capsules():
    arrays, motion = scenes(5, 2, 2)
    check_geometry(on_arrays(measure_capsule_capsule), *arrays, exchange=True, **motion)


def test_exact_capsules_but_for_the_moment_of_parallel_ones():
    arrays, motion = scenes(6, 2, 2)
    check_geometry(on_arrays(measure_capsule_capsule, 0.0), *arrays, exchange=True, **motion)


def rolling_over():
    """Capsules above each other: two tip and become parallel, one is across."""
    a = np.array([[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]] * 3)
    b = a * [0.9, 1.0, 1.0] + [[[0.0, 0.0, 0.5]], [[0.4, 0.0, 0.5]], [[0.0, 0.1, 0.5]]]
    b[:, 1, 2] += 0.02
    b[2] = b[2, :, [1, 0, 2]].T
    ways, turns = np.zeros((3, 3)), np.array([[0.0, 0.3, 0.0], [0.0, 0.3, 0.0], [0.0, 0.31, 0.2]])
    return (a, np.full(3, 0.3), b, np.full(3, 0.3)), {"ways": ways, "turns": turns}


def test_a_capsule_that_tips_over_another_rolls_from_end_to_end():
    arrays, motion = rolling_over()
    check_geometry(on_arrays(measure_capsule_capsule), *arrays, exchange=True, **motion)


def test_exact_parallel_capsules_have_a_continuous_force_and_a_moment_that_jumps():
    arrays, motion = rolling_over()
    geometry = on_arrays(measure_capsule_capsule, 0.0)
    with pytest.raises(AssertionError, match="continuity"):
        check_geometry(geometry, *arrays, **motion, smooth=crossing)
    check_geometry(geometry, *arrays, **motion, smooth=crossing, continuous="force")


def crossing(here):
    """The third of the scenes."""
    return np.arange(len(here.overlap)) == 2


@given(seeds)
def test_capsules_are_as_far_apart_as_their_segments(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 2, 3))
    if seed % 3 == 0:  # nearly parallel
        b = rng.normal(size=3) + rng.choice([1.0, -0.3]) * a + 1e-7 * rng.normal(size=(2, 3))

    # |a_0 - b_0 + z_0 (a_1 - a_0) - z_1 (b_1 - b_0)| is least for z in [0, 1]
    along = np.stack([a[1] - a[0], b[0] - b[1]], axis=1)
    least = lsq_linear(along, b[0] - a[0], bounds=(0.0, 1.0), method="bvls", tol=1e-15)
    here = one(measure_capsule_capsule, a, 0.2, b, 0.1, 0.0)
    assert_allclose(0.3 - here.overlap[0], np.sqrt(2 * least.cost), rtol=0, atol=5e-8)  # nearly parallel


@given(seeds)
def test_the_crown_is_the_largest_overlap_of_all_pairs_of_spheres(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 2, 3))
    here = one(measure_capsule_capsule, a, 0.5, b, 0.4, 0.2)
    s, t = np.meshgrid(*[np.linspace(0.0, 1.0, 401)] * 2, indexing="ij")
    r = a[0] - b[0] + s[..., None] * (a[1] - a[0]) - t[..., None] * (b[1] - b[0])
    thick = 0.5 * (1 - 0.2 * (2 * s - 1) ** 2) + 0.4 * (1 - 0.2 * (2 * t - 1) ** 2)
    sampled = (thick - np.linalg.norm(r, axis=2)).max()
    assert sampled <= here.overlap[0] + 1e-12
    assert_allclose(here.overlap[0], sampled, rtol=0, atol=1e-2)


def test_without_a_crown_the_capsule_is_exact():
    arrays, _ = scenes(7, 2, 2)
    exact = on_arrays(measure_capsule_capsule, 0.0)(*arrays)
    for crown in (1e-2, 1e-4, 1e-6):
        near = on_arrays(measure_capsule_capsule, crown)(*arrays)
        assert np.abs(near.overlap - exact.overlap).max() < 2.0 * crown


def test_parallel_capsules_touch_in_the_middle_of_what_they_share():
    here = one(measure_capsule_capsule, [[-1, 0, 0], [1, 0, 0]], 0.3, [[-0.5, 0, 0.5], [0.5, 0, 0.5]], 0.3)
    assert_allclose(here.weight_a[0], 0.5)
    assert_allclose(here.weight_b[0], 0.5)
    assert_allclose(here.overlap[0], 0.1)
    assert_allclose(here.normal[0], [0.0, 0.0, -1.0], atol=1e-15)


def test_exact_parallel_capsules_have_an_exact_normal():
    here = one(
        measure_capsule_capsule, [[0, 0, 0], [1, 0, 0]], 0.1, [[0.3, 0, 0.15], [1.9, 0, 0.15]], 0.1, 0.0
    )
    assert_allclose(here.normal[0], [0.0, 0.0, -1.0], atol=2e-9)
    assert_allclose(here.overlap[0], 0.05, rtol=1e-14)


@pytest.mark.parametrize("b", [[[0, -1, 0], [0, 1, 0]], [[-1, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 0, 0]]])
def test_axes_that_meet_have_a_normal_across(b):
    here = one(measure_capsule_capsule, [[-1, 0, 0], [1, 0, 0]], 0.2, b, 0.3)
    assert_allclose(here.overlap[0], 0.5, rtol=2e-3)
    assert_allclose(np.abs(here.normal[0, 0]), 0.0, atol=1e-12)
    assert_allclose(np.linalg.norm(here.normal[0]), 1.0)


def test_a_capsule_without_length_is_a_sphere():
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(2, 1, 3))
    sphere = one(measure_sphere_sphere, a, 0.7, b, 0.9)
    for measure in (measure_capsule_sphere, measure_capsule_capsule):
        ends = np.repeat(b, 2, axis=0) if measure is measure_capsule_capsule else b
        capsule = one(measure, np.repeat(a, 2, axis=0), 0.7, ends, 0.9)
        for name in ("overlap", "normal", "point", "effective_radius", "area"):
            assert_allclose(getattr(capsule, name), getattr(sphere, name), rtol=1e-14)


@pytest.mark.parametrize(("ra", "rb"), [(1.0, 0.7), (0.4, -1.1), (-2.0, 0.5)])
def test_the_contact_circle_lies_on_both_spheres(ra, rb):
    distance = ra + rb - 0.1 if ra + rb > 0 else -(ra + rb) + 0.1
    here = one(measure_sphere_sphere, [[0, 0, distance]], ra, [[0, 0, 0]], rb)
    a = here.contact_radius[0]
    assert_allclose(here.overlap[0], 0.1)
    heights = [
        np.array([1, -1]) * np.sqrt(rb**2 - a**2),
        distance + np.array([1, -1]) * np.sqrt(ra**2 - a**2),
    ]
    assert np.abs(heights[0][:, None] - heights[1]).min() < 1e-12
    assert_allclose(here.effective_radius[0], ra * rb / (ra + rb))
    assert_allclose(here.area[0], np.pi * a**2)


def test_the_contact_circle_does_not_shrink_when_a_sphere_sinks_into_a_larger_one():
    distance = np.linspace(3.0, 0.0, 301)
    x = np.stack([0 * distance, 0 * distance, distance], axis=1)[:, None]
    here = measured(measure_sphere_sphere, primitives(x, 1.0), primitives(0 * x, 2.0))
    assert (np.diff(here.contact_radius) >= 0.0).all()
    assert here.contact_radius[-1] == 1.0


@pytest.mark.parametrize(("ra", "rb"), [(-1.0, -0.5), (1.0, -0.5), (-0.3, 1.0), (1.0, -1.0)])
def test_hollow_spheres_take_only_smaller_ones(ra, rb):
    here = one(measure_sphere_sphere, [[0.1, 0, 0]], ra, [[0, 0, 0]], rb)
    assert here.rejected[0]
    assert here.fraction[0] == 0.0
    assert here.effective_radius[0] == 0.0


def test_the_same_centre_gives_a_unit_normal():
    here = one(measure_sphere_sphere, [[0.1, 0, 0]], 1.0, [[0.1, 0, 0]], 2.0)
    assert here.overlap[0] == 3.0
    assert_allclose(np.linalg.norm(here.normal), 1.0)


def cylinder(a, ra, b, rb):
    """A closed cylinder: hull and two disks."""
    parts = [
        on_arrays(measure_cylinder_sphere)(a, ra, b, rb),
        on_arrays(measure_disk_sphere)(a, ra, b, rb),
        on_arrays(measure_disk_sphere)(a[:, ::-1], ra, b, rb),
    ]
    return Measured(
        *(np.stack(each, axis=1).reshape(-1, *each[0].shape[1:]) for each in zip(*parts, strict=True))
    )


def around_a_cylinder(radius):
    """Spheres that pass along and over a solid cylinder, their centres outside."""
    rng = np.random.default_rng(9)
    a = np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]] * C)
    b, ways = np.zeros((C, 1, 3)), rng.uniform(-3.0, 3.0, (C, 3))
    half = C // 2
    b[:half, 0, 0], ways[:half, 0] = rng.uniform(1.02, 1.4, half) * radius, 0.0
    b[:half, 0, 2] = 0.3
    b[half:, 0, 2], ways[half:, 2] = rng.uniform(1.02, 1.4, half), 0.0
    return (a, np.full(C, radius), b, np.full(C, 0.5)), {"ways": ways, "turns": np.zeros((C, 3))}


def test_a_sphere_passes_from_hull_to_rim_to_disk_without_a_jump():
    arrays, motion = around_a_cylinder(0.8)
    check_geometry(cylinder, *arrays, **motion, vertices="B")


def test_the_hull():
    arrays, motion = around_a_cylinder(0.8)
    check_geometry(on_arrays(measure_cylinder_sphere), *arrays, **motion, continuous="")


def test_the_hull_alone_ends_with_a_jump():
    arrays, motion = around_a_cylinder(0.8)
    with pytest.raises(AssertionError, match="continuity"):
        check_geometry(on_arrays(measure_cylinder_sphere), *arrays, **motion)


def test_a_sphere_in_a_hollow_cylinder():
    rng = np.random.default_rng(10)
    a = np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]] * C)
    b = np.zeros((C, 1, 3))
    b[:, 0, 2] = rng.uniform(0.2, 0.8, C)
    b[:, 0, :2] = 0.52 * rng.uniform(-1.0, 1.0, (C, 2))
    ways = rng.uniform(-1.0, 1.0, (C, 3)) * [0.3, 0.3, 0.3]
    arrays = a, np.full(C, -1.0), b, np.full(C, 0.3)
    motion = {"ways": ways, "turns": np.zeros((C, 3))}
    check_geometry(cylinder, *arrays, **motion, vertices="B")
    check_geometry(on_arrays(measure_cylinder_sphere), *arrays, **motion)


def test_a_sphere_in_the_corner_of_a_hollow_cylinder_has_two_contacts():
    a = np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
    here = cylinder(a, np.array([-1.0]), np.array([[[0.75, 0.0, 0.2]]]), np.array([0.3]))
    assert_allclose(here.overlap[:2], [0.05, 0.1], rtol=1e-12)
    assert_allclose(here.normal[:2], [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]], atol=1e-15)


@given(seeds)
def test_a_solid_cylinder_is_as_far_as_its_nearest_point(seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2.0, 2.0, 3)
    radial, z = np.hypot(x[0], x[1]), x[2]
    outside = np.array([max(radial - 0.7, 0.0), max(-z, z - 1.0, 0.0)])
    a = np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
    here = cylinder(a, np.array([0.7]), x[None, None], np.array([0.1]))
    valid = here.overlap[~here.rejected]
    if outside.any():
        assert_allclose(0.1 - valid, np.linalg.norm(outside), rtol=1e-12)
        assert len(valid) == 1


@pytest.mark.parametrize(("a", "b"), [(np.zeros((2, 1, 3)), np.zeros((1, 1, 3)))])
def test_sides_have_as_many_primitives(a, b):
    with pytest.raises(ValueError, match="B = '1 primitives': must be as many as A, 2"):
        measured(measure_sphere_sphere, primitives(a), primitives(b))


@pytest.mark.parametrize(
    ("corners", "radius", "name"),
    [
        (np.zeros((2, 3)), 1.0, "corners"),
        (np.zeros((2, 1, 2)), 1.0, "corners"),
        (np.full((2, 1, 3), np.nan), 1.0, "corners"),
        (np.zeros((2, 1, 3)), [1.0, 2.0, 3.0], "radius"),
        (np.zeros((2, 1, 3)), np.inf, "radius"),
    ],
)
def test_primitives_of_other_shapes_are_refused(corners, radius, name):
    with pytest.raises(ValueError, match=f"^{name} = "):
        primitives(corners, radius)
