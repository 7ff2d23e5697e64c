"""Mechanisms at rest on stops and ropes, against closed forms."""

import math

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

G, Y = 9.81, (0.0, 1.0, 0.0)


def pendulum(angle=0.0, **turned):
    """A bar of 1 m and 1 kg on a hinge, `angle` below the x axis."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    place = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    rod = model.add_body(
        mass=1.0,
        inertia=(1e-3, 1 / 12, 1 / 12),
        position=0.5 * place,
        rotation=(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0),
        name="rod",
        **turned,
    )
    # the coordinate is 0 along x
    return model, rod, model.add(e.Revolute(None, rod, point=(0, 0, 0), axis=Y, name="pin"))


def two_bars():
    """A double pendulum along x."""
    model, rod, pin = pendulum()
    next_one = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(1.5, 0, 0))
    return model, (rod, next_one), (pin, model.add(e.Revolute(rod, next_one, point=(1, 0, 0), axis=Y)))


def test_a_pendulum_rests_on_its_stop_or_falls_past_one_that_is_further():
    model, _, pin = pendulum()
    stop = model.add(e.Limit(pin, low=-1.0, high=0.7, name="stop"))
    found = ns.equilibrium(model)
    assert found, found.status
    assert abs(found.coordinate(pin).value - 0.7) < 1e-13
    force, torque = found.reaction(stop)
    assert not force.any()
    assert np.abs(torque - (0, -0.5 * G * math.cos(0.7), 0)).max() < 1e-9
    assert np.abs(found.reaction("pin").force - (0, 0, G)).max() < 1e-9
    assert (found.free, found.unstable) == (0, 0)

    model, _, pin = pendulum()
    stop = model.add(e.Limit(pin, high=2.0))
    found = ns.equilibrium(model)
    assert found, found.status
    assert abs(found.coordinate(pin).value - 0.5 * math.pi) < 1e-9
    assert not np.abs(found.reaction(stop).torque).any()


@pytest.mark.parametrize("stiffness", [1.0, 50.0])
def test_a_spring_lifts_a_bar_off_its_stop_or_does_not(stiffness):
    """The larger of k (rest - c) and the weight wins: it leaves the stop."""
    model, _, pin = pendulum()
    stop = model.add(e.Limit(pin, high=0.0))
    spring = model.add(e.JointSpring(pin, stiffness=stiffness, rest=-0.5))
    found = ns.equilibrium(model)
    assert found, found.status
    c = found.coordinate(pin).value
    if stiffness == 1.0:
        assert abs(c) < 1e-13
        assert abs(found.reaction(stop).torque[1] - (-0.5 * G + 0.5)) < 1e-9
    else:
        assert -0.5 < c < -0.1
        assert abs(found.effort(spring).value + 0.5 * G * math.cos(c)) < 1e-8
        assert not found.reaction(stop).torque.any()


def test_two_bars_rest_on_a_stop_each():
    model, _, (pin, elbow) = two_bars()
    stops = model.add(e.Limit(pin, high=0.3)), model.add(e.Limit(elbow, high=0.5))
    found = ns.equilibrium(model)
    assert found, found.status
    assert [round(found.coordinate(each).value, 12) for each in (pin, elbow)] == [0.3, 0.5]
    inner = 0.5 * G * math.cos(0.8)
    outer = 0.5 * G * math.cos(0.3) + G * (math.cos(0.3) + 0.5 * math.cos(0.8))
    assert abs(found.reaction(stops[1]).torque[1] + inner) < 1e-9
    assert abs(found.reaction(stops[0]).torque[1] + outer) < 1e-9


def test_the_weight_on_a_rope_hangs_below_its_point():
    """Without a joint in the model, from the side; and in two ropes."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    ball = model.add_sphere(radius=0.05, mass=2.0, position=(0.3, 0.2, 0.5))
    rope = model.add(e.Rope(None, ball, points=((0, 0, 1), (0.3, 0.2, 0.5)), length=0.8))
    found = ns.equilibrium(model)
    assert found, found.status
    assert np.abs(found.state.position[ball] - (0, 0, 0.2)).max() < 1e-8
    assert np.abs(found.reaction(rope).force - (0, 0, 2 * G)).max() < 1e-7

    model = ns.Model(gravity=(0.0, 0.0, -G))
    ball = model.add_sphere(radius=0.05, mass=2.0, position=(0.1, 0.0, 0.4))
    ropes = [
        model.add(e.Rope(None, ball, points=((x, 0, 1), (0.1, 0, 0.4)), length=length))
        for x, length in ((-0.6, 1.0), (0.6, 1.0), (0.0, 3.0))
    ]
    found = ns.equilibrium(model)
    assert found, found.status
    assert np.abs(found.state.position[ball] - (0, 0, 0.2)).max() < 1e-8
    pulls = np.array([found.reaction(rope).force for rope in ropes])
    assert np.abs(pulls - [(-0.75 * G, 0, G), (0.75 * G, 0, G), (0, 0, 0)]).max() < 1e-7
    assert found.unstable == 0


def test_a_slack_rope_does_nothing_and_a_slider_leans_on_its_end():
    model = ns.Model(gravity=(0.0, 0.0, -G))
    carriage = model.add_body(mass=3.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))
    slope = np.array([math.cos(0.4), 0.0, -math.sin(0.4)])
    rail = model.add(e.Prismatic(None, carriage, point=(0, 0, 0), axis=slope))
    end = model.add(e.Limit(rail, high=0.25))
    rope = model.add(e.Rope(None, carriage, points=((0, 0, 1), (0, 0, 0)), length=5.0))
    found = ns.equilibrium(model)
    assert found, found.status
    assert abs(found.coordinate(rail).value - 0.25) < 1e-13
    assert np.abs(found.reaction(end).force + 3.0 * G * math.sin(0.4) * slope).max() < 1e-9
    assert not found.reaction(rope).force.any()


def test_convergence_is_quadratic_with_the_pull_of_a_rope():
    """A ball on rope and spring: the matrix has the rope's geometric stiffness."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    ball = model.add_sphere(radius=0.2, mass=1.0, position=(0, 0, 0))
    peg = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(1.5, 0, 0.2))
    model.add(e.Rigid(None, peg, point=(1.5, 0, 0.2)))
    model.add(e.Rope(None, ball, points=((0, 0, 1), (0, 0, 0))))
    model.add(e.Spring([(ball, peg)], stiffness=20.0, length=1.0))
    found = ns.equilibrium(model, tol=1e-13)
    assert found, found.status
    last = [r for r in found.residuals[0] if r > 0.0][-4:]
    assert found.iterations < 25
    assert last[-1] < 1e-13
    assert last[-2] < 1e-4  # from there to rounding in one


def test_a_motor_that_does_not_manage_is_a_load():
    model, _, pin = pendulum()
    motor = model.add(e.SpeedMotor(pin, speed=-2.0, strength=1.5))
    found = ns.equilibrium(model)
    assert found, found.status
    c = found.coordinate(pin).value
    assert abs(0.5 * G * math.cos(c) - 1.5) < 1e-9
    assert abs(found.reaction(motor).torque[1] + 1.5) < 1e-12
    assert (found.free, found.unstable) == (0, 0)


def test_a_run_from_it_stays_and_has_the_same_reactions():
    model, _, (pin, elbow) = two_bars()
    stops = model.add(e.Limit(pin, high=0.3)), model.add(e.Limit(elbow, high=0.5))
    found = ns.equilibrium(model)
    result = ns.simulate(model, t_end=0.05, h=1e-3, state=found.state)
    assert np.abs(result.velocity).max() < 1e-10
    for each in (pin, elbow, *stops):
        for ours, theirs in zip(found.reaction(each), result.reaction(each), strict=True):
            assert np.abs(ours - theirs[-1]).max() < 20 * 1e-3**2  # of second order in h


def test_angles_of_stops_count_their_turns():
    model, _, pin = pendulum()
    model.add(e.Limit(pin, low=2 * math.pi - 0.5, high=2 * math.pi + 0.4))
    state = model.initial_state()
    with pytest.raises(ValueError, match=r"beyond \[5.78319, 6.68319\] rad"):
        ns.equilibrium(model, state)


def test_what_may_hold_anything_is_refused_by_name():
    for bad, says in (
        (lambda pin: e.JointFriction(pin, bound=1.0), "without friction and brakes .* no one state"),
        (lambda pin: e.SpeedMotor(pin, speed=0.0, strength=1.0), "without friction and brakes"),
    ):
        model, _, pin = pendulum()
        element = model.add(bad(pin))
        with pytest.raises(ValueError, match=says) as error:
            ns.equilibrium(model)
        assert element.name in str(error.value)
    model, _, pin = pendulum()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.1))
    with pytest.raises(ValueError, match="state these contacts as compliant ones"):
        ns.equilibrium(model)
