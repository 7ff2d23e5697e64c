"""A law at given overlaps, rates and histories, without a model."""

from typing import Any

import numpy as np

from nsgalpha.checks import unknown
from nsgalpha.compliant.law import Contact, Law, Response, no_response, round_area


def evaluate(law: Law, **values: Any) -> Response:
    """The response of a law to C contacts that are given by fields of `Contact`, each a number or an array.

        evaluate(Hertz(modulus=1e7), overlap=[1e-5, 1e-4], radius=0.01).force[:, 0]

    `rate`, `increment` and `history` are (C, m), or (C,) for one row, one number to remember. What is not
    given is as in `some_contacts`.

    Raises TypeError for what is no field of `Contact`.
    """
    contact = some_contacts(int(getattr(law, "history", 0)), **values)
    count, rows = contact.rate.shape
    response = no_response(count, rows, contact.history.shape[1])
    law(contact, response)
    return response


def some_contacts(memory: int = 0, **values: Any) -> Contact:
    """Contacts that remember `memory` numbers, from fields of `Contact`, each a number or an array.

    What is not given is 0; but 1 are effective radius, mass, step and `fraction`, the bodies are equal
    spheres, every contact is a pair of its own, and the area is pi R d.

    Raises TypeError for what is no field of `Contact`.
    """
    for name in values:
        if name not in Contact._fields:
            raise unknown("some_contacts", name, Contact._fields)
    radius, overlap = (
        np.asarray(values.get(name, default), float) for name, default in (("radius", 1.0), ("overlap", 0.0))
    )
    given: dict[str, Any] = dict.fromkeys(Contact._fields, 0.0) | {
        "radius": radius,
        "mass": 1.0,
        "h": 1.0,
        "branch": 4.0 * radius,
        "radius_a": 2.0 * radius,
        "fraction": 1.0,
        "area": round_area(radius, overlap),
    }
    given |= values
    tables = {name: _table(given.pop(name)) for name in ("rate", "increment", "history")}
    h = float(given.pop("h"))
    columns = {name: np.atleast_1d(value) for name, value in given.items()}
    (count,) = np.broadcast_shapes(*((len(each),) for each in (*tables.values(), *columns.values())))
    rows = max(tables["rate"].shape[1], tables["increment"].shape[1])
    widths = {"rate": rows, "increment": rows, "history": memory}
    fields = {name: _filled(value, (count, widths[name])) for name, value in tables.items()}
    fields |= {name: _filled(value, (count,)) for name, value in columns.items()}
    fields |= {name: fields[name].astype(np.int64) for name in ("pair", "a", "b")}
    if "pair" not in values:
        fields["pair"] = np.arange(count)
    return Contact(h=h, **fields)


def _table(value: Any) -> np.ndarray:
    """`value` as (C, m)."""
    array = np.asarray(value, float)
    return array if array.ndim == 2 else array.reshape(-1, 1)


def _filled(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`value` repeated to the shape, an array of its own in C order."""
    return np.array(np.broadcast_to(value, shape), float, order="C")
