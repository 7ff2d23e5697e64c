"""Stable steps of velocity Verlet in dense contacts: closed forms, runs, the remark."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.run.step_stability import stable_step
from nsgalpha.system.system import System

STIFFNESS, MASS, RADIUS, SIDE = 1e5, 0.5, 0.1, 4
CRITICAL = 2.0 * np.sqrt(STIFFNESS * MASS / 2)
VERLET = ns.VelocityVerlet()


def lattice(ratio, alternating=0.0):
    """A cubic lattice of balls pressed together, periodic, with velocities that alternate along x."""
    spacing = 2.0 * RADIUS - 1e-3
    model = ns.Model(periodic=(SIDE * spacing,) * 3)
    number = np.stack(np.meshgrid(*[np.arange(SIDE)] * 3, indexing="ij"), -1).reshape(-1, 3)
    velocity = np.zeros((len(number), 3))
    velocity[:, 0] = alternating * (-1.0) ** number[:, 0]
    balls = model.add_spheres(
        position=spacing * number,
        radius=np.full(len(number), RADIUS),
        mass=np.full(len(number), MASS),
        velocity=velocity,
    )
    law = e.SpringDashpot(stiffness=STIFFNESS, damping=ratio * CRITICAL)
    model.add(e.CompliantSphereSphere(among=balls, normal=law))
    return model


def closed_form(ratio):
    """h of 4 k h^2/m + 16 c h/m = 4: balls that move against both neighbours."""
    k, c = 4.0 * STIFFNESS / MASS, 4.0 * ratio * CRITICAL / MASS
    return 4.0 / (2.0 * c + np.sqrt(4.0 * c * c + 4.0 * k))


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.6])
def test_the_stable_step_of_a_lattice(ratio):
    model, h = lattice(ratio), closed_form(ratio)
    # balls are heavier to move across a lattice that is pressed: 1e-3/0.2 of the stiffness
    assert stable_step(System(model), model.initial_state(), 0.98 * h) == np.inf
    assert stable_step(System(model), model.initial_state(), 1.05 * h) == pytest.approx(h, rel=2e-2)


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.6])
def test_runs_grow_beyond_it_and_not_before(ratio):
    h, speed = closed_form(ratio), 1e-7
    for part, grows in ((0.98, False), (1.03, True)):
        model = lattice(ratio, speed)
        result = ns.simulate(model, t_end=400 * h, h=part * h, scheme=VERLET)
        # later contacts open, and balls come to rest elsewhere
        found = np.abs(result.velocity[30:, :, 0]).max()
        assert (found > 10.0 * speed) == grows, (part, found)
        assert ("times the longest that is stable" in str(result.status)) == grows


def test_a_box_that_turns_on_a_plane():
    """A cube on a bed of springs, turned: inertia and frames count."""
    bed, side, mass = 1e7, 0.1, 1.0
    for angle in (0.0, 0.7):
        model = ns.Model(gravity=(0, 0, -10.0))
        turn = (np.cos(angle / 2), 0, 0, np.sin(angle / 2))
        overlap = 1e-4
        box = model.add_box((side, side, side), mass=mass, position=(0, 0, side / 2 - overlap), rotation=turn)
        floor = model.add_plane(normal=(0, 0, 1))
        model.add(e.CompliantSolidPlane(box, floor, normal=e.LinearPressure(stiffness=bed)))
        k = bed * side**2 / mass  # heave; tilting: bed side^4/12 over m side^2/6 is half of it
        h = 2.0 / np.sqrt(k)
        assert stable_step(System(model), model.initial_state(), 0.98 * h) == np.inf
        assert stable_step(System(model), model.initial_state(), 1.02 * h) == pytest.approx(h, rel=5e-3)


def test_fixed_bodies_and_guided_ones_do_not_count():
    model = lattice(0.6)
    light = model.add_sphere(radius=RADIUS, mass=1e-6, position=(0, 0, 0), fixed=True)
    assert light.fixed
    h = closed_form(0.6)
    assert stable_step(System(model), model.initial_state(), 0.98 * h) == np.inf


def test_steps_that_are_found_have_no_remark():
    model = lattice(0.6, 1e-3)
    result = ns.simulate(model, t_end=5e-3, scheme=VERLET)
    assert result.status.ok
    assert result.status.remarks == []


def test_bodies_that_come_later_count():
    """Bodies from a feeder count once they have come."""
    model = ns.Model(gravity=(0, 0, -10.0))
    floor = model.add_plane(normal=(0, 0, 1))
    grains = [model.add_sphere(radius=RADIUS, mass=MASS, position=(0, 0, 0)) for _ in range(2)]
    law = e.SpringDashpot(stiffness=STIFFNESS, damping=2.0 * CRITICAL)
    model.add(e.CompliantSpherePlane(grains, floor, normal=law))
    region = ns.regions.Box(low=(-0.5, -0.5, 0.0), high=(0.5, 0.5, 0.25))
    model.add(ns.Feeder(grains, region, rate=1000.0, seed=1))
    result = ns.simulate(model, t_end=0.5, h=1.2e-3, scheme=VERLET)
    assert "times the longest that is stable" in str(result.status)
