"""Contacts that fly in a step to its first impact, for the compiled loop.

A contact is held if it touches and does not open. All others fly: they pass through each other in the step,
and `first_hits` asks at its end which of them have met. Contacts that are held may stop sliding in it.
Contacts of a crowd do not fly: they are as in fixed steps (crowds.py).
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.contact.impacts.crowds import find_crowds, is_near
from nsgalpha.contact.impacts.impact_times import Flight, first_hits, near_rate, opening_rate
from nsgalpha.contact.rows.sliding_rates import stops_sliding
from nsgalpha.geometry.narrow_phase import measure, touches
from nsgalpha.jit.addresses import named
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.linalg.vectors import fill, largest
from nsgalpha.stepping.contact_slots import CHANGED, arrange
from nsgalpha.stepping.poses import mark_touching
from nsgalpha.stepping.record_kernels import FAST, LOCATED, MISSED, SUB_IMPACTS

OPENING = 1e-9  # rate over the largest velocity, from which on a contact that touches flies
STOPPED = 1e-8  # rate over the largest velocity, up to which a contact sticks
SLOW = 1e-3  # [m/s] least of these velocities


class Located(NamedTuple):
    """The contacts of steps that end at impacts."""

    flight: Flight  # where the step begins
    fraction: Floats  # (C,) see first_hits
    lever: float  # [m] of rotations
    crowd: int  # contacts of an island, above which its impacts are at ends of steps
    passages: bool  # whether all bodies are spheres, which meet however far they move


def located(count: int, motion: Motion, lever: float, crowd: int, passages: bool) -> Located:
    """Arrays for so many candidates and steps from `motion` on."""
    flags, gap, rate, fraction = np.zeros((3, count), np.bool_), *np.zeros((3, count))
    feature, way = np.zeros(count, np.int64), np.empty(len(motion.x))
    flight = Flight(flags[0], flags[1], flags[2], feature, gap, rate, motion, way)
    return named(Located(flight, fraction, lever, crowd, passages))


@inlined
def fastest_opening(motion):
    """The rate [m/s] up to which a contact that touches is held."""
    return OPENING * max(SLOW, largest(motion.v.reshape(-1)))


@kernel
def look(candidates, bodies, past, located, h):
    """Tell which contacts fly in the next step, of `h` [s].

    All are measured at its start, `located.flight.motion`.
    """
    flight, near = located.flight, 0
    fill(past.flying, False)
    mark_touching(candidates, past)
    opening = fastest_opening(flight.motion)
    for c in range(flight.flying.shape[0]):
        touched = past.touched[c]
        flight.feature[c], flight.gap[c] = candidates.feature[c], candidates.gap[c]
        flight.rate[c] = near_rate(candidates, flight, touched, c)
        opens = flight.rate[c] > opening
        flight.flying[c] = opens or not touched
        flight.rebounding[c] = opens and touched
        flight.crowded[c] = False
        near += is_near(candidates, flight, past.touched, h, c)
    if near > located.crowd:
        find_crowds(candidates, bodies, flight, past.touched, located.crowd, h, near)


@inlined
def look_again(elements, constants, located, now, h):
    """`look` once the features at the start of the next step, of `h` [s], are selected."""
    if elements.selection is None:
        return
    if arrange(elements.selection, elements, now.old, now.candidates, now.past) == CHANGED:
        measure(elements, now.old, now.candidates)
        look(now.candidates, constants.bodies, now.past, located, h)


@kernel
def let_fly(flight, past):
    """Let the contacts of the `flight` pass through each other, see `Memory.fly`."""
    for c in range(flight.flying.shape[0]):
        past.flying[c] = flight.flying[c]
        past.touched[c] = past.touched[c] and not flight.flying[c]


@kernel
def meet(located, constants, h, now):
    """True if flying contacts meet, or others run off, in the step of `h` to `now.new`.

    The candidates are measured there.
    """
    candidates, flight = now.candidates, located.flight
    if run_off(candidates, flight, now.new, now.past.wrench):
        return True
    return first_hits(candidates, constants.bodies, flight, now.new, h, located.fraction) >= 0


@inlined
def _are_of_one_pair(candidates, c, d):
    same = candidates.a[c] == candidates.a[d] and candidates.b[c] == candidates.b[d]
    return same and candidates.plane[c] == candidates.plane[d]


@kernel
def _holds(candidates, flying, motion, opening, c):
    """True if the pair of `c` touches, and opens at no more than `opening` [m/s]."""
    first, last = c, c
    while first > 0 and _are_of_one_pair(candidates, c, first - 1):
        first -= 1
    while last < candidates.a.shape[0] and _are_of_one_pair(candidates, c, last):
        last += 1
    for d in range(first, last):
        if touches(candidates, flying, d) and opening_rate(candidates, motion, d) <= opening:
            return True
    return False


@kernel
def run_off(candidates, flight, motion, wrench):
    """True if bodies that pushed each other part because features end.

    A box runs off a ledge. `candidates` and `motion` are those at the end of a step, the forces `wrench`
    (C, 6) those at its start.
    """
    opening = fastest_opening(motion)
    for c in range(wrench.shape[0]):
        if flight.flying[c] or flight.feature[c] < 0 or candidates.feature[c] >= 0:
            continue
        if (wrench[c] != 0.0).any() and not _holds(candidates, flight.flying, motion, opening, c):
            return True
    return False


@kernel
def ends_sliding(located, constants, t, h, now):
    """True if a contact stops sliding in the step of `h` from `t` [s] to `now.new`."""
    old, lever = located.flight.motion, located.lever
    least = STOPPED * max(SLOW, largest(old.v.reshape(-1)), lever * largest(old.w.reshape(-1)))
    laws, joints, c = constants.laws, constants.bodies.joints, now.candidates
    return stops_sliding(c, laws, joints, located.flight, lever, least, (t, old), (t + h, now.new))


@kernel
def note_crowds(located, row):
    """Note impacts and fast bodies of a crowd in the statistics `row` of a step."""
    crowds = located.flight.crowded.any()
    if crowds and row[SUB_IMPACTS] > 0.0:
        row[LOCATED] = MISSED
    if located.passages and not crowds:
        row[FAST] = 0.0
