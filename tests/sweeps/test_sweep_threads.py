"""Points in threads of one process: same bits, errors of points, Ctrl-C, files."""

import os
import signal
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from swept import fails_once, leaves, product, stops, third_fails, thread_name
from swept_models import bounce, collide, last_speed, swing
from test_sweep_workers import lines, points, wait_for

import nsgalpha as ns
from nsgalpha.schemes.generalized_alpha.compiled_loop import advance
from tests.fresh_python import begin_python

HERE = Path(__file__).parent
ENDLESS = """
import sys
sys.path.insert(0, {here!r})
import nsgalpha as ns
from swept_models import endless_from_four
if __name__ == "__main__":
    table = ns.sweep(endless_from_four, {{"a": range(9), "folder": [{folder!r}]}}, threads=2, file={file!r})
    print(table.status)
"""


@pytest.mark.parametrize(
    ("build", "parameters", "reduce"),
    [
        (bounce, {"force": [0.0, 0.5, np.nan, 1.0, 1.5, np.nan]}, last_speed),
        (collide, {"speed": [1.0, 2.0, -3.0, 3.0, 4.0]}, None),
        (swing, {"length": [0.5, 0.7, 0.9, 1.1]}, None),
        (third_fails, {"a": range(7)}, None),
        (leaves, {"a": range(4)}, None),
        (partial(product, b=3.0), {"a": range(5)}, None),
    ],
    ids=["Python loads and early ends", "contacts and errors", "joints", "errors", "exits", "a partial"],
)
def test_any_number_of_threads_finds_the_same_to_the_bit(build, parameters, reduce):
    here = ns.sweep(build, parameters, reduce=reduce, workers=1)
    for threads in (2, 3):
        assert ns.sweep(build, parameters, reduce=reduce, threads=threads).same(here)


def test_the_first_point_runs_in_this_thread_and_the_others_in_threads():
    table = ns.sweep(thread_name, points(5), threads=2)
    assert table["value"][0] == "MainThread"
    assert "MainThread" not in table["value"][1:]


def test_compiled_steps_leave_the_interpreter_to_other_threads():
    assert advance.targetoptions["nogil"]


def test_a_file_is_continued_with_any_number_of_threads(tmp_path):
    file, cases = tmp_path / "sweep.jsonl", points(5, folder=str(tmp_path))
    first = ns.sweep(fails_once, cases, threads=2, file=file)
    assert first.outcome.tolist() == ["done", "done", "failed", "done", "done"]
    again = ns.sweep(fails_once, cases, threads=3, file=file)
    assert again.done.all()
    assert sorted(lines(tmp_path / "log")) == list("012234")


def test_ctrl_c_ends_runs_in_threads_after_their_steps(tmp_path):
    file, log = tmp_path / "sweep.jsonl", tmp_path / "log"
    text = ENDLESS.format(here=str(HERE), folder=str(tmp_path), file=str(file))
    (tmp_path / "script.py").write_text(text)
    process = begin_python(tmp_path / "script.py", start_new_session=True)
    wait_for(lambda: len(lines(log)) == 6 and len(lines(file)) == 5)
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert out.strip() == "9 points: 4 done, 5 not run"
    assert "Error" not in errors
    assert len(lines(file)) == 5


def test_ctrl_c_in_a_thread_ends_the_sweep():
    table = ns.sweep(stops, points(9), threads=2)
    assert table.outcome[0] == "done"
    assert table.outcome[3] == "not run"


@pytest.mark.parametrize("more", [{"workers": 2}, {"executor": None, "workers": 3}])
def test_threads_of_this_process_replace_others(more):
    with pytest.raises(ValueError, match="threads = 2: must be 1 where executor or several workers"):
        ns.sweep(product, points(2), threads=2, **more)
    with pytest.raises(ValueError, match="threads = 0: must be"):
        ns.sweep(product, points(2), threads=0)
