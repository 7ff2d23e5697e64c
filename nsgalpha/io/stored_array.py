"""Arrays of a result that are in a file, read when they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import index as as_int
from typing import Any, SupportsIndex

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from nsgalpha.arrays import Ints
from nsgalpha.io.hdf5 import DAMAGE
from nsgalpha.io.hdf5_chunks import require_sound_chunks
from nsgalpha.io.hdf5_tables import present
from nsgalpha.io.open_file import attribute, open_file, refusing, steadily
from nsgalpha.io.part_checksums import confirm, damage_in_words, recovered
from nsgalpha.model.state import ContactHistory


@dataclass(frozen=True, slots=True)
class ArraySource:
    """The file of a run, opened at each access, since others may write to it."""

    path: str
    run: str  # its identity: a file of that name may be another one by now

    def read(self, name: str, key: Any = (), *, whole: bool = False) -> Any:
        """The rows `key` of the dataset `name`; the `whole` is compared with the checksums of all parts.

        Raises RefusedFile if it is damaged, OSError if the file is no longer that of the run.
        """
        return steadily(self.path, lambda: self._read(name, key, whole))

    def _read(self, name: str, key: Any, whole: bool) -> Any:
        with open_file(self.path) as file:
            if attribute(file, "run") != self.run:
                raise OSError(f"path = {self.path!r}: holds another run by now; load it again")
            with refusing(self.path):
                try:
                    data = file[name]
                    require_sound_chunks(data, name, _rows(key))
                    values = present(data[key], name)
                    if whole:
                        confirm(file, name, 0, values)
                    return values
                except DAMAGE as error:
                    values = self._past_torn_chunks(file, name, key)
                    if values is None:
                        raise ValueError(damage_in_words(file, name, key)) from error
                    return values

    @staticmethod
    def _past_torn_chunks(file: Any, name: str, key: Any) -> Any:
        """The rows `key`, if they are valid in spite of a torn chunk."""
        keys = key if isinstance(key, tuple) else (key,)
        try:
            values = recovered(file, name, _rows(key))
            if values is None:
                return None
            one = bool(keys) and not isinstance(keys[0], slice)
            return present(values, name)[(0 if one else slice(None), *keys[1:])]
        except DAMAGE:
            return None


def _rows(key: Any) -> slice:
    """The rows that a key names."""
    first = key[0] if isinstance(key, tuple) and key else key
    if isinstance(first, slice):
        return first
    return slice(None) if first == () else slice(first, first + 1)


class StoredArray(NDArrayOperatorsMixin):
    """Rows of a dataset, of the given shape, usable as an array.

    Integers and slices read their rows; all else reads the whole, as every method of an array does.
    """

    def __init__(
        self,
        source: ArraySource,
        name: str,
        shape: tuple[int, ...],
        dtype: Any,
        decode: Callable[[Any], Any] | None = None,
    ) -> None:
        self._source, self._name, self.shape = source, name, shape
        self.dtype, self._decode = np.dtype(dtype), decode

    @property
    def path(self) -> str:
        """The file that it is read from."""
        return self._source.path

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    def __bool__(self) -> bool:
        return bool(np.asarray(self))

    def __contains__(self, value: Any) -> bool:
        return value in np.asarray(self)

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        read = self._read_keys(keys)
        if read is None:
            return np.asarray(self)[key]
        return self._read(read, read == tuple(slice(0, size, 1) for size in self.shape))

    def _read(self, keys: tuple[Any, ...], whole: bool) -> Any:
        """The values at `keys`; `whole` if these are all."""
        return self._converted(self._source.read(self._name, keys, whole=whole))

    def _read_keys(self, keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """`keys` as h5py takes them, None if it does not."""
        if len(keys) > self.ndim:
            return None
        plain: list[Any] = []
        for axis, length in enumerate(self.shape):
            key = keys[axis] if axis < len(keys) else slice(None)
            if isinstance(key, slice):
                start, stop, stride = key.indices(length)
                if stride < 1:
                    return None
                plain.append(slice(start, max(start, stop), stride))
            elif isinstance(key, SupportsIndex) and not isinstance(key, bool | np.ndarray):
                plain.append(range(length)[as_int(key)])
            else:
                return None
        return tuple(plain)

    def _converted(self, values: Any) -> Any:
        if self._decode is not None:
            with refusing(self._source.path):
                return self._decode(values)
        return np.asarray(values, self.dtype) if np.ndim(values) else self.dtype.type(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError(f"copy = False: {self!r} is in a file; it is read into a new array")
        values = self._read((slice(0, len(self)),), True)
        return values if dtype is None else np.asarray(values, dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(out, StoredArray) for out in kwargs.get("out", ())):
            raise ValueError("a stored array cannot be changed; change a copy, such as array[:]")
        return getattr(ufunc, method)(
            *(np.asarray(each) if isinstance(each, StoredArray) else each for each in inputs), **kwargs
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredArray, (self._source, self._name, self.shape, self.dtype, self._decode)

    def __repr__(self) -> str:
        return f"<stored array {self.shape} of {self.dtype}>"


class StoredHistories(Sequence[ContactHistory]):
    """The memory of compliant contacts in the recorded states of a file."""

    def __init__(self, source: ArraySource, end: Ints, tables: list[str]) -> None:
        self._source, self._end, self._tables = source, end, tables

    def __len__(self) -> int:
        return len(self._end)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        i = range(len(self))[index]
        rows = slice(self._end[i - 1] if i else 0, self._end[i])
        memory = {name: self._source.read(f"histories/{name}", rows) for name in self._tables}
        return ContactHistory(**memory, opened=self._source.read("histories/opened", i))
