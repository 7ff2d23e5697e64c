"""Spring and dashpot with Coulomb's cap, after Cundall and Strack: what most codes of the field call linear.

    f_n = max(k_n d - c_n u_n, 0)
    f_t = -k_t xi    while k_t |xi| <= mu f_n,    else  f_t = -mu f_n xi/|xi|,  xi cut back to -f_t/k_t

xi, the elongation of the spring, is carried along with the contact. In the cap f_n is the whole normal force.
The friction is along the spring, not along u_t. A dashpot beside a spring that is cut back would feed it
with energy: friction here has none, see LudingFriction for one. Source: Cundall and Strack, Geotechnique
29 (1979) 47.
"""

import math

from nsgalpha.checks import number_in, parameter_set, positive
from nsgalpha.compliant import Contact, Response, law_kernel


@law_kernel
def spring_dashpot(contact, response, parameters):
    """Linear spring with a dashpot that does not pull, unless `tension`."""
    k, c, tension = parameters[0], parameters[1], parameters[2] != 0.0
    for i in range(contact.overlap.shape[0]):
        d = max(contact.overlap[i], 0.0)
        f = k * d - c * contact.rate[i, 0]
        response.energy[i] = 0.5 * k * d * d
        if f < 0.0 and not tension:
            continue
        response.force[i, 0] = f
        response.by_overlap[i, 0] = k
        response.by_rate[i, 0, 0] = -c


@parameter_set
class SpringDashpot:
    """Linear normal force with a dashpot, `f_n = k d - c u_n`, that does not pull.

    stiffness k [N/m] > 0; damping c [N s/m] >= 0; tension: let it pull shortly before the bodies separate,
    as the formula has it; restitution is then exp(-pi D/sqrt(1 - D^2)) with D = c/(2 sqrt(k m_eff)).

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float
    damping: float = 0.0
    tension: bool = False

    rows = (1,)
    kernel = spring_dashpot

    def __post_init__(self) -> None:
        positive("stiffness", self.stiffness)
        number_in("damping", self.damping, 0.0, math.inf)

    @property
    def parameters(self) -> tuple[float, ...]:
        """What the kernel gets."""
        return self.stiffness, self.damping, self.tension

    def __call__(self, contact: Contact, response: Response) -> None:
        """Normal force of C contacts."""
        self.kernel(contact, response, self.parameters)


@law_kernel
def cundall_strack(contact, response, parameters):
    """Spring and cap in one row or two: of one row, what is written for a second is written over."""
    k, mu = parameters[0], parameters[1]
    ease = 1.0 / k
    last = contact.rate.shape[1] - 1
    for i in range(contact.overlap.shape[0]):
        x = -k * (contact.history[i, 0] + contact.increment[i, 0])
        y = -k * (contact.history[i, 1] + contact.increment[i, 1]) if last == 1 else 0.0
        size, cap = math.sqrt(x * x + y * y), mu * max(contact.normal[i], 0.0)
        part, slope, ex, ey = 1.0, 0.0, 0.0, 0.0
        if size > cap:  # a force in the cap keeps its size and turns
            inverse = 1.0 / size
            ex, ey = inverse * x, inverse * y
            part, slope = inverse * cap, mu if cap > 0.0 else 0.0
        x, y = part * x, part * y
        response.force[i, last] = y
        response.force[i, 0] = x
        response.by_normal[i, last] = slope * ey
        response.by_normal[i, 0] = slope * ex
        response.by_increment[i, last, last] = -k * part * (1.0 - ey * ey)
        response.by_increment[i, last, 0] = response.by_increment[i, 0, last] = k * part * ex * ey
        response.by_increment[i, 0, 0] = -k * part * (1.0 - ex * ex)
        response.history[i, last] = -ease * y
        response.history[i, 0] = -ease * x
        response.energy[i] = 0.5 * ease * (x * x + y * y)


@parameter_set
class CundallStrack:
    """Friction by a spring with Coulomb's cap, for sliding, rolling or twisting.

    stiffness k > 0 [N/m], for rolling and twisting [N m/rad]; mu >= 0 [-], there a length [m].

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float
    mu: float

    rows = (1, 2)
    kernel = cundall_strack
    history = 2

    def __post_init__(self) -> None:
        positive("stiffness", self.stiffness)
        number_in("mu", self.mu, 0.0, math.inf)

    @property
    def parameters(self) -> tuple[float, ...]:
        """What the kernel gets."""
        return self.stiffness, self.mu

    def __call__(self, contact: Contact, response: Response) -> None:
        """Friction force of C contacts."""
        self.kernel(contact, response, self.parameters)
