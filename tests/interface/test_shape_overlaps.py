"""Shapes that come to overlap one another with no element between them are named, all others are not."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CapsuleCapsule, CompliantSolids, Revolute, SpringDashpot
from nsgalpha.model.system import System
from nsgalpha.run.shape_overlaps import ShapeOverlaps

WORDS = "no element lets them touch"
LAW = {"normal": SpringDashpot(stiffness=1e4, damping=10.0)}
TILTED = (0.9, 0.2, 0.1, 0.3)


def box(model, place):
    return model.add_box((0.1, 0.2, 0.1), mass=1.0, position=place, rotation=TILTED, name="it")


def cylinder(model, place):
    return model.add_cylinder(0.05, 0.1, mass=1.0, position=place, rotation=TILTED, name="it")


def capsule(model, place):
    return model.add_capsule(0.05, 0.1, mass=1.0, position=place, rotation=TILTED, name="it")


def ball(model, place):
    return model.add_sphere(radius=0.05, mass=1.0, position=place, name="it")


def fallen(fill, place=(0, 0, 0.5), meets=None, t_end=0.4):
    """Remarks on a body that falls towards a fixed box under gravity."""
    model = ns.Model(gravity=(0, 0, -10))
    fixed = model.add_box((1, 1, 0.2), position=(0, 0, 0), fixed=True, name="table")
    thing = fill(model, place)
    if meets is not None:
        meets(model, thing, fixed)
    return ns.simulate(model, t_end=t_end, h=1e-3).status.remarks


@pytest.mark.parametrize("fill", [box, cylinder, capsule, ball])
def test_a_shape_that_falls_onto_another_is_named_when_it_does_and_not_beside_it(fill):
    (said,) = fallen(fill)
    assert said.startswith("'table' and 'it' overlap, first seen at t = 0.2")
    assert said.endswith(WORDS)
    assert fallen(fill, place=(0.62, 0, 0.5)) == []  # its box meets that of the table, at most


def test_a_body_below_the_table_overlaps_nothing():
    assert fallen(box, place=(0, 0, -0.5)) == []


def test_shapes_that_pass_through_one_another_are_named_though_they_are_apart_at_the_end():
    model = ns.Model()
    for k, side in enumerate((-1, 1)):
        model.add_box(
            (0.2, 0.2, 0.2), mass=1.0, position=(0.5 * side, 0, 0), velocity=(-side, 0, 0), name=f"{k}"
        )
    said = ns.simulate(model, t_end=1.2, h=1e-2).status.message
    assert "'0' and '1' overlap, first seen at t = 0.4" in said


def between(model, thing, table):
    model.add(CompliantSolids(between=([thing], [table]), **LAW))


def hinged(model, thing, table):
    model.add(Revolute(table, thing, point=(0.7, 0, 0.3), axis=(0, 1, 0)))


@pytest.mark.parametrize("meets", [between, hinged])
def test_shapes_that_an_element_or_a_joint_relates_are_not_named(meets):
    assert not [said for said in fallen(box, meets=meets) if WORDS in said]


def test_links_of_a_mechanism_that_pass_through_one_another_are_not_named():
    model = ns.Model(gravity=(0, 0, -10))
    links = [model.add_box((0.5, 0.1, 0.1), mass=1.0, position=(0.25 + 0.5 * k, 0, 0)) for k in range(3)]
    for k, (one, two) in enumerate(zip([None, *links], links, strict=False)):
        model.add(Revolute(one, two, point=(0.5 * k, 0, 0), axis=(0, 1, 0)))
    start = model.initial_state()
    folded = np.array([(0.25, 0, 0), (0.25, 0, 0), (0.25, 0, 0)])
    half = np.array([(1, 0, 0, 0), (0, 0, 1, 0), (1, 0, 0, 0)], float)
    looks = ShapeOverlaps(System(model), start.position, start.rotation)
    assert looks.prepare() == 3
    assert list(looks.look(0.0, folded, half, np.ones(3, bool))) == []


def test_shapes_that_overlap_at_the_start_are_meant_to():
    assert fallen(box, place=(0, 0, 0.1), t_end=0.1) == []


def test_a_ring_is_not_taken_for_its_hull():
    """What falls between two boxes of one body touches none of them."""
    model = ns.Model(gravity=(0, 0, -10))
    ring = model.add_body(inertia=(1, 1, 1), mass=1.0, position=(0, 0, 0), fixed=True)
    for x, y, size in ((0.4, 0, (0.1, 0.9, 0.1)), (-0.4, 0, (0.1, 0.9, 0.1))):
        corners = np.array([(i, j, k) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        triangles = [each for a, b, c, d in faces for each in ((a, b, c), (a, c, d))]
        model.add_mesh(corners * size + (x, y, 0), triangles, carrier=ring)
    cylinder(model, (0, 0, 0.5))
    looks = ShapeOverlaps(System(model), *(model.initial_state().position, model.initial_state().rotation))
    assert looks.prepare() == 3
    assert ns.simulate(model, t_end=0.4, h=1e-3).status.remarks == []


def test_models_in_which_all_may_touch_are_not_looked_at():
    model = ns.Model()
    rods = [model.add_capsule(0.01, 0.1, mass=1.0, position=(0.1 * k, 0, 0)) for k in range(4)]
    start = model.initial_state()
    assert ShapeOverlaps(System(model), start.position, start.rotation).prepare() == 4
    model.add(CapsuleCapsule(among=[each for each in model.primitives if each.carrier in rods]))
    assert ShapeOverlaps(System(model), start.position, start.rotation).prepare() == 0
    balls = ns.Model()
    for x in (0, 1):
        balls.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0))
    start = balls.initial_state()  # of spheres alone: missed_contacts.py
    assert ShapeOverlaps(System(balls), start.position, start.rotation).prepare() == 0
