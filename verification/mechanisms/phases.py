"""Errors of the impacts of mechanisms over their arrival within the step."""

from verification.mechanisms import clearance, cradles, stops, woodpecker
from verification.phases import Study


def studies(phases: int) -> list[Study]:
    """Pendulum on a stop, double pendulum on a plane, slider-crank with clearance, cradle, woodpecker."""
    return [each[0] for part in (stops, clearance, cradles, woodpecker) for each in part.studies(phases)]
