"""The numbers of springs, a row for each pair or for all, read by kernels.

Contacts of given pairs come in the order of the pairs, all of them at once: kernel and table have the same
order. The law of a single row is one of any pairs.
"""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, number_in, refuse
from nsgalpha.forces import Contact, Response
from nsgalpha.jit.decorators import kernel

BROKEN = 1.0  # first number of the history
NO_DIRECTION = math.nan  # force between two points that have met


class SpringRow(NamedTuple):
    """The numbers of one pair."""

    length: float  # r_0 [m]
    stretch: float  # k_s where it is longer [N/m]
    compression: float  # k_c where it is shorter [N/m]
    damping: float  # c beside the spring [N s/m]
    rupture: float  # r_max [m], infinite where it does not break
    dashpot: float  # eta in series [N s/m]
    threshold: float  # of the length over that at rest, above which the dashpot yields


COLUMNS = len(SpringRow._fields)


@kernel
def row_of(parameters, c):
    """The numbers of contact `c`."""
    k = 1 + (COLUMNS * c if parameters[0] > 1.0 else 0)
    p = parameters
    return SpringRow(p[k], p[k + 1], p[k + 2], p[k + 3], p[k + 4], p[k + 5], p[k + 6])


def spring_table(
    *,
    stiffness: ArrayLike,
    length: ArrayLike,
    compression: ArrayLike | None,
    damping: ArrayLike,
    rupture: ArrayLike | None,
    dashpot: ArrayLike | None = None,
    threshold: float = 0.0,
) -> Floats:
    """The parameters of a kernel: the number of rows, then the rows.

    Raises ValueError that names the argument, its value and its range.
    """
    stretch = _numbers("stiffness", stiffness, open_low=True)
    columns = {
        "length": _numbers("length", length, remedy="it is a length in metres"),
        "stiffness": stretch,
        "compression": stretch
        if compression is None
        else _numbers("compression", compression, remedy="0 is a rope"),
        "damping": _numbers("damping", damping),
        "rupture": np.array(math.inf) if rupture is None else _numbers("rupture", rupture, open_low=True),
        "dashpot": np.array(math.inf) if dashpot is None else _numbers("dashpot", dashpot, open_low=True),
        "threshold": np.array(float(threshold)),
    }
    sizes = {name: len(value) for name, value in columns.items() if value.ndim}
    if len(set(sizes.values())) > 1:
        given = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(f"{given} numbers: must be one for each pair, or one number for all")
    rows = np.atleast_2d(np.stack(np.broadcast_arrays(*columns.values()), axis=-1))
    for k in np.flatnonzero(rows[:, 4] <= rows[:, 0])[:1]:
        remedy = f"the length at rest of pair {k} is {rows[k, 0]:g} m, and springs break in tension"
        raise refuse("rupture", float(rows[k, 4]), f"above {rows[k, 0]:g}", remedy)
    return np.concatenate([[len(rows)], rows.ravel()])


def rows_of(parameters: Floats) -> Floats:
    """The rows (P, COLUMNS) of a `spring_table`."""
    return parameters[1:].reshape(-1, COLUMNS)


class TabledSprings:
    """The common part of laws whose `parameters` are a `spring_table`."""

    __slots__ = ()

    parameters: Floats
    kernel: ClassVar[Callable[..., None]]
    reach = math.inf
    senses = ("normal",)

    def __post_init__(self) -> None:
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.init}  # type: ignore[arg-type]
        object.__setattr__(self, "parameters", spring_table(**given))

    @property
    def whole(self) -> bool:
        """Numbers of single pairs go by the order of all."""
        return bool(self.parameters[0] > 1.0)

    @property
    def stiffest(self) -> float:
        """Largest stiffness [N/m] of any pair, in tension or compression."""
        return float(rows_of(self.parameters)[:, 1:3].max())

    def __call__(self, contact: Contact, response: Response) -> None:
        """Normal force of C contacts; ValueError unless there is one row of numbers, or one for each."""
        rows, count = len(rows_of(self.parameters)), len(contact.overlap)
        if rows not in (1, count):
            remedy = "numbers of single springs go by the order of the pairs, all of which are always there"
            allowed = f"for the {count} of the element, or one for all"
            raise refuse("springs", f"numbers for {rows} pairs", allowed, remedy)
        self.kernel(contact, response, self.parameters)


def _numbers(name: str, value: ArrayLike, *, open_low: bool = False, remedy: str = "") -> Floats:
    """`value`, a number or one for each pair (P,), from 0 on; or a ValueError with the place."""
    array = floats(name, value, "a number, or one for each pair")
    if array.ndim > 1 or array.size == 0:
        raise refuse(name, f"array {array.shape}", "a number, or one for each pair")
    wrong = ~((array > 0.0) if open_low else (array >= 0.0)) | ~np.isfinite(array)
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        label = f"{name}[{k}]" if array.ndim else name
        number_in(label, float(array.ravel()[k]), 0.0, math.inf, open_low=open_low, remedy=remedy)
    return array
