"""Set-valued contact of convex solids with meshes: features, floors, ridges, valleys, symmetry."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SolidMesh, SolidSolid
from tests.solids.mesh_pair import MeshPair
from tests.solids.mesh_scenes import (
    CORNERS,
    FACES,
    SIZE,
    G,
    about,
    bumpy,
    quaternion,
    random_floor,
    roof,
    run,
    scene,
)

# --- features -----------------------------------------------------------------------------------------------


def box(model, rng):
    return model.add_box(SIZE, mass=1.0, position=(0, 0, 5))


def hull(model, rng):
    points = 0.3 * rng.normal(size=(12, 3))
    return model.add_solid(points, hull=True, mass=1.0, position=(0, 0, 5))


def hull_cuts(pair, x, turn):
    """True if the hull of a body cuts a triangle, by linear programs."""
    X, T = turn.apply(pair.own) + x, pair.mesh.vertices[pair.mesh.triangles]
    near = ((T.max(axis=1) >= X.min(axis=0)) & (T.min(axis=1) <= X.max(axis=0))).all(axis=1)
    rows = np.zeros((5, len(X) + 3))
    rows[:3, : len(X)], rows[3, : len(X)], rows[4, len(X) :] = X.T, 1.0, 1.0
    for triangle in T[near]:
        rows[:3, len(X) :] = -triangle.T
        equal = {"A_eq": rows, "b_eq": [0, 0, 0, 1, 1], "bounds": (0, None)}
        if linprog(np.zeros(len(X) + 3), **equal).status == 0:
            return True
    return False


@pytest.mark.parametrize("add", [box, hull])
def test_rates_of_all_gaps_are_those_of_differences(add):
    rng, found = np.random.default_rng(1), set()
    for bumps in (0.05, 0.3):
        pair = MeshPair(add, SolidMesh, bumps)
        for _ in range(300):
            found |= pair.check_rates(rng, apart=0.0)
    assert found == {"vertex", "edge", "face"}


@pytest.mark.parametrize(("add", "bumps"), [(box, 0.3), (hull, 0.05), (hull, 0.3)])
def test_the_least_gap_changes_its_sign_where_triangles_are_cut(add, bumps):
    """The solid is let down until linear programs find a common point."""
    pair, rng = MeshPair(add, SolidMesh, bumps), np.random.default_rng(2)
    for _ in range(12):
        pair.check_landing(rng, hull_cuts)


# --- floors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.0, 0.2])
@pytest.mark.parametrize("e_n", [0.0, 0.5])
def test_a_floor_of_triangles_in_one_plane_is_a_plane(mu, e_n):
    """It lands, slides, and turns over many seams as on a plane."""
    box = {"position": (-1, 0, 0.15), "velocity": (2, 0.5, 0), "rotation": about((0, 0, 1), 0.4)}
    box["angular_velocity"] = (0, 0, 1)
    found = []
    for mesh in (random_floor(), None):
        model, (body,) = scene(mesh, [box], law={"mu": mu, "e_n": e_n})
        result = run(model, 1.0, 0.005)
        found.append((result.position[:, body], result.velocity[:, body], result.rotation[:, body]))
    for one, two in zip(*found, strict=True):
        assert one == pytest.approx(two, abs=1e-10)
    if mu == 0.0:
        assert found[0][1][:, :2] == pytest.approx(np.tile((2.0, 0.5), (201, 1)), abs=1e-10)


def test_seams_on_a_turned_floor_cost_no_speed():
    """Rounding puts the corners of the floor beside its plane."""
    turn = Rotation.from_rotvec((0.3, -0.8, 0.4))
    box = {"position": (-1.2, 0.1, 0.1), "velocity": (3, 0.2, 0)}
    model, (body,) = scene(random_floor(), [box], turn, (0.7, -0.2, 1.1))
    result = run(model, 0.7, 0.01)
    local = turn.inv().apply(result.velocity[:, body])
    assert local == pytest.approx(np.tile((3.0, 0.2, 0.0), (len(local), 1)), abs=1e-10)
    assert turn.inv().apply(result.position[-1, body] - (0.7, -0.2, 1.1)) == pytest.approx(
        (0.9, 0.24, 0.1), abs=1e-10
    )


@pytest.mark.parametrize(("angle", "tips"), [(26.4, False), (26.7, True)])
def test_a_box_on_a_slope_of_triangles_tips_beyond_its_diagonal(angle, tips):
    """tan(angle) = width / height = 0.5."""
    slope = np.radians(angle)
    vertices, triangles = random_floor()
    vertices = Rotation.from_rotvec((0, slope, 0)).apply(vertices)
    up = Rotation.from_rotvec((0, slope, 0)).apply((0, 0, 0.2))
    box = {"size": (0.2, 0.3, 0.4), "position": up, "rotation": about((0, 1, 0), slope)}
    model, (body,) = scene((vertices, triangles), [box], law={"mu": 1.0})
    result = run(model, 0.6, 0.005)
    turned = Rotation.from_quat(np.roll(result.rotation[-1, body], -1)).magnitude() - slope
    assert (abs(turned) > 1e-2) == tips
    if not tips:
        assert result.position[-1, body] == pytest.approx(up, abs=1e-10)


# --- edges --------------------------------------------------------------------------------------------------

ON_BOXES = {
    "slides to a ledge": {"position": (0.9, 0.05, 1.1), "velocity": (0.5, 0, 0)},
    "tips over a ledge": {"position": (0.999, 0.05, 1.1), "angular_velocity": (0, 0.5, 0)},
    "falls off": {"position": (0.9, 0.05, 1.1), "velocity": (1.5, 0, 0), "rotation": about((0, 0, 1), 0.6)},
    "over a corner": {"position": (0.9, 0.95, 1.1), "rotation": about((0, 0, 1), 0.3)},
    "tumbles": {
        "position": (0.3, 0.1, 1.6),
        "velocity": (0.8, 0.2, 0),
        "rotation": about((0.5, 0.4, 0.3), 2.0),
        "angular_velocity": (3, 2, 1),
    },
}


@pytest.mark.parametrize("name", ON_BOXES)
@pytest.mark.parametrize("triangles", [False, True])
def test_the_surface_of_a_box_is_a_box(name, triangles):
    """A mesh of six squares, or of triangles in any order, has the motion of `SolidSolid`."""
    faces = FACES
    if triangles:
        faces = [tri for f in FACES for tri in ((f[0], f[1], f[2]), (f[0], f[2], f[3]))]
        faces = [faces[k] for k in np.random.default_rng(0).permutation(len(faces))]
    law = {"mu": 0.3, "e_n": 0.2}
    model, (body,) = scene((CORNERS, faces), [ON_BOXES[name]], law=law)
    result = run(model, 0.8, 2e-3)
    other = ns.Model(gravity=(0, 0, -G))
    box = other.add_box(SIZE, mass=1.0, **ON_BOXES[name])
    other.add(SolidSolid(between=(box, other.add_box((2, 2, 2), fixed=True, position=(0, 0, 0))), **law))
    expected = run(other, 0.8, 2e-3)
    assert result.position[:, body] == pytest.approx(expected.position[:, box], abs=1e-9)
    assert result.rotation[:, body] == pytest.approx(expected.rotation[:, box], abs=1e-9)
    assert result.stats.penetration.max() < 1e-10


def test_a_box_over_a_ridge_has_second_order():
    """It slides up and tips over the ridge; its pairs of features change without impact."""
    ends, up = [], np.arctan(0.2)
    axes = Rotation.from_rotvec((0, -up, 0))
    for h in (4e-3, 2e-3, 1e-3, 5e-4):
        box = {"position": axes.apply((-0.05, 0.02, 0.1)), "velocity": axes.apply((0.9, 0.0, 0.0))}
        box["rotation"] = quaternion(axes)
        model, (body,) = scene(roof(0.2), [box], law={"mu": 0.1})
        result = run(model, 0.2, h)
        assert result.stats.penetration.max() < 1e-10
        ends.append(np.concatenate([result.position[-1, body], result.rotation[-1, body]]))
    error = [np.abs(one - ends[-1]).max() for one in ends[:-1]]
    assert np.abs(ends[-1][3:] - quaternion(axes)).max() > 0.01
    assert error[0] > 1e-6
    assert error[0] / error[1] > 3.0
    assert error[1] / error[2] > 3.0


def test_a_cube_rests_in_a_valley_on_both_slopes():
    """A cube on an edge in a rectangular groove has a face on each side."""
    box = {
        "size": (0.3, 0.3, 0.3),
        "position": (0, 0, 0.15 * np.sqrt(2)),
        "rotation": about((0, 1, 0), np.pi / 4),
    }
    model, (body,) = scene(roof(1.0, -1.0), [box])
    result = run(model, 0.5, 0.005)
    assert result.position[-1, body] == pytest.approx((0, 0, 0.15 * np.sqrt(2)), abs=1e-10)
    dropped = box | {"position": (0.02, 0, 0.4)}
    model, (body,) = scene(roof(1.0, -1.0), [dropped])
    result = run(model, 2.0, 0.002)
    assert result.stats.penetration.max() < 1e-10
    assert result.position[-1, body, 2] > 0.2


def test_a_box_beside_or_beneath_a_surface_is_not_thrown():
    """A surface has one side, and bodies behind it fall freely."""
    for x, z in ((0.0, -0.15), (0.0, -0.11), (2.21, -0.11), (2.3, 0.02)):
        box = {"position": (x, 0.1, z), "velocity": (0, 0, 1.0)}
        model, (body,) = scene(random_floor(), [box])
        result = run(model, 0.5, 0.005)
        free = z + 1.0 * result.t - 0.5 * G * result.t**2
        assert result.position[:, body, 2] == pytest.approx(free, abs=1e-10)


def test_a_body_that_stands_on_a_thin_plate_is_held_by_its_upper_side_alone():
    """A plate of two sides, 5 mm thick."""
    plate = CORNERS * (2.0, 2.0, 0.0025)
    box = {"position": (0.3, 0.1, 0.1025), "velocity": (1, 0, 0)}
    model, (body,) = scene((plate, FACES), [box], law={"mu": 0.1})
    result = run(model, 0.5, 0.005)
    assert result.position[:, body, 2] == pytest.approx(np.full(101, 0.1025), abs=1e-12)
    assert result.velocity[-1, body, 0] == pytest.approx(0.5, abs=1e-10)


# --- invariance ---------------------------------------------------------------------------------------------


FALLING = [
    {"position": (-0.5, 0.1, 0.5), "velocity": (0.8, 0.2, 0), "rotation": about((0.5, 0.4, 0.3), 2.0)},
    {"position": (0.5, -0.3, 0.45), "angular_velocity": (3, 2, 1), "rotation": about((0.1, 0.4, -0.3), 1.0)},
]


def test_turned_scenes_and_triangles_in_another_order_are_the_same():
    mesh = bumpy()
    model, bodies = scene(mesh, FALLING, law={"mu": 0.3, "e_n": 0.2})
    t_end, h = 0.45, 1e-3
    expected = run(model, t_end, h)
    assert expected.stats.contacts.max() > 2
    turn, shift = Rotation.from_rotvec((0.4, -1.1, 0.7)), np.array((0.3, 1.0, -0.4))
    model, bodies = scene(mesh, FALLING, turn, shift, {"mu": 0.3, "e_n": 0.2})
    turned = run(model, t_end, h)
    for body in bodies:
        local = turn.inv().apply(turned.position[:, body] - shift)
        assert local == pytest.approx(expected.position[:, body], abs=1e-10)
    order = np.random.default_rng(1).permutation(len(mesh.triangles))
    model, bodies = scene(mesh, FALLING, law={"mu": 0.3, "e_n": 0.2}, order=order)
    shuffled = run(model, t_end, h)
    assert shuffled.position == pytest.approx(expected.position, abs=1e-10)


def test_a_free_mesh_and_a_box_keep_momentum_and_energy():
    """The mesh is the surface of a hull with a dent."""
    model = ns.Model()
    box = model.add_box(SIZE, mass=1.0, position=(-0.8, 0.05, 0.1), velocity=(2, 0, 0))
    inertia = np.diag((0.4, 0.5, 0.6))
    dented = model.add_body(mass=3.0, inertia=inertia, position=(0.2, 0, 0), angular_velocity=(0, 1, 0.5))
    vertices = np.vstack([0.4 * CORNERS, (-0.25, 0, 0)])
    around = [0, 4, 7, 3]
    faces = [(*f, -1) if len(f) == 3 else f for f in FACES if set(f) != set(around)]
    faces += [(around[k - 1], around[k], 8, -1) for k in (0, 1, 2, 3)]
    faces = [(a[1], a[0], a[2], -1) if a[3] == -1 else a for a in faces]
    if np.dot(np.cross(*(vertices[[faces[-1][1], 8]] - vertices[faces[-1][0]])), (-1, 0, 0)) < 0:
        faces = [(a[1], a[0], a[2], -1) if a[3] == -1 else a for a in faces]
    model.add_mesh(vertices, faces, carrier=dented)
    model.add(SolidMesh(box, dented, e_n=1.0))
    result = run(model, 0.6, 1e-3)
    assert result.stats.sub_impacts.sum() > 0
    m = np.array([1.0, 3.0])
    momentum = (m[:, None] * result.velocity).sum(axis=1)
    assert momentum == pytest.approx(np.tile((2.0, 0, 0), (len(momentum), 1)), abs=1e-12)
    assert np.abs(result.velocity[-1, dented]).max() > 0.1
    energy = result.kinetic_energy() if callable(getattr(result, "kinetic_energy", None)) else None
    if energy is None:
        spin = [Rotation.from_quat(np.roll(q, -1, axis=1)) for q in (result.rotation[:, k] for k in range(2))]
        J = [box.inertia, inertia]
        local = [spin[k].inv().apply(result.angular_velocity[:, k]) for k in range(2)]
        energy = 0.5 * sum(
            m[k] * (result.velocity[:, k] ** 2).sum(axis=1) + ((local[k] @ J[k]) * local[k]).sum(axis=1)
            for k in range(2)
        )
    assert energy[-1] == pytest.approx(energy[0], rel=2e-4)
