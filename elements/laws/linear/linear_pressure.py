"""Elastic layer: a pressure that grows with the overlap.

    f = A (k d - c u_n),    not below 0

A is the area of contact, pi R d of round surfaces, or the part of it on the face of a polygon. For two
polygons it is their common area. Source: documentation of mpacts, N_LinearPressure.
"""

import math
from typing import ClassVar

import numpy as np

from nsgalpha.checks import field_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.compliant_law import Contact, Response
from nsgalpha.model.patch_element import Pressure, no_pressure
from nsgalpha.model.registration import offered


@law_kernel
def linear_pressure(contact, response, parameters):
    """Area times pressure."""
    k, c = parameters[0], parameters[1]
    for i in range(contact.overlap.shape[0]):
        d, u = contact.overlap[i], contact.rate[i, 0]
        if not d > 0.0:
            continue
        area = contact.fraction[i] * contact.area[i]
        flat = math.isinf(contact.radius[i])
        response.energy[i] = area * k * d * d / (2.0 if flat else 3.0)
        if k * d < c * u:
            continue
        response.force[i, 0] = area * (k * d - c * u)
        response.by_overlap[i, 0] = area * (k if flat else 2.0 * k - c * u / d)
        response.by_rate[i, 0, 0] = -area * c


@offered("laws", page=("Normal force", "pi R d (k d - c u_n), not below 0", ""))
@parameter_set
class LinearPressure(CompiledLaw):
    """Normal force of an elastic layer, area times `k d - c u_n`, that does not pull.

    stiffness k [Pa/m] > 0: pressure over overlap; damping c [Pa s/m] >= 0.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field("it is a pressure over an overlap in Pa/m")
    damping: float = field_in(0.0, math.inf, default=0.0)

    senses = ("normal",)
    kernel = linear_pressure
    energy_known: ClassVar[bool] = True

    extent: ClassVar[float] = 0.0
    attaches: ClassVar[bool] = False

    def pressure(self, contact: Contact, response: Response) -> tuple[Pressure, Pressure | None]:
        """The uniform pressure, and its derivative by the rate."""
        area, none = contact.area, no_pressure(len(contact.area))
        part = np.divide(1.0, area, out=np.zeros_like(area), where=area > 0.0)
        found = none._replace(circle=np.sqrt(area / np.pi), uniform=part * response.force[:, 0])
        if self.damping == 0.0:
            return found, None
        return found, found._replace(uniform=part * response.by_rate[:, 0, 0])
