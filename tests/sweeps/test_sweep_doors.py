"""Damaged or foreign sweep files are refused by line; they yield numbers only."""

import csv
import json
import os
import time
import tracemalloc
from zlib import crc32

import numpy as np
import pytest
from swept import product

import nsgalpha as ns
from nsgalpha.sweeps.sweep_rows import RowReader
from nsgalpha.sweeps.sweep_table import table_of
from nsgalpha.sweeps.worker_task import TaskOutcome

ROW = {
    "point": {"a": 2},
    "outcome": "done",
    "message": "",
    "seconds": 0.5,
    "tries": 1,
    "values": {"value": {"array": [1.0, 2.0], "type": "<f8", "shape": [2]}},
}
CASES = {"a": [1, 2, 3]}


def many(a):
    return {"value": np.arange(3.0) * a, "word": f"case {a}", "z": complex(a, 1)}


def array(items, type, shape):
    return {**ROW, "values": {"value": {"array": items, "type": type, "shape": shape}}}


HOSTILE = {  # a row, and its message
    "no row": ([], "no row"),
    "a name too many": ({**ROW, "object": "os:system"}, "names"),
    "a name too few": ({k: v for k, v in ROW.items() if k != "tries"}, "names"),
    "another outcome": ({**ROW, "outcome": "well"}, "outcome is 'well'"),
    "an outcome that is no text": ({**ROW, "outcome": {}}, "outcome is {}"),
    "a message that is none": ({**ROW, "message": 1}, "outcome"),
    "no seconds": ({**ROW, "seconds": -1}, "seconds = -1"),
    "endless seconds": ({**ROW, "seconds": float("nan")}, "seconds = nan"),
    "tries": ({**ROW, "tries": True}, "tries = True"),
    "a point that is none": ({**ROW, "point": [1]}, "no names with values"),
    "values": ({**ROW, "values": 1}, "no names with values"),
    "a list": ({**ROW, "values": {"value": [1]}}, "a value is a list"),
    "another object": ({**ROW, "values": {"value": {"pickle": "cos"}}}, "no array"),
    "objects": (array([1, 2], "|O", [2]), "other items"),
    "records": (array([1, 2], "f8,f8", [2]), "other items"),
    "a type that is none": (array([1, 2], "spam", [2]), "data type"),
    "a shape that does not fit": (array([1, 2], "<f8", [10**9]), "2 items has the shape [1000000000]"),
    "a negative shape": (array([1, 2], "<f8", [-1]), "shape [-1]"),
    "items that are none": (array(["a", 2], "<f8", [2]), "other items"),
    "truth for numbers": (array([True, 2], "<i8", [2]), "other items"),
    "small integers": (array([300, 2], "|i1", [2]), "out of bounds"),
    "long texts": (array(["a"], "<U500000000", [1]), "take more than"),
    "long texts in none": (array([], "<U500000000", [0]), "take more than"),
    "complex in complex": ({**ROW, "values": {"value": {"complex": {"complex": 1}}}}, "no array"),
    "one part": (
        {**ROW, "values": {"value": {"complex": {"array": [1.0], "type": "<f8", "shape": []}}}},
        "two",
    ),
    "a checksum": ({**ROW, "crc32": 1}, "checksum is another"),
}
RAW = {
    "depth": (b'{"point": ' + b"[" * 100_000, "recursion"),
    "digits": (b'{"point": ' + b"1" * 10_000 + b"}", "digits"),
    "no JSON": (b"\x80\x04cos\nsystem\n", "damaged"),
    "half": (b'{"point": {"a"', "damaged"),
}


def file_with(tmp_path, line):
    """The file of a sweep with one good row, and then `line`."""
    file = tmp_path / "sweep.jsonl"
    ns.sweep(product, {"a": [1]}, workers=1, file=file)
    with file.open("ab") as stream:
        stream.write(line + b"\n")
    return file


@pytest.mark.parametrize("name", [*HOSTILE, *RAW])
def test_rows_that_no_sweep_has_written_are_refused_by_line(tmp_path, name):
    line, words = RAW[name] if name in RAW else (json.dumps(HOSTILE[name][0]).encode(), HOSTILE[name][1])
    file = file_with(tmp_path, line)
    before = file.read_bytes()
    tracemalloc.start()
    with pytest.raises(
        ValueError, match=r"sweep\.jsonl': line 3 is damaged: .*; remove the line, and its"
    ) as caught:
        ns.sweep(product, CASES, workers=1, file=file)
    assert tracemalloc.get_traced_memory()[1] < 1e7
    tracemalloc.stop()
    assert words in str(caught.value)
    assert file.read_bytes() == before


def test_a_row_as_it_must_be_is_read():
    point, outcome = RowReader().row(json.dumps(ROW).encode())  # files of the first sweeps have no checksum
    assert (json.loads(point), outcome.seconds, outcome.tries) == ({"a": 2}, 0.5, 1)
    assert outcome.values["value"].tolist() == [1.0, 2.0]
    text = json.dumps(ROW)
    checked = f'{text[:-1]}, "crc32": {crc32(text.encode())}}}'
    assert RowReader().row(checked.encode())[0] == point


def test_a_damaged_file_is_refused_or_read_as_it_was(tmp_path):
    file, damaged = tmp_path / "sweep.jsonl", tmp_path / "damaged.jsonl"
    whole = ns.sweep(many, CASES, workers=1, file=file)
    content, rng, refused = file.read_bytes(), np.random.default_rng(3), 0
    same = 0
    rows = content.index(b"\n") + 1
    for _ in range(300):
        changed = bytearray(content)
        for _ in range(rng.integers(1, 3)):
            changed[rng.integers(rows, len(content) - 1)] ^= 1 << rng.integers(8)
        damaged.write_bytes(changed)
        try:
            table = ns.sweep(many, CASES, workers=1, file=damaged)
        except ValueError as error:
            refused += "is damaged" in str(error)
        else:
            same += table.same(whole)
    assert refused + same == 300
    assert refused > 280


def test_a_file_of_something_else_is_left_as_it_is(tmp_path):
    file = tmp_path / "note.txt"
    for content in (b"a line without an end", b"\x00" * 100, b'{"format": "nsgalpha sweep, version 3'):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="must be a file written by sweep, or a new one"):
            ns.sweep(product, CASES, workers=1, file=file)
        assert file.read_bytes() == content


def test_what_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    clock = time.monotonic()
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(ValueError, match="must be a regular file"):
            ns.sweep(product, CASES, workers=1, file=path)
    assert time.monotonic() - clock < 10.0


def test_texts_are_no_formulas_for_a_spreadsheet(tmp_path):
    words = ["=cmd|' /C calc'!A0", "@SUM(A1)", "+f(1)", "-2+3|x", "-z", "+z", "plain", "-1.5"]
    rows = [TaskOutcome("done", {"word": word, "x": -1.5}) for word in words]
    table_of([{"a": k} for k in range(len(words))], rows).to_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="") as stream:
        found = list(csv.DictReader(stream))
    assert [row["word"] for row in found] == ["'" + word for word in words[:4]] + words[4:]
    assert {row["x"] for row in found} == {"-1.5"}
