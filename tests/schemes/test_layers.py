"""Cells that climb onto one another and come down (mpacts: N_Contractile_dewet)."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Contractile, CundallStrack, Drag, LayeredSpheres, MaxwellSpring, SpringDashpot
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.contact_outputs import evaluated
from nsgalpha.system.system import System
from nsgalpha.testing import check_force_element

LAW = {"normal": Contractile(substrate=1.0, contraction=0.5)}


def cells(x, seed=0, law=LAW, **more):
    """Flat cells of radius 1 at the places `x` of a line or plane."""
    model = ns.Model()
    for place in x:
        model.add_sphere(radius=1.0, mass=1.0, position=(*np.atleast_1d(place), *[0] * (3 - np.size(place))))
    return model, model.add(LayeredSpheres(model.spheres, seed=seed, **law, **more))


def run(model, t_end=0.1, h=0.01, **more):
    scheme = ns.Overdamped(Drag(model.spheres, translational=10.0))
    result = ns.simulate(model, t_end=t_end, h=h, scheme=scheme, **more)
    assert result.status, result.status
    return result


def test_of_two_that_are_pushed_together_one_climbs_and_either_in_half_of_the_seeds():
    """Binomial with 1000 throws: 4 sigma are 63."""
    pairs, zero = np.array([[0, 1]]), np.zeros(2, np.int64)
    risen = []
    for seed in range(1000):
        _, layers = cells([0, 0.9], seed)
        level = layers.moved(pairs, zero, 3)
        assert sorted(level) == [0, 1]
        risen.append(level[0])
    assert abs(sum(risen) - 500) < 63
    model, layers = cells([0, 0.9])
    result = run(model)
    assert sorted(layers.levels(result.state())) == [0, 1]
    assert "overlap" not in str(result.status)


def test_a_heap_of_three_has_three_layers_and_no_force_and_is_flat_once_it_is_pulled_apart():
    model, layers = cells([(0, 0), (0.3, 0), (0, 0.3)])
    result = run(model, t_end=0.2)
    assert sorted(layers.levels(result.state())) == [0, 1, 2]
    assert not result.velocity[-1].any()
    apart = result.state()
    apart.position[:, 0] += [0, 5, 10]
    flat = run(model, t_end=0.4, state=apart)
    assert not layers.levels(flat.state()).any()


def test_cells_of_one_layer_have_the_force_of_the_law_and_those_of_two_the_resistance():
    model, layers = cells([0, 1.2, 3.1], resistance=5.0)
    force = evaluated(System(model), model.initial_state())[2][:, 0]
    f, g = (2.0 * (1.0 - 1.5 * (r - 1.0)) for r in (1.2, 1.9))  # (2/R) (W_s - (W_s + W_c) (r - R)/R)
    assert force == pytest.approx([-f, f - g, g], rel=1e-12)
    model, layers = cells([0, 0.5], resistance=5.0)
    state = run(model).state()
    assert sorted(layers.levels(state)) == [0, 1]
    model.add_load(lambda t, state: [[2.0, 0, 0], [0, 0, 0]])
    v = run(model, t_end=0.12, state=state).velocity[-1, :, 0]
    assert v == pytest.approx([2.0 * 15 / 200, 2.0 * 5 / 200], rel=1e-12)  # (10 + 5, -5) v = (2, 0)


def test_a_run_that_is_continued_has_the_same_bits(tmp_path):
    rng = np.random.default_rng(5)
    x = rng.uniform(0, 7, (30, 2))
    model, layers = cells(x, seed=7)
    whole = run(model, t_end=0.2)
    whole.save(tmp_path / "whole.h5")
    levels = layers.levels(whole.state())
    assert levels.max() >= 2
    half = run(model, t_end=0.1)
    rest = run(model, t_end=0.2, state=half.state())
    assert np.array_equal(rest.position[-1], whole.position[-1])
    assert np.array_equal(layers.levels(rest.state()), levels)
    read = ns.load(tmp_path / "whole.h5")
    assert np.array_equal(read.model.elements[0].levels(read.state()), levels)


def test_levels_do_not_depend_on_the_order_in_which_cells_are_named():
    x = np.random.default_rng(5).uniform(0, 5, (20, 2))
    model, layers = cells(x)
    ends = layers.levels(run(model).state())
    other = ns.Model()
    spheres = [other.add_sphere(radius=1.0, mass=1.0, position=(*each, 0)) for each in x]
    shuffled = np.random.default_rng(1).permutation(20)
    again = other.add(LayeredSpheres([spheres[k] for k in shuffled], **LAW))
    assert np.array_equal(again.levels(run(other).state()), ends[shuffled])


def test_levels_do_not_depend_on_other_bodies_of_the_model():
    x = np.random.default_rng(5).uniform(0, 5, (20, 2))
    model, layers = cells(x)
    other = ns.Model()
    other.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 50.0))
    again = other.add(
        LayeredSpheres([other.add_sphere(radius=1.0, mass=1.0, position=(*each, 0)) for each in x], **LAW)
    )
    assert np.array_equal(again.levels(run(other).state()), layers.levels(run(model).state()))


@pytest.mark.parametrize("scheme", [ns.VelocityVerlet(), ns.GeneralizedAlpha(), ns.SemiImplicit()])
def test_with_inertia_too(scheme):
    model, layers = cells([0, 1.3])
    result = ns.simulate(model, t_end=1.0, h=1e-2, scheme=scheme)
    assert result.status, result.status
    assert not layers.levels(result.state()).any()
    assert result.velocity[-1, :, 0].sum() == pytest.approx(0.0, abs=1e-12)
    model, layers = cells([0, 0.9])
    assert sorted(layers.levels(ns.simulate(model, t_end=0.1, h=1e-2, scheme=scheme).state())) == [0, 1]


def test_forces_have_the_energy_and_the_tangents_of_the_law():
    law = SpringDashpot(stiffness=3.0)
    _, layers = cells([(0, 0), (1.6, 0), (0.8, 1.3), (3.1, 0.4)], law={"normal": law})
    check_force_element(layers, size=1.0, moved=0.05)
    law = SpringDashpot(stiffness=3.0, damping=0.4)
    _, layers = cells([(0, 0), (1.6, 0), (0.8, 1.3), (3.1, 0.4)], law={"normal": law})
    check_force_element(layers, size=1.0, moved=0.05, speed=0.01)


def test_tangents_follow_parts_that_change_from_evaluation_to_evaluation():
    """Forces and matrices are those of a run that has seen no other parts."""
    rng = np.random.default_rng(2)
    model, _ = cells(rng.uniform(0, 6, (25, 2)), law={"normal": SpringDashpot(stiffness=3.0, damping=0.1)})
    system = System(model)
    motion = system.motion(model.initial_state())
    still = np.zeros((system.size, 6))
    kept = CompliantForces(system)
    kept.find(motion, 1.0)
    kept.begin(motion)
    for _ in range(6):
        motion.x[:25, :2] = rng.uniform(0, 6, (25, 2))
        fresh = CompliantForces(system)
        fresh.find(motion, 1.0)
        fresh.begin(motion)
        matrices = []
        for forces in (kept, fresh):
            wrench = forces.evaluate(motion, still, 1e-3)
            pattern, values = forces.tangents(1.0, 0.1)
            matrices.append((wrench, pattern.matrix(values).toarray()))
        assert np.array_equal(matrices[0][0], matrices[1][0])
        assert np.allclose(matrices[0][1], matrices[1][1], rtol=0, atol=1e-12)
        assert np.abs(matrices[0][1]).max() > 1.0


def test_bad_layers_are_refused_by_name():
    model = ns.Model()
    balls = [model.add_sphere(radius=1.0, mass=1.0, position=(x, 0, 0)) for x in (0, 3)]
    for name, given in {
        "spheres": {"spheres": balls[:1]},
        "seed": {"seed": -1},
        "resistance": {"resistance": -1.0},
        "normal": {"normal": MaxwellSpring(stiffness=1.0, dashpot=1.0, length=1.0), "reach": 1.0},
        "tangential": {"tangential": CundallStrack(stiffness=1.0, mu=0.1)},
        "acts_on": {"acts_on": "a"},
    }.items():
        with pytest.raises(ValueError, match=f"^{name}"):
            LayeredSpheres(**({"spheres": balls} | LAW | given))
    layers = LayeredSpheres(balls, **LAW)
    with pytest.raises(ValueError, match="levels: the element is in no model"):
        layers.levels(model.initial_state())
