"""Steps that end where sliding stops: closed forms of dry friction."""

import math

import numpy as np
import pytest

import nsgalpha as ns
from elements import JointFriction, Revolute, SpeedMotor, SpherePlane, SphereSphere

G, R, T = 9.81, 0.1, 1.0
UP = (0, 0, 1)
WAYS = [
    *({"impacts": "located", "h": h} for h in (0.1, 0.05, 0.03, 7e-3)),
    {"accuracy": 1e-3},
    {"accuracy": 1e-9},
]


def ended(model, way):
    """The motion at T, and the times of all steps."""
    result = ns.simulate(model, t_end=T, **way)
    assert result.status.ok, result.status
    assert result.stats.located.min() >= 0
    i = int(np.flatnonzero(result.t <= T)[-1])
    if result.t[i] < T:  # the last step again, to T
        state = ns.simulate(
            model, t_end=T, state=result.state(i), h=T - result.t[i], impacts="located"
        ).state()
        return state, result.t
    return result.state(i), result.t


def ball(v=(0, 0, 0), w=(0, 0, 0), pull=0.0, inertia=None, **law):
    """A ball on a plane, pulled along it."""
    model = ns.Model(gravity=(-pull, 0, -G))
    model.add_sphere(radius=R, mass=1.0, inertia=inertia, position=(0, 0, R), velocity=v, angular_velocity=w)
    model.add(SpherePlane(model.spheres, model.add_plane(normal=UP), **law))
    return model


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mu", [0.11, 0.2, 0.37])
def test_a_ball_slides_until_it_rolls(way, mu):
    v = 2.0
    state, t = ended(ball((v, 0, 0), mu=mu), way)
    rolls = 2.0 * v / (7.0 * mu * G)
    assert np.abs(t - rolls).min() < 1e-9
    x = v * rolls - 0.5 * mu * G * rolls**2 + 5.0 / 7.0 * v * (T - rolls)
    assert state.position[0, 0] == pytest.approx(x, abs=1e-10)
    assert state.velocity[0, 0] == pytest.approx(5.0 / 7.0 * v, abs=1e-10)
    assert state.angular_velocity[0, 1] == pytest.approx(5.0 / 7.0 * v / R, abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("v", [0.3, 2.0, 3.7])
def test_a_block_that_slides_up_turns_back_where_it_stands(way, v):
    """Friction changes its sign there, within a step."""
    mu, pull = 0.3, 5.5
    state, t = ended(ball((v, 0, 0), pull=pull, inertia=1e9, mu=mu), way)
    up, down = pull + mu * G, pull - mu * G
    stands = v / up
    assert np.abs(t - stands).min() < 1e-9
    assert state.velocity[0, 0] == pytest.approx(-(T - stands) * down, abs=1e-10)
    x = 0.5 * v * stands - 0.5 * down * (T - stands) ** 2
    assert state.position[0, 0] == pytest.approx(x, abs=1e-10)


@pytest.mark.parametrize("way", WAYS)
def test_a_block_on_a_slope_turned_by_some_angle_turns_back(way):
    angle, mu, pull, v = 0.7, 0.3, 5.5, 2.0
    along = np.array([math.cos(angle), math.sin(angle), 0.0])
    model = ns.Model(gravity=-pull * along - G * np.array(UP))
    model.add_sphere(radius=R, mass=1.0, inertia=1e9, position=(0, 0, R), velocity=v * along)
    model.add(SpherePlane(model.spheres, model.add_plane(normal=UP), mu=mu))
    state, _ = ended(model, way)
    stands = v / (pull + mu * G)
    assert state.velocity[0] == pytest.approx(-(T - stands) * (pull - mu * G) * along, abs=1e-10)


@pytest.mark.parametrize("way", WAYS)
def test_a_spinning_ball_stands_by_drilling_friction(way):
    spin, radius = 4.0, 3e-3
    model = ball(w=(0, 0, spin), mu=0.2, drilling_radius=radius)
    state, t = ended(model, way)
    stands = 0.4 * R**2 * spin / (radius * G)
    assert np.abs(t - stands).min() < 1e-8
    assert state.angular_velocity[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    turned = 2.0 * np.arctan2(state.rotation[0, 3], state.rotation[0, 0])
    assert turned == pytest.approx(0.5 * spin * stands, abs=1e-8)


@pytest.mark.parametrize("way", WAYS)
def test_a_joint_stands_by_friction(way):
    model = ns.Model()
    rod = model.add_body(mass=1.0, inertia=(0.2, 0.2, 0.2), position=(0, 0, 0), angular_velocity=(0, 0, 1.3))
    pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=UP))
    model.add(JointFriction(pin, bound=0.4))
    state, t = ended(model, way)
    assert np.abs(t - 0.65).min() < 1e-8
    assert state.angular_velocity[0, 2] == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("way", WAYS)
def test_a_motor_that_reaches_its_rate_keeps_it(way):
    model = ns.Model()
    rod = model.add_body(mass=1.0, inertia=(0.2, 0.2, 0.2), position=(0, 0, 0))
    pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=UP))
    model.add(SpeedMotor(pin, speed=1.7, strength=0.5))
    state, t = ended(model, way)
    reached = 1.7 * 0.2 / 0.5
    assert np.abs(t - reached).min() < 1e-8
    assert state.angular_velocity[0, 2] == pytest.approx(1.7, abs=1e-9)


def test_contacts_that_turn_in_any_step_do_not_stop_a_run():
    """Sliding at rest is noise, for which steps of no length would be found."""
    model, random = ns.Model(gravity=(0, 0, -G)), np.random.default_rng(0)
    for k in range(18):
        x, y = 2.2 * R * (k % 3 - 1), 2.2 * R * (k % 9 // 3 - 1)
        place = x + 0.2 * R * random.random(), y + 0.2 * R * random.random(), 1.1 * R + 2.2 * R * (k // 9)
        model.add_sphere(radius=R, mass=1.0, position=place)
    model.add(SphereSphere(among=model.spheres, mu=0.5, e_n=0.3))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=UP), mu=0.5, e_n=0.3))
    result = ns.simulate(model, t_end=0.4, h=2e-3, impacts="located")
    assert result.status.ok
    assert (result.stats.h[result.stats.located == 0] > 1e-10).all()
    assert result.stats.trials.sum() < 20 * len(result.stats.h)
