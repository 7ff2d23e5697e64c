"""Examples: the numbers that they state come out, figures are drawn, scripts run."""

import subprocess
import sys
from pathlib import Path

import pytest

from nsgalpha.show.figure_style import png
from verification.example import example_names, load_example

ROOT = Path(__file__).resolve().parents[2]


#: Examples that take longer than others, most with variants in test_example_physics.py.
LONG = ("card_house", "chute", "cradle", "domino_tiles", "drum", "galton_board", "gripper", "gripper_arm")
LONG += ("hard_and_soft", "hopper", "mesh_on_plane", "pile", "ten_pins", "vibrating_table")
RUNS = [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in example_names()]


@pytest.mark.parametrize("name", RUNS)
def test_numbers_come_out_and_the_figure_is_drawn(name):
    example = load_example(name)
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
