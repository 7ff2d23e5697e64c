"""Adhesion over the circle of intersection, for bodies whose meshes carry the elasticity.

The contact radius a is that of the circle (`contact.area` = pi a^2), and the overlap does not enter. With the
traction s_0 = W/h_0 up to the radius c of Griffith's balance (maugis.py), E* is a penalty on further
approach:

    f = 4 E* a^3/(3 R) - 2 s_0 (c^2 acos(a/c) + a sqrt(c^2 - a^2))

With a traction that falls with the gap g between the surfaces, to nothing where it ruptures,

    -s_0 g/g_r,  g = (r^2 - a^2)/(2 R),  a < r <= e,      f = 4 E* a^3/(3 R) - pi s_0 (e^2 - a^2)^2/(4 R g_r)

within the stick radius e, the least sqrt(a^2 + 2 R g_r) since touch, which never grows. A contact comes about
at touch and ends where the surfaces part. Neither force has an energy.

Source: documentation of mpacts, N_MaugisDugdale_geo_Int and N_Hertz_TruncatedTraction_geo_Int, which prints
no formula: linear from 0 at the edge of contact to s_0 at rupture is ours; T. Odenthal et al., PLoS Comput.
Biol. 9 (2013) e1003267.
"""

import math
from typing import ClassVar

import numpy as np

from elements.laws.hertzian.dugdale_zone import balance, force_at, zone_of
from elements.laws.hertzian.maugis import units
from nsgalpha.checks import parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.compliant_law import Contact, Response
from nsgalpha.model.patch_element import Pressure, no_pressure
from nsgalpha.model.registration import offered


@law_kernel
def geometric_maugis(contact, response, parameters):
    """Force, and its slope where a^2 = R d."""
    modulus, work, reach = parameters[0], parameters[1], parameters[2]
    for i in range(contact.overlap.shape[0]):
        R, part = contact.radius[i], contact.fraction[i]
        if not contact.overlap[i] >= 0.0:
            continue
        lam, length, depth = units(modulus, work, reach, R)
        a = math.sqrt(contact.area[i] / math.pi) / length
        w = zone_of(lam, a)
        theta = math.atan2(w, a)
        _, by_a, by_w = balance(lam, a, w)
        k = -by_a / by_w
        slope = 3.0 * a - 2.0 * lam * (theta + k * (a + w * theta))
        response.force[i, 0] = part * math.pi * work * R * force_at(lam, a, w)[0]
        response.by_overlap[i, 0] = part * math.pi * work * R / depth * 0.5 * slope


@kernel
def _zones(a, radius, modulus, work, reach, c):
    for i in range(a.shape[0]):
        lam, length, _ = units(modulus, work, reach, radius[i])
        one = a[i] / length
        c[i] = length * math.hypot(one, zone_of(lam, one))


@offered(
    "laws",
    page=(
        "Normal force",
        "as `MaugisDugdale`, with the a of the circle in which the surfaces meet, pi a^2 = `Contact.area`",
        "Odenthal et al. 2013",
    ),
)
@parameter_set
class GeometricMaugisDugdale(CompiledLaw):
    """Maugis's adhesion over the circle in which two surfaces meet, for `RoundedTriangles` of cells.

    modulus E* [Pa] > 0, a penalty; work W [J/m^2] > 0: work of adhesion; range h_0 [m] > 0: gap up to which
    the surfaces attract each other.

    Raises ValueError that names the parameter, its value and its range.
    """

    modulus: float = positive_field("it is the contact modulus in Pa")
    work: float = positive_field("without adhesion use Hertz")
    range: float = positive_field("for vanishing range use JKR, for an infinite one DMT")

    senses = ("normal",)
    kernel = geometric_maugis
    attaches: ClassVar[bool] = False

    @property
    def extent(self) -> float:
        """Gap at the end of the zone [m]."""
        return self.range

    def pressure(self, contact: Contact, response: Response) -> tuple[Pressure, None]:
        """Hertz's pressure and the tractions of the zone."""
        holds = contact.overlap >= 0.0
        a, c = np.where(holds, np.sqrt(contact.area / np.pi), 0.0), np.zeros(len(holds))
        _zones(a, contact.radius, self.modulus, self.work, self.range, c)
        k = 2.0 * self.modulus / (np.pi * contact.radius) * holds
        traction = np.where(holds, self.work / self.range, 0.0)
        zone = c * holds
        none = no_pressure(len(a))
        return none._replace(circle=a, hertz=k, zone=zone, traction=traction, coarse=zone), None


@law_kernel
def truncated(contact, response, parameters):
    """Force, its slope where a^2 = R d, and the square of the stick radius."""
    modulus, traction, rupture = parameters[0], parameters[1], parameters[2]
    for i in range(contact.overlap.shape[0]):
        R, part, known = contact.radius[i], contact.fraction[i], contact.history[i, 0]
        if not contact.overlap[i] >= 0.0:
            continue
        square = contact.area[i] / math.pi
        now = square + 2.0 * R * rupture
        stick = min(known, now) if known > 0.0 else now
        ring, pull = max(stick - square, 0.0), 0.25 * math.pi * traction / (R * rupture)
        response.history[i, 0] = stick
        response.force[i, 0] = part * (
            4.0 / 3.0 * modulus * square * math.sqrt(square) / R - pull * ring * ring
        )
        response.by_overlap[i, 0] = part * 2.0 * modulus * math.sqrt(square)
        if stick < now:
            response.by_overlap[i, 0] += part * 2.0 * pull * ring * R


@offered(
    "laws",
    page=(
        "Normal force",
        "4 E* a^3/(3 R) - pi s_0 (e^2 - a^2)^2/(4 R g_r), with the same a; "
        "e the least sqrt(a^2 + 2 R g_r) since touch",
        "ours: no formula is printed",
    ),
)
@parameter_set
class TruncatedTraction(CompiledLaw):
    """Hertz's pressure in the circle of intersection, and a traction around it that ruptures.

    modulus E* [Pa] > 0; traction s_0 [Pa] > 0: the largest one; rupture g_r [m] > 0: the gap at which it is
    reached and breaks. Ruptured parts do not stick again while the contact lasts.

    History of a contact: the square of the stick radius [m^2]; 0 before touch.

    Raises ValueError that names the parameter, its value and its range.
    """

    modulus: float = positive_field("it is the contact modulus in Pa")
    traction: float = positive_field("it is a stress in Pa; without it use Hertz")
    rupture: float = positive_field("it is a gap in metres")

    history: ClassVar[int] = 1
    senses = ("normal",)
    kernel = truncated
    attaches: ClassVar[bool] = False

    @property
    def extent(self) -> float:
        """Gap at the edge of the sticking region [m]."""
        return self.rupture

    def pressure(self, contact: Contact, response: Response) -> tuple[Pressure, None]:
        """Hertz's pressure and the traction around it."""
        square = np.where(contact.overlap >= 0.0, contact.area / np.pi, 0.0)
        k = 2.0 * self.modulus / (np.pi * contact.radius)
        stick = np.sqrt(np.maximum(response.history[:, 0] - square, 0.0) + square)
        slope = np.where(stick > 0.0, self.traction / (2.0 * contact.radius * self.rupture), 0.0)
        found = no_pressure(len(square))._replace(circle=np.sqrt(square), hertz=k, stick=stick, slope=slope)
        return found, None
