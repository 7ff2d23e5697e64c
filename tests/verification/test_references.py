"""Reference formulas against numbers that were worked out elsewhere, to the digits that were given."""

import numpy as np
import pytest

from verification.analytic import ball_chains, bouncing_ball, rolling_ball, spinning_ball, top
from verification.balls import INERTIA, MASS, RADIUS
from verification.oblique_impacts import reference as oblique
from verification.rigid_impact import Touch, impact_sequence
from verification.thirty_degree_rule import reference as thirty
from verification.throw_angle import reference as throw

BALL = (RADIUS, MASS, INERTIA)


def test_deflection_of_frictionless_balls():
    angles = [thirty.frictionless(k / 8, 0.93) for k in range(1, 8)]
    assert angles == pytest.approx([19.2005, 26.0854, 30.1075, 31.7121, 30.4476, 25.2486, 14.8908], abs=5e-5)


def test_deflection_with_elastic_balls_is_the_published_equation():
    cut = np.arcsin(1.0 - 0.25)
    published = np.degrees(np.arctan(np.sin(cut) * np.cos(cut) / (np.sin(cut) ** 2 + 0.4)))
    assert thirty.frictionless(0.25, 1.0) == pytest.approx(published, rel=1e-12)


def test_impact_by_hand_agrees_with_the_closed_form_without_friction():
    for fraction in (0.125, 0.5, 0.875):
        expected = thirty.frictionless(fraction, 0.93)
        assert thirty.with_friction(fraction, mu=0.0, e_n=0.93) == pytest.approx(expected, abs=1e-10)


def test_throw_angles():
    elastic = [throw.throw_angle(spin, mu, 1.0) for spin, mu in throw.SHOTS]
    assert elastic == pytest.approx([2.2334, 2.7481, 3.3765, 4.0814, 2.0433], abs=5e-5)
    assert throw.throw_angle(*throw.SHOTS[3], 0.93) == pytest.approx(4.2289, abs=5e-5)
    assert throw.throw_angle(*throw.SHOTS[4], 0.93) == pytest.approx(2.1173, abs=5e-5)


def test_sliding_to_rolling():
    free = rolling_ball.motion(2.0, 0.2, 0.0)
    assert (free.t_roll, free.v_roll, free.x_roll) == pytest.approx(
        (0.291545190, 10 / 7, 0.499791753), abs=5e-10
    )


def test_rolling_resistance_stops_the_ball():
    stopped = rolling_ball.motion(2.0, 0.2, 0.005)
    assert (stopped.t_stop, stopped.x_stop) == pytest.approx((1.166326531, 1.055173786), abs=5e-10)


def test_drilling_friction_stops_the_spin():
    assert spinning_ball.stopping_time(50.0, 1e-3) == pytest.approx(1.666389031, abs=5e-10)


def test_bouncing_ball():
    assert bouncing_ball.impact_times(3) == pytest.approx([0.428352937, 0.856705874, 1.070882342], abs=5e-10)
    assert bouncing_ball.rest_time() == pytest.approx(1.285058811, abs=5e-10)


def test_exact_bounces_start_and_end_on_the_floor():
    impacts = bouncing_ball.impact_times(4)
    height, velocity = bouncing_ball.exact(impacts)
    assert height == pytest.approx(np.zeros(4), abs=1e-12)
    assert velocity[1:] / velocity[:-1] == pytest.approx(np.full(3, 0.5))


def test_balls_that_touch():
    assert ball_chains.cradle(3, 0.93) == pytest.approx([0.033818, 0.034957, 0.931225], abs=5e-7)
    assert ball_chains.cradle(20, 1.0) == pytest.approx(np.eye(20)[19], abs=1e-15)
    two = ball_chains.one_onto_two(0.93)
    assert two.ravel() == pytest.approx([-0.158, 0, 0.579, 0.334286, 0.579, -0.334286], abs=5e-7)
    four = ball_chains.frictionless_break(0.93)
    expected = [-0.145909, 0, 0.028439, 0, 0.558735, 0.322586, 0.558735, -0.322586]
    assert four.ravel() == pytest.approx(expected, abs=1e-6)


def test_break_by_hand_agrees_with_the_closed_form_without_friction():
    c, s = np.sqrt(0.75), 0.5
    normals = {(0, 1): (-1.0, 0.0, 0.0), (1, 2): (-c, -s, 0.0), (1, 3): (-c, s, 0.0), (2, 3): (0.0, 1.0, 0.0)}
    touches = [Touch(a, b, normal, 0.0, 0.93) for (a, b), normal in normals.items()]
    v = np.zeros((4, 3))
    v[0, 0] = 1.0
    v, w = impact_sequence(touches, v, np.zeros((4, 3)), BALL)
    assert v[:, :2] == pytest.approx(ball_chains.frictionless_break(0.93), abs=1e-12)
    assert w == pytest.approx(np.zeros((4, 3)), abs=1e-12)


def test_oblique_impacts():
    for angle, published in oblique.PUBLISHED.items():
        assert oblique.spin(angle) == pytest.approx(published, abs=0.01)


def test_free_top_solves_the_equations_of_euler():
    h = 1e-5
    for t in (0.0, 0.3, 1.7):
        rate = (top.body_rate(t + h) - top.body_rate(t - h)) / (2.0 * h)
        spin = top.body_rate(t)
        residual = top.INERTIA * rate + np.cross(spin, top.INERTIA * spin)
        assert residual == pytest.approx(np.zeros(3), abs=1e-7)
    assert top.body_rate(0.0) == pytest.approx(top.SPIN)
