"""Rows of drives and transmissions against differences; turns, time and rounding."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Cylindrical, Differential, Drive, Gear, Marker, Planar, Revolute, Screw, Telescope
from nsgalpha.arrays import empty_motion
from nsgalpha.model.time_function import time_function
from nsgalpha.stepping.poses import displace
from nsgalpha.system.system import System
from tests.kernel_calls import measure_joints


def motion_t(t):
    return 0.3 * np.sin(t), 0.3 * np.cos(t)


def mechanism(rng):
    """Three bodies on a fourth in joints with aligned axes, at any rotation."""
    model = ns.Model()
    bodies = [
        model.add_body(
            mass=1.0, inertia=(0.8, 1.0, 1.1), position=3 * rng.normal(size=3), rotation=rng.normal(size=4)
        )
        for _ in range(4)
    ]
    at = [{"point": rng.normal(size=3), "axis": rng.normal(size=3)} for _ in range(3)]
    model.add(Revolute(bodies[0], bodies[1], **at[0], name="hinge"))
    model.add(Cylindrical(bodies[0], bodies[2], **at[1], name="bolt"))
    model.add(Planar(bodies[0], bodies[3], point=at[2]["point"], normal=at[2]["axis"], name="table"))
    ends = [Marker(body, rng.normal(size=3)) for body in (bodies[1], bodies[3])]
    model.add(Telescope(*ends, name="strut"))
    return model


RELATIONS = {
    "drive of an angle": lambda: Drive("hinge", motion_t),
    "drive of a slide": lambda: Drive("bolt", motion_t, coordinate="displacement"),
    "drive in a plane": lambda: Drive("table", motion_t, coordinate="second"),
    "drive of a distance": lambda: Drive("strut", motion_t),
    "gear": lambda: Gear("hinge", "bolt", ratio=-1.7, coordinates=(None, "angle")),
    "screw": lambda: Screw("bolt", lead=0.3),
    "five sides": lambda: Differential(
        ["hinge", "bolt", "strut"], [1.0, -2.0, 0.7], coordinates=["angle", "displacement", "distance"]
    ),
}


def turns_of(system, rng):
    """Velocities (B, 6) that leave axes aligned: bodies turn alike, and about the axes of their joints."""
    joints = system.joints
    V = np.zeros((system.size, 6))
    V[: system.count, :3] = rng.normal(size=(system.count, 3))
    V[: system.count, 3:] = rng.normal(size=3)
    for j in range(3):
        V[joints.table.body[j, 1], 3:] += rng.normal() * joints.rows.axes[j, 0, 2]
    return V


@pytest.mark.parametrize("name", RELATIONS)
def test_rows_are_the_derivatives_of_relations(name):
    rng = np.random.default_rng(list(RELATIONS).index(name))
    model = mechanism(rng)
    model.add(RELATIONS[name]())
    system = System(model)
    motion, t, step = empty_motion(system.size), 0.4, 1e-5
    motion.x[: system.count] = [body.position for body in model.bodies]
    motion.q[: system.count] = [body.rotation for body in model.bodies]
    system.place_frames(motion, t)
    measure_joints(system, motion)
    V = turns_of(system, rng)
    found = []
    for sign in (1.0, -1.0):
        there = motion._replace(x=motion.x.copy(), q=motion.q.copy(), v=motion.v.copy(), w=motion.w.copy())
        displace(motion.x, motion.q, sign * step * V, there)
        system.place_frames(there, t + sign * step)
        measure_joints(system, there)
        found.append(system.joints.rows.g[-1])
    measure_joints(system, motion)
    V[:, :3] += motion.v
    G, body = system.joints.rows.G[-1], system.joints.table.body[-1]
    rate = sum(G[side] @ V[b] for side, b in enumerate(body))
    assert abs(rate - (found[0] - found[1]) / (2 * step)) < 1e-8
    assert abs(rate) > 1e-2
    sides = {"five sides": 4, "screw": 2}.get(name, 3)
    assert np.count_nonzero(np.abs(G).max(axis=1)) == sides
    masses = system.bodies.inverse_mass[body][:, None]
    assert np.abs(system.joints.rows.MG[-1, :, :3] - masses * G[:, :3]).max() < 1e-15


@pytest.mark.parametrize(
    "given",
    [
        0.7,
        [[0, 1], [0.5, 2], [2, -1]],
        [[0, 1, 0], [0.5, 2, 3], [2, -1, 1]],
        lambda t: np.exp(t),
        lambda t: (t**3, 3 * t**2),
    ],
)
def test_rates_of_courses_are_the_derivatives_of_their_values(given):
    found, step = time_function("motion", given), 1e-5
    t = np.array([0.1, 0.4, 0.7, 1.9])
    values, text = found.through(t)
    assert text == ""
    assert np.array_equal(values, [found.at(each) for each in t.tolist()])
    ends = [found.through(t + sign * step)[0][:, 0] for sign in (1.0, -1.0)]
    assert np.abs(values[:, 1] - (ends[0] - ends[1]) / (2 * step)).max() < 1e-7


def test_tables_pass_through_their_rows_and_end_there():
    rows = np.array([[0, 1.0], [0.5, 2], [1, 0], [2, -1]])
    for straight in (False, True):
        found = time_function("motion", rows, straight=straight)
        values, text = found.through(rows[:, 0])
        assert np.abs(values[:, 0] - rows[:, 1]).max() < 1e-14
        assert text == ""
    values, text = found.through(np.array([1.5, 1.9, 2.1]))
    assert len(values) == 2
    assert "from 0 s to 2 s, and has no value at t = 2.1 s" in text
    assert found.at(1.5)[0] == pytest.approx(-0.5)


@pytest.mark.parametrize("bad", [np.nan, "x", (1, 2, 3), [[1]], None])
def test_functions_that_return_no_value_are_named(bad):
    found = time_function("motion", lambda t: 1.0 if t < 0.5 else bad)
    values, text = found.through(np.linspace(0, 1, 11))
    assert len(values) == 5
    assert "motion returned" in text


def test_a_coordinate_that_is_driven_keeps_the_turns_of_the_motion_at_the_start():
    model = ns.Model()
    wheel = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    model.add(Revolute(None, wheel, point=(0, 0, 0), axis=(0, 0, 1), name="axle"))
    model.add(Drive("axle", 6 * np.pi))
    result = ns.simulate(model, t_end=0.01, h=1e-2)
    assert result.coordinate("axle").value == pytest.approx(6 * np.pi, abs=1e-14)
