"""The interface of force elements: forces on the nodes of edges, triangles or whole surfaces.

A force element acts on C parts of S nodes each. The nodes are a fixed list, or follow from the positions
(`NodePass`). It evaluates all parts at once and returns a `ForcePass`. It keeps nothing between evaluations,
so that several runs can share it.

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


class ElementMotion(NamedTuple):
    """Motion of all bodies and frames at the end of a step, for force elements."""

    x: Floats  # (B, 3) [m]
    v: Floats  # (B, 3) [m/s]
    start: Floats  # (B, 3) positions at the start of the step
    history: Floats  # (K, k) at the start of the step
    h: float  # step [s]
    t: float  # time [s]


class ForcePass(Protocol):
    """One evaluation of a force element."""

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


class NodePass(Protocol):
    """A pass with nodes that follow from the positions, unlike those of its element."""

    nodes: Ints  # (C, S) numbers of bodies


class ForceElementLaw(Protocol):
    """The history of a force element."""

    @property
    def history(self) -> int:
        """Numbers that it keeps for each of the K coordinates."""

    @property
    def traits(self) -> Sequence[Traits]:
        """Of one law: whether it flows."""


@runtime_checkable
class ForceElement(Protocol):
    """Forces on fixed lists of nodes."""

    @property
    def law(self) -> ForceElementLaw:
        """The law with its history."""

    @property
    def nodes(self) -> Ints:
        """Numbers (C, S) of the bodies."""

    @property
    def count(self) -> int:
        """K coordinates, with an energy and a history each."""

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """Forces, energies and histories at `motion`."""

    def handles(self) -> Sequence[Any]:
        """The bodies that the element refers to."""


@runtime_checkable
class JumpingElement(Protocol):
    """An element that moves bodies at certain times, such as a dividing cell's nodes."""

    @property
    def times(self) -> Floats:
        """When it does (J,) [s]."""

    def jump(self, t: float, x: Floats) -> Ints:
        """Move the bodies in `x` (B, 3) that do at `t` [s], one of the times, and return their numbers."""


@runtime_checkable
class ContactingElement(Protocol):
    """A force element whose contacting bodies follow from the positions."""

    def near(self, x: Floats) -> tuple[Ints, Floats]:
        """Pairs (C, 2) of bodies at the positions `x` (B, 3) that it lets touch, and their distances [m]."""


@runtime_checkable
class LimitedElement(Protocol):
    """A force element that explains why its force is not finite."""

    def failure_reason(self, made: ForcePass) -> str:
        """The reason why the forces of an evaluation are not finite, nothing if they are."""


def nodes_of(element: ForceElement, made: ForcePass) -> Ints:
    """Numbers (C, S) of the bodies that the parts of an evaluation act on."""
    found: Ints | None = getattr(made, "nodes", None)  # faster than isinstance, of hundreds of elements
    return element.nodes if found is None else found


class InactivePass:
    """The pass of an element that does not act; see ForcePass."""

    def __init__(self, element: ForceElement) -> None:
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
