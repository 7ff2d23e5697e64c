"""Errors of all cases over the arrival, for all ways of solving a step."""

from collections.abc import Iterable, Sequence
from functools import partial

from verification.impact_phases.cases import CASES
from verification.impact_phases.compare import error
from verification.impact_phases.record import reference
from verification.phases import Study, study


def studies(phases: int) -> list[Study]:
    """All cases that take seconds: not the swings of cradles (`python -m verification.impact_phases`)."""
    return [
        each
        for name, case in CASES.items()
        if not case.swings
        for each in case_studies(name, phases, case.paths)
    ]


def case_studies(
    name: str, phases: int, paths: Iterable[str], steps: Sequence[float] | None = None
) -> list[Study]:
    """One study for each path; `steps` [s] are those of the case if they are not given."""
    case, expected = CASES[name], reference(name)
    return [
        study(f"{name}, {path}", "m/s", partial(error, case, expected, path), steps or case.steps, phases)
        for path in paths
    ]
