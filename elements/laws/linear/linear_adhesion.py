"""Attraction across a gap g = -d, from touch until it ruptures: linear, or constant.

    LinearAdhesion    f = -p F_d g/g_d      0 < g < g_d,    energy p F_d g^2/(2 g_d)
    PresetForce       f =  p F              g < g_d

The work of rupture of the first is F_d g_d/2.

The bodies adhere once they have touched, and let go at the gap g_d. The factor p is the part of the contact
circle that lies on the face of a polygon. With a law for the overlap they are added:
`normal=[SpringDashpot(...), LinearAdhesion(...)]`.

A preset F > 0 pushes the bodies apart by F g_d more than it took to bring them together: it is a drive.
Source: documentation of mpacts, N_LinearAdhesionForce and PresetForce.
"""

import math
from typing import ClassVar

from nsgalpha.checks import field_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def linear_adhesion(contact, response, parameters):
    """Attraction that grows with the gap."""
    slope, rupture = parameters[0] / parameters[1], parameters[1]
    for c in range(contact.overlap.shape[0]):
        d, part = contact.overlap[c], contact.fraction[c]
        if not (d >= 0.0 or (contact.history[c, 0] != 0.0 and d > -rupture)):
            continue
        response.history[c, 0] = 1.0
        if d < 0.0:
            response.force[c, 0] = part * slope * d
            response.by_overlap[c, 0] = part * slope
            response.energy[c] = 0.5 * part * slope * d * d


@law_kernel
def preset_force(contact, response, parameters):
    """Constant force."""
    force, release, weighted = parameters[0], parameters[1], parameters[2] != 0.0
    for c in range(contact.overlap.shape[0]):
        d, part = contact.overlap[c], contact.fraction[c] if weighted else 1.0
        if d > 0.0 or (contact.history[c, 0] != 0.0 and d >= -release):
            response.history[c, 0] = 1.0
            response.force[c, 0] = part * force
            response.energy[c] = part * force * (d + release)


@offered("laws", page=("Normal force", "-F_d g/g_d from touch until g = g_d", ""))
@parameter_set
class LinearAdhesion(CompiledLaw):
    """Attraction that grows with the gap until it ruptures.

    force F_d [N] > 0: at rupture; distance g_d [m] > 0: gap of rupture, to which the reach of the element is
    set if it is less.

    History of a contact: 1 from touch to rupture.

    Raises ValueError that names the parameter, its value and its range.
    """

    force: float = positive_field("it is the force at rupture in newtons")
    distance: float = positive_field("it is the gap of rupture in metres")

    history: ClassVar[int] = 1
    senses = ("normal",)
    kernel = linear_adhesion
    energy_known: ClassVar[bool] = True

    @property
    def reach(self) -> float:
        """Gap [m] up to which it acts."""
        return float(self.distance)


@offered("laws", page=("Normal force", "F from touch until g = g_d", ""))
@parameter_set
class PresetForce(CompiledLaw):
    """Constant normal force from touch to release.

    force F [N], > 0 pushes apart; distance g_d [m] >= 0: gap of release, to which the reach of the element is
    set if it is less. weighted (default): of a contact on a face the part that lies there, so that the faces
    of a mesh share F; False: all of F on each of them, as printed.

    History of a contact: 1 from touch to release.

    Raises ValueError that names the parameter, its value and its range.
    """

    force: float = field_in(-math.inf, math.inf, remedy="it is a force in newtons")
    distance: float = field_in(0.0, math.inf, remedy="it is the gap of release in metres")
    weighted: bool = True

    history: ClassVar[int] = 1
    senses = ("normal",)
    kernel = preset_force

    @property
    def reach(self) -> float:
        """Gap [m] up to which it acts."""
        return float(self.distance)
