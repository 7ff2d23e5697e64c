"""Kernels kept on disk: a change in the file of a callee is seen, and no folder to write to is no failure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nsgalpha.jit.source_digest import WITHOUT_KERNELS, sources, sources_of

CALLEE = """
from nsgalpha.jit.decorators import kernel


@kernel
def value(x):
    return {factor} * x
"""
CALLER = """
from callee import value
from nsgalpha.jit.decorators import {decorator}


@{decorator}
def twice(x):
    return 2.0 * value(x)


print(twice(1.0), sum(twice.stats.cache_hits.values()))
"""
FAILING = """
from nsgalpha.jit.decorators import kernel


@kernel
def root(x):
    if x < 0.0:
        raise ValueError("below 0")
    return x**0.5
"""
CATCHING = """
from callee import root
from nsgalpha.jit.decorators import kernel


@kernel
def twice(x):
    return 2.0 * root(x)


print(twice(4.0))
try:
    twice(-4.0)
except ValueError:
    print(-1.0)
print(sum(twice.stats.cache_hits.values()))
"""
SCRIPT = """
from nsgalpha.jit.decorators import kernel


@kernel
def thrice(x):
    return 3.0 * x


@kernel
def sixfold(x):
    return 2.0 * thrice(x)


print(sixfold(1.0))
"""
BOTH_KINDS = """
import numpy as np

from nsgalpha.jit.decorators import kernel


@kernel
def rest(x):
    return x[1:]


@kernel
def first(x):
    return rest(x)[0]


@kernel
def total(n):
    value = 0.0
    for _ in range(n):
        x = np.ones(100)
        for _ in range(3):
            value += rest(x)[0]
        value += x[0]
    return value


print(first(np.arange(3.0)), total(10000))
"""
TWO_TYPES = """
import os

from nsgalpha.jit.decorators import kernel


@kernel
def half(x):
    return 0.5 * x


print(half(2.5 if os.environ["KIND"] == "float" else 2), sum(half.stats.cache_hits.values()))
"""
ON_DISK = """
from nsgalpha.jit.decorators import is_cached, kernel


@kernel
def half(x):
    return 0.5 * x


print(float(is_cached(half)), half(2.0), float(is_cached(half)))
"""
CLOSURES = """
from nsgalpha.jit.decorators import kernel


def times(factor):
    @kernel
    def product(x):
        return factor * x

    return product


double, triple = times(2.0), times(3.0)
print(double(1.0), triple(1.0), float(sum(triple.stats.cache_hits.values())))
"""
FUSED_FIRST = """
from nsgalpha.jit.decorators import kernel


@kernel
def rest(a, c):
    return a * a - c


@kernel
def through(a, c):
    return rest(a, c)


@kernel
def first(a, c):
    return through(a, c)


@kernel
def second(a, c):
    return rest(a, c)


a = 1.0 + 2.0**-30
print(first(a, a * a), second(a, a * a))  # 2^-60 where the square is not rounded
"""
TYPES = """
from typing import NamedTuple


class Pair(NamedTuple):
    a: float
    b: float
"""
TYPED_CALLER = """
from {module} import Pair
from nsgalpha.jit.decorators import kernel


@kernel
def product(pair):
    return pair.a * pair.b


print(product(Pair(2.0, 3.0)), sum(product.stats.cache_hits.values()))
"""


def run(folder: Path, command: str = "import caller", **environment: str) -> list[float]:
    """What `caller` in `folder` prints: its value, and how many kernels came from the cache."""
    paths = os.pathsep.join([str(folder), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", command],
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return [float(word) for word in done.stdout.split()]


@pytest.mark.parametrize("decorator", ["entry", "part"])
def test_change_of_a_callee_in_another_file_is_seen(tmp_path, decorator):
    (tmp_path / "caller.py").write_text(CALLER.format(decorator=decorator))
    (tmp_path / "callee.py").write_text(CALLEE.format(factor=3.0))
    cache = str(tmp_path / "cache")
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [6.0, 0]
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [6.0, 1]
    (tmp_path / "callee.py").write_text(CALLEE.format(factor=5.0))
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [10.0, 0]
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [10.0, 1]


def test_a_kernel_rounds_as_it_says_whoever_is_compiled_before_it(tmp_path):
    (tmp_path / "caller.py").write_text(FUSED_FIRST)
    assert run(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == [0.0, 0.0]


def test_a_callee_that_is_gone_from_the_cache_is_compiled_again(tmp_path):
    """Its caller contains a symbol, and no copy of it."""
    (tmp_path / "caller.py").write_text(CALLER.format(decorator="entry"))
    (tmp_path / "callee.py").write_text(CALLEE.format(factor=3.0))
    cache = tmp_path / "cache"
    assert run(tmp_path, NUMBA_CACHE_DIR=str(cache)) == [6.0, 0]
    (code,) = cache.rglob("caller.twice-*.nbc")
    assert b"nsgalpha_value_" in code.read_bytes()
    for path in cache.rglob("callee.value-*"):
        path.unlink()
    assert run(tmp_path, NUMBA_CACHE_DIR=str(cache)) == [6.0, 1]
    assert [*cache.rglob("callee.value-*.nbc")]


def test_a_script_that_is_run_and_imported_finds_its_kernels(tmp_path):
    (tmp_path / "caller.py").write_text(SCRIPT)
    cache = str(tmp_path / "cache")
    for command in ("import caller", "import runpy; runpy.run_path('caller.py', run_name='__main__')") * 2:
        assert {*run(tmp_path, command, NUMBA_CACHE_DIR=cache)} == {6.0}  # numba imports what it loads


def test_an_error_in_a_callee_reaches_python(tmp_path):
    (tmp_path / "callee.py").write_text(FAILING)
    (tmp_path / "caller.py").write_text(CATCHING)
    cache = str(tmp_path / "cache")
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [4.0, -1.0, 0]
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [4.0, -1.0, 1]


def test_cached_types_of_a_module_that_is_gone_are_no_failure(tmp_path):
    cache = str(tmp_path / "cache")
    for module in ("here", "there"):
        (tmp_path / f"{module}.py").write_text(TYPES)
        (tmp_path / "caller.py").write_text(TYPED_CALLER.format(module=module))
        assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [6.0, 0]
        assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [6.0, 1]
        (tmp_path / f"{module}.py").unlink()


def test_two_processes_that_compile_at_once_do_not_take_each_others_code(tmp_path):
    (tmp_path / "caller.py").write_text(TWO_TYPES)
    cache = tmp_path / "cache"
    assert run(tmp_path, NUMBA_CACHE_DIR=str(cache), KIND="float") == [1.25, 0]
    (index,) = cache.rglob("*.half-*.nbi")
    of_the_first = index.read_bytes()
    index.unlink()  # the second process has looked before the first one wrote it
    assert run(tmp_path, NUMBA_CACHE_DIR=str(cache), KIND="int") == [1.0, 0]
    index.write_bytes(of_the_first)
    assert run(tmp_path, NUMBA_CACHE_DIR=str(cache), KIND="float") == [1.25, 1]


def test_a_kernel_that_is_first_compiled_for_an_uncounted_one_counts_its_views(tmp_path):
    (tmp_path / "caller.py").write_text(BOTH_KINDS)
    assert run(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == [1.0, 40000.0]


def test_whether_a_kernel_is_on_disk_is_known_before_it_is_compiled(tmp_path):
    cache = str(tmp_path / "cache")
    (tmp_path / "caller.py").write_text(ON_DISK)
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [0.0, 1.0, 1.0]
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [1.0, 1.0, 1.0]
    (tmp_path / "caller.py").write_text(ON_DISK + "#")
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [0.0, 1.0, 1.0]


def test_closures_that_have_bound_different_numbers_are_different_kernels(tmp_path):
    cache = str(tmp_path / "cache")
    (tmp_path / "caller.py").write_text(CLOSURES)
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [2.0, 3.0, 0.0]
    assert run(tmp_path, NUMBA_CACHE_DIR=cache) == [2.0, 3.0, 1.0]


def test_the_package_is_part_of_the_stamp():
    from nsgalpha.jit import decorators
    from nsgalpha.schemes.generalized_alpha.compiled_loop import advance

    package = sources(Path(decorators.__file__).parents[1], "**/*.py", WITHOUT_KERNELS)
    assert package.digest in advance._cache._cache_file._source_stamp


def test_a_change_in_another_folder_of_the_package_is_seen(tmp_path):
    cache = str(tmp_path / "cache")
    for folder in ("", "pair", "pair/laws", "pair/numbers"):
        (tmp_path / "mine" / folder).mkdir(parents=True)
        (tmp_path / "mine" / folder / "__init__.py").touch()
    caller = CALLER.format(decorator="entry").replace("from callee", "from mine.pair.numbers.callee")
    (tmp_path / "mine/pair/laws/caller.py").write_text(caller)
    for factor, loaded in ((3.0, 0), (3.0, 1), (5.0, 0)):
        (tmp_path / "mine/pair/numbers/callee.py").write_text(CALLEE.format(factor=factor))
        got = run(tmp_path, "import mine.pair.laws.caller", NUMBA_CACHE_DIR=cache)
        assert got == [2.0 * factor, loaded]


def test_kernels_of_users_and_of_elements_depend_on_all_elements(tmp_path):
    from elements.laws.linear import sph_viscosity
    from nsgalpha.jit import decorators

    folder = Path(decorators.__file__).parents[2] / "elements"
    elements = sources(folder, "**/*.py")
    for path in (Path(sph_viscosity.__file__), tmp_path / "law.py"):
        assert elements in sources_of(path)


def test_no_folder_for_the_cache_is_no_failure(tmp_path):
    (tmp_path / "caller.py").write_text(CALLER.format(decorator="entry"))
    (tmp_path / "callee.py").write_text(CALLEE.format(factor=3.0))
    # a locator that is asked for a function of IPython finds no place for one of a file
    assert run(tmp_path, NUMBA_CACHE_LOCATOR_CLASSES="IPythonCacheLocator") == [6.0, 0]


def test_compilation_switched_off(tmp_path):
    (tmp_path / "caller.py").write_text(CALLER.format(decorator="entry").rpartition("print")[0])
    (tmp_path / "callee.py").write_text(CALLEE.format(factor=3.0))
    assert run(tmp_path, NUMBA_DISABLE_JIT="1") == []
