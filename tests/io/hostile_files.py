"""Files that somebody made to do harm, and what must be said of each.

`FILES` has them by name: the run whose file is changed, what is done to it, the doors that must refuse it and
what they say. All other doors may read the file, or refuse it. Checksums are made right again: a hostile
author can do that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from nsgalpha.io.parts import CHECKED, counts
from nsgalpha.io.tables import append_rows, write_table, write_text

Change = Callable[[Path], None]
LOAD = ("load", "info", "info --json", "report", "resume")
MODEL = LOAD[1:]
RESUME = ("settings", "resume")
OPEN = (*LOAD, "info --repair")


@dataclass(frozen=True, slots=True)
class Hostile:
    """A file that is changed, the doors that refuse it, and what they say."""

    run: str
    change: Change
    says: str
    doors: tuple[str, ...] = LOAD


FILES: dict[str, Hostile] = {}


def table(name: str, change: Callable[[Any], Any]) -> Change:
    """The values of a dataset are others."""

    def do(path: Path) -> None:
        with h5py.File(path, "r+") as file:
            replace(file, name, change(file[name][()]))

    return do


def replace(file: Any, name: str, values: Any) -> None:
    """Write `values` in place of a dataset, and the checksums that go with them."""
    group, _, last = name.rpartition("/")
    owner = file[group] if group else file
    whole = name not in CHECKED or np.ndim(values) == 0
    known = file[name]
    if whole or values.shape[1:] != known.shape[1:] or values.dtype != known.dtype:
        del file[name]
        if np.ndim(values) == 0:
            file[name] = values
        else:
            write_table(owner, last, values)
        return
    known.resize(len(values), axis=0)
    known[...] = values
    sign(file)


def sign(file: Any) -> None:
    """Make the checksums of all parts those of what is in the tables."""
    from zlib import crc32

    rows = np.vstack([np.zeros((1, 4), int), file["parts/filled"][:]])
    for part, (first, last) in enumerate(pairwise(rows)):
        for column, name in enumerate(CHECKED):
            if name in file and name != "parts":
                i, j = first[counts(name)], last[counts(name)]
                file["parts/checksum"][part, column] = crc32(np.ascontiguousarray(file[name][i:j]))


def put(index: Any, value: Any) -> Callable[[Any], Any]:
    """One value is another."""

    def change(values: Any) -> Any:
        values[index] = value
        return values

    return change


def text(name: str, change: Callable[[Any], Any]) -> Change:
    """The JSON of the description or of the settings is another one."""

    def do(path: Path) -> None:
        with h5py.File(path, "r+") as file:
            data = json.loads(bytes(file[name][:]))
            raw(name, json.dumps(change(data)))(path, file)

    return do


def raw(name: str, content: str | bytes) -> Any:
    """The text of a dataset is another one."""

    def do(path: Path, file: Any = None) -> None:
        if file is None:
            with h5py.File(path, "r+") as opened:
                return do(path, opened)
        group, _, last = name.rpartition("/")
        del file[name]
        owner = file[group] if group else file
        if isinstance(content, str):
            write_text(owner, last, content)
        else:
            write_table(owner, last, np.frombuffer(content, np.uint8))
        return None

    return do


def at(*keys: Any, value: Any) -> Callable[[Any], Any]:
    """`value` in place of what the keys lead to; "$" in it is the folder of the file."""

    def change(data: Any) -> Any:
        owner = data
        for key in keys[:-1]:
            owner = owner[key]
        owner[keys[-1]] = value
        return data

    return change


def model(*keys: Any, value: Any) -> Change:
    """A value of the description is another one."""
    return text("model/description", at(*keys, value=value))


def settings(key: str, value: Any) -> Change:
    """A setting is another one."""
    return text("settings", at(key, value=value))


def attribute(name: str, value: Any) -> Change:
    """An attribute of the file is another one; None: there is none."""

    def do(path: Path) -> None:
        with h5py.File(path, "r+") as file:
            file.attrs.pop(name, None)
            if value is not None:
                file.attrs[name] = value

    return do


def hdf5(change: Callable[[Any], object]) -> Change:
    """`change(file)`, of the open file."""

    def do(path: Path) -> None:
        with h5py.File(path, "r+") as file:
            change(file)

    return do


def content(change: Callable[[bytes], bytes]) -> Change:
    """The bytes are others."""

    def do(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return do


def add(name: str, run: str, change: Change, says: str, doors: tuple[str, ...] = LOAD) -> None:
    """One more file."""
    if name in FILES:
        raise ValueError(f"{name!r} is there twice")
    FILES[name] = Hostile(run, change, says, doors)


def record(name: str, version: Any = 1, **arguments: Any) -> dict[str, Any]:
    """A record of format 2."""
    return {"record": name, "version": version, "arguments": arguments}


# ---- names that are to be executed ----

COMMAND = "touch executed"
PROGRAMS = ("os:system", "builtins:exec", "builtins:eval", "subprocess:Popen", "numpy:load", "os.system")


def _executed_1(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "record", {"record": name, "items": [COMMAND]}
    yield "object", {"object": name, "state": {"command": COMMAND, "args": COMMAND}}


def former(*keys: Any, value: Any) -> Change:
    """A value of a description of format 1 is another one."""

    def do(path: Path) -> None:
        with h5py.File(path, "r+") as file:
            data = at(*keys, value=value)(json.loads(file["model/description"][()]))
            del file["model/description"]
            file["model/description"] = json.dumps(data)

    return do


def former_settings(key: str, value: Any) -> Change:
    """A setting of a file of format 1 is another one."""

    def do(path: Path) -> None:
        with h5py.File(path, "r+") as file:
            data = json.loads(file.attrs["settings"])
            file.attrs["settings"] = json.dumps(data | {key: value})

    return do


for program in PROGRAMS:
    named = rf"name = '{program}': must be a name that files of format 1 may hold"
    for form, hostile in _executed_1(program):
        said = f"1: {program} as {form}"
        add(f"{said}, a motion", "former_hard", former("planes", 0, "motion", value=hostile), rf"planes\[0\].*{named}")
        add(f"{said}, an element", "former_hard", former("elements", 0, value=hostile), rf"elements\[0\].*{named}", MODEL)
        add(f"{said}, a load", "former_hard", former("loads", 0, value=hostile), rf"loads\[0\].*{named}", MODEL)
        add(f"{said}, the scheme", "former_hard", former_settings("scheme", hostile), rf"settings\.scheme.*{named}", RESUME)
    in_law = former("elements", 0, "state", "law", value=hostile)
    add(f"1: {program} in an element", "former_hard", in_law, rf"elements\[0\]\.law.*{named}", MODEL)
    in_vector = former("gravity", value=[hostile, 0.0, 0.0])
    add(f"1: {program} in the gravity", "former_hard", in_vector, "gravity", LOAD)
    executed = record(program, command=COMMAND, args=COMMAND)
    named = rf"name = '{program}': must be the name of one of the"
    add(f"{program}, a motion", "hard", model("planes", 0, "motion", value=executed), rf"planes\[0\]\.motion.*{named} motions")
    add(f"{program}, an element", "hard", model("elements", 0, value=executed), rf"elements\[0\].*{named} elements", MODEL)
    add(f"{program}, a load", "hard", model("loads", 0, value=executed), rf"loads\[0\].*{named} loads", MODEL)
    add(f"{program}, a law", "soft", model("elements", 0, "arguments", "normal", value=executed), rf"elements\[0\]\.normal.*{named}", MODEL)
    add(f"{program}, the scheme", "hard", settings("scheme", executed), rf"settings\.scheme.*{named} schemes", RESUME)

carried = {"record": "os:system", "items": [COMMAND]}
add("1: a function as a carrier", "former_primitives", former("carriers", 0, value=carried), "carrier.*must be a body, a plane or nothing")
add("1: a function as the body of a plane", "former_hard", former("planes", 0, "body", value=carried), r"planes\[0\]\.body = \{'record'")
add("1: a function of another package", "former_script", former("loads", 0, value={"function": "os:system"}), "the function os:system is not in the file", ("resume",))
add("1: a method", "former_hard", former("loads", 0, value={"method": "system", "of": {"module": "os"}}), "a method of a script", ("resume",))
add("1: a partial", "former_hard", former("loads", 0, value={"partial": {"function": "os:system"}, "args": {"tuple": [COMMAND]}}), "a partial of a script", ("resume",))
add("1: a law as an element", "former_hard", former("elements", 0, value={"object": "elements.laws.linear.constant:ConstantForce", "state": {"force": 1.0}}), r"elements\[0\] = 'ConstantForce': must be one of the elements", MODEL)
add("1: an element as a load", "former_hard", lambda path: _element_as_load(path), r"loads\[0\] = 'SphereSphere': must be one of the loads", MODEL)
add("1: a number as an element", "former_hard", former("elements", 0, value=5), r"elements\[0\] = 'int': must be one of the elements", MODEL)
add("1: the id of nothing", "former_hard", former("elements", 0, value={"same": 12345}), r"elements\[0\]\.same = 12345: must be the id of something before", MODEL)
add("1: an id that is a list", "former_hard", former("elements", 0, value={"same": [1]}), r"elements\[0\]\.same", MODEL)
add("1: lists of lists", "former_hard", former("elements", 0, value=json.loads("[" * 900 + "]" * 900)), "elements", MODEL)


def _element_as_load(path: Path) -> None:
    with h5py.File(path) as file:
        element = json.loads(file["model/description"][()])["elements"][0]
    former("loads", 0, value=element)(path)


# ---- records of format 2 ----

DEEP: Any = json.loads('{"bodies": [0]}')
for _ in range(70):
    DEEP = [DEEP]
ELEMENT = ("elements", 0)
PLACE = r"elements\[0\]"
for said, keys, value, says in (
    ("an unknown name", ELEMENT, record("Nothing"), f"{PLACE}.*name = 'Nothing'"),
    ("a law as an element", ELEMENT, record("Hertz", modulus=1e5), f"{PLACE}.*name = 'Hertz': must be the name of one of the elements"),
    ("a scheme as a load", ("loads", 0), record("VelocityVerlet"), r"loads\[0\].*name = 'VelocityVerlet': must be the name of one of the loads"),
    ("a start as an element", ELEMENT, record("glued"), f"{PLACE}.*name = 'glued'"),
    ("a path of attributes", ELEMENT, record("SphereSphere.__init__"), f"{PLACE}.*name = 'SphereSphere.__init__'"),
    ("a class of the class", ELEMENT, record("__class__"), f"{PLACE}.*name = '__class__'"),
    ("a name that is a list", ELEMENT, {"record": ["SphereSphere"], "version": 1, "arguments": {}}, rf"{PLACE}\.record = 'list': must be str"),
    ("no version", ELEMENT, {"record": "SphereSphere", "arguments": {}}, f"{PLACE} = .*must be a table with the keys record, version, arguments"),
    ("one key more", ELEMENT, record("SphereSphere") | {"module": "os"}, f"{PLACE} = .*must be a table with the keys"),
    ("an element that is a list", ELEMENT, [], f"{PLACE} = 'list': must be a table"),
    ("an element that is null", ELEMENT, None, f"{PLACE} = 'NoneType': must be a table"),
    ("version 0", (*ELEMENT, "version"), 0, "version of SphereSphere = 0"),
    ("version -1", (*ELEMENT, "version"), -1, "version of SphereSphere = -1"),
    ("version 99", (*ELEMENT, "version"), 99, "version of SphereSphere = 99.*install a later version"),
    ("version of 30 digits", (*ELEMENT, "version"), 10**30, "version of SphereSphere"),
    ("version 1.0", (*ELEMENT, "version"), 1.0, "version"),
    ("version true", (*ELEMENT, "version"), True, "version"),
    ("version '1'", (*ELEMENT, "version"), "1", "version"),
    ("an unknown argument", (*ELEMENT, "arguments", "nonsense"), 1, f"{PLACE}: SphereSphere: .*nonsense"),
    ("the argument self", (*ELEMENT, "arguments", "self"), 1, f"{PLACE}: SphereSphere: .*self"),
    ("an argument with dunders", (*ELEMENT, "arguments", "__class__"), 1, f"{PLACE}: SphereSphere: .*__class__"),
    ("an argument with controls", (*ELEMENT, "arguments", "\x1b[2J\n"), 1, rf"{PLACE}: SphereSphere: .*\\x1b\[2J"),
    ("arguments as a list", (*ELEMENT, "arguments"), [], rf"{PLACE}\.arguments = 'list': must be dict"),
    ("values 70 deep", (*ELEMENT, "arguments", "among"), DEEP, "must be at most 64 deep"),
    ("body 99", (*ELEMENT, "arguments", "among"), {"bodies": [0, 99]}, r"among\[1\] = 99: must be the number of one of 4 body handles"),
    ("body -1", (*ELEMENT, "arguments", "among"), {"bodies": [0, -1]}, r"among\[1\] = -1: must be the number"),
    ("body true", (*ELEMENT, "arguments", "among"), {"bodies": [0, True]}, r"among\[1\] = True: must be the number"),
    ("body 1.0", (*ELEMENT, "arguments", "among"), {"bodies": [0, 1.0]}, r"among\[1\] = 1.0: must be the number"),
    ("body '0'", (*ELEMENT, "arguments", "among"), {"bodies": ["0", 1]}, r"among\[0\] = '0': must be the number"),
    ("a body twice", (*ELEMENT, "arguments", "among"), {"bodies": [1, 1]}, "given twice"),
    ("bodies that are a number", (*ELEMENT, "arguments", "among"), {"bodies": 3}, r"among = \['bodies'\]: must be one of the forms"),
    ("planes as spheres", (*ELEMENT, "arguments", "among"), {"planes": [0, 1]}, f"{PLACE}: SphereSphere: among"),
    ("mu of 5000 digits", (*ELEMENT, "arguments", "mu"), 10**4000, f"{PLACE}: SphereSphere: "),
    ("mu is nan", (*ELEMENT, "arguments", "mu"), float("nan"), f"{PLACE}: SphereSphere: .*mu"),
    ("mu is a text", (*ELEMENT, "arguments", "mu"), "x", f"{PLACE}: SphereSphere: .*mu"),
    ("an array of objects", (*ELEMENT, "arguments", "mu"), {"array": [1], "dtype": "object", "shape": [1]}, r"mu\.dtype = 'object': must be one of"),
    ("an array of bytes", (*ELEMENT, "arguments", "mu"), {"array": [1], "dtype": "V100000000", "shape": [1]}, r"mu\.dtype = 'V100000000'"),
    ("a huge shape", (*ELEMENT, "arguments", "mu"), {"array": [1.0], "dtype": "float64", "shape": [10**12]}, r"mu\.shape = \[1000000000000\]: must be that of 1 numbers"),
    ("a negative shape", (*ELEMENT, "arguments", "mu"), {"array": [1.0], "dtype": "float64", "shape": [-1, -1]}, r"mu\.shape"),
    ("a shape of 100 axes", (*ELEMENT, "arguments", "mu"), {"array": [1.0], "dtype": "float64", "shape": [1] * 100}, "mu: "),
    ("texts in an array", (*ELEMENT, "arguments", "mu"), {"array": ["x"], "dtype": "float64", "shape": [1]}, "mu = 'other values': must be numbers"),
    ("300 in a byte", (*ELEMENT, "arguments", "mu"), {"array": [300], "dtype": "int8", "shape": [1]}, "mu: "),
    ("a form that is none", (*ELEMENT, "arguments", "mu"), {"import": "os"}, r"mu = \['import'\]: must be one of the forms"),
    ("a float that is none", (*ELEMENT, "arguments", "mu"), {"float": "__import__('os')"}, r"mu = \['float'\]: must be one of the forms"),
    ("a missing that is a number", (*ELEMENT, "arguments", "mu"), {"missing": 5}, r"mu = \['missing'\]: must be a table with the keys"),
    ("no gravity", ("gravity",), [], "gravity = "),
    ("gravity of nan", ("gravity",), [float("nan"), 0, 0], "gravity = "),
    ("gravity of texts", ("gravity",), ["x", "y", "z"], "gravity = "),
    ("a plane without a normal", ("planes", 0, "normal"), [0, 0, 0], r"planes\[0\].*normal"),
    ("a plane at nan", ("planes", 0, "offset"), float("nan"), r"planes\[0\].*offset"),
    ("a plane on body 99", ("planes", 0, "body"), 99, r"planes\[0\]\.body = 99"),
    ("a plane of a list", ("planes", 0), [], r"planes\[0\] = 'list': must be a table"),
    ("a load as a motion", ("planes", 0, "motion"), record("Force", bodies={"body": 0}, force=[1, 0, 0]), r"planes\[0\]\.motion.*name = 'Force': must be the name of one of the motions"),
    ("two planes of a name", ("planes", 1, "name"), "plane 0", r"planes\[1\].*'plane 0': must be used once"),
    ("a name of bodies that is a number", ("names", "bodies", 0), 5, "description.names = 'other values': must be texts"),
    ("a body's name twice", ("names", "bodies"), ["a", "a", "b", "c"], "bodies/name = 'a name twice'"),
    ("a name less", ("names", "bodies"), ["a"], r"bodies/radius = \(4,\): must be of the shape \(1,\)"),
    ("names as a list", ("names",), [], "description.names = 'list': must be a table"),
    ("a key more in the description", ("os",), 1, "description = .*must be a table with the keys"),
    ("elements as a table", ("elements",), {}, "description.elements = 'dict': must be list"),
):  # fmt: skip
    in_model = keys[0] in ("elements", "loads") and says[:11] != "description"
    add(said, "hard", model(*keys, value=value), says, MODEL if in_model else LOAD)

for said, keys, value, says in (
    ("stiffness -1", ("normal",), record("SpringDashpot", stiffness=-1.0), r"elements\[1\]\.normal: SpringDashpot: stiffness = -1"),
    ("stiffness inf", ("normal",), record("SpringDashpot", stiffness={"float": "inf"}), r"elements\[1\]\.normal: SpringDashpot: stiffness = inf"),
    ("stiffness of 400 digits", ("normal",), record("SpringDashpot", stiffness=10**400), r"elements\[1\]\.normal: SpringDashpot: "),
    ("stiffness that is a body", ("normal",), record("SpringDashpot", stiffness={"plane": 0}), r"elements\[1\]\.normal: SpringDashpot: stiffness"),
    ("a negative friction", ("tangential",), record("CundallStrack", stiffness=1.0, mu=-0.5), r"elements\[1\]\.tangential: CundallStrack: "),
    ("a law for another place", ("rolling",), record("SpringDashpot", stiffness=1.0), r"elements\[1\]: CompliantSpherePlane: "),
    ("a number as a law", ("normal",), 5, r"elements\[1\]: CompliantSpherePlane: "),
    ("an element as a law", ("normal",), record("SphereSphere", among={"bodies": [0, 1]}, mu=0.1), r"elements\[1\].*normal"),
    ("an array as a law", ("normal",), {"array": [1.0], "dtype": "float64", "shape": [1]}, r"elements\[1\]: CompliantSpherePlane: "),
    ("a reach of nan", ("reach",), float("nan"), r"elements\[1\]: CompliantSpherePlane: reach = nan"),
    ("a negative reach", ("reach",), -1.0, r"elements\[1\]: CompliantSpherePlane: reach = -1"),
):  # fmt: skip
    add(said, "soft", model("elements", 1, "arguments", *keys, value=value), says, MODEL)

# ---- tables of bodies and primitives ----

B = "model/bodies"
NAN, INF = float("nan"), float("inf")
for said, name, index, value, says in (
    ("a mass of -1", "mass", 1, -1.0, "bodies, 'sphere 1', mass = -1"),
    ("no mass", "mass", 1, 0.0, "bodies, 'sphere 1', mass = 0"),
    ("a mass of nan", "mass", 1, NAN, "bodies, 'sphere 1', mass = nan"),
    ("a mass of inf", "mass", 1, INF, "bodies, 'sphere 1', mass = inf"),
    ("a radius of -1", "radius", 1, -1.0, "bodies, 'sphere 1', radius = -1"),
    ("a radius of inf", "radius", 1, INF, "bodies, 'sphere 1', radius = inf"),
    ("a place at nan", "position", (1, 2), NAN, "bodies, 'sphere 1', position = "),
    ("a velocity of inf", "velocity", (1, 2), INF, "bodies, 'sphere 1', velocity = "),
    ("a quaternion of zeros", "rotation", 1, 0.0, "bodies, 'sphere 1', rotation = .*a quaternion of length 1"),
    ("a quaternion of length 2", "rotation", (1, 0), 2.0, "bodies, 'sphere 1', rotation = .*length 1"),
    ("a quaternion of length 1.000001", "rotation", (1, 0), 1.000001, "bodies, 'sphere 1', rotation = .*length 1"),
    ("no inertia", "inertia", 1, 0.0, "bodies, 'sphere 1', inertia = .*positive definite"),
    ("an inertia that is none", "inertia", (1, 0, 0), 1e9, "bodies, 'sphere 1', inertia = .*the inertia of a body"),
    ("an asymmetric inertia", "inertia", (1, 0, 1), 1e-6, "bodies, 'sphere 1', inertia = .*symmetric"),
    ("an inertia of nan", "inertia", (1, 0, 0), NAN, "bodies, 'sphere 1', inertia = "),
    ("an inertia of a point", "turns", 1, 0, "bodies, 'sphere 1', inertia = "),
):  # fmt: skip
    add(said, "hard", table(f"{B}/{name}", put(index, value)), says, LOAD)
for said, change, says in (
    ("a body more", lambda x: np.vstack([x, x[:1]]), r"bodies/position = \(5, 3\): must be of the shape \(4, 3\)"),
    ("a place with 2 axes", lambda x: x[:, :2], r"bodies/position = \(4, 2\)"),
    ("one number as all places", lambda x: np.float64(1.0), "bodies/position"),
    ("places that are texts", lambda x: np.full(4, b"x"), "bodies/position is of type"),
    ("places that are complex", lambda x: x + 1j, "bodies/position is of type"),
):
    add(said, "hard", table(f"{B}/position", change), says, LOAD)

P = "model/primitives"
for said, name, index, value, says in (
    ("corner 999", "corner", 0, 999, r"primitives\[0\]: corners = \[999, 1\]: must be numbers of"),
    ("corner -1", "corner", 0, -1, r"primitives\[0\]: corners = \[-1, 1\]: must be numbers of"),
    ("corner 2^62", "corner", 0, 2**62, r"primitives\[0\]: corners = \[4611686018427387904, 1\]"),
    ("a corner twice", "corner", 0, 1, r"primitives\[0\]: corners = .*apart"),
    ("a corner of another carrier", "corner", 0, 2, r"primitives\[0\]: corners = \[2, 1\]: must be points of the carrier"),
    ("an end beyond the corners", "end", -1, 999, "primitives/end = "),
    ("an end before the last", "end", 1, 1, "primitives/end = "),
    ("a negative end", "end", 0, -5, "primitives/end = "),
    ("carrier 99", "carrier", 0, 99, "primitives/carrier = 99: must be in"),
    ("carrier -99", "carrier", 0, -99, "primitives/carrier = -99: must be in"),
    ("carrier 2^63 - 1", "carrier", 0, 2**63 - 1, "primitives/carrier = 9223372036854775807: must be in"),
    ("another carrier", "carrier", 0, 2, r"primitives\[0\]: corners = .*must be points of the carrier"),
    ("carrier 99 of a point", "place_carrier", 0, 99, "primitives/carrier = 99: must be in"),
    ("a point at nan", "place", (0, 0), NAN, "primitives/place = 'not a number': must be finite"),
    ("a point at inf", "place", (0, 0), INF, "primitives/place = 'not a number': must be finite"),
    ("two corners in one place", "place", slice(None), 1.0, r"primitives\[0\]: corners = .*apart"),
    ("a segment that deforms", "rigid", 0, 0, r"primitives\[0\]: corners = .*bodies without a carrier"),
    ("a triangle that is rigid", "rigid", 2, 1, r"primitives\[2\]: corners"),
    ("a primitive's radius of nan", "radius", 0, NAN, r"primitives\[0\]: radius = nan"),
    ("a polygon's radius of -1", "radius", 2, -1.0, r"primitives\[2\]: radius = -1"),
):  # fmt: skip
    add(said, "primitives", table(f"{P}/{name}", put(index, value)), says, LOAD)
add("primitives of fewer columns", "primitives", table(f"{P}/radius", lambda x: x[:-1]), "primitives", LOAD)
add("places that are flat", "primitives", table(f"{P}/place", np.ravel), r"primitives/place = ", LOAD)
add("ends of two axes", "primitives", table(f"{P}/end", lambda x: x[:, None]), "primitives/end", LOAD)
add("corners that are numbers with a point", "primitives", table(f"{P}/corner", lambda x: x + 0.5), "primitives", LOAD)

for said, keys, value, says in (
    ("segments as polygons", (3, "polygons"), {"primitives": [0]}, r"elements\[3\]: CompliantPolygonSphere: polygons = 'primitive 0': must be a polygon"),
    ("polygons as spheres", (3, "spheres"), {"primitives": [3]}, r"elements\[3\]: CompliantPolygonSphere: spheres = 'primitive 3'"),
    ("a plane as a polygon", (3, "polygons"), {"body": 0}, r"elements\[3\]: CompliantPolygonSphere: polygons"),
    ("primitive 99", (3, "polygons"), {"primitives": [99]}, r"elements\[3\]\.polygons\[0\] = 99: must be the number of one of 5 primitive handles"),
    ("primitive -1", (3, "polygons"), {"primitive": -1}, r"elements\[3\]\.polygons = -1: must be the number"),
    ("spheres as capsules", (0, "among"), {"primitives": [3, 4]}, r"elements\[0\]: CompliantCapsules: among = 'primitive 3'"),
    ("parts that are none", (1, "parts"), ["__class__"], r"elements\[1\]: CompliantPolygonCapsule: parts = "),
    ("a crown of 7", (0, "crown"), 7.0, r"elements\[0\]: CompliantCapsules: crown = 7"),
):  # fmt: skip
    change = model("elements", keys[0], "arguments", keys[1], value=value)
    add(said, "primitives", change, says, MODEL)


# ---- tables of states, and what counts of them ----

FILLED = r"filled = .*must be 4 counts"
for said, change, says in (
    ("more states than there are", put(0, 72), "states/t has shape .*must have 72 rows"),
    ("1e18 states", put(0, 10**18), "states/t has shape .*must have 1000000000000000000 rows"),
    ("-1 states", put(0, -1), FILLED),
    ("no states", put(0, 0), "states/t, .*at least one time"),
    ("more contacts than there are", put(1, 10**6), "contacts/end: must increase from 0 to 1000000"),
    ("a contact less", put(1, 253), "contacts/end: must increase from 0 to 253"),
    ("3 counts", lambda x: x[:3], FILLED),
    ("counts of two axes", lambda x: x[:, None], FILLED),
    ("counts with a point", lambda x: x + 0.5, "filled is of type float64, must be integers"),
    ("one count", lambda x: np.int64(3), FILLED),
):
    add(said, "hard", table("filled", change), says, LOAD)


def _grown(rows: int) -> Change:
    """Tables of so many states, of which nothing is stored."""

    def change(file: Any) -> None:
        for name in file["states"]:
            file["states"][name].resize(rows, axis=0)
        file["contacts/end"].resize(rows, axis=0)
        file["filled"][0] = rows

    return hdf5(change)


add("1e9 states of which nothing is stored", "hard", _grown(10**9), "states/t has shape .*are stored")
add("100 states of which 71 are stored", "hard", _grown(100), "states")
for said, name, change, says in (
    ("a time of nan", "states/t", put(3, NAN), "states/t, .*finite and increasing"),
    ("a time that goes back", "states/t", put(3, 0.0), "states/t, .*finite and increasing"),
    ("times twice", "states/t", put(3, 0.002), "states/t, .*finite and increasing"),
    ("times of two axes", "states/t", lambda x: x[:, None], "states/t, .*at least one time"),
    ("times in single precision", "states/t", lambda x: x.astype("f4"), "states/t, .*finite and increasing|part"),
    ("ends of contacts that decrease", "contacts/end", put(5, 0), "contacts/end: must increase"),
    ("negative ends of contacts", "contacts/end", put(0, -7), "contacts/end: must increase"),
    ("ends of contacts beyond them", "contacts/end", put(-1, 10**9), "contacts/end: must increase from 0 to 254"),
    ("positions of 2 axes", "states/position", lambda x: x[:, :, :2], r"states/position = .*rows of the shape \(4, 3\)"),
    ("positions of 3 bodies", "states/position", lambda x: x[:, :3], r"states/position = .*rows of the shape \(4, 3\)"),
    ("integers as positions", "states/position", lambda x: x.astype(int), "states/position is of type int64"),
    ("wrenches of 5", "contacts/wrench", lambda x: x[:, :5], r"contacts/wrench = .*rows of the shape \(6,\)"),
    ("numbers with a point as bodies", "contacts/body_a", lambda x: x * 0.5, "contacts/body_a is of type float64"),
):  # fmt: skip
    add(said, "hard", table(name, change), says, LOAD)
for code in (3, 100, -128):
    says = r"contacts/status: codes must be in \[0, 2\]|contacts/status is damaged"
    add(f"status {code} of a contact", "hard", table("contacts/status", put(9, code)), says, ("contacts.status", "info", "report"))
add("a contact with body 99", "hard", table("contacts/body_a", put(slice(None), 99)), r"contacts/body_a: numbers must be in \[0, 3\]", ("resume", "contacts.body_a"))
add("a contact with body -7", "hard", table("contacts/body_a", put(slice(None), -7)), r"contacts/body_a: numbers must be in \[0, 3\]", ("resume", "contacts.body_a"))
add("a contact with plane 99", "hard", table("contacts/plane", put(slice(None), 99)), r"contacts/plane: numbers must be in \[-1, 2\]", ("resume", "contacts.plane"))
add("a state of nan", "hard", table("states/position", put(-1, NAN)), "state.position", ("resume",))

for said, name, change, says in (
    ("ends of histories that decrease", "histories/end", put(3, 0), "histories/end: must increase"),
    ("ends of histories beyond them", "histories/end", put(-1, 10**9), "histories/end: must increase"),
    ("pairs of 3 numbers", "histories/pair", lambda x: x[:, :3], "histories/pair = .*4 wide"),
    ("tangents of 2 numbers", "histories/tangent", lambda x: x[:, :2], "histories/pair = .*tangents 3"),
    ("memories of other widths", "histories/values", lambda x: x[:, :1], "histories/opened = .*as wide as the values"),
    ("memories without axes", "histories/values", lambda x: x[:, 0], "histories/values = .*2 axes"),
    ("histories as integers", "histories/values", lambda x: x.astype(int), "histories/values is of type int64"),
):
    add(said, "soft", table(name, change), says, LOAD)
for said, name, change in (
    ("a memory of element 99", "histories/pair", put((slice(None), 0), 99)),
    ("a memory of body 99", "histories/pair", put((slice(None), 1), 99)),
    ("a memory of body -9", "histories/pair", put((slice(None), 1), -9)),
    ("a memory of plane 99", "histories/pair", put((slice(None), 3), 99)),
    ("a memory of nan", "histories/values", put(slice(None), NAN)),
    ("a tangent of zeros", "histories/tangent", put(slice(None), 0.0)),
):
    add(said, "soft", table(name, change), "", ())  # memories of no contact are forgotten


# ---- what HDF5 offers ----


def instead(name: str, make: Callable[[Any, str], object]) -> Change:
    """Something else in place of a dataset."""

    def change(file: Any) -> None:
        del file[name]
        make(file, name)

    return hdf5(change)


def _virtual(file: Any, name: str) -> None:
    layout = h5py.VirtualLayout((71, 4, 3), float)
    layout[:] = h5py.VirtualSource("/etc/hosts", "x", (71, 4, 3))
    file.create_virtual_dataset(name, layout)


def _filtered(file: Any, name: str) -> None:
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    created.set_chunk((1, 4, 3))
    created.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, ())
    space = h5py.h5s.create_simple((71, 4, 3))
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.IEEE_F64LE, space, created)


def _plain(**options: Any) -> Callable[[Any, str], object]:
    return lambda file, name: file.create_dataset(name, **options)


NAME = "states/velocity"
SHAPE = (71, 4, 3)
for said, make, says in (
    ("a link to another file", lambda f, n: f.__setitem__(n, h5py.ExternalLink("/etc/hosts", "/x")), f"{NAME} is a link to the file '/etc/hosts'"),
    ("a link by name", lambda f, n: f.__setitem__(n, h5py.SoftLink("/states/position")), f"{NAME} is a link to '/states/position'"),
    ("a link to itself", lambda f, n: f.__setitem__(n, h5py.SoftLink(f"/{n}")), f"{NAME} is a link"),
    ("a virtual dataset", _virtual, f"{NAME} is composed of other files"),
    ("values in another file", _plain(shape=SHAPE, dtype=float, external=[("/etc/passwd", 0, 8 * 71 * 12)]), f"{NAME} is composed of other files"),
    ("a filter that is a program", _filtered, f"{NAME} is stored with the filter 32015"),
    ("records as numbers", _plain(shape=SHAPE, dtype=[("a", "f8"), ("b", "i4")]), f"{NAME} is of type"),
    ("numbers of any length", _plain(shape=SHAPE, dtype=h5py.vlen_dtype(np.float64)), f"{NAME} is of type"),
    ("references", _plain(shape=SHAPE, dtype=h5py.ref_dtype), f"{NAME} is of type"),
    ("texts as numbers", _plain(shape=SHAPE, dtype=h5py.string_dtype()), f"{NAME} is of type"),
    ("opaque bytes", _plain(shape=SHAPE, dtype="V64"), f"{NAME} is of type"),
    ("names of numbers", _plain(shape=SHAPE, dtype=h5py.enum_dtype({"a": 1})), f"{NAME} is of type|states/velocity has shape"),
    ("arrays in an array", _plain(shape=(71,), dtype=("f8", (4, 3))), f"{NAME} is of type"),
    ("long doubles", _plain(shape=SHAPE, dtype=np.longdouble), f"{NAME} is of type"),
    ("an empty dataset", lambda f, n: f.__setitem__(n, h5py.Empty("f8")), f"{NAME} has no values"),
    ("one number", _plain(data=1.0), f"{NAME} has shape"),
    ("a group", lambda f, n: f.create_group(n), f"{NAME} is no dataset"),
    ("a type", lambda f, n: f.__setitem__(n, np.dtype("f8")), f"{NAME} is no dataset"),
    ("nothing", lambda f, n: None, f"{NAME} is missing"),
    ("chunks of 8 GB", _plain(shape=SHAPE, maxshape=(None, None, None), dtype=float, chunks=(2**20, 2**5, 2**5)), f"{NAME} has chunks of 8.59e.09 bytes"),
    ("8 exabytes", _plain(shape=(2**30, 2**30), dtype=float, chunks=(64, 64)), f"{NAME}"),
    ("40 axes", _plain(shape=(1,) * 31, dtype=float), f"{NAME} has shape"),
    ("another table", lambda f, n: f.__setitem__(n, f["states/acceleration"]), rf"{NAME} = .*rows of the shape \(4, 3\)"),
):  # fmt: skip
    add(f"{said} as velocities", "hard", instead(NAME, make), says, LOAD)

for said, name, make, says in (
    ("states that are a dataset", "states", lambda f, n: f.__setitem__(n, 1.0), "states/.* is missing"),
    ("no model", "model", lambda f, n: None, "model.* is missing"),
    ("no settings", "settings", lambda f, n: None, "settings is missing"),
    ("a model in another file", "model", lambda f, n: f.__setitem__(n, h5py.ExternalLink("/etc/hosts", "/")), "model.* is a link to the file"),
    ("statistics that are a dataset", "statistics", lambda f, n: f.__setitem__(n, np.zeros(3)), "statistics"),
    ("sensors that are a dataset", "sensors", lambda f, n: f.__setitem__(n, np.zeros(3)), "sensors is no group"),
    ("a description that is a group", "model/description", lambda f, n: f.create_group(n), "model/description is no dataset"),
    ("a description of numbers", "model/description", lambda f, n: f.__setitem__(n, np.arange(9.0)), "model/description is of type float64"),
    ("a description that is a link", "model/description", lambda f, n: f.__setitem__(n, h5py.ExternalLink("/etc/passwd", "/")), "model/description is a link to the file"),
):  # fmt: skip
    add(said, "hard", instead(name, make), says, LOAD if name != "settings" else ("settings", *MODEL))


# ---- attributes ----

VERSION = r"format_version must be an integer in \[1, 2\]"
for value, says in (
    (0, "format_version = 0: must be in"), (-1, "format_version = -1: must be in"), (NAN, VERSION), (2.0, VERSION),
    ("2", VERSION), (99, "was made by nsgalpha .*later than this one"), (None, VERSION), (np.arange(3), VERSION),
    (2**63 - 1, "later than this one"), (True, VERSION),
):  # fmt: skip
    add(f"format_version {value!r}", "hard", attribute("format_version", value), says, OPEN)
add("the format of another", "hard", attribute("format", np.bytes_("nsgalpha problem")), "is not the file of a run", OPEN)
add("no format", "hard", attribute("format", None), "is not the file of a run", OPEN)
add("a format that is a number", "hard", attribute("format", 5), "attribute 'format' is of the type int64", OPEN)
add("a format of three texts", "hard", attribute("format", np.array([b"a", b"b", b"c"])), "attribute 'format' must be one text", OPEN)
add("an identity that is missing", "hard", attribute("run", None), "attribute 'run' is missing")
add("an identity of numbers", "hard", attribute("run", np.arange(5)), "attribute 'run' must be one text")
add("a text of 60 kB in the header", "hard", attribute("written", np.bytes_("x" * 60000)), "", ())
add("packages as a list", "hard", attribute("packages", np.bytes_("[]")), "packages = 'list': must be a table", ("info", "report"))
add("packages that are no JSON", "hard", attribute("packages", np.bytes_("{")), "packages: is no JSON", ("info", "report"))

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
    add(f"a status with {said}", "hard", attribute("status", np.bytes_(json.dumps(value))), says)
add("a status that is no JSON", "hard", attribute("status", np.bytes_("{]")), "status: is no JSON text")
add("a status that is no text", "hard", attribute("status", np.bytes_(b"\xff\xfe\x80")), "attribute 'status' is no text in UTF-8")
add("a status of nested lists", "hard", attribute("status", np.bytes_("[" * 30000)), "status: ")
controls = np.bytes_(json.dumps(GOOD | {"message": "\x1b]0;x\x07\x1b[2J\r\n<script>"}))
add("a status with controls", "hard", attribute("status", controls), "", ())


# ---- texts ----

SETTING = r"settings\.{}"
for key, value, says in (
    ("h", 0.0, "settings.h = 0"), ("h", NAN, "settings.h = nan"), ("h", -1.0, "settings.h = -1"), ("h", INF, "settings.h = inf"),
    ("h", "0.001", "settings.h = 'str'"), ("h", True, "settings.h = 'bool'"), ("h", 1e-300, "settings.h|infinity|integer"), ("h", 10**400, "settings.h"),
    ("every", 0, "settings.every = 0"), ("every", -1, "settings.every = -1"), ("every", 1e30, "settings.every = 'float'"), ("every", None, "settings.every"),
    ("tol", 0.0, "settings.tol = 0"), ("tol", -1.0, "settings.tol = -1"), ("tol", NAN, "settings.tol = nan"), ("t0", INF, "settings.t0 = inf"),
    ("t0", NAN, "settings.t0 = nan"), ("t0", "0", "settings.t0 = 'str'"), ("seconds", 0.0, "settings.seconds = 0"), ("seconds", NAN, "settings.seconds = nan"),
    ("contacts", 1, "settings.contacts = 'int'"), ("note", 5, "settings.note = 'int'"), ("more", 5, "settings = .*must be a table with the keys"),
):  # fmt: skip
    doors = RESUME if value in (1e-300,) else ("settings", *MODEL)
    doors = doors[1:] if value in (1e-300,) else doors
    add(f"the setting {key} = {str(value)[:20]}", "hard", settings(key, value), says, doors)
add("a start at 1e300", "hard", settings("t0", 1e300), "settings.h", ("resume",))
for said, value, says in (
    ("null", None, r"settings\.scheme = 'NoneType'"), ("5", 5, r"settings\.scheme = 'int'"), ("a law", record("Hertz", modulus=1.0), r"settings\.scheme.*name = 'Hertz'"),
    ("another rho", record("GeneralizedAlpha", rho_inf=7.0), r"settings\.scheme: GeneralizedAlpha: rho_inf = 7"),
    ("a scheme of 1e6 steps", record("VelocityVerlet", steps_per_contact=-1), r"settings\.scheme: VelocityVerlet: steps_per_contact"),
    ("a resistance of 5", record("Overdamped", resistance=5), r"settings\.scheme: Overdamped: resistance"),
    ("a missing scheme", {"missing": "os:system"}, "os:system.* is not in the file"),
):  # fmt: skip
    add(f"the scheme is {said}", "hard", settings("scheme", value), says, ("resume",))

D = "model/description"
for said, value, says in (
    ("no JSON", "{", f"{D}: is no JSON text"),
    ("nothing", "", f"{D}"),
    ("a number", "5", f"{D} = 'int': must be a table"),
    ("a list", "[]", f"{D} = 'list': must be a table"),
    ("1e5 lists in one another", "[" * 10**5 + "]" * 10**5, f"{D}: lists in lists are deeper"),
    ("an integer of 5000 digits", "9" * 5000, f"{D}: is no JSON text"),
    ("no text", b"\xff\xfe\x00", f"{D} is no text in UTF-8"),
    ("zeros", bytes(1000), f"{D}: is no JSON text"),
    ("40 MB", b" " * 40 * 2**20, f"{D} has shape"),
    ("a table without keys", "{}", "description"),
):
    add(f"a description that is {said}", "hard", raw(D, value), says, LOAD)


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
    ("a link to another file", hdf5(lambda file: file["sensors"].__setitem__("s", h5py.ExternalLink("/etc/hosts", "/"))), "sensors/s.* is a link to the file"),
    ("itself", hdf5(lambda file: file["sensors"].__setitem__("s", file["sensors"])), "sensors/s/t is missing"),
    ("the whole file", hdf5(lambda file: file["sensors"].__setitem__("s", file["/"])), "sensors/s/t is missing"),
    ("a dataset", hdf5(lambda file: file["sensors"].__setitem__("s", 1.0)), "sensors/s/t is missing"),
    ("10001 sensors", hdf5(lambda file: [file["sensors"].create_group(str(k)) for k in range(10001)]), "sensors = 1000.: must be at most 10000"),
):  # fmt: skip
    add(f"a sensor that is {said}", "hard", change, says, LOAD)
add("a sensor called ..", "hard", sensor("..", TIMES, TIMES), "", ())
add("a sensor of 60000 letters", "hard", sensor("x" * 60000, TIMES, TIMES), "", ())
add("a sensor with controls", "hard", sensor("\x1b[2J\n<script>", TIMES, TIMES), "", ())


# ---- bytes ----

for part in range(20):
    cut = content(lambda data, part=part: data[: len(data) * part // 20])
    add(f"{part} of 20 parts of a file", "hard", cut, "is no HDF5 file|cut off", OPEN)
    former_cut = content(lambda data, part=part: data[: len(data) * part // 20])
    add(f"1: {part} of 20 parts of a file", "former_hard", former_cut, "is no HDF5 file|cut off", OPEN)
add("a text", "hard", content(lambda data: b"no file of a run"), "is no HDF5 file", OPEN)
add("zeros", "hard", content(lambda data: bytes(len(data))), "is no HDF5 file", OPEN)
