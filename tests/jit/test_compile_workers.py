"""Kernels compile in separate processes; a run survives any fate of these."""

import sys

import pytest
from kernel_scripts import write_modules

from nsgalpha.jit import compile_workers
from tests.fresh_python import run_python

KERNELS = """
@kernel
def square(x):
    return x * x

@kernel
def cube(x):
    return x * square(x)

@kernel
def fifth(x):
    return cube(x) * square(x)

@kernel
def total(x):
    return fifth(x) + cube(x) + square(x)
"""
SCRIPT = """
import os
import sys

from nsgalpha.jit import compile_workers, symbol_linking
from kernels import cube, fifth, square, total

symbol_linking.SMALL = 12
compile_workers.BATCH, compile_workers.BRIEF = 1, 0
compile_workers._processors = lambda: 2
begun, fork, be_alone = [], getattr(os, "fork", None), compile_workers._be_alone

def note():
    begun.append(fork())
    return begun[-1]

os.fork = note
{change}
print(total(2.0), cube(2.0))
hits = [sum(each.inner.stats.cache_hits.values()) for each in (total, fifth, cube)]
print(len(begun), *hits)
"""
DIES = """
def die():
    be_alone()
    os._exit(1)

compile_workers._be_alone = die
"""
FAILS = """
def fail():
    raise RuntimeError

compile_workers._be_alone = fail
"""
HANGS = """
import time

def hang():
    be_alone()
    time.sleep(1e3)

compile_workers._be_alone, compile_workers.LONGEST = hang, 0.5
"""
NONE = """
def none():
    raise OSError

os.fork = none
"""
ALONE = "compile_workers._processors = lambda: 1"

FORKS = sys.platform == "linux"  # elsewhere all is compiled at once


def run(tmp_path, change=""):
    """Results, and (processes, kernels found on disk: the entry, its callees, their callees)."""
    folder = tmp_path / "kernels"
    if not folder.exists():  # files that are written again, or stand beside it, change a kernel
        folder.mkdir()
        write_modules(folder, kernels=KERNELS)
    (tmp_path / "script.py").write_text(SCRIPT.format(change=change))
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = run_python("script.py", folder=tmp_path, path=[folder], environment=cache)
    results, counts = done.stdout.splitlines()
    assert done.stderr == ""
    return results, tuple(map(int, counts.split()))


def test_kernels_are_written_aside_and_found_on_disk(tmp_path):
    assert run(tmp_path) == ("44.0 8.0", (3, 1, 1, 1) if FORKS else (0, 0, 0, 0))
    assert run(tmp_path) == ("44.0 8.0", (0, 1, 1, 1))


@pytest.mark.parametrize("change", [DIES, FAILS, HANGS])
@pytest.mark.sampled(3)
def test_what_a_process_has_not_kept_is_compiled_here(tmp_path, change):
    results, counts = run(tmp_path, change)
    assert results == "44.0 8.0"
    assert (counts[0] > 0) is FORKS
    assert counts[1:] == (0, 0, 0)
    assert run(tmp_path) == ("44.0 8.0", (0, 1, 1, 1))


@pytest.mark.parametrize("change", [NONE, ALONE])
@pytest.mark.sampled(2)
def test_without_processes_all_is_compiled_here(tmp_path, change):
    assert run(tmp_path, change) == ("44.0 8.0", (0, 0, 0, 0))
    assert run(tmp_path) == ("44.0 8.0", (0, 1, 1, 1))


def test_a_process_of_a_pool_has_none_aside(tmp_path):
    script = (
        "import multiprocessing\n"
        "from nsgalpha.jit import compile_workers\n"
        "compile_workers._processors = lambda: 2\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(compile_workers.may_begin(), pool.apply(compile_workers.may_begin))\n"
    )
    (tmp_path / "script.py").write_text(script)
    assert run_python("script.py", folder=tmp_path).stdout.split() == [str(FORKS), "False"]


def test_one_processor_has_none_aside(monkeypatch):
    monkeypatch.setattr(compile_workers, "_processors", lambda: 1)
    assert not compile_workers.may_begin()


def test_processes_that_have_ended_are_not_killed(monkeypatch):
    """Their numbers may be those of others; the other one is ended."""
    killed = []
    ended, other = compile_workers.Process(1), compile_workers.Process(2)
    ended._ended = True
    monkeypatch.setattr(other, "has_ended", lambda: False)
    monkeypatch.setattr(compile_workers, "_running", [ended, other])
    monkeypatch.setattr(compile_workers.os, "kill", lambda number, signal: killed.append(number))
    compile_workers._end_all()
    assert killed == [2]
