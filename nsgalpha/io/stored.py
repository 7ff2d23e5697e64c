"""Reading the file of a run: the `Result` that the run returned, whose arrays are read when they are used.

The layout is in docs/how-to/result-files.md. While a run goes on its file can be read: as far as the run had
come when the file was opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from operator import index as as_int
from os import PathLike, fspath
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from nsgalpha import checks
from nsgalpha.arrays import Ints
from nsgalpha.io.description import model_of, value_of
from nsgalpha.model.state import ContactHistory
from nsgalpha.run.result import Contacts, Result, Statistics
from nsgalpha.run.status import Status
from nsgalpha.run.watch import Series

FORMAT, VERSION = "nsgalpha run", 1
STATES = ("t", "position", "rotation", "velocity", "angular_velocity", "acceleration", "auxiliary")
CONTACTS = tuple(each.name for each in fields(Contacts)[1:])
CONTACT_STATUS = np.array(["idle", "slip", "stick"])


@dataclass(frozen=True, slots=True)
class Source:
    """The file of a run, opened whenever something is read: others may write to it in between."""

    path: str
    run: str  # its identity: a file of that name may be another one by now

    def read(self, name: str, key: Any = ()) -> Any:
        """What `key` names of the dataset `name`; OSError if the file is no longer that of the run."""
        with open_file(self.path) as file:
            if file.attrs["run"] != self.run:
                raise OSError(f"path = {self.path!r}: holds another run by now; load it again")
            return file[name][key]


class StoredArray(NDArrayOperatorsMixin):
    """Rows of a dataset, of the given shape: indexed, converted and calculated with as an array.

    Integers and slices read what they name; all else reads the whole, as every method of an array does.
    """

    def __init__(
        self,
        source: Source,
        name: str,
        shape: tuple[int, ...],
        dtype: Any,
        decode: Callable[[Any], Any] | None = None,
    ) -> None:
        self._source, self._name, self.shape = source, name, shape
        self.dtype, self._decode = np.dtype(dtype), decode

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
        return np.asarray(self)[key] if read is None else self._converted(self._source.read(self._name, read))

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
            return self._decode(values)
        return np.asarray(values, self.dtype) if np.ndim(values) else self.dtype.type(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError(f"copy = False: {self!r} is in a file; it is read into a new array")
        values = self._converted(self._source.read(self._name, slice(0, len(self))))
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
    """What compliant contacts remember in the recorded states of a file."""

    def __init__(self, source: Source, end: Ints) -> None:
        self._source, self._end = source, end

    def __len__(self) -> int:
        return len(self._end)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        i = range(len(self))[index]
        rows = slice(self._end[i - 1] if i else 0, self._end[i])
        tables = (self._source.read(f"histories/{name}", rows) for name in ("pair", "tangent", "values"))
        pair, tangent, values = tables
        return ContactHistory(pair, tangent, values, self._source.read("histories/opened", i))


@dataclass(frozen=True, slots=True)
class Filled:
    """How much of the datasets counts: what was written later is not complete."""

    states: int
    contacts: int
    steps: int
    remembered: int  # rows of histories

    @classmethod
    def read(cls, file: Any) -> Filled:
        """As the file says."""
        return cls(*(int(number) for number in file["filled"][:]))


def load(path: str | PathLike[str]) -> Result:
    """The run in the file `path`, as it was returned, or as far as it has come.

    Arrays are read when they are used, and only what an index names: they stand for arrays of numpy in all
    they do. The status says how the run ended, or that it has not.

    Raises FileNotFoundError if there is no such file, OSError if it is not the file of a run,
    ValueError if it was made by packages that are not installed or by a later version.
    """
    path = checks.path("path", path)
    with open_file(path) as file:
        filled, source = Filled.read(file), Source(str(path.absolute()), file.attrs["run"])

        def rows(name: str, count: int, dtype: Any, decode: Callable[[Any], Any] | None = None) -> Any:
            return StoredArray(source, name, (count, *file[name].shape[1:]), dtype, decode)

        t = np.asarray(file["states/t"][: filled.states])
        steps = min(filled.steps, len(file["statistics/contacts"]))
        names = (f"statistics/{each.name}" for each in fields(Statistics))
        histories: Sequence[ContactHistory] = ()
        if "histories" in file:
            histories = StoredHistories(source, file["histories/end"][: filled.states])
        return Result(
            model=stored_model(file),
            t=t,
            **{name: rows(f"states/{name}", filled.states, np.float64) for name in STATES[1:]},
            contacts=_contacts(file, filled, rows),
            stats=Statistics(*(rows(name, steps, file[name].dtype) for name in names)),
            status=stored_status(file, float(t[-1])),
            histories=histories,
            sensors={name: _series(file, f"sensors/{name}", rows) for name in file["sensors"]},
        )


def open_file(path: str | PathLike[str], mode: str = "r") -> Any:
    """The open HDF5 file of a run; see `load` for the errors."""
    import h5py

    name = fspath(path)
    if not Path(name).is_file():
        raise FileNotFoundError(f"path = {name!r}: there is no such file; give that of a recording")
    try:
        file = _opened(name) if mode == "r" else h5py.File(name, mode)
    except BlockingIOError:
        raise OSError(f"path = {name!r}: another process is writing to it; wait for its end") from None
    except OSError as error:
        raise OSError(f"path = {name!r}: is no HDF5 file that can be opened ({error})") from None
    if mode != "r" and h5py.h5f.get_obj_count(file.id, h5py.h5f.OBJ_FILE) > 1:
        file.close()
        raise OSError(f"path = {name!r}: is open already in this process; wait for the end of its run")
    if file.attrs.get("format") != FORMAT:
        file.close()
        raise OSError(f"path = {name!r}: is not the file of a run of nsgalpha")
    if file.attrs["format_version"] > VERSION:
        version = file.attrs["nsgalpha"]
        file.close()
        raise ValueError(f"path = {name!r}: was made by nsgalpha {version}, which is later than this one")
    return file


def _opened(name: str) -> Any:
    """For reading, also while a run writes to it: another process, or this one, which has locked it."""
    import h5py

    try:
        return h5py.File(name, "r", locking=False)
    except OSError as error:
        if "locking" not in str(error):
            raise
        return h5py.File(name, "r")


def stored_model(file: Any) -> Any:
    """The model of an open file."""
    group = file["model"]
    names = [name.decode() for name in group["bodies/name"][:]]
    tables = {name: data[:] for name, data in group["bodies"].items() if name != "name"}
    return model_of(json.loads(group["description"][()]), names, tables)


def stored_settings(file: Any, model: Any) -> dict[str, Any]:
    """Scheme, step and so on of the run in an open file."""
    settings = json.loads(file.attrs["settings"])
    return {**settings, "scheme": value_of(settings["scheme"], model)}


def stored_status(file: Any, t: float) -> Status:
    """How the run ended, or that its file does not say so; `t` of the last state [s]."""
    text = file.attrs.get("status", "")
    if not text:
        message = f"not finished: recorded up to t = {t:g} s; resume(path, t_end=...) goes on from there"
        return Status(False, message, t)
    status = json.loads(text)
    contact = status.pop("contact")
    return Status(**status, contact=None if contact is None else tuple(contact))


def _contacts(file: Any, filled: Filled, rows: Callable[..., Any]) -> Contacts:
    end: Ints = np.asarray(file["contacts/end"][: filled.states], np.int64)

    def column(name: str) -> Any:
        path = f"contacts/{name}"
        if name == "status":
            return rows(path, filled.contacts, CONTACT_STATUS.dtype, CONTACT_STATUS.take)
        return rows(path, filled.contacts, np.int64 if file[path].dtype.kind == "i" else np.float64)

    return Contacts(np.concatenate([[0], end]), **{name: column(name) for name in CONTACTS})


def _series(file: Any, name: str, rows: Callable[..., Any]) -> Series:
    t, value = file[f"{name}/t"], file[f"{name}/value"]
    count = min(len(t), len(value))
    return Series(rows(f"{name}/t", count, np.float64), rows(f"{name}/value", count, value.dtype))
