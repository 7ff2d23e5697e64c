"""Friction by a spring and a dashpot with Coulomb's cap, after Cundall and Strack.

    t = -p (k xi + c u),    xi = xi_0 + increment of the step
    |t| <= mu F:    f = t                              the contact sticks
    otherwise       f = mu_d F t/|t|                   it slips

and the spring is cut back to p k |xi| <= mu_d F. Here F is the positive part of the whole normal force, and p
the part of the contact circle on the face of a polygon. The coefficient of dynamic friction is mu_d <= mu.
The elongation xi of the spring is carried along with the contact. The spring is cut by its own force and not
by that of both. It therefore never takes up energy of the dashpot, and dissipation never decreases.

Sources: Cundall and Strack, Geotechnique 29 (1979) 47; T. Poeschel and T. Schwager, Computational Granular
Dynamics (2005), ch. 2. There, and in the documentation of mpacts, the friction is along u; it is along the
spring here. With `magnitude` F is |F_n|, as printed there: an attractive force then bears friction as well.

As printed, for comparison: along="velocity",

    f = -p min(k |xi| + c |u|, mu F) u/|u|,    in slip mu_d F for mu F,    0 where u = 0

whose spring is not cut and which holds nothing at rest: a body creeps down any slope.
"""

import math

from nsgalpha.checks import choice, field_in, number_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.model.registration import offered

ALONG = ("spring", "velocity")


@kernel
def _along_velocity(contact, response, i, p, bearing, slope):
    """Contact `i` as printed; `slope` is the derivative of the cap over mu by the normal force."""
    k, g = contact.fraction[i] * p[0], contact.fraction[i] * p[1]
    rows = contact.rate.shape[1]
    stretch = speed = 0.0
    for r in range(rows):
        response.history[i, r] = contact.history[i, r] + contact.increment[i, r]
        stretch += response.history[i, r] ** 2
        speed += contact.rate[i, r] ** 2
    stretch, speed = math.sqrt(stretch), math.sqrt(speed)
    if speed == 0.0:
        return
    size = k * stretch + g * speed
    slips = size > p[2] * bearing
    if slips:
        size = p[3] * bearing
    for r in range(rows):
        e = contact.rate[i, r] / speed
        response.force[i, r] = -size * e
        if slips:
            response.by_normal[i, r] = -p[3] * slope * e
        for j in range(rows):
            f = contact.rate[i, j] / speed
            response.by_rate[i, r, j] = -size * ((1.0 if r == j else 0.0) - e * f) / speed
            if not slips:
                response.by_rate[i, r, j] -= g * e * f
                if stretch > 0.0:
                    response.by_increment[i, r, j] = -k * e * response.history[i, j] / stretch


@inlined
def fill_capped(contact, response, i, spring, limits):
    """Fill contact `i` with the capped force (x, y) of a spring and a dashpot.

    spring: k, g, xi, eta, x, y; limits: mu, mu_d, F and its derivative by the normal force. Returns the
    derivative xx, xy, yy of the force by (x, y). Of one row, the second is overwritten.
    """
    k, g, xi, eta, x, y = spring
    mu, dynamic, bearing, sign = limits
    last = contact.rate.shape[1] - 1
    size = math.sqrt(x * x + y * y)
    part, slope, ex, ey = 1.0, 0.0, 0.0, 0.0
    if size > mu * bearing:  # a force in the cap keeps its size and turns
        inverse = 1.0 / size
        ex, ey = inverse * x, inverse * y
        part = inverse * dynamic * bearing
        slope = sign * dynamic
        cut = part
        if g > 0.0:
            stretch = k * math.sqrt(xi * xi + eta * eta)
            cut = dynamic * bearing / stretch if stretch > dynamic * bearing else 1.0
        xi, eta = cut * xi, cut * eta
    response.force[i, last] = part * y
    response.force[i, 0] = part * x
    response.by_normal[i, last] = slope * ey
    response.by_normal[i, 0] = slope * ex
    xx, xy, yy = part * (1.0 - ex * ex), -part * ex * ey, part * (1.0 - ey * ey)
    response.by_increment[i, last, last] = -k * yy
    response.by_increment[i, last, 0] = response.by_increment[i, 0, last] = -k * xy
    response.by_increment[i, 0, 0] = -k * xx
    if g > 0.0:
        response.by_rate[i, last, last] = -g * yy
        response.by_rate[i, last, 0] = response.by_rate[i, 0, last] = -g * xy
        response.by_rate[i, 0, 0] = -g * xx
    response.history[i, last] = eta
    response.history[i, 0] = xi
    response.energy[i] = 0.5 * k * (xi * xi + eta * eta)
    return xx, xy, yy


@law_kernel
def cundall_strack(contact, response, parameters):
    """Spring, dashpot and cap in one row or two."""
    mu, dynamic, magnitude = parameters[2], parameters[3], parameters[4] != 0.0
    printed = parameters[5] != 0.0
    last = contact.rate.shape[1] - 1
    for i in range(contact.overlap.shape[0]):
        k, g = contact.fraction[i] * parameters[0], contact.fraction[i] * parameters[1]
        xi = contact.history[i, 0] + contact.increment[i, 0]
        eta = contact.history[i, 1] + contact.increment[i, 1] if last == 1 else 0.0
        x = -k * xi - g * contact.rate[i, 0]
        y = -k * eta - g * contact.rate[i, 1] if last == 1 else 0.0
        normal = contact.normal[i]
        bearing = abs(normal) if magnitude else max(normal, 0.0)
        if printed:
            sign = 0.0 if bearing == 0.0 else 1.0 if normal > 0.0 else -1.0
            _along_velocity(contact, response, i, parameters, bearing, sign)
            continue
        limits = mu, dynamic, bearing, 0.0 if bearing == 0.0 else 1.0 if normal > 0.0 else -1.0
        fill_capped(contact, response, i, (k, g, xi, eta, x, y), limits)


@offered(
    "laws",
    page=(
        "Friction",
        "t = -(k xi + c u) while abs(t) <= mu F, then mu_d F t/abs(t)",
        "Cundall and Strack 1979",
    ),
)
@parameter_set
class CundallStrack(CompiledLaw):
    """Friction by a spring with Coulomb's cap, for sliding, rolling or twisting.

    stiffness k > 0 [N/m], for rolling and twisting [N m/rad]; mu >= 0 [-], there a length [m]; dynamic_mu
    mu_d in [0, mu]: of slip, where it differs; damping c >= 0 [N s/m], [N m s/rad]: beside the spring while
    it sticks; magnitude: the cap from the magnitude of the normal force, not from its positive part. along:
    "spring" (default), or "velocity" as printed, which creeps, states no energy, and is for comparison only.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field()
    mu: float
    dynamic_mu: float | None = None
    damping: float = field_in(0.0, math.inf, default=0.0)
    magnitude: bool = False
    along: str = "spring"

    senses = ("tangential", "rolling", "twisting")
    kernel = cundall_strack
    history = 2

    @property
    def energy_known(self) -> bool:
        """True if it gives back no more than the energy that it states."""
        return self.along == "spring"

    def __post_init__(self) -> None:
        choice("along", self.along, ALONG)
        mu = number_in("mu", self.mu, 0.0, math.inf)
        if self.dynamic_mu is not None:
            number_in(
                "dynamic_mu", self.dynamic_mu, 0.0, mu, remedy="it is at most mu, that of static friction"
            )

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        dynamic = self.mu if self.dynamic_mu is None else self.dynamic_mu
        return self.stiffness, self.damping, self.mu, dynamic, self.magnitude, ALONG.index(self.along)
