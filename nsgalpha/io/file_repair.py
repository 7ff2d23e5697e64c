"""Repair of a damaged file: a copy of all parts before the first damaged one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from os import PathLike, fspath, truncate
from pathlib import Path
from shutil import copyfile
from typing import Any
from uuid import uuid4

import numpy as np

from nsgalpha.io import hdf5_tables as tables
from nsgalpha.io import part_checksums
from nsgalpha.io.hdf5 import DAMAGE, checked_dataset, checked_group, read_rows, regular_file
from nsgalpha.io.hdf5_structure import missing_bytes
from nsgalpha.io.model_description import COLUMNS
from nsgalpha.io.model_reader import MOST_TEXT
from nsgalpha.io.new_file import new_file
from nsgalpha.io.open_file import RefusedFile, open_file, refusing
from nsgalpha.io.presence_changes import CHANGES, read_changes
from nsgalpha.io.result_reader import PRIMITIVES, stored_model
from nsgalpha.io.visual_tables import COLUMNS as VISUALS
from nsgalpha.model.coordinate_relations import memory_rows

MOST_SERIES = 1 << 33  # bytes of a sensor's measurements


def whole_parts(path: str | PathLike[str]) -> tuple[int, list[str]]:
    """Number of parts of a file, and its damage in words."""
    with open_file(path) as file, refusing(path):
        rows, checksums = part_checksums.read_parts(file)
        last = [f"the last rows of {name}" for name in part_checksums.torn(file, rows)]
        return len(checksums), [str(damage) for damage in part_checksums.damages(file)] + last


def repair(path: str | PathLike[str], target: str | PathLike[str]) -> int:
    """Write the parts before the first damaged one to `target`. Returns the number of states.

    The run can be resumed from there. A part is whole if its rows have the checksums of their writing, also
    in a chunk that a kill has torn.

    Raises FileExistsError if there is a `target`, ValueError if no part is whole.
    """
    if Path(target).exists():
        raise FileExistsError(f"target = {fspath(target)!r}: exists; give another name")
    with _of_full_length(path, target) as file, refusing(path):
        rows, checksums = part_checksums.read_parts(file)
        bad = [damage.part for damage in part_checksums.damages(file)]
        count = min(bad, default=len(checksums))
        if count == 0 or rows[count][part_checksums.STATE] == 0:
            raise ValueError("not one part of it is whole")
        try:
            with new_file(target) as copy:
                _copy(file, copy, rows[: count + 1], checksums)
        except BaseException:
            Path(target).unlink(missing_ok=True)
            raise
        return int(rows[count][part_checksums.STATE])


@contextmanager
def _of_full_length(path: str | PathLike[str], target: str | PathLike[str]) -> Iterator[Any]:
    """The open file; a truncated one as a copy beside `target`, filled with zeros."""
    padded = None
    with refusing(path):
        whole = regular_file(path)
        missing = missing_bytes(whole)
    if missing:
        padded = Path(f"{fspath(target)}.{uuid4().hex}.tmp")
        copyfile(whole, padded)
        truncate(padded, padded.stat().st_size + missing)
    try:
        with open_file(padded or whole) as file:
            yield file
    except RefusedFile as error:
        if padded is None:
            raise
        text = str(error).removeprefix(f"path = {fspath(padded)!r}: ")
        message = f"is cut off: {missing} bytes at its end are missing, and of the rest {text}"
        raise RefusedFile(f"path = {fspath(path)!r}: {message}") from error
    finally:
        if padded:
            padded.unlink()


def _copy(file: Any, copy: Any, rows: Any, checksums: Any) -> None:
    for name in ("run", "nsgalpha", "packages", "written", "format", "format_version"):
        copy.attrs[name] = file.attrs[name]
    for name in ("settings", "model/description"):  # not by HDF5's copy, which may crash on a damaged one
        tables.write_text(copy, name, tables.read_text(file, name, MOST_TEXT))
    described = {"bodies": COLUMNS, "primitives": PRIMITIVES}
    if "visuals" in checked_group(file, "model"):
        described["visuals"] = VISUALS
    for name in (f"{part}/{name}" for part, columns in described.items() for name in columns):
        tables.write_table(copy, f"model/{name}", tables.read_table(file, f"model/{name}"))
    part_checksums.make_parts(copy, part_checksums.checked_tables(file))
    _empty_tables(file, copy)
    for (first, last), expected in zip(pairwise(rows), checksums, strict=False):
        written = {}
        for name, checksum in zip(part_checksums.checked_tables(file), expected.tolist(), strict=True):
            if name in file:
                i, j = (int(row[part_checksums.counts(name)]) for row in (first, last))
                kept = part_checksums.rows_of(file[name], i, j, checksum) if j > i else copy[name][:0]
                written[name] = tables.append_rows(copy[name], kept)
        part_checksums.append_part(copy, last, written)
    tables.write_table(copy, "filled", rows[-1])
    end = float(copy["states/t"][-1])
    if CHANGES in file:
        changes = read_changes(file, file["states/position"].shape[1], np.inf, end)
        for part, values in (("t", changes.t), ("value", changes.value)):
            _empty_like(file[f"{CHANGES}/{part}"], copy.require_group(CHANGES), part)
            tables.append_rows(copy[f"{CHANGES}/{part}"], values)
    sensors = copy.create_group("sensors")
    for name in checked_group(file, "sensors"):
        series = {part: _series(file, f"sensors/{name}/{part}") for part in ("t", "value")}
        t, value = (_strictly(data) for data in series.values())
        if t is None or value is None:
            continue  # it has no parts: the continued run begins it again
        known = min(int(np.searchsorted(t, end, side="right")), len(value))
        for part, values in (("t", t), ("value", value)):
            _empty_like(series[part], sensors, f"{name}/{part}")
            tables.append_rows(sensors[f"{name}/{part}"], values[:known])


def _empty_tables(file: Any, copy: Any) -> None:
    """Tables without rows as those of the file.

    One whose description is damaged has no rows among the whole parts; it is made as for a new run.
    """
    import h5py

    position = file["states/position"]
    with h5py.File("new", "w", driver="core", backing_store=False) as new:
        tables.make_tables(new, position.shape[1], _joint_rows(file), position.chunks[0])
        for name in part_checksums.checked_tables(file):
            if name in file:
                try:
                    _empty_like(file[name], copy, name)
                except DAMAGE:
                    _empty_like(new[name], copy, name)


def _joint_rows(file: Any) -> int:
    """Rows of all joints, from their table or, if its description is damaged, the model."""
    if tables.JOINTS not in part_checksums.checked_tables(file):
        return 0
    try:
        return int(file[tables.JOINTS].shape[1])
    except DAMAGE:
        return memory_rows(stored_model(file))


def _series(file: Any, name: str) -> Any:
    """A table of a sensor; None if it does not hold its claimed content."""
    try:
        return checked_dataset(file, name, most=MOST_SERIES, whole=False)
    except DAMAGE:
        return None


def _strictly(data: Any) -> Any:
    """Rows of a table before the first damaged chunk, since no checksum covers them."""
    if data is None:
        return None
    found: list[Any] = []
    with suppress(*DAMAGE):
        for first in range(0, len(data), data.chunks[0]):
            found.append(tables.present(read_rows(data, slice(first, first + data.chunks[0])), data.name))
    return np.concatenate(found) if found else None


def _empty_like(data: Any, group: Any, name: str) -> None:
    """A dataset as `data`, without rows."""
    tables.no_rows(group, name, data.dtype, data.chunks, data.maxshape, data.shape[1:])
