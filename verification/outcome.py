"""Outcome of a case: rows to judge, figures to draw, and effort."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Row:
    """One number against its reference; all four values are in `unit`.

    tolerance: largest accepted |ours - reference|; None for a number that is shown but not judged.
    provenance: where the reference comes from.

    Raises ValueError if the tolerance is not a positive number.
    """

    quantity: str
    unit: str
    reference: float
    ours: float
    tolerance: float | None
    provenance: str = "closed form"

    def __post_init__(self) -> None:
        for name in ("reference", "ours") if self.tolerance is None else ("reference", "ours", "tolerance"):
            object.__setattr__(self, name, float(getattr(self, name)))  # numpy scalars are welcome
        if self.tolerance is not None and not 0.0 < self.tolerance < math.inf:
            what = f"tolerance = {self.tolerance!r} of {self.quantity!r}"
            raise ValueError(f"{what}: must be positive and finite")

    @property
    def error(self) -> float:
        """Distance from the reference, in `unit`."""
        return abs(self.ours - self.reference)

    @property
    def passed(self) -> bool:
        """A NaN compares as false and so fails."""
        return self.tolerance is None or self.error <= self.tolerance


def component_rows(
    quantity: str,
    labels: Sequence[str],
    unit: str,
    reference: ArrayLike,
    ours: ArrayLike,
    tolerance: float | None,
    provenance: str,
) -> list[Row]:
    """One row per component; `labels` name them behind the quantity."""
    return [
        Row(f"{quantity}, {label}", unit, expected, value, tolerance, provenance)
        for label, expected, value in zip(labels, np.ravel(reference), np.ravel(ours), strict=True)
    ]


def bound_row(quantity: str, unit: str, ours: float, bound: float, provenance: str) -> Row:
    """A number that ought to vanish and may reach `bound`."""
    return Row(quantity, unit, 0.0, ours, bound, provenance)


@dataclass(frozen=True, slots=True)
class Effort:
    """Effort of the solver on runs; pairs are (largest, mean) per step."""

    label: str
    steps: int
    smooth: tuple[int, float]
    position: tuple[int, float]
    velocity: tuple[int, float]
    sub_impacts: int  # largest number of impacts in one step
    penetration: float  # largest, over the radius


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a case. `figures` maps a caption to a function that draws it when a report is wanted."""

    rows: Sequence[Row]
    figures: dict[str, Callable[[], "Figure"]] = field(default_factory=dict)
    efforts: Sequence[Effort] = ()
    notes: str = ""

    @property
    def passed(self) -> bool:
        """Every row passed, and there is one."""
        return bool(self.rows) and all(row.passed for row in self.rows)


def merge(outcomes: Iterable[Outcome]) -> Outcome:
    """One outcome of several, in order."""
    parts = list(outcomes)
    return Outcome(
        rows=[row for part in parts for row in part.rows],
        figures={caption: draw for part in parts for caption, draw in part.figures.items()},
        efforts=[effort for part in parts for effort in part.efforts],
        notes="\n\n".join(part.notes for part in parts if part.notes),
    )
