"""Trajectories of joints from tables, a column of coordinates for each joint.

    time, shoulder, elbow
    0, 0, 0.5
    1, 0.3, 0.9

A cubic spline joins the rows of a column. It begins at rest, as a robot does.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha import checks
from nsgalpha.arrays import Floats
from nsgalpha.user_files import read_bytes

LARGEST = 100_000_000  # bytes of a table
TIME = "time"  # the name of the first column

Trajectory = str | PathLike[str] | Mapping[str, ArrayLike]


def motions(trajectory: Trajectory, joints: Collection[str]) -> dict[str, Floats]:
    """Times, values and rates (n, 3) of each of the `joints` that has a column.

    Raises ValueError, with file, line and column, for tables that cannot be used; OSError if a file cannot be
    read.
    """
    if isinstance(trajectory, Mapping):
        columns = _from_columns(trajectory, joints)
    else:
        columns = _from_file(trajectory, joints)
    t = columns.pop(TIME)
    return {name: _motion(t, value) for name, value in columns.items()}


def _motion(t: Floats, value: Floats) -> Floats:
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(t, value, bc_type=((1, 0.0), "not-a-knot"))
    return np.column_stack([t, value, spline(t, 1)])


def _check_header(where: str, names: list[str], joints: Collection[str]) -> None:
    known = f"that of a joint, of which there are {', '.join([*joints][:12]) or 'none'}"
    if not names or names[0] != TIME:
        first = names[0] if names else ""
        raise checks.refuse(f"{where}first column", first, repr(TIME), "then a column for each joint")
    if len(names) == 1:
        raise ValueError(f"{where}has no column but {TIME!r}; add one for a joint")
    for k, name in enumerate(names[1:], 2):
        if name not in joints:
            raise checks.refuse(f"{where}name of column {k}", name, known, "rename it, or take it out")
        if name in names[: k - 1]:
            raise ValueError(f"{where}column {k}: {checks.shown(name)} is given twice; take one out")


def _from_columns(given: Mapping[str, ArrayLike], joints: Collection[str]) -> dict[str, Floats]:
    _check_header("trajectory: ", sorted(given, key=lambda name: name != TIME), joints)
    columns = {name: checks.finite(f"trajectory[{name!r}]", value) for name, value in given.items()}
    count = len(columns[TIME]) if columns[TIME].ndim == 1 else 0
    if count < 2:
        raise checks.refuse(f"trajectory[{TIME!r}]", given[TIME], "two times or more")
    for name, value in columns.items():
        if value.shape != (count,):
            allowed = f"of the shape ({count},), a value for each time"
            raise checks.refuse(f"shape of trajectory[{name!r}]", value.shape, allowed)
    late = np.flatnonzero(np.diff(columns[TIME]) <= 0.0)
    if len(late):
        k = int(late[0]) + 1
        remedy = f"the one before is {columns[TIME][k - 1]:g}"
        raise checks.refuse(f"trajectory[{TIME!r}][{k}]", float(columns[TIME][k]), "increasing", remedy)
    return columns


def _from_file(path: str | PathLike[str], joints: Collection[str]) -> dict[str, Floats]:
    file = checks.path("trajectory", path)
    try:
        lines = read_bytes(file, LARGEST).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{file.name}: {error}; save the file as UTF-8") from None
    names: list[str] = []
    rows: list[list[float]] = []
    for line, text in enumerate(lines, 1):
        if not text.strip() or text.startswith("#"):
            continue
        where, (cells,) = f"{file.name}, line {line}: ", csv.reader([text], skipinitialspace=True)
        cells = [cell.strip() for cell in cells]
        if not names:
            _check_header(where, cells, joints)
            names = cells
            continue
        if len(cells) != len(names):
            raise ValueError(
                f"{where}has {len(cells)} values; it must have {len(names)}, one for each column"
            )
        rows.append([_cell(where, name, cell) for name, cell in zip(names, cells, strict=True)])
        if len(rows) > 1 and rows[-1][0] <= rows[-2][0]:
            remedy = f"the one before is {rows[-2][0]:g}"
            raise checks.refuse(f"{where}{TIME}", rows[-1][0], "later than in the row before", remedy)
    if len(rows) < 2:
        raise ValueError(f"{file.name}: needs two rows or more below its header, and has {len(rows)}")
    return dict(zip(names, np.array(rows).T, strict=True))


def _cell(where: str, name: str, text: str) -> float:
    try:
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise checks.refuse(f"{where}{name}", text, "a finite number, with a point and no unit")
    return value


def follow(model: Any, joints: Mapping[str, Any], trajectory: Trajectory, drive: Any) -> dict[str, Any]:
    """Add a `drive` for each joint that has a column; see Robot.follow."""
    found = motions(trajectory, joints)
    for name in found:
        count = len(getattr(joints[name], "coordinates", {}))
        if count != 1:
            allowed = "that of a joint with one coordinate"
            raise checks.refuse(
                "name of a column", name, allowed, f"it has {count}: state its drives by hand"
            )
    return {name: model.add(drive(joints[name], motion)) for name, motion in found.items()}
