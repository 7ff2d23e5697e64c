"""Solids in contact: models of few bodies, their loads, and their runs."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CompliantSolidPlane, CompliantSolids, LinearPressure, SpringDashpot

G = 9.81
SPRING = {"normal": SpringDashpot(stiffness=1e5)}
PRESSURE = {"normal": LinearPressure(stiffness=1e6)}
SCHEMES = pytest.mark.parametrize("scheme", [None, ns.MoreauJean()], ids=["generalized-alpha", "Moreau-Jean"])
NAMES = ("position", "rotation", "velocity", "angular_velocity")
BOX = np.array([(x, y, z) for z in (1, -1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))], float)


def quaternion(turn):
    """Scalar-first quaternion of a scipy Rotation."""
    return turn.as_quat()[[3, 0, 1, 2]]


def run(model, t_end, h, **settings):
    """The result of a run, which succeeds."""
    result = ns.simulate(model, t_end=t_end, h=h, **settings)
    assert result.status, result.status
    return result


def same(one, two):
    """Two runs are the same to the bit, with their contacts."""
    for name in NAMES:
        assert np.array_equal(getattr(one, name)[:], getattr(two, name)[:]), name
    for name in ("feature", "wrench", "impulse"):
        assert np.array_equal(getattr(one.contacts, name)[:], getattr(two.contacts, name)[:]), name


def contacts(model):
    """The contacts of a model as it was stated."""
    return ns.compliant_contacts(model, model.initial_state())


def pair(one, two, laws, planes=()):
    """A model of the bodies of two functions, in contact; the resultants (2, 6)."""
    model = ns.Model()
    bodies = [one(model), two(model)]
    model.add(CompliantSolids(between=(bodies[:1], bodies[1:]), **laws))
    return contacts(model).resultant()


def on_plane(add, laws, normal=(0, 0, 1)):
    """The resultant (6,) on a body, which the function adds, on a plane through the origin."""
    model = ns.Model()
    body = add(model)
    model.add(CompliantSolidPlane(body, model.add_plane(normal=normal), **laws))
    return contacts(model).resultant()[0]


def grid(low, high, count=400):
    """Midpoints (n, 2) of cells of a rectangle, and their area."""
    axes = [a + (np.arange(count) + 0.5) * (b - a) / count for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    return points, np.prod(np.subtract(high, low)) / count**2


def random_turn(rng):
    return Rotation.random(None, rng)
