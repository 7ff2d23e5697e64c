"""Forces, energies and tangents of the force elements of shells."""

import numpy as np
import pytest
from shell_meshes import icosphere, modelled

import elements as e
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.system.system import System
from nsgalpha.testing import check_force_element

ENERGETIC = {
    "springs": lambda s: e.ShellSprings(s, modulus=3.0),
    "springs that are strained": lambda s: e.ShellSprings(s, modulus=3.0, length=0.4),
    "bending": lambda s: e.Bending(s, stiffness=2.0),
    "bent from flat": lambda s: e.Bending(s, stiffness=2.0, angle=0.0),
    "bending of a cosine": lambda s: e.Bending(s, stiffness=2.0, cosine=True, curvature=-1.0),
    "bending of a shell": lambda s: e.ShellBending(s, modulus=3.0, poisson=0.3),
    "areas": lambda s: e.LocalArea(s, stiffness=2.0, area=0.2, tension=0.3),
    "area": lambda s: e.GlobalArea(s, stiffness=2.0, area=11.0, tension=0.3),
    "volume": lambda s: e.Volume(s, stiffness=2.0, volume=5.0, pressure=0.4),
}
OTHERS = {
    "printed bending": (lambda s: e.Bending(s, stiffness=2.0, angle=0.1, printed=True), {"moments": False}),
    "flow": (lambda s: e.MaxwellShell(s, modulus=3.0, time=2e-3), {}),
    "flow above a threshold": (lambda s: e.MaxwellShell(s, modulus=3.0, time=2e-3, threshold=1.001), {}),
    "viscosity": (lambda s: e.ShellViscosity(s, viscosity=2.0), {"moments": False}),
    "viscosity along edges": (lambda s: e.ShellViscosity(s, viscosity=2.0, invariant=True), {}),
    "a volume that regulates": (lambda s: e.Volume(s, stiffness=2.0, volume=5.0, time=1e-2), {}),
}


def sphere():
    return modelled(*icosphere(1), thickness=0.05)[2]


@pytest.mark.parametrize("name", ENERGETIC)
def test_forces_are_gradients(name):
    check_force_element(ENERGETIC[name](sphere()), size=0.5)


@pytest.mark.parametrize("name", OTHERS)
def test_tangents_of_forces_without_energy(name):
    make, options = OTHERS[name]
    check_force_element(make(sphere()), size=0.5, energy=False, **options)


def test_a_check_fails_where_the_energy_is_another():
    element = e.Bending(sphere(), stiffness=2.0, angle=0.1, printed=True)
    with pytest.raises(AssertionError, match="energy: the force is not minus its gradient"):
        check_force_element(element, size=0.5, moments=False)
    with pytest.raises(AssertionError, match="balance: moments"):
        check_force_element(element, size=0.5, energy=False)


def test_a_check_fails_where_tangents_are_wrong():
    element = e.ShellSprings(sphere(), modulus=3.0)
    stated = type(element.coordinate).add_curvature
    element.coordinate.add_curvature = lambda x, f, blocks: stated(element.coordinate, x, 1.01 * f, blocks)
    with pytest.raises(AssertionError, match="tangents: those by x differ"):
        check_force_element(element, size=0.5)


@pytest.mark.parametrize("kind", ["area", "volume"])
def test_a_whole_whose_nodes_change_has_the_matrix_of_the_new_ones(kind):
    """Kept entries are those of the nodes in the present evaluation."""
    model, _, surface = modelled(*icosphere(1), thickness=0.05)
    changed, rng = model.add(ENERGETIC[kind](surface)), np.random.default_rng(3)
    system = System(model)
    motion = system.motion(model.initial_state())
    motion.x[:] += 0.02 * rng.normal(size=motion.x.shape)
    kept, still = CompliantForces(system), np.zeros((system.size, 6))
    kept.find(motion, 1.0)
    kept.begin(motion)
    first = changed.coordinate.nodes.copy()
    order = rng.permutation(len(model.bodies))
    for nodes in (first, order[first], first[::2]):
        changed.coordinate.nodes = np.ascontiguousarray(nodes)
        changed.coordinate.of = np.zeros(len(nodes), np.int64)
        whole = []
        for forces in (kept, CompliantForces(system)):
            forces.begin(motion)
            forces.evaluate(motion, still, 1e-3)
            pattern, values = forces.tangents(1.0, 0.0)
            low = forces.low_rank(1.0, 0.0)
            whole.append(pattern.matrix(values).toarray() + low @ np.eye(low.size))
        assert np.array_equal(*whole)
        touched = np.isin(np.arange(len(model.bodies)), nodes)
        assert np.array_equal(whole[0].reshape(len(touched), -1).any(axis=1), touched)
