"""Sliders under VelocityVerlet: bodies that one joint with the ground leaves one translation."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import (
    PD,
    CompliantSpherePlane,
    CompliantSphereSphere,
    Drag,
    Drive,
    Gear,
    Hertz,
    JointSpring,
    Marker,
    Motor,
    Prismatic,
    Revolute,
    SpringDashpot,
    add_servo_wall,
)

AXIS = np.array([2.0, -1.0, 2.0]) / 3
VERLET = ns.VelocityVerlet()


def carriage(**more):
    """A model with gravity and a body on a slanted slider."""
    model = ns.Model(gravity=(0.3, -1.0, -9.81))
    given = {
        "mass": 2.0,
        "inertia": (0.2, 0.3, 0.4),
        "position": (1.0, 2.0, 3.0),
        "rotation": (0.9, 0.1, -0.3, 0.2),
    }
    body = model.add_body(**given | more)
    return model, body, model.add(Prismatic(None, body, point=(0.5, 0, 0), axis=AXIS, name="rail"))


def test_weight_and_a_table_of_loads_accelerate_a_body_along_its_line():
    model, body, rail = carriage()
    model.add(Motor(rail, [[0.0, 1.0], [1.0, 5.0]], name="push"))
    result = ns.simulate(model, t_end=1.0, h=0.01, scheme=VERLET)
    pull = AXIS @ model.gravity
    way = 0.5 * (pull + 0.5) * result.t**2 + 2.0 * result.t**3 / 6
    c, rate = result.coordinate("rail")
    assert np.abs(c - way).max() < 5e-5
    assert (
        np.abs(rate - (pull + 0.5) * result.t - result.t**2).max() < 1e-12
    )  # the trapezoidal rule of a straight load
    assert np.abs(result.position[:, body] - body.position - c[:, None] * AXIS).max() < 1e-14
    assert np.array_equal(result.rotation[-1], result.rotation[0])
    force, torque = result.constraint_reaction("rail")
    weight = 2.0 * model.gravity
    assert np.abs(force - (pull * 2.0 * AXIS - weight)).max() < 1e-12
    lever = np.array((0.5, 0, 0)) + c[-1] * AXIS - result.position[-1, body]
    whole = result.reaction("rail")  # with the push, which acts at the point of the joint
    assert np.abs(whole.torque[-1] + np.cross(lever, whole.force[-1])).max() < 1e-12
    assert np.abs(torque[-1]).max() > 1.0


def test_springs_and_controllers_swing_to_second_order():
    errors = []
    for h in (0.01, 0.005):
        model, _, rail = carriage(gravity=0.0)
        model.add(JointSpring(rail, stiffness=50.0, rest=0.1))
        model.add(PD(rail, 0.4, stiffness=30.0, damping=0.8))
        result = ns.simulate(model, t_end=2.0, h=h, scheme=VERLET)
        middle, decay = (50 * 0.1 + 30 * 0.4) / 80, 0.2
        omega = np.sqrt(40 - decay**2)
        known = np.exp(-decay * result.t) * (
            np.cos(omega * result.t) + decay / omega * np.sin(omega * result.t)
        )
        errors.append(np.abs(result.coordinate("rail").value - middle * (1 - known)).max())
    assert errors[1] < 5e-4
    assert errors[0] / errors[1] > 3.5


def test_the_general_scheme_moves_it_alike():
    ends = []
    for scheme in (VERLET, ns.GeneralizedAlpha()):
        model, _, rail = carriage()
        model.add(Motor(rail, 3.0))
        model.add(JointSpring(rail, stiffness=50.0, damping=1.0))
        ends.append(ns.simulate(model, t_end=1.0, h=1e-4, scheme=scheme, record_every=1000))
    assert np.abs(ends[0].position - ends[1].position).max() < 1e-7
    for key in ("force", "torque"):
        one, other = (getattr(end.reaction("rail"), key) for end in ends)
        assert np.abs(one - other).max() < 1e-4
    assert np.abs(np.subtract(*(end.energy() for end in ends))).max() < 1e-5


def test_several_threads_move_walls_with_the_same_bits():
    model = ns.Model(gravity=(0, 0, -9.81))
    side = 12
    grains = [
        model.add_sphere(radius=0.01, mass=0.01, position=0.0199 * np.array(place) + (0, 0, 0.01))
        for place in np.ndindex(side, side, side)
    ]
    walls = [
        add_servo_wall(model, normal=(0, 0, -1), offset=-0.0199 * side, mass=1.0, force=20.0, name="lid"),
        add_servo_wall(model, normal=(1, 0, 0), offset=-0.01, mass=1.0, force=10.0, name="side"),
    ]
    soft = {"normal": Hertz(modulus=1e7)}
    model.add(CompliantSphereSphere(among=grains, **soft))
    planes = [*(wall.plane for wall in walls), model.add_plane(normal=(0, 0, 1))]
    model.add(CompliantSpherePlane(grains, planes, **soft))
    one, two = (ns.simulate(model, t_end=2e-3, h=5e-5, scheme=VERLET, threads=k) for k in (1, 2))
    for name in ("position", "velocity", "joints"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert np.abs(one.coordinate("side").value[-1]) > 1e-7


def pendulum():
    """A hinge."""
    model, body, _ = carriage()
    model.joints.clear()
    model.add(Revolute(None, body, point=(0, 0, 0), axis=AXIS, name="hinge"))
    return model


def two_bodies():
    """A slider between two bodies."""
    model, body, _ = carriage()
    other = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0))
    model.add(Prismatic(body, other, point=(0, 0, 0), axis=AXIS, name="inner"))
    return model


def held_twice():
    """A second slider of the same body."""
    model, body, _ = carriage()
    model.add(Prismatic(None, body, point=(0, 0, 0), axis=AXIS, name="second"))
    return model


def driven():
    """A slider with a prescribed motion."""
    model, _, rail = carriage()
    model.add(Drive(rail, rate=0.0, name="servo"))
    return model


def geared():
    """Two sliders with a ratio."""
    model, _, rail = carriage()
    other = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0))
    model.add(
        Gear(rail, model.add(Prismatic(None, other, point=(0, 0, 0), axis=AXIS)), ratio=2.0, name="gear")
    )
    return model


@pytest.mark.parametrize(
    ("build", "named"),
    [
        (pendulum, "GeneralizedAlpha for hinge; the only joints of VelocityVerlet are sliders"),
        (two_bodies, "GeneralizedAlpha for inner; the only joints"),
        (held_twice, "GeneralizedAlpha for second; a slider has one joint"),
        (driven, "GeneralizedAlpha for servo; sliders of VelocityVerlet take loads"),
        (geared, "GeneralizedAlpha for gear; sliders"),
    ],
)
def test_other_joints_and_drives_are_refused_by_name(build, named):
    with pytest.raises(ValueError, match=named):
        ns.simulate(build(), t_end=0.1, h=0.01, scheme=VERLET)


def test_implicit_schemes_know_no_sliders():
    model, body, _ = carriage()
    for scheme in (ns.SemiImplicit(), ns.Overdamped(Drag([body], translational=1.0))):
        with pytest.raises(ValueError, match="must be GeneralizedAlpha for joints"):
            ns.simulate(model, t_end=0.1, h=0.01, scheme=scheme)


def test_a_body_off_its_line_or_moving_across_is_refused():
    model, body, _ = carriage(velocity=(1.0, 0, 0))
    with pytest.raises(ValueError, match="velocity: violation of rail"):
        ns.simulate(model, t_end=0.1, h=0.01, scheme=VERLET)
    model, body, _ = carriage()
    model.joints.clear()
    model.add(Prismatic(Marker(None, (0, 0, 0), axis=AXIS), Marker(body, (0, 0, 0), axis=AXIS), name="rail"))
    with pytest.raises(ValueError, match="position: violation of rail"):
        ns.simulate(model, t_end=0.1, h=0.01, scheme=VERLET)


def test_a_soft_stop_beside_a_slider_acts_once():
    """A ball on a slider meets a plane: the joint does not disturb its contact."""
    depth = []
    for guided in (False, True):
        model = ns.Model(gravity=(0, 0, -9.81))
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
        if guided:
            model.add(Prismatic(None, ball, point=(0, 0, 0), axis=(0, 0, 1)))
        floor = model.add_plane(normal=(0, 0, 1))
        model.add(CompliantSpherePlane(ball, floor, normal=SpringDashpot(stiffness=1e4, damping=100.0)))
        depth.append(ns.simulate(model, t_end=0.5, h=1e-4, scheme=VERLET).position[:, ball, 2])
    assert np.abs(depth[0] - depth[1]).max() < 1e-15
    assert abs(depth[0][-1] - 0.1 + 9.81e-4) < 1e-9
