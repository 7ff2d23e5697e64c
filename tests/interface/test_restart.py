"""Runs that are interrupted, stepped by hand or recorded more rarely are the same runs."""

import dataclasses

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

NAMES = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "auxiliary")


def scene(count=5, load=False, motion=False):
    rng = np.random.default_rng(3)
    model = ns.Model(gravity=(0.1, 0.2, -9.81))
    for k in range(count):
        model.add_sphere(
            radius=0.05,
            mass=1.0,
            position=(0.02 * rng.uniform(), 0.11 * (k % 5), 0.051 + 0.11 * (k // 5)),
            velocity=rng.normal(size=3) * 0.5,
            angular_velocity=rng.normal(size=3) * 5.0,
            inertia=(1e-3, 1.2e-3, 1.5e-3) if k % 2 else None,
        )
    floor = model.add_plane(
        normal=(0, 0, 1),
        motion=(lambda t: ((0, 0, 0.01 * np.sin(9 * t)), (0, 0, 0.09 * np.cos(9 * t)))) if motion else None,
    )
    model.add(SphereSphere(among=model.spheres, mu=0.2, e_n=0.5))
    model.add(SpherePlane(model.spheres, floor, mu=0.3, e_n=0.5))
    if load:
        model.add_load(lambda t, s: -0.5 * s.velocity - 2.0 * s.position)
    return model


@pytest.mark.parametrize("kind", [{}, {"motion": True}, {"load": True}, {"count": 60}])
@pytest.mark.parametrize("at", [1, 37, 60])
def test_a_run_continues_identically_from_any_recorded_state(kind, at):
    model = scene(**kind)
    whole = ns.simulate(model, t_end=0.1, h=1e-3)
    assert whole.status.ok
    assert len(whole.contacts.record) > 10
    rest = ns.simulate(model, t_end=0.1, h=1e-3, state=whole.state(at))
    assert rest.t == pytest.approx(whole.t[at:], abs=1e-15)
    for name in NAMES:
        if kind.get("load") or kind.get("motion"):  # the time differs in its last digit
            assert getattr(rest, name) == pytest.approx(getattr(whole, name)[at:], rel=1e-11, abs=1e-11)
        else:
            assert np.array_equal(getattr(rest, name), getattr(whole, name)[at:]), name


@pytest.mark.parametrize("load", [False, True])
def test_steps_in_a_loop_are_the_run(load):
    model = scene(load=load)
    result = ns.simulate(model, t_end=0.06, h=1e-3)
    state = model.initial_state()
    for i in range(60):
        state = ns.step(model, state, 1e-3)
        assert state.t == pytest.approx(result.t[i + 1], abs=1e-15)
        if not load:
            assert np.array_equal(state.velocity, result.velocity[i + 1])
    assert state.position == pytest.approx(result.position[-1], abs=1e-12)
    assert state.velocity == pytest.approx(result.velocity[-1], abs=1e-10)


def test_a_contact_that_an_impact_opens_leaves_no_force():
    """A small ball throws a large one up: its weight leaves the floor."""
    model = ns.Model(gravity=(0, 0, -9.81))
    small = model.add_sphere(radius=0.03, mass=1.0, position=(-0.1195, 0, 0.03), velocity=(2, 0, 0))
    large = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    model.add(SphereSphere(among=[small, large], mu=0.1))
    model.add(SpherePlane([small, large], model.add_plane(normal=(0, 0, 1)), mu=0.1))
    result, state = ns.simulate(model, t_end=8e-3, h=1e-3), model.initial_state()
    assert result.velocity[-1, large, 2] > 0.1
    for record in range(1, 9):
        state = ns.step(model, state, 1e-3)
        recorded = result.state(record).forces
        assert np.array_equal(state.forces.a, recorded.a)
        assert np.array_equal(state.forces.wrench, recorded.wrench)


def test_a_step_does_not_change_the_state_it_starts_from():
    model = scene()
    state = model.initial_state()
    before = [np.copy(getattr(state, name)) for name in NAMES[:4]]
    ns.step(model, state, 1e-3)
    assert all(np.array_equal(a, getattr(state, name)) for a, name in zip(before, NAMES, strict=False))


@pytest.mark.parametrize("every", [2, 7, 1000])
def test_recording_rarely_does_not_change_the_states(every):
    model = scene()
    full = ns.simulate(model, t_end=0.1, h=1e-3)
    rare = ns.simulate(model, t_end=0.1, h=1e-3, record_every=every)
    kept = sorted({*range(0, 101, every), 100})
    assert np.array_equal(rare.t, full.t[kept])
    assert np.array_equal(rare.position, full.position[kept])
    assert np.array_equal(rare.velocity, full.velocity[kept])
    assert np.array_equal(rare.stats.contacts, full.stats.contacts)
    for new, i in enumerate(kept):
        a, b = rare.contacts, full.contacts
        assert np.array_equal(
            a.multipliers[a.start[new] : a.start[new + 1]], b.multipliers[b.start[i] : b.start[i + 1]]
        )


def test_a_run_can_be_repeated():
    model = scene(count=60)
    a, b = (ns.simulate(model, t_end=0.05, h=1e-3) for _ in range(2))
    assert np.array_equal(a.position, b.position)


@pytest.mark.parametrize(
    ("t_end", "h", "steps"), [(1.0, 0.1, 10), (0.3, 0.1, 3), (0.25, 0.1, 3), (1e-9, 0.1, 1)]
)
def test_a_run_ends_with_the_first_step_at_or_after_its_end(t_end, h, steps):
    model = ns.Model()
    model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0), velocity=(1, 0, 0))
    result = ns.simulate(model, t_end=t_end, h=h)
    assert len(result.t) == steps + 1
    assert result.t == pytest.approx(h * np.arange(steps + 1), abs=1e-15)
    assert result.position[-1, 0, 0] == pytest.approx(steps * h, abs=1e-15)


def test_shapes_of_a_result():
    model = scene()
    result = ns.simulate(model, t_end=0.02, h=1e-3)
    assert result.t.shape == (21,)
    for name, width in zip(NAMES[:4], (3, 4, 3, 3), strict=True):
        assert getattr(result, name).shape == (21, 5, width)
    assert result.stats.contacts.shape == (20,)
    assert result.contacts.start.shape == (22,)
    assert result.energy() == pytest.approx(result.energy("kinetic") + result.energy("potential"), rel=1e-14)
    mass = np.ones(5)
    height = -(result.position @ model.gravity)
    assert result.energy("potential") == pytest.approx(height @ mass, rel=1e-12)
    assert np.array_equal(result.velocity[:, model.spheres[2]], result.velocity[:, 2])


@pytest.mark.parametrize("wrench", [np.full((1, 6), np.nan), np.zeros((2, 6)), np.zeros((1, 3))])
def test_forces_of_a_state_must_be_finite_and_belong_together(wrench):
    model = scene()
    state = ns.simulate(model, t_end=0.02, h=1e-3).state()
    one = np.zeros(1, np.int64)
    broken = dataclasses.replace(state, forces=type(state.forces)(one, one + 1, one - 1, wrench))
    with pytest.raises(ValueError, match=r"state\.forces\.wrench"):
        ns.simulate(model, t_end=0.04, h=1e-3, state=broken)
