"""Settings of a run, from which it can be resumed."""

from __future__ import annotations

from dataclasses import dataclass

from nsgalpha.schemes.scheme_settings import Scheme


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings with which a run continues, besides its model and last state."""

    scheme: Scheme
    h: float  # [s]
    tol: float
    t0: float  # start [s]
    every: int
    contacts: bool
    seconds: float
    note: str  # the status's remark on the step
