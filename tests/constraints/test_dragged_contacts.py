"""Contacts that stay closed on bodies that joints hold: the joints' answers turn with the mechanism."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Revolute, Rope
from verification.mechanisms import dragged


@pytest.mark.parametrize("scene", dragged.SCENES, ids=lambda scene: scene.title)
def test_closed_contacts_of_a_mechanism_are_of_second_order(scene):
    far, near = (dragged.errors(scene, h) for h in (2e-3, 1e-3))
    assert np.log2(far / near) == pytest.approx(2.0, abs=0.15)


def test_a_crank_that_drags_a_ball_without_friction_keeps_its_energy_to_second_order():
    def lost(h):
        energy = ns.simulate(dragged.model(dragged.SCENES[1]), t_end=2.0, h=h).energy()
        return np.abs(energy - energy[0]).max()

    assert lost(2e-3) < 0.3 * lost(4e-3)


def test_an_arm_led_by_a_rope_is_of_second_order():
    def end(h):
        model = ns.Model(gravity=(0, 0, -9.81))
        inner, outer = (model.add_body(mass=1.0, inertia=(0.01,) * 3, position=(x, 0, 0)) for x in (0.2, 0.6))
        model.add(Revolute(None, inner, point=(0, 0, 0), axis=(0, 1, 0)))
        model.add(Revolute(inner, outer, point=(0.4, 0, 0), axis=(0, 1, 0)))
        model.add(Rope(None, outer, points=((0.9, 0, 0.6), (0.8, 0, 0))))
        result = ns.simulate(model, t_end=0.2, h=h)
        return np.hstack([result.position[-1], result.velocity[-1]])

    coarse, middle, fine = (end(h) for h in (2e-3, 1e-3, 5e-4))
    assert np.abs(middle - fine).max() < 0.35 * np.abs(coarse - middle).max()


@pytest.mark.parametrize("scene", dragged.SCENES[2:], ids=lambda scene: scene.title)
def test_a_dragged_mechanism_goes_on_from_a_state_to_the_bit(scene):
    model = dragged.model(scene)
    whole = ns.simulate(model, t_end=0.2, h=1e-3)
    half = ns.simulate(model, t_end=0.1, h=1e-3)
    rest = ns.simulate(model, t_end=0.2, h=1e-3, state=half.state())
    for name in ("position", "rotation", "velocity", "angular_velocity", "joints"):
        assert np.array_equal(getattr(rest.state(), name), getattr(whole.state(), name)), name
