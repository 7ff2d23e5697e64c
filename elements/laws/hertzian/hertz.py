"""Hertz's contact of elastic spheres, with viscosity after Kuwabara and Kono or adhesion after DMT.

    f = (4/3) E* sqrt(R) (d^(3/2) + b A d' d^(1/2)) - 2 pi W R,    d >= 0,    a = sqrt(R d)

R is the effective radius, d' = -u_n the rate of the overlap. A, a time, is the mean of those of the
materials. b is 3/2: the viscous part is A d/dt of the elastic one, and what the pressure of a viscoelastic
Hertzian contact integrates to; 1 (`viscous_factor`) is what some texts print. Near separation the viscous
part would pull: that is cut off unless `tension`. The adhesion of DMT acts from touch to separation, W is the
work of adhesion.

Sources: K. L. Johnson, Contact Mechanics (1985); G. Kuwabara and K. Kono, Jpn. J. Appl. Phys. 26 (1987) 1230;
N. V. Brilliantov, F. Spahn, J.-M. Hertzsch, T. Poeschel, Phys. Rev. E 53 (1996) 5382; B. V. Derjaguin,
V. M. Muller, Y. P. Toporov, J. Colloid Interface Sci. 53 (1975) 314.
"""

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import field_in, parameter_set, positive, positive_field, refuse, together
from nsgalpha.compliant import CompiledLaw, law_kernel
from nsgalpha.compliant.law import Contact, Response
from nsgalpha.compliant.patch import Pressure, no_pressure


@law_kernel
def hertz(contact, response, parameters):
    """Elastic, viscous and constant adhesive force."""
    modulus, viscous, tension, work = parameters[0], parameters[1], parameters[2] != 0.0, parameters[3]
    for c in range(contact.overlap.shape[0]):
        d, R, part = contact.overlap[c], contact.radius[c], contact.fraction[c]
        if not d >= 0.0:
            continue
        k, root = part * 4.0 / 3.0 * modulus * math.sqrt(R), math.sqrt(d)
        pull = part * 2.0 * math.pi * work * R
        response.energy[c] = 0.4 * k * d * d * root - pull * d
        push = k * root * (d - viscous * contact.rate[c, 0])
        if push < 0.0 and not tension:
            response.force[c, 0] = -pull
            continue
        response.force[c, 0] = push - pull
        response.by_overlap[c, 0] = 1.5 * k * root
        response.by_rate[c, 0, 0] = -k * viscous * root
        if d > 0.0:
            response.by_overlap[c, 0] -= 0.5 * k * viscous * contact.rate[c, 0] / root


def circle(overlap: ArrayLike, radius: ArrayLike) -> Floats:
    """Hertz's contact radius sqrt(R d) [m], 0 where open; overlap and effective radius [m].

    Raises ValueError for shapes that do not go together, and a radius below 0.
    """
    d, R = overlap_and_radius(overlap, radius)
    return np.sqrt(R * np.maximum(d, 0.0))


def overlap_and_radius(overlap: ArrayLike, radius: ArrayLike, **more: ArrayLike) -> list[Floats]:
    """Overlap, effective radius [m], and `more` in one shape, or a ValueError."""
    arrays = together(overlap=overlap, radius=radius, **more)
    if (arrays[1] < 0.0).any():
        raise refuse("radius", radius, "at least 0", "it is an effective radius in metres")
    return arrays


@parameter_set
class Hertz(CompiledLaw):
    """Normal force of elastic spheres, viscous with `damping`.

    modulus E* [Pa] > 0, see `contact_modulus`; damping A [s] >= 0: mean of the damping times of both sides;
    viscous_factor b > 0: 3/2, or 1 as in some texts; tension: the viscous part may pull.

    Raises ValueError that names the parameter, its value and its range.

    >>> steel = Hertz(modulus=contact_modulus(2e11, 0.3, 2e11, 0.3))
    >>> print(steel.contact_radius(1e-6, 0.01))  # sqrt(R d)
    0.0001
    """

    modulus: float = positive_field("it is the contact modulus in Pa")
    damping: float = field_in(0.0, math.inf, default=0.0, remedy="it is a time in seconds")
    viscous_factor: float = positive_field("3/2 is Kuwabara and Kono's", default=1.5)
    tension: bool = False

    senses = ("normal",)
    kernel = hertz

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        return self.modulus, self.viscous_factor * self.damping, self.tension, 0.0

    def contact_radius(self, overlap: ArrayLike, radius: ArrayLike) -> Floats:
        """Radius a [m] of the contact circle at the `overlap` [m]; effective `radius` [m]."""
        return circle(overlap, radius)

    extent: ClassVar[float] = 0.0
    attaches: ClassVar[bool] = False

    def pressure(self, contact: Contact, response: Response) -> tuple[Pressure, Pressure | None]:
        """K sqrt(a^2 - r^2) with k = 3 f/(2 pi a^3), and its derivative by the rate."""
        a = circle(contact.overlap, contact.radius)
        of_force = np.divide(1.5, np.pi * a**3, out=np.zeros_like(a), where=a**3 > 0.0)
        none = no_pressure(len(a))
        found = none._replace(circle=a, hertz=of_force * response.force[:, 0])
        if self.damping == 0.0:
            return found, None
        return found, none._replace(circle=a, hertz=of_force * response.by_rate[:, 0, 0])


@parameter_set
class DMT(CompiledLaw):
    """Adhesion of small, stiff spheres after Derjaguin, Muller and Toporov: Hertz's force less 2 pi W R.

    modulus E* [Pa] > 0; work W [J/m^2] >= 0: work of adhesion.

    Raises ValueError that names the parameter, its value and its range.
    """

    modulus: float = positive_field("it is the contact modulus in Pa")
    work: float = field_in(0.0, math.inf, remedy="it is an energy over an area in J/m^2")

    senses = ("normal",)
    kernel = hertz

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        return self.modulus, 0.0, 0.0, self.work

    def contact_radius(self, overlap: ArrayLike, radius: ArrayLike) -> Floats:
        """Radius a [m] of the contact circle at the `overlap` [m]; effective `radius` [m]."""
        return circle(overlap, radius)

    def pull_off(self, radius: float) -> float:
        """Force -2 pi W R [N] that separates spheres of the effective `radius` [m]."""
        return -2.0 * math.pi * self.work * positive("radius", radius)
