"""Springs of a shell whose stiffness follows the areas of the triangles.

Triangle by triangle, with the length L of its edges, g = dL/dx, and its area A,

    F = -E t A s,    s = sum (L - L_0)/L_0^2 g,    K = E t [A sum (g g^T + (L - L_0) H)/L_0^2 + s (dA/dx)^T]

which is k_12 (L - L_0) at each edge with k_12 = E (A_1 t_1 + A_2 t_2)/L_0^2. It has no energy.

Source: documentation of mpacts, ElasticShellSpring.
"""

from __future__ import annotations

import numpy as np

from elements.shells.area_volume import Areas
from elements.shells.edge_lengths import Lengths
from nsgalpha.arrays import Floats, LowRank
from nsgalpha.forces.attachments import add_slots
from nsgalpha.forces.nodal_sums import add_outer
from nsgalpha.model.force_element import ElementMotion
from nsgalpha.model.triangulated_surface import Surface

ENDS = np.array([(0, 1), (1, 2), (2, 0)])  # corners of the edges of a triangle


class FollowingSprings:
    """Springs along the edges of `surface`: `stiffness` E t (T,) [N/m], lengths `rest` (E,) [m]."""

    def __init__(self, surface: Surface, stiffness: Floats, rest: Floats) -> None:
        self.nodes = np.ascontiguousarray(surface.bodies[surface.triangles])
        self.stiffness = stiffness
        corners = np.sort(surface.triangles[:, ENDS], axis=2)  # (T, 3, 2)
        edges = np.sort(surface.topology.edges[:, :2], axis=1)
        code = edges[:, 0] * len(surface.nodes) + edges[:, 1]
        order = np.argsort(code)
        wanted = corners[:, :, 0] * len(surface.nodes) + corners[:, :, 1]
        self.rest: Floats = rest[order[np.searchsorted(code[order], wanted)]]  # (T, 3)
        self.lengths = Lengths(self.nodes[:, ENDS].reshape(-1, 2))
        self.areas = Areas(self.nodes)

    def force_pass(self, motion: ElementMotion) -> FollowingPass:
        """See ForceElement."""
        return FollowingPass(self, motion.x)


class FollowingPass:
    """One evaluation, see ForcePass."""

    def __init__(self, springs: FollowingSprings, x: Floats) -> None:
        self._springs, self.x = springs, x
        T = len(springs.nodes)
        self._edge, self._area = springs.lengths.measure(x), springs.areas.measure(x)
        self._strain = (self._edge.value.reshape(T, 3) - springs.rest) / springs.rest**2
        self._g = np.zeros((T, 3, 3, 3))  # (T, edge, corner, 3)
        gradient = self._edge.gradient.reshape(T, 3, 2, 3)
        for edge, ends in enumerate(ENDS):
            self._g[:, edge, ends] = gradient[:, edge]
        self._s = np.ascontiguousarray(np.einsum("te,tesi->tsi", self._strain, self._g))
        self.force = -(springs.stiffness * self._area.value)[:, None, None] * self._s
        self.energy, self.history = np.zeros(T), np.zeros((T, 0))

    def add_forces(self, wrench: Floats) -> None:
        """See ForcePass."""
        add_slots(self._springs.nodes, self.force, wrench)

    def damping(self, velocity: Floats) -> Floats | None:
        """None."""
        return None

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """See ForcePass."""
        if factor_q == 0.0:
            return
        springs = self._springs
        Et, T = factor_q * springs.stiffness, len(springs.nodes)
        size = Et * self._area.value
        curved = np.zeros((3 * T, 2, 3, 2, 3))
        springs.lengths.add_curvature(self.x, (size[:, None] * self._strain).ravel(), curved)
        curved = curved.reshape(T, 3, 2, 3, 2, 3)
        for edge, (a, b) in enumerate(ENDS):
            g = np.ascontiguousarray(self._g[:, edge])
            add_outer(g, g, size / springs.rest[:, edge] ** 2, blocks)
            for i, row in enumerate((a, b)):
                for j, column in enumerate((a, b)):
                    blocks[:, row, :, column] += curved[:, edge, i, :, j]
        add_outer(self._s, self._area.gradient, Et, blocks)

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None
