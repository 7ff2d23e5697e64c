"""Located impacts beside a crowd: bodies whose many contacts meet as in fixed steps."""

import math

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.contact.impacts.crowds import CROWD
from nsgalpha.schemes.generalized_alpha.located_stepper import LocatedStepper
from nsgalpha.schemes.stepper_interface import Advance
from nsgalpha.stepping.step_outcome import LOCATE

G, R, UP = 9.81, 0.05, (0, 0, 1)
H, DROP = 2e-3, 0.05


def pyramid(layers=5, mu=0.5):
    """A pyramid, which slides apart, and a ball that bounces beside it, body 0."""
    model = ns.Model(gravity=(0, 0, -G))
    model.add_sphere(radius=R, mass=1.0, position=(5, 5, R + DROP))
    for layer in range(layers):
        for i in range(layers - layer):
            for j in range(layers - layer):
                place = R * (2 * i + layer), R * (2 * j + layer), R * (1 + layer * math.sqrt(2))
                model.add_sphere(radius=R, mass=1.0, position=place)
    model.add(SphereSphere(among=model.spheres, mu=mu, e_n=0.5))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=UP), mu=mu, e_n=0.8))
    return model


def bounces(until):
    """Times [s] of the impacts of a ball that falls by DROP: v' = e v."""
    arrival, v = math.sqrt(2.0 * DROP / G), math.sqrt(2.0 * DROP * G)
    found = []
    while arrival < until:
        found.append(arrival)
        v *= 0.8
        arrival += 2.0 * v / G
    return found


def run(model, t_end, **options):
    result = ns.simulate(model, t_end=t_end, h=H, impacts="located", **options)
    assert result.status.ok, result.status
    return result


def struck(result, body):
    """Times [s] at which the vertical velocity of a `body` jumps upwards."""
    v = result.velocity[:, body, 2]
    return result.t[1:][np.diff(v) > 0.5]


def test_a_ball_beside_a_pyramid_that_falls_apart_bounces_exactly():
    """Its impacts are located, unlike those in the pyramid. Steps have few trials."""
    result = run(pyramid(), 0.17)
    fallen = np.abs(result.position[-1, 1:] - result.position[0, 1:]).max()
    assert fallen > 0.2 * R
    assert result.stats.trials.sum() < 3 * len(result.stats.h)
    missed = np.isin(result.stats.located, (-1, 2))
    assert missed.any()
    assert (result.stats.sub_impacts[missed] > 0).all()
    assert f"in {missed.sum()} steps impacts were not located" in str(result.status)
    assert struck(result, 0) == pytest.approx(bounces(0.17), abs=1e-12)


def test_a_pyramid_in_located_steps_is_that_in_fixed_steps():
    """No step has an event, and all are ordinary ones to the bit."""
    fixed = ns.simulate(pyramid(), t_end=0.09, h=H)
    located = run(pyramid(), 0.09)
    assert np.array_equal(fixed.position, located.position)
    assert np.array_equal(fixed.velocity, located.velocity)
    assert (located.stats.trials == 1).all()


def test_balls_that_touch_no_others_are_no_crowd():
    """More than enough contacts of bodies alone on the floor: each bounces at its time."""
    count = CROWD + 6
    model = ns.Model(gravity=(0, 0, -G))
    for k in range(count):
        model.add_sphere(radius=R, mass=1.0, position=(0.3 * k, 0, R + DROP))
    model.add(SphereSphere(among=model.spheres, e_n=0.5))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=UP), e_n=0.8))
    result = run(model, 0.3)
    assert (result.stats.located >= 0).all()
    for body in (0, count - 1):
        assert struck(result, body) == pytest.approx(bounces(0.3), abs=1e-12)


def test_a_row_is_no_crowd_until_it_has_many_contacts():
    """A cradle of fewer contacts passes an impact on at its time."""
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(-0.5, 0, 0), velocity=(1.0, 0, 0))
    for k in range(40):
        model.add_sphere(radius=R, mass=1.0, position=(2 * R * k, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    result = run(model, 0.5)
    assert result.t[1:][result.stats.located > 0] == pytest.approx([0.4], abs=1e-12)
    assert result.velocity[-1, :, 0] == pytest.approx([0.0] * 40 + [1.0], abs=1e-12)


@pytest.mark.parametrize("later", [1e-4, 2e-3, -1e-4])
def test_impulses_of_a_crowd_are_kept_where_another_ball_ends_the_step(later):
    """A layer falls flat, and a ball from higher by `later` [m]: momentum changes by all impulses."""
    model = ns.Model(gravity=(0, 0, -G))
    for k in range(72):
        model.add_sphere(radius=R, mass=1.0, position=(2 * R * (k % 9), 2 * R * (k // 9), R + 0.1))
    model.add_sphere(radius=R, mass=1.0, position=(3, 0, R + 0.1 + later))
    model.add(SphereSphere(among=model.spheres, e_n=0.5))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=UP), e_n=0.5))
    result = ns.simulate(model, t_end=0.16, h=4e-3, impacts="located")
    change = np.diff(result.velocity[:, :, 2], axis=0) + G * np.asarray(result.stats.h)[:, None]
    given, contacts = np.zeros_like(change), result.contacts
    np.add.at(given, (contacts.record - 1, contacts.body_a), contacts.impulse[:, 2])
    assert (contacts.impulse[contacts.body_b >= 0, 2] == 0.0).all()
    assert np.abs(change).max() > 2.0
    assert change == pytest.approx(given, abs=1e-12)
    missed = np.isin(result.stats.located, (-1, 2))
    assert missed.sum() >= 1
    assert (result.stats.located == 2).any() == (later == 1e-4)
    assert f"in {missed.sum()} step" in str(result.status)


def test_a_crowd_in_steps_from_python_is_that_of_the_compiled_loop(monkeypatch):
    one = run(pyramid(), 0.16)
    assert (one.stats.located > 0).any()
    monkeypatch.setattr(LocatedStepper, "_fly", lambda self, steps, *_: Advance(steps.first, LOCATE))
    two = run(pyramid(), 0.16)
    for name in ("t", "position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    for name in ("h", "located", "handed", "fast", "sub_impacts"):
        assert np.array_equal(getattr(one.stats, name), getattr(two.stats, name)), name


def test_a_crowd_in_a_resumed_run_is_that_of_the_whole(tmp_path):
    whole, parts = (ns.Recording(every=3, file=tmp_path / name) for name in ("a.h5", "b.h5"))
    one = run(pyramid(), 0.16, recording=whole)
    run(pyramid(), 0.09, recording=parts)
    two = ns.resume(parts.file, t_end=0.16)
    assert np.array_equal(one.stats.h, two.stats.h)
    for name in ("position", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name)[-1], getattr(two, name)[-1]), name


def test_trials_of_a_step_are_bounded(monkeypatch):
    """Beyond the bound the rest is a fixed step, which the status says."""
    monkeypatch.setattr("nsgalpha.schemes.generalized_alpha.located_stepper.MOST_IN_ALL", 50)
    monkeypatch.setattr(LocatedStepper, "crowd", 1 << 40)
    result = run(pyramid(3, mu=0.1), 0.4)
    full = np.cumsum(result.stats.h >= (1.0 - 1e-9) * H)
    trials = np.bincount(full - full[0], weights=result.stats.trials[:])
    assert 50 <= trials.max() < 150
    assert "impacts were not located" in str(result.status)
