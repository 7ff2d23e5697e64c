"""Soft contact of solids with meshes: planes of triangles, ridges and valleys, borders, energy, momentum."""

import numpy as np
import pytest
from mesh_scenes import about, random_floor
from scipy.spatial.transform import Rotation
from solid_scenes import G, contacts, quaternion, run

import nsgalpha as ns
from elements import (
    CompliantContact,
    CompliantSolidMesh,
    CompliantSolidPlane,
    CundallStrack,
    LinearPressure,
    RegularisedCoulomb,
    SpringDashpot,
)
from tests.surfaces.tangent_checks import assert_tangents

K, MODULUS = 1e5, 1e7
VERLET = ns.VelocityVerlet()
PRESSURE = {"normal": LinearPressure(stiffness=MODULUS)}
LAWS = {
    "spring": {"normal": SpringDashpot(stiffness=K, damping=100.0)},
    "pressure": {"normal": LinearPressure(stiffness=MODULUS, damping=1e4)},
    "friction": {
        "normal": LinearPressure(stiffness=MODULUS, damping=1e4),
        "tangential": CundallStrack(stiffness=K, mu=0.3, damping=20.0),
    },
}
SIZE = (0.3, 0.2, 0.2)
ROOF = np.array([(x, y, 0.0) for x in (-1, 0, 1) for y in (-1, 1)])
SLOPES = [(0, 2, 1), (1, 2, 3), (2, 4, 3), (3, 4, 5)]
POINTS = np.random.default_rng(2).normal(size=(30, 3))
POINTS *= 0.12 / np.linalg.norm(POINTS, axis=1)[:, None]


def add(model, kind, **given):
    """A solid of the given kind."""
    given = {"mass": 1.0} | given
    if kind == "box":
        return model.add_box(SIZE, **given)
    if kind == "cylinder":
        return model.add_cylinder(0.1, 0.2, **given)
    if kind == "cone":
        return model.add_cone(0.1, 0.3, **given)
    return model.add_solid(POINTS, hull=True, **given)


def on_ground(vertices, triangles, kind, law, frame=None, **given):
    """A model of a solid on a fixed mesh, or plane, in a frame."""
    frame = frame or Rotation.identity()
    model = ns.Model(gravity=frame.apply((0, 0, -G)))
    given = {"rotation": (1, 0, 0, 0)} | given
    given["rotation"] = quaternion(frame * Rotation.from_quat(np.roll(given["rotation"], -1)))
    for name in ("position", "velocity", "angular_velocity"):
        given[name] = frame.apply(given.get(name, (0, 0, 0)))
    body = add(model, kind, **given)
    if vertices is None:
        model.add(CompliantSolidPlane(body, model.add_plane(normal=frame.apply((0, 0, 1))), **law))
    else:
        ground = model.add_body(fixed=True, position=(0, 0, 0), rotation=quaternion(frame))
        model.add_mesh(vertices, triangles, carrier=ground)
        model.add(CompliantSolidMesh(body, ground, **law))
    return model


@pytest.mark.parametrize("kind", ["box", "cylinder", "cone", "hull"])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("turn", [(0, 0, 0), (0.4, -1.1, 0.7)])
def test_contacts_on_triangles_in_a_plane_are_those_on_the_plane(kind, law, turn):
    rng = np.random.default_rng(7)
    for seed, height in enumerate((0.06, 0.09, 0.095, 0.097)):
        given = {
            "rotation": quaternion(Rotation.from_rotvec((0.8, 0.2, 0.02, 0.0)[seed] * rng.normal(size=3))),
            "position": (*rng.uniform(-0.4, 0.4, 2), height - 0.025 * (kind == "cone")),
            "velocity": rng.normal(size=3),
            "angular_velocity": rng.normal(size=3),
        }
        frame = Rotation.from_rotvec(turn)
        mesh, plane = (
            contacts(on_ground(*ground, kind, LAWS[law], frame, **given))
            for ground in (random_floor(seed=seed), (None, None))
        )
        assert len(mesh.gap) == len(plane.gap) > 0
        force = np.abs(plane.resultant()[0]).max()
        assert mesh.resultant()[0] == pytest.approx(plane.resultant()[0], abs=1e-12 * force)
        for name in ("gap", "point", "normal", "area", "force", "energy"):
            found, exact = getattr(mesh, name), getattr(plane, name)
            assert found == pytest.approx(exact, rel=1e-9, abs=1e-11 * max(np.abs(exact).max(), 0.1)), name


@pytest.mark.parametrize("scheme", [VERLET, None], ids=["explicit", "implicit"])
@pytest.mark.parametrize("kind", ["box", "hull"])
def test_a_solid_slides_over_inner_edges_as_over_a_plane(kind, scheme):
    given = {"position": (-0.5, 0.1, 0.0995), "velocity": (2.0, 0.3, 0.0), "angular_velocity": (0, 0, 1.0)}
    mesh, plane = (
        run(on_ground(*ground, kind, LAWS["friction"], **given), 0.4, 4e-4, scheme=scheme)
        for ground in (random_floor(), (None, None))
    )
    assert mesh.position[-1, 0, 0] > 0.0
    assert np.abs(mesh.position[:, 0] - plane.position[:, 0]).max() < 1e-9
    assert np.abs(mesh.rotation[:, 0] - plane.rotation[:, 0]).max() < 1e-9


@pytest.mark.parametrize("turn", [(0, 0, 0), (0.4, -1.1, 0.7)])
@pytest.mark.parametrize("slope", [0.1, 0.5])
def test_a_box_on_a_ridge_has_the_volume_beside_it(slope, turn):
    """The ridge is d deep in the face, with a prism on either side."""
    d, frame = 0.004, Rotation.from_rotvec(turn)
    roof = ROOF + np.abs(ROOF[:, :1]) * (0, 0, -np.tan(slope))
    found = contacts(on_ground(roof, SLOPES, "box", PRESSURE, frame, position=(0.01, 0, 0.1 - d)))
    force = 2.0 * MODULUS * 0.5 * SIZE[1] * d**2 / np.tan(slope) * np.cos(slope)
    up = frame.inv().apply(found.resultant()[0, :3])
    assert up == pytest.approx((0, 0, force), abs=1e-9 * force)
    assert len(found.gap) == 8


def test_a_box_in_a_valley_lies_on_both_sides():
    """Its corner is d behind both faces: s d - d^2/2 behind each, with the length s of an edge."""
    d, s = 0.004, SIZE[0]
    valley = ROOF + np.abs(ROOF[:, :1]) * (0, 0, 1)
    model = ns.Model()
    height = np.sqrt(2.0) * (0.5 * s - d)
    body = model.add_box((s, 0.2, s), mass=1.0, position=(0, 0, height), rotation=about((0, 1, 0), np.pi / 4))
    ground = model.add_body(fixed=True, position=(0, 0, 0))
    model.add_mesh(valley, SLOPES, carrier=ground)
    model.add(CompliantSolidMesh(body, ground, **PRESSURE))
    found = contacts(model)
    force = MODULUS * 0.2 * (s * d - 0.5 * d**2)
    assert found.resultant()[0] == pytest.approx((0, 0, np.sqrt(2.0) * force, 0, 0, 0), abs=1e-9 * force)
    of_side = found.force[found.normal[:, 0] > 0.0].sum(axis=0)
    assert of_side == pytest.approx(np.sqrt(0.5) * force * np.array((1, 0, 1)), abs=1e-9 * force)


def test_the_force_ends_at_a_border_and_a_box_tips_over_it():
    floor, d = ROOF * (1, 1, 0), 1e-4
    for part in (0.25, 0.75):
        position = (1.0 + (0.5 - part) * SIZE[0], 0, 0.1 - d)
        found = contacts(on_ground(floor, SLOPES, "box", PRESSURE, position=position))
        assert found.resultant()[0, 2] == pytest.approx(MODULUS * part * SIZE[0] * SIZE[1] * d, rel=1e-9)
        law = {"normal": LinearPressure(stiffness=MODULUS, damping=1e5)}
        law["tangential"] = CundallStrack(stiffness=K, mu=0.5, damping=20.0)
        tilt = run(on_ground(floor, SLOPES, "box", law, position=position), 0.3, 5e-4).rotation[-1, 0, 2]
        assert tilt > 0.1 if part < 0.5 else abs(tilt) < 1e-3


def rough(scale=0.05):
    """A field of bumps around the origin."""
    vertices, triangles = ns.height_field(scale * np.random.default_rng(5).random((12, 12)), 0.1)
    return np.array(vertices) - (0.55, 0.55, 0), triangles


def bouncing(h, modulus=1e9):
    """Energies of a hull that bounces on bumps, over the first one."""
    law = {"normal": LinearPressure(stiffness=modulus)}
    motion = {
        "position": (0.02, -0.01, 0.25),
        "rotation": (0.5, 0.5, 0.5, 0.5),
        "angular_velocity": (1, 2, 1),
    }
    model = on_ground(*rough(), "hull", law, **motion)
    result = run(model, 0.35, h, scheme=VERLET, record_every=round(5e-4 / h))
    energy = np.asarray(result.energy())
    assert result.energy("elastic").max() > 0.03 * energy[0]
    return np.abs(energy / energy[0] - 1.0).max()


def test_a_hull_that_bounces_on_bumps_keeps_its_energy():
    coarse, fine = (bouncing(h) for h in (1e-4, 5e-5))
    assert coarse < 2e-4
    assert fine == pytest.approx(0.25 * coarse, rel=0.02)


CUBE = np.array([(x, y, z) for z in (0, -1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], float)
FACES = [(0, 1, 2, 3), (7, 6, 5, 4), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)]
GROUNDS = {
    "bumps": (rough(), (0.03, -0.02, 1), 0.004),
    "steep bumps": (rough(scale=0.15), (0.03, -0.02, 1), 0.004),
    "corner of a box": ((CUBE, FACES), (0.03, 0.02, 1), 0.01),
    "edge of a box": ((CUBE, FACES), (0.02, 0.5, 1), 0.01),
    "pit": ((-CUBE + (0.5, 0.5, -0.5), FACES), (-0.4, -0.41, 0), 0.42),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize("kind", ["box", "hull"])
def test_forces_of_a_pressure_are_the_gradient_of_its_energy(name, kind, seed):
    """Around vertices, too, where more than three planes meet, and faces of several triangles."""
    ground, place, depth = GROUNDS[name]
    turn, place = Rotation.random(random_state=seed), np.array(place, float)

    def measured(shift, by=(0, 0, 0)):
        own = quaternion(Rotation.from_rotvec(by) * turn)
        found = contacts(on_ground(*ground, kind, PRESSURE, position=place + shift, rotation=own))
        return found.energy.sum(), found.resultant()[0] if len(found.gap) else np.zeros(6)

    high, low = place[2], 0.0
    while high - low > 1e-5:
        middle = 0.5 * (high + low)
        place[2] = middle
        high, low = (high, middle) if measured(0)[0] > 0.0 else (middle, low)
    place[2] = low - depth
    energy, wrench = measured(0)
    assert energy > 0.0
    step, exact = 1e-6, []
    for by in range(2):
        for axis in np.eye(3):
            there = [measured(*((step * s * axis,) if by == 0 else (0, step * s * axis)))[0] for s in (1, -1)]
            exact.append((there[1] - there[0]) / (2 * step))
    assert wrench == pytest.approx(exact, abs=1e-6 * np.abs(wrench).max())


def falling(free, frame=None):
    """A box that falls on a bumpy sheet, which a second body carries."""
    frame = frame or Rotation.identity()
    model = ns.Model()
    model.add_box(
        SIZE,
        mass=1.0,
        position=frame.apply((0.05, 0.02, 0.2)),
        velocity=frame.apply((0.2, 0, -2.0)),
        rotation=quaternion(frame * Rotation.from_rotvec((0.2, 0.3, 0.1))),
    )
    sheet = model.add_body(
        mass=2.0, inertia=0.5, position=frame.apply((0.1, 0.1, 0)), rotation=quaternion(frame)
    )
    vertices, triangles = rough()
    model.add_mesh(vertices - (0.1, 0.1, 0), triangles, carrier=sheet)
    law = {"normal": LinearPressure(stiffness=MODULUS, damping=1e4)}
    law["tangential"] = RegularisedCoulomb(mu=0.3, velocity_zone=0.1)
    model.add(CompliantContact(among=model.bodies, **law))
    return model, run(model, 0.2, 2e-4, scheme=free)


@pytest.mark.parametrize("scheme", [VERLET, None], ids=["explicit", "implicit"])
def test_the_body_of_a_mesh_gets_the_opposite_force(scheme):
    model, result = falling(scheme)
    mass = np.array([body.mass for body in model.bodies])[:, None]
    momentum = (mass * result.velocity[:]).sum(axis=1)
    assert np.abs(result.velocity[-1, 1]).max() > 0.3
    assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.abs(momentum[0]).max() * len(momentum)


def test_a_turned_scene_moves_the_same():
    frame = Rotation.from_rotvec((0.4, -1.1, 0.7))
    straight, turned = (falling(VERLET, each)[1] for each in (None, frame))
    for name in ("position", "velocity", "angular_velocity"):
        for body in range(2):
            found = frame.inv().apply(getattr(turned, name)[:, body])
            assert found == pytest.approx(getattr(straight, name)[:, body], abs=1e-8), name


@pytest.mark.parametrize("kind", ["box", "hull", "cylinder"])
def test_tangents_are_the_derivatives_of_the_forces(kind):
    law = {"normal": SpringDashpot(stiffness=K, damping=100.0)}
    law["tangential"] = RegularisedCoulomb(mu=0.3, velocity_zone=1.0)
    rng = np.random.default_rng(4)
    model = ns.Model()
    turn = Rotation.from_rotvec(0.1 * rng.normal(size=3))
    motion = {"velocity": 0.1 * rng.normal(size=3), "angular_velocity": 0.3 * rng.normal(size=3)}
    add(model, kind, position=(0.03, 0.02, 0.122), rotation=quaternion(turn), **motion)
    ground = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0))
    model.add_mesh(*rough(), carrier=ground)
    model.add(CompliantSolidMesh(model.bodies[0], ground, **law))
    assert len(contacts(model).gap) > 4
    assert_tangents(model)


def test_a_body_whose_centre_is_behind_passes():
    model = ns.Model()
    below = model.add_box(SIZE, mass=1.0, position=(0.02, 0.01, -0.05), velocity=(0, 0, 0.5))
    ground = model.add_body(fixed=True, position=(0, 0, 0))
    model.add_mesh(*random_floor(), carrier=ground)
    model.add(CompliantSolidMesh(below, ground, **PRESSURE))
    result = run(model, 0.05, 1e-3)
    assert result.velocity[-1, below] == pytest.approx((0, 0, 0.5), abs=1e-12)


def test_a_run_goes_on_from_its_file_to_the_bit(tmp_path):
    def made():
        motion = {"position": (0.05, 0.02, 0.135), "velocity": (0.3, 0, 0)}
        return on_ground(*rough(), "box", LAWS["friction"], **motion)

    whole = run(made(), 0.04, 5e-4, scheme=VERLET)
    path = tmp_path / "terrain.h5"
    run(made(), 0.02, 5e-4, scheme=VERLET, recording=ns.Recording(file=path))
    ns.resume(path, t_end=0.04)
    found = ns.load(path)
    assert np.array_equal(found.position[-1], whole.position[-1])
    assert max(len(found.compliant_contacts(k).gap) for k in range(len(found.t))) >= 8


def test_all_shapes_on_one_mesh():
    model = ns.Model(gravity=(0, 0, -G))
    ground = model.add_body(fixed=True, position=(0, 0, 0), name="ground")
    model.add_mesh(*random_floor(), carrier=ground)
    for k, kind in enumerate(("box", "cylinder", "cone")):
        add(model, kind, position=(0.4 * k, 0, 0.1 if k < 2 else 0.075))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0.5, 0.1))
    rod = model.add_capsule(
        0.1, 0.2, mass=1.0, position=(0.5, 0.5, 0.1), rotation=about((1, 0, 0), np.pi / 2)
    )
    parts = [ns.parts.box((0.2, 0.2, 0.2)), ns.parts.sphere(0.1, position=(0.15, 0, 0))]
    model.add_compound(parts, density=50, origin=(-0.5, 0, 0.1))
    law = {"normal": SpringDashpot(stiffness=K, damping=300.0)}
    contact = model.add(CompliantContact(among=model.bodies, **law))
    assert len([part for part in contact.parts if part.stated.maker is CompliantSolidMesh]) == 1
    result = run(model, 0.5, 1e-3)
    sunk = (result.position[0] - result.position[-1])[1:, 2] * K / G
    assert sunk[[0, 1, 2, 3]] == pytest.approx(1.0, rel=1e-3)
    assert ball.index == 4
    assert 0.0 < sunk[rod.index - 1] < 2.0


def test_materials_of_a_table_give_layers_to_solids():
    rock = ns.Material(name="rock", young=1e7, poisson=0.3, density=2500, layer=0.01)
    wood = ns.Material(name="wood", young=1e6, poisson=0.3, density=500, layer=0.01)
    pairs = [ns.MaterialPair(a=a, b="wood", mu=0.4, restitution=0.5) for a in ("rock", "wood")]
    table = ns.Materials(materials=[rock, wood], pairs=pairs)
    model = ns.Model(gravity=(0, 0, -G))
    ground = model.add_body(fixed=True, position=(0, 0, 0))
    model.add_mesh(*random_floor(), carrier=ground)
    crate = add(model, "box", position=(0, 0, 0.1))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0.5, 0.1))
    contact = CompliantContact(among={"rock": [ground], "wood": [crate, ball]}, materials=table)
    laws = [part.law.parts[0][0] for part in contact.parts if part.stated.maker is CompliantSolidMesh]
    assert [type(law) for law in laws] == [LinearPressure]


def test_what_is_refused():
    model = ns.Model()
    ground = model.add_body(fixed=True, position=(0, 0, 0), name="ground")
    model.add_mesh(*random_floor(), carrier=ground)
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1), name="ball")
    die = model.add_box((0.1, 0.1, 0.1), radius=0.02, mass=1.0, position=(0, 0, 1))
    with pytest.raises(ValueError, match="solids = 'ball': must be a box, cylinder, cone or convex mesh"):
        CompliantSolidMesh(ball, ground, **PRESSURE)
    with pytest.raises(ValueError, match="a solid without a radius"):
        CompliantSolidMesh(die, ground, **PRESSURE)
