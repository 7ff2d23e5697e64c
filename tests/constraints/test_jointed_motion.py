"""The smooth motion of jointed bodies: both levels to rounding, second order, energy, reactions."""

from itertools import pairwise

import numpy as np
import pytest

import nsgalpha as ns
from elements import Drag, Prismatic, Revolute, Rigid, Spherical, Spring
from nsgalpha.arrays import turned

UPRIGHT = (np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0)  # the third axis of the body along x


def rod(model, x, **given):
    return model.add_body(mass=1.0, inertia=(1 / 12, 1 / 12, 1e-3), position=x, rotation=UPRIGHT, **given)


def double_pendulum(**given):
    model = ns.Model(gravity=(0, 0, -9.81))
    one, two = rod(model, (0.5, 0, 0)), rod(model, (1.5, 0, 0))
    model.add(Revolute(one, None, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(one, two, point=(1, 0, 0), axis=(0, 1, 0)))
    return model


def ends(result, body, sign):
    """Position and velocity (n, 3) of an end of a rod."""
    lever = turned(
        result.rotation[:, body], np.broadcast_to([0, 0, 0.5 * sign], result.position[:, body].shape)
    )
    return result.position[:, body] + lever, result.velocity[:, body] + np.cross(
        result.angular_velocity[:, body], lever
    )


def test_both_levels_hold_to_rounding_in_every_step():
    result = ns.simulate(double_pendulum(), t_end=3.0, h=2e-3)
    (x0, v0), (x1, v1), (x2, v2) = (ends(result, body, sign) for body, sign in ((0, -1), (0, 1), (1, -1)))
    assert max(np.abs(x0).max(), np.abs(x1 - x2).max()) < 1e-14
    assert max(np.abs(v0).max(), np.abs(v1 - v2).max()) < 1e-13
    assert np.abs(result.position[:, :, 1]).max() < 1e-14


@pytest.mark.parametrize("rho_inf", [0.0, 0.6, 1.0])
def test_positions_velocities_and_reactions_are_of_second_order(rho_inf):
    scheme = ns.GeneralizedAlpha(rho_inf=rho_inf)
    runs = [ns.simulate(double_pendulum(), t_end=0.6, h=4e-3 / 2**k, scheme=scheme) for k in range(4)]
    for name in ("position", "velocity", "joints"):
        ends = [getattr(run, name)[-1] for run in runs]
        change = [np.abs(one - two).max() for one, two in pairwise(ends)]
        order = np.log2(np.divide(change[:-1], change[1:]))
        assert order.min() > 1.9, name


def test_energy_of_a_mechanism_is_kept_without_damping():
    most = []
    for h in (2e-3, 1e-3):
        result = ns.simulate(double_pendulum(), t_end=20.0, h=h, scheme=ns.GeneralizedAlpha(rho_inf=1.0))
        energy = np.abs(result.energy())
        assert energy[3 * len(energy) // 4 :].max() < 3.0 * energy[: len(energy) // 4].max()
        most.append(energy.max())
    assert most[0] < 3e-2  # of 9.81 J that go to and fro
    assert most[1] < most[0] / 3


def test_the_reaction_of_a_hanging_rod_is_its_weight_and_that_of_a_beam_its_moment():
    model = ns.Model(gravity=(0, 0, -10))
    body = rod(model, (0.5, 0, 0))
    model.add(Rigid(None, body, point=(0, 0, 0)))
    result = ns.simulate(model, t_end=0.1, h=1e-2)
    assert np.abs(result.position - result.position[0]).max() < 1e-15
    assert np.abs(result.joints[:, 2, 1] - 10.0).max() < 1e-12
    assert np.abs(np.linalg.norm(result.joints[:, 3:, 1], axis=1) - 5.0).max() < 1e-12


def test_a_joint_on_a_moving_frame_follows_it():
    model = ns.Model(gravity=(0, 0, -9.81))
    body = rod(model, (0.5, 0, 0), velocity=(0, 0, 0.6))
    rail = model.add_plane(
        normal=(0, 0, 1), motion=lambda t: ((0, 0, 0.2 * np.sin(3 * t)), (0, 0, 0.6 * np.cos(3 * t)))
    )
    model.add(Spherical(rail, body, point=(0, 0, 0)))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    x, v = ends(result, body, -1)
    assert np.abs(x[:, 2] - 0.2 * np.sin(3 * result.t)).max() < 1e-14
    assert np.abs(v[:, 2] - 0.6 * np.cos(3 * result.t)).max() < 1e-13


def test_a_slider_on_a_spring_swings_with_its_frequency():
    model = ns.Model()
    body = model.add_body(mass=2.0, inertia=(1, 1, 1), position=(1.2, 0, 0))
    model.add(Prismatic(None, body, point=(0, 0, 0), axis=(1, 0, 0)))
    model.add(Spring([((0, 0, 0), body)], stiffness=50.0, length=1.0))
    result = ns.simulate(model, t_end=2.0, h=1e-3)
    assert result.status.ok
    assert np.abs(result.position[:, 0, 0] - 1.0 - 0.2 * np.cos(5 * result.t)).max() < 2e-5


def test_a_redundant_joint_changes_nothing():
    one, two = double_pendulum(), double_pendulum()
    two.add(Revolute(two.bodies[0], two.bodies[1], point=(1, 0.3, 0), axis=(0, 1, 0)))
    first, second = (ns.simulate(model, t_end=1.0, h=2e-3) for model in (one, two))
    assert second.status.ok
    assert np.abs(first.position - second.position).max() < 1e-11
    assert np.abs(first.velocity - second.velocity).max() < 1e-10


@pytest.mark.parametrize("load", [False, True])
def test_a_run_goes_on_from_a_state_to_the_bit(load):
    model = double_pendulum()
    if load:
        model.add(Spring([(model.bodies[1], (1.5, 0.2, -1.0))], stiffness=20.0, length=0.5))
        model.add_load(Drag(model.bodies, translational=0.3, rotational=0.01))
    whole = ns.simulate(model, t_end=0.4, h=2e-3)
    part = ns.simulate(model, t_end=0.4, h=2e-3, state=whole.state(87))
    assert np.array_equal(part.velocity[-1], whole.velocity[-1])
    assert np.array_equal(part.joints[-1], whole.joints[-1])


def test_a_start_that_violates_a_joint_is_refused_with_the_size_of_the_violation():
    for x, v, expected in (
        ((0.51, 0, 0), (0, 0, 0), "position.*0.01"),
        ((0.5, 0, 0), (0.2, 0, 0), "velocity.*0.2"),
    ):
        model = ns.Model()
        body = rod(model, (0.5, 0, 0), velocity=v)
        model.add(Spherical(body, None, point=(0.01, 0, 0) if x[0] > 0.5 else (0, 0, 0)))
        if x[0] > 0.5:
            state = model.initial_state()
            state.position[0] = x
            with pytest.raises(ValueError, match=expected):
                ns.simulate(model, t_end=0.1, h=1e-2, state=state)
            continue
        with pytest.raises(ValueError, match=expected):
            ns.simulate(model, t_end=0.1, h=1e-2)


def test_a_free_body_moves_as_it_does_without_joints_elsewhere():
    """It begins with the acceleration of its forces, not that of a later time."""
    runs = []
    for jointed in (False, True):
        model = ns.Model(gravity=(0, 0, -9.81))
        start = {"position": (50, 0, 0), "velocity": (1, 2, 0), "angular_velocity": (3, -5, 2)}
        top = model.add_body(mass=0.4, inertia=(0.01, 0.02, 0.025), **start)
        model.add(Spring([((top, (0.1, 0.05, 0)), (50.3, 0.2, 0.1))], stiffness=500.0, damping=2.0))
        model.add_load(Drag(top, translational=3.0, rotational=0.01))
        if jointed:
            model.add(Revolute(rod(model, (0.5, 0, 0)), None, point=(0, 0, 0), axis=(0, 1, 0)))
        runs.append(ns.simulate(model, t_end=0.02, h=1e-3))
    alone, beside = runs
    assert np.abs(beside.velocity[:, 0] - alone.velocity[:, 0]).max() < 1e-10
    assert np.abs(beside.angular_velocity[:, 0] - alone.angular_velocity[:, 0]).max() < 1e-9
