"""Contacts of primitives whose laws are in Python are those of compiled laws."""

import numpy as np
import pytest
from surface_scenes import FRICTION, SCENES, SPRING
from tangent_checks import evaluated

import nsgalpha as ns
from elements import CompliantSolidPlane, CompliantSolids
from nsgalpha.arrays import Motion
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.model.compliant_law import no_response
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


def in_python(model):
    """The model with the same laws as functions in Python."""
    for element in model.elements:
        parts = element.law.parts
        element.law.parts = [(lambda *given, law=law: law(*given), *rows) for law, *rows in parts]
    return model


@pytest.mark.parametrize("torque", [True, False])
@pytest.mark.parametrize("scene", ALL.values(), ids=ALL)
def test_wrenches_and_tangents_are_those_of_compiled_laws(scene, torque):
    found = []
    for model in (scene(torque), in_python(scene(torque))):
        system, compliant, wrenches = evaluated(model)
        none = np.zeros((system.size, 6))
        rng = np.random.default_rng(2)
        f = wrenches(none, 0.1 * rng.normal(size=none.shape))
        v = rng.normal(size=(system.count, 6))
        K, C = (compliant.tangents(*factors)[1] for factors in ((1.0, 0.0), (0.0, 1.0)))
        damping = compliant.damping(v)
        compliant.commit()
        wrenches(none, none)
        last = np.concatenate([group.response.history.ravel() for group in compliant.surfaces])
        found.append((compliant.closed, compliant.energy, f, K, C, damping, last))
    assert found[0][0] > 0
    for compiled, python in zip(*found, strict=True):
        np.testing.assert_array_equal(python, compiled)


@pytest.mark.parametrize("scheme", [ns.VelocityVerlet(), ns.GeneralizedAlpha()])
def test_runs_are_those_of_compiled_laws(scheme):
    models = scene_of_solids(True), in_python(scene_of_solids(True))
    compiled, python = (ns.simulate(model, t_end=0.01, h=1e-4, scheme=scheme) for model in models)
    np.testing.assert_array_equal(python.velocity, compiled.velocity)
    assert np.abs(compiled.velocity[-1]).max() > 1e-3


@pytest.mark.parametrize("scene", ALL.values(), ids=ALL)
def test_laws_see_masses_areas_and_lengths_of_whole_contacts(scene):
    system, compliant, wrenches = evaluated(scene(True))
    wrenches(*np.zeros((2, system.size, 6)))
    assert compliant.closed > 0
    for group in (each for each in compliant.surfaces if each.closed):
        contact = group._seen(group.last)
        m, given, inverse = group.last.measured, group.last.given, 0.0
        for side, number, weight, slots in (
            (group.A, given.a, m.weight_a, given.slots[:, : group.split]),
            (group.B, given.b, m.weight_b, given.slots[:, group.split :]),
        ):
            one = np.eye(slots.shape[1])[[0] * len(number)]
            share = np.where(side.rigid[number, None], one, weight[:, : slots.shape[1]] ** 2)
            inverse += (share * system.bodies.inverse_mass[slots]).sum(axis=1)
        np.testing.assert_allclose(contact.mass, 1.0 / inverse, rtol=1e-14)
        sphere = np.isfinite(m.effective_radius)
        area = np.where(sphere, np.pi * m.effective_radius * m.overlap.clip(0.0), m.area / m.fraction)
        np.testing.assert_allclose(contact.area, area, rtol=1e-14)
        radii = group.A.radius[given.a], group.B.radius[given.b]
        face = group.A.many[given.a] > 2
        np.testing.assert_array_equal(contact.branch, np.where(face, radii[1], sum(radii)))
        np.testing.assert_array_equal(contact.radius_a, np.where(face, radii[1], radii[0]))
        carriers = np.sort(group.carriers(given.a, given.b), axis=1)
        alone = np.column_stack([-1 - given.a, -1 - given.b])
        bodies = np.where(carriers[:, :1] >= 0, carriers, alone).tolist()
        np.testing.assert_array_equal(
            np.equal.outer(contact.pair, contact.pair), [[one == two for two in bodies] for one in bodies]
        )
        whole = no_response(group.closed, 6, group.law.history)
        group.law(contact, whole)
        np.testing.assert_allclose(group.response.force, m.fraction[:, None] * whole.force, rtol=1e-14)
        energy = m.fraction * m.mean_square * whole.energy
        np.testing.assert_allclose(group.response.energy, energy, rtol=1e-14)


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
