"""Motion of robots from descriptions: closed forms, an independent integration, the model stated by hand."""

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Contact, Revolute

DESCRIPTIONS = Path(__file__).parent / "descriptions"
G = 9.81
START = {"shoulder": 0.9, "elbow": -1.4}
INERTIAL = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def described(folder, links, joints):
    """A description with links (name: mass), 0 without inertia, and `joints` as text."""
    path = folder / "robot.urdf"
    text = "".join(
        f'<link name="{name}">{INERTIAL.format(mass) if mass else ""}</link>' for name, mass in links.items()
    )
    path.write_text(f'<robot name="test">{text}{joints}</robot>')
    return path


def slider(name, child, axis, more=""):
    return (
        f'<joint name="{name}" type="prismatic"><parent link="base"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><limit lower="-100" upper="100"/>{more}</joint>'
    )


def double_pendulum(h, t_end=1.0):
    robot = ns.read_urdf(DESCRIPTIONS / "double_pendulum.urdf", start=START)
    result = ns.simulate(robot.model, t_end=t_end, h=h)
    assert result.status, result.status
    return result, robot


def test_a_double_pendulum_is_that_stated_by_hand():
    result, robot = double_pendulum(1e-3)
    model = ns.Model(gravity=(0, 0, -G))
    one, two = (Rotation.from_rotvec((0, angle, 0)) for angle in (0.9, 0.9 - 1.4))
    top, elbow = np.array([0, 0, 2.0]), np.array([0, 0, 2.0]) + one.apply((0, 0, -0.9))
    bodies = [
        model.add_body(
            mass=mass, inertia=inertia, position=point + turn.apply(arm), rotation=np.roll(turn.as_quat(), 1)
        )
        for mass, inertia, point, turn, arm in (
            (1.2, (0.08, 0.081, 0.0012), top, one, (0, 0, -0.45)),
            (0.7, (0.03, 0.0305, 0.0007), elbow, two, (0, 0, -0.35)),
        )
    ]
    model.add(Revolute(None, bodies[0], point=top, axis=(0, 1, 0)))
    model.add(Revolute(*bodies, point=elbow, axis=(0, 1, 0)))
    by_hand = ns.simulate(model, t_end=1.0, h=1e-3)
    assert np.abs(result.position - by_hand.position).max() < 1e-11
    assert np.abs(result.velocity - by_hand.velocity).max() < 1e-10
    angle = result.coordinate(robot.joint("elbow")).value + 1.4
    assert np.abs(angle - by_hand.coordinate(model.joints[1]).value).max() < 1e-10


def test_a_double_pendulum_converges_to_the_equations_of_lagrange():
    """Angles from the vertical a, b: M(a - b) q'' + c = 0, integrated by an explicit scheme of order 8."""
    (m, p, J), (n, r, K), length = (1.2, 0.45, 0.081), (0.7, 0.35, 0.0305), 0.9
    M11, M22, M12 = J + m * p**2 + n * length**2, K + n * r**2, n * length * r

    def rates(t, y):
        a, b, u, v = y
        c, s = np.cos(a - b), np.sin(a - b)
        load = -M12 * s * v**2 - (m * p + n * length) * G * np.sin(a), M12 * s * u**2 - n * r * G * np.sin(b)
        return [u, v, *np.linalg.solve([[M11, M12 * c], [M12 * c, M22]], load)]

    exact = solve_ivp(rates, (0, 1), (0.9, -0.5, 0, 0), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    errors = []
    for h in (2e-3, 1e-3):
        result, robot = double_pendulum(h)
        a, e = (result.coordinate(robot.joint(name)).value[-1] for name in ("shoulder", "elbow"))
        errors.append(max(abs(a - exact[0]), abs(a + e - exact[1])))
    assert errors[1] < 5e-5
    assert 3.6 < errors[0] / errors[1] < 4.4


def test_damping_friction_and_weight_act_on_a_slider(tmp_path):
    """m v' = -m g - d v, and m v' = -(m g - F): closed forms; the axis is stated downwards and too long."""
    dynamics = '<dynamics damping="3"/>', '<dynamics friction="5"/>'
    joints = slider("damped", "a", "0 0 -7", dynamics[0]) + slider("rubbed", "b", "0 0 1", dynamics[1])
    robot = ns.read_urdf(described(tmp_path, {"base": 0, "a": 2.0, "b": 2.0}, joints))
    result = ns.simulate(robot.model, t_end=1.0, h=1e-3)
    t = result.t
    fallen = 2 * G / 3 * (t - 2 / 3 * (1 - np.exp(-1.5 * t)))
    assert np.abs(result.coordinate(robot.joint("damped")).value - fallen).max() < 1e-6
    assert np.abs(result.coordinate(robot.joint("rubbed")).value + (G - 2.5) * t**2 / 2).max() < 1e-9


def test_a_follower_moves_with_the_sum_of_the_inertias(tmp_path):
    """Two weights, b = -2 a + 0.3: (m + 4 n) a'' = -(m - 2 n) g."""
    mimic = '<mimic joint="leader" multiplier="-2" offset="0.3"/>'
    joints = slider("follower", "b", "0 0 1", mimic) + slider("leader", "a", "0 0 1")
    path = described(tmp_path, {"base": 0, "a": 3.0, "b": 1.0}, joints)
    robot = ns.read_urdf(path, start={"leader": 0.1})
    result = ns.simulate(robot.model, t_end=1.0, h=1e-3)
    leader, follower = (result.coordinate(robot.joint(name)).value for name in ("leader", "follower"))
    assert np.abs(leader - 0.1 + (3 - 2) / (3 + 4) * G * result.t**2 / 2).max() < 1e-9
    assert np.abs(follower + 2 * leader - 0.3).max() < 1e-12


def test_a_floating_child_falls_and_a_planar_one_slides(tmp_path):
    """Along z with g, and on an incline of 30 degrees with g / 2."""
    joints = (
        '<joint name="float" type="floating"><parent link="base"/><child link="a"/></joint>'
        '<joint name="ice" type="planar"><parent link="base"/><child link="b"/>'
        '<origin rpy="0 0.5235987755982988 0"/><axis xyz="0 0 1"/></joint>'
    )
    robot = ns.read_urdf(described(tmp_path, {"base": 0, "a": 1.0, "b": 1.0}, joints))
    result = ns.simulate(robot.model, t_end=1.0, h=1e-3)
    fallen, slid = (result.position[-1, robot.body(name)] for name in "ab")
    assert np.abs(fallen - (0, 0, -G / 2)).max() < 1e-9
    assert np.abs(slid - G / 4 * np.array([np.cos(np.pi / 6), 0, -0.5])).max() < 1e-9
    with pytest.raises(ValueError, match="joint that moves"):
        robot.joint("float")


def test_a_base_that_moves_falls_with_its_robot():
    """The centre of mass of all falls with g, as no force acts from outside."""
    robot = ns.read_urdf(DESCRIPTIONS / "quadruped.urdf", base="free", start={"FL_hip_joint": 0.3})
    result = ns.simulate(robot.model, t_end=0.3, h=1e-3)
    mass = np.array([body.mass for body in robot.model.bodies])
    centre = np.tensordot(mass / mass.sum(), result.position, (0, 1))
    fallen = centre[0] - np.outer(result.t**2 / 2, (0, 0, G))
    assert np.abs(centre - fallen).max() < 1e-9


def test_links_of_a_joint_do_not_touch_and_others_do():
    """A mobile base stands on its wheels and its caster."""
    robot = ns.read_urdf(DESCRIPTIONS / "mobile_base.urdf", base="free")
    floor = robot.model.add_plane(normal=(0, 0, 1))
    robot.model.add(Contact(among=[*robot.carriers, floor], mu=0.6))
    result = ns.simulate(robot.model, t_end=0.3, h=2e-3)
    assert result.status, result.status
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-8


def test_a_coordinate_that_begins_at_its_stop_rests_there():
    """Without `start` the camera begins at its upper stop, -0.1 rad, and does not pass it."""
    robot = ns.read_urdf(DESCRIPTIONS / "pan_tilt.urdf")
    result = ns.simulate(robot.model, t_end=0.1, h=1e-3)
    assert result.status, result.status
    angle = result.coordinate(robot.joint("tilt")).value
    assert abs(angle[0] + 0.1) < 1e-12
    assert angle.max() < -0.1 + 1e-9


def test_two_robots_share_a_model_by_prefixes():
    """Names have prefixes in the model, and are those of the file for the robot."""
    path = DESCRIPTIONS / "double_pendulum.urdf"
    first = ns.read_urdf(path, prefix="left ")
    hand = first.body("lower").position - np.array([0, 0, 0.35])
    second = ns.read_urdf(path, model=first.model, prefix="right ", position=(0, 0, hand[2] - 2))
    assert second.model is first.model
    assert [body.name for body in first.model.bodies] == [
        "left upper",
        "left lower",
        "right upper",
        "right lower",
    ]
    assert [joint.name for joint in first.model.joints][2:] == ["right shoulder", "right elbow"]
    assert second.body("upper") is first.model.bodies[2]
    place = first.marker("lower")
    assert place.carrier is first.body("lower")
    assert np.abs(place.position - (0, 0, 0.35)).max() < 1e-12
    assert second.marker("stand").carrier is None
    with pytest.raises(ValueError, match="used once in a model"):
        ns.read_urdf(path, model=first.model, prefix="left ")
    assert len(first.model.bodies) == 4


def test_a_robot_is_in_result_files_and_hangs_in_equilibrium(tmp_path):
    robot = ns.read_urdf(DESCRIPTIONS / "double_pendulum.urdf", start={"shoulder": 0.2})
    file = tmp_path / "arm.h5"
    result = ns.simulate(robot.model, t_end=0.01, h=1e-3, recording=ns.Recording(file=file))
    loaded = ns.load(file)
    assert (loaded.coordinate("elbow").value == result.coordinate("elbow").value).all()
    rest = ns.equilibrium(robot.model)
    assert np.abs(rest.state.position[robot.body("lower")] - (0, 0, 2 - 0.9 - 0.35)).max() < 1e-6
