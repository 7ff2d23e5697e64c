"""Mechanisms that pass positions at which rows of their joints become dependent for an instant."""

from itertools import pairwise

import numpy as np
import pytest

import nsgalpha as ns
from elements import Revolute
from nsgalpha.arrays import turned
from nsgalpha.stepping.status import counted
from verification.mechanisms.rows import violation

TILT = np.array((0.7, 0.3, -0.5, 0.4)) / np.linalg.norm((0.7, 0.3, -0.5, 0.4))
FLAT = 0.7085  # s, after which the cranks are horizontal
STEPS = np.geomspace(2e-3, 1e-4, 16)[::3]


def product(p, q):
    """Product of two quaternions."""
    v = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.array((p[0] * q[0] - p[1:] @ q[1:], *v))


def four_bar(size=1.0, turn=(1, 0, 0, 0), angle=np.pi / 2, cranks=(0.0, 1.0), heavy=1.0, own=1e-3):
    """Cranks of length `size` (default two), at an `angle`, with a coupler; rotated by `turn`.

    The last crank has `heavy` times the mass of the first; `own` [m^2] are the inertias of bars of 1 m about
    their axes, over the mass.
    """

    def place(*x):
        return turned(np.array(turn, float), size * np.array((*x, 0.0)))

    model = ns.Model(gravity=turned(np.array(turn, float), np.array((0, -9.81, 0))))
    rate = np.sqrt(1.0 / size)
    c, s, axis = np.cos(angle), np.sin(angle), turned(np.array(turn, float), np.array((0, 0, 1.0)))
    inertia = size**2 * np.array((own, 1 / 12, 1 / 12))
    upright = product(np.array(turn, float), np.array((np.cos(angle / 2), 0, 0, np.sin(angle / 2))))
    coupler = model.add_body(
        mass=1.0, inertia=inertia, position=place(0.5 + c, s), rotation=turn, velocity=rate * place(s, -c)
    )
    for x in cranks:
        mass = heavy if x == cranks[-1] else 1.0
        crank = model.add_body(
            mass=mass,
            inertia=mass * inertia,
            position=place(x + 0.5 * c, 0.5 * s),
            rotation=upright,
            velocity=0.5 * rate * place(s, -c),
            angular_velocity=-rate * axis,
        )
        model.add(Revolute(None, crank, point=place(x, 0), axis=axis))
        model.add(Revolute(crank, coupler, point=place(x + c, s), axis=axis))
    return model


def gain(result):
    """Largest change of energy [J]."""
    energy = result.energy()
    return np.abs(energy - energy[0]).max()


def apart(result):
    """Largest distance from the branch on which all cranks stay parallel."""
    cranks = result.position[:, 1:] - result.position[:, 1:2]
    return np.abs(cranks - cranks[0]).max()


def test_steps_of_any_size_pass_the_singular_position_with_an_error_of_second_order():
    for h in STEPS:
        result = ns.simulate(four_bar(), t_end=1.3, h=h)
        assert result.status.ok, (h, result.status)
        assert not result.stats.divided.any()
        assert apart(result) < 1e-9
        assert gain(result) < 500.0 * h * h + 1e-9, h


@pytest.mark.parametrize(
    "given",
    [
        {"turn": TILT},
        {"size": 1e-6},
        {"size": 1e3},
        {"cranks": (0.0, 0.4, 1.0)},
        {"cranks": (0.0, 0.3, 0.5, 1.0), "turn": TILT, "size": 1e3},
        {"angle": 0.0},
    ],
)
def test_joints_hold_at_both_levels_through_the_singular_position(given):
    size = given.get("size", 1.0)
    scale = np.sqrt(size)
    for h in (2e-3, 7.3e-4, 2.7e-4):
        result = ns.simulate(four_bar(**given), t_end=1.3 * scale, h=h * scale)
        assert result.status.ok, (h, result.status)
        g, rate = violation(result)
        assert g < 1e-12 * size
        assert rate < 1e-12 * np.abs(result.velocity).max()
        assert apart(result) < 1e-9 * size


def hit(offset, steps=400, **given):
    """The step with which the cranks are horizontal, but for `offset`, after so many `steps`."""
    h = FLAT / steps
    for _ in range(8):
        result = ns.simulate(four_bar(**given), t_end=(steps - 0.5) * h, h=h)
        error = result.position[-1, 1, 1] / 0.5 - offset
        if abs(error) < 1e-13:
            break
        h -= error / (result.velocity[-1, 1, 1] / 0.5 * steps)
    return h


@pytest.mark.parametrize("offset", [0.0, 1e-8, -1e-6, 4e-6, 2e-5, -1e-4])
@pytest.mark.parametrize("heavy", [1.0, 2.0])
def test_a_step_may_end_at_the_singular_position(offset, heavy):
    h = hit(offset, heavy=heavy)
    result = ns.simulate(four_bar(heavy=heavy), t_end=1.3, h=h)
    assert result.status.ok, result.status
    k = int(np.abs(result.position[: len(result.t) // 2 + 100, 1, 1]).argmin())
    assert abs(result.position[k, 1, 1] / 0.5 - offset) < 1e-9
    assert 0.0 < result.stats.singular[k - 1] < 1e-6
    g, rate = violation(result)
    assert g < 1e-12
    assert rate < 1e-12 * np.abs(result.velocity).max()
    assert apart(result) < 1e-9
    assert gain(result) < 2000.0 * h * h


def test_the_status_tells_of_singular_positions_and_regular_ones_are_silent():
    result = ns.simulate(four_bar(), t_end=1.0, h=hit(1e-5))
    near = result.stats.singular > 0.0
    assert 0 < near.sum() < 5
    assert f"in {counted(near.sum())} joints were near a singular position" in result.status.message
    before = ns.simulate(four_bar(), t_end=0.5, h=1e-3)
    assert not before.stats.singular.any()
    assert "singular" not in before.status.message


def bar(model, a, b, own):
    """A 1 kg bar between two points in a plane, with axial inertia `own`."""
    way = b - a
    length, angle = np.hypot(*way), np.arctan2(way[1], way[0])
    return model.add_body(
        mass=1.0,
        inertia=(own, length**2 / 12, length**2 / 12),
        position=(*(0.5 * (a + b)), 0),
        rotation=(np.cos(angle / 2), 0, 0, np.sin(angle / 2)),
    )


@pytest.mark.parametrize("own", [1e-4, 1e-5])
def test_slender_bars_of_a_redundant_loop_are_nowhere_singular(own):
    """A crank-rocker, 0.3, 0.9, 0.7 and 1 m, driven around by a torque: its closure is regular everywhere."""
    a, b, c = 0.3, 0.9, 0.7
    ground, far = np.zeros(2), np.array((1.0, 0.0))
    pin = ground + a * np.array((np.cos(1.0), np.sin(1.0)))
    way = far - pin
    d = np.hypot(*way)
    angle = np.arctan2(way[1], way[0]) + np.arccos((b * b + d * d - c * c) / (2 * b * d))
    joint = pin + b * np.array((np.cos(angle), np.sin(angle)))
    model, places = ns.Model(), [ground, pin, joint, far]
    crank, coupler, rocker = (bar(model, *ends, own) for ends in pairwise(places))
    pairs = (None, crank), (crank, coupler), (coupler, rocker), (rocker, None)
    for sides, place in zip(pairs, places, strict=True):
        model.add(Revolute(*sides, point=(*place, 0), axis=(0, 0, 1)))
    model.add_load(lambda t, state: (np.zeros((3, 3)), np.array([(0, 0, 3.0), (0, 0, 0), (0, 0, 0)])))
    result = ns.simulate(model, t_end=2.0, h=2e-3)
    assert np.ptp(result.position[:, 0, 0]) > 1.9 * 0.5 * a  # it goes around
    assert not result.stats.singular.any()
    assert "singular" not in result.status.message


def test_slender_bars_at_a_singular_position_are_told():
    own = 1e-5
    result = ns.simulate(four_bar(own=own), t_end=1.0, h=hit(1e-4, own=own))
    near = np.flatnonzero(result.stats.singular > 0.0)
    assert 0 < len(near) < 5
    assert np.abs(result.position[near + 1, 1, 1] / 0.5).max() < 5e-3
