"""Compliant contact in models with joints: both in one smooth motion, at any stiffness."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import elements as e
import nsgalpha as ns


def rolling(rod):
    """A soft ball rolls off a fixed one; 5 m away a `rod`, if present."""
    model = ns.Model(gravity=(0, 0, -9.81))
    top = 0.03, 0.01, np.sqrt(0.2**2 - 0.03**2 - 0.01**2) - 1e-4
    base = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), fixed=True)
    ball = model.add_sphere(radius=0.1, mass=1.0, position=top)
    soft = {
        "normal": e.SpringDashpot(stiffness=1e4, damping=5.0),
        "tangential": e.CundallStrack(stiffness=8e3, mu=0.5),
    }
    model.add(e.CompliantSphereSphere(pairs=[(base, ball)], **soft))
    if rod:
        bar = model.add_body(mass=0.3, inertia=(0.01, 0.01, 1e-3), position=(5.5, 0, 0))
        model.add(e.Revolute(None, bar, point=(5, 0, 0), axis=(0, 1, 0)))
    return model, ball


def test_a_hinge_far_away_changes_nothing_of_a_soft_contact():
    results = []
    for rod in (False, True):
        model, ball = rolling(rod)
        result = ns.simulate(model, t_end=0.15, h=1e-3)
        assert result.status, result.status
        results.append((result.position[:, ball], result.angular_velocity[:, ball]))
    for alone, beside in zip(*results, strict=True):
        assert beside == pytest.approx(alone, abs=1e-6)


def press(side, stiffness, damping, force):
    """A 2 kg plate on a slider, pressed by `force` [N] onto `side`^2 soft balls."""
    model = ns.Model(gravity=(0, 0, -9.81))
    place = 0.0204 * np.array(list(np.ndindex(side, side)))
    balls = [model.add_sphere(radius=0.01, mass=0.01, position=(x, y, 0.01)) for x, y in place]
    aside = 0.0102 * side, 0.01 * side, 0.02  # the load is not central
    plate = model.add_body(mass=2.0, inertia=(1e-3, 1e-3, 2e-3), position=aside, name="plate")
    planes = [model.add_plane(normal=(0, 0, 1)), model.add_plane(normal=(0, 0, -1), body=plate)]
    law = {
        "normal": e.SpringDashpot(stiffness=stiffness, damping=damping),
        "tangential": e.CundallStrack(stiffness=0.8 * stiffness, mu=0.4),
    }
    model.add(e.CompliantSpherePlane(balls, planes, **law))
    slider = model.add(e.Prismatic(None, plate, point=aside, axis=(0, 0, 1), name="slider"))
    model.add(e.Motor(slider, -force))
    return model, plate


def test_a_plate_on_a_slider_settles_on_a_bed_of_stiff_grains():
    force, stiffness = 110.0, 1e6
    model, plate = press(7, stiffness, 100.0, force)
    result = ns.simulate(model, t_end=0.03, h=1e-3)
    assert result.status, result.status
    assert not result.stats.divided.any()
    assert result.stats.smooth_iterations.max() <= 5
    share = (force + 2.0 * 9.81) / 49
    sunk = (2 * share + 0.01 * 9.81) / stiffness
    assert 0.02 - result.position[-1, plate, 2] == pytest.approx(sunk, rel=5e-3)
    assert np.abs(result.constraint_reaction("slider").force).max() < 1e-9 * force
    assert result.reaction("slider").force[-1, 2] == pytest.approx(-force)


def test_a_plate_that_rings_on_a_bed_converges_with_the_square_of_the_step():
    heights = []
    for h in (5e-4, 2.5e-4, 1.25e-4):
        model, plate = press(7, 2e4, 2.0, 272.0)
        result = ns.simulate(model, t_end=0.02, h=h)
        assert result.status, result.status
        assert not result.stats.divided.any()
        assert result.stats.smooth_iterations.max() <= 3
        heights.append(result.position[:: round(1e-3 / h), plate, 2])
    first, second = (np.abs(b - a).max() for a, b in pairwise(heights))
    assert first < 2e-5
    assert np.log2(first / second) == pytest.approx(2.0, abs=0.3)


def test_a_run_with_a_joint_and_closed_contacts_goes_on_to_the_bit():
    model, _ = press(3, 1e5, 5.0, 50.0)
    whole = ns.simulate(model, t_end=0.01, h=5e-4)
    again = ns.simulate(model, state=whole.state(8), t_end=0.01, h=5e-4)
    for name in ("position", "rotation", "velocity", "angular_velocity", "joints"):
        assert np.array_equal(getattr(whole, name)[8:], getattr(again, name)), name


@pytest.mark.parametrize("hard", ["stop", "ball"])
def test_stops_springs_and_soft_contact_hold_one_hinge_together(hard):
    """An arm on a soft ball and a hard stop, with a hinge spring: statics."""
    model = ns.Model(gravity=(0, 0, -10.0))
    arm = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0.2), name="arm")
    pin = model.add(e.Revolute(None, arm, point=(0, 0, 0.2), axis=(0, 1, 0), name="pin"))
    under = model.add_plane(normal=(0, 0, -1), body=arm)
    soft, firm = (
        model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, z), fixed=True)
        for x, z in ((0.5, 0.10001), (0.9, 0.1))
    )
    law = e.SpringDashpot(stiffness=1e5, damping=200.0)
    model.add(e.CompliantSpherePlane(soft, under, normal=law))
    model.add(e.JointSpring(pin, stiffness=50.0, damping=1.0, rest=-0.02))
    if hard == "stop":
        model.add(e.Limit(pin, high=0.0, name="stop"))
    else:
        model.add(e.SpherePlane(firm, under, mu=0.0))
    result = ns.simulate(model, t_end=0.1, h=2e-3)
    assert result.status, result.status
    assert not result.stats.divided.any()
    assert abs(result.coordinate(pin).value[-1]) < 1e-9
    # about the hinge: weight, spring, soft ball, 1 N, and hard contact
    rest = 0.5 * 10.0 - 50.0 * 0.02 - 0.5 * 1.0
    if hard == "stop":
        assert result.reaction("stop").torque[-1, 1] == pytest.approx(-rest, rel=1e-6)
        assert result.reaction(pin).torque[-1, 1] == pytest.approx(-1.0 - rest, rel=1e-6)
        assert result.constraint_reaction(pin).force[-1, 2] == pytest.approx(10.0 - 1.0, rel=1e-6)
    else:
        assert result.contacts.wrench[-1, 2] == pytest.approx(-rest / 0.9, rel=1e-6)
        upwards = 10.0 - 1.0 - rest / 0.9
        assert result.reaction(pin).force[-1, 2] == pytest.approx(upwards, rel=1e-6)


def landing(slider):
    """49 soft grains fall onto a plane; 5 m away a `slider`, if present."""
    model = ns.Model(gravity=(0, 0, -9.81))
    place = 0.0204 * np.array(list(np.ndindex(7, 7)))
    grains = [model.add_sphere(radius=0.01, mass=0.01, position=(x, y, 0.0101)) for x, y in place]
    law = {
        "normal": e.SpringDashpot(stiffness=1e5, damping=6.0),
        "tangential": e.CundallStrack(stiffness=8e4, mu=0.4),
    }
    model.add(e.CompliantSpherePlane(grains, model.add_plane(normal=(0, 0, 1)), **law))
    if slider:
        body = model.add_body(mass=1.0, inertia=(0.01, 0.01, 0.01), position=(5, 0, 0))
        model.add(e.Prismatic(None, body, point=(5, 0, 0), axis=(1, 0, 0)))
    return ns.simulate(model, t_end=0.02, h=1e-3)


def test_a_slider_far_away_changes_nothing_of_grains_that_land():
    alone, beside = landing(False), landing(True)
    assert alone.status
    assert beside.status
    assert beside.position[:, :49] == pytest.approx(alone.position, abs=1e-12)


@pytest.mark.parametrize("soft", [False, True])
def test_joints_hold_in_impacts_beside_soft_contact(soft):
    """A hinged double bar strikes a stop; 5 m away a soft ball falls."""
    model = ns.Model(gravity=(0, 0, -9.81))
    row = {"mass": 1.0, "inertia": (0.01, 0.02, 0.015), "angular_velocity": (0, 4, 0)}
    one = model.add_body(position=(0.15, 0.02, 0), velocity=(0, 0, -0.6), **row)
    two = model.add_body(position=(0.4, 0.1, -0.05), velocity=(-0.2, 0, -1.6), **row)
    hinge = model.add(e.Revolute(None, one, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(e.Revolute(one, two, point=(0.3, 0.03, 0), axis=(0, 1, 0.3)))
    model.add(e.Limit(hinge, high=0.1, e_n=0.4))
    if soft:
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(5, 0, 0.11))
        law = e.SpringDashpot(stiffness=1e4, damping=5.0)
        model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    result = ns.simulate(model, t_end=0.06, h=1e-3)
    assert result.status, result.status
    _, rate = result.coordinate(hinge)
    assert rate.max() > 4.0 > 0.0 > rate.min()
    of_hinge = np.linalg.norm(result.position[:, one], axis=1)
    assert np.ptp(of_hinge) < 1e-12


def test_redundant_sliders_hold_a_plate_on_grains_as_one_does():
    results = []
    for several in (False, True):
        model, plate = press(3, 1e5, 5.0, 50.0)
        if several:
            for x in (0.0, 0.1):
                model.add(e.Prismatic(None, plate, point=(x, 0.05, 0.02), axis=(0, 0, 1)))
        result = ns.simulate(model, t_end=0.01, h=5e-4)
        assert result.status, result.status
        results.append(result.position)
    assert results[1] == pytest.approx(results[0], abs=1e-9 * np.abs(results[0]).max())


def test_more_than_a_hundred_rows_of_hard_contact_carry_a_plate_on_a_slider():
    """Grains stand on the ground by hard contact and bear the plate by soft contact."""
    side, force = 6, 100.0
    model = ns.Model(gravity=(0, 0, -10))
    place = 0.0204 * np.array(list(np.ndindex(side, side)))
    grains = [model.add_sphere(radius=0.01, mass=0.01, position=(x, y, 0.01)) for x, y in place]
    plate = model.add_body(mass=2.0, inertia=(1e-3, 1e-3, 2e-3), position=(0.05, 0.05, 0.02))
    ground, under = model.add_plane(normal=(0, 0, 1)), model.add_plane(normal=(0, 0, -1), body=plate)
    model.add(e.SpherePlane(grains, ground, mu=0.3))
    model.add(e.CompliantSpherePlane(grains, under, normal=e.SpringDashpot(stiffness=1e5, damping=40.0)))
    slider = model.add(e.Prismatic(None, plate, point=(0.05, 0.05, 0.02), axis=(0, 0, 1)))
    model.add(e.Motor(slider, -force))
    result = ns.simulate(model, t_end=0.03, h=1e-3)
    assert result.status, result.status
    share = (force + 20.0) / side**2
    last = result.contacts.wrench[-(side**2) :, 2]
    assert np.abs(last) == pytest.approx(share + 0.1, rel=2e-3)
    assert 0.02 - result.position[-1, plate, 2] == pytest.approx(share / 1e5, rel=2e-3)


def test_an_arm_on_a_soft_ball_swings_as_its_differential_equation_says():
    stiffness, damping, g = 2e4, 5.0, 10.0

    def rates(_, y):
        angle, rate = y
        lever = 0.5 * np.cos(angle) + 0.1 * np.sin(angle)
        overlap = 0.1 + 0.5 * np.sin(angle) - 0.1 * np.cos(angle)
        push = stiffness * overlap + damping * lever * rate
        return rate, (0.5 * g * np.cos(angle) - push * lever) / (0.1 + 0.25)

    times = np.linspace(0.0, 0.04, 21)
    start = 2e-3
    exact = solve_ivp(rates, (0, 0.04), (start, 0.0), "DOP853", times, rtol=1e-12, atol=1e-14).y[0]
    errors = []
    for h in (1e-3, 5e-4):
        model = ns.Model(gravity=(0, 0, -g))
        turned = np.cos(start / 2), 0.0, np.sin(start / 2), 0.0
        place = 0.5 * np.cos(start), 0, 0.2 - 0.5 * np.sin(start)
        arm = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=place, rotation=turned)
        model.add(e.Revolute(None, arm, point=(0, 0, 0.2), axis=(0, 1, 0)))
        under = model.add_plane(normal=(0, 0, -1), body=arm)
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(0.5, 0, 0.1), fixed=True)
        law = e.SpringDashpot(stiffness=stiffness, damping=damping)
        model.add(e.CompliantSpherePlane(ball, under, normal=law))
        result = ns.simulate(model, t_end=0.04, h=h)
        assert result.status, result.status
        angle = 2.0 * np.arcsin(result.rotation[:: round(2e-3 / h), arm, 2])
        errors.append(np.abs(angle - exact).max())
    assert errors[0] < 0.02 * np.ptp(exact)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
