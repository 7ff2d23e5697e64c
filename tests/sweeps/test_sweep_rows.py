"""Invalid rows of a sweep's file and columns of its table are refused."""

import dataclasses
import json
import re

import numpy as np
import pytest

import nsgalpha as ns


def product(a, b=2.0):
    return {"product": a * b, "row": np.array([a, b])}


@pytest.fixture
def file(tmp_path):
    ns.sweep(product, {"a": [1.0, 2.0]}, workers=1, file=tmp_path / "sweep.jsonl")
    return tmp_path / "sweep.jsonl"


def changed(**by):
    """The text of the second row with other entries; those that are "gone" left out."""

    def change(row):
        row = json.loads(row) | by
        return json.dumps({name: value for name, value in row.items() if value != "gone"})

    return change


def array(**by):
    return changed(values={"row": {"array": [1.0, 2.0], "type": "<f8", "shape": [2]} | by})


ROWS = {
    "no JSON": lambda row: row[:-3],
    "a list": lambda row: "[1, 2]",
    "a text": lambda row: '"row"',
    "deep": lambda row: "[" * 100_000 + "]" * 100_000,
    "without values": changed(values="gone"),
    "without a point": changed(point="gone"),
    "values in a list": changed(values=[1.0]),
    "a point that is none": changed(point=[1.0]),
    "an outcome that is none": changed(outcome="perhaps"),
    "a message that is none": changed(message=5),
    "negative seconds": changed(seconds=-1.0),
    "endless seconds": changed(seconds=float("inf")),
    "tries in words": changed(tries="1"),
    "huge tries": changed(tries=10**400),
    "another shape": array(shape=[3]),
    "a shape that is none": array(shape="2"),
    "a type that is none": array(type="float"),
    "a type of objects": array(type="|O"),
    "a type of a gigabyte": array(type="<U99999", array=["1"] * 5000, shape=[5000]),
    "texts as numbers": array(array=["one", "two"]),
    "an array that is none": array(array=5),
    "without a type": changed(values={"row": {"array": [1.0]}}),
    "complex of one part": changed(values={"row": {"complex": 5}}),
}


@pytest.mark.parametrize("wrong", ROWS)
def test_a_row_that_is_none_is_refused_with_its_line(file, wrong):
    head, first, second = file.read_text().splitlines()
    text = "\n".join([head, first, ROWS[wrong](second), ""])
    file.write_text(text)
    with pytest.raises(
        ValueError, match=rf"file = .*{re.escape(file.name)}.*line 3 is damaged.*remove the line"
    ) as error:
        ns.sweep(product, {"a": [1.0, 2.0]}, workers=1, file=file)
    assert len(str(error.value)) < 1000
    assert file.read_text() == text
    file.write_text("\n".join([head, first, ""]))
    assert ns.sweep(product, {"a": [1.0, 2.0]}, workers=1, file=file).done.all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("outcome", np.array(["perhaps", "done"])),
        ("outcome", ["done", "done"]),
        ("message", np.array([1.0, 2.0])),
        ("seconds", np.array([1.0])),
        ("seconds", np.array(["1", "2"])),
        ("tries", np.array([1.5, 1.0])),
        ("parameters", [np.array([1.0, 2.0])]),
        ("parameters", {"a": [1.0, 2.0]}),
        ("parameters", {"a": np.array([1.0, 2.0, 3.0])}),
        ("values", {"product": np.array(5.0)}),
        ("values", {"product": np.array(["2020"] * 2, "datetime64[D]")}),
    ],
)
def test_columns_have_a_row_for_each_point(name, value):
    table = ns.sweep(product, {"a": [1.0, 2.0]}, workers=1)
    with pytest.raises(ValueError, match=rf"{name}.* = .*: must be "):
        dataclasses.replace(table, **{name: value})
