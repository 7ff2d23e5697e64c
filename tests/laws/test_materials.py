"""Numbers by particle for laws of adhesive spheres, and geometric areas."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.forces.law_evaluation import evaluate
from nsgalpha.testing import check_law

E, NU, W, REACH, TIME = (2e6, 5e6, 3e5), (0.3, 0.45, 0.5), (0.02, 0.05, 0.0125), (1e-7, 3e-7, 2e-7), (1, 3, 8)
RULES = {"geometric": lambda a, b: (a * b) ** 0.5, "arithmetic": lambda a, b: 0.5 * (a + b)}


def three(plane=False):
    """Three spheres that touch one another, on a plane or not."""
    model = ns.Model()
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (0.5, 0.75**0.5, 0)])
    for k, x in enumerate(corners):
        model.add_sphere(radius=1e-3, mass=1e-6, position=1.99e-3 * x, velocity=0.01 * np.roll(x, k))
    return model


MAKE = {
    "Hertz": lambda rule, **of: e.Hertz(modulus=of["M"], damping=of["A"], bodies=of["bodies"]),
    "DMT": lambda rule, **of: e.DMT(modulus=of["M"], work=of["W"], bodies=of["bodies"], joined=rule),
    "JKR": lambda rule, **of: e.JKR(modulus=of["M"], work=of["W"], bodies=of["bodies"], joined=rule),
    "Maugis": lambda rule, **of: e.MaugisDugdale(
        modulus=of["M"], work=of["W"], range=of["h"], bodies=of["bodies"], joined=rule
    ),
}
NUMBERS = {"M": e.plane_modulus(E, NU), "W": W, "h": REACH, "A": np.array(TIME) * 1e-5}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", MAKE)
def test_numbers_by_particle_are_those_of_each_pair(name, rule):
    """One element for three materials equals an element for each pair."""
    join, mean = RULES[rule], RULES["arithmetic"]
    one, each = three(), three()
    law = MAKE[name](rule, bodies=one.bodies, **NUMBERS)
    one.add(e.CompliantSphereSphere(one.bodies, normal=law, reach=1e-4))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        of = {
            "M": e.contact_modulus(E[a], NU[a], E[b], NU[b]),
            "W": join(W[a], W[b]),
            "h": mean(REACH[a], REACH[b]),
            "A": 1e-5 * mean(TIME[a], TIME[b]),
        }
        single = MAKE[name](rule, bodies=None, **of)
        each.add(e.CompliantSphereSphere(pairs=[(each.bodies[a], each.bodies[b])], normal=single, reach=1e-4))
        pair = law.between(one.bodies[a], one.bodies[b])
        assert pair.modulus == pytest.approx(of["M"], rel=1e-14)
        if name != "Hertz":
            assert pair.work == pytest.approx(of["W"], rel=1e-14)
    found, expected = (ns.compliant_contacts(m, m.initial_state()) for m in (one, each))
    assert np.abs(found.local[:, 0]).min() > 1e-6
    assert len(set(found.local[:, 0].round(12))) == 3
    assert found.resultant() == pytest.approx(expected.resultant(), rel=1e-12, abs=1e-18)
    assert found.energy.sum() == pytest.approx(expected.energy.sum(), rel=1e-12)
    assert found.contact_area() == pytest.approx(expected.contact_area(), rel=1e-12)


def test_motions_agree_in_all_loops():
    found = []
    for scheme in (ns.VelocityVerlet(), ns.GeneralizedAlpha(1.0)):
        model = three()
        law = e.JKR(modulus=e.plane_modulus(E, NU), work=W, bodies=model.bodies)
        model.add(e.CompliantSphereSphere(model.bodies, normal=law, reach=1e-4))
        found.append(ns.simulate(model, t_end=2e-4, h=1e-6, scheme=scheme).position[-1])
    assert np.abs(found[0] - three().initial_state().position).max() > 1e-7
    assert found[1] == pytest.approx(found[0], abs=2e-9)


def test_a_plane_takes_the_numbers_of_the_sphere():
    model = three()
    floor = model.add_plane(normal=(0, 0, 1), offset=-0.99e-3)
    law = e.DMT(modulus=e.plane_modulus(E, NU), work=W, bodies=model.bodies)
    model.add(e.CompliantSpherePlane(model.bodies, floor, normal=law))
    found = ns.compliant_contacts(model, model.initial_state()).local[:, 0]
    for k, force in enumerate(found):
        M = E[k] / (1 - NU[k] ** 2) / 2
        assert force == pytest.approx(4 / 3 * M * 1e-3**0.5 * 1e-5**1.5 - 2 * np.pi * W[k] * 1e-3, rel=1e-9)
        assert law.between(model.bodies[k]).modulus == pytest.approx(M, rel=1e-14)


def test_what_is_refused():
    model = three()
    a, b, c = model.bodies
    with pytest.raises(ValueError, match=r"modulus.*for one of each body say which"):
        e.Hertz(modulus=(1.0, 2.0))
    with pytest.raises(ValueError, match=r"work.*one for each of the 2 bodies"):
        e.JKR(modulus=1.0, work=(1.0, 0.0), bodies=(a, b))
    with pytest.raises(ValueError, match="joined"):
        e.JKR(modulus=1.0, work=1.0, joined="series")
    law = e.JKR(modulus=1e6, work=(0.1, 0.2), bodies=(a, b))
    with pytest.raises(ValueError, match=r"law.between"):
        law.pull_off(1e-3)
    with pytest.raises(ValueError, match="one of the bodies that have numbers"):
        law.between(a, c)
    model.add(e.CompliantSphereSphere(model.bodies, normal=law, reach=1e-4))
    with pytest.raises(ValueError, match="'sphere 2' is in contact and has no numbers"):
        ns.compliant_contacts(model, model.initial_state())


def test_a_file_keeps_them(tmp_path):
    path = tmp_path / "materials.h5"

    def model():
        made = three()
        law = e.MaugisDugdale(modulus=e.plane_modulus(E, NU), work=W, range=REACH, bodies=made.bodies)
        made.add(e.CompliantSphereSphere(made.bodies, normal=law, reach=1e-4))
        return made

    whole = ns.simulate(model(), t_end=4e-5, h=1e-6, scheme=ns.VelocityVerlet())
    ns.simulate(model(), t_end=2e-5, h=1e-6, scheme=ns.VelocityVerlet(), recording=ns.Recording(file=path))
    assert np.array_equal(ns.resume(path, t_end=4e-5).position[-1], whole.position[-1])


def lens(r_a, r_b, distance):
    """Square of the radius of the circle in which spheres meet, Heron's formula; r_b < 0: a shell."""
    x = (distance**2 + r_a**2 - r_b**2) / (2 * distance)
    return r_a**2 - x**2


@pytest.mark.parametrize("kind", ["sphere", "plane", "shell"])
def test_the_geometric_area_is_the_circle_in_which_the_surfaces_meet(kind):
    model, d, laws = ns.Model(), 0.3, [e.SpringDashpot(stiffness=1.0), e.GeometricArea()]
    ball = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0))
    if kind == "plane":
        element = e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1), offset=d - 1.0), normal=laws)
        square = 1.0 - (1.0 - d) ** 2
    else:
        x = 2.5 + 1.0 - d if kind == "sphere" else 2.5 - 1.0 + d
        other = model.add_sphere(radius=2.5, mass=1.0, position=(x, 0, 0))
        element = (
            e.CompliantSphereSphere(pairs=[(ball, other)], normal=laws)
            if kind == "sphere"
            else e.CompliantSphereInShell(ball, other, normal=laws)
        )
        square = lens(1.0, 2.5, x)
    model.add(element)
    found = ns.compliant_contacts(model, model.initial_state())
    assert found.area == pytest.approx([np.pi * square], rel=1e-13)


def test_friction_and_resistances_take_the_geometric_area():
    """Of small overlaps it is twice that of elastic bodies."""
    forces = []
    for laws in ([e.SpringDashpot(stiffness=1.0)], [e.SpringDashpot(stiffness=1.0), e.GeometricArea()]):
        model = ns.Model()
        a = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0), velocity=(0.1, 0, 0))
        b = model.add_sphere(radius=1.0, mass=1.0, position=(2 - 1e-6, 0, 0))
        resistance = e.Resistance(normal=2.0, tangential=1.0, weight="area")
        model.add(e.CompliantSphereSphere(pairs=[(a, b)], normal=laws, contact=resistance))
        forces.append(ns.compliant_contacts(model, model.initial_state()).local[0, 0] - 1e-6)
    assert forces[0] > 0
    assert forces[1] / forces[0] == pytest.approx(2.0, rel=1e-5)


def test_a_law_of_areas_has_no_force():
    laws = [e.Hertz(modulus=1e6), e.GeometricArea()]
    check_law(normal=laws, tangential=e.HaffWerner(damping=1.0, mu=0.3), overlap=1e-3, speed=0.1, radius=0.1)
    response = evaluate(e.GeometricArea(factor=0.5), overlap=[1e-3], radius=0.1)
    assert not response.force.any()
