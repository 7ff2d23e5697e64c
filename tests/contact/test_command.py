"""`nsgalpha solve`: a line per problem, one-line errors, exit codes."""

import json
import os
import re
import signal
from pathlib import Path

import h5py
import numpy as np
import pytest
from fclib_mutations import store, with_joints
from problems import random_problem

from nsgalpha.commands import command_line
from nsgalpha.contact import ContactProblem
from nsgalpha.io import fclib, solve_command
from nsgalpha.io.solve_command import Solve, solve_file
from tests.fresh_python import begin_python, run_python

DATA = Path(__file__).parent / "data"
GOOD = [str(DATA / f"{name}.hdf5") for name in ("Rover1039", "RFC3D_cube_1")]


@pytest.fixture(autouse=True)
def the_command(monkeypatch):
    """The command as it would be found; the entry points have their own test."""
    monkeypatch.setattr(command_line, "commands", lambda: {"solve": Solve()})


def test_every_problem_has_a_line(capsys):
    assert command_line.main(["solve", *GOOD]) == 0
    header, *lines, summary = capsys.readouterr().out.splitlines()
    assert re.split(" +", header) == [
        "problem",
        "contacts",
        "rows",
        "residual",
        "method",
        "iterations",
        "time",
        "[s]",
    ]
    assert [line.split()[:3] for line in lines] == [["Rover1039", "4", "3"], ["RFC3D_cube_1", "2", "5"]]
    assert all(re.search(r"\d\.\de-\d\d .* \d+ +\d+\.\d{3}$", line) for line in lines)
    assert summary == "2 of 2 solved to 1e-08"


def test_bad_files_are_errors_of_one_line_and_the_others_are_solved(tmp_path, capsys):
    bad, text, missing = tmp_path / "half.hdf5", tmp_path / "notes.txt", tmp_path / "no.hdf5"
    content = Path(GOOD[0]).read_bytes()
    bad.write_bytes(content[: len(content) // 2])
    text.write_text("q = 1")
    assert (
        command_line.main(["solve", str(missing), GOOD[0], str(bad), str(text), str(tmp_path), GOOD[1]]) == 2
    )
    out, err = capsys.readouterr()
    assert out.count("\n") == 4
    assert "2 of 6 solved" in out
    assert len(err.splitlines()) == 4
    for name, line in zip((missing, bad, text, tmp_path), err.splitlines(), strict=True):
        assert line.startswith(f"nsgalpha solve: {name}: ")


def test_a_problem_that_is_not_solved_is_a_failure(tmp_path, capsys):
    problem = ContactProblem(np.zeros((3, 3)), [-1.0, 0.0, 0.0], [0.5])  # fixed bodies that approach
    fclib.write(tmp_path / "fixed.hdf5", problem)
    assert command_line.main(["solve", str(tmp_path / "fixed.hdf5")]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[1].endswith("not solved")
    assert "0 of 1 solved" in out
    assert not err


def test_json_holds_the_results(tmp_path):
    fclib.write(tmp_path / "a.hdf5", problem := random_problem(np.random.default_rng(1), 4))
    file = tmp_path / "results.json"
    arguments = ["solve", str(tmp_path / "a.hdf5"), "no.hdf5", "--tol", "1e-10", "--json", str(file)]
    assert command_line.main(arguments) == 2
    content = json.loads(file.read_text())
    first, second = content["problems"]
    assert content["tol"] == 1e-10
    assert problem.residual(first["impulses"]) == pytest.approx(first["residual"], abs=1e-14)
    assert first["residual"] <= 1e-10
    assert not second["solved"]
    assert "no.hdf5: no such file" in second["error"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "FILE"),
        ([GOOD[0], "--tol", "0"], "must be positive and finite"),
        ([GOOD[0], "--tol", "nan"], "must be positive and finite"),
        ([GOOD[0], "--tol", "small"], "must be positive and finite"),
        ([GOOD[0], "--json", str(DATA)], "is a folder"),
    ],
)
def test_a_bad_argument_gives_one_line_and_exit_code_2(arguments, complaint, capsys):
    with pytest.raises(SystemExit) as end:
        command_line.main(["solve", *arguments])
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert complaint in message
    assert message.count("\n") == 1


def test_what_is_not_finite_is_null_in_json(tmp_path, capsys):
    """Numbers that overflow give a residual that is none; JSON has no NaN."""
    fclib.write(tmp_path / "a.hdf5", ContactProblem(np.eye(3), [-1e308, 0.0, 0.0], [0.5]))
    assert command_line.main(["solve", str(tmp_path / "a.hdf5"), "--json", str(tmp_path / "a.json")]) == 1
    assert "nan" in capsys.readouterr().out
    text = (tmp_path / "a.json").read_text()
    (record,) = json.loads(text, parse_constant=pytest.fail)["problems"]
    assert record["residual"] is None
    assert "too large" in record["message"]


def test_a_json_file_that_cannot_be_written_is_a_line(tmp_path, capsys, monkeypatch):
    """A folder that is gone by the end; the table has been printed."""
    file = tmp_path / "new" / "a.json"
    file.parent.mkdir()

    def solved_and_gone(*arguments):
        file.parent.rmdir()
        return solve_file(*arguments)

    monkeypatch.setattr(solve_command, "solve_file", solved_and_gone)
    assert command_line.main(["solve", GOOD[0], "--json", str(file)]) == 2
    out, err = capsys.readouterr()
    assert "1 of 1 solved" in out
    assert err.startswith(f"nsgalpha solve: {file}: cannot be written (")
    assert "its folder does not exist" in err
    assert err.count("\n") == 1


def test_a_json_file_without_permission_is_refused_before_anything_is_solved(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(SystemExit) as end:
        command_line.main(["solve", GOOD[0], "--json", str(tmp_path / "a.json")])
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert not out
    assert "cannot write" in err
    assert err.count("\n") == 1


def test_after_ctrl_c_there_is_what_has_been_solved(tmp_path, capsys, monkeypatch):
    def interrupted(path, *arguments):
        if path == GOOD[1]:
            raise KeyboardInterrupt
        return solve_file(path, *arguments)

    monkeypatch.setattr(solve_command, "solve_file", interrupted)
    assert command_line.main(["solve", GOOD[0], GOOD[1], GOOD[0], "--json", str(tmp_path / "a.json")]) == 130
    out, err = capsys.readouterr()
    assert err == "nsgalpha solve: interrupted after 1 of 3 files\n"
    assert "1 of 1 solved" in out
    content = json.loads((tmp_path / "a.json").read_text())
    assert content["interrupted"]
    assert [record["file"] for record in content["problems"]] == [GOOD[0]]


def test_ctrl_c_ends_the_process_without_a_traceback(tmp_path):
    """A real signal, while a long list of files is solved."""
    code = "import sys; from nsgalpha.io.solve_command import Solve; "
    code += "from nsgalpha.commands import command_line; "
    code += "command_line.commands = lambda: {'solve': Solve()}; sys.exit(command_line.main(sys.argv[1:]))"
    with begin_python("-u", "-c", code, "solve", *5000 * [GOOD[0]]) as process:
        for _ in range(3):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.fullmatch(r"nsgalpha solve: interrupted after \d+ of 5000 files\n", err)
    assert re.search(r"\d+ of \d+ solved to 1e-08\n$", out)


def test_a_pipe_is_refused_and_nothing_waits(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe.hdf5")
    assert command_line.main(["solve", str(tmp_path / "pipe.hdf5")]) == 2
    assert "pipe.hdf5: is a pipe, must be a regular file" in capsys.readouterr().err


def test_control_sequences_of_a_file_are_not_sent_to_the_terminal(tmp_path, capsys):
    with h5py.File(tmp_path / "a\x1b[31m.hdf5", "w") as file:
        file["\x1b]0;title\x07"] = 1.0
    assert command_line.main(["solve", str(tmp_path / "a\x1b[31m.hdf5")]) == 2
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert "\\x1b]0;title\\x07" in err


def test_an_unsymmetric_operator_is_solved_if_told_and_the_line_says_by_how_much(tmp_path, capsys):
    W = np.eye(3)
    W[0, 1] = 0.02
    path = unsymmetric_file(tmp_path, W)
    assert command_line.main(["solve", path]) == 2
    message = capsys.readouterr().err
    assert (
        "W[0, 1] = 0.02, W[1, 0] = 0: W must be symmetric to 0.01 of its diagonal, and is to 0.02" in message
    )
    assert "nsgalpha solve --symmetrise" in message
    assert command_line.main(["solve", path, "--symmetrise", "--json", str(tmp_path / "a.json")]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("  symmetrised by 2.0e-02")
    (record,) = json.loads((tmp_path / "a.json").read_text())["problems"]
    assert record["symmetrised"]
    assert record["asymmetry"] == pytest.approx(0.02)
    assert "W was symmetrised by 2.0e-02 of its diagonal" in record["message"]


def unsymmetric_file(folder, W):
    """A file of one contact with `W` (3, 3)."""
    fclib.write(folder / "a.hdf5", ContactProblem(np.eye(3), [-1.0, 0.5, 0.0], [0.2]))
    with h5py.File(folder / "a.hdf5", "r+") as file:
        store(file["fclib_local/W"], W, "rows")
    return str(folder / "a.hdf5")


def test_parsing_does_not_load_hdf5():
    probe = "import sys, nsgalpha.io.solve_command; print('h5py' in sys.modules)"
    assert run_python("-c", probe).stdout.strip() == "False"


def test_joints_are_named_and_their_reactions_written(tmp_path, capsys):
    path, out = tmp_path / "joints.hdf5", tmp_path / "out.json"
    problem = with_joints()
    fclib.write(path, problem)
    assert command_line.main(["solve", str(path), "--json", str(out)]) == 0
    assert "  and 4 bilateral rows\n" in capsys.readouterr().out
    (record,) = json.loads(out.read_text())["problems"]
    r = np.concatenate([np.ravel(record["impulses"]), record["reactions"]])
    assert record["bilateral"] == 4
    assert problem.velocities(r)[9:] == pytest.approx(0.0, abs=1e-8)
