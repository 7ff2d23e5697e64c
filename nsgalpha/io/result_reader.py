"""Reader of result files: the `Result`, with arrays that are read on access.

The layout is in docs/how-to/result-files.md. During a run its file can be read: as far as the run had come
when the file was opened. Stated sizes of a file are compared with the stored ones before memory is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nsgalpha import checks
from nsgalpha.arrays import TURNING_FRICTION, Ints
from nsgalpha.checks import choice, count, named, number_in, positive, refuse
from nsgalpha.io import hdf5_tables as datasets
from nsgalpha.io.earlier_features import NUMBERS, StoredKeys
from nsgalpha.io.hdf5 import checked_dataset, checked_group, find_dataset, read_rows
from nsgalpha.io.model_description import COLUMNS, missing
from nsgalpha.io.model_reader import MOST_TEXT, StoredModel, model_of, of_table, parsed, value_of
from nsgalpha.io.open_file import KEYED, attribute, format_of, open_file, refusing, steadily
from nsgalpha.io.part_checksums import confirm, read_filled
from nsgalpha.io.presence_changes import read_changes
from nsgalpha.io.stored_array import ArraySource, StoredArray, StoredHistories
from nsgalpha.io.visual_tables import COLUMNS as VISUALS
from nsgalpha.io.visual_tables import add_visuals
from nsgalpha.model.contact_element import MarkerContact
from nsgalpha.model.contact_keys import KEYS
from nsgalpha.model.state import STATE_WIDTHS
from nsgalpha.run.result import Result
from nsgalpha.run.run_records import REAL_STATISTICS, STATISTICS, Contacts, SensorTable, Series, Statistics
from nsgalpha.run.run_settings import FIXED, IMPACTS
from nsgalpha.stepping.status import Status

CONTACT_STATUS = np.array(["idle", "slip", "stick"])
MOST = 1 << 50  # bytes of a table that is read row by row
MOST_WHOLE = 1 << 33  # bytes of one that is read at once
MOST_SENSORS = 10_000
MOST_ROWS = 6  # of a joint
PRIMITIVES = ("radius", "rigid", "carrier", "end", "corner", "place", "place_carrier")
SETTINGS = {
    "scheme": object,
    "h": object,
    "tol": float,
    "t0": float,
    "every": int,
    "contacts": bool,
    "seconds": float,
    "note": str,
    "impacts": str,
    "accuracy": object,
    "span": float,
}


class Filled(NamedTuple):
    """Number of valid rows of the datasets: later rows are not complete."""

    states: int
    contacts: int
    steps: int
    remembered: int  # rows of histories


@named
def load(path: str | PathLike[str]) -> Result:
    """The run in the file `path`, complete or as far as it has come.

    Arrays are read on access, and only at the index: they stand for arrays of numpy in all respects. The
    status says how the run ended, or that it has not. Nothing that the file names is run: it is data, and its
    checksums are verified whenever something is read.

    Raises FileNotFoundError if there is no such file. Raises OSError for other files, damage, content that no
    run has written, and missing packages or later versions. The latter errors are ValueErrors, too.
    """
    path = checks.path("path", path)
    return steadily(path, lambda: _load(path))


def _load(path: str | PathLike[str]) -> Result:
    with open_file(path) as file, refusing(path):
        filled = Filled(*read_filled(file).tolist())
        source = ArraySource(str(Path(path).absolute()), attribute(file, "run"))
        model = stored_model(file)
        rows = _Rows(file, source)
        t = _times(file, filled)
        there = checked_group(file, "statistics")
        steps = min(filled.steps, *(len(find_dataset(file, f"statistics/{name}")) for name in there))
        return Result(
            model=model,
            t=t,
            h=_added(file, rows, "states/h", filled.states),
            **{
                name: rows.of(f"states/{name}", filled.states, (len(model.bodies), width))
                for name, width in STATE_WIDTHS.items()
            },
            contacts=_contacts(file, filled, rows, model),
            stats=Statistics(*(_added(file, rows, f"statistics/{name}", steps) for name in STATISTICS)),
            status=stored_status(file, float(t[-1])),
            histories=_histories(file, source, filled) if "histories" in file else (),
            sensors=_sensors(file, rows),
            joints=_joints(file, rows, filled.states, model),
            changes=read_changes(file, len(model.bodies), len(model.open_boundaries), float(t[-1])),
        )


@dataclass(frozen=True, slots=True)
class _Rows:
    """Makes arrays of datasets, after a check of their claims."""

    file: Any
    source: ArraySource

    def of(
        self,
        name: str,
        count: int,
        tail: tuple[int, ...],
        kinds: str = "f",
        dtype: Any = None,
        decode: Callable[[Any], Any] | None = None,
    ) -> Any:
        """The first `count` rows (count, *tail) of a dataset."""
        data = checked_dataset(self.file, name, kinds=kinds, most=MOST, rows=count, whole=False)
        if data.shape[1:] != tail:
            raise refuse(name, data.shape, f"rows of the shape {tail}")
        return StoredArray(self.source, name, (count, *tail), dtype or data.dtype, decode)


def stored_model(file: Any) -> StoredModel:
    """The model of an open file."""
    model = _model(file)
    model.source = file.filename
    return model


def _model(file: Any) -> StoredModel:
    tables = {name: datasets.read_table(file, f"model/bodies/{name}") for name in COLUMNS}
    data = stored_description(file)
    if not isinstance(data, dict):
        raise refuse("model/description", type(data).__name__, "a table")
    names = of_table(data.pop("names", None), {"bodies": list, "primitives": list}, "description.names")
    if not all(isinstance(name, str) for each in names.values() for name in each):
        raise refuse("description.names", "other values", "texts")
    primitives = {name: datasets.read_table(file, f"model/primitives/{name}") for name in PRIMITIVES}
    tables["turns"], primitives["rigid"] = tables["turns"] != 0, primitives["rigid"] != 0
    model = model_of(data, names["bodies"], tables, {**primitives, "name": names["primitives"]})
    if "visuals" in checked_group(file, "model"):
        add_visuals(model, {name: datasets.read_table(file, f"model/visuals/{name}") for name in VISUALS})
    return model


def stored_description(file: Any) -> Any:
    """The description that `description.describe` gave, of an open file."""
    return parsed(datasets.read_text(file, "model/description", MOST_TEXT), "model/description")


def stored_settings(file: Any, model: Any) -> dict[str, Any]:
    """Settings of the run in an open file. Raises ValueError for values that no run has written."""
    settings = plain_settings(file)
    return {**settings, "scheme": value_of(settings["scheme"], model, ("schemes",), "settings.scheme")}


def stored_lacks(file: Any) -> list[str]:
    """The things that the model and the scheme in an open file lack, in words."""
    return missing(stored_description(file)) + scheme_lacks(file)


def scheme_lacks(file: Any) -> list[str]:
    """The things that the scheme in an open file lacks, in words."""
    return missing(plain_settings(file)["scheme"])


def plain_settings(file: Any) -> dict[str, Any]:
    """The settings as they are recorded."""
    settings = parsed(datasets.read_text(file, "settings", MOST_TEXT), "settings")
    if isinstance(settings, dict):
        settings = {"impacts": FIXED, "accuracy": None, "span": 0.0} | settings  # the first files have none
    settings = of_table(settings, SETTINGS, "settings")
    choice("settings.impacts", settings["impacts"], IMPACTS)
    controlled = () if settings["accuracy"] is None else ("accuracy", "span")
    for name in ("tol", "seconds", *controlled):
        positive(f"settings.{name}", settings[name])
    for h in settings["h"] if isinstance(settings["h"], list) else [settings["h"]]:
        positive("settings.h", h)
    number_in("settings.t0", settings["t0"], -math.inf, math.inf)
    count("settings.every", settings["every"])
    return settings


def versions(file: Any) -> dict[str, str]:
    """Versions of the packages that wrote the file."""
    found = parsed(attribute(file, "packages"), "packages")
    if not isinstance(found, dict):
        raise refuse("packages", type(found).__name__, "a table")
    return {str(name): str(version) for name, version in found.items()}


def scheme_in_words(settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name of the recorded scheme and its arguments that are numbers."""
    scheme: dict[str, Any] = settings["scheme"] if isinstance(settings["scheme"], dict) else {}
    arguments = scheme.get("arguments")
    pairs = arguments.items() if isinstance(arguments, dict) else ()
    numbers = {key: value for key, value in pairs if isinstance(value, int | float)}
    return str(scheme.get("record", "?")), numbers


def stored_status(file: Any, t: float) -> Status:
    """Status of the stored run, or that the file lacks it; `t` [s] is the end."""
    text = attribute(file, "status", "")
    if not text:
        message = f"not finished: recorded up to t = {t:g} s; resume(path, t_end=...) goes on from there"
        return Status(False, message, t)
    keys = {
        "ok": bool,
        "message": str,
        "time": float,
        "subproblem": object,
        "contact": object,
        "residual": float,
    }
    status = of_table(parsed(text, "status"), keys, "status")
    contact, part = status.pop("contact"), status["subproblem"]
    if not (part is None or isinstance(part, str)):
        raise refuse("status, subproblem", part, "a text or null")
    if contact is not None:
        if not (isinstance(contact, list) and [type(each) for each in contact] == [str, str]):
            raise refuse("status, contact", contact, "two names or null")
        contact = tuple(contact)
    return Status(**status, contact=contact)


def _added(file: Any, rows: _Rows, name: str, count: int) -> Any:
    """A column (count,) of states or statistics; zeros if the file does not have it."""
    group, _, column = name.partition("/")
    if name in datasets.ADDED and column not in file[group]:
        return np.zeros(count, float if column in REAL_STATISTICS else np.int64)
    return rows.of(name, count, (), "if")


def _times(file: Any, filled: Filled) -> Any:
    """Times (n,) of the states, n >= 1, finite and increasing."""
    data = checked_dataset(file, "states/t", kinds="f", most=MOST_WHOLE, rows=filled.states)
    t = datasets.present(np.asarray(read_rows(data, slice(filled.states)), float), "states/t")
    confirm(file, "states/t", 0, t)
    if t.ndim != 1 or len(t) == 0 or not np.isfinite(t).all() or (np.diff(t) <= 0.0).any():
        raise ValueError(f"states/t, {t.shape}: must be at least one time, finite and increasing")
    return t


def _ends(file: Any, name: str, states: int, count: int) -> Ints:
    """Rows up to and with each of the states."""
    data = checked_dataset(file, name, kinds="i", most=MOST_WHOLE, rows=states)
    end = datasets.present(np.asarray(read_rows(data, slice(states)), np.int64), name)
    if end.ndim != 1 or (np.diff(end, prepend=0) < 0).any() or end[-1] != count:
        raise ValueError(f"{name}: must increase from 0 to {count}")
    confirm(file, name, 0, end)
    return end


def _histories(file: Any, source: ArraySource, filled: Filled) -> StoredHistories:
    rows = {"end": filled.states, "opened": filled.states}
    tails = {"end": 0, "opened": 2, "pair": 1, "tangent": 1, "values": 1, "feature": 0}
    tables = {
        name: checked_dataset(
            file,
            f"histories/{name}",
            kinds="i" if name in ("end", "pair", "feature") else "f",
            most=MOST,
            rows=rows.get(name, filled.remembered),
            whole=False,
        )
        for name in datasets.HISTORIES
        if f"histories/{name}" not in datasets.ADDED or name in file["histories"]
    }
    for name, data in tables.items():
        if data.ndim != tails[name] + 1:
            raise refuse(f"histories/{name}", data.shape, f"{tails[name] + 1} axes")
    if tables["pair"].shape[1] != 4 or tables["tangent"].shape[1] != 3:
        raise refuse("histories/pair", tables["pair"].shape, "4 wide, and tangents 3")
    if tables["opened"].shape[2] != tables["values"].shape[1]:
        raise refuse("histories/opened", tables["opened"].shape, "as wide as the values")
    end = _ends(file, "histories/end", filled.states, filled.remembered)
    return StoredHistories(source, end, [name for name in datasets.MEMORY if name in tables])


def _contacts(file: Any, filled: Filled, rows: _Rows, model: StoredModel) -> Contacts:
    end = _ends(file, "contacts/end", filled.states, filled.contacts)
    known = {"body_a": (0, len(model.bodies)), "body_b": (-1, len(model.bodies))}
    keyed = format_of(file) >= KEYED
    known["feature"] = (0, KEYS if keyed else NUMBERS)

    def column(name: str) -> Any:
        path, count = f"contacts/{name}", filled.contacts
        if path in datasets.ADDED and name not in file["contacts"]:
            return np.zeros(count, np.int64)
        if name == "status":
            return rows.of(path, count, (), "i", CONTACT_STATUS.dtype, contact_status)
        if name == "plane":
            return rows.of(path, count, (), "i", np.int64, partial(_planes, path, model))
        if name in known:
            checked = partial(numbers_of_handles, path, *known[name])
            return rows.of(path, count, (), "i", np.int64, checked)
        return rows.of(path, count, datasets.contact_tail(name))

    columns = {name: column(name) for name in datasets.CONTACTS}
    if not keyed and model.primitives and "feature" in file["contacts"]:
        sides = columns["body_a"], columns["body_b"], columns["plane"]
        columns["feature"] = StoredKeys(model, sides, columns["feature"])
    return Contacts(np.concatenate([[0], end]), **columns)


def _planes(name: str, model: StoredModel, values: Any) -> Any:
    """Numbers of planes; below -1, in models with contacts between markers, the kinds of these."""
    least = TURNING_FRICTION if np.size(values) and np.min(values) < -1 and _has_markers(model) else -1
    return numbers_of_handles(name, least, len(model.planes), values)


def _has_markers(model: StoredModel) -> bool:
    """True if a model has contacts between markers, or elements that cannot be made here."""
    try:
        return any(isinstance(element, MarkerContact) for element in model.elements)
    except ValueError:
        return True


def _joints(file: Any, rows: _Rows, states: int, model: StoredModel) -> Any:
    """The table (states, R, 3) of rows of joints and drives, with their memory behind."""
    joints, drives, angles = model.counts  # no more angles of joints than limits and frictions
    cell = 0 if model.cell_motion is None else model.cell_motion.state_rows
    if not joints + cell:
        return np.empty((states, 0, 3))
    shape = find_dataset(file, datasets.JOINTS).shape
    least, most = (joints, MOST_ROWS * joints) if not drives else (0, 2 * MOST_ROWS * joints + drives)
    if len(shape) != 3 or not least + cell <= shape[1] <= most + angles + cell:
        raise refuse(datasets.JOINTS, shape, f"one to {MOST_ROWS} rows for each of {joints} joints")
    return rows.of(datasets.JOINTS, states, (shape[1], 3))


def _sensors(file: Any, rows: _Rows) -> SensorTable:
    group = checked_group(file, "sensors")
    if len(group) > MOST_SENSORS:
        raise refuse("sensors", len(group), f"at most {MOST_SENSORS}")
    return SensorTable((name, _series(file, f"sensors/{name}", rows)) for name in group)


def _series(file: Any, name: str, rows: _Rows) -> Series:
    parts = (f"{name}/{part}" for part in ("t", "value"))
    t, value = (checked_dataset(file, part, kinds="iuf", most=MOST, whole=False) for part in parts)
    if t.ndim != 1 or value.ndim < 1:
        raise refuse(name, (t.shape, value.shape), "times and a value for each")
    count = min(len(t), len(value))
    return Series(
        rows.of(f"{name}/t", count, (), "f"), rows.of(f"{name}/value", count, value.shape[1:], "iuf")
    )


def numbers_of_handles(name: str, low: int, count: int, values: Any) -> Any:
    """`values`, numbers of bodies, planes or features from `low` to before `count`."""
    if np.size(values) and not (np.min(values) >= low and np.max(values) < count):
        raise ValueError(f"{name}: numbers must be in [{low}, {count - 1}]")
    return np.asarray(values, np.int64) if np.ndim(values) else np.int64(values)


def contact_status(codes: Any) -> Any:
    """Names of the statuses of contacts."""
    if np.size(codes) and not (np.min(codes) >= 0 and np.max(codes) < len(CONTACT_STATUS)):
        raise ValueError(f"contacts/status: codes must be in [0, {len(CONTACT_STATUS) - 1}]")
    return CONTACT_STATUS.take(codes)
