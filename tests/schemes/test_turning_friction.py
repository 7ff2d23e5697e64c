"""Friction whose direction turns: order two, in its cone, taking energy, exact where nothing turns."""

import math

import numpy as np
import pytest

import nsgalpha as ns
from elements import Prismatic, SpherePlane, SphereSphere
from nsgalpha.schemes.generalized_alpha import corrections
from verification.convergence import turning
from verification.convergence.turning import PATTERN, PUCK, SLIDES, STEPS, build, errors, sizes

G, R = 9.81, 0.03


def orders(found):
    """Orders (n - 1, k) of errors (n, k) as steps are halved."""
    found = np.array(found)
    return np.log2(found[:-1] / found[1:])


@pytest.mark.parametrize("steps", [{}, {"phase": 0.37}, {"pattern": PATTERN}], ids=str)
@pytest.mark.parametrize("slide", SLIDES, ids=lambda slide: slide.title)
def test_sliding_across_an_incline_is_of_second_order(slide, steps):
    assert orders([errors(slide, sizes(h, **steps)) for h in STEPS]).min() > 1.9


def end(model, t_end, h, **options):
    result = ns.simulate(model, t_end=t_end, h=h, **options)
    assert result.status.ok, result.status
    state = result.state()
    return state.position, state.velocity, R * state.angular_velocity


def own_orders(make, t_end, count):
    """Orders of positions, velocities and spins, against a run with a 128th of the step."""
    exact = end(make(), t_end, t_end / (128 * count))
    runs = [end(make(), t_end, t_end / (count * 2**k)) for k in range(4)]
    return orders([[np.abs(a - b).max() for a, b in zip(run, exact, strict=True)] for run in runs])


def cart():
    """A ball slides across a cart, which it drives."""
    model = ns.Model(gravity=(1.0, 0, -G))
    body = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.1))
    model.add(Prismatic(None, body, point=(0, 0, -0.1), axis=(1, 0, 0)))
    top = model.add_plane(normal=(0, 0, 1), offset=0.1, body=body)
    given = {"position": (0, 0, R), "velocity": (0.3, 1.0, 0), "angular_velocity": (5, 20, 3)}
    ball = model.add_sphere(radius=R, mass=0.5, **given)
    model.add(SpherePlane(ball, top, mu=0.1, rolling_radius=0.002))
    return model


def pair(count=2, mu=0.1):
    """Balls that touch slide across an incline."""
    model = ns.Model(gravity=(2.5, 0, -G))
    for k in range(count):
        given = {"velocity": (0, 1.0 - 0.2 * k, 0), "angular_velocity": (-10 * k, 0, 5 - 5 * k)}
        model.add_sphere(radius=R, mass=0.2 + 0.1 * k, position=(2 * R * k, 0, R), **given)
    model.add(SphereSphere(among=model.spheres, mu=mu))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.05))
    return model


def on_a_spring():
    """A ball on a spring, under a changing normal force, slides and then rolls."""
    model = ns.Model(gravity=(1.5, 0, -G))
    spin = (0, 0, 5.0)
    ball = model.add_sphere(
        radius=R, mass=0.2, position=(0, 0, R), velocity=(0, 1.0, 0), angular_velocity=spin
    )
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.1, rolling_radius=0.001))

    def load(t, state):
        force = -4.0 * (state.position - (0.1, 0.1, R)) - 0.2 * state.velocity
        force[0, 2] -= 0.5 * math.sin(8.0 * t)
        return force

    model.add_load(load)
    return model


@pytest.mark.parametrize(
    ("make", "t_end", "count"), [(cart, 0.4, 20), (pair, 0.2, 20), (on_a_spring, 0.4, 40)]
)
def test_several_contacts_joints_and_loads_keep_the_order(make, t_end, count):
    assert own_orders(make, t_end, count).min() > 1.9


def test_rolling_resistance_turns_after_an_impact():
    """A ball with spin about another axis strikes a cushion; steps end at the impact."""

    def make():
        model = ns.Model(gravity=(0, 0, -G))
        spin = (20.0, 40.0, 10.0)
        ball = model.add_sphere(
            radius=R, mass=0.2, position=(0, 0, R), velocity=(1.0, 0.6, 0), angular_velocity=spin
        )
        model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.2, rolling_radius=0.004))
        model.add(SpherePlane(ball, model.add_plane(normal=(-1, 0, 0), offset=-0.2), e_n=0.8))
        return model

    def at(h):
        result = ns.simulate(make(), t_end=0.3, h=h, impacts="located")
        assert (result.stats.located > 0).sum() == 1
        i = int(np.flatnonzero(result.t < 0.3 - 1e-9)[-1])
        left = 0.3 - result.t[i]
        return end(result.model, 0.3, left, state=result.state(i), impacts="located")

    exact = at(1e-4)
    found = [[np.abs(a - b).max() for a, b in zip(at(h), exact, strict=True)] for h in (1e-2, 5e-3, 2.5e-3)]
    assert orders(found).min() > 1.9


def test_a_puck_that_turns_and_stops_stays():
    """Friction above the slope: it turns to the slope, stops, and is held without drift."""
    slow = PUCK._replace(slope=0.35, mu=0.6, velocity=(0.3, 1.0, 0.0))
    places = []
    for h in (2e-2, 1e-2, 5e-3, 2.5e-3, 1.25e-4):
        result = ns.simulate(build(slow), t_end=1.0, h=h)
        late = result.t > 0.5
        assert np.abs(result.velocity[late]).max() < 1e-12
        assert np.ptp(result.position[late], axis=0).max() < 1e-12
        places.append(result.position[-1, 0])
    found = [[np.abs(place - places[-1]).max()] for place in places[:-1]]
    assert orders(found).min() > 1.9


def test_friction_stays_in_its_cone_and_takes_energy():
    """Its work is the impulse times the mean velocity, in long steps, too."""
    for h in (0.1, 2e-2, 1e-3):
        result = ns.simulate(build(PUCK), t_end=0.6, h=h)
        normal, *tangential = result.contacts.multipliers.T[:3]
        assert (np.hypot(*tangential) <= PUCK.mu * normal * (1.0 + 1e-9)).all()
        v = result.velocity[:, 0]
        friction = np.diff(v, axis=0) - h * np.asarray(result.model.gravity)  # and a normal part without work
        work = (friction * (v[1:] + v[:-1])).sum(axis=1)
        assert work.max() < 0.0


def test_slow_sliding_does_not_alternate():
    """Friction stops the rate across within a step, and it dies away."""
    model = ns.Model(gravity=(1.0, 0, -10.0))
    puck = model.add_point(radius=R, mass=1.0, position=(0, 0, R), velocity=(0.01, 0.003, 0))
    model.add(SpherePlane(puck, model.add_plane(normal=(0, 0, 1)), mu=0.1))
    across = ns.simulate(model, t_end=0.2, h=1e-2).velocity[:, 0, 1]
    assert (np.diff(across) <= 0.0).all()
    assert abs(across[-1]) < 1e-5


def test_straight_sliding_has_no_target(monkeypatch):
    """Nothing turns on a flat cloth, also with rolling and drilling friction."""
    targets = []
    turn = corrections.turn_friction

    def watched(rows, bodies, now, rates, together, impulses):
        targets.append(turn(rows, bodies, now, rates, together, impulses))
        return targets[-1]

    monkeypatch.setattr(corrections, "turn_friction", watched)
    for tilted in (np.eye(3), turning.TURNED):
        model = ns.Model(gravity=tilted @ (1.0, 0.0, -G))
        given = {"velocity": tilted @ (1.0, 0, 0), "angular_velocity": tilted @ (0, -30.0, 7.0)}
        ball = model.add_sphere(radius=R, mass=0.2, position=tilted @ (0, 0, R), **given)
        plane = model.add_plane(normal=tilted @ (0, 0, 1))
        model.add(SpherePlane(ball, plane, mu=0.2, rolling_radius=0.002, drilling_radius=0.001))
        model.add_load(lambda t, state: np.zeros_like(state.position))  # steps from Python
        ns.simulate(model, t_end=0.8, h=1e-2)
    assert len(targets) > 160
    assert not any(targets)


def test_steps_from_python_are_the_compiled_ones():
    for slide in SLIDES:
        model = build(slide)
        compiled = ns.simulate(model, t_end=0.1, h=1e-2)
        model.add_load(lambda t, state: np.zeros_like(state.position))
        stepped = ns.simulate(model, t_end=0.1, h=1e-2)
        for name in ("position", "velocity", "angular_velocity"):
            assert getattr(stepped, name) == pytest.approx(getattr(compiled, name), abs=1e-11)


def test_a_large_island_slides_as_one_puck_does():
    """A row of 80 balls that touch has 319 rows."""
    alone, row = pair(1), ns.Model(gravity=(2.5, 0, -G))
    for k in range(80):
        given = {"velocity": (0, 1.0, 0), "angular_velocity": (0, 0, 5)}
        row.add_sphere(radius=R, mass=0.2, position=(2 * R * k, 0, R), **given)
    row.add(SphereSphere(among=row.spheres))
    row.add(SpherePlane(row.spheres, row.add_plane(normal=(0, 0, 1)), mu=0.05))
    one, all_of_them = (ns.simulate(model, t_end=0.1, h=1e-2) for model in (alone, row))
    assert all_of_them.stats.contacts[-1] == 159
    assert all_of_them.velocity == pytest.approx(np.repeat(one.velocity, 80, axis=1), abs=1e-8)


def test_a_run_continues_to_the_bit():
    model = build(SLIDES[1])
    whole = ns.simulate(model, t_end=0.2, h=1e-2)
    rest = ns.simulate(model, t_end=0.2, h=1e-2, state=whole.state(7))
    assert np.array_equal(rest.velocity, whole.velocity[7:])
