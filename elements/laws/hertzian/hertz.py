"""Hertz's contact of elastic spheres, with viscosity after Kuwabara and Kono or adhesion after DMT.

    f = (4/3) E* sqrt(R) (d^(3/2) + b A d' d^(1/2)) - 2 pi W R,    d >= 0,    a = sqrt(R d)

R is the effective radius, d' = -u_n the rate of the overlap. A, a time, is the mean of those of the
materials. The factor b is 3/2: the viscous part is A d/dt of the elastic one, the integral of the pressure of
a viscoelastic Hertzian contact. Near separation the viscous part would pull: that is cut off unless
`tension`. A coefficient of restitution e that is the same at all speeds has in its place Tsuji's dashpot

    2 sqrt(5/6) beta sqrt(S m) d',    S = 2 E* sqrt(R d),    effective mass m

with beta(e) of energy_restitution.py, exact for the force with and without tension. The adhesion of DMT acts
from touch to separation, W is the work of adhesion.

All numbers may be given by particle: pair_materials.py.

Sources: K. L. Johnson, Contact Mechanics (1985); G. Kuwabara and K. Kono, Jpn. J. Appl. Phys. 26 (1987) 1230;
N. V. Brilliantov, F. Spahn, J.-M. Hertzsch, T. Poeschel, Phys. Rev. E 53 (1996) 5382; B. V. Derjaguin,
V. M. Muller, Y. P. Toporov, J. Colloid Interface Sci. 53 (1975) 314; Y. Tsuji, T. Tanaka, T. Ishida, Powder
Technol. 71 (1992) 239.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from elements.laws.energy_restitution import damping_ratio_of
from elements.laws.exudyn import bounded
from elements.laws.hertzian.pair_materials import ARITHMETIC, GEOMETRIC, RULES, SERIES, OfMaterials, number_of
from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, parameter_set, positive, positive_field, refuse, together
from nsgalpha.forces import law_kernel
from nsgalpha.model.compliant_law import Contact, Response
from nsgalpha.model.handles import Body
from nsgalpha.model.patch_element import Pressure, no_pressure
from nsgalpha.model.registration import offered


@law_kernel
def hertz(contact, response, parameters):
    """Elastic, viscous and constant adhesive force.

    Parameters: factor of the damping, tension, rule of the work, beta, and those of number_of.
    """
    factor, tension, rule, beta = parameters[0], parameters[1] != 0.0, int(parameters[2]), parameters[3]
    for c in range(contact.overlap.shape[0]):
        d, R, part = contact.overlap[c], contact.radius[c], contact.fraction[c]
        if not d >= 0.0:
            continue
        a, b = contact.a[c], contact.b[c]
        modulus = number_of(parameters, 4, 3, 0, SERIES, a, b)
        viscous = factor * number_of(parameters, 4, 3, 1, ARITHMETIC, a, b)
        work = number_of(parameters, 4, 3, 2, rule, a, b)
        k, root = part * 4.0 / 3.0 * modulus * math.sqrt(R), math.sqrt(d)
        pull = part * 2.0 * math.pi * work * R
        response.energy[c] = 0.4 * k * d * d * root - pull * d
        push = k * root * (d - viscous * contact.rate[c, 0])
        dashpot = 0.0
        if beta > 0.0:
            dashpot = beta * math.sqrt(5.0 * part * k * contact.mass[c] * root)
            push -= dashpot * contact.rate[c, 0]
        if push < 0.0 and not tension:
            response.force[c, 0] = -pull
            continue
        response.force[c, 0] = push - pull
        response.by_overlap[c, 0] = 1.5 * k * root
        response.by_rate[c, 0, 0] = -k * viscous * root - dashpot
        if d > 0.0:
            response.by_overlap[c, 0] -= 0.5 * k * viscous * contact.rate[c, 0] / root
            response.by_overlap[c, 0] -= 0.25 * dashpot * contact.rate[c, 0] / bounded(0.25, d, R)


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


def _parameters(head: tuple[float, ...], table: Floats, work: bool = False) -> Floats:
    """Parameters of the kernel with modulus and damping, or modulus and `work`, in the `table`."""
    size = int(table[0])
    modulus, other = table[1:3]
    rows = table[3:].reshape(2, size)
    none = np.zeros(size)
    numbers = [modulus, 0.0, other] if work else [modulus, other, 0.0]
    tables = [rows[0], none, rows[1]] if work else [rows[0], rows[1], none]
    return np.array([*head, size, *numbers, *np.concatenate(tables)], float)


@offered(
    "laws",
    page=(
        "Normal force",
        "(4/3) E* sqrt(R) (d^(3/2) + b A d' sqrt(d)), d' = -u_n, b = 3/2; a = sqrt(R d); "
        "with `restitution` 2 sqrt(5/6) beta(e) sqrt(2 E* a m) d' in place of A",
        "Johnson 1985; Kuwabara and Kono 1987; Brilliantov et al. 1996; Tsuji et al. 1992",
    ),
)
@parameter_set
class Hertz(OfMaterials):
    """Normal force of elastic spheres, viscous with `damping` or `restitution`.

    modulus E* [Pa] > 0 of all contacts, see `contact_modulus`, or the plane modulus E/(1 - nu^2) of each of
    `bodies`, see `plane_modulus`; damping A [s] >= 0: mean of the damping times of both sides, or that of
    each of `bodies`; viscous_factor b > 0: 3/2, or 1 as in some texts; tension: the viscous part may pull.
    restitution e in (0, 1], in place of `damping`: of the normal velocity, the same at all speeds.

    Raises ValueError that names the parameter, its value and its range; in a contact of a body that is not
    one of `bodies` too.

    >>> steel = Hertz(modulus=contact_modulus(2e11, 0.3, 2e11, 0.3))
    >>> print(steel.contact_radius(1e-6, 0.01))  # sqrt(R d)
    0.0001
    """

    modulus: float | Sequence[float]
    damping: float | Sequence[float] = 0.0
    viscous_factor: float = positive_field("3/2 is Kuwabara and Kono's", default=1.5)
    tension: bool = False
    bodies: Sequence[Body] | None = None
    restitution: float | None = None

    NUMBERS: ClassVar = {"modulus": (True, SERIES), "damping": (False, ARITHMETIC)}
    senses = ("normal",)
    kernel = hertz
    energy_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._check()
        if self.restitution is None:
            return
        damping_ratio_of(self.restitution, self.tension)
        if self.damping != 0.0:
            raise refuse("restitution", self.restitution, "left out with damping", "give one of them")

    @property
    def parameters(self) -> Floats:
        """Parameters of the kernel; there is no work."""
        beta = 0.0 if self.restitution is None else damping_ratio_of(self.restitution, self.tension)
        head = self.viscous_factor, self.tension, GEOMETRIC, beta
        return _parameters(head, self._table("modulus", "damping"))

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
        if self.damping == 0.0 and self.restitution is None:
            return found, None
        return found, none._replace(circle=a, hertz=of_force * response.by_rate[:, 0, 0])


@offered(
    "laws", page=("Normal force", "(4/3) E* sqrt(R) d^(3/2) - 2 pi W R", "Derjaguin, Muller, Toporov 1975")
)
@parameter_set
class DMT(OfMaterials):
    """Adhesion of small, stiff spheres after Derjaguin, Muller and Toporov: Hertz's force less 2 pi W R.

    modulus E* [Pa] > 0 and work of adhesion W [J/m^2] >= 0 of all contacts; or of each of `bodies` its plane
    modulus, see `plane_modulus`, and the W between two of its kind. joined: how the works of both sides are
    joined, "geometric" (default), "arithmetic" or "harmonic".

    Raises ValueError that names the parameter, its value and its range; in a contact of a body that is not
    one of `bodies` too.
    """

    modulus: float | Sequence[float]
    work: float | Sequence[float]
    bodies: Sequence[Body] | None = None
    joined: str = "geometric"

    NUMBERS: ClassVar = {"modulus": (True, SERIES), "work": (False, None)}
    senses = ("normal",)
    kernel = hertz
    energy_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice("joined", self.joined, RULES)
        self._check()

    @property
    def parameters(self) -> Floats:
        """Parameters of the kernel; there is no damping."""
        head = 0.0, 0.0, RULES.index(self.joined), 0.0
        return _parameters(head, self._table("modulus", "work"), work=True)

    def contact_radius(self, overlap: ArrayLike, radius: ArrayLike) -> Floats:
        """Radius a [m] of the contact circle at the `overlap` [m]; effective `radius` [m]."""
        return circle(overlap, radius)

    def pull_off(self, radius: float) -> float:
        """Force -2 pi W R [N] that separates spheres of the effective `radius` [m]."""
        return -2.0 * math.pi * self._single("work") * positive("radius", radius)
