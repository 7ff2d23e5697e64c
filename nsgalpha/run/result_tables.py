"""Results as tables: columns by name, those of the index first.

    columns_of(result, "joints").columns["fx"]

`Result.save` writes such a table to a CSV file, and `Result.to_pandas` returns one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nsgalpha.arrays import Floats
from nsgalpha.checks import choice
from nsgalpha.run.cell_series import cell_series
from nsgalpha.run.contact_filter import sides_in_words

XYZ, WXYZ = list("xyz"), list("wxyz")
#: Columns of bodies, by the array of a result; units are those of the result.
BODIES = {
    "position": XYZ,
    "rotation": [f"q{name}" for name in WXYZ],
    "velocity": [f"v{name}" for name in XYZ],
    "angular_velocity": [f"w{name}" for name in XYZ],
}
WRENCH = [f"{kind}{axis}" for kind in "fm" for axis in XYZ]

Column = NDArray[Any]


class ResultTable(NamedTuple):
    """Columns of one length by name; those of `rows` tell the rows apart."""

    rows: Mapping[str, Column]  # the index
    columns: Mapping[str, Column]


def columns_of(result: Any, what: str) -> ResultTable:
    """One of TABLES, or the measurements of the sensor with this name; ValueError for another name."""
    if isinstance(what, str) and what not in TABLES and what in result.sensors:
        series = result.sensors[what]
        return ResultTable({"t": np.asarray(series.t)}, dict(flat_columns({what: np.asarray(series.value)})))
    return TABLES[choice("what", what, (*TABLES, *result.sensors))](result)


def flat_columns(columns: Mapping[str, Column]) -> Iterator[tuple[str, Column]]:
    """The columns, arrays (n, ...) as a column for each entry: `name[0]`, `name[0,1]`."""
    for name, column in columns.items():
        if column.ndim == 1:
            yield name, column
        for index in np.ndindex(column.shape[1:]) if column.ndim > 1 else ():
            yield f"{name}[{','.join(map(str, index))}]", column[(slice(None), *index)]


def _bodies(result: Any) -> ResultTable:
    index = _times_and_names(result, "body", [body.name for body in result.model.bodies])
    columns: dict[str, Column] = {}
    for name, parts in BODIES.items():
        array = np.asarray(getattr(result, name)).reshape(-1, len(parts))
        columns |= dict(zip(parts, array.T, strict=True))
    return ResultTable(index, columns)


def _contacts(result: Any) -> ResultTable:
    contacts, (a, b) = result.contacts, sides_in_words(result.model, result.contacts)
    columns: dict[str, Any] = {"t": np.asarray(result.t)[contacts.record], "a": a, "b": b}
    columns["gap"] = np.asarray(contacts.gap)
    for name, prefix in (("normal", "n"), ("impulse", "p")):
        vectors = np.asarray(getattr(contacts, name))
        columns |= {f"{prefix}{axis}": vectors[:, k] for k, axis in enumerate(XYZ)}
    columns |= dict(zip(WRENCH, np.asarray(contacts.wrench).T, strict=True))
    return ResultTable({}, columns | {"status": np.asarray(contacts.status)})


def _steps(result: Any) -> ResultTable:
    columns = {name: np.asarray(getattr(result.stats, name)) for name in result.stats.__dataclass_fields__}
    return ResultTable({"step": np.arange(1, len(result.stats.contacts) + 1)}, columns)


def _energies(result: Any) -> ResultTable:
    columns = {kind: result.energy(kind) for kind in ("kinetic", "potential", "elastic")}
    total = sum(columns.values(), np.zeros(len(result.t)))
    return ResultTable({"t": np.asarray(result.t)}, columns | {"total": total})


def _joints(result: Any) -> ResultTable:
    joints, count = result.model.joints, len(result.t)
    index = _times_and_names(result, "joint", [joint.name for joint in joints])
    wrench = np.zeros((count, len(joints), 6))
    motions: dict[str, Floats] = {}
    for k, joint in enumerate(joints):
        wrench[:, k] = np.hstack(result.reaction(joint))
        for name in getattr(joint, "coordinates", {}):
            for column, values in zip((name, f"{name}_rate"), result.coordinate(joint, name), strict=True):
                motions.setdefault(column, np.full((count, len(joints)), np.nan))[:, k] = values
    columns = dict(zip(WRENCH, wrench.reshape(-1, 6).T, strict=True))
    return ResultTable(index, columns | {name: each.ravel() for name, each in motions.items()})


def _drives(result: Any) -> ResultTable:
    drives = result.model.drives
    index = _times_and_names(result, "drive", [getattr(drive, "name", "") for drive in drives])
    efforts = np.zeros((2, len(result.t), len(drives)))
    for k, drive in enumerate(drives):
        efforts[:, :, k] = result.effort(drive)
    return ResultTable(index, {"load": efforts[0].ravel(), "power": efforts[1].ravel()})


def _works(result: Any) -> ResultTable:
    return ResultTable({"t": np.asarray(result.t)}, result.works())


def _cell(result: Any) -> ResultTable:
    """The periodic cell: periods, strains, their rates, shear, volume."""
    cell = cell_series(result)
    columns: dict[str, Column] = {}
    for name, each in (("L", cell.periods), ("strain_", cell.strain), ("rate_", cell.strain_rate)):
        columns |= {f"{name}{axis}": each[:, k] for k, axis in enumerate(XYZ)}
    columns |= {"shear": cell.shear, "shear_rate": cell.shear_rate, "volume": cell.volume}
    return ResultTable({"t": cell.t}, columns)


def _sensors(result: Any) -> ResultTable:
    """All sensors by name at all their times; nan where one has not measured."""
    series = result.sensors
    t = np.unique(np.concatenate([np.empty(0), *(np.asarray(each.t) for each in series.values())]))
    columns: dict[str, Column] = {}
    for name in sorted(series):
        each = series[name]
        value = np.asarray(each.value, float)
        columns[name] = np.full((len(t), *value.shape[1:]), np.nan)
        columns[name][np.searchsorted(t, np.asarray(each.t))] = value
    return ResultTable({"t": t}, dict(flat_columns(columns)))


def _times_and_names(result: Any, kind: str, names: list[str]) -> dict[str, Column]:
    """The index of a row for each recorded time and name."""
    t = np.asarray(result.t)
    return {"t": np.repeat(t, len(names)), kind: np.tile(np.array(names, object), len(t))}


#: Tables of a result by name.
TABLES: Mapping[str, Callable[[Any], ResultTable]] = {
    "bodies": _bodies,
    "contacts": _contacts,
    "steps": _steps,
    "energies": _energies,
    "joints": _joints,
    "drives": _drives,
    "works": _works,
    "cell": _cell,
    "sensors": _sensors,
}
