"""Descriptions that are wrong, hostile or incomplete: errors name file, line, element, value and remedy."""

import re

import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.robots import xml_elements
from nsgalpha.robots.joined_links import coordinates, joined_links
from nsgalpha.robots.link_poses import IDENTITY
from nsgalpha.robots.mesh_locations import MeshLocations
from nsgalpha.robots.robot_description import describe
from nsgalpha.robots.xml_elements import read_xml

INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
BODY = f'<inertial><mass value="1"/>{INERTIA}</inertial>'
HINGE = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/>{}</joint>'
LINKS = f'<link name="a"/>\n<link name="b">{BODY}</link>\n'
WELD = '<joint name="k" type="fixed"><parent link="{}"/><child link="{}"/></joint>'
MESH = """<link name="a"><collision><geometry><mesh filename="{}"/></geometry></collision></link>"""
STOPS = '<limit lower="{}" upper="{}"/>'


def read(folder, text, **given):
    path = folder / "bad.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return ns.read_urdf(path, **given)


def robot(*parts):
    return "<robot name='r'>\n" + "\n".join(parts) + "\n</robot>"


def typed(kind, more=""):
    return HINGE.replace("continuous", kind).format(more)


FOLLOWER = typed("revolute", STOPS.format(0.5, 1) + "<mimic joint='j'/>")
FOLLOWER = FOLLOWER.replace('"j"', '"k"').replace('"b"', '"c"')
WRONG = {
    "no XML": ("robot", "line 1: syntax error; the file must be XML"),
    "an end that is missing": ("<robot>\n<link name='a'>\n</robot>", "line 3: mismatched tag"),
    "another format": ("<mujoco/>", "line 1, <mujoco>: must be <robot>: the file is no URDF"),
    "macros": (
        "<robot xmlns:xacro='x'>\n<link name='a'/><xacro:arm/></robot>",
        "has macros; expand them first: xacro robot.urdf.xacro > robot.urdf",
    ),
    "entities": (
        "<!DOCTYPE r [<!ENTITY a 'b'>]>\n<robot/>",
        "line 1: has a document type, <!DOCTYPE ...>; remove it",
    ),
    "an outer file": (
        "<?xml version='1.0'?>\n<!DOCTYPE r SYSTEM 'file:///etc/passwd'><robot/>",
        "line 2: has a document type",
    ),
    "depth": ("<robot>" + "<a>" * 60, "the file has more than 50 elements within each other"),
    "an encoding": ("<?xml version='1.0' encoding='ebcdic-7'?><robot/>", "unknown encoding"),
    "no links": (robot(), "line 1, robot 'r': has no <link>; a robot needs one"),
    "no name": (robot("<link/>"), "line 2, <link> of robot 'r': name = None: must be given, and not empty"),
    "a name with a control character": (
        robot("<link name='a&#10;b'/>"),
        "line 2, link 'a\\nb': name = 'a\\nb': must be a text without control characters",
    ),
    "one name twice": (
        robot("<link name='a'/>", "<link name='a'/>"),
        "line 3, link 'a': the name is that of line 2",
    ),
    "two bases": (
        robot("<link name='a'/>", "<link name='b'/>"),
        "line 3, link 'b': has no joint above it, as 'a'",
    ),
    "a loop": (
        robot(
            "<link name='c'/>",
            LINKS,
            HINGE.format(""),
            WELD.format("b", "a"),
        ),
        "link 'a': is in a loop of joints",
    ),
    "no base": (
        robot(LINKS, HINGE.format(""), WELD.format("b", "a")),
        "line 2, link 'a': is in a loop of joints; the links of a robot must be a tree",
    ),
    "two parents": (
        robot("<link name='c'/>", LINKS, HINGE.format(""), WELD.format("c", "b")),
        "joint 'k': its child 'b' is that of joint 'j' in line 6, too",
    ),
    "an unknown link": (
        robot(LINKS, HINGE.format("").replace('"b"', '"hand"')),
        "<child> of joint 'j': link = 'hand': must be the name of a link of the file",
    ),
    "a link on itself": (
        robot(LINKS, HINGE.format("").replace('"b"', '"a"')),
        "must be another link than the parent",
    ),
    "an unknown type": (
        robot(LINKS, typed("helical")),
        "line 5, joint 'j': type = 'helical': must be 'fixed', 'revolute', 'continuous', 'prismatic', ",
    ),
    "no limit": (robot(LINKS, typed("revolute")), "joint 'j': is revolute and has no <limit>; add it"),
    "limits the wrong way": (
        robot(LINKS, typed("revolute", STOPS.format(1, -1))),
        "<limit> of joint 'j': lower = 1.0: must be at most upper = -1",
    ),
    "an axis of no length": (
        robot(LINKS, HINGE.format("<axis xyz='0 0 0'/>")),
        "<axis> of joint 'j': xyz = [0.0, 0.0, 0.0]: must be different from zero",
    ),
    "two numbers": (
        robot(LINKS, HINGE.format("<axis xyz='0 1'/>")),
        "xyz = '0 1': must be 3 finite numbers with blanks between them",
    ),
    "no finite number": (
        robot(LINKS, HINGE.format("<origin xyz='0 nan 1'/>")),
        "<origin> of joint 'j': xyz = '0 nan 1': must be",
    ),
    "digits of Python": (
        robot(LINKS, HINGE.format("<dynamics damping='1_0'/>")),
        "damping = '1_0': must be a finite number",
    ),
    "damping below 0": (
        robot(LINKS, HINGE.format("<dynamics damping='-1'/>")),
        "line 5, <dynamics> of joint 'j': damping = -1.0: must be in [0, inf)",
    ),
    "two origins": (
        robot(LINKS, HINGE.format("<origin/>\n<origin/>")),
        "line 6, <origin> of joint 'j': is given twice, first in line 5",
    ),
    "no mass": (
        robot("<link name='a'/>\n<link name='b'/>", HINGE.format("")),
        "line 3, link 'b': moves, and has no mass; give it an <inertial>, or a fixed joint",
    ),
    "a mass below 0": (
        robot(LINKS.replace('value="1"', 'value="-1"'), HINGE.format("")),
        "line 3, <mass> of link 'b': value = -1.0: must be in [0, inf)",
    ),
    "inertia without mass": (
        robot(LINKS.replace('value="1"', 'value="0"'), HINGE.format("")),
        "<mass> of link 'b': value = 0.0: must be positive, as the link has an inertia",
    ),
    "an inertia of no body": (
        robot(LINKS.replace('izz="1"', 'izz="3"'), HINGE.format("")),
        "line 3, <inertial> of link 'b': inertia = ",
    ),
    "a moment that is missing": (
        robot(LINKS.replace('ixy="0"', ""), HINGE.format("")),
        "<inertia> of link 'b': ixy = None: must be given",
    ),
    "no inertia": (
        robot(LINKS.replace(INERTIA, ""), HINGE.format("")),
        "<inertial> of link 'b': has no <inertia>; add it",
    ),
    "a box of no size": (
        robot("<link name='a'><collision><geometry>\n<box size='1 0 1'/></geometry></collision></link>"),
        "line 3, <box> of link 'a': size = ",
    ),
    "two shapes": (
        robot("<link name='a'><collision><geometry><box/><box/></geometry></collision></link>"),
        "<geometry> of link 'a': has 2 shapes; it must have one",
    ),
    "no file": (
        robot(MESH.format("no.stl")),
        "<mesh> of link 'a': filename = 'no.stl': must be a file that exists; looked for it at",
    ),
    "an unknown package": (
        robot(MESH.format("package://arm/a.stl")),
        "must be in a package that is known; read_urdf(..., packages={'arm': folder})",
    ),
    "the network": (
        robot(MESH.format("http://x/a.stl")),
        "must be a path, or one that begins with package:// or file://",
    ),
    "an unknown leader": (
        robot(LINKS, HINGE.format("<mimic joint='k'/>")),
        "joint 'j': joint of <mimic> = 'k': must be a joint with one coordinate",
    ),
    "its own leader": (
        robot(LINKS, HINGE.format("<mimic joint='j'/>")),
        "joint 'j': follows itself by <mimic>",
    ),
    "a follower beyond its stops": (
        robot(
            LINKS,
            f"<link name='c'>{BODY}</link>",
            HINGE.format(""),
            FOLLOWER,
        ),
        "joint 'k': start = 0.0: must be in [0.5, 1], between its stops; give start={'j': ...}",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_descriptions_are_refused_with_their_place(tmp_path, name):
    text, message = WRONG[name]
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read(tmp_path, text)
    assert str(error.value).startswith("bad.urdf, line ")
    assert "\n" not in str(error.value)


def test_a_package_is_not_left_by_its_path(tmp_path):
    (tmp_path / "arm").mkdir()
    (tmp_path / "secret.stl").write_text("solid")
    mesh = "<mesh filename='package://arm/../secret.stl'/>"
    text = robot(f"<link name='a'><collision><geometry>{mesh}</geometry></collision></link>")
    with pytest.raises(ValueError, match="must be within the package 'arm'"):
        read(tmp_path, text, packages={"arm": tmp_path / "arm"})


def test_a_hostile_file_is_bounded(tmp_path, monkeypatch):
    """Too many elements, too many bytes, a device: an error in a short time."""
    monkeypatch.setattr(xml_elements, "MOST", 1000)
    with pytest.raises(ValueError, match="more than 1000 elements"):
        read(tmp_path, "<robot>" + "<a/>" * 1000 + "</robot>")
    long = read(tmp_path, robot("<link name='a'/>", "text " * 500_000))
    assert len(str(long)) < 500
    with pytest.raises(ValueError, match="must be at most 20 MB"):
        read(tmp_path, b" " * 20_000_001)
    with pytest.raises(OSError, match="folder"):
        ns.read_urdf(tmp_path)
    with pytest.raises(FileNotFoundError):
        ns.read_urdf(tmp_path / "none.urdf")


def test_long_chains_need_no_recursion(tmp_path):
    """Many links in a row, whose joints follow the last one."""
    count = 1200
    links = [f"<link name='l{k}'>{BODY if k else ''}</link>" for k in range(count + 1)]
    joints = [
        f"<joint name='j{k}' type='continuous'><parent link='l{k}'/><child link='l{k + 1}'/>"
        f"{f'<mimic joint={chr(34)}j{k + 1}{chr(34)}/>' if k < count - 1 else ''}</joint>"
        for k in range(count)
    ]
    root = read_xml(robot(*links, *joints).encode(), "chain.urdf")
    made = describe(root, MeshLocations(tmp_path / "chain.urdf", {}), "collision", True)
    values = coordinates(made, {f"j{count - 1}": 1e-3})
    assert {each.value for each in values.values()} == {1e-3}
    bodies = joined_links(made, values, IDENTITY, False)
    assert len(bodies) == count + 1
    assert np.abs(bodies[-1].start.axes.as_rotvec() - (count * 1e-3, 0, 0)).max() < 1e-9
    fixed = [each.replace("continuous", "fixed") for each in joints]
    assert len(read(tmp_path, robot(*links, *fixed), base="free").model.bodies) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"base": "loose"}, "base = 'loose': must be 'fixed' or 'free'"),
        ({"shapes": "all"}, "shapes = 'all': must be 'collision', 'visual' or 'both'"),
        (
            {"start": {"k": 1.0}},
            "name in start = 'k': must be that of a joint with one coordinate; names are j",
        ),
        ({"start": {"j": "1"}}, "start['j'] = '1': must be a number"),
        ({"start": {"j": 4.0}}, "joint 'j': start = 4.0: must be in (-pi, pi]"),
        ({"start": [1.0]}, "start = [1.0]: must be a dictionary of coordinates"),
        ({"base": "free"}, "link 'a': moves, and has no mass"),
        ({"hull": 1}, "hull = 1: must be True or False"),
        ({"packages": "here"}, "packages = 'here': must be a dictionary of folders"),
        ({"rotation": (0, 0, 0, 0)}, "rotation"),
        ({"model": "m"}, "model = 'm': must be a model"),
    ],
)
def test_arguments_out_of_range_are_refused(tmp_path, given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read(tmp_path, robot(LINKS, HINGE.format("")), **given)


def test_names_of_others_are_refused_with_those_that_there_are(tmp_path):
    made = read(tmp_path, robot(LINKS, HINGE.format("")))
    with pytest.raises(ValueError, match="name = 'elbow': must be that of a joint that moves; names are 'j'"):
        made.joint("elbow")
    with pytest.raises(ValueError, match="link = 'a': must be one of 'b'"):
        made.body("a")
    with pytest.raises(ValueError, match="link = 'c': must be one of 'a', 'b'"):
        made.marker("c")


def test_unknown_elements_attributes_and_texts_are_listed(tmp_path):
    more = "<dynamics damping='1' springiness='2'/><wire/>hello"
    made = read(tmp_path, robot(LINKS, HINGE.format(more), "<mystery>\n<link name='x'/></mystery>"))
    assert [str(each) for each in made.not_taken] == [
        "line 5, text 'hello' in joint 'j': is not known here",
        "line 5, springiness = '2' in <dynamics> of joint 'j': is not known here",
        "line 5, <wire> of joint 'j': is not known here",
        "line 6, <mystery> of robot 'r': is not known here",
    ]


def test_stops_of_a_continuous_joint_are_listed_and_equal_ones_hold(tmp_path):
    """Without lower and upper both stops are 0, by the specification."""
    wide = '<limit lower="-1" upper="1" effort="3"/>'
    made = read(tmp_path, robot(LINKS, HINGE.format(wide)))
    assert [(each.line, each.element.split()[0]) for each in made.not_taken] == [(5, "lower"), (5, "upper")]
    assert made.effort == {"j": 3.0}
    assert not made.model.elements
    held = read(tmp_path, robot(LINKS, typed("revolute", '<limit effort="3"/>')))
    assert not held.joints
    assert not held.model.bodies  # of a base that stands still
    assert str(held.not_taken[0]).startswith("line 5, joint 'j': is held at 0: its stops are equal")


def test_a_robot_that_cannot_be_added_leaves_the_model_as_it_is(tmp_path):
    """A triangle without area, a name in use, and a long name."""
    (tmp_path / "bad.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\n")
    model = ns.Model()
    model.add_body(mass=1, inertia=1, position=(0, 0, 0), name="b")
    flat = robot(MESH.format("bad.obj"), LINKS.split("\n")[1], HINGE.format(""))
    long = robot(LINKS, HINGE.format("")).replace('"b"', f'"{"b" * 150}"')
    for text, given, message in (
        (flat, {"hull": False, "prefix": "new "}, "line 2, <mesh> of link 'a': polygons"),
        (robot(LINKS, HINGE.format("")), {}, "name = 'b': must be used once in a model"),
        (long, {"prefix": "p" * 60}, "must be a text of 1 to 200 characters"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            read(tmp_path, text, model=model, **given)
        assert len(model.bodies) == 1
        assert not model.joints
        assert not model.primitives


def test_shapes_that_are_not_taken_are_listed(tmp_path):
    shapes = [
        "<collision><geometry><ellipsoid radii='1 1 1'/></geometry></collision>",
        "<collision><geometry><mesh filename='a.step'/></geometry></collision>",
        "<visual><geometry><sphere radius='0.5'/></geometry><material name='red'/></visual>",
    ]
    text = robot("<link name='a'>", *shapes, "</link>")
    made = read(tmp_path, text)
    assert [each.line for each in made.not_taken] == [3, 4, 5]
    assert made.carriers == []
    seen = read(tmp_path, text, shapes="visual")
    assert [each.line for each in seen.not_taken] == [3, 4, 5]  # the last is the material
    assert [each.radius for each in seen.model.primitives] == [0.5]
    assert seen.carriers == [seen.body("a")]
    assert np.abs(seen.body("a").position).max() == 0.0
