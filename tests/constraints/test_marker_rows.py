"""Rows of ropes, limits and friction: rates by differences; memory of angles."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Cylindrical, JointFriction, Limit, Marker, Planar, Revolute, Rope
from nsgalpha.arrays import Motion
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.contact.rows.contact_kinematics import gather
from nsgalpha.stepping.poses import displace, rotate_inertias
from nsgalpha.system.system import System
from tests.kernel_calls import measured_candidates

AXIS = (0.3, -0.5, 0.8)


def scene(swapped):
    model = ns.Model()
    a, b = (
        model.add_body(mass=1.0, inertia=(0.1, 0.12, 0.15), position=x) for x in ((0, 0, 0), (0.4, 0.1, -0.2))
    )
    ends = (b, a) if swapped else (a, b)
    ground = (None, a) if swapped else (a, None)
    bolt = model.add(Cylindrical(*ends, point=(0.1, 0.2, 0.3), axis=AXIS))
    table = model.add(Planar(*ground, point=(0.1, 0, 0.3), normal=AXIS))
    model.add(Limit(bolt, coordinate="angle", low=-0.5, high=0.7))
    model.add(Limit(bolt, coordinate="displacement", low=-0.5, high=0.7))
    model.add(Limit(table, coordinate="first", low=-1.0, high=2.0))
    model.add(Limit(table, coordinate="angle", high=20.0))
    model.add(Rope(Marker(a, (0.1, 0, 0.2)), Marker(b, (0, 0.3, 0)), length=3.0))
    model.add(Rope(Marker(None, (1, 0, 0)), Marker(b, (0, 0.3, 0)), length=3.0))
    return model


@pytest.mark.parametrize("swapped", [False, True])
def test_rates_of_the_rows_are_those_of_the_gaps(swapped):
    model = scene(swapped)
    system = System(model)
    motion = system.motion(model.initial_state())
    rng = np.random.default_rng(3)
    U = np.zeros((system.size, 6))
    U[: system.count] = 0.1 * rng.standard_normal((system.count, 6))
    candidates = system.candidates(motion.x, 1.0)
    # joints align the axes of angles, to which the rate of an angle is limited: turn about the axis alone
    axis = np.asarray(AXIS) / np.linalg.norm(AXIS)
    turning = candidates.plane == -3

    def gaps(step, V):
        there = Motion(*(part.copy() for part in motion))
        displace(motion.x, motion.q, step * V, there)
        system.measure(there, candidates)
        return candidates.gap.copy()

    for only_about_the_axis in (False, True):
        V = U.copy()
        if only_about_the_axis:
            V[:, 3:] = (V[:, 3:] @ axis)[:, None] * axis
        with np.errstate(invalid="ignore"):  # of limits that are not given
            rate = (gaps(1e-5, V) - gaps(-1e-5, V)) / 2e-5
        gaps(0.0, V)
        rotate_inertias(system.bodies, motion.q, system.work)
        rows = closed_rows(np.arange(len(rate)), candidates, system.laws, system.bodies, system.work)
        found = np.empty(len(rows.G))
        gather(rows, V, found)
        ours = np.empty(len(rate))
        ours[rows.contact] = found
        known = np.isfinite(candidates.gap) & (~turning | only_about_the_axis)
        assert known.sum() >= 6
        assert np.abs(ours - rate)[known].max() < 1e-9


def test_an_angle_is_measured_over_whole_turns_and_is_as_exact_after_many():
    model = ns.Model()
    wheel = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0), angular_velocity=(0, 0, 50))
    axle = model.add(Revolute(None, wheel, point=(0, 0, 0), axis=(0, 0, 1)))
    model.add(Limit(axle, high=1000.0, e_n=1.0))
    result = ns.simulate(model, t_end=25.0, h=2e-3, record_every=10)
    angle, rate = result.coordinate(axle)
    assert abs(angle.max() - 1000.0) < 0.5
    assert np.abs(np.abs(rate) - 50.0).max() < 1e-10
    assert abs(result.joints[-1, -1, 0] - angle[-1]) < 1e-10
    assert rate[-1] < 0


def test_friction_has_the_rows_of_limits():
    model = ns.Model()
    body = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.2, 0, 0))
    bolt = model.add(Cylindrical(None, body, point=(0, 0, 0), axis=AXIS))
    for coordinate in ("angle", "displacement"):
        model.add(Limit(bolt, coordinate=coordinate, low=-1.0))
        model.add(JointFriction(bolt, coordinate=coordinate, bound=1.0))
    candidates = measured_candidates(model, 1.0)[2]
    sides = candidates.normal.copy(), candidates.lever.copy()
    is_friction_row, lower = candidates.plane <= -4, (candidates.plane > -4) & np.isfinite(candidates.gap)
    order = np.argsort(candidates.plane[is_friction_row]), np.argsort(candidates.plane[lower])
    for each in sides:
        assert np.array_equal(each[is_friction_row][order[0]], each[lower][order[1]])
    assert np.isinf(candidates.gap[is_friction_row]).all()
