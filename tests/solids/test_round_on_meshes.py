"""Set-valued contact of spheres, capsules, cylinders, cones and rounded solids with meshes."""

import numpy as np
import pytest
from heap_checks import HeapChecks, no_load
from posed_pairs import least_point
from scipy.spatial.transform import Rotation
from solid_scenes import NAMES, SCHEMES

import elements as e
import nsgalpha as ns
from tests.solids.mesh_pair import MeshPair
from tests.solids.mesh_scenes import CORNERS, FACES, G, bumpy, quaternion, random_floor, roof, run

R, L, ROUNDING = 0.15, 0.5, 0.05
LAW = {"mu": 0.3, "e_n": 0.2}
TURN = Rotation.from_rotvec((0.4, -1.1, 0.7))
LYING = Rotation.from_rotvec((0, np.pi / 2, 0))

# --- shapes: functions that add a body, and return it and its shapes ----------------------------------------


def sphere(model, **motion):
    body = model.add_sphere(radius=R, mass=1.0, **motion)
    return body, body


def ball(model, **motion):
    """Off the centre of its body."""
    body = model.add_body(mass=1.0, inertia=0.01, **motion)
    return body, model.add_primitive([(0.1, -0.05, 0.02)], radius=R, carrier=body)


def capsule(model, **motion):
    return model.add_capsule(R, L, mass=1.0, **motion), model.primitives[-1]


def can(model, **motion):
    body = model.add_cylinder(R, L, mass=1.0, **motion)
    return body, body


def cone(model, **motion):
    body = model.add_cone(R, L, mass=1.0, **motion)
    return body, body


def rounded_box(model, **motion):
    body = model.add_body(mass=1.0, inertia=(0.01, 0.02, 0.02), **motion)
    return body, model.add_mesh(CORNERS * (0.15, 0.1, 0.08), FACES, carrier=body, radius=ROUNDING)


def solids(one, two, **law):
    return e.SolidSolid(between=(one, two), **law)


#: Elements with a mesh, a plane, and a box.
ELEMENTS = {
    sphere: (e.SphereMesh, e.SpherePlane, e.SphereSolid),
    ball: (e.CapsuleMesh, e.CapsulePlane, e.CapsuleSolid),
    capsule: (e.CapsuleMesh, e.CapsulePlane, e.CapsuleSolid),
    can: (e.SolidMesh, e.SolidPlane, solids),
    cone: (e.SolidMesh, e.SolidPlane, solids),
    rounded_box: (e.SolidMesh, e.SolidPlane, solids),
}
ALL_SHAPES = pytest.mark.parametrize("add", ELEMENTS)

# --- features -----------------------------------------------------------------------------------------------


def posed(add, bumps):
    """A shape and a bumpy height field."""
    return MeshPair(lambda model, rng: add(model, position=(0, 0, 5))[1], ELEMENTS[add][0], bumps)


def lowest_of(add, pair):
    """The lowest point of the core, a function of a vector, and the radius."""
    if add in (can, cone):
        off = np.linalg.norm(pair.own[:, :2], axis=1)
        ends, apex = np.unique(pair.own[np.abs(off - R) < 1e-9, 2].round(12)), pair.own[off < 1e-9]

        def lowest(n):
            across = np.array((n[0], n[1], 0.0))
            u = -R * across / max(np.linalg.norm(across), 1e-300)
            points = np.vstack([*((u[0], u[1], z) for z in ends), *apex])
            return points[(points @ n).argmin()]

        return lowest, 0.0
    points = np.zeros((1, 3)) if add is sphere else pair.own
    return lambda n: points[(points @ n).argmin()], ROUNDING if add is rounded_box else R


@ALL_SHAPES
def test_rates_of_all_gaps_are_those_of_differences(add):
    rng, found = np.random.default_rng(1), set()
    for bumps in (0.05, 0.3):
        pair = posed(add, bumps)
        for _ in range(200):
            found |= pair.check_rates(rng)
    assert found == {"vertex", "edge", "face"}


@pytest.mark.parametrize("bumps", [0.05, 0.3])
@ALL_SHAPES
def test_the_least_gap_changes_its_sign_where_triangles_are_cut(add, bumps):
    """The body is let down until its core is near a triangle."""

    def cuts(pair, x, turn):
        lowest, radius = lowest_of(add, pair)
        size = np.linalg.norm(pair.own, axis=1).max(initial=0.0) + radius
        T = pair.mesh.vertices[pair.mesh.triangles]
        near = ((T.max(axis=1) >= x - size) & (T.min(axis=1) <= x + size)).all(axis=1)
        for triangle in T[near]:

            def least(n, corners=triangle):
                return x + turn.apply(lowest(turn.inv().apply(n))) - corners[(corners @ n).argmax()]

            if np.linalg.norm(least_point(least, 1.0)) <= radius:
                return True
        return False

    pair, rng = posed(add, bumps), np.random.default_rng(2)
    for _ in range(3):
        pair.check_landing(rng, cuts)


# --- floors and boxes ---------------------------------------------------------------------------------------


def on_surface(add, surface, motion, law, turn=None):
    """A model of a shape on a mesh, plane (None), or box; its body."""
    turn = Rotation.identity() if turn is None else turn
    model = ns.Model(gravity=turn.apply((0, 0, -G)))
    own = {"rotation": Rotation.identity()} | motion
    own["rotation"] = quaternion(turn * own["rotation"])
    for name in ("position", "velocity", "angular_velocity"):
        own[name] = turn.apply(own.get(name, (0, 0, 0)))
    body, shapes = add(model, **own)
    on_mesh, on_plane, on_box = ELEMENTS[add]
    if surface is None:
        model.add(on_plane(shapes, model.add_plane(normal=turn.apply((0, 0, 1))), **law))
    elif surface == "box":
        other = model.add_box((2, 2, 2), fixed=True, position=(0, 0, 0), rotation=quaternion(turn))
        model.add(
            e.SolidSolid(between=(shapes, other), **law) if on_box is None else on_box(shapes, other, **law)
        )
    else:
        ground = model.add_body(fixed=True, position=(0, 0, 0), rotation=quaternion(turn))
        model.add_mesh(*surface, carrier=ground)
        model.add(on_mesh(shapes, ground, **law))
    return model, body


def difference(one, two):
    """The largest difference of the motions of the first bodies of two results."""
    return max(np.abs(getattr(one, name)[:, 0] - getattr(two, name)[:, 0]).max() for name in NAMES)


TUMBLING = Rotation.from_rotvec((0.3, 0.9, 0.2))
ON_FLOORS = {
    "falls": {"position": (-0.8, 0, 0.6), "velocity": (2, 0.5, 0), "rotation": TUMBLING},
    "lies": {"position": (-1, 0, R), "velocity": (0.5, 1.5, 0), "rotation": LYING},
    "stands": {"position": (-0.8, 0, 0.5 * L), "velocity": (2, 0.5, 0)},
}
FALLING = [(add, "falls") for add in ELEMENTS] + [(capsule, "lies"), (can, "lies"), (can, "stands")]


@SCHEMES
@pytest.mark.parametrize("turn", [Rotation.identity(), TURN])
@pytest.mark.parametrize(("add", "name"), FALLING)
def test_a_floor_of_triangles_in_one_plane_is_a_plane(add, name, turn, scheme):
    law = {"mu": 0.2, "e_n": 0.5}
    on_mesh, _ = on_surface(add, random_floor(), ON_FLOORS[name], law, turn)
    on_plane, _ = on_surface(add, None, ON_FLOORS[name], law, turn)
    one, two = (run(model, 0.6, 4e-3, scheme=scheme) for model in (on_mesh, on_plane))
    assert one.stats.contacts.max() > 0
    assert difference(one, two) < 1e-9


def test_seams_cost_a_rolling_ball_no_speed():
    """Random triangles in one plane."""
    law, motion = {"mu": 0.5}, {"position": (-1.5, 0.1, R), "velocity": (2, 0, 0)}
    motion["angular_velocity"] = (0, 2 / R, 0)
    model, body = on_surface(sphere, random_floor(), motion, law)
    result = run(model, 1.4, 1e-3)
    assert result.velocity[:, body] == pytest.approx(np.tile((2.0, 0, 0), (1401, 1)), abs=1e-10)


BOX = (CORNERS, [tri for f in FACES for tri in ((f[0], f[1], f[2]), (f[0], f[2], f[3]))])
CROSS = Rotation.from_rotvec((np.pi / 2, 0, 0))
ASKEW = Rotation.from_rotvec((0, 0, 0.6)) * LYING
ON_BOXES = {
    "tumbles": {
        "position": (0.3, 0.1, 1.7),
        "velocity": (0.8, 0.2, 0),
        "rotation": Rotation.from_rotvec((1.0, 0.8, 0.6)),
        "angular_velocity": (3, 2, 1),
    },
    "over a corner": {
        "position": (0.95, 0.9, 1.5),
        "velocity": (0.2, 0.3, 0),
        "rotation": Rotation.from_rotvec((0.1, 0.4, 0.3)),
        "angular_velocity": (1, 0, 1),
    },
    "rolls off": {"position": (0.9, 0.05, 1 + R), "velocity": (1, 0, 0), "rotation": CROSS},
    "slides off": {"position": (0.9, 0.05, 1 + R), "velocity": (1, 0, 0), "rotation": LYING},
    "askew": {"position": (0.8, 0.05, 1 + R), "velocity": (1, 0.3, 0), "rotation": ASKEW},
    "stands": {"position": (0.9, 0.05, 1 + 0.5 * L), "velocity": (1, 0, 0)},
}
ON_MESHES = [
    *[(add, "tumbles") for add in ELEMENTS],
    *[(add, "over a corner") for add in ELEMENTS if add is not capsule],  # it has other contacts of edges
    *[(can, name) for name in ("rolls off", "slides off", "askew", "stands")],
    *[(capsule, name) for name in ("slides off", "askew")],
]


@pytest.mark.parametrize(("add", "name"), ON_MESHES)
def test_the_surface_of_a_box_is_a_box(add, name):
    one, two = (run(on_surface(add, each, ON_BOXES[name], LAW)[0], 0.8, 2e-3) for each in (BOX, "box"))
    assert difference(one, two) < 1e-9
    assert one.stats.penetration.max() < 1e-12


@pytest.mark.parametrize("add", [sphere, capsule])
def test_a_round_body_over_an_edge_has_second_order(add):
    """Faces and the edge are several contacts; the solid has one in their place."""
    motion = ON_BOXES["rolls off"] | {"position": (0.9, 0.05, 1 + R)}
    off = []
    for h in (2e-3, 1e-3, 5e-4):
        one, two = (run(on_surface(add, each, motion, {})[0], 0.4, h) for each in (BOX, "box"))
        off.append(difference(one, two))
    assert off[0] > 1e-6
    assert off[0] / off[1] > 3.0
    assert off[1] / off[2] > 3.0


# --- valleys, plates, and the side behind -------------------------------------------------------------------


@pytest.mark.parametrize("turn", [Rotation.identity(), TURN])
@pytest.mark.parametrize(("add", "rotation"), [(sphere, LYING), (capsule, CROSS), (can, CROSS)])
def test_a_round_body_rests_on_both_slopes_of_a_valley(add, rotation, turn):
    """In a rectangular groove its centre is sqrt(2) R above the bottom."""
    motion = {"position": (0, 0.1, np.sqrt(2) * R), "rotation": rotation}
    model, body = on_surface(add, roof(1.0, -1.0), motion, {"mu": 0.3}, turn)
    result = run(model, 0.5, 5e-3)
    assert result.position[-1, body] == pytest.approx(turn.apply(motion["position"]), abs=1e-10)
    assert result.stats.contacts.max() == (2 if add is sphere else 4)


@ALL_SHAPES
def test_a_body_behind_a_surface_falls_freely(add):
    motion = {"position": (0.1, 0.1, -0.3), "velocity": (0, 0, 1.0), "rotation": CROSS}
    model, body = on_surface(add, random_floor(), motion, {})
    result = run(model, 0.5, 5e-3)
    free = -0.3 + result.t - 0.5 * G * result.t**2
    assert result.position[:, body, 2] == pytest.approx(free, abs=1e-10)


@pytest.mark.parametrize(("add", "rotation"), [(sphere, LYING), (capsule, CROSS), (can, CROSS), (can, LYING)])
def test_a_thin_plate_holds_by_its_upper_side_alone(add, rotation):
    """A plate of two sides, 5 mm thick."""
    plate = (CORNERS * (2.0, 2.0, 0.0025), FACES)
    motion = {"position": (0.3, 0.1, R + 0.0025), "rotation": rotation}
    model, body = on_surface(add, plate, motion, {"mu": 0.1})
    result = run(model, 0.5, 5e-3)
    assert result.position[-1, body] == pytest.approx(motion["position"], abs=1e-12)


# --- heaps --------------------------------------------------------------------------------------------------


def heap(frame=None, *, load=False):
    """Two of each shape above bumpy ground, in contact with it and each other."""
    frame = Rotation.identity() if frame is None else frame
    rng, model = np.random.default_rng(3), ns.Model(gravity=frame.apply((0, 0, -G)))
    for k, add in enumerate([*ELEMENTS] * 2):
        place = np.array((0.62 * (k % 4) - 0.9, 0.6 * (k // 4) - 0.6, 0.45 + 0.1 * (k % 3)))
        turn = quaternion(frame * Rotation.random(None, rng))
        add(model, position=frame.apply(place), rotation=turn, velocity=frame.apply(0.5 * rng.normal(size=3)))
    ground = model.add_body(fixed=True, position=(0, 0, 0), rotation=quaternion(frame))
    model.add_mesh(*bumpy(), carrier=ground)
    model.add(e.Contact(among=model.bodies[:-1], **LAW))
    for add, (on_mesh, *_) in ELEMENTS.items():
        first = [*ELEMENTS].index(add)
        shapes = [model.bodies[first], model.bodies[first + len(ELEMENTS)]]
        if add in (ball, capsule):
            shapes = [each for each in model.primitives if each.carrier in shapes]
        model.add(on_mesh(shapes, ground, **LAW))
    if load:
        no_load(model)
    return model


class TestAllShapes(HeapChecks):
    scene, t_end, features = staticmethod(heap), 0.6, 20
