"""The choices of users: bodies by handle, number or name, recorded states by time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from nsgalpha.checks import instance, listed, number, refuse
from nsgalpha.model.compliant_law import CompliantLaw
from nsgalpha.model.handles import Body, Plane, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.model_names import find_named
from nsgalpha.run.result import Result

AXES = "xyz"

Chosen = SupportsIndex | str | Sequence[SupportsIndex | str]


def chosen_bodies(result: Result, bodies: Chosen) -> list[Body]:
    """Bodies of the result's model from one or several handles, numbers or names.

    Raises ValueError for a number or name that the model does not have.
    """
    one = isinstance(bodies, str | SupportsIndex) and not isinstance(bodies, np.ndarray)
    chosen = [bodies] if one else listed("bodies", bodies, "handles, numbers or names of bodies")
    known = result.model.bodies
    found = []
    for each in chosen:
        if isinstance(each, str):
            found.append(find_named("body", each, known, "bodies"))
            continue
        number = _number_of(each)
        if not 0 <= number < len(known):
            raise refuse("bodies", number, f"a number in [0, {len(known)})")
        if isinstance(each, Body) and _stated(known[number]) != _stated(each):
            remedy = f"its body {number} is {known[number].name!r}"
            raise refuse("bodies", each.name, "of the model of the result", remedy)
        found.append(known[number])
    if not found:
        raise refuse("bodies", bodies, "one body or several")
    return found


def _stated(body: Body) -> tuple[str, float, float]:
    """Name, radius and mass, which distinguish bodies of other models."""
    return body.name, body.radius, body.mass


def _number_of(each: Any) -> int:
    """Number of a body from its handle or number, or a ValueError."""
    if isinstance(each, Plane | Primitive | type | bool | np.bool_) or not isinstance(each, SupportsIndex):
        raise refuse("bodies", each, "a handle, number or name of a body")
    with suppress(Exception):  # of the object
        return index(each)
    raise refuse("bodies", each, "a handle, number or name of a body")


def result_of(result: Any) -> Result:
    """`result` if it is one, or a ValueError."""
    return instance("result", result, Result, "a Result", "such as simulate and load return")


def record_at(result: Result, t: float | None) -> int:
    """Number of the recorded state nearest to the time `t` [s], of the last one for None.

    Raises ValueError for times before the first or after the last recorded state.
    """
    if t is None:
        return len(result.t) - 1
    times = np.asarray(result.t)
    slack = 1e-9 * max(abs(times[0]), abs(times[-1]))
    wanted = number("t", t)
    if not times[0] - slack <= wanted <= times[-1] + slack:
        raise refuse("t", t, f"in [{times[0]:g}, {times[-1]:g}], the recorded times")
    return nearest(times, np.array([wanted]))[0]


def nearest(times: np.ndarray, wanted: np.ndarray) -> list[int]:
    """Numbers of those of the increasing `times` that are nearest to each of `wanted`."""
    after = np.clip(np.searchsorted(times, wanted), 1, max(len(times) - 1, 1))
    if len(times) == 1:
        return [0] * len(wanted)
    before = after - 1
    return np.where(wanted - times[before] <= times[after] - wanted, before, after).tolist()


def axes_of(plane: str) -> tuple[int, int]:
    """Numbers of the two axes of a projection, (0, 1) for "xy".

    Raises ValueError unless `plane` names two of x, y, z.
    """
    if not (isinstance(plane, str) and len(plane) == 2 and set(plane) <= set(AXES) and len(set(plane)) == 2):
        raise refuse("plane", plane, "two of x, y, z such as 'xy'")
    return AXES.index(plane[0]), AXES.index(plane[1])


def has_compliant(model: Model) -> bool:
    """True if compliant contacts are among the elements."""
    return any(isinstance(element.law, CompliantLaw) for element in model.elements)
