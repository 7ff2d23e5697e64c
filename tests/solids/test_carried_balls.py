"""Balls off the centres of their bodies in set-valued contact: one ball, dumbbells, compounds."""

import numpy as np
import pytest
from heap_checks import HeapChecks, no_load
from posed_pairs import PosedPair
from scipy.spatial.transform import Rotation
from solid_scenes import NAMES, SCHEMES, G, quaternion, run

import nsgalpha as ns
from elements import CapsuleCapsule, CapsulePlane, CapsuleSolid, CapsuleSphere, Contact

R = 0.1
ENDS = np.array([(-0.3, 0.1, 0.05), (0.35, -0.2, 0.1)])
LAW = {"mu": 0.3, "e_n": 0.4}
TURN = Rotation.from_rotvec((0.4, -1.1, 0.7))


def ball(model, *, carried, **motion):
    """A ball of 1 kg with the radius R: a body's sphere, or a primitive."""
    if not carried:
        return model.add_sphere(radius=R, mass=1.0, **motion)
    body = model.add_body(mass=1.0, inertia=0.4 * R**2, **motion)
    model.add_primitive([(0, 0, 0)], radius=R, carrier=body)
    return body


def shower(carried):
    """Balls that fall on each other, on fixed solids, and on a plane."""
    model, rng = ns.Model(gravity=(0, 0, -G)), np.random.default_rng(8)
    model.add_box((0.4, 0.4, 0.2), fixed=True, position=(-0.2, 0, 0))
    model.add_cylinder(0.2, 0.2, fixed=True, position=(0.2, 0, 0))
    model.add_cone(0.2, 0.3, fixed=True, position=(0, 0.4, 0))
    model.add_capsule(0.1, 0.4, fixed=True, position=(0, -0.3, 0), rotation=(0.5, 0.5, 0.5, 0.5))
    for k in range(8):
        place = np.array((0.2 * (k % 3) - 0.2, 0.32 * (k // 3) - 0.25, 0.35 + 0.22 * (k % 2)))
        motion = {"position": place + 0.02 * rng.normal(size=3), "velocity": 0.3 * rng.normal(size=3)}
        ball(model, carried=carried, **motion)
    floor = model.add_plane(normal=(0, 0, 1), offset=-0.05)
    contact = Contact(among=[*model.bodies, floor], **LAW)
    model.add(contact)
    return model, {type(part) for part in contact.parts}


def test_a_ball_that_a_body_carries_at_its_centre_moves_as_a_sphere():
    (spheres, _), (carried, kinds) = shower(False), shower(True)
    assert kinds == {CapsuleCapsule, CapsulePlane, CapsuleSolid}
    one, two = run(spheres, 0.3, 1e-3), run(carried, 0.3, 1e-3)
    for name in NAMES:
        assert getattr(two, name) == pytest.approx(getattr(one, name), abs=1e-9), name
    assert len(two.contacts.feature[:]) == len(one.contacts.feature[:])  # each touches once
    touched = one.contacts
    low = np.minimum(touched.body_a[:], touched.body_b[:])[touched.plane[:] < 0]
    assert set(range(4)) < set(low.tolist())  # all fixed bodies, and balls


def dumbbell(model, made_of, **motion):
    """Two balls at ENDS, or the capsule around them, on a body; its shapes."""
    body = model.add_body(mass=1.0, inertia=(0.02, 0.05, 0.04), **motion)
    corners = [ENDS] if made_of == "capsule" else [[end] for end in ENDS]
    return [model.add_primitive(each, radius=R, carrier=body) for each in corners]


@SCHEMES
@pytest.mark.parametrize("turn", [Rotation.identity(), TURN])
def test_a_dumbbell_on_a_plane_moves_as_the_capsule_around_its_balls(scheme, turn):
    found = []
    for made_of in ("balls", "capsule"):
        model = ns.Model(gravity=turn.apply((0, 0, -G)))
        motion = {"position": turn.apply((0, 0, 0.5)), "rotation": quaternion(turn)}
        motion |= {"velocity": turn.apply((1, 0, 0)), "angular_velocity": turn.apply((1, 2, 3))}
        shapes = dumbbell(model, made_of, **motion)
        model.add(CapsulePlane(shapes, model.add_plane(normal=turn.apply((0, 0, 1))), **LAW))
        found.append(run(model, 0.8, 1e-3, scheme=scheme))
    for name in NAMES:
        assert getattr(found[0], name) == pytest.approx(getattr(found[1], name), abs=1e-9), name
    assert found[0].stats.contacts.max() == 2


def other_body(model, kind):
    """A second body and its element with the balls of the first one."""
    balls = model.primitives[:2]
    place = {"mass": 1.0, "position": (1, 0, 0)}
    if kind == "sphere":
        return CapsuleSphere(balls, model.add_sphere(radius=0.2, **place))
    if kind == "balls":
        return CapsuleCapsule(between=(balls, dumbbell(model, "balls", position=(1, 0, 0))))
    if kind == "capsule":
        return CapsuleCapsule(between=(balls, dumbbell(model, "capsule", position=(1, 0, 0))))
    add = {
        "box": lambda: model.add_box((0.4, 0.3, 0.2), **place),
        "can": lambda: model.add_cylinder(0.2, 0.3, **place),
        "cone": lambda: model.add_cone(0.2, 0.3, **place),
    }
    return CapsuleSolid(balls, add[kind]())


@pytest.mark.parametrize("kind", ["sphere", "balls", "capsule", "box", "can", "cone"])
def test_each_ball_has_one_contact_with_its_distance_and_rates_by_differences(kind):
    """Distances from points, segments and a box by hand."""
    model = ns.Model()
    dumbbell(model, "balls", position=(0, 0, 0))
    model.add(other_body(model, kind))
    pair, rng = PosedPair(model, 0.3), np.random.default_rng(1)
    for _ in range(200):
        rows = pair.place(rng)
        pair.check_rates(rows)
        gap, ends = pair.candidates.gap[rows], pair.seen(0, ENDS)
        seen = pair.turns()[1].inv().apply(ends - pair.motion.x[1])
        if kind == "sphere":
            wanted = np.linalg.norm(seen, axis=1) - R - 0.2
        elif kind == "balls":
            wanted = np.linalg.norm(seen[:, None] - ENDS, axis=2).ravel() - 2 * R
        elif kind == "capsule":
            along = ENDS[1] - ENDS[0]
            s = np.clip((seen - ENDS[0]) @ along / (along @ along), 0.0, 1.0)
            wanted = np.linalg.norm(seen - ENDS[0] - s[:, None] * along, axis=1) - 2 * R
        elif kind == "box":
            off = np.abs(seen) - (0.2, 0.15, 0.1)
            within = np.minimum(off.max(axis=1), 0.0)
            wanted = np.linalg.norm(np.maximum(off, 0.0), axis=1) + within - R
        else:
            assert len(rows) == 2
            continue
        assert np.sort(gap) == pytest.approx(np.sort(wanted), abs=1e-12)


def molecules(frame=None, load=False):
    """Dumbbells and tetrapods of balls that fall into a bin, with boxes and cans."""
    frame = frame or Rotation.identity()
    model, rng = ns.Model(gravity=frame.apply((0, 0, -G))), np.random.default_rng(6)
    tetra = 0.07 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
    shapes = (
        [ns.parts.sphere(0.05, position=place) for place in tetra],
        [ns.parts.sphere(0.06, position=(0, 0, z)) for z in (-0.08, 0.08)],
        [ns.parts.box((0.16, 0.12, 0.1))],
        [ns.parts.cylinder(0.07, 0.1)],
    )
    for k in range(8):
        motion = {"position": frame.apply((0.06 * (-1) ** k, 0.05 * (-1) ** (k // 2), 0.15 + 0.26 * k))}
        motion |= {"rotation": quaternion(frame * Rotation.random(None, rng))}
        motion |= {"velocity": frame.apply((0.1, 0.05, -0.5 * k))}
        model.add_compound(shapes[k % 4], mass=1.0, **motion)
    model.add_sphere(
        radius=0.06, mass=1.0, position=frame.apply((0, 0, 2.5)), velocity=frame.apply((0, 0, -5))
    )
    walls = [(0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
    planes = [model.add_plane(normal=frame.apply(n), offset=-0.25 * (n[2] == 0)) for n in walls]
    model.add(Contact(among=[*model.bodies, *planes], **LAW))
    if load:
        no_load(model)
    return model


class TestMolecules(HeapChecks):
    scene, t_end, features = staticmethod(molecules), 0.5, 10


def test_elastic_molecules_keep_energy_and_momentum():
    model = ns.Model()
    for k in range(2):
        motion = {"position": (0.9 * k, 0.05 * k, 0), "velocity": (-2 * k, 0, 0)}
        dumbbell(model, "balls", **motion)
    model.add(Contact(among=model.bodies, e_n=1.0))
    result = run(model, 0.5, 1e-3)
    energy, spin = result.energy(), np.abs(result.angular_velocity[:]).max(axis=(1, 2))
    strike = int(np.flatnonzero(spin > 0.1)[0])
    assert energy[strike] == pytest.approx(energy[0], rel=1e-10)
    momentum = result.velocity[:].sum(axis=1)
    assert momentum == pytest.approx(np.broadcast_to(momentum[0], momentum.shape), abs=1e-12)


def test_a_ball_without_a_radius_is_refused():
    model = ns.Model()
    body = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 1))
    point = model.add_primitive([(0, 0, 0.1)], radius=0.0, carrier=body, name="tip")
    with pytest.raises(ValueError, match=r"'tip'.*a radius > 0, two corners or one"):
        CapsulePlane(point, model.add_plane(normal=(0, 0, 1)))
