"""Writer of a run's file: parts are appended and flushed, then declared valid.

A part is complete once `filled` says so, which is written after the part is on its way to the disk. A killed
process loses the part that it was writing, and no more. Reading is in result_reader.py.
"""

from __future__ import annotations

import json
import math
import platform
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from errno import ENOSPC
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self, cast
from uuid import uuid4

import numpy as np

from nsgalpha import __version__
from nsgalpha.checks import refuse
from nsgalpha.io import hdf5_tables as datasets
from nsgalpha.io import part_checksums
from nsgalpha.io.atomic_file import FilePlace
from nsgalpha.io.chunk_packing import is_packed
from nsgalpha.io.earlier_features import numbers_of_keys
from nsgalpha.io.model_description import body_tables, describe, plain, primitive_tables
from nsgalpha.io.model_reader import MOST_TEXT
from nsgalpha.io.new_file import new_file
from nsgalpha.io.open_file import (
    FORMAT,
    KEYED,
    PACKED,
    VERSION,
    attribute,
    format_of,
    open_file,
    refusing,
    set_attribute,
)
from nsgalpha.io.presence_changes import CHANGES
from nsgalpha.io.result_reader import (
    CONTACT_STATUS,
    Filled,
    load,
    scheme_lacks,
    stored_description,
    stored_lacks,
    stored_model,
    stored_settings,
)
from nsgalpha.io.stored_array import StoredArray
from nsgalpha.io.visual_tables import visual_tables
from nsgalpha.model.model import Model
from nsgalpha.model.state import ContactForces, ContactHistory, State
from nsgalpha.run.recorder import Part
from nsgalpha.run.recording import Recording
from nsgalpha.run.result import Result
from nsgalpha.run.run_records import FORGOTTEN, REAL_STATISTICS, Series, Statistics
from nsgalpha.run.run_settings import FIXED, Settings
from nsgalpha.shown_text import shortened
from nsgalpha.stepping.status import Status, StepRemarks
from nsgalpha.stepping.step_times import StepTimes

ROOM = 5e7  # bytes of a disk that are left free
LONGEST = 4000  # characters of a status
MOST_MISSING = 10**6  # rows that a table may claim beyond those that are stored


class RunFile:
    """The open file of a run that is written to."""

    def __init__(self, place: FilePlace, model: Model, settings: Settings, last: State) -> None:
        self.place, self.model, self.settings = place, model, settings
        self.file = place.file
        self.last_state = last  # when it was opened
        self.filled = Filled(*part_checksums.read_filled(self.file).tolist())
        self.packs, self.keyed = (format_of(self.file) >= version for version in (PACKED, KEYED))
        self._result: Result | None = None  # once the file is closed

    @classmethod
    def new(cls, recording: Recording, model: Model, settings: Settings, start: State, states: int) -> Self:
        """A new file, with chunks of `states` states; FileExistsError if there is one that is to stay."""
        path = Path(fspath(recording.file or "")).absolute()
        described = {**_plain(settings), "scheme": plain(settings.scheme)}
        place = FilePlace.create(path, recording.overwrite, new_file)
        file = place.file
        try:
            set_attribute(file, "run", uuid4().hex)
            _sign(file)
            datasets.write_text(file, "settings", json.dumps(described))
            _write_model(file, model)
            rows = 0 if start.joints is None else len(start.joints)
            datasets.make_tables(file, len(model.bodies), rows, states)
            part_checksums.make_parts(
                file, [name for name in part_checksums.CHECKED if rows > 0 or name != datasets.JOINTS]
            )
            datasets.write_table(file, "filled", np.zeros(4, np.int64))
            set_attribute(file, "format", FORMAT)
            file.attrs["format_version"] = VERSION
            file.flush()
        except BaseException:
            place.discard()
            raise
        return cls(place, model, settings, start)

    @classmethod
    def reopen(cls, path: str | PathLike[str], model: Model | None) -> Self:
        """The file of a continued run, after `cut`.

        Raises the errors of `load`, and ValueError if `model` is another one or one is needed.
        """
        found = load(path)
        file = open_file(path, "r+")
        try:
            if _identity(found) != attribute(file, "run"):
                raise OSError(f"path = {fspath(path)!r}: was replaced while it was opened; resume again")
            last = found.state(-1)
            with refusing(path):
                part_checksums.mend(file)
                part_checksums.require_last_parts(file)
            model = _model_for(path, file, model)
            with refusing(path):
                last.check(len(model.bodies), 0 if last.joints is None else len(last.joints))
                settings = Settings(**stored_settings(file, model))
                place = FilePlace(Path(path).absolute(), file, None, overwrite=False)
                store = cls(place, model, settings, last)
                if not 0 <= store.steps <= store.filled.steps:
                    allowed = f"the step of {store.filled.steps} steps to t = {last.t:g}"
                    raise refuse("settings.h", settings.h, allowed)
            return store
        except BaseException:
            file.close()
            raise

    def _unpack(self) -> None:
        """Let the last chunks lie as they do while rows are added to them."""
        names = self._tables() if self.packs else []
        if not is_packed(self.file, names):
            return
        ends = {name: len(self.file[name]) for name in names}
        ends |= {name: min(self.steps, ends[name]) for name in names if name.startswith("statistics/")}
        if self.place.rewrite(ends):
            self.file.close()
            self.file = open_file(self.place.path, "r+")
            self.place = FilePlace(self.place.path, self.file, None, overwrite=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    @property
    def h(self) -> float | list[float]:
        """Sizes [s] of the steps from the start on, the last one that of all others."""
        if self.settings.impacts == FIXED:
            return self.settings.h
        return [*self.taken, float(np.max(self.settings.h))]

    @property
    def taken(self) -> list[float]:
        """Sizes [s] of the steps that were taken."""
        with refusing(self.place.path):
            return [float(h) for h in self.file["statistics/h"][: self.filled.steps]]

    @property
    def following(self) -> tuple[float, float]:
        """Size [s] of the next step to an accuracy, and the largest speed [m/s]."""
        with refusing(self.place.path):
            h, speed = (self.file[f"statistics/{name}"][self.steps - 1] for name in ("following", "speed"))
        return float(h), float(speed)

    @property
    def steps(self) -> int:
        """Steps from the start to the last state of the file when it was opened."""
        return StepTimes(self.settings.t0, self.h).nearest(self.last_state.t)

    @property
    def troubles(self) -> StepRemarks:
        """Of these steps: how many were capped, relaxed, divided."""
        names = ("capped", "relaxed", "divided")
        with refusing(self.place.path):
            capped, relaxed, divided = (
                int(np.count_nonzero(self.file[f"statistics/{name}"][: self.steps])) for name in names
            )
        return StepRemarks(capped, relaxed, divided)

    def append(self, part: Part) -> None:
        """Write a part, and then that it counts."""
        self._check_room(part)
        with refusing(self.place.path):
            self._append(part)
        if not self.place.published:
            self.place.publish()

    def _append(self, part: Part) -> None:
        file, filled = self.file, self.filled
        columns: dict[str, Any] = {f"states/{name}": part.states[name] for name in datasets.STATES}
        if self.packs:
            for name in ("states/acceleration", "states/auxiliary"):
                columns[name] = np.array(columns[name])
                columns[name][:-1] = FORGOTTEN  # a run continues from the last state
        columns |= {datasets.JOINTS: part.states["joints"]} if datasets.JOINTS in file else {}
        contacts = part.contacts
        columns |= {f"contacts/{name}": getattr(contacts, name) for name in datasets.CONTACTS}
        if not self.keyed:
            sides = contacts.body_a, contacts.body_b, contacts.plane
            known = ContactForces(*sides, contacts.wrench, contacts.feature)
            columns["contacts/feature"] = numbers_of_keys(self.model, known)
        columns["contacts/status"] = np.searchsorted(CONTACT_STATUS, contacts.status)
        columns["contacts/end"] = filled.contacts + contacts.start[1:]
        for k, each in enumerate(fields(Statistics)):
            columns[f"statistics/{each.name}"] = part.statistics[:, k]
        columns |= self._histories(part.histories)
        checksums = {name: datasets.append_rows(file[name], rows) for name, rows in columns.items()}
        for name, series in part.sensors.items():
            self._append_series(f"sensors/{name}", series)
        self._append_series(CHANGES, part.changes)
        remembered = len(columns.get("histories/pair", ()))
        self.filled = Filled(
            filled.states + len(part.states["t"]),
            filled.contacts + int(contacts.start[-1]),
            filled.steps + len(part.statistics),
            filled.remembered + remembered,
        )
        part_checksums.append_part(file, list(self.filled), checksums)
        file.flush()
        file["filled"][:] = self.filled
        file.flush()

    def _tables(self) -> list[str]:
        """The tables that grow."""
        file = self.file
        groups = ("states", "contacts", "statistics", "histories", "parts")
        grown = [f"{group}/{name}" for group in groups if group in file for name in file[group]]
        series = [f"sensors/{name}/{part}" for name in file["sensors"] for part in file["sensors"][name]]
        series += [f"{CHANGES}/{part}" for part in file[CHANGES]] if CHANGES in file else []
        return [name for name in (*grown, *series) if name != "parts/tables"]

    def _check_room(self, part: Part) -> None:
        """Raises OSError before the disk is full: a truncated HDF5 file is lost as a whole."""
        columns = [*part.states.values(), *(getattr(part.contacts, name) for name in datasets.CONTACTS)]
        workspace = ROOM + sum(column.nbytes for column in columns)
        if self.place.free < workspace:
            text = f"less than {workspace / 1e6:.0f} MB are free; make room and resume"
            raise OSError(ENOSPC, text, str(self.place.path))

    def _histories(self, histories: list[ContactHistory]) -> dict[str, Any]:
        """Columns of the histories of compliant contacts."""
        if not histories:
            return {}
        if "histories" not in self.file:
            datasets.make_histories(self.file, histories[0])
        columns: dict[str, Any] = {
            f"histories/{name}": np.concatenate([getattr(history, name) for history in histories])
            for name in datasets.MEMORY
        }
        columns["histories/opened"] = np.array([history.opened for history in histories])
        end = self.filled.remembered + np.cumsum([len(history.pair) for history in histories])
        return columns | {"histories/end": end}

    def _append_series(self, path: str, series: Series) -> None:
        if not len(series.t):
            return
        group, name = self.file.require_group(path), path.partition("/")[2]
        if "t" not in group:
            datasets.empty_table(group, "t", np.float64)
            datasets.empty_table(group, "value", series.value.dtype, series.value.shape[1:])
        elif group["value"].shape[1:] != series.value.shape[1:]:
            raise ValueError(
                f"sensor {name!r}: measures {series.value.shape[1:]}, and {group['value'].shape[1:]} in the "
                "file; give it another name"
            )
        datasets.append_rows(group["t"], series.t)
        datasets.append_rows(group["value"], series.value)

    def cut(self) -> None:
        """Cut off incomplete data, and steps after the last recorded state."""
        with refusing(self.place.path):
            self._cut()

    def _cut(self) -> None:
        self._unpack()
        file, filled = self.file, self.filled
        self.filled = Filled(filled.states, filled.contacts, self.steps, filled.remembered)
        sizes = list(self.filled)
        for group in ("states", "contacts", "statistics", "histories"):
            for name, data in file[group].items() if group in file else ():
                _shorten(data, sizes[part_checksums.counts(f"{group}/{name}")])
        for path in datasets.ADDED:
            group, _, name = path.partition("/")
            if group in file and name not in file[group]:
                datasets.empty_table(file[group], name, float if name in REAL_STATISTICS else np.int64)
                datasets.append_rows(file[path], np.zeros(sizes[part_checksums.counts(path)]))
        t = self.last_state.t
        series = [(group, t) for group in file["sensors"].values()]
        series += [(file[CHANGES], np.nextafter(t, -np.inf))] if CHANGES in file else []  # they come again
        for group, end in series:
            known = int(np.searchsorted(group["t"][:], end, side="right"))
            for data in group.values():
                data.resize(min(known, len(data)), axis=0)
        part_checksums.cut_parts(file, sizes)
        file.attrs.pop("status", None)
        _sign(file)

    @property
    def t(self) -> float | None:
        """Time of the last state in the file [s], None for a draft."""
        if self._result is not None:
            return float(self._result.t[-1])
        return float(self.file["states/t"][self.filled.states - 1]) if self.place.published else None

    def close(self, status: Status) -> Result:
        """The result of all parts, read on access; its status names another file with them."""
        if self._result is None:
            self._state(status)
            if self.packs:
                self.place.rewrite()
            result = self._own(self.place.path) if self.place.ours else None
            if result is None:
                path, remark = self.place.refuge(attribute(self.file, "run"))
                self._state(replace(status, message=f"{status.message}; {remark}"))
                self.place.save(path)
                result = load(path)
            self._result = result
        self.file.close()
        return self._result

    def _state(self, status: Status) -> None:
        """Write how the run ended."""
        short = replace(status, message=shortened(status.message, LONGEST))  # for the header of the file
        set_attribute(self.file, "status", json.dumps(asdict(short)))
        self.file.flush()

    def _own(self, path: Path) -> Result | None:
        """The result in the file `path` if it is of this run, not just replaced."""
        try:
            found = load(path)
        except OSError:  # deleted, or replaced by another kind of file
            return None
        return found if _identity(found) == attribute(self.file, "run") else None

    def discard(self) -> None:
        """Leave nothing of a run that has no part yet."""
        self.place.discard()


def _identity(result: Result) -> str:
    """The identity of the run whose file a result is read from."""
    return cast(StoredArray, result.position)._source.run


def _plain(settings: Settings) -> dict[str, Any]:
    return {each.name: getattr(settings, each.name) for each in fields(settings) if each.name != "scheme"}


def _sign(file: Any) -> None:
    """Versions of the writing packages, and the date."""
    import h5py
    import numba
    import scipy

    packages = {"python": platform.python_version()}
    packages |= {package.__name__: package.__version__ for package in (np, scipy, numba, h5py)}
    set_attribute(file, "nsgalpha", __version__)
    set_attribute(file, "packages", json.dumps(packages))
    set_attribute(file, "written", datetime.now(UTC).isoformat(timespec="seconds"))


def _described(model: Model) -> dict[str, Any]:
    names = {
        "bodies": [body.name for body in model.bodies],
        "primitives": [primitive.name for primitive in model.primitives],
    }
    return {**describe(model), "names": names}


def _write_model(file: Any, model: Model) -> None:
    """The model. Raises ValueError if it is larger than readers allow."""
    group = file.create_group("model")
    described = {"bodies": body_tables(model), "primitives": primitive_tables(model)}
    if model.visuals:
        described["visuals"] = visual_tables(model)
    for part, tables in described.items():
        columns = group.create_group(part)
        for name, column in tables.items():
            datasets.write_table(columns, name, column)
    text = json.dumps(_described(model))
    if len(text) > MOST_TEXT:
        what = "give numbers of many bodies as one number, or record in memory"
        raise refuse("model, length of its description", len(text), f"at most {MOST_TEXT} bytes", what)
    datasets.write_text(group, "description", text)


def _model_for(path: str | PathLike[str], file: Any, model: Model | None) -> Model:
    """The model of the file, or the given equal one. Raises ValueError if they differ."""
    if model is None:
        with refusing(path):
            lacking, stored = stored_lacks(file), stored_model(file)
        if lacking:
            remedy = "give resume(path, model=...)"
            raise ValueError(f"path = {fspath(path)!r}: {lacking[0]} is not in the file; {remedy}")
        return stored
    with refusing(path):
        lacking, stored, described = scheme_lacks(file), stored_model(file), stored_description(file)
    parts = {"bodies": body_tables, "primitives": primitive_tables, "visual shapes": visual_tables}
    for kind, tables in parts.items():
        known = tables(stored)
        for name, column in tables(model).items():
            if not np.array_equal(column, known[name], equal_nan=column.dtype.kind == "f"):
                message = f"model: its {kind} differ from those of the file in {name!r}; build it as before"
                raise ValueError(message)
    given = _described(model)
    for name in {**described, **given}:
        if json.dumps(given.get(name)) != json.dumps(described.get(name)):  # as text: NaN is NaN
            raise ValueError(f"model: its {name} differ from those of the file; build it as before")
    if lacking:
        raise ValueError(f"model: the scheme has {lacking[0]}, which is not in the file")
    return model


def _shorten(data: Any, size: int) -> None:
    """Cut a table to `size` rows; ValueError if it claims far more than it has: HDF5 looks for each chunk."""
    across = math.prod(-(-width // step) for width, step in zip(data.shape[1:], data.chunks[1:], strict=True))
    stored = data.id.get_num_chunks() // max(across, 1) * data.chunks[0]
    if len(data) > stored + MOST_MISSING:
        raise ValueError(f"{data.name.lstrip('/')} claims {len(data)} rows, of which {stored} are stored")
    data.resize(size, axis=0)
