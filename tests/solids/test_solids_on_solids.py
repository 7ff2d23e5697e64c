"""Set-valued contact of convex solids with each other: gaps and rates, symmetry, stacks, order, files."""

from itertools import pairwise

import numpy as np
import pytest
from heap_checks import HeapChecks, no_load
from posed_pairs import PosedPair, corners_of_body, exchanged_rows, hulls_distance
from scipy.spatial.transform import Rotation
from solid_scenes import SCHEMES, run

import nsgalpha as ns
from elements import SolidPlane, SolidSolid
from nsgalpha.model.contact_keys import key_parts
from nsgalpha.system.system import System

G = 9.81
UP = (0, 0, 1)
SIZES = np.array([(0.4, 0.3, 0.2), (0.3, 0.5, 0.25)])


def about_z(angle):
    """Quaternion of a rotation about z."""
    return np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle)


class Pair(PosedPair):
    """Two solids at any poses, boxes or hulls of 12 points, with their candidates."""

    def __init__(self, kind, order=(0, 1)):
        model, rng = ns.Model(), np.random.default_rng(3)
        for k in range(2):
            points = 0.3 * rng.normal(size=(12, 3))
            if kind == "boxes":
                model.add_box(SIZES[k], mass=1.0, position=(k, 0, 0))
            else:
                model.add_solid(points, hull=True, mass=1.0, position=(k, 0, 0))
        model.add(SolidSolid(between=[[model.bodies[k]] for k in order]))
        super().__init__(model, 0.25)
        self.vertices = [corners_of_body(model, k) for k in range(2)]

    def overlap(self):
        """True if the solids have a point in common."""
        return hulls_distance(*(self.seen(k, self.vertices[k]) for k in range(2))) == 0.0


KINDS = pytest.mark.parametrize("kind", ["boxes", "hulls"])


@KINDS
def test_rates_of_all_gaps_are_those_of_differences(kind):
    pair, rng, found = Pair(kind), np.random.default_rng(0), set()
    pairs = 0
    for _ in range(3000):
        rows = pair.place(rng)
        if not len(rows):
            continue
        pairs += 1
        pair.check_rates(rows, eps=1e-5, apart=0.0)
        vertices = len(pair.vertices[0]), len(pair.vertices[1])
        _, i, _, j = key_parts(pair.candidates.feature[rows])
        found |= {(bool(a), bool(b)) for a, b in zip(i < vertices[0], j < vertices[1], strict=True)}
    assert pairs > 600
    assert found == {(True, False), (False, True), (False, False)}


@KINDS
def test_solids_overlap_where_a_gap_is_negative(kind):
    """Their difference has the origin within."""
    pair, rng = Pair(kind), np.random.default_rng(1)
    overlapping = 0
    for _ in range(600):
        rows = pair.place(rng)
        overlap = pair.overlap()
        overlapping += overlap
        assert overlap == (pair.candidates.gap[rows].min(initial=np.inf) < 0.0)
    assert 100 < overlapping < 590


@KINDS
def test_sides_may_be_exchanged(kind):
    one, two = Pair(kind), Pair(kind, (1, 0))
    rng, pairs = np.random.default_rng(2), 0
    for _ in range(1000):
        rows = one.place(rng)
        others = two.place_as(one)
        assert len(rows) == len(others)
        if not len(rows):
            continue
        pairs += 1
        a, b = one.candidates, two.candidates
        others = exchanged_rows(one, rows, two, others)
        assert a.gap[rows] == pytest.approx(b.gap[others], abs=1e-13)
        assert a.normal[rows] == pytest.approx(-b.normal[others], abs=1e-12)
        assert a.lever[rows] == pytest.approx(b.lever[others][:, ::-1], abs=1e-9)
    assert pairs > 200


def stack(turn=0.0, shift=0.0, frame=None, count=10):
    """Boxes on each other on a plane, each turned or shifted against the last."""
    frame = frame or Rotation.identity()
    model = ns.Model(gravity=frame.apply((0, 0, -G)))
    for k in range(count):
        rotation = np.roll((frame * Rotation.from_rotvec((0, 0, turn * k))).as_quat(), 1)
        place = frame.apply((shift * (-1) ** k, 0, 0.1 * (k + 0.5)))
        model.add_box((0.3, 0.2, 0.1), mass=1.0, position=place, rotation=rotation)
    model.add(SolidPlane(model.bodies[0], model.add_plane(normal=frame.apply(UP)), mu=0.5))
    model.add(SolidSolid(among=model.bodies, mu=0.5))
    return model


@SCHEMES
@pytest.mark.parametrize(
    "scene", [{}, {"turn": 0.1}, {"turn": 0.7}, {"shift": 0.03}, {"frame": Rotation.from_rotvec((1, 2, 0.5))}]
)
def test_a_stack_of_ten_boxes_stands(scene, scheme):
    result = run(stack(**scene), 1.0, 5e-3, scheme=scheme)
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-11
    assert np.abs(result.rotation[-1] - result.rotation[0]).max() < 1e-11


def wall(gap, rows, longest=5):
    """A wall of bricks in rows that are shifted by half a brick."""
    model, (length, depth, height) = ns.Model(gravity=(0, 0, -G)), (0.2, 0.1, 0.06)
    for j in range(rows):
        count = longest - j % 2
        for i in range(count):
            place = (length * (i - 0.5 * (count - 1)), 0, height * (j + 0.5))
            model.add_box((length - gap, depth, height), mass=2.4, position=place)
    model.add(SolidPlane(model.bodies[:longest], model.add_plane(normal=UP), mu=0.5))
    model.add(SolidSolid(among=model.bodies, mu=0.5))
    return model


@pytest.mark.parametrize("gap", [1e-3, 0.0])
@pytest.mark.parametrize("rows", [4, 6])
def test_a_wall_of_bricks_stands(rows, gap):
    """Bricks of a row are apart, or touch. Forces that hold each other neither move nor turn them."""
    result = run(wall(gap, rows), 1.0, 5e-3)
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-11
    assert np.abs(result.rotation[-1] - result.rotation[0]).max() < 1e-11
    assert result.stats.velocity_iterations[5:].max() == 1


def test_a_box_slides_down_another_one():
    """x = g (sin - mu cos) t^2/2 on the face of a fixed box, without a turn."""
    slope, mu = Rotation.from_rotvec((0, np.radians(30.0), 0)), 0.5
    model = ns.Model(gravity=(0, 0, -G))
    low = model.add_box(
        (4, 1, 0.2), fixed=True, position=slope.apply((0, 0, -0.1)), rotation=np.roll(slope.as_quat(), 1)
    )
    turn = slope * Rotation.from_rotvec((0, 0, 0.4))
    start = slope.apply((-0.5, 0, 0.05))
    box = model.add_box((0.4, 0.2, 0.1), mass=1.0, position=start, rotation=np.roll(turn.as_quat(), 1))
    model.add(SolidSolid(among=[low, box], mu=mu))
    result = run(model, 0.5, 1e-3)
    way = 0.5 * G * (np.sin(np.radians(30.0)) - mu * np.cos(np.radians(30.0))) * 0.25
    assert slope.inv().apply(result.position[-1, box] - start) == pytest.approx([way, 0, 0], abs=1e-12)
    assert np.abs(result.rotation[-1, box] - result.rotation[0, box]).max() < 1e-11


def test_a_box_that_tips_over_a_ledge_is_of_second_order():
    """It turns about the edge, and contacts of its corners end."""
    ends, h = [], 4e-3 * 0.5 ** np.arange(4)
    for each in h:
        model = ns.Model(gravity=(0, 0, -G))
        low = model.add_box((1, 1, 0.2), fixed=True, position=(-0.5, 0, -0.1))
        box = model.add_box((0.4, 0.2, 0.1), mass=1.0, position=(0.05, 0, 0.05))
        model.add(SolidSolid(among=[low, box], mu=1.0))
        result = run(model, 0.16, float(each))
        assert result.stats.penetration.max() < 1e-12
        ends.append(np.hstack([result.position[-1, box], result.rotation[-1, box]]))
    assert abs(ends[-1][5]) > 0.15
    errors = [np.abs(one - two).max() for one, two in pairwise(ends)]
    assert np.log2(errors[0] / errors[1]) > 1.9
    assert np.log2(errors[1] / errors[2]) > 1.9


def test_edges_that_cross_exchange_momentum_along_their_normal():
    """Two equal boxes on edge, crossed: the elastic impact through both centres exchanges velocities."""
    model = ns.Model()
    half = Rotation.from_euler("x", 45, degrees=True)
    turns = [half, Rotation.from_euler("z", 60, degrees=True) * half]
    height = 0.2 * np.sqrt(2.0)
    for k, turn in enumerate(turns):
        speed = (0, 0, 1.0 if k == 0 else -0.5)
        place = (0, 0, (height + 1e-3) * k)
        model.add_box(
            (0.6, 0.2, 0.2), mass=1.0, position=place, rotation=np.roll(turn.as_quat(), 1), velocity=speed
        )
    model.add(SolidSolid(among=model.bodies, e_n=1.0))
    result = run(model, 0.01, 1e-3)
    assert result.velocity[-1] == pytest.approx(np.array([(0, 0, -0.5), (0, 0, 1.0)]), abs=1e-12)
    assert np.abs(result.angular_velocity).max() < 1e-10
    assert len(np.unique(result.contacts.feature)) == 1
    assert key_parts(result.contacts.feature[0])[1::2] >= (8, 8)  # edges


def pile(load=False, frame=None):
    """Boxes and hulls that fall into a bin of planes, and onto each other."""
    frame = frame or Rotation.identity()
    model, rng = ns.Model(gravity=frame.apply((0, 0, -G))), np.random.default_rng(4)
    for k in range(8):
        motion = {
            "position": frame.apply((0.1 * (-1) ** k, 0.05 * (-1) ** (k // 2), 0.2 + 0.25 * k)),
            "rotation": np.roll((frame * Rotation.random(None, rng)).as_quat(), 1),
            "velocity": frame.apply((0, 0, -0.6 * k)),
            "angular_velocity": frame.apply(rng.normal(size=3)),
        }
        if k % 3:
            model.add_box((0.2, 0.15, 0.1), mass=1.0, **motion)
        else:
            points = rng.normal(size=(12, 3))
            points *= 0.1 / np.linalg.norm(points, axis=1)[:, None]
            model.add_solid(points, hull=True, mass=1.0, **motion)
    walls = [(0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
    planes = [model.add_plane(normal=frame.apply(n), offset=-0.25 * (n[2] == 0)) for n in walls]
    model.add(SolidPlane(model.bodies, planes, mu=0.3, e_n=0.2))
    model.add(SolidSolid(among=model.bodies, mu=0.3, e_n=0.2))
    if load:
        no_load(model)
    return model


class TestPile(HeapChecks):
    scene, t_end, features, until = staticmethod(pile), 0.4, 20, 0.28


@pytest.mark.parametrize("noise", [0.0, 1e-8])
def test_faces_in_a_plane_are_one(noise):
    """The hull of a box is the box, also with rounding as in single precision."""
    model = ns.Model()
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    corners += noise * np.random.default_rng(0).normal(size=(8, 3))
    hull = model.add_solid(corners, hull=True, mass=1.0, position=(0, 0, 0))
    box = model.add_box((2, 2, 2), mass=1.0, position=(0, 0, 2.0))
    element = SolidSolid(among=[hull, box])
    assert [len(solid.faces) for solid in element.polytopes] == [6, 6]
    assert [len(solid.edges) for solid in element.polytopes] == [12, 12]
    assert element.geometry.slots == 16
    model.add(element)
    system = System(model)
    motion = system.motion(model.initial_state())
    candidates = system.candidates(motion.x, np.inf)
    system.select(motion, candidates)
    assert (candidates.feature >= 0).sum() == 4


def test_overlaps_at_the_start_are_named_however_deep():
    for z, depth in ((0.19, "0.01"), (0.05, "0.15")):
        model = ns.Model()
        for k in range(2):
            model.add_box((0.4, 0.4, 0.2), mass=1.0, position=(0.01 * k, 0, z * k), name=f"box {k}")
        model.add(SolidSolid(among=model.bodies))
        with pytest.raises(ValueError, match=f"'box 0' and 'box 1' overlap by {depth} m at the start"):
            ns.simulate(model, t_end=0.1, h=1e-2)


def test_what_is_refused():
    model = ns.Model()
    one, two = (model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 2 * k)) for k in range(2))
    points = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2), (0.2, 0.2, 0.2)]
    dented = model.add_solid(
        (points, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)]),
        mass=1.0,
        position=(5, 0, 0),
    )
    needle = model.add_box((1, 1e-7, 1e-7), mass=1.0, position=(0, 9, 0))
    for wrong, words in (
        ([one, dented], "must be a convex solid"),
        ([one, needle], "must be a solid with a width of at least 1e-06 of its size"),
        ([one, one], "is given twice"),
    ):
        with pytest.raises(ValueError, match=words):
            SolidSolid(among=wrong)
    for arguments in ({}, {"among": [one, two], "between": ([one], [two])}):
        with pytest.raises(ValueError, match="exactly one"):
            SolidSolid(**arguments)
    with pytest.raises(ValueError, match="a solid of 'box 0' is in both sets"):
        SolidSolid(between=([one], [one]))


@pytest.mark.parametrize("seed", range(4))
def test_an_elastic_impact_keeps_momentum_and_energy(seed):
    """Two boxes at random rotations, without gravity and friction."""
    rng = np.random.default_rng(seed)
    model = ns.Model()
    for k in range(2):
        model.add_box(
            SIZES[k],
            mass=1.0 + k,
            position=(0.02 * k, 0.01 * k, 0.65 * k),
            rotation=rng.normal(size=4),
            velocity=(0, 0, 2.0 * (1 - k)),
        )
    model.add(SolidSolid(among=model.bodies, e_n=1.0))
    result = run(model, 0.3, 1e-3)
    momentum = (np.array([1.0, 2.0])[:, None] * result.velocity).sum(axis=1)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-13)
    strike = int(np.flatnonzero(np.diff(result.velocity[:, 0, 2]))[0]) + 1
    energy = result.energy()
    assert energy[strike] == pytest.approx(energy[0], rel=1e-10)
    assert np.abs(result.angular_velocity[strike]).max() > 0.1


def test_an_edge_at_the_end_of_another_one_does_not_cross_the_next():
    """Boxes as they met in a heap. Edge 14 ends on edge 18, where edge 13 begins."""
    model = ns.Model()
    places = (-0.07863428, -0.0650923, 0.15), (-0.16661529, 0.01035222, 0.23578374)
    turns = (0.113978, -0.113978, -0.69786031, 0.69786031), (-0.2325694, -0.39072424, 0.59689003, -0.6610358)
    for place, turn in zip(places, turns, strict=True):
        model.add_box((0.1, 0.1, 0.1), mass=1.0, position=place, rotation=turn)
    model.add(SolidSolid(among=model.bodies))
    system = System(model)
    motion = system.motion(model.initial_state())
    candidates = system.candidates(motion.x, 0.1, motion.q)
    system.select(motion, candidates)
    system.measure(motion, candidates)
    assert candidates.gap.min() == pytest.approx(0.0, abs=1e-7)


def test_solids_of_one_shape_share_their_tables():
    model = ns.Model()
    boxes = [model.add_box((0.1, 0.2, 0.3), mass=1.0, position=(0, 0, k)) for k in range(3)]
    boxes.append(model.add_box((0.1, 0.3, 0.2), mass=1.0, position=(0, 0, 4)))
    boxes.append(model.add_box((0.1, 0.2, 0.3), mass=2.0, position=(0, 0, 5)))
    model.add(SolidSolid(among=boxes))
    shapes = System(model).shapes
    numbers = [int(shapes.solid[shapes.first[box.index]]) for box in boxes]
    assert numbers == [0, 0, 0, 1, 0]
    assert shapes.solids.vertices.shape == (16, 3)
    extents = [np.ptp(shapes.solids.vertices[8 * k : 8 * k + 8], axis=0).tolist() for k in range(2)]
    assert extents == [[0.1, 0.2, 0.3], [0.1, 0.3, 0.2]]
