"""Commands, and foreign inputs: control sequences, interrupts, full disks, broken packages."""

import argparse
import os
import signal
import sys
import time
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from nsgalpha.case import case_commands, case_schema, file_summary, plugin_catalogue
from nsgalpha.case.plugin_catalogue import Catalogue
from nsgalpha.commands import command_line, plugin_entries, program
from nsgalpha.io.result_reader import load
from nsgalpha.shown_text import has_controls, printable, shortened
from tests.fresh_python import begin_python, run_python

HOSTILE = "\x1b[2J\x1b]0;title\x07\r\n\x9b1m\u202efdp\ud800"
VISIBLE = r"\x1b[2J\x1b]0;title\x07\r\n\x9b1m\u202efdp\ud800"
NAMES = sorted({point.name for point in entry_points(group=command_line.GROUP)})


def test_what_a_terminal_obeys_becomes_visible():
    assert printable(HOSTILE) == VISIBLE
    assert printable("Größe 5 µm, 球") == "Größe 5 µm, 球"
    assert has_controls("a\x7f")
    assert has_controls("a\u2028")
    assert not has_controls("a\u202f\u200d")  # narrow blank and joiner, which texts need
    assert shortened("x" * 61) == "x" * 57 + "..."


def test_say_keeps_what_it_prints_in_its_lines(capsys):
    command_line.say("one", HOSTILE)
    assert capsys.readouterr().out == f"one\n{VISIBLE}\n"


def test_a_terminal_without_the_characters_gets_escapes():
    code = "from nsgalpha.commands.command_line import say; say('µ \\x1b')"
    assert run_python("-c", code, environment={"PYTHONIOENCODING": "ascii"}).stdout == "\\xb5 \\x1b\n"


def test_a_result_cannot_speak_to_the_terminal(capsys, monkeypatch):
    words = [("status", HOSTILE), ("model", f"{HOSTILE} bodies")]
    found = {"status": {"ok": True, "message": f"{HOSTILE}\x7f"}, "file": {"damage": []}}
    monkeypatch.setattr(file_summary, "file_summary", lambda path: found)
    monkeypatch.setattr(file_summary, "in_words", lambda found: words)
    assert command_line.main(["info", "a.h5"]) == 0
    assert capsys.readouterr().out == f"{'status':12s} {VISIBLE}\n{'model':12s} {VISIBLE} bodies\n"
    assert command_line.main(["info", "a.h5", "--json"]) == 0
    out = capsys.readouterr().out
    assert out.replace("\n", "").isprintable()
    assert out.isascii()


def test_json_knows_no_nan():
    assert (
        command_line.as_json({"a": [float("nan"), (1.0, float("inf"))]}, indent=None)
        == '{"a": [null, [1.0, null]]}\n'
    )


@pytest.mark.parametrize(
    "arguments",
    [["run", f"{HOSTILE[:-1]}.toml"], ["info", f"{HOSTILE[:-1]}.h5"], ["new", "a.toml", "--like", HOSTILE]],
)
def test_an_error_cannot_speak_to_the_terminal(arguments, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command_line.main(arguments) == 2
    err = capsys.readouterr().err
    assert err.replace("\n", "").isprintable()
    assert r"\x1b[2J" in err


def test_neither_can_an_unknown_option(capsys):
    with pytest.raises(SystemExit):
        command_line.main(["run", "a.toml", "--limit", HOSTILE])
    assert capsys.readouterr().err.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("text", "words"), [("bodies", "NAME=NUMBER"), ("bodies=0", ">= 1"), ("b=1", "bodies")]
)
def test_a_limit_is_a_name_and_a_number(text, words, capsys):
    with pytest.raises(SystemExit):
        command_line.main(["run", "a.toml", "--limit", text])
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


def test_limits_are_raised_one_by_one(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(
        '[[bodies]]\ntype = "column"\ncount = 20\nradius = 1\nmass = 1\n[run]\nt_end = 0.1\nh = 0.1\n'
    )
    assert command_line.main(["run", "a.toml", "--limit", "bodies=10"]) == 2
    assert "20 bodies in the whole case: must be at most 10" in capsys.readouterr().err
    assert command_line.main(["run", "a.toml", "--limit", "bodies=20", "--limit", "depth=5", "--quiet"]) == 0


@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c_ends_every_command_with_one_line(name, capsys, monkeypatch):
    found = command_line.commands()

    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(found[name], "run", interrupted)
    monkeypatch.setattr(command_line, "commands", lambda: found)
    needed = {
        "run": ["a"],
        "info": ["a"],
        "resume": ["a", "--t-end", "1"],
        "report": ["a", "-o", "."],
        "solve": ["a"],
        "mesh": ["a"],
        "completion": ["bash"],
    }
    assert command_line.main([name, *needed.get(name, [])]) == 130
    assert capsys.readouterr().err == f"nsgalpha {name}: interrupted\n"


def test_ctrl_c_before_there_is_a_command(capsys, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "commands", interrupted)
    assert command_line.main(["run", "a"]) == 130
    assert capsys.readouterr().err == "nsgalpha: interrupted\n"


def test_ctrl_c_while_the_command_line_is_imported(capfd, monkeypatch):
    monkeypatch.delitem(sys.modules, "nsgalpha.commands.command_line")
    monkeypatch.delattr("nsgalpha.commands.command_line", raising=False)

    class Interrupt:
        def find_spec(self, name, path, target=None):
            if name == "nsgalpha.commands.command_line":
                raise KeyboardInterrupt

    monkeypatch.setattr(sys, "meta_path", [Interrupt(), *sys.meta_path])
    assert program.main() == 130
    assert capfd.readouterr().err == "nsgalpha: interrupted\n"


@pytest.mark.skipif(sys.platform != "linux", reason="looks at what is imported in /proc")
def test_ctrl_c_while_the_compiler_is_imported(tmp_path):
    arguments = ["run", "cradle", "--t-end", "0.01", "--h", "1e-9"]
    run = begin_python("-m", "nsgalpha.commands.program", *arguments, folder=tmp_path)
    while "llvmlite" not in Path(f"/proc/{run.pid}/maps").read_text():
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=100)
    assert run.returncode == 130
    assert err == "nsgalpha run: interrupted\n"


def test_ctrl_c_in_a_run(tmp_path):
    arguments = ["run", "cradle", "--t-end", "1e6", "--h", "1e-6", "-o", "run.h5", "--quiet"]
    run = begin_python("-m", "nsgalpha.commands.command_line", *arguments, folder=tmp_path)
    assert "bodies" in run.stdout.readline()
    while not (tmp_path / "run.h5").exists():
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=200)  # where nothing is compiled it ends when a kernel is
    assert run.returncode == 130
    assert err.splitlines()[-1].startswith("nsgalpha run: interrupted by KeyboardInterrupt at t = ")
    assert "Traceback" not in err
    result = load(tmp_path / "run.h5")
    holds = f"; run.h5 holds {len(result.t)} states up to t = {result.t[-1]:g} s, and goes on by: "
    assert err.endswith(f"{holds}nsgalpha resume run.h5 --t-end 1e+06\n")


@pytest.mark.parametrize("arguments", [["schema"], ["cases", "--json"], ["cases"], ["--help"]])
@pytest.mark.sampled(2)
def test_a_reader_that_has_had_enough_is_no_trouble(arguments):
    with begin_python("-m", "nsgalpha.commands.command_line", *arguments) as run:
        run.stdout.close()
        assert run.stderr.read() == ""
    assert run.returncode == command_line.NO_READER


@pytest.mark.parametrize("closed", ["sys.stdout", "sys.stderr"])
def test_nothing_is_said_where_nobody_listens(closed):
    use = "from nsgalpha.commands.command_line import main; sys.exit(main(['run', 'brek']))"
    code = f"import sys; {closed} = None; {use}"
    assert "Traceback" not in run_python("-c", code, code=2).stderr


def test_too_little_memory_is_told_in_one_line(capsys):
    def do():
        raise MemoryError

    assert command_line.run_reporting("nsgalpha run", do) == 2
    assert capsys.readouterr().err == "nsgalpha run: not enough memory\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["schema", "-o", "/dev/full"],
        ["new", "--overwrite", "/dev/full", "--like", "break"],
        ["bench", "none", "--json", "/dev/full"],
        ["schema", "-o", "/proc/none.json"],
    ],
)
def test_what_cannot_be_written_is_told_in_one_line(arguments, capsys, monkeypatch):
    from verification.benchmarks import MODULES, hard

    def bench_none():
        """Nothing."""
        return [hard.line("nothing", 0.0, "s")]

    monkeypatch.setitem(MODULES, "none", "hard")
    monkeypatch.setattr(hard, "bench_none", bench_none, raising=False)
    assert command_line.main(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"nsgalpha {arguments[0]}: ")
    assert err.count("\n") == 1
    assert "No space" in err or "none.json" in err


BAD = {
    "syntax": "def f(:\n",
    "missing": "import no_such_module\n",
    "ends": "raise SystemExit(3)\n",
    "raises": "raise RuntimeError('\\x1b[2J 100 %')\n",
    "empty": "",
    "number": "THING = 5\n",
    "demanding": "class THING:\n    def __init__(self, x): pass\n",
    "half": "class THING:\n    help = 'h'\n    def add_arguments(self, parser): parser.add_argument()\n",
}


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """As if installed packages had unusable entry points, one with our names."""
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in BAD.items():
        (tmp_path / f"broken_{name}.py").write_text(text)
    (tmp_path / "thief.py").write_text(
        "from nsgalpha.case.case_commands import New as THING\n"
        "from nsgalpha.case.plugin_catalogue import Catalogue\n"
        "from nsgalpha.case.named_loads import Force\n"
        "def odd(thing: object): pass\n"
        "def even(number: float): pass\n"
        "TAKEN, ODD = Catalogue(loads=(Force,)), Catalogue(loads=(odd, even))\n"
    )

    def found(group):
        bad = [EntryPoint(name, f"broken_{name}:THING", group) for name in BAD]
        thing = "TAKEN" if group == plugin_catalogue.GROUP else "THING"
        odd = [EntryPoint("odd", "thief:ODD", group)] if group == plugin_catalogue.GROUP else []
        return [*bad, EntryPoint("run", f"thief:{thing}", group), *odd, *entry_points(group=group)]

    monkeypatch.setattr(plugin_entries, "entry_points", found)
    plugin_catalogue.packages.cache_clear()
    case_schema.schema.cache_clear()
    yield
    plugin_catalogue.packages.cache_clear()
    case_schema.schema.cache_clear()


@pytest.mark.usefixtures("broken")
def test_broken_commands_are_named_and_harm_no_other(capsys):
    found = command_line.commands()
    assert set(found) == {*NAMES, *BAD, "run of ?"}
    assert isinstance(found["run"], case_commands.Run)
    for name in BAD:
        assert command_line.main([name, "--any", "argument"]) == 2
        err = capsys.readouterr().err
        assert err.startswith(
            f"nsgalpha {name}: entry point '{name}' of nsgalpha.commands (?): cannot be used: "
        )
        assert err.count("\n") == 1
        assert err.strip().isprintable()
    assert command_line.main(["new"]) == 0
    with pytest.raises(SystemExit) as end:
        command_line.main(["--help"])
    assert end.value.code == 0
    assert "another package has a command of this" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("broken")
def test_broken_catalogues_are_named_and_left_out():
    with pytest.warns(RuntimeWarning, match=r"entry point '\w+' of nsgalpha.elements") as run_reporting:
        checked = case_schema.schema()
    assert {str(each.message).split("'")[1] for each in run_reporting} == {*BAD, "run"}
    assert all(str(each.message).isprintable() for each in run_reporting)
    assert "loads:Force" in checked.tables.keys
    assert "loads:even" in checked.tables.keys  # of the same package as the one without TOML form
    assert "loads:odd" not in checked.tables.keys
    assert isinstance(plugin_catalogue.installed(), Catalogue)


@pytest.mark.usefixtures("broken")
def test_broken_folders_of_cases_are_named_and_left_out(capsys):
    assert "break" in case_commands.shipped()
    err = capsys.readouterr().err.splitlines()
    assert sorted(line.split("'")[1] for line in err) == sorted([*BAD, "run"])


def test_the_name_of_a_shipped_case_is_a_name(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("../break", "./break", "folder/break", "/break"):
        assert command_line.main(["run", name]) == 2
        assert capsys.readouterr().err == f"nsgalpha run: {name.removeprefix('./')}: there is no such file\n"
        assert command_line.main(["new", "a.toml", "--like", name]) == 2
        assert "is unknown" in capsys.readouterr().err


def test_a_case_that_is_nearly_named_is_found_without_the_solver(tmp_path):
    code = (
        "import sys; before = set(sys.modules); from nsgalpha.commands import command_line; "
        "code = command_line.main(['run', sys.argv[1]]); found = set(sys.modules) - before; "
        "sys.exit('too much' if {'numba', 'pydantic', 'nsgalpha.model.model'} & found else code)"
    )
    for name, words in (
        ("brek", "did you mean 'break'?"),
        ("break.toml", "did you mean the shipped case 'break'?"),
        ("nothing_like_it", "no shipped case; `nsgalpha cases` lists what is shipped"),
    ):
        done = run_python("-c", code, name, folder=tmp_path, code=2)
        assert done.stderr.startswith(f"nsgalpha run: {name}: there is no such file")
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


def test_folders_that_cannot_be_written_to_are_refused_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(argparse.ArgumentTypeError, match="cannot write to the folder"):
        command_line.file(str(tmp_path / "a.png"))
