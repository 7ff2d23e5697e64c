"""Torsional friction of a contact circle.

    M = -c A w/(2 pi),    not beyond (2/3) mu F a,    A = p pi a^2,    a = sqrt(R d)

Here a is that of the normal law where it has one (JKR, MaugisDugdale), and w is the relative spin about the
normal. F is the positive part of the normal force, p the part of the circle on the face of a polygon. The
number c, in N s/m, has only numerical meaning. The slip moment is that of a uniform pressure on the circle;
Hertz's has 3 pi/16 in place of 2/3. `effective_radius` puts R in the place of a there, as some texts print:
R/a times as much, for which statics give no reason.

Source: documentation of mpacts, TorsionalCoulombFriction.
"""

import math

from elements.laws.linear.contact_resistance import is_round
from nsgalpha.checks import field_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def torsional_coulomb(contact, response, parameters):
    """Moment about the normal."""
    damping, mu = parameters[0], parameters[1]
    effective, magnitude = parameters[2] != 0.0, parameters[3] != 0.0
    for c in range(contact.overlap.shape[0]):
        d, R, w, normal = contact.overlap[c], contact.radius[c], contact.rate[c, 0], contact.normal[c]
        if not is_round(contact.area[c], contact.fraction[c], R, d):
            d = contact.area[c] / (math.pi * contact.fraction[c] * R)  # a^2/R
        if not d > 0.0:
            continue
        bearing = abs(normal) if magnitude else max(normal, 0.0)
        slope = 0.5 * damping * contact.fraction[c] * R
        arm = 2.0 / 3.0 * mu * (R if effective else math.sqrt(R * d))
        if slope * d * abs(w) <= arm * bearing:
            response.force[c, 0] = -slope * d * w
            response.by_overlap[c, 0] = -slope * w
            response.by_rate[c, 0, 0] = -slope * d
            continue
        side = -1.0 if w > 0.0 else 1.0
        response.force[c, 0] = side * arm * bearing
        response.by_overlap[c, 0] = 0.0 if effective else 0.5 * side * arm * bearing / d
        response.by_normal[c, 0] = 0.0 if bearing == 0.0 else side * arm if normal > 0.0 else -side * arm


@offered("laws", page=("Friction", "-c A w/(2 pi), not beyond (2/3) mu F a; A = pi a^2, a = sqrt(R d)", ""))
@parameter_set
class TorsionalCoulomb(CompiledLaw):
    """Friction of a contact circle against twisting, for `twisting`.

    damping c > 0 [N s/m]: moment over spin and area, times 2 pi; mu >= 0 [-]; effective_radius: the effective
    radius in place of the contact radius in the slip moment; magnitude: slip from the magnitude of the normal
    force, not from its positive part.

    Raises ValueError that names the parameter, its value and its range.
    """

    damping: float = positive_field("as large as the step allows")
    mu: float = field_in(0.0, math.inf)
    effective_radius: bool = False
    magnitude: bool = False

    senses = ("twisting",)
    kernel = torsional_coulomb
    energy_known = True
