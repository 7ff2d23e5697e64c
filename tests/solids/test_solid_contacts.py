"""Contacts of solids against closed forms: volumes, depths, distances, and the same in any frame."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection
from scipy.spatial.transform import Rotation
from solid_scenes import PRESSURE, SPRING, contacts, grid, on_plane, pair, quaternion, random_turn

import elements as e
import nsgalpha as ns
from nsgalpha.model.mass_properties import mesh_properties

DEPTH = 1e-3


def box(size, position, turn=None, **given):
    rotation = (1, 0, 0, 0) if turn is None else quaternion(turn)
    return lambda model: model.add_box(size, mass=1.0, position=position, rotation=rotation, **given)


@pytest.mark.parametrize(("laws", "force"), [(SPRING, 1e5 * DEPTH), (PRESSURE, 1e6 * 0.02 * DEPTH)])
def test_a_flat_box_feels_a_spring_or_a_bed_of_springs(laws, force):
    found = on_plane(box((0.2, 0.1, 0.06), (1, 2, 0.03 - DEPTH)), laws)
    assert found == pytest.approx([0, 0, force, 0, 0, 0], rel=1e-10, abs=1e-10)


def test_a_tilted_box_has_the_force_and_moment_of_the_springs_beneath_it():
    angle, size = 2e-3, np.array((0.2, 0.1, 0.06))
    turn = Rotation.from_rotvec((0.3 * angle, angle, 0.0))
    position = np.array((0.0, 0.0, 0.03 - DEPTH))
    found = on_plane(box(size, position, turn), PRESSURE)
    points, area = grid((-0.5, -0.5), (0.5, 0.5))
    x = turn.apply(np.column_stack([points * size[:2], np.full(len(points), -0.03)])) + position
    assert x[:, 2].max() < 0.0  # the whole bottom face is behind the plane
    force = -1e6 * x[:, 2] * turn.apply((0, 0, 1.0))[2] * area * size[0] * size[1]
    moment = np.cross(x - position, np.array((0, 0, 1.0)))
    assert found[2] == pytest.approx(force.sum(), rel=1e-4)
    assert found[3:5] == pytest.approx((force[:, None] * moment).sum(axis=0)[:2], rel=2e-3)


@pytest.mark.parametrize("turn", [0.0, 0.3, 0.5 * np.pi])
def test_crossed_planks_share_the_area_in_which_they_lie_on_each_other(turn):
    one = box((1.0, 0.1, 0.02), (0, 0, 0.01))
    two = box((1.0, 0.1, 0.02), (0.05, 0.01, 0.03 - DEPTH), Rotation.from_rotvec((0, 0, turn)))
    on_low, on_high = pair(one, two, PRESSURE)
    area = {0.0: 0.95 * 0.09, 0.5 * np.pi: 0.01}.get(turn, 0.01 / np.sin(turn or 1.0))
    assert on_high[2] == pytest.approx(1e6 * area * DEPTH, rel=1e-4)
    assert on_low[:3] == pytest.approx(-on_high[:3], abs=1e-9)
    assert np.abs(on_high[:2]).max() < 1.01 * DEPTH / 0.09 * on_high[2]  # of sides within the other plank


def random_polytopes(seed):
    """Two hulls of random points that overlap a little."""
    rng = np.random.default_rng(seed)
    points = [rng.normal(size=(20, 3)) for _ in range(2)]
    points = [x / np.linalg.norm(x, axis=1)[:, None] * (1.0, 0.8, 0.6) for x in points]
    away = rng.normal(size=3)
    away /= np.linalg.norm(away)
    for step in np.arange(2.0, 0.0, -0.02):
        moved = [points[0], points[1] + step * away]
        if common_volume(moved) > 1e-3:
            return moved
    raise AssertionError


def common_volume(points):
    planes = np.concatenate([ConvexHull(x).equations for x in points])
    norm = np.linalg.norm(planes[:, :3], axis=1)[:, None]
    found = linprog([0, 0, 0, -1], np.hstack([planes[:, :3], norm]), -planes[:, 3], bounds=[(None, None)] * 4)
    if found.x[3] <= 1e-9:
        return 0.0
    return ConvexHull(HalfspaceIntersection(planes, found.x[:3]).intersections).volume


@pytest.mark.parametrize("seed", range(6))
def test_the_force_of_polytopes_is_that_of_their_common_volume(seed):
    points = random_polytopes(seed)
    model = ns.Model()
    for x in points:
        source = (x, ConvexHull(x).simplices)
        centre = mesh_properties(source, 1.0, True).centre
        model.add_solid(source, hull=True, mass=1.0, position=centre)
    model.add(e.CompliantSolids(among=model.bodies, **PRESSURE))
    found = contacts(model).resultant()
    volume = common_volume(points)
    assert np.linalg.norm(found[0, :3]) == pytest.approx(1e6 * volume, rel=1e-9)
    assert found[0, :3] == pytest.approx(-found[1, :3], rel=1e-12)
    moments = found[:, 3:] + np.cross([body.position for body in model.bodies], found[:, :3])
    assert moments.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9 * np.abs(found).max())


def test_meshes_of_a_sphere_come_to_the_force_of_the_sphere():
    depth, laws, errors = 0.05, {"normal": e.LinearPressure(stiffness=1e6)}, []
    model = ns.Model()
    ball = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 1 - depth))
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **laws))
    # pi R d^2 of the sphere is the volume of the cap, pi d^2 (R - d/3), to first order
    sphere = contacts(model).resultant()[0, 2] * (1.0 - depth / 3.0)
    for level in (2, 3, 4):
        given = {"source": e.icosphere(level), "mass": 1.0, "position": (0, 0, 1 - depth)}
        ours = on_plane(lambda model, given=given: model.add_solid(**given), laws)
        errors.append(abs(ours[2] / sphere - 1.0))
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2]
    assert errors[2] < 0.03


def test_a_ball_on_a_box_has_the_distance_of_face_edge_and_corner():
    for position, gap in (
        ((0.1, 0.0, 0.5 + 0.1 - DEPTH), DEPTH),
        (0.5 * np.array((1, 0, 1)) + (0.1 - DEPTH) * np.array((0.6, 0, 0.8)), DEPTH),
        (0.5 * np.ones(3) + (0.1 - DEPTH) * np.array((2, 1, 2)) / 3.0, DEPTH),
    ):
        for order in (1, -1):
            model = ns.Model()
            ball = model.add_sphere(radius=0.1, mass=1.0, position=position)
            block = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0))
            model.add(e.CompliantSolids(between=([ball], [block])[::order], **SPRING))
            found = contacts(model)
            assert found.gap == pytest.approx([-gap], rel=1e-9)
            assert np.linalg.norm(found.force[0]) == pytest.approx(1e5 * gap, rel=1e-9)


@pytest.mark.parametrize("other", ["box", "cylinder", "plane"])
def test_a_capsule_lies_on_two_points_and_stands_on_one(other):
    def model(turn, height):
        made = ns.Model()
        rod = made.add_capsule(0.1, 0.6, mass=1.0, position=(0, 0, height - DEPTH), rotation=quaternion(turn))
        if other == "plane":
            made.add(e.CompliantSolidPlane(rod, made.add_plane(normal=(0, 0, 1)), **SPRING))
        else:
            size = {"position": (0, 0, -0.5), "mass": 1.0}
            base = made.add_box((2, 2, 1), **size) if other == "box" else made.add_cylinder(1.0, 1.0, **size)
            made.add(e.CompliantSolids(among=[rod, base], **SPRING))
        return contacts(made)

    lying = model(Rotation.from_rotvec((0, 0.5 * np.pi, 0)), 0.1)
    assert np.abs(lying.point[:, 0]) == pytest.approx([0.3 / np.sqrt(3.0)] * 2, rel=1e-9)
    assert lying.force[:, 2].sum() == pytest.approx(1e5 * DEPTH, rel=1e-9)
    standing = model(Rotation.identity(), 0.4)
    assert np.abs(standing.point[:, :2]).max() < 1e-12
    assert standing.force[:, 2].sum() == pytest.approx(1e5 * DEPTH * 0.5, rel=1e-3)  # the mean overlap


def test_a_cylinder_is_round_however_it_has_turned():
    for axis, height in ((np.pi / 2, 0.1), (0.0, 0.25)):
        found = []
        for spin in (0.0, 0.017, 0.9):
            turn = Rotation.from_rotvec((0, axis, 0)) * Rotation.from_rotvec((0, 0, spin))
            add = lambda m, t=turn, z=height: m.add_cylinder(  # noqa: E731
                0.1, 0.5, mass=1.0, position=(0, 0, z - DEPTH), rotation=quaternion(t)
            )
            found.append(on_plane(add, SPRING))
        assert np.ptp(found, axis=0).max() < 1e-6 * found[0][2]
    assert found[0][2] == pytest.approx(1e5 * DEPTH, rel=1e-9)  # on its end


def test_a_lying_cylinder_has_the_volume_of_a_segment_of_a_circle():
    r, length = 0.1, 0.5
    add = lambda m: m.add_cylinder(  # noqa: E731
        r,
        length,
        mass=1.0,
        position=(0, 0, r - DEPTH),
        rotation=quaternion(Rotation.from_rotvec((0, np.pi / 2, 0))),
    )
    half = np.arccos(1.0 - DEPTH / r)
    segment = r * r * (half - np.sin(half) * np.cos(half))
    assert on_plane(add, PRESSURE)[2] == pytest.approx(1e6 * segment * length, rel=0.06)


@pytest.mark.parametrize(
    "kinds", [("box", "box"), ("box", "cylinder"), ("cylinder", "cylinder"), ("capsule", "box")]
)
def test_forces_turn_with_the_scene(kinds):
    rng = np.random.default_rng(7)
    turn, shift = Rotation.random(None, rng), rng.normal(size=3)
    own = [Rotation.from_rotvec(0.1 * rng.normal(size=3)) for _ in kinds]
    places = [
        np.zeros(3),
        np.array((0.02, 0.03, {"cylinder": 0.197, "box": 0.197, "capsule": 0.3}[kinds[0]])),
    ]

    def scene(turn, shift):
        model = ns.Model()
        for kind, x, q in zip(kinds[::-1], places, own, strict=True):
            given = {"mass": 1.0, "position": turn.apply(x) + shift, "rotation": quaternion(turn * q)}
            if kind == "box":
                model.add_box((0.3, 0.3, 0.2), **given)
            elif kind == "cylinder":
                model.add_cylinder(0.15, 0.2, **given)
            else:
                model.add_capsule(0.1, 0.3, **given)
        laws = PRESSURE | {"tangential": e.RegularisedCoulomb(mu=0.3, velocity_zone=0.01)}
        model.add(e.CompliantSolids(among=model.bodies, **laws))
        return contacts(model).resultant()

    before, after = scene(Rotation.identity(), 0.0), scene(turn, shift)
    assert np.abs(before).max() > 1.0
    turned = np.hstack([turn.apply(before[:, :3]), turn.apply(before[:, 3:])])
    assert after == pytest.approx(turned, abs=1e-7 * np.abs(before).max())


def test_solids_of_space_and_of_prescribed_planes_are_walls():
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.6 - DEPTH))
    faces = [(0, 1, 2, 3), (7, 6, 5, 4), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)]
    corners = [(x, y, z) for z in (0.5, -0.5) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    tray = model.add_plane(normal=(0, 0, 1), motion=ns.ConstantVelocity(velocity=(1, 0, 0)))
    fixed = model.add_mesh(corners, faces)
    moving = model.add_mesh(np.array(corners), faces, carrier=tray)
    law = e.SpringDashpot(stiffness=1e5)
    model.add(e.CompliantSolids(between=([ball], fixed), normal=law))
    model.add(e.CompliantSolids(between=([ball], moving), normal=law))
    found = contacts(model)
    assert found.gap == pytest.approx([-DEPTH] * 2)
    assert found.velocity[1, 0] == pytest.approx(-1.0)


def test_laws_that_need_a_radius_are_refused():
    model = ns.Model()
    one, two = (model.add_box((1, 1, 1), mass=1.0, position=(0, 0, z)) for z in (0, 2))
    with pytest.raises(ValueError, match="normal = 'Hertz'"):
        e.CompliantSolids(among=[one, two], normal=e.Hertz(modulus=1e6))
    with pytest.raises(ValueError, match="reach"):
        e.CompliantSolids(among=[one, two], normal=e.SpringDashpot(stiffness=1.0), reach=0.1)
    rods = [model.add_capsule(0.1, 0.3, mass=1.0, position=(x, 0, 0)) for x in (5, 6)]
    e.CompliantSolids(among=rods, normal=e.Hertz(modulus=1e6))


CUBE = (0.1, 0.1, 0.1)
LYING = Rotation.from_rotvec((0.5 * np.pi, 0, 0))
ON_EDGE = Rotation.from_rotvec((0.25 * np.pi, 0, 0))
SCENES = {  # sizes, place and turn of the second solid; the first is at the origin
    "equal boxes": (CUBE, CUBE, (0, 0, 0.099), Rotation.identity()),
    "edge on face": (CUBE, CUBE, (0.01, 0, 0.05 + 0.05 * np.sqrt(2) - 1e-3), ON_EDGE),
    "over the rim": ((0.5, 0.5, 0.05), CUBE, (0.25, 0, 0.074), Rotation.identity()),
    "corner": (CUBE, CUBE, (0.099, 0.099, 0.099), Rotation.identity()),
    "half within": (CUBE, (0.02, 0.02, 0.02), (0.01, 0.005, 0.05), Rotation.identity()),
    "very unequal": ((1e3, 1e3, 1.0), (1e-2, 1e-2, 1e-2), (0.3, 0.2, 0.505 - 1e-4), Rotation.identity()),
    "roller": (CUBE, (0.03, 0.1), (0.01, 0, 0.079), LYING),
    "can": (CUBE, (0.03, 0.1), (0.01, 0, 0.099), Rotation.identity()),
}


def felt(scene, turn, order=(0, 1)):
    """Resultants (2, 6) and energy of a scene that is turned and moved, in its own axes."""
    first, second, place, own = SCENES[scene]
    parts = ((0.0, 0.0, 0.0), Rotation.identity(), first), (place, own, second)
    model, away = ns.Model(), np.array((3.0, -2.0, 1.0))
    for k in order:
        x, r, size = parts[k]
        given = {"mass": 1.0, "position": turn.apply(x) + away, "rotation": quaternion(turn * r)}
        model.add_box(size, **given) if len(size) == 3 else model.add_cylinder(*size, **given)
    model.add(e.CompliantSolids(among=model.bodies, **PRESSURE))
    found = contacts(model)
    resultant = found.resultant()[list(order)].reshape(4, 3)
    return turn.inv().apply(resultant), found.energy.sum()


@pytest.mark.parametrize("scene", SCENES)
def test_turned_scenes_have_turned_forces_and_the_order_of_bodies_has_no_say(scene):
    force, energy = felt(scene, Rotation.identity())
    assert np.linalg.norm(force) > 0.0
    for turn in (Rotation.from_rotvec((0.3, -0.8, 0.5)), Rotation.from_rotvec((2.0, 1.0, 0.1))):
        for order in ((0, 1), (1, 0)):
            again, stored = felt(scene, turn, order)
            assert again == pytest.approx(force, abs=1e-8 * np.abs(force).max())
            assert stored == pytest.approx(energy, rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [(0.1, 0.1, 0.1), (0.02, 0.03, 0.01), (0.02, 0.01, 0.5)])
def test_solids_that_are_within_each_other_or_pierced_have_no_force(size, seed):
    turn = random_turn(np.random.default_rng(seed))
    place = (0.0, 0.0, 0.0) if size[0] == 0.1 else turn.apply((0.01, 0.005, 0.002))
    around = Rotation.from_rotvec(0.5 * np.pi * turn.apply((0, 0, 1.0))) * turn
    assert not pair(box(CUBE, (0, 0, 0), turn), box(size, place, around), PRESSURE).any()
    assert not on_plane(box(size, (0, 0, -1.0), turn), PRESSURE).any()


def contact_points(turn, shift, swapped=False):
    """Contact points of a leaning box with plane and slab, in the scene's frame."""
    model = ns.Model()
    lean = turn * Rotation.from_rotvec((0.2, 0.0, 0.3))
    add = [
        lambda: model.add_box((0.2, 0.1, 0.06), mass=1.0, position=shift, rotation=quaternion(lean)),
        lambda: model.add_box(
            (0.3, 0.3, 0.04),
            position=shift + turn.apply((0, 0, -0.055)),
            rotation=quaternion(turn * Rotation.from_rotvec((0, 0, 0.4))),
            fixed=True,
        ),
    ]
    box, slab = (add[k]() for k in (1, 0)) if swapped else (add[k]() for k in (0, 1))
    if swapped:
        box, slab = slab, box
    n = turn.apply((0, 0.1, 1.0)) / np.sqrt(1.01)
    model.add(e.CompliantSolidPlane(box, model.add_plane(normal=n, offset=float(n @ shift) - 0.03), **SPRING))
    model.add(e.CompliantSolids(among=[slab, box] if swapped else [box, slab], **SPRING))
    points = turn.inv().apply(contacts(model).point - shift)
    return points[np.lexsort(points.round(9).T)]


def test_contacts_of_a_bed_turn_with_the_scene_and_do_not_ask_for_the_order_of_bodies():
    rng = np.random.default_rng(5)
    expected = contact_points(Rotation.identity(), np.zeros(3))
    assert len(expected) == 8
    for _ in range(3):
        found = contact_points(random_turn(rng), rng.normal(size=3))
        np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(
        contact_points(Rotation.identity(), np.zeros(3), swapped=True), expected, atol=1e-12
    )


def test_contacts_of_a_bed_go_continuously_while_a_box_tips_over():
    angles = np.linspace(0.0, 0.5 * np.pi, 801)
    model = ns.Model()
    quaternions = [
        quaternion(Rotation.from_rotvec((0.1, 0, 0)) * Rotation.from_rotvec((0, a, 0))) for a in angles
    ]
    plane = model.add_plane(normal=(0, 0, 1))
    boxes = [
        model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(k, 0, 0.04), rotation=q)
        for k, q in enumerate(quaternions)
    ]
    model.add(e.CompliantSolidPlane(boxes, plane, **SPRING))
    points = contacts(model).point.reshape(len(angles), 4, 3) - np.arange(len(angles))[:, None, None] * (
        1.0,
        0,
        0,
    )
    apart = np.linalg.norm(points[1:, :, None] - points[:-1, None], axis=3).min(axis=2).max(axis=1)
    assert apart.max() < 30 * np.median(apart)
