"""Gears with backlash: free play, impulses of flanks, momenta in the ratio, rest on a flank under load."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Drive, Gear, Motor, Prismatic, Revolute
from elements.gear_backlash import PART

RATIO, PLAY, H = -2.0, 0.1, 1e-3
INERTIAS = 0.2, 0.15


def pair(*, rates=(1.0, 0.0), turn=None, gravity=(0, 0, 0), **gear):
    """Two wheels on the ground, each beside the other, with a gear between them."""
    turn = Rotation.identity() if turn is None else turn
    model = ns.Model(gravity=turn.apply(gravity))
    wheels = [
        model.add_body(
            mass=1.0,
            inertia=(0.1, 0.1, inertia),
            position=turn.apply((x, 0.3, 0.2)),
            rotation=np.roll(turn.as_quat(), 1),
            angular_velocity=turn.apply((0, 0, rate)),
        )
        for x, inertia, rate in zip((0.0, 1.0), INERTIAS, rates, strict=True)
    ]
    axis = turn.apply((0, 0, 1))
    hinges = [model.add(Revolute(None, wheel, point=wheel.position, axis=axis)) for wheel in wheels]
    given = {"ratio": RATIO, "backlash": PLAY, "name": "teeth"} | gear
    return model, hinges, model.add(Gear(*hinges, **given))


def after_impact(rates, e_n):
    """Rates of both wheels after a flank of restitution `e_n` was struck, and its impulse."""
    reduced = 1.0 / (1.0 / INERTIAS[1] + RATIO**2 / INERTIAS[0])
    impulse = -(1.0 + e_n) * reduced * (rates[1] - RATIO * rates[0])
    return np.array((rates[0] - RATIO * impulse / INERTIAS[0], rates[1] + impulse / INERTIAS[1])), impulse


@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
def test_wheels_turn_freely_in_the_play_and_strike_both_flanks(e_n):
    model, hinges, gear = pair(e_n=e_n)
    result = ns.simulate(model, t_end=0.2, h=H)
    w, play = result.angular_velocity[:, :2, 2], result.coordinate(gear.play).value
    assert np.abs(w[:24] - (1.0, 0.0)).max() < 1e-14  # the flank is 0.05 away, at a rate of 2
    once, impulse = after_impact((1.0, 0.0), e_n)
    assert np.abs(w[27] - once).max() < 1e-9
    assert np.abs(play).max() <= 0.5 * PLAY + 1e-13
    # J_1 dw_1 : J_2 dw_2 = -ratio
    change = (w[-1] - w[0]) * INERTIAS
    assert abs(change[0] + RATIO * change[1]) < 1e-12
    struck = result.reaction_impulse(gear.flanks).force[:28].sum(axis=0)
    assert abs(np.linalg.norm(struck) / abs(impulse) - 1.0) < 2.0 * PART
    angles = [result.coordinate(hinge).value for hinge in hinges]
    assert np.abs(angles[1] - RATIO * angles[0] - play).max() < 1e-13
    if e_n == 1.0:
        twice, _ = after_impact(once, e_n)
        assert np.abs(w[120] - twice).max() < 1e-9  # the other flank, 0.1 / 2 s later
        assert np.abs(np.diff(result.energy())).max() < 1e-7


def test_a_loaded_wheel_rests_on_a_flank_and_turns_with_the_other():
    model, hinges, gear = pair(rates=(0.0, 0.0))
    model.add(Drive(hinges[0], [[0, 0, 0], [1, 0, 0], [2, -0.2, -0.3], [3, -0.5, -0.2]]))
    model.add(Motor(hinges[1], -0.3))
    result = ns.simulate(model, t_end=3.0, h=H)
    play, effort = result.coordinate(gear.play).value, result.effort(gear).value
    assert abs(play[900] + 0.5 * PLAY) < 1e-13
    assert np.abs(effort[700:900] - 0.3).max() < 1e-9
    assert np.abs(np.linalg.norm(result.reaction(gear.flanks).force[700:900], axis=1) - 0.3).max() < 1e-9
    # driven against its load the wheel stays on the flank, and the flank gives what its inertia needs
    acceleration = np.gradient(result.coordinate(hinges[1]).rate, H)
    carrying = play < -0.5 * PLAY + 1e-13
    assert carrying[700:].all()
    smooth = np.r_[1100:1900, 2100:2900]
    assert np.abs(effort[smooth] - (0.3 + INERTIAS[1] * acceleration[smooth])).max() < 1e-4


def test_a_wheel_that_is_turned_back_crosses_the_play_first():
    """It stands until the other has crossed the play, and then follows by the ratio."""
    model, hinges, gear = pair(rates=(0.0, 0.0))
    model.add(Drive(hinges[0], [[0, 0, 0], [1, -0.5, 0], [2, 0.5, 1]]))
    result = ns.simulate(model, t_end=2.0, h=H)
    one, two = (result.coordinate(hinge) for hinge in hinges)
    play = result.coordinate(gear.play).value
    inside = np.abs(play) < 0.5 * PLAY - 1e-12
    first = int(np.argmin(inside))
    assert np.abs(two.value[:first]).max() < PART * PLAY
    assert abs(one.value[first] * RATIO) == pytest.approx(
        0.5 * PLAY, abs=np.abs(one.rate).max() * abs(RATIO) * H
    )
    assert np.abs(two.value - RATIO * one.value).max() <= 0.5 * PLAY + 1e-13
    assert play.min() == pytest.approx(-0.5 * PLAY, abs=1e-13)
    assert play.max() == pytest.approx(0.5 * PLAY, abs=1e-13)


def test_a_rotated_scene_does_the_same_under_gravity():
    turn = Rotation.from_rotvec((0.7, -1.1, 0.4))
    results = []
    for each in (None, turn):
        model, hinges, gear = pair(turn=each, gravity=(0.0, 0.0, -9.81), e_n=0.5)
        model.add(Motor(hinges[1], 0.4))
        result = ns.simulate(model, t_end=0.3, h=H)
        results.append([result.coordinate(joint).rate for joint in (*hinges, gear.play)])
    # the mass of the play costs as many digits of an impact as it is smaller
    assert np.abs(np.array(results[0]) - results[1]).max() < 1e-14 / PART


def test_wheels_on_an_arm_that_turns_keep_momentum_and_energy():
    """Relations of three bodies, and the play: rates count against the arm."""
    model = ns.Model()
    spin = (0, 0, 0.8)
    arm = model.add_body(mass=1.0, inertia=(0.2, 0.2, 0.3), position=(0, 0, 0), angular_velocity=spin)
    wheels = [
        model.add_body(
            mass=0.5,
            inertia=(0.02, 0.02, inertia),
            position=(x, 0, 0),
            velocity=np.cross(spin, (x, 0, 0)),
            angular_velocity=(0, 0, rate),
        )
        for x, inertia, rate in ((-0.5, 0.02, 4.0), (0.5, 0.03, -1.0))
    ]
    model.add(Revolute(None, arm, point=(0, 0, 0), axis=(0, 0, 1)))
    hinges = [model.add(Revolute(arm, wheel, point=wheel.position, axis=(0, 0, 1))) for wheel in wheels]
    model.add(Gear(*hinges, ratio=1.5, backlash=0.2, e_n=1.0))
    result = ns.simulate(model, t_end=0.5, h=H)
    w = result.angular_velocity[:, :3, 2]
    momentum = (0.3 + 2 * 0.5 * 0.25) * w[:, 0] + 0.02 * w[:, 1] + 0.03 * w[:, 2]
    assert (np.abs(np.diff(w[:, 1])) > 0.1).sum() > 2  # impacts of both flanks
    # the arm turns by h w in the step of an impact: both are of second order in h
    assert np.abs(momentum - momentum[0]).max() < 0.1 * H**2
    assert np.abs(result.energy() / result.energy()[0] - 1.0).max() < 0.1 * H**2


def test_a_rack_has_play_in_metres():
    model = ns.Model(gravity=(0, 0, -10))
    wheel = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0))
    rack = model.add_body(mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.1, 0, 0))
    pinion = model.add(Revolute(None, wheel, point=(0, 0, 0), axis=(0, 1, 0)))
    rail = model.add(Prismatic(None, rack, point=(0.1, 0, 0), axis=(0, 0, 1)))
    gear = model.add(Gear(pinion, rail, ratio=0.1, backlash=0.01))
    result = ns.simulate(model, t_end=0.5, h=H)
    play = result.coordinate(gear.play).value
    fallen = result.t < np.sqrt(2 * 0.005 / 10) - H
    assert np.abs(play[fallen] + 5.0 * result.t[fallen] ** 2).max() < 1e-7  # free, but for a millionth
    assert play[-1] == pytest.approx(-0.005, abs=1e-13)
    # m g = (m + J / r^2) a once the flank is reached: 20 N over 12 kg
    assert np.gradient(result.coordinate(rail).rate, H)[-1] == pytest.approx(-20.0 / 12.0, rel=1e-9)


def test_files_have_the_parts_of_the_play(tmp_path):
    model, _, gear = pair(e_n=0.5)
    whole = ns.simulate(model, t_end=0.1, h=H)
    path = tmp_path / "run.h5"
    ns.simulate(model, t_end=0.05, h=H, recording=ns.Recording(file=path))
    rest = ns.resume(path, t_end=0.1)
    assert np.array_equal(rest.joints[-1], whole.joints[-1])
    assert np.array_equal(rest.effort("teeth").value, whole.effort(gear).value)
    assert np.array_equal(rest.coordinate("play of teeth").value, whole.coordinate(gear.play).value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"backlash": 0.0}, r"backlash = 0.0: must be positive"),
        ({"backlash": -0.1}, r"backlash = -0.1"),
        ({"backlash": 0.1, "e_n": 1.5}, r"e_n = 1.5: must be in \[0, 1\]"),
        ({"e_n": 0.5}, r"e_n = 0.5: must be 0 without backlash"),
        ({"backlash": 0.1, "name": "a" * 195}, r"name = .*at most 190 characters"),
    ],
)
def test_play_out_of_range_is_refused_and_leaves_the_model_alone(given, says):
    model, hinges, _ = pair()
    counts = len(model.bodies), len(model.joints), len(model.elements), len(model.drives)
    with pytest.raises(ValueError, match=says):
        model.add(Gear(*hinges, ratio=2.0, **given))
    assert (len(model.bodies), len(model.joints), len(model.elements), len(model.drives)) == counts
