"""Contacts that fly in a step to its first impact, for the compiled loop.

A contact is held if it touches and does not open. All others fly: they pass through each other in the step,
and `first_hits` asks at its end which of them have met. Contacts that are held may stop sliding in it.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.contact.impacts.impact_times import Flight, first_hits, near_rates
from nsgalpha.contact.rows.sliding_rates import stops_sliding
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
    lever: float  # [m] of rotations


def located(count: int, motion: Motion, lever: float) -> Located:
    """Arrays for so many candidates and steps from `motion` on."""
    flags, gap, rate, fraction = np.zeros((2, count), np.bool_), *np.zeros((3, count))
    way = np.empty(len(motion.x))
    flight = Flight(flags[0], flags[1], gap, rate, motion, way)
    return named(Located(flight, fraction, lever))


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
def ends_sliding(located, constants, t, h, now):
    """True if a contact stops sliding in the step of `h` from `t` [s] to `now.new`."""
    old, flying, lever = located.flight.motion, located.flight.flying, located.lever
    least = STOPPED * max(SLOW, largest(old.v.reshape(-1)), lever * largest(old.w.reshape(-1)))
    laws, joints, c = constants.laws, constants.bodies.joints, now.candidates
    return stops_sliding(c, laws, joints, flying, lever, least, (t, old), (t + h, now.new))
