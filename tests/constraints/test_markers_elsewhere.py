"""Ropes, limits and friction with loads of Python and springs, in large islands, in other schemes."""

from itertools import pairwise

import numpy as np
import pytest

import nsgalpha as ns
from elements import JointFriction, Limit, Revolute, Rope, SpeedMotor, SpherePlane, Spring

ORIGIN = (0.0, 0.0, 0.0)


def arm(load=None, spring=False):
    model = ns.Model(gravity=(0, 0, -10))
    rod = model.add_body(mass=1.0, inertia=(1e-2, 0.1, 0.1), position=(0.5, 0, 0), name="rod")
    bob = model.add_sphere(radius=0.05, mass=0.2, position=(1, 0, -0.3))
    pin = model.add(Revolute(None, rod, point=ORIGIN, axis=(0, 1, 0)))
    model.add(Limit(pin, high=1.2, e_n=0.3, name="stop"))
    model.add(JointFriction(pin, bound=0.3, mu=0.1, radius=0.05, name="rub"))
    model.add(Rope(rod, bob, points=((1, 0, 0), (1, 0, -0.3)), length=0.4, name="rope"))
    if load is not None:
        model.add_load(load)
    if spring:
        model.add(Spring(pairs=[(rod, (0.5, 0, 5))], stiffness=1.0))
    return model


def push(t, state):
    force = np.zeros((2, 3))
    force[0, 2] = 2.0 - 8.0 * state.velocity[0, 2]
    return force


@pytest.mark.parametrize("made", [{"load": push}, {"spring": True}])
def test_they_act_beside_loads_as_they_do_alone(made):
    result = ns.simulate(arm(**made), t_end=1.0, h=2e-3)
    angle = result.coordinate(result.model.joints[0]).value
    assert result.status.ok
    assert angle.max() < 1.2 + 1e-13
    taut = np.linalg.norm(result.position[:, 1] - result.position[:, 0] - _tip(result), axis=1)
    assert taut.max() < 0.4 + 1e-12
    assert np.abs(result.reaction("rub").torque).max() > 0.3


def _tip(result):
    angle = result.coordinate(result.model.joints[0]).value
    return 0.5 * np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], axis=1)


def test_a_load_of_python_and_one_of_the_catalogue_hold_the_same_arm():
    still = ns.simulate(arm(load=lambda t, state: np.zeros((2, 3))), t_end=0.5, h=2e-3)
    alone = ns.simulate(arm(), t_end=0.5, h=2e-3)
    assert np.abs(still.position - alone.position).max() < 1e-10


def test_many_balls_on_ropes_come_to_rest_on_a_floor():
    model = ns.Model(gravity=(0, 0, -10))
    balls = [model.add_sphere(radius=0.05, mass=0.1, position=(0.12 * k, 0, 0.06)) for k in range(70)]
    for one, two in pairwise(balls):
        model.add(Rope(one, two, points=(one.position, two.position), length=0.121))
    model.add(SpherePlane(balls, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    result = ns.simulate(model, t_end=0.1, h=2e-3)
    assert result.status.ok
    assert np.abs(result.position[-1, :, 2] - 0.05).max() < 1e-10
    assert np.abs(result.velocity[-1]).max() < 1e-9


def test_a_chain_of_ropes_hangs_under_its_weight():
    model = ns.Model(gravity=(0, 0, -10))
    balls = [model.add_sphere(radius=0.05, mass=0.1, position=(0, 0, -0.2 * k - 0.2)) for k in range(120)]
    model.add(Rope(None, balls[0], points=(ORIGIN, balls[0].position)))
    ropes = [model.add(Rope(one, two, points=(one.position, two.position))) for one, two in pairwise(balls)]
    result = ns.simulate(model, t_end=0.02, h=2e-3)
    assert result.status.ok
    assert np.abs(result.position - result.position[0]).max() < 1e-9
    assert abs(result.reaction(ropes[0]).force[-1, 2] - 0.1 * 10 * 119) < 1e-4


@pytest.mark.parametrize("scheme", [ns.VelocityVerlet(), ns.SemiImplicit()])
def test_other_schemes_refuse_them(scheme):
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=ORIGIN)
    model.add(Rope(None, ball, points=(ORIGIN, ORIGIN), length=1.0))
    with pytest.raises(ValueError, match="GeneralizedAlpha"):
        ns.simulate(model, t_end=0.1, h=0.01, scheme=scheme)


def test_a_motor_lifts_what_hangs_on_a_rope_and_lowers_it_again():
    model = ns.Model(gravity=(0, 0, -10))
    rod = model.add_body(mass=1.0, inertia=(1e-2, 0.1, 0.1), position=(0.5, 0, 0))
    bob = model.add_sphere(radius=0.05, mass=0.2, position=(1, 0, -0.3))
    pin = model.add(Revolute(None, rod, point=ORIGIN, axis=(0, 1, 0)))
    motor = model.add(SpeedMotor(pin, speed=[(0, 0), (0.1, -0.5), (0.9, -0.5), (1.0, 0)], strength=20.0))
    model.add(Rope(rod, bob, points=((1, 0, 0), (1, 0, -0.3))))
    result = ns.simulate(model, t_end=4.0, h=1e-3)
    angle, rate = result.coordinate(pin)
    assert abs(angle[-1] + 0.45) < 1e-3
    assert np.abs(rate[1100:]).max() < 1e-11
    assert np.ptp(angle[1100:]) < 1e-6  # while the load swings on its rope
    weight = 7.0 * np.cos(angle[-1])
    assert abs(result.reaction(motor).torque[2000:, 1].mean() + weight) < 0.1 * weight
