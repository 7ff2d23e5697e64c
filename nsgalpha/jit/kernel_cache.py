"""Cache of machine code on disk: that of numba, valid while all sources are unchanged.

numba takes a cached kernel for fresh as long as the file of that kernel is unchanged, even if the kernels
it calls change. Here one is fresh as long as no `.py` file of these has changed:

* nsgalpha, but for folders that no kernel depends on;
* elements, except for kernels of nsgalpha itself, which use none of it;
* the package of the kernel; for a script, the files beside it.

The digests of these files are numba's stamp, and a part of its version as well. The version is compared
before the names of types are looked up in modules that may be gone.

numba counts the signatures of a kernel to name their files. Two processes that compile at the same time then
have one name for two signatures, and load each other's code. Here the name follows from the signature, and
from the values that a closure has bound.

Sources may be seen to change while the process lasts, by importlib.reload for one. Its kernels are then
compiled again and not kept: some code that it has in memory is of the former sources (source_digest.py).

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

from nsgalpha.jit.numba_internals import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, NullCache
from nsgalpha.jit.source_digest import sources_of
from nsgalpha.jit.symbol_linking import load_shared, shared_by
from nsgalpha.jit.trusted_files import distrusted, distrusted_file

_LOCATORS: list[Any] = CompileResultCacheImpl._locator_classes  # ways of numba to find a folder


class _Files(IndexDataCacheFile):
    """Files of a kernel, as numba's but for names and stamps; untrusted ones are ignored."""

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
    """A way of numba to find a folder, without those that others could change."""

    class Careful(locator):  # type: ignore[misc]
        @classmethod
        def from_function(cls, *arguments: Any) -> Any:
            found = super().from_function(*arguments)
            return None if found is None or distrusted(found.get_cache_path()) else found

    return Careful


class _Folders(CompileResultCacheImpl):
    """Folders and contents of files: the kernels called by symbols, then the machine code."""

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
        """Keep the machine code `data`; a disk that takes none is reported once, without failure."""
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
    """The reason why a kernel's machine code is not kept on disk; "" if it is."""
    if not isinstance(dispatcher._cache, NullCache):
        return dispatcher._cache.unkept if isinstance(dispatcher._cache, KernelCache) else ""
    function = dispatcher.py_func
    found = (each.from_function(function, inspect.getfile(function)) for each in _LOCATORS)
    reasons = (distrusted(each.get_cache_path()) for each in found if each is not None)
    return "; ".join(filter(None, reasons)) or "no folder can be written to"
