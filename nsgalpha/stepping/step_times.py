"""Times and sizes of steps, and the steps that are taken and recorded."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, positive, refuse

EXACT = 2.0**52  # steps that are counted exactly
LEAST = 1e-6  # of a step, by which its end may come before a time that it is to reach


def time_after(t0: float, h: float, steps: int) -> float:
    """Time [s] after so many `steps` of `h` [s] from `t0` [s] on.

    Where `t0` is a multiple of `h` to the bit, steps are counted from zero. A run that is continued from a
    state then has the times of one that began at zero.
    """
    if abs(t0) < EXACT * h:
        before = math.floor(t0 / h + 0.5)
        if before * h == t0:
            return (before + steps) * h
    return t0 + steps * h


def step_sizes(h: float | Sequence[float]) -> Floats:
    """Sizes (n,) [s] of the first steps, from a size or several, or a ValueError."""
    if np.ndim(h) == 0:
        return np.array([positive("h", h)])
    allowed = "positive and finite, a number or sizes of steps (n,) [s]"
    sizes = floats("h", h, allowed)
    if sizes.ndim != 1 or not len(sizes) or not ((sizes > 0.0) & (sizes < math.inf)).all():
        raise refuse("h", h, allowed)
    return sizes


class StepTimes:
    """Times and sizes of the steps of a run; step k goes from level k to level k + 1.

    Level 0 is at the time `t0` [s]. The first steps have the `sizes` [s], one or (n,), all others the last of
    them. `before` [s] is the size of the step that led to level 0, 0 if there was none. Steps of one size are
    counted from where it begins.
    """

    def __init__(self, t0: float, sizes: ArrayLike, before: float = 0.0) -> None:
        self.before, h = before, np.atleast_1d(np.asarray(sizes, float))
        self._level, self._t, self._h = [0], [t0], [float(h[0])]  # where sizes begin
        for step in (np.flatnonzero(np.diff(h)) + 1).tolist():
            self.change(step, float(h[step]))

    def change(self, step: int, h: float) -> None:
        """All steps from `step` on are of `h` [s]."""
        t, known = self.t(step), bisect_left(self._level, step)
        for part in (self._level, self._t, self._h):
            del part[known:]
        if not known or h != self._h[-1]:
            self._level.append(step)
            self._t.append(t)
            self._h.append(h)

    def take(self, step: int, h: float, following: float) -> bool:
        """Give a step the size `h` and others after it `following` [s]; True if that is new."""
        if h == self.size(step) and following == self.size(step + 1):
            return False
        self.change(step, h)
        self.change(step + 1, following)
        return True

    def t(self, level: int) -> float:
        """Time [s] of a level."""
        g = self._group(level)
        return time_after(self._t[g], self._h[g], level - self._level[g])

    def size(self, step: int) -> float:
        """Size [s] of a step."""
        return self._h[self._group(step)]

    @property
    def least(self) -> float:
        """Smallest size [s] of a step."""
        return min(self._h)

    @property
    def most(self) -> float:
        """Largest size [s] of a step."""
        return max(self._h)

    def size_before(self, level: int) -> float:
        """Size [s] of the step before a level; 0 at the start of a run without one."""
        return self.size(level - 1) if level > 0 else self.before

    def levels(self, first: int, last: int) -> tuple[Floats, Floats]:
        """Times (n + 1,) of the levels `first` to `last`, and sizes (n,) of the steps between [s]."""
        t, h = np.empty(last - first + 1), np.empty(last - first)
        g, low = self._group(first), first
        while True:
            ends = g + 1 == len(self._level) or self._level[g + 1] >= last
            high = last if ends else self._level[g + 1]
            steps = np.arange(low, high + 1) - self._level[g]
            t[low - first : high - first + 1] = time_after(self._t[g], self._h[g], steps)  # type: ignore[arg-type]
            h[low - first : high - first] = self._h[g]
            if ends:
                return t, h
            g, low = g + 1, high

    def first_at(self, t: float) -> int:
        """The first level at or after `t` [s], before the start, too."""
        g = max(bisect_right(self._t, t) - 1, 0)
        h = self._h[g]
        level = self._level[g] + math.ceil((t - self._t[g]) / h * (1.0 - 1e-12) - LEAST)
        return min(level, self._level[g + 1]) if g + 1 < len(self._level) else level

    def nearest(self, t: float) -> int:
        """The level that is nearest to `t` [s]."""
        g = max(bisect_right(self._t, t) - 1, 0)
        return self._level[g] + round((t - self._t[g]) / self._h[g])

    def _group(self, step: int) -> int:
        return bisect_right(self._level, step) - 1


class Steps(NamedTuple):
    """The steps `first` to `last` - 1, between levels.

    Every `every`-th state is recorded, and that of step `final` - 1.
    """

    level: Floats  # (n + 1,) times [s] of the levels from `first` on
    size: Floats  # (n,) [s] of the steps from `first` on
    first: int
    last: int
    final: int
    every: int

    def t(self, level: int) -> float:
        """Time [s] at the start of a step, or the end of the last."""
        return float(self.level[level - self.first])

    def h(self, step: int) -> float:
        """Size [s] of a step; that of the last one for the next."""
        return float(self.size[min(step - self.first, len(self.size) - 1)])

    def records(self, step: int) -> bool:
        """True if the state at the end of a `step` is recorded."""
        return (step + 1) % self.every == 0 or step + 1 == self.final
