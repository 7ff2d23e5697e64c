"""Hostile files that name code, wrong things, or arguments out of range."""

from __future__ import annotations

import json
from typing import Any

from tests.io.hostile import (
    INF,
    LOAD,
    MODEL,
    NAN,
    RESUME,
    Hostile,
    add,
    model,
    raw,
    record,
    settings,
)

FILES: dict[str, Hostile] = {}

# fmt: off

# ---- names that are to be executed ----
COMMAND = "touch executed"
PROGRAMS = ("os:system", "builtins:exec", "builtins:eval", "subprocess:Popen", "numpy:load", "os.system")


for program in PROGRAMS:
    executed = record(program, command=COMMAND, args=COMMAND)
    named = rf"name = '{program}': must be the name of one of the"
    add(FILES, f"{program}, a motion", "hard", model("planes", 0, "motion", value=executed),
        rf"planes\[0\]\.motion.*{named} motions")
    add(FILES, f"{program}, an element", "hard", model("elements", 0, value=executed),
        rf"elements\[0\].*{named} elements", MODEL)
    add(FILES, f"{program}, a load", "hard", model("loads", 0, value=executed), rf"loads\[0\].*{named} loads",
        MODEL)
    add(FILES, f"{program}, a law", "soft", model("elements", 0, "arguments", "normal", value=executed),
        rf"elements\[0\]\.normal.*{named}", MODEL)
    add(FILES, f"{program}, the scheme", "hard", settings("scheme", executed),
        rf"settings\.scheme.*{named} schemes", RESUME)

# ---- records of format 2 ----
DEEP: Any = json.loads('{"bodies": [0]}')
for _ in range(70):
    DEEP = [DEEP]
ELEMENT = ("elements", 0)
PLACE = r"elements\[0\]"
for said, keys, value, says in (
    ("an unknown name", ELEMENT, record("Nothing"), f"{PLACE}.*name = 'Nothing'"),
    ("a law as an element", ELEMENT, record("Hertz", modulus=1e5),
     f"{PLACE}.*name = 'Hertz': must be the name of one of the elements"),
    ("a scheme as a load", ("loads", 0), record("VelocityVerlet"),
     r"loads\[0\].*name = 'VelocityVerlet': must be the name of one of the loads"),
    ("a start as an element", ELEMENT, record("glued"), f"{PLACE}.*name = 'glued'"),
    ("a path of attributes", ELEMENT, record("SphereSphere.__init__"),
     f"{PLACE}.*name = 'SphereSphere.__init__'"),
    ("a class of the class", ELEMENT, record("__class__"), f"{PLACE}.*name = '__class__'"),
    ("a name that is a list", ELEMENT, {"record": ["SphereSphere"], "version": 1, "arguments": {}},
     rf"{PLACE}\.record = 'list': must be str"),
    ("no version", ELEMENT, {"record": "SphereSphere", "arguments": {}},
     f"{PLACE} = .*must be a table with the keys record, version, arguments"),
    ("one key more", ELEMENT, record("SphereSphere") | {"module": "os"},
     f"{PLACE} = .*must be a table with the keys"),
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
    ("an argument with dunders", (*ELEMENT, "arguments", "__class__"), 1,
     f"{PLACE}: SphereSphere: .*__class__"),
    ("an argument with controls", (*ELEMENT, "arguments", "\x1b[2J\n"), 1,
     rf"{PLACE}: SphereSphere: .*\\x1b\[2J"),
    ("arguments as a list", (*ELEMENT, "arguments"), [], rf"{PLACE}\.arguments = 'list': must be dict"),
    ("values 70 deep", (*ELEMENT, "arguments", "among"), DEEP, "must be at most 64 deep"),
    ("body 99", (*ELEMENT, "arguments", "among"), {"bodies": [0, 99]},
     r"among\[1\] = 99: must be the number of one of 4 body handles"),
    ("body -1", (*ELEMENT, "arguments", "among"), {"bodies": [0, -1]},
     r"among\[1\] = -1: must be the number"),
    ("body true", (*ELEMENT, "arguments", "among"), {"bodies": [0, True]},
     r"among\[1\] = True: must be the number"),
    ("body 1.0", (*ELEMENT, "arguments", "among"), {"bodies": [0, 1.0]},
     r"among\[1\] = 1.0: must be the number"),
    ("body '0'", (*ELEMENT, "arguments", "among"), {"bodies": ["0", 1]},
     r"among\[0\] = '0': must be the number"),
    ("a body twice", (*ELEMENT, "arguments", "among"), {"bodies": [1, 1]}, "given twice"),
    ("bodies that are a number", (*ELEMENT, "arguments", "among"), {"bodies": 3},
     r"among = \['bodies'\]: must be one of the forms"),
    ("planes as spheres", (*ELEMENT, "arguments", "among"), {"planes": [0, 1]},
     f"{PLACE}: SphereSphere: among"),
    ("mu of 5000 digits", (*ELEMENT, "arguments", "mu"), 10**4000, f"{PLACE}: SphereSphere: "),
    ("mu is nan", (*ELEMENT, "arguments", "mu"), float("nan"), f"{PLACE}: SphereSphere: .*mu"),
    ("mu is a text", (*ELEMENT, "arguments", "mu"), "x", f"{PLACE}: SphereSphere: .*mu"),
    ("an array of objects", (*ELEMENT, "arguments", "mu"), {"array": [1], "dtype": "object", "shape": [1]},
     r"mu\.dtype = 'object': must be one of"),
    ("an array of bytes", (*ELEMENT, "arguments", "mu"),
     {"array": [1], "dtype": "V100000000", "shape": [1]}, r"mu\.dtype = 'V100000000'"),
    ("a huge shape", (*ELEMENT, "arguments", "mu"), {"array": [1.0], "dtype": "float64", "shape": [10**12]},
     r"mu\.shape = \[1000000000000\]: must be that of 1 numbers"),
    ("a negative shape", (*ELEMENT, "arguments", "mu"),
     {"array": [1.0], "dtype": "float64", "shape": [-1, -1]}, r"mu\.shape"),
    ("a shape of 100 axes", (*ELEMENT, "arguments", "mu"),
     {"array": [1.0], "dtype": "float64", "shape": [1] * 100}, "mu: "),
    ("texts in an array", (*ELEMENT, "arguments", "mu"), {"array": ["x"], "dtype": "float64", "shape": [1]},
     "mu = 'other values': must be numbers"),
    ("300 in a byte", (*ELEMENT, "arguments", "mu"), {"array": [300], "dtype": "int8", "shape": [1]},
     "mu: "),
    ("a form that is none", (*ELEMENT, "arguments", "mu"), {"import": "os"},
     r"mu = \['import'\]: must be one of the forms"),
    ("a float that is none", (*ELEMENT, "arguments", "mu"), {"float": "__import__('os')"},
     r"mu = \['float'\]: must be one of the forms"),
    ("a missing that is a number", (*ELEMENT, "arguments", "mu"), {"missing": 5},
     r"mu = \['missing'\]: must be a table with the keys"),
    ("no gravity", ("gravity",), [], "gravity = "),
    ("gravity of nan", ("gravity",), [float("nan"), 0, 0], "gravity = "),
    ("gravity of texts", ("gravity",), ["x", "y", "z"], "gravity = "),
    ("a plane without a normal", ("planes", 0, "normal"), [0, 0, 0], r"planes\[0\].*normal"),
    ("a plane at nan", ("planes", 0, "offset"), float("nan"), r"planes\[0\].*offset"),
    ("a plane on body 99", ("planes", 0, "body"), 99, r"planes\[0\]\.body = 99"),
    ("a plane of a list", ("planes", 0), [], r"planes\[0\] = 'list': must be a table"),
    ("a load as a motion", ("planes", 0, "motion"), record("Force", bodies={"body": 0}, force=[1, 0, 0]),
     r"planes\[0\]\.motion.*name = 'Force': must be the name of one of the motions"),
    ("two planes of a name", ("planes", 1, "name"), "plane 0",
     r"planes\[1\].*'plane 0': must be used once"),
    ("a name of bodies that is a number", ("names", "bodies", 0), 5,
     "description.names = 'other values': must be texts"),
    ("a body's name twice", ("names", "bodies"), ["a", "a", "b", "c"], "bodies/name = 'a name twice'"),
    ("a name less", ("names", "bodies"), ["a"], r"bodies/radius = \(4,\): must be of the shape \(1,\)"),
    ("names as a list", ("names",), [], "description.names = 'list': must be a table"),
    ("a key more in the description", ("os",), 1, "description = .*must be a table with the keys"),
    ("elements as a table", ("elements",), {}, "description.elements = 'dict': must be list"),
):
    in_model = keys[0] in ("elements", "loads") and says[:11] != "description"
    add(FILES, said, "hard", model(*keys, value=value), says, MODEL if in_model else LOAD)

for said, keys, value, says in (
    ("stiffness -1", ("normal",), record("SpringDashpot", stiffness=-1.0),
     r"elements\[1\]\.normal: SpringDashpot: stiffness = -1"),
    ("stiffness inf", ("normal",), record("SpringDashpot", stiffness={"float": "inf"}),
     r"elements\[1\]\.normal: SpringDashpot: stiffness = inf"),
    ("stiffness of 400 digits", ("normal",), record("SpringDashpot", stiffness=10**400),
     r"elements\[1\]\.normal: SpringDashpot: "),
    ("stiffness that is a body", ("normal",), record("SpringDashpot", stiffness={"plane": 0}),
     r"elements\[1\]\.normal: SpringDashpot: stiffness"),
    ("a negative friction", ("tangential",), record("CundallStrack", stiffness=1.0, mu=-0.5),
     r"elements\[1\]\.tangential: CundallStrack: "),
    ("a law for another place", ("rolling",), record("SpringDashpot", stiffness=1.0),
     r"elements\[1\]: CompliantSpherePlane: "),
    ("a number as a law", ("normal",), 5, r"elements\[1\]: CompliantSpherePlane: "),
    ("an element as a law", ("normal",), record("SphereSphere", among={"bodies": [0, 1]}, mu=0.1),
     r"elements\[1\].*normal"),
    ("an array as a law", ("normal",), {"array": [1.0], "dtype": "float64", "shape": [1]},
     r"elements\[1\]: CompliantSpherePlane: "),
    ("a reach of nan", ("reach",), float("nan"), r"elements\[1\]: CompliantSpherePlane: reach = nan"),
    ("a negative reach", ("reach",), -1.0, r"elements\[1\]: CompliantSpherePlane: reach = -1"),
):
    add(FILES, said, "soft", model("elements", 1, "arguments", *keys, value=value), says, MODEL)


# ---- texts ----
SETTING = r"settings\.{}"
for key, value, says in (
    ("h", 0.0, "settings.h = 0"), ("h", NAN, "settings.h = nan"), ("h", -1.0, "settings.h = -1"), ("h", INF,
     "settings.h = inf"),
    ("h", "0.001", "settings.h = 'str'"), ("h", True, "settings.h = 'bool'"), ("h", 1e-300,
     "settings.h|infinity|integer"), ("h", 10**400, "settings.h"),
    ("every", 0, "settings.every = 0"), ("every", -1, "settings.every = -1"), ("every", 1e30,
     "settings.every = 'float'"), ("every", None, "settings.every"),
    ("tol", 0.0, "settings.tol = 0"), ("tol", -1.0, "settings.tol = -1"), ("tol", NAN,
     "settings.tol = nan"), ("t0", INF, "settings.t0 = inf"),
    ("t0", NAN, "settings.t0 = nan"), ("t0", "0", "settings.t0 = 'str'"), ("seconds", 0.0,
     "settings.seconds = 0"), ("seconds", NAN, "settings.seconds = nan"),
    ("contacts", 1, "settings.contacts = 'int'"), ("note", 5, "settings.note = 'int'"), ("more", 5,
     "settings = .*must be a table with the keys"),
):
    doors = RESUME if value in (1e-300,) else ("settings", *MODEL)
    doors = doors[1:] if value in (1e-300,) else doors
    add(FILES, f"the setting {key} = {str(value)[:20]}", "hard", settings(key, value), says, doors)
add(FILES, "a start at 1e300", "hard", settings("t0", 1e300), "settings.h", ("resume",))
for said, value, says in (
    ("null", None, r"settings\.scheme = 'NoneType'"), ("5", 5, r"settings\.scheme = 'int'"), ("a law",
     record("Hertz", modulus=1.0), r"settings\.scheme.*name = 'Hertz'"),
    ("another rho", record("GeneralizedAlpha", rho_inf=7.0),
     r"settings\.scheme: GeneralizedAlpha: rho_inf = 7"),
    ("a scheme of 1e6 steps", record("VelocityVerlet", steps_per_contact=-1),
     r"settings\.scheme: VelocityVerlet: steps_per_contact"),
    ("a resistance of 5", record("Overdamped", resistance=5), r"settings\.scheme: Overdamped: resistance"),
    ("a missing scheme", {"missing": "os:system"}, "os:system.* is not in the file"),
):
    add(FILES, f"the scheme is {said}", "hard", settings("scheme", value), says, ("resume",))

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
    add(FILES, f"a description that is {said}", "hard", raw(D, value), says, LOAD)
