"""Outlets and feeders with steps that end early: `impacts="located"` and `accuracy=`."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import nsgalpha as ns
from elements import (
    CapsulePlane,
    Drive,
    JointFriction,
    Revolute,
    SpherePlane,
    SphereSphere,
)
from nsgalpha.case import load_case
from nsgalpha.run.region_entry import control_points, first_entry

G, R = 9.81, 0.1
UP = (0, 0, 1)
LOCATED = [{"h": h, "impacts": "located"} for h in (1e-3, 1e-2, 0.3)]
ACCURATE = [{"accuracy": 1e-6}]
IDS = ["h = 1 ms", "h = 10 ms", "h = 300 ms", "accuracy"]


def run(model, t_end, **options):
    result = ns.simulate(model, t_end=t_end, **options)
    assert result.status.ok, result.status
    return result


def struck(result):
    return result.t[1:][result.stats.located > 0]


def add_balls(model, places, **options):
    return [model.add_sphere(radius=R, mass=1.0, position=place, **options) for place in places]


@pytest.mark.parametrize("options", LOCATED + ACCURATE, ids=IDS)
def test_a_ball_that_comes_within_a_step_bounces_exactly(options):
    """Its arrival after a fall of 0.9 m, and that after a rebound with e = 0.8."""
    model, due = ns.Model(gravity=(0, 0, -G)), 0.123456
    (ball,) = add_balls(model, [(0, 0, R + 0.9)], angular_velocity=(0, 3.0, 0))
    model.add(SpherePlane(ball, model.add_plane(normal=UP), e_n=0.8))
    model.add(ns.Feeder(ball, times=[due]))
    result = run(model, 1.5, **options)
    v = math.sqrt(2.0 * G * 0.9)
    first, second = due + v / G, due + 2.6 * v / G
    assert result.events.t == pytest.approx([due], abs=1e-15)
    assert struck(result) == pytest.approx([first, second], abs=1e-13)
    t = np.array([0.0, 0.1, due, 0.13, 0.3, 0.7, 1.1, 1.5])
    found, since = result.at(t), t - due
    heights = [R + 0.9 - 0.5 * G * since**2]
    for u, at in ((0.8 * v, first), (0.64 * v, second)):
        heights.append(R + u * (t - at) - 0.5 * G * (t - at) ** 2)
    z = np.select([t <= due, t < first, t < second], [np.full(len(t), R + 0.9), *heights[:2]], heights[2])
    assert found.position[:, ball, 2] == pytest.approx(z, abs=1e-12)
    assert found.angular_velocity[:, ball, 1] == pytest.approx(3.0 * (t > due), abs=1e-12)
    assert found.rotation[:, ball, 2] == pytest.approx(np.sin(1.5 * np.maximum(since, 0.0)), abs=1e-12)
    assert (found.present[:, ball] == (t > due)).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_places_of_bodies_that_are_due_do_not_depend_on_the_steps(seed):
    found = []
    for options in LOCATED + ACCURATE:
        model = ns.Model(gravity=(0, 0, -G))
        balls = add_balls(model, np.zeros((6, 3)), velocity=(1.0, 0, 0.5))
        region = ns.regions.Box(low=(-5, -5, 5), high=(5, 5, 9))
        model.add(ns.Feeder(balls, region, rate=31.0, start=0.01, seed=seed))
        result = run(model, 0.5, **options)
        t = np.linspace(0.0, 0.5, 23)
        moved = result.at(t)
        assert result.events.t == pytest.approx(0.01 + np.arange(6) / 31.0, abs=1e-15)
        x = np.where(moved.present[..., None], moved.position, 0.0)
        since = np.maximum(t[:, None] - result.events.t, 0.0)
        assert moved.velocity[:, :, 2] == pytest.approx((0.5 - G * since) * (since > 0.0), abs=1e-11)
        found.append(x)
    assert np.ptp(found[0][-1, :, 0]) > 1.0
    assert max(np.abs(x - found[0]).max() for x in found) < 1e-11


@pytest.mark.parametrize("options", [LOCATED[1], {"h": 0.25, "impacts": "located"}, *ACCURATE])
def test_a_ball_that_comes_beside_one_strikes_it_at_once(options):
    """One is at rest, one flies by; e = 0.5."""
    model, hits = ns.Model(), []
    _, late, other = add_balls(model, [(0, 0, 0), (2.0 * R, 0, 0), (0, 5, 0)])
    model.bodies[late].velocity[:] = (-1.0, 0, 0)
    model.bodies[other].velocity[:] = (0, 1.0, 0)
    model.add(SphereSphere(among=model.spheres, e_n=0.5))
    model.add(ns.Feeder(late, times=[0.25]))
    result = run(model, 0.5, watch=[ns.OnImpact(hits.append)], **options)
    assert result.velocity[-1, :2, 0] == pytest.approx([-0.75, -0.25], abs=1e-12)
    assert [hit.t for hit in hits] == pytest.approx([0.25], abs=1e-14)
    assert hits[0].impulse[0] == pytest.approx(-0.75, abs=1e-12)
    assert result.stats.located.sum() == 1


@pytest.mark.parametrize("options", LOCATED + ACCURATE, ids=IDS)
def test_a_ball_comes_onto_a_moving_one(options):
    """It hangs at x = 2 from 0.3 s on; the other one arrives with 3 m/s at 2 - 2 R."""
    model = ns.Model()
    moves, late = add_balls(model, [(0, 0, 0), (2.0, 0, 0)])
    model.bodies[moves].velocity[:] = (3.0, 0, 0)
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    model.add(ns.Feeder(late, times=[0.3]))
    result = run(model, 1.0, **options)
    assert struck(result) == pytest.approx([(2.0 - 2.0 * R) / 3.0], abs=1e-13)
    assert result.velocity[-1, :, 0] == pytest.approx([0.0, 3.0], abs=1e-12)


@pytest.mark.parametrize("options", LOCATED + ACCURATE, ids=IDS)
def test_what_stood_on_a_ball_that_is_taken_away_falls_and_stands_again(options):
    model, gone = ns.Model(gravity=(0, 0, -G)), 0.1234
    low, *_ = add_balls(model, [(0, 0, (2 * k + 1) * R) for k in range(3)])
    model.add(SphereSphere(among=model.spheres, mu=0.3, e_n=0.5))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=UP), mu=0.3, e_n=0.5))
    model.add(ns.Outlet(None, bodies=low, start=gone))
    result = run(model, 1.2, **options)
    arrival = gone + math.sqrt(4.0 * R / G)
    assert result.events.t == pytest.approx([gone], abs=1e-15)
    assert struck(result)[0] == pytest.approx(arrival, abs=1e-13)
    t = np.array([0.1, 0.2, 0.3])
    z = result.at(t).position[:, 1:, 2]
    fall = 0.5 * G * np.maximum(t - gone, 0.0) ** 2
    assert z == pytest.approx(np.array([[3 * R, 5 * R]]) - fall[:, None], abs=1e-12)
    assert result.position[-1, 1:, 2] == pytest.approx([R, 3 * R], abs=1e-9)
    assert (result.at([0.2, 1.0]).velocity[:, low] == 0.0).all()


REGIONS = [
    ns.regions.Ball(centre=(0.5, 0, -0.2), radius=0.3),
    ns.regions.Box(low=(0.4, -1, -0.5), high=(0.7, 1, 0.2)),
    ns.regions.Cylinder(ends=[(0.2, -1, -1), (1, 1, 0)], radius=0.2),
    ns.regions.HalfSpace(normal=(0.5, 0, 1), offset=-0.4),
]


@pytest.mark.parametrize("region", REGIONS, ids=lambda region: type(region).__name__)
@pytest.mark.parametrize(
    "options", [*LOCATED, {"h": 2.0, "impacts": "located"}, *ACCURATE], ids=[*IDS[:3], "h = 2 s", "accuracy"]
)
def test_a_body_leaves_where_it_enters_an_outlet(region, options):
    """On a parabola, also in one step that leads through the region."""
    model = ns.Model(gravity=(0, 0, -G))
    (ball,) = add_balls(model, [(0, 0, 0)], velocity=(1.0, 0, 3.0))
    model.add(ns.Outlet(region, name="pit"))
    result = run(model, 2.0, **options)

    def place(t):
        return np.array([t, 0.0, 3.0 * t - 0.5 * G * t**2])

    times = np.linspace(0.0, 2.0, 20001)
    inside = np.flatnonzero(region.depth(np.array([place(t) for t in times])) >= 0.0)[0]
    entry = brentq(lambda t: region.depth(place(t)[None])[0], times[inside - 1], times[inside], xtol=1e-15)
    assert result.events.t == pytest.approx([entry], abs=1e-12)
    assert result.position[-1, ball] == pytest.approx(place(entry), abs=1e-11)
    assert not result.velocity[-1, ball].any()
    last = result.at([entry - 0.01, entry + 0.01])
    assert last.position[:, ball] == pytest.approx(np.array([place(entry - 0.01), place(entry)]), abs=1e-11)


def test_an_image_of_an_outlet_takes_bodies_in_a_cell():
    """A ball crosses the boundary and the image of a box in one step."""
    model = ns.Model(periodic=(2.0, None, None))
    (ball,) = add_balls(model, [(0.5, 0, 0)], velocity=(7.0, 0, 0))
    model.add(ns.Outlet(ns.regions.Box(low=(0.3, -1, -1), high=(0.45, 1, 1))))
    result = run(model, 0.5, h=0.5, impacts="located")
    assert result.events.t == pytest.approx([1.8 / 7.0], abs=1e-13)
    assert result.position[-1, ball, 0] == pytest.approx(2.3, abs=1e-12)


def conveyor(**feeder):
    model = ns.Model()
    balls = add_balls(model, np.zeros((4, 3)), velocity=(1.0, 0, 0))
    model.add(SphereSphere(among=balls))
    model.add(ns.Feeder(balls, **feeder))
    return model


@pytest.mark.parametrize("options", LOCATED + ACCURATE, ids=IDS)
def test_a_body_that_waits_comes_when_its_place_is_free(options):
    """It takes 2 R at 1 m/s."""
    assert run(conveyor(), 1.0, **options).events.t == pytest.approx([0.0, 0.2, 0.4, 0.6], abs=1e-12)
    given = run(conveyor(times=[0.0, 0.05, 0.5, 0.51]), 1.0, **options)
    assert given.events.t == pytest.approx([0.0, 0.2, 0.5, 0.7], abs=1e-12)


def attracted():
    """A ball comes into a field of 3 rad/s; another one is taken away."""
    model = ns.Model()
    late, other = add_balls(model, [(1, 0, 0), (0, 5, 0)])
    model.bodies[late].velocity[:] = (0, 0, 2.0)
    model.add_load(lambda t, state: -9.0 * state.position)
    model.add(ns.Feeder(late, times=[0.1]))
    model.add(ns.Outlet(ns.regions.Ball(centre=(-1, 0, 0.3), radius=0.4), bodies=late))
    model.add(ns.Outlet(None, bodies=other, start=0.61))
    return model


def ellipse(t):
    return np.array([math.cos(3.0 * (t - 0.1)), 0.0, math.sin(3.0 * (t - 0.1)) / 1.5])


def attracted_errors(**options):
    """Errors of the entry, and of the motion between steps."""
    entry = brentq(lambda t: 0.4 - np.linalg.norm(ellipse(t) - [-1, 0, 0.3]), 0.1, 1.0, xtol=1e-14)
    result = run(attracted(), 1.3, **options)
    assert result.events.t[:2] == pytest.approx([0.1, 0.61], abs=1e-15)
    t = np.linspace(0.11, 0.85, 30)
    way = np.abs(result.at(t).position[:, 0] - [ellipse(each) for each in t]).max()
    return abs(result.events.t[2] - entry), way


def test_times_and_motion_are_of_second_order_in_the_step():
    errors = np.array([attracted_errors(h=h, impacts="located") for h in (0.04, 0.02, 0.01)])
    assert np.log2(errors[:-1] / errors[1:]).min() > 1.8


@pytest.mark.parametrize("accuracy", [1e-3, 1e-4, 1e-5])
def test_times_and_motion_are_as_exact_as_asked(accuracy):
    """Speeds are up to 3 m/s; the scene is 5.1 m wide."""
    entry, way = attracted_errors(accuracy=accuracy)
    assert entry < 3.0 * accuracy
    assert way < 3.0 * 5.1 * accuracy


def rain(seed=1, count=8):
    """Balls that rain onto a slope, from which they roll into an outlet."""
    model = ns.Model(gravity=(0, 0, -G))
    balls = add_balls(model, np.zeros((count, 3)), velocity=(0.5, 0, -1.0))
    model.add(SphereSphere(among=balls, mu=0.3, e_n=0.2))
    model.add(SpherePlane(balls, model.add_plane(normal=(-0.3, 0, 1)), mu=0.3))
    region = ns.regions.Box(low=(-0.5, -0.5, 0.8), high=(0.5, 0.5, 1.0))
    model.add(ns.Feeder(balls, region, rate=60.0, seed=seed))
    model.add(ns.Outlet(ns.regions.HalfSpace(normal=(1, 0, 0), offset=-0.6), name="left"))
    return model


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("options", [LOCATED[1], {"accuracy": 1e-4}], ids=["located", "accuracy"])
@pytest.mark.parametrize("build", [rain, conveyor, attracted])
def test_a_resumed_run_has_the_same_bits(tmp_path, build, options, every):
    t_end = 0.8
    whole, parts = (ns.Recording(every=every, file=tmp_path / name) for name in ("a.h5", "b.h5"))
    watch = [ns.Sensor("h", lambda now: now.h, times=[0.1, 0.65])]
    one = run(build(), t_end, recording=whole, watch=watch, **options)
    stop = ns.StopWhen(lambda now: now.t > 0.45)
    run(build(), t_end, recording=parts, watch=[*watch, stop], **options)
    model = build() if build is attracted else None
    two = ns.resume(parts.file, t_end=t_end, watch=watch, model=model)
    for name in ("h", "located", "trials", "following", "speed"):
        assert np.array_equal(getattr(one.stats, name)[:], getattr(two.stats, name)[:]), name
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name)[-1], getattr(two, name)[-1]), name
    for name in ("t", "body", "entered"):
        assert np.array_equal(getattr(one.events, name), getattr(two.events, name)), name
    assert two.events.t[-1] > 0.45
    assert np.array_equal(one.sensors["h"].value, two.sensors["h"].value)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_grains_leave_at_the_edge_and_never_overlap(seed):
    """Grains that leave have their last place on the plane of the outlet."""
    result = run(rain(seed, 30), 0.8, h=1e-2, impacts="located")
    assert result.events.entered.sum() == 30
    left = result.events.of(result.model.open_boundaries[1])
    assert len(left) >= 2
    assert result.position[-1, left.body, 0] == pytest.approx(-0.6, abs=1e-9)
    c = result.contacts
    assert result.present[c.record, c.body_a].all()
    for x, there in zip(result.position, result.present, strict=True):
        d = np.linalg.norm(x[there, None] - x[there], axis=2) + 9.0 * np.eye(there.sum())
        assert d.min(initial=9.0) > 2.0 * R * (1.0 - 1e-9)
    assert result.stats.located.min() >= 0


def test_many_bodies_in_a_step_are_no_impacts_that_are_missed(monkeypatch):
    monkeypatch.setattr("nsgalpha.schemes.generalized_alpha.located_stepper.MOST_IN_ALL", 40)
    model = ns.Model(gravity=(0, 0, -G))
    ball, *others = add_balls(model, [(k, 0, R + 0.9) for k in range(101)])
    model.add(SpherePlane(ball, model.add_plane(normal=UP), e_n=0.5))
    model.add(ns.Feeder(others, rate=200.0))
    result = run(model, 0.5, h=0.05, impacts="located")
    assert len(result.events) == 101 - 1
    assert struck(result) == pytest.approx([math.sqrt(1.8 / G)], abs=1e-12)


def bystanders(boundaries):
    """Pendulum with friction, a drive, a cell; balls come and go beside them."""
    model = ns.Model(gravity=(0, 0, -G), periodic=(2.0, None, None))
    pins = []
    for y in (3.0, 6.0):
        rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, y, 0))
        pins.append(model.add(Revolute(None, rod, point=(0, y, 0), axis=(0, 1, 0))))
    model.add(JointFriction(pins[0], bound=0.2))
    model.add(Drive(pins[1], [[0, 0, 0], [1, 1.2, 0], [2, 0.4, 0]]))
    if boundaries:
        balls = add_balls(model, [(0.9, 0, -1.5)] * 3, velocity=(1.5, 0, 0))
        model.add(SphereSphere(among=balls, mu=0.2, e_n=0.5))
        floor = model.add_plane(normal=UP, offset=-2.0)
        model.add(SpherePlane(balls, floor, mu=0.2, e_n=0.5))
        model.add(ns.Feeder(balls, times=[0.05, 0.21, 0.4]))
        model.add(ns.Outlet(ns.regions.Box(low=(0.3, -1, -3), high=(0.5, 1, 3)), bodies=balls))
    return model


@pytest.mark.parametrize(
    ("options", "least"), [({"h": 5e-3, "impacts": "located"}, 1e-3), ({"accuracy": 1e-5}, 1e-4)]
)
def test_bystanders_are_not_disturbed(options, least):
    """Their motion is that of a fine run without boundaries."""
    t = [0.3, 0.6, 0.9]
    alone, beside = (run(bystanders(each), 1.0, **options).at(t).position[:, :2] for each in (False, True))
    fine = run(bystanders(False), 1.0, h=5e-4, impacts="located").at(t).position[:, :2]
    error = np.abs(alone - fine).max()
    assert error < least
    assert np.abs(beside - fine).max() < 2.0 * error


def test_a_capsule_that_comes_turns_as_one_that_was_there():
    """It strikes the floor with its ends, 0.1 s later."""
    angles = []
    for due in (0.0, 0.1):
        model = ns.Model(gravity=(0, 0, -G))
        body = model.add_body(
            mass=1.0, inertia=(0.01, 0.02, 0.023), position=(0, 0, 0.8), angular_velocity=(0.5, 2.0, 1.0)
        )
        rod = model.add_primitive([(-0.3, 0, 0), (0.3, 0, 0)], radius=0.05, carrier=body)
        model.add(CapsulePlane(rod, model.add_plane(normal=UP), mu=0.3, e_n=0.4))
        model.add(ns.Feeder(body, times=[due]))
        result = run(model, 0.8, accuracy=1e-5)
        assert (result.stats.error > 1e-9).sum() > 10
        angles.append(result.at(due + np.array([0.2, 0.35, 0.6])).rotation[:, body])
    assert np.abs((angles[0] * angles[1]).sum(axis=1)) == pytest.approx(np.ones(3), abs=1e-8)


def test_the_error_of_a_body_that_comes_has_its_rotation():
    """Steps are those without a feeder: its inertia is that of a body that moves."""
    errors = []
    for fed in (False, True):
        model = ns.Model()
        tensor = (0.01, 0.02, 0.023)
        ball = model.add_sphere(
            radius=0.5, mass=1.0, inertia=tensor, position=(0, 0, 0), angular_velocity=(0.5, 2.0, 1.0)
        )
        if fed:
            model.add(ns.Feeder(ball))
        errors.append(run(model, 2.0, accuracy=1e-4).stats.error)
    assert len(errors[0]) > 30
    assert np.array_equal(*errors)


def test_a_ball_at_rest_that_is_pushed_leaves_in_its_step():
    """Nothing moves but a plane, which arrives at 0.1 s; fixed steps look in time, too."""
    model = ns.Model()
    (ball,) = add_balls(model, [(0, 0, 0)])
    motion = ns.ConstantVelocity(velocity=(1.0, 0, 0))
    model.add(SpherePlane(ball, model.add_plane(normal=(1, 0, 0), offset=-0.2, motion=motion)))
    model.add(ns.Outlet(ns.regions.HalfSpace(normal=(-1, 0, 0), offset=-0.0205)))
    assert run(model, 0.4, h=1e-3).events.t == pytest.approx([0.121], abs=1e-9)
    for options in LOCATED + ACCURATE:
        assert run(model, 0.4, **options).events.t == pytest.approx([0.1205], abs=1e-12)


def test_a_case_file_takes_boundaries_with_an_accuracy(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(
        'gravity = [0, 0, -10]\n[[bodies]]\ntype = "sphere"\nname = "ball"\n'
        "radius = 0.1\nmass = 1.0\nposition = [0, 0, 1]\n"
        '[[open_boundaries]]\ntype = "Feeder"\nbodies = "ball"\ntimes = [0.137]\n'
        '[[open_boundaries]]\ntype = "Outlet"\n'
        'region = {type = "HalfSpace", normal = [0, 0, 1], offset = 0.2}\n'
        "[run]\nt_end = 1.0\naccuracy = 1e-4\n"
    )
    result = load_case(path).run()
    assert result.events.t == pytest.approx([0.137, 0.137 + 0.4], abs=1e-12)


@pytest.mark.parametrize("region", REGIONS, ids=lambda region: type(region).__name__)
def test_the_first_entry_is_that_of_dense_samples(region):
    random, s = np.random.default_rng(5), np.linspace(0.0, 1.0, 20001)
    found = 0
    for _ in range(40):
        x0, x1, v0, v1 = random.normal(scale=(1.0, 0.4, 1.0), size=(4, 3))
        curve = control_points(x0[None], v0[None], x1[None], v1[None], 1.0)
        weights = np.array([(1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s**2 * (1 - s), s**3])
        depth = region.depth(weights.T @ curve[0])
        if depth[0] >= 0.0:
            continue
        part = first_entry(region.depth, curve)
        inside = np.flatnonzero(depth >= 0.0)
        if not len(inside):
            assert part == math.inf or depth.max() > -1e-6
            continue
        found += 1
        assert s[inside[0] - 1] < part <= s[inside[0]]
        r = 1.0 - part
        at = np.array([r**3, 3 * part * r**2, 3 * part**2 * r, part**3]) @ curve[0]
        assert region.depth(at[None])[0] == pytest.approx(0.0, abs=1e-11)
    assert found >= 3


def test_a_curve_along_a_region_ends_its_search():
    """A way of 1 m beside a half-space, 1e-9 m apart, is halved no more than so often."""
    x = np.array([[0.0, 0, 1e-9], [1.0, 0, 1e-9]])
    v = np.array([[1.0, 0, 0]])
    curve = control_points(x[:1], v, x[1:], v, 1.0)
    calls = []

    def depth(points):
        calls.append(len(points))
        return -points[:, 2]

    assert first_entry(depth, curve) == math.inf
    assert sum(calls) < 2000
    assert first_entry(depth, curve[:0]) == math.inf
