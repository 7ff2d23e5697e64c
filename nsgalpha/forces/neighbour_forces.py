"""Force elements whose parts follow from the positions, such as contact of surfaces.

Candidates are parts within reach and a skin, listed again when a body has moved by half of the skin. The
pattern of the tangents holds all candidates, so that it stays valid while parts come and go among them. Parts
outside of it make another one (Group.places).
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.forces.force_element_group import ForceElementGroup
from nsgalpha.model.force_element import ElementMotion, ForceElement, ForcePass
from nsgalpha.system.system import System


@runtime_checkable
class NeighbourElement(ForceElement, Protocol):
    """Forces on lists of nodes that follow from positions, without history."""

    @property
    def skin(self) -> float:
        """Distance [m] beyond the reach within which parts are candidates."""

    @property
    def bodies(self) -> Ints:
        """Numbers of the bodies whose motion changes which parts are near each other."""

    def candidates(self, x: Floats) -> Any:
        """The parts near each other with the bodies in `x` (B, 3), for `neighbour_pass`."""

    def candidate_nodes(self, candidates: Any) -> Ints:
        """Numbers (K, S) of the bodies that each of the candidates acts on."""

    def neighbour_pass(self, motion: ElementMotion, candidates: Any) -> ForcePass:
        """Forces and energies at `motion` of those among the candidates that act there, see NodePass."""


class NeighbourGroup(ForceElementGroup):
    """One force element in a run, whose nodes are those of its last evaluation."""

    element: NeighbourElement

    def __init__(self, element: NeighbourElement, system: System) -> None:
        super().__init__(element, system)
        self._near: Any = None
        self._anchor: Floats = np.empty((0, 3))
        self._codes: Ints | None = None  # of the pairs

    def find(self, motion: Motion, reach: float) -> None:
        """New candidates at `motion`."""
        self._search(motion.x)

    def _search(self, x: Floats) -> None:
        self._near, self._anchor = self.element.candidates(x), x[self.element.bodies]
        self._codes = None

    def pass_at(self, motion: Motion, h: float) -> ForcePass:
        """See ForceElementGroup."""
        x = np.ascontiguousarray(motion.x)
        if self._near is None:
            self._search(x)
        moved = ((x[self.element.bodies] - self._anchor) ** 2).sum(axis=1).max(initial=0.0)
        if moved > (0.5 * self.element.skin) ** 2:
            self._search(x)
        at = ElementMotion(x.copy(), motion.v.copy(), self._start, self.history, h, self.t)
        return self.element.neighbour_pass(at, self._near)

    @property
    def pairs(self) -> Ints:
        """Pairs (K, 2) of frames that candidates couple, and those that were in evaluations at these.

        Elements may leave out of the candidates pairs that other force elements couple in most models, as the
        corners of a triangle at a wall. Acting parts are among the pairs all the same.
        """
        nodes, size = self.body, self.system.size
        if self._codes is None:
            self._codes = np.empty(0, np.int64)
            nodes = np.concatenate([self.element.candidate_nodes(self._near), nodes])
        i, j = np.triu_indices(nodes.shape[1], 1)
        self._codes = np.union1d(self._codes, nodes[:, i] * size + nodes[:, j])
        return np.column_stack([self._codes // size, self._codes % size])

    @property
    def closed(self) -> int:
        """Number of parts that act."""
        return len(self.body)
