"""Coulomb friction after Haff and Werner: a dashpot with a cap.

    f = -min(p c |u|, mu F) u/|u|

F is the positive part of the whole normal force, p the part of the contact circle that lies on the face of a
polygon. A dashpot cannot hold a body on a slope: it creeps with mu F/(p c). Use CundallStrack for contacts at
rest.

Sources: P. K. Haff and B. T. Werner, Powder Technol. 48 (1986) 239; documentation of mpacts,
T_CoulombFriction, where F is |F_n| (`magnitude`).
"""

import math

from nsgalpha.checks import field_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def haff_werner(contact, response, parameters):
    """Dashpot with a cap; any number of rows."""
    mu, magnitude = parameters[1], parameters[2] != 0.0
    rows = contact.rate.shape[1]
    for c in range(contact.rate.shape[0]):
        damping, normal, square = contact.fraction[c] * parameters[0], contact.normal[c], 0.0
        for i in range(rows):
            square += contact.rate[c, i] ** 2
        cap = mu * (abs(normal) if magnitude else max(normal, 0.0))
        slips = damping * math.sqrt(square) > cap
        slope = cap / math.sqrt(square) if slips else damping
        for i in range(rows):
            response.force[c, i] = -slope * contact.rate[c, i]
            response.by_rate[c, i, i] = -slope
            if slips:
                sign = 0.0 if cap == 0.0 else mu if normal > 0.0 else -mu
                response.by_normal[c, i] = -sign * contact.rate[c, i] / math.sqrt(square)
                for j in range(rows):
                    response.by_rate[c, i, j] += slope * contact.rate[c, i] * contact.rate[c, j] / square


@offered("laws", page=("Friction", "-min(c abs(u), mu F) u/abs(u)", "Haff and Werner 1986"))
@parameter_set
class HaffWerner(CompiledLaw):
    """Coulomb friction with a dashpot as the static regime, for sliding, rolling or twisting.

    damping c > 0 [N s/m], for rolling and twisting [N m s/rad]; mu >= 0 [-], there a length [m]; magnitude:
    the cap from the magnitude of the normal force, not from its positive part.

    Raises ValueError that names the parameter, its value and its range.
    """

    damping: float = positive_field("as large as the step allows")
    mu: float = field_in(0.0, math.inf)
    magnitude: bool = False

    senses = ("tangential", "rolling", "twisting")
    kernel = haff_werner
    energy_known = True
