"""Force elements of one coordinate (length, angle, area, volume) with a law.

    E = E(q),   f = dE/dq,   F = -f g,   g = dq/dx,   K = f_q g g^T + f_u g (H v)^T + f H,   C = f_u g g^T

with the rate u = g . v and H = d^2 q/dx^2. A force that has no energy may act along another direction w than
g: then F = -f w, and H in the last term is dw/dx. A coordinate of many parts, such as a volume, is their sum:
g g^T then couples all of its nodes and is a term of low rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from nsgalpha.arrays import Floats, Ints, LowRank
from nsgalpha.forces.nodal_sums import add_along, add_outer, along
from nsgalpha.model.compliant_law import Traits
from nsgalpha.model.force_element import ElementMotion, ForcePass
from nsgalpha.model.switched_elements import Switched


class Coordinates(NamedTuple):
    """K coordinates of C parts with S nodes."""

    value: Floats  # (K,)
    gradient: Floats  # (C, S, 3)
    direction: Floats  # (C, S, 3) along which the force acts; the same object where it is the gradient


class Coordinate(Protocol):
    """A kind of coordinates on a fixed list of nodes."""

    nodes: Ints  # (C, S) numbers of bodies
    of: Ints  # (C,) coordinate that each part counts for
    count: int  # K coordinates

    def measure(self, x: Floats) -> Coordinates:
        """The coordinates with the bodies in `x` (B, 3)."""

    def add_curvature(self, x: Floats, factor: Floats, blocks: Floats) -> None:
        """Add `factor` (C,) times the derivatives of the direction by x to `blocks` (C, S, 3, S, 3)."""


class Scalars(NamedTuple):
    """Coordinates as a law sees them."""

    value: Floats  # (K,)
    rate: Floats  # (K,); 0 unless the law is `damped`
    start: Floats  # (K,) at the start of the step; 0 unless the law has a history
    history: Floats  # (K, k) at the start of the step
    h: float  # step [s]
    t: float  # time [s]


class ScalarResponse(NamedTuple):
    """The answer of a law, arrays of zeros on entry."""

    force: Floats  # (K,) f, which makes the coordinate smaller where it is positive
    by_value: Floats  # (K,)
    by_rate: Floats  # (K,)
    energy: Floats  # (K,) stored [J]
    history: Floats  # (K, k) at the end of the step


class ScalarLaw(ABC):
    """A law for coordinates, with common defaults."""

    history = 0  # numbers that it keeps for a coordinate
    flows = False  # its force changes with time alone
    damped = False  # it reads rates
    energy_known = False  # it gives back no more than the energy that it states, and puts none in

    @property
    def traits(self) -> Sequence[Traits]:
        """See ForceElementLaw."""
        return (Traits(history=self.history, flows=self.flows),)

    @abstractmethod
    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """Fill in the `response`."""


class Entries:
    """Where the gradients of whole coordinates have entries, one for each unknown of a term."""

    def __init__(self) -> None:
        self._nodes, self._of = np.empty((0, 0), np.int64), np.empty(0, np.int64)

    def take(self, nodes: Ints, of: Ints) -> None:
        """Parts on `nodes` (C, S) that count for the coordinates `of` (C,)."""
        if np.array_equal(nodes, self._nodes) and np.array_equal(of, self._of):
            return
        self._nodes, self._of = nodes.copy(), of.copy()
        rows = 6 * nodes[:, :, None] + np.arange(3)
        terms = np.broadcast_to(of[:, None, None], (*nodes.shape, 3))
        width = int(rows.max(initial=0)) + 1
        known, self._place = np.unique(terms * width + rows, return_inverse=True)
        self._place = self._place.ravel()
        self.row, self.term = known % width, known // width

    def sums(self, parts: Floats) -> Floats:
        """Sums (m,) of the values `parts` (C, S, 3) at each of the entries."""
        return np.bincount(self._place, parts.ravel(), len(self.row)).astype(float)


class ScalarForceElement(Switched):
    """Forces of a `law` for a `coordinate`."""

    def __init__(self, coordinate: Coordinate, law: ScalarLaw, handles: Sequence[Any]) -> None:
        self.coordinate, self.law, self._handles = coordinate, law, handles
        self._entries = Entries()

    @property
    def energy_known(self) -> bool:
        """True if it gives back at most its stated energy, and adds none."""
        return self.law.energy_known

    @property
    def nodes(self) -> Ints:
        """Numbers (C, S) of the bodies."""
        return self.coordinate.nodes

    @property
    def count(self) -> int:
        """How many coordinates."""
        return self.coordinate.count

    def handles(self) -> Sequence[Any]:
        """The bodies that the element refers to."""
        return self._handles

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        return ScalarPass(self.coordinate, self.law, motion, self._entries)


class ScalarPass:
    """One evaluation of a ScalarForceElement, see ForcePass."""

    def __init__(
        self, coordinate: Coordinate, law: ScalarLaw, motion: ElementMotion, entries: Entries
    ) -> None:
        self._coordinate, self.x, self._v, self._entries = coordinate, motion.x, motion.v, entries
        self.at = coordinate.measure(motion.x)
        K = coordinate.count
        rate = self._rates(motion.v) if law.damped else np.zeros(K)
        start = coordinate.measure(motion.start).value if law.history else np.zeros(K)
        zero = np.zeros((4, K))
        self.response = ScalarResponse(zero[0], zero[1], zero[2], zero[3], np.zeros((K, law.history)))
        law(Scalars(self.at.value, rate, start, motion.history, motion.h, motion.t), self.response)
        self.energy, self.history = self.response.energy, self.response.history

    def _rates(self, v: Floats) -> Floats:
        rate = np.zeros(self._coordinate.count)
        along(self._coordinate.nodes, self.at.gradient, self._coordinate.of, v, rate)
        return rate

    def _of_parts(self, value: Floats) -> Floats:
        """Numbers (C,) of the parts from those of the coordinates (K,)."""
        return value[self._coordinate.of]

    @cached_property
    def force(self) -> Floats:
        """Forces (C, S, 3) on the nodes."""
        return -self._of_parts(self.response.force)[:, None, None] * self.at.direction

    def damping(self, velocity: Floats) -> Floats | None:
        """`C v`, see ForcePass."""
        if not self.response.by_rate.any():
            return None
        factor = self._of_parts(self.response.by_rate * self._rates(velocity))
        return np.asarray(factor[:, None, None] * self.at.direction)

    def add_forces(self, wrench: Floats) -> None:
        """See ForcePass."""
        add_along(self._coordinate.nodes, self.at.direction, self._of_parts(-self.response.force), wrench)

    @property
    def _whole(self) -> bool:
        return self._coordinate.count < len(self._coordinate.nodes)

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """See ForcePass."""
        response, at = self.response, self.at
        if factor_q != 0.0:
            curved = factor_q * self._of_parts(response.force)
            self._coordinate.add_curvature(self.x, curved, blocks)
        if not self._whole:
            factor = factor_q * response.by_value + factor_v * response.by_rate
            add_outer(at.direction, at.gradient, self._of_parts(factor), blocks)
            if factor_q != 0.0 and response.by_rate.any():
                add_outer(at.direction, self._turning(), self._of_parts(factor_q * response.by_rate), blocks)

    def _turning(self) -> Floats:
        """Derivatives H v (C, S, 3) of the rates by the positions."""
        C, S = self._coordinate.nodes.shape
        H = np.zeros((C, S, 3, S, 3))
        self._coordinate.add_curvature(self.x, np.ones(C), H)
        return np.einsum("csirj,crj->csi", H, self._v[self._coordinate.nodes])

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """See ForcePass."""
        if not self._whole:
            return None
        response = self.response
        factor = factor_q * response.by_value + factor_v * response.by_rate
        entries = self._entries
        entries.take(self._coordinate.nodes, self._coordinate.of)
        g, row, term = entries.sums(self.at.gradient), entries.row, entries.term
        if factor_q == 0.0 or not response.by_rate.any():
            return LowRank(6 * count, factor, row, term, g, g)
        g = factor[term] * g + factor_q * response.by_rate[term] * entries.sums(self._turning())
        return LowRank(6 * count, np.ones(len(factor)), row, term, entries.sums(self.at.direction), g)
