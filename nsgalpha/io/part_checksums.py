"""Checksums of the parts of a result file, and the parts that are whole.

Each part that was written at once has a row in `parts/filled`, the number of filled rows of the tables. It
has another one in `parts/checksum`, CRC32 of its rows in each table of CHECKED. HDF5 verifies chunks whenever
they are read. This is the inventory of a whole file, and shows which rows of a torn chunk are right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from typing import Any
from zlib import crc32, decompressobj
from zlib import error as zlib_error

import numpy as np

from nsgalpha.arrays import Ints
from nsgalpha.io import hdf5_tables as datasets
from nsgalpha.io.hdf5 import DAMAGE, checked_dataset, checked_group, find_dataset, read_rows
from nsgalpha.run.run_records import STATISTICS

CHECKED = (
    *(f"states/{name}" for name in datasets.STATES),
    datasets.JOINTS,
    *(f"contacts/{name}" for name in (*datasets.CONTACTS, "end")),
    *(f"statistics/{name}" for name in STATISTICS),
    *(f"histories/{name}" for name in datasets.HISTORIES),
)
STATE, CONTACT, STEP, REMEMBERED = range(4)  # columns of `filled`
MOST_NAMES = 1 << 16  # bytes of the names of tables
MOST_TABLE = 1 << 50  # bytes
REMEDY = "nsgalpha info names all parts, and --repair keeps the whole ones"


@dataclass(frozen=True, slots=True)
class Damage:
    """Rows of a table that differ from the written ones."""

    part: int
    states: range  # recorded states of the part
    table: str

    def __str__(self) -> str:
        states = (
            f"states {self.states.start} to {self.states.stop - 1}" if self.states else "between two states"
        )
        return f"part {self.part} ({states}): {self.table}"


def counts(name: str) -> int:
    """The column of `filled` that says how many rows of the table count."""
    group, _, column = name.partition("/")
    if group == "states" or column in ("end", "opened"):
        return STATE
    return {"contacts": CONTACT, "statistics": STEP, "histories": REMEMBERED}[group]


def make_parts(file: Any, tables: Sequence[str]) -> None:
    """Empty tables of parts, with a checksum for each of the `tables`."""
    group = file.create_group("parts")
    datasets.empty_table(group, "filled", np.int64, (4,))
    datasets.empty_table(group, "checksum", np.uint32, (len(tables),))
    datasets.write_text(group, "tables", json.dumps(tables))


def checked_tables(file: Any) -> list[str]:
    """The tables with checksums, in the order of their columns; later versions may write others."""
    names = json.loads(datasets.read_text(file, "parts/tables", MOST_NAMES))
    if not isinstance(names, list) or len(set(names)) < len(names) or not set(names) <= set(CHECKED):
        raise ValueError(f"parts/tables: must be different ones of {', '.join(CHECKED)}")
    return names


def append_part(file: Any, filled: Any, checksums: dict[str, int]) -> None:
    """One more part, up to `filled` (4,)."""
    datasets.append_rows(file["parts/filled"], [filled])
    # the file that is written may have been moved: its name is no longer one to look at its bytes by
    tables = json.loads(file["parts/tables"][:].tobytes())
    datasets.append_rows(file["parts/checksum"], [[checksums.get(name, 0) for name in tables]])


def read_filled(file: Any) -> Ints:
    """Numbers (4,) of valid states, contacts, steps and history rows. Raises ValueError without them."""
    numbers: Ints = datasets.read_table(file, "filled", kinds="i", most=64)
    if numbers.shape != (4,) or (numbers < 0).any():
        raise ValueError(f"filled = {numbers.tolist()}: must be 4 counts")
    return numbers


def read_parts(file: Any) -> tuple[Ints, Ints]:
    """`filled` (parts + 1, 4), which begins with zeros, and checksums (parts, tables)."""
    tables = len(checked_tables(file))
    filled = checked_dataset(file, "parts/filled", kinds="i", most=1 << 30, whole=False)
    checksum = checked_dataset(file, "parts/checksum", kinds="u", most=1 << 33, whole=False)
    count = min(len(filled), len(checksum))
    if filled.shape[1:] != (4,) or checksum.shape[1:] != (tables,):
        raise ValueError(f"parts have shapes {filled.shape}, {checksum.shape}, must be 4 and {tables} wide")
    values = [rows_of(data, 0, count) for data in (filled, checksum)]  # a kill may tear their last chunk
    if values[0] is None or values[1] is None:
        raise ValueError("the list of its parts, parts/filled and parts/checksum, cannot be read")
    rows = np.vstack([np.zeros((1, 4), np.int64), values[0]])
    torn = np.flatnonzero((np.diff(rows, axis=0) < 0).any(axis=1))  # or not there: see tables.absent
    count = int(torn[0]) if len(torn) else count
    return rows[: count + 1], values[1][:count]


def torn(file: Any, rows: Ints) -> list[str]:
    """Tables whose last rows HDF5 cannot read, so that none can be added.

    A kill while they were written, or a loss of power, leaves them so: `rows_of` may read past it.
    """
    there = [name for name in checked_tables(file) if name.partition("/")[0] in file]
    sizes = {name: int(rows[-1, counts(name)]) for name in there}
    series = [f"sensors/{name}/{part}" for name in checked_group(file, "sensors") for part in ("t", "value")]
    sizes |= {name: len(find_dataset(file, name)) for name in ("parts/filled", "parts/checksum", *series)}
    return [name for name, size in sizes.items() if not _is_readable(file, name, size)]


def _is_readable(file: Any, name: str, size: int) -> bool:
    """True if HDF5 can read the chunk of a table in which its first `size` rows end."""
    try:
        data = checked_dataset(file, name, most=MOST_TABLE, rows=size, whole=False)
        _read(data, max(size - 1, 0) // data.chunks[0] * data.chunks[0], size)
    except DAMAGE:
        return False
    return True


def mend(file: Any) -> None:
    """Rewrite the last chunks torn by a kill, so that a run can continue.

    Nothing is written where the rows that count are not those that were written; a kill meanwhile leaves the
    file as it is.
    """
    rows, _ = read_parts(file)
    if unlisted(file, rows):
        return
    for name in torn(file, rows):
        if name in checked_tables(file):
            size = int(rows[-1, counts(name)])
        elif name.startswith("parts/"):
            size = len(rows) - 1
        else:
            continue
        data = file[name]
        step = data.chunks[0]
        first = max(size - 1, 0) // step * step
        known = slice(first, size)
        values = rows_of(data, first, size) if name.startswith("parts/") else recovered(file, name, known)
        if values is None or data.chunks[1:] != data.shape[1:]:
            continue  # HDF5 reads a chunk before it writes a part of it
        whole = np.full((step, *data.shape[1:]), data.fillvalue, data.dtype)
        whole[: size - first] = values
        data.resize(max(len(data), first + step), axis=0)
        data[first : first + step] = whole


def recovered(file: Any, name: str, rows: slice) -> Any:
    """Rows of a table past chunks that HDF5 refuses; None unless their parts are whole."""
    tables = checked_tables(file) if name in CHECKED else []
    if name not in tables:
        return None
    filled, checksum = read_parts(file)
    ends, column = filled[:, counts(name)], tables.index(name)
    low, high, step = rows.indices(int(ends[-1]))
    data = _stored(file, name, filled[-1])
    if data is None or low >= high or (rows.stop or 0) > ends[-1]:
        return None
    first, last = int(np.searchsorted(ends, low, "right")) - 1, int(np.searchsorted(ends, high))
    pieces = []
    for part in range(first, last):
        piece = rows_of(data, int(ends[part]), int(ends[part + 1]), int(checksum[part, column]))
        if piece is None:
            return None
        pieces.append(piece)
    return np.concatenate(pieces)[low - ends[first] : high - ends[first] : step]


def unlisted(file: Any, rows: Ints) -> list[Damage]:
    """Valid rows of a file in none of its parts, of which `rows` is filled."""
    filled = read_filled(file)
    if (rows[-1] >= filled).all():
        return []
    return [Damage(len(rows) - 1, range(int(rows[-1, STATE]), int(filled[STATE])), "parts/filled")]


def require_last_parts(file: Any) -> None:
    """Refuse a file with a damaged part from the last state on."""
    rows, checksum = read_parts(file)
    for damage in unlisted(file, rows):
        raise ValueError(f"damaged in part {damage.part}: {damage.table}; {REMEDY}")
    for name in torn(file, rows):
        raise ValueError(f"damaged in the last rows of {name}; {REMEDY}")
    first = int(np.searchsorted(rows[:, STATE], rows[-1, STATE])) - 1
    for part in range(max(first, 0), len(checksum)):
        actual = dict(_checksums(file, rows[part], rows[part + 1]))
        for column, name in enumerate(checked_tables(file)):
            if actual.get(name, 0) != int(checksum[part, column]):
                raise ValueError(f"damaged in part {part}: {name}; {REMEDY}")


def cut_parts(file: Any, filled: Any) -> None:
    """Cut off the parts after `filled` (4,); a part cut through gets a new checksum."""
    rows, _ = read_parts(file)
    keep = int(np.flatnonzero((rows <= filled).all(axis=1))[-1])
    for name in ("filled", "checksum"):
        file[f"parts/{name}"].resize(keep, axis=0)
    if (rows[keep] != filled).any():
        append_part(file, filled, dict(_checksums(file, rows[keep], filled)))


def damages(file: Any, look: Callable[[int], Any] = lambda part: None) -> list[Damage]:
    """All damage of the tables, part by part; `look` receives the progress."""
    rows, checksum = read_parts(file)
    tables = {name: _stored(file, name, rows[-1]) for name in checked_tables(file)}
    found = []
    for part, (first, last) in enumerate(pairwise(rows)):
        actual = dict(_checksums(file, first, last, tables))
        for column, name in enumerate(tables):
            if actual.get(name, 0) != int(checksum[part, column]):
                found.append(Damage(part, range(int(first[STATE]), int(last[STATE])), name))
        look(part)
    return found + unlisted(file, rows)


def confirm(file: Any, name: str, first: int, values: Any) -> None:
    """Refuse `values`, rows of a table from `first` on, if a whole part differs from its checksum.

    HDF5 verifies each chunk; this finds one that is in the place of another.
    """
    tables = checked_tables(file) if name in CHECKED else []
    if name not in tables:
        return
    rows, checksum = read_parts(file)
    ends, column = rows[:, counts(name)] - first, tables.index(name)
    for part in np.flatnonzero((ends[:-1] >= 0) & (ends[1:] <= len(values))).tolist():
        rows_of_part: Any = np.ascontiguousarray(values[ends[part] : ends[part + 1]])
        if crc32(rows_of_part) != checksum[part, column]:
            raise ValueError(f"{name}: rows of part {part} are not those that were written")


def rows_of(data: Any, first: int, last: int, checksum: int | None = None) -> Any:
    """Rows of a table, past torn chunks if necessary; None without the `checksum`."""
    for read in (_read, _read_raw):
        try:
            values: Any = np.ascontiguousarray(read(data, first, last))
        except (*DAMAGE, zlib_error):
            continue
        if checksum is None or crc32(values) == checksum:
            return values
    return None


def damage_in_words(file: Any, name: str, key: Any) -> str:
    """Description of the damaged part of a table with the rows `key`."""
    where = f"{name} is damaged"
    try:
        found = next(damage for damage in damages(file) if damage.table == name)
        where = f"damaged in {found}"
    except (StopIteration, *DAMAGE):
        pass
    return f"{where}; {REMEDY}"


def _checksums(
    file: Any, first: Any, last: Any, tables: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, int]]:
    """Checksums of the rows between two rows of `filled`; -1 for unreadable ones.

    tables: those that hold all that they claim, if that is known.
    """
    for name in checked_tables(file) if tables is None else tables:
        if name.partition("/")[0] not in file:
            continue
        begin, end = (int(row[counts(name)]) for row in (first, last))
        if begin == end:  # nothing of this part is in the table, for any reason
            yield name, 0
            continue
        data = (tables or {}).get(name)
        data = _stored(file, name, last) if data is None else data
        values = None if data is None else rows_of(data, begin, end)
        yield name, -1 if values is None else crc32(values)


def _stored(file: Any, name: str, filled: Any) -> Any:
    """A table up to a row of `filled`; None if that is not stored."""
    try:
        rows = int(filled[counts(name)])
        return checked_dataset(file, name, most=MOST_TABLE, rows=rows, whole=False)
    except DAMAGE:
        return None


def _read(data: Any, first: int, last: int) -> Any:
    return read_rows(data, slice(first, last))


def _read_raw(data: Any, first: int, last: int) -> Any:
    """Rows without HDF5's verification: chunks as they are on the disk, less their checksums."""
    values = np.empty((last - first, *data.shape[1:]), data.dtype)
    step, size = data.chunks[0], prod(data.chunks) * data.dtype.itemsize
    begins = [range(first - first % step, last, step)]
    begins += [range(0, length, chunk) for length, chunk in zip(data.shape[1:], data.chunks[1:], strict=True)]
    for corner in product(*begins):
        content = decompressobj().decompress(data.id.read_direct_chunk(corner)[1][: -datasets.TAIL], size)
        if data.shuffle:  # the first bytes of all numbers, then the second ones
            content = np.frombuffer(content, np.uint8).reshape(data.dtype.itemsize, -1).T.tobytes()
        chunk = np.frombuffer(content, data.dtype).reshape(data.chunks)
        low, high = max(corner[0], first), min(corner[0] + step, last)
        there = tuple(slice(c, c + n) for c, n in zip(corner[1:], data.chunks[1:], strict=True))
        block = values[(slice(low - first, high - first), *there)]
        block[...] = chunk[
            (slice(low - corner[0], high - corner[0]), *(slice(0, n) for n in block.shape[1:]))
        ]
    return values
