"""Boxes pushed near their friction limit: rocking drifts, normal damping stops it."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSolidPlane, CundallStrack, LinearPressure, SpringDashpot

MU, G, EDGE, STIFFNESS = 0.5, 9.81, 0.1, 1e5
CRITICAL = 2.0 * np.sqrt(STIFFNESS)  # [N s/m] damping of 1 kg on this stiffness


def pushed(normal, tangential_damping=0.0):
    """A cube of 1 kg, pushed at once with 0.99 of its friction limit, after 0.4 s.

    Returns the distance [m], the speed in the last 0.1 s [m/s], the rate of rocking there over that at first.
    """
    model = ns.Model(gravity=(0.99 * MU * G, 0.0, -G))
    box = model.add_box((EDGE, EDGE, EDGE), mass=1.0, position=(0.0, 0.0, EDGE / 2.0 - G / STIFFNESS))
    friction = CundallStrack(stiffness=STIFFNESS, mu=MU, damping=tangential_damping)
    plane = model.add_plane(normal=(0.0, 0.0, 1.0))
    model.add(CompliantSolidPlane(box, plane, normal=normal, tangential=friction))
    result = ns.simulate(model, t_end=0.4, h=1e-4, scheme=ns.VelocityVerlet(), record_every=20)
    part = len(result.t) // 4
    x, rate = result.position[:, box, 0], np.abs(result.angular_velocity[:, box, 1])
    return x[-1], np.ptp(x[-part:]) / 0.1, rate[-part:].max() / rate[:part].max()


def spring(ratio):
    return SpringDashpot(stiffness=STIFFNESS, damping=ratio * CRITICAL)


def pressure(ratio):
    return LinearPressure(stiffness=STIFFNESS / EDGE**2, damping=ratio * CRITICAL / EDGE**2)


@pytest.mark.parametrize("normal", [spring(1.2 * MU), pressure(0.1)])
def test_with_the_damping_of_the_guide_a_box_below_its_friction_limit_stops_rocking(normal):
    distance, speed, rocking = pushed(normal)
    assert distance < 0.1 * EDGE
    assert speed < 0.015
    assert rocking < 0.5


@pytest.mark.parametrize("tangential", [0.0, CRITICAL])
def test_a_spring_with_half_of_that_damping_drifts_whatever_damps_the_sliding(tangential):
    distance, speed, rocking = pushed(spring(0.6 * MU), tangential)
    assert distance > 0.12 * EDGE
    assert speed > 0.03
    assert rocking > 1.0
