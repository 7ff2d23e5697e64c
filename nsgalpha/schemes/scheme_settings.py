"""The schemes: generalized-alpha of Chung and Hulbert, in the letters of their paper, and others.

    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) dv_{n+1} + alpha_f dv_n
    v_{n+1} = v_n + h (1 - gamma) a_n + h gamma a_{n+1}
    q_{n+1} = q_n o exp( h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_{n+1} )

Source: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371; on Lie groups Bruls and Cardona,
J. Comput. Nonlinear Dynam. 5 (2010) 031002.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from nsgalpha.arrays import Bodies, Floats, Motion
from nsgalpha.checks import choice, count, field_in, positive_field, refuse, typed
from nsgalpha.schemes.moreau_jean.moreau_jean import EFFORT, MoreauJean

IMPACT_LAWS = "sequence", "simultaneous"
EXPLICIT = "0 is explicit, 1 implicit"
PENALTY = 0.1  # of the augmented Lagrangian, where none is given
DELASSUS, AUGMENTED = FORMULATIONS = "Delassus", "augmented Lagrangian"


class Coefficients(NamedTuple):
    """The numbers of a scheme that the compiled kernels see."""

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float


@typed
@dataclass(frozen=True, slots=True)
class GeneralizedAlpha:
    """Generalized-alpha with the spectral radius `rho_inf` in [0, 1] at infinite frequency.

    1 keeps the energy of high frequencies, 0 removes them in one step. The scheme is of second
    order and unconditionally stable for linear problems at every value.

    impact_law: in a "sequence" contacts that approach take part in one impact, and others in the next. A
    "simultaneous" impact is one of all closed contacts by Newton's law, as stated by Moreau. max_impacts:
    after so many impacts in a step another of all contacts, without restitution, closes a sequence. By
    default it runs until it ends, up to a cap that is hardly ever met. `stats.capped` counts closed
    sequences. The page docs/design/impacts.md says which law is for which purpose.

    effort: factor of the work that the contact problem of a large island may take in a step, >= 0. Statistics
    have the residuals that remain: `relaxed`, `velocity_residual` and `velocity_error`.

    formulation of the subproblems: "Delassus", the default, has the multipliers as unknowns and several
    methods for them. The other, "augmented Lagrangian", is the system of Sanchez et al. in velocities [m/s]
    and multipliers [N s]: one sparse matrix, and full steps of Newton's method. It has the same solutions and
    serves as a reference, docs/design/augmented-lagrangian.md. It is slow, and a step in which it does not
    converge fails. It takes no compliant contact. penalty: its numbers k and p over the mean mass of the
    bodies. Solutions do not depend on it. A smaller one than the default 0.1 converges from further away.

    Raises ValueError if a parameter is outside its range.

    >>> scheme = ns.GeneralizedAlpha(rho_inf=0.5)
    >>> scheme.alpha_m, round(scheme.alpha_f, 6), round(scheme.gamma, 6)
    (0.0, 0.333333, 0.833333)
    """

    rho_inf: float = field_in(0.0, 1.0, default=0.8, remedy="0.8 is a good choice")
    impact_law: str = "sequence"
    max_impacts: int | None = None
    effort: float = field_in(0.0, math.inf, default=1.0, remedy=EFFORT)
    formulation: str = DELASSUS
    penalty: float | None = positive_field(f"{PENALTY:g} is a good choice", default=None)

    def __post_init__(self) -> None:
        choice("impact_law", self.impact_law, IMPACT_LAWS)
        choice("formulation", self.formulation, FORMULATIONS)
        if self.penalty is not None and self.formulation == DELASSUS:
            raise refuse("penalty", self.penalty, f"left out where formulation is {DELASSUS!r}")
        if self.max_impacts is not None:
            count("max_impacts", self.max_impacts)
            if self.impact_law != "sequence":
                raise refuse("max_impacts", self.max_impacts, 'left out where impact_law is "simultaneous"')

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


@typed
@dataclass(frozen=True, slots=True)
class VelocityVerlet:
    """Velocity Verlet, explicit, for models whose contacts are all compliant: explicit/velocity_verlet.py.

    Of second order, one evaluation of the forces in a step, which must resolve every contact.
    steps_per_contact: without `h` the step is the shortest contact time over this number, see
    nsgalpha/forces/step_size.py. Six are the limit of stability of a dense packing, with damping up to
    twenty; the status says so (nsgalpha/run/step_stability.py).

    Raises ValueError if `steps_per_contact` is not positive.

    >>> from elements import CompliantSpherePlane, SpringDashpot
    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    >>> spring = SpringDashpot(stiffness=1e4)
    >>> element = model.add(CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=spring))
    >>> result = ns.simulate(model, t_end=0.02, scheme=ns.VelocityVerlet())
    >>> print(result.status)
    finished at t = 0.0207335 s after 28 steps of h = 0.00074 s, 1/30 of the shortest contact time
    """

    steps_per_contact: float = positive_field("30 is a good choice", default=30.0)


@runtime_checkable
class MotionResistance(Protocol):
    """A resistance to the velocities of the bodies; one that names bodies says which by `handles()`."""

    def matrix(self, motion: Motion, bodies: Bodies) -> Floats:
        """Symmetric, positive semidefinite (N, 6, 6), inertial: force and torque are `-matrix (v, w)`."""


@typed
@dataclass(frozen=True, slots=True)
class Overdamped:
    """Motion without inertia under compliant contact: `Gamma v = F`, solved for the velocities in every step.

    resistance: of the bodies, such as elements.Drag, or a list of them, which are added; where none resists a
    rotation, bodies do not turn. Resistances of laws, dashpots and friction, are added. implicitness lambda
    in [0, 1]: part of the step at whose end the stiffness of the contacts is felt. 0 is Euler's explicit
    method, 1/2 of second order (Crank and Nicolson's for linear laws). The default 1 is stable for all steps
    where laws are linear.

    Raises ValueError if there is no resistance or `implicitness` is outside [0, 1].

    >>> from elements import CompliantSpherePlane, Drag, SpringDashpot
    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
    >>> spring = SpringDashpot(stiffness=1e4)
    >>> element = model.add(CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=spring))
    >>> honey = Drag(ball, translational=100.0)
    >>> result = ns.simulate(model, t_end=1.0, h=0.1, scheme=ns.Overdamped(honey))
    >>> result.velocity[-1, ball].round(9)  # weight over resistance
    array([ 0. ,  0. , -0.1])
    """

    resistance: MotionResistance | Sequence[MotionResistance]
    implicitness: float = field_in(0.0, 1.0, default=1.0, remedy=EXPLICIT)

    def __post_init__(self) -> None:
        if not self.resistances:
            raise ValueError("resistance: none is given; without one forces determine no velocities")

    @property
    def resistances(self) -> list[MotionResistance]:
        """All of them."""
        return _listed(self.resistance)


@typed
@dataclass(frozen=True, slots=True)
class SemiImplicit:
    """Linearly implicit steps for models whose contacts are all compliant: one linear system, no iterations.

    implicitness lambda in [0, 1]: part of the step at whose end forces are felt. 0 is Euler's explicit
    method, of first order, whose oscillations grow. 1/2 is the linearly implicit midpoint rule, of second
    order, which keeps the energy of linear oscillations. The default 1 is Euler's implicit method, of first
    order, which damps them. From 1/2 on it is stable for all steps where laws are linear;
    implicit/implicit_velocities.py. resistance: of the bodies, such as elements.Drag, or a list of them, felt
    as the forces are. Loads of the model are taken at t + lambda h.

    Raises ValueError if `implicitness` is outside [0, 1] or a resistance is none.
    """

    implicitness: float = field_in(0.0, 1.0, default=1.0, remedy=EXPLICIT)
    resistance: MotionResistance | Sequence[MotionResistance] = ()

    def __post_init__(self) -> None:
        _listed(self.resistance)

    @property
    def resistances(self) -> list[MotionResistance]:
        """All of them."""
        return _listed(self.resistance)


def _listed(resistance: MotionResistance | Sequence[MotionResistance]) -> list[MotionResistance]:
    """All resistances; ValueError if one is none."""
    allowed = "a resistance, such as elements.Drag, or a list of them"
    found: list[Any] = list(resistance) if isinstance(resistance, list | tuple) else [resistance]
    for each in found:
        if not isinstance(each, MotionResistance) or isinstance(each, type):
            raise refuse("resistance", each, allowed)
    return found


Scheme = GeneralizedAlpha | MoreauJean | VelocityVerlet | Overdamped | SemiImplicit
