"""Settings of a run, from which it can be resumed."""

from __future__ import annotations

from dataclasses import dataclass

from nsgalpha.schemes.scheme_settings import Scheme
from nsgalpha.stepping.step_times import StepTimes


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings with which a run continues, besides its model and last state."""

    scheme: Scheme
    h: float | list[float]  # [s] sizes of the first steps, the last one that of all others
    tol: float
    t0: float  # start [s]
    every: int
    contacts: bool
    seconds: float
    note: str  # the status's remark on the step

    @property
    def times(self) -> StepTimes:
        """The times of the steps."""
        return StepTimes(self.t0, self.h)
