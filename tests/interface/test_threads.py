"""Linear algebra has one thread in a run, and as many as before after it."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import nsgalpha as ns
from nsgalpha.linalg import single_thread
from tests.fresh_python import run_python


def counts():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.fixture
def two(monkeypatch):
    """Two threads, which no variable asks for."""
    for name in single_thread.STATED:
        monkeypatch.delenv(name, raising=False)
    with threadpool_limits(2, user_api="blas"):
        yield


def seen(fail=False):
    """The numbers of threads during a run."""
    found = []

    def load(t, state):
        found.append(counts())
        if fail:
            raise ZeroDivisionError
        return np.zeros((1, 3))

    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    model.add_load(load)
    ns.simulate(model, t_end=2e-3, h=1e-3)
    return found


def test_a_run_has_one_thread(two):
    assert counts() == {2}
    found = seen()
    assert found
    assert all(each == {1} for each in found), found
    assert counts() == {2}


def test_a_run_that_fails_gives_them_back(two):
    with pytest.raises(ZeroDivisionError):
        seen(fail=True)
    assert counts() == {2}


def test_the_last_of_several_runs_gives_them_back(two):
    first, second = single_thread.one_thread(), single_thread.one_thread()
    with first:
        second.__enter__()
    assert counts() == {1}
    single_thread.loaded()
    assert counts() == {1}
    second.__exit__(None, None, None)
    assert counts() == {2}


@pytest.mark.parametrize("name", single_thread.STATED)
def test_a_number_that_the_environment_states_is_kept(two, monkeypatch, name):
    monkeypatch.setenv(name, "2")
    assert all(each == {2} for each in seen())


def test_a_library_that_an_import_has_loaded_between_two_runs_has_one_thread(two):
    """The second run of a process that has imported SciPy's linear algebra after the first."""
    script = """
import sys
from threadpoolctl import threadpool_info
import subprocess

import numpy as np
from nsgalpha.linalg.single_thread import one_thread

def libraries():
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

with one_thread():
    assert "scipy.linalg" not in sys.modules
    before = libraries()
import scipy.linalg
with one_thread():
    print(len(libraries()) - len(before), set(libraries()))
"""
    assert run_python("-c", script).stdout.split() == ["1", "{1}"]
