"""The table of materials: laws of both kinds of contact, missing numbers, case files."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.case.case_file import parse_case
from nsgalpha.forces import evaluate
from nsgalpha.testing import check_law

STEEL = ns.Material(name="steel", young=2e8, poisson=0.3, density=7850.0, layer=0.001)
RUBBER = ns.Material(name="rubber", young=2e6, poisson=0.45, density=1100.0, layer=0.02)
PAIRS = [
    ns.MaterialPair(
        a="steel", b="steel", mu=0.15, restitution=0.8, rolling_radius=1e-4, rolling_stiffness=0.1
    ),
    ns.MaterialPair(a="rubber", b="steel", mu=0.4, restitution=0.6, mu_static=0.6, stribeck_velocity=0.1),
    ns.MaterialPair(a="rubber", b="rubber", contact=False),
]
TABLE = ns.Materials(materials=[STEEL, RUBBER], pairs=PAIRS)
KINDS = e.Contact, e.CompliantContact


def scene(kind, table=TABLE):
    """Two balls and a crate of steel above a floor of rubber."""
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [
        model.add_sphere(radius=0.02, density=STEEL.density, position=(x, 0, 0.03), velocity=(0, 0, -0.5))
        for x in (0.0, 0.2)
    ]
    crate = model.add_box(
        (0.1, 0.1, 0.1), density=STEEL.density, position=(0.4, 0, 0.06), velocity=(0, 0, -0.5)
    )
    floor = model.add_plane(normal=(0, 0, 1))
    groups = {"steel": [*balls, crate], "rubber": [floor]}
    model.add(kind(among=groups, materials=table))
    return model


def test_density_gives_masses():
    model = scene(e.Contact)
    ball, _, crate = model.bodies
    assert ball.mass == pytest.approx(7850.0 * 4.0 / 3.0 * np.pi * 0.02**3, rel=1e-14)
    assert crate.mass == pytest.approx(7.85, rel=1e-14)
    with pytest.raises(ValueError, match="mass and density: give one of them"):
        model.add_sphere(radius=1.0, mass=1.0, density=1.0, position=(0, 0, 9))


@pytest.mark.parametrize("kind", KINDS)
def test_set_valued_and_compliant_contact_rebound_alike(kind):
    """The velocity after the impact is 0.6 of that before."""
    model = scene(kind)
    h, scheme = (1e-4, None) if kind is e.Contact else (5e-6, ns.VelocityVerlet())
    result = ns.simulate(model, t_end=0.04, h=h, scheme=scheme)
    assert result.status, result.status
    v = result.velocity[:, :, 2]
    assert np.allclose(v.max(axis=0), 0.6 * np.abs(v.min(axis=0)), rtol=0.02)


def test_laws_are_those_stated_by_hand():
    hard, soft = scene(e.Contact), scene(e.CompliantContact)
    laws = {type(each).__name__: each.law for each in hard.elements}
    assert laws["SphereSphere"] == ns.ContactLaw(mu=0.15, e_n=0.8, rolling_radius=1e-4)
    assert laws["SpherePlane"] == ns.ContactLaw(mu=0.4, e_n=0.6, mu_static=0.6, stribeck_velocity=0.1)
    parts = [{type(law).__name__: law for law, _, _ in each.law.parts} for each in soft.elements]
    on_floor = next(each for each in parts if "Mindlin" in each and each["Mindlin"].mu == 0.6)
    modulus = e.contact_modulus(2e6, 0.45, 2e8, 0.3)
    assert on_floor["Hertz"].modulus == pytest.approx(modulus, rel=1e-12)
    assert on_floor["Hertz"].restitution == 0.6
    shear = e.contact_shear_modulus(2e6, 0.45, 2e8, 0.3)
    assert on_floor["Mindlin"].shear_modulus == pytest.approx(shear, rel=1e-12)
    assert on_floor["Mindlin"].dynamic_mu == 0.4
    faces = next(each for each in parts if "LayerFriction" in each and each["LayerFriction"].mu == 0.6)
    rubber, steel = 2e6 * 0.55 / (1.45 * 0.1), 2e8 * 0.7 / (1.3 * 0.4)  # E (1 - nu)/((1 + nu)(1 - 2 nu))
    k, sheared = 1.0 / (0.02 / rubber + 0.001 / steel), 0.02 * 2.9 / 2e6 + 0.001 * 2.6 / 2e8
    assert faces["LinearPressure"].stiffness == pytest.approx(k, rel=1e-12)
    assert faces["LayerFriction"].stiffness == pytest.approx(1.0 / sheared, rel=1e-12)


def test_missing_numbers_are_named():
    def refused(match, kind=e.CompliantContact, materials=(STEEL, RUBBER), pairs=PAIRS):
        with pytest.raises(ValueError, match=match):
            scene(kind, ns.Materials(materials=materials, pairs=pairs))

    rubber = {"name": "rubber", "young": 2e6, "poisson": 0.45, "layer": 0.02}
    for name in ("young", "poisson", "layer"):
        less = ns.Material(**{key: value for key, value in rubber.items() if key != name})
        refused(f"{name} of the material 'rubber'", materials=(STEEL, less))
    refused("no entry for the materials 'steel' and 'rubber'", e.Contact, pairs=PAIRS[:1])
    for name in ("mu", "restitution"):
        pair = {"mu": 0.4, "restitution": 0.6}
        del pair[name]
        other = [PAIRS[0], ns.MaterialPair(a="steel", b="rubber", **pair)]
        for kind in KINDS:
            refused(f"{name} of the pair 'steel', 'rubber'", kind, pairs=other)
    other = [ns.MaterialPair(a="steel", b="steel", mu=0.1, restitution=0.5, rolling_radius=1e-3), PAIRS[1]]
    refused("rolling_stiffness of the pair 'steel', 'steel'", pairs=other)
    rigid = ns.Material(name="steel", young=2e8, poisson=0.3, layer=0.0)
    refused("both are rigid", materials=(rigid, RUBBER))
    refused("poisson of 'rubber'", materials=(STEEL, ns.Material(**rubber | {"poisson": 0.5})))
    plastic = [PAIRS[0], ns.MaterialPair(a="steel", b="rubber", mu=0.4, restitution=0.0)]
    refused("restitution", pairs=plastic)
    scene(e.Contact, ns.Materials(materials=(STEEL, RUBBER), pairs=plastic))
    model = scene(e.Contact)
    groups = {"oak": model.bodies, "steel": model.planes}
    with pytest.raises(ValueError, match="among = 'oak': must be one of the materials"):
        e.Contact(among=groups, materials=TABLE)


def test_tables_that_contradict_themselves_are_refused():
    with pytest.raises(ValueError, match="another name"):
        ns.Materials(materials=[STEEL, STEEL], pairs=[])
    with pytest.raises(ValueError, match="two entries"):
        ns.Materials(materials=[STEEL], pairs=[PAIRS[0], PAIRS[0]])
    with pytest.raises(ValueError, match=r"pairs\[0\] = 'rubber': must be one of the materials \['steel'\]"):
        ns.Materials(materials=[STEEL], pairs=[PAIRS[1]])
    with pytest.raises(ValueError, match="belong together"):
        ns.MaterialPair(a="x", b="y", mu_static=0.5)
    with pytest.raises(ValueError, match="not less than mu"):
        ns.MaterialPair(a="x", b="y", mu=0.6, mu_static=0.5, stribeck_velocity=1.0)


CASE = """
title = "steel on rubber"
gravity = [0, 0, -9.81]
planes = [{name = "floor", normal = [0, 0, 1]}]
run = {t_end = 0.02, h = 1e-4}

[[bodies]]
type = "sphere"
name = "ball"
radius = 0.02
density = 7850
position = [0, 0, 0.03]
velocity = [0, 0, -0.5]

[[elements]]
type = "Contact"
among = {steel = "ball", rubber = ["floor"]}

[elements.materials]
materials = [
    {name = "steel", young = 2e8, poisson = 0.3},
    {name = "rubber", young = 2e6, poisson = 0.45, layer = 0.02},
]
pairs = [{a = "steel", b = "rubber", mu = 0.4, restitution = 0.6}]
"""


def test_a_case_file_has_the_table(tmp_path):
    hard, soft = parse_case(CASE), parse_case(CASE.replace('"Contact"', '"CompliantContact"'))
    assert hard.model.elements[0].law == ns.ContactLaw(mu=0.4, e_n=0.6)
    assert [type(law).__name__ for law, _, _ in soft.model.elements[0].law.parts] == ["Hertz", "Mindlin"]
    result = ns.simulate(soft.model, t_end=1e-3, h=1e-5)
    result.save(tmp_path / "soft.h5")
    again = ns.simulate(ns.load(tmp_path / "soft.h5").model, t_end=1e-3, h=1e-5)
    assert np.array_equal(result.position, again.position)
    with pytest.raises(ValueError, match="restitution of the pair"):
        parse_case(CASE.replace(", restitution = 0.6", ""))


def test_layers_hold_a_block_on_a_slope_and_let_it_slide():
    """At rest below atan(mu_s), displaced by the layers; beyond it g (sin a - mu cos a)."""
    for mu, mus, angle in ((0.4, 0.9, 0.4), (0.4, 0.6, 0.6)):
        pair = ns.MaterialPair(a="x", b="y", mu=mu, restitution=0.3, mu_static=mus, stribeck_velocity=0.1)
        sides = [ns.Material(name=n, young=2e6, poisson=0.3, layer=0.01) for n in "xy"]
        g = 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
        model = ns.Model(gravity=g)
        block = model.add_box((0.3, 0.3, 0.05), mass=2.0, position=(0, 0, 0.025))
        table = ns.Materials(materials=sides, pairs=[pair])
        groups = {"x": block, "y": model.add_plane(normal=(0, 0, 1))}
        model.add(e.CompliantContact(among=groups, materials=table))
        result = ns.simulate(model, t_end=0.5, h=1e-4)
        v, t = result.velocity[:, block, 0], result.t
        if np.tan(angle) < mus:
            assert abs(v[-1]) < 1e-6
            k = 2e6 / (2.0 * 1.3) / 0.01 / 2.0 * 0.09
            rocking = 2e6 * 0.7 / (1.3 * 0.4) / 0.02 * 0.09 * 0.3**2 / 12.0
            expected = 2.0 * g[0] * (1.0 / k + 0.025**2 / rocking)  # of the centre, above the contact
            assert result.position[-1, block, 0] == pytest.approx(expected, rel=1e-2)
        else:
            late = t > 0.3
            slope = np.polyfit(t[late], v[late], 1)[0]
            assert slope == pytest.approx(g[0] + mu * g[2], rel=1e-3)


def test_tangents_of_layers_are_those_of_differences():
    friction = e.LayerFriction(stiffness=1e8, mu=0.4, dynamic_mu=0.3, restitution=0.5)
    normal = e.LinearPressure(stiffness=1e8, restitution=0.5)
    check_law(normal=normal, tangential=friction, overlap=1e-3, speed=0.1)


def test_a_layer_that_slips_has_the_kinetic_coefficient_in_small_steps():
    """The force rises to mu_s F, falls to mu F and stays, and likewise backwards."""
    law = e.LayerFriction(stiffness=1e6, mu=0.6, dynamic_mu=0.4)
    history, forces = np.array([[0.0, 0.0, 1e-2, 0.0]]), []
    for way in [1e-6] * 900 + [-1e-6] * 1200:
        seen = {"overlap": 1e-3, "area": 1e-2, "radius": np.inf, "normal": 10.0, "increment": [[way, 0.0]]}
        response = evaluate(law, history=history, **seen)
        history = response.history.copy()
        forces.append(-response.force[0, 0])
    assert max(forces) == pytest.approx(6.0, rel=1e-2)
    assert np.abs(np.array(forces[620:900]) - 4.0).max() < 1e-9
    assert min(forces) == pytest.approx(-6.0, rel=1e-2)
    assert forces[-1] == pytest.approx(-4.0, rel=1e-12)
