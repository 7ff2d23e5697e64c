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
from tests.case.case_texts import RUN, body, table

INERTIA = {"inertia": [0.1, 0.1, 0.1]}
BODIES = body("crank", [0.5, 0, 0], **INERTIA) + body("rod", [1.5, 0, 0], **INERTIA)
CAM = {"type": "Shaking", "amplitude": [0.1, 0, 0], "frequency": 2}
BODIES += table("planes", name="cam", normal=[0, 0, 1], motion=CAM)
BODIES += table("planes", name="floor", normal=[0, 0, 1], offset=-9)
ORIGIN = {"point": [0, 0, 0]}
HINGE = {**ORIGIN, "axis": [0, 1, 0]}
BETWEEN = {"point": [1, 0, 0], "axis": [0, 1, 0]}


def case(kind, values):
    return parse_case(BODIES + table("joints", type=kind, **values) + RUN, "it.toml")


def stated(model):
    return describe(model)["joints"]


def script(joint):
    """The same model in Python, with `joint(crank, rod)`."""
    model = case("Spherical", {"b": "crank", **ORIGIN}).model
    model.joints.clear()
    model.add(joint(*model.bodies, *model.planes))
    return model


@pytest.mark.parametrize(
    ("kind", "values", "joint"),
    [
        (
            "Revolute",
            {"a": "crank", "b": "rod", **BETWEEN},
            lambda crank, rod, *_: Revolute(crank, rod, **BETWEEN),
        ),
        ("Revolute", {"b": "crank", **HINGE}, lambda crank, *_: Revolute(None, crank, **HINGE)),
        (
            "Revolute",
            {"a": "crank", "b": "ground", **HINGE, "name": "pin"},
            lambda crank, *_: Revolute(crank, None, **HINGE, name="pin"),
        ),
        (
            "Revolute",
            {"a": {"position": [1, 0, 0]}, "b": {"carrier": "rod", "position": [-0.5, 0, 0]}},
            lambda _, rod, *__: Revolute(Marker(None, (1, 0, 0)), Marker(rod, (-0.5, 0, 0))),
        ),
        (
            "Universal",
            {"a": "rod", "b": "crank", **BETWEEN, "second": [0, 0, 1]},
            lambda crank, rod, *_: Universal(rod, crank, **BETWEEN, second=(0, 0, 1)),
        ),
        (
            "Revolute",
            {"a": "cam", "b": "rod", **BETWEEN},
            lambda _, rod, cam, __: Revolute(cam, rod, **BETWEEN),
        ),
    ],
)
def test_joints_are_those_of_python(kind, values, joint):
    one, two = case(kind, values).model.joints[0], script(joint).joints[0]
    assert type(one) is type(two)
    assert one.name == two.name
    assert [side and side.name for side in one.carriers] == [side and side.name for side in two.carriers]
    assert np.array_equal(one.points, two.points)
    assert np.array_equal(one.axes, two.axes)


def test_the_ends_of_a_rod():
    ends = {"a": "crank", "b": "rod", "points": [[0.5, 0, 0], [1.5, 0, 0]]}
    markers = {"a": {"carrier": "crank"}, "b": {"carrier": "rod"}, "length": 1}
    for kind, values in (("Distance", ends), ("Link", markers)):
        (rod,) = case(kind, values).model.joints
        assert rod.length == 1.0


@pytest.mark.parametrize(
    ("kind", "values", "says"),
    [
        ("Revolte", {"b": "rod"}, "line 27, joints[0].type: 'Revolte' is unknown; did you mean 'Revolute'?"),
        ("Revolute", {"c": "rod"}, "line 28, joints[0].c: unknown key"),
        ("Spherical", {"b": "rood", **ORIGIN}, "joints[0].b: 'rood' is unknown; did you mean 'rod'"),
        ("Spherical", {"b": 3, **ORIGIN}, "joints[0].b: 3: must be the name of a body or plane"),
        ("Spherical", ORIGIN, "line 26, joints[0]: Spherical of the ground and the ground"),
        ("Spherical", {"a": "floor", **ORIGIN}, "is fixed to the ground twice"),
        ("Revolute", {"b": "rod", **ORIGIN}, "joints[0].point: point and axis: give both"),
        ("Revolute", {"b": "rod", **HINGE, "point": [0, 0]}, "joints[0].point: [0, 0]: must be"),
        ("Revolute", {"b": "rod", **HINGE, "axis": [0, 0, 0]}, "joints[0].axis: [0, 0, 0]: must be"),
        ("Spherical", {"b": {"carrier": "rud"}}, "joints[0].b.carrier: 'rud' is unknown"),
        ("Spherical", {"b": {"carrier": "rod", "place": [0, 0, 0]}}, "joints[0].b.place: unknown key"),
        ("Spherical", {"b": {"carrier": "rod", "axis": [0, 0, 0]}}, "joints[0].b.axis: [0, 0, 0]: must be"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(kind, values, says):
    with pytest.raises(CaseError, match=re.escape(says)):
        case(kind, values)


def test_what_only_a_run_finds_is_told_with_the_joint():
    found = case("Revolute", {"name": "pin", "a": {"position": [1.1, 0, 0]}, "b": {"carrier": "rod"}})
    with pytest.raises(CaseError, match=r"it.toml, line 26, joints\[0\]: position: violation of pin = "):
        found.run()


def test_a_name_is_stronger_than_the_ground():
    text = BODIES.replace('name = "rod"', 'name = "ground"')
    model = parse_case(text + table("joints", type="Spherical", a="ground", b="crank", **ORIGIN) + RUN).model
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
