"""The points of a sweep: a full grid, a list of points, or random samples."""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np

from nsgalpha.checks import count, either, floats, integer, listed, refuse

Point = dict[str, Any]
Parameters = Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]]
Draw = tuple[float, float] | Callable[[np.random.Generator], Any]

OUTCOME_COLUMNS = ("outcome", "message", "seconds", "tries")


def sample_points(n: int, seed: int = 0, **draws: Draw) -> list[Point]:
    """`n` points with random parameters, to be given to `sweep`.

    draws: for each name the two ends of an interval with uniform values, or a function. A function
    `draw(generator)` of a numpy random generator returns one value. Every name has a separate stream, which
    follows from `seed` and the name. More points continue the earlier ones, and one more parameter leaves the
    others as they are.

    >>> ns.sample_points(2, seed=1, angle=(-1.0, 1.0))
    [{'angle': 0.37784147359040654}, {'angle': -0.543598129232185}]

    Raises ValueError if `n` or `seed` is no count, an interval is empty, or no name is given.
    """
    n, first = count("n", n), integer("seed", seed, 0, 2**53)
    if not draws:
        raise ValueError("draws: must be given; say for example sample_points(100, angle=(-1.0, 1.0))")
    columns = {name: _values(name, draw, n, first) for name, draw in draws.items()}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _values(name: str, draw: Draw, n: int, seed: int) -> list[Any]:
    """`n` values of one parameter."""
    generator = np.random.default_rng([seed, *name.encode()])
    if callable(draw) and not isinstance(draw, type):
        return [draw(generator) for _ in range(n)]
    ends = floats(name, draw, "the two ends of an interval or a function of a generator")
    if ends.shape != (2,):
        raise refuse(name, draw, "the two ends of an interval or a function of a generator")
    low, high = ends.tolist()
    if not -np.inf < low < high < np.inf:
        raise refuse(name, draw, "an interval (low, high) with low < high, both finite")
    return [float(value) for value in generator.uniform(low, high, n)]


def points_of(parameters: Parameters) -> list[Point]:
    """Points of a grid (names with values, the last runs fastest) or of a list.

    Raises ValueError if there is none, or they do not all have the same names.
    """
    if isinstance(parameters, Mapping):
        points = _grid(parameters)
    else:
        allowed = "names with their values, or a list of points"
        points = [_point(k, each) for k, each in enumerate(listed("parameters", parameters, allowed))]
    if not points:
        raise refuse("parameters", parameters, "at least one point")
    names = points[0].keys()
    taken = either([repr(each) for each in OUTCOME_COLUMNS])
    for name in names:
        if not (isinstance(name, str) and name.isidentifier()) or name in OUTCOME_COLUMNS:
            raise refuse("parameters", name, f"named as arguments of a function are, and not {taken}")
    for number, point in enumerate(points):
        if point.keys() != names:
            raise refuse(f"parameters[{number}]", point, f"a point with the names {', '.join(names)}")
    return points


def _grid(parameters: Mapping[str, Iterable[Any]]) -> list[Point]:
    """All combinations."""
    columns = {}
    for name, values in parameters.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise refuse(f"parameters[{name!r}]", values, "a list or an array of values")
        columns[name] = list(values)
    if not columns:
        return []
    return [dict(zip(columns, values, strict=True)) for values in product(*columns.values())]


def _point(number: int, point: Any) -> Point:
    if not isinstance(point, Mapping):
        raise refuse(f"parameters[{number}]", point, "a dict of names and values")
    return dict(point)
