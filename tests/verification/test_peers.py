"""Other codes beside ours, by interpreters that have them, or have not."""

import sys

import pytest

from verification.benchmarks import peers
from verification.benchmarks.box import RADIUS, build
from verification.benchmarks.peers import ask, balls_of


@pytest.fixture
def named(monkeypatch):
    """The interpreters that the environment names."""

    def name(*interpreters):
        monkeypatch.setenv(peers.VARIABLE, ":".join(interpreters))

    return name


def test_a_code_that_no_interpreter_has_is_no_answer_but_its_reason(named, tmp_path):
    named(str(tmp_path / "python"), sys.executable)
    found = ask("nobody", "balls", {})
    assert isinstance(found, str)
    absent, without = found.split("; ")
    assert absent == f"{tmp_path / 'python'}: No such file or directory"
    assert without == "ModuleNotFoundError: No module named 'nobody_peer'"


def test_a_code_that_does_not_answer_is_not_waited_for(named, tmp_path, monkeypatch):
    sleeper = tmp_path / "python"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n")
    sleeper.chmod(0o755)
    named(str(sleeper))
    monkeypatch.setattr(peers, "PATIENCE", 0.2)
    assert ask("lammps", "balls", {}) == f"{sleeper}: no answer within 0.2 s"


def test_the_answer_of_an_interpreter_is_read(named, tmp_path):
    text = "#!/bin/sh\nexec " + sys.executable + " " + str(tmp_path / "answers.py") + ' "$@"\n'
    (tmp_path / "python").write_text(text)
    (tmp_path / "python").chmod(0o755)
    (tmp_path / "answers.py").write_text(
        "import json, sys\n"
        "_, script, code, kind, scene, answer = sys.argv\n"
        "given = json.load(open(scene))\n"
        "json.dump({'code': code, 'kind': kind, 'count': len(given['mass'])}, open(answer, 'w'))\n"
    )
    named(str(tmp_path / "python"))
    scene = balls_of(build(2), 9.81, h=1e-5)
    assert ask("lammps", "balls", scene) == {"code": "lammps", "kind": "balls", "count": 8}
    assert scene["radius"] == [RADIUS] * 8
    assert scene["h"] == 1e-5
    assert scene["planes"][0][0] == [0.0, 0.0, 1.0]
