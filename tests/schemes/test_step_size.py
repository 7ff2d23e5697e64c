"""Explicit steps resolve the contacts of every law and element."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.forces.step_size import contact_time

R, RHO = 0.1, 2000.0
MASS = 4.0 / 3.0 * np.pi * R**3 * RHO
VERLET = ns.VelocityVerlet(steps_per_contact=6.0)  # the limit of stability in a packing
LAWS = {
    "spring": {"normal": e.SpringDashpot(stiffness=1e6)},
    "overdamped": {"normal": e.SpringDashpot(stiffness=1e6, damping=1e6)},
    "Hertz": {"normal": e.Hertz(modulus=1e8)},
    "JKR": {"normal": e.JKR(modulus=1e8, work=0.1), "reach": 1e-3 * R},
    "DMT": {"normal": e.DMT(modulus=1e8, work=0.1)},
    "pressure": {"normal": e.LinearPressure(stiffness=1e10)},
    "damped pressure": {"normal": e.LinearPressure(stiffness=1e10, damping=1e10)},
    "area": {"normal": [e.SpringDashpot(stiffness=1e6), e.GeometricArea()]},
    "Exudyn": {"normal": e.ExudynNormal(stiffness=1e6, damping=10.0)},
    "impact": {"normal": e.ExudynImpact(stiffness=1e6, restitution=0.9)},
    "plastic": {"normal": e.ExudynPlastic(stiffness=1e6, plasticity=0.1)},
    "Rockable": {"contact": e.RockableDefault(k_n=1e6, en2=0.9)},
    "Avalanche": {"contact": e.RockableAvalanche(k_n=1e6, en2=0.9)},
    "Luding": e.luding(e.LudingMaterial(young=1e8)),
    "friction": {
        "normal": e.SpringDashpot(stiffness=1e6),
        "tangential": e.CundallStrack(stiffness=1e6, mu=0.5),
    },
}
LEAN = (np.cos(0.7), np.sin(0.7), 0.0, 0.0)  # nearly lying


def ball(model, **state):
    return model.add_sphere(radius=R, mass=MASS, **state)


def on_plane(law):
    model = ns.Model()
    one = ball(model, position=(0, 0, R), velocity=(0, 0, -0.1))
    model.add(e.CompliantSpherePlane(one, model.add_plane(normal=(0, 0, 1)), **law))
    return model


def on_another(law):
    model = ns.Model()
    ball(model, position=(0, 0, R), velocity=(0, 0, -0.1))
    ball(model, position=(0, 0, -R), velocity=(0, 0, 0.1))
    model.add(e.CompliantSphereSphere(among=model.spheres, **law))
    return model


def box(model, z, v, tilt=0.0):
    rotation = (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)
    return model.add_box(
        (0.2, 0.1, 0.05), mass=1.0, position=(0, 0, z), velocity=(0, 0, v), rotation=rotation
    )


def flat_box(law):
    model = ns.Model()
    one = box(model, 0.025, -0.1)
    model.add(e.CompliantSolidPlane(one, model.add_plane(normal=(0, 0, 1)), **law))
    return model


def tilted_box(law):
    model = ns.Model()
    one = box(model, 0.0275, -0.1, tilt=0.05)
    model.add(e.CompliantSolidPlane(one, model.add_plane(normal=(0, 0, 1)), **law))
    return model


def two_boxes(law):
    model = ns.Model()
    model.add(e.CompliantSolids(among=[box(model, 0.025, -0.1), box(model, -0.025, 0.1)], **law))
    return model


def struck_rod(law):
    """The end of a capsule on a plane."""
    model = ns.Model()
    one = model.add_capsule(
        0.02, 0.5, mass=1.0, position=(0, 0, 0.02 + 0.25 * np.cos(1.4)), velocity=(0, 0, -0.1), rotation=LEAN
    )
    model.add(e.CompliantSolidPlane(one, model.add_plane(normal=(0, 0, 1)), **law))
    return model


def largest_growth(model):
    """Largest energy in an impact over the start's, and the states with contact."""
    result = ns.simulate(model, t_end=20.0 * contact_time(model), scheme=VERLET)
    assert result.status.ok, result.status
    assert result.stats.contacts.max() > 0
    energy = result.energy()
    return energy.max() / energy[0]


@pytest.mark.parametrize("scene", [on_plane, on_another])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_no_law_of_round_bodies_gains_energy_at_the_step_that_is_found(law, scene):
    assert largest_growth(scene(law)) < 1.1


@pytest.mark.parametrize(
    ("scene", "law"),
    [
        (flat_box, "overdamped"),
        (flat_box, "pressure"),
        (flat_box, "damped pressure"),
        (tilted_box, "pressure"),
        (tilted_box, "friction"),
        (two_boxes, "pressure"),
        (struck_rod, "spring"),
        (struck_rod, "overdamped"),
    ],
)
def test_no_contact_of_solids_gains_energy_at_the_step_that_is_found(scene, law):
    assert largest_growth(scene(LAWS[law])) < 1.1


def test_primitives_and_bodies_that_carry_them_give_the_same_step():
    times = []
    for by_faces in (False, True):
        model = ns.Model()
        one = box(model, 0.1, 0.0)
        named = model.primitives if by_faces else one
        law = LAWS["pressure"]
        model.add(e.CompliantSolidPlane(named, model.add_plane(normal=(0, 0, 1)), **law))
        times.append(contact_time(model))
    assert times[0] == times[1]


def test_bounded_friction_does_not_shorten_the_step():
    times = []
    for tangential in (None, e.RegularisedCoulomb(mu=0.5, velocity_zone=1e-9)):
        model = ns.Model()
        ball(model, position=(0, 0, R))
        plane = model.add_plane(normal=(0, 0, 1))
        law = LAWS["spring"] | ({} if tangential is None else {"tangential": tangential})
        model.add(e.CompliantSpherePlane(model.spheres, plane, **law))
        times.append(contact_time(model))
    assert times[0] == times[1]
