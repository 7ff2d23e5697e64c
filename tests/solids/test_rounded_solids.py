"""Polytopes with a radius: moments, contacts, tipping, files, refusals."""

import numpy as np
import pytest
from round_scenes import G
from scipy.spatial.transform import Rotation
from solid_scenes import BOX, PRESSURE, quaternion, run, same
from test_solid_bodies import turned_mesh

import nsgalpha as ns
from elements import CompliantContact, Contact, SolidPlane, SphereSolid
from nsgalpha.case import CaseError, parse_case
from nsgalpha.model.mass_properties import (
    box_properties,
    capsule_properties,
    mesh_properties,
    sphere_properties,
)
from tests.kernel_calls import measured_candidates

SIZE, RADIUS = np.array([0.3, 0.2, 0.1]), 0.04
TURN = Rotation.from_rotvec((0.4, -1.1, 0.7))
UP = (0, 0, 1)


def ball_moments(r):
    """Moments 1, x^2 of a ball, a disk and a segment of the radius `r` about their centre."""
    return (4 / 3 * np.pi * r**3, 4 / 15 * np.pi * r**5), (np.pi * r**2, np.pi * r**4 / 4)


def rounded_box(size, r):
    """Volume and second moments (3,) of a rounded box: slabs, rods and balls."""
    (ball, ball_square), (disk, disk_square) = ball_moments(r)
    offset = 4 * r / (3 * np.pi)  # of the centre of a quarter disk from its corner, 3/8 r of an eighth ball
    volume = size.prod() + 2 * r * (size.prod() / size).sum() + disk * size.sum() + ball
    second = np.empty(3)
    for k in range(3):
        a, (b, c) = size[k], np.delete(size, k)
        second[k] = (a + 2 * r) ** 3 / 12 * b * c  # core, and slabs along
        second[k] += a**3 / 12 * (2 * r * (b + c) + disk)  # slabs across, and the rods along
        quarter = disk_square + disk * (a * offset + a * a / 4)
        second[k] += (b + c) * quarter + ball_square + ball * (a * a / 4 + a * 0.375 * r)
    return volume, second


@pytest.mark.parametrize("radius", [1e-4, RADIUS, 5.0])
def test_moments_of_a_box_are_those_of_its_slabs_rods_and_balls(radius):
    volume, second = rounded_box(SIZE, radius)
    found = box_properties(SIZE, radius)
    assert found.volume == pytest.approx(volume, rel=1e-14)
    assert np.array_equal(found.inertia, np.diag(found.inertia.diagonal()))
    assert found.inertia.diagonal() == pytest.approx(second.sum() - second, rel=1e-13)
    points = TURN.apply(found.vertices) + np.array((1, -2, 3))
    turned = mesh_properties(points, 1.0, True, radius=radius)
    assert turned.centre == pytest.approx((1, -2, 3), abs=1e-13)
    expected = TURN.as_matrix() @ found.inertia @ TURN.as_matrix().T
    assert turned.inertia == pytest.approx(expected, abs=1e-11 * expected.max())


def test_flat_boxes_are_capsules_and_balls():
    thin = 1e-8
    for size, other in (
        ((thin, thin, 0.5), capsule_properties(RADIUS, 0.5)),
        ((thin, thin, thin), sphere_properties(RADIUS)),
    ):
        found = box_properties(size, RADIUS)
        assert found.volume == pytest.approx(other.volume, rel=1e-6)
        assert found.inertia == pytest.approx(other.inertia, rel=1e-6, abs=1e-14)


def test_a_thin_double_pyramid_is_a_plate():
    """Normals at its knife edges are opposite, but for 1e-6."""
    points = np.array([(1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0), (0, 0, 1e-6), (0, 0, -1e-6)])
    found = mesh_properties(TURN.apply(points), 1.0, True, radius=0.3)
    volume, second = rounded_box(np.array([2.0, 2.0, 1e-12]), 0.3)
    inertia = TURN.as_matrix() @ np.diag(second.sum() - second) @ TURN.as_matrix().T
    assert found.volume == pytest.approx(volume, rel=1e-6)
    assert found.inertia == pytest.approx(inertia, abs=1e-6 * inertia.max())


def moments(found):
    """Moments 1, x, x x^T of a solid about the origin of its source."""
    second = 0.5 * np.trace(found.inertia) * np.eye(3) - found.inertia
    second += found.volume * np.outer(found.centre, found.centre)
    return np.hstack([found.volume, found.volume * found.centre, second.ravel()])


def cut(points, n, offset):
    """Corners of the hull of `points`, behind the plane `n . x = offset`."""
    height = points @ n - offset
    ways = [
        p + (q - p) * a / (a - b)
        for p, a in zip(points, height, strict=True)
        for q, b in zip(points, height, strict=True)
        if a < 0 < b
    ]
    return np.vstack([points[height <= 0], ways])


def test_moments_of_two_solids_are_those_of_their_union_and_intersection():
    """Minkowski sums add, as the solids overlap by a slab; angles are general."""
    points = np.random.default_rng(0).normal(size=(9, 3))
    n = np.array([2, -1, 2]) / 3
    one, other = cut(points, n, 0.3), cut(points, -n, 0.1)
    slab = cut(one, -n, 0.1)
    whole, a, b, both = (
        moments(mesh_properties(each, 1.0, True, radius=0.7)) for each in (points, one, other, slab)
    )
    assert both[0] > 1.0
    assert a + b == pytest.approx(whole + both, rel=1e-11, abs=1e-11)


def test_moments_are_those_of_a_fine_hull():
    """The hull of balls of points is smaller by the square of their distance."""
    trimesh = pytest.importorskip("trimesh")
    points = np.random.default_rng(0).normal(size=(8, 3))
    found = moments(mesh_properties(points, 1.0, True, radius=0.7))
    coarse, fine = (
        moments(mesh_properties((points[:, None] + ball.vertices).reshape(-1, 3), 1.0, True))
        for ball in (trimesh.creation.icosphere(subdivisions=level, radius=0.7) for level in (3, 4))
    )
    assert 3.0 < (coarse - found)[0] / (fine - found)[0] < 5.0
    assert np.abs((4.0 * fine - coarse) / 3.0 - found).max() < 2e-4 * found[0]


def test_a_mass_scales_the_inertia_and_the_centre_is_that_of_the_rounded_solid():
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 2)]
    model = ns.Model()
    one = model.add_solid(points, hull=True, radius=0.5, density=3.0, position=(0, 0, 0))
    two = model.add_solid(points, hull=True, radius=0.5, mass=2.0, position=(0, 0, 0))
    assert two.inertia / 2.0 == pytest.approx(one.inertia / one.mass, rel=1e-14)
    sharp, part = (ns.parts.solid(points, hull=True, radius=r) for r in (0.0, 0.5))
    assert np.abs(part.position - sharp.position).max() > 1e-3
    corners = part.bulk.vertices + part.position
    assert corners == pytest.approx(sharp.bulk.vertices + sharp.position, abs=1e-15)
    compound = model.add_compound([part], density=3.0, origin=(0, 0, 0))
    assert compound.position == pytest.approx(part.position, abs=1e-15)
    assert compound.inertia == pytest.approx(one.inertia, rel=1e-12, abs=1e-14)
    assert {face.radius for face in model.primitives} == {0.5}


def tumbling(by_hand):
    """Two rounded boxes that fall on each other and on a plane."""
    model, properties = ns.Model(gravity=(0, 0, -G)), box_properties(SIZE, RADIUS)
    floor = model.add_plane(normal=UP)
    boxes = []
    for k in range(2):
        place = {"position": (0.05 * k, 0.03 * k, 0.3 + 0.4 * k), "rotation": quaternion(TURN)}
        if by_hand:
            mass = 500.0 * properties.volume
            inertia = mass / properties.volume * properties.inertia
            box = model.add_body(mass=mass, inertia=inertia, name=f"box {k}", **place)
            model.add_mesh(properties.vertices, properties.faces, carrier=box, radius=RADIUS)
        else:
            box = model.add_box(SIZE, density=500.0, radius=RADIUS, **place)
        boxes.append(box)
    model.add(Contact(among=[floor, *boxes], mu=0.4, e_n=0.3))
    return model


def test_runs_are_those_of_a_mesh_with_a_radius_and_a_file_keeps_them(tmp_path):
    path = tmp_path / "run.h5"
    one, two = (run(tumbling(by_hand), 0.4, 2e-3) for by_hand in (False, True))
    same(one, two)
    assert one.stats.penetration.max() < 1e-9
    one.save(path)
    loaded = ns.load(path)
    assert np.array_equal(loaded.position[:], one.position[:])
    assert [each.radius for each in loaded.model.primitives] == [RADIUS] * 12


@pytest.mark.parametrize(("tilt", "falls"), [(-0.3, False), (0.3, True)])
def test_a_box_rests_on_its_radius_and_tips_over_the_edge_of_its_core(tilt, falls):
    """Its centre is higher by the radius, and its flat face not wider."""
    slope = np.arctan2(0.05, 0.1 + RADIUS) + np.radians(tilt)
    model = ns.Model(gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    box = model.add_box((0.1, 0.1, 0.2), mass=1.0, radius=RADIUS, position=(0, 0, 0.1 + RADIUS))
    model.add(SolidPlane(box, model.add_plane(normal=UP), mu=2.0))
    result = run(model, 0.5, 5e-3)
    turned = np.abs(result.rotation[-1, box, 2])
    assert turned > 0.01 if falls else turned < 1e-12
    if not falls:
        assert result.position[-1, box] == pytest.approx([0, 0, 0.1 + RADIUS], abs=1e-12)


def test_gaps_to_balls_are_smaller_by_the_radius():
    rng = np.random.default_rng(1)
    for _ in range(20):
        place, turn = rng.normal(size=3), quaternion(Rotation.random(random_state=rng))
        gaps = []
        for radius in (0.0, RADIUS):
            model = ns.Model()
            box = model.add_box(SIZE, mass=1.0, radius=radius, position=(0, 0, 0), rotation=turn)
            ball = model.add_sphere(radius=0.05, mass=1.0, position=place / np.linalg.norm(place))
            model.add(SphereSolid(ball, box))
            gaps.append(measured_candidates(model)[2].gap)
        assert gaps[0] - gaps[1] == pytest.approx([RADIUS], abs=1e-14)


CASE = """
[[bodies]]
{head}
size = [0.3, 0.2, 0.1]
density = 1000
radius = {radius}
[run]
t_end = 1.0
h = 1e-3
"""


def test_boxes_of_case_files_have_a_radius():
    grid = 'type = "grid"\ncount = [2, 1, 1]\nspacing = 1.0'
    for head in ('type = "box"\nposition = [0, 0, 1]', grid):
        model = parse_case(CASE.format(head=head, radius=RADIUS)).model
        assert {face.radius for face in model.primitives} == {RADIUS}
        assert model.bodies[0].mass == 1000.0 * box_properties(SIZE, RADIUS).volume
    with pytest.raises(CaseError, match=r"bodies\[0\]\.radius: -1\.0: must be in \[0, 1e\+12\]"):
        parse_case(CASE.format(head='type = "box"\nposition = [0, 0, 1]', radius=-1.0))
    column = 'type = "column"\ncount = 2\nfoot = [0, 0, 0]'
    with pytest.raises(CaseError, match="size: the radius of this layout is that of balls"):
        parse_case(CASE.format(head=column, radius=RADIUS))


@pytest.mark.parametrize("radius", [-1e-3, float("nan"), float("inf"), 1e300, "round", True])
def test_a_radius_out_of_range_is_refused(radius):
    place = {"mass": 1.0, "position": (0, 0, 0)}
    for add in (
        lambda: ns.Model().add_box(SIZE, radius=radius, **place),
        lambda: ns.Model().add_solid(BOX, hull=True, radius=radius, **place),
        lambda: ns.parts.box(SIZE, radius=radius),
        lambda: ns.parts.solid(BOX, hull=True, radius=radius),
    ):
        with pytest.raises(ValueError, match="radius = "):
            add()


def test_concave_solids_and_soft_contact_refuse_a_radius():
    mesh, place = turned_mesh(), {"mass": 1.0, "position": (0, 0, 0)}
    model, source = ns.Model(), (mesh.vertices, mesh.faces)
    with pytest.raises(ValueError, match=r"radius = 0\.1: must be 0 for a solid that is not convex"):
        model.add_solid(source, radius=0.1, **place)
    with pytest.raises(ValueError, match="radius and concavity: give one of them; only convex solids"):
        model.add_solid(source, radius=0.1, concavity=0.1, **place)
    assert not model.bodies
    box = model.add_box(SIZE, radius=0.1, **place)
    with pytest.raises(ValueError, match="must be a solid without a radius; soft contact knows sharp solids"):
        CompliantContact(among=[box, model.add_plane(normal=UP)], **PRESSURE)
