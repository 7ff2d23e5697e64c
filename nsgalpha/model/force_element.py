"""The interface of forms: forces on fixed lists of nodes, of an edge, a triangle, a whole surface.

A form acts on C parts of S nodes each, whatever their distance, or on those that a pass finds (`OnNodes`). An
element of forms evaluates all of them at once and answers with a `FormPass`; it keeps nothing between
evaluations, so that several runs can share it.

    wrench on node s of part c      force[c, s]
    tangents                        K = -dF/dx,  C = -dF/dv: blocks of the parts, and terms of low rank for
                                    forces that depend on all parts at once
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import Floats, Ints, LowRank
from nsgalpha.model.compliant_law import Traits


class FormMotion(NamedTuple):
    """The motion of all bodies and frames as forms see it, at the end of a step."""

    x: Floats  # (B, 3) [m]
    v: Floats  # (B, 3) [m/s]
    start: Floats  # (B, 3) positions at the start of the step
    history: Floats  # (K, k) at the start of the step
    h: float  # step [s]
    t: float  # time [s]


class FormPass(Protocol):
    """One evaluation of an element of forms."""

    energy: Floats  # (K,) stored [J]
    history: Floats  # (K, k) at the end of the step, kept if it is accepted

    @property
    def force(self) -> Floats:
        """Forces (C, S, 3) on the nodes [N]."""

    def add_forces(self, wrench: Floats) -> None:
        """Add the forces to the wrenches (B, 6) on the bodies."""

    def damping(self, velocity: Floats) -> Floats | None:
        """`C v` (C, S, 3) for the `velocity` v (B, 3), None if C is zero."""

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """Add `factor_q K + factor_v C` to `blocks` (C, S, 3, S, 3), [row, column]; less the low rank."""

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """The terms of `factor_q K + factor_v C` of low rank on `count` bodies of six unknowns, if any."""


class OnNodes(Protocol):
    """A pass whose parts are on other nodes than those of its element: found where the bodies are."""

    nodes: Ints  # (C, S) numbers of bodies


class FormLaw(Protocol):
    """The part of an element of forms that remembers."""

    @property
    def history(self) -> int:
        """Numbers that it keeps for each of the K coordinates."""

    @property
    def traits(self) -> Sequence[Traits]:
        """Of one law: whether it flows."""


@runtime_checkable
class FormElement(Protocol):
    """Forces on fixed lists of nodes."""

    @property
    def law(self) -> FormLaw:
        """The part that remembers."""

    @property
    def nodes(self) -> Ints:
        """Numbers (C, S) of the bodies."""

    @property
    def count(self) -> int:
        """K coordinates, with an energy and a history each."""

    def form_pass(self, motion: FormMotion) -> FormPass:
        """Forces, energies and histories at `motion`."""

    def handles(self) -> Sequence[Any]:
        """The bodies that the element refers to."""


@runtime_checkable
class Jumping(Protocol):
    """An element that puts bodies elsewhere at certain times, such as the nodes of a cell that divides."""

    @property
    def times(self) -> Floats:
        """When it does (J,) [s]."""

    def jump(self, t: float, x: Floats) -> Ints:
        """Move the bodies in `x` (B, 3) that do at `t` [s], one of the times, and return their numbers."""


@runtime_checkable
class Meets(Protocol):
    """A form that lets bodies touch which it finds by where they are."""

    def near(self, x: Floats) -> tuple[Ints, Floats]:
        """Pairs (C, 2) of bodies at the positions `x` (B, 3) that it lets touch, and their distances [m]."""


@runtime_checkable
class Limited(Protocol):
    """A form that says in words why there is no force."""

    def complaint(self, made: FormPass) -> str:
        """The reason why the forces of an evaluation are not finite, nothing if they are."""


def nodes_of(element: FormElement, made: FormPass) -> Ints:
    """Numbers (C, S) of the bodies that the parts of an evaluation act on."""
    found: Ints | None = getattr(made, "nodes", None)  # faster than isinstance, of hundreds of elements
    return element.nodes if found is None else found


class AtRest:
    """The pass of an element that does not act; see FormPass."""

    def __init__(self, element: FormElement) -> None:
        self.force = np.zeros((*element.nodes.shape, 3))
        self.energy, self.history = np.zeros(element.count), np.zeros((element.count, element.law.history))

    def add_forces(self, wrench: Floats) -> None:
        """Nothing."""

    def damping(self, velocity: Floats) -> Floats | None:
        """None."""
        return None

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """Nothing."""

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None
