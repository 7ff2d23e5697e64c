"""Decorators of kernels, which are compiled on first use and cached on disk.

| decorator | use |
|---|---|
| `entry` | called from Python |
| `kernel`, `leaf` | called from kernels alone, without a wrapper for Python, which may take long to compile |
| `part` | a piece of a larger kernel, compiled within it, and on its own only when Python calls it |

A `leaf`, and an `uncounted` entry or part, makes no arrays and returns none: it works in those of its caller.
Numba then does not count the references of array views, with atomic operations that take half of the time
where arrays are small. Numba passes unspecified options from the first caller to its callees; every decorator
therefore sets them explicitly. A `fused` kernel may round a product and a sum once instead of twice. Division
by zero follows IEEE.

The effect on the time of a first run: LLVM would optimise a kernel again, with all its callees, for every
kernel above it. Entries and kernels are therefore called by symbols (symbol_linking.py), and small pieces
with one caller are a `part`. The two corrections stand alone: numba's own passes take more than linear time
in the length of a function.

numba treats a cached kernel as up to date as long as the file of that kernel is unchanged, for any change of
its callees. Here one is up to date as long as its `.py` files have not changed. These are those of nsgalpha
(but for folders that no kernel depends on), of elements and of the kernel's package. For a script no file
beside it may have changed; kernels of nsgalpha itself use none of elements. Numba's stamp says so, and its
version too. The version is compared before the names of types are looked up in modules that may be gone.
Numba counts the signatures of a kernel to name their files. Two processes that compile at the same time then
have one name for two signatures, and load foreign code. Here the name follows from the signature, and from
the bound values of a closure.

Sources may change while the process lasts, for example by importlib.reload. Its kernels are then compiled
afresh and not kept, since some of them in memory are of the former sources (source_digest.py).

numba takes the first folder that it can write to: that of NUMBA_CACHE_DIR, beside the sources, that of the
user. Here folders and files that others could change are passed over (trusted_files.py). Where none is left
the kernels are compiled in every process, and `unkept` says why.
"""

import hashlib
import inspect
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, NullCache
from numba.core.types import unliteral

from nsgalpha.jit.compiler_pipeline import Compiler
from nsgalpha.jit.deferred_codegen import DeferredCodegen
from nsgalpha.jit.source_digest import Sources, sources
from nsgalpha.jit.symbol_linking import load_shared, shared_by
from nsgalpha.jit.trusted_files import distrusted, distrusted_file

_PACKAGE = Path(__file__).resolve().parents[1]
#: Folders on which no kernel of others depends.
WITHOUT_KERNELS = ("case", "commands", "io", "show", "study", "testing")
_LOCATORS: list[Any] = CompileResultCacheImpl._locator_classes  # ways of numba to find a folder
_INTERNAL: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _sources(path: Path) -> tuple[Sources, ...]:
    """The sources of a kernel in the file `path`; those of its package are last."""
    ours = sources(_PACKAGE, "**/*.py", WITHOUT_KERNELS)
    if path.is_relative_to(_PACKAGE):
        apart = path.relative_to(_PACKAGE).parts[0] in WITHOUT_KERNELS
        return (ours, sources(path.parent, path.name)) if apart else (ours,)
    own = path.parent
    pattern = "**/*.py" if (own / "__init__.py").is_file() else "*.py"
    while (own.parent / "__init__.py").is_file():
        own = own.parent
    return ours, sources(_PACKAGE.parent / "elements", "**/*.py"), sources(own, pattern)


class _Files(IndexDataCacheFile):
    """Files of a kernel, as numba's but for names, stamps and foreign files."""

    def __init__(self, folder: str, name: str, stamp: tuple[str, ...]) -> None:
        super().__init__(folder, name, stamp)
        self._version = (self._version, *stamp)

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        """Save the machine code `data` for the signature `key`."""
        number = int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest(), "big")
        overloads = self._load_index()
        overloads[key] = name = self._data_name(number)
        self._save_index(overloads)
        self._save_data(name, data)

    def _load_index(self) -> dict[Any, str]:
        if distrusted_file(self._index_path):
            return {}
        try:
            return super()._load_index()
        except Exception:  # of a pickle that a crash has cut; it is written again
            return {}

    def _load_data(self, name: str) -> Any:
        reason = distrusted_file(self._data_path(name))
        if reason:
            raise OSError(reason)  # numba takes it for one that is not there
        try:
            return super()._load_data(name)
        except Exception as error:
            raise OSError(f"{name}: {error}") from error

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[Any]:
        with super()._open_for_write(filepath) as file:
            if hasattr(os, "fchmod"):  # for any umask, else it would not be read again
                os.fchmod(file.fileno(), os.fstat(file.fileno()).st_mode & 0o755)
            yield file


def _careful(locator: Any) -> Any:
    """A folder locator of numba that passes over folders that others could change."""

    class Careful(locator):  # type: ignore[misc]
        @classmethod
        def from_function(cls, *arguments: Any) -> Any:
            found = super().from_function(*arguments)
            return None if found is None or distrusted(found.get_cache_path()) else found

    return Careful


class _Folders(CompileResultCacheImpl):
    """Folders and contents of a file: machine code, preceded by its called kernels."""

    _locator_classes = tuple(map(_careful, _LOCATORS))  # type: ignore[assignment]

    def reduce(self, result: Any) -> Any:
        return shared_by(result.library), super().reduce(result)

    def rebuild(self, context: Any, reduced: Any) -> Any:
        shared, payload = reduced
        load_shared(shared)
        result = super().rebuild(context, payload)
        result.library._shared = shared
        return result


class _Cache(FunctionCache):
    """The cache of a function; RuntimeError if there is no folder for it."""

    _impl_class = _Folders
    trouble = ""  # why nothing more can be written

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        folder = self._impl.locator.get_cache_path()
        reason = distrusted(folder)  # where the environment names ways to find one
        if reason:
            raise RuntimeError(reason)
        path = Path(function.__code__.co_filename).resolve()
        self._sources = _sources(path)
        self._sources[-1].look(path)
        stamp = tuple(each.digest for each in self._sources)
        self._cache_file = _Files(folder, self._impl.filename_base, stamp)

    @property
    def unkept(self) -> str:
        """The reason why nothing is read and written, "" if it is."""
        return next((each.changed for each in self._sources if each.changed), _Cache.trouble)

    def _load_overload(self, signature: Any, context: Any) -> Any:
        if any(each.changed for each in self._sources):
            return None
        try:
            return super()._load_overload(signature, context)
        except LookupError:  # of a kernel that it calls: it is compiled again
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep the machine code `data`; a full disk is reported once, and no failure."""
        if self.unkept:
            return
        try:
            super().save_overload(signature, data)
        except OSError as error:
            _Cache.trouble = f"{self.cache_path!r} cannot be written to: {error.strerror or error}"
            words = "%s; kernels are compiled again in later runs; see NUMBA_CACHE_DIR"
            logging.getLogger("nsgalpha").warning(words, _Cache.trouble)


def is_cached(dispatcher: Any) -> bool:
    """True if machine code of a kernel, of the present sources, is on disk."""
    cache = dispatcher._cache
    return isinstance(cache, _Cache) and not cache.unkept and bool(cache._cache_file._load_index())


def unkept(dispatcher: Any) -> str:
    """The reason why a kernel's machine code is not cached; "" if it is."""
    if not isinstance(dispatcher._cache, NullCache):
        return dispatcher._cache.unkept if isinstance(dispatcher._cache, _Cache) else ""
    function = dispatcher.py_func
    found = (each.from_function(function, inspect.getfile(function)) for each in _LOCATORS)
    reasons = (distrusted(each.get_cache_path()) for each in found if each is not None)
    return "; ".join(filter(None, reasons)) or "no folder can be written to"


def _take_numbers(dispatcher: Any) -> None:
    """Compile a kernel once for all numbers; numba would repeat it for each literal."""
    of_call = dispatcher.get_call_template

    def get_call_template(types: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return of_call(tuple(map(unliteral, types)), {name: unliteral(named[name]) for name in named})

    dispatcher.get_call_template = get_call_template


def compiler(
    signature: Any = None, *, shared: bool = False, **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator like `numba.njit`, with this module's cache; with a `signature` it compiles at once.

    shared: kernels call it by a symbol and contain no copy of it (symbol_linking.py).
    """
    options = {"fastmath": False, **options}  # not given they are those of the first caller

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(error_model="numpy", pipeline_class=Compiler, **options)(function)
        if not hasattr(dispatcher, "enable_caching"):
            return dispatcher  # numba is switched off: NUMBA_DISABLE_JIT
        dispatcher.of_nsgalpha = True
        _take_numbers(dispatcher)
        try:
            dispatcher._cache = _Cache(function)
        except (OSError, RuntimeError):  # no folder to keep it in, or sources that cannot be read
            dispatcher._cache = NullCache()
        DeferredCodegen(dispatcher, shared)
        if signature is not None:
            dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return decorate


entry = compiler(shared=True, no_cfunc_wrapper=True, _nrt=True)
kernel = compiler(shared=True, **_INTERNAL, _nrt=True)
leaf = compiler(**_INTERNAL, _nrt=False)
large_leaf = compiler(shared=True, **_INTERNAL, _nrt=False)
part = compiler(inline="always", no_cfunc_wrapper=True, _nrt=True)
uncounted = compiler(no_cfunc_wrapper=True, _nrt=False)
large_uncounted = compiler(shared=True, no_cfunc_wrapper=True, _nrt=False)
uncounted_part = compiler(inline="always", no_cfunc_wrapper=True, _nrt=False)
fused = compiler(fastmath={"contract"}, **_INTERNAL, _nrt=True)
