"""Bending by the mean curvature at the nodes, after Juelicher.

    E = 2 k_c sum A_i (H_i - C_0/2)^2,    H_i = S_i/(4 A_i),    S_i = sum L theta,    A_i = (sum A)/3

sums over the edges and the triangles at a node: a closed sphere has 8 pi k_c. With

    s = dE/dS_i = k_c (H_i - C_0/2),    a = dE/dA_i = k_c (C_0^2/2 - 2 H_i^2)

the force is -sum (s_1 + s_2) (theta dL + L dtheta) of the edges, less (a_1 + a_2 + a_3) dA/3 of the
triangles, and the second derivatives of E by S_i and A_i are one square, k_c/(4 A_i) (dS_i - 4 H_i dA_i)^2.
Each node has a part: itself, its neighbours, and the levers of its edges.

Source: F. Juelicher, J. Phys. II (France) 6 (1996) 1797.
"""

from __future__ import annotations

import numpy as np

from elements.shells.area_volume import Areas
from elements.shells.edge_angles import Angles
from elements.shells.edge_lengths import Lengths
from elements.shells.edge_springs import a_surface
from elements.shells.membranes import NoMemory
from nsgalpha.arrays import Floats, Ints, LowRank
from nsgalpha.checks import number_in, positive, refuse
from nsgalpha.forces.attachments import add_slots
from nsgalpha.forces.nodal_sums import add_outer
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.force_element import ElementMotion, ForcePass
from nsgalpha.model.registration import offered
from nsgalpha.model.switched_elements import Switched
from nsgalpha.model.triangulated_surface import Surface


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "mean curvature H_i = sum L theta/(4 A_i) of a node",
        "2 k_c A_i (H_i - C_0/2)^2",
        "A_i a third of the triangles; Juelicher 1996",
    ),
)
@recorded
class JuelicherBending(Switched):
    """Bending of the closed `surface` by the mean curvature at its nodes.

    stiffness k_c [N m] > 0, Helfrich's; curvature C_0 [1/m]: spontaneous, twice the mean curvature of a
    sphere without energy, by default 0.

    Raises ValueError that names the argument, and for a surface with a border.
    """

    energy_known = True

    def __init__(self, surface: Surface, *, stiffness: float, curvature: float = 0.0) -> None:
        if not a_surface(surface).closed:
            raise refuse("surface", surface.name, "closed", "a border has no mean curvature; take Bending")
        self.stiffness = positive("stiffness", stiffness, "it is Helfrich's in N m")
        self.curvature = number_in("curvature", curvature, -np.inf, np.inf)
        self.surface, self.law = surface, NoMemory()
        edges, triangles, bodies = surface.topology.edges, surface.triangles, surface.bodies
        self.ends, self.corners = edges[:, :2], triangles
        self.angles, self.lengths = Angles(bodies[edges]), Lengths(bodies[edges[:, :2]])
        self.areas = Areas(bodies[triangles])
        stencil = _stencil(edges, len(bodies))
        self.nodes = np.ascontiguousarray(bodies[stencil])
        #: in the part of each of both ends, places of the nodes (c1, c2, l1, l2) of an edge, (E, 2, 4)
        self.of_edge = np.stack([_places(stencil, edges[:, k], edges) for k in range(2)], axis=1)
        #: the same of the corners of a triangle, (T, 3, 3)
        self.of_triangle = np.stack([_places(stencil, triangles[:, k], triangles) for k in range(3)], axis=1)

    @property
    def count(self) -> int:
        """How many nodes."""
        return len(self.nodes)

    def handles(self) -> tuple[object, ...]:
        """The nodes of the surface."""
        return tuple(self.surface.nodes)

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        return JuelicherPass(self, motion.x)


def _stencil(edges: Ints, count: int) -> Ints:
    """Nodes (N, S) of the parts: the node, its edges, and the node itself as filling."""
    pairs = np.concatenate([np.column_stack([edges[:, k], edges[:, j]]) for k in range(2) for j in range(4)])
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    many = np.bincount(pairs[:, 0], minlength=count)
    stencil = np.repeat(np.arange(count)[:, None], 1 + many.max(), axis=1)
    first = np.cumsum(many) - many
    stencil[pairs[:, 0], 1 + np.arange(len(pairs)) - first[pairs[:, 0]]] = pairs[:, 1]
    return stencil


def _places(stencil: Ints, node: Ints, wanted: Ints) -> Ints:
    """Places (K, k) of the nodes `wanted` (K, k) in the parts of `node` (K,)."""
    return np.asarray((stencil[node][:, :, None] == wanted[:, None, :]).argmax(axis=1))


class JuelicherPass:
    """One evaluation, see ForcePass."""

    def __init__(self, bending: JuelicherBending, x: Floats) -> None:
        self._bending, self._x = bending, x
        k_c, half = bending.stiffness, 0.5 * bending.curvature
        self._angle, self._length = bending.angles.measure(x), bending.lengths.measure(x)
        self._area = bending.areas.measure(x)
        theta, L, count = self._angle.value, self._length.value, bending.count
        S = np.bincount(bending.ends.ravel(), np.repeat(theta * L, 2), count)
        self._A = np.bincount(bending.corners.ravel(), np.repeat(self._area.value / 3.0, 3), count)
        self._H = H = S / (4.0 * self._A)
        self._s, self._a = k_c * (H - half), 2.0 * k_c * (half * half - H * H)
        self.energy, self.history = 2.0 * k_c * self._A * (H - half) ** 2, np.zeros((count, 0))
        g = L[:, None, None] * self._angle.gradient
        g[:, :2] += theta[:, None, None] * self._length.gradient
        self._g = g  # of theta L of the edges (E, 4, 3)
        self.force = np.zeros((*bending.nodes.shape, 3))
        for k in range(2):
            node = bending.ends[:, k, None]
            np.add.at(self.force, (node, bending.of_edge[:, k]), -self._s[node, None] * g)
        for k in range(3):
            node = bending.corners[:, k, None]
            part = -self._a[node, None] / 3.0 * self._area.gradient
            np.add.at(self.force, (node, bending.of_triangle[:, k]), part)

    def add_forces(self, wrench: Floats) -> None:
        """See ForcePass."""
        add_slots(self._bending.nodes, self.force, wrench)

    def damping(self, velocity: Floats) -> Floats | None:
        """None."""
        return None

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """See ForcePass."""
        if factor_q == 0.0:
            return
        bending, x = self._bending, self._x
        c = factor_q * self._s[bending.ends].sum(axis=1)
        theta, L = self._angle.value, self._length.value
        curved = np.zeros((len(c), 4, 3, 4, 3))
        bending.angles.add_curvature(x, c * L, curved)
        short = np.zeros((len(c), 2, 3, 2, 3))
        bending.lengths.add_curvature(x, c * theta, short)
        curved[:, :2, :, :2] += short
        stretch = np.zeros_like(self._g)
        stretch[:, :2] = self._length.gradient
        add_outer(stretch, self._angle.gradient, c, curved)
        add_outer(self._angle.gradient, stretch, c, curved)
        _spread(blocks, bending.ends[:, 0], bending.of_edge[:, 0], curved)
        t = factor_q * self._a[bending.corners].sum(axis=1) / 3.0
        curved = np.zeros((len(t), 3, 3, 3, 3))
        bending.areas.add_curvature(x, t, curved)
        _spread(blocks, bending.corners[:, 0], bending.of_triangle[:, 0], curved)
        square = np.zeros_like(self.force)  # dS_i - 4 H_i dA_i
        for k in range(2):
            np.add.at(square, (bending.ends[:, k, None], bending.of_edge[:, k]), self._g)
        for k in range(3):
            node = bending.corners[:, k, None]
            part = -4.0 / 3.0 * self._H[node, None] * self._area.gradient
            np.add.at(square, (node, bending.of_triangle[:, k]), part)
        add_outer(square, square, factor_q * bending.stiffness / (4.0 * self._A), blocks)

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None


def _spread(blocks: Floats, part: Ints, place: Ints, own: Floats) -> None:
    """Add `own` (K, k, 3, k, 3) to the `blocks` of the parts (K,), at the places (K, k) there."""
    for row in range(place.shape[1]):
        for column in range(place.shape[1]):
            view = blocks.transpose(0, 1, 3, 2, 4)  # (N, S, S, 3, 3)
            np.add.at(view, (part, place[:, row], place[:, column]), own[:, row, :, column])
