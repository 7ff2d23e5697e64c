"""Contact of biological cells after Delile and others.

    f = w A (r_eq - r),    A = a (r - r_max)^2,    r < r_max,    r_eq = c_eq D,  r_max = c_max D

r is the distance of the centres and D that at touch, the sum of the radii (at a plane the radius). With s =
r_max - r, e = r_max - r_eq the force w a (s^3 - e s^2) has the energy w a (s^4/4 - e s^3/3): repulsive below
r_eq, attractive between r_eq and r_max. Beyond r_max, where the text says nothing, there is none.
`attraction` is the w beyond r_eq where it differs.

Source: J. Delile, M. Herrmann, N. Peyrieras, R. Doursat, Nature Communications 8 (2017) 13929; documentation
of mpacts, N_Delile.
"""

import math

from nsgalpha.checks import field_in, number_in, parameter_set, positive, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered

HEXAGON = math.pi / (2.0 * math.sqrt(3.0))  # area of a disk over that of the hexagon around it


@law_kernel
def delile(contact, response, parameters):
    """Area times weight times distance from rest."""
    repulsion, attraction, area = parameters[0], parameters[1], parameters[2]
    rest, end, ends = parameters[3], parameters[4], parameters[5] != 0.0
    for c in range(contact.overlap.shape[0]):
        touch = contact.branch[c] if contact.branch[c] > 0.0 else math.nan  # faces have no centres
        s, e = (end - 1.0) * touch + contact.overlap[c], (end - rest) * touch
        if s <= 0.0 and ends:
            continue
        scale = contact.fraction[c] * area * (repulsion if s > e else attraction)
        response.force[c, 0] = scale * s * s * (s - e)
        response.by_overlap[c, 0] = scale * s * (3.0 * s - 2.0 * e)
        response.energy[c] = scale * s**3 * (0.25 * s - e / 3.0)
        if s > e:
            response.energy[c] += contact.fraction[c] * area * (repulsion - attraction) * e**4 / 12.0


@offered("laws", page=("Normal force", "w a (r - r_max)^2 (r_eq - r), r < r_max", "Delile et al. 2017"))
@parameter_set
class Delile(CompiledLaw):
    """Normal force of biological cells after Delile.

    weight w [N/m^3] > 0: force over area and distance; attraction: that beyond rest, >= 0, where it differs
    from weight; area a [-] > 0 (default 1); end c_max [-] > c_eq: distance over that at touch at which the
    force ends; rest c_eq [-] > 0: at which it is zero (default pi/(2 sqrt(3)), a disk over its hexagon). With
    end > 1 the element needs a reach of (end - 1) times the largest distance at touch. ends (default): no
    force beyond end; False: the printed force, which returns there, up to the reach.

    Raises ValueError that names the parameter, its value and its range.
    """

    weight: float = positive_field()
    end: float
    rest: float = HEXAGON
    area: float = positive_field(default=1.0)
    attraction: float | None = field_in(0.0, math.inf, default=None)
    ends: bool = True

    senses = ("normal",)
    kernel = delile
    energy_known = True

    def __post_init__(self) -> None:
        rest = positive("rest", self.rest)
        number_in("end", self.end, rest, math.inf, open_low=True, remedy="it is beyond rest")

    @property
    def holds_apart(self) -> bool:
        """True if the element needs a reach."""
        return bool(self.end > 1.0)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        attraction = self.weight if self.attraction is None else self.attraction
        return self.weight, attraction, self.area, self.rest, self.end, float(self.ends)
