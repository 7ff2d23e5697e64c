"""Examples with other parameters: they show other physics, and their checks see it."""

import numpy as np
import pytest

import nsgalpha as ns
from verification.examples import (
    card_house,
    cradle,
    dominoes,
    draw_and_follow,
    drum,
    galton_board,
    gripper,
    gripper_arm,
    hard_and_soft,
    hopper,
    masse,
    mesh_on_plane,
    pendulums,
    pile,
    quadruped,
    rope_cradle,
    throw_map,
    tippe_top,
    vibrating_table,
    walker,
)
from verification.run import simulate


def test_all_points_of_a_sweep_are_done_also_with_other_friction():
    table = throw_map.run(mu=0.2)
    assert table.done.all()
    assert len(table) == len(throw_map.CUTS) * len(throw_map.SPINS)
    assert all(row.passed for row in throw_map.check(table, mu=0.2))
    assert not all(row.passed for row in throw_map.check(table))


def test_a_shot_from_farther_away_has_lost_more_spin():
    far = draw_and_follow.run(gap=0.4)
    draw, _, follow = far.velocity[-1, ::2, 0]
    near = draw_and_follow.expected(draw_and_follow.SPINS["draw"], draw_and_follow.SPEED, 0.2)[0]
    assert near < draw < 0.0 < follow
    assert all(row.passed for row in draw_and_follow.check(far))


def test_a_ball_without_spin_does_not_curve():
    straight = masse.run(spins=(0.0,), aim=25.0)
    x, y, _ = straight.position[:, 2].T
    assert np.abs(y - np.tan(np.radians(25.0)) * x).max() < 1e-12
    assert np.abs(straight.velocity[-1, 1]).max() < 1e-13  # nothing strikes the other ball


def test_a_cradle_of_inelastic_balls_sends_more_than_one_out():
    result = simulate(cradle.build(1, e_n=0.5), t_end=0.6, h=cradle.H)
    assert (cradle.angles(result)[-1] > 1.0).sum() > 1


def test_the_half_period_of_small_swings_is_that_of_a_harmonic_pendulum():
    small = np.pi * np.sqrt(cradle.DROP / cradle.GRAVITY)
    assert cradle.half_period(1e-3) == pytest.approx(small, rel=1e-10)
    assert cradle.half_period(90.0) / small == pytest.approx(1.1803405990, rel=1e-9)  # tables: 2 K(1/2)/pi


def test_a_top_without_friction_stays_upright():
    axis = tippe_top.axis_of(tippe_top.run(mu=0.0))[:, 2]
    assert axis.min() > 0.9


def test_a_slow_top_does_not_turn_over():
    assert tippe_top.axis_of(tippe_top.run(spin=20.0))[:, 2].min() > -0.5


def test_pendulums_that_are_raised_higher_come_back_too_by_other_lengths():
    far = pendulums.run(angle=50.0)
    assert all(row.passed for row in pendulums.check(far))
    assert (
        np.linalg.norm(far.position[0, 0, [0, 2]]) < 0.92 * pendulums.G * (pendulums.T / 9 / 2 / np.pi) ** 2
    )


def test_bouncy_balls_spread_more_than_the_binomial_distribution():
    taken = galton_board.slots(galton_board.run(damping_ratio=0.3))
    square, freedom = galton_board.deviation(taken)
    assert taken.var() > 1.3 * galton_board.ROWS / 4.0
    assert square > 3.0 * freedom


def test_deviation_of_an_even_spread():
    taken = np.repeat(np.arange(galton_board.ROWS + 1), 100)
    square, freedom = galton_board.deviation(taken)
    assert freedom == 6
    assert square > 1000.0


def test_grains_wait_behind_a_slot_that_is_too_narrow():
    result = simulate(hopper.build(slot=0.9, grains=100), t_end=0.1, h=hopper.H, scheme=ns.VelocityVerlet())
    assert hopper.discharged(result)[-1] == 0


def test_columns_of_other_kinds_rest_on_hertz_too():
    columns = ("hs", "sh", "h")
    assert all(row.passed for row in hard_and_soft.check(hard_and_soft.run(columns), columns))


def test_a_pile_without_friction_has_more_contacts():
    smooth = pile.run(edge=2, layers=3, mu=0.0)
    rough = pile.run(edge=2, layers=3)
    assert pile.coordination(smooth) > pile.coordination(rough)


def test_a_drum_at_rest_does_no_work():
    still = simulate(
        drum.build(grains=60, rate=0.0), t_end=0.5, h=drum.H, scheme=ns.VelocityVerlet(), record_every=100
    )
    torque, weight = drum.torques(still)
    assert abs(drum.angles(still)[-1]) < 6.0
    assert abs(torque - weight) < 1e-3


def test_a_ball_that_is_not_pushed_does_not_fall():
    still = simulate(
        dominoes.build(push=0.0), t_end=0.5, h=dominoes.H, scheme=ns.VelocityVerlet(), record_every=100
    )
    assert np.abs(still.velocity).max() < 1e-6
    with pytest.raises(ValueError, match="not arrived"):
        dominoes.struck(still)


def test_a_walker_whose_crankshaft_turns_back_walks_back():
    back = simulate(walker.build(rate=-walker.RATE), t_end=1.0, h=2e-3, assemble=True)
    assert -0.6 < back.position[-1, 0, 0] < -0.3


def test_a_walker_on_ice_stays_where_it_is():
    still = simulate(walker.build(mu=0.0), t_end=0.5, h=2e-3, assemble=True)
    centre = np.array([body.mass for body in still.model.bodies]) @ still.velocity[:, :, 0].T
    assert np.abs(centre - centre[0]).max() < 1e-10  # momentum


def test_the_pin_of_a_leg_is_at_its_distances():
    pins = walker.leg(0.15j)
    for first, second, length in (("pin", "top", "j"), ("pin", "knee", "k"), ("heel", "foot", "h")):
        assert abs(pins[first] - pins[second]) == pytest.approx(walker.L[length], rel=1e-14)


def test_a_cradle_on_ropes_with_inelastic_balls_sends_more_than_one_out():
    result = simulate(rope_cradle.build(1, e_n=0.5), t_end=0.6, h=rope_cradle.H)
    assert (rope_cradle.angles(result)[-1] > 1.0).sum() > 1
    assert rope_cradle.stretch(result) < 1e-12


def test_four_of_five_touching_balls_send_four_out():
    (result,) = rope_cradle.run(raised=(4,))
    assert all(row.passed for row in rope_cradle.check([result]))


@pytest.mark.parametrize(("force", "held"), [(8.0, False), (12.0, True)])
def test_a_gripper_needs_a_force_above_the_weight_over_friction(force, held):
    needed = gripper.MASS * gripper.GRAVITY * np.cos(gripper.SLANT) / gripper.MU
    assert bool(force > needed) is held
    result = gripper.run(force=force, t_end=2.0)
    assert bool(result.position[-1, gripper.BALL, 2] > 0.1) is held


def test_the_hand_of_a_gripper_goes_where_its_angles_lead_it():
    t = np.linspace(0.0, 4.0, 9)
    boom, stick, _ = gripper.bends(gripper.way(t)).T
    x = gripper.BOOM * np.cos(boom) + gripper.STICK * np.cos(stick)
    z = gripper.SHOULDER - gripper.BOOM * np.sin(boom) - gripper.STICK * np.sin(stick) - gripper.WRIST
    assert np.abs(np.stack([x, z], axis=1) - gripper.way(t)).max() < 1e-14


@pytest.mark.parametrize(("force", "held"), [(7.5, False), (12.0, True)])
def test_an_arm_from_a_file_needs_a_force_above_the_weight_over_friction(force, held):
    needed = gripper_arm.MASS * gripper_arm.GRAVITY / gripper_arm.MU
    assert bool(force > needed) is held
    result = gripper_arm.run(force=force, t_end=2.2)
    assert bool(result.position[-1, gripper_arm.numbers(result)["box"], 2] > 0.1) is held


@pytest.mark.parametrize("assemble", [False, True])
def test_a_box_in_the_hand_does_not_turn_in_long_steps(assemble):
    """Within a step of 8 ms the motor alone would move the fingers 6 mm into it."""
    model = gripper_arm.build(t_end=4.6)
    result = ns.simulate(model, t_end=4.6, h=8e-3, assemble=assemble)
    held, box = result.t > 4.1, gripper_arm.numbers(result)["box"]
    turn = result.rotation[held, box]
    assert 2.0 * np.linalg.norm(turn[-1] - turn[0]) < 1e-10 * (result.t[held][-1] - result.t[held][0])


def test_an_arm_from_a_file_goes_where_its_angles_lead_it():
    turn = gripper_arm.moves(4.0)
    shoulder, elbow = turn["shoulder"], turn["shoulder"] + turn["elbow"]
    x = gripper_arm.UPPER * np.sin(shoulder) + gripper_arm.FORE * np.sin(elbow)
    z = gripper_arm.SHOULDER + gripper_arm.UPPER * np.cos(shoulder) + gripper_arm.FORE * np.cos(elbow)
    for t, far, high, pan in gripper_arm.WAYS:
        k = round(t / 0.02)
        expected = far, high + gripper_arm.HAND, pan
        assert np.abs(np.array([x[k], z[k], turn["pan"][k]]) - expected).max() < 1e-14
    assert np.abs(elbow + turn["wrist"] - np.pi).max() < 1e-15


def test_a_dog_stands_and_creeps_less_with_smaller_steps():
    """The creep falls with the square of the step, below 2 ms."""
    speeds = []
    for h in (2e-3, 1e-3):
        result = quadruped.run(h, t_end=5.0)
        x = result.position[:, 0]
        assert 0.29 < x[-1, 2] < 0.3
        speeds.append(np.linalg.norm(x[-1] - x[np.searchsorted(result.t, 4.0 - 1e-9)]))
    assert 2.5 < speeds[0] / speeds[1] < 6.0
    assert speeds[1] < 2e-7  # in a second


def test_a_house_of_cards_on_ice_falls():
    result = simulate(
        card_house.build(mu=0.02), t_end=0.3, h=1e-4, scheme=ns.VelocityVerlet(), record_every=100
    )
    assert result.position[0, :, 2].min() > 0.04
    assert result.position[-1, :4, 2].max() < 0.01


def test_boxes_go_with_a_table_if_friction_is_large():
    model = vibrating_table.build(friction=(0.9, 0.9, 0.9))
    result = simulate(model, t_end=0.2, h=2e-4, scheme=ns.VelocityVerlet(), record_every=10)
    table = vibrating_table.table_at(np.asarray(result.t))[0]
    assert np.abs(result.position[:, :, 0] - table[:, None]).max() < 2e-4


def test_a_die_that_falls_without_spin_loses_energy():
    result = simulate(
        mesh_on_plane.build(spin=0.0), t_end=0.3, h=1e-4, scheme=ns.VelocityVerlet(), record_every=10
    )
    energy = np.asarray(result.energy())
    assert energy.max() < (1.0 + 1e-9) * energy[0]
    assert energy[-1] < 0.7 * energy[0]
