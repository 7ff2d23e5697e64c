"""Viscous resistances between particles of a smoothed fluid.

    f = -(gamma_n n n^T + gamma_t (1 - n n^T)) u,    F = -W'(r)/r,    r < 2 h

W is the cubic spline of the smoothing length h in three dimensions, with q = r/h

    F = (3 - (9/4) q)/(pi h^5),  q < 1;       F = (3/4) (2 - q)^2/(pi h^5 q),  1 <= q < 2

and with V = V_i V_j

    morris              gamma_n = gamma_t = 2 mu V F
    monaghan            gamma_n = 10 mu V F,   gamma_t = 0
    espanol-revenga     gamma_t = (5 mu/3 - zeta) V F,   gamma_n = gamma_t + 5 (zeta + mu/3) V F

All keep the momentum, that of Monaghan the angular momentum too. Particles are points with a radius, or
spheres, which then turn each other by their levers; r is the distance of their centres. A plane has no volume
and no force.

Sources: documentation of mpacts, N_T_SPH_Resistance, which prints no formula; J. P. Morris, P. J. Fox, Y.
Zhu, J. Comput. Phys. 136 (1997) 214; J. J. Monaghan, Rep. Prog. Phys. 68 (2005) 1703; P. Espanol, M. Revenga,
Phys. Rev. E 67 (2003) 026705.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from elements.laws.hertzian.pair_materials import GEOMETRIC, OfMaterials, number_of
from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, field_in, parameter_set, positive_field
from nsgalpha.forces import law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.handles import Body
from nsgalpha.model.registration import offered

MODELS = ("morris", "monaghan", "espanol-revenga")


@kernel
def _spline(r, h):
    """F and its derivative by r."""
    q, scale = r / h, 1.0 / (math.pi * h**5)
    if q >= 2.0:
        return 0.0, 0.0
    if q < 1.0:
        return scale * (3.0 - 2.25 * q), -2.25 * scale / h
    rest = 2.0 - q
    return 0.75 * scale * rest * rest / q, -0.75 * scale * rest * (2.0 * q + rest) / (q * q * h)


@law_kernel
def sph(contact, response, parameters):
    """Friction matrix of six rows; rolling and twisting meet none.

    Parameters: smoothing length, factors of V F for gamma_n and gamma_t, bodies, and those of number_of.
    """
    h, along, across, bodies = parameters[0], parameters[1], parameters[2], int(parameters[3])
    for c in range(contact.overlap.shape[0]):
        a, b = contact.a[c], contact.b[c]
        r = contact.branch[c] - contact.overlap[c]
        if contact.branch[c] <= 0.0:
            r = math.nan  # faces, whose centres are not known
        if a >= bodies or b >= bodies or r >= 2.0 * h:
            continue
        volume = number_of(parameters, 4, 1, 0, GEOMETRIC, a, b)
        F, slope = _spline(r, h)
        for i in range(3):
            factor = (along if i == 0 else across) * volume * volume
            response.force[c, i] = -factor * F * contact.rate[c, i]
            response.by_rate[c, i, i] = -factor * F
            response.by_overlap[c, i] = factor * slope * contact.rate[c, i]


@offered("laws")
@parameter_set
class SPH(OfMaterials):
    """Viscous resistance of the particles of a smoothed fluid, for `contact`.

    viscosity mu [Pa s] > 0; smoothing h [m] > 0: half of the range of the kernel; volumes V [m^3] > 0: of
    every particle, or of each of `bodies`; model: "morris" (default), "monaghan" or "espanol-revenga"; bulk
    zeta [Pa s] >= 0: bulk viscosity, for the last.

    Raises ValueError that names the parameter, its value and its range; in a contact of a body that is not
    one of `bodies` too.
    """

    viscosity: float = positive_field("it is a dynamic viscosity in Pa s")
    smoothing: float = positive_field("it is a length in metres")
    volumes: float | Sequence[float]
    bodies: Sequence[Body] | None = None
    model: str = "morris"
    bulk: float = field_in(0.0, math.inf, default=0.0, remedy="it is a bulk viscosity in Pa s")

    NUMBERS: ClassVar = {"volumes": (True, GEOMETRIC)}
    senses = ("contact",)
    kernel = sph
    energy_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice("model", self.model, MODELS)
        self._check()

    @property
    def reach(self) -> float:
        """Gap [m] up to which it acts."""
        return 2.0 * float(self.smoothing)

    @property
    def factors(self) -> tuple[float, float]:
        """Factors of V F for gamma_n and gamma_t [Pa s]."""
        mu, zeta = self.viscosity, self.bulk
        if self.model == "morris":
            return 2.0 * mu, 2.0 * mu
        if self.model == "monaghan":
            return 10.0 * mu, 0.0
        across = 5.0 / 3.0 * mu - zeta
        return across + 5.0 * (zeta + mu / 3.0), across

    @property
    def parameters(self) -> Floats:
        """Parameters of the kernel."""
        bodies = len(self.bodies[0].model.bodies) if self.bodies else np.iinfo(np.int32).max
        return np.array([self.smoothing, *self.factors, bodies, *self._table("volumes")])
