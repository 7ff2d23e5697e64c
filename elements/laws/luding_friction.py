"""Friction of Luding's model: one routine for sliding, rolling and twisting.

A spring xi, of two components or one, and a dashpot, that slip together at the yield force y:

    f_trial = -k xi - gamma u,    xi = xi_0 + increment of the step
    |f_trial| <= y:    f = f_trial
    otherwise          f = y phi_d f_trial/|f_trial|,    xi = -(f + gamma u)/k

Sliding is a force, rolling and twisting are pure couples of the relative spin, with xi in rad:

                 k                y
    sliding      k_t              tan phi (f_n + k_a d)
    couples      k_r a_12^2       tan phi (f_n + k_a d) a_12        a_12 twice the effective radius

f_n is the whole normal force with its viscous part, with which f_n + k_a d turns negative where an adhesive
contact opens: then y = 0. Dissipated in a step are, by the mean force of the spring and the mean rate,

    k (xi_0 + xi)/2 . (xi_trial - xi) + gamma |increment|^2/h,

viscous work while the contact sticks, plastic work all of it where it slips.

Where gamma |u| exceeds y the spring ends up loaded backwards, with up to (gamma |u|)^2/(2 k) without work.
Viscosities are meant to be small against y/|u|.

Source: the documentation of the Luding model in Woo. Its k_r a_12 is a force and not a moment per radian;
`documented_unit` takes its number as N m/rad. Its program computes the trial force with xi_0 (`old_spring`).
While the contact sticks this leaves a viscosity gamma - k h. Where it slips the spring stays constant and
creates energy.
"""

import math
from typing import ClassVar

import numpy as np

from elements.laws.luding_normal import check_young, pair_stiffness
from nsgalpha.checks import field_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def slide(contact, response, parameters):
    """Force, tangent, energy and history: spring (2), viscous and plastic work; one or two rows."""
    stiffness, tan_phi, phi_d = parameters[0], parameters[1], parameters[2]
    gamma = parameters[3]
    power, arm_power, old_spring = parameters[5], parameters[6], parameters[7] != 0.0
    rows = contact.rate.shape[1]
    trial = np.empty(rows)
    for c in range(contact.rate.shape[0]):
        a12 = 2.0 * contact.radius[c]
        scale = pair_stiffness(contact, c, parameters[8], parameters[9])
        k, ka, arm = scale * stiffness * a12**power, scale * parameters[4], a12**arm_power
        bearing = max(contact.normal[c] + ka * contact.overlap[c], 0.0)
        limit = tan_phi * bearing * arm
        square, energy, moved = 0.0, 0.0, 0.0
        for i in range(rows):
            xi = contact.history[c, i] + contact.increment[c, i]
            energy += 0.5 * k * xi * xi
            moved += contact.increment[c, i] ** 2
            response.history[c, i] = xi
            trial[i] = -k * (contact.history[c, i] if old_spring else xi) - gamma * contact.rate[c, i]
            square += trial[i] ** 2
        size = math.sqrt(square)
        slope = 0.0 if old_spring else -k
        for work in range(2, 4):
            response.history[c, work] = contact.history[c, work]
        if size <= limit:
            response.energy[c] = energy
            response.history[c, 2] += gamma * moved / contact.h
            for i in range(rows):
                response.force[c, i] = trial[i]
                response.by_increment[c, i, i] = slope
                response.by_rate[c, i, i] = -gamma
            continue
        left, lost = 0.0, gamma * moved / contact.h
        for i in range(rows):
            along = phi_d * trial[i] / size
            response.force[c, i] = limit * along
            if bearing > 0.0:
                response.by_normal[c, i] = tan_phi * arm * along
                response.by_overlap[c, i] = tan_phi * arm * along * ka
            xi = -(limit * along + gamma * contact.rate[c, i]) / k
            lost += 0.5 * k * (contact.history[c, i] + xi) * (response.history[c, i] - xi)
            left += 0.5 * k * xi * xi
            response.history[c, i] = xi
            for j in range(rows):
                across = (1.0 if i == j else 0.0) - trial[i] * trial[j] / square
                response.by_increment[c, i, j] = slope * limit * phi_d / size * across
                response.by_rate[c, i, j] = -gamma * limit * phi_d / size * across
        response.energy[c] = left
        response.history[c, 3] += lost


@offered("laws")
@parameter_set
class LudingFriction(CompiledLaw):
    """Static and dynamic friction with spring and dashpot, for sliding or as a couple.

    stiffness k [N/m] > 0, for couples without a_12^2; tan_phi [-] >= 0: static friction, for couples without
    a_12; dynamic_ratio phi_d in [0, 1]: dynamic over static friction; damping gamma [N s/m], for couples
    [N m s/rad], >= 0; adhesive_stiffness k_a [N/m] >= 0: that of the normal law; couple: rolling or twisting.
    young: Young's moduli of both sides [N/m^2]; the stiffnesses are then multiples of the K of each contact.
    documented_unit: the stiffness of a couple without one a_12, not two; old_spring: the trial force of the
    spring before the step.

    History of a contact: spring (2) [m, rad], viscous and plastic work [J].

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float = positive_field("a contact without friction has no friction law")
    tan_phi: float = field_in(0.0, math.inf)
    dynamic_ratio: float = field_in(0.0, 1.0, default=1.0)
    damping: float = field_in(0.0, math.inf, default=0.0)
    adhesive_stiffness: float = field_in(0.0, math.inf, default=0.0)
    couple: bool = False
    documented_unit: bool = False
    old_spring: bool = False
    young: tuple[float, float] | None = None

    history: ClassVar[int] = 4
    work_columns: ClassVar[tuple[int, int]] = (2, 3)
    kernel = slide

    @property
    def energy_known(self) -> bool:
        """True if it gives back no more than the energy that it states."""
        return not self.old_spring

    def __post_init__(self) -> None:
        check_young(self)

    @property
    def senses(self) -> tuple[str, ...]:
        """Where it can be."""
        return ("rolling", "twisting") if self.couple else ("tangential",)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel: at the end the powers of a_12 in stiffness and yield force."""
        powers = (0, 0) if not self.couple else (1 if self.documented_unit else 2, 1)
        yielding = self.stiffness, self.tan_phi, self.dynamic_ratio, self.damping, self.adhesive_stiffness
        return (*yielding, *powers, self.old_spring, *(self.young or (0.0, 0.0)))
