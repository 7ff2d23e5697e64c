"""Lists of near shapes: boxes that turn with bodies, and when a list ends."""

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CapsuleCapsule, CapsulePlane, SolidPlane, SolidSolid, SpherePolygon
from nsgalpha.geometry.turned_boxes import boxes_around, near_turned_boxes
from nsgalpha.model.contact_keys import key_parts
from nsgalpha.stepping.step_constants import Listing
from nsgalpha.stepping.step_motion import outdated
from nsgalpha.system import step_candidates
from nsgalpha.system.system import System
from tests.solids.solid_scenes import BOX, quaternion, random_turn

PLANK = (1.0, 0.05, 0.05)


def distance(one, two):
    """Of the hulls of two sets of points."""
    rows = np.vstack([np.hstack([one.T, -two.T]), np.zeros((2, len(one) + len(two)))])
    rows[3, : len(one)] = rows[4, len(one) :] = 1e4
    return nnls(rows, np.array([0.0, 0.0, 0.0, 1e4, 1e4]))[1]


def shapes(kind, count, rng):
    """Corners of random shapes, off the centres of their bodies."""
    if kind == "boxes":
        corners = [BOX * rng.uniform(0.02, 0.3, 3) for _ in range(count)]
    else:
        corners = [rng.normal(scale=0.2, size=({"rods": 2, "hulls": 9}[kind], 3)) for _ in range(count)]
    return [each @ random_turn(rng).as_matrix() + rng.normal(scale=0.1, size=3) for each in corners]


@pytest.mark.parametrize("kinds", [("boxes", "boxes"), ("boxes", "rods"), ("hulls", "rods"), ("hulls",)])
def test_all_pairs_with_a_gap_up_to_the_reach_are_listed(kinds):
    rng = np.random.default_rng(len(kinds[0]) + len(kinds[-1]))
    count, reach, bodies, sides = 25, 0.1, 0, []
    for kind in kinds:
        radius = rng.uniform(0.0, 0.05, count)
        sides.append((np.arange(bodies, bodies + count), shapes(kind, count, rng), radius))
        bodies += count
    x, turns = rng.uniform(0, 1.2, (bodies, 3)), Rotation.random(bodies, rng)
    q = turns.as_quat()[:, [3, 0, 1, 2]]
    boxes = [boxes_around(*side) for side in sides]
    a, b = near_turned_boxes(boxes[0], boxes[-1], x, q, reach)
    listed = set(zip(a.tolist(), b.tolist(), strict=True))
    placed = [
        [x[k] + points @ turns[k].as_matrix().T for k, points in zip(body, corners, strict=True)]
        for body, corners, _ in sides
    ]
    near, all_pairs = set(), 0
    for i in range(count):
        for j in range(i + 1 if len(kinds) == 1 else 0, count):
            all_pairs += 1
            gap = distance(placed[0][i], placed[-1][j]) - sides[0][2][i] - sides[-1][2][j]
            if gap < reach - 1e-9:
                near.add((i, j))
    assert near
    assert near <= listed
    assert len(listed) < min(3 * len(near), all_pairs)


def test_a_box_around_a_box_is_that_box():
    rng = np.random.default_rng(1)
    size = np.array([3.0, 2.0, 1.0])
    turn = random_turn(rng).as_matrix()
    boxes = boxes_around(np.zeros(1, np.int64), [(BOX * size) @ turn.T + 5.0], np.zeros(1))
    assert np.sort(boxes.half[0]) == pytest.approx([1.0, 2.0, 3.0], abs=1e-12)
    assert boxes.middle[0] == pytest.approx([5.0, 5.0, 5.0], abs=1e-12)
    assert boxes.axes[0] @ boxes.axes[0].T == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize("angle", [1e-9, 0.3, 3.0, 3.5])
def test_a_list_holds_until_a_point_has_moved_by_half_the_reach(angle):
    rng = np.random.default_rng(2)
    model = ns.Model()
    body = model.add_body(mass=1.0, inertia=1.0, position=(1, 2, 3), rotation=quaternion(random_turn(rng)))
    motion = System(model).motion(model.initial_state())
    x, q, lever = motion.x.copy(), motion.q.copy(), np.full(len(motion.x), 0.7)
    turn = Rotation.from_rotvec(angle * np.array([0.0, 0.6, 0.8]))
    motion.q[body] = -quaternion(turn * Rotation.from_quat(q[body][[1, 2, 3, 0]]))  # -q is the same rotation
    motion.x[body, 0] += 0.1
    none = np.empty((0, 3))
    moved = 0.1 + np.linalg.norm(turn.apply([0.7, 0, 0]) - [0.7, 0, 0])
    assert not outdated(motion, Listing(x, q, lever, 2.0 * moved * (1.0 + 1e-9) + 1e-14, none))
    assert outdated(motion, Listing(x, q, lever, 2.0 * moved * (1.0 - 1e-9) - 1e-14, none))
    assert not outdated(motion, Listing(x, q, 0.0 * lever, 0.2 + 1e-12, none))
    motion.q[body] = np.nan
    assert outdated(motion, Listing(x, q, lever, 2.0 * moved, none))


def deepest(result):
    """Largest overlap of all pairs of a run, over the length of the contact."""
    system, depth = System(result.model), 0.0
    for record in range(len(result.t)):
        motion = system.motion(result.state(record))
        pairs = system.candidates(motion.x, np.inf, motion.q)
        system.select(motion, pairs)
        system.measure(motion, pairs)
        depth = max(depth, float((-pairs.gap / pairs.length).max()))
    return depth


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(), ns.MoreauJean()], ids=["alpha", "Moreau-Jean"])
def test_a_plank_that_turns_into_another_is_seen(monkeypatch, scheme):
    """Its centre stays where it is, and the list has no pair at first."""
    monkeypatch.setattr(step_candidates, "reach_of", lambda *given: 1e-3)
    model = ns.Model()
    plank = model.add_box(PLANK, mass=1.0, position=(0, 0, 0), angular_velocity=(0, 0, 3.0))
    model.add_box(PLANK, mass=1.0, position=(0.2, 0.45, 0))
    element = model.add(SolidSolid(among=model.bodies, e_n=0.5))
    system = System(model)
    motion = system.motion(model.initial_state())
    assert len(system.near(element, motion.x, 1e-3, motion.q)[0]) == 0
    result = ns.simulate(model, t_end=0.5, h=1e-3, scheme=scheme)
    assert result.status.ok
    assert deepest(result) < (1e-9 if isinstance(scheme, ns.GeneralizedAlpha) else 0.2)
    assert result.angular_velocity[-1, plank, 2] < 2.5
    assert result.stats.contacts.max() > 0


def test_planks_that_spin_fast_lack_no_contact(monkeypatch):
    """A small reach, so that each list holds for a step or two."""
    rng = np.random.default_rng(3)
    monkeypatch.setattr(step_candidates, "reach_of", lambda *given: 5e-3)
    model = ns.Model()
    for place in np.indices((3, 3, 2)).reshape(3, -1).T:
        model.add_box(
            (0.4, 0.02, 0.02),
            mass=1.0,
            position=(place - (1, 1, 0.5)) * (0.25, 0.25, 0.3),
            rotation=quaternion(random_turn(rng)),
            velocity=-2.0 * (place - (1, 1, 0.5)),
            angular_velocity=20.0 * rng.normal(size=3),
        )
    model.add(SolidSolid(among=model.bodies))
    result = ns.simulate(model, t_end=0.1, h=2e-4)
    assert result.status.ok, result.status
    assert result.stats.contacts.max() > 0
    assert deepest(result) < 1e-9


def test_crossed_planks_far_from_each_other_are_not_listed():
    """Each of twenty planks side by side has two neighbours."""
    model = ns.Model()
    for k in range(20):
        model.add_box(PLANK, mass=1.0, position=(0, 0.06 * k, 0), rotation=(1, 0, 0, 0))
    element = model.add(SolidSolid(among=model.bodies))
    system = System(model)
    motion = system.motion(model.initial_state())
    assert len(system.near(element, motion.x, 0.02, motion.q)[0]) == 19
    assert len(system.near(element, motion.x, 0.01)[0]) == 184  # however they turn


def test_a_floor_of_triangles_lists_those_below_a_ball():
    model = ns.Model()
    floor = model.add_body(position=(0, 0, 0), fixed=True)
    corners = [(i, j) for i in range(20) for j in range(20)]
    triangles = [[(i, j, 0), (i + 1, j, 0), (i + 1, j + 1, 0)] for i, j in corners]
    triangles += [[(i, j, 0), (i + 1, j + 1, 0), (i, j + 1, 0)] for i, j in corners]
    faces = [model.add_primitive(each, carrier=floor) for each in triangles]
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(7.6, 8.3, 0.1))
    element = model.add(SpherePolygon(ball, faces))
    system = System(model)
    motion = system.motion(model.initial_state())
    a, _, _, key = system.near(element, motion.x, 0.02, motion.q)
    below = 20 * 7 + 8  # the number of both triangles of a square
    assert {*a.tolist()} == {ball.index}
    assert {*key_parts(key)[2].tolist()} == {below, 400 + below}
    assert len(system.near(element, motion.x, np.inf, motion.q)[0]) == 800


def test_points_far_above_a_plane_are_left_out():
    model = ns.Model()
    box = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0.51))
    rod = model.add_body(
        mass=1.0, inertia=1.0, position=(3, 0, 1), rotation=(np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    )
    capsule = model.add_primitive([(-0.5, 0, 0), (0.5, 0, 0)], radius=0.1, carrier=rod)
    floor, lift = (
        model.add_plane(normal=(0, 0, 1)),
        model.add_plane(normal=(0, 0, -1), offset=-9.0, motion=lambda t: (np.zeros(3), np.zeros(3))),
    )
    boxes = model.add(SolidPlane(box, [floor, lift], mu=0.3))
    rods = model.add(CapsulePlane(capsule, [floor, lift]))
    system = System(model)
    motion = system.motion(model.initial_state())
    assert np.bincount(system.near(boxes, motion.x, 0.02, motion.q)[2]).tolist() == [4, 8]
    assert np.bincount(system.near(boxes, motion.x, 0.02)[2]).tolist() == [8, 8]
    assert np.bincount(system.near(rods, motion.x, 0.41, motion.q)[2]).tolist() == [1, 1]
    assert system.near(rods, motion.x, 0.39, motion.q)[2].tolist() == [lift.index]


def test_a_long_box_that_tips_onto_a_plane_has_all_its_vertices():
    """Most of them are not listed at first; forty more boxes make the reach finite."""
    model = ns.Model(gravity=(0, 0, -9.81))
    for k in range(41):
        model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0, 2 + 0.2 * k, 0.05))
    plank = model.add_box(
        (1.0, 0.1, 0.05),
        mass=1.0,
        position=(0, 0, 0.52),
        rotation=quaternion(Rotation.from_euler("y", 80, degrees=True)),
    )
    model.add(SolidPlane(model.bodies, model.add_plane(normal=(0, 0, 1)), mu=0.5))
    result = ns.simulate(model, t_end=1.0, h=2e-3, record_every=10)
    assert result.status.ok
    assert deepest(result) < 1e-9
    assert result.position[-1, plank, 2] == pytest.approx(0.025, abs=1e-9)


def test_the_reach_of_capsules_follows_points_not_centres(monkeypatch):
    """A rod that turns: the list is made for the speed of its ends."""
    seen = []
    monkeypatch.setattr(step_candidates, "reach_of", lambda speed, *given: seen.append(speed.max()) or 1e-2)
    model = ns.Model()
    spin = np.eye(3)[2] * 4.0
    bodies = [
        model.add_body(mass=1.0, inertia=1.0, position=(3 * k, 0, 0), angular_velocity=k * spin)
        for k in range(2)
    ]
    rods = [model.add_primitive([(-1, 0, 0), (1, 0, 0)], radius=0.1, carrier=body) for body in bodies]
    model.add(CapsuleCapsule(among=rods))
    ns.simulate(model, t_end=1e-3, h=1e-3)
    assert seen[0] == pytest.approx(4.0 * 1.1)
