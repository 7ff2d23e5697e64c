"""The commands: prints, files, exit codes, one line for each problem."""

import base64
import json
import re
import shutil
import subprocess
from io import BytesIO
from pathlib import Path

import h5py
import numpy as np
import pytest
from PIL import Image

import nsgalpha as ns
from nsgalpha.case.case_commands import New, Run, WriteSchema
from nsgalpha.case.case_listing import Cases
from nsgalpha.case.result_commands import Info, Report, Resume
from nsgalpha.case.shell_completion import Completion
from nsgalpha.commands import command_line
from tests.fresh_python import run_python

COMMANDS = {
    "run": Run,
    "new": New,
    "cases": Cases,
    "completion": Completion,
    "schema": WriteSchema,
    "info": Info,
    "resume": Resume,
    "report": Report,
}


@pytest.fixture(autouse=True)
def the_commands(monkeypatch, tmp_path):
    """The commands as they would be found, in an empty folder."""
    monkeypatch.setattr(
        command_line, "commands", lambda: {name: command() for name, command in COMMANDS.items()}
    )
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def recorded():
    """A case, and a short run of it on file."""
    assert command_line.main(["new", "throw_angle.toml"]) == 0
    assert command_line.main(["run", "throw_angle.toml", "-o", "out.h5", "--t-end", "0.02"]) == 0
    return "out.h5"


def test_the_entry_points_are_these():
    from importlib.metadata import entry_points

    found = {point.name: point for point in entry_points(group=command_line.GROUP)}
    assert {name: found[name].load() for name in COMMANDS} == COMMANDS


def test_a_case_is_run_to_an_accuracy_in_its_file_or_on_the_command_line(capsys):
    """Then the impact is at its time, and `info` tells how the run was made."""
    text = (
        "gravity = [0, 0, -10]\n[[bodies]]\ntype = 'sphere'\nradius = 0.1\nmass = 1\nposition = [0, 0, 0.3]\n"
        '[[planes]]\nname = "floor"\nnormal = [0, 0, 1]\n[[elements]]\ntype = "SpherePlane"\n'
        'spheres = "all"\nplanes = "floor"\ne_n = 0.5\n[run]\nt_end = 0.3\n'
    )
    Path("a.toml").write_text(text + "accuracy = 1e-6\nh = 0.05\n")
    Path("b.toml").write_text(text + 'h = 0.05\nimpacts = "located"\n')
    assert command_line.main(["run", "a.toml", "-o", "a.h5"]) == 0
    assert command_line.main(["run", "b.toml", "-o", "b.h5"]) == 0
    assert command_line.main(["run", "b.toml", "-o", "c.h5", "--accuracy", "1e-6"]) == 0
    for file in ("a.h5", "b.h5", "c.h5"):
        result = ns.load(file)
        assert result.t[1:][result.stats.located[:] > 0] == pytest.approx([0.2], abs=1e-12)
    assert ns.load("a.h5").t[-1] == pytest.approx(0.3, abs=1e-15)
    capsys.readouterr()
    assert command_line.main(["info", "c.h5"]) == 0
    shown = capsys.readouterr().out
    assert "accuracy = 1e-06" in shown
    assert "impacts = located" in shown
    Path("d.toml").write_text(text + "accuracy = 2.0\n")
    assert command_line.main(["run", "d.toml"]) == 2
    assert "accuracy" in capsys.readouterr().err


def test_a_first_picture_takes_one_command_and_a_changed_case_another(capsys, tmp_path):
    assert command_line.main(["new", "break.toml"]) == 0
    assert "next: nsgalpha run break.toml" in capsys.readouterr().out
    assert command_line.main(["run", "break.toml", "--t-end", "0.3", "--picture", "break.png"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "Break of fifteen balls: 16 bodies, 5 planes, 3 elements"
    assert out[1] == "finished at t = 0.3 s after 300 steps"
    assert (tmp_path / "break.png").read_bytes()[:4] == b"\x89PNG"
    case = tmp_path / "break.toml"
    case.write_text(case.read_text().replace("rows = 5", "rows = 2"))
    assert command_line.main(["run", "break.toml", "--t-end", "0.1", "--picture", "break.svg"]) == 0
    assert b"<svg" in (tmp_path / "break.svg").read_bytes()
    assert capsys.readouterr().out.startswith("Break of fifteen balls: 4 bodies")


def test_a_shipped_case_runs_by_its_name(capsys):
    assert command_line.main(["run", "ball_chains"]) == 0
    assert capsys.readouterr().out.startswith("Newton's cradle of five balls that touch: 5 bodies")


def test_new_lists_what_there_is_and_refuses_to_replace(capsys):
    assert command_line.main(["new"]) == 0
    listed = capsys.readouterr().out
    assert "break " in listed
    assert "Newton's cradle of five balls that touch" in listed
    assert command_line.main(["new", "mine.toml", "--like", "cradle"]) == 0
    assert command_line.main(["new", "mine.toml"]) == 2
    assert "mine.toml exists; --overwrite replaces it" in capsys.readouterr().err
    assert command_line.main(["new", "other.toml", "--like", "cradel"]) == 2
    assert "did you mean 'cradle'?" in capsys.readouterr().err


def test_cases_are_listed_in_lines_and_as_json(capsys):
    assert command_line.main(["cases"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 20
    assert all(len(line.split("  ")) > 1 for line in lines)
    assert command_line.main(["cases", "cradle", "break", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found] == ["cradle", "break"]
    assert found[1]["title"] == "Break of fifteen balls"
    assert command_line.main(["cases", "cradel"]) == 2
    assert "did you mean 'cradle'?" in capsys.readouterr().err


def test_cases_have_pictures(tmp_path, capsys):
    assert command_line.main(["cases", "cradle", "slider_crank", "-o", "page"]) == 0
    assert capsys.readouterr().out == "cases: page/index.html\n"
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    pictures = re.findall(r"data:image/png;base64,([^\"]+)", page)
    assert len(pictures) == 2
    for each in pictures:
        picture = np.asarray(Image.open(BytesIO(base64.b64decode(each))))
        assert picture.shape == (360, 480, 3)
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 50  # something is to be seen
    assert "nsgalpha run cradle" in page


def completed(words):
    """Completions of the last of `words` by bash."""
    code = (
        'source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '_shtab_nsgalpha; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", code, "-", *words], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_cases_and_files(tmp_path, capsys):
    assert command_line.main(["completion", "bash"]) == 0
    (tmp_path / "completion.bash").write_text(capsys.readouterr().out)
    (tmp_path / "mine.toml").touch()
    (tmp_path / "mine.h5").touch()
    assert completed(["nsgalpha", "res"]) == ["resume"]
    assert completed(["nsgalpha", "run", "--pic"]) == ["--picture"]
    assert completed(["nsgalpha", "run", "m"]) == ["mine.toml"]
    assert completed(["nsgalpha", "run", "cra"]) == ["cradle"]
    assert "mine.h5" in completed(["nsgalpha", "info", "m"])


@pytest.mark.parametrize("shell", ["zsh", "tcsh", "fish"])
def test_other_shells_have_a_script_too(shell, capsys):
    assert command_line.main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert "billiard_break" in out
    assert "resume" in out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=out, text=True, check=True)


def test_run_writes_the_result_and_does_not_replace_it(recorded, capsys):
    result = ns.load(recorded)
    assert result.status.ok
    assert [body.name for body in result.model.bodies] == ["cue", "object"]
    assert result.t[-1] == pytest.approx(0.02)
    capsys.readouterr()
    assert command_line.main(["run", "throw_angle.toml", "-o", recorded]) == 2
    assert capsys.readouterr().err == "nsgalpha run: out.h5 exists; --overwrite replaces it\n"
    assert (
        command_line.main(["run", "throw_angle.toml", "-o", recorded, "--t-end", "0.01", "--overwrite"]) == 0
    )
    assert ns.load(recorded).t[-1] == pytest.approx(0.01)


def test_resume_goes_on_as_if_nothing_had_happened(recorded, capsys):
    assert command_line.main(["resume", recorded, "--t-end", "0.04"]) == 0
    assert "finished at t = 0.04 s" in capsys.readouterr().out
    assert command_line.main(["run", "throw_angle.toml", "-o", "whole.h5", "--t-end", "0.04"]) == 0
    ours, whole = ns.load(recorded), ns.load("whole.h5")
    assert np.array_equal(ours.velocity[-1], whole.velocity[-1])
    assert command_line.main(["resume", recorded, "--t-end", "0.04"]) == 2
    assert "t_end = 0.04: must be finite and after the last recorded state" in capsys.readouterr().err


def test_info_says_what_is_in_a_file(recorded, capsys):
    capsys.readouterr()
    assert command_line.main(["info", recorded]) == 0
    text = capsys.readouterr().out
    for words in (
        "2 bodies (2 spheres, 0.34 kg)",
        "SphereSphere, SpherePlane",
        "rho_inf = 0.8",
        "h = 0.0001",
    ):
        assert words in text
    assert command_line.main(["info", recorded, "--json"]) == 0
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


@pytest.mark.parametrize("status", [None, "interrupted by KeyboardInterrupt at t = 1 s after 2 steps"])
def test_info_of_a_sound_file_of_an_unfinished_run_has_exit_code_0(recorded, tmp_path, capsys, status):
    path = tmp_path / "cut.h5"
    shutil.copy(recorded, path)
    with h5py.File(path, "r+") as file:
        if status is None:
            del file.attrs["status"]
        else:
            file.attrs["status"] = json.dumps(
                json.loads(file.attrs["status"]) | {"ok": False, "message": status}
            )
    capsys.readouterr()
    assert command_line.main(["info", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["status"]
    assert found["unfinished"]
    assert not found["ok"]
    assert found["message"].startswith(status or "not finished")


def test_a_failing_run_has_exit_code_1(tmp_path, capsys):
    (tmp_path / "met.toml").write_text(  # it flies through the point to which its spring goes
        '[[bodies]]\ntype = "point"\nname = "a"\nmass = 1\nposition = [1, 0, 0]\nvelocity = [-1, 0, 0]\n'
        '[[loads]]\ntype = "SpringToPoint"\nbodies = "a"\npoint = [0, 0, 0]\nstiffness = 1e-30\nlength = 1\n'
        "[run]\nt_end = 2\nh = 0.5\n"
    )
    assert command_line.main(["run", "met.toml", "-o", "met.h5"]) == 1
    assert "a velocity, position or rotation is not finite" in capsys.readouterr().out
    assert command_line.main(["info", "met.h5"]) == 1


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
    assert command_line.main(arguments) == 2
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
        command_line.main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_every_problem_of_a_case_has_its_line(tmp_path, capsys):
    command_line.main(["new", "break.toml"])
    case = tmp_path / "break.toml"
    case.write_text(case.read_text().replace("rows = 5", "rows = 5.5").replace("h = 1e-3", "h = nan"))
    assert command_line.main(["run", "break.toml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("nsgalpha run: break.toml, line 15, bodies[1].rows: 5.5: must be an integer")


def test_the_schema_goes_to_the_terminal_or_a_file(tmp_path, capsys):
    assert command_line.main(["schema"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert command_line.main(["schema", "-o", "case.schema.json"]) == 0
    assert json.loads((tmp_path / "case.schema.json").read_text()) == printed
    assert "#:schema case.schema.json" in capsys.readouterr().out


def test_a_report_is_one_page_that_needs_nothing_else(recorded, tmp_path, capsys):
    assert command_line.main(["report", recorded, "-o", "page"]) == 0
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
    assert command_line.main(["run", "shaken.toml", "-o", "whole.h5"]) == 0
    assert command_line.main(["run", "shaken.toml", "-o", "parts.h5", "--t-end", "0.03"]) == 0
    assert command_line.main(["resume", "parts.h5", "--t-end", "0.08"]) == 0
    whole, parts = ns.load("whole.h5"), ns.load("parts.h5")
    assert np.array_equal(whole.t, parts.t)
    assert np.array_equal(whole.velocity[:], parts.velocity[:])


def test_the_command_line_is_found_without_what_validation_needs():
    modules = "nsgalpha.case.case_commands, nsgalpha.case.result_commands, elements.catalogue"
    code = f"import sys, {modules}; print({{'pydantic', 'matplotlib'}} & {{*sys.modules}})"
    assert run_python("-c", code).stdout == "set()\n"


def test_fish_completes_options_files_and_cases(capsys):
    assert command_line.main(["completion", "fish"]) == 0
    lines = capsys.readouterr().out.splitlines()
    run = [line.partition("from run' ")[2] for line in lines if "from run' " in line]
    assert any(line.startswith("-a '") and " break " in line and ".toml)" in line for line in run)
    assert "-s o -l output -r -F -d 'result file; else in memory'" in run
    assert any(line.startswith("-l t-end -r -d ") and r"case\'s" in line for line in run)
    assert "-l quiet -d 'no progress bar'" in run
    assert any("__fish_use_subcommand -a resume -d " in line for line in lines)
    assert any("from verify' -a '" in line and "throw_angle" in line for line in lines)


def test_help_of_bench_is_the_same_in_every_run():
    texts = {
        run_python("-m", "nsgalpha", "bench", "--help", environment={"PYTHONHASHSEED": seed}).stdout
        for seed in "123"
    }
    assert len(texts) == 1
    assert "all but distances, heaps, piles, solids, threads" in " ".join(texts.pop().split())
