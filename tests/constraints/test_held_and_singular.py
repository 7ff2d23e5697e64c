"""Joints that hold everything at rest, mechanisms that pass singular positions, runs that go on at rest."""

import numpy as np

import nsgalpha as ns
from elements import Prismatic, Revolute, Spherical

UP = (np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4))


def four_bar():
    """Two cranks and a coupler, upright; all of them are on one line when the cranks are horizontal."""
    model = ns.Model(gravity=(0, -9.81, 0))
    given = {"mass": 1.0, "inertia": (1e-3, 1 / 12, 1 / 12)}
    turn = {"rotation": UP, "velocity": (0.5, 0, 0), "angular_velocity": (0, 0, -1)}
    cranks = [model.add_body(**given, position=(k, 0.5, 0), **turn) for k in range(2)]
    coupler = model.add_body(**given, position=(0.5, 1, 0), velocity=(1, 0, 0))
    for k, crank in enumerate(cranks):
        model.add(Revolute(None, crank, point=(k, 0, 0), axis=(0, 0, 1)))
        model.add(Revolute(crank, coupler, point=(k, 1, 0), axis=(0, 0, 1)))
    return model


def test_a_body_that_joints_hold_stays_where_it_is():
    model = ns.Model(gravity=(0, 0, -9.81))
    body = model.add_body(mass=1.0, inertia=(0.04, 0.1, 0.1), position=(3, 2, 3))
    joint = model.add(Prismatic(None, body, point=(1, 2, 3), axis=(0, 1, 0)))
    result = ns.simulate(model, t_end=0.1, h=1e-3)
    assert result.status.ok, (result.status, joint)
    assert np.abs(result.position - result.position[0]).max() < 1e-13


def test_a_run_at_rest_goes_on():
    model = ns.Model(gravity=(0, 0, -9.81))
    body = model.add_body(mass=1.0, inertia=(0.04, 0.1, 0.1), position=(3, 2, 3))
    model.add(Prismatic(None, body, point=(1, 2, 3), axis=(0, 1, 0)))
    state = ns.simulate(model, t_end=0.1, h=1e-3).state(-1)
    assert ns.simulate(model, t_end=0.2, h=1e-3, state=state).status.ok


def test_the_cranks_of_a_four_bar_stay_parallel_through_its_singular_position():
    result = ns.simulate(four_bar(), t_end=2.0, h=2e-3)
    assert result.status.ok, result.status
    assert (np.diff(np.sign(result.position[:, 0, 1])) != 0).any()  # it has passed
    assert np.abs(result.position[:, 0] + (1, 0, 0) - result.position[:, 1]).max() < 1e-12


def test_fast_tumbling_links_need_no_divided_steps():
    model = ns.Model(gravity=(0, 0, -9.81))
    spin = np.array((0.0, 50.0, 0.0))
    links = [
        model.add_sphere(
            radius=0.03,
            mass=0.1,
            position=(0.1 * k, 0, 0),
            velocity=np.cross((-1) ** k * spin, (0.05 * (-1) ** k, 0, 0)) - np.cross(spin, (0.05, 0, 0)),
            angular_velocity=(-1) ** k * spin,
        )
        for k in range(4)
    ]
    for k in range(3):
        model.add(Spherical(links[k], links[k + 1], point=(0.1 * k + 0.05, 0, 0)))
    result = ns.simulate(model, t_end=0.2, h=2e-3)
    assert result.status.ok, result.status
    assert not result.stats.divided.any()


def test_a_long_chain_whose_end_does_not_feel_its_hinge_begins_to_fall():
    """Torques decrease by a factor from link to link, down to numbers that are not normal."""
    model = ns.Model(gravity=(0, 0, -9.81))
    before = None
    for k in range(1000):
        link = model.add_body(mass=1.0, inertia=(1 / 1200, 1 / 12, 1 / 12), position=(0.5 + k, 0, 0))
        model.add(Revolute(before, link, point=(k, 0, 0), axis=(0, 1, 0)))
        before = link
    result = ns.simulate(model, t_end=3e-3, h=1e-3)
    assert result.status.ok
    assert abs(result.velocity[-1, -1, 2] + 9.81 * 3e-3) < 1e-12
