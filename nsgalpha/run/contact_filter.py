"""Filter for the contacts of a result: by body, by plane."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags
from nsgalpha.checks import refuse
from nsgalpha.model.handles import Body, Plane, own
from nsgalpha.model.model import Model
from nsgalpha.model.model_names import find_named
from nsgalpha.run.run_records import Contacts


def contacts_of(
    model: Model, contacts: Contacts, a: Body | Plane | str, b: Body | Plane | str | None
) -> Contacts:
    """See Result.contacts_of."""
    sides = np.asarray(contacts.body_a), np.asarray(contacts.body_b), np.asarray(contacts.plane)
    first = _side(model, "a", a)
    chosen = _touches(sides, first)
    if b is not None:
        second = _side(model, "b", b)
        if second is first:
            raise refuse("b", second.name, "another one than a")
        chosen &= _touches(sides, second)
    start = np.concatenate([[0], np.cumsum(chosen)])[np.asarray(contacts.start)]
    columns = {each.name: np.asarray(getattr(contacts, each.name))[chosen] for each in fields(contacts)[1:]}
    return replace(contacts, start=start, **columns)


def _side(model: Model, name: str, given: Any) -> Body | Plane:
    """The body or plane that is given by its handle or name."""
    if isinstance(given, str):
        sides: list[Body | Plane] = [*model.bodies, *model.planes]
        return find_named("body or plane", given, sides)
    if not isinstance(given, Body | Plane):
        raise refuse(name, given, "a body or plane of the model, or the name of one")
    known = (model.bodies if isinstance(given, Body) else model.planes)[given.index : given.index + 1]
    if not known or known[0].name != given.name:  # those of a file have their own handles
        own(model, name, given)
    return known[0]


def _touches(sides: tuple[Any, Any, Any], side: Body | Plane) -> Flags:
    """The contacts (contacts,) that the `side` takes part in."""
    a, b, plane = sides
    if isinstance(side, Plane):
        return np.asarray(plane == side.index)
    return np.asarray((a == side.index) | (b == side.index))


def sides_in_words(model: Model, contacts: Contacts) -> tuple[list[str], list[str]]:
    """Names of the sides A and B of all contacts; "ground" for joints to it."""
    bodies, planes = [body.name for body in model.bodies], [plane.name for plane in model.planes]
    pairs = zip(np.asarray(contacts.body_b).tolist(), np.asarray(contacts.plane).tolist(), strict=True)
    others = [bodies[b] if b >= 0 else planes[plane] if plane >= 0 else "ground" for b, plane in pairs]
    first = np.asarray(contacts.body_a).tolist()
    return [bodies[a] if a >= 0 else "ground" for a in first], others
