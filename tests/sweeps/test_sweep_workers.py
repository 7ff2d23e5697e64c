"""Processes, those that die, those that are not wanted any more; executors."""

import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from swept import dies, interval, logged, product, third_fails, threads
from swept_models import bounce, last_speed

import nsgalpha as ns
from tests.fresh_python import begin_python, run_python

HERE = Path(__file__).parent
SLOW = """
import sys
sys.path.insert(0, {here!r})
import nsgalpha as ns
from swept import slow
if __name__ == "__main__":
    table = ns.sweep(slow, [dict(a=a, folder={folder!r}) for a in range(20)], workers=2, file={file!r})
    print(table.status)
"""


def points(n, **more):
    return [{"a": a, **more} for a in range(n)]


def script(tmp_path):
    """A sweep of 20 points of 0.2 s, its log and its file."""
    text = SLOW.format(here=str(HERE), folder=str(tmp_path), file=str(tmp_path / "sweep.jsonl"))
    (tmp_path / "script.py").write_text(text)
    return begin_python(tmp_path / "script.py", start_new_session=True)


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def lines(file):
    return file.read_text().splitlines() if file.exists() else []


def gone(pid):
    """Whether a process has ended (or only waits for its parent to notice)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_processes_find_what_this_process_finds_and_have_one_thread():
    table = ns.sweep(bounce, {"force": np.linspace(0.0, 1.0, 6)}, reduce=last_speed, workers=2)
    assert table.done.all()
    assert table.same(ns.sweep(bounce, {"force": np.linspace(0.0, 1.0, 6)}, reduce=last_speed, workers=1))
    found = ns.sweep(threads, points(8), workers=2)
    assert set(found["blas"]) == {1}
    assert os.getpid() not in found["pid"]


@pytest.mark.parametrize(("times", "tries"), [(1, 2), pytest.param(2, 3, marks=pytest.mark.long)])
def test_the_point_of_a_killed_process_is_begun_again(tmp_path, times, tries):
    table = ns.sweep(dies, points(8, folder=str(tmp_path), times=times), workers=2)
    assert table.done.all()
    assert table["value"].tolist() == [a * 0.1 for a in range(8)]
    assert table.tries.tolist() == [1, 1, 1, tries, 1, 1, 1, 1]


def test_a_point_that_kills_every_process_is_lost_and_no_other_is(tmp_path):
    table = ns.sweep(dies, points(8, folder=str(tmp_path), times=9), workers=2, retries=1)
    assert table.outcome.tolist() == ["lost" if a == 3 else "done" for a in range(8)]
    assert table.tries.tolist() == [2 if a == 3 else 1 for a in range(8)]
    assert "no worker brought it to an end" in table.message[3]


def test_a_sweep_that_is_killed_leaves_no_process_and_goes_on(tmp_path):
    file = tmp_path / "sweep.jsonl"
    process = script(tmp_path)
    wait_for(lambda: len(lines(file)) > 4)
    process.kill()
    process.communicate()
    workers = set(lines(tmp_path / "log"))
    wait_for(lambda: all(map(gone, workers)), 10.0)
    kept = len(lines(file)) - 1
    assert 4 <= kept < 20
    begun = len(lines(tmp_path / "log"))
    out, errors = script(tmp_path).communicate(timeout=100)
    assert out.strip() == "20 points: 20 done", errors
    assert len(lines(tmp_path / "log")) - begun == 20 - kept
    assert len(lines(file)) == 21


def test_ctrl_c_ends_the_sweep_at_once_with_what_is_done(tmp_path):
    file = tmp_path / "sweep.jsonl"
    process = script(tmp_path)
    wait_for(lambda: len(lines(file)) > 4)
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=20)
    kept = len(lines(file)) - 1
    assert out.strip() == f"20 points: {kept} done, {20 - kept} not run"
    assert not errors
    assert all(map(gone, set(lines(tmp_path / "log"))))


def test_a_script_that_is_no_guarded_main_is_told_so(tmp_path):
    text = "import nsgalpha as ns\ndef f(a):\n    return a\nns.sweep(f, {'a': [1, 2]}, workers=2)\n"
    (tmp_path / "script.py").write_text(text)
    done = run_python(tmp_path / "script.py", code=1, timeout=100)
    assert "below `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]


def test_functions_that_processes_cannot_import_are_refused():
    with pytest.raises(ValueError, match="a function that worker processes can import; define it in"):
        ns.sweep(lambda a: a, points(2), workers=2)


@pytest.mark.parametrize(
    ("build", "more"), [(partial(product, b=3.0), {}), (third_fails, {}), (dies, {"times": 0})]
)
def test_an_executor_finds_the_same(build, more, tmp_path):
    cases = points(5, **more, **({"folder": str(tmp_path)} if more else {}))
    here = ns.sweep(build, cases, workers=1)
    with ThreadPoolExecutor(2) as executor:
        assert ns.sweep(build, cases, executor=executor).same(here)


def test_threads_take_functions_of_any_kind():
    with ThreadPoolExecutor(2) as executor:
        assert ns.sweep(lambda a: a + 1, points(3), executor=executor)["value"].tolist() == [1, 2, 3]


def test_the_first_point_runs_alone():
    with ThreadPoolExecutor(3) as executor:
        table = ns.sweep(interval, points(7), executor=executor)
    assert table["begin"][1:].min() >= table["end"][0]
    assert np.any(table["begin"][2:] < table["end"][1:-1])  # the others do not


def test_a_pool_of_the_user_that_breaks_loses_its_points_and_says_so(tmp_path):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        table = ns.sweep(dies, points(6, folder=str(tmp_path), times=1), executor=executor)
    assert set(table.outcome[3:]) == {"lost"}
    assert table.outcome[0] == "done"
    assert "BrokenProcessPool" in table.message[3]


def test_one_point_more_than_on_file_needs_one_process(tmp_path):
    file = tmp_path / "sweep.jsonl"
    ns.sweep(logged, points(5, folder=str(tmp_path)), workers=2, file=file)
    table = ns.sweep(logged, points(6, folder=str(tmp_path)), workers=2, file=file)
    assert table.done.all()
    assert sorted(lines(tmp_path / "log")) == list("012345")
