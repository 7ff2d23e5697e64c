"""Gears, racks, screws and differentials: ratios hold to rounding, motion is that of reduced inertias."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from elements.drives import Relation

H = 2e-3


def wheel(model, x, inertia, name, carrier=None, **motion):
    """A wheel about z at `x`, on the ground or a carrier."""
    body = model.add_body(mass=1.0, inertia=(1, 1, inertia), position=x, **motion)
    model.add(e.Revolute(carrier, body, point=x, axis=(0, 0, 1), name=name))
    return body


def pair(ratio=-2.5, load=3.0):
    model = ns.Model()
    wheel(model, (0, 0, 0), 0.2, "one")
    wheel(model, (1, 0, 0), 0.05, "two")
    model.add(e.Gear("one", "two", ratio=ratio, name="gear"))
    model.add(e.Motor("one", load, name="motor"))
    return model


def test_a_gear_holds_its_ratio_over_many_turns_and_carries_the_torque_of_the_other_wheel():
    result = ns.simulate(pair(), t_end=4.0, h=H)
    (one, w), (two, v) = result.coordinate("one"), result.coordinate("two")
    assert np.abs(two + 2.5 * one).max() < 1e-11
    assert np.abs(v + 2.5 * w).max() < 1e-12
    assert one[-1] > 20.0
    acceleration = 3.0 / (0.2 + 2.5**2 * 0.05)
    assert np.abs(one - 0.5 * acceleration * result.t**2).max() < 1e-10
    assert np.abs(result.effort("gear").value[1:] + 2.5 * 0.05 * acceleration).max() < 1e-9
    assert np.abs(result.effort("gear").power).max() == 0.0
    assert np.abs(result.effort("motor").power - 3.0 * w).max() < 1e-12


def test_a_gear_on_a_carrier_that_turns_is_planetary():
    """The carrier is driven: the planet, which rolls about a sun at rest, turns by 1 + z_s/z_p."""
    model = ns.Model(gravity=(0, -9.81, 0))
    carrier = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    model.add(e.Revolute(None, carrier, point=(0, 0, 0), axis=(0, 0, 1), name="shaft"))
    sun = wheel(model, (0, 0, 0), 0.3, "sun", carrier)
    planet = wheel(model, (1, 0, 0), 0.1, "planet", carrier)
    hold = model.add(e.Revolute(None, sun, point=(0, 0, 0), axis=(0, 0, 1), name="brake"))
    model.add(e.Gear("sun", "planet", ratio=-3.0))
    model.add(e.Drive(hold, 0.0))
    model.add(e.Drive("shaft", lambda t: 0.5 * t**2))
    result = ns.simulate(model, t_end=2.0, h=H)
    assert result.status.ok
    assert np.abs(result.angular_velocity[:, sun, 2]).max() < 1e-11
    assert np.abs(result.angular_velocity[:, planet, 2] - 4.0 * result.t).max() < 1e-10


def test_a_differential_shares_the_torque_of_the_cage():
    model = ns.Model()
    for k, name in enumerate(("left", "right", "cage")):
        wheel(model, (k, 0, 0), 0.1 * (k + 1), name)
    model.add(e.Differential(["left", "right", "cage"], [1, 1, -2], name="axle"))
    model.add(e.Motor("cage", 1.0))
    result = ns.simulate(model, t_end=1.0, h=H)
    left, right, cage = (result.coordinate(name).rate for name in ("left", "right", "cage"))
    assert np.abs(left + right - 2 * cage).max() < 1e-13
    torque = result.effort("axle").value[-1]  # on each wheel, as they share it
    a_left, a_right = torque / 0.1, torque / 0.2
    assert left[-1] == pytest.approx(a_left, rel=1e-10)
    assert right[-1] == pytest.approx(a_right, rel=1e-10)
    assert (1.0 - 2 * torque) / 0.3 == pytest.approx(0.5 * (a_left + a_right), rel=1e-10)


def test_a_rack_falls_and_turns_its_pinion():
    model = ns.Model(gravity=(0, -9.81, 0))
    wheel(model, (0, 0, 0), 0.02, "pinion")
    rack = model.add_body(mass=2.0, inertia=(1, 1, 1), position=(0.1, 0, 0))
    model.add(e.Prismatic(None, rack, point=(0.1, 0, 0), axis=(0, 1, 0), name="rack"))
    model.add(e.RackAndPinion("pinion", "rack", radius=0.1))
    result = ns.simulate(model, t_end=2.0, h=H)
    fall = -9.81 * 2.0 / (2.0 + 0.02 / 0.01)
    assert np.abs(result.position[:, rack, 1] - 0.5 * fall * result.t**2).max() < 1e-10
    assert np.abs(0.1 * result.coordinate("pinion").value - result.position[:, rack, 1]).max() < 1e-11


def test_a_nut_runs_down_its_screw():
    model = ns.Model(gravity=(0, 0, -9.81))
    nut = model.add_body(mass=1.0, inertia=(1, 1, 1e-4), position=(0, 0, 0))
    bolt = model.add(e.Cylindrical(None, nut, point=(0, 0, 0), axis=(0, 0, 1)))
    model.add(e.Screw(bolt, lead=0.05))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    p = 0.05 / (2 * np.pi)
    fall = -9.81 / (1.0 + 1e-4 / p**2)
    assert np.abs(result.position[:, nut, 2] - 0.5 * fall * result.t**2).max() < 1e-11
    assert np.abs(result.position[:, nut, 2] - p * result.coordinate(bolt, "angle").value).max() < 1e-13


def wound(servo=True):
    """Gears of non-integer ratio, a spring that counts turns, a servo table."""
    model = pair(ratio=-2.37, load=9.0)
    wheel(model, (2, 0, 0), 0.1, "three")
    model.add(e.Gear("two", "three", ratio=1.7))
    model.add(e.JointSpring("three", stiffness=0.01, damping=1e-3))
    wheel(model, (3, 0, 0), 0.1, "four")
    if servo:
        model.add(e.Drive("four", [[0, 0, 0], [1, 9.0, 3.0], [2, 8.0, 1.0]], name="servo"))
    return model


def test_a_run_goes_on_from_a_state_and_from_a_file_to_the_bit(tmp_path):
    whole = ns.simulate(wound(servo=False), t_end=1.6, h=H)
    assert np.abs(whole.coordinate("three").value).max() > 2.5 * np.pi
    half = len(whole.t) * 3 // 4
    part = ns.simulate(wound(servo=False), t_end=1.6, h=H, state=whole.state(half))
    for name in ("position", "rotation", "velocity", "angular_velocity", "joints"):
        assert np.array_equal(getattr(part, name)[-1], getattr(whole, name)[-1]), name
    path, whole = tmp_path / "run.h5", ns.simulate(wound(), t_end=1.6, h=H)
    ns.simulate(wound(), t_end=1.0, h=H, recording=ns.Recording(file=path))
    again = ns.resume(path, t_end=1.6)
    assert np.array_equal(again.joints[:], whole.joints)
    assert np.array_equal(again.effort("servo").value, whole.effort("servo").value)
    assert [each.name for each in again.model.drives] == [each.name for each in whole.model.drives]


def test_a_gear_begins_with_the_turns_of_its_state():
    """Without the state's memory the ratio 2.37 would fail within one turn."""
    whole = ns.simulate(wound(), t_end=1.6, h=H)
    angle = whole.coordinate("two").value
    late = int(np.flatnonzero(np.abs(angle) > 3.3)[0])
    assert ns.step(wound(), whole.state(late), H).position.shape == (4, 3)


def test_a_second_drive_on_the_other_side_of_a_gear_needs_no_wheel_on_the_ground():
    """The relation has four coordinates' sides on three bodies, all of them free."""
    model = ns.Model()
    frame = model.add_body(mass=5.0, inertia=(2, 2, 2), position=(0, 0, 0))
    wheel(model, (0, 0, 0), 0.2, "one", frame)
    wheel(model, (1, 0, 0), 0.1, "two", frame)
    model.add(e.Gear("one", "two", ratio=-2.0))
    model.add(e.Motor("one", 1.0))
    result = ns.simulate(model, t_end=1.0, h=H)
    spin = np.cumsum(np.zeros(3))
    for k, body in enumerate(model.bodies):
        J = np.diag(body.inertia)[2]
        spin = spin + body.mass * np.cross(result.position[-1, k], result.velocity[-1, k])
        spin = spin + np.array([0, 0, J * result.angular_velocity[-1, k, 2]])
    assert np.abs(spin).max() < 1e-12  # nothing acts from outside
    assert abs(result.angular_velocity[-1, 1, 2]) > 1.0


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: e.Gear("one", "two", ratio=0.0), "ratio = 0.0: must be different from 0"),
        (lambda: e.Gear("one", "two", ratio=np.inf), "ratio = inf"),
        (lambda: e.RackAndPinion("one", "two", radius=0.0), "radius = 0.0"),
        (lambda: e.Screw("one", lead=0.0), "lead = 0.0"),
        (lambda: e.Differential(["one", "two"], [1.0, 0.0]), r"weights\[1\] = 0.0"),
        (lambda: e.Differential(["one"], [1.0]), "1 joints and 1 weights"),
        (lambda: e.Differential(["one", "two"], [1.0]), "2 joints and 1 weights"),
    ],
)
def test_ratios_of_zero_are_refused(made, says):
    with pytest.raises(ValueError, match=says):
        made()


def test_transmissions_of_what_is_not_there_are_refused():
    model = pair()
    for bad, says in (
        (e.Gear("one", "one", ratio=2.0), "has one coordinate twice"),
        (e.RackAndPinion("one", "two", radius=0.1), "rack: two has no displacement, but angle"),
        (e.Screw("one", lead=0.1), "joint: one has no displacement, but angle"),
    ):
        with pytest.raises(ValueError, match=says):
            model.add(bad)
    assert isinstance(model.drives[0], Relation)
    with pytest.raises(ValueError, match="belongs to another model"):
        pair().add(model.drives[0])


def test_a_drive_with_a_function_of_a_script_needs_the_model(tmp_path):
    def told(t):
        return 0.5 * t**2

    def built():
        model = pair(load=0.0)
        model.drives.clear()
        model.add(e.Drive("one", told, name="servo"))
        return model

    path, whole = tmp_path / "run.h5", ns.simulate(built(), t_end=0.4, h=H)
    ns.simulate(built(), t_end=0.2, h=H, recording=ns.Recording(file=path))
    found = ns.load(path)
    assert np.array_equal(found.coordinate("one").value, whole.coordinate("one").value[: len(found.t)])
    assert np.array_equal(found.effort("servo").power, whole.effort("servo").power[: len(found.t)])
    with pytest.raises(ValueError, match=r"told.* is not in the file; give resume\(path, model"):
        ns.resume(path, t_end=0.4)
    with pytest.raises(ValueError, match=r"told.*cannot be kept in a file"):
        ns.simulate(found.model, t_end=0.1, h=H)
    assert np.array_equal(ns.resume(path, t_end=0.4, model=built()).joints[:], whole.joints)
