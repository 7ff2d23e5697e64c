"""A law at given overlaps, rates and histories, without a model."""

from typing import Any

import numpy as np

from nsgalpha.checks import floats, function, integer, positive, refuse, unknown
from nsgalpha.model.compliant_law import MOST, Contact, Law, Response, memory_of, no_response, round_area


def evaluate(law: Law, **values: Any) -> Response:
    """Response of a law to C contacts, given by fields of `Contact`, numbers or arrays.

        evaluate(Hertz(modulus=1e7), overlap=[1e-5, 1e-4], radius=0.01).force[:, 0]

    `rate`, `increment` and `history` are (C, m), or (C,) for one row, one history variable. Defaults are as
    in `some_contacts`.

    Raises TypeError for other fields than those of `Contact`.
    """
    function("law", law, "a law: an object of one, or a function law(contact, response)")
    contact = some_contacts(memory_of(law), **values)
    count, rows = contact.rate.shape
    response = no_response(count, rows, contact.history.shape[1])
    law(contact, response)
    return response


def some_contacts(memory: int = 0, **values: Any) -> Contact:
    """Contacts with `memory` history variables, from fields of `Contact`, numbers or arrays.

    Fields are 0 by default. Effective radius, mass, step and `fraction` are 1, the bodies are equal spheres,
    every contact is a separate pair, and the area is pi R d.

    Raises TypeError for other fields than those of `Contact`.
    """
    memory = integer("memory", memory, 0, MOST)
    for name in values:
        if name not in Contact._fields:
            raise unknown("some_contacts", name, Contact._fields)
    values = {name: floats(name, value, "a number or an array") for name, value in values.items()}
    radius, overlap = (np.asarray(values.get(name, x)) for name, x in (("radius", 1.0), ("overlap", 0.0)))
    given: dict[str, Any] = dict.fromkeys(Contact._fields, 0.0) | {
        "radius": radius,
        "mass": 1.0,
        "h": 1.0,
        "branch": 4.0 * radius,
        "radius_a": 2.0 * radius,
        "fraction": 1.0,
        "mean_square": 1.0,
        "area": round_area(radius, overlap),
    }
    given |= values
    h = positive("h", given.pop("h"), "it is a step in seconds")
    tables = {name: _table(name, given.pop(name)) for name in ("rate", "increment", "history")}
    columns = {name: _column(name, value) for name, value in given.items()}
    lengths = {name: len(each) for name, each in (tables | columns).items()}
    count = max(lengths.values()) if 0 not in lengths.values() else 0
    for name, length in lengths.items():
        if length not in (1, count):
            raise refuse(name, f"array of {length}", f"one number, or one for each of the {count} contacts")
    rows = max(tables["rate"].shape[1], tables["increment"].shape[1])
    widths = {"rate": rows, "increment": rows, "history": memory}
    for name, table in tables.items():
        if table.shape[1] not in (1, widths[name]) or rows == 0:
            raise refuse(name, f"array {table.shape}", f"of the shape (contacts, {widths[name] or 1})")
    fields = {name: _filled(value, (count, widths[name])) for name, value in tables.items()}
    fields |= {name: _filled(value, (count,)) for name, value in columns.items()}
    fields |= {name: fields[name].astype(np.int64) for name in ("pair", "a", "b")}
    if "pair" not in values:
        fields["pair"] = np.arange(count)
    return Contact(h=h, **fields)


def _table(name: str, value: Any) -> np.ndarray:
    """`value` as (C, m)."""
    array = np.asarray(value, float)
    return array if array.ndim == 2 else _column(name, array)[:, None]


def _column(name: str, value: Any) -> np.ndarray:
    """`value` as (C,), or a ValueError."""
    array = np.atleast_1d(value)
    if array.ndim != 1:
        raise refuse(name, f"array {array.shape}", "a number, or an array (contacts,)")
    return array


def _filled(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`value` repeated to the shape, a separate array in C order."""
    filled = np.empty(shape)
    filled[...] = value
    return filled
