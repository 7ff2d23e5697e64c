"""Bonds in a run: they hold, break for good, and follow their clusters."""

from dataclasses import replace

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.system.system import System

RADIUS, MASS = 0.1, 1.6755
BOND = {"k_n": 1e5, "k_t": 5e4, "f_n0": 50.0, "f_t0": 1e3, "M_0": 1e3}
TOUCHING = e.RockableDefault(k_n=1e5, en2=0.5)
LINKS = e.StickedLinks(touching=TOUCHING, inner=e.Bond(**BOND), outer=e.Bond(**{**BOND, "k_n": 4e5}))


def chain(gaps, velocities, links=LINKS, reach=2e-3):
    """Spheres along x with the given gaps and velocities along x."""
    model = ns.Model()
    x = np.concatenate([[0.0], np.cumsum(2 * RADIUS + np.array(gaps))])
    for place, v in zip(x, velocities, strict=True):
        model.add_sphere(radius=RADIUS, mass=MASS, position=(place, 0, 0), velocity=(v, 0, 0))
    model.add(e.CompliantSphereSphere(among=model.spheres, contact=links, reach=reach))
    return model


def gap_in_time(result):
    return np.diff(result.position[:, :, 0], axis=1)[:, 0] - 2 * RADIUS


@pytest.mark.parametrize(("cluster", "k"), [(True, 1e5), (False, 4e5)])
def test_a_bond_that_holds_swings_about_its_rest_gap(cluster, k):
    rest, v = 1e-4, 0.02
    model = chain([rest], [-v, v])
    state = e.glued(model, gap=2e-4, clusters=[model.spheres] if cluster else [])
    omega = np.sqrt(k / (0.5 * MASS))
    assert k * 2 * v / omega < 50.0  # below the strength
    result = ns.simulate(model, t_end=0.02, h=1e-5, state=state)
    assert result.status, result.status
    swing = 2 * v / omega * np.sin(omega * result.t)
    assert gap_in_time(result) - rest == pytest.approx(swing, abs=2e-3 * 2 * v / omega)


def test_a_bond_breaks_at_its_strength_and_does_not_come_back():
    v = 0.1  # 2 v sqrt(k m / 2) = 58 N, above the strength of 50 N
    model = chain([0.0, 0.2], [-v, v, -1.0])
    result = ns.simulate(
        model, t_end=0.3, h=2e-5, record_every=50, state=e.glued(model, gap=1e-5, clusters=[model.spheres])
    )
    assert result.status, result.status
    # the third pushes the second back onto the first: ordinary contact, which separates again
    u = np.diff(result.velocity[:, :, 0], axis=1)[:, 0]
    free = np.sqrt((2 * v) ** 2 - 50.0**2 / (1e5 * 0.5 * MASS))  # the rest of the bond
    assert u[20] == pytest.approx(free, rel=2e-2)
    assert u.min() < -0.5
    assert u[-1] > 0.1
    assert gap_in_time(result)[-1] > 0.0


def test_a_pair_out_of_the_gap_is_not_glued():
    model = chain([1e-5, 5e-5], [0.0, 0.0, 0.0])
    contacts = e.glued(model, gap=2e-5).contacts
    assert contacts.pair[:, 1:3].tolist() in ([[0, 1]], [[1, 0]])
    assert contacts.values[0, :2] == pytest.approx([2.0, 1e-5])


def test_rest_at_touch_is_an_option():
    links = e.StickedLinks(touching=TOUCHING, inner=e.Bond(**BOND, rest="touch"))
    model = chain([1e-5], [0.0, 0.0], links)
    assert e.glued(model, gap=2e-5, clusters=[model.spheres]).contacts.values[0, :2] == pytest.approx(
        [1.0, 0.0]
    )


def test_a_run_with_bonds_continues_identically():
    model = chain([1e-4], [-0.02, 0.02])
    whole = ns.simulate(model, t_end=2e-3, h=2e-5, state=e.glued(model, gap=2e-4))
    rest = ns.simulate(model, t_end=2e-3, h=2e-5, state=whole.state(40))
    assert rest.position[-1] == pytest.approx(whole.position[-1], abs=1e-14)


def test_glue_that_cannot_be_is_refused():
    model = chain([1e-4], [0.0, 0.0])
    a, b = model.spheres
    with pytest.raises(ValueError, match="gap"):
        e.glued(model, gap=-1.0)
    with pytest.raises(ValueError, match="no two bodies"):
        e.glued(model, gap=5e-5)
    with pytest.raises(ValueError, match="in two of them"):
        e.glued(model, gap=2e-4, clusters=[[a, b], [b]])


def unbreakable(k=1e5):
    strength = dict.fromkeys(("f_n0", "f_t0", "M_0"), np.inf)
    return e.StickedLinks(touching=TOUCHING, inner=e.Bond(k_n=k, k_t=5e4, k_r=5.0, en2=0.5, **strength))


@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet()])
def test_a_bond_that_never_breaks_holds_at_any_distance(scheme):
    """Far beyond the reach, which is 0: two free bodies swing by half of their diameter."""
    v = 0.1 * np.sqrt(1e3 / (0.5 * MASS)) / 2
    model = chain([1e-4], [-v, v], unbreakable(k=1e3), reach=0.0)
    state = e.glued(model, gap=2e-4, clusters=[model.spheres])
    quarter = 0.5 * np.pi * np.sqrt(0.5 * MASS / 1e3)
    result = ns.simulate(model, t_end=quarter, h=quarter / 1000, state=state, scheme=scheme, record_every=500)
    assert result.status, result.status
    assert 0.07 < gap_in_time(result)[-1] < 0.1  # undamped it would be 0.1 m
    far = result.state(1)
    assert len(far.contacts.pair) == 1
    rest = ns.simulate(model, t_end=quarter, h=quarter / 1000, state=far, scheme=scheme, record_every=500)
    assert rest.position[-1] == pytest.approx(result.position[-1], abs=1e-13)
    held = ns.compliant_contacts(model, result.state(-1))
    assert held.gap[0] == pytest.approx(gap_in_time(result)[-1])
    assert held.force[0] @ held.normal[0] < -50.0


def test_a_bond_finds_its_pair_in_a_file(tmp_path):
    model = chain([1e-4, 1e-4], [-1.0, 0.0, 1.0], unbreakable(k=1e3), reach=0.0)
    state = e.glued(model, gap=2e-4, clusters=[model.spheres])
    path = tmp_path / "run.h5"
    whole = ns.simulate(model, t_end=0.02, h=1e-4, state=state, record_every=100)
    ns.simulate(model, t_end=0.01, h=1e-4, state=state, recording=ns.Recording(file=path))
    rest = ns.resume(path, t_end=0.02)
    assert rest.position[-1] == pytest.approx(whole.position[-1], abs=1e-14)
    assert gap_in_time(rest)[-1] > 5e-3


def test_pairs_of_other_bonds_are_refused():
    model = chain([1e-4, 1e-4], [0.0, 0.0, 0.0], unbreakable(), reach=0.0)
    state = e.glued(model, gap=2e-4, clusters=[model.spheres])
    few = ns.Model()
    for body in model.spheres:
        few.add_sphere(radius=RADIUS, mass=MASS, position=body.position)
    few.add(e.CompliantSphereSphere(pairs=[(few.bodies[0], few.bodies[2])], contact=unbreakable()))
    with pytest.raises(ValueError, match=r"state\.contacts"):
        ns.simulate(few, t_end=1e-3, h=1e-4, state=state)


def test_the_neighbours_of_bonds_are_found_by_their_own_length():
    """A lattice of strong bonds, each stretchable over all of it, lists neighbours only."""
    model = ns.Model()
    for i in np.ndindex(5, 5, 5):
        model.add_sphere(radius=RADIUS, mass=MASS, position=2 * RADIUS * np.array(i))
    strength = {"f_n0": 1e5, "f_t0": 1e5, "M_0": np.inf}  # f_n0/k_n is 1 m, five diameters
    links = e.StickedLinks(touching=TOUCHING, inner=e.Bond(k_n=1e5, k_t=5e4, **strength))
    model.add(e.CompliantSphereSphere(among=model.spheres, contact=links))
    state = e.glued(model, gap=1e-6, clusters=[model.spheres])
    assert len(state.contacts.pair) == 3 * 4 * 25
    system = System(model)
    compliant = CompliantForces(system)
    compliant.find(system.motion(state), 1e-3)
    compliant.remember(state.contacts)
    assert len(compliant.pairs[0].candidates.a) == 300


def dumbbells(bond, reach=2e-3, cluster=True):
    """Two bodies along x, each with two balls beside each other that touch."""
    model = ns.Model()
    balls = []
    for x, v in ((-RADIUS, -0.05), (RADIUS, 0.05)):
        body = model.add_body(position=(x, 0, 0), velocity=(v, 0, 0), mass=MASS, inertia=0.02)
        balls.append(
            [model.add_primitive([(0, y, 0)], radius=RADIUS, carrier=body) for y in (-RADIUS, RADIUS)]
        )
    links = e.StickedLinks(touching=TOUCHING, inner=bond, outer=bond)
    model.add(e.CompliantPrimitiveSpheres(between=tuple(balls), contact=links, reach=reach))
    return model, e.glued(model, gap=1e-6, clusters=[model.bodies] if cluster else [])


@pytest.mark.parametrize("cluster", [True, False])
def test_primitives_of_bodies_are_bonded_contact_by_contact(cluster):
    model, state = dumbbells(e.Bond(**BOND), cluster=cluster)
    assert state.contacts.values[:, 0].tolist() == [1.0 if cluster else 2.0] * 2
    v = 0.1
    omega = np.sqrt(2 * 1e5 / (0.5 * MASS))  # of two bonds beside each other
    result = ns.simulate(model, t_end=np.pi / omega, h=1e-5, state=state, record_every=50)
    assert result.status, result.status
    x = np.diff(result.position[:, :, 0], axis=1)[:, 0] - 2 * RADIUS
    assert x == pytest.approx(v / omega * np.sin(omega * result.t), abs=1e-3 * v / omega)


def test_all_bonds_between_two_bodies_break_together_whatever_primitives_they_are_of():
    """One body rotates about the upper pair: both bonds break."""
    model, state = dumbbells(e.Bond(**{**BOND, "f_n0": 20.0}))
    state = replace(state, velocity=np.zeros((2, 3)), angular_velocity=np.array([[0, 0, 0.0], [0, 0, 1.0]]))
    result = ns.simulate(model, t_end=4e-3, h=1e-5, state=state)
    assert result.status, result.status
    bonded = np.array([(each.values[:, 0] > 0.0).sum() for each in result.histories])
    assert set(bonded.tolist()) == {2, 0}


def test_the_reach_of_bonds_of_primitives_is_checked():
    with pytest.raises(ValueError, match="reach"):
        dumbbells(e.Bond(**BOND), reach=1e-5)


@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet()])
def test_the_clock_of_a_dividing_pair_goes_on_beyond_the_reach(scheme):
    """Two halves fly apart beyond the reach; the force of their age returns them."""
    law = e.Dividing(repulsion=10.0, attraction=10.0, start=0.2, end=1.0, speed=0.1)
    model = ns.Model()
    for x, v in ((0.0, -2.0), (0.2, 2.0)):
        model.add_sphere(radius=RADIUS, mass=MASS, position=(x, 0, 0), velocity=(v, 0, 0))
    model.add(e.CompliantSphereSphere(pairs=[tuple(model.spheres)], normal=law, reach=1e-3))
    result = ns.simulate(model, t_end=0.05, h=1e-3, scheme=scheme)
    assert result.status, result.status
    assert gap_in_time(result)[-1] > 0.1
    held = result.compliant_contacts(-1)
    assert held.history[0, 0] == pytest.approx(0.05, rel=1e-9)
    distance = 2 * RADIUS + gap_in_time(result)[-1]
    assert held.local[0, 0] == pytest.approx(10.0 * (0.2 + 0.1 * 0.05 - distance), rel=1e-9)
