"""Which steps are taken, and which states are recorded."""

from typing import NamedTuple


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
        return self.t0 + step * self.h

    def records(self, step: int) -> bool:
        """True if the state at the end of a `step` is recorded."""
        return (step + 1) % self.every == 0 or step + 1 == self.final
