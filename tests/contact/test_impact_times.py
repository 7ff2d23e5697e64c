"""The first impact of flying contacts within a step, against closed forms."""

import math

import numpy as np
import pytest

import nsgalpha as ns
from elements import CapsulePlane, Limit, Revolute, SphereInShell, SpherePlane, SphereSphere
from nsgalpha.arrays import copy_motion
from nsgalpha.contact.impacts.impact_times import Flight, first_hits, opening_rates
from nsgalpha.run.run_progress import Run
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.stepping.step_times import StepTimes

R = 0.1


class Trial:
    """One step of `h` in which all fly: first impact, fractions and names by candidate."""

    def __init__(self, model, h, rebounding=(), held=()):
        state = model.initial_state()
        stepper = GeneralizedAlphaStepper(model, state, h, ns.GeneralizedAlpha(), 1e-10)
        run, now = Run(stepper, StepTimes(state.t, h)), stepper.now
        run.plan(2, 3)
        c = now.candidates
        count = len(c.a)
        rate, back = np.empty(count), np.zeros(count, bool)
        opening_rates(c, now.old, rate)
        back[list(rebounding)] = True
        flying = np.ones(count, bool)
        now.forces.fly(flying)
        flying[list(held)] = False
        way = np.empty(len(now.old.x))
        flight = Flight(
            flying,
            back,
            np.zeros(count, bool),
            c.feature.copy(),
            c.gap.copy(),
            rate,
            copy_motion(now.old),
            way,
        )
        assert run.advance(0, 1)[1] is None
        assert now.candidates is c
        stepper.system.measure(now.old, c)
        self.fraction = np.empty(count)
        self.first = first_hits(c, stepper.system.bodies, flight, now.old, h, self.fraction)
        self.pair = now.names(self.first) if self.first >= 0 else None
        self.candidates = c


def two(x, v, w=(0, 0, 0), gravity=(0, 0, 0), radius=R, **cell):
    """Two balls, the second at `x` from the first, which moves with `v`, the second with `w`."""
    model = ns.Model(gravity=gravity, **cell)
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), velocity=v)
    model.add_sphere(radius=radius, mass=2.0, position=x, velocity=w)
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    return model


def meeting(x, v, total):
    """Time at which two centres `x` apart, with the relative velocity `v`, are `total` apart."""
    x, v = np.array(x, float), np.array(v, float)
    a, b, c = v @ v, x @ v, x @ x - total**2
    root = b * b - a * c
    return (-b - math.sqrt(root)) / a if root >= 0.0 else math.inf


@pytest.mark.parametrize("h", [0.01, 0.5, 20.0])
def test_a_ball_falls_onto_a_plane(h):
    """z - r = v t - g t^2/2."""
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + 2e-4), velocity=(1.0, 0, -0.03))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    trial = Trial(model, h)
    t = (-0.03 + math.sqrt(0.03**2 + 2.0 * 9.81 * 2e-4)) / 9.81
    assert trial.first == 0
    assert trial.fraction[0] * h == pytest.approx(t, rel=1e-9)


def test_a_ball_that_dips_below_a_plane_is_found():
    """It is above the plane at both ends of the step."""
    model = ns.Model(gravity=(0, 0, 10.0))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + 0.1), velocity=(0, 0, -2.0))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    trial = Trial(model, 0.4)
    assert trial.candidates.gap[0] == pytest.approx(0.1, abs=1e-12)
    assert trial.fraction[0] * 0.4 == pytest.approx((2.0 - math.sqrt(2.0)) / 10.0, rel=1e-12)


@pytest.mark.parametrize("z", [0.201, 0.25, 0.5])
def test_a_ball_that_does_not_reach_the_plane_is_none(z):
    model = ns.Model(gravity=(0, 0, 10.0))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + z), velocity=(0, 0, -2.0))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    trial = Trial(model, 0.4)
    assert (trial.first, trial.fraction[0]) == (-1, math.inf)


@pytest.mark.parametrize("h", [1e-3, 0.1, 10.0, 1e4])
@pytest.mark.parametrize("y", [0.0, 0.1, 0.199])
def test_balls_meet_however_long_the_step(h, y):
    """Also where they are far past each other at its end: v h of up to 3.5e5 diameters."""
    v, total = 7.0, 2.0 * R
    x = math.sqrt(total**2 - y**2) + 0.5 * v * min(h, 0.1)
    trial = Trial(two((x, y, 0), (v, 0, 0)), h)
    assert trial.fraction[0] * h == pytest.approx(0.5 * min(h, 0.1), rel=1e-7)


@pytest.mark.parametrize("y", [0.2001, 0.3])
def test_balls_that_pass_beside_each_other_do_not_meet(y):
    assert Trial(two((1.0, y, 0), (7.0, 0, 0)), 0.5).first == -1


def test_balls_that_part_do_not_meet():
    assert Trial(two((0.201, 0, 0), (-1.0, 0, 0)), 10.0).first == -1


def test_random_pairs_meet_when_they_do():
    """Of different sizes; gravity acts on both alike."""
    rng = np.random.default_rng(2)
    met = 0
    for _ in range(40):
        x, v, w = rng.normal(size=(3, 3))
        radius = rng.uniform(0.05, 0.4)
        x *= (R + radius) * rng.uniform(1.1, 4.0) / np.linalg.norm(x)
        w = v - x + 0.3 * w
        t = meeting(x, w - v, R + radius)
        trial = Trial(two(x, v, w, (0, 0, -9.81), radius), 2.0)
        met += 0.0 < t < 2.0
        assert trial.fraction[0] * 2.0 == pytest.approx(t if 0.0 < t < 2.0 else math.inf, rel=1e-10)
    assert met > 5


def test_images_of_a_periodic_cell_meet():
    model = two((0.95, 0, 0), (-1.0, 0, 0), periodic=(2.0, None, None))
    assert Trial(model, 0.5).first == -1
    model = two((1.5, 0, 0), (-1.0, 0, 0), periodic=(2.0, None, None))
    assert Trial(model, 0.5).fraction[0] * 0.5 == pytest.approx(0.3, rel=1e-12)


def test_a_rebound_is_no_impact_and_the_next_one_is():
    """A ball that just left the floor comes back after 2 v/g."""
    model = ns.Model(gravity=(0, 0, -10.0))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R), velocity=(0, 0, 1.5))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    assert Trial(model, 0.29, [0]).first == -1
    assert Trial(model, 0.5, [0]).fraction[0] * 0.5 == pytest.approx(0.3, rel=1e-12)


def test_balls_that_rebound_part():
    model = two((2.0 * R, 0, 0), (-1.0, 0, 0), (1.0, 0, 0))
    assert Trial(model, 1.0, [0]).first == -1
    model = two((0, 0, 2.0 * R), (0, 0, 0), (0, 0, 1.0))
    model.add_load(lambda t, state: [[0, 0, 0], [0, 0, -10.0]])  # -5 m/s^2
    assert Trial(model, 1.0, [0]).fraction[0] == pytest.approx(0.4, rel=1e-10)


def test_the_first_of_several_is_named():
    model = ns.Model(gravity=(0, 0, -10.0))
    for k, z in enumerate((0.5, 0.3, 0.9)):
        model.add_sphere(radius=R, mass=1.0, position=(k, 0, R + z))
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    model.add(SpherePlane(model.spheres, floor))
    trial = Trial(model, 0.4)
    assert trial.pair == ("sphere 1", "floor")
    times = 0.4 * trial.fraction[np.argsort(trial.candidates.a)]
    assert times == pytest.approx([math.sqrt(0.1), math.sqrt(0.06), math.inf], rel=1e-10)


def test_a_ball_in_a_shell_and_a_capsule_are_no_pairs_of_spheres():
    """Their gaps are cubics here: exact where accelerations are constant."""
    model = ns.Model()
    shell = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0), fixed=True)
    ball = model.add_sphere(radius=R, mass=1.0, position=(0.2, 0, 0), velocity=(2.0, 0, 0))
    model.add(SphereInShell(ball, shell))
    assert Trial(model, 0.5).fraction[0] * 0.5 == pytest.approx(0.35, rel=1e-9)
    model = ns.Model(gravity=(0, 0, -10.0))
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.5))
    capsule = model.add_primitive([(-0.2, 0, 0), (0.2, 0, 0)], radius=R, carrier=rod)
    model.add(CapsulePlane(capsule, model.add_plane(normal=(0, 0, 1))))
    trial = Trial(model, 0.5)
    assert trial.fraction[trial.first] * 0.5 == pytest.approx(math.sqrt(0.2 * 0.4), rel=1e-9)


def test_an_angle_meets_its_limit():
    """A rod turns freely at 2 rad/s to its stop at 0.5 rad."""
    model = ns.Model()
    rod = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0), angular_velocity=(0, 2.0, 0))
    pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Limit(pin, low=-1.0, high=0.5))
    trial = Trial(model, 0.4)
    assert trial.fraction.min() * 0.4 == pytest.approx(0.25, rel=1e-9)
    assert np.isinf(trial.fraction).sum() == len(trial.fraction) - 1


def test_held_contacts_are_none():
    model = ns.Model(gravity=(0, 0, -10.0))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + 0.1))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    assert Trial(model, 0.5).first == 0
    assert Trial(model, 0.5, held=[0]).first == -1
