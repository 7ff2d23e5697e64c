"""Sizes of steps from an accuracy.

    error    of a step of s [s]: difference of its end and that of two halves, over 3
    allowed  accuracy s / span, so that the errors of all steps add up to the accuracy
    s        <- s SAFE sqrt(allowed / error)

The error is that of positions over a length and of velocities over a speed, the larger of both. A scheme of
second order has a local error of s^3. That of a force that jumps is of first order: no share of s is
small enough. Any step may have a millionth of the accuracy.

docs/design/impacts.md
"""

import math
from typing import NamedTuple

SAFE, LEAST_CHANGE, MOST_CHANGE = 0.9, 0.1, 2.5  # factors from one step to the next
ROUNDING, NOISE = 1e-13, 0.1  # an error that passes: this, or this part of the tolerance of the subproblems
SOLVED, EXACT = 1e-5, 1e-14  # part of the accuracy to which subproblems are solved, and the least tolerance
JUMP = 1e-6  # part of the accuracy that any step may have, in which a force may jump
LEAST = 1e-13  # of the span: size of a step
REST = 1e-3  # of a step: a rest of the run that belongs to it


class ErrorControl(NamedTuple):
    """Control of the steps of a run to `end` [s]."""

    accuracy: float  # relative error of positions and velocities at the end
    span: float  # [s] of the run
    end: float
    most: float  # [s] size of a step
    tol: float  # of the subproblems, as given
    speed: float = 0.0  # [m/s] largest before the run

    @property
    def least(self) -> float:
        """Smallest size [s] of a step."""
        return LEAST * self.span

    @property
    def solved(self) -> float:
        """Tolerance of the subproblems: that given, or less."""
        return min(self.tol, max(SOLVED * self.accuracy, EXACT))

    @property
    def _rounding(self) -> float:
        return max(ROUNDING, NOISE * self.solved)

    def passes(self, s: float, error: float, noise: float = 0.0) -> bool:
        """True if a step of `s` [s] may have the `error`, some `noise` of which any step has."""
        least = max(self._rounding, min(noise, self.accuracy))
        return error <= max(self.accuracy * max(s / self.span, JUMP), least)

    def first(self) -> float:
        """Size [s] of a step without one before."""
        return min(self.span / 1000.0, self.most)

    def smaller(self, s: float, error: float) -> float:
        """Size [s] of a step in place of one of `s` that has not passed."""
        return s * min(max(self._change(s, error), LEAST_CHANGE), 0.8)

    def following(self, s: float, error: float, planned: float) -> float:
        """Size [s] of the step after one of `s`, which was cut short if more was `planned`."""
        change = min(max(self._change(s, error), LEAST_CHANGE), MOST_CHANGE)
        return min(max(s * change, planned if change >= 1.0 else 0.0), self.most)

    def until_end(self, t: float, s: float) -> float:
        """`s` [s], or the rest from `t` to the end."""
        rest = self.end - t
        return rest if 0.0 < rest < (1.0 + REST) * s else s

    def _change(self, s: float, error: float) -> float:
        error -= self._rounding
        return SAFE * math.sqrt(self.accuracy * s / self.span / error) if error > 0.0 else math.inf
