"""Sliding, rolling and drilling friction of single balls, against closed formulas."""

import numpy as np
import pytest
from scenes import G, ball_on_table

import nsgalpha as ns
from elements import SpherePlane

R, M = 0.03, 0.17


@pytest.mark.parametrize("rho_inf", [0.0, 0.8, 1.0])
@pytest.mark.parametrize("h", [1e-4, 3e-3])
def test_constant_sliding_friction_is_integrated_exactly(rho_inf, h):
    v0, mu = 2.0, 0.2
    model, ball = ball_on_table((v0, 0, 0), mu=mu)
    result = ns.simulate(model, t_end=0.28, h=h, rho_inf=rho_inf)  # it rolls from 2 v0 / (7 mu g) = 0.291 s
    t = result.t
    assert result.velocity[:, ball, 0] == pytest.approx(v0 - mu * G * t, abs=1e-12)
    assert result.position[:, ball, 0] == pytest.approx(v0 * t - 0.5 * mu * G * t**2, abs=1e-12)
    assert result.angular_velocity[:, ball, 1] == pytest.approx(2.5 * mu * G * t / R, abs=1e-9)
    assert np.abs(result.position[:, ball, 2] - R).max() < 1e-10 * R


def test_sliding_in_an_oblique_direction_with_side_spin_keeps_its_direction():
    """The slip of a ball keeps its direction, so that the friction is constant."""
    model, ball = ball_on_table((1.0, 0.5, 0.0), (40.0, -30.0, 7.0), mu=0.1)
    result = ns.simulate(model, t_end=0.1, h=1e-3)
    slip = np.array([1.0 - R * -30.0, 0.5 + R * 40.0])
    pull = -0.1 * G * slip / np.linalg.norm(slip)
    assert result.velocity[-1, ball, :2] == pytest.approx(np.array([1.0, 0.5]) + 0.1 * pull, abs=1e-12)
    assert result.angular_velocity[-1, ball, 2] == pytest.approx(7.0, abs=1e-13)


def test_a_ball_rolls_with_five_sevenths_of_its_speed():
    model, ball = ball_on_table((2.0, 0, 0), mu=0.2)
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert result.velocity[-1, ball, 0] == pytest.approx(10.0 / 7.0, abs=1e-12)
    assert result.angular_velocity[-1, ball, 1] == pytest.approx(10.0 / 7.0 / R, abs=1e-10)


def test_a_frictionless_ball_keeps_velocity_and_spin():
    model, ball = ball_on_table((2.0, 0.3, 0), (1.0, 2.0, 3.0))
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert result.velocity[-1, ball] == pytest.approx((2.0, 0.3, 0.0), abs=1e-13)
    assert result.angular_velocity[-1, ball] == pytest.approx((1.0, 2.0, 3.0), abs=1e-13)


@pytest.mark.parametrize("angle", [10.0, 50.0])
def test_a_ball_on_an_incline_rolls_or_slides(angle):
    tilt, mu = np.radians(angle), 0.2
    gravity = (G * np.sin(tilt), 0, -G * np.cos(tilt))
    model, ball = ball_on_table(gravity=gravity, mu=mu)
    result = ns.simulate(model, t_end=0.3, h=1e-3)
    rolling = 2.0 / 7.0 * np.tan(tilt) <= mu
    acceleration = 5.0 / 7.0 * gravity[0] if rolling else gravity[0] + mu * gravity[2]
    assert result.velocity[-1, ball, 0] == pytest.approx(acceleration * 0.3, rel=1e-10)
    assert result.position[-1, ball, 0] == pytest.approx(0.5 * acceleration * 0.09, rel=1e-9)
    assert set(result.contacts.status) == {"stick" if rolling else "slip"}


def test_rolling_resistance_stops_a_rolling_ball_and_holds_it():
    rho = 0.002
    model, ball = ball_on_table((1.0, 0, 0), (0, 1.0 / R, 0), mu=0.5, rolling_radius=rho)
    deceleration = 5.0 / 7.0 * G * rho / R
    stop = 1.0 / deceleration
    result = ns.simulate(model, t_end=1.2 * stop, h=1e-3)
    moving = result.t < stop - 1e-3
    assert result.velocity[moving, ball, 0] == pytest.approx(1.0 - deceleration * result.t[moving], abs=1e-9)
    assert np.abs(result.velocity[-1]).max() < 1e-12
    assert np.abs(result.angular_velocity[-1]).max() < 1e-11
    assert result.position[-1, ball, 0] == pytest.approx(0.5 * stop, abs=1e-4)


def test_rolling_resistance_holds_a_ball_on_a_gentle_incline_only():
    rho = 0.002
    for slope, held in ((0.9 * rho / R, True), (1.1 * rho / R, False)):
        model, ball = ball_on_table(gravity=(G * slope, 0, -G), mu=0.5, rolling_radius=rho)
        speed = ns.simulate(model, t_end=0.2, h=1e-3).velocity[-1, ball, 0]
        expected = 0.0 if held else 5.0 / 7.0 * G * (slope - rho / R) * 0.2
        assert speed == pytest.approx(expected, abs=1e-10)


def test_drilling_resistance_stops_a_spinning_ball():
    rho = 1e-3
    model, ball = ball_on_table(spin=(0, 0, 50.0), drilling_radius=rho)
    rate = rho * G / (0.4 * R * R)
    result = ns.simulate(model, t_end=60.0 / rate, h=1e-3)
    expected = np.maximum(50.0 - rate * result.t, 0.0)
    assert result.angular_velocity[:, ball, 2] == pytest.approx(expected, abs=1e-9)


def test_drilling_friction_does_not_hinder_rolling():
    model, ball = ball_on_table((1.0, 0, 0), (0, 1.0 / R, 0), mu=0.5, drilling_radius=1e-3)
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert result.velocity[-1, ball, 0] == pytest.approx(1.0, abs=1e-12)


def test_friction_at_a_ball_pressed_by_two_planes_is_that_of_both():
    """A ball in a symmetric right-angled groove slides along it: mu g sqrt(2) of deceleration."""
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=M, position=(0, 0, R * np.sqrt(2.0)), velocity=(0, 3.0, 0))
    walls = [model.add_plane(normal=(s, 0, 1)) for s in (1, -1)]
    model.add(SpherePlane(ball, walls, mu=0.1))
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert result.velocity[-1, ball, 1] == pytest.approx(3.0 - 0.2 * 0.1 * np.sqrt(2.0) * G, abs=1e-10)
    assert np.abs(result.position[:, ball, 0]).max() < 1e-12


def test_a_ball_dropped_with_spin_hops_off_forward():
    """Stick in the impact: 2/7 of the surface speed goes into the motion."""
    model, ball = ball_on_table((0, 0, -2.0), (0, 10.0, 0), gravity=(0, 0, 0), mu=1.0, e_n=0.5)
    result = ns.simulate(model, t_end=1e-6, h=1e-6)
    assert result.velocity[-1, ball] == pytest.approx((2.0 / 7.0 * 10.0 * R, 0, 1.0), abs=1e-12)
    assert result.angular_velocity[-1, ball, 1] == pytest.approx(10.0 * 2.0 / 7.0, abs=1e-11)


def test_bouncing_ball_strikes_when_it_should_and_comes_to_rest():
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=M, position=(0, 0, R + 0.9))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), e_n=0.5))
    h = 1e-3
    result = ns.simulate(model, t_end=1.5, h=h)
    fall = np.sqrt(2 * 0.9 / G)
    rest = fall * (1.0 + 2.0 * 0.5 / (1.0 - 0.5))
    jumps = result.t[1:][np.diff(result.velocity[:, ball, 2]) > 1.0]
    assert jumps[:3] == pytest.approx(fall * np.array([1.0, 2.0, 2.5]), abs=3 * h)
    assert np.abs(result.velocity[result.t > rest + 0.02, ball, 2]).max() < 1e-12
    assert result.position[-1, ball, 2] == pytest.approx(R, abs=1e-12)
