"""Tension of lines on a surface: contractile rings.

E = sum Gamma L,   f = Gamma
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from elements.shells.area_volume_elasticity import time_dependent
from elements.shells.edge_lengths import Lengths
from elements.shells.edge_springs import a_surface
from elements.shells.shell_laws import Varying, now
from nsgalpha.arrays import Ints
from nsgalpha.checks import integers, number_in, positive, refuse, scaled_direction
from nsgalpha.forces.scalar_force_element import ScalarForceElement, ScalarLaw, ScalarResponse, Scalars
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.registration import offered
from nsgalpha.model.triangulated_surface import Surface


class Constant(ScalarLaw):
    """f = f_0, a function of time."""

    def __init__(self, tension: Varying) -> None:
        self.tension = tension
        self.energy_known = not callable(tension)

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """See ScalarLaw."""
        response.force[:] = now("tension", self.tension, q.t)
        response.energy[:] = response.force * q.value


@offered("elements")
@recorded
class LineTension(ScalarForceElement):
    """A tension Gamma [N] along `edges` of `surface`, such as a contractile ring.

    edges (E, 2): nodes of the surface, each a pair with an edge; `ring_of` finds some. tension: a number, one
    for each edge, or a function of time; < 0 pushes.

    Raises ValueError that names the argument, in a run too for functions.
    """

    def __init__(self, surface: Surface, edges: ArrayLike, *, tension: Varying) -> None:
        pairs = _edges(a_surface(surface), edges)
        tension = time_dependent("tension", tension, np.zeros(len(pairs)), "edges")
        super().__init__(Lengths(surface.bodies[pairs]), Constant(tension), surface.nodes)
        #: nodes of the edges (E, 2)
        self.edges: Ints = pairs


def _edges(surface: Surface, edges: ArrayLike) -> Ints:
    """`edges` (E, 2), each an edge of the surface, or a ValueError."""
    rows = integers("edges", edges, "integers (E, 2), nodes of the surface")
    if rows.ndim != 2 or rows.shape[1:] != (2,) or len(rows) == 0:
        raise refuse("edges", f"array {rows.shape}", "integers (E, 2), E >= 1")
    count = len(surface.nodes)
    if not ((rows >= 0) & (rows < count)).all():
        raise refuse("edges", f"nodes from {rows.min()} to {rows.max()}", f"in [0, {count - 1}]")
    code = np.sort(rows, axis=1) @ (count, 1)
    known = np.sort(surface.topology.edges[:, :2], axis=1) @ (count, 1)
    wrong = np.flatnonzero(~np.isin(code, known))
    if len(wrong):
        k = int(wrong[0])
        remedy = "ring_of(surface, ...) finds some"
        raise refuse(f"edges[{k}]", rows[k].tolist(), "an edge of the surface", remedy)
    if len(np.unique(code)) < len(code):
        raise ValueError("edges: one is given twice; leave it out, or give it twice the tension")
    return rows


@offered()
def ring_of(surface: Surface, normal: ArrayLike, offset: float = 0.0, *, width: float) -> Ints:
    """Edges (E, 2) of `surface` whose two nodes are within `width` [m] of the plane `normal . x = offset`.

    Nodes are where the model states them. Raises ValueError that names the argument, or if there are none.
    """
    unit, length = scaled_direction("normal", normal)
    x = np.array([node.position for node in a_surface(surface).nodes])
    away = np.abs(x @ unit - number_in("offset", offset, -np.inf, np.inf) / length)
    near = away <= positive("width", width)
    edges = surface.topology.edges[:, :2]
    found = edges[near[edges].all(axis=1)]
    if not len(found):
        remedy = f"the nearest node is {away.min():.3g} m away"
        raise refuse("width", width, "wide enough for an edge", remedy)
    return np.asarray(found)
