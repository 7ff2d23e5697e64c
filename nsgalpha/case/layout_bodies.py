"""The bodies of a layout as arguments of the model: places, names, random draws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.case.plugin_catalogue import parameters
from nsgalpha.case.table_types import CaseTable
from nsgalpha.checks import number_in, refuse, vector

Values = dict[str, Any]


def of_layout(table: CaseTable, values: Values) -> list[Values]:
    """Arguments of each body of a layout: the `values` of bodies alone."""
    assert table.maker is not None
    own = parameters(table.maker)
    if "radius" in own and "size" in values:
        raise ValueError("size: the radius of this layout is that of balls; boxes may be in a grid")
    places: Floats = table.maker(**{key: values[key] for key in own if key in values})
    shared = {key: value for key, value in values.items() if key not in own or key == "radius"}
    scatter = shared.pop("scatter", None)
    names = shared.pop("names", None)
    if names is not None and len(names) != len(places):
        raise ValueError(f"names: {len(names)} are given for {len(places)} bodies; give one for each")
    if names is None and "name" in shared:
        names = [f"{shared['name']} {k}" for k in range(len(places))]
    items = [{**shared, "position": place[:3]} for place in places]
    for item, place in zip(items, places, strict=True):
        if len(place) > 3:
            item["radius"] = float(place[3])
    for item, name in zip(items, names or (), strict=False):
        item["name"] = name
    if scatter is not None:
        _scatter(items, scatter.values)
    return items


def _scatter(items: list[Values], given: Values) -> None:
    """Draw the differences, body by body: radius, position, velocity, rotation."""
    rng = np.random.default_rng(int(number_in("seed", given["seed"], 0, 2**63)))
    radius = number_in("radius", given.get("radius", 0.0), 0.0, 1.0, open_high=True, remedy="it is a part")
    lengths = {key: _sizes(key, given.get(key, 0.0)) for key in ("position", "velocity")}
    for item in items:
        if radius > 0.0:
            if "radius" not in item:
                raise ValueError("scatter: these bodies have no radius; leave `radius` out of the scatter")
            item["radius"] = float(item["radius"] * rng.uniform(1.0 - radius, 1.0 + radius))
        for key, size in lengths.items():
            if size.any():
                item[key] = np.asarray(item.get(key, np.zeros(3))) + size * rng.uniform(-1.0, 1.0, 3)
        if given.get("rotation", False):
            item["rotation"] = rng.normal(size=4)


def _sizes(name: str, value: ArrayLike) -> Floats:
    """Extent to each side: a number for all directions, or three."""
    if not np.ndim(value):
        return np.array(number_in(name, value, 0.0, math.inf))
    sizes = vector(name, value)
    if (sizes < 0.0).any():
        raise refuse(name, value, "at least 0 in every direction")
    return sizes
