"""Impact laws: sequences, at most so many impacts of them, and simultaneous impacts."""

import itertools

import numpy as np
import pytest
from scenes import lattice_cluster

import nsgalpha as ns
from elements import CapsulePlane, SphereSphere
from verification.benchmarks.heap import build

SIMULTANEOUS = ns.GeneralizedAlpha(impact_law="simultaneous")


def row(count, e_n, scheme, mu=0.0):
    """Speeds (count,) of a row that the first ball strikes with 1 m/s, and the result."""
    model = ns.Model()
    for k in range(count):
        model.add_sphere(radius=0.5, mass=1.0, position=(k, 0, 0), velocity=(float(k == 0), 0, 0))
    model.add(SphereSphere(among=model.spheres, mu=mu, e_n=e_n))
    result = ns.simulate(model, t_end=1e-3, h=1e-3, scheme=scheme)
    assert result.status.ok
    return result.velocity[-1, :, 0], result


@pytest.mark.parametrize("mu", [0.0, 0.3])
@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("count", [5, 80])
def test_a_simultaneous_impact_throws_a_row_back(count, e_n, mu):
    """The others leave together: v_1 + (n - 1) v = 1 and v - v_1 = e."""
    speeds, result = row(count, e_n, SIMULTANEOUS, mu)
    others = (1.0 + e_n) / count
    assert speeds[1:] == pytest.approx(np.full(count - 1, others), abs=1e-9)
    assert speeds[0] == pytest.approx(others - e_n, abs=1e-9)
    assert result.stats.sub_impacts.tolist() == [1]
    assert not result.stats.capped.any()
    assert result.status.message == "finished at t = 0.001 s after 1 step"


@pytest.mark.parametrize("count", [5, 80])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_one_impact_without_restitution_closes_a_sequence(count, most):
    """The speed has been handed on `most` times; the balls ahead share it."""
    speeds, result = row(count, 1.0, ns.GeneralizedAlpha(max_impacts=most))
    assert speeds[:most] == pytest.approx(np.zeros(most), abs=1e-9)
    assert speeds[most:] == pytest.approx(np.full(count - most, 1.0 / (count - most)), abs=1e-9)
    assert result.stats.sub_impacts.tolist() == [most + 1]
    assert result.stats.capped.tolist() == [1]
    assert "impacts reached their cap, closed without rebound" in result.status.message


def test_a_sequence_that_ends_before_is_not_closed():
    speeds, result = row(5, 1.0, ns.GeneralizedAlpha(max_impacts=4))
    assert np.array_equal(speeds, row(5, 1.0, None)[0])
    assert not result.stats.capped.any()


def test_capped_sequences_of_small_and_large_islands_are_counted_and_are_no_error():
    model = ns.Model()
    for y, count in enumerate((5, 80, 6)):
        for k in range(count):
            place = (k, 2.0 * y, 0)
            model.add_sphere(radius=0.5, mass=1.0, position=place, velocity=(float(k == 0), 0, 0))
    model.add(SphereSphere(among=model.spheres, mu=0.0, e_n=1.0))
    stats = ns.simulate(model, t_end=1e-3, h=1e-3, scheme=ns.GeneralizedAlpha(max_impacts=2)).stats
    assert stats.capped.tolist() == [3]
    assert stats.sub_impacts.tolist() == [3]
    assert stats.velocity_error.max() == 0.0
    assert stats.velocity_residual.max() < 1e-10


def rocking(e_n, scheme):
    """Rates of the ends of a rod, one of which fell on a plane, and W."""
    model, inertia = ns.Model(), 1.0 / 3.0
    motion = {"velocity": (0, 0, -0.5), "angular_velocity": (0, 0.5, 0)}
    rod = model.add_body(mass=1.0, inertia=inertia, position=(0, 0, 0.1), **motion)
    capsule = model.add_primitive([(-1, 0, 0), (1, 0, 0)], radius=0.1, carrier=rod)
    model.add(CapsulePlane(capsule, model.add_plane(normal=(0, 0, 1)), e_n=e_n))
    result = ns.simulate(model, t_end=1e-6, h=1e-6, scheme=scheme)
    v, w = result.velocity[-1, rod, 2], result.angular_velocity[-1, rod, 1]
    return sorted([v - w, v + w]), 1.0 + np.array([[1, -1], [-1, 1]]) / inertia


@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
def test_a_rod_that_rocks(e_n):
    """A simultaneous impact throws one end back with e; a sequence strikes them in turn."""
    rates, W = rocking(e_n, SIMULTANEOUS)
    assert W[0, 1] < 0.0  # an impulse on one end presses the other down
    assert rates == pytest.approx([0.0, e_n], abs=1e-5)
    rates, found = np.array([-1.0, 0.0]), rocking(e_n, ns.GeneralizedAlpha())[0]
    while e_n and rates.min() < -1e-9:
        struck = int(np.argmin(rates))
        rates += W[struck] * (1.0 + e_n) * -rates[struck] / W[struck, struck]
    assert found == pytest.approx(sorted(rates) if e_n else [0.0, 0.0], abs=1e-5)


@pytest.mark.parametrize("e_n", [0.0, 0.4, 1.0])
def test_simultaneous_impacts_without_friction_take_energy(e_n):
    """Also where contacts open before the impact: Moreau's rule counts their rates."""
    changes, impacts = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = ns.Model()
        for place in lattice_cluster(rng, 3 + seed % 8, 0.5):
            model.add_sphere(
                radius=0.5, mass=rng.uniform(0.2, 5.0), position=place, velocity=rng.normal(size=3)
            )
        model.add(SphereSphere(among=model.spheres, e_n=e_n))
        result = ns.simulate(model, t_end=1e-9, h=1e-9, scheme=SIMULTANEOUS)
        mass = np.array([body.mass for body in model.bodies])
        energy = 0.5 * np.einsum("b,tbi->t", mass, result.velocity**2)
        momentum = np.einsum("b,tbi->ti", mass, result.velocity)
        changes.append(energy[1] / energy[0] - 1.0)
        impacts.append(int(result.stats.sub_impacts[0]))
        assert momentum[1] == pytest.approx(momentum[0], abs=1e-9)
        for a, b in itertools.combinations(range(len(mass)), 2):
            apart = result.position[1, a] - result.position[1, b]
            if np.linalg.norm(apart) < 1.0 + 1e-6:
                assert apart @ (result.velocity[1, a] - result.velocity[1, b]) > -1e-8
    assert max(changes) < 1e-9
    assert min(changes) < (-1e-3 if e_n < 1.0 or max(impacts) > 1 else 1e-9)
    assert max(impacts) > 1 or e_n == 0.0  # contacts that opened before, and were closed afterwards


def test_a_heap_falls_by_each_law():
    """The laws differ in impacts, and hardly in where the heap lies."""
    heights, impacts = [], []
    laws = {}, {"max_impacts": 5}, {"impact_law": "simultaneous"}
    for law in laws:
        result = ns.simulate(build(50, 0.3), t_end=0.25, h=1e-3, scheme=ns.GeneralizedAlpha(**law))
        assert result.status.ok
        heights.append(float(result.position[-1, :, 2].mean()))
        impacts.append(int(result.stats.sub_impacts.max()))
    assert impacts[0] > 10
    assert impacts[1:] == [6, 2]
    assert heights == pytest.approx([heights[0]] * 3, rel=0.1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"impact_law": "newton"}, "impact_law = 'newton': must be 'sequence' or 'simultaneous'"),
        ({"max_impacts": 0}, "max_impacts = 0: must be an integer >= 1"),
        ({"max_impacts": 2.5}, "max_impacts = 2.5: must be an integer"),
        ({"impact_law": "simultaneous", "max_impacts": 3}, "max_impacts = 3: must be left out"),
        ({"effort": -1}, r"effort = -1: must be in \[0, inf\)"),
    ],
)
def test_arguments(given, words):
    with pytest.raises(ValueError, match=words):
        ns.GeneralizedAlpha(**given)
