"""The commands: what they print, what they write, exit codes, one line for each problem."""

import json
import subprocess
import sys

import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha import cli, compiled
from nsgalpha.case.command import New, Run, WriteSchema
from nsgalpha.case.results import Info, Report, Resume

COMMANDS = {"run": Run, "new": New, "schema": WriteSchema, "info": Info, "resume": Resume, "report": Report}


@pytest.fixture(autouse=True)
def the_commands(monkeypatch, tmp_path):
    """The commands as they would be found, in an empty folder."""
    monkeypatch.setattr(cli, "commands", lambda: {name: command() for name, command in COMMANDS.items()})
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def recorded():
    """A case, and a short run of it on file."""
    assert cli.main(["new", "throw_angle.toml"]) == 0
    assert cli.main(["run", "throw_angle.toml", "-o", "out.h5", "--t-end", "0.02"]) == 0
    return "out.h5"


def test_the_entry_points_are_these():
    from importlib.metadata import entry_points

    found = {point.name: point for point in entry_points(group=cli.GROUP)}
    assert {name: found[name].load() for name in COMMANDS} == COMMANDS


def test_a_first_picture_takes_one_command_and_a_changed_case_another(capsys, tmp_path):
    assert cli.main(["new", "break.toml"]) == 0
    assert "next: nsgalpha run break.toml" in capsys.readouterr().out
    assert cli.main(["run", "break.toml", "--t-end", "0.3", "--picture", "break.png"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "Break of fifteen balls: 16 bodies, 5 planes, 3 elements"
    assert out[1] == "finished at t = 0.3 s after 300 steps"
    assert (tmp_path / "break.png").read_bytes()[:4] == b"\x89PNG"
    case = tmp_path / "break.toml"
    case.write_text(case.read_text().replace("rows = 5", "rows = 2"))
    assert cli.main(["run", "break.toml", "--t-end", "0.1"]) == 0
    assert capsys.readouterr().out.startswith("Break of fifteen balls: 4 bodies")


def test_a_first_run_says_that_it_compiles(capsys, monkeypatch):
    monkeypatch.setattr(compiled, "is_cached", lambda kernel: False)
    assert cli.main(["run", "cradle", "--t-end", "0.01"]) == 0
    assert capsys.readouterr().err.startswith("compiling the kernels")


def test_a_shipped_case_runs_by_its_name(capsys):
    assert cli.main(["run", "ball_chains"]) == 0
    assert capsys.readouterr().out.startswith("Newton's cradle of five balls that touch: 5 bodies")


def test_new_lists_what_there_is_and_refuses_to_replace(capsys):
    assert cli.main(["new"]) == 0
    listed = capsys.readouterr().out
    assert "break " in listed
    assert "Newton's cradle of five balls that touch" in listed
    assert cli.main(["new", "mine.toml", "--like", "cradle"]) == 0
    assert cli.main(["new", "mine.toml"]) == 2
    assert "mine.toml exists; --overwrite replaces it" in capsys.readouterr().err
    assert cli.main(["new", "other.toml", "--like", "cradel"]) == 2
    assert "did you mean 'cradle'?" in capsys.readouterr().err


def test_run_writes_the_result_and_does_not_replace_it(recorded, capsys):
    result = ns.load(recorded)
    assert result.status.ok
    assert [body.name for body in result.model.bodies] == ["cue", "object"]
    assert result.t[-1] == pytest.approx(0.02)
    capsys.readouterr()
    assert cli.main(["run", "throw_angle.toml", "-o", recorded]) == 2
    assert capsys.readouterr().err == "nsgalpha run: out.h5 exists; --overwrite replaces it\n"
    assert cli.main(["run", "throw_angle.toml", "-o", recorded, "--t-end", "0.01", "--overwrite"]) == 0
    assert ns.load(recorded).t[-1] == pytest.approx(0.01)


def test_resume_goes_on_as_if_nothing_had_happened(recorded, capsys):
    assert cli.main(["resume", recorded, "--t-end", "0.04"]) == 0
    assert "finished at t = 0.04 s" in capsys.readouterr().out
    assert cli.main(["run", "throw_angle.toml", "-o", "whole.h5", "--t-end", "0.04"]) == 0
    ours, whole = ns.load(recorded), ns.load("whole.h5")
    assert np.array_equal(ours.velocity[-1], whole.velocity[-1])
    assert cli.main(["resume", recorded, "--t-end", "0.04"]) == 2
    assert "t_end = 0.04: must be finite and after the last recorded state" in capsys.readouterr().err


def test_info_says_what_is_in_a_file(recorded, capsys):
    capsys.readouterr()
    assert cli.main(["info", recorded]) == 0
    text = capsys.readouterr().out
    for words in ("2 bodies (2 spheres, 0.34 kg)", "SphereSphere, SpherePlane", "rho_inf = 0.8, h = 0.0001"):
        assert words in text
    assert cli.main(["info", recorded, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    result = ns.load(recorded)
    assert found["time"] == {"start": 0.0, "end": result.t[-1], "states": 3}
    assert (
        found["contacts"]["recorded"]
        == len(result.contacts.gap)
        == sum(found["contacts"]["statuses"].values())
    )
    assert found["statistics"]["contacts"]["largest"] == result.stats.contacts[:].max()
    assert found["packages"]["nsgalpha"] == ns.__version__


def test_a_failing_run_has_exit_code_1(tmp_path, capsys):
    (tmp_path / "met.toml").write_text(  # it flies through the point to which its spring goes
        '[[bodies]]\ntype = "point"\nname = "a"\nmass = 1\nposition = [1, 0, 0]\nvelocity = [-1, 0, 0]\n'
        '[[loads]]\ntype = "SpringToPoint"\nbodies = "a"\npoint = [0, 0, 0]\nstiffness = 1e-30\nlength = 1\n'
        "[run]\nt_end = 2\nh = 0.5\n"
    )
    assert cli.main(["run", "met.toml", "-o", "met.h5"]) == 1
    assert "a velocity, position or rotation is not finite" in capsys.readouterr().out
    assert cli.main(["info", "met.h5"]) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "no.toml"], "no.toml: there is no such file"),
        (["run", "."], "is a folder"),
        (["run", "text.toml"], "text.toml, line 1: expected"),
        (["info", "no.h5"], "there is no such file"),
        (["info", "text.toml"], "is no HDF5 file"),
        (["resume", "text.toml", "--t-end", "1"], "is no HDF5 file"),
        (["report", "no.h5", "-o", "page"], "there is no such file"),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, words, tmp_path, capsys):
    (tmp_path / "text.toml").write_text("not a case\n")
    assert cli.main(arguments) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(f"nsgalpha {arguments[0]}: ")
    assert words in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "a.toml", "--t-end", "-1"],
        ["run", "a.toml", "--h", "x"],
        ["run", "a.toml", "--picture", "a.txt"],
        ["run", "a.toml", "-o", "."],
        ["resume", "a.h5"],
    ],
)
def test_bad_options_are_told_in_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_every_problem_of_a_case_has_its_line(tmp_path, capsys):
    cli.main(["new", "break.toml"])
    case = tmp_path / "break.toml"
    case.write_text(case.read_text().replace("rows = 5", "rows = 5.5").replace("h = 1e-3", "h = nan"))
    assert cli.main(["run", "break.toml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("nsgalpha run: break.toml, line 15, bodies[1].rows: 5.5: must be an integer")


def test_the_schema_goes_to_the_terminal_or_a_file(tmp_path, capsys):
    assert cli.main(["schema"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert cli.main(["schema", "-o", "case.schema.json"]) == 0
    assert json.loads((tmp_path / "case.schema.json").read_text()) == printed
    assert "#:schema case.schema.json" in capsys.readouterr().out


def test_a_report_is_one_page_that_needs_nothing_else(recorded, tmp_path, capsys):
    assert cli.main(["report", recorded, "-o", "page"]) == 0
    assert [path.name for path in (tmp_path / "page").iterdir()] == ["index.html"]
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "finished at t = 0.02 s after 200 steps" in page
    assert page.count('src="data:image/png;base64,') == 7
    outside = page.split("srcdoc=")[0] + page.split("</iframe>")[1]
    assert "://" not in outside
    assert all(name in outside for name in ("cue", "object", "velocity residual"))


def test_loads_and_motions_of_a_case_go_on_from_its_file(tmp_path):
    (tmp_path / "shaken.toml").write_text(
        'gravity = [0, 0, -9.8]\n[[bodies]]\ntype = "column"\ncount = 2\nradius = 0.1\nmass = 1\n'
        '[[planes]]\nname = "floor"\nnormal = [0, 0, 1]\n'
        'motion = {type = "Shaking", amplitude = [0, 0, 1e-3], frequency = 20}\n'
        '[[elements]]\ntype = "SphereSphere"\namong = "all"\nmu = 0.3\n'
        '[[elements]]\ntype = "SpherePlane"\nspheres = "all"\nplanes = "floor"\nmu = 0.3\n'
        '[[loads]]\ntype = "Force"\nbodies = "sphere 1"\nforce = [0.1, 0, 0]\nstart = 0.01\nend = 0.06\n'
        '[[loads]]\ntype = "SpringToPoint"\nbodies = "all"\npoint = [0, 0, 1]\nstiffness = 5\nlength = 0.5\n'
        '[[loads]]\ntype = "Drag"\nbodies = "all"\ntranslational = 0.1\n'
        "[run]\nt_end = 0.08\nh = 1e-3\n"
    )
    assert cli.main(["run", "shaken.toml", "-o", "whole.h5"]) == 0
    assert cli.main(["run", "shaken.toml", "-o", "parts.h5", "--t-end", "0.03"]) == 0
    assert cli.main(["resume", "parts.h5", "--t-end", "0.08"]) == 0
    whole, parts = ns.load("whole.h5"), ns.load("parts.h5")
    assert np.array_equal(whole.t, parts.t)
    assert np.array_equal(whole.velocity[:], parts.velocity[:])


def test_the_command_line_is_found_without_what_validation_needs():
    modules = "nsgalpha.case.command, nsgalpha.case.results, elements.catalogue"
    code = f"import sys, {modules}; sys.exit('pydantic' in sys.modules or 'matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
