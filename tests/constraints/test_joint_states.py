"""States with joints: taken to the bit, or refused; other schemes say so."""

import dataclasses

import numpy as np
import pytest

import nsgalpha as ns
from tests.constraints.jointed_models import H, hammer, pendulum

MOTION = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "auxiliary", "joints")


def same(one, two):
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in MOTION)


def test_a_run_goes_on_from_any_state_to_the_bit():
    model = hammer()
    whole = ns.simulate(model, t_end=200 * H, h=H)
    first = ns.simulate(model, t_end=90 * H, h=H)
    rest = ns.simulate(model, t_end=200 * H, h=H, state=first.state())
    assert same(rest.state(), whole.state())
    assert same(ns.step(model, whole.state(120), H), whole.state(121))


@pytest.mark.parametrize(
    ("joints", "says"),
    [
        (np.zeros((4, 3)), r"state.joints of shape \(4, 3\): must be finite and of shape \(5, 3\).*replace"),
        (np.full((5, 3), np.nan), r"state.joints of shape \(5, 3\): must be finite"),
        (np.zeros((5, 2)), r"joints = .*must be numbers \(rows of joints, 3\)"),
        (np.zeros(5), r"joints = .*must be numbers \(rows of joints, 3\)"),
        ("none", r"joints = 'none': must be numbers \(rows of joints, 3\)"),
    ],
)
def test_what_no_run_has_left_is_refused(joints, says):
    model, _, _ = pendulum()
    state = ns.simulate(model, t_end=2 * H, h=H).state()
    with pytest.raises(ValueError, match=says):
        ns.step(model, dataclasses.replace(state, joints=joints), H)


def test_a_model_without_joints_refuses_what_joints_did():
    model, _, _ = pendulum()
    state = ns.simulate(model, t_end=2 * H, h=H).state()
    model.joints.clear()
    with pytest.raises(ValueError, match=r"of shape \(5, 3\): must be finite and of shape \(0, 3\)"):
        ns.step(model, state, H)
    ns.step(model, dataclasses.replace(state, joints=None), H)


def test_numbers_in_lists_will_do():
    model, _, _ = pendulum()
    state = ns.simulate(model, t_end=2 * H, h=H).state()
    again = dataclasses.replace(state, joints=state.joints.tolist())
    assert same(ns.step(model, again, H), ns.step(model, state, H))


@pytest.mark.parametrize("scheme", [ns.VelocityVerlet(), ns.SemiImplicit()])
def test_schemes_without_joints_say_so(scheme):
    model, _, _ = pendulum()
    name = type(scheme).__name__
    which = r"(joints \(pin\); .*stiff springs|pin; .*sliders)"
    says = rf"scheme = '{name}': must be GeneralizedAlpha for {which}"
    with pytest.raises(ValueError, match=says):
        ns.simulate(model, t_end=0.1, h=H, scheme=scheme)


def test_overdamped_motion_says_so():
    from elements import Drag

    model, rod, _ = pendulum()
    with pytest.raises(ValueError, match=r"scheme = 'Overdamped'.*joints"):
        ns.simulate(model, t_end=0.1, h=H, scheme=ns.Overdamped(Drag(rod, translational=1.0, rotational=1.0)))
