"""The first time in a step at which a contact sticks or turns back.

Friction is smooth until then. Rates of sliding at the ends of shorter steps are extrapolated to zero, until
that time does not change. They are those in the direction of sliding where the step begins.
"""

from collections.abc import Callable

import numpy as np

from nsgalpha.arrays import Flags, Floats

MOST_TRIALS = 30
NEAR = 1e-8  # of a step: change of the time which ends the search
EARLY = 1e-3  # of a step: a jump before that is noise
SHORT = 0.99  # part of the way to the extrapolated time, at which rates are found again


def first_stop(
    sliding: Callable[[float], Floats | None], before: Floats, stops: Flags, s: float, least: float
) -> float:
    """Size [s], of at least `least`, of the step that ends there; `s` where it is not found.

    sliding: rates (C, 3) [m/s] after steps of a size [s], or None. Those in `stops` (C, 3) are not positive
    after a step of `s`. They are `before` (C, 3) where it begins. A contact that stops at once is left out,
    as noise of the last solution.
    """
    low, high, at, stop = 0.0, s, NEAR * s, np.inf
    for trial in range(MOST_TRIALS):
        after = sliding(at) if at > least else None
        if after is None:
            return s
        if trial == 0:
            stops = stops & (after > 0.0)
            if not stops.any():
                return s
        if (after[stops] <= 0.0).any():
            high, at = at, 0.5 * (low + at)
        else:
            falls = stops & (after < before)
            rest = after[falls] / (before[falls] - after[falls])
            known, stop = stop, at + (at - low) * float(rest.min(initial=np.inf))
            low, before = at, after
            if stop < high and abs(stop - known) <= NEAR * s:
                return stop
            at = low + SHORT * (stop - low) if stop < high else 0.5 * (low + high)
        if high - low <= NEAR * s:  # a jump
            return low if low > EARLY * s else s
    return s
