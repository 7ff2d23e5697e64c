"""Flying contacts take no part in a step, at any gap."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.run.run_progress import Run
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.stepping.step_times import StepTimes

H = 1e-2
PARTS = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "auxiliary")


def balls(*, touching=True, load=False):
    """Balls that rest, fall and roll on a floor and meet, also without contact."""
    model = ns.Model(gravity=(0, 0, -10))
    for x, z, v in ((0.0, 0.1, 0.0), (0.35, 0.1, -2.0), (0.05, 0.45, 0.0), (1.0, 0.1, 3.0)):
        model.add_sphere(
            radius=0.1, mass=1.0, position=(x, 0, z), velocity=(v, 0, 0), angular_velocity=(0.3 * v, v, 0.2)
        )
    floor = model.add_plane(normal=(0, 0, 1))
    if touching:
        model.add(SphereSphere(among=model.spheres, mu=0.2, e_n=0.8))
        model.add(SpherePlane(model.spheres, floor, mu=0.2, e_n=0.5))
    if load:
        model.add_load(lambda t, state: -0.3 * state.velocity)
    return model


class Flight:
    """Steps of a model in which candidates may fly."""

    def __init__(self, model, state=None):
        state = model.initial_state() if state is None else state
        self.stepper = GeneralizedAlphaStepper(model, state, H, ns.GeneralizedAlpha(), 1e-10)
        self.run = Run(self.stepper, StepTimes(state.t, H))
        self.run.plan(1000, 1000)
        self.now = self.stepper.now

    def flies(self, *pairs):
        """Flags of the candidates with one of the `pairs`, of bodies or a body and "floor"."""
        c = self.now.candidates
        others = ["floor" if plane >= 0 else int(b) for b, plane in zip(c.b, c.plane, strict=True)]
        found = [{int(a), b} for a, b in zip(c.a, others, strict=True)]
        return np.array([each in [set(pair) for pair in pairs] for each in found])

    def advance(self, steps=1):
        for _ in range(steps):
            step = self.run.step
            assert self.run.advance(step, step + 1)[1] is None
        return self.run.state()


def same(one, two, bodies=slice(None)):
    return all(np.array_equal(getattr(one, name)[bodies], getattr(two, name)[bodies]) for name in PARTS)


@pytest.mark.parametrize("load", [False, True])
def test_a_step_in_which_all_fly_is_free_flight_to_the_bit(load):
    """Also where bodies begin with forces, overlap, and leave the reach of the candidates."""
    start = ns.simulate(balls(load=load), t_end=0.1, h=H).state()
    assert len(start.forces.a) >= 2
    flight, free = Flight(balls(load=load), start), Flight(balls(touching=False, load=load), start)
    flight.now.forces.fly(np.ones(len(flight.now.candidates.a), bool))
    for _ in range(8):
        one, two = flight.advance(), free.advance()
        assert same(one, two)
        assert not len(one.forces.a)
    assert flight.now.candidates.gap.min() < -0.03
    assert not flight.now.forces.past.touched.any()


@pytest.mark.parametrize("load", [False, True])
def test_held_contacts_act_beside_flying_ones(load):
    """The first ball rests on the floor, and the others fly through both."""
    flight = Flight(balls(load=load))
    flies = flight.flies((0, 1), (0, 2), (1, 2), (1, "floor"), (2, "floor"))
    assert flies.sum() >= 3
    flight.now.forces.fly(flies)
    end = flight.advance(25)
    assert end.position[0] == pytest.approx([0, 0, 0.1], abs=1e-9)
    assert end.position[3, 2] == pytest.approx(0.1, abs=1e-9)
    assert end.position[1, 2] < 0.0
    free = Flight(balls(touching=False, load=load)).advance(25)
    assert same(end, free, [1, 2])


def test_all_touch_by_default():
    flight = Flight(balls())
    assert not flight.now.forces.past.flying.any()
    end = ns.simulate(balls(), t_end=0.3, h=H).state()
    assert same(flight.advance(30), end)


def test_flags_are_carried_to_a_new_table():
    """The broad phase finds new candidates, in which the same pairs fly."""
    flight = Flight(balls())
    flight.now.forces.fly(flight.flies((3, "floor"), (2, "floor")))
    table = flight.now.candidates
    flight.advance(20)
    flight.now.find(0)
    assert flight.now.candidates is not table
    assert np.array_equal(flight.now.forces.past.flying, flight.flies((3, "floor"), (2, "floor")))


def test_a_trial_is_undone():
    """It changes the motion, the past of the candidates and the size of the step."""
    flight, again = Flight(balls()), Flight(balls())
    assert same(flight.advance(5), again.advance(5))
    now = flight.now
    kept = [[part.copy() for part in each] for each in (now.old, now.forces.past, [now.size])]
    now.forces.fly(np.ones(len(now.candidates.a), bool))
    trial = flight.advance()
    for each, before in zip((now.old, now.forces.past, [now.size]), kept, strict=True):
        for part, value in zip(each, before, strict=True):
            part[:] = value
    flight.run.step -= 1
    expected = again.advance()
    assert not same(trial, expected)
    assert same(flight.advance(), expected)
