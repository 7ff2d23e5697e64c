"""Impact model 0 of Exudyn's ObjectContactSphereSphere with plasticity: Edinburgh's adhesive model.

    f_n = max( min(k_c d^n, k_2 (d^n - d_p^n)), - k_adh d^x ) - f_adh - d_c u_n,    k_2 = k_c / (1 - lambda)

The plastic overlap d_p is the largest lambda^(1/n) d of the contact, reset when it opens. The first branch is
first loading, where d_p grows, the second unloading and reloading, the third adhesion. A contact opens at d =
0, and the force jumps by f_adh there. Without adhesion and with n = 1 the restitution is sqrt(1 - lambda).

The stored energy is the work of unloading, the integral of f_n + d_c u_n from 0 to d at constant d_p;
the adhesive branch ends at the overlap b,

    k_2 (b^n - d_p^n) = - k_adh b^x

Source: the Exudyn documentation of that object (Gerstmayr, Weyrer), after Thakur, Morrissey, Sun, Chen
and Ooi, Granular Matter 16 (2014) 383. The program takes x = 1 wherever n = 1.
"""

import math

from elements.laws.exudyn import bounded, exponent_field
from nsgalpha.checks import field_in, number_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.registration import offered

HALVINGS = 60


@kernel
def _branch_end(k2, n, yielded, adhesion, x):
    """Overlap b at which adhesion ends; `yielded` = d_p^n. The bracket is [0, d_p]."""
    if adhesion == 0.0:
        return yielded ** (1.0 / n)
    if n == x:
        return (k2 * yielded / (k2 + adhesion)) ** (1.0 / n)
    low, high = 0.0, yielded ** (1.0 / n)
    for _ in range(HALVINGS):
        b = 0.5 * (low + high)
        if k2 * (b**n - yielded) < -adhesion * b**x:
            low = b
        else:
            high = b
    return high


@law_kernel
def plastic(contact, response, parameters):
    """Elasto-plastic adhesive law, history (C, 1): d_p."""
    k, ratio, pull_off, adhesion = parameters[0], parameters[1], parameters[2], parameters[3]
    x, c, n, initial = parameters[4], parameters[5], parameters[6], parameters[7]
    k2 = k / (1.0 - ratio)
    for i in range(contact.overlap.shape[0]):
        d = contact.overlap[i]
        if not d > 0.0:
            continue
        power = d**n
        yielded = max(contact.history[i, 0], initial) ** n  # d_p^n
        first = ratio * power >= yielded
        if first:
            yielded = ratio * power
        elastic = k * power if first else k2 * (power - yielded)
        adhesive = -adhesion * d**x
        if elastic >= adhesive:
            response.force[i, 0] = elastic
            rise = n * (k if first else k2) * power
            response.by_overlap[i, 0] = rise / bounded(n, d, contact.radius[i])
        else:
            response.force[i, 0] = adhesive
            response.by_overlap[i, 0] = x * adhesive / d
        response.force[i, 0] -= pull_off + c * contact.rate[i, 0]
        response.by_rate[i, 0, 0] = -c
        response.history[i, 0] = yielded ** (1.0 / n)
        b = _branch_end(k2, n, yielded, adhesion, x)
        response.energy[i] = -adhesion * min(b, d) ** (x + 1.0) / (x + 1.0) - pull_off * d
        if d > b:
            response.energy[i] += k2 * ((d * power - b ** (n + 1.0)) / (n + 1.0) - yielded * (d - b))


@offered("laws")
@parameter_set
class ExudynPlastic(CompiledLaw):
    """Elasto-plastic normal force with adhesion, and a dashpot.

    stiffness k_c [N/m^n] > 0 of first loading; plasticity lambda in (0, 1), k_2 = k_c / (1 - lambda);
    pull_off f_adh [N] >= 0; adhesion k_adh [N/m^x] >= 0; adhesion_exponent x >= 0; damping c [N s/m] >= 0;
    exponent n > 0; initial d_p [m] >= 0: plastic overlap with which contacts begin (default 0), in the
    program with the data of its node. The program takes x = 1 for n = 1 in any case.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field()
    plasticity: float
    pull_off: float = field_in(0.0, math.inf, default=0.0)
    adhesion: float = field_in(0.0, math.inf, default=0.0)
    adhesion_exponent: float = field_in(0.0, math.inf, default=1.0)
    damping: float = field_in(0.0, math.inf, default=0.0)
    exponent: float = exponent_field()
    initial: float = field_in(0.0, math.inf, default=0.0, remedy="it is an overlap in metres")

    history = 1
    history_variables = ("plastic_overlap",)
    senses = ("normal",)
    kernel = plastic
    energy_known = True

    def __post_init__(self) -> None:
        remedy = "ExudynNormal is without plasticity and adhesion"
        number_in("plasticity", self.plasticity, 0.0, 1.0, open_low=True, open_high=True, remedy=remedy)
