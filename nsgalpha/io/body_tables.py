"""Bodies and primitives from the tables of a file, checked as by `Model.add_sphere` etc.

Rows are judged as columns, which takes no time. The first bad one is then passed to the public function,
whose error is raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags
from nsgalpha.checks import index, number_in, positive, refuse, truth, vector
from nsgalpha.io.model_description import COLUMNS
from nsgalpha.model.body_inertia import inertia_tensor
from nsgalpha.model.handles import Body
from nsgalpha.model.model import Model

VECTORS = ("position", "velocity", "angular_velocity")
TAILS: dict[str, tuple[int, ...]] = {"inertia": (3, 3), "rotation": (4,), **dict.fromkeys(VECTORS, (3,))}
UNIT = 1e-12  # by which the length of a stored quaternion may differ from 1


def add_bodies(model: Model, names: list[str], tables: dict[str, Any], standing: Sequence[Any] = ()) -> None:
    """Add the bodies of `tables` to an empty model; ValueError that names the body and the column.

    standing: the bodies that are fixed or have their own gravity, see model_description.py.
    """
    for name in COLUMNS:
        shape = (len(names), *TAILS.get(name, ()))
        if tables[name].shape != shape:
            raise refuse(f"bodies/{name}", tables[name].shape, f"of the shape {shape}")
    if len(set(names)) < len(names):
        raise refuse("bodies/name", "a name twice", "different names")
    held = _standing(standing, len(names))
    fixed = np.zeros(len(names), bool)
    fixed[[k for k, each in held.items() if each["fixed"]]] = True
    bad = np.flatnonzero(~_sound(tables, fixed))
    if len(bad):
        first = bad[0]
        if fixed[first] and (tables["velocity"][first].any() or tables["angular_velocity"][first].any()):
            raise refuse(f"bodies, {names[first]!r}, velocity", "another", "0 for fixed bodies")
        _refuse(names[first], {name: table[first].tolist() for name, table in tables.items()})
    plain = {name: tables[name].tolist() for name in COLUMNS if name not in TAILS}
    vectors = {name: tables[name].astype(float) for name in TAILS}
    for k, name in enumerate(names):
        row = {key: values[k] for key, values in plain.items()}
        row |= {key: values[k].copy() for key, values in vectors.items()} | held.get(k, {})
        model.bodies.append(Body(model, k, name, **row))
        model.names.take(name)


def _standing(rows: Sequence[Any], count: int) -> dict[int, dict[str, Any]]:
    """Bodies that are fixed or have their own gravity, by numbers. Raises ValueError for bad rows."""
    found: dict[int, dict[str, Any]] = {}
    for k, row in enumerate(rows):
        place = f"standing[{k}]"
        if not isinstance(row, dict) or set(row) != {"body", "fixed", "gravity"}:
            raise refuse(place, row, "a table with the keys body, fixed, gravity")
        body = index(f"{place}.body", row["body"], count)
        own = None if row["gravity"] == [] else vector(f"{place}.gravity", row["gravity"])
        found[body] = {"fixed": truth(f"{place}.fixed", row["fixed"]), "gravity": own}
    return found


def _sound(tables: dict[str, Any], fixed: Flags) -> Flags:
    """Bodies (N,) that could have been stated."""
    radius, mass, turns, tensor = (tables[name] for name in ("radius", "mass", "turns", "inertia"))
    finite = np.isfinite(radius) & np.isfinite(mass) & (radius >= 0.0) & (mass >= 0.0)
    for name in TAILS:
        finite &= np.isfinite(tables[name]).reshape(len(radius), -1).all(axis=1)
    finite &= np.abs(np.linalg.norm(tables["rotation"], axis=1) - 1.0) <= UNIT
    tensor = np.where(finite[:, None, None], tensor, np.eye(3))
    principal = np.linalg.eigvalsh(tensor)
    symmetric = np.isclose(tensor, np.swapaxes(tensor, 1, 2), rtol=1e-12, atol=0.0).all(axis=(1, 2))
    rigid = symmetric & (mass > 0.0) & (principal[:, 0] > 0.0)
    rigid &= principal[:, 2] <= (principal[:, 0] + principal[:, 1]) * (1.0 + 1e-12)
    still = ~tensor.any(axis=(1, 2)) & ~tables["angular_velocity"].any(axis=1)
    still &= (tables["rotation"] == (1.0, 0.0, 0.0, 0.0)).all(axis=1)
    bare = fixed & (mass == 0.0) & ~tensor.any(axis=(1, 2))  # without a mass
    at_rest = ~tables["velocity"].any(axis=1) & ~tables["angular_velocity"].any(axis=1)
    return np.asarray(finite & np.where(turns, rigid | bare, still) & (~fixed | at_rest))


def _refuse(name: str, row: dict[str, Any]) -> None:
    """Raise the error of a body."""
    where = f"bodies, {name!r}, "
    number_in(f"{where}radius", row["radius"], 0.0, np.inf)
    for column in VECTORS:
        vector(where + column, row[column])
    if abs(float(np.linalg.norm(vector(f"{where}rotation", row["rotation"], 4))) - 1.0) > UNIT:
        raise refuse(f"{where}rotation", row["rotation"], "a quaternion of length 1")
    if row["turns"]:
        positive(f"{where}mass", row["mass"])
        inertia_tensor(f"{where}inertia", row["inertia"])
    number_in(f"{where}mass", row["mass"], 0.0, np.inf)
    raise refuse(f"{where}inertia", row["inertia"], "that of a body, or 0 with a point that is not turned")


def add_primitives(model: Model, tables: dict[str, Any]) -> None:
    """Add the primitives of `tables` (description.primitive_tables) to a model; ValueError that names one."""
    end, corner, place = tables["end"], tables["corner"], tables["place"]
    for name in ("radius", "rigid", "carrier", "end"):
        if tables[name].shape != (len(tables["name"]),):
            raise refuse(f"primitives/{name}", tables[name].shape, f"of the shape ({len(tables['name'])},)")
    for name in ("carrier", "end", "corner", "place_carrier"):
        if tables[name].ndim != 1 or tables[name].dtype.kind != "i":
            raise refuse(f"primitives/{name}", tables[name].dtype, "integers, in one row")
    starts = np.concatenate([[0], end])
    if (len(end) and (np.diff(starts) < 1).any()) or (end[-1] if len(end) else 0) != len(corner):
        raise refuse("primitives/end", end.tolist()[:4], f"increasing, up to the {len(corner)} corners")
    if place.shape != (len(tables["place_carrier"]), 3):
        raise refuse("primitives/place", place.shape, "one for each carrier, (n, 3)")
    if not np.isfinite(place).all():
        raise refuse("primitives/place", "not a number", "finite")
    carriers = [carrier_of(model, code) for code in tables["place_carrier"].tolist()]
    model.shapes.carriers.extend(carriers)
    model.shapes.places.extend(np.asarray(place, float))
    columns = (tables[name].tolist() for name in ("radius", "rigid", "carrier"))
    rows = zip(tables["name"], *columns, pairwise(starts.tolist()), strict=True)
    for k, (name, radius, rigid, code, (first, last)) in enumerate(rows):
        try:
            model.shapes.restore(name, corner[first:last].tolist(), radius, rigid, carrier_of(model, code))
        except ValueError as error:
            raise ValueError(f"primitives[{k}]: {error}") from None
    model.shapes.check_rigid()


def carrier_of(model: Model, code: int) -> Any:
    """Space, a body or a plane, see description.primitive_tables."""
    if not -len(model.planes) <= code <= len(model.bodies):
        raise refuse("primitives/carrier", code, f"in [{-len(model.planes)}, {len(model.bodies)}]")
    if code == 0:
        return None
    return model.bodies[code - 1] if code > 0 else model.planes[-code - 1]
