"""Linear spring with a dashpot, the linear law of most codes.

    f = p (k d - c u_n),    not below 0,    d > 0

p is the part of the contact circle that lies on the face of a polygon, 1 elsewhere.
"""

import math

from nsgalpha.checks import field_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def spring_dashpot(contact, response, parameters):
    """Linear spring with a dashpot that does not pull, unless `tension`."""
    tension = parameters[2] != 0.0
    for i in range(contact.overlap.shape[0]):
        k, c = contact.fraction[i] * parameters[0], contact.fraction[i] * parameters[1]
        d = contact.overlap[i]
        if not d > 0.0:
            continue
        f = k * d - c * contact.rate[i, 0]
        response.energy[i] = 0.5 * k * d * d
        if f < 0.0 and not tension:
            continue
        response.force[i, 0] = f
        response.by_overlap[i, 0] = k
        response.by_rate[i, 0, 0] = -c


@offered("laws", page=("Normal force", "k d - c u_n, not below 0", ""))
@parameter_set
class SpringDashpot(CompiledLaw):
    """Linear normal force with a dashpot, `f_n = k d - c u_n`, that does not pull.

    stiffness k [N/m] > 0; damping c [N s/m] >= 0; tension: let it pull shortly before the bodies separate,
    as the formula has it; restitution is then exp(-pi D/sqrt(1 - D^2)) with D = c/(2 sqrt(k m_eff)).

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field()
    damping: float = field_in(0.0, math.inf, default=0.0)
    tension: bool = False

    senses = ("normal",)
    kernel = spring_dashpot
    energy_known = True
