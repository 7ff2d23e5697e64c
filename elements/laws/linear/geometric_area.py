"""Area of contact of spheres by their geometry: the circle in which their surfaces meet.

    A = pi a^2,    a^2 = d (2 r_A - d) (2 - d k) (2 (1 + r_A k) - d k)/(4 (1 + (r_A - d) k)^2),    k = 1/r_B

k = 1/R - 1/r_A, 0 of a plane and negative of a shell. For small overlaps it is 2 pi R d, twice the area of
elastic bodies, whose surfaces yield around the contact. On polygons it is the part of the area of a plane
within the polygon. The common area of two faces counts as it is.
"""

import math

from nsgalpha.checks import parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def geometric_area(contact, response, parameters):
    """Areas, and no force."""
    factor = math.pi * parameters[0]
    for c in range(contact.overlap.shape[0]):
        d, r = contact.overlap[c], contact.radius_a[c]
        if math.isinf(contact.radius[c]):
            contact.area[c] *= parameters[0]
            continue
        if r < 0.0:
            r = -r - contact.branch[c]  # of B within the hollow A
        if not (d > 0.0 and r > 0.0 and contact.radius[c] > 0.0):
            contact.area[c] = 0.0
            continue
        k = 1.0 / contact.radius[c] - 1.0 / r
        around = 1.0 + (r - d) * k
        square = d * (2.0 * r - d) * (2.0 - d * k) * (2.0 * (1.0 + r * k) - d * k)
        contact.area[c] = contact.fraction[c] * factor * max(square, 0.0) / (4.0 * around * around)


@offered("laws")
@parameter_set
class GeometricArea(CompiledLaw):
    """The circle of intersection of spheres as their area of contact, for `normal`, without force.

        normal=[SpringDashpot(stiffness=k), GeometricArea()]

    Stated behind the normal law, it gives that area to friction, resistances and `contact_area()`. It is for
    round sides with one another, with planes, shells, cylinders and polygons. factor [-] > 0: by which the
    area of the circle is multiplied.

    Raises ValueError that names the parameter, its value and its range.
    """

    factor: float = positive_field("1 is the circle itself", default=1.0)

    senses = ("normal",)
    kernel = geometric_area
