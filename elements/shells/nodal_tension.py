"""Tension in the triangles of a surface by the forces on their nodes.

It is half the trace of the stress resultant, by the virial of the forces F of a triangle with the area A:

    T = -sum F . x/(2 A)

An edge of the length L that pulls with f has f L, half of it in either triangle. On regular triangles with
equal edges this is sqrt(3) f/L, as the sum of f/(N tan(pi/N) L) over the N = 6 edges of a node.
"""

import numpy as np

from elements.shells.area_volume import Areas
from nsgalpha.arrays import Floats, Ints
from nsgalpha.model.triangulated_surface import Surface


def tension_of_edges(surface: Surface, x: Floats, pull: Floats) -> Floats:
    """Tension (T,) [N/m] by force times length `pull` (E,) [N m] of the edges, bodies at `x` (B, 3) [m]."""
    sides = surface.topology.sides
    share = pull / (sides >= 0).sum(axis=1)
    total = np.zeros(len(surface.triangles))
    for side in sides.T:
        np.add.at(total, side[side >= 0], share[side >= 0])
    return np.asarray(0.5 * total / Areas(surface.bodies[surface.triangles]).measure(x).value)


def tension_of_triangles(x: Floats, nodes: Ints, force: Floats) -> Floats:
    """Tension (T,) [N/m] by the forces (T, 3, 3) [N] on the `nodes` (T, 3), bodies at `x` (B, 3) [m]."""
    virial = (force * x[nodes]).sum(axis=(1, 2))
    return np.asarray(-0.5 * virial / Areas(nodes).measure(x).value)
