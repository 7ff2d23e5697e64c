"""Hard contact of spheres with polygons: faces, edges, corners, falls from tables."""

import math

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SpherePolygon, SphereSphere
from nsgalpha.arrays import turned

G, R = 9.81, 0.05
TURNS = [(1.0, 0.0, 0.0, 0.0), (0.7, -0.3, 0.5, 0.4)]


def unit(q):
    return np.asarray(q) / np.linalg.norm(q)


def quad(x0, x1, y0=-1.0, y1=1.0):
    """A rectangle at z = 0, counter-clockwise from above."""
    return [(x0, y0, 0), (x1, y0, 0), (x1, y1, 0), (x0, y1, 0)]


def on_a_table(q, pieces, position, velocity, thickness=0.0, gravity=G, **law):
    """A ball on a table of several `pieces`; all of it is turned by `q`."""
    q = unit(q)
    model = ns.Model(gravity=turned(q, np.array([0.0, 0.0, -gravity])))
    table = model.add_body(position=(0, 0, 0), rotation=q, fixed=True, name="table")
    parts = [model.add_primitive(piece, carrier=table, radius=thickness) for piece in pieces]
    x, v = (turned(q, np.asarray(each, float)) for each in (position, velocity))
    ball = model.add_sphere(radius=R, mass=0.3, position=x, velocity=v)
    model.add(SpherePolygon(ball, parts, **law))
    return model, ball


def in_the_frame(q, vectors):
    return turned(unit(q) * (1, -1, -1, -1), vectors)


@pytest.mark.parametrize("q", TURNS)
@pytest.mark.parametrize("h", [1e-3, 7e-4, 2.9e-4])  # the phases of the steps differ
@pytest.mark.parametrize("rolls", [False, True])
def test_a_ball_leaves_the_edge_where_its_weight_no_longer_holds_it(q, h, rolls):
    """About the edge m v^2/R = m g cos(theta) with v^2 = v_0^2 + 2 g R (1 - cos(theta))/(1 + k).

    Without friction k = 0, and cos(theta) = 2/3 from rest; rolling k = 2/5, cos(theta) = 10/17.
    """
    k, v0 = (0.4, 0.02) if rolls else (0.0, 0.02)
    law = {"mu": 50.0} if rolls else {}
    model, ball = on_a_table(q, [quad(-1, 0)], (-0.001, 0, R), (v0, 0, 0), **law)
    if rolls:  # it rolls from the start on
        body = model.bodies[ball]
        object.__setattr__(body, "angular_velocity", turned(unit(q), np.array([0, v0 / R, 0])))
    result = ns.simulate(model, t_end=0.45, h=h, tol=1e-12)
    x = in_the_frame(q, result.position[:, ball])
    v = in_the_frame(q, result.velocity[:, ball])
    off = int(np.argmax((np.linalg.norm(x, axis=1) > R * (1.0 + 1e-7)) & (x[:, 0] > 0.0)))
    cosine = (2.0 / (1.0 + k) + v0**2 / (G * R)) / (1.0 + 2.0 / (1.0 + k))
    speed = math.sqrt(G * R * cosine)
    assert x[off, 2] / R == pytest.approx(cosine, abs=3.0 * h * speed / R)
    on_edge = (x[:, 0] > 0.0) & (np.arange(len(x)) < off)
    assert np.abs(np.linalg.norm(x[on_edge], axis=1) - R).max() < 1e-8
    assert np.linalg.norm(v[off]) == pytest.approx(speed, rel=0.03)
    t = result.t[off:] - result.t[off]
    fall = x[off] + np.outer(t, v[off]) - np.outer(0.5 * t**2, (0, 0, G))
    assert np.abs(x[off:] - fall).max() < 1e-6 + 0.02 * h
    if not rolls:
        assert result.energy()[-1] == pytest.approx(result.energy()[0], rel=2e-3)


@pytest.mark.parametrize("seam", [0.0, 1e-3, 0.02])
def test_a_ball_does_not_feel_the_seams_of_a_table(seam):
    """Sliding, then rolling, and hopping, over four pieces as on a plane."""
    pieces = [quad(-3, seam, -3, 0), quad(seam, 3, -3, 0), quad(-3, seam, 0, 3), quad(seam, 3, 0, 3)]
    law = {"mu": 0.2, "e_n": 0.5}
    start = (-0.3, -0.2, R + 0.02), (1.0, 0.6, 0.0)
    model, ball = on_a_table(TURNS[0], pieces, *start, **law)
    plain = ns.Model(gravity=(0, 0, -G))
    other = plain.add_sphere(radius=R, mass=0.3, position=start[0], velocity=start[1])
    plain.add(SpherePlane(other, plain.add_plane(normal=(0, 0, 1)), **law))
    one, two = (ns.simulate(each, t_end=1.0, h=1e-3) for each in (model, plain))
    assert np.abs(one.position[:, ball] - two.position[:, other]).max() < 1e-9
    assert np.abs(one.angular_velocity[:, ball] - two.angular_velocity[:, other]).max() < 1e-7


@pytest.mark.parametrize("q", TURNS)
@pytest.mark.parametrize("thickness", [0.0, 0.01])
@pytest.mark.parametrize(
    ("aim", "nearest"),
    [
        ((0.0, 0.3, 0.2), (0.0, 0.3, 0.2)),  # a face
        ((0.0, 1.02, 0.2), (0.0, 1.0, 0.2)),  # an edge
        ((0.0, 1.02, 1.015), (0.0, 1.0, 1.0)),  # a corner
    ],
)
def test_a_cushion_is_hit_at_its_face_an_edge_and_a_corner(q, thickness, aim, nearest):
    """Without friction the velocity changes by -(1 + e) (n . v) n, n from the nearest point to the centre."""
    cushion = [(0, -1, -1), (0, 1, -1), (0, 1, 1), (0, -1, 1)]
    e, speed = 0.8, 2.0
    side = np.asarray(aim, float) - nearest
    reach = R + thickness
    normal = np.array([-math.sqrt(reach**2 - side @ side), *side[1:]]) / reach
    position = np.asarray(nearest) + reach * normal - (0.1, 0, 0)
    start = position, (speed, 0.0, 0.0)
    model, ball = on_a_table(q, [cushion], *start, thickness=thickness, gravity=0.0, e_n=e)
    result = ns.simulate(model, t_end=0.1, h=1e-4)
    v = in_the_frame(q, result.velocity[-1, ball])
    wanted = np.array(start[1]) - (1.0 + e) * (normal @ start[1]) * normal
    assert v == pytest.approx(wanted, abs=2e-2 if side.any() else 1e-9)  # n of the end of the step
    assert np.abs(result.contacts.gap).max() < 1e-8


def test_a_ball_falls_through_the_hole_of_a_table_and_lands_on_the_floor():
    hole = 0.08
    around = [
        quad(-1, -hole),
        quad(hole, 1),
        quad(-hole, hole, -1, -hole),
        quad(-hole, hole, hole, 1),
    ]
    model, ball = on_a_table(TURNS[0], around, (-0.5, 0, R), (0.5, 0, 0), mu=0.2)
    floor = model.add_plane(normal=(0, 0, 1), offset=-0.3)
    model.add(SpherePlane(ball, floor, mu=0.2))
    model.add(ns.Outlet(ns.regions.HalfSpace(normal=(0, 0, 1), offset=-0.2), name="pocket"))
    result = ns.simulate(model, t_end=3.0, h=1e-3)
    (event,) = result.events
    assert event.boundary.name == "pocket"
    x, y, _ = result.position[-1, ball]
    assert abs(x) < hole - 0.5 * R
    assert abs(y) < 1e-9
    assert "overlap" not in str(result.status)


def test_polygons_of_bodies_that_move_take_their_share():
    """A ball hits a free plate in its middle: both move as two balls."""
    model = ns.Model()
    plate = model.add_body(mass=0.6, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0))
    face = model.add_primitive(quad(-0.5, 0.5, -0.5, 0.5), radius=0.01, carrier=plate)
    ball = model.add_sphere(radius=R, mass=0.3, position=(0, 0, 0.2), velocity=(0, 0, -1.5))
    model.add(SpherePolygon(ball, face, e_n=1.0))
    result = ns.simulate(model, t_end=0.3, h=1e-3)
    assert result.velocity[-1, [int(ball), int(plate)], 2] == pytest.approx([0.5, -1.0], rel=1e-9)
    assert result.energy()[-1] == pytest.approx(result.energy()[0], rel=1e-9)


def test_many_balls_on_a_table_of_a_file(tmp_path):
    """Sixty balls, of which some fall over the edges; the file knows the table."""
    model = ns.Model(gravity=(0, 0, -G))
    table = model.add_body(position=(0, 0, 0), fixed=True, name="table")
    top = model.add_primitive(quad(-0.4, 0.4, -0.4, 0.4), radius=0.01, carrier=table)
    random = np.random.default_rng(1)
    for i in range(8):
        for j in range(8):
            position = (0.11 * i - 0.385, 0.11 * j - 0.385, R + 0.03)
            model.add_sphere(radius=R, mass=0.3, position=position, velocity=(*random.uniform(-1, 1, 2), 0))
    model.add(SphereSphere(among=model.spheres, mu=0.1, e_n=0.8))
    model.add(SpherePolygon(model.spheres, top, mu=0.2, e_n=0.3))
    model.add(ns.Outlet(ns.regions.HalfSpace(normal=(0, 0, 1), offset=-0.3), bodies=model.spheres))
    path = tmp_path / "run.h5"
    result = ns.simulate(model, t_end=0.6, h=1e-3, recording=ns.Recording(file=path, every=20))
    assert result.status.ok
    assert 3 < len(result.events) < 60
    there = result.present[-1, 1:]
    z = np.asarray(result.position[-1, 1:, 2])[there]
    over = np.abs(np.asarray(result.position[-1, 1:, :2])[there]).max(axis=1) < 0.4
    assert (z[over] > 0.0599).all()
    again = ns.resume(path, t_end=0.8)
    assert again.status.ok
    assert len(again.events) >= len(result.events)


def test_what_is_no_polygon_of_a_body_is_refused():
    model = ns.Model()
    table = model.add_body(position=(0, 0, 0), fixed=True)
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 1))
    loose = model.add_primitive(quad(0, 1))
    rod = model.add_primitive([(0, 0, 0), (1, 0, 0)], radius=0.1, carrier=table)
    own = model.add_primitive(quad(0, 1), carrier=ball)
    for wrong, message in (
        (loose, "a polygon of a body"),
        (rod, "three corners or more"),
        (own, "a body has no contact with itself"),
    ):
        with pytest.raises(ValueError, match=message):
            SpherePolygon(ball, wrong)
