"""Hard solids from feeders: their features are selected before a place counts as free."""

import numpy as np
import pytest
from solid_scenes import G

import elements as e
import nsgalpha as ns

MAKERS = {
    "box": lambda model: model.add_box((0.06, 0.05, 0.04), mass=0.1, position=(0, 0, 0.4)),
    "cylinder": lambda model: model.add_cylinder(0.03, 0.05, mass=0.1, position=(0, 0, 0.4)),
    "hull": lambda model: model.add_solid(
        0.03 * np.random.default_rng(0).normal(size=(20, 3)), hull=True, density=1000, position=(0, 0, 0.4)
    ),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_they_come_one_after_the_other_without_overlap(kind):
    """Six in a narrow spout: each waits until the one before has fallen."""
    model = ns.Model(gravity=(0, 0, -G))
    table = model.add_box((2, 2, 0.1), position=(0, 0, -0.05), fixed=True)
    solids = [MAKERS[kind](model) for _ in range(6)]
    bearing = model.add_body(fixed=True, position=(1, 1, 1), name="bearing")
    arm = model.add_body(mass=1.0, inertia=np.eye(3), position=(1, 1, 1))
    model.add(e.Revolute(bearing, arm, point=(1, 1, 1), axis=(0, 1, 0)))
    model.add(e.Contact(among=[table, *solids], mu=0.3))
    spout = ns.regions.Box(low=(-0.02, -0.02, 0.3), high=(0.02, 0.02, 0.32))
    model.add(ns.Feeder(solids, spout, rate=1000, seed=1))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    assert result.status.ok, result.status
    came = [event.t for event in result.events]
    assert len(came) == 6
    assert np.diff(came).min() > 0.03  # a fall by the height of a solid takes longer
    assert result.stats.penetration.max() < 1e-10
    again = ns.simulate(model, t_end=1.0, h=1e-3)
    assert (again.position[-1] == result.position[-1]).all()


def test_a_place_that_is_taken_is_none():
    """A box that would come into another one waits until that is gone."""
    model = ns.Model(gravity=(0, 0, -G))
    floor = model.add_plane(normal=(0, 0, 1))
    first = model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05), velocity=(1.0, 0, 0))
    second = model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0.02, 0, 0.05))
    model.add(e.Contact(among=[floor, first, second]))
    model.add(ns.Feeder(second))
    result = ns.simulate(model, t_end=0.3, h=1e-3)
    assert result.status.ok, result.status
    (event,) = result.events
    assert event.t == pytest.approx(0.12, abs=2e-3)  # of a way of 0.12 m
