"""Contact and CompliantContact: the elements of all kinds of shapes, by sets and by materials."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.case import parse_case

UP = (0, 0, 1)
LAW = {"mu": 0.3, "e_n": 0.2}
SPRING = {"normal": e.SpringDashpot(stiffness=1e4, damping=20.0)}


class Scene:
    """Shapes of every kind that fall onto a floor, a wall and a table top."""

    def __init__(self):
        self.model = model = ns.Model(gravity=(0, 0, -9.81))
        self.floor = model.add_plane(normal=UP, name="floor")
        self.wall = model.add_plane(normal=(1, 0, 0), offset=-1.0, name="wall")
        own = {"mass": 1.0, "velocity": (-1, 0.2, 0)}
        self.balls = [
            model.add_sphere(radius=0.1, position=(0.02 * k, 0.01 * k, 0.11 + 0.21 * k), **own)
            for k in range(2)
        ]
        self.rods = [
            model.add_capsule(0.05, 0.3, position=(0.22, 0.02 * k, 0.21 + 0.41 * k), **own) for k in range(2)
        ]
        self.rods_shapes = [each for each in model.primitives if each.carrier in self.rods]
        self.boxes = [
            model.add_box((0.2, 0.2, 0.2), position=(0.5 + 0.05 * k, 0, 0.11 + 0.21 * k), **own)
            for k in range(2)
        ]
        table = model.add_body(position=(0, 0, 0), fixed=True, name="table")
        corners = [(-0.9, -1, 0.05), (-0.5, -1, 0.05), (-0.5, 1, 0.05), (-0.9, 1, 0.05)]
        self.top = model.add_primitive(corners, carrier=table, name="top")

    def run(self, *elements):
        """The result with these elements."""
        for element in elements:
            self.model.add(element)
        result = ns.simulate(self.model, t_end=0.3, h=2e-3)
        assert len(result.t) == 151
        return result


def kinds(contact):
    """Names of the elements of a group."""
    return sorted(type(part).__name__ for part in contact.parts)


def same(one, two):
    """True if two results have the same bits."""
    return np.array_equal(one.position, two.position) and np.array_equal(one.velocity, two.velocity)


def test_round_shapes_among_one_set_have_the_elements_of_all_pairs():
    s, stated = Scene(), Scene()
    contact = e.Contact(among=[*s.balls, *s.rods, s.floor, s.wall], **LAW)
    assert kinds(contact) == [
        "CapsuleCapsule",
        "CapsulePlane",
        "CapsuleSphere",
        "SpherePlane",
        "SphereSphere",
    ]
    planes = [stated.floor, stated.wall]
    by_hand = stated.run(
        e.CapsuleCapsule(among=stated.rods_shapes, **LAW),
        e.CapsuleSphere(stated.rods_shapes, stated.balls, **LAW),
        e.CapsulePlane(stated.rods_shapes, planes, **LAW),
        e.SphereSphere(among=stated.balls, **LAW),
        e.SpherePlane(stated.balls, planes, **LAW),
    )
    assert same(s.run(contact), by_hand)


def test_all_kinds_of_shapes_in_one_set():
    s, stated = Scene(), Scene()
    contact = e.Contact(among=[s.floor, s.wall, *s.boxes, *s.rods, *s.balls], **LAW)
    planes, rods, balls, boxes = (
        [stated.floor, stated.wall],
        stated.rods_shapes,
        stated.balls,
        stated.boxes,
    )
    by_hand = [
        e.CapsuleCapsule(among=rods, **LAW),
        e.CapsuleSphere(rods, balls, **LAW),
        e.CapsuleSolid(rods, boxes, **LAW),
        e.CapsulePlane(rods, planes, **LAW),
        e.SphereSphere(among=balls, **LAW),
        e.SphereSolid(balls, boxes, **LAW),
        e.SpherePlane(balls, planes, **LAW),
        e.SolidSolid(among=boxes, **LAW),
        e.SolidPlane(boxes, planes, **LAW),
    ]
    assert kinds(contact) == sorted(type(each).__name__ for each in by_hand)
    assert same(s.run(contact), stated.run(*by_hand))


def test_solids_and_planes_in_one_set_and_in_two():
    s, two, stated = Scene(), Scene(), Scene()
    found = s.run(e.Contact(among=[s.floor, *s.boxes], **LAW))
    sets = [two.boxes[0], two.floor], [two.boxes[1]]
    between = e.Contact(between=sets, **LAW)
    assert kinds(between) == ["SolidPlane", "SolidSolid"]
    by_hand = stated.run(
        e.SolidSolid(among=stated.boxes, **LAW), e.SolidPlane(stated.boxes, stated.floor, **LAW)
    )
    assert same(found, by_hand)
    # the lower box is in the set of the floor, and meets the upper one alone
    assert two.run(between).position[-1, two.boxes[0], 2] < -0.1


def test_balls_meet_the_polygons_of_a_table():
    s = Scene()
    contact = e.Contact(among=[*s.balls, s.top, s.wall], **LAW)
    assert kinds(contact) == ["SpherePlane", "SpherePolygon", "SphereSphere"]
    assert s.run(contact).status


def test_cylinders_and_cones_meet_all_closed_shapes():
    s = Scene()
    can = s.model.add_cylinder(0.1, 0.2, mass=1.0, position=(1.5, 0, 0.1), name="can")
    hat = s.model.add_cone(0.1, 0.2, mass=1.0, position=(2.5, 0, 0.05), name="hat")
    other = s.model.add_cylinder(0.1, 0.2, mass=1.0, position=(3.5, 0, 0.1), name="other")
    contact = e.Contact(among=[can, hat, other, *s.boxes, *s.balls, *s.rods, s.floor])
    # can-can, can-hat, can-box, hat-box, box-box; floor of cans, hats and boxes
    assert [kinds(contact).count(name) for name in ("SolidSolid", "SolidPlane")] == [5, 3]
    assert [kinds(contact).count(name) for name in ("CapsuleSolid", "SphereSolid")] == [3, 3]
    assert s.run(contact).status


def test_faces_of_a_closed_surface_are_a_solid_and_others_are_polygons():
    s = Scene()
    faces = [each for each in s.model.primitives if each.carrier is s.boxes[0]]
    assert kinds(e.Contact(between=(faces, s.boxes[1]), **LAW)) == ["SolidSolid"]
    assert kinds(e.Contact(between=(faces[:5], s.balls), **LAW)) == ["SpherePolygon"]


def test_a_body_with_two_shapes_brings_both_and_they_do_not_meet():
    s = Scene()
    s.model.add_primitive([(-0.4, 0, 0), (0.4, 0, 0)], radius=0.05, carrier=s.balls[0])
    contact = e.Contact(among=[s.balls[0], s.floor], **LAW)
    assert kinds(contact) == ["CapsulePlane", "SpherePlane"]
    assert kinds(e.Contact(among=[*s.balls, s.floor])) == [
        "CapsulePlane",
        "CapsuleSphere",
        "SpherePlane",
        "SphereSphere",
    ]
    assert s.run(contact).position[-1, s.balls[0], 2] > 0.04


def test_planes_of_a_body_meet_the_shapes_of_others():
    s = Scene()
    tray = s.model.add_body(position=(0, 0, -1), fixed=True, name="tray")
    board = s.model.add_plane(normal=UP, offset=0.02, body=tray, name="board")
    ball = s.model.add_primitive([(0, 0, 0), (0, 0, 0.1)], radius=0.01, carrier=tray)
    contact = e.Contact(among=[board, tray, *s.rods], **LAW)
    assert kinds(contact) == ["CapsuleCapsule", "CapsulePlane"]
    assert ball not in contact.parts[1].handles()


def test_materials_have_a_law_for_every_two_or_none():
    s, stated = Scene(), Scene()
    groups = {"steel": s.balls, "oak": [s.floor, s.wall], "rubber": s.rods}
    laws = {
        ("steel", "steel"): ns.ContactLaw(e_n=0.9),
        ("oak", "steel"): {"mu": 0.1},
        ("rubber", "steel"): None,
        ("rubber", "rubber"): None,
        ("rubber", "oak"): LAW,
    }
    contact = e.Contact(among=groups, materials=laws)
    assert kinds(contact) == ["CapsulePlane", "SpherePlane", "SphereSphere"]
    planes = [stated.floor, stated.wall]
    by_hand = stated.run(
        e.SphereSphere(among=stated.balls, e_n=0.9),
        e.SpherePlane(stated.balls, planes, mu=0.1),
        e.CapsulePlane(stated.rods_shapes, planes, **LAW),
    )
    result = s.run(contact)
    assert np.array_equal(result.position, by_hand.position)
    del laws["rubber", "rubber"]
    with pytest.raises(ValueError, match="materials: no entry for the groups 'rubber' and 'rubber'"):
        e.Contact(among=groups, materials=laws)


def test_soft_contact_differs_by_one_word():
    s, stated = Scene(), Scene()
    contact = e.CompliantContact(among=[*s.balls, *s.boxes, *s.rods, s.floor], **SPRING)
    assert len(contact.parts) == 5
    others = [*stated.boxes, *stated.rods]
    by_hand = [
        e.CompliantSphereSphere(among=stated.balls, **SPRING),
        e.CompliantSpherePlane(stated.balls, stated.floor, **SPRING),
        e.CompliantSolids(between=(stated.balls, others), **SPRING),
        e.CompliantSolids(among=others, **SPRING),
        e.CompliantSolidPlane(others, stated.floor, **SPRING),
    ]
    found, expected = s.run(contact), stated.run(*by_hand)
    assert np.abs(found.position - expected.position).max() < 1e-12


def test_parts_have_names_and_come_back_from_a_file(tmp_path):
    s = Scene()
    contact = s.model.add(e.Contact(among=[s.floor, *s.boxes], **LAW), name="crates")
    assert s.model.element("crates 1") is contact.parts[0]
    with pytest.raises(ValueError, match="was added already"):
        s.model.add(contact)
    assert len(s.model.elements) == 2
    result = ns.simulate(s.model, t_end=0.1, h=2e-3)
    result.save(tmp_path / "crates.h5")
    model = ns.load(tmp_path / "crates.h5").model
    assert type(model.element("crates 2")) is type(contact.parts[1])
    again = ns.simulate(model, t_end=0.1, h=2e-3)
    assert same(result, again)


def test_a_case_file_takes_it():
    text = """
    title = "balls"
    bodies = [{type = "sphere", name = "ball", radius = 0.1, mass = 1, position = [0, 0, 1]}]
    planes = [{name = "floor", normal = [0, 0, 1]}]
    elements = [{type = "Contact", between = ["ball", "floor"], mu = 0.1, name = "all"}]
    run = {t_end = 0.1, h = 0.01}
    """
    model = parse_case(text).model
    assert type(model.element("all 1")) is e.SpherePlane


def refused(match, **arguments):
    with pytest.raises(ValueError, match=match):
        e.Contact(**arguments)


def test_bad_input_is_refused_by_name():
    s = Scene()
    bare, ball = s.model.add_body(mass=1.0, inertia=1.0, position=(9, 9, 9), name="bare"), s.balls[0]
    refused("exactly one", among=s.balls, between=(s.balls, s.floor))
    refused("exactly one")
    refused("among = 3: must be a list of bodies, primitives or planes", among=3)
    refused("given twice", among=[ball, ball])
    refused("given twice", among=[s.rods[0], *s.rods_shapes])
    refused("'bare'.*a body with a surface", among=[bare, ball])
    refused("among: there are no shapes of two bodies that may meet", among=[ball])
    refused("among: there are no shapes of two bodies that may meet", among=[s.floor, s.wall])
    free = s.model.add_primitive([(0, 0, -1), (1, 0, -1), (0, 1, -1)])
    refused("polygons = .*: must be a face of a solid that a rigid body carries", among=[free, *s.rods])
    refused("between: .* both", between=(s.balls, [ball, s.floor]))
    refused("mu = -1", among=s.balls, mu=-1)
    shelf = s.model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 3), name="shelf")
    s.model.add_primitive([(0, 0, 0), (1, 0, 0), (0, 1, 0)], carrier=shelf)
    refused("polygons, polygons: 'table' and 'shelf'", among=[s.top, shelf, *s.balls])
    refused("a dict has names for `materials`", among={"a": s.balls})
    refused("among = .*a dict", among=s.balls, materials={})
    refused(
        "mu: state it in the entries of `materials`",
        among={"a": s.balls},
        materials={("a", "a"): None},
        mu=0.3,
    )
    refused("materials = .*two of the groups", among={"a": s.balls}, materials={("a", "b"): None})
    refused("a ContactLaw, its arguments", among={"a": s.balls}, materials={("a", "a"): 3})
    with pytest.raises(TypeError, match="mew"):
        e.Contact(among=s.balls, mew=0.3)


SOLIDS = """
title = "solids"
gravity = [0, 0, -9.81]
planes = [{name = "floor", normal = [0, 0, 1]}]
run = {t_end = 0.1, h = 0.01}

[[bodies]]
type = "grid"
name = "wall"
count = [2, 1, 3]
spacing = [0.2, 0.1, 0.06]
origin = [0, 0, 0.03]
size = [0.2, 0.1, 0.06]
density = 2000

[[bodies]]
type = "box"
name = "crate"
size = [0.1, 0.1, 0.1]
mass = 1
position = [1, 0, 0.05]

[[bodies]]
type = "capsule"
name = "rod"
radius = 0.05
length = 0.2
mass = 1
position = [2, 0, 0.15]

[[elements]]
type = "Contact"
among = ["wall", "crate", "floor"]
mu = 0.5

[[elements]]
type = "Contact"
between = ["rod", "floor"]
mu = 0.5
"""


def test_a_case_file_states_solids():
    model = parse_case(SOLIDS).model
    assert [body.name for body in model.bodies] == [*(f"wall {k}" for k in range(6)), "crate", "rod"]
    assert model.bodies[0].mass == pytest.approx(2000 * 0.2 * 0.1 * 0.06)
    result = ns.simulate(model, t_end=0.1, h=0.01)
    assert result.status, result.status
    assert np.abs(result.position - result.position[0]).max() < 1e-12
    with pytest.raises(ValueError, match="size"):
        parse_case(SOLIDS.replace("size = [0.1, 0.1, 0.1]", "size = [0.1, 0.1, 0]"))
