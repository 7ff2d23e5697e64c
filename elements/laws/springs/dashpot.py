"""Dashpot, at any distance or in contact only.

    f = -p c u_n,    at any distance; `in_contact`: where d > 0

p is the part of the contact circle that lies on the face of a polygon, 1 elsewhere.

Source: documentation of mpacts, LinearDamper and LinearDamperOverlap.
"""

import math

from elements.laws.springs.spring_table import NO_DIRECTION
from elements.point_pairs import NOWHERE
from nsgalpha.checks import parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def linear_dashpot(contact, response, parameters):
    """Dashpots."""
    in_contact = parameters[1] != 0.0
    for i in range(contact.overlap.shape[0]):
        if in_contact and not contact.overlap[i] > 0.0:
            continue
        c = contact.fraction[i] * parameters[0]
        response.force[i, 0] = -c * contact.rate[i, 0]
        response.by_rate[i, 0, 0] = -c
        if contact.overlap[i] == -NOWHERE:
            response.force[i, 0] = NO_DIRECTION


@offered(
    "parts", page=("Springs of given pairs", "`Dashpot`", "-c u_n; `in_contact=True`: where d > 0, times p")
)
@parameter_set
class LinearDashpot(CompiledLaw):
    """Normal force of a dashpot.

    damping c [N s/m] > 0; in_contact: only while the bodies overlap, else at any distance.

    Raises ValueError that names the parameter, its value and its range.
    """

    damping: float = positive_field()
    in_contact: bool = False

    senses = ("normal",)
    kernel = linear_dashpot
    energy_known = True
    stiffest = 0.0

    @property
    def reach(self) -> float:
        """Gap [m] up to which it acts."""
        return 0.0 if self.in_contact else math.inf
