"""Coordination numbers, fabric and granular temperature against lattices and known velocities."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Contact

R = 0.1
FCC = np.array([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]) / 2
BCC = np.array([(0, 0, 0), (1, 1, 1)]) / 2
LATTICES = {  # cell, its edge in radii, contacts of a ball, solid fraction
    "simple cubic": (np.zeros((1, 3)), 2.0, 6, np.pi / 6),
    "body-centred": (BCC, 4.0 / np.sqrt(3.0), 8, np.pi * np.sqrt(3.0) / 8),
    "face-centred": (FCC, 2.0 * np.sqrt(2.0), 12, np.pi / np.sqrt(18.0)),
}


def at_start(places, *, radius=R, periodic=None, **motion):
    """The one recorded state of spheres at `places`."""
    model = ns.Model(periodic=periodic)
    model.add_spheres(position=places, radius=radius, mass=1.0, **motion)
    return ns.simulate(model, t_end=1e-6, h=1e-6)


def cells(lattice, count):
    places, edge, *_ = LATTICES[lattice]
    corners = np.array(list(itertools.product(range(count), repeat=3)), float)
    return edge * R * (corners[:, None] + places).reshape(-1, 3), edge * R * count


@pytest.mark.parametrize("lattice", LATTICES)
@pytest.mark.parametrize("shift", [0.0, -0.77])
def test_lattices_have_their_coordination_and_an_isotropic_fabric(lattice, shift):
    places, edge = cells(lattice, 3)
    result = at_start(places + shift, periodic=(edge,) * 3)
    found = ns.contact_network(result)
    *_, contacts, fraction = LATTICES[lattice]
    assert (found.coordination == contacts).all()
    assert (found.backbone == contacts).all()
    assert not found.rattlers.any()
    assert abs(found.fabric - np.eye(3) / 3).max() < 1e-12
    assert ns.mean_stress(result).solid_fraction == pytest.approx(fraction, abs=1e-12)


def test_a_block_without_periods_has_fewer_contacts_at_its_sides():
    """Of n^3 balls on a cubic lattice there are 3 n^2 (n - 1) contacts."""
    found = ns.contact_network(at_start(cells("simple cubic", 4)[0]))
    assert found.coordination[0] == 2 * 3 * 16 * 3 / 64


def test_periods_along_some_directions():
    """A square layer, periodic along x and y alone: four contacts, in the plane."""
    places = [(2 * R * i + 5.0, 2 * R * j - 3.0, 0.0) for i in range(3) for j in range(3)]
    found = ns.contact_network(at_start(places, periodic=(6 * R, 6 * R, None)))
    assert found.coordination[0] == 4
    assert abs(found.fabric[0] - np.diag([0.5, 0.5, 0.0])).max() < 1e-12


def test_the_fabric_turns_with_a_row():
    turn = Rotation.from_rotvec((0.4, -1.1, 0.7))
    n = turn.apply((1.0, 0, 0))
    found = ns.contact_network(at_start(np.outer(2 * R * np.arange(5), n)))
    assert abs(found.fabric[0] - np.outer(n, n)).max() < 1e-9
    assert found.coordination[0] == 1.6
    assert found.rattlers[0] == 5
    assert found.backbone[0] == 0.0


def test_rattlers_are_taken_away_until_none_is_left():
    """A tetrahedron of three contacts each, with a tail of two balls."""
    tetra = R * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) / np.sqrt(2.0)
    tail = [tetra[0] * (1 + k * 2 * R / np.linalg.norm(tetra[0])) for k in (1, 2)]
    found = ns.contact_network(at_start([*tetra, *tail]), least=3)
    assert found.coordination[0] == pytest.approx(2 * 8 / 6)
    assert found.rattlers[0] == 2
    assert found.backbone[0] == 3.0


def test_the_gap_and_radii_decide():
    places = [(0, 0, 0), (0.31, 0, 0), (-0.2, 0, 0), (0, 0.5, 0)]
    result = at_start(places, radius=[0.1, 0.2, 0.1, 0.1])
    assert ns.contact_network(result).coordination[0] == 2 / 4
    assert ns.contact_network(result, gap=0.02).coordination[0] == 4 / 4
    assert ns.contact_network(result, gap=0.009).coordination[0] == 2 / 4


def test_fixed_spheres_are_walls_and_others_come_later():
    """Three between fixed ends have two contacts each; fixed ones that touch do not count."""
    model = ns.Model()
    for k in range(5):
        model.add_sphere(radius=R, mass=1.0, position=(2 * R * k, 0, 0), fixed=k in (0, 4))
    model.add_sphere(radius=R, position=(-2 * R, 0, 0), fixed=True)
    late = model.add_sphere(radius=R, mass=1.0, position=(2 * R, 2 * R, 0))
    model.add(ns.Feeder(late, start=0.5))
    found = ns.contact_network(ns.simulate(model, t_end=1.0, h=0.1), least=2)
    assert found.coordination[0] == 2.0
    assert found.rattlers[0] == 0
    assert found.coordination[-1] == 8 / 4
    assert found.rattlers[-1] == 1
    assert found.backbone[-1] == 2.0


def test_the_temperature_is_that_of_the_velocities_about_their_mean():
    v = np.random.default_rng(2).normal(loc=(5.0, 0, -2.0), size=(50, 3))
    places = np.arange(150.0).reshape(50, 3)
    found = ns.granular_temperature(at_start(places, velocity=v))
    assert found == pytest.approx([v.var(axis=0).mean()] * 2, rel=1e-12)
    same = ns.granular_temperature(at_start(places, velocity=np.tile((1.0, 2.0, 3.0), (50, 1))))
    assert abs(same).max() < 1e-28


def test_what_has_no_network_is_refused():
    model = ns.Model()
    model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0))
    result = ns.simulate(model, t_end=0.1, h=0.1)
    with pytest.raises(ValueError, match="has no spheres"):
        ns.contact_network(result)
    result = at_start([(0, 0, 0)])
    assert ns.contact_network(result).coordination[0] == 0.0
    for wrong, message in (({"gap": -1.0}, r"gap = -1\.0"), ({"least": -1}, "least = -1")):
        with pytest.raises(ValueError, match=message):
            ns.contact_network(result, **wrong)
    with pytest.raises(ValueError, match="result = 3"):
        ns.granular_temperature(3)


def stacks(fixed=False):
    """Two stacks of three boxes on a floor, and a ball on one."""
    model = ns.Model(gravity=(0, 0, -9.81))
    floor = model.add_plane(normal=(0, 0, 1))
    for k in range(6):
        turn = (np.cos(0.2), 0, 0, np.sin(0.2)) if k == 4 else (1, 0, 0, 0)
        place = (k // 3, 0, 0.1 * (k % 3) + 0.05)
        model.add_box((0.1,) * 3, mass=1.0, position=place, rotation=turn, fixed=fixed and k == 0)
    model.add_sphere(radius=0.05, mass=1.0, position=(1, 0, 0.35))
    model.add(Contact(among=[*model.bodies, floor], mu=0.3))
    return model


@pytest.mark.parametrize("fixed", [False, True])
def test_recorded_contacts_of_all_shapes_count_once_for_a_pair(fixed):
    result = ns.simulate(stacks(fixed), t_end=0.01, h=1e-3)
    assert len(result.contacts.at(-1).gap) > 20  # corners of boxes
    found = ns.contact_network(result, least=2, recorded=True)
    pairs = [(0, 1), (1, 2), (3, 4), (4, 5), (5, 6)]
    free = range(1 if fixed else 0, 7)
    assert found.coordination[-1] == pytest.approx(sum(k in pair for pair in pairs for k in free) / len(free))
    assert abs(found.fabric[-1] - np.diag([0, 0, 1])).max() < 1e-12
    assert found.rattlers[-1] == len(free)  # stacks end: they go one after the other
    assert found.coordination[0] == 0.0  # no step has led there


def test_recorded_contacts_of_balls_are_those_of_their_places():
    model = ns.Model(gravity=(0, 0, -9.81))
    floor = model.add_plane(normal=(0, 0, 1))
    for place in ns.layouts.hexagonal(count=(3, 3, 1), radius=R, origin=(0, 0, R)):
        model.add_sphere(radius=R, mass=1.0, position=place, fixed=True)
    model.add_sphere(radius=R, mass=1.0, position=(R, R / np.sqrt(3), R * (1 + np.sqrt(8 / 3))))
    model.add(Contact(among=[*model.bodies, floor]))
    result = ns.simulate(model, t_end=0.01, h=1e-3)
    one, other = ns.contact_network(result), ns.contact_network(result, recorded=True)
    assert one.coordination[-1] == other.coordination[-1] == 3
    assert abs(one.fabric[-1] - other.fabric[-1]).max() < 1e-9


def test_what_recorded_contacts_refuse():
    result = ns.simulate(stacks(), t_end=2e-3, h=1e-3, recording=ns.Recording(contacts=False))
    with pytest.raises(ValueError, match="recorded: no contacts are recorded"):
        ns.contact_network(result, recorded=True)
    with pytest.raises(ValueError, match=r"gap = 0\.1: must be left out"):
        ns.contact_network(result, gap=0.1, recorded=True)
