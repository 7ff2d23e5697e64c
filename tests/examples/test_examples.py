"""Examples: the numbers that they state come out, figures are drawn, scripts run."""

import subprocess
import sys
from pathlib import Path

import pytest

from nsgalpha.show.figure_style import png
from tests.verification.samples import MAIN, patched
from verification.example import example_names, load_example

ROOT = Path(__file__).resolve().parents[2]


#: Examples of which no part says anything.
LONG = (
    "card_house",
    "chute",
    "cradle",
    "galton_board",
    "gripper",
    "hard_and_soft",
    "hopper",
    "mesh_on_plane",
)
LONG += ("pile", "ten_pins", "vibrating_table")
RUNS = [
    pytest.param(name, MAIN.get(f"examples.{name}", {}), id=name, marks=[pytest.mark.long] * (name in LONG))
    for name in example_names()
]
RUNS += [
    pytest.param(name, {}, id=f"{name}, long", marks=pytest.mark.long)
    for name in example_names()
    if f"examples.{name}" in MAIN
]


@pytest.mark.parametrize(("name", "values"), RUNS)
def test_numbers_come_out_and_the_figure_is_drawn(name, values, monkeypatch):
    example = load_example(name)
    patched(monkeypatch, f"examples.{name}", values)
    result = example.run()
    failed = [(r.quantity, r.reference, r.ours) for r in example.check(result) if not r.passed]
    assert not failed
    assert len(png(example.figure(result))) > 20_000


@pytest.mark.parametrize("name", example_names())
def test_a_page_can_be_made_of_it(name):
    lines = load_example(name).__doc__.strip().splitlines()
    assert lines[1] == ""
    assert not lines[0].endswith(".")
    assert "To look at:" in load_example(name).__doc__


def test_there_are_ten_at_least():
    assert len(example_names()) >= 10


def test_an_example_is_a_script(tmp_path):
    command = [sys.executable, "-m", "verification.examples.throw_map"]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    assert "largest throw" in done.stdout
    assert "FAILED" not in done.stdout
    assert (tmp_path / "throw_map.png").stat().st_size > 20_000
