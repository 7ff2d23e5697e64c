"""Linear spring between two points, with stiffness in compression, dashpot, and rupture.

    f = -k (r - r_0) - c u_n,    k = k_s where r > r_0, else k_c,    until r > r_max

r = g is the distance, u_n its rate, f > 0 pushes apart. The spring breaks for good at the end of the step in
which it has become longer than r_max.

Source: documentation of mpacts, Spring and Spring_Damper.
"""

import math
from dataclasses import field

from numpy.typing import ArrayLike

from elements.laws.springs.spring_table import BROKEN, NO_DIRECTION, TabledSprings, row_of
from elements.point_pairs import NOWHERE
from nsgalpha.arrays import Floats
from nsgalpha.checks import parameter_set
from nsgalpha.forces import law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def linear_spring(contact, response, parameters):
    """Springs; history (C, 1) where they may break: 1 once they have."""
    for c in range(contact.overlap.shape[0]):
        p = row_of(parameters, c)
        if p.rupture < math.inf and contact.history[c, 0] == BROKEN:
            response.history[c, 0] = BROKEN
            continue
        r = -contact.overlap[c]
        stretch = r - p.length
        k = p.stretch if stretch > 0.0 else p.compression
        response.force[c, 0] = -k * stretch - p.damping * contact.rate[c, 0]
        response.by_overlap[c, 0] = k
        response.by_rate[c, 0, 0] = -p.damping
        response.energy[c] = 0.5 * k * stretch * stretch
        if r == NOWHERE and (p.length > 0.0 or p.damping > 0.0):
            response.force[c, 0] = NO_DIRECTION
        if r > p.rupture:
            response.history[c, 0] = BROKEN


@offered(
    "parts",
    page=(
        "Springs of given pairs",
        "`Spring`",
        "-k (r - r_0) - c u_n; k = k_s where r > r_0, else k_c; until r > r_max",
    ),
)
@parameter_set
class LinearSpring(TabledSprings):
    """Normal force of springs; every number is one for all pairs, or one for each (P,).

    stiffness k_s [N/m] > 0 where it is longer than at rest; length r_0 [m] >= 0 at rest; compression k_c
    [N/m] >= 0 where it is shorter (default: k_s; 0 is a rope); damping c [N s/m] >= 0 (default 0) of a
    dashpot beside it; rupture r_max [m] > r_0: length above which it breaks for good (default: none).

    History of a contact, where a rupture is given: 1 once it is broken.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: ArrayLike
    length: ArrayLike
    compression: ArrayLike | None = None
    damping: ArrayLike = 0.0
    rupture: ArrayLike | None = None
    parameters: Floats = field(init=False, repr=False, compare=False)  # input of the kernel

    kernel = linear_spring
    energy_known = True

    @property
    def history(self) -> int:
        """True if it is broken."""
        return 0 if self.rupture is None else 1
