"""Settings of a run, from which it can be resumed."""

from __future__ import annotations

from dataclasses import dataclass

from nsgalpha.schemes.scheme_settings import Scheme


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that a run needs to go on, besides its model and its last state."""

    scheme: Scheme
    h: float  # [s]
    tol: float
    t0: float  # start [s]
    every: int
    contacts: bool
    seconds: float
    note: str  # what the status says of the step
