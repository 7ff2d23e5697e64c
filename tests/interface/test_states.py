"""States by users: invalid ones are refused, those of runs taken as they are."""

import dataclasses

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSpherePlane, LudingNormal, SpherePlane
from tests.interface.test_bad_input import refused

NAMES = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "auxiliary")


def spinning(count=2):
    """Balls and a general body that spin fast."""
    model = ns.Model()
    for k in range(count):
        model.add_sphere(
            radius=0.1,
            mass=1.0,
            position=(k, 0, 0),
            angular_velocity=(3.0, 50.0 * k, 1.0),
            inertia=(1e-2, 1.2e-2, 1.5e-2) if k else None,
        )
    return model


@pytest.mark.parametrize("length", [0.0, 1e-3, 1.0 - 1e-6, 1.0 + 1e-6, 4.0, 1e200])
def test_quaternions_of_another_length_are_refused(length):
    """Length 0 gave a motion without numbers, length 4 a wrong one, silently."""
    model = spinning()
    state = model.initial_state()
    turned = state.rotation.copy()
    turned[1] *= length
    state = dataclasses.replace(state, rotation=turned)
    for use in (
        lambda: ns.simulate(model, t_end=0.1, h=0.01, state=state),
        lambda: ns.simulate(model, t_end=0.1, h=0.01, state=state, scheme=ns.VelocityVerlet()),
        lambda: ns.step(model, state, 0.01),
        lambda: ns.equilibrium(model, state),
    ):
        with refused("length of state.rotation[1] = ", "must be 1", "divide the quaternion by its length"):
            use()


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(), ns.VelocityVerlet(), ns.SemiImplicit()])
def test_a_state_of_a_run_is_taken_to_the_bit(scheme):
    """Its quaternions have length 1 to rounding, and nothing makes them longer or shorter."""
    model = spinning()
    result = ns.simulate(model, t_end=5.0, h=1e-3, scheme=scheme, record_every=1000)
    state = result.state()
    assert np.abs(np.linalg.norm(result.rotation, axis=-1) - 1.0).max() < 1e-15
    again = ns.simulate(model, t_end=5.001, h=1e-3, state=state, scheme=scheme)
    for name in NAMES:
        assert np.array_equal(getattr(again, name)[0], getattr(state, name)), name


def test_lists_of_numbers_are_a_state():
    model = spinning(1)
    state = ns.State(0, [[1, 2, 3]], [[1, 0, 0, 0]], [[0, 0, 1]], [[0, 0, 0]])
    assert isinstance(state.t, float)
    assert state.position.dtype == np.float64
    assert ns.step(model, state, 0.5).position.tolist() == [[1.0, 2.0, 3.5]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("t", "0"),
        ("t", np.nan),
        ("t", True),
        ("position", np.zeros((2, 4))),
        ("position", np.zeros(3)),
        ("position", [["0", "0", "0"]] * 2),
        ("rotation", np.zeros((2, 3))),
        ("velocity", np.zeros((2, 3), complex)),
        ("angular_velocity", None),
        ("acceleration", np.zeros((2, 3))),
        ("auxiliary", "none"),
        ("contacts", np.zeros((0, 4))),
        ("forces", []),
    ],
)
def test_fields_of_another_width_or_type_are_refused(name, value):
    with refused(f"{name} = ", "must be"):
        dataclasses.replace(spinning().initial_state(), **{name: value})


@pytest.mark.parametrize("name", ["pair", "tangent", "values", "opened"])
def test_what_contacts_remember_has_its_widths(name):
    model = ns.Model(gravity=(0, 0, -10))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    law = LudingNormal(stiffness=1e4, plastic_stiffness=5e3)
    model.add(CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    state = ns.simulate(model, t_end=0.01, h=1e-3).state()
    assert len(state.contacts.pair) == 1
    for value in (np.zeros((3, 3, 3)), np.full((1, 2), "a"), None):
        wrong = dataclasses.replace(state.contacts, **{name: value})
        with refused(f"state.contacts.{name} = ", "use a state of the same model"):
            ns.step(model, dataclasses.replace(state, contacts=wrong), 1e-3)


@pytest.mark.parametrize("name", ["a", "b", "plane"])
def test_forces_are_of_as_many_contacts_as_they_name(name):
    model = ns.Model(gravity=(0, 0, -10))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    state = ns.simulate(model, t_end=0.01, h=1e-3).state()
    wrong = dataclasses.replace(state.forces, **{name: np.zeros(3, int)})
    with refused("state.forces."):
        ns.step(model, dataclasses.replace(state, forces=wrong), 1e-3)
