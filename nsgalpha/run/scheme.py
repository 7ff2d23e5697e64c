"""The schemes: generalized-alpha of Chung and Hulbert, in the letters of their paper, and velocity Verlet.

    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) dv_{n+1} + alpha_f dv_n
    v_{n+1} = v_n + h (1 - gamma) a_n + h gamma a_{n+1}
    q_{n+1} = q_n o exp( h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_{n+1} )

Source: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371; on Lie groups Bruls and Cardona,
J. Comput. Nonlinear Dynam. 5 (2010) 031002.
"""

from dataclasses import dataclass
from typing import NamedTuple

from nsgalpha.checks import number_in, positive


class Coefficients(NamedTuple):
    """What the compiled kernels see of a scheme."""

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float


@dataclass(frozen=True, slots=True)
class GeneralizedAlpha:
    """Generalized-alpha with the spectral radius `rho_inf` in [0, 1] at infinite frequency.

    1 keeps the energy of high frequencies, 0 removes them in one step. The scheme is of second
    order and unconditionally stable for linear problems at every value.

    Raises ValueError if `rho_inf` is outside [0, 1].
    """

    rho_inf: float = 0.8

    def __post_init__(self) -> None:
        number_in("rho_inf", self.rho_inf, 0.0, 1.0, remedy="0.8 is a good choice")

    @property
    def alpha_m(self) -> float:
        return (2.0 * self.rho_inf - 1.0) / (self.rho_inf + 1.0)

    @property
    def alpha_f(self) -> float:
        return self.rho_inf / (self.rho_inf + 1.0)

    @property
    def gamma(self) -> float:
        return 0.5 + self.alpha_f - self.alpha_m

    @property
    def beta(self) -> float:
        return 0.25 * (self.gamma + 0.5) ** 2

    @property
    def coefficients(self) -> Coefficients:
        return Coefficients(self.alpha_m, self.alpha_f, self.gamma, self.beta)


@dataclass(frozen=True, slots=True)
class VelocityVerlet:
    """Velocity Verlet, explicit, for models whose contacts are all compliant: explicit/verlet.py.

    Of second order, one evaluation of the forces in a step, which must resolve every contact.
    steps_per_contact: where no step `h` is given it is the shortest contact time over this number, see
    explicit/step_size.py; six are the limit of stability of a dense packing.

    Raises ValueError if `steps_per_contact` is not positive.
    """

    steps_per_contact: float = 30.0

    def __post_init__(self) -> None:
        positive("steps_per_contact", self.steps_per_contact, "30 is a good choice")


Scheme = GeneralizedAlpha | VelocityVerlet
