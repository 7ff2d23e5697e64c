"""Gap, normal, levers and six rows of a contact against finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.arrays import empty_motion
from nsgalpha.contact.rows import contact_kinematics
from tests.kernel_calls import measured_candidates

LAW = {"mu": 0.3, "rolling_radius": 0.01, "drilling_radius": 0.02}
KINDS = ["spheres", "fixed", "carried", "prescribed"]


def two_sides(kind, rng):
    """A system with one contact of `kind`, and velocities of bodies and frames."""
    model = ns.Model()
    turn = Rotation.random(None, rng)
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    for _ in range(2):
        model.add_sphere(
            radius=rng.uniform(0.5, 2.0),
            mass=rng.uniform(0.5, 3.0),
            position=rng.normal(size=3) * 0.1,
            velocity=rng.normal(size=3),
            angular_velocity=rng.normal(size=3),
            rotation=np.roll(turn.as_quat(), 1),
            inertia=(1.0, 1.2, 1.5),
        )
    a, b = model.spheres
    v, w = rng.normal(size=(2, 3))
    if kind == "spheres":
        model.add(SphereSphere(among=[a, b], **LAW))
    else:
        state = (v * 0.0, v, np.roll(turn.as_quat(), 1), w)
        plane = model.add_plane(
            normal=n,
            offset=rng.normal(),
            body=b if kind == "carried" else None,
            motion=(lambda t: state) if kind == "prescribed" else None,
        )
        model.add(SpherePlane(a, plane, **LAW))
    system, motion, candidates = measured_candidates(model)
    gap = candidates.gap[0]
    motion.x[0] -= gap * candidates.normal[0]  # closed, so that both levers end in one point
    measure(system, candidates, motion.x, motion.q)
    return system, motion, candidates


def measure(system, candidates, x, q):
    system.measure(empty_motion(len(x))._replace(x=x, q=q), candidates)
    return candidates.gap[0]


def moved(motion, s):
    """Pose after the time `s` at constant velocities."""
    x = motion.x + s * motion.v
    turns = [
        Rotation.from_rotvec(s * w) * Rotation.from_quat(np.roll(q, -1))
        for w, q in zip(motion.w, motion.q, strict=True)
    ]
    return x, np.array([np.roll(turn.as_quat(), 1) for turn in turns])


def rates(system, motion, candidates):
    rows = contact_kinematics.contact_rows(
        np.array([0]), np.array([0, 1]), candidates, system.laws, system.bodies, system.bodies.inverse_inertia
    )
    twist = np.hstack([motion.v, motion.w])
    return rows, np.einsum("rsi,si->r", rows.G, twist[rows.body[0]])


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6))
def test_the_normal_row_is_the_rate_of_the_gap(kind, seed):
    system, motion, candidates = two_sides(kind, np.random.default_rng(seed))
    assert abs(candidates.gap[0]) < 1e-14
    _, u = rates(system, motion, candidates)
    eps = 1e-5
    ahead, behind = (measure(system, candidates, *moved(motion, s)) for s in (eps, -eps))
    assert (ahead - behind) / (2.0 * eps) == pytest.approx(u[0], abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6))
def test_sliding_rolling_and_drilling_rows_are_relative_motion_at_the_contact_point(kind, seed):
    """Coincident material points of both bodies are followed for a moment."""
    system, motion, candidates = two_sides(kind, np.random.default_rng(seed))
    rows, u = rates(system, motion, candidates)
    n = candidates.normal[0].copy()
    t = np.array(contact_kinematics.tangents(*n)).reshape(2, 3)
    a, b = int(candidates.a[0]), int(candidates.b[0])
    point = motion.x[a] + candidates.lever[0, 0]
    assert point == pytest.approx(motion.x[b] + candidates.lever[0, 1], abs=1e-13)
    eps = 1e-5

    def relative(s):
        x, q = moved(motion, s)
        ends = []
        for k in (a, b):
            old, new = (Rotation.from_quat(np.roll(p[k], -1)) for p in (motion.q, q))
            ends.append(x[k] + (new * old.inv()).apply(point - motion.x[k]))
        return ends[0] - ends[1]

    velocity = (relative(eps) - relative(-eps)) / (2.0 * eps)
    spin = motion.w[a] - motion.w[b]
    assert rows.G.shape == (6, 2, 6)
    assert u[:3] == pytest.approx([n @ velocity, *(t @ velocity)], abs=1e-8)
    assert u[3:] == pytest.approx([*(t @ spin), n @ spin], abs=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_the_normal_points_from_b_to_a_and_the_gap_opens_along_it(kind):
    system, motion, candidates = two_sides(kind, np.random.default_rng(4))
    a = int(candidates.a[0])
    n = candidates.normal[0].copy()
    assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-15)
    motion.x[a] += 0.25 * n
    assert measure(system, candidates, motion.x, motion.q) == pytest.approx(0.25, abs=1e-14)


@given(seed=st.integers(0, 10**6))
def test_rows_of_the_two_sides_are_a_wrench_and_its_reaction(seed):
    system, motion, candidates = two_sides("spheres", np.random.default_rng(seed))
    rows, _ = rates(system, motion, candidates)
    force, torque = rows.G[:, :, :3], rows.G[:, :, 3:]
    assert np.abs(force.sum(axis=1)).max() < 1e-15
    moment = torque + np.cross(motion.x[rows.body[0]][None], force)
    assert np.abs(moment.sum(axis=1)).max() < 1e-13


@given(seed=st.integers(0, 10**6))
def test_rows_over_mass_are_the_response_of_the_bodies(seed):
    system, motion, candidates = two_sides("carried", np.random.default_rng(seed))
    rows, _ = rates(system, motion, candidates)
    for side, b in enumerate(rows.body[0]):
        M = np.zeros((6, 6))
        M[:3, :3] = system.bodies.mass[b] * np.eye(3)
        M[3:, 3:] = system.bodies.inertia[b]
        assert np.abs(rows.MG[:, side] @ M - rows.G[:, side]).max() < 1e-13


@given(seed=st.integers(0, 10**6), axis=st.sampled_from([None, 0, 1, 2]))
def test_tangents_and_normal_are_a_right_handed_frame(seed, axis):
    n = np.random.default_rng(seed).normal(size=3) if axis is None else np.eye(3)[axis] * (-1) ** seed
    n = n / np.linalg.norm(n)
    t1, t2 = np.array(contact_kinematics.tangents(*n)).reshape(2, 3)
    assert np.cross(t1, t2) == pytest.approx(n, abs=1e-15)
    assert np.array([t1 @ n, t2 @ n, t1 @ t2]) == pytest.approx(0.0, abs=1e-15)
    assert np.linalg.norm([t1, t2], axis=1) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("law", "rows", "sets"),
    [
        ({}, 1, 1),
        ({"mu": 0.1}, 3, 2),
        ({"rolling_radius": 0.1}, 3, 2),
        ({"drilling_radius": 0.1}, 2, 2),
        (LAW, 6, 4),
    ],
)
def test_a_contact_has_only_the_rows_that_its_law_needs(law, rows, sets):
    model = ns.Model()
    for x in (-1.0, 1.0):
        model.add_sphere(radius=1.0, mass=1.0, position=(x, 0, 0))
    model.add(SphereSphere(among=model.spheres, **law))
    system, motion, candidates = measured_candidates(model)
    found, _ = rates(system, motion, candidates)
    assert found.G.shape[0] == rows
    assert len(found.set_row) == sets
    assert found.set_radius[1:] == pytest.approx(list(law.values()))
