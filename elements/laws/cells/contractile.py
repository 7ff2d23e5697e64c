"""Contact of flat cells on a substrate: repulsion at overlap, and contraction of the contact.

    f = (2/R) (W_s - (W_s + W_c) (r - R)/R),    r < 2 R

r is the distance of the centres, R the mean radius. The force goes from 2 W_s/R at r = R, where half of a
cell has lost the substrate, to -2 W_c/R at touch. From touch to r = R the repulsion takes the energy W_s, the
contraction gives W_c.

With `dewets` there is no force at r < R: one cell has left the substrate and lies on the other. Without, the
force continues to grow.

Source: B. Smeets, R. Alert, J. Pesek, I. Pagonabarraga, H. Ramon, R. Vincent, PNAS 113 (2016) 14621;
documentation of mpacts, N_Contractile, which prints no formula.
"""

import math

from nsgalpha.checks import field_in, parameter_set
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def contractile(contact, response, parameters):
    """Linear force that jumps at touch."""
    substrate, contraction, dewets = parameters[0], parameters[1], parameters[2] != 0.0
    for c in range(contact.overlap.shape[0]):
        R, d = 0.5 * contact.branch[c], contact.overlap[c]
        if not d > 0.0:
            continue
        scale = 2.0 * contact.fraction[c] / R
        slope, pull, lost = (substrate + contraction) / R, contraction, d
        if dewets and d > R:
            lost = R
        else:
            response.force[c, 0] = scale * (slope * d - pull)
            response.by_overlap[c, 0] = scale * slope
        response.energy[c] = scale * lost * (0.5 * slope * lost - pull)


@offered(
    "laws",
    page=(
        "Normal force",
        "(2/R) (W_s - (W_s + W_c) (r - R)/R), r < 2 R, R the mean radius",
        "Smeets et al. 2016",
    ),
)
@parameter_set
class Contractile(CompiledLaw):
    """Normal force of flat cells on a substrate.

    substrate W_s [J] >= 0: energy of the adhesion to the substrate; contraction W_c [J] >= 0: of the contact
    of the cells; dewets: no force between cells that overlap by more than their mean radius.

    Raises ValueError that names the parameter, its value and its range.
    """

    substrate: float = field_in(0.0, math.inf, remedy="it is an energy in joules")
    contraction: float = field_in(0.0, math.inf, remedy="it is an energy in joules")
    dewets: bool = False

    senses = ("normal",)
    kernel = contractile
    energy_known = True
