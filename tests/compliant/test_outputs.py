"""What compliant contacts do in a state: `compliant_contacts`."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import (
    CompliantSpherePlane,
    CompliantSphereSphere,
    CundallStrack,
    ExudynImpact,
    ExudynNormal,
    RegularisedCoulomb,
)

STIFFNESS, MU = 1e6, 0.3
SPIN = np.array([3.0, -2.0, 5.0])
MOVING = {"velocity": (0.2, -0.3, 0.1), "angular_velocity": SPIN}


def struck(t_end=6e-4):
    """A spinning ball in contact with one of another radius; the result."""
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), **MOVING)
    b = model.add_sphere(radius=0.05, mass=0.5, position=(0.15, 0, 0), velocity=(-1.0, 0, 0))
    law = ExudynImpact(stiffness=STIFFNESS, restitution=0.6)
    model.add(
        CompliantSphereSphere(
            pairs=[(a, b)], normal=law, tangential=RegularisedCoulomb(mu=MU, velocity_zone=1e-3)
        )
    )
    result = ns.simulate(model, t_end=t_end, h=1e-5)
    assert result.status, result.status
    return result


def test_forces_are_those_that_move_the_bodies():
    result = struck()
    i = -20
    c = ns.compliant_contacts(result.model, result.state(i))
    assert (c.body_a[0], c.body_b[0], c.plane[0], c.element[0]) == (0, 1, -1, 0)
    state, gap = result.state(i), np.linalg.norm(result.position[i, 0] - result.position[i, 1]) - 0.15
    assert c.gap[0] == pytest.approx(gap, rel=1e-9)
    assert c.displacement[0] == pytest.approx(state.position[0] - state.position[1])
    assert c.normal[0] == pytest.approx(c.displacement[0] / np.linalg.norm(c.displacement[0]))
    assert c.velocity[0] == pytest.approx(state.velocity[0] - state.velocity[1])
    # the smooth acceleration of the step is that of these forces: masses 1 and 1/2
    assert c.force[0] == pytest.approx(state.acceleration[0, :3], rel=1e-6)
    assert -c.force[0] / 0.5 == pytest.approx(state.acceleration[1, :3], rel=1e-6)
    assert c.torque_a[0] / (0.4 * 0.1**2) == pytest.approx(state.acceleration[0, 3:], rel=1e-6)
    assert c.torque_b[0] / (0.4 * 0.5 * 0.05**2) == pytest.approx(state.acceleration[1, 3:], rel=1e-6)
    assert np.linalg.norm(c.torque_a[0]) > 0.1


def test_torques_are_in_the_ratio_of_the_arms():
    result = struck()
    c = ns.compliant_contacts(result.model, result.state(5))  # it slides at first
    g = c.gap[0]
    assert c.torque_b[0] == pytest.approx(c.torque_a[0] * (0.05 + g / 2) / (0.1 + g / 2), rel=1e-9)
    assert np.hypot(*c.local[0, 1:3]) == pytest.approx(MU * c.local[0, 0], rel=1e-9)
    assert c.force[0] @ c.normal[0] == pytest.approx(c.local[0, 0], rel=1e-12)


def test_energy_and_history_are_there():
    result = struck()
    c = ns.compliant_contacts(result.model, result.state(-1))
    assert c.energy[0] == pytest.approx(0.5 * STIFFNESS * c.gap[0] ** 2, rel=1e-9)
    assert c.history[0, 0] == pytest.approx(1.2, rel=1e-12)  # the impact velocity


def test_open_contacts_have_no_row():
    result = struck(t_end=6e-3)
    c = ns.compliant_contacts(result.model, result.state(-1))
    assert [len(getattr(c, name)) for name in c.__dataclass_fields__] == [0] * 14


def test_at_a_plane_the_displacement_is_from_the_foot():
    model = ns.Model()
    low = model.add_sphere(radius=0.1, mass=1.0, position=(3.0, 2.0, 0.099), **MOVING)
    high = model.add_sphere(radius=0.1, mass=1.0, position=(3.0, 2.0, 0.2985))
    law = ExudynNormal(stiffness=STIFFNESS)

    def wall(t):
        return (0.5 * t, 0, 0), (0.5, 0, 0)

    model.add(CompliantSphereSphere(pairs=[(low, high)], normal=law))
    model.add(CompliantSpherePlane(low, model.add_plane(normal=(0, 0, 1), motion=wall), normal=law))
    c = ns.compliant_contacts(model, model.initial_state())
    assert list(c.element) == [0, 1]
    assert (c.body_a[1], c.body_b[1], c.plane[1]) == (0, -1, 0)
    assert c.displacement[1] == pytest.approx([0, 0, 0.099], abs=1e-12)
    assert c.velocity[1] == pytest.approx(np.array([0.2, -0.3, 0.1]) - [0.5, 0, 0])
    assert c.force[1] == pytest.approx([0, 0, STIFFNESS * 1e-3])
    assert c.force[0] == pytest.approx([0, 0, -STIFFNESS * 0.5e-3])


def test_contacts_of_a_recorded_state_are_those_of_the_state():
    result = struck()
    for index in (3, -20):
        ours, expected = (
            result.compliant_contacts(index),
            ns.compliant_contacts(result.model, result.state(index)),
        )
        assert len(ours.gap) == 1
        for name in ours.__dataclass_fields__:
            assert np.array_equal(getattr(ours, name), getattr(expected, name)), name


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(1.0), ns.VelocityVerlet()])
def test_what_a_contact_stores_comes_back(scheme):
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1005), velocity=(0, 0, -1.0))
    plane = model.add_plane(normal=(0, 0, 1))
    model.add(CompliantSpherePlane(ball, plane, normal=ExudynNormal(stiffness=STIFFNESS, exponent=1.5)))
    result = ns.simulate(model, t_end=0.02, h=2e-5, scheme=scheme)
    assert result.status, result.status
    elastic, kinetic, total = result.energy("elastic"), result.energy("kinetic"), result.energy()
    assert elastic[0] == elastic[-1] == 0.0
    lowest = elastic.argmax()
    assert kinetic[lowest] < 1e-3 * kinetic[0] < elastic[lowest]
    assert np.abs(total - total[0]).max() < 1e-3 * kinetic[0]
    assert np.array_equal(total, kinetic + result.energy("potential") + elastic)


def test_histories_are_part_of_the_stored_energy():
    """A tangential spring holds a ball on a slope; the energy that it stores is in the history alone."""
    model, k, mass = ns.Model(gravity=(3.0, 0, -9.0)), 1e5, 0.5
    ball = model.add_sphere(radius=0.1, mass=mass, position=(0, 0, 0.1 - 9.0 * mass / STIFFNESS))
    law = {"normal": ExudynNormal(stiffness=STIFFNESS), "tangential": CundallStrack(stiffness=k, mu=0.9)}
    model.add(CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **law))
    result = ns.simulate(model, t_end=2e-3, h=2e-5)
    assert result.status, result.status
    c = result.compliant_contacts()
    normal, sliding = c.local[0, 0], np.hypot(*c.local[0, 1:3])
    assert sliding > 0.1 * normal
    stored = 0.5 * normal**2 / STIFFNESS + 0.5 * sliding**2 / k
    assert result.energy("elastic")[-1] == pytest.approx(stored, rel=1e-12)


def test_hard_contacts_store_nothing():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(1, 0, 0))
    result = ns.simulate(model, t_end=1e-2, h=1e-3)
    assert np.array_equal(result.energy("elastic"), np.zeros(11))
    with pytest.raises(ValueError, match="compliant"):
        result.compliant_contacts()


def test_a_model_without_compliant_contacts_is_refused():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    with pytest.raises(ValueError, match="compliant"):
        ns.compliant_contacts(model, model.initial_state())
