"""Assembly of mechanisms from starts at which their joints do not hold."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Marker, Prismatic, Revolute, Rigid, Spherical
from tests.constraints.test_singular_positions import four_bar
from verification.mechanisms.rows import violation


def shaken(model, size, seed=1):
    """The start of a model, with positions, rotations and velocities off by about `size`."""
    rng, state = np.random.default_rng(seed), model.initial_state()
    rotation = state.rotation + size * rng.normal(size=state.rotation.shape)
    return ns.State(
        0.0,
        state.position + size * rng.normal(size=state.position.shape),
        rotation / np.linalg.norm(rotation, axis=1)[:, None],
        state.velocity + size * rng.normal(size=state.velocity.shape),
        state.angular_velocity + size * rng.normal(size=state.velocity.shape),
    )


@pytest.mark.parametrize("size", [1e-6, 1e-3, 0.05])
def test_an_overconstrained_mechanism_is_assembled_near_its_start(size):
    model = four_bar(cranks=(0.0, 0.4, 1.0), angle=1.0)
    state = shaken(model, size)
    with pytest.raises(ValueError, match="violation"):
        ns.simulate(model, t_end=1e-3, h=1e-3, state=state)
    found = ns.assemble(model, state)
    assert 0.1 * size < found.moved.max() < 10.0 * size
    assert found.turned.max() < 20.0 * size
    result = ns.simulate(model, t_end=1e-3, h=1e-3, state=found.state)
    g, rate = violation(result)
    assert g < 1e-12
    assert rate < 1e-12


def test_the_body_that_is_lighter_moves_more():
    model = ns.Model()
    light, heavy = (
        model.add_body(mass=m, inertia=(m, m, m), position=(k, 0, 0)) for k, m in ((0, 1.0), (1, 4.0))
    )
    model.add(Spherical(Marker(light), Marker(heavy)))
    found = ns.assemble(model)
    assert np.abs(found.state.position[:, 0] - 0.8).max() < 1e-13
    assert np.abs(found.moved - (0.8, 0.2)).max() < 1e-13


def test_velocities_change_by_the_smallest_amount_in_kinetic_energy():
    model = ns.Model()
    light, heavy = (
        model.add_body(mass=m, inertia=(m, m, m), position=(0, 0, 0), velocity=(v, 0, 0))
        for m, v in ((1.0, 5.0), (4.0, 0.0))
    )
    model.add(Spherical(light, heavy, point=(0, 0, 0)))
    found = ns.assemble(model)
    assert np.abs(found.state.velocity - (1.0, 0, 0)).max() < 1e-14
    assert "velocities changed by up to 4 m/s" in found.text


def test_a_run_assembles_and_its_status_says_by_how_much():
    model = ns.Model()
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.51, 0, 0), name="rod")
    model.add(Revolute(Marker(None), Marker(rod, (-0.5, 0, 0))))
    result = ns.simulate(model, t_end=0.01, h=1e-3, assemble=True)
    assert "assembled: bodies moved by up to 0.01 m ('rod')" in result.status.message
    assert abs(result.position[0, 0, 0] - 0.5) < 1e-14


def test_a_start_that_holds_is_taken_as_it_is():
    model = four_bar(angle=1.0)
    given = model.initial_state()
    found = ns.assemble(model, given)
    assert found.state is given
    assert str(found) == ""
    assert "assembled" not in ns.simulate(model, t_end=1e-3, h=1e-3, assemble=True).status.message
    free = ns.Model()
    free.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    assert ns.assemble(free).text == ""


@pytest.mark.parametrize("joint", [Revolute, Prismatic, Rigid])
@pytest.mark.parametrize("angle", [91.0, 180.0])
def test_the_wrong_branch_is_refused(joint, angle):
    model = ns.Model()
    half = np.radians(angle) / 2
    rod = model.add_body(
        mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), rotation=(np.cos(half), np.sin(half), 0, 0)
    )
    model.add(joint(Marker(None), Marker(rod)))
    with pytest.raises(ValueError, match=f"{angle:g}.*below 90 degrees"):
        ns.assemble(model)
    with pytest.raises(ValueError, match="below 90 degrees"):
        ns.simulate(model, t_end=0.01, h=1e-3)


def test_a_slide_that_is_turned_about_its_axis_is_on_the_wrong_branch():
    model = ns.Model()
    body = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), rotation=(0, 0, 0, 1))
    model.add(Prismatic(Marker(None), Marker(body)))
    with pytest.raises(ValueError, match="second directions"):
        ns.assemble(model)


def test_bars_that_are_too_short_are_refused():
    model = ns.Model()
    bars = [model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k, 0, 0)) for k in range(2)]
    model.add(Spherical(Marker(None, (-2, 0, 0)), Marker(bars[0], (-0.5, 0, 0))))
    model.add(Spherical(Marker(bars[0], (0.5, 0, 0)), Marker(bars[1], (-0.5, 0, 0))))
    model.add(Spherical(Marker(bars[1], (0.5, 0, 0)), Marker(None, (2, 0, 0))))
    with pytest.raises(ValueError, match="no pose near the given one closes all joints"):
        ns.assemble(model)
