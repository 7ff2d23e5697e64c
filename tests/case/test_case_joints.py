"""Joints of case files: sides by name, the ground, markers; errors with their place."""

import re

import numpy as np
import pytest
from jsonschema import Draft7Validator

import nsgalpha as ns
from elements import Marker, Revolute, Universal
from nsgalpha.case import CaseError, json_schema, load_case, parse_case
from nsgalpha.case.case_commands import shipped
from nsgalpha.case.file_summary import file_summary, in_words
from nsgalpha.io.model_description import describe

BODIES = """
[[bodies]]
type = "body"
name = "crank"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]

[[bodies]]
type = "body"
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [1.5, 0, 0]

[[planes]]
name = "cam"
normal = [0, 0, 1]
motion = {type = "Shaking", amplitude = [0.1, 0, 0], frequency = 2}

[[planes]]
name = "floor"
normal = [0, 0, 1]
offset = -9
"""
RUN = "\n[run]\nt_end = 0.1\nh = 1e-3\n"


def case(joint):
    return parse_case(f"{BODIES}\n[[joints]]\n{joint}\n{RUN}", "it.toml")


def stated(model):
    return describe(model)["joints"]


def script(joint):
    """The same model in Python, with `joint(crank, rod)`."""
    model = case('type = "Spherical"\nb = "crank"\npoint = [0, 0, 0]').model
    model.joints.clear()
    model.add(joint(*model.bodies, *model.planes))
    return model


@pytest.mark.parametrize(
    ("text", "joint"),
    [
        (
            'type = "Revolute"\na = "crank"\nb = "rod"\npoint = [1, 0, 0]\naxis = [0, 1, 0]',
            lambda crank, rod, *_: Revolute(crank, rod, point=(1, 0, 0), axis=(0, 1, 0)),
        ),
        (
            'type = "Revolute"\nb = "crank"\npoint = [0, 0, 0]\naxis = [0, 1, 0]',
            lambda crank, *_: Revolute(None, crank, point=(0, 0, 0), axis=(0, 1, 0)),
        ),
        (
            'type = "Revolute"\na = "crank"\nb = "ground"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nname = "pin"',
            lambda crank, *_: Revolute(crank, None, point=(0, 0, 0), axis=(0, 1, 0), name="pin"),
        ),
        (
            'type = "Revolute"\na = {position = [1, 0, 0]}\nb = {carrier = "rod", position = [-0.5, 0, 0]}',
            lambda _, rod, *__: Revolute(Marker(None, (1, 0, 0)), Marker(rod, (-0.5, 0, 0))),
        ),
        (
            'type = "Universal"\na = "rod"\nb = "crank"\npoint = [1, 0, 0]\n'
            "axis = [0, 1, 0]\nsecond = [0, 0, 1]",
            lambda crank, rod, *_: Universal(rod, crank, point=(1, 0, 0), axis=(0, 1, 0), second=(0, 0, 1)),
        ),
        (
            'type = "Revolute"\na = "cam"\nb = "rod"\npoint = [1, 0, 0]\naxis = [0, 1, 0]',
            lambda _, rod, cam, __: Revolute(cam, rod, point=(1, 0, 0), axis=(0, 1, 0)),
        ),
    ],
)
def test_joints_are_those_of_python(text, joint):
    one, two = case(text).model.joints[0], script(joint).joints[0]
    assert type(one) is type(two)
    assert one.name == two.name
    assert [side and side.name for side in one.carriers] == [side and side.name for side in two.carriers]
    assert np.array_equal(one.points, two.points)
    assert np.array_equal(one.axes, two.axes)


def test_the_ends_of_a_rod():
    (rod,) = case(
        'type = "Distance"\na = "crank"\nb = "rod"\npoints = [[0.5, 0, 0], [1.5, 0, 0]]'
    ).model.joints
    assert rod.length == 1.0
    (rod,) = case('type = "Link"\na = {carrier = "crank"}\nb = {carrier = "rod"}\nlength = 1').model.joints
    assert rod.length == 1.0


@pytest.mark.parametrize(
    ("joint", "says"),
    [
        (
            'type = "Revolte"\nb = "rod"',
            "line 27, joints[0].type: 'Revolte' is unknown; did you mean 'Revolute'?",
        ),
        ('type = "Revolute"\nc = "rod"', "line 28, joints[0].c: unknown key"),
        (
            'type = "Spherical"\nb = "rood"\npoint = [0, 0, 0]',
            "joints[0].b: 'rood' is unknown; did you mean 'rod'",
        ),
        (
            'type = "Spherical"\nb = 3\npoint = [0, 0, 0]',
            "joints[0].b: 3: must be the name of a body or plane",
        ),
        (
            'type = "Spherical"\npoint = [0, 0, 0]',
            "line 26, joints[0]: Spherical of the ground and the ground",
        ),
        ('type = "Spherical"\na = "floor"\npoint = [0, 0, 0]', "is fixed to the ground twice"),
        ('type = "Revolute"\nb = "rod"\npoint = [0, 0, 0]', "joints[0].point: point and axis: give both"),
        (
            'type = "Revolute"\nb = "rod"\npoint = [0, 0]\naxis = [0, 0, 1]',
            "joints[0].point: [0, 0]: must be",
        ),
        (
            'type = "Revolute"\nb = "rod"\npoint = [0, 0, 0]\naxis = [0, 0, 0]',
            "joints[0].axis: [0, 0, 0]: must be",
        ),
        ('type = "Spherical"\nb = {carrier = "rud"}', "joints[0].b.carrier: 'rud' is unknown"),
        ('type = "Spherical"\nb = {carrier = "rod", place = [0, 0, 0]}', "joints[0].b.place: unknown key"),
        (
            'type = "Spherical"\nb = {carrier = "rod", axis = [0, 0, 0]}',
            "joints[0].b.axis: [0, 0, 0]: must be",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(joint, says):
    with pytest.raises(CaseError, match=re.escape(says)):
        case(joint)


def test_what_only_a_run_finds_is_told_with_the_joint():
    found = case('type = "Revolute"\nname = "pin"\na = {position = [1.1, 0, 0]}\nb = {carrier = "rod"}')
    with pytest.raises(CaseError, match=r"it.toml, line 26, joints\[0\]: position: violation of pin = "):
        found.run()


def test_a_name_is_stronger_than_the_ground():
    text = BODIES.replace('name = "rod"', 'name = "ground"')
    joint = '[[joints]]\ntype = "Spherical"\na = "ground"\nb = "crank"\npoint = [0, 0, 0]\n'
    model = parse_case(f"{text}\n{joint}{RUN}").model
    assert model.joints[0].carriers[0] is model.bodies[1]


def test_editors_know_joints_and_markers():
    validator = Draft7Validator(json_schema())
    data = {"bodies": [], "run": {"t_end": 1.0}, "joints": [{"type": "Revolute", "b": {"carrier": "rod"}}]}
    assert validator.is_valid(data)
    for key, value in (("b", 3), ("b", {"place": 1}), ("type", "Revolte"), ("c", "rod")):
        assert not validator.is_valid({**data, "joints": [{**data["joints"][0], key: value}]})


def test_the_shipped_mechanism_strikes_its_ball(tmp_path):
    path = tmp_path / "run.h5"
    result = load_case(shipped()["slider_crank"]).run(path, t_end=0.3)
    assert result.status.ok
    ball, slider = (next(b for b in result.model.bodies if b.name == name) for name in ("ball", "slider"))
    assert result.velocity[-1, ball, 0] > 0.5
    angle, _ = result.coordinate("main bearing")
    x = -0.15 * np.cos(angle) + np.sqrt(0.4**2 - (0.15 * np.sin(angle)) ** 2)
    assert result.position[:, slider, 0] == pytest.approx(x, abs=1e-12)
    assert result.coordinate("guide").value == pytest.approx(x - 0.25, abs=1e-12)
    assert (
        np.abs(result.reaction_impulse("guide").force).max()
        < 1.0
        < np.abs(result.reaction("guide").force).max()
    )
    found = file_summary(path)
    assert found["model"]["joints"] == [
        "Revolute 'main bearing'",
        "Revolute 'crank pin'",
        "Revolute 'slider pin'",
        "Prismatic 'guide'",
    ]
    assert any("main bearing" in text for _, text in in_words(found))
    assert ns.resume(path, t_end=0.35).status.ok
