"""Limits of joint coordinates: never beyond them, restitution by Newton's law, impulses in closed form."""

import dataclasses

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

ORIGIN = (0.0, 0.0, 0.0)


def rod(model, x=(0.5, 0, 0), **given):
    return model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=x, **given)


def pendulum(e_n, high=1.0):
    model = ns.Model(gravity=(0, 0, -9.81))
    pin = model.add(e.Revolute(None, rod(model), point=ORIGIN, axis=(0, 1, 0), name="pin"))
    return model, pin, model.add(e.Limit(pin, high=high, e_n=e_n, name="stop"))


def wheel(speed, **limit):
    model = ns.Model()
    body = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.2), position=ORIGIN, angular_velocity=(0, 0, speed))
    axle = model.add(e.Revolute(None, body, point=ORIGIN, axis=(0, 0, 1)))
    return model, axle, model.add(e.Limit(axle, **limit))


@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
def test_a_pendulum_stays_above_its_stop_and_comes_to_rest_on_it(e_n):
    model, pin, stop = pendulum(e_n)
    result = ns.simulate(model, t_end=5.0, h=1e-3)
    angle, rate = result.coordinate(pin)
    assert result.status.ok
    assert angle.max() < 1.0 + 1e-13
    if e_n < 1.0:
        assert abs(angle[-1] - 1.0) < 1e-13
        assert abs(rate[-1]) < 1e-12
        torque = result.reaction(stop).torque[-1]  # of the weight about the hinge
        assert np.abs(torque - (0, -0.5 * 9.81 * np.cos(1.0), 0)).max() < 20 * 1e-3**2  # of second order in h
    else:
        assert angle.min() < 0.01
        assert np.abs(result.energy()).max() < 0.01  # the start is at the height of the hinge


@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
def test_a_stop_gives_back_the_part_of_the_rate_that_its_restitution_says(e_n):
    model, axle, stop = wheel(2.0, high=1.0, e_n=e_n)
    result = ns.simulate(model, t_end=0.8, h=1e-3)
    angle, rate = result.coordinate(axle)
    assert abs(rate[-1] + 2.0 * e_n) < 1e-13
    assert angle.max() <= 1.0 + 8 * np.finfo(float).eps  # an angle is closed to ROUNDED_ANGLE, 9 of them
    impulse = result.reaction_impulse(stop)
    assert np.abs(impulse.torque.sum(axis=0) - (0, 0, -0.2 * 2.0 * (1.0 + e_n))).max() < 1e-13
    assert not impulse.force.any()


def test_an_elastic_wheel_between_stops_over_many_turns_loses_nothing():
    model, axle, _ = wheel(30.0, low=-100.0, high=50.0, e_n=1.0)
    result = ns.simulate(model, t_end=20.0, h=1e-3)
    angle, rate = result.coordinate(axle)
    assert angle.max() < 50.0 + 1e-12
    assert angle.min() > -100.0 - 1e-12
    assert np.abs(np.abs(rate) - 30.0).max() < 1e-12
    assert (np.diff(np.sign(rate)) != 0.0).sum() == 4  # at 1.67, 6.67, 11.67, 16.67 s


def test_a_run_goes_on_within_its_turns_to_the_bit():
    model, axle, _ = wheel(30.0, low=-100.0, high=50.0, e_n=0.9)
    whole = ns.simulate(model, t_end=12.0, h=1e-3)
    for t in (1.5, 4.0, 9.0):
        rest = ns.simulate(model, t_end=12.0, h=1e-3, state=whole.state(round(t / 1e-3)))
        for name in ("rotation", "angular_velocity", "joints"):
            assert np.array_equal(getattr(rest.state(), name), getattr(whole.state(), name))
    assert whole.coordinate(axle).value.max() > 49.0


@pytest.mark.parametrize("speed", [3.0, -3.0])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_slider_between_two_ends_keeps_its_momentum_by_halves(speed, swapped):
    model = ns.Model()
    body = model.add_body(mass=2.0, inertia=(0.1, 0.1, 0.1), position=ORIGIN, velocity=(0, 0, speed))
    sides = (body, None) if swapped else (None, body)
    rail = model.add(e.Prismatic(*sides, point=(0.3, 0, 0), axis=(0, 0, 1)))
    stop = model.add(e.Limit(rail, low=-0.4, high=0.4, e_n=0.5))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    s, v = result.coordinate(rail)
    assert np.abs(s).max() < 0.4 + 1e-15
    assert abs(abs(v[-1]) - 1.5) < 1e-13
    on_b = result.reaction_impulse(stop).force.sum(axis=0)
    assert abs(on_b[2] - np.sign(speed) * (1.0 if swapped else -1.0) * 2.0 * 4.5) < 1e-12
    # off the centre: the joint takes the torque
    assert np.abs(result.angular_velocity).max() < 1e-15


def test_two_bodies_with_backlash_turn_together_once_it_is_used_up():
    model = ns.Model()
    one, two = (
        model.add_body(mass=1.0, inertia=(0.1, 0.1, j), position=ORIGIN, angular_velocity=(0, 0, w))
        for j, w in ((0.2, 1.0), (0.15, 0.0))
    )
    model.add(e.Revolute(None, one, point=ORIGIN, axis=(0, 0, 1)))
    play = model.add(e.Revolute(one, two, point=ORIGIN, axis=(0, 0, 1)))
    model.add(e.Limit(play, low=-0.05, high=0.05))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    assert np.abs(result.angular_velocity[40, :, 2] - (1.0, 0.0)).max() < 1e-14
    assert np.abs(result.angular_velocity[-1, :, 2] - 0.2 / 0.35).max() < 1e-13
    assert abs(result.coordinate(play).value[-1] + 0.05) < 1e-13


def test_gears_with_backlash_by_a_wheel_between_them():
    """The gear drives a hub with play: all end with the first momentum."""
    ratio, play, inertias = -2.0, 0.05, (0.2, 0.01, 0.15)
    model = ns.Model()
    wheels = [
        model.add_body(mass=1.0, inertia=(0.1, 0.1, j), position=(x, 0, 0), angular_velocity=(0, 0, w))
        for j, x, w in zip(inertias, (0, 1, 1), (1.0, ratio, 0.0), strict=True)
    ]
    first, hub, second = wheels
    pinion, axle = (
        model.add(e.Revolute(None, each, point=(x, 0, 0), axis=(0, 0, 1)))
        for each, x in ((first, 0), (hub, 1))
    )
    model.add(e.Gear(pinion, axle, ratio=ratio))
    teeth = model.add(e.Revolute(hub, second, point=(1, 0, 0), axis=(0, 0, 1)))
    model.add(e.Limit(teeth, low=-play, high=play))
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    driving = inertias[0] + ratio**2 * inertias[1]
    after = driving / (driving + ratio**2 * inertias[2])
    before = result.t < play / abs(ratio) - 2e-3
    assert np.abs(result.angular_velocity[before, :, 2] - (1.0, ratio, 0.0)).max() < 1e-13
    assert np.abs(result.angular_velocity[-1, :, 2] - after * np.array((1.0, ratio, ratio))).max() < 1e-13
    assert abs(result.coordinate(teeth).value[-1] - play) < 1e-13


def test_the_impulse_of_the_hinge_is_that_which_its_rod_needs():
    """A rod with spin w about its end, stopped by a torque: m s w (1 + e)."""
    model = ns.Model()
    body = rod(model, angular_velocity=(0, 2, 0), velocity=(0, 0, -1))
    pin = model.add(e.Revolute(None, body, point=ORIGIN, axis=(0, 1, 0)))
    stop = model.add(e.Limit(pin, high=0.5, e_n=0.6))
    result = ns.simulate(model, t_end=0.4, h=1e-5)
    impulse, torque = (
        result.reaction_impulse(pin).force.sum(axis=0),
        result.reaction_impulse(stop).torque.sum(axis=0),
    )
    across = np.array([np.sin(0.5), 0, np.cos(0.5)])
    assert abs(impulse @ across - 0.5 * 2.0 * 1.6) < 1e-4
    assert abs(impulse @ (np.cos(0.5), 0, -np.sin(0.5))) < 1e-3
    assert abs(torque[1] + (1 / 12 + 0.25) * 2.0 * 1.6) < 1e-9


def test_a_ball_that_hits_a_slider_at_its_stop_is_thrown_back_whole():
    model = ns.Model()
    slider = model.add_sphere(radius=0.1, mass=1.0, position=ORIGIN)
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(-0.5, 0, 0), velocity=(2, 0, 0))
    rail = model.add(e.Prismatic(None, slider, point=ORIGIN, axis=(1, 0, 0)))
    model.add(e.Limit(rail, high=0.0, e_n=1.0))
    model.add(e.SphereSphere([slider, ball], e_n=1.0))
    result = ns.simulate(model, t_end=0.3, h=1e-3)
    assert np.abs(result.velocity[-1, :, 0] - (0.0, -2.0)).max() < 1e-12
    assert result.stats.sub_impacts.max() == 3
    assert np.abs(result.position[:, slider]).max() < 1e-14


def test_a_bolt_is_stopped_along_and_about_its_axis():
    model = ns.Model()
    body = model.add_body(
        mass=1.0, inertia=(0.1, 0.1, 0.2), position=ORIGIN, velocity=(0, 0, 1), angular_velocity=(0, 0, -2)
    )
    bolt = model.add(e.Cylindrical(None, body, point=ORIGIN, axis=(0, 0, 1)))
    model.add(e.Limit(bolt, coordinate="displacement", high=0.3, e_n=1.0))
    model.add(e.Limit(bolt, coordinate="angle", low=-0.3, e_n=0.5))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert abs(result.velocity[-1, 0, 2] + 1.0) < 1e-13
    assert abs(result.angular_velocity[-1, 0, 2] - 1.0) < 1e-13


def test_two_directions_of_a_table_have_their_own_ends():
    model = ns.Model()
    body = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.2), position=ORIGIN, velocity=(1, 0.7, 0))
    table = model.add(e.Planar(None, body, point=ORIGIN, normal=(0, 0, 1)))
    axes = table.axes[0]
    for name in ("first", "second"):
        model.add(e.Limit(table, coordinate=name, low=-0.2, high=0.2, e_n=1.0))
    result = ns.simulate(model, t_end=3.0, h=1e-3)
    for name, axis in (("first", axes[0]), ("second", axes[1])):
        s, v = result.coordinate(table, name)
        assert np.abs(s).max() < 0.2 + 1e-14
        assert np.abs(np.abs(v) - abs(axis @ (1, 0.7, 0))).max() < 1e-12


def test_a_start_beyond_a_limit_is_refused_by_how_much():
    model, _, _ = pendulum(0.5, high=-0.25)
    with pytest.raises(
        ValueError, match=r"stop: the angle is beyond \[-inf, -0.25\] rad by 0.25 rad at the start; move"
    ):
        ns.simulate(model, t_end=1.0, h=1e-3)
    slide = ns.Model()
    body = slide.add_body(mass=1.0, inertia=(1, 1, 1), position=ORIGIN)
    slide.add(e.Limit(slide.add(e.Prismatic(None, body, point=ORIGIN, axis=(0, 0, 1))), low=-1.0, high=1.0))
    away = dataclasses.replace(slide.initial_state(), position=np.array([[0, 0, 1.5]]))
    with pytest.raises(ValueError, match=r"the displacement is beyond \[-1, 1\] m by 0.5 m at the start"):
        ns.simulate(slide, t_end=1.0, h=1e-3, state=away)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "low, high: give at least one of them"),
        ({"low": 1.0, "high": 1.0}, r"high = 1.0: must be in \(1, inf\); it is above low"),
        ({"low": 1.0, "high": -1.0}, r"high = -1.0: must be in \(1, inf\)"),
        ({"low": np.nan}, r"low = nan: must be in"),
        ({"high": np.inf}, r"high = inf: must be in"),
        ({"high": 1.0, "e_n": 1.1}, r"e_n = 1.1: must be in \[0, 1\]"),
        ({"high": 1.0, "e_n": -0.1}, r"e_n = -0.1: must be in \[0, 1\]"),
        (
            {"high": 1.0, "coordinate": "displacement"},
            r"coordinate = 'displacement': must be angle for Revolute",
        ),
    ],
)
def test_what_no_limit_can_be_is_refused(given, says):
    model = ns.Model()
    pin = model.add(e.Revolute(None, rod(model), point=ORIGIN, axis=(0, 1, 0)))
    with pytest.raises(ValueError, match=says):
        e.Limit(pin, **given)


def test_a_joint_without_such_a_coordinate_is_refused():
    model = ns.Model()
    a, b = rod(model), rod(model, (1.5, 0, 0))
    bolt = e.Cylindrical(a, b, point=(1, 0, 0), axis=(1, 0, 0))
    with pytest.raises(ValueError, match=r"coordinate = None: must be angle or displacement for Cylindrical"):
        e.Limit(bolt, high=1.0)
    for joint in (
        e.Spherical(a, b, point=(1, 0, 0)),
        e.Distance(a, b, points=((1, 0, 0), (1.2, 0, 0))),
        e.Universal(a, b, point=(1, 0, 0), axis=(0, 1, 0), second=(0, 0, 1)),
    ):
        with pytest.raises(
            ValueError, match="has no displacement and no angle about one axis; take Revolute"
        ):
            e.Limit(joint, high=1.0)
    with pytest.raises(ValueError, match="joint = 'pin': must be a joint of the model"):
        e.Limit("pin", high=1.0)


def test_a_joint_that_is_in_no_model_is_refused():
    model = ns.Model()
    pin = e.Revolute(None, rod(model), point=ORIGIN, axis=(0, 1, 0), name="pin")
    model.add(e.Limit(pin, high=1.0))
    with pytest.raises(ValueError, match="joint: pin is in no model; add it to the model first"):
        ns.simulate(model, t_end=0.1, h=0.01)
