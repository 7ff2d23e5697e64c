"""Position and velocity correction driven from Python: as in integrator.py, for islands of any size.

Small islands are solved by the kernels; what they leave goes to contact/strategy.py, sparse, and starts
from the multipliers of the last step.
"""

from __future__ import annotations

from collections.abc import Callable

from nsgalpha.arrays import Floats, Ints
from nsgalpha.large.impacts import correct_velocity
from nsgalpha.large.positions import correct_position
from nsgalpha.large.present import Present
from nsgalpha.stepping.islands import closed_rows
from nsgalpha.stepping.kinematics import Rows
from nsgalpha.stepping.motion import finite, penetration, reached, too_fast
from nsgalpha.stepping.outcome import NOT_FINITE, OUT_OF_REACH, POSITION, SOLVED, VELOCITY
from nsgalpha.stepping.record import CONTACTS, FAST, PENETRATION, POSITION_ITERATIONS, count_closed
from nsgalpha.stepping.velocity import Impulses, no_impulses


def correct(now: Present, h: float, stats: Floats) -> tuple[int, int, Rows, Impulses]:
    """Position and velocity correction of the smooth motion in `now.new` over a step of `h` [s].

    Fills `stats` (a row of STATISTICS); returns like `in_turn`.
    """
    return in_turn(
        now,
        stats,
        lambda: correct_position(now, h, stats),
        lambda rows, impulses: correct_velocity(now, h, rows, impulses, stats),
    )


def in_turn(
    now: Present,
    stats: Floats,
    position: Callable[[], tuple[Ints, int, bool]],
    velocity: Callable[[Rows, Impulses], tuple[int, bool]],
) -> tuple[int, int, Rows, Impulses]:
    """Both corrections of the smooth motion in `now.new`, one after the other.

    position: returns (closed contacts, worst candidate, solved). velocity: fills the impulses (R,) of the
    rows of these contacts, returns (worst candidate, solved).

    Returns (outcome, worst candidate, rows, impulses).
    """
    system, new = now.system, now.new
    far = reached(new.x, now.anchor, now.reach)
    stats[FAST] = too_fast(now.candidates, system.bodies, now.old, new)
    closed, worst, solved = position()
    stats[POSITION_ITERATIONS] = max(stats[POSITION_ITERATIONS], 1)
    rows = closed_rows(closed, now.candidates, system.laws, system.bodies, system.work)
    impulses = no_impulses(len(rows.G))
    if far or reached(new.x, now.anchor, now.reach):
        return OUT_OF_REACH, -1, rows, impulses
    if not solved:
        return POSITION, worst, rows, impulses
    stats[PENETRATION] = penetration(now.candidates)
    worst, solved = velocity(rows, impulses)
    if not solved:
        return VELOCITY, worst, rows, impulses
    stats[CONTACTS] = count_closed(now.candidates, rows, impulses)
    return (SOLVED if finite(new) else NOT_FINITE), -1, rows, impulses
