"""Visual shapes, which are drawn in place of the shapes for contact."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import nsgalpha as ns
from elements import Contact
from nsgalpha import show
from nsgalpha.io.file_repair import repair
from nsgalpha.show.scene import CONTACT_SHAPE, scene_of
from tests.show.chromium import browser, needs_chromium, page_data

DESCRIPTIONS = Path(__file__).parent / "descriptions"
FILES = sorted(path.stem for path in DESCRIPTIONS.glob("*.urdf"))
RED = (0.9, 0.1, 0.1, 1.0)
TETRAHEDRON = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], float)
FACES = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3)])  # open, as many visual meshes

URDF = """\
<robot name="arm">
  <material name="paint"><color rgba="0.9 0.1 0.1 1"/></material>
  <link name="base">
    <visual><origin xyz="0 0 -0.05"/><geometry><box size="0.3 0.3 0.1"/></geometry></visual>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2"/><mass value="2"/>
      <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.002"/></inertial>
    <visual><origin xyz="0 0 0.2" rpy="0 0.1 0"/><geometry><box size="0.06 0.08 0.4"/></geometry>
      <material name="paint"/></visual>
    <visual><geometry><mesh filename="shell.obj" scale="2 1 1"/></geometry></visual>
    <visual><geometry><mesh filename="missing.obj"/></geometry></visual>
    <collision><origin xyz="0 0 0.2"/><geometry><capsule radius="0.05" length="0.3"/></geometry></collision>
  </link>
  <link name="tool">
    <inertial><mass value="0.5"/>
      <inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
    <visual><geometry><sphere radius="0.04"/></geometry>
      <material name=""><color rgba="0.1 0.2 0.9 0.5"/></material></visual>
    <collision><geometry><sphere radius="0.06"/></geometry></collision>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="wrist" type="fixed">
    <parent link="upper"/><child link="tool"/><origin xyz="0 0 0.45"/>
  </joint>
</robot>
"""


def write(folder):
    path = folder / "arm.urdf"
    path.write_text(URDF)
    rows = [f"v {' '.join(map(str, x))}" for x in TETRAHEDRON.tolist()]
    rows += [f"f {' '.join(map(str, face + 1))}" for face in FACES]
    (folder / "shell.obj").write_text("\n".join([*rows, "f 1 1 2"]))  # the last one has no area
    return path


def fall(path, shapes):
    """The arm falls on a plane."""
    robot = ns.read_urdf(path, shapes=shapes, start={"shoulder": 0.3}, position=(0, 0, 0.3))
    ground = robot.model.add_plane(normal=(0, 0, 1))
    robot.model.add(Contact(between=(robot.carriers, [ground]), mu=0.3))
    return robot, ns.simulate(robot.model, t_end=0.8, h=2e-3)


@cache
def hatted():
    """A ball with a cone, and a shape in space, at rest."""
    model = ns.Model(gravity=(0, 0, -10))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    model.add(Contact(between=([ball], [model.add_plane(normal=(0, 0, 1))]), mu=0.3))
    model.add_visual(ns.parts.cone(0.08, 0.2), body=ball, position=(0, 0, 0.05), colour=RED)
    model.add_visual((TETRAHEDRON, FACES), position=(0.3, 0, 0), scale=2.0)
    return ns.simulate(model, t_end=0.01, h=1e-3)


@pytest.mark.parametrize("name", FILES)
def test_the_model_is_that_without_visual_shapes(name):
    path = DESCRIPTIONS / f"{name}.urdf"
    one, two = (ns.read_urdf(path, shapes=shapes) for shapes in ("collision", "both"))
    assert [each.name for each in one.model.bodies] == [each.name for each in two.model.bodies]
    for a, b in zip(one.model.bodies, two.model.bodies, strict=True):
        assert a.mass == b.mass
        assert (a.inertia == b.inertia).all()
        assert (a.position == b.position).all()
    assert np.array_equal(one.model.shapes.places, two.model.shapes.places)
    assert len(two.model.primitives) == len(one.model.primitives)
    lost = "<visual> of link"
    assert not any(lost in each.element for each in two.not_taken)
    taken = sum(lost in each.element for each in one.not_taken)
    meshes = sum("<mesh>" in each.element for each in two.not_taken)
    meshes -= sum("<mesh>" in each.element for each in one.not_taken)
    assert len(two.model.visuals) == taken - meshes


def test_contact_is_the_same_to_the_bit(tmp_path):
    path = write(tmp_path)
    (_, one), (robot, two) = (fall(path, shapes) for shapes in ("collision", "both"))
    assert len(robot.model.visuals) == 4
    assert two.stats.contacts.max() > 0
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert (getattr(one, name) == getattr(two, name)).all(), name
    for name in ("gap", "wrench", "impulse"):
        assert (getattr(one.contacts, name)[:] == getattr(two.contacts, name)[:]).all(), name


def test_visual_shapes_have_places_and_colours(tmp_path):
    robot = ns.read_urdf(write(tmp_path), shapes="both", start={"shoulder": 0.3}, position=(0, 0, 0.3))
    base, box, shell, ball = robot.model.visuals
    arm = robot.body("upper")
    assert [each.carrier for each in robot.model.visuals] == [None, arm, arm, arm]
    assert [each.colour for each in (base, box, shell, ball)] == [None, RED, None, (0.1, 0.2, 0.9, 0.5)]
    assert base.vertices.min(axis=0) == pytest.approx([-0.15, -0.15, 0.2])
    assert len(shell.faces) == 3
    centre = (2 * 0.2 + 0.5 * 0.45) / 2.5
    assert shell.vertices.max(axis=0) == pytest.approx([0.2, 0.1, 0.1 - centre])
    assert ball.vertices == pytest.approx(np.array([[0, 0, 0.45 - centre]]))
    assert box.vertices[:, 2].max() == pytest.approx(0.2 * np.cos(0.1) + 0.03 * np.sin(0.1) + 0.2 - centre)
    (lost,) = robot.not_taken
    assert lost.line == 12
    assert "missing.obj': must be a file that exists" in lost.why


def test_what_is_not_taken_says_how(tmp_path):
    lost = [str(each) for each in ns.read_urdf(write(tmp_path)).not_taken]
    assert lost[0] == (
        "line 2, material 'paint': bodies have no colour; shapes='both' draws visual shapes with theirs"
    )
    assert lost[1] == (
        "line 4, <visual> of link 'base': bodies carry collision shapes; shapes='both' draws it, and "
        "shapes='visual' takes it in their place"
    )
    with pytest.raises(ValueError, match=r"shapes = 'all': must be 'collision', 'visual' or 'both'"):
        ns.read_urdf(write(tmp_path), shapes="all")


def test_pictures_show_the_visual_shapes(tmp_path):
    path = write(tmp_path)
    (_, one), (_, two) = (fall(path, shapes) for shapes in ("collision", "both"))
    camera = show.look(two)
    bare, dressed, asked = (
        show.still(each, camera=camera, size=(320, 240), contact_shapes=contact).astype(int)
        for each, contact in ((one, False), (two, False), (two, True))
    )
    assert (dressed != bare).any(axis=2).mean() > 0.01
    blue, plain = ((each[:, :, 2] - each[:, :, 0] > 40).sum() for each in (asked, bare))  # links and ball
    assert blue == pytest.approx(plain, rel=0.02)
    red = dressed[:, :, 0] - dressed[:, :, 1] > 80
    assert red.sum() > 200
    assert all((each[:, :, 0] - each[:, :, 1] > 80).sum() == 0 for each in (bare, asked))
    by_speed = show.still(two, camera=camera, size=(320, 240), colour="speed").astype(int)
    assert (by_speed[red, 0] - by_speed[red, 1] > 80).sum() == 0


def test_the_scene_keeps_the_shapes_for_contact():
    scene = scene_of(hatted())
    assert scene.radius.tolist() == [0.0]
    kinds = [kind for _, kind in scene.things]
    assert kinds.count(CONTACT_SHAPE) == 1
    rods, faces = scene.drawn(False)
    assert not rods.any()
    assert faces.sum() == 33 + 3 + 1  # cone, tetrahedron, plane
    rods, faces = scene.drawn(True)
    assert rods.sum() == 1
    assert scene.rod_radius[rods].tolist() == [0.1]
    assert faces.sum() == 1


def test_files_keep_visual_shapes(tmp_path):
    path = tmp_path / "run.h5"
    result = hatted()
    result.save(path)
    again = ns.load(path)
    for one, two in zip(result.model.visuals, again.model.visuals, strict=True):
        assert (one.vertices == two.vertices).all()
        assert (one.faces, one.radius, one.colour) == (two.faces, two.radius, two.colour)
        assert (one.carrier and one.carrier.index) == (two.carrier and two.carrier.index)
    first, second = (show.still(each, size=(160, 120)) for each in (result, again))
    assert (first == second).all()
    assert ns.resume(path, t_end=0.02).status
    result.model.visuals.reverse()
    try:
        with pytest.raises(ValueError, match="model: its visual shapes differ from those of the file in 'c"):
            ns.resume(path, t_end=0.03, model=result.model)
    finally:
        result.model.visuals.reverse()


def test_repaired_files_keep_visual_shapes(tmp_path):
    path, target = tmp_path / "run.h5", tmp_path / "whole.h5"
    hatted().save(path)
    repair(path, target)
    assert [each.colour for each in ns.load(target).model.visuals] == [RED, None]


@pytest.mark.parametrize(
    ("column", "change", "fault"),
    [
        ("corner", 99, r"visuals\[0\] = 'other values': must be finite points, and faces"),
        ("carrier", 2, r"visuals/carrier\[0\] = 2: must be in \[0, 1\]"),
        ("radius", -1.0, r"visuals\[0\] = \[-1.0, .*: must be a radius >= 0"),
        ("colour", 1.5, r"visuals\[0\] = .*a colour in \[0, 1\]"),
        ("place", np.nan, r"visuals\[0\] = 'other values': must be finite points"),
        ("end", 10**9, r"visuals/end = .*: must be increasing, up to 37"),
    ],
)
def test_files_with_other_visual_shapes_are_refused(tmp_path, column, change, fault):
    import h5py

    path = tmp_path / "run.h5"
    hatted().save(path)
    with h5py.File(path, "r+") as file:
        rows = file[f"model/visuals/{column}"]
        rows[0] = change
    with pytest.raises(OSError, match=fault):
        ns.load(path)


def test_paraview_has_them_in_a_file_of_their_own(tmp_path):
    folder = show.paraview(hatted(), tmp_path / "out")
    assert {path.name for path in folder.glob("*.pvd")} >= {"bodies.pvd", "shapes.pvd", "visuals.pvd"}
    shapes, visuals = ((folder / f"{kind}_000000.vtp").read_bytes() for kind in ("shapes", "visuals"))
    assert b'Name="colour"' in visuals
    assert b'Name="colour"' not in shapes
    assert visuals.count(b"<Piece") == 1
    assert b'NumberOfPolys="36"' in visuals
    assert b'NumberOfPolys="1"' in shapes
    assert b'NumberOfVerts="1"' in shapes


def test_pages_have_them_and_their_colours(tmp_path):
    data = page_data(show.viewer(hatted(), tmp_path / "page.html"))
    assert data["visual_colours"] == [list(RED), None]
    assert (data["face_visual"] == 0).sum() == 33
    assert (data["face_visual"] == 1).sum() == 3
    assert [kind for _, kind in data["things"]].count(CONTACT_SHAPE) == 1


@needs_chromium
def test_the_browser_hides_shapes_for_contact_until_asked(tmp_path):
    path = show.viewer(hatted(), tmp_path / "page.html")
    labels = "[...document.querySelectorAll('#groups label')]"
    box = f"{labels}.find((each) => each.textContent.includes('contact'))"
    with browser(tmp_path) as page:
        page.open(f"{path.as_uri()}#t=0.01&axes=0", 480, 360)
        assert page.console == []
        seen = page.picture()[40:300].astype(int)
        assert (seen[:, :, 0] - seen[:, :, 1] > 80).sum() > 50  # the red cone
        page.js(f"{box}.querySelector('input').click()")
        asked = page.picture()[40:300].astype(int)
        assert (asked != seen).any(axis=2).sum() > 200  # the ball


def test_wrong_visual_shapes_are_refused():
    model, other = ns.Model(), ns.Model()
    ball = other.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    part = ns.parts.box((1, 1, 1))
    for given, fault in (
        ({"body": ball}, "body: 'sphere 0' belongs to another model"),
        ({"body": 3}, "body = 3: must be a body, as returned by the model"),
        ({"colour": "red"}, "colour = 'red': must be '#rrggbb'"),
        ({"scale": 0.0}, "scale = 0.0: must be positive"),
        ({"rotation": (0, 0, 0, 0)}, "rotation"),
    ):
        with pytest.raises(ValueError, match=fault):
            model.add_visual(part, **given)
    with pytest.raises(ValueError, match="must be a mesh of triangles with an area"):
        model.add_visual((np.zeros((3, 3)), [(0, 1, 2)]))
    assert model.visuals == []
