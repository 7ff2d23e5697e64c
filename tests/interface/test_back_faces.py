"""Grains behind polygons that push to their front alone are named."""

import pytest

import nsgalpha as ns
from elements import CompliantPolygonCapsule, CompliantPolygonSphere, SpringDashpot

R = 0.1
LAW = {"normal": SpringDashpot(stiffness=1e4, damping=10.0)}
SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]  # its front is above
WORDS = "was behind the polygon"


def said(height, corners=SQUARE, speed=0.0, aside=0.0, t_end=1e-3, **given):
    """The sentence on a ball above a square."""
    model = ns.Model()
    face = model.add_primitive(corners, name="face")
    ball = model.add_sphere(
        radius=R, mass=1.0, position=(aside, 0, height), velocity=(0, 0, speed), name="ball"
    )
    model.add(CompliantPolygonSphere(face, ball, **LAW, **given))
    result = ns.simulate(model, t_end=t_end, h=5e-4)
    assert result.status.ok
    return result.status.message


@pytest.mark.parametrize("height", [-0.9 * R, -0.5 * R, -0.01 * R])
def test_a_grain_that_starts_behind_a_polygon_is_named(height):
    assert "; 'ball' was behind the polygon 'face', first seen at t = 0 s" in said(height)


def test_the_way_round_of_a_funnel_decides():
    assert WORDS in said(0.9 * R, SQUARE[::-1])
    assert WORDS not in said(0.9 * R)


@pytest.mark.parametrize(
    "given",
    [
        {"flip_normals": True},
        {"flip_submerged": True},
        {"reject_large_overlap": True},
        {"aside": 1.0 + 0.5 * R},
    ],
)
def test_what_is_not_pushed_through_is_not_named(given):
    assert WORDS not in said(-0.5 * R, **given)


@pytest.mark.parametrize("height", [R, 0.5 * R, -1.1 * R, -5.0])
def test_grains_in_front_and_far_behind_are_not_named(height):
    assert WORDS not in said(height)


def test_a_grain_that_comes_from_behind_within_the_run_is_named():
    message = said(-0.5, speed=1.0, t_end=0.5)
    assert WORDS in message
    assert "energy" not in message  # the polygon gave it to the grain, not the steps
    first = float(message.split("first seen at t = ")[1].split()[0])
    assert 0.4 <= first < 0.4 + 0.5 / 30


def test_several_grains_and_ends_of_capsules_are_counted():
    model = ns.Model()
    mesh = model.add_mesh(SQUARE, [(0, 1, 2), (0, 2, 3)])
    rods = [
        model.add_capsule(R, 0.5, mass=1.0, position=(x, 0, 0.2), name=f"rod {k}")
        for k, x in enumerate((-0.5, 0.5))
    ]
    model.add_capsule(R, 0.5, mass=1.0, position=(0, 0, 0.34))
    capsules = [each for each in model.shapes.primitives if each.carrier in [*rods, model.bodies[2]]]
    model.add(CompliantPolygonCapsule(mesh, capsules, **LAW))
    message = ns.simulate(model, t_end=1e-3, h=1e-3).status.message
    assert "(and 1 others) was behind the polygon" in message
    assert "'rod " in message


def test_grains_beside_and_above_an_obstacle_are_in_their_place():
    model = ns.Model()
    block = model.add_box((0.3, 0.3, 0.05), position=(0, 0, 0), fixed=True)
    faces = [each for each in model.shapes.primitives if each.carrier is block]
    for place in (0, 0, 0.025 + 0.9 * R), (0.15 + 0.9 * R, 0, 0), (0, 0.1, -0.025 - 0.99 * R):
        model.add_sphere(radius=R, mass=1.0, position=place)
    model.add(CompliantPolygonSphere(faces, model.spheres, **LAW))
    assert WORDS not in ns.simulate(model, t_end=0.02, h=1e-3).status.message
