"""Hostile files with impossible numbers of bodies, primitives, states, and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.io.hostile import INF, LOAD, MODEL, NAN, Change, Hostile, add, hdf5, model, put, table

FILES: dict[str, Hostile] = {}

# fmt: off

# ---- tables of bodies and primitives ----
B = "model/bodies"
for said, name, index, value, says in (
    ("a mass of -1", "mass", 1, -1.0, "bodies, 'sphere 1', mass = -1"),
    ("no mass", "mass", 1, 0.0, "bodies, 'sphere 1', mass = 0"),
    ("a mass of nan", "mass", 1, NAN, "bodies, 'sphere 1', mass = nan"),
    ("a mass of inf", "mass", 1, INF, "bodies, 'sphere 1', mass = inf"),
    ("a radius of -1", "radius", 1, -1.0, "bodies, 'sphere 1', radius = -1"),
    ("a radius of inf", "radius", 1, INF, "bodies, 'sphere 1', radius = inf"),
    ("a place at nan", "position", (1, 2), NAN, "bodies, 'sphere 1', position = "),
    ("a velocity of inf", "velocity", (1, 2), INF, "bodies, 'sphere 1', velocity = "),
    ("a quaternion of zeros", "rotation", 1, 0.0,
     "bodies, 'sphere 1', rotation = .*a quaternion of length 1"),
    ("a quaternion of length 2", "rotation", (1, 0), 2.0, "bodies, 'sphere 1', rotation = .*length 1"),
    ("a quaternion of length 1.000001", "rotation", (1, 0), 1.000001,
     "bodies, 'sphere 1', rotation = .*length 1"),
    ("no inertia", "inertia", 1, 0.0, "bodies, 'sphere 1', inertia = .*positive definite"),
    ("an inertia that is none", "inertia", (1, 0, 0), 1e9,
     "bodies, 'sphere 1', inertia = .*the inertia of a body"),
    ("an asymmetric inertia", "inertia", (1, 0, 1), 1e-6, "bodies, 'sphere 1', inertia = .*symmetric"),
    ("an inertia of nan", "inertia", (1, 0, 0), NAN, "bodies, 'sphere 1', inertia = "),
    ("an inertia of a point", "turns", 1, 0, "bodies, 'sphere 1', inertia = "),
):
    add(FILES, said, "hard", table(f"{B}/{name}", put(index, value)), says, LOAD)
for said, change, says in (
    ("a body more", lambda x: np.vstack([x, x[:1]]),
     r"bodies/position = \(5, 3\): must be of the shape \(4, 3\)"),
    ("a place with 2 axes", lambda x: x[:, :2], r"bodies/position = \(4, 2\)"),
    ("one number as all places", lambda x: np.float64(1.0), "bodies/position"),
    ("places that are texts", lambda x: np.full(4, b"x"), "bodies/position is of type"),
    ("places that are complex", lambda x: x + 1j, "bodies/position is of type"),
):
    add(FILES, said, "hard", table(f"{B}/position", change), says, LOAD)

P = "model/primitives"
for said, name, index, value, says in (
    ("corner 999", "corner", 0, 999, r"primitives\[0\]: corners = \[999, 1\]: must be numbers of"),
    ("corner -1", "corner", 0, -1, r"primitives\[0\]: corners = \[-1, 1\]: must be numbers of"),
    ("corner 2^62", "corner", 0, 2**62, r"primitives\[0\]: corners = \[4611686018427387904, 1\]"),
    ("a corner twice", "corner", 0, 1, r"primitives\[0\]: corners = .*apart"),
    ("a corner of another carrier", "corner", 0, 2,
     r"primitives\[0\]: corners = \[2, 1\]: must be points of the carrier"),
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
):
    add(FILES, said, "primitives", table(f"{P}/{name}", put(index, value)), says, LOAD)
add(FILES, "primitives of fewer columns", "primitives", table(f"{P}/radius", lambda x: x[:-1]),
    "primitives", LOAD)
add(FILES, "places that are flat", "primitives", table(f"{P}/place", np.ravel), r"primitives/place = ", LOAD)
add(FILES, "ends of two axes", "primitives", table(f"{P}/end", lambda x: x[:, None]), "primitives/end", LOAD)
add(FILES, "corners that are numbers with a point", "primitives", table(f"{P}/corner", lambda x: x + 0.5),
    "primitives", LOAD)

for said, keys, value, says in (
    ("segments as polygons", (3, "polygons"), {"primitives": [0]},
     r"elements\[3\]: CompliantPolygonSphere: polygons = 'primitive 0': must be a polygon"),
    ("polygons as spheres", (3, "spheres"), {"primitives": [3]},
     r"elements\[3\]: CompliantPolygonSphere: spheres = 'primitive 3'"),
    ("a plane as a polygon", (3, "polygons"), {"body": 0},
     r"elements\[3\]: CompliantPolygonSphere: polygons"),
    ("primitive 99", (3, "polygons"), {"primitives": [99]},
     r"elements\[3\]\.polygons\[0\] = 99: must be the number of one of 5 primitive handles"),
    ("primitive -1", (3, "polygons"), {"primitive": -1},
     r"elements\[3\]\.polygons = -1: must be the number"),
    ("spheres as capsules", (0, "among"), {"primitives": [3, 4]},
     r"elements\[0\]: CompliantCapsules: among = 'primitive 3'"),
    ("parts that are none", (1, "parts"), ["__class__"],
     r"elements\[1\]: CompliantPolygonCapsule: parts = "),
    ("a crown of 7", (0, "crown"), 7.0, r"elements\[0\]: CompliantCapsules: crown = 7"),
):
    change = model("elements", keys[0], "arguments", keys[1], value=value)
    add(FILES, said, "primitives", change, says, MODEL)


# ---- tables of states, and their counts ----
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
    add(FILES, said, "hard", table("filled", change), says, LOAD)


def _grown(rows: int) -> Change:
    """Tables of so many states, of which nothing is stored."""

    def change(file: Any) -> None:
        for name in file["states"]:
            file["states"][name].resize(rows, axis=0)
        file["contacts/end"].resize(rows, axis=0)
        file["filled"][0] = rows

    return hdf5(change)


add(FILES, "1e9 states of which nothing is stored", "hard", _grown(10**9), "states/t has shape .*are stored")
add(FILES, "100 states of which 71 are stored", "hard", _grown(100), "states")
for said, name, change, says in (
    ("a time of nan", "states/t", put(3, NAN), "states/t, .*finite and increasing"),
    ("a time that goes back", "states/t", put(3, 0.0), "states/t, .*finite and increasing"),
    ("times twice", "states/t", put(3, 0.002), "states/t, .*finite and increasing"),
    ("times of two axes", "states/t", lambda x: x[:, None], "states/t, .*at least one time"),
    ("times in single precision", "states/t", lambda x: x.astype("f4"),
     "states/t, .*finite and increasing|part"),
    ("ends of contacts that decrease", "contacts/end", put(5, 0), "contacts/end: must increase"),
    ("negative ends of contacts", "contacts/end", put(0, -7), "contacts/end: must increase"),
    ("ends of contacts beyond them", "contacts/end", put(-1, 10**9),
     r"contacts/end: must increase from 0 to 2\d\d"),
    ("positions of 2 axes", "states/position", lambda x: x[:, :, :2],
     r"states/position = .*rows of the shape \(4, 3\)"),
    ("positions of 3 bodies", "states/position", lambda x: x[:, :3],
     r"states/position = .*rows of the shape \(4, 3\)"),
    ("integers as positions", "states/position", lambda x: x.astype(int),
     "states/position is of type int64"),
    ("wrenches of 5", "contacts/wrench", lambda x: x[:, :5],
     r"contacts/wrench = .*rows of the shape \(6,\)"),
    ("numbers with a point as bodies", "contacts/body_a", lambda x: x * 0.5,
     "contacts/body_a is of type float64"),
):
    add(FILES, said, "hard", table(name, change), says, LOAD)
for code in (3, 100, -128):
    says = r"contacts/status: codes must be in \[0, 2\]|contacts/status is damaged"
    add(FILES, f"status {code} of a contact", "hard", table("contacts/status", put(9, code)), says,
        ("contacts.status", "info", "report"))
add(FILES, "a contact with body 99", "hard", table("contacts/body_a", put(slice(None), 99)),
    r"contacts/body_a: numbers must be in \[0, 3\]", ("resume", "contacts.body_a"))
add(FILES, "a contact with body -7", "hard", table("contacts/body_a", put(slice(None), -7)),
    r"contacts/body_a: numbers must be in \[0, 3\]", ("resume", "contacts.body_a"))
add(FILES, "a contact with plane 99", "hard", table("contacts/plane", put(slice(None), 99)),
    r"contacts/plane: numbers must be in \[-1, 2\]", ("resume", "contacts.plane"))
add(FILES, "a state of nan", "hard", table("states/position", put(-1, NAN)), "state.position", ("resume",))

add(FILES, "joints of nan", "jointed", table("states/joints", put(-1, NAN)), "state.joints", ("resume",))
for said, change, says in (
    ("joints of 2 numbers", lambda x: x[:, :, :2], "states/joints = .*rows of the shape"),
    ("joints without axes", lambda x: x[:, :, 0], "states/joints = .*one to 6 rows for each of 9 joints"),
    ("joints of few rows", lambda x: x[:, :8], "states/joints = .*one to 6 rows for each of 9 joints"),
    ("joints as integers", lambda x: x.astype(int), "states/joints is of type int64"),
    ("joints of few states", lambda x: x[:2], "states/joints"),
):
    add(FILES, said, "jointed", table("states/joints", change), says, LOAD)
add(FILES, "joints that lack a row", "jointed", table("states/joints", lambda x: x[:, :-1]),
    "damaged in part 1: states/joints", ("resume",))

for said, name, change, says in (
    ("ends of histories that decrease", "histories/end", put(3, 0), "histories/end: must increase"),
    ("ends of histories beyond them", "histories/end", put(-1, 10**9), "histories/end: must increase"),
    ("pairs of 3 numbers", "histories/pair", lambda x: x[:, :3], "histories/pair = .*4 wide"),
    ("tangents of 2 numbers", "histories/tangent", lambda x: x[:, :2], "histories/pair = .*tangents 3"),
    ("memories of other widths", "histories/values", lambda x: x[:, :1],
     "histories/opened = .*as wide as the values"),
    ("memories without axes", "histories/values", lambda x: x[:, 0], "histories/values = .*2 axes"),
    ("features with two axes", "histories/feature", lambda x: x[:, None], "histories/feature = .*1 axes"),
    ("histories as integers", "histories/values", lambda x: x.astype(int),
     "histories/values is of type int64"),
):
    add(FILES, said, "soft", table(name, change), says, LOAD)
for said, name, change in (
    ("a memory of element 99", "histories/pair", put((slice(None), 0), 99)),
    ("a memory of body 99", "histories/pair", put((slice(None), 1), 99)),
    ("a memory of body -9", "histories/pair", put((slice(None), 1), -9)),
    ("a memory of plane 99", "histories/pair", put((slice(None), 3), 99)),
    ("a memory of nan", "histories/values", put(slice(None), NAN)),
    ("a tangent of zeros", "histories/tangent", put(slice(None), 0.0)),
):
    add(FILES, said, "soft", table(name, change), "", ())  # memories of no contact are forgotten
