"""Overlaps at the start: errors with depth and pair, and `separate`."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from solid_scenes import G

import elements as e
import nsgalpha as ns
from nsgalpha.system.system import System


def pair(make, apart, masses=(1.0, 3.0)):
    """Two solids of `make(model, mass, position)` whose centres are `apart` along x."""
    model = ns.Model()
    a = make(model, masses[0], (0, 0, 0))
    b = make(model, masses[1], (apart, 0, 0))
    model.add(e.Contact(among=[a, b]))
    return model


MAKERS = {
    "balls": lambda model, m, x: model.add_sphere(radius=0.1, mass=m, position=x),
    "boxes": lambda model, m, x: model.add_box((0.2, 0.3, 0.4), mass=m, position=x),
    "cans": lambda model, m, x: model.add_cylinder(0.1, 0.3, mass=m, position=x),
    "capsules": lambda model, m, x: model.add_capsule(0.1, 0.3, mass=m, position=x),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("depth", [1e-3, 0.05])
def test_two_bodies_part_by_their_masses(kind, depth):
    model = pair(MAKERS[kind], 0.2 - depth)
    with pytest.raises(ValueError, match=r"overlap by .* m at the start: .*or give separate=True"):
        ns.simulate(model, t_end=0.1, h=1e-2)
    found = ns.separate(model)
    x = found.state.position - model.initial_state().position
    assert x[:, 0] == pytest.approx([-0.75 * depth, 0.25 * depth], abs=1e-9)
    assert np.abs(x[:, 1:]).max() < 1e-9
    assert found.moved == pytest.approx([0.75 * depth, 0.25 * depth], abs=1e-9)
    assert found.turned.max() < 1e-8
    result = ns.simulate(model, t_end=0.1, h=1e-2, separate=True)
    assert result.status.ok
    assert "separated: bodies moved by up to" in str(result.status)
    assert np.abs(result.velocity).max() < 1e-12  # nothing is gained


def test_a_pile_that_was_placed_carelessly():
    """Boxes turned at random in a crowd: the heap falls as any other."""
    rng = np.random.default_rng(3)
    model = ns.Model(gravity=(0, 0, -G))
    floor = model.add_plane(normal=(0, 0, 1))
    wall = model.add_box((0.1, 2, 2), position=(-0.3, 0, 0), fixed=True)
    for k in range(18):
        q = rng.normal(size=4)
        place = 0.095 * np.array([k % 3, k // 3 % 3, k // 9]) + (0, 0, 0.06)
        model.add_box((0.1, 0.08, 0.06), mass=1.0, position=place, rotation=q / np.linalg.norm(q))
    model.add(e.Contact(among=[floor, *model.bodies], mu=0.3))
    found = ns.separate(model)
    assert found.moved[wall.index] == 0.0
    assert found.moved.max() < 0.1
    result = ns.simulate(model, t_end=0.05, h=1e-3, state=found.state)
    assert result.status.ok, result.status
    assert result.stats.penetration.max() < 1e-9
    assert ns.separate(model, found.state).text == ""


def test_what_does_not_overlap_stays_to_the_bit():
    model = pair(MAKERS["boxes"], 0.2 - 1e-3)
    far = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 5 + 1 / 3), velocity=(1, 2, 3))
    found = ns.separate(model)
    assert (found.state.position[far] == (0, 0, 5 + 1 / 3)).all()
    assert (found.state.velocity[far] == (1, 2, 3)).all()
    apart = pair(MAKERS["boxes"], 0.2 + 1e-3)
    assert ns.separate(apart).text == ""
    assert "separated" not in str(ns.simulate(apart, t_end=0.1, h=1e-2, separate=True).status)


def test_joints_hold_and_soft_overlaps_stay():
    """A pendulum swings out of a wall; a soft ball keeps its overlap."""
    model = ns.Model()
    pivot = model.add_body(fixed=True, position=(0, 0, 0))
    bob = model.add_sphere(radius=0.1, mass=1.0, position=(0.0, 0, -1.0))
    model.add(e.Revolute(pivot, bob, point=(0, 0, 0), axis=(0, 1, 0)))
    wall = model.add_plane(normal=(-1, 0, 0), offset=-0.05)
    model.add(e.SpherePlane(bob, wall))
    soft = model.add_sphere(radius=0.1, mass=1.0, position=(-0.06, 3.0, 0))
    law = e.SpringDashpot(stiffness=1e3)
    model.add(e.CompliantSpherePlane(soft, wall, normal=law))
    found = ns.separate(model)
    x = found.state.position[bob]
    assert np.linalg.norm(x) == pytest.approx(1.0, abs=1e-9)
    assert x[0] == pytest.approx(-0.05, abs=1e-6)  # the admitted overlap
    assert (found.state.position[soft] == (-0.06, 3.0, 0)).all()


def test_no_room_is_an_error_by_pair_and_depth():
    """A ball between two walls that are nearer than its diameter."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), name="ball")
    walls = [model.add_plane(normal=(s, 0, 0), offset=-0.08) for s in (1, -1)]
    model.add(e.SpherePlane(ball, walls))
    with pytest.raises(
        ValueError, match=r"separate: no pose .*'ball' and 'plane \d' overlap by 0\.02 m; move"
    ):
        ns.separate(model)


def separation(sizes, place, turn):
    """Largest separation over fifteen axes: minus the depth of boxes that overlap."""
    axes = np.array([np.eye(3), turn.as_matrix().T])
    tried = [*axes[0], *axes[1], *(np.cross(a, b) for a in axes[0] for b in axes[1])]
    tried = [n / np.linalg.norm(n) for n in tried if np.linalg.norm(n) > 1e-9]
    half = 0.5 * np.array(sizes)
    return max(abs(n @ place) - half[0] @ abs(axes[0] @ n) - half[1] @ abs(axes[1] @ n) for n in tried)


@pytest.mark.parametrize("rounding", [0.0, 0.02])
def test_deep_overlaps_are_seen_as_deep(rounding):
    """Boxes anywhere within each other: half of the depth of their axes at least."""
    rng = np.random.default_rng(5)
    deep = 0
    for _ in range(150):
        turn, place = Rotation.random(rng=rng), rng.uniform(-0.12, 0.12, 3)
        sizes = rng.uniform(0.1, 0.25, (2, 3))
        depth = 2.0 * rounding - separation(sizes, place, turn)
        if depth < 2.1 * rounding + 1e-3:
            continue
        model = ns.Model()
        a = model.add_box(sizes[0], mass=1.0, radius=rounding, position=(0, 0, 0))
        x, y, z, w = turn.as_quat()
        b = model.add_box(sizes[1], mass=1.0, radius=rounding, position=place, rotation=(w, x, y, z))
        model.add(e.Contact(among=[a, b]))
        system = System(model)
        motion = system.motion(model.initial_state())
        pairs = system.candidates(motion.x, 0.0, motion.q)
        system.select(motion, pairs)
        system.measure(motion, pairs)
        assert pairs.gap.min() <= -0.5 * depth, (depth, pairs.gap.min())
        deep += 1
    assert deep > 80
