"""Cached kernels: changed callees are seen; a missing folder is no failure."""

from pathlib import Path

import pytest
from kernel_scripts import run_module, write_modules

from nsgalpha.jit.source_digest import WITHOUT_KERNELS, sources, sources_of

CALLEE = """
    @kernel
    def value(x):
        return {factor} * x
"""
CALLER = """
    from callee import value

    @{decorator}
    def twice(x):
        return 2.0 * value(x)

    print(twice(1.0), sum(twice.stats.cache_hits.values()))
"""
FAILING = """
    @kernel
    def root(x):
        if x < 0.0:
            raise ValueError("below 0")
        return x**0.5
"""
CATCHING = """
    from callee import root

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
HALF = """
    @kernel
    def half(x):
        return 0.5 * x
"""
TWO_TYPES = f"""{HALF}
    print(half(2.5 if os.environ["KIND"] == "float" else 2), sum(half.stats.cache_hits.values()))
"""
ON_DISK = f"""{HALF}
    print(float(is_cached(half)), half(2.0), float(is_cached(half)))
"""
CLOSURES = """
    def times(factor):
        @kernel
        def product(x):
            return factor * x

        return product

    double, triple = times(2.0), times(3.0)
    print(double(1.0), triple(1.0), float(sum(triple.stats.cache_hits.values())))
"""
FUSED_FIRST = """
    @kernel
    def rest(a, c):
        return a * a - c

    @fused
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

    @kernel
    def product(pair):
        return pair.a * pair.b

    print(product(Pair(2.0, 3.0)), sum(product.stats.cache_hits.values()))
"""
LINK_NOTHING = "from nsgalpha.jit import symbol_linking as linking; linking.SMALL = 0; import caller"


def run(folder: Path, command: str = "import caller", **environment: str) -> list[float]:
    """Output of `caller` in `folder`: its value, and the number of cached kernels."""
    return [float(word) for word in run_module(folder, command, **environment).stdout.split()]


def write_pair(folder: Path) -> None:
    """Write a caller and its callee."""
    write_modules(folder, caller=CALLER.format(decorator="kernel"), callee=CALLEE.format(factor=3.0))


@pytest.mark.parametrize("decorator", ["kernel", "inlined"])
@pytest.mark.sampled(2)
def test_change_of_a_callee_in_another_file_is_seen(tmp_path, decorator):
    write_modules(tmp_path, caller=CALLER.format(decorator=decorator))
    for factor in (3.0, 5.0):
        write_modules(tmp_path, callee=CALLEE.format(factor=factor))
        assert run(tmp_path) == [2.0 * factor, 0]
        assert run(tmp_path) == [2.0 * factor, 1]


def test_a_callee_that_is_gone_from_the_cache_is_compiled_again(tmp_path):
    """Its caller contains a symbol, and no copy of it."""
    write_pair(tmp_path)
    cache = tmp_path / "cache"
    assert run(tmp_path, LINK_NOTHING) == [6.0, 0]
    (code,) = cache.rglob("caller.twice-*.nbc")
    assert b"nsgalpha_value_" in code.read_bytes()
    for path in cache.rglob("callee.value-*"):
        path.unlink()
    assert run(tmp_path, LINK_NOTHING) == [6.0, 1]
    assert [*cache.rglob("callee.value-*.nbc")]


def test_a_script_that_is_run_and_imported_finds_its_kernels(tmp_path):
    write_modules(tmp_path, caller=SCRIPT)
    for command in ("import caller", "import runpy; runpy.run_path('caller.py', run_name='__main__')") * 2:
        # numba imports the modules that it loads
        assert {*run(tmp_path, command)} == {6.0}


def test_an_error_in_a_callee_reaches_python(tmp_path):
    write_modules(tmp_path, callee=FAILING, caller=CATCHING)
    assert run(tmp_path) == [4.0, -1.0, 0]
    assert run(tmp_path) == [4.0, -1.0, 1]


@pytest.mark.long
def test_cached_types_of_a_module_that_is_gone_are_no_failure(tmp_path):
    for module in ("here", "there"):
        write_modules(tmp_path, **{module: TYPES}, caller=TYPED_CALLER.format(module=module))
        assert run(tmp_path) == [6.0, 0]
        assert run(tmp_path) == [6.0, 1]
        (tmp_path / f"{module}.py").unlink()


@pytest.mark.long
def test_two_processes_that_compile_at_once_do_not_take_each_others_code(tmp_path):
    write_modules(tmp_path, caller=TWO_TYPES)
    cache = tmp_path / "cache"
    assert run(tmp_path, KIND="float") == [1.25, 0]
    (index,) = cache.rglob("*.half-*.nbi")
    of_the_first = index.read_bytes()
    index.unlink()  # the second process has looked before the first one wrote it
    assert run(tmp_path, KIND="int") == [1.0, 0]
    index.write_bytes(of_the_first)
    assert run(tmp_path, KIND="float") == [1.25, 1]


def test_a_kernel_that_is_first_compiled_for_an_uncounted_one_counts_its_views(tmp_path):
    write_modules(tmp_path, caller=BOTH_KINDS)
    assert run(tmp_path) == [1.0, 40000.0]


def test_a_kernel_rounds_as_it_says_whoever_is_compiled_before_it(tmp_path):
    write_modules(tmp_path, caller=FUSED_FIRST)
    assert run(tmp_path) == [0.0, 0.0]


def test_whether_a_kernel_is_on_disk_is_known_before_it_is_compiled(tmp_path):
    write_modules(tmp_path, caller=ON_DISK)
    assert run(tmp_path) == [0.0, 1.0, 1.0]
    assert run(tmp_path) == [1.0, 1.0, 1.0]
    write_modules(tmp_path, caller=ON_DISK + "    #")
    assert run(tmp_path) == [0.0, 1.0, 1.0]


def test_closures_that_have_bound_different_numbers_are_different_kernels(tmp_path):
    write_modules(tmp_path, caller=CLOSURES)
    assert run(tmp_path) == [2.0, 3.0, 0.0]
    assert run(tmp_path) == [2.0, 3.0, 1.0]


def test_the_package_is_part_of_the_stamp():
    from nsgalpha.jit import decorators
    from nsgalpha.schemes.generalized_alpha.compiled_loop import advance

    package = sources(Path(decorators.__file__).parents[1], "**/*.py", WITHOUT_KERNELS)
    assert package.digest in advance._cache._cache_file._source_stamp


def test_a_change_in_another_folder_of_the_package_is_seen(tmp_path):
    for folder in ("", "pair", "pair/laws", "pair/numbers"):
        (tmp_path / "mine" / folder).mkdir(parents=True)
        (tmp_path / "mine" / folder / "__init__.py").touch()
    caller = CALLER.format(decorator="kernel").replace("from callee", "from mine.pair.numbers.callee")
    write_modules(tmp_path / "mine/pair/laws", caller=caller)
    for factor, loaded in ((3.0, 0), (3.0, 1), (5.0, 0)):
        write_modules(tmp_path / "mine/pair/numbers", callee=CALLEE.format(factor=factor))
        got = run(tmp_path, "import mine.pair.laws.caller")
        assert got == [2.0 * factor, loaded]


def test_kernels_of_users_and_of_elements_depend_on_all_elements(tmp_path):
    from elements.laws.linear import sph_viscosity
    from nsgalpha.jit import decorators

    folder = Path(decorators.__file__).parents[2] / "elements"
    elements = sources(folder, "**/*.py")
    for path in (Path(sph_viscosity.__file__), tmp_path / "law.py"):
        assert elements in sources_of(path)


def test_no_folder_for_the_cache_is_no_failure(tmp_path):
    write_pair(tmp_path)
    # a locator that is asked for a function of IPython finds no place for one of a file
    assert run(tmp_path, NUMBA_CACHE_LOCATOR_CLASSES="IPythonCacheLocator", NUMBA_CACHE_DIR="") == [6.0, 0]


def test_compilation_switched_off(tmp_path):
    write_pair(tmp_path)
    caller = tmp_path / "caller.py"
    caller.write_text(caller.read_text().rpartition("print")[0])
    assert run(tmp_path, NUMBA_DISABLE_JIT="1", NUMBA_CACHE_DIR="") == []
