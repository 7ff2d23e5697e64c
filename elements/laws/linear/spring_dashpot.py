"""Linear spring with a dashpot, the linear law of most codes.

    f = p (k d - c u_n),    not below 0,    d > 0

p is the part of the contact circle that lies on the face of a polygon, 1 elsewhere. With a coefficient of
restitution e the dashpot is

    c = 2 beta sqrt(k m/s),    s = q/(2 - q)

with the effective mass m and beta(e) of energy_restitution.py. The overlap d of solids is a mean over their
common area, and q the mean of its square over the squared mean (spring_bed.py). A part of it that is linear
over the area, which the four contacts of a pair see, does not count. With the approach z of the bodies

    two faces      d = z      q = 1      s = 1
    an edge        d = z/2    q = 4/3    s = 2
    a corner       d = z/3    q = 3/2    s = 3

The stiffness over z is k/s, so that beta is the damping ratio in all three.
"""

import math

from elements.laws.energy_restitution import damping_ratio_of
from nsgalpha.checks import field_in, parameter_set, positive_field, refuse
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered

LARGEST = 1.5  # mean square of an overlap over the squared mean: that of a corner


@law_kernel
def spring_dashpot(contact, response, parameters):
    """Linear spring with a dashpot that does not pull, unless `tension`."""
    tension, beta = parameters[2] != 0.0, parameters[3]
    for i in range(contact.overlap.shape[0]):
        k, c = contact.fraction[i] * parameters[0], contact.fraction[i] * parameters[1]
        d = contact.overlap[i]
        if not d > 0.0:
            continue
        if beta > 0.0:
            q = min(contact.mean_square[i], LARGEST)
            c = contact.fraction[i] * 2.0 * beta * math.sqrt(parameters[0] * contact.mass[i] * (2.0 - q) / q)
        f = k * d - c * contact.rate[i, 0]
        response.energy[i] = 0.5 * k * d * d
        if f < 0.0 and not tension:
            continue
        response.force[i, 0] = f
        response.by_overlap[i, 0] = k
        response.by_rate[i, 0, 0] = -c


@offered(
    "laws", page=("Normal force", "k d - c u_n, not below 0; with `restitution` c = 2 beta(e) sqrt(k m)", "")
)
@parameter_set
class SpringDashpot(CompiledLaw):
    """Linear normal force with a dashpot, `f_n = k d - c u_n`, that does not pull.

    stiffness k [N/m] > 0; damping c [N s/m] >= 0; tension: let it pull shortly before the bodies separate,
    as the formula has it; restitution is then exp(-pi D/sqrt(1 - D^2)) with D = c/(2 sqrt(k m_eff)).
    restitution e in (0, 1], in place of `damping`: of the normal velocity, at all speeds and masses m_eff =
    m_A m_B/(m_A + m_B). Bodies that do not turn restore it: spheres, and solids on a face, on an edge or on a
    corner.

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field()
    damping: float = field_in(0.0, math.inf, default=0.0)
    tension: bool = False
    restitution: float | None = None

    senses = ("normal",)
    kernel = spring_dashpot
    energy_known = True

    def __post_init__(self) -> None:
        if self.restitution is not None:
            damping_ratio_of(self.restitution, self.tension)
            if self.damping != 0.0:
                raise refuse("restitution", self.restitution, "left out with damping", "give one of them")

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        beta = 0.0 if self.restitution is None else damping_ratio_of(self.restitution, self.tension)
        return self.stiffness, self.damping, self.tension, beta
