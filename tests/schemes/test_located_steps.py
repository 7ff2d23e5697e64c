"""Steps that end at impacts, by trial steps and first hits."""

import math

import numpy as np
import pytest

import nsgalpha as ns
from elements import Limit, Revolute, SpherePlane, SphereSphere
from tests.schemes.located_steps import LocatedSteps

G, R = 9.81, 0.1


def bouncing(e_n):
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + 0.9))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), e_n=e_n))
    return model


def height(e_n, t):
    """Height [m] and velocity [m/s] after a drop from 0.9 m, and the impacts so far."""
    v, arrival, impacts = math.sqrt(2.0 * G * 0.9), math.sqrt(2.0 * 0.9 / G), 1
    while True:
        v *= e_n
        if arrival + 2.0 * v / G > t:
            return v * (t - arrival) - 0.5 * G * (t - arrival) ** 2, v - G * (t - arrival), impacts
        arrival, impacts = arrival + 2.0 * v / G, impacts + 1


@pytest.mark.parametrize("e_n", [0.8, 0.9, 1.0])
def test_a_ball_bounces_exactly(e_n):
    """v^2 falls by e^2 at each impact, and free flight is exact."""
    steps, t = LocatedSteps(bouncing(e_n), 1e-2), 2.5
    steps.advance(t)
    z, v, impacts = height(e_n, t)
    assert steps.now.old.x[0, 2] - R == pytest.approx(z, abs=1e-11)
    assert steps.now.old.v[0, 2] == pytest.approx(v, abs=1e-10)
    assert steps.impacts == impacts
    assert 250 <= steps.steps <= 250 + impacts


@pytest.mark.parametrize("e_n", [0.0, 0.5])
def test_a_ball_comes_to_rest(e_n):
    """With e = 0.5 after 1.2 s and infinitely many impacts, of which the last are handed over."""
    steps = LocatedSteps(bouncing(e_n), 1e-2)
    steps.advance(2.0)
    assert steps.now.old.x[0, 2] == pytest.approx(R, abs=1e-10)
    assert abs(steps.now.old.v[0, 2]) < 1e-10
    assert steps.impacts <= 20
    assert steps.handed == (e_n > 0.0)


def test_balls_meet_in_one_long_step():
    """7 m/s, 0.5 s: 17.5 diameters past each other without the impact."""
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), velocity=(7.0, 0, 0))
    model.add_sphere(radius=R, mass=1.0, position=(1.0, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=0.6))
    steps = LocatedSteps(model, 0.5)
    steps.advance(0.5)
    assert steps.now.old.v[:2, 0] == pytest.approx([1.4, 5.6], abs=1e-12)
    assert steps.impacts == 1
    assert steps.trials <= 4


def broken():
    """A ball breaks three within four cushions, on a cloth."""
    model, r = ns.Model(gravity=(0, 0, -G)), 0.028575
    across = 2.0 * r * math.cos(math.pi / 6.0)
    model.add_sphere(radius=r, mass=0.17, position=(-0.6, 0.003, r), velocity=(8.0, 0, 0))
    for x, y in ((0, 0), (1.0001 * across, 1.0003 * r), (1.0002 * across, -1.0004 * r)):
        model.add_sphere(radius=r, mass=0.17, position=(x, y, r))
    model.add(SphereSphere(among=model.spheres, mu=0.06, e_n=0.93))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    for normal, offset in (((1, 0, 0), -1.0), ((-1, 0, 0), -1.0), ((0, 1, 0), -0.5), ((0, -1, 0), -0.5)):
        model.add(SpherePlane(model.spheres, model.add_plane(normal=normal, offset=offset), mu=0.2, e_n=0.85))
    return model


def ends(build, sizes, end):
    """Positions and velocities at `end` [s], one run for each size of the steps."""
    found = []
    for h in sizes:
        steps = LocatedSteps(build(), h)
        steps.advance(end)
        assert steps.steps <= end / h + steps.impacts
        found.append((steps.now.old.x.copy(), np.hstack([steps.now.old.v, steps.now.old.w])))
    return found


def test_a_break_of_four():
    """Forces are constant between impacts; order two remains where balls begin to roll."""
    (x, v), *others = ends(broken, (1e-3, 5e-3, 1e-2), 1.0)
    fine, coarse = (np.abs(each[0] - x).max() for each in others)
    assert max(np.abs(each[1] - v)[:4, :3].max() for each in others) < 1e-11
    assert math.log2(coarse / fine) > 1.8


def pendulum_on_a_stop():
    model = ns.Model(gravity=(0, 0, -G))
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
    pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Limit(pin, low=-1.0, high=0.7, e_n=0.6))
    return model


def test_a_pendulum_on_a_stop():
    """It meets the limit of its angle four times."""
    (x, v), *others = ends(pendulum_on_a_stop, (2.5e-4, 5e-3, 2.5e-3, 1.25e-3), 1.2)
    errors = np.array([[np.abs(each[0] - x).max(), np.abs(each[1] - v).max()] for each in others])
    assert np.log2(errors[:-1] / errors[1:]).min() > 1.9
