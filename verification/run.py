"""Runs of models and cases: an early end is an error, never a result."""

import time
from dataclasses import dataclass
from typing import Any

import nsgalpha as ns
from verification import load_case, title_of
from verification.outcome import Effort, Outcome


class RunFailedError(RuntimeError):
    """The solver ended before `t_end`; the message is its status sentence."""


def simulate(model: ns.Model, **settings: Any) -> ns.Result:
    """`ns.simulate`, but raises RunFailedError unless the run reached its end."""
    result = ns.simulate(model, **settings)
    if not result.status.ok:
        raise RunFailedError(result.status.message)
    return result


def effort(label: str, *results: ns.Result) -> Effort:
    """Iterations per step and penetration over all `results`."""

    def gathered(name: str) -> list[float]:
        return [value for result in results for value in getattr(result.stats, name)]

    def largest_and_mean(name: str) -> tuple[int, float]:
        values = gathered(name)
        return int(max(values)), float(sum(values) / len(values))

    return Effort(
        label=label,
        steps=len(gathered("smooth_iterations")),
        smooth=largest_and_mean("smooth_iterations"),
        position=largest_and_mean("position_iterations"),
        velocity=largest_and_mean("velocity_iterations"),
        sub_impacts=int(max(gathered("sub_impacts"))),
        penetration=float(max(gathered("penetration"))),
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """One case after its run. `failure` is the sentence of a run that did not end well."""

    name: str
    title: str
    outcome: Outcome
    seconds: float
    failure: str = ""

    @property
    def passed(self) -> bool:
        """The run ended well and every row passed."""
        return not self.failure and self.outcome.passed


def run_case(name: str) -> Verdict:
    """Run the case `name` [wall time in seconds]; failures become part of the verdict."""
    case = load_case(name)
    start = time.perf_counter()
    try:
        outcome, failure = case.run(), ""
    except RunFailedError as error:
        outcome, failure = Outcome(rows=()), str(error)
    return Verdict(name, title_of(case), outcome, time.perf_counter() - start, failure)
