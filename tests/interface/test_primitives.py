"""Points, bodies without a surface and primitives as a user states them, and bad input."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
LAW = {"normal": e.SpringDashpot(stiffness=1e3)}


@pytest.fixture
def model():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1), name="ball")
    model.add_body(mass=1.0, inertia=0.1, position=(0, 0, 2), name="carrier")
    model.add_point(mass=1.0, position=(0, 0, 3), name="one")
    model.add_point(position=(0, 0, 4), radius=0.01, name="two")
    model.add_plane(normal=(0, 0, 1), name="floor")
    return model


def test_what_a_model_holds(model):
    ball, carrier, one, two = model.bodies
    assert [body.turns for body in model.bodies] == [True, True, False, False]
    assert model.spheres == [ball, two]
    assert carrier.radius == one.radius == two.mass == 0.0
    segment = model.add_primitive([one, two], radius=0.1, name="link")
    plate = model.add_primitive(SQUARE, carrier=carrier)
    mesh = model.add_mesh([*SQUARE, (2, 0, 0)], [[0, 1, 2, 3], [1, 4, 2, -1]], carrier=model.planes[0])
    assert model.primitives == [segment, plate, *mesh]
    assert [p.name for p in model.primitives] == ["link", "primitive 1", "primitive 2", "primitive 3"]
    assert [p.rigid for p in model.primitives] == [False, True, True, True]
    assert len(mesh[0].corners) == 4
    assert len(mesh[1].corners) == 3
    assert set(mesh[0].corners) & set(mesh[1].corners)  # points of a mesh are shared


def refused(message):
    return pytest.raises(ValueError, match=message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mass": -1.0, "position": (0, 0, 0)}, r"mass = -1.0: must be in \[0, inf\)"),
        ({"radius": -1.0, "position": (0, 0, 0)}, r"radius = -1.0: must be in \[0, inf\)"),
        ({"position": (0, 0)}, "position"),
        ({"position": (0, 0, 0), "name": "ball"}, "name = 'ball': must be used once"),
    ],
)
def test_points_out_of_range_are_refused(model, arguments, message):
    with refused(message):
        model.add_point(**arguments)
    assert len(model.bodies) == 4


@pytest.mark.parametrize(
    ("corners", "arguments", "message"),
    [
        ([(0, 0)], {}, r"corners = 'array \(1, 2\)': must be finite, of the shape \(n, 3\)"),
        ("abc", {}, r"corners = 'abc': must be coordinates"),
        ([(0, 0, np.nan)], {}, "corners"),
        ([(0, 0, 0), (0, 0, 0)], {}, "two corners in one place"),
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], {}, "corners on a line"),
        ([*SQUARE[:3], (0, 1, 0.1)], {}, "corners beside a plane"),
        ([(0, 0, 0), (1, 0, 0), (0.2, 0.2, 0), (0, 1, 0)], {}, "a corner that turns back"),
        (SQUARE, {"radius": -0.1}, r"radius = -0.1: must be in \[0, inf\)"),
        ([(0, 0, 0)], {"radius": np.inf}, "radius"),
        ([(0, 0, 0)], {"name": "ball"}, "name = 'ball': must be used once"),
    ],
)
def test_primitives_out_of_range_are_refused(model, corners, arguments, message):
    with refused(message):
        model.add_primitive(corners, **arguments)
    assert model.primitives == []


def test_corners_are_bodies_or_coordinates(model):
    one, two = model.bodies[2:]
    more = [model.add_point(position=(0, 1, k)) for k in range(2)]
    with refused("corners, carrier: bodies carry themselves"):
        model.add_primitive([one, two], carrier=model.bodies[1])
    with refused("corners: a body is given twice"):
        model.add_primitive([one, one])
    with refused("corners"):
        model.add_primitive([one, (0, 0, 1)])
    with refused("corners = '4 bodies': must be at most 3; divide the polygon into triangles"):
        model.add_primitive([one, two, *more])
    other = ns.Model()
    stranger = other.add_point(position=(0, 0, 0))
    with refused("belongs to another model"):
        model.add_primitive([one, stranger])
    with refused("carrier: 'point 0' belongs to another model"):
        model.add_primitive(SQUARE, carrier=stranger)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1]], r"integers \(K, n\), n >= 3"),
        ([[0.0, 1.0, 2.0]], "integers"),
        ([[0, 1, 4]], "numbers of the 4 vertices"),
        ([[0, 1, -1]], "at least 3 a row"),
        ([[0, 1, 1]], r"polygons\[0\] = \[0, 1, 1\]: must be different vertices"),
        ([[0, 1, 2], [0, 2, 1, 3]], "polygons"),
    ],
)
def test_meshes_out_of_range_are_refused(model, rows, message):
    with refused(message):
        model.add_mesh(SQUARE, rows)
    assert model.primitives == []


def test_elements_say_what_they_take(model):
    ball, carrier, one, two = model.bodies
    plate = model.add_primitive(SQUARE, carrier=carrier)
    link = model.add_primitive([one, two], radius=0.1)
    with refused("among = 'primitive 0': must be a segment of two corners; this one has 4 corners"):
        e.CompliantCapsules(among=[link, plate], **LAW)
    with refused("among and between: give one of them"):
        e.CompliantCapsules(**LAW)
    with refused("between: a primitive is in both sets"):
        e.CompliantPolygons(between=([plate], [plate]), **LAW)
    with refused("spheres: 'ball' is given twice"):
        e.CompliantPolygonSphere(plate, [ball, ball], **LAW)
    with refused("spheres = 'primitive 1': must be a sphere"):
        e.CompliantPolygonSphere(plate, link, **LAW)
    with refused("polygons = .*Plane.*: must be a polygon"):
        e.CompliantPolygonSphere(model.planes[0], ball, **LAW)
    with refused("disks = 'primitive 1': must be rigid primitives"):
        e.CompliantDiskSphere(link, ball, **LAW)
    with refused("parts = 'middle': must be 'ends', 'hull' or both"):
        e.CompliantPolygonCapsule(plate, link, parts="middle", **LAW)
    with refused(r"crown = 0.5: must be in \[0, 0.5\)"):
        e.CompliantCapsules(among=link, crown=0.5, **LAW)
    with refused("largest_overlap = 0"):
        e.CompliantPolygons(among=plate, largest_overlap=0, **LAW)
    with refused("no law is given"):
        e.CompliantCapsules(among=link)
    with pytest.raises(TypeError, match="stifness"):
        e.CompliantCapsules(among=link, stifness=1.0)


def test_spheres_have_a_radius(model):
    ball, carrier, one, _ = model.bodies
    floor = model.planes[0]
    for make in (
        lambda: e.SphereSphere(among=[ball, one]),
        lambda: e.SphereSphere(pairs=[(ball, carrier)]),
        lambda: e.SpherePlane([ball, carrier], floor),
        lambda: e.CompliantSphereSphere(between=([ball], [one]), **LAW),
        lambda: e.CompliantSpherePlane(one, floor, **LAW),
    ):
        with refused("must be positive for contact as a sphere"):
            make()


def test_the_same_pair_of_primitives_in_two_elements_is_refused(model):
    plates = [model.add_primitive(SQUARE, carrier=body) for body in model.bodies[:2]]
    model.add(e.CompliantPolygons(among=plates, **LAW))
    model.add(e.CompliantPolygons(between=([plates[0]], [plates[1]]), **LAW))
    with refused("'primitive 0' and 'primitive 1' are a pair of two elements"):
        ns.simulate(model, t_end=0.1, h=0.1)
