"""Equilibria: known ones, Newton's order, paths of friction, and failures."""

import dataclasses
import math

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from verification.red_cell.model import red_cell

R, MASS, G = 0.01, 0.01, 9.81


def column(law, count=5, overlap=0.0):
    """Spheres on top of each other."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    for k in range(count):
        model.add_sphere(radius=R, mass=MASS, position=(0.0, 0.0, R - overlap + (2 * R - overlap) * k))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=law))
    model.add(e.CompliantSpherePlane(model.spheres, floor, normal=law))
    return model


def overlaps(state):
    """Of a column, from the floor up."""
    z = state.position[:, 2]
    return np.concatenate([[R - z[0]], 2 * R - np.diff(z)])


def pile(friction=None):
    """Spheres on a disturbed grid over the floor of a box."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    rng = np.random.default_rng(1)
    for cell in np.ndindex(3, 3, 2):
        position = 2.05 * R * np.array(cell) + 1.2 * R + rng.uniform(-0.05 * R, 0.05 * R, 3)
        model.add_sphere(radius=R, mass=MASS, position=position)
    sides = [((0, 0, 1), 0), ((1, 0, 0), 0), ((-1, 0, 0), -7 * R), ((0, 1, 0), 0), ((0, -1, 0), -7 * R)]
    planes = [model.add_plane(normal=normal, offset=offset) for normal, offset in sides]
    law = {"normal": e.Hertz(modulus=1e6), "tangential": friction}
    model.add(e.CompliantSphereSphere(among=model.spheres, **law))
    model.add(e.CompliantSpherePlane(model.spheres, planes, **law))
    return model


def test_a_column_has_the_overlaps_of_the_weights_above():
    weight = MASS * G * np.arange(5, 0, -1)
    linear = ns.equilibrium(column(e.SpringDashpot(stiffness=1e4)))
    assert linear
    assert overlaps(linear.state) == pytest.approx(weight / 1e4, rel=1e-9)
    found = ns.equilibrium(column(e.Hertz(modulus=1e7)))
    effective = np.array([R] + [R / 2] * 4)
    exact = (weight / (4.0 / 3.0 * 1e7 * np.sqrt(effective))) ** (2.0 / 3.0)
    assert found
    assert overlaps(found.state) == pytest.approx(exact, rel=1e-9)


def test_a_linear_problem_takes_one_iteration():
    found = ns.equilibrium(column(e.SpringDashpot(stiffness=1e4), overlap=1e-4))
    assert found.iterations == 1
    assert found.residuals[0][-1] < 1e-10


def test_convergence_is_quadratic():
    (residuals,) = ns.equilibrium(column(e.Hertz(modulus=1e7), overlap=1e-4), tol=1e-13).residuals
    last = residuals[(residuals < 0.1) & (residuals > 1e-12)]
    assert len(last) >= 3
    order = np.log(last[2:] / last[1:-1]) / np.log(last[1:-1] / last[:-2])
    assert order[-1] == pytest.approx(2.0, abs=0.2)


def test_a_column_falls_over_and_may_stand_anywhere():
    """Each of the five may lean in two directions."""
    found = ns.equilibrium(column(e.SpringDashpot(stiffness=1e4), overlap=1e-4))
    assert (found.free, found.unstable) == (2, 8)
    assert "not stable: 8 directions" in found.status.message
    assert "not unique: 2 directions" in found.status.message


@pytest.mark.parametrize(
    ("friction", "creep"), [(None, 1e-4), (e.CundallStrack(stiffness=1e3, mu=0.5), 1e-2)]
)
@pytest.mark.sampled(2)
def test_a_pile_comes_to_rest_where_motion_without_inertia_ends(friction, creep):
    """`creep` is the remaining way of the run, over the radius."""
    model = pile(friction)
    drag = e.Drag(model.spheres, translational=10.0, rotational=10.0 * R**2)
    settling = ns.simulate(model, t_end=60.0, h=3e-2, scheme=ns.Overdamped(drag), record_every=10**6)
    assert settling.status, settling.status.message
    found = ns.equilibrium(model, settling.state())
    assert found, found.status.message
    after = ns.simulate(model, t_end=61.0, h=1e-2, scheme=ns.Overdamped(drag), state=found.state)
    assert after.position[-1] == pytest.approx(found.state.position, abs=1e-9 * R)
    assert found.state.position == pytest.approx(settling.position[-1], abs=creep * R)


def test_a_pile_is_found_from_a_start_in_the_air():
    found = ns.equilibrium(pile())
    assert found, found.status.message
    contacts = ns.compliant_contacts(pile(), found.state)
    on_floor = contacts.force[contacts.plane == 0]
    assert on_floor[:, 2].sum() == pytest.approx(18 * MASS * G, rel=1e-8)
    assert found.unstable == 0


def test_a_sphere_is_held_on_a_slope_by_springs():
    """Friction m g sin; rolling spring m g sin times the arm."""
    angle, k, k_roll = 0.2, 1e4, 2.0
    model = ns.Model(gravity=G * np.array([math.sin(angle), 0.0, -math.cos(angle)]))
    sphere = model.add_sphere(radius=R, mass=MASS, position=(0.0, 0.0, R))
    floor = model.add_plane(normal=(0, 0, 1))
    law = {
        "normal": e.SpringDashpot(stiffness=1e4),
        "tangential": e.CundallStrack(stiffness=k, mu=0.5),
        "rolling": e.CundallStrack(stiffness=k_roll, mu=1.0),
        "twisting": e.CundallStrack(stiffness=k_roll, mu=1.0),
    }
    model.add(e.CompliantSpherePlane(sphere, floor, **law))
    found = ns.equilibrium(model)
    assert found, found.status.message
    assert (found.free, found.unstable) == (0, 0)
    contact = ns.compliant_contacts(model, found.state)
    assert contact.force[0] == pytest.approx(
        MASS * G * np.array([-math.sin(angle), 0, math.cos(angle)]), rel=1e-8
    )
    arm = R - MASS * G * math.cos(angle) / 1e4 / 2
    turned = MASS * G * math.sin(angle) * arm / k_roll
    assert 2.0 * math.asin(found.state.rotation[0, 2]) == pytest.approx(turned, rel=1e-6)
    rests = ns.simulate(model, t_end=0.05, h=1e-3, state=found.state)
    assert rests.position[-1] == pytest.approx(found.state.position, abs=1e-9 * R)


def test_a_sphere_that_slips_does_not_balance():
    model = ns.Model(gravity=(1.0, 0.0, -1.0))
    sphere = model.add_sphere(radius=R, mass=MASS, position=(0.0, 0.0, R))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.CompliantSpherePlane(sphere, floor, normal=e.SpringDashpot(stiffness=1e4)))
    found = ns.equilibrium(model)
    assert not found
    assert "most on 'sphere 0'" in found.status.message
    assert found.state.position == pytest.approx(model.initial_state().position)


def test_load_steps_lead_to_the_same_end_where_nothing_slips():
    ends = [ns.equilibrium(column(e.Hertz(modulus=1e7)), load_steps=n) for n in (1, 4)]
    assert len(ends[1].residuals) == 4
    assert overlaps(ends[0].state) == pytest.approx(overlaps(ends[1].state), rel=1e-8)


def test_a_plane_that_moves_presses_and_lets_go():
    model = ns.Model()
    sphere = model.add_sphere(radius=R, mass=MASS, position=(0.0, 0.0, R))
    floor = model.add_plane(normal=(0, 0, 1))
    lid = model.add_plane(
        normal=(0, 0, -1), motion=lambda t: ((0, 0, 2 * R - 1e-4 * math.sin(t)), (0, 0, -1e-4 * math.cos(t)))
    )
    model.add(e.CompliantSpherePlane(sphere, [floor, lid], normal=e.SpringDashpot(stiffness=1e4)))
    pressed = ns.equilibrium(model, t=math.pi / 2, load_steps=5)
    assert pressed.state.t == pytest.approx(math.pi / 2)
    assert R - pressed.state.position[0, 2] == pytest.approx(5e-5, rel=1e-9)
    released = ns.equilibrium(model, pressed.state, t=math.pi, load_steps=5)
    assert released
    assert not ns.compliant_contacts(model, released.state).force.any()


def test_time_passes_only_if_it_is_said():
    """A dividing pair, whose length at rest grows with time."""
    model = ns.Model()
    for x in (0.0, 2 * R):
        model.add_sphere(radius=R, mass=MASS, position=(x, 0.0, 0.0))
    law = e.Dividing(repulsion=10.0, attraction=10.0, start=2 * R, end=3 * R, speed=1e-3)
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=law, reach=R))

    def length(state):
        return state.position[1, 0] - state.position[0, 0]

    now = ns.equilibrium(model)
    assert length(now.state) == pytest.approx(2 * R, rel=1e-12)
    assert length(ns.equilibrium(model, now.state, t=4.0).state) == pytest.approx(2 * R + 4e-3, rel=1e-9)


def test_what_nothing_holds_is_named():
    model = ns.Model(gravity=(0.0, 0.0, -G))
    model.add_sphere(radius=R, mass=MASS, position=(0.0, 0.0, 1.0), name="stone")
    model.add_sphere(radius=R, mass=MASS, position=(0.0, 1.0, 1.0))
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.Hertz(modulus=1e7)))
    found = ns.equilibrium(model)
    assert not found
    assert "nothing holds 'stone', on which 0.0981 N act" in found.status.message
    assert not found.state.velocity.any()


def test_bad_input_is_refused():
    model = column(e.Hertz(modulus=1e7), 1)
    for arguments, words in (
        ({"tol": 0.1}, "tol = 0.1: must be in"),
        ({"load_steps": 0}, "load_steps = 0: must be an integer >= 1"),
        ({"t": math.nan}, "t = nan: must be finite"),
    ):
        with pytest.raises(ValueError, match=words):
            ns.equilibrium(model, **arguments)
    other = ns.Model()
    ball = other.add_sphere(radius=R, mass=MASS, position=(0.0, 0.0, R))
    other.add(e.SpherePlane(ball, other.add_plane(normal=(0, 0, 1))))
    with pytest.raises(ValueError, match="scheme = 'equilibrium': must be GeneralizedAlpha for set-valued"):
        ns.equilibrium(other)


@pytest.mark.parametrize("mass", [1.0, 1e6, 1e12])
def test_a_light_ball_balances_on_a_heavy_one(mass):
    model = ns.Model(gravity=(0, 0, -10.0))
    heavy = model.add_sphere(radius=1.0, mass=mass, position=(0, 0, 1))
    light = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 2.1))
    hard, soft = e.SpringDashpot(stiffness=1e5 * mass), e.SpringDashpot(stiffness=1e4)
    model.add(e.CompliantSpherePlane(heavy, model.add_plane(normal=(0, 0, 1)), normal=hard))
    model.add(e.CompliantSphereSphere((heavy, light), normal=soft))
    found = ns.equilibrium(model)
    assert found, found.status
    z = found.state.position[:, 2]
    assert 1.1 - (z[light] - z[heavy]) == pytest.approx(1.0 * 10.0 / 1e4, rel=1e-9)


@pytest.mark.parametrize("away", [0.0, 1e3])
def test_a_cell_that_is_at_rest_and_unloaded_balances_at_once(away):
    """All its forces are rounding errors."""
    model, _ = red_cell(1)
    start = model.initial_state()
    found = ns.equilibrium(model, dataclasses.replace(start, position=start.position + away))
    assert found, found.status
    assert found.iterations <= 2
