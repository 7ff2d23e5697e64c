"""Results as tables of pandas and data sets of xarray, imported on demand."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from nsgalpha.run.contact_filter import sides_in_words
from nsgalpha.run.result_tables import BODIES, WXYZ, XYZ, columns_of
from nsgalpha.run.run_records import Contacts

if TYPE_CHECKING:
    import pandas
    import xarray

UNITS = {"position": "m", "rotation": "1", "velocity": "m/s", "angular_velocity": "rad/s"}


def imported(name: str) -> ModuleType:
    """The package `name`; ImportError that says how to get it."""
    try:
        return __import__(name)
    except ImportError as error:
        method = f"to_{name}"
        raise ImportError(f"{method} needs {name}: pip install nsgalpha[tables]") from error


def to_pandas(result: Any, what: str) -> pandas.DataFrame:
    """See Result.to_pandas."""
    pd, (index, columns) = imported("pandas"), columns_of(result, what)
    names = list(index)
    if not names:
        return pd.DataFrame(columns)
    rows = pd.Index(index[names[0]], name=names[0])
    if len(names) > 1:
        rows = pd.MultiIndex.from_arrays(list(index.values()), names=names)
    return pd.DataFrame(columns, index=rows)


def write_parquet(result: Any, what: str, path: Path) -> None:
    """Write a table of `result` to a Parquet file; see Result.save. Raises ImportError without pyarrow."""
    table = to_pandas(result, what)
    try:
        table.to_parquet(path)
    except ImportError as error:
        raise ImportError("a Parquet file needs pyarrow: pip install nsgalpha[parquet]") from error


def to_xarray(result: Any) -> xarray.Dataset:
    """See Result.to_xarray."""
    xr = imported("xarray")
    names = [body.name for body in result.model.bodies]
    coordinates = {"t": ("t", np.asarray(result.t), {"units": "s"}), "body": names}
    coordinates |= {"axis": XYZ, "component": WXYZ}
    variables: dict[str, Any] = {
        name: (
            ("t", "body", "component" if name == "rotation" else "axis"),
            np.asarray(getattr(result, name)),
            {"units": UNITS[name]},
        )
        for name in BODIES
    }
    variables |= _contact_variables(result, result.contacts)
    for name in result.stats.__dataclass_fields__:
        variables[f"step_{name}"] = ("step", np.asarray(getattr(result.stats, name)))
    for name, series in result.sensors.items():
        value, time = np.asarray(series.value), f"t_{name}"
        coordinates[time] = (time, np.asarray(series.t), {"units": "s"})
        tail = [f"{name}_{k}" for k in range(value.ndim - 1)]
        variables[f"sensor_{name}"] = ((time, *tail), value)
    facts = {"gravity": result.model.gravity, "status": result.status.message}
    return xr.Dataset(variables, coordinates, facts)


def _contact_variables(result: Any, contacts: Contacts) -> dict[str, Any]:
    a, b = sides_in_words(result.model, contacts)
    wrench, vector = np.asarray(contacts.wrench), ("contact", "axis")
    return {
        "contact_t": ("contact", np.asarray(result.t)[contacts.record], {"units": "s"}),
        "contact_a": ("contact", np.array(a, str)),
        "contact_b": ("contact", np.array(b, str)),
        "contact_gap": ("contact", np.asarray(contacts.gap), {"units": "m"}),
        "contact_normal": (vector, np.asarray(contacts.normal)),
        "contact_impulse": (vector, np.asarray(contacts.impulse), {"units": "N s"}),
        "contact_force": (vector, wrench[:, :3], {"units": "N"}),
        "contact_torque": (vector, wrench[:, 3:], {"units": "N m"}),
        "contact_status": ("contact", np.asarray(contacts.status)),
    }
