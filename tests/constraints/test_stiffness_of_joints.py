"""Geometric stiffness of joints, coordinates and relations against differences of their wrenches."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.constraints.geometric_stiffness import stiffness_of
from nsgalpha.constraints.jointed_response import note_coordinates
from nsgalpha.stepping.poses import displace
from nsgalpha.system.consistent_start import measure_start
from nsgalpha.system.system import System

KINDS = (
    e.Spherical,
    e.Revolute,
    e.Cylindrical,
    e.Prismatic,
    e.Planar,
    e.Rigid,
    e.Universal,
    e.Distance,
    e.Link,
)


def random_model(rng, kinds):
    """Joints of the `kinds` between three bodies and the ground, with markers at random places."""
    model = ns.Model()
    for _ in range(3):
        place, turn = rng.normal(size=3), rng.normal(size=4)
        model.add_body(mass=1.0, inertia=(1.0, 1.1, 1.2), position=place, rotation=turn)
    for k, kind in enumerate(kinds):
        ends = (model.bodies[k % 3], model.bodies[(k + 1) % 3]) if k % 2 else (None, model.bodies[k % 3])
        markers = [
            e.Marker(end, rng.normal(size=3), axis=rng.normal(size=3), second=rng.normal(size=3))
            for end in ends
        ]
        model.add(kind(*markers, length=2.0) if kind in (e.Distance, e.Link) else kind(*markers))
    return model


def wrenches(system, motion, multiplier, load):
    """Wrenches (B, 6) of rows with multipliers, and of coordinate loads."""
    measure_start(system, motion)
    note_coordinates(system.joints, motion)
    joints, total = system.joints, np.zeros((system.size, 6))
    table = joints.table
    owner = table.body[np.repeat(np.arange(len(table.body)), np.diff(table.row))]
    np.add.at(total, owner, joints.rows.G * multiplier[:, None, None])
    pair = table.body[joints.coordinates.joint, :2]
    np.add.at(total, pair, joints.measured.G * load[:, None, None])
    return total


def largest_difference(model, rng):
    """Between the stiffness and differences, over the largest entry."""
    system = System(model)
    motion = system.motion(model.initial_state())
    joints, n, step = system.joints, system.count, 1e-5
    multiplier, load = rng.normal(size=len(joints.c)), rng.normal(size=len(joints.coordinates.joint))
    wrenches(system, motion, multiplier, load)
    body, blocks = stiffness_of(joints, motion.x, multiplier, load)
    K = np.zeros((system.size, 6, system.size, 6))
    for pair, block in zip(body, blocks, strict=True):
        for one in range(2):
            for two in range(2):
                K[pair[one], :, pair[two]] += block[one, :, two]
    K, expected = K[:n, :, :n], np.zeros((n, 6, n, 6))
    for b in range(n):
        for i in range(6):
            found = []
            for sign in (1.0, -1.0):
                U = np.zeros((system.size, 6))
                U[b, i] = sign * step
                there = motion._replace(x=motion.x.copy(), q=motion.q.copy())
                displace(motion.x, motion.q, U, there)
                found.append(wrenches(system, there, multiplier, load)[:n])
            expected[:, :, b, i] = (found[1] - found[0]) / (2.0 * step)
    assert np.abs(expected).max() > 0.1
    return np.abs(K - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("kind", KINDS)
def test_wrenches_of_joints_turn_with_their_bodies(kind):
    rng = np.random.default_rng(KINDS.index(kind))
    assert largest_difference(random_model(rng, [kind, kind]), rng) < 1e-8


def test_wrenches_of_coordinates_and_relations_turn_with_their_bodies():
    rng = np.random.default_rng(20)
    model = random_model(rng, [e.Revolute, e.Cylindrical, e.Telescope, e.Planar])
    hinge, bolt, strut, table = model.joints
    model.add(e.Gear(hinge, bolt, ratio=-2.0, coordinates=(None, "displacement")))
    model.add(e.Motor(strut, 1.0))
    model.add(e.Motor(table, 1.0, coordinate="first"))
    model.add(e.Motor(bolt, 1.0, coordinate="angle"))
    model.add(e.JointSpring(strut, stiffness=3.0))
    assert largest_difference(model, rng) < 1e-8
