"""Invariance of a scene under frame, order, mirror and units."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import G, random_inertia
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

LAW = {"mu": 0.3, "e_n": 0.6, "rolling_radius": 1e-3, "drilling_radius": 5e-4}
STEP, END = 1e-3, 0.25


def scene():
    """A scene as plain data: four general bodies falling in a corner."""
    rng = np.random.default_rng(5)
    bodies = [
        {
            "radius": 0.05 + 0.01 * k,
            "mass": 1.0 + k,
            "position": np.array([0.06 + 0.01 * k, 0.09, 0.06 + 0.16 * k]),
            "velocity": rng.normal(size=3),
            "angular_velocity": rng.normal(size=3) * 10.0,
            "inertia": random_inertia(rng, 3e-3 * (1.0 + k)),
            "rotation": Rotation.random(None, rng),
        }
        for k in range(4)
    ]
    planes = [(np.array(n, float), 0.0) for n in ((0, 0, 1), (1, 0, 0), (0, 1, 0))]
    return bodies, planes, np.array([-1.0, -0.5, -G])


def run(bodies, planes, gravity, pairs=None, law=LAW, h=STEP, end=END, tol=1e-12):
    model = ns.Model(gravity=gravity)
    for body in bodies:
        quaternion = np.roll(body["rotation"].as_quat(), 1)
        model.add_sphere(**{**body, "rotation": quaternion})
    walls = [model.add_plane(normal=n, offset=d) for n, d in planes]
    if pairs is None:
        model.add(SphereSphere(among=model.spheres, **law))
    else:
        model.add(SphereSphere(pairs=[(model.spheres[i], model.spheres[j]) for i, j in pairs], **law))
    model.add(SpherePlane(model.spheres, walls, **law))
    result = ns.simulate(model, t_end=end, h=h, tol=tol)
    assert result.status.ok, result.status
    return result


@pytest.fixture(scope="module")
def original():
    result = run(*scene())
    assert (
        len(set(zip(result.contacts.body_a, result.contacts.body_b, result.contacts.plane, strict=True))) >= 5
    )
    return result


def close(a, b, tolerance=1e-7):
    assert np.abs(a - b).max() < tolerance * np.abs(b).max()


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), shift=st.floats(-1.0, 1.0))
def test_a_rotated_and_shifted_scene_moves_the_same(original, seed, shift):
    turn = Rotation.random(None, np.random.default_rng(seed))
    offset = shift * np.array([1.0, -2.0, 0.5])
    bodies, planes, gravity = scene()
    for body in bodies:
        for name in ("position", "velocity", "angular_velocity"):
            body[name] = turn.apply(body[name])
        body["position"] = body["position"] + offset
        body["rotation"] = turn * body["rotation"]
    planes = [(turn.apply(n), d + turn.apply(n) @ offset) for n, d in planes]
    result = run(bodies, planes, turn.apply(gravity))
    close(turn.inv().apply((result.position - offset).reshape(-1, 3)), original.position.reshape(-1, 3))
    close(turn.inv().apply(result.velocity.reshape(-1, 3)), original.velocity.reshape(-1, 3))
    close(turn.inv().apply(result.angular_velocity.reshape(-1, 3)), original.angular_velocity.reshape(-1, 3))


@settings(max_examples=8)
@given(order=st.permutations(range(4)), planes_order=st.permutations(range(3)), data=st.data())
def test_the_order_of_bodies_planes_and_pairs_does_not_matter(original, order, planes_order, data):
    bodies, planes, gravity = scene()
    pairs = data.draw(st.permutations([(i, j) for i in range(4) for j in range(i)]))
    pairs = [pair[::-1] if data.draw(st.booleans()) else pair for pair in pairs]
    result = run([bodies[i] for i in order], [planes[i] for i in planes_order], gravity, pairs)
    close(result.position, original.position[:, order])
    close(result.velocity, original.velocity[:, order])
    close(result.angular_velocity, original.angular_velocity[:, order])


def test_a_mirrored_scene_moves_as_the_mirror_image(original):
    mirror = np.array([1.0, -1.0, 1.0])  # polar vectors; axial ones get the other sign
    bodies, planes, gravity = scene()
    for body in bodies:
        R = body["rotation"].as_matrix()
        tensor = R @ body["inertia"] @ R.T
        body["inertia"] = mirror[:, None] * tensor * mirror
        body["inertia"] = 0.5 * (body["inertia"] + body["inertia"].T)
        body["rotation"] = Rotation.identity()
        body["position"] = body["position"] * mirror
        body["velocity"] = body["velocity"] * mirror
        body["angular_velocity"] = -body["angular_velocity"] * mirror
    result = run(bodies, [(n * mirror, d) for n, d in planes], gravity * mirror)
    close(result.position * mirror, original.position)
    close(result.velocity * mirror, original.velocity)
    close(-result.angular_velocity * mirror, original.angular_velocity)


@settings(max_examples=8)
@given(length=st.integers(-4, 4), mass=st.integers(-6, 6), time=st.integers(-4, 4))
def test_a_change_of_units_changes_only_the_numbers(original, length, mass, time):
    """Powers of ten, so that rounding differs as well."""
    m, kg, s = 10.0**length, 10.0**mass, 10.0**time
    bodies, planes, gravity = scene()
    for body in bodies:
        body["radius"] *= m
        body["mass"] *= kg
        body["position"] = body["position"] * m
        body["velocity"] = body["velocity"] * (m / s)
        body["angular_velocity"] = body["angular_velocity"] / s
        body["inertia"] = body["inertia"] * (kg * m * m)
    law = {**LAW, "rolling_radius": LAW["rolling_radius"] * m, "drilling_radius": LAW["drilling_radius"] * m}
    result = run(bodies, planes, gravity * (m / s**2), law=law, h=STEP * s, end=END * s)
    close(result.position / m, original.position)
    close(result.velocity * s / m, original.velocity)
    close(result.angular_velocity * s, original.angular_velocity)
    multipliers = original.contacts.multipliers * ([kg * m / s] * 3 + [kg * m * m / s] * 3)
    close(result.contacts.multipliers.sum(axis=0), multipliers.sum(axis=0), 1e-6)


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_a_scene_seen_from_a_moving_frame_moves_the_same(seed):
    """Galilean invariance, without friction walls: two elements, spheres only."""
    rng = np.random.default_rng(seed)
    drift = rng.normal(size=3)
    bodies, _, _ = scene()
    for body in bodies:
        body["velocity"] = body["velocity"] - 2.0 * body["position"] / 0.2
    still = run(bodies, [((0.0, 0.0, 1.0), -1e3)], np.zeros(3))
    for body in bodies:
        body["velocity"] = body["velocity"] + drift
    moving = run(bodies, [((0.0, 0.0, 1.0), -1e3)], np.zeros(3))
    assert len(still.contacts.record) > 0
    close(moving.velocity - drift, still.velocity)
    close(moving.position - drift * moving.t[:, None, None], still.position)
