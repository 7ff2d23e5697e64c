"""Foreign HDF5 files: claims are compared with content before reading."""

import os
import socket
from pathlib import Path

import h5py
import numpy as np
import pytest

from nsgalpha.io.hdf5 import checked_dataset, checked_group, naming, open_to_read, regular_file
from nsgalpha.io.hdf5_text import checked_attribute
from tests.io.foreign_datasets import filtered, virtual

MOST = 10**6


FLOAT = bytes.fromhex("11203f000800000000004000340b0034ff030000")  # as a header has it


@pytest.mark.parametrize("place", [2, *range(8, len(FLOAT))])
def test_a_type_whose_bits_are_elsewhere_is_refused(tmp_path, place):
    """HDF5 reads it, and may crash when it writes."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        file["x"] = np.arange(3.0)
    content = bytearray(path.read_bytes())
    content[content.index(FLOAT) + place] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"\bx(:| is| cannot)"), naming(path), open_to_read(path) as file:
        checked_dataset(file, "x", most=MOST)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"chunks": (7, 3)},
        {"chunks": (7, 3), "maxshape": (None, 3)},
        {"compression": "gzip", "shuffle": True, "fletcher32": True},
        {"compression": "lzf"},
        {"dtype": ">f4"},
        {"dtype": "f2"},
    ],
)
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_what_is_stored_is_read(options, libver, made):
    values = np.arange(60.0).reshape(20, 3)
    file = made(lambda file: file.create_dataset("g/x", data=values, **options), libver=libver)
    assert np.array_equal(checked_dataset(file, "g/x", most=MOST)[()], values)
    assert np.array_equal(checked_dataset(checked_group(file, "g"), "x", most=MOST, rows=20)[()], values)


def test_files_with_a_block_before_them_are_read(made):
    def fill(file):
        file["g/x"] = [1.0, 2.0]
        file["g"].attrs["note"] = "a note"
        file.create_dataset("g/y", data=np.arange(100.0), chunks=(9,), compression="gzip")

    for libver in ("earliest", "latest"):
        file = made(fill, libver=libver, userblock_size=1024)
        assert checked_dataset(file, "g/x", most=MOST)[1] == 2.0
        assert checked_dataset(file, "g/y", most=MOST)[99] == 99.0
        assert checked_attribute(checked_group(file, "g"), "note", most=10) == "a note"


def test_groups_of_many_names_and_attributes_are_read(made):
    def fill(file):
        for k in range(300):
            file[f"g/{k}"] = k
            file["g"].attrs[str(k)] = k

    for libver in ("earliest", "latest"):
        file = made(fill, libver=libver)
        assert checked_dataset(file, "g/299", most=8)[()] == 299
        assert checked_attribute(checked_group(file, "g"), "299", most=8) == 299


def test_zeros_that_are_compressed_well_are_read_up_to_the_limit(made):
    def fill(file):
        file.create_dataset("x", data=np.zeros(10**6), compression="gzip")

    file = made(fill)
    assert file.id.get_filesize() < 1e5
    assert not checked_dataset(file, "x", most=8 * 10**6)[()].any()
    with pytest.raises(ValueError, match=r"x has shape \(1000000,\), 8e\+06 bytes; at most 1e\+06"):
        checked_dataset(file, "x", most=MOST)


def test_only_the_rows_asked_for_must_be_there(made):
    def fill(file):
        data = file.create_dataset("x", (0, 2), float, chunks=(4, 2), maxshape=(None, 2))
        data.resize(8, axis=0)
        data[:] = 1.0
        data.resize(10**5, axis=0)

    file = made(fill)
    assert checked_dataset(file, "x", most=MOST, rows=8)[:8].sum() == 16.0
    with pytest.raises(ValueError, match=r"x has shape \(100000, 2\), but 2 of its 3 chunks are stored"):
        checked_dataset(file, "x", most=MOST, rows=9)
    with pytest.raises(ValueError, match="must have 100001 rows"):
        checked_dataset(file, "x", most=MOST, rows=10**5 + 1)


def test_empty_arrays_are_read(made):
    def fill(file):
        file["none"] = np.zeros((0, 3))
        file.create_dataset("grown", (0, 3), float, chunks=(1, 3), maxshape=(None, 3))

    file = made(fill)
    assert checked_dataset(file, "none", most=0).shape == (0, 3)
    assert checked_dataset(file, "grown", most=0).shape == (0, 3)


def partly(file, **options):
    """A dataset of two chunks, the second of which was never written."""
    file.create_dataset("x", (200,), float, chunks=(100,), **options)[:100] = np.arange(100.0)


def raw_filter(file):
    """A dataset whose bytes claim the filter blosc, possibly a plug-in."""
    filtered(file, "x", (10,), 32001, 2, 2, 8, 80).write_direct_chunk((0,), bytes(80), 0)


def twice_compressed(file):
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    created.set_chunk((10**5,))
    created.set_deflate(9)
    created.set_deflate(9)
    data = h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((10**5,)), created)
    data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.zeros(10**5))


def large_chunk(file):
    data = file.create_dataset("x", (0,), float, chunks=(2**25,), maxshape=(None,), compression="gzip")
    data.resize(1, axis=0)


HOSTILE = {
    "missing": (lambda file: None, "x is missing"),
    "group": (lambda file: file.create_group("x"), "x is no dataset"),
    "type": (lambda file: file.__setitem__("x", np.dtype("f8")), "x is no dataset"),
    "no values": (lambda file: file.__setitem__("x", h5py.Empty("f8")), "x has no values"),
    "external link": (
        lambda file: file.__setitem__("x", h5py.ExternalLink("/etc/hosts", "/y")),
        "x is a link to the file '/etc/hosts', '/y'",
    ),
    "soft link": (lambda file: file.__setitem__("x", h5py.SoftLink("/y")), "x is a link to '/y'"),
    "external storage": (
        lambda file: file.create_dataset("x", (10,), float, external=[("/etc/hosts", 0, 80)]),
        "x is composed of other files",
    ),
    "virtual": (lambda file: virtual(file, "x", (10,)), "x is composed of other files"),
    "plug-in": (raw_filter, "x is stored with the filter 32001"),
    "compressed twice": (twice_compressed, "x is compressed by the filters [1, 1], must be once"),
    "claims 1e9 chunked": (
        lambda file: file.create_dataset("x", (10**9,), float, chunks=(1024,), fillvalue=1.0),
        "x has shape (1000000000,), 8e+09 bytes; at most 1e+06",
    ),
    "claims 1e5 chunked": (
        lambda file: file.create_dataset("x", (10**5,), float, chunks=(1024,), fillvalue=1.0),
        "x has shape (100000,), but 0 of its 98 chunks are stored",
    ),
    "claims 1e5 contiguous": (
        lambda file: file.create_dataset("x", (10**5,), float),
        "x has shape (100000,), 800000 bytes, which are not in the file",
    ),
    "one chunk of two": (partly, "x has shape (200,), but 1 of its 2 chunks are stored"),
    "one compressed chunk of two": (
        lambda file: partly(file, compression="gzip"),
        "x has shape (200,), but 1 of its 2 chunks are stored",
    ),
    "large chunk": (large_chunk, "x has chunks of 2.68e+08 bytes; at most 1.34e+08"),
    "compound": (
        lambda file: file.__setitem__("x", np.zeros(3, [("a", "f8")])),
        "x is of type [('a', '<f8')], must be numbers",
    ),
    "array": (
        lambda file: file.create_dataset("x", (3,), np.dtype((float, (2,)))),
        "must be numbers",
    ),
    "vlen": (lambda file: file.create_dataset("x", (3,), h5py.vlen_dtype(float)), "is of type object"),
    "reference": (lambda file: file.create_dataset("x", (3,), h5py.ref_dtype), "is of type object"),
    "text": (lambda file: file.__setitem__("x", "text"), "x is of type object, must be numbers"),
    "complex": (lambda file: file.__setitem__("x", np.zeros(3, complex)), "is of type complex128"),
    "long double": (lambda file: file.__setitem__("x", np.zeros(3, np.longdouble)), "at most 8 bytes"),
    "flags": (lambda file: file.__setitem__("x", np.zeros(3, bool)), "is of type bool"),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_what_is_not_in_the_file_is_refused_with_its_place(name, libver, made):
    fill, text = HOSTILE[name]
    file = made(lambda file: fill(file.create_group("g")), libver=libver)
    with pytest.raises(ValueError, match=r"a\.h5: g/x ") as error, naming(file.filename):
        checked_dataset(file, "g/x", most=MOST)
    assert text in str(error.value)
    assert str(error.value).startswith(f"{file.filename}: ")
    assert "\n" not in str(error.value)


def test_a_contiguous_dataset_that_claims_more_than_the_file_is_refused(tmp_path):
    """Shape and size of a million numbers written over those of 10 000."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        file["x"] = np.arange(10.0**4)
    content = path.read_bytes()
    for few, many in [(10**4, 10**6), (8 * 10**4, 8 * 10**6)]:
        assert few.to_bytes(8, "little") in content
        content = content.replace(few.to_bytes(8, "little"), many.to_bytes(8, "little"))
    path.write_bytes(content)
    with open_to_read(path) as file, pytest.raises(ValueError, match=r"^x .*(not in the file|corruption)"):
        checked_dataset(file, "x", most=10**9)


def test_integers_are_not_numbers_with_a_fraction(made):
    file = made(lambda file: file.__setitem__("x", [1.0]))
    with pytest.raises(ValueError, match="x is of type float64, must be integers"):
        checked_dataset(file, "x", kinds="iu", most=MOST)


def test_a_link_on_the_way_is_refused_even_where_the_file_contains_itself(made):
    def fill(file):
        file["g/deep/x"] = 1.0
        file["g/deep/up"] = file["g"]

    for link in (h5py.SoftLink("/g"), h5py.ExternalLink("b.h5", "/g")):
        file = made(lambda file, link=link: (fill(file), file["g/deep"].__setitem__("out", link)))
        with pytest.raises(ValueError, match=r"^g/deep/out is a link to "):
            checked_dataset(file, "g/deep/out/x", most=MOST)


def test_only_regular_files_are_opened_and_nothing_waits(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as here:
        here.bind(str(tmp_path / "socket"))
    kinds = {tmp_path: "folder", tmp_path / "pipe": "pipe", tmp_path / "socket": "socket"}
    for path, kind in (kinds | {Path(os.devnull): "device"}).items():
        with pytest.raises(ValueError, match=rf"^{path}: is a {kind}, must be a regular file$"):
            open_to_read(path)
    with pytest.raises(FileNotFoundError, match=r"no\.h5: no such file$"):
        open_to_read(tmp_path / "no.h5")
    with pytest.raises(OSError, match="cannot be read"):
        regular_file(tmp_path / ("x" * 5000))
    with pytest.raises(ValueError, match="is no name of a file"):
        regular_file("a\0b")


def test_a_file_that_is_no_hdf5_is_named_once(tmp_path):
    path = tmp_path / "a.h5"
    path.write_text("no HDF5")
    with pytest.raises(ValueError, match="is not an HDF5 file") as error, naming(path), open_to_read(path):
        pass
    assert str(error.value).count(str(path)) == 1


def test_a_file_may_be_read_while_this_process_writes_to_it(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = [1.0]
        with open_to_read(tmp_path / "a.h5") as again:
            assert checked_dataset(again, "x", most=8)[0] == 1.0
