"""Texts and numbers among the attributes of HDF5 files of others."""

import h5py
import numpy as np
import pytest

from nsgalpha.io.hdf5 import naming, open_to_read
from nsgalpha.io.hdf5_text import checked_attribute


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array(["a", "b"], "S1"), "must be one text"),
        (np.bytes_(b"\xff\xfe"), "@title is no text in UTF-8"),
        (np.bytes_("x" * 11), "@title has 11 bytes; at most 10"),
        ("x" * 11, "@title has 11 bytes; at most 10"),
        (np.array(["text"], object), "must be one text"),
        (h5py.Empty("S10"), "must be one text"),
    ],
)
def test_a_text_that_is_none_is_refused(value, text, made):
    file = made(lambda file: file.attrs.__setitem__("title", value))
    with pytest.raises(ValueError, match=text):
        checked_attribute(file, "title", most=10)


def test_every_byte_of_a_text_or_its_heap_may_be_wrong(tmp_path):
    """HDF5 alone would loop without end on some of these, and take 4 GB for others."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "a title"
    content = path.read_bytes()
    heap = content.index(b"GCOL")
    offset = content.index(len("a title").to_bytes(4, "little") + heap.to_bytes(8, "little"))
    places = [*range(offset, offset + 16), *range(heap, heap + 64)]
    refused, read = set(), set()
    for at, value in ((at, value) for at in places for value in (0, 1, 8, 40, 127, 255)):
        damaged = bytearray(content)
        damaged[at] = value
        path.write_bytes(damaged)
        try:
            with naming(path), open_to_read(path) as file:
                read.add(checked_attribute(file, "title", most=100))
        except ValueError as error:
            refused.add(str(error))
    assert all(text.startswith(f"{path}: ") for text in refused)
    refused = {" ".join(text.split()[1:5]) for text in refused}
    assert "a title" in read
    assert {"@title is in a", "@title has 255 bytes;"} <= refused


def test_attributes_are_numbers_or_texts(made):
    def fill(file):
        file.attrs["text"], file.attrs["fixed"], file.attrs["nothing"] = "Grüße", np.bytes_("plain"), ""
        file.attrs["number"], file.attrs["integer"] = 2.5, np.int8(3)
        file.attrs["list"], file.attrs["none"], file.attrs["bad"] = (
            [1, 2],
            h5py.Empty("i"),
            np.bytes_(b"\xff"),
        )

    file = made(fill)
    expected = {"text": "Grüße", "fixed": "plain", "nothing": "", "number": 2.5, "integer": 3}
    assert {name: checked_attribute(file, name, most=7) for name in expected} == expected
    for name, text in {
        "list": r"@list is of type int64 and shape \(2,\), must be one text",
        "none": "@none is of type .*, must be one text",
        "bad": "@bad is no text in UTF-8",
        "missing": "@missing is missing",
    }.items():
        with pytest.raises(ValueError, match=text):
            checked_attribute(file, name, most=5)
    for name, length in {"text": 7, "fixed": 5}.items():
        with pytest.raises(ValueError, match=f"@{name} has {length} bytes; at most 4 are allowed"):
            checked_attribute(file, name, most=4)
