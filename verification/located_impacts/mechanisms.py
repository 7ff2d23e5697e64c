"""Mechanisms that strike: pendulum on a stop, double pendulum on a plane, slider-crank.

The models are those of `mechanisms`, whose fixed steps are of first order.
"""

from collections.abc import Callable

import numpy as np

from nsgalpha.arrays import Floats
from verification.mechanisms import clearance, reference, stops
from verification.outcome import Row, bound_row
from verification.run import simulate

#: name, errors, steps [s], the step for which the bounds are, bounds [s], [rad/s]
Study = tuple[str, Callable[[float], Floats], tuple[float, ...], tuple[float, float], str]
ORDER = 1.9  # at least


def _largest(found: Floats, given: Floats) -> float:
    """Largest difference of the first values; NaN, which no row accepts, where there are fewer."""
    return float(np.abs(found[: len(given)] - given).max()) if len(found) >= len(given) else np.nan


def pendulum(h: float) -> Floats:
    """Errors of the times [s] and rates after [rad/s] of three impacts."""
    given = reference.case("pendulum_on_stop")["impacts"][:3]
    found = stops.impacts(simulate(stops.pendulum(), t_end=2.4, h=h, impacts="located"))
    rates = stops.RESTITUTION * np.array([each["speed_before"] for each in given])
    times = np.array([each["t"] for each in given])
    return np.array([_largest(found.t, times), _largest(np.abs(found.after[:, 0]), rates)])


def double_pendulum(h: float) -> Floats:
    """`pendulum`, of two impacts."""
    given = reference.case("double_pendulum_on_plane")["impacts"][:2]
    found = stops.impacts(simulate(stops.double_pendulum(), t_end=0.95, h=h, impacts="located"))
    times, rates = (np.array([each[name] for each in given]) for name in ("t", "after"))
    return np.array([_largest(found.t, times), _largest(found.after, rates)])


def slider_crank(h: float) -> Floats:
    """`pendulum`, of twelve impacts of the corners."""
    given = reference.case(clearance.CASE)["impacts"]
    found = clearance.impacts(simulate(clearance.build(), t_end=2.8481e-3, h=h, impacts="located"))
    if list(found.corner[: len(given)]) != [each["corner"] for each in given]:
        return np.full(2, np.nan)
    times, rates = (np.array([each[name] for each in given]) for name in ("t", "v_after"))
    return np.array([_largest(found.t, times), _largest(found.after, rates)])


STUDIES: list[Study] = [
    ("pendulum on a stop, 3 impacts", pendulum, (1e-3, 5e-4, 2.5e-4), (1e-5, 3e-5), stops.SINGLE),
    (
        "double pendulum on a plane, 2 impacts",
        double_pendulum,
        (1e-3, 5e-4, 2.5e-4),
        (2e-5, 5e-4),
        stops.DOUBLE,
    ),
    (
        "slider-crank with clearance, 12 impacts",
        slider_crank,
        (5e-5, 2.5e-5, 1.25e-5),
        (2e-7, 1e-2),
        clearance.SOURCE,
    ),
]


def rows() -> list[Row]:
    """Errors with the first step, and orders to the last."""
    found = []
    for name, errors, steps, bounds, source in STUDIES:
        each = np.array([errors(h) for h in steps])
        orders = np.log2(each[0] / each[-1]) / np.log2(steps[0] / steps[-1])
        for k, (what, unit) in enumerate((("times", "s"), ("rates after", "rad/s"))):
            label = f"{name}: {what}"
            found.append(bound_row(f"{label}, h = {steps[0]:g} s", unit, each[0, k], bounds[k], source))
            found.append(
                bound_row(f"{label}: order below {ORDER}", "-", max(ORDER - orders[k], 0.0), 1e-9, source)
            )
    return found
