"""Reactions and coordinates of joints: they balance the bodies, and their rates are their changes."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Cylindrical, Revolute
from tests.constraints.jointed_models import H, chain, hammer, pendulum

COORDINATES = {
    "rail": ["displacement"],
    "hinge": ["angle"],
    "bolt": ["angle", "displacement"],
    "table": ["first", "second", "angle"],
    "cross": ["angle_a", "angle_b"],
    "thread": ["distance"],
    "arm": ["distance", "angle"],
}


@pytest.fixture(scope="module")
def run():
    return ns.simulate(chain(), t_end=0.5, h=1e-3)


def test_reactions_balance_all_bodies(run):
    model, count = run.model, len(run.model.bodies)
    force = (
        np.zeros((len(run.t), count, 3))
        + np.array([body.mass for body in model.bodies])[:, None] * model.gravity
    )
    torque = np.zeros((len(run.t), count, 3))
    for joint in model.joints:
        f, m = run.reaction(joint)
        a, b = joint.carriers
        for side, sign in ((a, -1.0), (b, 1.0)):
            if side in model.bodies:
                place = point_of(run, joint, 1)  # the wrench is one at the point of B
                lever = place - run.position[:, side]
                force[:, side] += sign * f
                torque[:, side] += sign * (m + np.cross(lever, f))
    assert np.abs(force - run.acceleration[:, :, :3]).max() < 1e-9 * np.abs(force).max()
    momentum = run.angular_momentum()
    rate = np.gradient(momentum, run.t, axis=0)
    assert np.abs(torque - rate)[2:-2].max() < 1e-2 * np.abs(torque).max()


def point_of(run, joint, side):
    from nsgalpha.arrays import turned

    carrier = joint.carriers[side]
    if carrier is None:
        return joint.points[side]
    lever = np.broadcast_to(joint.points[side], run.position[:, carrier].shape)
    return run.position[:, carrier] + turned(run.rotation[:, carrier], lever)


@pytest.mark.parametrize("name", COORDINATES)
def test_rates_are_the_changes_of_coordinates(run, name):
    for which in COORDINATES[name]:
        value, rate = run.coordinate(name, which)
        assert np.abs(np.gradient(value, run.t) - rate)[2:-2].max() < 1e-4 * max(np.abs(rate).max(), 1.0)
        if which not in ("distance", "angle") or name in ("hinge", "bolt", "table"):
            assert abs(value[0]) < 1e-14
    if len(COORDINATES[name]) == 1:
        assert np.array_equal(run.coordinate(name).value, value)


def test_a_rod_lets_its_ends_keep_their_distance(run):
    for name in ("thread", "arm"):
        value, rate = run.coordinate(name, "distance")
        assert np.abs(value - run.model.joints[0].length - value[0]).max() < 1e-13
        assert np.abs(rate).max() < 1e-12


def test_angles_go_on_over_whole_turns_where_few_states_are_recorded():
    model = ns.Model(gravity=(0, 0, -10))
    nut = model.add_body(
        mass=1.0,
        inertia=(0.1, 0.2, 0.3),
        position=(1, 0, 0),
        angular_velocity=(0, 0, -40),
        velocity=(0, 0, 1),
    )
    bolt = model.add(Cylindrical(None, nut, point=(1, 0, 0), axis=(0, 0, 1), name="bolt"))
    result = ns.simulate(model, t_end=2.0, h=1e-3, record_every=250)  # 10 rad from one to the next
    angle, rate = result.coordinate(bolt, "angle")
    assert angle == pytest.approx(-40 * result.t, abs=1e-11)
    assert rate == pytest.approx(-40.0, abs=1e-11)
    assert result.coordinate("bolt", "displacement").value == pytest.approx(
        result.t - 5 * result.t**2, abs=1e-11
    )


def test_a_swinging_rod_has_the_reaction_and_the_angle_of_the_books():
    model, _, pin = pendulum()
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    angle, rate = result.coordinate(pin)
    assert np.abs(rate**2 - 3 * 9.81 * np.sin(angle)).max() < 1e-3
    force, torque = result.reaction(pin)
    along = np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], axis=1)
    assert np.abs((force * along).sum(axis=1) + 2.5 * 9.81 * np.sin(angle)).max() < 1e-3
    assert np.abs(torque).max() < 1e-11


def test_impulses_of_impacts_are_told_apart():
    result = ns.simulate(hammer(), t_end=300 * H, h=H)
    rod = result.model.bodies[0]
    force, _ = result.reaction("pin")
    impulse, _ = result.reaction_impulse("pin")
    inner, _ = result.reaction_impulse(result.model.joints[1])  # on the head
    struck = np.flatnonzero(np.abs(impulse).max(axis=1) > 0.1)
    assert len(struck) >= 1
    change = result.velocity[1:, rod] - result.velocity[:-1, rod]
    balance = change - (impulse - inner)[1:]
    assert np.abs(balance[struck - 1]).max() < 0.2 < np.abs(change[struck - 1]).max()
    assert np.abs(force).max() < 100.0  # the force of the motion alone, not the impact force within a step


def test_sensors_measure_what_the_result_has(tmp_path):
    model = hammer()
    sensors = [
        ns.Sensor("force", lambda now: now.reaction("pin").force),
        ns.Sensor("impulse", lambda now: now.reaction_impulse("pin").force),
        ns.Sensor("angle", lambda now: now.coordinate("pin")),
    ]
    path = tmp_path / "run.h5"
    kept = ns.simulate(model, t_end=200 * H, h=H, watch=sensors)
    ns.simulate(model, t_end=200 * H, h=H, watch=sensors, recording=ns.Recording(file=path))
    for result in (kept, ns.load(path)):
        assert np.array_equal(result.sensors["force"].value, result.reaction("pin").force)
        assert np.array_equal(result.sensors["impulse"].value, result.reaction_impulse("pin").force)
        value, rate = result.coordinate("pin")
        assert np.array_equal(np.asarray(result.sensors["angle"].value), np.stack([value, rate], axis=1))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda run: run.reaction("pin"),
            "joint = 'pin': must be a joint of the model, or the name of one; it has 'rail'",
        ),
        (lambda run: run.reaction(pendulum()[2]), "joint = 'pin': must be a joint of the model"),
        (lambda run: run.reaction(3), "joint = 3: must be a joint of the model"),
        (lambda run: run.coordinate("bolt"), "name = None: must be angle or displacement for bolt"),
        (lambda run: run.coordinate("hinge", "distance"), "name = 'distance': must be angle for hinge"),
        (
            lambda run: run.coordinate(run.model.joints[4]),
            "Spherical of .* has no coordinate; see the positions",
        ),
    ],
)
def test_what_a_joint_does_not_have_is_refused(run, call, says):
    with pytest.raises(ValueError, match=says):
        call(run)


def test_two_joints_of_one_name_are_told_apart_by_themselves():
    model = ns.Model(gravity=(0, 0, -9.81))
    door = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0), name="door")
    hinges = [model.add(Revolute(None, door, point=(0, 0, z), axis=(0, 0, 1))) for z in (-0.5, 0.5)]
    result = ns.simulate(model, t_end=5 * H, h=H)
    with pytest.raises(ValueError, match="2 have it; give the joint itself"):
        result.reaction(hinges[0].name)
    total = sum(result.reaction(hinge).force for hinge in hinges)
    assert total[1:] == pytest.approx(np.broadcast_to([0, 0, 9.81], total[1:].shape), abs=1e-9)


def test_a_model_that_has_changed_since_is_refused():
    model, rod, pin = pendulum()
    result = ns.simulate(model, t_end=2 * H, h=H)
    model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    with pytest.raises(ValueError, match="joint: those of the model have 10 rows, and 5 are recorded"):
        result.reaction(pin)
