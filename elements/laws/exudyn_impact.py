"""Impact models 1 and 2 of Exudyn's ObjectContactSphereSphere: damping that goes with the overlap.

    f_n = k_c d^n (1 - a u_n / v_i) - d_c u_n,     v_i = max(v_min, v_touch)

    a = 3/2 (1 - e)                                model 1, Hunt and Crossley: for e near 1
    a = 3/2 (1 - e) (11 - e) / (1 + 9 e)           model 2, e > 1/3: Carvalho and Martins
    a = (1 - e^2) / e                              model 2, e <= 1/3: Gonthier et al.

u_n is the gap velocity, > 0 separating; the document's lambda is - a k_c / v_i. Without the dashpot d_c
the restitution is, for every exponent n, that of `effective_restitution`.

v_touch is the approach velocity at the instant of touch, constant as long as the contact lasts. Over the
step in which the gap closes it is taken to change uniformly, from the mean rate s/h to u_n at the end:

    v_touch^2 = u_n^2 + 4 d (u_n - s/h) / h

which does not depend on where in the step the touch falls. Source: the Exudyn documentation of that
object (Gerstmayr, Weyrer), which takes the velocity of some step near the touch.
"""

import math

import numpy as np
from scipy.special import lambertw

from elements.laws.exudyn import bounded, exponent_field
from nsgalpha.checks import choice, field_in, number_in, parameter_set, positive_field, refuse
from nsgalpha.forces import CompiledLaw, Contact, Response, law_kernel
from nsgalpha.model.registration import offered

MODELS = ("hunt-crossley", "mixed")
TOUCH = 1e-9  # overlap over the effective radius up to which a contact that starts closed touches just now


def damping_ratio(restitution: float, model: str = "mixed") -> float:
    """The factor `a` [-] of the damping force for a restitution coefficient in (0, 1].

    Raises ValueError if it is out of range, or for another model.
    """
    e = number_in("restitution", restitution, 0.0, 1.0, open_low=True, remedy="1 is elastic")
    choice("model", model, MODELS)
    if model == "mixed" and e <= 1.0 / 3.0:
        return (1.0 - e * e) / e
    hunt_crossley = 1.5 * (1.0 - e)
    return hunt_crossley if model == "hunt-crossley" else hunt_crossley * (11.0 - e) / (1.0 + 9.0 * e)


def effective_restitution(restitution: float, model: str = "mixed") -> float:
    """Exact ratio [-] of the velocities after and before an impact without dashpot and other forces.

    e = (1 + W(-(1 + a) exp(-(1 + a)))) / a with Lambert's W, from a (1 + e) = ln((1 + a) / (1 - a e)).
    """
    a = damping_ratio(restitution, model)
    if a < 3e-3:  # W loses digits beside its branch point; the next term is 1e-11
        return 1.0 - a * (2.0 / 3.0 - a * (4.0 / 9.0 - a * 44.0 / 135.0))
    return float((1.0 + lambertw(-(1.0 + a) * math.exp(-(1.0 + a))).real) / a)


@law_kernel
def impact(contact, response, parameters):
    """Power law with damping by the impact velocity, history (C, 1): v_i, infinite without dissipation.

    `given` is v_touch of contacts that are new and were closed before the step: at the start of a run.
    """
    k, c, n = parameters[0], parameters[1], parameters[2]
    a, least, given = parameters[3], parameters[4], parameters[5]
    h = contact.h
    for i in range(contact.overlap.shape[0]):
        d, u, s = contact.overlap[i], contact.rate[i, 0], contact.increment[i, 0]
        if not d > 0.0:
            continue
        v = contact.history[i, 0]
        by_d, by_u, by_s = 0.0, 0.0, 0.0
        if v == 0.0:
            if d + s > 0.5 * d:
                v = given if d > TOUCH * contact.radius[i] else max(-u, 0.0)
            else:
                v = math.sqrt(max(u * u + 4.0 * d * (u - s / h) / h, 0.0))
                if v > least:
                    by_d = 2.0 * (u - s / h) / (h * v)
                    by_u = (u + 2.0 * d / h) / v
                    by_s = -2.0 * d / (h * h * v)
            v = max(v, least)
            if v == 0.0:
                v = math.inf
        response.history[i, 0] = v
        elastic = k * d**n
        viscous = 1.0 - a * u / v
        by_v = elastic * a * u / (v * v)
        response.force[i, 0] = elastic * viscous - c * u
        rise = n * elastic / bounded(n, d, contact.radius[i])
        response.by_overlap[i, 0] = rise * viscous + by_v * by_d
        response.by_rate[i, 0, 0] = by_v * by_u - elastic * a / v - c
        response.by_increment[i, 0, 0] = by_v * by_s
        response.energy[i] = elastic * d / (n + 1.0)


@offered("laws")
@parameter_set
class ExudynImpact(CompiledLaw):
    """Elastic normal force with a coefficient of restitution, and a dashpot.

    stiffness k [N/m^n] > 0; restitution e in (0, 1]; model: "mixed" (2, the default) or "hunt-crossley"
    (1), whose restitution is right near 1 only; minimum_velocity v_min [m/s] >= 0; damping c [N s/m] >= 0;
    exponent n > 0. impact_velocity [m/s] >= 0: v_touch of contacts that overlap at the start of a
    run, 0 for no dissipation (with v_min = 0).

    Raises ValueError that names the parameter, its value and its range; and at the start of a run, if
    contacts overlap and `impact_velocity` is not given.
    """

    stiffness: float = positive_field()
    restitution: float
    model: str = "mixed"
    minimum_velocity: float = field_in(0.0, math.inf, default=0.0)
    impact_velocity: float | None = field_in(0.0, math.inf, default=None)
    damping: float = field_in(0.0, math.inf, default=0.0)
    exponent: float = exponent_field()

    history = 1
    history_variables = ("impact_velocity",)
    senses = ("normal",)
    kernel = impact
    energy_known = True

    def __post_init__(self) -> None:
        damping_ratio(self.restitution, self.model)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        a = damping_ratio(self.restitution, self.model)
        given = self.impact_velocity or 0.0
        return self.stiffness, self.damping, self.exponent, a, self.minimum_velocity, given

    def __call__(self, contact: Contact, response: Response) -> None:
        """Normal force of C contacts."""
        if self.impact_velocity is None:
            self._refuse_overlap(contact)
        self.kernel(contact, response, self.parameters)

    def _refuse_overlap(self, contact: Contact) -> None:
        """A contact without history that did not close in this step has an unknown past."""
        d, s = contact.overlap, contact.increment[:, 0]
        unknown = (contact.history[:, 0] == 0.0) & (d > TOUCH * contact.radius) & (d + s > 0.5 * d)
        if unknown.any():
            allowed = f"given, since a contact overlaps at the start by {d[np.argmax(unknown)]:.3g} m"
            raise refuse("impact_velocity", None, allowed, "0 is without dissipation")
