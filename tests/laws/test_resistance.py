"""Resistance between bodies: a law, with numbers of both sides, weights, motion."""

import re

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, Drag, Resistance, by_group, mesh_weight
from nsgalpha.forces import evaluate
from nsgalpha.testing import check_law

BOTH = {"normal": 3.0, "tangential": 2.0}
JUMPS = {"energy": 2e-3}  # the force jumps at touch


def spheres(count=3, spacing=1.9, **more):
    model = ns.Model()
    for i in range(count):
        model.add_sphere(radius=1.0, mass=1.0, position=(spacing * i, 0.0, 0.0), **more)
    return model


@pytest.mark.parametrize(
    "law",
    [
        Resistance(**BOTH),
        Resistance(normal=3e6, tangential=0.0, weight="area"),
        Resistance(normal=4e3, tangential=3e3, weight="viscosity"),
        Resistance(**BOTH, distance=1e-4),
        Resistance(normal=[3.0, 1.0, 2.0], tangential=1.0, bodies=spheres().spheres, joined="geometric"),
    ],
    ids=["constant", "area", "viscosity", "apart", "material"],
)
def test_a_resistance_is_what_it_says(law):
    check_law(contact=law, overlap=1e-4, speed=0.3, **JUMPS)


def test_spins_meet_none_and_a_part_of_the_circle_has_its_part():
    rate = np.arange(1.0, 7.0)[None, :]
    force = evaluate(Resistance(**BOTH), overlap=0.1, rate=rate, fraction=0.25).force
    assert force[0] == pytest.approx(-0.25 * np.array([3.0, 4.0, 6.0, 0.0, 0.0, 0.0]))
    by_area = evaluate(Resistance(**BOTH, weight="area"), overlap=0.1, rate=rate, fraction=0.25, area=0.5)
    assert by_area.force[0] == pytest.approx(-0.5 * np.array([3.0, 4.0, 6.0, 0.0, 0.0, 0.0]))


def test_a_viscous_medium_is_a_prism_between_the_centres():
    law = Resistance(**BOTH, weight="viscosity")
    rate = np.arange(1.0, 7.0)[None, :]
    force = evaluate(law, overlap=0.1, rate=rate, branch=2.1, area=0.5).force
    assert force[0] == pytest.approx(-0.25 * np.array([3.0, 4.0, 6.0, 0.0, 0.0, 0.0]))


@pytest.mark.parametrize(("joined", "expected"), [("harmonic", 1.6), ("arithmetic", 2.5), ("geometric", 2.0)])
def test_numbers_of_both_sides_are_joined(joined, expected):
    model = spheres(4)
    law = Resistance(normal=[1.0, 4.0, 4.0, 0.0], tangential=1.0, bodies=model.spheres, joined=joined)
    rate = np.ones((4, 6))
    none = {"harmonic": 0.0, "arithmetic": 2.0, "geometric": 0.0}[joined]
    sides = {"a": [0, 1, 1, 3], "b": [1, 2, 4, 2]}  # the third has a frame as side B
    force = evaluate(law, overlap=0.1, rate=rate, **sides).force
    assert -force[:, 0] == pytest.approx([expected, 4.0, 4.0, none])
    assert -force[:2, 1:3] == pytest.approx(1.0)


def test_two_bodies_without_resistance_have_none():
    law = Resistance(normal=[0.0, 0.0], tangential=0.0, bodies=spheres(2).spheres)
    assert not evaluate(law, overlap=0.1, rate=np.ones((1, 6)), a=0, b=1).force.any()


def test_weights_of_a_mesh_are_their_mean():
    assert mesh_weight([3, 4, 6]) == pytest.approx([1.0, 0.5**0.5, 3.0**-0.5])
    with pytest.raises(ValueError, match="connected = 2: must be at least 3"):
        mesh_weight(2)
    model = spheres(2)
    law = Resistance(**BOTH, weight=mesh_weight([3, 6]), bodies=model.spheres)
    force = evaluate(law, overlap=0.1, rate=np.ones((1, 6)), a=0, b=1).force
    assert -force[0, 0] == pytest.approx(3.0 * 0.5 * (1.0 + 3.0**-0.5))


@pytest.mark.parametrize(("axis", "gamma"), [(0, 3.0), (1, 2.0)])
def test_two_spheres_pulled_apart_without_inertia(axis, gamma):
    """v = F/(drag + 2 gamma), for any step: resistances are in the matrix."""
    model = spheres(2)
    pull = np.zeros((2, 3))
    pull[0, axis], pull[1, axis] = 5.0, -5.0
    model.add_load(lambda t, state: pull)
    model.add(CompliantSphereSphere(among=model.spheres, contact=Resistance(**BOTH)))
    result = ns.simulate(
        model, t_end=1e-6, h=1e-6, scheme=ns.Overdamped(Drag(model.spheres, translational=0.5))
    )
    assert result.velocity[-1, 0, axis] == pytest.approx(5.0 / (0.5 + 2.0 * gamma), rel=1e-6)


def test_types_have_laws_by_group():
    """A mask: a number for every two types."""
    model = spheres(3)
    one, other, third = model.spheres
    table = {
        ("a", "b"): Resistance(normal=1.0, tangential=0.0),
        ("b", "b"): Resistance(normal=4.0, tangential=0.0),
    }
    for element in by_group({"a": one, "b": [other, third]}, table):
        model.add(element)
    state = model.initial_state()
    moving = ns.State(
        0.0,
        state.position,
        state.rotation,
        np.array([[1.0, 0, 0], [0, 0, 0], [-1.0, 0, 0]]),
        state.angular_velocity,
    )
    contacts = ns.compliant_contacts(model, moving)
    assert sorted(np.abs(contacts.force[:, 0])) == pytest.approx([1.0, 4.0])


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(0.8), ns.VelocityVerlet()])
def test_spinning_spheres_rub_until_their_surfaces_rest_and_keep_their_momentum(scheme):
    model = ns.Model()
    for k, spin in enumerate((3.0, 2.0)):
        model.add_sphere(
            radius=1.0,
            mass=1.0,
            position=(1.9 * k, 0, 0),
            velocity=(0, 0.3 * k, 0),
            angular_velocity=(0, 0, spin),
        )
    law = Resistance(normal=[2.0, 1.0], tangential=[2.0, 4.0], bodies=model.spheres)
    model.add(CompliantSphereSphere(among=model.spheres, contact=law))
    result = ns.simulate(model, t_end=0.2, h=5e-4, scheme=scheme)
    assert result.status
    spin = result.angular_momentum() + np.cross(result.position, result.velocity)
    assert result.velocity.sum(axis=1)[-1] == pytest.approx(result.velocity.sum(axis=1)[0], abs=1e-12)
    assert spin.sum(axis=1)[-1] == pytest.approx(spin.sum(axis=1)[0], abs=1e-6)
    energy = result.energy("kinetic")
    assert (np.diff(energy) <= 1e-12).all()
    assert energy[-1] < 0.7 * energy[0]


def test_a_plane_takes_the_numbers_of_the_body():
    model = spheres(2, 5.0, velocity=(1.0, 0.0, -1.0))
    floor = model.add_plane(normal=(0, 0, 1), offset=-0.95)
    law = Resistance(normal=[1.0, 2.0], tangential=[3.0, 4.0], bodies=model.spheres)
    model.add(CompliantSpherePlane(model.spheres, floor, contact=law))
    force = ns.compliant_contacts(model, model.initial_state()).force
    assert force == pytest.approx(np.array([[-3.0, 0.0, 1.0], [-4.0, 0.0, 2.0]]))


def test_bad_input_is_refused():
    model = spheres(2)
    for arguments, words in (
        ({"normal": -1.0}, "normal = -1.0: must be in [0, inf)"),
        ({"tangential": [1.0, 2.0]}, "for one of each body say which: bodies=..."),
        ({"normal": [1.0], "bodies": model.spheres}, "one for each of the 2 bodies"),
        ({"weight": "surface"}, "weight = 'surface': must be 'area', 'viscosity', None or numbers"),
        ({"weight": [1.0, np.nan], "bodies": model.spheres}, "weight = [1.0, nan]"),
        ({"joined": "mean"}, "joined = 'mean': must be 'harmonic', 'arithmetic' or 'geometric'"),
        ({"distance": -1.0}, "distance = -1.0"),
    ):
        with pytest.raises(ValueError, match=re.escape(words)):
            Resistance(**BOTH | arguments)
    law = Resistance(**BOTH | {"normal": [1.0]}, bodies=model.spheres[:1])
    model.add(CompliantSphereSphere(among=model.spheres, contact=law))
    with pytest.raises(ValueError, match="'sphere 1' is in contact and has no numbers"):
        ns.compliant_contacts(model, model.initial_state())
