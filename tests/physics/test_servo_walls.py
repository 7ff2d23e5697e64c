"""Servo walls: planes that a force or a pressure pushes against grains."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import nsgalpha as ns
from elements import (
    CompliantSpherePlane,
    CundallStrack,
    Hertz,
    SpherePlane,
    SphereSphere,
    SpringDashpot,
    add_servo_wall,
)
from nsgalpha.case import parse_case

R, MODULUS = 0.01, 1e7  # [m], [Pa]
FORCE, MASS, DAMPING = 5.0, 0.5, 60.0
UNTURNED = np.eye(3)
TURN = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
TURN *= np.linalg.det(TURN)
SCHEMES = pytest.mark.parametrize(
    "scheme", [ns.VelocityVerlet(), ns.GeneralizedAlpha()], ids=["Verlet", "alpha"]
)


def hertz_depth(force):
    """Overlap [m] of a ball and a plane: F = 4/3 E* sqrt(R) depth^(3/2)."""
    return (force / (4 / 3 * MODULUS * np.sqrt(R))) ** (2 / 3)


def press(force=FORCE, *, damping=DAMPING, turn=UNTURNED, fixed=False, **more):
    """A soft ball between a floor and a wall, which touches it at the start."""
    model = ns.Model()
    ball = model.add_sphere(radius=R, mass=0.01, position=turn @ (0, 0, R), fixed=fixed)
    wall = add_servo_wall(
        model,
        normal=turn @ (0, 0, -1.0),
        offset=-2 * R,
        mass=MASS,
        force=force,
        damping=damping,
        name="lid",
        **more,
    )
    planes = [wall.plane] if fixed else [wall.plane, model.add_plane(normal=turn @ (0, 0, 1.0))]
    law = Hertz(modulus=MODULUS) if fixed else Hertz(modulus=MODULUS, restitution=0.2)
    model.add(CompliantSpherePlane(ball, planes, normal=law))
    return model, wall


def column(force, count=5, gravity=0.0, **more):
    """Rigid balls on one another between a floor and a wall."""
    model = ns.Model(gravity=(0, 0, -gravity))
    balls = [model.add_sphere(radius=R, mass=0.02, position=(0, 0, R * (2 * k + 1))) for k in range(count)]
    wall = add_servo_wall(
        model, normal=(0, 0, -1), offset=-2 * R * count, mass=MASS, force=force, name="lid", **more
    )
    model.add(SphereSphere(among=balls))
    model.add(SpherePlane([balls[0]], model.add_plane(normal=(0, 0, 1), name="floor")))
    model.add(SpherePlane([balls[-1]], wall.plane))
    return model, wall


@SCHEMES
@pytest.mark.parametrize("turn", [UNTURNED, TURN], ids=["straight", "turned"])
def test_a_soft_ball_ends_at_the_depth_of_hertz(scheme, turn):
    model, wall = press(turn=turn)
    result = ns.simulate(model, t_end=1.0, h=1e-4, scheme=scheme, record_every=1000)
    assert result.status
    displacement, rate = result.coordinate("lid")
    assert abs(displacement[-1] / (2 * hertz_depth(FORCE)) - 1) < 1e-6
    assert abs(rate[-1]) < 1e-8
    force = ns.plane_force(result, wall.plane)[-1]
    assert np.abs(force - turn @ (0, 0, FORCE)).max() < 1e-4
    assert result.effort("lid").value[-1] == FORCE
    # the wall keeps to its line and does not turn
    across = (
        result.position[:, wall.body] - displacement[:, None] * (turn @ (0, 0, -1.0)) - turn @ (0, 0, 2 * R)
    )
    assert np.abs(across).max() < 1e-15
    assert np.abs(result.rotation[:, wall.body] - result.rotation[0, wall.body]).max() < 1e-15


def settling(t_end):
    """Displacement [m] and rate [m/s] at `t_end` of m c'' = F - d c' - k c^(3/2)."""

    def rates(t, y):
        return y[1], (FORCE - DAMPING * y[1] - 4 / 3 * MODULUS * np.sqrt(R) * max(y[0], 0) ** 1.5) / MASS

    return solve_ivp(rates, (0, t_end), (0, 0), rtol=1e-12, atol=1e-15, method="DOP853").y[:, -1]


@SCHEMES
def test_settling_is_that_of_the_differential_equation_to_second_order(scheme):
    known, errors = settling(0.01), []
    for h in (1e-4, 5e-5):
        result = ns.simulate(press(fixed=True)[0], t_end=0.01, h=h, scheme=scheme)
        c, rate = result.coordinate("lid")
        errors.append([abs(c[-1] - known[0]) / known[0], abs(rate[-1] - known[1])])
    errors = np.array(errors)
    assert errors[1].max() < 1e-3
    assert (errors[0] / errors[1] > 3.2).all(), errors


@pytest.mark.parametrize("gravity", [0.0, 10.0])
def test_a_column_of_rigid_balls_carries_the_force(gravity):
    table = [[0.0, 10.0], [0.1, 30.0], [0.3, 5.0]]
    model, _ = column(table, gravity=gravity)
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert result.status
    assert np.abs(result.coordinate("lid").value).max() < 1e-12
    force = np.interp(result.t, *np.array(table).T)
    assert (
        np.abs(ns.plane_force(result, "lid")[1:, 2] - force[1:]).max() < 0.15
    )  # mean over a step, not its end
    floor = ns.plane_force(result, "floor")[:, 2]
    assert np.abs(floor + ns.plane_force(result, "lid")[:, 2] + 5 * 0.02 * gravity)[1:].max() < 1e-9
    constant = ns.simulate(column(7.0, gravity=gravity)[0], t_end=0.05, h=1e-3)
    assert np.abs(ns.plane_force(constant, "lid")[1:, 2] - 7.0).max() < 1e-9


def test_pressure_on_an_area_is_a_force():
    tables = [None, [[0.0, 1e3], [1.0, 3e3]], lambda t: 1e3 + 2e3 * t]
    ends = []
    for pressure in tables:
        model = ns.Model()
        given = (
            {"force": [[0.0, 2.0], [1.0, 6.0]]} if pressure is None else {"pressure": pressure, "area": 2e-3}
        )
        add_servo_wall(model, normal=(0, 0, 2), offset=0.4, mass=3.0, name="ram", **given)
        ends.append(ns.simulate(model, t_end=1.0, h=0.01))
    for end in ends:
        assert np.allclose(end.coordinate("ram").value, ends[0].coordinate("ram").value, rtol=0, atol=1e-12)
        assert abs(end.coordinate("ram").rate[-1] - 4.0 / 3.0) < 1e-4
        assert abs(end.position[0, 0, 2] - 0.2) < 1e-15


def test_damping_bounds_the_speed_and_a_wall_may_begin_moving():
    model = ns.Model()
    add_servo_wall(model, normal=(0, 0, 1), mass=2.0, force=6.0, damping=3.0, velocity=0.5, name="ram")
    for scheme in (ns.VelocityVerlet(), ns.GeneralizedAlpha()):
        result = ns.simulate(model, t_end=1.0, h=1e-3, scheme=scheme)
        rate = 2.0 + (0.5 - 2.0) * np.exp(-1.5 * result.t)
        assert np.abs(result.coordinate("ram").rate - rate).max() < 1e-6
        assert np.abs(result.effort("damper of ram").value + 3.0 * rate).max() < 1e-5


def dragged():
    """A ball that slides and rolls beneath a wall, off its middle, with friction."""
    model = ns.Model()
    ball = model.add_sphere(radius=R, mass=0.01, position=(0.03, -0.02, R), velocity=(0.5, 0.3, 0))
    wall = add_servo_wall(
        model, normal=(0, 0, -1), offset=-2 * R, mass=MASS, force=FORCE, damping=20, name="lid"
    )
    soft = {
        "normal": SpringDashpot(stiffness=1e4, damping=2.0),
        "tangential": CundallStrack(stiffness=5e3, mu=0.2),
    }
    model.add(CompliantSpherePlane(ball, [wall.plane, model.add_plane(normal=(0, 0, 1))], **soft))
    return model, ball, wall


def test_the_guide_of_a_wall_carries_friction_and_its_moment():
    runs = {}
    for scheme in (ns.VelocityVerlet(), ns.GeneralizedAlpha()):
        model, ball, wall = dragged()
        runs[type(scheme).__name__] = result = ns.simulate(
            model, t_end=0.02, h=1e-5, scheme=scheme, record_every=50
        )
        assert np.abs(result.velocity[:, wall.body, :2]).max() < 1e-15
        force, torque = result.constraint_reaction("lid")
        on_wall = ns.plane_force(result, "lid")
        assert np.abs(force[1:, :2] + on_wall[1:, :2]).max() < 1e-2
        assert np.abs(on_wall[1:, :2]).max() > 0.5
        lever = result.position[:, ball] + (0, 0, R) - result.position[:, wall.body]
        assert np.abs(torque + np.cross(lever, on_wall))[1:].max() < 2e-4
    one, other = runs.values()
    assert np.abs(one.position - other.position).max() < 2e-6
    assert (
        np.abs(one.constraint_reaction("lid").force - other.constraint_reaction("lid").force)[5:].max() < 0.05
    )


@SCHEMES
def test_runs_continue_to_the_bit(scheme, tmp_path):
    model, _, _ = dragged()
    run = {"h": 2e-5, "scheme": scheme}
    whole = ns.simulate(model, t_end=4e-3, **run)
    half = ns.simulate(model, t_end=2e-3, **run, recording=ns.Recording(file=tmp_path / "half.h5"))
    rest = ns.simulate(model, t_end=4e-3, **run, state=half.state())
    resumed = ns.resume(tmp_path / "half.h5", t_end=4e-3)
    state = model.initial_state()
    for _ in range(200):
        state = ns.step(model, state, **run)
    for end in (rest.state(), resumed.state(), state):
        for name in ("position", "velocity", "angular_velocity", "acceleration"):
            assert np.array_equal(getattr(end, name), getattr(whole.state(), name)), name
    known = whole.coordinate("lid").value[-1]
    assert rest.coordinate("lid").value[-1] == known == resumed.coordinate("lid").value[-1]
    loaded = ns.load(tmp_path / "half.h5")
    assert loaded.coordinate("lid").value[100] == whole.coordinate("lid").value[100]
    assert np.array_equal(ns.plane_force(loaded, "lid")[:101], ns.plane_force(whole, "lid")[:101])


def test_loads_in_python_and_compiled_steps_move_a_wall_alike():
    ends = []
    for load in (False, True):
        model, _, _ = dragged()
        if load:
            model.add_load(lambda t, state: np.zeros_like(state.position))
        ends.append(ns.simulate(model, t_end=2e-3, h=2e-5, scheme=ns.VelocityVerlet()))
    assert np.abs(ends[0].position - ends[1].position).max() < 1e-15
    assert np.abs(ends[0].joints - ends[1].joints).max() < 1e-10


def test_the_work_of_the_force_is_stored_without_damping():
    drift = []
    for h in (4e-5, 2e-5):
        model = press(damping=0.0, fixed=True)[0]
        result = ns.simulate(model, t_end=0.02, h=h, scheme=ns.VelocityVerlet())
        c, rate = result.coordinate("lid")
        stored = 8 / 15 * MODULUS * np.sqrt(R) * np.maximum(c, 0) ** 2.5
        assert np.abs(result.energy() - stored - 0.5 * MASS * rate**2).max() < 1e-12
        drift.append(np.abs(FORCE * c - stored - 0.5 * MASS * rate**2).max())
    assert drift[1] < 1e-3 * FORCE * hertz_depth(FORCE)
    assert drift[0] / drift[1] > 3.2


@SCHEMES
def test_a_wall_over_a_periodic_cell_loads_a_layer(scheme):
    """Four balls, a quarter of the force each, wherever they are in the cell."""
    heights = []
    for shift in (0.0, 0.013, 5 * 0.08):
        model = ns.Model(periodic=(0.08, 0.08, None))
        balls = [
            model.add_sphere(radius=R, mass=0.01, position=(x + shift, y, R))
            for x in (0.02, 0.06)
            for y in (0, 0.04)
        ]
        wall = add_servo_wall(model, normal=(0, 0, -1), offset=-2 * R, mass=MASS, pressure=1e3, area=0.0064)
        planes = [wall.plane, model.add_plane(normal=(0, 0, 1))]
        model.add(CompliantSpherePlane(balls, planes, normal=Hertz(modulus=MODULUS)))
        result = ns.simulate(model, t_end=5e-3, h=1e-4, scheme=scheme)
        heights.append(result.position[:, :, 2])
    assert np.abs(heights[0] - heights[1]).max() < 1e-15
    assert np.abs(heights[0] - heights[2]).max() < 1e-15
    assert heights[0][-1, 0] < R


def test_a_wall_along_a_period_is_refused():
    model = ns.Model(periodic=(0.08, None, None))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0))
    wall = add_servo_wall(model, normal=(1, 0, 1), offset=-2 * R, mass=MASS, force=1.0, name="lid")
    model.add(SpherePlane(ball, wall.plane))
    with pytest.raises(ValueError, match=r"normal of 'lid' points to .* no component along the periodic x"):
        ns.simulate(model, t_end=1e-3, h=1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "force and pressure: give one of them"),
        ({"force": 1.0, "pressure": 1.0, "area": 1.0}, "force and pressure: give one of them"),
        ({"pressure": 1.0}, "area = None: must be given with a pressure"),
        ({"force": 1.0, "area": 1.0}, "area = 1.0: must be left out with a force"),
        ({"force": 1.0, "mass": 0.0}, "mass = 0.0: must be positive"),
        ({"force": [[0, 1], [0, 2]]}, "force: the time 0 s of row 1 follows 0 s"),
        ({"force": 1.0, "damping": -1.0}, "damping = -1.0"),
        ({"force": 1.0, "name": "floor"}, "name = 'floor': must be used once in a model"),
    ],
)
def test_what_is_refused_adds_nothing(given, message):
    model = ns.Model()
    model.add_plane(normal=(0, 0, 1), name="floor")
    with pytest.raises(ValueError, match=message):
        add_servo_wall(model, **({"normal": (0, 0, -1), "mass": 1.0, "name": "lid"} | given))
    assert (len(model.bodies), len(model.planes), len(model.joints), len(model.drives)) == (0, 1, 0, 0)


def test_a_case_file_states_a_wall():
    case = parse_case(
        """
        [[bodies]]
        type = "sphere"
        radius = 0.01
        mass = 0.02
        position = [0, 0, 0.01]

        [[planes]]
        name = "floor"
        normal = [0, 0, 1]

        [[walls]]
        type = "servo_wall"
        name = "lid"
        normal = [0, 0, -1]
        offset = -0.02
        mass = 0.5
        pressure = [[0, 100], [1, 300]]
        area = 0.1

        [[elements]]
        type = "SpherePlane"
        spheres = "spheres"
        planes = ["floor", "lid"]

        [[drives]]
        type = "JointSpring"
        joint = "lid"
        stiffness = 10.0

        [run]
        t_end = 0.1
        h = 1e-3
        """
    )
    result = case.run()
    assert abs(ns.plane_force(result, "lid")[-1, 2] - 12.0) < 0.02
