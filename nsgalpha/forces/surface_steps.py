"""Contacts of primitives in the compiled loop of explicit steps.

    begin_surfaces      the end of the last step is the start of this one
    evaluate_surfaces   wrenches on the bodies at the end of a step
    commit_surfaces     tangents and histories of the last evaluation are kept

A kernel knows an element by the address of its arrays, so that it is compiled once for any number of them.
Candidates and a larger workspace are made in Python (surface_contacts.py), which begins the first step, too.
"""

from __future__ import annotations

from typing import NamedTuple

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.forces.attachments import add_slots
from nsgalpha.forces.contact_group import remember
from nsgalpha.forces.surface_pass import evaluate, push_cell
from nsgalpha.forces.surface_workspace import Pairs, StepEnds, Table, Workspace
from nsgalpha.jit.addresses import handle_at
from nsgalpha.jit.decorators import kernel

INCOMPLETE = -1  # candidates or a workspace have to be made


class SurfaceStep(NamedTuple):
    """One element."""

    table: Table
    pairs: Pairs
    workspace: Workspace
    ends: StepEnds
    turned: StepEnds  # the same ends, the last one first
    tangent: Floats  # (C, 3)
    history: Floats  # (C, k)
    opened: Floats  # (k,)
    turn: Ints  # (1,) whether `turned` are those of the present step
    found: Ints  # (1,) contacts of the last evaluation, or why it was not complete


class Surfaces(NamedTuple):
    """All elements of primitives of a run."""

    like: SurfaceStep  # one of them
    addresses: Ints  # (G,)
    wrench: Floats  # (B, 6) of all of them
    turns: Flags  # (N,) bodies, not points
    still: Flags  # (N,) fixed and absent bodies


@kernel
def begin_surfaces(surfaces):
    """The end of the last step is the start of the next one."""
    if surfaces is None:
        return
    for address in surfaces.addresses:
        element = handle_at(surfaces.like, address)
        element.turn[0] = 1 - element.turn[0]


@kernel
def evaluate_surfaces(surfaces, moving, h, wrench):
    """Add the wrenches of all `surfaces` after a step of `h` [s] to `wrench` (B, 6).

    Returns the number of contacts, or INCOMPLETE.
    """
    if surfaces is None:
        return 0
    motion, total, closed = moving.motion, surfaces.wrench, 0
    for b in range(total.shape[0]):
        for i in range(6):
            total[b, i] = 0.0
    for address in surfaces.addresses:
        element = handle_at(surfaces.like, address)
        ends = element.turned if element.turn[0] == 1 else element.ends
        state = motion.x, motion.q, motion.v, motion.w, moving.increment
        memory, workspace = (element.tangent, element.history), element.workspace
        n = evaluate(element.table, element.pairs, workspace, ends, state, memory, h, (False, False))
        element.found[0] = n
        if n < 0 or n > workspace.E.shape[0]:
            return INCOMPLETE
        add_slots(workspace.given.slots[:n], workspace.wrench[:n], total)
        push_cell(element.table, element.pairs, workspace, n, wrench)
        closed += n
    for b in range(surfaces.turns.shape[0]):
        for i in range(6):
            if surfaces.still[b] or (i > 2 and not surfaces.turns[b]):
                total[b, i] = 0.0
            wrench[b, i] += total[b, i]
    return closed


@kernel
def commit_surfaces(surfaces):
    """Keep tangents and histories of the last evaluation."""
    if surfaces is None:
        return
    for address in surfaces.addresses:
        element = handle_at(surfaces.like, address)
        workspace, kept = element.workspace, (element.tangent, element.history, element.opened)
        new = workspace.E[:, 1], workspace.response.history
        remember(element.pairs.active, element.found[0], new, kept)
