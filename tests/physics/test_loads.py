"""User loads f(t, state), alone and together with contact."""

import numpy as np
import pytest
from scenes import G, ball_on_table, pile

import nsgalpha as ns
from elements import SpherePlane

M = 0.5


def free_ball(load, velocity=(0, 0, 0), position=(0, 0, 0), inertia=None, spin=(0, 0, 0), t_end=1.0, h=1e-2):
    model = ns.Model()
    model.add_sphere(
        radius=0.1, mass=M, position=position, velocity=velocity, inertia=inertia, angular_velocity=spin
    )
    model.add_load(load)
    result = ns.simulate(model, t_end=t_end, h=h)
    assert result.status.ok, result.status
    return result


def test_a_constant_force_is_the_same_as_gravity():
    """Also with contacts: a pile under gravity against the same pile pulled by a load."""
    runs = []
    for loaded in (False, True):
        model = pile(count=4)
        if loaded:
            weight = np.array([body.mass * model.gravity for body in model.bodies])
            model.gravity = np.zeros(3)
            model.add_load(lambda t, state, weight=weight: weight)
        runs.append(ns.simulate(model, t_end=0.3, h=1e-3))
        assert runs[-1].status.ok, runs[-1].status
    assert len(runs[0].contacts.record) > 50
    assert np.abs(runs[0].position - runs[1].position).max() < 1e-11
    assert np.abs(runs[0].velocity - runs[1].velocity).max() < 1e-9


def test_loads_add_up():
    result = free_ball(lambda t, state: np.array([[1.0, 0, 0]]))
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=M, position=(0, 0, 0))
    for _ in range(2):
        model.add_load(lambda t, state: np.array([[0.5, 0, 0]]))
    assert ns.simulate(model, t_end=1.0, h=1e-2).position == pytest.approx(result.position, abs=1e-14)


def test_a_spring_oscillates_with_second_order():
    omega = 5.0
    errors = []
    for h in (1e-2, 5e-3):
        result = free_ball(lambda t, s: -M * omega**2 * s.position, position=(1, 0, 0), t_end=2.0, h=h)
        errors.append(np.abs(result.position[:, 0, 0] - np.cos(omega * result.t)).max())
    assert errors[1] < 5e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_linear_drag_decays_with_second_order():
    errors = []
    for h in (1e-2, 5e-3):
        result = free_ball(lambda t, s: -M * 2.0 * s.velocity, velocity=(1, 2, 3), h=h)
        exact = np.array([1.0, 2.0, 3.0]) * np.exp(-2.0 * result.t)[:, None]
        errors.append(np.abs(result.velocity[:, 0] - exact).max())
    assert errors[1] < 5e-5
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_a_force_in_time_is_taken_at_the_right_time():
    errors = []
    for h in (1e-2, 5e-3):
        result = free_ball(lambda t, s: np.array([[M * np.cos(3.0 * t), 0, 0]]), h=h)
        errors.append(np.abs(result.velocity[:, 0, 0] - np.sin(3.0 * result.t) / 3.0).max())
    assert errors[1] < 2e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("inertia", [0.2, (0.2, 0.3, 0.4)])
def test_a_torque_turns_a_ball_about_a_principal_axis(inertia):
    result = free_ball(lambda t, s: (np.zeros((1, 3)), np.array([[0, 0, 0.6]])), inertia=inertia)
    inertia_z = np.broadcast_to(inertia, 3)[2]
    assert result.angular_velocity[-1, 0] == pytest.approx((0, 0, 0.6 / inertia_z), abs=1e-11)


def test_an_inertial_torque_on_a_general_body_changes_the_angular_momentum_by_its_time():
    torque = np.array([[0.3, -0.2, 0.5]])
    errors = []
    for h in (1e-2, 5e-3):
        result = free_ball(
            lambda t, s: (np.zeros((1, 3)), torque), inertia=(0.2, 0.3, 0.4), spin=(1, 2, 3), h=h
        )
        change = result.angular_momentum()[-1] - result.angular_momentum()[0]
        errors.append(np.abs(change - torque).max())
    assert errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


def test_pressing_harder_increases_the_friction():
    for press in (0.0, 2.0):
        model, ball = ball_on_table((2.0, 0, 0), mass=M, mu=0.2)
        model.add_load(lambda t, s, press=press: np.array([[0, 0, -press]]))
        result = ns.simulate(model, t_end=0.1, h=1e-3)
        assert result.velocity[-1, ball, 0] == pytest.approx(2.0 - 0.02 * (G + press / M), abs=1e-11)


def test_a_load_that_feels_the_contact_is_solved_with_it():
    """Drag on a ball that a plane accelerates: the corrected velocity counts."""
    c, a = 5.0, 3.0
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=0.1, mass=M, position=(0, 0, 0.1))
    plane = model.add_plane(normal=(0, 0, 1), motion=lambda t: ((0, 0, 0.5 * a * t * t), (0, 0, a * t)))
    model.add(SpherePlane(ball, plane))
    model.add_load(lambda t, s: -c * s.velocity)
    h = 1e-3
    result = ns.simulate(model, t_end=0.5, h=h)
    assert result.status.ok, result.status
    assert result.velocity[:, ball, 2] == pytest.approx(a * result.t, abs=1e-9)
    contacts = result.contacts
    t = result.t[contacts.record]
    assert contacts.multipliers[:, 0] / h == pytest.approx(M * (G + a) + c * a * t, rel=2e-2)


def test_a_spring_holds_a_ball_against_a_wall():
    """Attracted behind the wall: it bounces once with e = 0; the wall carries k d."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=M, position=(0, 0, 0.3))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    model.add_load(lambda t, s: -20.0 * (s.position + np.array([0, 0, 0.5])))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    assert result.status.ok, result.status
    assert result.position[-1, ball, 2] == pytest.approx(0.1, abs=1e-12)
    assert result.contacts.multipliers[-1, 0] == pytest.approx(20.0 * 0.6 * 1e-3, rel=1e-9)


def test_a_load_too_stiff_for_the_step_ends_the_run_with_a_status():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=M, position=(1, 0, 0))
    model.add_load(lambda t, s: -1e9 * s.position)
    with np.errstate(over="ignore", invalid="ignore"):
        result = ns.simulate(model, t_end=1.0, h=1e-2)
    assert not result.status.ok
    assert result.status.subproblem == "smooth motion"
    assert "reduce h" in result.status.message
    assert len(result.t) == 1
