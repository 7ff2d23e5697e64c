"""Contacts that stay closed on bodies that joints hold: the joints' answers turn with the mechanism."""

import numpy as np
import pytest

import nsgalpha as ns
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


@pytest.mark.parametrize("scene", dragged.SCENES[2:], ids=lambda scene: scene.title)
def test_a_dragged_mechanism_goes_on_from_a_state_to_the_bit(scene):
    model = dragged.model(scene)
    whole = ns.simulate(model, t_end=0.2, h=1e-3)
    half = ns.simulate(model, t_end=0.1, h=1e-3)
    rest = ns.simulate(model, t_end=0.2, h=1e-3, state=half.state())
    for name in ("position", "rotation", "velocity", "angular_velocity", "joints"):
        assert np.array_equal(getattr(rest.state(), name), getattr(whole.state(), name)), name
