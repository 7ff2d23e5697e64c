"""Contacts of primitives whose laws are compiled are those of any law."""

import numpy as np
import pytest
from surface_scenes import FRICTION, SCENES, SPRING
from tangent_checks import evaluated

import nsgalpha as ns
from elements import CompliantSolidPlane, CompliantSolids
from nsgalpha.arrays import Motion
from nsgalpha.forces import compliant_forces
from nsgalpha.forces.compiled_surface_contacts import CompiledSurfaceGroup
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.surface_contacts import SurfaceGroup
from nsgalpha.system.system import System


def scene_of_solids(torque):
    """A box that slides on a box on a floor, and a can beside it."""
    model = ns.Model()
    low = model.add_box((0.2, 0.2, 0.1), mass=1.0, position=(0, 0, 0.0499), rotation=(1, 0, 0.001, 0.1))
    high = model.add_box((0.1, 0.1, 0.1), mass=0.5, position=(0.02, 0, 0.1497), velocity=(0.3, 0.1, -0.1))
    can = model.add_cylinder(0.03, 0.1, mass=0.3, position=(-0.06, 0.02, 0.1496), angular_velocity=(1, 2, 3))
    laws = {"normal": SPRING, "tangential": FRICTION}
    model.add(CompliantSolids(among=[low, high, can], **laws))
    model.add(CompliantSolidPlane(low, model.add_plane(normal=(0, 0, 1)), **laws))
    return model


ALL = SCENES | {"solids": scene_of_solids}


def in_numpy(monkeypatch):
    monkeypatch.setattr(compliant_forces, "surface_group", SurfaceGroup)


@pytest.mark.parametrize("torque", [True, False])
@pytest.mark.parametrize("scene", ALL.values(), ids=ALL)
def test_wrenches_and_tangents_are_those_of_the_pass_in_numpy(scene, torque, monkeypatch):
    found = []
    for _ in range(2):
        system, compliant, wrenches = evaluated(scene(torque))
        none = np.zeros((system.size, 6))
        rng = np.random.default_rng(2)
        f = wrenches(none, 0.1 * rng.normal(size=none.shape))
        v = rng.normal(size=(system.count, 6))
        K, C = (compliant.tangents(*factors) for factors in ((1.0, 0.0), (0.0, 1.0)))
        numbers = [pattern.matrix(values).toarray() for pattern, values in (K, C)]
        damping = compliant.damping(v)
        compliant.commit()
        wrenches(none, none)
        last = np.concatenate([group.response.history.ravel() for group in compliant.surfaces])
        found.append((compliant, f, *numbers, damping, last, compliant.energy, compliant.closed))
        in_numpy(monkeypatch)
    (compiled, *one), (numpy, *two) = found
    assert all(isinstance(group, CompiledSurfaceGroup) for group in compiled.surfaces)
    assert not any(isinstance(group, CompiledSurfaceGroup) for group in numpy.surfaces)
    assert one[-1] == two[-1] > 0
    for a, b, tolerance in zip(one[:-1], two[:-1], (1e-14, 1e-6, 1e-13, 1e-13, 1e-13, 1e-13), strict=True):
        assert np.abs(np.subtract(a, b)).max() <= tolerance * np.abs(b).max()


@pytest.mark.parametrize("scheme", [ns.VelocityVerlet(), ns.GeneralizedAlpha()])
def test_runs_are_those_of_the_pass_in_numpy(scheme, monkeypatch):
    ends = []
    for _ in range(2):
        ends.append(ns.simulate(scene_of_solids(True), t_end=0.01, h=1e-4, scheme=scheme))
        in_numpy(monkeypatch)
    assert np.abs(ends[0].velocity - ends[1].velocity).max() < 1e-9
    assert np.abs(ends[0].velocity[-1]).max() > 1e-3


def test_a_step_taken_back_finds_the_candidates_of_its_start_again():
    """Candidates of the step may differ, at points near enough for both lists."""
    system = System(scene_of_solids(True))
    motion = system.motion(system.model.initial_state())
    far = Motion(*(part.copy() for part in motion))
    far.x[2] += 10.0  # the can is near nothing there
    compliant = CompliantForces(system)
    compliant.find(far, np.inf)
    group = compliant.surfaces[0]
    memory, count = group.memory(), len(group.candidates.a)
    compliant.find(motion, np.inf)
    assert len(group.candidates.a) > count
    group.restore(memory)
    compliant.begin(motion)
    assert len(group.history) == len(group.started().overlap) > count
    compliant.evaluate(motion, np.zeros((system.size, 6)), 1e-4)
    assert compliant.closed > 0
