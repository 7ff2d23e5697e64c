"""Results as tables of pandas and data sets of xarray, imported on demand."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from nsgalpha.checks import choice
from nsgalpha.run.contact_filter import sides_in_words
from nsgalpha.run.run_records import Contacts

if TYPE_CHECKING:
    import pandas
    import xarray

XYZ, WXYZ = list("xyz"), list("wxyz")
#: Columns of bodies, by the array of a result; units are those of the result.
BODIES = {
    "position": XYZ,
    "rotation": [f"q{name}" for name in WXYZ],
    "velocity": [f"v{name}" for name in XYZ],
    "angular_velocity": [f"w{name}" for name in XYZ],
}
UNITS = {"position": "m", "rotation": "1", "velocity": "m/s", "angular_velocity": "rad/s"}
KINDS = ("bodies", "contacts", "steps", "energies")


def imported(name: str) -> ModuleType:
    """The package `name`; ImportError that says how to get it."""
    try:
        return __import__(name)
    except ImportError as error:
        method = f"to_{name}"
        raise ImportError(f"{method} needs {name}: pip install nsgalpha[tables]") from error


def to_pandas(result: Any, what: str) -> pandas.DataFrame:
    """See Result.to_pandas."""
    made = {"bodies": _bodies, "contacts": _contacts, "steps": _steps, "energies": _energies}
    return made[choice("what", what, KINDS)](imported("pandas"), result)


def _bodies(pd: Any, result: Any) -> pandas.DataFrame:
    names = [body.name for body in result.model.bodies]
    index = pd.MultiIndex.from_product([np.asarray(result.t), names], names=["t", "body"])
    tables = [np.asarray(getattr(result, name)).reshape(len(index), -1) for name in BODIES]
    columns = [column for each in BODIES.values() for column in each]
    return pd.DataFrame(np.concatenate(tables, axis=1), index=index, columns=columns)


def _contacts(pd: Any, result: Any) -> pandas.DataFrame:
    contacts, (a, b) = result.contacts, sides_in_words(result.model, result.contacts)
    columns: dict[str, Any] = {"t": np.asarray(result.t)[contacts.record], "a": a, "b": b}
    columns["gap"] = np.asarray(contacts.gap)
    for name, prefix in (("normal", "n"), ("impulse", "p")):
        columns |= {
            f"{prefix}{axis}": np.asarray(getattr(contacts, name))[:, k] for k, axis in enumerate(XYZ)
        }
    wrench = np.asarray(contacts.wrench)
    columns |= {
        f"{kind}{axis}": wrench[:, 3 * j + k] for j, kind in enumerate("fm") for k, axis in enumerate(XYZ)
    }
    return pd.DataFrame(columns | {"status": np.asarray(contacts.status)})


def _steps(pd: Any, result: Any) -> pandas.DataFrame:
    columns = {name: np.asarray(getattr(result.stats, name)) for name in result.stats.__dataclass_fields__}
    index = pd.RangeIndex(1, len(result.stats.contacts) + 1, name="step")
    return pd.DataFrame(columns, index=index)


def _energies(pd: Any, result: Any) -> pandas.DataFrame:
    columns = {kind: result.energy(kind) for kind in ("kinetic", "potential", "elastic")}
    index = pd.Index(np.asarray(result.t), name="t")
    return pd.DataFrame(columns | {"total": sum(columns.values())}, index=index)


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
