"""Set-valued contact of cylinders with boxes: gaps and rates, standing, rolling, edges, files, refusals."""

from itertools import pairwise, product

import numpy as np
import pytest
from heap_checks import HeapChecks, no_load
from posed_pairs import PosedPair, exchanged_rows, hulls_distance
from scipy.spatial.transform import Rotation
from solid_scenes import SCHEMES, quaternion, run

import nsgalpha as ns
from elements import SolidPlane, SolidSolid
from nsgalpha.model.contact_keys import key_parts

G = 9.81
UP = np.array((0.0, 0.0, 1.0))
R, L = 0.15, 0.3
SIZE = np.array((0.4, 0.3, 0.2))
NONE = Rotation.identity()
LYING = Rotation.from_rotvec((0, np.pi / 2, 0))
SLANTED = Rotation.from_rotvec((1, 2, 0.5))


class CylinderAndBox(PosedPair):
    """A cylinder and a box at any poses, with their candidates."""

    def __init__(self, size=(R, L), order=(0, 1)):
        self.size, model = size, ns.Model()
        model.add_cylinder(*size, mass=1.0, position=(0, 0, 0))
        model.add_box(SIZE, mass=1.0, position=(1, 0, 0))
        model.add(SolidSolid(between=[[model.bodies[k]] for k in order]))
        super().__init__(model, 0.13)

    def overlap(self, wider):
        """True if the box and a prism of 64 sides overlap."""
        angle = 2.0 * np.pi * np.arange(64) / 64
        ring = wider * self.size[0] * np.column_stack([np.cos(angle), np.sin(angle)])
        prism = np.vstack(
            [np.column_stack([ring, np.full(64, z)]) for z in (-0.5 * self.size[1], 0.5 * self.size[1])]
        )
        box = 0.5 * SIZE * [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        return hulls_distance(self.seen(0, prism), self.seen(1, box)) == 0.0


def kind_of(key):
    """Names of the features of the cylinder and the box."""
    _, i, _, j = key_parts(key)
    parts = ((64, "point"), (66, "deepest"), (70, "circle"), (71, "side"), (73, "disk"))
    cylinder = next(name for last, name in parts if i < last)
    return cylinder, "vertex" if j < 8 else "edge" if j < 20 else "face"


def test_rates_of_gaps_of_cylinders_and_boxes_are_those_of_differences():
    pair, rng, found = CylinderAndBox(), np.random.default_rng(0), set()
    for _ in range(1500):
        rows = pair.place(rng)
        if not len(rows):
            continue
        errors = pair.check_rates(rows, eps=1e-5, tolerance=1e-5)
        assert np.median(errors) < 1e-6
        found |= {kind_of(key) for key in pair.candidates.feature[rows].tolist()}
    expected = {("deepest", "face"), ("circle", "edge"), ("side", "vertex"), ("side", "edge")}
    assert found == expected | {("disk", "vertex")}


@pytest.mark.parametrize("size", [(R, L), (0.2, 0.02)], ids=["can", "coin"])
def test_a_cylinder_and_a_box_overlap_where_a_gap_is_negative(size):
    """Inner and outer prisms have a common point with the box."""
    pair, rng, counts = CylinderAndBox(size), np.random.default_rng(0), [0, 0]
    for _ in range(400):
        rows = pair.place(rng)
        negative = pair.candidates.gap[rows].min(initial=np.inf) < 0.0
        inner, outer = pair.overlap(1.0), pair.overlap(1.0 / np.cos(np.pi / 64))
        assert inner <= negative <= outer
        counts[int(negative)] += 1
    assert min(counts) > 50


def test_a_cylinder_and_a_box_may_be_exchanged():
    one, two = CylinderAndBox(), CylinderAndBox(order=(1, 0))
    rng, pairs = np.random.default_rng(2), 0
    for _ in range(300):
        rows = one.place(rng)
        others = two.place_as(one)
        assert len(rows) == len(others)
        pairs += len(rows) > 0
        a, b = one.candidates, two.candidates
        others = exchanged_rows(one, rows, two, others)
        assert a.gap[rows] == pytest.approx(b.gap[others], abs=1e-13)
        assert a.normal[rows] == pytest.approx(-b.normal[others], abs=1e-12)
    assert pairs > 100


def on_box(turn=NONE, position=(0, 0, 0.1), *, size=(0.1, 0.2), box=(1, 1, 0.2), frame=NONE, **others):
    """A cylinder of 1 kg on a fixed box, with its top at z = 0. A frame turns all."""
    law = {name: others.pop(name) for name in ("mu", "e_n") if name in others}
    motion = {name: frame.apply(value) for name, value in others.items()}
    model = ns.Model(gravity=frame.apply((0, 0, -G)))
    low = frame.apply((0, 0, -0.5 * box[2]))
    table = model.add_box(box, mass=5.0, fixed=True, position=low, rotation=quaternion(frame))
    motion |= {"position": frame.apply(position), "rotation": quaternion(frame * turn)}
    can = model.add_cylinder(*size, mass=1.0, **motion)
    model.add(SolidSolid(between=([can], [table]), **law))
    return model


STANDING = {
    "on an end": {},
    "slanted": {"frame": SLANTED, "turn": Rotation.from_rotvec((0, 0, 0.3))},
    "over an edge": {"position": (0.45, 0.1, 0.1)},
    "over a corner": {"position": (0.45, 0.46, 0.1)},
    "a wide coin": {"size": (0.3, 0.05), "position": (0.05, 0.02, 0.025), "box": (0.2, 0.2, 0.2)},
    "on its side": {"turn": LYING},
    "on its side over two edges": {"turn": LYING, "size": (0.1, 0.8), "box": (0.4, 1, 0.2)},
    "on its side, oblique": {
        "turn": Rotation.from_rotvec((0, 0, 0.3)) * LYING,
        "size": (0.1, 0.8),
        "box": (0.4, 1, 0.2),
        "frame": SLANTED,
    },
}


@SCHEMES
@pytest.mark.parametrize("name", STANDING)
def test_a_cylinder_on_a_box_stays_where_it_is(name, scheme):
    result = run(on_box(mu=0.5, **STANDING[name]), 5.0, 5e-3, scheme=scheme)
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-11
    assert np.abs(result.rotation[-1] - result.rotation[0]).max() < 1e-10
    assert np.abs(result.velocity[-1]).max() < 1e-11


@SCHEMES
def test_a_cylinder_rolls_over_a_box(scheme):
    """At constant speed, its end points within the top, and beside two edges."""
    w = 5.0
    for size, box in (((0.1, 0.2), (1, 1, 0.2)), ((0.1, 0.8), (0.4, 1, 0.2))):
        motion = {"velocity": (0, 0.1 * w, 0), "angular_velocity": (-w, 0, 0)}
        model = on_box(LYING, mu=0.5, size=size, box=box, **motion)
        result = run(model, 0.8, 5e-3, scheme=scheme)
        assert result.velocity[-1, 1] == pytest.approx((0, 0.1 * w, 0), abs=1e-10)
        assert result.angular_velocity[-1, 1] == pytest.approx((-w, 0, 0), abs=1e-9)


def test_a_cylinder_rolls_over_the_edge_of_a_box():
    """It turns about the edge as a pendulum, until it flies; friction does no work."""
    drops, losses = [], []
    for h in (2e-3, 1e-3, 5e-4):
        motion = {"velocity": (0, 0.1, 0), "angular_velocity": (-1.0, 0, 0)}
        result = run(on_box(LYING, (0, 0.45, 0.1), mu=5.0, **motion), 0.9, h)
        assert result.stats.penetration.max() < 1e-10
        y, z = result.position[:, 1, 1] - 0.5, result.position[:, 1, 2]
        on_edge = (y > 0.0) & (z > 0.03)
        assert on_edge.sum() > 20
        drops.append(np.abs(np.hypot(y, z) - 0.1)[on_edge & (z > 0.08)].max())
        energy = result.energy()
        losses.append(np.abs(energy - energy[0]).max())
    assert drops[0] < 1e-10
    assert losses[-1] < 1e-3
    assert losses[0] / losses[-1] > 3.0


def test_a_can_that_tips_over_a_ledge_is_of_second_order():
    """Points of its rim leave the top, and the edge carries its base."""
    ends = []
    for h in (2e-3, 1e-3, 5e-4):
        result = run(on_box(position=(0.52, 0, 0.1), mu=1.0), 0.2, h)
        assert result.stats.penetration.max() < 1e-12
        ends.append(np.hstack([result.position[-1, 1], result.rotation[-1, 1]]))
    errors = [np.abs(one - two).max() for one, two in pairwise(ends)]
    assert abs(ends[-1][5]) > 0.05
    assert np.log2(errors[0] / errors[1]) > 1.8


def test_cans_and_boxes_stand_on_each_other():
    """Ten of them, in turn, for 10 s."""
    model = ns.Model(gravity=(0, 0, -G))
    for k in range(10):
        place = {"mass": 1.0, "position": (0.01 * (-1) ** k, 0, 0.1 * (k + 0.5))}
        if k % 2:
            model.add_cylinder(0.1, 0.1, **place)
        else:
            model.add_box((0.3, 0.2, 0.1), **place)
    model.add(SolidPlane(model.bodies[0], model.add_plane(normal=UP), mu=0.5))
    model.add(SolidSolid(between=(model.bodies[::2], model.bodies[1::2]), mu=0.5))
    result = run(model, 10.0, 5e-3)
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-10
    assert np.abs(result.rotation[-1] - result.rotation[0]).max() < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_an_elastic_impact_of_a_can_and_a_box_keeps_momentum_and_energy(seed):
    rng = np.random.default_rng(seed)
    model = ns.Model()
    for k in range(2):
        motion = {"position": (0.02 * k, 0.01 * k, 0.6 * k), "velocity": (0, 0, 2.0 * (1 - k))}
        motion |= {"rotation": rng.normal(size=4), "mass": 1.0 + k}
        if k:
            model.add_cylinder(R, L, **motion)
        else:
            model.add_box(SIZE, **motion)
    model.add(SolidSolid(among=model.bodies, e_n=1.0))
    result = run(model, 0.3, 1e-3)
    momentum = (np.array([1.0, 2.0])[:, None] * result.velocity).sum(axis=1)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-13)
    strike = int(np.flatnonzero(np.abs(np.diff(result.velocity[:, 0, 2])) > 1e-3)[0]) + 1
    energy = result.energy()
    assert energy[strike] == pytest.approx(energy[0], rel=1e-10)
    assert np.abs(result.angular_velocity[strike]).max() > 0.1


def dropped(frame=NONE, load=False):
    """Cans that tumble onto a box and a floor, apart from each other."""
    model, rng = ns.Model(gravity=frame.apply((0, 0, -G))), np.random.default_rng(5)
    table = model.add_box(
        (0.3, 2.0, 0.2), mass=5.0, fixed=True, position=(0, 0, 0), rotation=quaternion(frame)
    )
    cans = []
    for k in range(4):
        motion = {"position": frame.apply((0.1 * (-1) ** k, 0.5 * k - 0.75, 0.3))}
        motion |= {"rotation": quaternion(frame * Rotation.random(None, rng))}
        motion |= {"velocity": frame.apply((0.3, 0, -1)), "angular_velocity": frame.apply(rng.normal(size=3))}
        cans.append(model.add_cylinder(0.08, 0.05 * (1 + k), mass=1.0, **motion))
    model.add(SolidSolid(between=(cans, [table]), mu=0.3, e_n=0.2))
    model.add(SolidPlane(cans, model.add_plane(normal=frame.apply(UP), offset=-0.1), mu=0.3, e_n=0.2))
    if load:
        no_load(model)
    return model


class TestDroppedCans(HeapChecks):
    scene, t_end, features, until = staticmethod(dropped), 0.8, 5, 0.25


@pytest.mark.parametrize("h", [1e-3, 2e-3, 3e-3])
@pytest.mark.parametrize("kind", ["can", "box"])
def test_a_flat_landing_in_a_long_step_has_no_spin(kind, h):
    """Points of the face are as deep as another, and all count."""
    for speed, height in product((6.0, 8.0), (0.3, 0.305)):
        model = ns.Model(gravity=(0, 0, -G))
        own = {"mass": 1.0, "position": (0, 0, height), "velocity": (0, 0, -speed)}
        if kind == "can":
            body = model.add_cylinder(0.02, 0.04, **own)
        else:
            body = model.add_box((0.04, 0.04, 0.04), **own)
        base = model.add_box((1, 1, 0.1), fixed=True, position=(0, 0, -0.05))
        model.add(SolidSolid(between=([body], [base]), mu=0.3))
        result = ns.simulate(model, t_end=0.1, h=h)
        assert np.abs(result.angular_velocity[-1, body]).max() < 1e-9
        assert result.position[-1, body, 2] == pytest.approx(0.02, abs=1e-10)
