"""Laws of Exudyn's ObjectContactSphereSphere: elastic normal force with a dashpot, regularised friction.

    f_n = k_c d^n - d_c u_n                                          impact model 0 without plasticity
    f_t = -mu(|u_t|) max(f_n, 0) u_t/|u_t|
    mu(v) = (mu_d + mu_s) v/v_reg                                         v <= v_reg
            mu_d + mu_s exp(-(v - v_reg)/v_exp) + mu_v (v - v_reg)        above

u_n is the gap velocity, > 0 separating. Source: the Exudyn documentation of that object (Gerstmayr,
Weyrer), which has mu_s = mu_v = 0, and of its StribeckFunction. There f_n pulls shortly before separation (it
is not clamped), and friction has the signed f_n: then it drives the sliding. Here friction takes the
positive part; `signed` is the program's. For n < 1 forces are as stated, and only their tangents are bounded,
which Newton's method needs.
"""

import math
from typing import Any

from nsgalpha.checks import field_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.registration import offered

STEEP = 1e-9  # overlap over the effective radius below which tangents of exponents n < 1 are bounded


@kernel
def bounded(n, d, R):
    """The overlap by which d^n is divided for its slope n d^n/d: `d`, but for n < 1 not below STEEP R."""
    return d if n >= 1.0 else max(d, STEEP * R)


def exponent_field() -> Any:
    """The field of an exponent n > 0."""
    remedy = "1 is linear, 1.5 Hertz's; below 1 the force is steep at touch"
    return field_in(0.0, math.inf, default=1.0, open_low=True, remedy=remedy)


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
        response.by_overlap[i, 0] = n * slope if n >= 1.0 else n * f / bounded(n, d, contact.radius[i])
        response.by_rate[i, 0, 0] = -c
        response.energy[i] = f * d / (n + 1.0)


@offered("laws")
@parameter_set
class ExudynNormal(CompiledLaw):
    """Elastic normal force with a dashpot, `f_n = k d^n - c u_n`.

    stiffness k [N/m^n] > 0; damping c [N s/m] >= 0; exponent n > 0, 1 linear, 1.5 Hertz.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field()
    damping: float = field_in(0.0, math.inf, default=0.0)
    exponent: float = exponent_field()

    senses = ("normal",)
    kernel = power
    energy_known = True


@law_kernel
def regularised_coulomb(contact, response, parameters):
    """Friction against the sliding velocity, proportional to it below `zone`; any number of rows."""
    mu, zone, signed = parameters[0], parameters[1], parameters[2] != 0.0
    offset, decay, viscous = parameters[3], parameters[4], parameters[5]
    rows = contact.rate.shape[1]
    for c in range(contact.rate.shape[0]):
        square = 0.0
        for i in range(rows):
            square += contact.rate[c, i] ** 2
        speed = math.sqrt(square)
        normal = contact.normal[c]
        if normal < 0.0 and not signed:
            continue
        if speed > zone:
            more = offset * math.exp((zone - speed) / decay) if offset > 0.0 else 0.0
            slope = (mu + more + viscous * (speed - zone)) / speed
            rise = viscous - more / decay
        else:
            slope, rise = (mu + offset) / zone, 0.0
        for i in range(rows):
            response.force[c, i] = -slope * normal * contact.rate[c, i]
            response.by_normal[c, i] = -slope * contact.rate[c, i]
            response.by_rate[c, i, i] = -slope * normal
            if speed > zone:
                for j in range(rows):
                    along = contact.rate[c, i] * contact.rate[c, j] / square
                    response.by_rate[c, i, j] += (slope - rise) * normal * along


@offered("laws", page=("Friction", "-mu(abs(u)) F u/abs(u)", "Exudyn"))
@parameter_set
class RegularisedCoulomb(CompiledLaw):
    """Coulomb friction, proportional to the velocity below `velocity_zone`, with Stribeck's curve above.

    mu >= 0: coefficient of dynamic friction mu_d [-], for rolling and twisting a length [m]; velocity_zone
    v_reg > 0 [m/s], for rolling and twisting [rad/s] (default 1e-3); signed: friction with the signed normal
    force as in the program, which gains energy while the contact pulls (default: its positive part).
    static_offset mu_s >= 0 [-]: static friction less dynamic (default 0), which decays over decay_velocity
    v_exp > 0 [m/s] (default 1e-3); viscous mu_v >= 0 [s/m]: growth with the velocity (default 0).

    Raises ValueError that names the parameter, its value and its range.
    """

    mu: float = field_in(0.0, math.inf)
    velocity_zone: float = positive_field(default=1e-3)
    signed: bool = False
    static_offset: float = field_in(0.0, math.inf, default=0.0)
    decay_velocity: float = positive_field(default=1e-3)
    viscous: float = field_in(0.0, math.inf, default=0.0)

    senses = ("tangential", "rolling", "twisting")
    kernel = regularised_coulomb

    @property
    def energy_known(self) -> bool:
        """True if it gives back no more than the energy that it states."""
        return not self.signed
