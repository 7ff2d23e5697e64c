"""Argument checks: errors name the argument, its value, the allowed range and a remedy.

`number`, `integer`, `truth`, `text`, `choice`, `instance`, `function`, `path`, `listed` take one value each,
`floats`, `vector`, `direction` arrays. Numbers are numbers: no texts, bytes, truth values, dates or complex
ones. `typed` checks the fields of a dataclass against their types, `parameter_set` makes one that does.
"""

import inspect
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields
from decimal import Decimal
from functools import partial, wraps
from numbers import Integral, Real
from os import PathLike, fspath
from pathlib import Path
from reprlib import Repr
from typing import Any, ParamSpec, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsgalpha.shown_text import has_controls, meant, printable, shortened

UNIT_ROUNDING = 8.0 * float(np.finfo(float).eps)  # of the length of a vector that was scaled to 1
LONGEST = 160  # characters of a value in a message
LARGEST = 10**300  # integer, which is still a float
TRUTHS = bool, np.bool_
REALS = Real, Decimal

_P = ParamSpec("_P")
_T = TypeVar("_T")

_brief = Repr()
_brief.maxlist = _brief.maxtuple = _brief.maxset = _brief.maxfrozenset = _brief.maxdict = 24
_brief.maxstring = _brief.maxother = _brief.maxlong = LONGEST


def shown(value: Any) -> str:
    """Any `value` in a message: one line of at most 160 characters."""
    try:
        text = re.sub(r"\s*\n\s*", " ", _brief.repr(value))
    except Exception:  # of the object, or an integer of too many digits
        text = f"<{type(value).__name__}>"
    return shortened(printable(text), LONGEST)


def refuse(name: str, value: Any, allowed: str, remedy: str = "") -> ValueError:
    """The ValueError to raise: `mass = -1: must be positive and finite; ...`."""
    return ValueError(f"{name} = {shown(value)}: must be {allowed}" + (f"; {remedy}" if remedy else ""))


def either(words: Sequence[str]) -> str:
    """`a, b or c`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def unknown(owner: str, name: str, known: Collection[str]) -> TypeError:
    """The TypeError to raise: `ExudynNormal: unknown parameter 'stifness'; it has stiffness, ...`."""
    has = f"it has {', '.join(known) or 'none'}"
    return TypeError(f"{owner}: unknown parameter {shown(name)}; {meant(name, known)}{has}")


def number(name: str, value: Any) -> float:
    """`value` as a float, which may be infinite or not a number, or a ValueError."""
    x = _real(value)
    if x is None:
        raise refuse(name, value, "a number")
    return x


def positive(name: str, value: Any, remedy: str = "") -> float:
    """`value` as a float in (0, inf), or a ValueError."""
    x = _real(value)
    if x is None or not (0.0 < x < math.inf):
        raise refuse(name, value, "a number" if x is None else "positive and finite", remedy)
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


def integer(name: str, value: Any, low: int | None = None, high: int | None = None, remedy: str = "") -> int:
    """`value` as an integer from `low` to `high`, or a ValueError; whole numbers of any type are integers."""
    n = None
    if isinstance(value, Integral) and not isinstance(value, TRUTHS):
        n = int(value)
    elif (x := _real(value)) is not None and x.is_integer():
        n = int(x)
    least, most = -LARGEST if low is None else low, LARGEST if high is None else high
    if n is None or not least <= n <= most:
        allowed = "an integer" if low is None else f"an integer >= {low}"
        if high is not None:
            allowed = f"an integer from {low} to {high}"
        elif n is not None and n > most:
            allowed += ", at most 1e300"
        raise refuse(name, value, allowed, remedy)
    return n


def index(name: str, value: Any, length: int) -> int:
    """`value` as the number of one of `length` things, negative ones from the end, or a ValueError."""
    return integer(name, value, -length, length - 1)


def count(name: str, value: Any) -> int:
    """`value` as an integer >= 1, or a ValueError."""
    return integer(name, value, 1)


def truth(name: str, value: Any) -> bool:
    """`value` as a bool, or a ValueError: texts and numbers are none."""
    if not isinstance(value, TRUTHS):
        raise refuse(name, value, "True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    """Return `value` if it is a text without control characters."""
    if not isinstance(value, str):
        raise refuse(name, value, "a text")
    if has_controls(value):
        raise refuse(name, value, "a text without control characters")
    return value


def choice(name: str, value: Any, known: Sequence[str]) -> str:
    """`value` if it is one of the texts `known`, or a ValueError."""
    if not isinstance(value, str) or value not in known:
        near = meant(value, known).rstrip() if isinstance(value, str) else ""
        raise refuse(name, value, either([repr(each) for each in known]), near)
    return value


def instance(name: str, value: Any, kind: Any, allowed: str, remedy: str = "") -> Any:
    """`value` if it is an object of the `kind`, or a ValueError."""
    if not isinstance(value, kind):
        raise refuse(name, value, allowed, remedy)
    return value


def function(name: str, value: Any, allowed: str = "a function", *, classes: bool = False) -> Any:
    """Return `value` if it is callable, and no class unless `classes`. Raises ValueError."""
    if not callable(value) or (isinstance(value, type) and not classes):
        raise refuse(name, value, allowed)
    return value


def path(name: str, value: Any) -> Path:
    """`value`, a text or a path, as a path, or a ValueError."""
    given = fspath(value) if isinstance(value, PathLike) and not isinstance(value, type) else value
    if not isinstance(given, str) or not given:
        raise refuse(name, value, "a path: a text or a Path")
    return Path(text(name, given))


def listed(name: str, value: Any, allowed: str) -> list[Any]:
    """`value`, a list or anything else that is gone through, as a list, or a ValueError."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | type):
        with suppress(Exception):  # of the object
            return list(value)
    raise refuse(name, value, allowed)


def _real(value: Any) -> float | None:
    """`value` as a float, None if it is no number or too large for one."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iuf":
        value = value[()]
    if not isinstance(value, REALS) or isinstance(value, TRUTHS):
        return None
    try:
        return float(value)
    except (OverflowError, ValueError):
        return None


def floats(name: str, value: Any, allowed: str) -> NDArray[np.float64]:
    """`value`, numbers in lists or an array of any shape, as a new array, or a ValueError."""
    try:
        array = floats_or_none(value)
    except Exception:  # rows of different lengths, and any error of objects that are asked for numbers
        array = None
    if array is None:
        raise refuse(name, value, allowed)
    return array


def floats_or_none(value: Any) -> NDArray[np.float64] | None:
    """New array of the real numbers in `value`, of any shape; None if one is none.

    Raises the errors of numpy, such as ValueError for rows of different lengths.
    """
    if _has_truths(value) or _has_masked(value):
        return None
    raw = np.asarray(value)
    if raw.dtype == np.float64:
        return np.array(raw)
    if raw.dtype.kind in "iuf":
        with np.errstate(over="ignore"):
            return np.array(raw, float)
    if raw.dtype.kind != "O":
        return None
    numbers = [_real(each) for each in raw.ravel().tolist()]
    return None if None in numbers else np.array(numbers, float).reshape(raw.shape)


def _has_truths(value: Any) -> bool:
    """True if lists hold a True or False, which numpy takes for a number."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "b"
    if not isinstance(value, list | tuple):
        return isinstance(value, TRUTHS)
    kinds = set(map(type, value))
    inner = kinds - {int, float}
    return bool(kinds & set(TRUTHS)) or (bool(inner) and any(map(_has_truths, value)))


def _has_masked(value: Any) -> bool:
    """True if a value in lists or arrays is masked; numpy would read behind it."""
    if isinstance(value, np.ma.MaskedArray):
        return bool(np.ma.getmaskarray(value).any())
    if not isinstance(value, list | tuple) or set(map(type, value)) <= {int, float}:
        return False
    return any(map(_has_masked, value))


def finite(name: str, value: Any, allowed: str = "finite numbers") -> NDArray[np.float64]:
    """`value` as `floats`, and ValueError if one is not finite."""
    array = floats(name, value, allowed)
    if not np.isfinite(array).all():
        raise refuse(name, value, allowed)
    return array


def together(**given: Any) -> list[NDArray[np.float64]]:
    """Arrays of the arguments `given` by name, `finite` and of one shape, or a ValueError."""
    arrays = [finite(name, value) for name, value in given.items()]
    try:
        return [np.array(array) for array in np.broadcast_arrays(*arrays)]
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        message = f"{', '.join(given)}: shapes {shapes}: must go together; give numbers or one shape"
        raise ValueError(message) from None


def integers(name: str, value: Any, allowed: str) -> NDArray[np.int64]:
    """`value`, integers in lists or an array of any shape, as a new array, or a ValueError."""
    if np.abs(floats(name, value, allowed)).max(initial=0.0) < np.iinfo(np.int64).max:
        array = np.asarray(value)
        if array.dtype.kind in "iu" or array.size == 0:
            return np.array(array, np.int64)
    raise refuse(name, value, allowed)


def truths(name: str, value: Any) -> NDArray[np.bool_]:
    """`value`, True or False in any shape, or numbers of which 0 is False, or a ValueError."""
    allowed = "True or False"
    if isinstance(value, TRUTHS):
        return np.array(value)
    with suppress(Exception):  # as in `floats`
        array = np.asarray(value)
        if array.dtype.kind == "b" and not _has_masked(value):
            return array.copy()
    return finite(name, value, allowed) != 0.0


def vector(name: str, value: ArrayLike, length: int = 3) -> NDArray[np.float64]:
    """`value` as a finite array (length,), or a ValueError."""
    array = floats(name, value, f"{length} finite numbers")
    if array.shape != (length,) or not np.isfinite(array).all():
        raise refuse(name, value, f"{length} finite numbers")
    return array


def direction(name: str, value: ArrayLike, length: int = 3) -> NDArray[np.float64]:
    """`value` (length,) scaled to unit length, or a ValueError if its length is zero or not finite."""
    return scaled_direction(name, value, length)[0]


def scaled_direction(name: str, value: ArrayLike, length: int = 3) -> tuple[NDArray[np.float64], float]:
    """Unit vector along `direction`, and its length; unit vectors to rounding return unchanged, with 1."""
    array = vector(name, value, length)
    with np.errstate(over="ignore"):
        norm = float(np.linalg.norm(array))
    if norm == 0.0:
        raise refuse(name, value, "different from zero", "give a direction of any length")
    if norm == math.inf:
        raise refuse(name, value, "of finite length", "give a direction of length 1")
    return (array, 1.0) if abs(norm - 1.0) <= UNIT_ROUNDING else (array / norm, norm)


#: Checks of fields by their types.
_CHECKS: dict[str, Callable[[str, Any], Any]] = {"float": number, "int": integer, "bool": truth, "str": text}


def positive_field(remedy: str = "", *, default: Any = MISSING) -> Any:
    """A parameter field with a `positive` number, or None where its type allows it."""
    return field(default=default, metadata={"check": partial(positive, remedy=remedy)})


def field_in(low: float, high: float, *, default: Any = MISSING, **options: Any) -> Any:
    """A field whose number is between `low` and `high`; the options are those of `number_in`."""
    return field(default=default, metadata={"check": partial(number_in, low=low, high=high, **options)})


def typed(made: type[_T]) -> type[_T]:
    """Decorator of a dataclass that checks its fields of types float, int, bool, str.

    They may be None where their type says so. Ranges are those of `positive_field` and `field_in`. An unknown
    keyword is a TypeError that lists those there are.
    """
    names, checks, ranges = [], {}, {}
    for each in fields(made):  # type: ignore[arg-type]
        if each.init:
            names.append(each.name)
            if "check" in each.metadata:
                ranges[each.name] = each.metadata["check"]
            stated = each.type.__name__ if isinstance(each.type, type) else str(each.type)
            kind, _, optional = stated.partition(" | ")
            if kind in _CHECKS and optional in ("", "None"):
                checks[each.name] = _CHECKS[kind], bool(optional)
    init = made.__init__

    @wraps(init)
    def checked(self: Any, *args: Any, **given: Any) -> None:
        for name in given:
            if name not in names:
                raise unknown(made.__name__, name, names)
        stated = dict(zip(names, args, strict=False)) | given
        kept = {
            name: check(name, stated[name])
            for name, (check, optional) in checks.items()
            if name in stated and not (optional and stated[name] is None)
        }
        for name, check in ranges.items():
            if stated.get(name) is not None:
                check(name, stated[name])
        init(self, *args, **given)  # further ranges are checked there, with the values as they were given
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    made.__init__ = checked  # type: ignore[method-assign]
    return made


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(positive_field, field_in))
def parameter_set(cls: type[_T]) -> type[_T]:
    """A frozen dataclass with keywords only, `typed`."""
    return typed(dataclass(frozen=True, slots=True, kw_only=True)(cls))


def named(function: Callable[_P, _T], owner: str = "") -> Callable[_P, _T]:
    """Return `function` with checked keywords. An unknown one is a TypeError that lists the known ones.

    owner: its name in the message, by default its own. A function that takes any keyword stays as it is, and
    without `owner` a checked one.
    """
    if not owner and hasattr(function, "checks_keywords"):
        return function
    parameters = inspect.signature(function).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return function
    known = [name for name in parameters if name != "self"]
    names = frozenset(known)

    @wraps(function)
    def checked(*args: _P.args, **given: _P.kwargs) -> _T:
        if not names.issuperset(given):
            raise unknown(
                owner or function.__qualname__, next(name for name in given if name not in names), known
            )
        return function(*args, **given)

    checked.checks_keywords = True  # type: ignore[attr-defined]
    return checked


def named_methods(cls: type[_T]) -> type[_T]:
    """Decorator of a class whose constructor and public methods are `named`."""
    for name, method in [*vars(cls).items()]:
        if inspect.isfunction(method) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, named(method, cls.__name__ if name == "__init__" else ""))
    return cls
