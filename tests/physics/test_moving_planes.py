"""Balls on planes in prescribed motion and on planes that a free body carries."""

import numpy as np
import pytest
from scenes import G

import nsgalpha as ns
from elements import SpherePlane

R, M = 0.03, 0.17


def ball_on_moving_plane(
    motion, position=(0, 0, R), velocity=(0, 0, 0), spin=(0, 0, 0), t_end=0.5, h=1e-3, **law
):
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=M, position=position, velocity=velocity, angular_velocity=spin)
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1), motion=motion), **law))
    result = ns.simulate(model, t_end=t_end, h=h)
    assert result.status.ok, result.status
    return result


@pytest.mark.parametrize("acceleration", [3.0, 9.0])
def test_a_sideways_accelerating_plane_drags_a_ball_by_rolling_or_by_friction(acceleration):
    mu = 0.2
    result = ball_on_moving_plane(
        lambda t: ((0.5 * acceleration * t * t, 0, 0), (acceleration * t, 0, 0)), mu=mu
    )
    expected = min(2.0 / 7.0 * acceleration, mu * G)
    t = result.t
    assert result.velocity[:, 0, 0] == pytest.approx(expected * t, abs=1e-11)
    assert result.position[:, 0, 0] == pytest.approx(0.5 * expected * t * t, abs=1e-11)
    assert result.angular_velocity[:, 0, 1] * R == pytest.approx(-2.5 * expected * t, abs=1e-10)


def test_a_rising_plane_lifts_the_ball_and_presses_harder():
    a = 4.0
    result = ball_on_moving_plane(lambda t: ((0, 0, 0.5 * a * t * t), (0, 0, a * t)), mu=0.2)
    assert result.position[:, 0, 2] == pytest.approx(R + 0.5 * a * result.t**2, abs=1e-11)
    assert result.velocity[:, 0, 2] == pytest.approx(a * result.t, abs=1e-11)
    assert result.contacts.multipliers[:, 0] == pytest.approx(M * (G + a) * 1e-3, rel=1e-9)


def test_a_plane_that_falls_faster_than_gravity_leaves_the_ball():
    result = ball_on_moving_plane(lambda t: ((0, 0, -G * t * t), (0, 0, -2 * G * t)))
    assert result.position[:, 0, 2] == pytest.approx(R - 0.5 * G * result.t**2, abs=1e-12)
    assert len(result.contacts.record) == 0


def test_a_ball_dropped_on_a_rising_plane_rebounds_from_its_speed():
    result = ball_on_moving_plane(
        lambda t: ((0, 0, 2.0 * t), (0, 0, 2.0)), position=(0, 0, R + 1e-9), velocity=(0, 0, -1.0),
        t_end=1e-6, h=1e-6, e_n=0.5,
    )  # fmt: skip
    assert result.velocity[-1, 0, 2] == pytest.approx(2.0 + 0.5 * 3.0, abs=2e-5)


def test_a_ball_on_a_turntable_circles_with_two_sevenths_of_its_speed():
    """Rolling on a plane rotating with Omega: dv/dt = 2/7 Omega x v, for any size."""
    rate, v0 = 6.0, 0.3

    def motion(t):
        return (0, 0, 0), (0, 0, 0), (np.cos(rate * t / 2), 0, 0, np.sin(rate * t / 2)), (0, 0, rate)

    x0 = np.array([0.2, -0.1])
    # rolling: v + w x (-R n) = Omega x x  at the contact
    surface = rate * np.array([-x0[1], x0[0]])
    velocity = np.array([v0, 0.0])
    slip = surface - velocity  # = w x (-R n) = R (-w_y, w_x)
    errors = []
    for h in (2e-3, 1e-3):
        result = ball_on_moving_plane(
            motion, (*x0, R), (*velocity, 0), (slip[1] / R, -slip[0] / R, 0), t_end=2.0, h=h, mu=5.0
        )
        turn = 2.0 / 7.0 * rate * result.t
        exact = x0 + v0 / (2.0 / 7.0 * rate) * np.column_stack((np.sin(turn), 1.0 - np.cos(turn)))
        errors.append(np.abs(result.position[:, 0, :2] - exact).max())
        assert (result.contacts.status == "stick").all()
    assert errors[1] < 5e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.1)


def carrier_scene(offset, **law):
    """A ball falls on the plane of a free general body, off its centre."""
    model = ns.Model()
    carrier = model.add_sphere(radius=0.1, mass=5.0, position=(0, 0, -0.2), inertia=(0.2, 0.3, 0.25))
    ball = model.add_sphere(radius=R, mass=M, position=(*offset, R), velocity=(0.3, 0.1, -2.0))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1), offset=0.2, body=carrier), **law))
    return model, carrier, ball


@pytest.mark.parametrize("mu", [0.0, 0.1, 2.0])
def test_impact_on_a_carried_plane_conserves_momentum_and_angular_momentum(mu):
    model, _carrier, ball = carrier_scene((0.4, -0.3), mu=mu, e_n=0.6, drilling_radius=0.01 * mu)
    result = ns.simulate(model, t_end=1e-7, h=1e-7)
    change = np.array([5.0, M])[:, None] * (result.velocity[1] - result.velocity[0])
    spin = result.angular_momentum()[1] - result.angular_momentum()[0]
    assert change[ball, 2] > 0.1
    assert np.abs(change.sum(axis=0)).max() < 1e-14
    assert np.abs((np.cross(result.position[1], change) + spin).sum(axis=0)).max() < 1e-14


def test_impact_on_a_carried_plane_has_the_effective_mass_of_the_point():
    x, y = 0.4, -0.3
    model, carrier, ball = carrier_scene((x, y), e_n=0.6)
    result = ns.simulate(model, t_end=1e-8, h=1e-8)
    compliance = 1.0 / M + 1.0 / 5.0 + y * y / 0.2 + x * x / 0.3
    assert result.velocity[1, ball, 2] == pytest.approx(-2.0 + 1.6 * 2.0 / compliance / M, abs=1e-6)
    w = -1.6 * 2.0 / compliance * np.array([y / 0.2, -x / 0.3, 0])
    assert result.angular_velocity[1, carrier] == pytest.approx(w, abs=1e-6)


def test_a_plane_on_a_very_heavy_body_is_a_fixed_plane():
    runs = []
    for carried in (True, False):
        model = ns.Model(gravity=(0, 0, 0))
        ball = model.add_sphere(
            radius=R, mass=M, position=(0, 0, 0.05), velocity=(1, 0, -1), angular_velocity=(3, 20, 1)
        )
        body = model.add_sphere(radius=1.0, mass=1e13, position=(0, 0, -3)) if carried else None
        plane = model.add_plane(normal=(0, 0, 1), offset=3.0 if carried else 0.0, body=body)
        model.add(SpherePlane(ball, plane, mu=0.3, e_n=0.5))
        runs.append(ns.simulate(model, t_end=0.1, h=1e-3))
    assert runs[0].velocity[:, 0] == pytest.approx(runs[1].velocity[:, 0], abs=1e-11)
    assert runs[0].angular_velocity[:, 0] == pytest.approx(runs[1].angular_velocity[:, 0], abs=1e-9)


def test_a_ball_that_sticks_in_a_plastic_impact_hands_its_momentum_to_a_free_plank():
    model = ns.Model()
    plank = model.add_sphere(radius=0.1, mass=2.0, position=(0, 0, -0.2), inertia=1e6)
    ball = model.add_sphere(radius=R, mass=M, position=(0, 0, R), velocity=(1.0, 0, -1.0))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1), offset=0.2, body=plank), mu=10.0))
    result = ns.simulate(model, t_end=1e-3, h=1e-3)
    v, w = result.velocity[-1], result.angular_velocity[-1]
    # one plastic, sticking impact: tangential effective mass of a ball 2/7 m against 2 kg
    p = 1.0 / (3.5 / M + 1.0 / 2.0)
    assert v[ball, 0] == pytest.approx(1.0 - p / M, abs=1e-5)
    assert v[plank, 0] == pytest.approx(p / 2.0, abs=1e-5)
    assert v[ball, 2] == pytest.approx(v[plank, 2], abs=1e-5)
    assert w[ball, 1] * R == pytest.approx(2.5 * p / M, abs=1e-4)
