"""Impacts over their arrival: runs whose first step is a part of one."""

from collections.abc import Callable, Sequence

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.outcome import Row, bound_row
from verification.phases import Study, fractions

PHASES = 8
FIRST = 0.25  # largest distance of a fitted order from 1

#: A study, its bound over h, the source of its reference, and whether its order is judged.
Judged = tuple[Study, float, str, bool]
Errors = Callable[[float, float], Sequence[float] | Floats]  # of a step h [s] and a phase in (0, 1)


def late(model: ns.Model, ahead: float) -> ns.State:
    """The state of the `model` after a first step of `ahead` [s]."""
    return ns.step(model, model.initial_state(), ahead)


def studied(
    labels: Sequence[str], units: Sequence[str], errors: Errors, steps: Sequence[float], phases: int = PHASES
) -> list[Study]:
    """A study of each of the `errors` that one run has, over `steps` and `phases`."""
    found = np.array([[errors(h, float(phase)) for phase in fractions(phases)] for h in steps])
    each = np.moveaxis(found, -1, 0)
    return [
        Study(name, unit, tuple(steps), values)
        for name, unit, values in zip(labels, units, each, strict=True)
    ]


def judged(study: Study, bound: float, source: str, ordered: bool = True) -> list[Row]:
    """Largest error over the phases and h, at most `bound` [unit/s] for every step; the order, if `ordered`.

    It is that of the mean. Phases of a later impact follow from that of the first, one chance for each h. Its
    errors are a saw-tooth of h, bounded by h, and two steps can show any order.
    """
    over: Floats = study.largest / np.asarray(study.steps)
    what, unit = f"{study.label}, largest over {study.errors.shape[1]} phases and h", f"{study.unit}/s"
    rows = [
        bound_row(f"{what} {h:g}", unit, e, bound, source) for h, e in zip(study.steps, over, strict=True)
    ]
    if ordered:
        rows.append(Row(f"{study.label}: order of the mean", "-", 1.0, study.order, FIRST, source))
    return rows
