"""Errors over the arrival within the step, which is a matter of chance.

A study takes the error of a quantity for several steps h, and for each of them over phases of the arrival. A
phase is the fraction of a step by which the start comes later. Their mean and largest value, and the order to
which the mean fits, show more than a single run.
"""

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

import nsgalpha as ns
from nsgalpha.arrays import Floats
from nsgalpha.checks import refuse
from verification.table import aligned

AHEAD = 2  # steps of a run before that of the impact
ROUNDING = 1e-12  # errors that show no order

HEADERS = ("study", "unit", "h [s]", "phases", "mean error", "largest", "order")


def fractions(count: int) -> Floats:
    """`count` phases in (0, 1), equally spaced. Raises ValueError if there are none."""
    if count < 1:
        raise refuse("phases", count, "at least 1")
    return (np.arange(count) + 0.5) / count


def fitted_order(steps: Sequence[float], errors: Sequence[float], rounding: float = 0.0) -> float:
    """Least-squares slope of log(error) over log(h) of errors above `rounding`; NaN of fewer than two."""
    h, error = np.asarray(steps, dtype=float), np.asarray(errors, dtype=float)
    seen = error > rounding
    if np.count_nonzero(seen) < 2:
        return math.nan
    return float(np.polyfit(np.log(h[seen]), np.log(error[seen]), 1)[0])


@dataclass(frozen=True, slots=True)
class Study:
    """Errors (steps, phases) of one quantity, all in `unit`.

    rounding: errors up to this are not used for the order.
    """

    label: str
    unit: str
    steps: Sequence[float]
    errors: Floats
    rounding: float = ROUNDING

    @property
    def mean(self) -> Floats:
        """Mean error over the phases, for each step."""
        return self.errors.mean(axis=1)

    @property
    def largest(self) -> Floats:
        """Largest error over the phases, for each step."""
        return self.errors.max(axis=1)

    @property
    def order(self) -> float:
        """Order to which the mean errors fit; NaN where they are rounding."""
        return fitted_order(self.steps, list(self.mean), self.rounding)


class Phases(Protocol):
    """The module `phases` of a case that can vary the arrival within the step."""

    def studies(self, phases: int) -> Sequence[Study]:
        """The studies of the case over so many phases."""
        ...


def studies_of(case: str, phases: int) -> Sequence[Study]:
    """The studies of a case of `phased_names`, each over `phases` arrivals."""
    module: Phases = importlib.import_module(f"verification.{case}.phases")
    return module.studies(phases)


def placed(model: ns.Model, ball: ns.Body, x: ArrayLike, v: ArrayLike, w: ArrayLike) -> ns.State:
    """The initial state of `model`, but `ball` at `x` [m] with velocity `v` [m/s] and spin `w` [rad/s]."""
    state = model.initial_state()
    for values, value in ((state.position, x), (state.velocity, v), (state.angular_velocity, w)):
        values[ball] = value
    return state


def study(
    label: str,
    unit: str,
    error: Callable[[float, float], float],
    steps: Sequence[float],
    phases: int = 1,
) -> Study:
    """The study of `error(h, phase)` over `steps` [s] and equally spaced phases."""
    found = np.array([[error(h, float(phase)) for phase in fractions(phases)] for h in steps])
    return Study(label, unit, tuple(steps), found)


def cells(each: Study) -> list[tuple[str, ...]]:
    """One line for each step, in the order of HEADERS; the order is in the last."""
    lines: list[tuple[str, ...]] = []
    for i, h in enumerate(each.steps):
        first, last = i == 0, i == len(each.steps) - 1
        names = (each.label, each.unit) if first else ("", "")
        order = "-" if math.isnan(each.order) else f"{each.order:.2f}"
        errors = (f"{each.mean[i]:.2e}", f"{each.largest[i]:.2e}", order if last else "")
        lines.append((*names, f"{h:g}", str(each.errors.shape[1]), *errors))
    return lines


def phase_table(studies: Sequence[Study]) -> str:
    """Mean and largest errors over phases, and fitted orders, as text."""
    return aligned([HEADERS, *(line for each in studies for line in cells(each))], range(2, 7))


def study_record(each: Study) -> dict[str, object]:
    """One study as JSON content."""
    return {
        "study": each.label,
        "unit": each.unit,
        "h": list(each.steps),
        "errors": each.errors.tolist(),
        "mean": each.mean.tolist(),
        "largest": each.largest.tolist(),
        "order": None if math.isnan(each.order) else each.order,
    }
