"""Narrow phase: gaps, normals and levers of the candidates at a pose."""

import math

from nsgalpha.arrays import TORQUE, Scene, Section
from nsgalpha.geometry.geometry_signature import GEOMETRY
from nsgalpha.jit.addresses import caller
from nsgalpha.jit.decorators import kernel

call_geometry = caller(GEOMETRY)

TOUCH = 1e-10  # a gap below this part of the length of the contact is closed,
ROUNDING = 1e-15  # and below this of the coordinates it is computed from, its rounding error
ROUNDED_ANGLE = 2e-15  # rounding error of an angle [rad]
NEAR = 1e-2  # gap over the length of the contact from which on its rounding error is not asked for


@kernel
def measure(elements, motion, candidates):
    """Let every element kind measure its candidates: gap, normal, levers at the pose `motion`."""
    start, x, none = elements.start, motion.x, motion.x[:0]
    section = Section(none, none, none, none)
    for k in range(start.shape[0] - 1):
        if start[k + 1] > start[k]:
            options, cell = elements.options[k], elements.cell
            scene = Scene(elements.shapes, elements.planes, options, x, motion.q, cell)
            call_geometry(elements.geometry[k], (start[k], start[k + 1], candidates, section, scene))
    open_idle(elements.selection, candidates)
    note_rounding(motion.x, candidates)


@kernel
def open_idle(selection, candidates):
    """Give slots without a contact an infinite gap; see stepping/contact_slots.py."""
    if selection is None:
        return
    for c in range(candidates.gap.shape[0]):
        if candidates.feature[c] < 0 and candidates.gap[c] != math.inf:
            candidates.gap[c] = math.inf
            for i in range(3):
                candidates.normal[c, i] = 1.0 if i == 0 else 0.0
                candidates.lever[c, 0, i] = candidates.lever[c, 1, i] = 0.0


@kernel
def note_rounding(x, candidates):
    """Note the rounding errors of gaps of possibly closed contacts, at `x` (B, 3)."""
    for c in range(candidates.gap.shape[0]):
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
