"""The command line: sub-commands by entry point, errors in one line, exit codes."""

import json
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

from nsgalpha.commands import command_line
from nsgalpha.linalg import factorisation
from tests.fresh_python import run_python
from verification import case_names, run
from verification.command import Bench, Verify
from verification.outcome import Outcome, Row
from verification.run import Verdict


@pytest.fixture(autouse=True)
def both_commands(monkeypatch):
    """The commands as they would be found; the entry points themselves have their own test."""
    monkeypatch.setattr(command_line, "commands", lambda: {"bench": Bench(), "verify": Verify()})


@pytest.fixture
def one_case(monkeypatch):
    """Stand-in for running a case: a verdict with one row, off or not."""

    def set_error(error: float):
        row = Row(
            quantity="x", unit="m", reference=1.0, ours=1.0 + error, tolerance=1e-3, provenance="by hand"
        )
        verdict = Verdict("throw_angle", "Sample", Outcome(rows=[row]), 0.0)
        monkeypatch.setattr(run, "run_case", lambda _: verdict)

    return set_error


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        command_line.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"nsgalpha {version('nsgalpha')}; {factorisation()}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["verify", "no_such_case"], "throw_angle"),
        (["bench", "no_such_benchmark"], "cradle"),
        (["verify", "--no-such-option"], "--no-such-option"),
        (["no_such_command"], "no_such_command"),
        (["verify", "--json", str(Path(__file__).parent)], "is a folder"),
        (["verify", "--report", __file__], "cannot make the folder"),
        ([], "COMMAND"),
    ],
)
def test_a_bad_argument_gives_one_line_and_exit_code_2(arguments, complaint, capsys):
    with pytest.raises(SystemExit) as end:
        command_line.main(arguments)
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert complaint in message
    assert message.count("\n") == 1


def test_an_unknown_case_lists_all_cases(capsys):
    with pytest.raises(SystemExit):
        command_line.main(["verify", "no_such_case"])
    message = capsys.readouterr().err
    assert all(name in message for name in case_names())


def test_verify_succeeds_when_every_row_passes(one_case, capsys):
    one_case(1e-4)
    assert command_line.main(["verify", "throw_angle"]) == 0
    assert "all of 1 cases passed" in capsys.readouterr().out


def test_verify_fails_when_a_row_is_off(one_case, capsys):
    one_case(1e-2)
    assert command_line.main(["verify", "throw_angle"]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_verify_writes_json_and_report(one_case, tmp_path):
    pytest.importorskip("matplotlib")
    one_case(1e-2)
    file, folder = tmp_path / "rows.json", tmp_path / "report"
    assert command_line.main(["verify", "throw_angle", "--json", str(file), "--report", str(folder)]) == 1
    content = json.loads(file.read_text())
    assert not content["passed"]
    assert content["cases"][0]["rows"][0]["provenance"] == "by hand"
    assert "Sample" in (folder / "index.html").read_text()


def test_folders_are_not_made_unasked(one_case, tmp_path, capsys):
    one_case(1e-4)
    missing = tmp_path / "new"
    for arguments in (["--json", str(missing / "rows.json")], ["--report", str(missing / "report")]):
        with pytest.raises(SystemExit) as end:
            command_line.main(["verify", "throw_angle", *arguments])
        assert end.value.code == 2
        assert f"there is no folder {str(missing)!r}" in capsys.readouterr().err
    with pytest.raises(SystemExit):  # nor that of a command that is refused
        command_line.main(["verify", "--report", str(missing), "no_such_case"])
    assert not list(tmp_path.iterdir())


def test_an_interrupted_verification_says_where(monkeypatch, capsys):
    def stopped(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run_case", stopped)
    assert command_line.main(["verify", "throw_angle", "sweep"]) == 130
    assert capsys.readouterr().err == ("nsgalpha verify: interrupted; in 'throw_angle', after 0 of 2 cases\n")


def test_an_interrupted_bench_says_where(monkeypatch, capsys):
    from verification.benchmarks import hard

    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr(hard, "bench_cradle", stopped)
    assert command_line.main(["bench", "cradle"]) == 130
    assert capsys.readouterr().err == "nsgalpha bench: interrupted; in 'cradle', after 0 of 1 benchmarks\n"


def test_a_sweep_that_was_interrupted_is_no_failure():
    from nsgalpha.sweeps.sweep_table import table_of
    from verification.sweep import outcome_of

    with pytest.raises(KeyboardInterrupt, match="2 not run"):
        outcome_of(table_of([{"distance": 0.2}, {"distance": 0.3}], [None, None]))


def test_the_installed_package_offers_all_commands():
    assert {point.name for point in entry_points(group=command_line.GROUP)} >= {"verify", "bench", "solve"}


def test_the_installed_program_starts():
    assert run_python("-m", "nsgalpha.commands.command_line", "--version").stdout.startswith("nsgalpha ")


def test_the_method_knows_no_case_and_no_element():
    others = "{'verification', 'elements', 'matplotlib'}"
    probe = f"import sys, nsgalpha.commands.command_line; print(sorted({others} & set(sys.modules)))"
    assert run_python("-c", probe).stdout.strip() == "[]"
