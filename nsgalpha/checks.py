"""Checks of arguments: every error names the argument, its value, the allowed range and a remedy."""

import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray

UNIT_ROUNDING = 8.0 * float(np.finfo(float).eps)  # of the length of a vector that was scaled to 1


def refuse(name: str, value: Any, allowed: str, remedy: str = "") -> ValueError:
    """The ValueError to raise: `mass = -1: must be positive and finite; ...`."""
    return ValueError(f"{name} = {value!r}: must be {allowed}" + (f"; {remedy}" if remedy else ""))


def unknown(owner: str, name: str, known: Collection[str]) -> TypeError:
    """The TypeError to raise: `ExudynNormal: unknown parameter 'stifness'; it has stiffness, ...`."""
    near = get_close_matches(name, known, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return TypeError(f"{owner}: unknown parameter {name!r}; {meant}it has {', '.join(known)}")


_T = TypeVar("_T")


@dataclass_transform(kw_only_default=True, frozen_default=True)
def parameter_set(cls: type[_T]) -> type[_T]:
    """A frozen dataclass with keywords only, whose error for an unknown one lists those it has."""
    made = dataclass(frozen=True, slots=True, kw_only=True)(cls)
    known = [each.name for each in fields(made) if each.init]  # type: ignore[arg-type]
    init = made.__init__

    @wraps(init)
    def checked(self: Any, *args: Any, **given: Any) -> None:
        for name in given:
            if name not in known:
                raise unknown(cls.__name__, name, known)
        init(self, *args, **given)

    made.__init__ = checked  # type: ignore[method-assign]
    return made


def number(name: str, value: Any) -> float:
    """`value` as a float, or a ValueError."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise refuse(name, value, "a number") from None


def positive(name: str, value: Any, remedy: str = "") -> float:
    """`value` as a float in (0, inf), or a ValueError."""
    x = number(name, value)
    if not (0.0 < x < math.inf):
        raise refuse(name, value, "positive and finite", remedy)
    return x


def number_in(
    name: str,
    value: Any,
    low: float,
    high: float,
    *,
    open_low: bool = False,
    open_high: bool = False,
    remedy: str = "",
) -> float:
    """`value` as a float between `low` and `high`, or a ValueError."""
    x = number(name, value)
    above = x > low if open_low else x >= low
    below = x < high if open_high else x <= high
    if not (above and below and math.isfinite(x)):
        allowed = (
            f"in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high or high == math.inf else ']'}"
        )
        raise refuse(name, value, allowed, remedy)
    return x


def count(name: str, value: Any) -> int:
    """`value` as an integer >= 1, or a ValueError."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = math.nan
    if not (x >= 1.0 and x.is_integer()):
        raise refuse(name, value, "an integer >= 1")
    return int(x)


def vector(name: str, value: ArrayLike, length: int = 3) -> NDArray[np.float64]:
    """`value` as a finite array (length,), or a ValueError."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise refuse(name, value, f"{length} numbers") from None
    if array.shape != (length,) or not np.isfinite(array).all():
        raise refuse(name, value, f"{length} finite numbers")
    return array


def direction(name: str, value: ArrayLike, length: int = 3) -> NDArray[np.float64]:
    """`value` (length,) scaled to unit length, or a ValueError if it is zero or not finite."""
    return scaled_direction(name, value, length)[0]


def scaled_direction(name: str, value: ArrayLike, length: int = 3) -> tuple[NDArray[np.float64], float]:
    """`direction`, and the length of `value`; one of unit length to rounding is returned as it is, with 1."""
    array = vector(name, value, length)
    norm = float(np.linalg.norm(array))
    if not 0.0 < norm < math.inf:
        raise refuse(name, value, "different from zero", "give a direction of any length")
    return (array, 1.0) if abs(norm - 1.0) <= UNIT_ROUNDING else (array / norm, norm)


def inertia_tensor(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Inertia (3, 3) [kg m^2] from a scalar, three principal values or a symmetric tensor.

    Raises ValueError unless it is finite, symmetric, positive definite, and each principal value is
    at most the sum of the other two (as for every distribution of mass).
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise refuse(name, value, "a scalar, 3 principal values or a 3 x 3 tensor") from None
    if not np.isfinite(array).all():
        raise refuse(name, value, "finite")
    if array.shape == ():
        tensor = np.eye(3) * array
    elif array.shape == (3,):
        tensor = np.diag(array)
    elif array.shape == (3, 3):
        tensor = array
    else:
        raise refuse(name, value, "a scalar, 3 principal values or a 3 x 3 tensor")
    if not np.allclose(tensor, tensor.T, rtol=1e-12, atol=0.0):
        raise refuse(name, value, "symmetric")
    principal = np.linalg.eigvalsh(tensor)
    if principal[0] <= 0.0:
        raise refuse(name, value, "positive definite", f"its principal values are {principal}")
    if principal[2] > (principal[0] + principal[1]) * (1.0 + 1e-12):
        raise refuse(
            name,
            value,
            "the inertia of a body: no principal value above the sum of the other two",
            f"its principal values are {principal}",
        )
    return tensor
