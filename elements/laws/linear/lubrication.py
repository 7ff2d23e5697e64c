"""Resistance of a fluid film between spheres that are near each other.

    f = -p (6 pi eta R^2/g) u_n,    g_min < g < g_max

g is the gap, p the part of the contact circle that lies on the face of a polygon. It is the leading term for
small g/R. Below g_min, the height of the roughness, there is none; with `saturates` it keeps the value at
g_min, up to touch. At g_max it ends: choose that so large that the rest does not matter.

Sources: documentation of mpacts, N_LubricationResistance; S. Kim and S. J. Karrila, Microhydrodynamics
(1991), ch. 9.
"""

import math

from nsgalpha.checks import number_in, parameter_set, positive, positive_field, refuse
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def lubrication(contact, response, parameters):
    """Dashpot that hardens as the gap closes."""
    viscosity, least, largest, saturates = parameters[0], parameters[1], parameters[2], parameters[3] != 0.0
    for c in range(contact.overlap.shape[0]):
        gap, R = -contact.overlap[c], contact.radius[c]
        if gap >= largest or gap <= (0.0 if saturates else least):
            continue
        film = max(gap, least)
        resistance = contact.fraction[c] * 6.0 * math.pi * viscosity * R * R / film
        response.force[c, 0] = -resistance * contact.rate[c, 0]
        response.by_rate[c, 0, 0] = -resistance
        response.by_overlap[c, 0] = -resistance * contact.rate[c, 0] / film if gap > least else 0.0


@offered("laws", page=("Normal force", "-(6 pi eta R^2/g) u_n, g_min < g < g_max", "Kim and Karrila 1991"))
@parameter_set
class Lubrication(CompiledLaw):
    """Normal resistance of a fluid film.

    viscosity eta [Pa s] > 0; least g_min [m] > 0: gap below which there is none; largest g_max [m] > g_min:
    gap beyond which there is none, to which the reach of the element is set if it is less; saturates: below
    g_min the resistance stays as it is there.

    Raises ValueError that names the parameter, its value and its range.
    """

    viscosity: float = positive_field("it is a dynamic viscosity in Pa s")
    least: float
    largest: float
    saturates: bool = False

    senses = ("normal",)
    kernel = lubrication
    energy_known = True

    def __post_init__(self) -> None:
        least = positive("least", self.least, "the resistance is infinite at touch")
        if not number_in("largest", self.largest, 0.0, math.inf) > least:
            raise refuse("largest", self.largest, f"above least = {least:g}", "it is a gap in metres")

    @property
    def reach(self) -> float:
        """Gap [m] up to which it acts."""
        return float(self.largest)
