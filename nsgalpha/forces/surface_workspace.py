"""Workspace of the kernels of surface_pass.py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import (
    Candidates,
    Floats,
    Ints,
    Planes,
    Section,
    ShapeTable,
    Solids,
    no_candidates,
    no_meshes,
    no_solids,
)
from nsgalpha.forces.law_parts import LawWorkspace, Parts, no_law_workspace
from nsgalpha.forces.shape_arrays import Side
from nsgalpha.model.compliant_law import SENSES, Response, no_response
from nsgalpha.system.primitive_measures import Measured, measured_section


class Table(NamedTuple):
    """One element of primitives."""

    A: Side
    B: Side
    solids: Solids
    owner: Ints  # (P,) of the points
    places: Floats  # (P, 3) in the frames of their owners
    parts: Parts  # none of a law in Python
    inverse_mass: Floats  # (B,)
    geometry: int  # address; 0: patches, measured by patch_contacts.py
    options: Floats  # (k,)
    nodal: int  # forces on deforming sides: FORCE, TORQUE, PATCH or THIRDS of attachments.py
    reach: float  # [m] gap from which on its law has no force
    on: Floats  # (2,) parts of the forces that A and B feel
    bodies: int  # number of them: frames behind them do not move
    pieces: int  # above all numbers of pieces of the sides
    planes: Planes  # none, as primitives have corners
    q: Floats  # (0, 4): nor do they turn


class StepEnd(NamedTuple):
    """One end of a step: P points, and C candidates as they are measured there."""

    points: Floats  # (P, 3)
    x: Floats  # (B, 3) of bodies and frames
    gap: Floats  # (C,)
    normal: Floats  # (C, 3)
    lever: Floats  # (C, 2, 3)
    length: Floats  # (C,)
    section: Section


class StepEnds(NamedTuple):
    """Both ends of a step."""

    start: StepEnd
    end: StepEnd


class Pairs(NamedTuple):
    """C candidates, and the primitives of both sides in one table, those of A first."""

    a: Ints  # (C,) primitives of A
    b: Ints  # (C,) of B
    other: Ints  # (C,) of B in the table
    plane: Ints  # (C,) -1
    feature: Ints  # (C,)
    active: Ints  # (C,) numbers of those that are contacts, first
    anchor: Floats  # (P, 3) points when they were found
    limit: float  # [m^2] square of the way of a point from which on there may be others
    x: Floats  # (K, 3) centres of spheres
    shapes: ShapeTable
    way: Floats  # (C, 3) from B to its nearest image [m]; (0, 3) without a cell
    images: Images


class Images(NamedTuple):
    """Images of side B in a cell that moves; empty arrays in others."""

    periods: Floats  # (C, 3) of the ways to the nearest images
    vectors: Floats  # (3, 3) ways to the next images when the candidates were found [m]
    most: Floats  # (3,) most periods of a candidate, at least 1
    slack: float  # [m] that images may move until there may be other candidates


class ContactWorkspace(NamedTuple):
    """Workspace for C contacts during an evaluation."""

    a: Ints  # (C,) primitives of A
    b: Ints  # (C,) of B
    part: Ints  # (C,) which contact of the pair
    slots: Ints  # (C, S) bodies or frames
    n0: Floats  # (C, 3) normals at the start of the step
    known: Floats  # (C, 3) t1 there, 0 for a new contact
    history: Floats  # (C, k)
    velocity: Floats  # (C, S, 6) of the slots
    B0: Floats  # (C, S, 6, 6) at the start of the step


class ContactPlaces(NamedTuple):
    """Places of C contacts: corners of both sides, slots, and their displacements in the step."""

    XA: Floats  # (C, N_A, 3)
    XB: Floats  # (C, N_B, 3)
    centre: Floats  # (C, S, 3)
    moved: Floats  # (C, S, 6)


class LawInputs(NamedTuple):
    """The arrays of `Contact` in their order, without the step. Some are arrays of other tuples, too."""

    overlap: Floats  # of `Measured`
    rate: Floats  # (C, 6)
    increment: Floats  # (C, 6)
    normal: Floats  # zero
    history: Floats  # of `ContactWorkspace`
    radius: Floats  # of `Measured`
    mass: Floats
    branch: Floats
    pair: Ints
    radius_a: Floats
    whole: Floats  # one
    area: Floats
    a: Ints
    b: Ints
    crossing: Floats
    mean_square: Floats  # of `Measured`


class Workspace(NamedTuple):
    """Workspace for C contacts: inputs and outputs of a pass."""

    given: ContactWorkspace
    sides: Ints  # (C, 4) see attachments.slot_rows
    place: ContactPlaces
    measured: Measured
    seen: LawInputs
    E: Floats  # (C, 3, 3)
    B: Floats  # (C, S, 6, 6)
    response: Response
    wrench: Floats  # (C, S, 6)
    law: LawWorkspace
    own: Pairs  # the contacts as candidates with their own corners: 2 C primitives, those of A first
    at: StepEnd  # where these are, and as they are measured there


def no_workspace(count: int, table: Table, history: int) -> Workspace:
    """Workspace for `count` contacts of an element with `history` history variables."""
    N_A, N_B = table.A.corners.shape[1], table.B.corners.shape[1]
    S = table.A.slots.shape[1] + table.B.slots.shape[1]

    def f(*shape: int) -> Floats:
        return np.zeros((count, *shape))

    def i(*shape: int) -> Ints:
        return np.zeros((count, *shape), np.int64)

    at, number = no_step_end(count, count * (N_A + N_B), 0, table), np.arange(2 * count)
    XA, XB = (part.reshape(count, -1, 3) for part in np.split(at.points, [count * N_A]))
    given = ContactWorkspace(i(), i(), i(), i(S), f(3), f(3), f(history), f(S, 6), f(S, 6, 6))
    measured = Measured(f(), f(3), f(3), f(N_A), f(N_B), f(), f(), f(), f(), np.zeros(count, bool), f())
    moved = measured.overlap, f(6), f(6), f(), given.history, measured.effective_radius
    seen = LawInputs(*moved, f(), f(), i(), f(), np.ones(count), f(), i(), i(), f(), measured.mean_square)
    pass_ = f(3, 3), f(S, 6, 6), no_response(count, SENSES, history), f(S, 6)
    places = ContactPlaces(XA, XB, f(S, 3), f(S, 6))
    corners, radius = np.full((2 * count, max(N_A, N_B)), -1), np.zeros(2 * count)
    none = np.full(2 * count, -1), no_solids(), no_meshes()
    shapes = ShapeTable(radius, number, at.points, corners, radius, *none)
    a = number[:count]
    own_ones = no_candidates()._replace(a=a, b=a, feature=given.part)
    own = pairs_of(own_ones, at.points[:0], 0.0, shapes, count, no_images())
    law = no_law_workspace(count, history)
    return Workspace(given, i(4), places, measured, seen, *pass_, law, own, at)


def no_step_end(candidates: int, points: int, frames: int, table: Table) -> StepEnd:
    """An end of a step at which nothing has been measured."""
    N_A, N_B = table.A.corners.shape[1], table.B.corners.shape[1]
    nowhere, C = np.full((points, 3), np.nan), candidates
    section = Section(np.zeros((C, 3)), np.zeros((C, N_A)), np.zeros((C, N_B)), np.zeros((6, C)))
    x = np.zeros((frames, 3))
    return StepEnd(nowhere, x, np.zeros(C), np.zeros((C, 3)), np.zeros((C, 2, 3)), np.zeros(C), section)


def images_of(periods: Floats, vectors: Floats, slack: float) -> Images:
    """Images of candidates so many `periods` (C, 3) away, see `Images`."""
    return Images(periods, vectors.copy(), np.abs(periods).max(axis=0, initial=1.0), slack)


def no_images() -> Images:
    """Images of a fixed cell."""
    return images_of(np.empty((0, 3)), np.empty((0, 3)), 0.0)


def pairs_of(
    c: Candidates, anchor: Floats, limit: float, shapes: ShapeTable, first: int, images: Images
) -> Pairs:
    """The candidates `c` at the points `anchor` (P, 3); `first` primitive of B among the `shapes`.

    Their images are the ways to those of side B, if there are any; in a cell that moves the periods.
    """
    active, x = np.zeros_like(c.a), np.zeros((len(shapes.radius), 3))
    return Pairs(
        c.a,
        c.b,
        c.b + first,
        np.full_like(c.a, -1),
        c.feature,
        active,
        anchor,
        limit,
        x,
        shapes,
        c.image.copy(),
        images,
    )


def measured_at(end: StepEnd) -> Measured:
    """All candidates as they are measured at an end of a step."""
    return measured_section(end.gap, end.normal, end.section)


def first_contacts(workspace: Workspace, count: int) -> Workspace:
    """The first `count` contacts of a workspace."""

    def first(part: Any) -> Any:
        return part[:count] if isinstance(part, np.ndarray) else type(part)._make(map(first, part))

    *parts, law, own, at = workspace
    return Workspace._make([*map(first, parts), law, own, at])
