"""Saving a result in memory to a file, or a stored result to another one."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from nsgalpha.checks import path as checked_path
from nsgalpha.checks import refuse, truth
from nsgalpha.io.atomic_file import FilePlace
from nsgalpha.io.chunk_packing import copy
from nsgalpha.io.new_file import new_file
from nsgalpha.io.open_file import open_file
from nsgalpha.io.run_file import RunFile
from nsgalpha.io.stored_array import StoredArray
from nsgalpha.model.state import STATE_WIDTHS
from nsgalpha.run.dataframes import write_parquet
from nsgalpha.run.recorder import Part
from nsgalpha.run.recording import Recording
from nsgalpha.run.result import Result
from nsgalpha.run.result_tables import columns_of
from nsgalpha.run.run_records import Statistics
from nsgalpha.user_files import replacing, write_csv

CHUNK = 1024  # states
TABLES = ".csv", ".parquet"  # endings of files of one table
#: those of formats in which nothing is written
OTHERS = ".txt", ".tsv", ".json", ".xls", ".xlsx", ".ods", ".feather", ".npy", ".npz", ".mat", ".pkl"


def save(result: Result, path: str | PathLike[str], what: str | None, overwrite: bool) -> Path:
    """See Result.save."""
    target = checked_path("path", path).absolute()
    if target.suffix.lower() in TABLES:
        return _save_table(result, target, what or "bodies", truth("overwrite", overwrite))
    if target.suffix.lower() in OTHERS:
        raise refuse("path", str(path), "a file that ends with .h5, .csv or .parquet")
    if what is not None:
        raise refuse("what", what, "left out for an HDF5 file, which holds all", "let the path end with .csv")
    recording = Recording(file=target, overwrite=truth("overwrite", overwrite))
    if isinstance(result.position, StoredArray):
        _copy(result.position.path, target, recording)
    else:
        _write(result, recording)
    return target


def _save_table(result: Result, target: Path, what: str, overwrite: bool) -> Path:
    """A table of the result as a CSV or Parquet file."""
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target} exists; overwrite=True replaces it")
    if target.suffix.lower() == ".csv":
        index, columns = columns_of(result, what)
        write_csv(target, {name: np.asarray(each).tolist() for name, each in {**index, **columns}.items()})
    else:
        with replacing(target) as draft:
            write_parquet(result, what, draft)
    return target


def _copy(source: str, target: Path, recording: Recording) -> None:
    """A copy of the file `source`, packed."""
    if target.resolve() == Path(source).resolve():
        return
    place = FilePlace.create(target, recording.overwrite, new_file)
    try:
        with open_file(source) as file:
            copy(file, place.file)
        place.file.flush()
        place.publish()
        place.file.close()
    except BaseException:
        place.discard()
        raise


def _write(result: Result, recording: Recording) -> None:
    """All states as one part."""
    if result.settings is None:
        raise refuse("result", "a result without settings", "one of simulate or resume", "run the model")
    states = {name: np.asarray(getattr(result, name)) for name in ("t", "h", *STATE_WIDTHS, "joints")}
    statistics = [getattr(result.stats, name) for name in Statistics.__dataclass_fields__]
    file = RunFile.new(recording, result.model, result.settings, result.state(0), min(CHUNK, len(result.t)))
    try:
        steps, histories = np.stack(statistics, axis=1).astype(float), list(result.histories)
        file.append(Part(states, result.contacts, steps, histories, dict(result.sensors), result.changes))
        file.close(result.status)
    except BaseException:
        file.discard()
        raise
