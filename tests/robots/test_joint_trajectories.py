"""Joints that follow tables: coordinates, spline, errors with line and column."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import nsgalpha as ns

DESCRIPTIONS = Path(__file__).parent / "descriptions"
NAMES = "of which there are shoulder, elbow; rename it, or take it out"


def pendulum():
    return ns.read_urdf(DESCRIPTIONS / "double_pendulum.urdf", start={"shoulder": 0.2, "elbow": -0.3})


@pytest.mark.parametrize("path", ["file", "columns"])
def test_coordinates_are_those_of_the_table_and_begin_at_rest(tmp_path, path):
    t, rows = np.linspace(0.0, 1.0, 11), {}
    rows["elbow"] = -0.3 - 0.5 * t**2
    rows["shoulder"] = 0.2 + 0.4 * t**2 * (1.0 - t)
    columns = {"time": t} | rows
    file = tmp_path / "moves.csv"
    rows_of_text = [",".join(map(repr, row.tolist())) for row in np.array([*columns.values()]).T]
    text = "\r\n".join([", ".join(columns), "# by hand", "", *rows_of_text])
    file.write_text("\ufeff" + text, encoding="utf-8", newline="")
    robot = pendulum()
    drives = robot.follow(file if path == "file" else columns)
    assert [*drives] == [*rows]
    result = ns.simulate(robot.model, t_end=0.9, h=1e-2)
    assert result.status, result.status
    for name, drive in drives.items():
        value, rate = result.coordinate(robot.joint(name))
        spline = CubicSpline(t, rows[name], bc_type=((1, 0.0), "not-a-knot"))
        assert np.abs(value - spline(result.t)).max() < 1e-11
        assert np.abs(rate - spline(result.t, 1)).max() < 1e-9
        exact = {"elbow": -0.3 - 0.5 * 0.81, "shoulder": 0.2 + 0.4 * 0.81 * 0.1}[name]  # cubics come out
        assert abs(value[-1] - exact) < 1e-11
        assert np.abs(result.effort(drive).value).max() > 0.1


WRONG = {
    "": "moves.csv: needs two rows or more below its header, and has 0",
    "t,elbow\n0,0\n1,1": "moves.csv, line 1: first column = 't': must be 'time'",
    "time\n0\n1": "moves.csv, line 1: has no column but 'time'",
    "time,knee\n0,0\n1,1": f"moves.csv, line 1: name of column 2 = 'knee': must be that of a joint, {NAMES}",
    "time,elbow,elbow\n0,0,0": "moves.csv, line 1: column 3: 'elbow' is given twice",
    "time,elbow\n0,0\n\n1,1,2": "moves.csv, line 4: has 3 values; it must have 2, one for each column",
    "time,elbow\n0,0\n1,one": "moves.csv, line 3: elbow = 'one': must be a finite number",
    "time,elbow\n0,0\n1,nan": "moves.csv, line 3: elbow = 'nan': must be a finite number",
    "time,elbow\n0,0\n1_0,1": "moves.csv, line 3: time = '1_0': must be a finite number",
    "time,elbow\n0,0\n0,1": "moves.csv, line 3: time = 0.0: must be later than in the row before",
    "time,elbow\n0,0": "moves.csv: needs two rows or more below its header, and has 1",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_files_are_refused_with_line_and_column(tmp_path, text):
    robot = pendulum()
    (tmp_path / "moves.csv").write_text(text)
    with pytest.raises(ValueError, match=re.escape(WRONG[text])):
        robot.follow(tmp_path / "moves.csv")
    assert not robot.model.drives


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"elbow": [0, 1]}, "trajectory: first column = 'elbow': must be 'time'"),
        ({"time": [0, 1], "knee": [0, 1]}, f"name of column 2 = 'knee': must be that of a joint, {NAMES}"),
        ({"time": [0, 1], "elbow": [0]}, "shape of trajectory['elbow'] = (1,): must be of the shape (2,)"),
        ({"time": [0, 0], "elbow": [0, 1]}, "trajectory['time'][1] = 0.0: must be increasing"),
        ({"time": [0], "elbow": [0]}, "trajectory['time'] = [0]: must be two times or more"),
        ({"time": [0, 1], "elbow": [0, np.inf]}, "trajectory['elbow']"),
        (7, "trajectory = 7: must be"),
    ],
)
def test_wrong_columns_are_refused(columns, message):
    robot = pendulum()
    with pytest.raises(ValueError, match=re.escape(message)):
        robot.follow(columns)
    assert not robot.model.drives


def test_a_joint_of_several_coordinates_is_refused():
    robot = ns.read_urdf(DESCRIPTIONS / "air_bearing.urdf")
    slider = next(name for name, joint in robot.joints.items() if type(joint).__name__ == "Planar")
    with pytest.raises(ValueError, match="must be that of a joint with one coordinate; it has 3"):
        robot.follow({"time": [0, 1], "rotor_axle": [0, 1], slider: [0, 1]})
    assert not [each for each in robot.model.drives if type(each).__name__ == "Drive"]


def test_a_start_elsewhere_is_refused_by_the_run():
    robot = pendulum()
    robot.follow({"time": [0, 1], "elbow": [0.0, 0.5]})
    with pytest.raises(ValueError, match="elbow"):
        ns.simulate(robot.model, t_end=0.1, h=1e-2)
