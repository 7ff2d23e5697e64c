"""Friction of Hertzian contacts after Mindlin: a tangential stiffness that goes with the contact radius.

    t = -(k xi + c u),    k = 8 G* a,    a = sqrt(R d),    c = 2 sqrt(5/6) beta sqrt(k m)

within Coulomb's cap. The contact slips where |t| > mu F, and the spring is cut back (cundall_strack.py).
k is the stiffness of a contact without slip at a constant normal load.

A contact that is loaded grows by a ring without traction, so that the force stays: dT = k dx. One that is
unloaded loses the traction of its rim with the ring: T is rescaled with a. The elongation xi = T/k hence is

    dxi = dx - xi da/a    where a grows,        dxi = dx    where it falls                             (1)

Over a step from the radius a_0 to a, of second order in h and with the last factors 1 where a falls,

    xi = c xi_0 + (1 + c)/2 dx,    c = a_0/a                                                           (2)

The energy k xi^2/2 is then never more than the work done: loading keeps T^2/(2 k), which falls with 1/k,
unloading keeps xi. Other springs of the codes of granular matter, for comparison only, have other c:

    spring                      c loaded, unloaded    in LAMMPS                 energy
    "rescaled force"            a_0/a, 1              mindlin_rescale/force     never created
    "force"                     a_0/a, a_0/a          mindlin/force             created by unloading
    "rescaled displacement"     1, a/a_0              mindlin_rescale           created by loading
    "displacement"              1, 1                  mindlin                   created by loading

Beta is the damping ratio of the normal dashpot (hertz.py), and c that of LIGGGHTS. The tangential over the
normal dashpot is 2 sqrt(G*/E*). A contact with the area of an adhesive neck, or of
`GeometricArea`, has the radius a of that area.

Sources: R. D. Mindlin, J. Appl. Mech. 16 (1949) 259; R. D. Mindlin, H. Deresiewicz, J. Appl. Mech. 20 (1953)
327; O. R. Walton, in: Particulate Two-Phase Flow (1993), ch. 25; D. Elata, J. G. Berryman, Mechanics of
Materials 24 (1996) 229, on the energy.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from elements.laws.coulomb.cundall_strack import fill_capped
from elements.laws.energy_restitution import damping_ratio_of
from elements.laws.exudyn import bounded
from elements.laws.hertzian.contact_modulus import plane_modulus, tangential_modulus
from elements.laws.hertzian.hertz import Hertz
from elements.laws.hertzian.pair_materials import SERIES, OfMaterials, number_of
from elements.laws.linear.contact_resistance import is_round
from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, field_in, number_in, parameter_set, refuse
from nsgalpha.forces import law_kernel
from nsgalpha.jit.decorators import inlined
from nsgalpha.model.handles import Body
from nsgalpha.model.registration import offered

SPRINGS = ("rescaled force", "force", "rescaled displacement", "displacement")  # by their codes


@inlined
def carried(spring, before, a):
    """C of (2) from the radius `before` to `a`, and the power of a with which it goes."""
    if spring == 3 or before == 0.0:
        return (1.0 if spring >= 2 else 0.0), 0.0
    if spring == 2:
        return (1.0, 0.0) if a >= before else (a / before, 1.0)
    return (1.0, 0.0) if spring == 0 and a < before else (before / a, -1.0)


@law_kernel
def mindlin(contact, response, parameters):
    """Spring, dashpot and cap; history (C, 3): xi in two rows, and the radius a.

    Parameters: mu, mu_d, beta, code of the spring, and those of number_of.
    """
    mu, dynamic, beta, spring = parameters[0], parameters[1], parameters[2], int(parameters[3])
    for i in range(contact.overlap.shape[0]):
        d, R, p = contact.overlap[i], contact.radius[i], contact.fraction[i]
        if not is_round(contact.area[i], p, R, d):
            d = contact.area[i] / (math.pi * p * R)  # a^2/R
        if not d > 0.0:
            continue
        a = math.sqrt(R * d)
        whole = 8.0 * a * number_of(parameters, 4, 1, 0, SERIES, contact.a[i], contact.b[i])
        k, g = p * whole, 0.0
        if beta > 0.0:
            g = p * 2.0 * math.sqrt(5.0 / 6.0) * beta * math.sqrt(whole * contact.mass[i])
        c, power = carried(spring, contact.history[i, 2], a)
        weight = 0.5 * (1.0 + c)
        first, second = contact.increment[i, 0], contact.increment[i, 1]
        xi = c * contact.history[i, 0] + weight * first
        eta = c * contact.history[i, 1] + weight * second
        x, y = -k * xi - g * contact.rate[i, 0], -k * eta - g * contact.rate[i, 1]
        bearing = max(contact.normal[i], 0.0)
        limits = mu, dynamic, bearing, 1.0 if bearing > 0.0 else 0.0
        xx, xy, yy = fill_capped(contact, response, i, (k, g, xi, eta, x, y), limits)
        response.history[i, 2] = a
        for r in range(2):
            for j in range(2):
                response.by_increment[i, r, j] *= weight
        grow, slow = 0.5 * k / bounded(0.5, d, R), 0.25 * g / bounded(0.25, d, R)
        xi += power * c * (contact.history[i, 0] + 0.5 * first)
        eta += power * c * (contact.history[i, 1] + 0.5 * second)
        x = -grow * xi - slow * contact.rate[i, 0]
        y = -grow * eta - slow * contact.rate[i, 1]
        response.by_overlap[i, 0] = xx * x + xy * y
        response.by_overlap[i, 1] = xy * x + yy * y


@offered(
    "laws",
    page=(
        "Friction",
        "t = -(8 G* a xi + c u) while abs(t) <= mu F, then mu_d F t/abs(t); a = sqrt(R d), "
        "c = 2 sqrt(5/6) beta(e) sqrt(8 G* a m); xi a/a_0 constant where a grows",
        "Mindlin 1949; Mindlin and Deresiewicz 1953; Walton 1993",
    ),
)
@parameter_set
class Mindlin(OfMaterials):
    """Friction of elastic spheres with Mindlin's stiffness and Coulomb's cap, beside `Hertz`.

    shear_modulus G* [Pa] > 0 of all contacts, see `contact_shear_modulus`, or G/(2 - nu) of each of `bodies`,
    see `tangential_modulus`; mu >= 0 [-]; dynamic_mu mu_d in [0, mu]: of slip, where it differs.
    restitution e in (0, 1]: that of `Hertz`, whose damping ratio the tangential dashpot has, 1 for no
    dashpot. spring: "rescaled force" (default), or for comparison only "force", "rescaled displacement" or
    "displacement", which create energy.

    Raises ValueError that names the parameter, its value and its range; in a contact of a body that is not
    one of `bodies` too.
    """

    shear_modulus: float | Sequence[float]
    mu: float = field_in(0.0, math.inf)
    dynamic_mu: float | None = None
    restitution: float = 1.0
    spring: str = "rescaled force"
    bodies: Sequence[Body] | None = None

    NUMBERS: ClassVar = {"shear_modulus": (True, SERIES)}
    senses = ("tangential",)
    kernel = mindlin
    history = 3
    history_variables = ("elongation_1", "elongation_2", "contact_radius")

    def __post_init__(self) -> None:
        self._check()
        damping_ratio_of(self.restitution)
        choice("spring", self.spring, SPRINGS)
        if self.dynamic_mu is not None:
            remedy = "it is at most mu, that of static friction"
            number_in("dynamic_mu", self.dynamic_mu, 0.0, self.mu, remedy=remedy)

    @property
    def energy_known(self) -> bool:
        """True if it gives back no more than the energy that it states."""
        return self.spring == SPRINGS[0]

    @property
    def parameters(self) -> Floats:
        """Parameters of the kernel."""
        dynamic = self.mu if self.dynamic_mu is None else self.dynamic_mu
        head = self.mu, dynamic, damping_ratio_of(self.restitution), SPRINGS.index(self.spring)
        return np.array([*head, *self._table("shear_modulus")], float)


@offered()
def hertz_mindlin(
    young: ArrayLike,
    poisson: ArrayLike,
    mu: float,
    restitution: float = 1.0,
    *,
    dynamic_mu: float | None = None,
    bodies: Sequence[Body] | None = None,
) -> dict[str, Any]:
    """The laws `normal` and `tangential` of elastic spheres: `Hertz` and `Mindlin`.

    young E [Pa] > 0, poisson nu in (-1, 0.5]: of one material of all bodies, or of each of `bodies`;
    restitution e in (0, 1]: of the normal velocity, 1 is elastic; mu, dynamic_mu: see `Mindlin`.

    Raises ValueError that names the argument, its value and its range.

    >>> steel = hertz_mindlin(young=2e11, poisson=0.3, mu=0.2, restitution=0.9)
    >>> print(f"{steel['tangential'].shear_modulus / steel['normal'].modulus:.4f}")  # k_t/k_n of small loads
    0.2059
    """
    normal, tangential = plane_modulus(young, poisson), tangential_modulus(young, poisson)
    if normal.ndim and bodies is None:
        name, value = ("young", young) if np.ndim(young) else ("poisson", poisson)
        raise refuse(name, value, "a number", "for one of each body say which: bodies=...")
    if normal.ndim == 0:
        normal, tangential = 0.5 * normal, 0.5 * tangential  # two of them in series
    return {
        "normal": Hertz(modulus=normal.tolist(), restitution=restitution, bodies=bodies),
        "tangential": Mindlin(
            shear_modulus=tangential.tolist(),
            mu=mu,
            dynamic_mu=dynamic_mu,
            restitution=restitution,
            bodies=bodies,
        ),
    }
