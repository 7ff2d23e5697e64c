"""Compliant contact in models with joints: both in one smooth motion, at any stiffness."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSphereSphere, CundallStrack, Revolute, SpringDashpot


def rolling(rod):
    """A soft ball that rolls off another, which is fixed; 5 m away a `rod` on a hinge, if it is there."""
    model = ns.Model(gravity=(0, 0, -9.81))
    top = 0.03, 0.01, np.sqrt(0.2**2 - 0.03**2 - 0.01**2) - 1e-4
    base = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), fixed=True)
    ball = model.add_sphere(radius=0.1, mass=1.0, position=top)
    soft = {
        "normal": SpringDashpot(stiffness=1e4, damping=5.0),
        "tangential": CundallStrack(stiffness=8e3, mu=0.5),
    }
    model.add(CompliantSphereSphere(pairs=[(base, ball)], **soft))
    if rod:
        bar = model.add_body(mass=0.3, inertia=(0.01, 0.01, 1e-3), position=(5.5, 0, 0))
        model.add(Revolute(None, bar, point=(5, 0, 0), axis=(0, 1, 0)))
    return model, ball


def test_a_hinge_far_away_changes_nothing_of_a_soft_contact():
    results = []
    for rod in (False, True):
        model, ball = rolling(rod)
        result = ns.simulate(model, t_end=0.15, h=1e-3)
        assert result.status, result.status
        results.append((result.position[:, ball], result.angular_velocity[:, ball]))
    for alone, beside in zip(*results, strict=True):
        assert beside == pytest.approx(alone, abs=1e-6)
