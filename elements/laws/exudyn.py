"""Laws of Exudyn's ObjectContactSphereSphere: elastic normal force with a dashpot, regularised friction.

    f_n = k_c d^n - d_c u_n                                          impact model 0 without plasticity
    f_t = -mu max(f_n, 0) u_t / max(|u_t|, v_reg)

u_n is the gap velocity, > 0 separating. Source: the Exudyn documentation of that object (Gerstmayr,
Weyrer). There f_n pulls shortly before separation (it is not clamped), and friction has the signed f_n:
then it drives the sliding. Here friction takes the positive part; `signed` is the program's.
"""

import math
from dataclasses import dataclass

from nsgalpha.checks import number_in, positive
from nsgalpha.compliant import Contact, Response, law_kernel


@law_kernel
def power(contact, response, parameters):
    """Power law with a dashpot."""
    k, c, n = parameters[0], parameters[1], parameters[2]
    for i in range(contact.overlap.shape[0]):
        d = contact.overlap[i]
        if not d > 0.0:
            continue
        slope = k if n == 1.0 else k * d ** (n - 1.0)
        f = slope * d
        response.force[i, 0] = f - c * contact.rate[i, 0]
        response.by_overlap[i, 0] = n * slope
        response.by_rate[i, 0, 0] = -c
        response.energy[i] = f * d / (n + 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExudynNormal:
    """Elastic normal force with a dashpot, `f_n = k d^n - c u_n`.

    stiffness k [N/m^n] > 0; damping c [N s/m] >= 0; exponent n >= 1, 1 linear, 1.5 Hertz.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float
    damping: float = 0.0
    exponent: float = 1.0

    kernel = power

    def __post_init__(self) -> None:
        positive("stiffness", self.stiffness)
        number_in("damping", self.damping, 0.0, math.inf)
        number_in("exponent", self.exponent, 1.0, math.inf, remedy="1 is linear, 1.5 Hertz's")

    @property
    def parameters(self) -> tuple[float, ...]:
        """What the kernel gets."""
        return self.stiffness, self.damping, self.exponent

    def __call__(self, contact: Contact, response: Response) -> None:
        """Normal force of C contacts."""
        self.kernel(contact, response, self.parameters)


@law_kernel
def regularised_coulomb(contact, response, parameters):
    """Friction against the sliding velocity, proportional to it below `zone`; any number of rows."""
    mu, zone, signed = parameters[0], parameters[1], parameters[2] != 0.0
    rows = contact.rate.shape[1]
    for c in range(contact.rate.shape[0]):
        square = 0.0
        for i in range(rows):
            square += contact.rate[c, i] ** 2
        speed = math.sqrt(square)
        normal = contact.normal[c]
        if normal < 0.0 and not signed:
            continue
        slope = mu / max(speed, zone)
        for i in range(rows):
            response.force[c, i] = -slope * normal * contact.rate[c, i]
            response.by_normal[c, i] = -slope * contact.rate[c, i]
            response.by_rate[c, i, i] = -slope * normal
            if speed > zone:
                for j in range(rows):
                    along = contact.rate[c, i] * contact.rate[c, j] / square
                    response.by_rate[c, i, j] += slope * normal * along


@dataclass(frozen=True, slots=True, kw_only=True)
class RegularisedCoulomb:
    """Coulomb friction, proportional to the velocity below `velocity_zone`.

    mu >= 0: friction coefficient [-], for rolling and twisting a length [m]; velocity_zone > 0 [m/s],
    for rolling and twisting [rad/s]; signed: friction with the signed normal force as in the program,
    which gains energy while the contact pulls.

    Raises ValueError that names the parameter, its value and its range.
    """

    mu: float
    velocity_zone: float = 1e-3
    signed: bool = False

    kernel = regularised_coulomb

    def __post_init__(self) -> None:
        number_in("mu", self.mu, 0.0, math.inf)
        positive("velocity_zone", self.velocity_zone)

    @property
    def parameters(self) -> tuple[float, ...]:
        """What the kernel gets."""
        return self.mu, self.velocity_zone, self.signed

    def __call__(self, contact: Contact, response: Response) -> None:
        """Friction force of C contacts."""
        self.kernel(contact, response, self.parameters)
