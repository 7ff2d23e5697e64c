"""Contacts of primitives in the compiled loop: the bits of steps from Python."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSolidPlane, CompliantSolids, CompliantSphereSphere, CundallStrack, SpringDashpot
from nsgalpha.forces.surface_contacts import SurfaceGroup
from nsgalpha.schemes.explicit.verlet_stepper import VerletStepper

LAW = {
    "normal": SpringDashpot(stiffness=2e4, damping=5.0),
    "tangential": CundallStrack(stiffness=6e3, mu=0.4),
}
H = 2e-4  # [s]
SIZES = [H, 0.5 * H, 0.7 * H] * 400


def poured():
    """Boxes, cans and balls that fall apart on a fixed box and a floor."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rng = np.random.default_rng(1)
    floor = model.add_plane(normal=(0, 0, 1))
    model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0.05), fixed=True)
    for k in range(3):
        turn = rng.normal(size=4)
        model.add_box((0.06, 0.05, 0.04), mass=0.2, position=(0.01 * k, 0, 0.13 + 0.08 * k), rotation=turn)
        model.add_cylinder(0.02, 0.05, mass=0.1, position=(-0.08, 0.02 * k, 0.04 + 0.07 * k))
    solids = model.bodies[:]
    for k in range(3):
        place, velocity = (0.09 + 0.001 * k, 0, 0.05 + 0.045 * k), (-0.5, 0, 0)
        model.add_sphere(radius=0.02, mass=0.05, position=place, velocity=velocity)
    model.add(CompliantSolids(among=solids, **LAW))
    model.add(CompliantSolids(between=(solids, model.spheres), **LAW))
    model.add(CompliantSolidPlane([*solids[1:], *model.spheres], floor, **LAW))
    model.add(CompliantSphereSphere(among=model.spheres, **LAW))
    return model


def run(compiled, monkeypatch, act=lambda model: None, h=H, **settings):
    """The result of the scene, by the loop of the choice."""
    with monkeypatch.context() as patch:
        if not compiled:
            patch.setattr(SurfaceGroup, "compiled", False)
        model = poured()
        act(model)
        assert VerletStepper(model, model.initial_state(), H).compiled == compiled
        return ns.simulate(model, t_end=0.16, h=h, scheme=ns.VelocityVerlet(), **settings)


@pytest.mark.parametrize(("every", "h"), [(1, H), (7, H), (10**6, H), (7, SIZES)])
def test_steps_have_the_bits_of_those_from_python(monkeypatch, every, h):
    compiled, python = (run(each, monkeypatch, record_every=every, h=h) for each in (True, False))
    assert compiled.status.ok
    assert compiled.stats.contacts.max() > 12
    np.testing.assert_array_equal(compiled.stats.contacts, python.stats.contacts)
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(compiled, name), getattr(python, name))
    ours, theirs = (result.state().contacts for result in (compiled, python))
    assert len(ours.pair) > 0
    for name in ("pair", "tangent", "values", "opened", "feature"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_candidates_and_workspaces_are_made_on_the_way(monkeypatch):
    made = []
    for name in ("_find", "_make_workspace"):
        do = getattr(SurfaceGroup, name)

        def counted(group, *given, do=do, name=name):
            made.append(name)
            do(group, *given)

        monkeypatch.setattr(SurfaceGroup, name, counted)
    run(True, monkeypatch, record_every=10**6)
    assert min(made.count("_find"), made.count("_make_workspace")) > 6


def test_impulses_of_the_contacts_are_those_from_python(monkeypatch):
    found = []
    for compiled in (True, False):
        sensor = ns.Sensor("push", lambda now: now.impulse(now.model.bodies[1]), every=50)
        found.append(run(compiled, monkeypatch, watch=[sensor]).sensors["push"].value)
    assert np.abs(found[0]).max() > 0.0
    np.testing.assert_array_equal(*found)


def test_elements_that_do_not_act_leave_the_loop(monkeypatch):
    def off(model):
        model.elements[1].active = False

    compiled, python = (run(each, monkeypatch, off) for each in (True, False))
    np.testing.assert_array_equal(compiled.position, python.position)
    assert (compiled.position[-1] != run(True, monkeypatch).position[-1]).any()


@pytest.mark.parametrize("compiled", [True, False])
def test_rotations_that_are_not_finite_end_the_run(monkeypatch, compiled):
    def spin(model):
        place, fast = (0, 0, 1), (1e160, 2e160, 0)
        box = model.add_box((0.06, 0.05, 0.04), mass=0.2, position=place, angular_velocity=fast)
        model.add(CompliantSolids(between=([box], model.bodies[:1]), **LAW))

    result = run(compiled, monkeypatch, spin)
    assert not result.status.ok
    assert "finite" in result.status.message
    assert len(result.stats.contacts) == 0
