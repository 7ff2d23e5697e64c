"""`nsgalpha solve`: a line per problem, one-line errors, exit codes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from problems import random_problem

from nsgalpha import cli
from nsgalpha.contact import ContactProblem
from nsgalpha.io import fclib
from nsgalpha.io.command import Solve

DATA = Path(__file__).parent / "data"
GOOD = [str(DATA / f"{name}.hdf5") for name in ("Rover1039", "RFC3D_cube_1")]


@pytest.fixture(autouse=True)
def the_command(monkeypatch):
    """The command as it would be found; the entry points have their own test."""
    monkeypatch.setattr(cli, "commands", lambda: {"solve": Solve()})


def test_every_problem_has_a_line(capsys):
    assert cli.main(["solve", *GOOD]) == 0
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
    assert cli.main(["solve", str(missing), GOOD[0], str(bad), str(text), str(tmp_path), GOOD[1]]) == 1
    out, err = capsys.readouterr()
    assert out.count("\n") == 4
    assert "2 of 6 solved" in out
    assert len(err.splitlines()) == 4
    for name, line in zip((missing, bad, text, tmp_path), err.splitlines(), strict=True):
        assert line.startswith(f"nsgalpha solve: {name}: ")


def test_a_problem_that_is_not_solved_is_a_failure(tmp_path, capsys):
    problem = ContactProblem(np.zeros((3, 3)), [-1.0, 0.0, 0.0], [0.5])  # fixed bodies that approach
    fclib.write(tmp_path / "fixed.hdf5", problem)
    assert cli.main(["solve", str(tmp_path / "fixed.hdf5")]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[1].endswith("not solved")
    assert "0 of 1 solved" in out
    assert not err


def test_json_holds_the_results(tmp_path):
    fclib.write(tmp_path / "a.hdf5", problem := random_problem(np.random.default_rng(1), 4))
    file = tmp_path / "new" / "results.json"
    arguments = ["solve", str(tmp_path / "a.hdf5"), "no.hdf5", "--tol", "1e-10", "--json", str(file)]
    assert cli.main(arguments) == 1
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
        cli.main(["solve", *arguments])
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert complaint in message
    assert message.count("\n") == 1


def test_parsing_does_not_load_hdf5():
    probe = "import sys, nsgalpha.io.command; print('h5py' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
