"""Bodies of several parts: mass, centre, inertia, and motion as a whole."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CompliantContact, Contact, LinearPressure

G = 9.81
TURN = (0.9, 0.1, -0.3, 0.2)
DIVISIONS = [(2, 1, 1), (2, 2, 2)]


def eighths(size, many):
    """Boxes that together are one of `size`."""
    edges = np.array(size) / many
    at = product(*(range(n) for n in many))
    return [ns.parts.box(edges, position=(np.array(i) + 0.5) * edges - np.array(size) / 2) for i in at]


@pytest.mark.parametrize("many", DIVISIONS)
def test_a_box_of_boxes_is_the_box(many):
    size, model = (0.4, 0.3, 0.2), ns.Model()
    whole = model.add_box(size, density=500, position=(1, 2, 3))
    made = model.add_compound(eighths(size, many), density=500, position=(1, 2, 3))
    assert made.mass == pytest.approx(whole.mass, rel=1e-14)
    assert np.abs(made.inertia - whole.inertia).max() < 1e-14 * np.trace(whole.inertia)
    assert len(model.primitives) == 6 * (1 + int(np.prod(many)))


@pytest.mark.parametrize("many", DIVISIONS)
def test_it_falls_and_tumbles_as_the_box_does(many):
    found = []
    for made in (False, True):
        model = ns.Model(gravity=(0, 0, -G))
        own = {"position": (0, 0, 0.5), "rotation": TURN, "velocity": (1, 0, 0), "density": 500}
        size = (0.4, 0.3, 0.2)
        body = model.add_compound(eighths(size, many), **own) if made else model.add_box(size, **own)
        model.add(Contact(among=[body, model.add_plane(normal=(0, 0, 1))], e_n=1.0))
        result = ns.simulate(model, t_end=0.45, h=1e-3)
        assert result.status, result.status
        assert np.abs(result.angular_velocity[-1] - result.angular_velocity[0]).max() > 1.0  # it was hit
        found.append(result)
    assert np.abs(found[0].position - found[1].position).max() < 1e-9
    assert np.abs(found[0].angular_velocity - found[1].angular_velocity).max() < 1e-7


def test_mass_centre_and_inertia_of_a_dumbbell():
    """Two balls of steel on a bar of oak: by hand."""
    r, L, bar = 0.05, 0.6, 0.02
    model = ns.Model()
    balls = [ns.parts.sphere(r, position=(0, 0, s * L / 2), density=7800) for s in (-1, 1)]
    made = model.add_compound([*balls, ns.parts.cylinder(bar, L)], density=700, position=(0, 0, 0))
    m, rod = 7800 * 4 / 3 * np.pi * r**3, 700 * np.pi * bar**2 * L
    across = 2 * (0.4 * m * r**2 + m * L**2 / 4) + rod * (3 * bar**2 + L**2) / 12
    along = 2 * 0.4 * m * r**2 + 0.5 * rod * bar**2
    assert made.mass == pytest.approx(2 * m + rod, rel=1e-14)
    assert np.allclose(made.inertia, np.diag([across, across, along]), rtol=1e-14, atol=1e-16)


def test_a_part_is_where_it_is_stated_however_the_body_is_turned():
    model, q = ns.Model(), np.array(TURN) / np.linalg.norm(TURN)
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)])
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    turn = (0.6, 0, 0.8, 0)
    parts = [ns.parts.solid((corners, faces), rotation=turn), ns.parts.capsule(0.1, 0.5, position=(2, 0, 0))]
    body = model.add_compound(parts, mass=3.0, origin=(1, 2, 3), rotation=q)
    R = Rotation.from_quat(np.roll(q, -1))
    places = body.position + R.apply(np.array(model.shapes.places))
    expected = [*Rotation.from_quat(np.roll(turn, -1)).apply(corners), (2, 0, -0.25), (2, 0, 0.25)]
    assert np.abs(places - R.apply(expected) - (1, 2, 3)).max() < 1e-14
    assert body.mass == pytest.approx(3.0, rel=1e-15)


def table(density=700):
    """A top on four legs, 0.74 m high."""
    top = ns.parts.box((1.2, 0.8, 0.04), position=(0, 0, 0.72), density=density)
    at = product((-0.5, 0.5), (-0.3, 0.3))
    return [top, *(ns.parts.box((0.06, 0.06, 0.7), position=(x, y, 0.35), density=700) for x, y in at)]


def test_a_table_stands_on_its_four_legs_and_holds_a_box():
    model = ns.Model(gravity=(0, 0, -G))
    floor = model.add_plane(normal=(0, 0, 1))
    desk = model.add_compound(table(), origin=(0, 0, 0))
    crate = model.add_box((0.2, 0.2, 0.2), mass=20.0, position=(0.4, 0.2, 0.84))
    model.add(Contact(among=[floor, desk, crate], mu=0.3))
    result = ns.simulate(model, t_end=2.0, h=5e-3)
    assert result.status, result.status
    assert np.abs(result.position - result.position[0]).max() < 1e-12
    assert np.abs(result.velocity[-1]).max() < 1e-12


def test_its_legs_are_soft_where_the_contact_is():
    model = ns.Model(gravity=(0, 0, -G))
    desk = model.add_compound(table(), origin=(0, 0, 0))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(CompliantContact(among=[floor, desk], normal=LinearPressure(stiffness=1e8, damping=1e6)))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    assert result.status, result.status
    sunk = result.position[0, desk, 2] - result.position[-1, desk, 2]
    assert sunk == pytest.approx(desk.mass * G / (1e8 * 4 * 0.06**2), rel=1e-6)


def test_bad_parts_are_refused():
    model, box = ns.Model(), ns.parts.box((1, 1, 1))
    for match, parts, own in (
        ("at least one part", [], {"mass": 1.0}),
        (r"parts\[1\] = 3: must be a part", [box, 3], {"mass": 1.0}),
        ("position and origin", [box], {"mass": 1.0, "origin": (0, 0, 0)}),
        ("mass and density", [box], {"mass": 1.0, "density": 2.0}),
        ("density = None: must be given, or `mass`", [box, ns.parts.sphere(1, density=3)], {}),
        ("mass = -1", [box], {"mass": -1.0}),
    ):
        with pytest.raises(ValueError, match=match):
            model.add_compound(parts, position=(0, 0, 0), **own)
    assert not model.bodies
    assert not model.primitives
    fixed = model.add_compound([box, box], position=(0, 0, 0), fixed=True)
    assert fixed.mass == 0.0
    with pytest.raises(ValueError, match="size"):
        ns.parts.box((1, 1, 0))
