"""Solids and deformable surfaces within one another have no contact, and the status says so."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.run.enclosure import winding

LAW = {"normal": e.SpringDashpot(stiffness=1e4, damping=10.0)}
WORDS = "nothing acts between them"
X, TRIANGLES = e.icosphere(2)
PYRAMID = (
    np.array([(1, 0, 0), (-1, 1, 0), (-1, -1, 0), (0, 0, 1.0)]),
    [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)],
)
TILTED = (0.9, 0.3, 0.2, 0.2)


def inner_bodies(model, place, size):
    """Solids, a capsule and a ball of about a `size` at the same place."""
    at = {"mass": 1.0, "position": place}
    yield model.add_box((size, size, size), **at, rotation=TILTED)
    yield model.add_cylinder(0.5 * size, size, **at, rotation=TILTED)
    yield model.add_capsule(0.3 * size, 0.4 * size, **at, rotation=TILTED)
    yield model.add_sphere(radius=0.5 * size, **at)
    yield model.add_solid(PYRAMID, scale=0.5 * size, **at)


def outer_body(model, kind, **given):
    if kind == "box":
        return model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0), **given)
    if kind == "cylinder":
        return model.add_cylinder(0.5, 1, mass=1.0, position=(0, 0, 0), **given)
    return model.add_solid(PYRAMID, scale=2.0, mass=1.0, position=(0, 0, 0), **given)


def said(model, t_end=1e-3, h=1e-3, **given):
    status = ns.simulate(model, t_end=t_end, h=h, **given).status
    assert status.ok
    return str(status)


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("kind", ["box", "cylinder", "pyramid"])
def test_a_solid_within_another_is_named_at_the_start(kind, number):
    model = ns.Model()
    outer = outer_body(model, kind, name="house", rotation=(0.8, 0.1, 0.6, 0.0))
    inner = [*inner_bodies(model, (0.02, 0.03, 0.01), 0.2)][number]
    model.add(e.CompliantSolids(between=([outer], [inner]), **LAW))
    assert f"{inner.name!r} is within 'house', first seen at t = 0 s: {WORDS}" in said(model)


@pytest.mark.parametrize("number", range(5))
def test_a_solid_that_sticks_out_a_little_is_not_named(number):
    model = ns.Model()
    outer = outer_body(model, "box")
    low = [*inner_bodies(model, (0, 0, 0.45), 0.2)][number]
    model.add(e.CompliantSolids(between=([outer], [low]), **LAW))
    assert WORDS not in said(model)


def test_two_boxes_in_one_place_are_one_pair():
    model = ns.Model()
    for name in ("one", "two"):
        model.add_box((1, 2, 3), mass=1.0, position=(5, 6, 7), rotation=TILTED, name=name)
    model.add(e.CompliantSolids(among=model.bodies, **LAW))
    assert "'one' is within 'two', first seen" in said(model)


def test_a_box_in_a_corner_of_the_box_around_a_tilted_one_is_not_within_it():
    model = ns.Model()
    model.add_box(
        (1, 1, 1), mass=1.0, position=(0, 0, 0), rotation=(np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8))
    )
    model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0.6, 0.6, 0))
    model.add(e.CompliantSolids(among=model.bodies, **LAW))
    assert WORDS not in said(model)


def test_a_step_that_is_too_long_is_found_when_it_has_happened():
    model = ns.Model()
    model.add_box((1, 1, 1), mass=1e6, position=(0, 0, 0), name="house")
    model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(-1.0, 0, 0), velocity=(100.0, 0, 0), name="shot")
    model.add(e.CompliantSolids(among=model.bodies, **LAW))
    assert "'shot' is within 'house', first seen at t = 0.01 s" in said(model, 0.01, 0.01)
    slow = ns.Model()
    slow.add_box((1, 1, 1), mass=1e6, position=(0, 0, 0))
    slow.add_box((0.1, 0.1, 0.1), mass=1.0, position=(-0.56, 0, 0), velocity=(0.5, 0, 0))
    slow.add(e.CompliantSolids(among=slow.bodies, **LAW))
    assert WORDS not in said(slow, 0.05, 1e-3)


def test_solids_behind_a_plane_as_a_whole_are_named_and_those_on_it_are_not():
    model = ns.Model()
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    below = [*inner_bodies(model, (0, 0, -0.5), 0.2)]
    on = [*inner_bodies(model, (1, 0, 0.05), 0.2)]
    model.add(e.CompliantSolidPlane([*below, *on], floor, **LAW))
    status = said(model)
    named = status.split(" is behind ")[0].split("; ")[1]
    assert named in {repr(body.name) for body in below}
    assert f"{named} is behind 'floor' (and {len(below) - 1} other pairs), first seen at t = 0 s" in status
    assert "no element lets them touch" not in status


def test_what_the_model_lets_be_within_is_not_named():
    model = ns.Model()
    one = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0))
    two = model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0))
    far = model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(9, 0, 0))
    contact = model.add(e.CompliantSolids(between=([one, two], [far]), **LAW))
    assert WORDS not in said(model)  # nothing lets them touch
    joined = model.add(e.CompliantSolids(between=([one], [two]), **LAW))
    assert "within" in said(model)
    joined.active = contact.active = False
    assert WORDS not in said(model)


def test_a_ball_within_a_shell_of_faces_is_in_its_place():
    model = ns.Model(gravity=(0, 0, -1))
    shell = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0), fixed=True)
    ball = model.add_sphere(radius=0.1, mass=0.01, position=(0, 0, -0.39))
    faces = [each for each in model.primitives if each.carrier is shell]
    model.add(e.CompliantPolygonSphere(faces, ball, flip_normals=True, **LAW))
    assert WORDS not in said(model, 0.1)


def cells(*places, sizes=None, **given):
    """Drops of radius 1, or of `sizes`, around `places` in contact."""
    model, surfaces = ns.Model(), []
    for k, place in enumerate(places):
        size = 1.0 if sizes is None else sizes[k]
        triangles = TRIANGLES if size > 0 else TRIANGLES[:, ::-1]
        nodes = [model.add_point(position=abs(size) * each + place, mass=1.0) for each in X]
        surfaces.append(model.add_surface(nodes, triangles, name=f"cell {k}"))
        model.add(e.GlobalArea(surfaces[-1], stiffness=1.0))
    model.add(e.SurfaceContact(surfaces, stiffness=10.0, **given))
    return said(model, scheme=ns.Overdamped(e.Drag(model.bodies, translational=1.0)))


@pytest.mark.parametrize(
    ("places", "sizes"),
    [
        ([(0, 0, 0), (0, 0, 0)], None),
        ([(0, 0, 0), (0.05, 0, 0)], None),
        ([(0, 0, 0), (0.1, 0.2, 0.1)], [1.0, 0.5]),
        ([(0, 0, 0), (0.1, 0.2, 0.1)], [0.3, 3.0]),
    ],
)
def test_cells_within_one_another_are_named(places, sizes):
    assert f"'cell 0' and 'cell 1' are within one another, first seen at t = 0 s: {WORDS}" in order(
        cells(*places, sizes=sizes)
    )


def order(status):
    """The status with the two names in order."""
    return status.replace("'cell 1' and 'cell 0'", "'cell 0' and 'cell 1'")


@pytest.mark.parametrize(
    ("places", "sizes"),
    [
        ([(0, 0, 0), (1.9, 0, 0)], None),
        ([(0, 0, 0), (1.0, 1.0, 1.0)], None),
        ([(0, 0, 0), (1.4, 0, 0)], [1.0, 0.5]),
        ([(0, 0, 0), (2.2, 0, 0)], [-4.0, 1.0]),  # a container: its triangles are turned inwards
    ],
)
def test_cells_side_by_side_or_in_a_container_are_not_named(places, sizes):
    assert WORDS not in cells(*places, sizes=sizes)


def test_points_within_a_closed_surface_have_it_around_them_once():
    corners = X[TRIANGLES]
    points = np.array([(0, 0, 0), (0.9, 0, 0), (0, 1.1, 0), (5, 5, 5)])
    assert np.allclose(winding(points, corners), [1, 1, 0, 0])
    assert np.allclose(winding(points, corners[:, ::-1]), [-1, -1, 0, 0])
