"""The times of the steps, and the steps and states that are taken and recorded."""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.jit.decorators import kernel

EXACT = 2.0**52  # steps that are counted exactly


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


def times_after(t0: float, h: float, first: int, last: int) -> Floats:
    """Times (last - first + 1,) [s] after `first` to `last` steps, the same to the bit."""
    times: Floats = time_after(t0, h, np.arange(first, last + 1))  # type: ignore[arg-type, assignment]
    return times


find_time = kernel(time_after)  # for kernels


class Steps(NamedTuple):
    """The steps `first` to `last` - 1 of size `h` [s] from the time `t0` [s] of step 0 on.

    Every `every`-th state is recorded, and that of step `final` - 1.
    """

    t0: float
    h: float
    first: int
    last: int
    final: int
    every: int

    def t(self, step: int) -> float:
        """Time [s] at the start of a `step`."""
        return time_after(self.t0, self.h, step)

    def records(self, step: int) -> bool:
        """True if the state at the end of a `step` is recorded."""
        return (step + 1) % self.every == 0 or step + 1 == self.final
