"""Motors, controllers, springs and dampers on coordinates of joints: closed forms, stiff ones, contact."""

from itertools import pairwise

import numpy as np
import pytest

import nsgalpha as ns
from elements import PD, Drag, Drive, JointSpring, Limit, Motor, Prismatic, Revolute, SpherePlane, Telescope

J = 0.4  # of the wheel [kg m2]


def wheel(*, rate=0.0, inertia=J):
    """A wheel about z, whose angle begins at 0."""
    model = ns.Model()
    model.add_body(mass=1.0, inertia=(1, 1, inertia), position=(0, 0, 0), angular_velocity=(0, 0, rate))
    model.add(Revolute(None, model.bodies[0], point=(0, 0, 0), axis=(0, 0, 1), name="axle"))
    return model


def arm(count=3, **motion):
    """Rods in a row, horizontal, hinged at their ends."""
    model = ns.Model(gravity=(0, 0, -9.81))
    before = None
    for k in range(count):
        rod = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(k + 0.5, 0, 0))
        model.add(Revolute(before, rod, point=(k, 0, 0), axis=(0, 1, 0), name=f"joint {k}"))
        before = rod
    return model


@pytest.mark.parametrize(
    "load", [2.0, lambda t: (2.0, 0.0), [[0, 2.0], [1.0, 2.0]]], ids=["number", "function", "table"]
)
def test_a_constant_torque_is_integrated_exactly(load):
    model = wheel()
    motor = model.add(Motor("axle", load))
    result = ns.simulate(model, t_end=1.0, h=1e-2)
    angle, rate = result.coordinate("axle")
    assert np.abs(angle - 0.5 * 2.0 / J * result.t**2).max() < 1e-12
    torque, power = result.effort(motor)
    assert np.abs(torque - 2.0).max() == 0.0
    assert np.abs(power - 2.0 * rate).max() < 1e-12


def test_tables_of_motors_are_straight_between_their_rows():
    model = wheel()
    model.add(Motor("axle", [[0, 0], [0.5, 1], [1, 1]]))
    result = ns.simulate(model, t_end=1.0, h=5e-3)
    assert result.coordinate("axle").rate[-1] == pytest.approx(0.75 / J, rel=1e-2)
    assert np.abs(result.effort(model.drives[0]).value - np.minimum(2 * result.t, 1)).max() < 1e-13


def test_a_torsion_spring_counts_turns_and_swings_with_its_frequency():
    k = 0.9
    runs = []
    for h in (4e-3, 2e-3, 1e-3):
        model = wheel(rate=15.0)
        model.add(JointSpring("axle", stiffness=k, name="spring"))
        runs.append(ns.simulate(model, t_end=4.0, h=h, scheme=ns.GeneralizedAlpha(rho_inf=1.0)))
    w = np.sqrt(k / J)
    errors = [np.abs(run.coordinate("axle").value - 15.0 / w * np.sin(w * run.t)).max() for run in runs]
    assert max(15.0 / w * np.sin(w * runs[0].t)) > 3 * np.pi
    assert errors[-1] < 4e-5
    assert min(np.log2(a / b) for a, b in pairwise(errors)) > 1.9
    energy = runs[-1].energy()
    assert np.abs(energy - energy[0]).max() < 1e-4 * energy[0]
    torque, _ = runs[-1].effort("spring")
    assert np.abs(torque + k * runs[-1].coordinate("axle").value).max() < 1e-9


def test_a_damper_alone_slows_a_slider():
    model = ns.Model()
    body = model.add_body(mass=2.0, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(3, 0, 0))
    rail = model.add(Prismatic(None, body, point=(0, 0, 0), axis=(1, 0, 0)))
    model.add(JointSpring(rail, damping=1.5))
    result = ns.simulate(model, t_end=2.0, h=1e-3)
    assert np.abs(result.velocity[:, 0, 0] - 3 * np.exp(-0.75 * result.t)).max() < 1e-6


def test_a_spring_between_two_points_is_one_on_a_telescope():
    model = ns.Model(gravity=(0, 0, -9.81))
    model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, -1))
    strut = model.add(Telescope(None, model.bodies[0], points=((0, 0, 0), (0, 0, -1))))
    model.add(JointSpring(strut, stiffness=100.0, damping=2.0, rest=1.0))
    result = ns.simulate(model, t_end=20.0, h=5e-3, record_every=100)
    assert result.coordinate(strut).value[-1] == pytest.approx(1.0 + 9.81 / 100, abs=1e-6)


def target(t):
    return 0.3 * np.sin(2 * t) ** 2


@pytest.mark.parametrize("count", [1, 3, 12])
def test_stiff_controllers_hold_their_targets_with_long_steps(count):
    """Time constants of a hundredth of the step: the targets are met, as drives would meet them."""
    h = 5e-3
    model, driven = arm(count), arm(count)
    for k in range(count):
        model.add(PD(f"joint {k}", target, stiffness=1e4 / h**2, damping=1e3 / h))
        driven.add(Drive(f"joint {k}", target))
    result = ns.simulate(model, t_end=1.0, h=h)
    assert result.status.ok
    assert result.stats.smooth_iterations[:].max() < 20
    exact = ns.simulate(driven, t_end=1.0, h=h)
    load = np.abs(exact.effort(driven.drives[0]).value).max()
    late = result.t > 0.5  # controllers take up the weight in the first steps
    for k in range(count):
        error = result.coordinate(f"joint {k}").value - target(result.t)
        assert np.abs(error[late]).max() < 3.0 * load * h**2 / 1e4
    difference = result.effort(model.drives[0]).value - exact.effort(driven.drives[0]).value
    assert np.abs(difference[late]).max() < 0.02 * load


def test_controlled_arms_are_of_second_order():
    runs = []
    for k in range(4):
        model = arm(2)
        for j in range(2):
            model.add(PD(f"joint {j}", target, stiffness=300.0, damping=20.0))
        runs.append(ns.simulate(model, t_end=0.8, h=4e-3 / 2**k))
    for name in ("position", "velocity", "joints"):
        ends = [getattr(run, name)[-1] for run in runs]
        change = [np.abs(one - two).max() for one, two in pairwise(ends)]
        assert min(np.log2(np.divide(change[:-1], change[1:]))) > 1.9, name


def test_a_stiff_controller_rests_on_the_ground_with_the_load_of_its_error():
    """It would go 0.01 rad further down than the ground admits: contact and controller share."""
    h = 1e-3
    for stiffness, damping in ((1e3, 10.0), (1e6, 1e3), (1e7, 0.0)):
        model = ns.Model(gravity=(0, 0, -10))
        hand = model.add_sphere(radius=0.1, mass=1.0, position=(1, 0, 0.1))
        model.add(Revolute(None, hand, point=(0, 0, 0.1), axis=(0, 1, 0), name="pin"))
        model.add(SpherePlane(hand, model.add_plane(normal=(0, 0, 1)), mu=0.0))
        pd = model.add(PD("pin", 0.01, stiffness=stiffness, damping=damping))
        result = ns.simulate(model, t_end=0.2, h=h)
        assert result.status.ok
        assert np.abs(result.coordinate("pin").value).max() < 1e-12, stiffness
        assert result.effort(pd).value[-1] == pytest.approx(0.01 * stiffness, rel=1e-6)
        last = result.contacts.start[-2]
        assert result.contacts.impulse[last:, 2].sum() / h == pytest.approx(10 + 0.01 * stiffness, rel=3e-5)


def test_a_motor_on_a_driven_joint_is_felt_by_the_drive_alone():
    """Nothing moves: that loads follow does not show in the motion, but in the reactions."""
    model = arm(1)
    (pin,) = model.joints
    servo = model.add(Drive(pin, 0.0))
    model.add(Motor(pin, lambda t: 5.0 * np.sin(t)))
    result = ns.simulate(model, t_end=2.0, h=0.01)
    expected = -0.5 * 9.81 - 5.0 * np.sin(result.t)
    assert np.abs(result.effort(servo).value - expected).max() < 1e-12
    assert np.abs(result.constraint_reaction(pin).torque).max() < 1e-12
    assert np.abs(result.reaction(pin).torque - [[0, -0.5 * 9.81, 0]]).max() < 1e-12  # of the weight


def test_reactions_of_a_held_arm_with_a_motor_stay():
    """Two rods that servos have raised, a motor that presses a slider against its stop."""
    model = arm(2)
    t = np.linspace(0.0, 9.0, 451)
    u = np.minimum(t, 1.0)
    raised = np.column_stack([t, -0.3 * u**3 * (10 - 15 * u + 6 * u * u)])
    servo, _ = (model.add(Drive(joint, raised)) for joint in model.joints)
    slide = model.add_body(mass=0.2, inertia=(1e-3, 1e-3, 1e-3), position=(2, 0, 0))
    rail = model.add(Prismatic(model.bodies[1], slide, point=(2, 0, 0), axis=(0, 1, 0)))
    model.add(Limit(rail, low=-0.1, high=0.1))
    model.add(Motor(rail, 3.0))
    result = ns.simulate(model, t_end=8.0, h=4e-3, assemble=True)
    torque = result.effort(servo).value[500:]
    assert np.abs(torque - torque[0]).max() < 1e-10
    statics = -9.81 * float(np.array((1.0, 1.0, 0.2)) @ result.position[-1, :, 0])
    assert abs(torque[-1] - statics) < 1e-6


def test_a_run_with_loads_of_python_is_that_of_the_compiled_loop():
    runs = []
    for load in (Drag, lambda bodies, **_: lambda t, state: -0.1 * state.velocity):
        model = arm(2)
        model.add(PD("joint 0", target, stiffness=1e5, damping=100.0))
        model.add(Motor("joint 1", lambda t: np.sin(t)))
        model.add_load(load(model.bodies, translational=0.1))
        runs.append(ns.simulate(model, t_end=0.3, h=2e-3))
    assert np.abs(runs[0].position - runs[1].position).max() < 1e-10
    assert np.abs(runs[0].joints - runs[1].joints).max() < 1e-5


def test_a_controller_may_act_on_a_coordinate_that_is_driven():
    model = wheel()
    model.add(Drive("axle", lambda t: t**2))
    model.add(JointSpring("axle", stiffness=5.0, name="spring"))
    result = ns.simulate(model, t_end=1.0, h=1e-2)
    drive, spring = result.effort(model.drives[0]).value, result.effort("spring").value
    assert np.abs(spring + 5.0 * result.t**2).max() < 1e-9
    assert np.abs(drive + spring - 2.0 * J)[1:].max() < 1e-9


def test_sensors_see_what_results_hold():
    model = wheel(rate=20.0)
    model.add(JointSpring("axle", stiffness=1.0, name="spring"))
    seen = ns.Sensor("axle", lambda now: (*now.coordinate("axle"), *now.effort("spring")))
    result = ns.simulate(model, t_end=1.0, h=1e-2, watch=[seen])
    value = np.column_stack([*result.coordinate("axle"), *result.effort("spring")])
    assert np.abs(value[:, 0]).max() > np.pi
    assert np.array_equal(result.sensors["axle"].value, value)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: PD("axle", 0.0, stiffness=-1.0), "stiffness = -1"),
        (lambda: PD("axle", 0.0, stiffness=0.0), "stiffness = 0.*must be positive, or damping"),
        (lambda: JointSpring("axle"), "must be positive, or damping"),
        (lambda: JointSpring("axle", damping=np.inf), "damping = inf"),
        (lambda: Motor("axle", [[1, 0], [0, 1]]), "load: the time 0 s of row 1 follows 1 s"),
        (lambda: Motor("axle", np.nan), "load = nan"),
    ],
)
def test_bad_loads_are_named(made, says):
    with pytest.raises(ValueError, match=says):
        made()


def test_an_effort_of_what_is_no_drive_is_refused():
    model = wheel()
    model.add(Motor("axle", 1.0, name="motor"))
    result = ns.simulate(model, t_end=0.01, h=1e-2)
    with pytest.raises(ValueError, match=r"drive = 'axle': must be a drive of the model.*'motor'"):
        result.effort("axle")
