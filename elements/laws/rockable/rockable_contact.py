"""Laws of Rockable for contact: Default and Avalanche (its documentation, "Force laws").

Normal force over the overlap d, u_n > 0 separating, alpha the viscous rate:

    Default     f_el = k_n d,  f_n = max(f_el - 2 alpha sqrt(k_n m) u_n, 0) - f_c       F = f_el
    Avalanche   loading f_n += k_n dd,  unloading f_n = en2 k_n d                       F = f_n

Springs in sliding and in rolling with twisting, each as one vector, s being the displacements of the step:

    f_t <- f_t - k_t s_t,  |f_t| <= mu F        M <- M - k_r s_r,  |M| <= mu_r l F

l is the branch length. The document lacks k_n in the viscous force and has no formula of Avalanche, whose
normal force is the program's: en2 is its energy restitution, exactly. The clamped f_n of Default restores
more than en2, see `verification/compliant_rockable`; the document's en2 of a viscous rate is its root.

Avalanche with `corrected_branch`: l is the arm from the centre of the free body A to the point of contact. It
is taken without its part along the spin w of A against B,

    l = |r - (r . w / w . w) w|,  r = (r_A - d/2) n        of round bodies (r_A - d/2) |w_t| / |w|

with w_t across the normal: all of the arm where A rolls, none where it spins about the normal. The program
takes the spin of A itself, which is the same where B is a driven body that does not rotate.

Options of the program: `rolling_length`, M at most mu_r f_n with mu_r in metres. With `keeps_history` f_t and
M continue while the pair is open but within reach. In Avalanche f_n continues too, and the next contact adds
to it.
"""

import math

from elements.laws.energy_restitution import rate_of
from elements.laws.rockable.rockable_kernels import (
    MOMENTS,
    WEIGHTS,
    Bound,
    SpringNumbers,
    coefficients,
    damping,
    forget,
    shares,
    springs,
    touch,
)
from nsgalpha.checks import choice, field_in, number_in, parameter_set, positive
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.registration import offered

CORRECTED = len(SpringNumbers._fields)  # place of Avalanche's option in its parameters
ROUNDING = 1e-12


@law_kernel
def default(contact, response, parameters):
    """Linear spring with a dashpot, and springs with a cap."""
    p = coefficients(parameters)
    weight = shares(contact, p.weights)
    for c in range(contact.overlap.shape[0]):
        touch(contact, response, c, 0, p, weight[c], damping(contact, c, p, weight[c]))


@kernel
def across(contact, c):
    """Sine of the angle between normal and spin of A against B."""
    last = contact.rate.shape[1]
    roll = math.hypot(contact.rate[c, last - 3], contact.rate[c, last - 2])
    spin = math.hypot(roll, contact.rate[c, last - 1])
    return roll / spin if spin > 0.0 else 1.0


@kernel
def add_arm_slopes(contact, response, c, most):
    """Derivatives of the moment by the spin, where its bound `most` times `across` holds."""
    first, last = contact.rate.shape[1] - MOMENTS, contact.rate.shape[1]
    roll = math.hypot(contact.rate[c, first], contact.rate[c, first + 1])
    twist = contact.rate[c, first + 2]
    spin, moment = math.hypot(roll, twist), 0.0
    for r in range(first, last):
        moment += response.force[c, r] ** 2
    moment = math.sqrt(moment)
    if roll == 0.0 or moment == 0.0 or moment < (1.0 - ROUNDING) * most * roll / spin:
        return
    for r in range(first, last):
        e = most * response.force[c, r] / moment / spin**3
        for j in range(first, first + 2):
            response.by_rate[c, r, j] += e * contact.rate[c, j] * twist * twist / roll
        response.by_rate[c, r, first + 2] -= e * roll * twist


@law_kernel
def avalanche(contact, response, parameters):
    """Two stiffnesses, and springs with a cap; history f_n, d, springs."""
    p = coefficients(parameters)
    weight = shares(contact, p.weights)
    for c in range(contact.overlap.shape[0]):
        d, k = contact.overlap[c], weight[c] * p.k_n
        if d <= 0.0:
            forget(contact, response, c, 2, p)
            if p.keeps_history != 0.0:
                response.history[c, 0] = contact.history[c, 0]
            continue
        before = contact.history[c, 1]
        f, slope = contact.history[c, 0] + k * (d - before), k
        if d < before:
            f, slope = p.unload * k * d, p.unload * k
        response.force[c, 0] = f
        response.by_overlap[c, 0] = slope
        response.energy[c] = 0.5 * p.unload * k * d * d
        response.history[c, 0], response.history[c, 1] = f, d
        bound = Bound(f, slope, 0.0)
        if parameters[CORRECTED] == 0.0:
            springs(contact, response, c, 2, p, weight[c], bound, bound)
            continue
        arm, part = contact.radius_a[c] - 0.5 * d, across(contact, c)
        length, shrinks = abs(arm), -0.5 if arm > 0.0 else 0.5
        if contact.branch[c] == 0.0:  # two faces
            length, shrinks = 0.0, 0.0
        moment = Bound(part * length * f, part * (length * slope + shrinks * f), 0.0)
        springs(contact, response, c, 2, p, weight[c], bound, moment)
        add_arm_slopes(contact, response, c, p.mu_r * length * f)


def check_springs(law: "RockableDefault | RockableAvalanche") -> None:
    """Raise ValueError unless the parameters that both laws have are in range."""
    positive("k_n", law.k_n)
    for name in ("k_t", "mu", "k_r", "mu_r"):
        number_in(name, getattr(law, name), 0.0, math.inf)
    choice("weights", law.weights, WEIGHTS)


@offered("laws")
@parameter_set
class RockableDefault(CompiledLaw):
    """Rockable's law Default, for `contact=`: all six rows.

    k_n > 0, k_t >= 0 [N/m], k_r >= 0 [N m/rad] (default 0): stiffnesses. mu >= 0 [-] of sliding; mu_r >= 0
    [-] of rolling and twisting, [m] with `rolling_length`. cohesion f_c >= 0 [N]: a constant pull while the
    bodies touch. en2 in [0, 1], energy restitution, or viscous_rate alpha in [0, 1]: elastic without. clamped
    (default): f_n >= 0 before cohesion, so that more is restored than en2: of velocities .550 and not .5 for
    en2=.25, .253 and not .1 for en2=.01; clamped=False restores en2. rolling_length: the moment is at most
    mu_r f_n. keeps_history: f_t and M live on while the pair is open but within reach. weights: "none";
    "number" or "overlap": the stiffnesses of the contacts of the same two bodies are shared, damping by the
    root.

    Raises ValueError that names the parameter, its value and its range.
    """

    k_n: float
    en2: float | None = None
    viscous_rate: float | None = None
    k_t: float = 0.0
    mu: float = 0.0
    k_r: float = 0.0
    mu_r: float = 0.0
    cohesion: float = field_in(0.0, math.inf, default=0.0)
    clamped: bool = True
    rolling_length: bool = False
    keeps_history: bool = False
    weights: str = "none"

    senses = ("contact",)
    kernel = default
    energy_known = True
    whole = by_pair = True  # the contacts of a pair share weights and breakage

    def __post_init__(self) -> None:
        check_springs(self)
        rate_of(self.en2, self.viscous_rate)

    @property
    def history(self) -> int:
        """f_t, M."""
        return 5

    @property
    def parameters(self) -> SpringNumbers:
        """Parameters of the kernel."""
        first = self.k_n, 2.0 * rate_of(self.en2, self.viscous_rate), 1.0
        options = self.clamped, True, self.rolling_length, self.keeps_history, WEIGHTS.index(self.weights)
        springs = self.k_t, self.mu, self.k_r, self.mu_r, self.cohesion
        return SpringNumbers._make(map(float, (*first, *springs, *options)))


@offered("laws")
@parameter_set
class RockableAvalanche(CompiledLaw):
    """Rockable's law Avalanche, for `contact=`: all six rows.

    k_n > 0, k_t >= 0 [N/m], k_r >= 0 [N m/rad] (default 0): stiffnesses. en2 in [0, 1]: energy restitution.
    mu >= 0 [-] of sliding; mu_r >= 0 [-] of rolling and twisting, [m] with `rolling_length`. rolling_length,
    keeps_history, weights: see RockableDefault, but f_n is kept, too, and the next contact loads from there.
    corrected_branch: the moment is at most mu_r l f_n. The arm l goes from the centre of A, the free body, to
    the contact, without its part along the spin of A against B. The force jumps where unloading
    begins: an explicit scheme takes that as it comes, Newton's method may not converge in such a step.

    Raises ValueError that names the parameter, its value and its range.
    """

    k_n: float
    en2: float = field_in(0.0, 1.0, remedy="it is the square of the restitution")
    k_t: float = 0.0
    mu: float = 0.0
    k_r: float = 0.0
    mu_r: float = 0.0
    rolling_length: bool = False
    keeps_history: bool = False
    weights: str = "none"
    corrected_branch: bool = False

    senses = ("contact",)
    kernel = avalanche
    energy_known = True
    whole = by_pair = True  # the contacts of a pair share weights and breakage

    def __post_init__(self) -> None:
        check_springs(self)
        if self.rolling_length and self.corrected_branch:
            raise ValueError("rolling_length and corrected_branch: give one of them; both replace the branch")

    @property
    def history(self) -> int:
        """f_n, d, f_t, M."""
        return 7

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel; a corrected branch is in the bound of the moment."""
        no_branch = self.rolling_length or self.corrected_branch
        options = True, False, no_branch, self.keeps_history, WEIGHTS.index(self.weights)
        springs = self.k_t, self.mu, self.k_r, self.mu_r, 0.0
        first = SpringNumbers._make(map(float, (self.k_n, 0.0, self.en2, *springs, *options)))
        return *first, float(self.corrected_branch)
