"""Settings of a run, from which it can be resumed."""

from __future__ import annotations

from dataclasses import dataclass

from nsgalpha.schemes.scheme_settings import Scheme

FIXED, LOCATED = IMPACTS = "fixed", "located"  # ends of steps: as planned, or at impacts


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
    impacts: str = FIXED
    accuracy: float | None = None  # relative; h is then the largest step
    span: float = 0.0  # [s] of the run with an accuracy, from its start to its planned end
