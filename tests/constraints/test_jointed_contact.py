"""Jointed bodies in contact: what contacts see of them, impacts, loads, large islands."""

from itertools import pairwise

import numpy as np
import pytest

import nsgalpha as ns
from elements import CapsulePlane, Revolute, SpherePlane, Spherical
from tests.constraints.test_jointed_motion import ends, rod

RADIUS = 1e-3  # of the tip


def double_pendulum(e_n):
    """Two rods that begin horizontal; the tip of the second meets a floor 1.5 m below the hinge."""
    model = ns.Model(gravity=(0, 0, -9.81))
    one, two = rod(model, (0.5, 0, 0)), rod(model, (1.5, 0, 0))
    model.add(Revolute(one, None, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(one, two, point=(1, 0, 0), axis=(0, 1, 0)))
    tip = model.add_primitive([(0, 0, 0.4), (0, 0, 0.5)], radius=RADIUS, carrier=two)
    floor = model.add_plane(normal=(0, 0, 1), offset=-1.5 - RADIUS)
    model.add(CapsulePlane([tip], [floor], e_n=e_n))
    return model


def test_the_first_impact_of_a_double_pendulum_is_that_of_an_event_driven_integration():
    """Reference: DOP853 to 1e-13; rates (-5.24471, 6.37358) rad/s after it, impulse 3.66194 N s."""
    errors = []
    for h in (1e-3, 1e-4):
        result = ns.simulate(double_pendulum(0.5), t_end=0.53, h=h, record_every=1)
        struck = int(np.flatnonzero(np.abs(np.diff(result.angular_velocity[:, 1, 1])) > 2.0)[0]) + 1
        rates = -result.angular_velocity[struck, :, 1]
        impulse = np.abs(result.contacts.multipliers[:, 0]).max()
        assert abs(result.t[struck] - 0.515271562) < 2 * h
        errors.append(
            [abs(rates[0] + 5.24471095041), abs(rates[1] - 6.37358294739), abs(impulse - 3.66193658764)]
        )
    assert np.max(errors[0]) < 5e-2
    assert np.max(errors[1]) < 5e-3


def test_an_elastic_impact_of_a_mechanism_keeps_its_energy():
    result = ns.simulate(double_pendulum(1.0), t_end=0.6, h=1e-4)
    kinetic = result.energy("kinetic")
    struck = int(np.abs(np.diff(result.angular_velocity[:, 1, 1])).argmax())
    gain = np.diff(result.energy())[struck]
    assert abs(gain) < 2e-3 * kinetic[struck]


def test_joints_hold_through_impacts_and_rest():
    result = ns.simulate(double_pendulum(0.3), t_end=2.0, h=1e-3)
    assert result.status.ok
    assert len(result.contacts.gap) > 20
    (x0, v0), (x1, v1), (x2, v2) = (ends(result, body, sign) for body, sign in ((0, -1), (0, 1), (1, -1)))
    assert max(np.abs(x0).max(), np.abs(x1 - x2).max()) < 1e-14
    assert max(np.abs(v0).max(), np.abs(v1 - v2).max()) < 1e-12


@pytest.mark.parametrize(("stop", "expected"), [(1.0, 1.62748), (2 / 3, 0.0), (0.5, -1.62748)])
def test_the_impulse_of_a_hinge_vanishes_at_the_centre_of_percussion(stop, expected):
    """A rod swings to the vertical and meets a stop at a distance from its hinge (pendulum_on_stop)."""
    model = ns.Model(gravity=(0, 0, -9.81))
    body = rod(model, (0.5, 0, 0))
    model.add(Revolute(None, body, point=(0, 0, 0), axis=(0, 1, 0)))
    tip = model.add_primitive([(0, 0, stop - 0.5 - 1e-5), (0, 0, stop - 0.5)], radius=RADIUS, carrier=body)
    model.add(CapsulePlane([tip], [model.add_plane(normal=(1, 0, 0), offset=-RADIUS)], e_n=0.8))
    result = ns.simulate(model, t_end=0.5, h=2e-4)
    row = int(np.flatnonzero(result.joints[:, :, 2].any(axis=1))[0])
    sideways = result.joints[row, :3, 2]  # of rows along the axes of the marker on the ground
    axes = model.joints[0].axes[0]
    assert abs(sideways @ axes[:, 0] - expected) < 5e-3


def test_a_chain_of_balls_comes_to_rest_on_a_floor_and_hangs_in_its_joints():
    model = ns.Model(gravity=(0, 0, -10))
    balls = [model.add_sphere(radius=0.05, mass=0.1, position=(0.12 * k, 0, 0.3)) for k in range(12)]
    for one, two in pairwise(balls):
        model.add(Spherical(one, two, point=0.5 * (one.position + two.position)))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(SpherePlane(balls, floor, mu=0.3, e_n=0.2))
    result = ns.simulate(model, t_end=1.5, h=1e-3)
    assert result.status.ok
    assert np.abs(result.velocity[-1]).max() < 1e-9
    assert np.abs(result.position[-1, :, 2] - 0.05).max() < 1e-10
    last = result.contacts.at(len(result.t) - 1)
    assert abs(last.wrench[:, 2].sum() - 12.0) < 1e-8


def test_a_chain_whose_island_is_large_comes_to_rest():
    def falling(h):
        model = ns.Model(gravity=(0, 0, -10))
        balls = [model.add_sphere(radius=0.05, mass=0.1, position=(0.12 * k, 0, 0.06)) for k in range(70)]
        for one, two in pairwise(balls):
            model.add(Spherical(one, two, point=0.5 * (one.position + two.position)))
        model.add(SpherePlane(balls, model.add_plane(normal=(0, 0, 1)), mu=0.3, e_n=0.0))
        return ns.simulate(model, t_end=0.1, h=h)

    large = falling(2e-3)  # 210 rows
    assert large.status.ok
    assert np.abs(large.position[-1, :, 2] - 0.05).max() < 1e-10
    assert np.abs(large.velocity[-1]).max() < 1e-9
