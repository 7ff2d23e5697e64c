"""The three examples of the paper, in both formulations, and the iterations of their problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

import nsgalpha as ns
from nsgalpha.contact.augmented_lagrangian.lagrangian_system import LagrangianSystem, Newton
from verification.augmented_lagrangian.printed_position import Meeting
from verification.balls import E_BALLS, MU_BALLS, MU_CLOTH, RADIUS
from verification.billiard_break.model import ROLLING_RADIUS
from verification.billiard_break.model import build as build_break
from verification.run import simulate
from verification.thirty_degree_rule import ROLLING_SPEED
from verification.thirty_degree_rule.model import build as build_thirty_degrees
from verification.thirty_degree_rule.reference import FRACTIONS
from verification.throw_angle.model import SPEED
from verification.throw_angle.model import build as build_throw
from verification.throw_angle.reference import SHOTS

AUGMENTED = ns.GeneralizedAlpha(formulation="augmented Lagrangian")
PHASES = (0.1, 0.5, 0.9)  # of the printed position correction


@dataclass(frozen=True, slots=True)
class Example:
    """Models of a section of the paper, and its counts of iterations."""

    section: str
    models: tuple[Callable[[], ns.Model], ...]
    h: float  # [s]
    t_end: float  # [s]
    counts: tuple[int, int, int] | None = None  # smooth, position, velocity
    meetings: tuple[Meeting, ...] = ()


def _thirty_degrees(fraction: float) -> ns.Model:
    return build_thirty_degrees(fraction, MU_BALLS, E_BALLS)[0]


def _throw(spin: float, mu: float) -> ns.Model:
    return build_throw(spin, mu, E_BALLS)[0]


ROLL = np.array([0.0, ROLLING_SPEED / RADIUS, 0.0])
EXAMPLES = (
    Example(
        "5.1",
        tuple(partial(_thirty_degrees, fraction) for fraction in FRACTIONS),
        1e-3,
        0.6,
        (1, 4, 2),
        tuple(
            Meeting(ROLLING_SPEED, ROLL, float(np.arcsin(1.0 - f)), MU_BALLS, MU_CLOTH, 1e-3)
            for f in FRACTIONS[1:]
        ),
    ),
    Example(
        "5.2",
        tuple(partial(_throw, spin, mu) for spin, mu in SHOTS),
        1e-4,
        0.05,
        (1, 3, 3),
        tuple(Meeting(SPEED, np.array([0.0, 0.0, spin]), 0.0, mu, 0.0, 1e-4) for spin, mu in SHOTS),
    ),
    Example("5.3", (partial(build_break, 0.0), partial(build_break, ROLLING_RADIUS)), 1e-3, 1.0),
)


def run(example: Example, tol: float, scheme: ns.GeneralizedAlpha = AUGMENTED) -> list[ns.Result]:
    """The runs of an example; an early end is an error."""
    settings = {"t_end": example.t_end, "h": example.h, "tol": tol, "scheme": scheme}
    return [simulate(build(), **settings) for build in example.models]


def apart(a: ns.Result, b: ns.Result) -> float:
    """Largest difference of the velocities of two runs, over the largest speed."""
    return float(np.abs(a.velocity - b.velocity).max() / np.linalg.norm(a.velocity, axis=2).max())


@contextmanager
def counted() -> Iterator[list[int]]:
    """A list that takes the iterations of each solution by Newton's method."""
    solve, counts = LagrangianSystem.newton, []

    def newton(self: LagrangianSystem, *given: Any) -> Newton:
        end = solve(self, *given)
        counts.append(end.iterations)
        return end

    with patch.object(LagrangianSystem, "newton", newton):
        yield counts
