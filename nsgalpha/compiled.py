"""How the kernels are compiled: on first use, kept in numba's cache on disk.

`entry` marks the kernels that Python calls, `kernel` those that only kernels call: these get no
Python wrapper, which may take longer to compile than the kernel. A `part` is a piece of a larger
kernel, compiled within it, and on its own only when Python calls it. Division by zero follows IEEE.
An `uncounted` entry or part makes no arrays, it works in those of its caller: numba then does not count the
references of array views, with atomic operations that cost half of the time where the arrays are small.
All others say that they count: else a kernel would do as the one for which it was first compiled, and one
that is called from both kinds give away views that nobody counts.
A `fused` kernel may round a product and a sum once instead of twice.

What this does to the time of a first run: LLVM optimises a kernel again, with all that it calls, for
every kernel above it. What has one caller is therefore a `part`. Only the two corrections stand
alone in spite of that: numba's own passes take more than linear time in the length of a function.

numba takes a cached kernel for fresh as long as the file of that kernel is unchanged, whatever happens to
the kernels it calls. Here one is fresh as long as no `.py` file of nsgalpha, or beside its own, has
changed, but for folders that no kernel depends on: numba's stamp says so, and its version too, which is
compared before the names of types are looked up in modules that may be gone. numba counts the signatures of
a kernel to name their files: two processes that compile at the same time then have one name for two
signatures, and load what is not theirs. Here the name follows from the signature, and from what a closure
has bound. Where no folder for the cache can be written the kernels are compiled in every process.
"""

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import NullCache

_PACKAGE = Path(__file__).parent
WITHOUT_KERNELS = ("case", "io", "show", "study", "testing")  # folders that no kernel depends on
_INTERNAL: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@cache
def _digest(folder: Path, pattern: str, without: tuple[str, ...] = ()) -> str:
    """Digest of the sources in `folder`: their names and what is in them; but not of folders `without`."""
    total = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.glob(pattern)):
        if path.relative_to(folder).parts[0] in without:
            continue
        content = path.read_bytes()
        total.update(f"{path.relative_to(folder)} {len(content)} ".encode())
        total.update(content)
    return total.hexdigest()


def _save(file: Any, key: tuple[Any, ...], data: Any) -> None:
    """Save the machine code `data` of a kernel: as numba does, but for the name of the file."""
    number = int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest(), "big")
    overloads = file._load_index()
    overloads[key] = name = file._data_name(number)
    file._save_index(overloads)
    file._save_data(name, data)


def is_cached(dispatcher: Any) -> bool:
    """Whether machine code of a kernel, of the present sources, is on disk."""
    file = getattr(dispatcher._cache, "_cache_file", None)
    return file is not None and bool(file._load_index())


def compiler(signature: Any = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator like `numba.njit`, with this module's cache; with a `signature` it compiles at once."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(error_model="numpy", **options)(function)
        if not hasattr(dispatcher, "enable_caching"):
            return dispatcher  # numba is switched off: NUMBA_DISABLE_JIT
        try:
            dispatcher.enable_caching()
            beside = _digest(Path(function.__code__.co_filename).parent, "*.py")
            file = dispatcher._cache._cache_file
            file._source_stamp = (_digest(_PACKAGE, "**/*.py", WITHOUT_KERNELS), beside)
            file._version = (file._version, *file._source_stamp)
            file.save = partial(_save, file)
        except (OSError, RuntimeError):  # no folder to keep it in, or sources that cannot be read
            dispatcher._cache = NullCache()
        if signature is not None:
            dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return decorate


entry = compiler(no_cfunc_wrapper=True, _nrt=True)
kernel = compiler(**_INTERNAL, _nrt=True)
part = compiler(inline="always", no_cfunc_wrapper=True, _nrt=True)
uncounted = compiler(no_cfunc_wrapper=True, _nrt=False)
uncounted_part = compiler(inline="always", no_cfunc_wrapper=True, _nrt=False)
fused = compiler(fastmath={"contract"}, **_INTERNAL, _nrt=True)
