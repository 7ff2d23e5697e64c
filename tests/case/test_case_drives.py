"""Drives, transmissions and motors of case files: joints by name, functions of time."""

import numpy as np
import pytest
from jsonschema import Draft7Validator

import nsgalpha as ns
from elements import PD, Cylindrical, Differential, Drive, Gear, JointSpring, Motor, Screw
from nsgalpha.case import CaseError, json_schema, parse_case
from nsgalpha.case.file_summary import file_summary, in_words
from nsgalpha.io.model_description import describe
from tests.case.case_texts import RUN, body, table

AXIS = {"axis": [0, 0, 1]}
MODEL = body("one", [0, 0, 0], inertia=[1, 1, 0.2]) + body("two", [1, 0, 0], inertia=[1, 1, 0.1])
MODEL += table("joints", type="Revolute", name="pin", b="one", point=[0, 0, 0], **AXIS)
MODEL += table("joints", type="Cylindrical", name="bolt", b="two", point=[1, 0, 0], **AXIS)


def case(*drives):
    """The case with drives (type, keys)."""
    stated = (table("drives", type=kind, **values) for kind, values in drives)
    return parse_case(MODEL + "".join(stated) + RUN, "it.toml")


@pytest.mark.parametrize(
    ("drive", "values"),
    [
        (Drive, {"joint": "pin", "motion": [[0, 0, 0], [1, 2, 0]]}),
        (Drive, {"joint": "pin", "motion": 0.0}),
        (Drive, {"joint": "bolt", "coordinate": "angle", "rate": 0.0}),
        (Gear, {"first": "pin", "second": "bolt", "ratio": -2, "coordinates": ["angle", "angle"]}),
        (Screw, {"joint": "bolt", "lead": 0.01}),
        (
            Differential,
            {"joints": ["pin", "bolt"], "weights": [1, 2], "coordinates": ["angle", "displacement"]},
        ),
        (Motor, {"joint": "pin", "load": [[0, 0], [1, 2]]}),
        (PD, {"joint": "pin", "target": 0.1, "stiffness": 100, "damping": 1, "name": "servo"}),
        (JointSpring, {"joint": "pin", "stiffness": 3}),
    ],
)
def test_a_case_states_the_same_as_a_script(drive, values):
    found = case((drive.__name__, values))
    model = case().model
    model.add(drive(**values))
    (stated,) = found.model.drives
    assert stated.name == model.drives[0].name
    ours, theirs = found.run(), ns.simulate(model, t_end=0.1, h=1e-3)
    assert np.array_equal(ours.joints, theirs.joints)
    assert "drives" in describe(found.model)


@pytest.mark.parametrize(
    ("drive", "values", "says"),
    [
        ("Drive", {"joint": "rod", "motion": 0.0}, r"drives\[0\].joint: 'rod': must be a joint"),
        (
            "Drive",
            {"joint": "bolt", "motion": 0.0},
            r"coordinate = None: must be angle or displacement of bolt",
        ),
        ("Drive", {"joint": "pin", "motion": [[1, 0], [0, 0]]}, r"drives\[0\].motion.*must increase"),
        ("Gear", {"first": "pin", "second": "bolt", "ratio": 0}, r"drives\[0\].ratio.*different from 0"),
        ("Servo", {"joint": "pin"}, r"drives\[0\]"),
        ("Drive", {"motion": 0.0}, r"drives\[0\]"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(drive, values, says):
    with pytest.raises(CaseError, match=says):
        case((drive, values))


def test_a_start_that_is_not_where_the_drive_is_is_told_with_its_table():
    found = case(("Drive", {"joint": "pin", "motion": 0.5, "name": "servo"}))
    with pytest.raises(CaseError, match=r"drives\[0\].*violation of servo = -0.5"):
        found.run()


def test_facts_and_schema_have_drives(tmp_path):
    found = case(("Motor", {"joint": "pin", "load": 1.0, "name": "motor"}))
    path = str(tmp_path / "run.h5")
    found.run(file=path)
    words = dict(in_words(file_summary(path)))
    assert words["drives"] == "Motor 'motor'"
    validator = Draft7Validator(json_schema())
    drives = [{"type": "Gear", "first": "pin", "second": "bolt", "ratio": 2.0}]
    bodies = [{"type": "sphere", "radius": 1.0, "position": [0, 0, 0], "mass": 1.0}]
    run = {"t_end": 1.0, "h": 1e-3}
    assert validator.is_valid({"bodies": bodies, "drives": drives, "run": run})
    assert not validator.is_valid({"bodies": bodies, "drives": [{"type": "Gear"}], "run": run})


def test_cylindrical_joints_have_two_coordinates_to_drive():
    model = case().model
    bolt = next(joint for joint in model.joints if isinstance(joint, Cylindrical))
    model.add(Drive(bolt, 0.0, coordinate="angle"))
    model.add(Drive(bolt, 0.0, coordinate="displacement"))
    assert [each.terms[0].name for each in model.drives] == ["angle", "displacement"]
