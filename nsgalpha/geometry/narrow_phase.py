"""Narrow phase: gaps, normals and levers of the candidates at a pose."""

import math

from nsgalpha.arrays import TORQUE, Scene, Section
from nsgalpha.geometry.geometry_signature import GEOMETRY
from nsgalpha.jit.addresses import caller
from nsgalpha.jit.decorators import kernel
from nsgalpha.jit.work_sharing import share

call_geometry = caller(GEOMETRY)

TOUCH = 1e-10  # a gap below this part of the length of the contact is closed,
ROUNDING = 1e-15  # and below this of the coordinates it is computed from, its rounding error
ROUNDED_ANGLE = 2e-15  # rounding error of an angle [rad]
PART = 256  # candidates of a part that one of several threads takes
NEAR = 1e-2  # gap over the length of the contact from which on its rounding error is not asked for


@kernel
def measure(elements, motion, candidates):
    """Let every element kind measure its candidates: gap, normal, levers at the pose `motion`."""
    _measure(elements.board, elements, motion, candidates)


@kernel
def _measure(board, elements, motion, candidates):
    """`measure`, by the threads of the `board`; None: by the caller."""
    if board is None:
        measure_between(elements, motion, candidates, 0, candidates.gap.shape[0])
        return
    share(board, parts_of(candidates), _measure_part, (elements, motion, candidates))


@kernel
def _measure_part(k, given):
    """Measure the candidates of part `k`."""
    elements, motion, candidates = given
    first, last = part_begin(candidates, k), part_begin(candidates, k + 1)
    measure_between(elements, motion, candidates, first, last)


@kernel
def parts_of(candidates):
    """Number of the parts of `candidates` that threads take."""
    return (candidates.gap.shape[0] + PART - 1) // PART


@kernel
def part_begin(candidates, k):
    """First candidate of part `k`: no pair is in two parts."""
    c, count = k * PART, candidates.gap.shape[0]
    while 0 < c < count and candidates.a[c] == candidates.a[c - 1] and candidates.b[c] == candidates.b[c - 1]:
        c += 1
    return min(c, count)


@kernel
def measure_between(elements, motion, candidates, first, last):
    """`measure` the candidates from `first` to before `last`."""
    start, x, none = elements.start, motion.x, motion.x[:0]
    section = Section(none, none, none, none)
    for k in range(start.shape[0] - 1):
        begin, end = max(start[k], first), min(start[k + 1], last)
        if end > begin:
            options, cell = elements.options[k], elements.cell
            scene = Scene(elements.shapes, elements.planes, options, x, motion.q, cell)
            call_geometry(elements.geometry[k], (begin, end, candidates, section, scene))
    open_idle(elements.selection, candidates, first, last)
    note_rounding(motion.x, candidates, first, last)


@kernel
def open_idle(selection, candidates, first, last):
    """Give slots without a contact an infinite gap; see stepping/contact_slots.py."""
    if selection is None:
        return
    for c in range(first, last):
        if candidates.feature[c] < 0 and candidates.gap[c] != math.inf:
            candidates.gap[c] = math.inf
            for i in range(3):
                candidates.normal[c, i] = 1.0 if i == 0 else 0.0
                candidates.lever[c, 0, i] = candidates.lever[c, 1, i] = 0.0


@kernel
def note_rounding(x, candidates, first, last):
    """Note the rounding errors of gaps of possibly closed contacts, at `x` (B, 3)."""
    for c in range(first, last):
        candidates.rounding[c] = 0.0
        if candidates.plane[c] == TORQUE:
            candidates.rounding[c] = ROUNDED_ANGLE
        elif candidates.gap[c] <= NEAR * candidates.length[c]:
            size, a, b, lever = 0.0, candidates.a[c], candidates.b[c], candidates.lever[c]
            for i in range(3):
                size += abs(x[a, i]) + abs(x[b, i]) + abs(lever[0, i]) + abs(lever[1, i])
            candidates.rounding[c] = ROUNDING * size


@kernel
def measure_all(geometry, candidates, section, scene):
    """Let the `geometry`, an address, measure all `candidates`."""
    call_geometry(geometry, (0, candidates.a.shape[0], candidates, section, scene))


@kernel
def touches(candidates, flying, c):
    """True if candidate `c` overlaps or touches to rounding, unless it is `flying` (C,)."""
    return not flying[c] and candidates.gap[c] <= max(TOUCH * candidates.length[c], candidates.rounding[c])
