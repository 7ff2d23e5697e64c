"""Friction of faces with an elastic layer, whose stiffness goes with the area of contact.

    t = -(k xi + c u),    k = A k_t,    c = 2 beta sqrt(k m)

within Coulomb's cap. The contact slips where |t| > mu F, and the spring is cut back to mu_d F
(cundall_strack.py). It slips on as long as |t| > mu_d F, in steps of any size, and then sticks again. A is
the area of contact, k_t the traction over the elongation, beta the damping ratio of the restitution.

As in Mindlin's contact (elements/laws/hertzian/mindlin.py) an area that grows brings no traction. One that is
lost takes its traction with it. The elongation is therefore

    xi = c xi_0 + (1 + c)/2 dx,    c = A_0/A where A grows, 1 where it falls,

and the energy k xi^2/2 is never more than the work done.
"""

import math

from elements.laws.coulomb.cundall_strack import fill_capped
from elements.laws.energy_restitution import damping_ratio_of
from elements.laws.hertzian.mindlin import carried
from nsgalpha.checks import field_in, number_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def layer_friction(contact, response, parameters):
    """Spring, dashpot and cap; history (C, 4): xi in two rows, the area A, and 1 while it slips."""
    stiffness, mu, dynamic, beta = parameters[0], parameters[1], parameters[2], parameters[3]
    for i in range(contact.overlap.shape[0]):
        d, p, area = contact.overlap[i], contact.fraction[i], contact.area[i]
        if not d > 0.0 or not area > 0.0:
            continue
        k, g = p * area * stiffness, 0.0
        if beta > 0.0:
            g = p * 2.0 * beta * math.sqrt(area * stiffness * contact.mass[i])
        c, power = carried(0, contact.history[i, 2], area)
        weight = 0.5 * (1.0 + c)
        first, second = contact.increment[i, 0], contact.increment[i, 1]
        xi = c * contact.history[i, 0] + weight * first
        eta = c * contact.history[i, 1] + weight * second
        x, y = -k * xi - g * contact.rate[i, 0], -k * eta - g * contact.rate[i, 1]
        bearing = max(contact.normal[i], 0.0)
        most = dynamic if contact.history[i, 3] > 0.0 else mu
        limits = most, dynamic, bearing, 1.0 if bearing > 0.0 else 0.0
        response.history[i, 3] = 1.0 if x * x + y * y > (most * bearing) ** 2 else 0.0
        xx, xy, yy = fill_capped(contact, response, i, (k, g, xi, eta, x, y), limits)
        response.history[i, 2] = area
        for r in range(2):
            for j in range(2):
                response.by_increment[i, r, j] *= weight
        if math.isinf(contact.radius[i]):
            continue  # the area of faces does not follow from their overlap
        grow, slow = k / d, 0.5 * g / d
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
        "t = -(A k_t xi + c u) while abs(t) <= mu F, then mu_d F t/abs(t); c = 2 beta(e) sqrt(A k_t m); "
        "xi A/A_0 constant where A grows",
        "",
    ),
)
@parameter_set
class LayerFriction(CompiledLaw):
    """Friction of faces with elastic layers and Coulomb's cap, beside `LinearPressure`.

    stiffness k_t [Pa/m] > 0: traction over elongation; mu >= 0 [-]; dynamic_mu mu_d in [0, mu]: of slip,
    where it differs; restitution e in (0, 1]: that of `LinearPressure`, whose damping ratio the dashpot has,
    1 for no dashpot.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field("it is a traction over an elongation in Pa/m")
    mu: float = field_in(0.0, math.inf)
    dynamic_mu: float | None = None
    restitution: float = 1.0

    senses = ("tangential",)
    kernel = layer_friction
    history = 4
    history_variables = ("elongation_1", "elongation_2", "contact_area", "slips")
    energy_known = True

    def __post_init__(self) -> None:
        damping_ratio_of(self.restitution)
        if self.dynamic_mu is not None:
            remedy = "it is at most mu, that of static friction"
            number_in("dynamic_mu", self.dynamic_mu, 0.0, self.mu, remedy=remedy)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        dynamic = self.mu if self.dynamic_mu is None else self.dynamic_mu
        return self.stiffness, self.mu, dynamic, damping_ratio_of(self.restitution)
