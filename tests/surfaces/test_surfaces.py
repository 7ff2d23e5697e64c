"""Contacts of primitives in runs: against those of bodies, tangents, balances, meshes, restarts."""

import numpy as np
import pytest
from surface_scenes import FRICTION, SCENES, SPRING, rods, scene_of_rods, scene_of_triangle
from tangent_checks import assert_tangents

import elements as e
import nsgalpha as ns
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.system.system import System

SCHEMES = {
    "generalized-alpha": {"h": 2e-4},
    "Verlet": {"h": 2e-5, "scheme": ns.VelocityVerlet(), "record_every": 10},
}


def two_balls(element):
    """Two balls that meet off the centre, one of them spinning; `element(model, balls)` acts between them."""
    model = ns.Model()
    balls = [
        model.add_sphere(radius=0.02, mass=0.1, position=(0, 0, 0), velocity=(1, 0, 0)),
        model.add_sphere(radius=0.03, mass=0.3, position=(0.052, 0.02, 0.01), angular_velocity=(5, 20, -9)),
    ]
    model.add(element(model, balls))
    return model


def as_bodies(model, balls):
    return e.CompliantSphereSphere(among=balls, normal=SPRING, tangential=FRICTION)


def as_primitives(model, balls):
    shapes = [model.add_primitive([(0, 0, 0)], radius=ball.radius, carrier=ball) for ball in balls]
    return e.CompliantPrimitiveSpheres(among=shapes, normal=SPRING, tangential=FRICTION)


def as_given_bodies(model, balls):
    return e.CompliantPrimitiveSpheres(between=([balls[0]], [balls[1]]), normal=SPRING, tangential=FRICTION)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@pytest.mark.parametrize("element", [as_primitives, as_given_bodies])
def test_spheres_as_primitives_move_as_spheres_do(element, scheme):
    expected = ns.simulate(two_balls(as_bodies), t_end=0.03, **scheme)
    result = ns.simulate(two_balls(element), t_end=0.03, **scheme)
    assert result.status.ok
    assert np.abs(result.velocity[-1] - result.velocity[0]).max() > 0.1
    for name in ("position", "velocity", "angular_velocity", "rotation"):
        difference = getattr(result, name) - getattr(expected, name)
        # the compiled pass of Verlet's scheme takes increments in the mean frame: the same to second order
        allowed = 1e-9 if "scheme" not in scheme else 1e-7
        assert np.abs(difference).max() < allowed * np.abs(getattr(expected, name)).max(), name


@pytest.mark.parametrize("torque", [True, False])
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_tangents_are_the_derivatives_of_the_wrenches(scene, torque):
    assert_tangents(scene(torque))


def momenta(model, state):
    """Linear and angular momentum about the origin."""
    p, L = np.zeros(3), np.zeros(3)
    for body in model.bodies:
        v, x = state.velocity[body.index], state.position[body.index]
        p += body.mass * v
        L += body.mass * np.cross(x, v)
        if body.turns:
            R = rotation_matrix(state.rotation[body.index])
            L += R @ body.inertia @ R.T @ state.angular_velocity[body.index]
    return p, L


def rotation_matrix(q):
    s, v = q[0], q[1:]
    cross = np.cross(np.eye(3), v)
    return np.eye(3) + 2 * s * cross + 2 * cross @ cross


@pytest.mark.parametrize("scene", [scene_of_triangle], ids=["triangle"])
def test_momenta_are_kept_where_triangles_deform(scene):
    model = scene(True)
    result = ns.simulate(model, t_end=5e-3, h=5e-5)
    assert result.status.ok
    before, after = (momenta(model, result.state(i)) for i in (0, -1))
    size = [np.abs(result.velocity[0]).max() * 0.05, np.abs(result.velocity[0]).max() * 0.05 * 0.1]
    assert np.abs(result.velocity[-1] - result.velocity[0]).max() > 0.05
    for one, other, scale in zip(before, after, size, strict=True):
        assert np.abs(one - other).max() < 2e-3 * scale


def test_rods_keep_energy_without_losses():
    drifts = []
    for h in (8e-5, 4e-5):
        model = ns.Model()
        shapes, ball = rods(model)
        model.add(e.CompliantCapsules(among=shapes, normal=e.SpringDashpot(stiffness=1e4)))
        model.add(e.CompliantCapsuleSphere(shapes, ball, normal=e.SpringDashpot(stiffness=1e4)))
        result = ns.simulate(model, t_end=0.02, h=h, rho_inf=1.0)
        assert result.status.ok
        moving, stored = kinetic(model, result), result.energy("elastic")
        energy = moving + stored
        assert np.ptp(moving) > 0.05 * energy[0]
        drifts.append(abs(energy[-1] - energy[0]) / energy[0])
    assert drifts[0] < 1e-4
    assert drifts[1] < 0.35 * drifts[0]


def kinetic(model, result):
    energy = np.zeros(len(result.t))
    for body in model.bodies:
        energy += 0.5 * body.mass * (result.velocity[:, body.index] ** 2).sum(axis=1)
        if body.turns:
            R = np.array([rotation_matrix(q) for q in result.rotation[:, body.index]])
            W = np.einsum("tji,tj->ti", R, result.angular_velocity[:, body.index])
            energy += 0.5 * np.einsum("ti,ij,tj->t", W, body.inertia, W)
    return energy


def on_floor(floor, mu):
    """A ball that is thrown onto a floor and rolls over it; `floor(model, ball, laws)` adds the floor."""
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(
        radius=0.05,
        mass=0.2,
        position=(-0.17, -0.11, 0.05),
        velocity=(1.1, 0.7, -0.3),
        angular_velocity=(4, -9, 0),
    )
    # dashpots feel how each triangle is approached, drilling is sliding where they are: not so on the plane
    laws = {"normal": e.SpringDashpot(stiffness=1e4), "tangential": e.HaffWerner(damping=3.0, mu=mu)}
    model.add(floor(model, ball, laws))
    return model


def plane_floor(model, ball, laws):
    return e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **laws)


def mesh_floor(model, ball, laws):
    rng = np.random.default_rng(5)
    n = 9
    x, y = np.meshgrid(np.linspace(-0.4, 0.4, n), np.linspace(-0.4, 0.4, n), indexing="ij")
    x[1:-1, 1:-1] += rng.uniform(-0.03, 0.03, (n - 2, n - 2))
    vertices = np.column_stack([x.ravel(), y.ravel(), np.zeros(n * n)])
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate(
        [
            np.column_stack([corner, corner + n, corner + 1]),
            np.column_stack([corner + n, corner + n + 1, corner + 1]),
        ]
    )
    return e.CompliantPolygonSphere(model.add_mesh(vertices, triangles), ball, **laws)


@pytest.mark.parametrize("mu", [0.3, 1e6], ids=["slides", "rolls"])
def test_a_ball_on_a_mesh_moves_as_on_a_plane(mu):
    expected, result = (
        ns.simulate(on_floor(floor, mu), t_end=0.3, h=1e-3) for floor in (plane_floor, mesh_floor)
    )
    assert result.status.ok
    assert np.abs(result.position[-1] - result.position[0]).max() > 0.15
    assert np.abs(result.position - expected.position).max() < 1e-9
    assert np.abs(result.velocity - expected.velocity).max() < 1e-7


def test_a_ball_comes_to_rest_in_a_hollow_cylinder_with_a_bottom():
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.02, mass=0.1, position=(0.05, 0.0, 0.05), velocity=(0, 0.5, 0))
    pot = model.add_primitive([(0, 0, 0), (0, 0, 0.2)], radius=-0.1)
    law = {
        "normal": e.SpringDashpot(stiffness=1e4, damping=10.0),
        "tangential": e.HaffWerner(damping=5.0, mu=0.3),
    }
    model.add(e.CompliantCylinderSphere(pot, ball, **law))
    model.add(e.CompliantDiskSphere(pot, ball, **law))
    model.add_load(e.Drag(ball, translational=0.2))
    result = ns.simulate(model, t_end=3.0, h=1e-3, record_every=10)
    assert result.status.ok
    assert np.hypot(*result.position[:, 0, :2].T).max() < 0.0815
    assert result.position[-1, 0, 2] == pytest.approx(0.02 - 0.1 * 9.81 / 1e4, rel=1e-6)


@pytest.mark.parametrize("scheme", [*SCHEMES.values(), {"h": 2e-4, "scheme": "overdamped"}])
def test_a_run_that_is_continued_is_the_same_run(scheme):
    def build():
        model = scene_of_rods(True)
        third = model.add_primitive([(0, 0, 0)], radius=0.01, carrier=model.bodies[0])
        ball = [body for body in model.bodies if body.radius > 0.0]
        law = {"normal": e.JKR(modulus=1e6, work=0.1), "reach": 1e-4}
        model.add(e.CompliantPrimitiveSpheres(between=([third], ball), **law))
        return model

    model = build()
    if scheme.get("scheme") == "overdamped":
        resistance = e.Drag(model.bodies, translational=20.0, rotational=0.02)
        scheme = {"h": 2e-4, "scheme": ns.Overdamped(resistance)}
    whole = ns.simulate(model, t_end=0.004, **scheme)
    assert whole.status.ok, whole.status
    half = ns.simulate(model, t_end=0.002, **scheme)
    rest = ns.simulate(model, t_end=0.004, state=half.state(-1), **scheme)
    assert np.abs(whole.position[-1] - whole.position[0]).max() > 1e-4
    assert np.abs(rest.position[-1] - whole.position[-1]).max() < 1e-12
    assert np.abs(rest.velocity[-1] - whole.velocity[-1]).max() < 1e-9


def test_points_without_mass_are_for_motion_without_inertia():
    model = ns.Model()
    points = [model.add_point(position=(x, 0, 0), radius=0.01) for x in (0.0, 0.015)]
    model.add(e.CompliantSphereSphere(among=points, normal=e.SpringDashpot(stiffness=10.0)))
    for scheme in (None, ns.VelocityVerlet()):
        with pytest.raises(ValueError, match="mass of 'point 0' = 0: must be positive for"):
            ns.simulate(model, t_end=0.1, h=1e-3, scheme=scheme)
    drag = e.Drag(points, translational=1.0)
    result = ns.simulate(model, t_end=1.0, h=1e-3, scheme=ns.Overdamped(drag, implicitness=0.5))
    assert result.status.ok
    distance = result.position[:, 1, 0] - result.position[:, 0, 0]
    assert np.abs(0.02 - distance - 0.005 * np.exp(-20.0 * result.t)).max() < 1e-6


def test_a_point_has_three_degrees_of_freedom():
    model = ns.Model(gravity=(0, 0, -9.81))
    point = model.add_point(mass=0.2, position=(0, 0, 0.01), radius=0.01, velocity=(1, 0, 0))
    plane = model.add_plane(normal=(0, 0, 1))
    model.add(
        e.CompliantSpherePlane(point, plane, normal=SPRING, tangential=e.HaffWerner(damping=50.0, mu=0.1))
    )
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert result.status.ok
    assert not result.angular_velocity.any()
    # it slides, and cannot roll
    assert result.velocity[-1, 0, 0] == pytest.approx(1.0 - 0.1 * 9.81 * 0.5, abs=2e-3)


def test_damping_is_the_tangent_times_velocities():
    system = System(scene_of_rods(True))
    motion, compliant = system.motion(system.model.initial_state()), CompliantForces(system)
    compliant.find(motion, 0.1)
    compliant.begin(motion)
    compliant.evaluate(motion, np.zeros((system.size, 6)), 1e-4)
    assert compliant.closed > 0
    velocity = np.random.default_rng(0).normal(size=(system.count, 6))
    velocity[~system.turns, 3:] = 0.0
    pattern, values = compliant.tangents(0.0, 1.0)
    expected = pattern.matrix(values) @ velocity.ravel()
    assert np.abs(expected).max() > 1.0
    assert compliant.damping(velocity).ravel() == pytest.approx(expected, abs=1e-12)


def test_semi_implicit_steps_move_points_and_bodies_as_others_do():
    expected = ns.simulate(scene_of_rods(True), t_end=5e-3, h=2e-5, scheme=ns.VelocityVerlet())
    result = ns.simulate(scene_of_rods(True), t_end=5e-3, h=2e-5, scheme=ns.SemiImplicit(0.5))
    assert result.status, result.status.message
    moved = np.abs(expected.position[-1] - expected.position[0]).max()
    assert np.abs(result.position[-1] - expected.position[-1]).max() < 1e-3 * moved


def test_a_ball_comes_to_rest_on_a_sheet_of_points():
    """Three points on springs carry a triangle and a ball in its middle."""
    model = ns.Model(gravity=(0, 0, -9.81))
    corners = [(0, 0, 0.01), (0.1, 0, 0.01), (0, 0.1, 0.01)]
    feet = [model.add_sphere(radius=0.01, mass=0.05, position=x) for x in corners]
    sheet = model.add_primitive(feet)
    ball = model.add_sphere(radius=0.03, mass=0.1, position=(0.1 / 3, 0.1 / 3, 0.0401))
    model.add(e.CompliantPolygonSphere(sheet, ball, normal=SPRING))
    floor = e.CompliantSpherePlane(feet, model.add_plane(normal=(0, 0, 1)), normal=SPRING)
    model.add(floor)
    found = ns.equilibrium(model)
    assert found, found.status.message
    contacts = ns.compliant_contacts(model, found.state)
    lifted = contacts.of(floor).force[:, 2]
    assert lifted == pytest.approx(9.81 * 0.25 / 3, rel=1e-6)
    assert contacts.of(model.elements[0]).force[0, 2] == pytest.approx(-9.81 * 0.1, rel=1e-6)
    assert contacts.resultant()[:, 2] == pytest.approx(9.81 * np.array([0.05, 0.05, 0.05, 0.1]), rel=1e-6)


def test_what_contacts_remember_stays_with_its_pair_of_primitives():
    model = ns.Model()
    at = ((0.0, 0.0, 0.0), (-0.0195, 0.0, 0.0), (0.0195, 0.0, 0.0))
    balls = [model.add_sphere(radius=0.01, mass=0.1, position=x) for x in at]
    model.add(e.CompliantPrimitiveSpheres(among=balls, normal=SPRING, tangential=FRICTION))
    system = System(model)
    contacts, motion = CompliantForces(system), system.motion(model.initial_state())
    contacts.find(motion, 0.0)
    contacts.begin(motion)
    moved = np.zeros((system.size, 6))
    moved[1, 1], moved[2, 1] = 1e-5, -3e-5
    contacts.evaluate(motion, moved, 1e-4)
    contacts.commit()
    before = contacts.history()
    contacts.groups[0].find(motion, 0.0)
    after = contacts.history()
    assert {tuple(pair) for pair in before.pair} == {(0, 0, 1, 0), (0, 0, 2, 0)}
    assert np.abs(before.values[0] - before.values[1]).max() > 1e-5
    assert np.array_equal(after.pair, before.pair)
    assert np.array_equal(after.values, before.values)
    assert np.array_equal(after.tangent, before.tangent)
