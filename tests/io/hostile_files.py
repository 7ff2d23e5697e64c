"""Hostile files by name: the changed run, the change, and the message.

The doors that are named must refuse the file; all others may read it, or refuse it.

    python -m tests.io.hostile_files
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.io import hostile_hdf5, hostile_names, hostile_tables
from tests.io.file_doors import refusals
from tests.io.file_runs import make_runs
from tests.io.hostile import Hostile

FILES: dict[str, Hostile] = {**hostile_names.FILES, **hostile_tables.FILES, **hostile_hdf5.FILES}
OUTCOMES = ("refused", "read", "NOT REFUSED", "OTHER SENTENCE", "RAW ERROR", "EXECUTED", "FILES LEFT")


def tried(hostile: Hostile, original: Path, folder: Path, *, every: bool = True) -> tuple[str, str]:
    """Outcome (OUTCOMES) and message of a copy at `every` door, or the refusing ones."""
    path = folder / "hostile.h5"
    shutil.copy(original, path)
    hostile.change(path)
    with contextlib.chdir(folder):  # where a command would leave its trace
        try:
            found = refusals(path, None if every else hostile.doors)
        except Exception as error:  # which a file must not cause
            return "RAW ERROR", f"{type(error).__name__}: {error}"
    left = {each.name for each in folder.iterdir()} - {"hostile.h5", "report"}
    if left:
        return "EXECUTED" if "executed" in left else "FILES LEFT", str(left)
    for door in hostile.doors:
        said = found.get(door, found["load"])
        if said is None:
            if door == "report" and door not in found:
                continue
            return "NOT REFUSED", door
        if not re.search(hostile.says, said):
            return "OTHER SENTENCE", f"{door}: {said}"
    return ("refused" if any(found.values()) else "read"), ""


def outcomes() -> Iterator[tuple[str, str, str]]:
    """Name of each file, its outcome and its message."""
    with tempfile.TemporaryDirectory() as folder:
        originals = make_runs(Path(folder))
        for name, hostile in FILES.items():
            with tempfile.TemporaryDirectory() as place:
                yield name, *tried(hostile, originals[hostile.run], Path(place))


def main() -> int:
    """Print faults and counts; 1 if a door fails to refuse."""
    counts: Counter[str] = Counter()
    for name, outcome, said in outcomes():
        counts[outcome] += 1
        if outcome not in OUTCOMES[:2]:
            print(f"{name}: {outcome}: {said}", flush=True)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES))
    return int(any(counts[outcome] for outcome in OUTCOMES[2:]))


if __name__ == "__main__":
    sys.exit(main())
