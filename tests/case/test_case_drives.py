"""Drives, transmissions and motors of case files: joints by name, functions of time."""

import numpy as np
import pytest
from jsonschema import Draft7Validator

import nsgalpha as ns
from elements import PD, Cylindrical, Differential, Drive, Gear, JointSpring, Motor, Screw
from nsgalpha.case import CaseError, json_schema, parse_case
from nsgalpha.case.file_summary import file_summary, in_words
from nsgalpha.io.model_description import describe

MODEL = """
[[bodies]]
type = "body"
name = "one"
mass = 1
inertia = [1, 1, 0.2]
position = [0, 0, 0]

[[bodies]]
type = "body"
name = "two"
mass = 1
inertia = [1, 1, 0.1]
position = [1, 0, 0]

[[joints]]
type = "Revolute"
name = "pin"
b = "one"
point = [0, 0, 0]
axis = [0, 0, 1]

[[joints]]
type = "Cylindrical"
name = "bolt"
b = "two"
point = [1, 0, 0]
axis = [0, 0, 1]
"""
RUN = "\n[run]\nt_end = 0.1\nh = 1e-3\n"


def case(drives):
    return parse_case(f"{MODEL}\n{drives}\n{RUN}", "it.toml")


@pytest.mark.parametrize(
    ("text", "drive"),
    [
        (
            'type = "Drive"\njoint = "pin"\nmotion = [[0, 0, 0], [1, 2, 0]]',
            lambda: Drive("pin", [[0, 0, 0], [1, 2, 0]]),
        ),
        ('type = "Drive"\njoint = "pin"\nmotion = 0.0', lambda: Drive("pin", 0.0)),
        (
            'type = "Drive"\njoint = "bolt"\ncoordinate = "angle"\nrate = 0.0',
            lambda: Drive("bolt", rate=0.0, coordinate="angle"),
        ),
        (
            'type = "Gear"\nfirst = "pin"\nsecond = "bolt"\nratio = -2\ncoordinates = ["angle", "angle"]',
            lambda: Gear("pin", "bolt", ratio=-2.0, coordinates=("angle", "angle")),
        ),
        ('type = "Screw"\njoint = "bolt"\nlead = 0.01', lambda: Screw("bolt", lead=0.01)),
        (
            'type = "Differential"\njoints = ["pin", "bolt"]\nweights = [1, 2]\n'
            'coordinates = ["angle", "displacement"]',
            lambda: Differential(["pin", "bolt"], [1.0, 2.0], coordinates=["angle", "displacement"]),
        ),
        ('type = "Motor"\njoint = "pin"\nload = [[0, 0], [1, 2]]', lambda: Motor("pin", [[0, 0], [1, 2]])),
        (
            'type = "PD"\njoint = "pin"\ntarget = 0.1\nstiffness = 100\ndamping = 1\nname = "servo"',
            lambda: PD("pin", 0.1, stiffness=100.0, damping=1.0, name="servo"),
        ),
        ('type = "JointSpring"\njoint = "pin"\nstiffness = 3', lambda: JointSpring("pin", stiffness=3.0)),
    ],
)
def test_a_case_states_the_same_as_a_script(text, drive):
    found = case(f"[[drives]]\n{text}")
    model = case("").model
    model.add(drive())
    (stated,) = found.model.drives
    assert stated.name == model.drives[0].name
    ours, theirs = found.run(), ns.simulate(model, t_end=0.1, h=1e-3)
    assert np.array_equal(ours.joints, theirs.joints)
    assert "drives" in describe(found.model)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('type = "Drive"\njoint = "rod"\nmotion = 0.0', r"drives\[0\].joint: 'rod': must be a joint"),
        (
            'type = "Drive"\njoint = "bolt"\nmotion = 0.0',
            r"coordinate = None|coordinate: None: must be angle or displacement",
        ),
        ('type = "Drive"\njoint = "pin"\nmotion = [[1, 0], [0, 0]]', r"drives\[0\].motion.*must increase"),
        ('type = "Gear"\nfirst = "pin"\nsecond = "bolt"\nratio = 0', r"drives\[0\].ratio.*different from 0"),
        ('type = "Servo"\njoint = "pin"', r"drives\[0\]"),
        ('type = "Drive"\nmotion = 0.0', r"drives\[0\]"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, says):
    with pytest.raises(CaseError, match=says):
        case(f"[[drives]]\n{text}")


def test_a_start_that_is_not_where_the_drive_is_is_told_with_its_table():
    found = case('[[drives]]\ntype = "Drive"\njoint = "pin"\nmotion = 0.5\nname = "servo"')
    with pytest.raises(CaseError, match=r"drives\[0\].*violation of servo = -0.5"):
        found.run()


def test_facts_and_schema_have_drives(tmp_path):
    found = case('[[drives]]\ntype = "Motor"\njoint = "pin"\nload = 1.0\nname = "motor"')
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
    model = case("").model
    bolt = next(joint for joint in model.joints if isinstance(joint, Cylindrical))
    model.add(Drive(bolt, 0.0, coordinate="angle"))
    model.add(Drive(bolt, 0.0, coordinate="displacement"))
    assert [each.terms[0].name for each in model.drives] == ["angle", "displacement"]
