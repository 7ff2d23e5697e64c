"""Twelve descriptions as MuJoCo reads them: masses, centres, inertias, joints, shapes, in a general pose."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.arrays import turned

DESCRIPTIONS = Path(__file__).parent / "descriptions"
FILES = sorted(path.stem for path in DESCRIPTIONS.glob("*.urdf"))
START = {  # coordinates of leaders
    "double_pendulum": {"shoulder": 0.7, "elbow": -1.1},
    "six_axis": {f"{name}_joint": 0.3 * k - 1 for k, name in enumerate(("shoulder", "forearm", "wrist_2"))},
    "mobile_base": {"left_axle": 0.4},
    "gripper": {"left_slide": 0.013},
    "quadruped": {"FL_hip_joint": 0.2, "RR_calf_joint": -1.3, "FR_thigh_joint": 0.8},
    "scara": {"first": 1.0, "second": -0.6, "quill": 0.07, "spin": 2.5},
    "air_bearing": {"rotor_axle": -0.9},
    "satellite": {"array_drive": 0.5, "reaction_wheel": 1.9},
    "rover": {"mast_pan": -2.0},
    "cart_pole": {"slide": -0.4, "hinge": 3.0},
    "pan_tilt": {"pan": 0.9, "tilt": -0.5},
    "crane": {"luff": 0.8, "slide_1": 0.6},
}
WITHOUT_BASE = {"double_pendulum", "air_bearing", "satellite", "cart_pole", "scara"}
ALL = {  # with leaders, followers and held joints
    "crane": {"slide_1": 0.6, "slide_2": 0.53, "needle": -0.795, "pin": 0.4, "luff": 0.8},
    "gripper": {"left_slide": 0.013, "right_slide": 0.013},
}


def read(name, **given):
    return ns.read_urdf(DESCRIPTIONS / f"{name}.urdf", start=START[name], **given)


def mujoco_pose(name):
    """MuJoCo's model and data of a description, with all joints at their coordinates."""
    mujoco = pytest.importorskip("mujoco")
    text = (DESCRIPTIONS / f"{name}.urdf").read_bytes().decode("latin-1")
    at = text.index(">", text.index("<robot")) + 1
    compiler = '<mujoco><compiler fusestatic="false" discardvisual="true" strippath="true"/></mujoco>'
    text = text[:at] + compiler + text[at:]
    text = text.replace('<collision><geometry><mesh filename="meshes/mast.step"/></geometry></collision>', "")
    text = text[text.index("<robot") :].replace(
        'lower="0.4" upper="0.4"', 'lower="0.3" upper="0.4"'
    )  # it warns
    model = mujoco.MjModel.from_xml_string(
        text, {"wedge.obj": (DESCRIPTIONS / "meshes/wedge.obj").read_bytes()}
    )
    data = mujoco.MjData(model)
    robot = read(name)
    places = {model.joint(k).name: model.jnt_qposadr[k] for k in range(model.njnt)}
    for joint, value in (dict.fromkeys(robot.joints, 0.0) | start_of(robot, name)).items():
        if joint in places:
            data.qpos[places[joint]] = value
    mujoco.mj_forward(model, data)
    return model, data


def start_of(robot, name):
    """Coordinates of all joints: those given, or the stop next to 0."""
    near = {each.joint.name: float(np.clip(0.0, each.low, each.high)) for each in limits(robot)}
    return near | START[name] | ALL.get(name, {})


def limits(robot):
    return [each for each in robot.model.elements if type(each).__name__ == "Limit"]


def axes(body):
    return turned(body.rotation, np.eye(3)).T


def world_end(joint, side):
    """Point and axes of a joint in space."""
    carrier = joint.carriers[side]
    if carrier is None:
        return joint.points[side], joint.axes[side]
    R = axes(carrier)
    return carrier.position + R @ joint.points[side], joint.axes[side] @ R.T


def moments(mass, centre, inertia):
    """Moments of order 0, 1 and 2 about the origin, which add up."""
    shift = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return np.concatenate([[mass], mass * centre, (inertia + shift).ravel()])


@pytest.mark.parametrize(
    ("name", "base"),
    [(name, "fixed") for name in FILES] + [(name, "free") for name in FILES if name not in WITHOUT_BASE],
)
def test_masses_centres_and_inertias_are_those_of_mujoco(name, base):
    model, data = mujoco_pose(name)
    robot, found = read(name, base=base), set()
    for body in robot.model.bodies:
        links = [link for link, own in robot.bodies.items() if own is body]
        found |= set(links)
        if body.fixed:
            continue
        theirs = np.zeros(13)
        for link in links:
            k = model.body(link).id
            R = data.ximat[k].reshape(3, 3)
            theirs += moments(model.body_mass[k], data.xipos[k], R @ np.diag(model.body_inertia[k]) @ R.T)
        R = axes(body)
        ours = moments(body.mass, body.position, R @ body.inertia @ R.T)
        for part in (slice(1), slice(1, 4), slice(4, 13)):
            assert np.abs(ours - theirs)[part].max() <= 1e-12 * np.abs(theirs)[part].max(initial=1e-3), links
    absent = {model.body(k).name for k in range(1, model.nbody)} - found
    absent -= {"outrigger"}  # which a joint with equal stops holds
    assert all(model.body(link).weldid == 0 for link in absent)  # of a base that stands still
    assert not absent or base == "fixed"


@pytest.mark.parametrize("name", FILES)
def test_axes_and_points_of_joints_are_those_of_mujoco(name):
    model, data = mujoco_pose(name)
    robot, without = read(name), {"foot", "pin", "orbit"}  # held, held and floating
    kinds = {"Revolute": 3, "Prismatic": 2}
    known = {model.joint(k).name: k for k in range(model.njnt)}
    names = {each.removesuffix("_TX").removesuffix("_TY").removesuffix("_RZ") for each in known}
    assert names - without == set(robot.joints)
    for key, joint in robot.joints.items():
        if type(joint).__name__ == "Planar":
            normal, point = data.xaxis[known[f"{key}_RZ"]], data.xanchor[known[f"{key}_RZ"]]
        else:
            k = known[key]
            assert model.jnt_type[k] == kinds[type(joint).__name__], key
            normal, point = data.xaxis[k], data.xanchor[k]
        (p, first), (q, second) = world_end(joint, 0), world_end(joint, 1)
        assert np.abs(first[2] - normal).max() < 1e-12, key
        assert np.abs(second[2] - normal).max() < 1e-12, key
        if type(joint).__name__ == "Prismatic":
            assert np.abs((q - p) - normal * (normal @ (q - p))).max() < 1e-12, key
        else:
            assert np.abs(p - point).max() < 1e-12, key
            assert np.abs(q - point).max() < 1e-12, key


@pytest.mark.parametrize("name", FILES)
def test_coordinates_begin_as_asked(name):
    """An angle is measured from the axes of its markers, a displacement along them."""
    robot = read(name)
    for key, value in start_of(robot, name).items():
        if key not in robot.joints or type(robot.joints[key]).__name__ == "Planar":
            continue
        (p, first), (q, second) = (world_end(robot.joints[key], side) for side in (0, 1))
        if type(robot.joints[key]).__name__ == "Prismatic":
            measured = (q - p) @ first[2]
        else:
            measured = np.arctan2(second[0] @ first[1], second[0] @ first[0])
        assert abs(measured - value) < 1e-12, key


@pytest.mark.parametrize("name", FILES)
def test_stops_damping_friction_and_followers_are_those_of_mujoco(name):
    model, _ = mujoco_pose(name)
    robot = read(name)
    stops, springs, rubbing = {}, {}, {}
    for each in robot.model.elements:
        if type(each).__name__ == "Limit":
            stops[each.joint.name] = each.low, each.high
        else:
            rubbing[each.joint.name] = each.bound
    gears = {}
    for each in robot.model.drives:
        if type(each).__name__ == "Gear":
            (second, _, _), (first, _, ratio) = each.terms
            gears[second.name] = first.name, -ratio
        else:
            springs[each.terms[0].joint.name] = each.damping
    for k in range(model.njnt):
        key, dof = model.joint(k).name, model.jnt_dofadr[k]
        if key not in robot.joints:
            continue
        limited = tuple(model.jnt_range[k]) if model.jnt_limited[k] else None
        assert stops.pop(key, None) == limited, key
        assert springs.pop(key, 0.0) == model.dof_damping[dof], key
        assert rubbing.pop(key, 0.0) == model.dof_frictionloss[dof], key
    for k in range(model.neq):
        key, other = (model.joint(each[k]).name for each in (model.eq_obj1id, model.eq_obj2id))
        assert gears.pop(key) == (other, model.eq_data[k][1])
    assert not {**stops, **springs, **rubbing, **gears}


def carried(body):
    """Corners (n, 3) in space and radius of each connected shape of a body."""
    table, R, found = body.model.shapes, axes(body), []
    for each in (each for each in body.model.primitives if each.carrier is body):
        rows, others = set(each.corners), []
        for primitive, known in found:
            if rows & known:
                each, rows = primitive, rows | known
            else:
                others.append((primitive, known))
        found = [*others, (each, rows)]
    found.sort(key=lambda pair: pair[0].index)
    corners = [np.array([table.places[row] for row in sorted(rows)]) for _, rows in found]
    return [(body.position + x @ R.T, each) for x, (each, _) in zip(corners, found, strict=True)]


@pytest.mark.parametrize("name", [name for name in FILES if name != "rover"])
def test_shapes_are_where_mujoco_has_them(name):
    model, data = mujoco_pose(name)
    robot, count = read(name), 0
    shapes = [shape for body in robot.carriers for shape in carried(body)]
    assert len(shapes) == model.ngeom
    for k in range(model.ngeom):
        size, R, centre = model.geom_size[k], data.geom_xmat[k].reshape(3, 3), data.geom_xpos[k]
        fits = []
        for corners, primitive in shapes:
            local = (corners - centre) @ R
            if model.geom_type[k] == 2:
                fits.append(np.abs(local).max() + abs(primitive.radius - size[0]))
            elif len(corners) == 8 and model.geom_type[k] == 6:
                fits.append(np.abs(np.abs(local) - size).max() + np.abs(local.sum(axis=0)).max())
            elif len(corners) > 8 and model.geom_type[k] == 5:
                ring = np.column_stack([np.hypot(*local.T[:2]), np.abs(local[:, 2])])
                fits.append(np.abs(ring - size[:2]).max())
        assert min(fits) < 1e-12, k
        count += 1
    assert count == len(shapes)


@pytest.mark.parametrize("name", FILES)
def test_a_base_elsewhere_carries_the_robot_along(name):
    place, turn = np.array([1.0, -2.0, 0.5]), Rotation.from_euler("xyz", (0.4, -0.7, 2.0))
    here = read(name)
    there = read(name, position=place, rotation=np.roll(turn.as_quat(), 1) * 3.0)
    for one, two in zip(here.model.bodies, there.model.bodies, strict=True):
        assert np.abs(place + turn.apply(one.position) - two.position).max() < 1e-12
        assert np.abs(turn.as_matrix() @ axes(one) - axes(two)).max() < 1e-12
        assert (one.inertia == two.inertia).all()
    for one, two in zip(here.model.joints, there.model.joints, strict=True):
        assert np.abs(place + turn.apply(world_end(one, 0)[0]) - world_end(two, 0)[0]).max() < 1e-12


@pytest.mark.parametrize("name", FILES)
def test_every_element_that_is_not_taken_is_listed(name):
    """The words of a file are those of the model and those of the list."""
    robot = read(name)
    expected = {
        "air_bearing": [9],
        "cart_pole": [15],
        "crane": [11, 11, 12, 13, 13, 14, 15],
        "double_pendulum": [],
        "gripper": [18, 23],
        "mobile_base": [3, 11, 22, 31, 33, 34],
        "pan_tilt": [9, 12, 15],
        "quadruped": [5, 8, 10, 14, 17, 19, 23, 26, 28, 32, 35, 37],
        "rover": [5, 10, 12],
        "satellite": [5],
        "scara": [6, 7, 8, 13, 17, 23],
        "six_axis": [8, 14, 18, 24, 28, 34, 38, 44, 48, 54, 58, 64, 71],
    }
    assert [each.line for each in robot.not_taken] == expected[name]
    lines = str(robot).splitlines()[2:]
    assert lines == [f"  line {each.line}, {each.element}: {each.why}" for each in robot.not_taken]
    assert all(each.why != "is not known here" for each in robot.not_taken)


@pytest.mark.parametrize("name", FILES)
def test_every_robot_runs_for_a_second(name):
    robot = read(name)
    result = ns.simulate(robot.model, t_end=1.0, h=2e-3)
    assert result.status, result.status
    for each in limits(robot):
        value = result.coordinate(each.joint).value
        assert each.low - 1e-9 < value.min() <= value.max() < each.high + 1e-9
    for each in robot.model.drives:
        if type(each).__name__ == "Gear":
            (second, _, _), (first, _, ratio) = each.terms
            values = [result.coordinate(joint).value for joint in (second, first)]
            change = [value - value[0] for value in values]
            assert np.abs(change[0] + ratio * change[1]).max() < 1e-9


def test_a_mesh_is_scaled_mirrored_and_placed():
    """A wedge by its hull, and by its own surface."""
    unit = np.array([(x, y, z) for y in (-0.5, 0.5) for x, z in ((0, 0), (1, 0), (0, 1))])
    for hull in (True, False):
        robot = ns.read_urdf(DESCRIPTIONS / "rover.urdf", base="free", hull=hull)
        chassis = robot.body("chassis")
        (large, _), (small, _) = carried(chassis)
        turn = Rotation.from_euler("z", 0.1)
        wanted = np.array([0, 0, 0.1]) + turn.apply(unit * (0.5, 0.3, 0.2))
        mirrored = np.array([0.2, 0, 0.3]) + unit * (-0.1, 0.1, 0.1)
        for found, corners in ((large, wanted), (small, mirrored)):
            distance = np.linalg.norm(found[:, None] - corners[None], axis=2)
            assert distance.min(axis=1).max() < 1e-12
            assert distance.min(axis=0).max() < 1e-12
        for primitive in robot.model.primitives:  # normals point away from the middle of the shape
            x = np.array([robot.model.shapes.places[row] for row in primitive.corners]) + chassis.position
            middle = (large if primitive.index < 8 else small).mean(axis=0)
            assert np.cross(x[1] - x[0], x[2] - x[0]) @ (x.mean(axis=0) - middle) > 0
        assert chassis.mass == 10.0
