"""Models of docs/coming-from.md: both codes have the same numbers.

Scripts of other codes run where these are installed.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from page_blocks import blocks

from verification.benchmarks.peers import interpreters

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming-from.md"
SECTIONS = {each.partition("\n")[0]: each for each in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]}
MODULES = {"MuJoCo": "mujoco", "Exudyn": "exudyn", "Siconos": "siconos.kernel", "pooltool": "pooltool"}
SHOWN = [*MODULES, "Yade"]
CLOSE = 1e-3, 2e-5  # relative and absolute: the steps of both codes


def script(name):
    """The block of another code."""
    (found,) = blocks(SECTIONS[name], "py")
    return found


def numbers(text):
    return [float(each) for each in re.findall(r"-?\d+\.\d+", text)]


def command(name):
    """Arguments that run a script of a code. Skips the test without the code."""
    if name == "Yade":
        if shutil.which("yade") is None:
            pytest.skip("needs the program yade")
        return ["yade", "-n", "-x"]
    test = f"import {MODULES[name]}"
    for python in interpreters():
        if subprocess.run([python, "-c", test], capture_output=True, check=False).returncode == 0:
            return [python]
    pytest.skip(f"needs an interpreter in NSGALPHA_PEERS with {MODULES[name]}")


def test_every_code_has_a_section_with_words_and_a_model():
    assert sorted(SECTIONS) == sorted([*SHOWN, "Chrono"])
    assert script("Chrono").shown is None  # it was not run
    for name, text in SECTIONS.items():
        assert f"| {name} | nsgalpha |" in text
        assert len(blocks(text)) == 1


@pytest.mark.parametrize("name", SHOWN)
def test_both_codes_have_the_same_numbers(name):
    (ours,) = blocks(SECTIONS[name])
    relative, absolute = CLOSE
    found = numbers(script(name).shown)
    assert len(found) > 1
    assert found == pytest.approx(numbers(ours.shown), rel=relative, abs=absolute)


@pytest.mark.parametrize("name", SHOWN)
def test_scripts_of_other_codes_print_what_is_shown(name, tmp_path):
    (tmp_path / "model.py").write_text(script(name).source, encoding="utf-8")
    called = [*command(name), "model.py"]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    shown = script(name).shown.splitlines()
    assert done.stdout.strip().splitlines()[-len(shown) :] == shown
