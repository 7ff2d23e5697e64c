"""Writing the file of a run: parts are appended and flushed, then how much of the file counts.

A part is complete once `filled` says so, and that is written after the part is on its way to the disk: a
process that is killed loses the part that it was writing, and no more. Reading is in stored.py.
"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from errno import ENOSPC
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast
from uuid import uuid4

import numpy as np

from nsgalpha.io.description import body_tables, describe, describe_value, missing
from nsgalpha.io.place import Place
from nsgalpha.io.stored import (
    CONTACT_STATUS,
    CONTACTS,
    FORMAT,
    STATES,
    VERSION,
    Filled,
    StoredArray,
    load,
    open_file,
    stored_model,
    stored_settings,
)
from nsgalpha.io.tables import append_rows, empty_table, make_histories, make_tables
from nsgalpha.model.state import ContactHistory, State
from nsgalpha.run.recorder import Part
from nsgalpha.run.recording import Recording
from nsgalpha.run.result import Result, Statistics
from nsgalpha.run.scheme import Scheme
from nsgalpha.run.status import Status
from nsgalpha.run.watch import Series

if TYPE_CHECKING:
    from nsgalpha.model.model import Model

ROOM = 5e7  # bytes of a disk that are left free


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run needs to go on, besides its model and its last state."""

    scheme: Scheme
    h: float  # [s]
    tol: float
    t0: float  # start [s]
    every: int
    contacts: bool
    seconds: float
    note: str  # what the status says of the step


class RunFile:
    """The open file of a run that is written to."""

    def __init__(self, place: Place, model: Model, settings: Settings, last: State) -> None:
        self.place, self.model, self.settings = place, model, settings
        self.file = place.file
        self.last_state = last  # when it was opened
        self.filled = Filled.read(self.file)
        self._result: Result | None = None  # once the file is closed

    @classmethod
    def new(cls, recording: Recording, model: Model, settings: Settings, start: State, states: int) -> Self:
        """A new file, with chunks of `states` states; FileExistsError if there is one that is to stay."""
        import h5py

        path = Path(fspath(recording.file or "")).absolute()
        described = {**_plain(settings), "scheme": describe_value(settings.scheme)}
        place = Place.create(path, recording.overwrite, lambda draft: h5py.File(draft, "x"))
        file = place.file
        try:
            file.attrs["run"] = uuid4().hex
            _sign(file)
            file.attrs["settings"] = json.dumps(described)
            _write_model(file, model)
            make_tables(file, len(model.bodies), states)
            file["filled"] = np.zeros(4, np.int64)
            file.attrs["format"], file.attrs["format_version"] = FORMAT, VERSION
            file.flush()
        except BaseException:
            place.discard()
            raise
        return cls(place, model, settings, start)

    @classmethod
    def reopen(cls, path: str | PathLike[str], model: Model | None) -> Self:
        """The file of a run that goes on, after `cut`.

        Raises what `load` does, and ValueError if `model` is another one or one is needed.
        """
        found = load(path)
        file = open_file(path, "r+")
        try:
            if _identity(found) != file.attrs["run"]:
                raise OSError(f"path = {fspath(path)!r}: was replaced while it was opened; resume again")
            model = _model_for(file, model)
            settings = Settings(**stored_settings(file, model))
            place = Place(Path(path).absolute(), file, None, overwrite=False)
            return cls(place, model, settings, found.state(-1))
        except BaseException:
            file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    @property
    def steps(self) -> int:
        """Steps from the start to the last state of the file when it was opened."""
        settings = self.settings
        return round((self.last_state.t - settings.t0) / settings.h)

    @property
    def troubles(self) -> tuple[int, ...]:
        """Of these steps: how many were capped, relaxed, divided."""
        tables = (self.file[f"statistics/{name}"] for name in ("capped", "relaxed", "divided"))
        return tuple(int(np.count_nonzero(table[: self.steps])) for table in tables)

    def append(self, part: Part) -> None:
        """Write a part, and then that it counts."""
        file, filled = self.file, self.filled
        self._check_room(part)
        for name in STATES:
            append_rows(file[f"states/{name}"], part.states[name])
        contacts = part.contacts
        for name in CONTACTS:
            values = getattr(contacts, name)
            codes = np.searchsorted(CONTACT_STATUS, values) if name == "status" else values
            append_rows(file[f"contacts/{name}"], codes)
        append_rows(file["contacts/end"], filled.contacts + contacts.start[1:])
        for k, each in enumerate(fields(Statistics)):
            append_rows(file[f"statistics/{each.name}"], part.statistics[:, k])
        remembered = self._append_histories(part.histories)
        for name, series in part.sensors.items():
            self._append_series(name, series)
        file.flush()
        self.filled = Filled(
            filled.states + len(part.states["t"]),
            filled.contacts + int(contacts.start[-1]),
            filled.steps + len(part.statistics),
            remembered,
        )
        file["filled"][:] = [getattr(self.filled, each.name) for each in fields(Filled)]
        file.flush()
        if not self.place.published:
            self.place.publish()

    def _check_room(self, part: Part) -> None:
        """OSError before the disk is full: a file that HDF5 cannot write to the end is lost as a whole."""
        columns = [*part.states.values(), *(getattr(part.contacts, name) for name in CONTACTS)]
        room = ROOM + sum(column.nbytes for column in columns)
        if self.place.free < room:
            text = f"less than {room / 1e6:.0f} MB are free; make room and resume"
            raise OSError(ENOSPC, text, str(self.place.path))

    def _append_histories(self, histories: list[ContactHistory]) -> int:
        if not histories:
            return self.filled.remembered
        if "histories" not in self.file:
            make_histories(self.file, histories[0])
        group = self.file["histories"]
        counts = np.cumsum([len(history.pair) for history in histories])
        for name in ("pair", "tangent", "values"):
            append_rows(group[name], np.concatenate([getattr(history, name) for history in histories]))
        append_rows(group["opened"], np.array([history.opened for history in histories]))
        append_rows(group["end"], self.filled.remembered + counts)
        return int(self.filled.remembered + counts[-1])

    def _append_series(self, name: str, series: Series) -> None:
        if not len(series.t):
            return
        group = self.file["sensors"].require_group(name)
        if "t" not in group:
            empty_table(group, "t", np.float64)
            empty_table(group, "value", series.value.dtype, series.value.shape[1:])
        elif group["value"].shape[1:] != series.value.shape[1:]:
            raise ValueError(
                f"sensor {name!r}: measures {series.value.shape[1:]}, and {group['value'].shape[1:]} in the "
                "file; give it another name"
            )
        append_rows(group["t"], series.t)
        append_rows(group["value"], series.value)

    def cut(self) -> None:
        """Cut off what is not complete, or belongs to steps after the last recorded state."""
        file, filled = self.file, self.filled
        self.filled = Filled(filled.states, filled.contacts, self.steps, filled.remembered)
        sizes = {"states": filled.states, "contacts": filled.contacts, "statistics": self.steps}
        for group, size in sizes.items():
            for name, data in file[group].items():
                data.resize(filled.states if name == "end" else size, axis=0)
        for name, data in file["histories"].items() if "histories" in file else ():
            data.resize(filled.states if name in ("end", "opened") else filled.remembered, axis=0)
        for group in file["sensors"].values():
            known = int(np.searchsorted(group["t"][:], self.last_state.t, side="right"))
            for data in group.values():
                data.resize(min(known, len(data)), axis=0)
        file.attrs.pop("status", None)
        _sign(file)

    @property
    def t(self) -> float | None:
        """Time of the last state in the file [s], None as long as the file is a draft."""
        if self._result is not None:
            return float(self._result.t[-1])
        return float(self.file["states/t"][self.filled.states - 1]) if self.place.published else None

    def close(self, status: Status) -> Result:
        """The result of all parts, read when it is used; its status says if they are in another file."""
        if self._result is None:
            self._state(status)
            result = self._own(self.place.path) if self.place.ours else None
            if result is None:
                path, remark = self.place.refuge(self.file.attrs["run"])
                self._state(replace(status, message=f"{status.message}; {remark}"))
                self.place.save(path)
                result = load(path)
            self._result = result
        self.file.close()
        return self._result

    def _state(self, status: Status) -> None:
        """Write how the run ended."""
        self.file.attrs["status"] = json.dumps(asdict(status))
        self.file.flush()

    def _own(self, path: Path) -> Result | None:
        """The result in the file `path` if it is that of this run: it may have been replaced just now."""
        try:
            found = load(path)
        except OSError:  # deleted, or replaced by what is no run
            return None
        return found if _identity(found) == self.file.attrs["run"] else None

    def discard(self) -> None:
        """Leave nothing of a run that has no part yet."""
        self.place.discard()


def _identity(result: Result) -> str:
    """The identity of the run whose file a result is read from."""
    return cast(StoredArray, result.position)._source.run


def _plain(settings: Settings) -> dict[str, Any]:
    return {each.name: getattr(settings, each.name) for each in fields(settings) if each.name != "scheme"}


def _sign(file: Any) -> None:
    """Versions of what writes, and when."""
    import h5py
    import numba
    import scipy

    from nsgalpha import __version__

    file.attrs["nsgalpha"] = __version__
    file.attrs["packages"] = json.dumps(
        {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "numba": numba.__version__,
            "h5py": h5py.__version__,
        }
    )
    file.attrs["written"] = datetime.now(UTC).isoformat(timespec="seconds")


def _write_model(file: Any, model: Model) -> None:
    import h5py

    group = file.create_group("model")
    bodies = group.create_group("bodies")
    names = np.array([body.name for body in model.bodies], object)
    bodies.create_dataset("name", data=names, dtype=h5py.string_dtype())
    for name, column in body_tables(model).items():
        bodies[name] = column
    group["description"] = json.dumps(describe(model))


def _model_for(file: Any, model: Model | None) -> Model:
    """The model of the file, or the given one, which must be the same; ValueError if it is not."""
    described = json.loads(file["model/description"][()])
    scheme = json.loads(file.attrs["settings"])["scheme"]
    if model is None:
        lacking = missing(described) + missing(scheme)
        if lacking:
            raise ValueError(f"model = None: {lacking[0]} is not in the file; give resume(path, model=...)")
        return stored_model(file)
    tables = {name: data[:] for name, data in file["model/bodies"].items() if name != "name"}
    for name, column in body_tables(model).items():
        if not np.array_equal(column, tables[name]):
            raise ValueError(
                f"model: its bodies differ from those of the file in {name!r}; build it as before"
            )
    for name, part in describe(model).items():
        if json.dumps(part) != json.dumps(described[name]):  # as text: NaN is NaN
            raise ValueError(f"model: its {name} differ from those of the file; build it as before")
    if missing(scheme):
        raise ValueError(f"model: the scheme has {missing(scheme)[0]}, which is not in the file")
    return model
