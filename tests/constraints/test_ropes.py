"""Ropes: slack they do nothing, taut they pull and whip by Newton's law, in the sequence of all impacts."""

import dataclasses

import numpy as np
import pytest

import nsgalpha as ns
from elements import Marker, Revolute, Rope, SpherePlane, SphereSphere

ORIGIN = (0.0, 0.0, 0.0)


def ball(model, x, v=ORIGIN, mass=1.0, **given):
    return model.add_sphere(radius=0.1, mass=mass, position=x, velocity=v, **given)


def lengths(result, a, b):
    return np.linalg.norm(result.position[:, a] - result.position[:, b], axis=1)


def test_a_ball_hangs_at_rest_and_the_rope_carries_its_weight():
    model = ns.Model(gravity=(0, 0, -10))
    bob = ball(model, (0, 0, -1), mass=2.0)
    hung = model.add(Rope(None, bob, points=(ORIGIN, (0, 0, -1)), name="hung"))
    turned = model.add(Rope(ball(model, (5, 0, -1)), None, points=((5, 0, -1), (5, 0, 0))))
    result = ns.simulate(model, t_end=1.0, h=0.01)
    assert np.abs(result.position - result.position[0]).max() < 1e-14
    assert np.abs(result.reaction("hung").force[1:] - (0, 0, 20)).max() < 1e-10
    on_ground = result.reaction(turned).force[1:]  # its side B
    assert np.abs(on_ground - (0, 0, -10)).max() < 1e-10
    assert not result.reaction(hung).torque.any()


def test_a_slack_rope_does_nothing():
    def thrown(tied):
        model = ns.Model(gravity=(0, 0, -10))
        bob = ball(model, ORIGIN, (1, 0, 3))
        if tied:
            model.add(Rope(None, bob, points=(ORIGIN, ORIGIN), length=2.0))
        return ns.simulate(model, t_end=0.6, h=0.01)

    free, tied = thrown(False), thrown(True)
    assert np.abs(free.position - tied.position).max() < 1e-15


@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
def test_a_rope_that_becomes_taut_throws_back_by_its_restitution(e_n):
    model = ns.Model()
    bob = ball(model, (0.5, 0, 0), (1, 0, 0))
    rope = model.add(Rope(bob, None, points=((0.5, 0, 0), ORIGIN), length=1.0, e_n=e_n))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    assert np.abs(result.velocity[-1, bob] - (-e_n, 0, 0)).max() < 1e-12
    assert np.linalg.norm(result.position[:, bob], axis=1).max() < 1.0 + 1e-14
    assert abs(result.reaction_impulse(rope).force.sum(axis=0)[0] - (1.0 + e_n)) < 1e-12  # on the ground


def test_a_rope_takes_what_points_along_it_alone():
    model = ns.Model()
    bob = ball(model, (0.5, 0, 0), (1, 0.3, 0))
    model.add(Rope(bob, None, points=((0.5, 0, 0), ORIGIN), length=1.0, e_n=1.0))
    result = ns.simulate(model, t_end=0.9, h=1e-4)
    spin = np.cross(result.position[:, 0], result.velocity[:, 0])[:, 2]
    assert np.abs(spin - 0.15).max() < 1e-4
    assert np.abs(result.energy() - result.energy()[0]).max() < 1e-12


@pytest.mark.parametrize("e_n", [0.0, 0.7, 1.0])
def test_two_balls_on_a_rope_exchange_momentum(e_n):
    model = ns.Model()
    a, b = ball(model, ORIGIN, (-1, 0, 0), mass=1.0), ball(model, (0.5, 0, 0), (2, 0, 0), mass=3.0)
    model.add(Rope(a, b, points=(ORIGIN, (0.5, 0, 0)), length=1.5, e_n=e_n))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    common = (1.0 * -1.0 + 3.0 * 2.0) / 4.0
    assert (
        np.abs(result.velocity[-1, :, 0] - (common + 0.75 * 3.0 * e_n, common - 0.25 * 3.0 * e_n)).max()
        < 1e-12
    )
    assert lengths(result, a, b).max() < 1.5 + 1e-14


def test_a_cradle_on_ropes_hands_its_momentum_on():
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [ball(model, (0.2 * k, 0, -1), (-1.0 if k == 0 else 0.0, 0, 0)) for k in range(5)]
    for k, bob in enumerate(balls):
        model.add(Rope(None, bob, points=((0.2 * k, 0, 0), bob.position)))
    model.add(SphereSphere(balls, e_n=1.0))
    result = ns.simulate(model, t_end=2.2, h=1e-3)
    fastest = np.abs(result.velocity[:, :, 0])
    middle = result.position[:, 1:4, 0] - 0.2 * np.arange(1, 4)
    first = int(np.flatnonzero(fastest[:, 4] > 0.5)[0])
    assert np.abs(result.velocity[first, :, 0] - (0, 0, 0, 0, 1)).max() < 0.02
    assert np.abs(middle[: first + 200]).max() < 1e-3
    assert result.status.ok


def test_ropes_on_a_rod_and_on_a_moving_frame_stay_within_their_lengths():
    model = ns.Model(gravity=(0, 0, -9.81))
    frame = model.add_plane(
        normal=(0, 0, 1), motion=lambda t: ((0.2 * np.sin(3 * t), 0, 0), (0.6 * np.cos(3 * t), 0, 0))
    )
    rod = model.add_body(mass=1.0, inertia=(1e-2, 0.1, 0.1), position=(0.5, 0, 0), velocity=(0.6, 0, 0))
    bob = ball(model, (1, 0, -0.7), mass=0.3)
    model.add(Revolute(frame, rod, point=ORIGIN, axis=(0, 1, 0)))
    model.add(Rope(Marker(rod, (0.5, 0, 0)), Marker(bob, (0, 0, 0.1)), length=0.6, e_n=0.4))
    lead = ball(model, (0, 3, 0))
    model.add(Rope(frame, lead, points=((0, 3, 0), (0, 3, 0)), length=0.3))
    result = ns.simulate(model, t_end=3.0, h=1e-3)
    assert result.status.ok
    taut = result.contacts.plane == -2
    assert taut.sum() > 1000
    assert result.contacts.gap[taut].min() > -1e-12
    assert result.stats.penetration.max() < 1e-12


def test_a_ball_that_falls_into_its_rope_and_onto_a_floor_obeys_both():
    model = ns.Model(gravity=(0, 0, -10))
    bob = ball(model, (0.3, 0, 0.6))
    model.add(Rope(None, bob, points=((0.3, 0, 1.1), bob.position), length=1.0, e_n=0.0))
    model.add(SpherePlane(bob, model.add_plane(normal=(0, 0, 1)), e_n=0.0))
    result = ns.simulate(model, t_end=1.0, h=1e-3)  # both are closed at rest, the floor or the rope carries
    assert np.abs(result.position[-1, bob] - (0.3, 0, 0.1)).max() < 1e-12
    assert abs(result.contacts.at(len(result.t) - 1).wrench[:, 2].sum() - 10.0) < 1e-9


def test_a_model_of_ropes_goes_on_from_a_state_to_the_bit():
    model = ns.Model(gravity=(0, 0, -10))
    a, b = ball(model, (1, 0, 0)), ball(model, (1.15, 0, -0.3))
    model.add(Rope(None, a, points=(ORIGIN, (1, 0, 0)), e_n=0.5))
    model.add(Rope(a, b, points=((1, 0, 0), (1.15, 0, -0.3)), length=0.4, e_n=0.5))
    model.add(SphereSphere(pairs=[(a, b)], mu=0.3, e_n=0.5))
    whole = ns.simulate(model, t_end=2.0, h=1e-3)
    rest = ns.simulate(model, t_end=2.0, h=1e-3, state=ns.simulate(model, t_end=0.7, h=1e-3).state())
    assert np.array_equal(rest.state().position, whole.state().position)
    assert np.array_equal(rest.state().velocity, whole.state().velocity)


def test_a_rope_that_is_too_short_is_refused_with_its_length_and_what_it_should_be():
    model = ns.Model()
    bob = ball(model, (2, 0, 0), name="bob")
    with pytest.raises(
        ValueError, match=r"length of Rope of the ground and 'bob' = 1: must be at least the .*2 m; give"
    ):
        Rope(None, bob, points=(ORIGIN, (2, 0, 0)), length=1.0)
    rope = model.add(Rope(None, bob, points=(ORIGIN, (2, 0, 0)), length=2.5, name="line"))
    assert rope.name == "line"
    away = dataclasses.replace(model.initial_state(), position=np.array([[3.0, 0, 0]]))
    with pytest.raises(ValueError, match=r"length of line = 2.5: must be at least the distance .* 3 m"):
        ns.simulate(model, t_end=1.0, h=0.01, state=away)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"e_n": 1.5}, r"e_n = 1.5: must be in \[0, 1\]"),
        ({"e_n": -0.1}, r"e_n = -0.1: must be in \[0, 1\]"),
        ({"length": 0.0}, r"length = 0.0: must be"),
        ({"points": None}, r"points: give both of them in space, or two markers"),
        ({"points": ((0, 0, 0), (0, 0, 0)), "length": None}, r"two points are at one place"),
    ],
)
def test_what_no_rope_can_be_is_refused(given, says):
    model = ns.Model()
    bob = ball(model, (1, 0, 0))
    with pytest.raises(ValueError, match=says):
        Rope(None, bob, **{"points": (ORIGIN, (1, 0, 0)), "length": 1.0, **given})


def test_a_rope_has_two_ends():
    model = ns.Model()
    bob = ball(model, (1, 0, 0), name="bob")
    with pytest.raises(ValueError, match="joins 'bob' with itself"):
        Rope(bob, bob, points=(ORIGIN, (1, 0, 0)))
