"""MJCF beside MuJoCo: masses, centres, inertias, anchors, axes, motion, listed things, refusals."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.arrays import turned

mujoco = pytest.importorskip("mujoco")

FOLDER = Path(__file__).parent / "mjcf"
START = {
    "manipulator": {"shoulder": 0.7, "elbow": -1.1, "push": 0.12},
    "floater": {"x": 0.3, "tilt": -0.6, "axle": 0.4},
}
FOLLOWERS = {"floater": {"follower": 0.1 - 2 * 0.4}}


def read(name, **given):
    return ns.read_mjcf(FOLDER / f"{name}.xml", start=START[name], **given)


def mujoco_pose(name):
    model = mujoco.MjModel.from_xml_path(str(FOLDER / f"{name}.xml"))
    data = mujoco.MjData(model)
    for joint, value in {**START[name], **FOLLOWERS.get(name, {})}.items():
        data.qpos[model.joint(joint).qposadr[0]] = value
    mujoco.mj_forward(model, data)
    return model, data


def axes(body):
    return turned(body.rotation, np.eye(3)).T


def moments(mass, centre, inertia):
    """Moments of order 0, 1 and 2 about the origin, which add up."""
    shift = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return np.concatenate([[mass], mass * centre, (inertia + shift).ravel()])


def place(pose, x, turn):
    """`x` in the frame `pose` (position, rotation)."""
    return pose[0] + Rotation.from_quat(np.roll(pose[1], -1)).apply(x), turn


@pytest.mark.parametrize("name", START)
def test_bodies_are_those_of_mujoco(name):
    """Bodies that are one are those of all MuJoCo's bodies without joints between them."""
    robot, (model, data) = read(name), mujoco_pose(name)
    for body in {id(each): each for each in robot.bodies.values()}.values():
        if body.mass == 0.0 or " at " in body.name:
            continue
        expected = np.zeros(13)
        for k in range(1, model.nbody):
            if robot.bodies.get(model.body(k).name) is body:
                turn = data.ximat[k].reshape(3, 3)
                inertia = turn @ np.diag(model.body_inertia[k]) @ turn.T
                expected += moments(model.body_mass[k], data.xipos[k], inertia)
        turn = axes(body)
        ours = moments(body.mass, np.asarray(body.position), turn @ body.inertia @ turn.T)
        assert expected[0] > 0.0
        assert np.abs(ours - expected).max() < 1e-12, body.name


@pytest.mark.parametrize("name", START)
def test_frames_of_links_are_those_of_mujoco(name):
    robot, (model, data) = read(name), mujoco_pose(name)
    for k in range(1, model.nbody):
        marker = robot.marker(model.body(k).name)
        body, x, third = marker.carrier, marker.position, marker.axes[2]
        if body is not None:
            x, third = body.position + axes(body) @ x, axes(body) @ third
        assert np.abs(x - data.xpos[k]).max() < 1e-12
        assert np.abs(third - data.xmat[k].reshape(3, 3)[:, 2]).max() < 1e-12


@pytest.mark.parametrize("name", START)
def test_joints_are_those_of_mujoco(name):
    robot, (model, data) = read(name), mujoco_pose(name)
    kinds = {1: "Spherical", 2: "Prismatic", 3: "Revolute"}
    count = 0
    for k in range(model.njnt):
        if model.jnt_type[k] == mujoco.mjtJoint.mjJNT_FREE:
            assert model.joint(k).name not in robot.joints
            continue
        joint = robot.joint(model.joint(k).name)
        kind = int(model.jnt_type[k])
        assert type(joint).__name__ == kinds[kind]
        for side, carrier in enumerate(joint.carriers):
            x, third = joint.points[side], joint.axes[side][2]
            if carrier is not None:
                x, third = carrier.position + axes(carrier) @ x, axes(carrier) @ third
            if kind != 2:  # points of a slide may be anywhere on its axis
                assert np.abs(x - data.xanchor[k]).max() < 1e-12
            if kind != 1:
                assert np.abs(third - data.xaxis[k]).max() < 1e-12
        count += 1
    assert count == len(robot.joints)


def test_stops_springs_and_damping_are_those_of_mujoco():
    robot, (model, _) = read("manipulator"), mujoco_pose("manipulator")
    stops = {each.joint.name: (each.low, each.high) for each in robot.model.elements}
    springs = {each.terms[0].joint.name: each for each in robot.model.drives}
    for k in range(model.njnt):
        name = model.joint(k).name
        assert np.abs(np.array(stops[name]) - model.jnt_range[k]).max() < 1e-15
        assert springs[name].damping == model.dof_damping[model.jnt_dofadr[k]]
        assert springs[name].stiffness == model.jnt_stiffness[k]
    assert abs(springs["elbow"].motion.at(0.0)[0] - np.radians(25)) < 1e-15
    assert robot.model.gravity.tolist() == [0.3, -0.2, -9.7]
    assert robot.effort == {"shoulder": 10.0}
    floor = robot.planes["floor"]
    assert np.abs(floor.normal - np.array([0.1, 0, 1]) / np.sqrt(1.01)).max() < 1e-12
    assert abs(floor.offset + 1.0 / np.sqrt(1.01)) < 1e-12


def swing(name, controls, t_end):
    """MuJoCo at `t_end`, by its Runge-Kutta scheme of order 4, without contact, stops and bounds of loads."""
    model, data = mujoco_pose(name)
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 2e-5
    for name in ("CONTACT", "LIMIT", "CLAMPCTRL"):
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
    model.actuator_forcelimited[:] = 0
    for actuator, control in controls.items():
        data.ctrl[model.actuator(actuator).id] = control
    mujoco.mj_step(model, data, nstep=round(t_end / 2e-5))
    mujoco.mj_forward(model, data)
    return model, data


def test_motion_with_actuators_is_that_of_mujoco_to_second_order():
    controls, t_end = {"shoulder servo": 0.9, "elbow speed": -1.5, "pusher": 0.3}, 0.2
    model, data = swing("manipulator", controls, t_end)
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        robot = read("manipulator")
        for name, control in controls.items():
            robot.actuate(name, control)
        result = ns.simulate(robot.model, t_end=t_end, h=h)
        assert result.status, result.status
        off = []
        for k in range(model.njnt):
            value, rate = result.coordinate(robot.joint(model.joint(k).name))
            off += [value[-1] - data.qpos[k], rate[-1] - data.qvel[k]]
        errors.append(np.abs(off).max())
    assert errors[2] < 3e-5
    assert 3.5 < errors[0] / errors[1] < 4.6
    assert 3.5 < errors[1] / errors[2] < 4.6


def test_motion_of_several_joints_of_a_body_is_that_of_mujoco_but_for_a_millionth():
    model, data = swing("floater", {}, 0.3)
    robot = read("floater")
    result = ns.simulate(robot.model, t_end=0.3, h=5e-4)
    assert result.status, result.status
    for joint in ("x", "tilt"):
        value, rate = result.coordinate(robot.joint(joint))
        at = model.joint(joint).id
        assert abs(value[-1] - data.qpos[at]) < 1e-5
        assert abs(rate[-1] - data.qvel[at]) < 1e-4
    for name in ("bob", "satellite"):
        x = result.position[-1, robot.body(name)]
        assert np.abs(x - data.xipos[model.body(name).id]).max() < 1e-5
    first, second = (result.coordinate(robot.joint(name)).value for name in ("axle", "follower"))
    assert np.abs(second - (0.1 - 2.0 * first)).max() < 1e-12


def test_controls_are_tables_and_functions_too():
    found = []
    for control in (0.9, [[0.0, 0.9], [1.0, 0.9]], lambda t: 0.9):
        robot = read("manipulator")
        for name in robot.actuators:
            robot.actuate(name, control)
        found.append(ns.simulate(robot.model, t_end=0.05, h=1e-3).position)
    assert np.abs(found[1] - found[0]).max() < 1e-12
    assert np.abs(found[2] - found[0]).max() < 1e-12
    with pytest.raises(ValueError, match=re.escape("name = 'servo': must be that of an actuator: 'shoulder")):
        robot.actuate("servo", 1.0)


def test_what_is_not_taken_is_listed_with_its_line():
    text = (FOLDER / "manipulator.xml").read_text().splitlines()
    listed = read("manipulator").not_taken
    for word in ("timestep", "<visual>", "rgba", "<light>", "<site>", "friction", "ctrlrange", "<sensor>"):
        (each,) = [item for item in listed if item.element.startswith(word)]
        assert word.strip("<>") in text[each.line - 1]
        assert "is not known here" not in each.why
    for name, word in (
        ("geom 'cover'", "cover"),
        ("actuator 'muscle'", "muscle"),
        ("geom 'geom 3'", "ellipsoid"),
    ):
        (each,) = [item for item in listed if item.element == name]
        assert word in text[each.line - 1]
    floater = [str(each) for each in read("floater").not_taken]
    assert any(each.startswith("line 2, parts.xml: condim = '4' in <geom>") for each in floater)
    assert any(
        "the link 'cart at x' between joints of one body has 1e-06 of its mass" in each for each in floater
    )
    assert any("only active couplings of two joints are taken" in each for each in floater)


def test_a_robot_in_another_place_has_the_same_motion():
    """Turned about gravity and shifted, with a prefix, beside another one."""
    model = ns.Model(gravity=(0, 0, -9.7))
    turn = Rotation.from_rotvec((0, 0, 1.1))
    quaternion = np.roll(turn.as_quat(), 1)
    one = read("floater", model=model)
    two = read("floater", model=model, prefix="b ", position=(5, 6, 7), rotation=quaternion)
    result = ns.simulate(model, t_end=0.1, h=1e-3)
    for name in ("cart", "bob", "wheel"):
        x = result.position[:, one.body(name)]
        assert np.abs(turn.apply(x) + np.array([5, 6, 7]) - result.position[:, two.body(name)]).max() < 1e-9
    assert two.body("bob").name == "b bob"


WRONG = {
    "<robot name='a'/>": "bad.xml, line 1, robot 'a': must be <mujoco>; read_urdf reads URDF",
    "<mujoco><worldbody>\n<bdy/></worldbody></mujoco>": "bad.xml: XML Error: Schema violation",
    "<mujoco><worldbody>\n<body><joint/></body></worldbody></mujoco>": "mass and inertia of moving bodies",
    "<mujoco>": "bad.xml, line 1: no element found",
    "<!DOCTYPE mujoco><mujoco/>": "bad.xml, line 1: has a document type",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_files_are_refused(tmp_path, text):
    (tmp_path / "bad.xml").write_text(text)
    with pytest.raises(ValueError, match=re.escape(WRONG[text])) as error:
        ns.read_mjcf(tmp_path / "bad.xml")
    assert "\n" not in str(error.value)


def test_arguments_out_of_range_are_refused():
    with pytest.raises(ValueError, match=re.escape("name in start = 'knee'")):
        ns.read_mjcf(FOLDER / "manipulator.xml", start={"knee": 1.0})
    with pytest.raises(ValueError, match="between its stops"):
        ns.read_mjcf(FOLDER / "manipulator.xml", start={"push": 1.0})
    with pytest.raises(FileNotFoundError):
        ns.read_mjcf(FOLDER / "none.xml")


def test_without_mujoco_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(ImportError, match=re.escape("pip install nsgalpha[mjcf]")):
        read("manipulator")


DRAWN = """\
<mujoco model="dressed">
  <default><default class="look"><geom contype="0" conaffinity="0" group="1"/></default></default>
  <asset>
    <material name="paint" rgba="0.9 0.1 0.1 1"/>
    <mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/>
  </asset>
  <worldbody>
    <geom type="plane" size="1 1 0.1" contype="0" conaffinity="0"/>
    <body name="arm" pos="0 0 1"><freejoint/>
      <geom type="capsule" size="0.05 0.2" group="3" mass="1"/>
      <geom class="look" type="box" size="0.05 0.05 0.2" material="paint" density="0"/>
      <geom class="look" type="mesh" mesh="wedge" rgba="0 0 1 0.5" mass="0.1"/>
      <geom class="look" type="sphere" size="0.3" rgba="1 1 1 0" mass="0.1"/>
      <geom class="look" type="ellipsoid" size="0.1 0.2 0.3" mass="0.1"/>
      <body name="hand" pos="0 0 0.3"><joint axis="0 1 0"/>
        <geom name="palm" type="box" size="0.04 0.04 0.04" mass="0.2"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def test_visual_shapes_are_those_that_mujoco_draws(tmp_path):
    path = tmp_path / "dressed.xml"
    path.write_text(DRAWN)
    one, two = (ns.read_mjcf(path, shapes=shapes) for shapes in ("collision", "both"))
    assert [each.mass for each in one.model.bodies] == [each.mass for each in two.model.bodies]
    assert (one.body("arm").inertia == two.body("arm").inertia).all()
    assert len(one.model.primitives) == len(two.model.primitives) == 1 + 6
    assert one.model.visuals == []
    found = [(each.carrier.name, each.colour) for each in two.model.visuals]
    red, blue = (0.9, 0.1, 0.1, 1.0), (0.0, 0.0, 1.0, 0.5)
    assert [(name, pytest.approx(colour)) for name, colour in found[:2]] == [("arm", red), ("arm", blue)]
    assert found[2:] == [("hand", None)]  # a shape for contact that is drawn
    lost = [str(each) for each in two.not_taken]
    assert sum("its shape is not known here; state" in each for each in lost) == 2  # plane, ellipsoid
    assert not any("rgba" in each or "'material'" in each or "group" in each for each in lost)
    assert sum("shapes='both' draws it" in str(each) for each in one.not_taken) == 5
    with pytest.raises(ValueError, match="shapes = 'visual': must be 'collision' or 'both'"):
        ns.read_mjcf(path, shapes="visual")


def test_a_file_without_visual_shapes_has_none():
    assert read("manipulator", shapes="both").model.visuals != []  # it has a cover
    assert read("floater", shapes="both").model.visuals == []
