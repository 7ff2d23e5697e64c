"""Contacts that joints hold: no impulse of theirs moves anything, and the rows of their operator are zero."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns


def test_friction_behind_a_driven_gear_is_felt_by_the_drive():
    speed, ratio, bound = 8.0, -3.0, 0.1
    model = ns.Model(gravity=(0, 0, -9.81))
    pins = []
    for k, rate in enumerate((speed, ratio * speed)):
        spin = (0, rate, 0)
        wheel = model.add_body(mass=1.0, inertia=(0.05, 0.1, 0.05), position=(0, k, 0), angular_velocity=spin)
        pins.append(model.add(e.Revolute(None, wheel, point=(0, k, 0), axis=(0, 1, 0))))
    servo = model.add(e.Drive(pins[0], rate=speed))
    model.add(e.Gear(*pins, ratio=ratio))
    rub = model.add(e.JointFriction(pins[1], bound=bound))
    result = ns.simulate(model, t_end=0.1, h=2e-3)
    assert result.status, result.status
    assert np.allclose(result.reaction(rub).torque[1:, 1], bound, atol=1e-12)
    assert np.allclose(result.effort(servo)[0][1:], bound * abs(ratio), atol=1e-9)


def test_two_balls_that_touch_and_are_one_roll_on():
    place = np.array([np.cos(0.7), np.sin(0.7), 0.0])
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [
        model.add_sphere(radius=0.1, mass=1.0, position=s * 0.1 * place + (0, 0, 0.1), velocity=(1, 0.5, 0))
        for s in (-1, 1)
    ]
    model.add(e.Rigid(*balls, point=(0, 0, 0.1)))
    model.add(e.SphereSphere(balls, mu=0.4, e_n=0.5))
    model.add(e.SpherePlane(balls, model.add_plane(normal=(0, 0, 1)), mu=0.0))
    result = ns.simulate(model, t_end=0.1, h=2e-3)
    assert result.status, result.status
    assert np.allclose(result.velocity, (1, 0.5, 0), atol=1e-12)


def test_what_was_added_already_would_act_twice():
    model = ns.Model()
    rod = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    pin = model.add(e.Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    for each in (pin, e.Motor(pin, 1.0, name="motor"), e.Limit(pin, high=1.0, name="stop")):
        if each is not pin:
            model.add(each)
        with pytest.raises(ValueError, match=rf"{each.name} was added already"):
            model.add(each)


def test_a_ball_that_is_fixed_where_it_touches_stays():
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    weld = model.add(e.Rigid(None, ball, point=(0, 0, 0)))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.3, e_n=0.5))
    result = ns.simulate(model, t_end=0.1, h=2e-3)
    assert result.status, result.status
    assert np.abs(result.velocity).max() < 1e-15
    assert np.allclose(result.reaction(weld).force[1:, 2], 9.81, atol=1e-12)


def test_a_servo_at_rest_holds_against_friction():
    model = ns.Model(gravity=(0, 0, -9.81))
    pins = []
    for k in range(2):
        wheel = model.add_body(mass=1.0, inertia=(0.05, 0.1, 0.05), position=(0, k, 0))
        pins.append(model.add(e.Revolute(None, wheel, point=(0, k, 0), axis=(0, 1, 0))))
    model.add(e.Drive(pins[0], 0.0))
    model.add(e.Gear(*pins, ratio=-3.0))
    model.add(e.JointFriction(pins[1], bound=0.1))
    result = ns.simulate(model, t_end=0.1, h=2e-3)
    assert result.status, result.status
    assert np.abs(result.angular_velocity).max() < 1e-14
