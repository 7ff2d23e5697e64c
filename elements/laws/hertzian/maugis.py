"""Adhesion of elastic spheres between the limits of DMT and JKR, after Maugis and Dugdale.

Across a gap of up to h_0 the bodies attract each other with the constant traction s_0 = W/h_0. With the
contact radius a and the radius c of the zone of attraction, m = c/a:

    (s_0 a^2/(pi W R)) [sqrt(m^2-1) + (m^2-2) acos(1/m)]
        + (4 s_0^2 a/(pi W E*)) [sqrt(m^2-1) acos(1/m) - m + 1] = 1
    d = a^2/R - (2 s_0/E*) sqrt(c^2 - a^2)
    f = 4 E* a^3/(3 R) - 2 s_0 [c^2 acos(a/c) + a sqrt(c^2 - a^2)]

Some texts print the second part of f alone, `adhesion`. The equations are solved in the units of Maugis
(dugdale_zone.py). The number lambda, of the order of Tabor's coefficient, places a contact between the
limits: DMT below 0.1, JKR above 5.

A contact comes about at touch, d >= 0. It is lost where the branch that is stable under a given overlap ends:
at its turning point, or, for lambda below 0.938, where a = 0. The attraction of bodies before they touch, and
after a contact that ends at a = 0, is left out. For the latter the energy is that above the end of the
contact.

History of a contact: overlap, energy and radius at which it ends, in these units; zero before touch.

Source: D. Maugis, J. Colloid Interface Sci. 150 (1992) 243; for cells T. Odenthal et al., PLoS Comput. Biol.
9 (2013) e1003267, eq. (11), (12).
"""

import math
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from elements.laws.hertzian.dugdale_zone import (
    energy_at,
    force_at,
    last_radius,
    overlap_at,
    radius_at,
    zone_of,
)
from elements.laws.hertzian.hertz import overlap_and_radius
from elements.laws.hertzian.pair_materials import ARITHMETIC, RULES, SERIES, OfMaterials, number_of
from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, parameter_set, positive, refuse, together, truths
from nsgalpha.forces import law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.compliant_law import Contact, Response
from nsgalpha.model.handles import Body
from nsgalpha.model.patch_element import Pressure, no_pressure
from nsgalpha.model.registration import offered


@kernel
def units(modulus, work, reach, R):
    """Lambda and the units of length and overlap."""
    K = 4.0 / 3.0 * modulus
    length = (math.pi * work * R * R / K) ** (1.0 / 3.0)
    return 2.0 * work / reach * (R / (math.pi * work * K * K)) ** (1.0 / 3.0), length, length * length / R


@kernel
def _end(lam):
    """Overlap, energy, at most 0, and contact radius at which a contact ends."""
    a = last_radius(lam)
    w = zone_of(lam, a)
    return overlap_at(lam, a, w), min(energy_at(lam, a, w), 0.0), a


@kernel
def _attached(lam, d, least):
    """Contact radius and zone at the overlap `d` of a contact."""
    a = radius_at(lam, d, least)
    return a, 0.75 / lam * (a * a - d)


@law_kernel
def maugis_dugdale(contact, response, parameters):
    """Force, tangent, energy, and the end of the contact.

    Parameters: rule of the work, and those of number_of.
    """
    rule = int(parameters[0])
    for c in range(contact.overlap.shape[0]):
        R, part, one, two = contact.radius[c], contact.fraction[c], contact.a[c], contact.b[c]
        modulus = number_of(parameters, 1, 3, 0, SERIES, one, two)
        work = number_of(parameters, 1, 3, 1, rule, one, two)
        reach = number_of(parameters, 1, 3, 2, ARITHMETIC, one, two)
        if math.isnan(modulus + work + reach):
            if contact.overlap[c] >= 0.0:
                response.force[c, 0] = math.nan
            continue
        lam, length, depth = units(modulus, work, reach, R)
        d, known = contact.overlap[c] / depth, contact.history[c]
        if not (d >= 0.0 or (d > known[0] and known[0] != 0.0)):
            continue
        end, floor, least = (known[0], known[1], known[2]) if known[0] != 0.0 else _end(lam)
        a, w = _attached(lam, d, least)
        f, slope = force_at(lam, a, w)
        unit = part * math.pi * work
        contact.area[c] = part * math.pi * (length * a) ** 2
        response.history[c, 0], response.history[c, 1], response.history[c, 2] = end, floor, least
        response.force[c, 0] = unit * R * f
        response.by_overlap[c, 0] = unit * R / depth * slope
        response.energy[c] = unit * length * length * (energy_at(lam, a, w) - floor)


@kernel
def _radii(overlap, radius, attached, modulus, work, reach, a, c):
    for i in range(overlap.shape[0]):
        lam, length, depth = units(modulus, work, reach, radius[i])
        d, last = overlap[i] / depth, last_radius(lam)
        a[i] = c[i] = 0.0
        if d >= 0.0 or (attached[i] and d > overlap_at(lam, last, zone_of(lam, last))):
            one, w = _attached(lam, d, last)
            a[i], c[i] = length * one, length * math.hypot(one, w)


@kernel
def _branch(a, radius, modulus, work, reach, overlap, force, c):
    for i in range(a.shape[0]):
        lam, length, depth = units(modulus, work, reach, radius[i])
        one = a[i] / length
        w = zone_of(lam, one)
        overlap[i] = depth * overlap_at(lam, one, w)
        force[i] = math.pi * work * radius[i] * force_at(lam, one, w)[0]
        c[i] = length * math.hypot(one, w)


@kernel
def _detachment(lam):
    return _end(lam)[0]


class Branch(NamedTuple):
    """Points of the force-overlap curve."""

    overlap: Floats  # d [m]
    force: Floats  # f [N], > 0 pushes apart
    zone: Floats  # c [m]


@offered(
    "laws",
    page=(
        "Normal force",
        "4 E* a^3/(3 R) - 2 s_0 (c^2 acos(a/c) + a sqrt(c^2 - a^2)), s_0 = W/h_0; d, c in its docstring",
        "Maugis 1992",
    ),
)
@parameter_set
class MaugisDugdale(OfMaterials):
    """Adhesion of elastic spheres after Maugis, with a Dugdale zone: the range between DMT and JKR.

    modulus E* [Pa] > 0, see `contact_modulus`; work W [J/m^2] > 0: work of adhesion; range h_0 [m] > 0: gap
    up to which the bodies attract each other. The numbers are for all contacts. With `bodies` each has its
    plane modulus, see `plane_modulus`, and W and h_0 between two of its kind; a pair takes the mean h_0.
    joined: how the works of both sides are joined, "geometric" (default), "arithmetic" or "harmonic". The
    element needs a `reach` of at least `detachment` of the largest effective radius.

    History of a contact: overlap, energy and radius at which it ends, in units of Maugis; 0 before touch.

    Raises ValueError that names the parameter, its value and its range; in a contact of a body that is not
    one of `bodies` too.
    """

    modulus: float | Sequence[float]
    work: float | Sequence[float]
    range: float | Sequence[float]
    bodies: Sequence[Body] | None = None
    joined: str = "geometric"

    NUMBERS: ClassVar = {"modulus": (True, SERIES), "work": (True, None), "range": (True, ARITHMETIC)}
    history: ClassVar[int] = 3
    holds_apart: ClassVar[bool] = True
    senses = ("normal",)
    kernel = maugis_dugdale
    energy_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice("joined", self.joined, RULES)
        self._check()

    @property
    def parameters(self) -> Floats:
        """Parameters of the kernel."""
        return np.array([RULES.index(self.joined), *self._table("modulus", "work", "range")])

    @property
    def _numbers(self) -> tuple[float, float, float]:
        return self._single("modulus"), self._single("work"), self._single("range")

    def transition(self, radius: float) -> float:
        """Maugis's lambda = 2 s_0 (R/(pi W K^2))^(1/3), K = 4 E*/3; effective `radius` [m]."""
        modulus, work, reach = self._numbers
        K, R = 4.0 / 3.0 * modulus, positive("radius", radius)
        return 2.0 * work / reach * float(R / (math.pi * work * K * K)) ** (1.0 / 3.0)

    def radii(
        self, overlap: ArrayLike, radius: ArrayLike, attached: ArrayLike = True
    ) -> tuple[Floats, Floats]:
        """Radii a of the contact circle and c of the zone of attraction [m], 0 without contact.

        overlap, effective radius [m]; attached: whether the bodies have touched, see the history.
        """
        known = truths("attached", attached).astype(float)
        d, R, holds = overlap_and_radius(overlap, radius, attached=known)
        a, c = np.empty((2, d.size))
        flat = d.ravel(), R.ravel(), holds.astype(bool).ravel()
        _radii(*flat, *self._numbers, a, c)
        return a.reshape(d.shape), c.reshape(d.shape)

    def contact_radius(self, overlap: ArrayLike, radius: ArrayLike, attached: ArrayLike = True) -> Floats:
        """Radius a of `radii`."""
        return self.radii(overlap, radius, attached)[0]

    def adhesion(self, overlap: ArrayLike, radius: ArrayLike, attached: ArrayLike = True) -> Floats:
        """Adhesive part of the force [N], <= 0: f less Hertz's pressure on the contact circle.

            -2 s_0 [c^2 acos(a/c) + a sqrt(c^2 - a^2)],    s_0 = W/h_0

        Arguments are those of `radii`.
        """
        a, c = self.radii(overlap, radius, attached)
        _, work, reach = self._numbers
        angle = np.arccos(np.divide(a, c, out=np.ones_like(a), where=c > 0.0))
        force: Floats = -2.0 * work / reach * (c * c * angle + a * np.sqrt(np.maximum(c * c - a * a, 0.0)))
        return force

    def branch(self, contact_radius: ArrayLike, radius: ArrayLike) -> Branch:
        """Overlap, force and c in equilibrium with the `contact_radius` a [m], stable or not.

        With a = sqrt(R d), d a geometric overlap, force and c are those of the variant with geometric radius.

        Raises ValueError for a contact radius below zero.
        """
        a, R = together(contact_radius=contact_radius, radius=radius)
        if not (a >= 0.0).all():
            raise refuse("contact_radius", contact_radius, "at least 0", "it is a length in metres")
        found = np.empty((3, a.size))
        _branch(a.ravel(), R.ravel(), *self._numbers, *found)
        return Branch(*(row.reshape(a.shape) for row in found))

    def detachment(self, radius: float) -> float:
        """Gap [m] at which spheres of the effective `radius` [m] let go: the least `reach`."""
        R = positive("radius", radius)
        modulus, work, _ = self._numbers
        length = float(math.pi * work * R * R / (4.0 / 3.0 * modulus)) ** (1.0 / 3.0)
        return -length * length / R * float(_detachment(self.transition(R)))

    attaches: ClassVar[bool] = True

    @property
    def extent(self) -> float:
        """Gap at the end of the zone [m]."""
        return self._numbers[2]

    def pressure(self, contact: Contact, response: Response) -> tuple[Pressure, None]:
        """Hertz's pressure and the tractions of the zone, of those contacts that hold."""
        modulus, work, reach = self._numbers
        holds = response.history[:, 0] != 0.0
        a = np.where(holds, np.sqrt(contact.area / np.pi), 0.0)
        traction = work / reach
        w = np.where(holds, 0.5 * modulus / traction * (a * a / contact.radius - contact.overlap), 0.0)
        k = 2.0 * modulus / (np.pi * contact.radius) * holds
        zone = np.hypot(a, w)
        return no_pressure(len(a))._replace(circle=a, hertz=k, zone=zone, traction=traction * holds), None
