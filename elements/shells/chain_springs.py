"""Springs of chains along the edges of a membrane: worm-like chains and a repulsive power.

    f = (kT/p) [1/(4 (1 - x)^2) - 1/4 + x] - k_p/L^m,    x = L/L_max < 1
    E = (kT/p) L_max (3 x^2 - 2 x^3)/(4 (1 - x)) + k_p/((m - 1) L^(m - 1)),    m = 1: - k_p log(L/L_0)

f pulls. k_p follows from the length at rest, f(L_0) = 0, and kT/p from the shear modulus of the regular
lattice,

    4 L_0 mu_0/sqrt(3) = (kT/p) [x_0/(2 (1 - x_0)^3) - 1/(4 (1 - x_0)^2) + 1/4] + (m + 1) k_p/L_0^m

The modulus of area is 2 mu_0. Beyond L_max there is no force: a run that comes there ends with a status that
names the edge.

Source: D. A. Fedosov, B. Caswell, G. E. Karniadakis, Biophys. J. 98 (2010) 2215.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from elements.shells.edge_springs import ElasticEdges, a_surface, per_edge
from nsgalpha.arrays import Floats
from nsgalpha.checks import number_in, positive
from nsgalpha.forces.scalar_force_element import ScalarLaw, ScalarPass, ScalarResponse, Scalars
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.force_element import ForcePass
from nsgalpha.model.registration import offered
from nsgalpha.model.triangulated_surface import Surface


class WormLikeChains(ScalarLaw):
    """kT/p and k_p (K,), L_0 and L_max (K,) [m], exponent m; not finite where L >= L_max."""

    energy_known = True

    def __init__(self, pull: Floats, push: Floats, rest: Floats, longest: Floats, exponent: float) -> None:
        self.pull, self.push, self.rest, self.longest, self.exponent = pull, push, rest, longest, exponent

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """See ScalarLaw."""
        L, m = q.value, self.exponent
        x = np.where(self.longest > L, L / self.longest, np.nan)
        power = self.push * L**-m
        response.force[:] = self.pull * _worm_like_chain(x) - power
        response.by_value[:] = self.pull * (0.5 / (1.0 - x) ** 3 + 1.0) / self.longest + m * power / L
        stored = -np.log(L / self.rest) * self.push if m == 1.0 else power * L / (m - 1.0)
        response.energy[:] = self.pull * self.longest * x * x * (3.0 - 2.0 * x) / (4.0 * (1.0 - x)) + stored


def _worm_like_chain(x: Floats) -> Floats:
    return 0.25 / (1.0 - x) ** 2 - 0.25 + x


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "length L of an edge",
        "(kT/p) L_max (3 x^2 - 2 x^3)/(4 (1 - x)) + k_p/((m - 1) L^(m - 1)), x = L/L_max",
        "kT/p, k_p from mu_0 and L_0; Fedosov et al. 2010",
    ),
)
@recorded
class ChainSprings(ElasticEdges):
    """Springs of worm-like chains along the edges of `surface`, whose triangles are about equilateral.

    shear mu_0 [N/m] > 0: shear modulus of the regular lattice; ratio x_0 = L_0/L_max in (0, 1): length at
    rest over the length at which a chain is straight; exponent m >= 1 of the repulsion, by default 2. length
    L_0 [m]: at rest, a number or one for each edge, by default those of the model as stated.

    Raises ValueError that names the argument.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        shear: float,
        ratio: float,
        exponent: float = 2.0,
        length: ArrayLike | None = None,
    ) -> None:
        mu, m = positive("shear", shear), number_in("exponent", exponent, 1.0, math.inf, open_high=True)
        x = number_in("ratio", ratio, 0.0, 1.0, open_low=True, open_high=True)
        L = per_edge("length", length, a_surface(surface).reference.length)
        slope = 0.5 * x / (1.0 - x) ** 3 - 0.25 / (1.0 - x) ** 2 + 0.25
        worm = float(_worm_like_chain(np.array(x)))
        #: kT/p [N] and k_p [N m^m] (E,)
        self.pull: Floats = 4.0 * mu * L / (math.sqrt(3.0) * (slope + (m + 1.0) * worm))
        self.push: Floats = self.pull * worm * L**m
        self.surface, self.longest = surface, L / x
        super().__init__(surface, WormLikeChains(self.pull, self.push, L, self.longest, m))

    def failure_reason(self, made: ForcePass) -> str:
        """Description of the edge that is longer than its chain in an evaluation, or ""."""
        assert isinstance(made, ScalarPass)
        over = made.at.value / self.longest
        if not (over >= 1.0).any():
            return ""
        k = int(np.nanargmax(over))
        one, two = (self.surface.nodes[node].name for node in self.surface.topology.edges[k, :2])
        return (
            f"the chain between {one!r} and {two!r} is {over[k]:.4g} times as long as it can be "
            f"({self.longest[k]:.4g} m); reduce the forces on it, or h"
        )
