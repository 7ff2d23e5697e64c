"""Machine code of kernels on disk: numba's cache, fresh as long as all sources are as they were.

numba takes a cached kernel for fresh as long as the file of that kernel is unchanged, whatever happens to
the kernels it calls. Here one is fresh as long as no `.py` file of nsgalpha (but for folders that no kernel
depends on), of elements or of its own package has changed, for a script none beside it; kernels of nsgalpha
itself use none of elements. numba's stamp says so, and its version too, which is
compared before the names of types are looked up in modules that may be gone. numba counts the signatures of
a kernel to name their files: two processes that compile at the same time then have one name for two
signatures, and load what is not theirs. Here the name follows from the signature, and from what a closure
has bound.

Where sources are seen to change while the process lasts, by importlib.reload for one, its kernels are
compiled afresh and not kept: some of what it has in memory is of the former ones (source_digest.py).

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

from nsgalpha.jit.numba_internals import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    NullCache,
)
from nsgalpha.jit.source_digest import sources_of
from nsgalpha.jit.symbol_linking import load_shared, shared_by
from nsgalpha.jit.trusted_files import distrusted, distrusted_file

_LOCATORS: list[Any] = CompileResultCacheImpl._locator_classes  # ways of numba to find a folder


class _Files(IndexDataCacheFile):
    """The files of a kernel: as numba's, but for their names and stamps; those of others are not read."""

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
            if hasattr(os, "fchmod"):  # whatever the umask, else it would not be read again
                os.fchmod(file.fileno(), os.fstat(file.fileno()).st_mode & 0o755)
            yield file


def _careful(locator: Any) -> Any:
    """A way of numba to find a folder, which passes over those that others could change."""

    class Careful(locator):  # type: ignore[misc]
        @classmethod
        def from_function(cls, *arguments: Any) -> Any:
            found = super().from_function(*arguments)
            return None if found is None or distrusted(found.get_cache_path()) else found

    return Careful


class _Folders(CompileResultCacheImpl):
    """Folders, and what is in a file: machine code, and before it the kernels that it calls by symbols."""

    _locator_classes = tuple(map(_careful, _LOCATORS))  # type: ignore[assignment]

    def reduce(self, result: Any) -> Any:
        return shared_by(result.library), super().reduce(result)

    def rebuild(self, context: Any, reduced: Any) -> Any:
        shared, payload = reduced
        load_shared(shared)
        result = super().rebuild(context, payload)
        result.library._shared = shared
        return result


class KernelCache(FunctionCache):
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
        self._sources = sources_of(path)
        self._sources[-1].look(path)
        stamp = tuple(each.digest for each in self._sources)
        self._cache_file = _Files(folder, self._impl.filename_base, stamp)

    @property
    def unkept(self) -> str:
        """The reason why nothing is read and written, "" if it is."""
        return next((each.changed for each in self._sources if each.changed), KernelCache.trouble)

    def _load_overload(self, signature: Any, context: Any) -> Any:
        if any(each.changed for each in self._sources):
            return None
        try:
            return super()._load_overload(signature, context)
        except LookupError:  # of a kernel that it calls: it is compiled again
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep the machine code `data`; a disk that takes none is told once, and no failure."""
        if self.unkept:
            return
        try:
            super().save_overload(signature, data)
        except OSError as error:
            KernelCache.trouble = f"{self.cache_path!r} cannot be written to: {error.strerror or error}"
            words = "%s; kernels are compiled again in later runs; see NUMBA_CACHE_DIR"
            logging.getLogger("nsgalpha").warning(words, KernelCache.trouble)


def is_cached(dispatcher: Any) -> bool:
    """True if machine code of a kernel, of the present sources, is on disk."""
    cache = dispatcher._cache
    return isinstance(cache, KernelCache) and not cache.unkept and bool(cache._cache_file._load_index())


def unkept(dispatcher: Any) -> str:
    """The reason why machine code of a kernel is not kept on disk; "" if it is."""
    if not isinstance(dispatcher._cache, NullCache):
        return dispatcher._cache.unkept if isinstance(dispatcher._cache, KernelCache) else ""
    function = dispatcher.py_func
    found = (each.from_function(function, inspect.getfile(function)) for each in _LOCATORS)
    reasons = (distrusted(each.get_cache_path()) for each in found if each is not None)
    return "; ".join(filter(None, reasons)) or "no folder can be written to"
