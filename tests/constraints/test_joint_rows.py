"""Rows of joints against differences, the response of jointed bodies against dense algebra."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns
from nsgalpha.arrays import empty_motion
from nsgalpha.constraints.jointed_response import project_onto_joints
from nsgalpha.stepping.poses import displace
from nsgalpha.system.system import System
from tests.kernel_calls import measure_joints

ROWS = {
    e.Spherical: 3,
    e.Revolute: 5,
    e.Cylindrical: 4,
    e.Prismatic: 5,
    e.Planar: 3,
    e.Rigid: 6,
    e.Universal: 4,
    e.Distance: 1,
    e.Link: 2,
}


def turning(t):
    q = Rotation.from_rotvec([0.3 * t, 0.5 * t, -0.2 * t]).as_quat(scalar_first=True)
    return (np.sin(t), 0.2 * t, 0), (np.cos(t), 0.2, 0), q, (0.3, 0.5, -0.2)


def system_of(kind, rng, other="body"):
    """A joint of a `kind` with random markers, on bodies, ground or frame."""
    model = ns.Model()
    bodies = [
        model.add_body(
            mass=rng.uniform(0.5, 3.0),
            inertia=np.sort(rng.uniform(0.8, 1.2, 3)),
            position=3.0 * rng.normal(size=3),
            rotation=rng.normal(size=4),
        )
        for _ in range(2)
    ]
    plane = model.add_plane(normal=(0, 0, 1), motion=turning)
    b = {"body": bodies[1], "ground": None, "frame": plane}[other]
    ends = [
        e.Marker(end, rng.normal(size=3), axis=rng.normal(size=3), second=rng.normal(size=3))
        for end in (bodies[0], b)
    ]
    joint = kind(*ends, length=2.5) if kind in (e.Distance, e.Link) else kind(*ends)
    model.add(joint)
    return System(model)


def motion_of(system, rng):
    motion = empty_motion(system.size)
    n = system.count
    motion.x[:n] = [body.position for body in system.model.bodies]
    motion.q[:n] = [body.rotation for body in system.model.bodies]
    motion.v[:n], motion.w[:n] = rng.normal(size=(2, n, 3))
    system.place_frames(motion, 0.4)
    return motion


@pytest.mark.parametrize("other", ["body", "ground", "frame"])
@pytest.mark.parametrize("kind", ROWS)
def test_rows_are_the_derivatives_of_violations(kind, other):
    rng = np.random.default_rng(list(ROWS).index(kind))
    system = system_of(kind, rng, other)
    motion = motion_of(system, rng)
    V = np.hstack([motion.v, motion.w])
    found, step = [], 1e-5
    for sign in (1.0, -1.0):
        there = motion._replace(x=motion.x.copy(), q=motion.q.copy())
        displace(motion.x, motion.q, sign * step * V, there)
        measure_joints(system, there)
        found.append(system.joints.rows.g.copy())
    measure_joints(system, motion)
    rows, table = system.joints.rows, system.joints.table
    assert len(rows.g) == ROWS[kind]
    rates = [sum(rows.G[r, s] @ V[table.body[0, s]] for s in range(2)) for r in range(len(rows.g))]
    assert np.abs(rates - (found[0] - found[1]) / (2 * step)).max() < 1e-8
    assert np.abs(rates).min() > 1e-3


def test_rows_over_masses_and_the_projection_are_those_of_dense_algebra():
    rng = np.random.default_rng(8)
    model = ns.Model()
    bodies = [
        model.add_body(
            mass=rng.uniform(0.5, 3.0), inertia=np.sort(rng.uniform(0.8, 1.2, 3)), position=rng.normal(size=3)
        )
        for _ in range(4)
    ]
    for a, b, kind in (
        (0, None, e.Revolute),
        (0, 1, e.Universal),
        (1, 2, e.Spherical),
        (2, 3, e.Prismatic),
        (3, None, e.Distance),
    ):
        ends = bodies[a], bodies[b] if b is not None else None
        point = rng.normal(size=3)
        given = {
            e.Universal: {"point": point, "axis": (1, 0, 0), "second": (0, 1, 0)},
            e.Spherical: {"point": point},
            e.Distance: {"points": (point, rng.normal(size=3))},
        }
        model.add(kind(*ends, **given.get(kind, {"point": point, "axis": rng.normal(size=3)})))
    system = System(model)
    motion = motion_of(system, rng)
    measure_joints(system, motion)
    rows, table = system.joints.rows, system.joints.table
    G, size = np.zeros((len(rows.g), 6 * system.size)), 6 * system.count
    inverse = np.zeros((6 * system.size, 6 * system.size))
    for b in range(system.size):
        inverse[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = system.bodies.inverse_mass[b] * np.eye(3)
        inverse[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = system.work[b]
    for j, (first, last) in enumerate(zip(table.row, table.row[1:], strict=False)):
        for side, b in enumerate(table.body[j]):
            G[first:last, 6 * b : 6 * b + 6] += rows.G[first:last, side]
    S = G @ inverse @ G.T
    V = rng.normal(size=(system.size, 6))
    expected = V.ravel() - inverse @ G.T @ np.linalg.solve(S, G @ V.ravel())
    project_onto_joints(system.bodies.joints, V)
    assert np.abs(V.ravel() - expected).max() < 1e-13 * np.linalg.cond(S)
    assert np.abs(G[:, :size] @ V.ravel()[:size] + G[:, size:] @ V.ravel()[size:]).max() < 1e-12
