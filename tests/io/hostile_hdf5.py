"""Hostile files that use features of HDF5, and truncated ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np

from nsgalpha.io.hdf5_tables import write_table
from tests.io.foreign_datasets import filtered, virtual
from tests.io.hostile import LOAD, MODEL, NAN, OPEN, Change, Hostile, add, attribute, content, hdf5

FILES: dict[str, Hostile] = {}

# fmt: off

# ---- features of HDF5 ----
def instead(name: str, make: Callable[[Any, str], object]) -> Change:
    """Something else in place of a dataset."""

    def change(file: Any) -> None:
        del file[name]
        make(file, name)

    return hdf5(change)


def _plain(**options: Any) -> Callable[[Any, str], object]:
    return lambda file, name: file.create_dataset(name, **options)


NAME = "states/velocity"
SHAPE = (71, 4, 3)
for said, make, says in (
    ("a link to another file", lambda f, n: f.__setitem__(n, h5py.ExternalLink("/etc/hosts", "/x")),
     f"{NAME} is a link to the file '/etc/hosts'"),
    ("a link by name", lambda f, n: f.__setitem__(n, h5py.SoftLink("/states/position")),
     f"{NAME} is a link to '/states/position'"),
    ("a link to itself", lambda f, n: f.__setitem__(n, h5py.SoftLink(f"/{n}")), f"{NAME} is a link"),
    ("a virtual dataset", lambda f, n: virtual(f, n, SHAPE), f"{NAME} is composed of other files"),
    ("values in another file", _plain(shape=SHAPE, dtype=float, external=[("/etc/passwd", 0, 8 * 71 * 12)]),
     f"{NAME} is composed of other files"),
    ("a filter that is a program", lambda f, n: filtered(f, n, SHAPE, 32015),
     f"{NAME} is stored with the filter 32015"),
    ("records as numbers", _plain(shape=SHAPE, dtype=[("a", "f8"), ("b", "i4")]), f"{NAME} is of type"),
    ("numbers of any length", _plain(shape=SHAPE, dtype=h5py.vlen_dtype(np.float64)), f"{NAME} is of type"),
    ("references", _plain(shape=SHAPE, dtype=h5py.ref_dtype), f"{NAME} is of type"),
    ("texts as numbers", _plain(shape=SHAPE, dtype=h5py.string_dtype()), f"{NAME} is of type"),
    ("opaque bytes", _plain(shape=SHAPE, dtype="V64"), f"{NAME} is of type"),
    ("names of numbers", _plain(shape=SHAPE, dtype=h5py.enum_dtype({"a": 1})),
     f"{NAME} is of type|states/velocity has shape"),
    ("arrays in an array", _plain(shape=(71,), dtype=("f8", (4, 3))), f"{NAME} is of type"),
    ("long doubles", _plain(shape=SHAPE, dtype=np.longdouble), f"{NAME} is of type"),
    ("an empty dataset", lambda f, n: f.__setitem__(n, h5py.Empty("f8")), f"{NAME} has no values"),
    ("one number", _plain(data=1.0), f"{NAME} has shape"),
    ("a group", lambda f, n: f.create_group(n), f"{NAME} is no dataset"),
    ("a type", lambda f, n: f.__setitem__(n, np.dtype("f8")), f"{NAME} is no dataset"),
    ("nothing", lambda f, n: None, f"{NAME} is missing"),
    ("chunks of 8 GB",
     _plain(shape=SHAPE, maxshape=(None, None, None), dtype=float,
      chunks=(2**20, 2**5, 2**5)), f"{NAME} has chunks of 8.59e.09 bytes"),
    ("8 exabytes", _plain(shape=(2**30, 2**30), dtype=float, chunks=(64, 64)), f"{NAME}"),
    ("40 axes", _plain(shape=(1,) * 31, dtype=float), f"{NAME} has shape"),
    ("another table", lambda f, n: f.__setitem__(n, f["states/acceleration"]),
     rf"{NAME} = .*rows of the shape \(4, 3\)"),
):
    add(FILES, f"{said} as velocities", "hard", instead(NAME, make), says, LOAD)

for said, name, make, says in (
    ("states that are a dataset", "states", lambda f, n: f.__setitem__(n, 1.0), "states/.* is missing"),
    ("no model", "model", lambda f, n: None, "model.* is missing"),
    ("no parts", "parts", lambda f, n: None, "parts/tables is missing"),
    ("no settings", "settings", lambda f, n: None, "settings is missing"),
    ("a model in another file", "model", lambda f,
     n: f.__setitem__(n, h5py.ExternalLink("/etc/hosts", "/")), "model.* is a link to the file"),
    ("statistics that are a dataset", "statistics", lambda f, n: f.__setitem__(n, np.zeros(3)),
     "statistics"),
    ("sensors that are a dataset", "sensors", lambda f, n: f.__setitem__(n, np.zeros(3)),
     "sensors is no group"),
    ("a description that is a group", "model/description", lambda f, n: f.create_group(n),
     "model/description is no dataset"),
    ("a description of numbers", "model/description", lambda f, n: f.__setitem__(n, np.arange(9.0)),
     "model/description is of type float64"),
    ("a description that is a link", "model/description", lambda f,
     n: f.__setitem__(n, h5py.ExternalLink("/etc/passwd", "/")), "model/description is a link to the file"),
):
    add(FILES, said, "hard", instead(name, make), says, LOAD if name != "settings" else ("settings", *MODEL))


# ---- attributes ----
VERSION = r"format_version must be an integer in \[2, 4\]"
for value, says in (
    (1, r"format_version = 1: must be in \[2, 4\]"), (0, "format_version = 0: must be in"),
    (-1, "format_version = -1: must be in"), (NAN, VERSION), (2.0, VERSION), ("2", VERSION),
    (99, "was made by nsgalpha .*later than this one"), (None, VERSION), (np.arange(3), VERSION),
    (2**63 - 1, "later than this one"), (True, VERSION),
):
    add(FILES, f"format_version {value!r}", "hard", attribute("format_version", value), says, OPEN)
add(FILES, "the format of another", "hard", attribute("format", np.bytes_("nsgalpha problem")),
    "is not the file of a run", OPEN)
add(FILES, "no format", "hard", attribute("format", None), "is not the file of a run", OPEN)
add(FILES, "a format that is a number", "hard", attribute("format", 5),
    "@format = 5: must be a text", OPEN)
add(FILES, "a format of three texts", "hard", attribute("format", np.array([b"a", b"b", b"c"])),
    "@format is of type .*, must be one text", OPEN)
add(FILES, "an identity that is missing", "hard", attribute("run", None), "@run is missing")
add(FILES, "an identity of numbers", "hard", attribute("run", np.arange(5)),
    "@run is of type int64 and shape .*, must be one text")
add(FILES, "a text of 60 kB in the header", "hard", attribute("written", np.bytes_("x" * 60000)), "", ())
add(FILES, "packages as a list", "hard", attribute("packages", np.bytes_("[]")),
    "packages = 'list': must be a table", ("info", "report"))
add(FILES, "packages that are no JSON", "hard", attribute("packages", np.bytes_("{")), "packages: is no JSON",
    ("info", "report"))

GOOD = {"ok": True, "message": "x", "time": 0.0, "subproblem": None, "contact": None, "residual": 0.0}
for said, value, says in (
    ("a list", [], "status = 'list': must be a table"),
    ("a key more", GOOD | {"os": 1}, "status = .*must be a table with the keys"),
    ("a key less", {"ok": True}, "status = .*must be a table with the keys"),
    ("ok = 1", GOOD | {"ok": 1}, "status.ok = 'int': must be bool"),
    ("a message that is a list", GOOD | {"message": []}, "status.message = 'list': must be str"),
    ("a time that is a text", GOOD | {"time": "0"}, "status.time = 'str': must be float"),
    ("a contact of three", GOOD | {"contact": ["a", "b", "c"]}, "status, contact = "),
    ("a subproblem of 5", GOOD | {"subproblem": 5}, "status, subproblem = 5"),
):
    add(FILES, f"a status with {said}", "hard", attribute("status", np.bytes_(json.dumps(value))), says)
add(FILES, "a status that is no JSON", "hard", attribute("status", np.bytes_("{]")),
    "status: is no JSON text")
add(FILES, "a status that is no text", "hard", attribute("status", np.bytes_(b"\xff\xfe\x80")),
    "@status is no text in UTF-8")
add(FILES, "a status of nested lists", "hard", attribute("status", np.bytes_("[" * 30000)), "status: ")
controls = np.bytes_(json.dumps(GOOD | {"message": "\x1b]0;x\x07\x1b[2J\r\n<script>"}))
add(FILES, "a status with controls", "hard", attribute("status", controls), "", ())


# ---- sensors ----
def sensor(name: str, t: Any, value: Any) -> Change:
    """One more sensor."""

    def change(file: Any) -> None:
        group = file["sensors"].create_group(name)
        for key, values in (("t", t), ("value", value)):
            if np.ndim(values):
                write_table(group, key, values)
            else:
                group[key] = values

    return hdf5(change)


TIMES = np.arange(3.0)
for said, change, says in (
    ("times of two axes", sensor("s", TIMES[:, None], TIMES), "sensors/s = .*times and a value for each"),
    ("one value", sensor("s", TIMES, 1.0), "sensors/s = .*times and a value for each"),
    ("texts", sensor("s", TIMES, np.full(3, b"x")), "sensors/s/value is of type"),
    ("times that are integers", sensor("s", np.arange(3), TIMES), "sensors/s/t is of type int64"),
    ("no times", hdf5(lambda file: file["sensors"].create_group("s")), "sensors/s/t is missing"),
    ("a link to another file",
     hdf5(lambda file: file["sensors"].__setitem__("s",
      h5py.ExternalLink("/etc/hosts", "/"))), "sensors/s.* is a link to the file"),
    ("itself", hdf5(lambda file: file["sensors"].__setitem__("s", file["sensors"])),
     "sensors/s/t is missing"),
    ("the whole file", hdf5(lambda file: file["sensors"].__setitem__("s", file["/"])),
     "sensors/s/t is missing"),
    ("a dataset", hdf5(lambda file: file["sensors"].__setitem__("s", 1.0)), "sensors/s/t is missing"),
    ("10001 sensors", hdf5(lambda file: [file["sensors"].create_group(str(k)) for k in range(10001)]),
     "sensors = 1000.: must be at most 10000"),
):
    add(FILES, f"a sensor that is {said}", "hard", change, says, LOAD)
add(FILES, "a sensor called ..", "hard", sensor("..", TIMES, TIMES), "", ())
add(FILES, "a sensor of 60000 letters", "hard", sensor("x" * 60000, TIMES, TIMES), "", ())
add(FILES, "a sensor with controls", "hard", sensor("\x1b[2J\n<script>", TIMES, TIMES), "", ())


# ---- bytes ----
for part in range(20):
    cut = content(lambda data, part=part: data[: len(data) * part // 20])
    add(FILES, f"{part} of 20 parts of a file", "hard", cut, "is no HDF5 file|cut off", OPEN)
add(FILES, "a text", "hard", content(lambda data: b"no file of a run"), "is no HDF5 file", OPEN)
add(FILES, "zeros", "hard", content(lambda data: bytes(len(data))), "is no HDF5 file", OPEN)
