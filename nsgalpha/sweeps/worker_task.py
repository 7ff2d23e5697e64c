"""The task of a worker at one point: call, reduce, and catch any error."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from nsgalpha.checks import refuse
from nsgalpha.run.result import Result
from nsgalpha.stepping.status import Status
from nsgalpha.sweeps.sweep_points import OUTCOME_COLUMNS, Point

OUTCOMES = DONE, ENDED_EARLY, FAILED, LOST, NOT_RUN = "done", "ended early", "failed", "lost", "not run"


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The outcome of one point: its values, and a sentence where something went wrong."""

    outcome: str
    values: Mapping[str, Any]
    message: str = ""
    seconds: float = 0.0
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Task:
    """The user's functions, called in a worker with one point."""

    build: Callable[..., Any]
    reduce: Callable[[Result], Any] | None

    def __call__(self, point: Point) -> TaskOutcome:
        """The outcome of one point; an error of the user's functions is one, too."""
        clock = perf_counter()
        status = None
        try:
            found = self.build(**point)
            if isinstance(found, Result):
                status = found.status
                if self.reduce is None:
                    raise TypeError("build returned a Result: give sweep a function reduce(result) as well")
                found = self.reduce(found)
            values, stated = _values(found, point)
            status = stated if status is None else status
        except (Exception, SystemExit) as error:
            note = f"{status.message}; then " if status is not None and not status.ok else ""
            return TaskOutcome(FAILED, {}, note + _sentence(error), perf_counter() - clock)
        seconds = perf_counter() - clock
        if status is not None and not status.ok:
            return TaskOutcome(ENDED_EARLY, values, status.message, seconds)
        return TaskOutcome(DONE, values, "", seconds)


def _values(found: Any, point: Point) -> tuple[dict[str, Any], Status | None]:
    """The named values of a function's return value, and the status among them."""
    named = dict(found) if isinstance(found, Mapping) else {"value": found}
    status = named.pop("status", None)
    if not isinstance(status, Status | None):
        raise refuse("status", status, "the status of a Result", "give other values another name")
    for name in named:
        if not isinstance(name, str) or name in point or name in OUTCOME_COLUMNS:
            raise refuse("name", name, f"a text, no parameter and none of {', '.join(OUTCOME_COLUMNS)}")
    return {name: plain(name, value) for name, value in named.items()}, status


def plain(name: str, value: Any) -> Any:
    """`value` as a number, text, or array of them; ValueError for anything else."""
    array = np.asarray(value)
    if array.dtype.kind not in "biufcU":
        raise refuse(name, value, "a number, a text or an array of them")
    return array.item() if array.ndim == 0 else array.copy()


def _sentence(error: BaseException) -> str:
    """Kind and text of an error, and the line where it arose."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno}, in {frames[-1].name})"
    return f"{type(error).__name__}: {error}{where}"
