"""Set-valued contact of cylinders and cones with each other: standing, lying, tipping, impacts, files."""

import numpy as np
import pytest
from heap_checks import HeapChecks, no_load
from scipy.spatial.transform import Rotation
from solid_scenes import SCHEMES, G, quaternion, run

import nsgalpha as ns
from elements import Contact

UP = np.array((0.0, 0.0, 1.0))
R, L = 0.1, 0.2
NONE = Rotation.identity()
LYING = Rotation.from_rotvec((np.pi / 2, 0, 0))
SLANTED = Rotation.from_rotvec((1, 2, 0.5))


def stacked(count=2, shift=0.0, radii=(R, R), turn=0.0, frame=NONE):
    """Cans on a plane, each shifted and turned against the last."""
    model = ns.Model(gravity=frame.apply((0, 0, -G)))
    for k in range(count):
        place = frame.apply((shift * (k % 2), 0, L * (k + 0.5)))
        turned = quaternion(frame * Rotation.from_rotvec((0, 0, turn * k)))
        model.add_cylinder(radii[k % 2], L, mass=1.0, position=place, rotation=turned)
    model.add(Contact(among=[*model.bodies, model.add_plane(normal=frame.apply(UP))], mu=0.5))
    return model


STACKS = {
    "concentric": {},
    "shifted": {"shift": 0.6 * R},
    "at its edge": {"shift": 0.99 * R},
    "by a little": {"shift": 0.01 * R},
    "turned": {"turn": 0.3},
    "narrow on wide": {"radii": (R, 0.5 * R), "shift": 0.2 * R},
    "wide on narrow": {"radii": (0.5 * R, R), "shift": 0.3 * R},
    "slanted": {"shift": 0.5 * R, "turn": 0.1, "frame": SLANTED},
    "six": {"count": 6, "shift": 0.1 * R},
}


@SCHEMES
@pytest.mark.parametrize("name", STACKS)
def test_cans_stand_on_cans(name, scheme):
    result = run(stacked(**STACKS[name]), 2.0, 5e-3, scheme=scheme)
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-11
    assert np.abs(result.rotation[-1] - result.rotation[0]).max() < 1e-11
    assert result.stats.penetration.max() < 1e-11


def test_a_can_stands_on_a_can_for_long():
    result = run(stacked(shift=0.3 * R), 100.0, 5e-3, record_every=1000)
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-9


@pytest.mark.parametrize("radii", [(R, R), (R, 0.7 * R)])
@pytest.mark.parametrize("direction", [0.0, 0.4, np.pi / 2, 2.5])
def test_a_can_tips_about_the_edge_of_the_common_region(radii, direction):
    """The lower one is fixed and shifted: gravity leaves the disk of either.

    To the angle of the chords between 32 points.
    """
    shift, way = 0.8 * R, np.array((np.cos(direction), np.sin(direction)))
    reach = np.sqrt(radii[0] ** 2 - (shift * way[1]) ** 2) - shift * way[0]
    critical = np.arctan(min(reach, radii[1]) / (0.5 * L))
    for off, falls in ((-0.4, False), (0.4, True)):
        slope = critical + np.radians(off)
        pull = G * np.array((*(np.sin(slope) * way), -np.cos(slope)))
        model = ns.Model(gravity=pull)
        model.add_cylinder(radii[0], L, fixed=True, position=(-shift, 0, -0.5 * L))
        can = model.add_cylinder(radii[1], L, mass=1.0, position=(0, 0, 0.5 * L))
        model.add(Contact(among=model.bodies, mu=3.0))
        result = run(model, 2.0, 5e-3)
        moved = np.abs(result.rotation[-1, can] - result.rotation[0, can]).max()
        assert (moved > 0.1) == falls, (off, moved)


@SCHEMES
@pytest.mark.parametrize("angle", [np.pi / 2, 1.4])
def test_a_cylinder_rests_across_another_one(angle, scheme):
    """On the crossing of both sides. One that is oblique is held by friction for a while."""
    model = ns.Model(gravity=(0, 0, -G))
    model.add_cylinder(R, 0.6, fixed=True, position=(0, 0, 0), rotation=quaternion(LYING))
    turned = Rotation.from_rotvec((0, 0, angle)) * LYING
    model.add_cylinder(0.5 * R, 0.4, mass=1.0, position=(0, 0, 1.5 * R), rotation=quaternion(turned))
    model.add(Contact(among=model.bodies, mu=0.5))
    result = run(model, 1.0, 5e-3, scheme=scheme)
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-9
    assert result.stats.penetration.max() < 1e-12


def pyramid(mu, wide=1.0, walls=False, frame=NONE):
    """Six cylinders that lie in rows of 3, 2 and 1, `wide` diameters from each other."""
    model = ns.Model(gravity=frame.apply((0, 0, -G)))
    rise = 2.0 * R * np.sqrt(1.0 - 0.25 * wide**2)
    for row, count in enumerate((3, 2, 1)):
        for k in range(count):
            place = ((2 * k - count + 1) * R * wide, 0, R + row * rise)
            turned = quaternion(frame * LYING)
            model.add_cylinder(R, 0.3, mass=1.0, position=frame.apply(place), rotation=turned)
    normals = [(UP, 0.0), ((1, 0, 0), -2 * R * wide - R), ((-1, 0, 0), -2 * R * wide - R)]
    for n, offset in normals[: 3 if walls else 1]:
        model.add_plane(normal=frame.apply(n), offset=offset)
    model.add(Contact(among=[*model.bodies, *model.planes], mu=mu))
    return model


@pytest.mark.parametrize("frame", [NONE, SLANTED], ids=["upright", "slanted"])
def test_a_pyramid_between_walls_has_the_forces_of_statics(frame):
    """Balance of the rows without friction: walls m g tan a, the floor 2 m g below each cylinder."""
    wide, h = 1.05, 5e-3
    result = run(pyramid(0.0, wide, True, frame), 0.5, h)
    contacts, normals = result.contacts, result.model.planes
    last = slice(contacts.start[len(result.t) - 1], contacts.start[len(result.t)])
    force = [
        sum(contacts.impulse[last][contacts.plane[last] == plane.index]) @ plane.normal / h
        for plane in normals
    ]
    wall = G * 0.5 * wide / np.sqrt(1.0 - 0.25 * wide**2)
    assert force == pytest.approx([6.0 * G, wall, wall], rel=1e-9)
    for body in range(3):
        own = last.start + np.flatnonzero(
            (contacts.body_a[last] == body) & (contacts.plane[last] == normals[0].index)
        )
        assert sum(contacts.impulse[own]) @ normals[0].normal / h == pytest.approx(2.0 * G, rel=1e-9)
    assert np.abs(result.velocity[-1]).max() < 1e-10


def test_a_pyramid_rests_by_friction():
    """After the first step, whose forces are not known yet."""
    result = run(pyramid(0.5), 2.0, 5e-3)
    assert np.abs(result.position[-1] - result.position[20]).max() < 1e-10


CONES = {
    "on its base": {"turn": NONE, "position": (0.02, 0.01, 0.05)},
    "over the rim": {"turn": NONE, "position": (0.12, 0.05, 0.05)},
}


@pytest.mark.parametrize("name", CONES)
@pytest.mark.parametrize("below", ["can", "box"])
def test_a_cone_stands_on_solids(name, below):
    model = ns.Model(gravity=(0, 0, -G))
    if below == "can":
        model.add_cylinder(0.15, 0.2, fixed=True, position=(0, 0, -0.1))
    else:
        model.add_box((0.3, 0.3, 0.2), fixed=True, position=(0, 0, -0.1))
    turn, place = CONES[name]["turn"], CONES[name]["position"]
    model.add_cone(0.1, 0.2, mass=1.0, position=place, rotation=quaternion(turn))
    model.add(Contact(among=model.bodies, mu=0.5))
    result = run(model, 2.0, 5e-3)
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-11
    assert np.abs(result.rotation[-1] - result.rotation[0]).max() < 1e-11


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", ["cylinder-cylinder", "cone-cylinder", "cone-cone"])
def test_an_elastic_impact_keeps_momentum_and_energy(kinds, seed):
    rng, model = np.random.default_rng(seed), ns.Model()
    for k, kind in enumerate(kinds.split("-")):
        motion = {"position": (0.02 * k, 0.01 * k, 0.6 * k), "velocity": (0, 0, 2.0 * (1 - k))}
        motion |= {"rotation": rng.normal(size=4), "mass": 1.0 + k}
        getattr(model, f"add_{kind}")(0.15, 0.3, **motion)
    model.add(Contact(among=model.bodies, e_n=1.0))
    result = run(model, 0.3, 1e-3)
    momentum = (np.array([1.0, 2.0])[:, None] * result.velocity).sum(axis=1)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-13)
    strike = int(np.flatnonzero(np.abs(np.diff(result.velocity[:, 0, 2])) > 1e-3)[0]) + 1
    energy = result.energy()
    assert energy[strike] == pytest.approx(energy[0], rel=1e-10)
    assert np.abs(result.angular_velocity[strike]).max() > 0.1


def heap(frame=NONE, load=False, mirrored=False):
    """Cans, cones, a rod and a rounded box that tumble onto each other between walls."""
    mirror = np.array((-1.0, 1.0, 1.0)) if mirrored else np.ones(3)
    model, rng = ns.Model(gravity=frame.apply((0, 0, -G))), np.random.default_rng(5)
    for k in range(6):
        turn = Rotation.random(None, rng).as_rotvec() * ((1, -1, -1) if mirrored else 1)
        motion = {
            "position": frame.apply(mirror * (0.05 * (-1) ** k, 0.04 * (-1) ** (k // 2), 0.1 + 0.2 * k))
        }
        motion |= {"rotation": quaternion(frame * Rotation.from_rotvec(turn)), "mass": 1.0}
        motion |= {"velocity": frame.apply((0, 0, -0.5 * k))}
        if k % 3 == 0:
            model.add_cylinder(0.08, 0.12, **motion)
        elif k % 3 == 1:
            model.add_cone(0.08, 0.15, **motion)
        else:
            model.add_capsule(0.04, 0.12, **motion)
    walls = [UP, (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
    planes = [model.add_plane(normal=frame.apply(n), offset=-0.15 * (n[2] == 0)) for n in walls]
    model.add(Contact(among=[*model.bodies, *planes], mu=0.3, e_n=0.2))
    if load:
        no_load(model)
    return model


class TestHeap(HeapChecks):
    scene, t_end, features = staticmethod(heap), 0.4, 10

    def test_mirrored_it_moves_the_same(self, whole):
        other = run(heap(mirrored=True), self.until, 1e-3)
        assert other.position == pytest.approx(whole.position[: len(other.position)] * (-1, 1, 1), abs=1e-10)
