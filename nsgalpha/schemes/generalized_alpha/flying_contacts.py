"""Contacts that fly in a step to its first impact, for the compiled loop.

A contact is held if it touches and does not open. All others fly: they pass through each other in the step,
and `first_hits` asks at its end which of them have met. Contacts that are held may stop sliding in it.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.contact.impacts.impact_times import Flight, first_hits, near_rates
from nsgalpha.contact.rows.sliding_rates import all_sliding_velocities, may_slide, sliding_velocities
from nsgalpha.geometry.vector_triples import dot, row
from nsgalpha.jit.addresses import named
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import copy_into, fill, largest
from nsgalpha.stepping.poses import mark_touching

OPENING = 1e-9  # rate over the largest velocity, from which on a contact that touches flies
STOPPED = 1e-8  # rate over the largest velocity, up to which a contact sticks
SLOW = 1e-3  # [m/s] least of these velocities


class Located(NamedTuple):
    """The contacts of steps that end at impacts."""

    flight: Flight  # where the step begins
    fraction: Floats  # (C,) see first_hits
    sliding: Floats  # (C, 3, 3) [m/s] see all_sliding_velocities, where the step begins
    least: Floats  # (1,) [m/s] of these
    lever: float  # [m] of rotations


def located(count: int, motion: Motion, lever: float) -> Located:
    """Arrays for so many candidates and steps from `motion` on."""
    flags, gap, rate, fraction = np.zeros((2, count), np.bool_), *np.zeros((3, count))
    way = np.empty(len(motion.x))
    flight = Flight(flags[0], flags[1], gap, rate, motion, way)
    return named(Located(flight, fraction, np.zeros((count, 3, 3)), np.zeros(1), lever))


@kernel
def look(candidates, past, located):
    """Tell which contacts fly in the next step; all are measured at its start, `located.flight.motion`."""
    flight = located.flight
    fill(past.flying, False)
    mark_touching(candidates, past)
    copy_into(flight.gap, candidates.gap)
    near_rates(candidates, flight, past.touched)
    opening = OPENING * max(SLOW, largest(flight.motion.v.reshape(-1)))
    for c in range(flight.flying.shape[0]):
        opens = flight.rate[c] > opening
        flight.flying[c] = opens or not past.touched[c]
        flight.rebounding[c] = opens and past.touched[c]


@kernel
def look_at_sliding(candidates, laws, joints, t, located):
    """Velocities of sliding at the start of the next step, at `t` [s]."""
    motion, lever = located.flight.motion, located.lever
    speed = max(largest(motion.v.reshape(-1)), lever * largest(motion.w.reshape(-1)))
    least = STOPPED * max(SLOW, speed)
    located.least[0] = least
    flying, sliding = located.flight.flying, located.sliding
    all_sliding_velocities(candidates, laws, joints, t, motion, flying, lever, least, sliding)


@kernel
def let_fly(flight, past):
    """Let the contacts of the `flight` pass through each other, see `Memory.fly`."""
    for c in range(flight.flying.shape[0]):
        past.flying[c] = flight.flying[c]
        past.touched[c] = past.touched[c] and not flight.flying[c]


@kernel
def meet(located, constants, h, now):
    """True if flying contacts meet in the step of `h` to `now.new`, where the candidates are measured."""
    return first_hits(now.candidates, constants.bodies, located.flight, now.new, h, located.fraction) >= 0


@kernel
def stops_sliding(located, constants, t, now):
    """True if a contact that slides sticks or turns back in the step.

    `now.new` is the motion at its end, at `t` [s].
    """
    candidates, flying, least = now.candidates, located.flight.flying, located.least[0]
    laws, joints, lever = constants.laws, constants.bodies.joints, located.lever
    for c in range(flying.shape[0]):
        if not may_slide(candidates, flying, c) or largest(located.sliding[c].reshape(-1)) == 0.0:
            continue
        after = sliding_velocities(candidates, laws, joints, t, now.new, lever, c)
        for j in range(3):
            before = row(located.sliding[c], j)
            along = dot(before, after[j])
            sticks = along <= 0.0 or dot(after[j], after[j]) <= least * least
            if sticks and dot(before, before) > 0.0:
                return True
    return False
