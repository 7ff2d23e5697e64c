"""Terrain: heaps on height fields, moving meshes, and refusals."""

import numpy as np
import pytest
from heap_checks import no_load
from scipy.spatial.transform import Rotation
from solid_scenes import same

import nsgalpha as ns
from elements import CapsuleMesh, Contact, SolidMesh, SolidPlane, SphereMesh
from tests.solids.mesh_scenes import CORNERS, FACES, SIZE, G, quaternion, random_floor, run


def tumbling(count=20, load=False):
    """Hulls and boxes above a bumpy slope."""
    rng, model = np.random.default_rng(3), ns.Model(gravity=(0, 0, -G))
    i, j = np.indices((40, 30))
    heights = -0.03 * i + 0.06 * np.sin(0.5 * i) * np.cos(0.4 * j) + 0.02 * rng.normal(size=i.shape)
    ground = model.add_body(fixed=True, position=(0, 0, 0), name="ground")
    model.add_mesh(*ns.height_field(heights, 0.1), carrier=ground)
    for k in range(count):
        place = 0.4 + 0.55 * (k % 5), 0.4 + 0.65 * (k // 5), 0.6 - 0.16 * (k % 5)
        turn = quaternion(Rotation.random(None, rng))
        if k % 2:
            model.add_box(rng.uniform(0.12, 0.25, 3), density=1000, position=place, rotation=turn)
        else:
            points = 0.1 * rng.normal(size=(14, 3))
            model.add_solid(points, hull=True, density=1000, position=place, rotation=turn)
    model.add(Contact(among=model.bodies, mu=0.4, e_n=0.1))
    if load:
        no_load(model)
    return model


def test_hulls_and_boxes_tumble_down_a_height_field_and_restart_to_the_bit():
    model = tumbling()
    whole = run(model, 2.0, 1e-3)
    assert whole.stats.penetration.max() < 1e-9
    assert not whole.stats.divided.any()
    assert (whole.position[-1, 1:, 0] > whole.position[0, 1:, 0]).mean() > 0.5
    rest = ns.simulate(tumbling(), state=whole.state(1000), t_end=2.0, h=1e-3)
    assert np.array_equal(rest.position[-1], whole.position[-1])
    assert np.array_equal(rest.rotation[-1], whole.rotation[-1])


def test_steps_of_terrain_from_python_are_the_same_to_the_bit():
    same(*(run(tumbling(8, load=load), 0.6, 1e-3) for load in (False, True)))


def test_a_mesh_that_moves_carries_a_box():
    """A tray that slides without friction takes on the speed of the box, m v / (m + M)."""
    model = ns.Model(gravity=(0, 0, -G))
    tray = model.add_body(mass=5.0, inertia=np.eye(3), position=(0, 0, 0))
    model.add_mesh(*random_floor(30), carrier=tray)
    model.add(SolidPlane(_feet(model, tray), model.add_plane(normal=(0, 0, 1), offset=-0.5)))
    box = model.add_box(SIZE, mass=1.0, position=(0, -0.1, 0.1), velocity=(0, 1.0, 0))
    model.add(SolidMesh(box, [each for each in model.primitives[:-12] if each.carrier is tray], mu=0.5))
    result = run(model, 0.5, 0.005)
    for body in (tray, box):
        assert result.velocity[-1, body] == pytest.approx((0, 1 / 6, 0), abs=1e-10)


def _feet(model, tray):
    """Faces of a box below a body, which it carries."""
    corners = CORNERS * (1.0, 1.0, 0.2) + (0, 0, -0.3)
    return model.add_mesh(corners, FACES, carrier=tray)


# --- refusals -----------------------------------------------------------------------------------------------


def on_ground(vertices, polygons, radius=0.0):
    model = ns.Model()
    box = model.add_box(SIZE, mass=1.0, position=(0, 0, 3))
    ground = model.add_body(fixed=True, position=(0, 0, 0), name="ground")
    model.add_mesh(vertices, polygons, radius=radius, carrier=ground)
    return model, box, ground


def test_meshes_that_are_none_are_refused_by_name():
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1)]
    for polygons, words in (
        ([(0, 1, 2), (0, 3, 2)], "go the same way along the edge"),
        ([(0, 1, 2), (2, 3, 0), (2, 4, 0)], "meet at the edge"),
    ):
        _, box, ground = on_ground(square, polygons)
        with pytest.raises(ValueError, match=f"polygons: .*{words}"):
            SolidMesh(box, ground)
    _, box, ground = on_ground(square, [(0, 1, 2)], radius=0.01)
    with pytest.raises(ValueError, match=r"polygons: radius of .* = 0\.01: must be 0"):
        SolidMesh(box, ground)
    model, box, ground = on_ground(square, [(0, 1, 2)])
    with pytest.raises(ValueError, match="a body has no contact with itself"):
        SolidMesh(box, box)
    rod = model.add_capsule(0.1, 0.2, mass=1.0, position=(0, 0, 2))
    model.add_mesh(square, [(0, 1, 2)], carrier=rod)
    with pytest.raises(ValueError, match="a body has no contact with itself"):
        CapsuleMesh([each for each in model.primitives if each.carrier is rod][:1], rod)
    model.add_mesh(square, [(2, 1, 3)], radius=0.02, carrier=ground)
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 2))
    with pytest.raises(ValueError, match=r"polygons: radius of .* = 0\.02: must be 0; spheres meet thick"):
        SphereMesh(ball, ground)
    with pytest.raises(ValueError, match="spheres"):
        SphereMesh(box, ground)


@pytest.mark.parametrize(
    ("heights", "spacing", "words"),
    [
        (np.zeros(4), 1.0, r"heights = 'array \(4,\)': must be of the shape \(M, N\)"),
        (np.zeros((1, 4)), 1.0, r"heights = 'array \(1, 4\)'"),
        ([[0, 1], [np.nan, 0]], 1.0, r"heights\[1, 0\] = nan: must be finite"),
        ([[0, 1], [2]], 1.0, "heights"),
        (np.zeros((3, 3)), 0.0, "spacing = 0.0: must be positive"),
        (np.zeros((3, 3)), (1.0, -1.0), "spacing"),
        (np.zeros((3, 3)), (1.0, 1.0, 1.0), "spacing"),
        (np.zeros((3, 3)), np.inf, "spacing"),
    ],
)
def test_height_fields_that_are_none_are_refused_by_name(heights, spacing, words):
    with pytest.raises(ValueError, match=words):
        ns.height_field(heights, spacing)


def test_a_height_field_has_its_heights_over_its_grid():
    heights = np.arange(6.0).reshape(2, 3)
    vertices, triangles = ns.height_field(heights, (2.0, 0.5), origin=(1, 1, -1))
    assert vertices.reshape(2, 3, 3)[1, 2].tolist() == [3.0, 2.0, 4.0]
    X = vertices[triangles]
    normal = np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
    assert (normal[:, 2] > 0).all()
    assert 0.5 * normal[:, 2].sum() == pytest.approx(2.0)


def test_balls_meet_a_field_of_any_number_of_triangles():
    """`Contact` takes `SphereMesh` for many. They strike it as they do smaller pieces."""
    i, j = np.indices((51, 51))
    field = ns.height_field(0.06 * np.sin(0.5 * i) * np.cos(0.4 * j), 0.1)
    found, kinds = [], []
    for pieces in (1, 2):
        model = ns.Model(gravity=(0, 0, -G))
        for own in np.array_split(np.array(field.triangles), pieces):
            ground = model.add_body(fixed=True, position=(0, 0, 0))
            model.add_mesh(field.vertices, own, carrier=ground)
        for k in range(9):
            place = 1.5 + 0.5 * (k % 3), 2.0 + 0.5 * (k // 3), 0.2
            model.add_sphere(radius=0.05, mass=1.0, position=place, velocity=(0.3, 0.1, -1))
        contact = model.add(Contact(among=model.bodies, mu=0.3, e_n=0.2))
        kinds.append({type(part).__name__ for part in contact.parts})
        result = run(model, 0.15, 1e-3)
        assert result.stats.contacts.sum() > 9
        found.append(result.position[:, pieces:])
    assert kinds == [{"SphereSphere", "SphereMesh"}, {"SphereSphere", "SpherePolygon"}]
    assert found[0] == pytest.approx(found[1], abs=1e-9)
