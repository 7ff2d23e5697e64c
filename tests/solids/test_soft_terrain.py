"""Soft contact of balls and capsules with open meshes: heights, inner edges, sides, refusals."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from solid_scenes import G, quaternion, run

import nsgalpha as ns
from elements import CompliantContact, HaffWerner, SpringDashpot

K, R, M = 1e5, 0.05, 0.5
SPRING = {"normal": SpringDashpot(stiffness=K)}
DAMPED = {"normal": SpringDashpot(stiffness=K, damping=200.0)}
FRICTION = {**SPRING, "tangential": HaffWerner(damping=5.0, mu=0.5)}
UP = (0, 0, 1)
LYING = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)


def terrain(heights, frame=None, spacing=0.1):
    """A model with a fixed height field around the origin, and its ground."""
    frame = frame or Rotation.identity()
    model = ns.Model(gravity=frame.apply((0, 0, -G)))
    ground = model.add_body(fixed=True, position=(0, 0, 0), rotation=quaternion(frame), name="ground")
    middle = -0.5 * spacing * (np.array(np.shape(heights)) - 1)
    model.add_mesh(*ns.height_field(heights, spacing, origin=(*middle, 0)), carrier=ground)
    return model, ground


@pytest.mark.parametrize("turn", [(0, 0, 0), (0.4, -1.1, 0.7)])
def test_a_ball_in_a_trough_rests_on_both_sides(turn):
    """Two planes of 45 degrees: m g = 2 k d cos 45, at the height (r - d)/cos 45."""
    frame = Rotation.from_rotvec(turn)
    model, ground = terrain(0.1 * np.abs(np.arange(9)[:, None] - 4) * np.ones(9), frame)
    ball = model.add_sphere(radius=R, mass=M, position=frame.apply((0, 0.013, np.sqrt(2) * R)))
    model.add(CompliantContact(among=[ground, ball], **DAMPED))
    result = run(model, 0.5, 1e-3)
    rest = np.sqrt(2) * (R - M * G / (np.sqrt(2) * K))
    assert frame.inv().apply(result.position[-1, ball]) == pytest.approx([0, 0.013, rest], abs=1e-9)


def rolling(flat, place):
    """The run of a ball that rolls over a flat mesh, or a plane."""
    model, ground = terrain(np.zeros((9, 9)))
    floor = ground if flat else model.add_plane(normal=UP)
    velocity, height = np.array((0.6, 0.37, 0)), R - M * G / K
    spin = np.cross(UP, velocity) / height
    ball = model.add_sphere(
        radius=R, mass=M, position=(*place, height), velocity=velocity, angular_velocity=spin
    )
    model.add(CompliantContact(among=[floor, ball], **FRICTION))
    return run(model, 0.5, 1e-3)


@pytest.mark.parametrize("place", [(-0.15, -0.1), (-0.137, -0.011)])
def test_a_ball_rolls_over_inner_edges_as_over_a_plane(place):
    mesh, plane = (rolling(flat, place) for flat in (True, False))
    assert mesh.position[-1, 1, 0] - place[0] > 0.25
    assert np.abs(mesh.position[:, 1] - plane.position[:, 1]).max() < 1e-9
    assert np.abs(mesh.position[:, 1, 2] - (R - M * G / K)).max() < 1e-12


def test_a_capsule_rests_as_on_a_plane():
    found = []
    for flat in (True, False):
        model, ground = terrain(np.zeros((9, 9)))
        floor = ground if flat else model.add_plane(normal=UP)
        rod = model.add_capsule(R, 0.2, mass=M, position=(0.013, 0.021, R), rotation=LYING)
        contact = model.add(CompliantContact(among=[floor, rod], **DAMPED))
        found.append(run(model, 0.5, 1e-3).position[-1, rod])
        assert len(contact.parts) == 1
    assert found[0][:2] == pytest.approx((0.013, 0.021), abs=1e-9)
    assert R - M * G / K < found[0][2] < R
    assert R - M * G / K < found[1][2] < R


def test_a_mesh_has_one_side_and_balls_off_the_centre_meet_it():
    model, ground = terrain(np.zeros((5, 5)))
    below = model.add_sphere(radius=R, mass=M, position=(0, 0, -0.02), gravity=0)
    grain = model.add_clump([(-0.03, 0, 0, R), (0.03, 0, 0, R)], mass=M, position=(0.1, 0.1, R))
    model.add(CompliantContact(among=[ground, below, grain], **DAMPED))
    result = run(model, 0.3, 1e-3)
    assert np.array_equal(result.position[-1, below], (0, 0, -0.02))
    assert result.position[-1, grain, 2] == pytest.approx(R - 0.5 * M * G / K, abs=1e-9)


def test_all_balls_on_the_mesh_and_on_each_other_by_material():
    model, ground = terrain(np.zeros((5, 5)))
    low, high = (model.add_sphere(radius=R, mass=M, position=(0, 0, R + 2 * R * k)) for k in range(2))
    laws = {("rock", "ball"): DAMPED, ("ball", "ball"): DAMPED}
    model.add(CompliantContact(among={"rock": [ground], "ball": [low, high]}, materials=laws))
    result = run(model, 0.5, 1e-3)
    assert result.position[-1, low, 2] == pytest.approx(R - 2 * M * G / K, abs=1e-9)
    assert result.position[-1, high, 2] == pytest.approx(3 * R - 3 * M * G / K, abs=1e-9)


def test_meshes_on_each_other_are_refused():
    model, ground = terrain(np.zeros((5, 5)))
    sheet = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 1), name="sheet")
    model.add_mesh(*ns.height_field(np.zeros((2, 2)), 0.1), carrier=sheet)
    with pytest.raises(ValueError, match="polygons, polygons: 'ground' and 'sheet' have such shapes"):
        CompliantContact(among=[ground, sheet], **SPRING)
