"""Elastic layer: a pressure that grows with the overlap.

    f = A (k d - c u_n),    not below 0

A is the area of contact, pi R d of round surfaces, or the part of it on the face of a polygon. For two
polygons it is their common area. Source: documentation of mpacts, N_LinearPressure.

With a coefficient of restitution e the dashpot is one of the whole contact. A force f(z) along the approach
z, with the energy E(z), has the restitution e at all speeds and masses m if the dashpot is

    c f sqrt(2 m/E) u_n,    c = beta(e) of energy_restitution.py

With y = sqrt(2 E) and the time s, ds = (f/y) dt, the motion is m y_ss + 2 beta sqrt(m) y_s + y = 0, that of a
linear spring and dashpot, which end where the whole force does. Here f = A k d, and E = A k q d^2/2 of faces,
A k d^2/3 of round surfaces. In q the mean of the squared overlap is over the squared mean (spring_bed.py):

    faces             2 beta sqrt(A k m/q) u_n
    round surfaces    beta sqrt(6 A k m) u_n
"""

import math
from typing import ClassVar

import numpy as np

from elements.laws.energy_restitution import damping_ratio_of
from nsgalpha.checks import field_in, parameter_set, positive_field, refuse
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.compliant_law import Contact, Response
from nsgalpha.model.patch_element import Pressure, no_pressure
from nsgalpha.model.registration import offered


@law_kernel
def linear_pressure(contact, response, parameters):
    """Area times pressure."""
    k, c, beta = parameters[0], parameters[1], parameters[2]
    for i in range(contact.overlap.shape[0]):
        d, u = contact.overlap[i], contact.rate[i, 0]
        if not d > 0.0:
            continue
        area = contact.fraction[i] * contact.area[i]
        flat = math.isinf(contact.radius[i])
        response.energy[i] = area * k * d * d / (2.0 if flat else 3.0)
        dashpot = 0.0
        if beta > 0.0:
            factor = 4.0 / contact.mean_square[i] if flat else 6.0
            dashpot = contact.fraction[i] * beta * math.sqrt(factor * contact.area[i] * k * contact.mass[i])
        if area * (k * d - c * u) < dashpot * u:
            continue
        response.force[i, 0] = area * (k * d - c * u) - dashpot * u
        response.by_overlap[i, 0] = area * (k if flat else 2.0 * k - c * u / d)
        response.by_rate[i, 0, 0] = -area * c - dashpot
        if not flat:
            response.by_overlap[i, 0] -= 0.5 * dashpot * u / d


@offered(
    "laws",
    page=(
        "Normal force",
        "pi R d (k d - c u_n), not below 0; with `restitution` beta(e) sqrt(6 pi R d k m) u_n in place of c",
        "",
    ),
)
@parameter_set
class LinearPressure(CompiledLaw):
    """Normal force of an elastic layer, area times `k d - c u_n`, that does not pull.

    stiffness k [Pa/m] > 0: pressure over overlap; damping c [Pa s/m] >= 0. restitution e in (0, 1], in place
    of `damping`: of the normal velocity, at all speeds and masses m = m_A m_B/(m_A + m_B). Bodies that do not
    turn restore it: spheres, and solids on a face, on an edge or on a corner.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field("it is a pressure over an overlap in Pa/m")
    damping: float = field_in(0.0, math.inf, default=0.0)
    restitution: float | None = None

    senses = ("normal",)
    kernel = linear_pressure
    energy_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.restitution is not None:
            damping_ratio_of(self.restitution)
            if self.damping != 0.0:
                raise refuse("restitution", self.restitution, "left out with damping", "give one of them")

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        beta = 0.0 if self.restitution is None else damping_ratio_of(self.restitution)
        return self.stiffness, self.damping, beta

    extent: ClassVar[float] = 0.0
    attaches: ClassVar[bool] = False

    def pressure(self, contact: Contact, response: Response) -> tuple[Pressure, Pressure | None]:
        """The uniform pressure, and its derivative by the rate."""
        area, none = contact.area, no_pressure(len(contact.area))
        part = np.divide(1.0, area, out=np.zeros_like(area), where=area > 0.0)
        found = none._replace(circle=np.sqrt(area / np.pi), uniform=part * response.force[:, 0])
        if self.damping == 0.0 and self.restitution is None:
            return found, None
        return found, found._replace(uniform=part * response.by_rate[:, 0, 0])
