"""Drives tell coordinates of joints: exact positions and rates, loads of second order, refusals."""

from itertools import pairwise

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

W = 7.0  # rad/s
INERTIA = 1 / 12 + 0.25  # of the rod about its end [kg m^2]


def swing(t):
    return 0.5 * np.sin(W * t)


def swing_with_rate(t):
    return swing(t), 0.5 * W * np.cos(W * t)


def rod(spin=0.0, motion=None, **given):
    """A horizontal rod that a servo rotates about y through its end."""
    model = ns.Model(gravity=(0, 0, -9.81))
    body = model.add_body(
        mass=1.0,
        inertia=(1e-3, 1 / 12, 1 / 12),
        position=(0.5, 0, 0),
        velocity=(0, 0, -0.5 * spin),
        angular_velocity=(0, spin, 0),
    )
    pin = model.add(e.Revolute(None, body, point=(0, 0, 0), axis=(0, 1, 0), name="pin"))
    model.add(e.Drive(pin, motion, name="servo", **given))
    return model


def slider(joint=e.Prismatic, **motion):
    model = ns.Model(gravity=(0, 0, -9.81))
    body = model.add_body(mass=2.0, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(0, 0, 0.3))
    rail = model.add(joint(None, body, point=(0, 0, 0), axis=(0, 0, 1), name="rail"))
    return model, rail


@pytest.mark.parametrize("motion", [swing, swing_with_rate])
def test_a_servo_holds_angle_and_rate_to_rounding_and_its_torque_is_that_of_euler(motion):
    result = ns.simulate(rod(0.5 * W, motion), t_end=1.0, h=1e-3)
    angle, rate = result.coordinate("pin")
    phi = swing(result.t)
    assert np.abs(angle - phi).max() < 1e-14
    assert np.abs(rate - 0.5 * W * np.cos(W * result.t)).max() < 1e-11
    torque, power = result.effort("servo")
    expected = -INERTIA * W**2 * phi - 9.81 * 0.5 * np.cos(phi)
    assert np.abs(torque - expected).max() < 6e-5
    assert np.abs(power - torque * rate).max() < 1e-9


def test_positions_velocities_and_the_torque_are_of_second_order():
    """A rod that hangs at one that a servo swings."""
    runs = []
    for k in range(4):
        model = rod(0.5 * W, swing_with_rate)
        body = model.add_body(
            mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(1.5, 0, 0), velocity=(0, 0, -0.5 * W)
        )
        model.add(e.Revolute(model.bodies[0], body, point=(1, 0, 0), axis=(0, 1, 0)))
        runs.append(ns.simulate(model, t_end=0.6, h=4e-3 / 2**k))
    for name in ("position", "velocity", "torque"):
        ends = [
            run.effort("servo").value[-1:] if name == "torque" else getattr(run, name)[-1] for run in runs
        ]
        change = [np.abs(one - two).max() for one, two in pairwise(ends)]
        order = np.log2(np.divide(change[:-1], change[1:]))
        assert order.min() > 1.9, name


def test_the_torque_is_right_from_the_first_step_on():
    error = []
    for h in (4e-3, 2e-3):
        result = ns.simulate(rod(0.5 * W, swing_with_rate), t_end=10 * h, h=h)
        expected = -INERTIA * W**2 * swing(result.t) - 9.81 * 0.5 * np.cos(swing(result.t))
        error.append(np.abs(result.effort("servo").value - expected)[1:4].max())
    assert error[1] < error[0] / 3.5


def test_a_table_is_the_cubic_spline_through_its_rows():
    """A polynomial of third degree is its own spline."""

    def cubic(t):
        return 3.0 * t**2 - 2.0 * t**3, 6.0 * t - 6.0 * t**2

    t = np.linspace(0, 1, 6)
    told = ns.simulate(rod(0.0, cubic), t_end=1.0, h=1e-2)
    spline = ns.simulate(rod(0.0, np.column_stack([t, cubic(t)[0]])), t_end=1.0, h=1e-2)
    hermite = ns.simulate(rod(0.0, np.column_stack([t[::5], *(x[::5] for x in cubic(t))])), t_end=1.0, h=1e-2)
    assert np.abs(spline.position - told.position).max() < 1e-13
    assert np.abs(hermite.position - told.position).max() < 1e-13
    assert np.abs(spline.effort("servo").value - told.effort("servo").value).max() < 1e-9


def test_a_number_holds_the_coordinate():
    result = ns.simulate(rod(0.0, 0.0), t_end=0.5, h=1e-2)
    assert np.abs(result.position - result.position[0]).max() < 1e-15
    assert np.abs(result.effort("servo").value + 4.905).max() < 1e-12
    assert np.abs(result.effort("servo").power).max() == 0.0


def test_angles_count_their_turns():
    result = ns.simulate(rod(300.0, rate=300.0), t_end=2.0, h=1e-3, record_every=50)
    angle, rate = result.coordinate("pin")
    assert np.abs(angle - 300.0 * result.t).max() < 1e-11
    assert np.abs(rate - 300.0).max() < 1e-10


@pytest.mark.parametrize("joint", [e.Prismatic, e.Cylindrical])
def test_a_slide_is_driven_and_its_force_is_that_of_newton(joint):
    model, rail = slider(joint)
    lift = model.add(e.Drive(rail, lambda t: 0.1 * np.sin(3 * t), coordinate="displacement"))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    assert np.abs(result.position[:, 0, 2] - 0.1 * np.sin(3 * result.t)).max() < 1e-14
    expected = 2.0 * (9.81 - 0.9 * np.sin(3 * result.t))
    assert np.abs(result.effort(lift).value - expected).max() < 2e-5


def test_a_telescope_is_an_actuator():
    """A hinged bar that a cylinder lifts: their triangle determines its angle."""
    model = ns.Model(gravity=(0, 0, -9.81))
    bar = model.add_body(mass=3.0, inertia=(0.01, 1, 1), position=(1, 0, 0))
    model.add(e.Revolute(None, bar, point=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    jack = model.add(e.Telescope(None, bar, points=((1, 0, -1), (1, 0, 0)), name="jack"))
    drive = model.add(e.Drive(jack, [[0, 1, 0], [1, 1.3, 0]]))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    length, _ = result.coordinate(jack)
    s = result.t
    told = 1 + 0.3 * (3 * s**2 - 2 * s**3)
    assert np.abs(length - told).max() < 1e-14
    angle = -result.coordinate("hinge").value  # upwards, of the bar over the horizontal
    assert np.abs(np.cos(angle + np.pi / 4) - (3 - told**2) / (2 * np.sqrt(2))).max() < 1e-13
    assert result.effort(drive).value[0] == pytest.approx(3 * 9.81 + 4 * 0.3 * 6, rel=1e-9)
    kinetic, potential = result.energy("kinetic"), result.energy("potential")
    power = result.effort(drive).power
    work = np.sum(0.5 * (power[1:] + power[:-1])) * 1e-3
    assert work == pytest.approx(np.ptp([potential[0], potential[-1]]) + kinetic[-1], rel=1e-5)


def test_planar_joints_are_driven_in_three_coordinates():
    model = ns.Model()
    body = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(1, 0, 0))
    table = model.add(e.Planar(e.Marker(None), e.Marker(body)))
    for name, motion in (("first", lambda t: np.sin(t)), ("second", 0.0), ("angle", lambda t: t**2)):
        model.add(e.Drive(table, motion, coordinate=name))
    result = ns.simulate(model, t_end=1.0, h=1e-2)
    assert np.abs(result.position[:, 0, 0] - np.sin(result.t)).max() < 1e-14
    assert np.abs(result.coordinate(table, "angle").value - result.t**2).max() < 1e-14


def test_a_driven_mechanism_meets_the_ground_and_the_drive_holds():
    """A servo presses a ball on a rod against the floor: it stops."""
    model = ns.Model(gravity=(0, 0, -9.81))
    arm = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0.5))
    ball = model.add_sphere(radius=0.1, mass=0.5, position=(1.5, 0, 0.5))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.Revolute(None, arm, point=(0, 0, 0.5), axis=(0, 1, 0), name="shoulder"))
    model.add(e.Revolute(arm, ball, point=(1, 0, 0.5), axis=(0, 1, 0), name="elbow"))
    drive = model.add(e.Drive("shoulder", [[0, 0], [0.5, 0.2], [1, 0.0], [1.5, -0.2], [2, 0.0]]))
    state = model.initial_state()
    rate = drive.motion.at(0.0)[1]
    state.angular_velocity[:] = 0, rate, 0
    state.velocity[:] = [(0, 0, -0.5 * rate), (0, 0, -1.5 * rate)]
    model.add(e.SpherePlane(ball, floor, mu=0.3, e_n=0.2))
    result = ns.simulate(model, t_end=2.0, h=1e-3, state=state)
    assert result.status.ok
    assert len(result.contacts.gap) > 100
    told = np.array([drive.motion.at(float(t)) for t in result.t])
    angle, rate = result.coordinate("shoulder")
    assert np.abs(angle - told[:, 0]).max() < 1e-12
    assert np.abs(rate - told[:, 1]).max() < 1e-10


def test_a_start_that_is_not_where_the_drive_is_is_refused_with_the_size():
    for motion, says in (
        (0.25, r"position: violation of servo = -0.25.*begin at the position that it tells"),
        (lambda t: 0.5 * t, r"velocity: violation of servo = -0.5"),
    ):
        with pytest.raises(ValueError, match=says):
            ns.simulate(rod(0.0, motion), t_end=0.1, h=1e-2)


def test_a_motion_that_ends_ends_the_run():
    result = ns.simulate(rod(0.0, [[0, 0, 0], [0.5, 0.2, 0]]), t_end=1.0, h=1e-2)
    assert not result.status.ok
    assert "its table is from 0 s to 0.5 s" in result.status.message
    assert result.t[-1] == pytest.approx(0.5)

    def broken(t):
        return t**2 if t < 0.3 else np.nan

    result = ns.simulate(rod(0.0, broken), t_end=1.0, h=1e-2)
    assert "motion returned nan" in result.status.message
    with pytest.raises(ValueError, match="its table is from 1 s to 2 s, and has no value at t = 0 s"):
        ns.simulate(rod(0.0, [[1, 0], [2, 0]]), t_end=1.0, h=1e-2)


def test_contradictory_drives_are_refused():
    model = rod(0.0, 0.0)
    model.add(e.Drive("pin", 0.0, name="second"))
    with pytest.raises(ValueError, match="second: its coordinate is prescribed by servo already"):
        ns.simulate(model, t_end=0.1, h=1e-2)
    model = rod(0.0, 0.0)
    other = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 1, 0))
    hinge = model.add(e.Revolute(None, other, point=(0, 1, 0), axis=(0, 1, 0), name="other"))
    model.add(e.Gear("pin", hinge, ratio=2.0, name="gear"))
    model.add(e.Drive(hinge, 0.0, name="third"))
    with pytest.raises(ValueError, match="third: its coordinate is prescribed by servo, gear already"):
        ns.simulate(model, t_end=0.1, h=1e-2)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"motion": [[0, 0], [0, 1]]}, r"motion: the time 0 s of row 1 follows 0 s.*must increase"),
        ({"motion": [[0, 0], [1, np.nan]]}, "motion"),
        ({"motion": [[0, 0]]}, "two rows at least"),
        ({"motion": [0, 1, 2]}, r"motion = 'array \(3,\)'"),
        ({"motion": np.inf}, "motion = inf"),
        ({"motion": "fast"}, "motion"),
        ({}, "motion and rate: give one of them"),
        ({"motion": 0.0, "rate": 1.0}, "motion and rate: give one of them"),
        ({"rate": np.nan}, "rate = nan"),
    ],
)
def test_bad_motions_are_named(given, says):
    with pytest.raises(ValueError, match=says):
        e.Drive("pin", **given)


def test_drives_of_joints_without_such_a_coordinate_are_refused():
    model = rod(0.0, 0.0)
    body = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(3, 0, 0))
    ball = e.Spherical(None, body, point=(3, 0, 0), name="ball")
    with pytest.raises(ValueError, match=r"joint = 'ball': must be a joint that was added.*'pin'"):
        model.add(e.Drive(ball, 0.0))
    model.add(ball)
    with pytest.raises(ValueError, match="ball has no coordinate for Drive to act on"):
        model.add(e.Drive(ball, 0.0))
    model.add(e.Distance(e.Marker(None), e.Marker(body), name="thread"))
    with pytest.raises(ValueError, match="it holds the distance; take Telescope"):
        model.add(e.Drive("thread", 3.0))
    with pytest.raises(ValueError, match=r"coordinate = 'displacement': must be angle of pin"):
        model.add(e.Drive("pin", 0.0, coordinate="displacement"))
    model.add(e.Cylindrical(None, body, point=(3, 0, 0), axis=(1, 0, 0), name="bolt"))
    with pytest.raises(ValueError, match="coordinate = None: must be angle or displacement of bolt"):
        model.add(e.Drive("bolt", 0.0))
    with pytest.raises(ValueError, match="joint = 9"):
        model.add(e.Drive(9, 0.0))
    assert len(model.drives) == 1
