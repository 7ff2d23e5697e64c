"""Hard contact of capsules: gaps against exact distances, rows against differences of the motion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CapsuleCapsule, CapsulePlane, CapsuleSphere
from elements.geometry.capsule_geometry import AXIS, BESIDE
from nsgalpha.model.contact_keys import contact_key, key_parts
from nsgalpha.system.system import System
from tests.kernel_calls import measured_candidates

KINDS = ["plane", "carried plane", "sphere", "capsule", "second capsule"]
seeds = st.integers(0, 10**6)


def scene(kind, seed):
    """A capsule off its body's centre, and another shape: system, motion, candidates."""
    rng = np.random.default_rng(seed)
    model = ns.Model()
    bodies = [
        (model.add_sphere if k == 1 else model.add_body)(
            mass=1.0,
            inertia=(1.0, 1.2, 1.5),
            position=rng.normal(size=3),
            velocity=rng.normal(size=3),
            angular_velocity=rng.normal(size=3),
            rotation=rng.normal(size=4),
            **({"radius": 0.2} if k == 1 else {}),
        )
        for k in range(2)
    ]
    capsules = [
        model.add_primitive(rng.normal(size=(2, 3)), radius=rng.uniform(0.01, 0.1), carrier=bodies[k])
        for k in (1, 0, 1, 0)
    ]
    if "plane" in kind:
        carrier = bodies[1] if kind == "carried plane" else None
        model.add(CapsulePlane(capsules[1], model.add_plane(normal=rng.normal(size=3), body=carrier)))
    elif kind == "sphere":
        model.add(CapsuleSphere(capsules[1], bodies[1]))
    else:
        pair = capsules[:2] if kind == "capsule" else capsules[2:]
        model.add(CapsuleCapsule(among=pair[::-1], mu=0.1))
    return measured_candidates(model)


def ends(system, motion, primitive):
    """Ends (2, 3) of a capsule, inertial."""
    shapes, body = system.model.shapes, primitive.carrier.index
    places = np.array([shapes.places[row] for row in primitive.corners])
    return motion.x[body] + Rotation.from_quat(np.roll(motion.q[body], -1)).apply(places)


def moved(motion, s):
    """The motion after the time `s` at constant velocities."""
    turns = [
        Rotation.from_rotvec(s * w) * Rotation.from_quat(np.roll(q, -1))
        for w, q in zip(motion.w, motion.q, strict=True)
    ]
    q = np.array([np.roll(turn.as_quat(), 1) for turn in turns])
    return motion._replace(x=motion.x + s * motion.v, q=q)


def distance_of_axes(a, b):
    """Distance of two segments (2, 3)."""
    columns = np.column_stack([a[1] - a[0], b[0] - b[1]])
    st = lsq_linear(columns, b[0] - a[0], bounds=(0.0, 1.0), method="bvls", tol=1e-15).x
    return np.linalg.norm(columns @ st + a[0] - b[0])


@given(seed=seeds)
def test_the_least_gap_of_two_capsules_is_that_of_the_closest_points_of_their_axes(seed):
    system, motion, candidates = scene("capsule", seed)
    one, two = system.model.elements[0].handles()
    distance = distance_of_axes(ends(system, motion, one), ends(system, motion, two))
    thinner = min(one.radius, two.radius)
    more = candidates.gap.min() - (distance - one.radius - two.radius)  # nearly parallel axes, see BESIDE
    assert more == pytest.approx(0.0, abs=1e-12) or 0.0 < more < 0.25 * BESIDE**2 * thinner
    assert candidates.length.tolist() == [thinner] * 5


@pytest.mark.parametrize("turn", [1.5, 0.5, 0.05])
def test_capsules_that_cross_near_an_end_touch_where_they_cross(turn):
    """The crossing is a hundredth of a radius before an end."""
    r, gap = 0.1, 1e-3
    model = ns.Model()
    bodies = [model.add_capsule(r, 1.0, mass=1.0, position=(0, 0, 0)) for _ in range(2)]
    model.add(CapsuleCapsule(between=tuple(model.primitives)))
    system = System(model)
    motion = system.motion(model.initial_state())
    motion.x[bodies[1].index] = 2.0 * r + gap, 0.0, 0.499 - 0.1 * np.cos(turn)
    motion.x[bodies[1].index, 1] = 0.1 * np.sin(turn)
    motion.q[bodies[1].index] = np.cos(0.5 * turn), np.sin(0.5 * turn), 0.0, 0.0
    candidates = system.candidates(motion.x, 1.0)
    system.measure(motion, candidates)
    assert candidates.gap.min() == pytest.approx(gap, abs=1e-15)
    assert (candidates.gap < 2.0 * gap).sum() < 4


@given(seed=seeds)
def test_the_gap_of_capsule_and_sphere(seed):
    system, motion, candidates = scene("sphere", seed)
    capsule, ball = system.model.elements[0].handles()
    distance = distance_of_axes(ends(system, motion, capsule), np.tile(motion.x[ball], (2, 1)))
    assert candidates.gap.tolist() == [pytest.approx(distance - capsule.radius - ball.radius, abs=1e-12)]


@given(seed=seeds)
def test_the_gaps_of_the_ends_of_a_capsule_and_a_plane(seed):
    system, motion, candidates = scene("plane", seed)
    capsule, plane = system.model.elements[0].handles()
    expected = ends(system, motion, capsule) @ plane.normal - capsule.radius
    assert candidates.gap == pytest.approx(expected, abs=1e-14)
    assert candidates.feature.tolist() == [contact_key(0, end, 0, 0) for end in (0, 1)]


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
def test_the_normal_row_is_the_rate_of_the_gap(kind, seed):
    """Of all contacts of a pair that count, open or closed."""
    system, motion, candidates = scene(kind, seed)
    dt = 1e-6
    ahead, behind = (candidates._replace(**workspace(candidates)) for _ in range(2))
    system.measure(moved(motion, dt), ahead)
    system.measure(moved(motion, -dt), behind)
    counts = np.isfinite([ahead.gap, candidates.gap, behind.gap]).all(axis=0)
    assert counts.any()
    rate = (ahead.gap[counts] - behind.gap[counts]) / (2.0 * dt)
    a, b, gap, n, p = (getattr(candidates, name)[counts] for name in ("a", "b", "gap", "normal", "lever"))
    ends_of_levers = motion.x[a] + p[:, 0] - motion.x[b] - p[:, 1]
    assert ends_of_levers == pytest.approx(gap[:, None] * n, abs=1e-12)
    velocity = [motion.v[i] + np.cross(motion.w[i], p[:, side]) for side, i in ((0, a), (1, b))]
    expected = ((velocity[0] - velocity[1]) * n).sum(axis=1)
    assert rate == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert np.linalg.norm(n, axis=1) == pytest.approx(1.0, abs=1e-14)


def workspace(candidates):
    """Copies of the measurements."""
    return {name: getattr(candidates, name).copy() for name in ("gap", "normal", "lever", "length")}


@pytest.mark.parametrize("turned", [0.0, 1e-9, 1e-3])
@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_parallel_capsules_touch_in_two_places(turned, shift):
    """They are the ends within the other one."""
    model = ns.Model()
    turn = np.cos(0.5 * turned), 0, 0, np.sin(0.5 * turned)
    bodies = [
        model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0), rotation=turn),
        model.add_body(mass=1.0, inertia=1.0, position=(shift, 0, 0.2)),
    ]
    rods = [model.add_primitive([(-1, 0, 0), (1, 0, 0)], radius=0.1, carrier=body) for body in bodies]
    model.add(CapsuleCapsule(among=rods))
    candidates = measured_candidates(model)[2]
    closed = candidates.gap < 0.25 * BESIDE**2 * 0.1
    places = np.sort(np.unique(candidates.lever[closed, 0, 0].round(3)))
    assert places == pytest.approx([shift - 1.0, 1.0], abs=1e-3)
    assert (AXIS, AXIS) not in zip(*key_parts(candidates.feature[closed])[1::2], strict=True)


@pytest.mark.parametrize("angle", [1e-2, 0.5, 1.5])
def test_crossed_capsules_touch_where_they_cross(angle):
    model = ns.Model()
    turn = np.cos(0.5 * angle), 0, 0, np.sin(0.5 * angle)
    bodies = [
        model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0)),
        model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0.2), rotation=turn),
    ]
    rods = [model.add_primitive([(-1, 0, 0), (2, 0, 0)], radius=0.1, carrier=body) for body in bodies]
    model.add(CapsuleCapsule(among=rods))
    candidates = measured_candidates(model)[2]
    assert candidates.gap[4] == pytest.approx(0.0, abs=1e-15)
    assert candidates.normal[4] == pytest.approx([0, 0, -1], abs=1e-12)
    assert candidates.lever[4] == pytest.approx(np.array([[0, 0, 0.1], [0, 0, -0.1]]), abs=1e-9)
    assert (candidates.gap[:4] > 0.0).all()
