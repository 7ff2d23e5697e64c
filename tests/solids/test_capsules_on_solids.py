"""Set-valued contact of capsules with boxes and hulls: distances, rates, rest, edges, paths, refusals."""

from itertools import pairwise

import numpy as np
import pytest
from heap_checks import HeapChecks, no_load
from posed_pairs import hulls_distance
from round_scenes import CORNERS, FACES, KINDS, UP, G, RoundPair
from scipy.spatial.transform import Rotation
from solid_scenes import NAMES, SCHEMES, quaternion, run

import nsgalpha as ns
from elements import CapsuleCapsule, CapsuleSolid, Compliant, SolidPlane, SolidSolid, SpringDashpot
from elements.geometry.capsule_geometry import AXIS
from nsgalpha.model.contact_keys import key_parts

R = 0.1
TURN = Rotation.from_rotvec((0.4, -1.1, 0.7))
ALONG_X = Rotation.from_rotvec((0, 0.5 * np.pi, 0))


def yawed(angle):
    """A turn about z."""
    return Rotation.from_rotvec((0, 0, angle))


@KINDS
def test_the_least_gap_is_the_distance_and_rates_are_those_of_differences(kind):
    """Distances by least squares. An axis within a solid is deeper than its radius."""
    pair, rng, deciding, within = RoundPair("capsule", kind), np.random.default_rng(0), set(), 0
    for _ in range(500):
        pair.place(rng)
        gap = pair.candidates.gap
        apart = hulls_distance(pair.axis(), pair.vertices)
        if apart > 1e-9:
            assert gap.min() == pytest.approx(apart - pair.reach, abs=1e-12)
            deciding.add(int(gap.argmin()))
        else:
            within += 1
            assert gap.min() < -pair.reach + 1e-12
        pair.check_rates()
    assert within > 20
    assert deciding >= {0, 1} if kind == "prism" else deciding == set(range(len(gap)))


def test_edges_of_a_face_have_different_colours():
    for kind, colours in (("box", 5), ("hull", 3), ("prism", 8)):
        (element,) = RoundPair("capsule", kind).model.elements
        (solid,) = element.polytopes
        for face in range(len(solid.faces)):
            own = [edge[4] for edge in solid.edges if face in edge[2:4]]
            assert len(set(own)) == len(own) == len(solid.faces[face])
        assert 1 + max(edge[4] for edge in solid.edges) == colours
        assert element.geometry.features[2:] == tuple((AXIS, k) for k in range(colours))


def on_a_box(position, turn=None, *, length=1.0, frame=None, gravity=G, order=(0, 1), motion=None, **law):
    """A capsule, along x unless turned, over a fixed box: top z = 0, edges +-1."""
    frame, turn = frame or Rotation.identity(), turn or Rotation.identity()
    model = ns.Model(gravity=frame.apply((0, 0, -gravity)))
    rates = {name: frame.apply(value) for name, value in (motion or {}).items()}

    def box():
        place = {"position": frame.apply((0, 0, -0.2)), "rotation": quaternion(frame)}
        return model.add_box((2, 2, 0.4), fixed=True, **place)

    def rod():
        place = {"position": frame.apply(position), "rotation": quaternion(frame * turn * ALONG_X)}
        return model.add_capsule(R, length, mass=1.0, **place, **rates)

    bodies = {k: (box, rod)[k]() for k in order}
    capsule = next(each for each in model.primitives if each.carrier is bodies[1])
    model.add(CapsuleSolid(capsule, bodies[0], **law))
    return model, bodies[1]


RESTS = {
    "within the face": (1.0, 0.1, 0.3),
    "beyond both edges": (3.0, 0.2, 0.4),
    "beyond one edge": (1.5, 0.6, 0.2),
    "along the edges": (3.0, 0.2, 0.0),
    "nearly along them": (1.5, 0.6, 1e-5),
    "as long as the box": (2.0, 0.0, 0.0),
    "over two corners": (2.9, 0.0, 0.25 * np.pi),
}


@SCHEMES
@pytest.mark.parametrize("frame", [None, TURN], ids=["", "turned"])
@pytest.mark.parametrize("scene", RESTS)
def test_a_capsule_lies_on_a_box(scene, frame, scheme):
    """For 100 s, and for 5 s by Moreau's scheme; nothing flickers."""
    length, x, yaw = RESTS[scene]
    model, rod = on_a_box((x, 0, R), yawed(yaw), length=length, frame=frame, mu=0.3)
    t_end = 100.0 if scheme is None else 5.0
    result = run(model, t_end, 5e-3, scheme=scheme, recording=ns.Recording(every=100))
    assert np.abs(result.position[-1, rod] - result.position[0, rod]).max() < 1e-9
    assert np.abs(result.rotation[-1, rod] - result.rotation[0, rod]).max() < 2e-9
    counts = np.diff(result.contacts.start)[2:]
    assert np.ptp(counts) == 0


def test_a_capsule_beyond_an_edge_rests_on_an_end_and_a_crossing():
    """Forces of a beam on two supports: x = -0.15, 1 around its centre at 0.6."""
    model, rod = on_a_box((0.6, 0, R), length=1.5, mu=0.3)
    result = run(model, 0.1, 5e-3)
    last = result.contacts.at(-1)
    assert last.features[:, 1].tolist() == [0, AXIS]
    assert last.wrench[:, 2] == pytest.approx([G * 0.4 / 1.15, G * 0.75 / 1.15], rel=1e-10)
    model, rod = on_a_box((1.01, 0, R), length=1.5, mu=1.0)
    assert abs(run(model, 0.4, 5e-3).rotation[-1, rod, 2] - np.sqrt(0.5)) > 0.01  # it tips


@pytest.mark.parametrize("length", [1.0, 3.0], ids=["on its ends", "on crossings"])
@pytest.mark.parametrize("yaw", [0.0, 0.3])
def test_a_capsule_rolls_over_a_face_at_constant_speed(length, yaw):
    v, w = yawed(yaw).apply((0, 0.8, 0)), yawed(yaw).apply((-0.8 / R, 0, 0))
    motion = {"velocity": v, "angular_velocity": w}
    model, rod = on_a_box((0, -0.4, R), yawed(yaw), length=length, motion=motion, mu=0.3)
    result = run(model, 0.5, 5e-3)
    assert np.abs(result.velocity[:, rod] - v).max() < 1e-12
    assert np.abs(result.angular_velocity[:, rod] - w).max() < 2e-12
    assert np.abs(result.position[-1, rod] - result.position[0, rod] - 0.5 * v).max() < 1e-12


def errors_of(make, t_end, steps):
    """Largest differences of the last poses for steps that are halved."""
    ends = []
    for h in steps:
        model, rod = make()
        result = run(model, t_end, float(h), tol=1e-12)
        assert result.stats.penetration.max() < 1e-12
        ends.append(np.hstack([result.position[-1, rod], result.rotation[-1, rod]]))
    return np.array([np.abs(one - two).max() for one, two in pairwise(ends)]), result


SLOW = {"velocity": (0, 0.02, 0), "angular_velocity": (-0.02 / R, 0, 0)}
THROWN = {"velocity": (0, 0.3, 0)}
EDGES = {
    "rolls over it on its ends": (0.4, (0, 0.999, R), 0.0, {"motion": SLOW, "mu": 50.0}),
    "rolls over it on crossings": (0.4, (0, 0.999, R), 0.0, {"motion": SLOW, "mu": 50.0, "length": 3.0}),
    "slides over it askew": (0.5, (0, 0.9, R), 0.3, {"motion": THROWN}),
    "tips over it": (0.4, (1.05, 0, R), 0.0, {"mu": 1.0}),
    "slides off it askew": (0.3, (1.05, 0.1, R), 0.4, {}),
}


@pytest.mark.parametrize("scene", EDGES)
def test_a_capsule_at_an_edge_is_of_second_order(scene):
    t_end, place, yaw, others = EDGES[scene]
    errors, _ = errors_of(lambda: on_a_box(place, yawed(yaw), **others), t_end, 2e-3 * 0.5 ** np.arange(4))
    assert np.log2(errors[:-1] / errors[1:]).min() > 1.9


def test_a_crossing_is_one_contact_from_face_to_face():
    """It tilts from the top to the side of the box, also with located impacts."""
    motion = {"velocity": (0, 0, -0.06), "angular_velocity": (0, 3.0, 0)}

    def spun():
        return on_a_box((1.02, 0.05, R), yawed(0.2), length=2.0, motion=motion)

    errors, result = errors_of(spun, 0.28, 2e-3 * 0.5 ** np.arange(3))
    assert np.log2(errors[0] / errors[1]) > 1.8
    contacts = result.contacts
    last = contacts.at(-1).normal[0]
    assert last[0] > last[2] > 0.0  # it faces the side more
    assert len(np.unique(contacts.feature)) == 1
    model, rod = spun()
    located = run(model, 0.28, 5e-4, impacts="located")
    assert located.position[-1, rod] == pytest.approx(result.position[-1, rod], abs=1e-6)
    assert located.stats.penetration.max() < 1e-12


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.5, 0.5 * np.pi])
def test_a_capsule_balances_across_and_along_a_ridge(angle):
    """On the upper edge of a box; along it the ends carry."""
    model = ns.Model(gravity=(0, 0, -G))
    ridge = Rotation.from_rotvec((0, 0.25 * np.pi, 0))
    box = model.add_box((1, 2, 1), fixed=True, position=(0, 0, -np.sqrt(0.5)), rotation=quaternion(ridge))
    rod = model.add_capsule(R, 1.0, mass=1.0, position=(0, 0, R), rotation=quaternion(yawed(angle) * ALONG_X))
    model.add(CapsuleSolid(model.primitives[-1], box, mu=0.3))
    result = run(model, 0.1, 5e-3)
    assert np.abs(result.position[-1, rod] - (0, 0, R)).max() < 1e-14
    assert result.contacts.at(-1).features[:, 1].tolist() == ([AXIS] if angle < 1.55 else [0, 1])


def test_a_capsule_lies_in_the_groove_between_two_boxes():
    model, half = ns.Model(gravity=(0, 0, -G)), 0.06
    boxes = [model.add_box((1, 2, 0.4), fixed=True, position=(s * (0.5 + half), 0, -0.2)) for s in (-1, 1)]
    place = (0, 0, np.sqrt(R**2 - half**2) + 1e-12)
    turn = quaternion(Rotation.from_rotvec((0.5 * np.pi, 0, 0)))
    rod = model.add_capsule(R, 1.0, mass=1.0, position=place, rotation=turn)
    model.add(CapsuleSolid(model.primitives[-1], boxes, mu=0.3))
    result = run(model, 10.0, 5e-3)
    assert np.abs(result.position[-1, rod] - place).max() < 2e-12
    assert result.contacts.at(-1).features[:, 1].tolist() == [0, 1, 0, 1]
    assert result.contacts.at(-1).wrench[:, 2].sum() == pytest.approx(G, rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_an_elastic_impact_keeps_momentum_and_energy(seed):
    """A capsule and a free box at random rotations, without gravity and friction."""
    rng, h = np.random.default_rng(seed), 1e-3
    model = ns.Model()
    model.add_capsule(
        0.05, 0.4, mass=1.0, position=(0.02, 0.03, 0.5), rotation=rng.normal(size=4), velocity=(0, 0, -2.0)
    )
    model.add_box((0.4, 0.3, 0.2), mass=2.0, position=(0, 0, 0), rotation=rng.normal(size=4))
    model.add(CapsuleSolid(model.primitives[0], model.bodies[1], e_n=1.0))
    result = run(model, 0.3, h)
    momentum = (np.array([1.0, 2.0])[:, None] * result.velocity).sum(axis=1)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-13)
    strike = int(np.flatnonzero(np.abs(np.diff(result.velocity[:, 0, 2])) > 1e-6)[0]) + 1
    energy = result.energy()
    assert energy[strike] == pytest.approx(energy[0], rel=1e-12)


def test_a_deep_capsule_is_named():
    """Its axis crosses a thin box, and both ends are outside."""
    model = ns.Model()
    box = model.add_box((1, 1, 0.2), fixed=True, position=(0, 0, 0), name="crate")
    model.add_capsule(0.05, 1.0, mass=1.0, position=(0, 0, 0.2), name="rod")
    model.add(CapsuleSolid(model.primitives[-1], box))
    with pytest.raises(ValueError, match=r"'rod' and 'crate' overlap by 0\.45 m at the start"):
        ns.simulate(model, t_end=0.1, h=0.1)


def sticks(frame=None, load=False):
    """Capsules that fall on fixed, free and rounded solids, and on each other."""
    frame = frame or Rotation.identity()
    model, rng = ns.Model(gravity=frame.apply((0, 0, -G))), np.random.default_rng(4)

    def placed(position, turn=None):
        return {"position": frame.apply(position), "rotation": quaternion(frame * (turn or yawed(0.0)))}

    table = model.add_box((1, 1, 0.1), fixed=True, **placed((0, 0, -0.05)))
    brick = model.add_box((0.4, 0.3, 0.1), mass=1.0, **placed((0, 0, 0.05)))
    rock = model.add_body(mass=1.0, inertia=0.01, **placed((0.32, 0.1, 0.12)))
    model.add_mesh(0.1 * CORNERS, FACES, carrier=rock, radius=0.02)
    first = len(model.primitives)
    for k in range(6):
        place = (0.18 * (k % 3) - 0.2, 0.15 * (k // 3) - 0.1, 0.4 + 0.13 * k)
        motion = {"velocity": frame.apply(0.5 * rng.normal(size=3))}
        model.add_capsule(0.03, 0.3, mass=0.5, **placed(place, Rotation.random(None, rng)), **motion)
    law = {"mu": 0.3, "e_n": 0.3}
    model.add(SolidSolid(between=([table], [brick]), mu=0.5))
    model.add(SolidPlane(rock, model.add_plane(normal=frame.apply(UP)), mu=0.5))
    model.add(CapsuleSolid(model.primitives[first:], [table, brick, rock], **law))
    model.add(CapsuleCapsule(among=model.primitives[first:], **law))
    if load:
        no_load(model)
    return model


class TestSticks(HeapChecks):
    scene, t_end, features = staticmethod(sticks), 0.6, 10


def test_the_order_of_bodies_does_not_matter():
    motion, paths = {"velocity": (0.3, 0.2, 0), "angular_velocity": (0, 1.0, 0.5)}, []
    for order in ((0, 1), (1, 0)):
        model, rod = on_a_box((0.8, 0.2, R + 0.1), yawed(0.4), motion=motion, order=order, mu=0.3, e_n=0.5)
        result = run(model, 0.4, 1e-3)
        paths.append(np.hstack([getattr(result, name)[:, rod] for name in NAMES]))
        keys = key_parts(np.unique(result.contacts.feature))
        assert AXIS in keys[1]
    assert paths[0] == pytest.approx(paths[1], abs=1e-12)


@pytest.mark.parametrize("settings", [{"impacts": "located"}, {"accuracy": 1e-6}])
def test_located_impacts_and_accuracy(settings):
    """A capsule falls on an edge, its centre b beyond it: the impulse is (1 + e) m v/(1 + m b^2/J)."""
    e, drop, b = 0.5, 0.2, 0.25
    model, rod = on_a_box((1.0 + b, 0, R + drop), e_n=e)
    speed = np.sqrt(2.0 * G * drop)
    inertia = model.bodies[rod].inertia[0, 0]
    impulse = (1.0 + e) * speed / (1.0 + b**2 / inertia)
    result = run(model, 0.21, 5e-3, **settings)
    strike = int(np.flatnonzero(np.abs(np.diff(result.angular_velocity[:, rod, 1])) > 0.1)[0]) + 1
    late = result.t[strike] - speed / G
    assert abs(late) < 1e-2
    wanted = impulse - speed - G * late
    assert result.velocity[strike, rod] == pytest.approx([0, 0, wanted], abs=1e-6)
    assert result.angular_velocity[strike, rod] == pytest.approx([0, impulse * b / inertia, 0], abs=1e-6)


def test_what_is_refused():
    model = ns.Model()
    model.add_capsule(R, 1.0, mass=1.0, position=(0, 0, 3), name="rod")
    (rod,) = model.primitives
    box = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0), name="crate")
    face = model.primitives[1]
    for capsules, solids, words in (
        (face, box, "must be a capsule of a rigid body"),
        ([rod, rod], box, "capsules"),
        (rod, rod, "must be a face of a solid that a rigid body carries"),
        (rod, model.bodies[0], "must be a body with the faces of a solid"),
        (rod, [face], "must be one of a closed surface"),
        (rod, [box, box], "is given twice"),
    ):
        with pytest.raises(ValueError, match=words):
            CapsuleSolid(capsules, solids)
    with pytest.raises(ValueError, match=r"CompliantSolids\(\.\.\.\)"):
        Compliant(CapsuleSolid(rod, box), normal=SpringDashpot(stiffness=1.0))
    model.add(CapsuleSolid(rod, box))
    points = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)]
    other = model.add_solid(points, hull=True, mass=1.0, position=(9, 0, 0))
    model.add(CapsuleSolid([rod], [box, other]))
    with pytest.raises(ValueError, match="a pair of two elements"):
        ns.simulate(model, t_end=0.1, h=0.1)
