"""Constant force between bodies that overlap, or that are near each other.

    f = p F,    d >= -g_0,    energy p F (d + g_0)

p is the part of the contact circle that lies on the face of a polygon, g_0 the gap up to which the force
acts. Source: documentation of mpacts, N_ConstantForce.
"""

import math

from nsgalpha.checks import field_in, parameter_set
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def constant_force(contact, response, parameters):
    """Constant force."""
    force, distance = parameters[0], parameters[1]
    for c in range(contact.overlap.shape[0]):
        depth = contact.overlap[c] + distance
        if depth >= 0.0:
            response.force[c, 0] = contact.fraction[c] * force
            response.energy[c] = contact.fraction[c] * force * depth


@offered("laws", page=("Normal force", "F where g <= g_0", ""))
@parameter_set
class ConstantForce(CompiledLaw):
    """Constant normal force.

    force F [N], > 0 pushes apart; distance g_0 [m] >= 0 (default 0): gap up to which it acts, to which the
    reach of the element is set if it is less.

    Raises ValueError that names the parameter, its value and its range.
    """

    force: float = field_in(-math.inf, math.inf, remedy="it is a force in newtons")
    distance: float = field_in(0.0, math.inf, default=0.0, remedy="it is a gap in metres")

    senses = ("normal",)
    kernel = constant_force
    energy_known = True

    @property
    def reach(self) -> float:
        """Gap [m] up to which it acts."""
        return float(self.distance)
