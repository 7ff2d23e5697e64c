"""Meshes of one side and two in set-valued contact: borders, folds, depth at the start."""

import numpy as np
import pytest
from heap_checks import HeapChecks, no_load
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CapsuleMesh, CompliantContact, Contact, SolidMesh, SphereMesh, SpringDashpot
from tests.solids.mesh_scenes import G, about, bumpy, quaternion, random_floor, roof, run

R, L = 0.1, 0.3
HULL = 0.12 * np.random.default_rng(0).normal(size=(14, 3))
SQUARE = ([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)])
#: A floor, z = 0 with x > 0, and a wall, x = 0 with z > 0. Their front is between them.
FOLD = ([(0, -1, 0), (1, -1, 0), (1, 1, 0), (0, 1, 0), (0, -1, 1), (0, 1, 1)], [(0, 1, 2, 3), (0, 3, 5, 4)])
FLIP = np.diag((1.0, 1.0, -1.0))
LYING = about((0, 1, 0), np.pi / 2)


def box(model, flip, **motion):
    return model.add_box((0.4, 0.3, 0.2), mass=1.0, **motion)


def hull(model, flip, **motion):
    return model.add_solid(HULL @ (FLIP if flip else np.eye(3)), hull=True, mass=1.0, **motion)


def capsule(model, flip, **motion):
    return model.add_capsule(R, L, mass=1.0, **motion)


def can(model, flip, **motion):
    return model.add_cylinder(R, L, mass=1.0, **motion)


def cone(model, flip, **motion):
    """Its mirror image has its tip below."""
    if flip:
        turn = Rotation.from_quat(np.roll(motion["rotation"], -1)) * Rotation.from_rotvec((np.pi, 0, 0))
        motion["rotation"] = quaternion(turn)
    return model.add_cone(R, L, mass=1.0, **motion)


def ball(model, flip, **motion):
    return model.add_sphere(radius=R, mass=1.0, **motion)


SHAPES = [box, hull, capsule, can, cone, ball]


def add_contact(model, bodies, ground, **law):
    """Contact of the `bodies` with the meshes of the `ground`, by the element of each."""
    for body in bodies:
        own = [each for each in model.primitives if each.carrier is body]
        if body.radius > 0.0:
            model.add(SphereMesh(body, ground, **law))
        elif len(own) == 1:
            model.add(CapsuleMesh(own, ground, **law))
        else:
            model.add(SolidMesh(body, ground, **law))


def on_ground(mesh, gravity=(0, 0, -G)):
    """A model and its fixed body with a mesh."""
    model = ns.Model(gravity=gravity)
    ground = model.add_body(fixed=True, position=(0, 0, 0), name="ground")
    model.add_mesh(*mesh, carrier=ground)
    return model, ground


def falling(mesh, sides=(False,), frame=None, *, height=0.5, load=False, **law):
    """All shapes above a mesh, or below it as mirror images with gravity upwards.

    sides: False above, True below. All is turned by the `frame`.
    """
    frame = (frame or Rotation.identity()).as_matrix()
    model, rng, bodies = ns.Model(), np.random.default_rng(0), []
    ground = model.add_body(fixed=True, position=(0, 0, 0), rotation=quaternion(Rotation.from_matrix(frame)))
    model.add_mesh(*mesh, carrier=ground)
    motions = [(Rotation.random(None, rng), 0.3 * rng.normal(size=3), rng.normal(size=3)) for _ in SHAPES]
    for flip in sides:
        mirror = FLIP if flip else np.eye(3)
        to = frame @ mirror
        for k, (add, (turn, velocity, spin)) in enumerate(zip(SHAPES, motions, strict=True)):
            motion = {"velocity": to @ velocity, "angular_velocity": np.linalg.det(to) * to @ spin}
            motion["rotation"] = quaternion(Rotation.from_matrix(to @ turn.as_matrix() @ mirror))
            place = to @ (0.6 * k - 1.5, 0.1 * k - 0.2, height)
            bodies.append(add(model, flip, position=place, gravity=to @ (0, 0, -G), **motion))
    add_contact(model, bodies, ground, mu=0.3, e_n=0.2, **law)
    if load:
        no_load(model)
    return model


# --- both sides ---------------------------------------------------------------------------------------------

SHEETS = {
    "flat": random_floor(60),
    "ridge": roof(0.12),
    "valley": roof(0.12, -1.0),
    "triangle": ([(-3, -1, 0), (3, -1, 0), (0, 4, 0)], [(0, 1, 2)]),
}


@pytest.mark.parametrize("name", SHEETS)
def test_bodies_on_both_sides_of_a_sheet(name):
    """In front they move as on one side to the bit, behind as mirror images.

    With all in one run, other iterations of the solver leave differences that grow.
    """
    vertices, triangles = SHEETS[name]
    one, front = (run(falling(SHEETS[name], two_sided=two), 0.8, 2e-3) for two in (False, True))
    both = run(falling(SHEETS[name], (False, True), two_sided=True), 0.8, 2e-3)
    mirrored = np.array(vertices) @ FLIP, triangles
    behind = run(falling(mirrored, (True,), two_sided=True), 0.8, 2e-3)
    n = len(SHAPES)
    assert np.array_equal(one.position, front.position)
    assert both.stats.contacts.max() > n
    assert both.stats.penetration.max() < 1e-10
    assert both.position[:, 1 : 1 + n] == pytest.approx(front.position[:, 1:], abs=2e-8)
    assert behind.position[:, 1:] @ FLIP == pytest.approx(front.position[:, 1:], abs=5e-10)


def on_both_sides(frame=None, *, load=False):
    return falling(bumpy(bumps=0.03), (False, True), frame, height=0.36, load=load, two_sided=True)


class TestBothSides(HeapChecks):
    scene, t_end, features, until = staticmethod(on_both_sides), 0.6, 10, 0.25


@pytest.mark.parametrize(("sign", "height"), [(1, 0.1), (-1, 0.2)])
@pytest.mark.parametrize("up", [1, -1])
def test_a_box_rests_on_a_ridge_and_in_a_valley_from_both_sides(sign, height, up):
    """The slope is 1/2: in the valley its lower edges are 0.1 above the bottom."""
    model, ground = on_ground(roof(0.5, sign * up), (0, 0, -G * up))
    crate = model.add_box((0.4, 0.3, 0.2), mass=1.0, position=(0, 0.1, up * height))
    model.add(SolidMesh(crate, ground, two_sided=True, mu=0.2))
    result = run(model, 1.0, 5e-3)
    assert result.position[:, crate] == pytest.approx(np.tile((0, 0.1, up * height), (201, 1)), abs=1e-10)
    assert result.rotation[-1, crate] == pytest.approx((1, 0, 0, 0), abs=1e-12)


@pytest.mark.parametrize("add", SHAPES)
def test_a_blunt_or_thin_body_is_not_held_from_both_sides(add):
    """A body that leaves a sheet is free at once."""
    model, ground = on_ground(SQUARE, (0, 0, 0))
    turn = quaternion(Rotation.from_rotvec((0.02, 0.03, 0)))
    body = add(model, False, position=(0.1, 0, 0.4), velocity=(0, 0, -2), rotation=turn)
    add_contact(model, [body], ground, two_sided=True, e_n=1.0)
    result = run(model, 0.6, 2e-3)
    up = result.velocity[:, body, 2]
    assert up[-1] > 0.1
    assert np.diff(up).min() > -1e-10


# --- borders and folds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("off", [0.05, -0.05, 0.08, 0.0])
def test_a_box_against_a_border_turns_over_it(off, two_sided):
    """The border strikes the middle of a face, off its centre: v' = v + J/m, w' = J d/I, v'_point = e v."""
    model, ground = on_ground(SQUARE, (0, 0, 0))
    crate = model.add_box((0.4, 0.3, 0.2), mass=1.0, position=(1.3, 0.1, off), velocity=(-1, 0, 0))
    model.add(SolidMesh(crate, ground, two_sided=two_sided, e_n=0.5))
    result = run(model, 0.2, 1e-3)
    impulse = 1.5 / (1.0 + off**2 / crate.inertia[1, 1])
    assert result.velocity[-1, crate] == pytest.approx((impulse - 1.0, 0, 0), abs=1e-9)
    spin = (0, -off * impulse / crate.inertia[1, 1], 0)
    assert result.angular_velocity[-1, crate] == pytest.approx(spin, abs=1e-9)


def test_a_ball_goes_around_the_border_and_is_held_by_the_other_side():
    """A spring draws it to a point of the sheet. It has an orbit around the border, and no energy from it."""
    model, ground = on_ground(SQUARE, (0, 0, 0))
    grain = model.add_sphere(radius=R, mass=1.0, position=(0.6, 0, R), velocity=(4, 0, 0))
    model.add(SphereMesh(grain, ground, two_sided=True))
    centre, k = np.array((0.8, 0, 0)), 20.0
    model.add_load(lambda t, state: np.array([(0, 0, 0), k * (centre - state.position[1])]))
    result = run(model, 1.2, 1e-3)
    x, v = result.position[:, grain], result.velocity[:, grain]
    energy = 0.5 * (v**2).sum(axis=1) + 0.5 * k * ((x - centre) ** 2).sum(axis=1)
    assert x[:, 0].max() > 1.0 + R
    assert x[-1, 2] < 0.0
    inside = x[:, 0] < 1.0
    assert (np.abs(x[inside, 2]) > R - 1e-9).all()
    assert result.stats.penetration.max() < 1e-10
    assert np.diff(energy).max() < 1e-4
    assert ((x[1:, 2] > 0.0) != (x[:-1, 2] > 0.0)).sum() == 1


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("add", [box, can, capsule])
@pytest.mark.parametrize(("place", "velocity"), [((-0.2, 0, 0.3), (0, 0, -1)), ((0.3, 0, -0.1), (-1, 0, 0))])
def test_a_body_slides_freely_past_a_fold_outside(add, place, velocity, two_sided):
    """Its face is in the plane of the wall or the floor, on the outside."""
    model, ground = on_ground(FOLD, (0, 0, 0))
    radius = 0.2 - 0.5 * L if add is capsule else R
    size = {box: (0.4, 0.3, 0.2), can: (0.1, 0.4), capsule: (radius, 0.4 - 2 * radius)}[add]
    kind = {box: model.add_box, can: model.add_cylinder, capsule: model.add_capsule}[add]
    sizes = (size,) if add is box else size
    half = radius if add is capsule else R
    place = np.where(np.array(place) == -0.1, -half, place)
    turn = (1, 0, 0, 0) if add is box else LYING
    body = kind(*sizes, mass=1.0, position=place, velocity=velocity, rotation=turn)
    add_contact(model, [body], ground, two_sided=two_sided)
    result = run(model, 1.0, 2e-3)
    assert result.velocity[:, body] == pytest.approx(np.tile(np.array(velocity, float), (501, 1)), abs=1e-12)


@pytest.mark.parametrize("add", [box, can, capsule])
def test_a_body_comes_to_rest_in_the_corner_within_a_fold(add):
    model, ground = on_ground(FOLD, (0, 0, 0))
    place, turn = (0.25, 0, 0.15), (1, 0, 0, 0) if add is box else LYING
    kind = {box: model.add_box, can: model.add_cylinder, capsule: model.add_capsule}[add]
    size = {box: ((0.4, 0.3, 0.2),), can: (0.1, 0.4), capsule: (0.1, 0.2)}[add]
    body = kind(*size, mass=1.0, position=place, velocity=(-1, 0, -1), rotation=turn)
    add_contact(model, [body], ground, two_sided=True)
    result = run(model, 0.5, 2e-3)
    assert result.position[-1, body] == pytest.approx((0.2, 0, 0.1), abs=1e-10)


# --- depth at the start, and ridges -------------------------------------------------------------------------

STANDING, CROSS = (1, 0, 0, 0), about((1, 0, 0), np.pi / 2)
OVERLAPS = [
    (capsule, "flat", (0.1, 0.03, 0.2), STANDING, 0.2 - 0.15),
    (capsule, "flat", (0.1, 0.03, 0.05), STANDING, 0.2),
    (capsule, "flat", (0.1, 0.03, 0.05), about((1, 0, 0), 0.6), 0.15 * np.cos(0.6) + 0.1 - 0.05),
    (can, "flat", (0.1, 0.03, 0.02), STANDING, 0.13),
    (cone, "flat", (0.1, 0.03, 0.05), STANDING, 0.075 - 0.05),
    (box, "flat", (0.1, 0.03, 0.05), about((0, 1, 0), np.pi / 2), 0.15),
    (ball, "flat", (0.1, 0.03, 0.01), STANDING, 0.09),
    (ball, "ridge", (0, 0.1, 0.03), STANDING, 0.07),
    (capsule, "ridge", (0, 0.1, 0.03), LYING, 0.07),
    (can, "ridge", (0, 0.1, 0.03), LYING, 0.07),
    (can, "ridge", (0, 0.1, 0.03), CROSS, 0.07),
    (box, "ridge", (0, 0.1, 0.03), STANDING, 0.07),
]


@pytest.mark.parametrize(("add", "name", "place", "turn", "depth"), OVERLAPS)
@pytest.mark.parametrize("two_sided", [False, True])
def test_a_start_with_the_middle_in_front_is_refused_with_its_depth(add, name, place, turn, depth, two_sided):
    model, ground = on_ground(SHEETS[name])
    body = add(model, False, position=place, rotation=turn)
    add_contact(model, [body], ground, two_sided=two_sided)
    words = f"{body.name!r} and 'ground' overlap by {depth:.3g} m at the start"
    with pytest.raises(ValueError, match=words):
        ns.simulate(model, t_end=0.1, h=1e-3)
    opened = ns.separate(model)
    assert opened.state.position[1, 2] > place[2] + 0.5 * depth
    result = ns.simulate(model, state=opened.state, t_end=0.1, h=1e-3)
    assert result.status, result.status
    assert result.stats.penetration.max() < 1e-9


@pytest.mark.parametrize("add", SHAPES)
def test_a_body_with_its_middle_behind_has_no_contact(add):
    model, ground = on_ground(SHEETS["flat"], (0, 0, -G))
    body = add(model, False, position=(0.1, 0, -0.08), rotation=STANDING)
    add_contact(model, [body], ground)
    result = run(model, 0.1, 1e-3)
    assert result.velocity[-1, body] == pytest.approx((0, 0, -0.1 * G), abs=1e-12)


@pytest.mark.parametrize("add", [ball, can, capsule])
def test_a_fast_body_is_held_by_a_ridge(add):
    """It moves by almost a radius in a step."""
    model, ground = on_ground(roof(0.5), (0, 0, 0))
    body = add(model, False, position=(0, 0.1, 0.4), velocity=(0, 0, -45), rotation=CROSS)
    add_contact(model, [body], ground)
    result = run(model, 0.1, 2e-3)
    assert result.position[:, body, 2].min() > R - 1e-9


# --- statements ---------------------------------------------------------------------------------------------


def test_contact_of_all_shapes_gives_the_sides_on():
    model, _ = on_ground(SQUARE)
    for add in SHAPES:
        add(model, False, position=(0, 0, 1))
    for two_sided in (False, True):
        contact = Contact(among=model.bodies, two_sided=two_sided)
        of_mesh = [each for each in contact.parts if isinstance(each, SolidMesh | CapsuleMesh)]
        assert {mesh.two_sided for each in of_mesh for mesh in each.meshes} == {two_sided}
        assert len(of_mesh) == 4
        assert all(each.stated.arguments.get("two_sided", False) is two_sided for each in of_mesh)


def test_sides_that_are_none_or_contradict_are_refused():
    model, ground = on_ground(SQUARE)
    crate, grain = box(model, False, position=(0, 0, 1)), ball(model, False, position=(0.5, 0, 1))
    for kind, body in ((SolidMesh, crate), (SphereMesh, grain), (Contact, [crate, ground])):
        with pytest.raises(ValueError, match="two_sided = 'yes': must be True or False"):
            kind(*([body, ground] if kind is not Contact else [body]), two_sided="yes")
    floor = model.add_plane(normal=(0, 0, 1))
    for kind, law in ((Contact, {}), (CompliantContact, {"normal": SpringDashpot(stiffness=1e4)})):
        with pytest.raises(ValueError, match="two_sided = True: must be False without polygons"):
            kind(among=[crate, grain, floor], two_sided=True, **law)
    model.add(SolidMesh(crate, ground, two_sided=True))
    model.add(SphereMesh(grain, ground))
    with pytest.raises(ValueError, match=r"two_sided = .*: must be the same in all elements .* 'ground'"):
        ns.simulate(model, t_end=0.1, h=1e-3)


@pytest.mark.parametrize("up", [1, -1])
@pytest.mark.parametrize("add", [ball, capsule])
def test_soft_contact_has_two_sides(add, up):
    """It sinks in by m g/k from either side; a capsule has two ends and the hull."""
    model, ground = on_ground(SHEETS["flat"], (0, 0, -G * up))
    body = add(model, False, position=(0.1, 0.03, up * R), rotation=LYING)
    spring = SpringDashpot(stiffness=1e5, damping=200.0)
    model.add(CompliantContact(among=[ground, body], normal=spring, two_sided=True))
    result = run(model, 0.5, 1e-3)
    sunk = R - up * result.position[-1, body, 2]
    if add is ball:
        assert sunk == pytest.approx(G / 1e5, abs=1e-9)
    assert 0.0 < sunk <= G / 1e5 + 1e-9


def test_a_free_sheet_between_two_boxes_keeps_momentum():
    """Struck from both sides at once it stays. Equal masses exchange their speeds."""
    for sides in ((1, -1), (1,)):
        model = ns.Model()
        sheet = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0))
        model.add_mesh(*SQUARE, carrier=sheet)
        crates = [box(model, False, position=(0, 0, 0.3 * s), velocity=(0, 0, -2 * s)) for s in sides]
        model.add(SolidMesh(crates, sheet, two_sided=True, e_n=1.0))
        result = run(model, 0.3, 1e-3)
        speed = [0.0, 2.0, -2.0] if len(sides) == 2 else [-2.0, 0.0]
        assert result.velocity[-1, :, 2] == pytest.approx(speed, abs=1e-9)


ORBITS = [
    (hull, SQUARE, (1, 0, 0), 3),
    (box, SQUARE, (1, 1, 0), 1),
    (hull, SQUARE, (1, 1, 0), 4),
    (capsule, SQUARE, (1, 1, 0), 1),
    (can, FOLD, (0, 0, 0), 1),
    (cone, FOLD, (0.15, 0, 0.15), 2),
]


@pytest.mark.parametrize(("add", "mesh", "centre", "seed"), ORBITS)
def test_a_body_around_a_border_corner_or_fold_gains_no_energy(add, mesh, centre, seed):
    """A spring draws it to a point of the mesh. It strikes both sides, edges and corners, at 2 to 6 m/s."""
    rng, centre, k = np.random.default_rng(seed), np.array(centre, float), 20.0
    model, ground = on_ground(mesh, (0, 0, 0))
    way = rng.normal(size=3)
    motion = {"position": centre + 0.75 * way / np.linalg.norm(way)}
    motion["rotation"] = quaternion(Rotation.random(None, rng))
    motion |= {"velocity": 1.5 * rng.normal(size=3), "angular_velocity": 3.0 * rng.normal(size=3)}
    body = add(model, False, **motion)
    add_contact(model, [body], ground, two_sided=True)
    model.add_load(lambda t, state: np.array([(0, 0, 0), k * (centre - state.position[1])]))
    result = run(model, 1.5, 1e-3)
    assert result.stats.contacts.sum() > 2
    x, v = result.position[:, body], result.velocity[:, body]
    local = Rotation.from_quat(np.roll(result.rotation[:, body], -1, axis=1)).inv()
    spin = local.apply(result.angular_velocity[:, body])
    energy = 0.5 * ((v**2).sum(axis=1) + ((spin @ body.inertia) * spin).sum(axis=1))
    energy += 0.5 * k * ((x - centre) ** 2).sum(axis=1)
    assert np.diff(energy).max() < 1e-3


@pytest.mark.parametrize("add", [box, can])
@pytest.mark.parametrize("up", [1, -1])
def test_a_body_rests_on_the_corner_of_a_sheet(add, up):
    """The corner is within its face; three more corners of small sheets hold it there."""
    corner = np.array([(0, 0, 0), (-1, 0, 0), (-1, -1, 0), (0, -1, 0)], float)
    turns = [Rotation.from_rotvec((0, 0, k * np.pi / 2)) for k in range(4)]
    vertices = np.vstack([turn.apply(corner - (0.05, 0.05, 0)) for turn in turns])
    model, ground = on_ground((vertices, [(4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3) for k in range(4)]))
    half = 0.1 if add is box else 0.5 * L
    body = add(model, False, position=(0.01, 0.005, up * half), gravity=(0, 0, -G * up))
    add_contact(model, [body], ground, two_sided=True, mu=0.3)
    result = run(model, 0.5, 2e-3)
    assert result.position[:, body] == pytest.approx(np.tile((0.01, 0.005, up * half), (251, 1)), abs=1e-10)
