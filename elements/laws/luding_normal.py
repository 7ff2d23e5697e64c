"""Normal force of Luding's model: elasto-plastic with adhesion that grows with the plastic overlap, viscous.

With the overlap d, its maximum d_max so far and the reduced radius a_12 = 2 a_1 a_2/(a_1 + a_2), twice the
effective radius:

    f_n = f - gamma_n u_n,    f = k_1 d                                    d = d_max, plastic loading
                              f = max(k_2 (d - d_0), -k_a d)               unloading, reloading; adhesive
    d_lim = phi_f a_12 K/(K - k_1),    k_2 = k_1 + (K - k_1) min(d_max/d_lim, 1),    d_0 = d_max (1 - k_1/k_2)

K is the stiffness of the pair, largest of k_2; u_n the gap velocity, > 0 separating: near separation f_n
pulls. Until d_max changes the force has a potential,

    U = -k_a d^2/2                                            d <= d_min = d_0 k_2/(k_2 + k_a)
    U = (k_2 (d - d_0)^2 - k_a d_0 d_min)/2                   above,

and loading by work loses the area between loading and unloading, adhesive branch included,

    A(d_max) = (k_1 d_max + k_a d_min) d_0/2.

With Young's moduli the K of a contact is that of two bars in series, k_1 and k_a are parts of it:

    1/K = (a_1/E_1 + a_2/E_2)/A,    A = pi min(a_1, a_2)^2,    a_2 = a_1 at walls

Source: the documentation of the Luding model in Woo, after Luding (2008), Granular Matter 10. There d_0 grows
without bound beyond d_lim, as here; Luding bounds d_max by d_lim, and loads along K from there (`saturates`).
On the adhesive branch d_max is kept; with Singh, Magnanimo and Luding (2013) it decreases so that reloading
starts from the point reached, -k_a d = k_2 (d - d_0) (`softens`). The documented plastic work is 2 A.
"""

import math
from typing import Any, ClassVar

from nsgalpha import checks
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.model.registration import offered


@inlined
def bars(young_a, young_b, a, b):
    """Stiffness of two bars in series, as long as the radii `a`, `b` of the spheres."""
    return math.pi * min(a, b) ** 2 / (a / young_a + b / young_b)


@inlined
def pair_stiffness(contact, c, young_a, young_b):
    """K of contact `c` from Young's moduli; 1 without. Walls, also hollow, have the radius of the sphere."""
    if young_a == 0.0:
        return 1.0
    a = contact.radius_a[c]
    if a < 0.0:  # a hollow wall is side A
        a = -a - contact.branch[c]
        return bars(young_a, young_b, a, a)
    b = contact.branch[c] - a if contact.radius[c] < a else a
    return bars(young_a, young_b, a, b)


@inlined
def _unloading(largest, k1, K, ka, limit):
    """k_2, d_0, d_min for a largest overlap."""
    k2 = K if largest >= limit else k1 + (K - k1) * (largest / limit)
    d0 = largest * (1.0 - k1 / k2)
    return k2, d0, d0 * k2 / (k2 + ka)


@kernel
def _softened(d, k1, K, ka, limit):
    """Largest overlap whose unloading meets the adhesive branch at `d`.

    (k_2 + k_a) d = (k_2 - k_1) d_max, quadratic below the limit, where k_2 - k_1 = slope d_max.
    """
    slope = (K - k1) / limit
    largest = 0.5 * (d + math.sqrt(d * d + 4.0 * (k1 + ka) * d / slope))
    return largest if largest <= limit else (K + ka) * d / (K - k1)


def check_young(law: Any) -> None:
    """Keep the `young` of a law as two floats, or None; ValueError unless these are positive moduli."""
    if law.young is None:
        return
    moduli = checks.floats("young", law.young, "Young's moduli of both sides")
    if moduli.shape != (2,):
        raise checks.refuse("young", law.young, "Young's moduli of both sides")
    for value in moduli.tolist():
        checks.positive("young", value, "it is a modulus in N/m^2")
    object.__setattr__(law, "young", tuple(moduli.tolist()))


@law_kernel
def hysteresis(contact, response, parameters):
    """Force, tangent, potential and history: largest overlap, viscous and plastic work."""
    phi, gamma, saturates, softens = parameters[3], parameters[4], parameters[5] != 0.0, parameters[6] != 0.0
    for c in range(contact.overlap.shape[0]):
        scale = pair_stiffness(contact, c, parameters[7], parameters[8])
        K, k1, ka = scale * parameters[0], scale * parameters[1], scale * parameters[2]
        d = max(contact.overlap[c], 0.0)
        limit = 2.0 * contact.radius[c] * phi * K / (K - k1) if k1 < K else math.inf
        before = contact.history[c, 0]
        largest = max(before, d)
        if saturates:
            largest = min(largest, limit)
        k2, d0, d_min = _unloading(largest, k1, K, ka, limit)
        lost = 0.0
        if largest > before:
            _, d0_before, d_min_before = _unloading(before, k1, K, ka, limit)
            lost = (k1 * largest + ka * d_min) * d0 - (k1 * before + ka * d_min_before) * d0_before
        if d < d_min:
            force, slope = -ka * d, -ka
            response.energy[c] = -0.5 * ka * d * d
            if softens:
                largest = _softened(d, k1, K, ka, limit)
        else:
            force, slope = (k1 * d, k1) if d == largest else (k2 * (d - d0), k2)
            response.energy[c] = 0.5 * (k2 * (d - d0) ** 2 - ka * d0 * d_min)
        u, moved = contact.rate[c, 0], contact.increment[c, 0]
        response.force[c, 0] = force - gamma * u
        response.by_overlap[c, 0] = slope
        response.by_rate[c, 0, 0] = -gamma
        response.history[c, 0] = largest
        response.history[c, 1] = contact.history[c, 1] + gamma * moved * moved / contact.h
        response.history[c, 2] = contact.history[c, 2] + 0.5 * lost


@offered("laws")
@checks.parameter_set
class LudingNormal(CompiledLaw):
    """Elasto-plastic, adhesive and viscous normal force of Luding's model.

    stiffness K [N/m] > 0: largest of unloading; plastic_stiffness k_1 [N/m] in (0, K] of first loading, K:
    no plasticity; adhesive_stiffness k_a [N/m] >= 0; plastic_depth phi_f [-] > 0: d_0/a_12 at which K is
    reached (default 0.05); damping gamma_n [N s/m] >= 0; saturates: d_max is bounded by d_lim; softens: d_max
    decreases on the adhesive branch. young: Young's moduli E_A, E_B [N/m^2] > 0; each contact then has the K
    of its radii, and the three stiffnesses here, `unloading` and `plastic_work` are in parts of it.

    History of a contact: d_max [m], viscous and plastic work [J].

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: float
    plastic_stiffness: float
    adhesive_stiffness: float = checks.field_in(0.0, math.inf, default=0.0)
    plastic_depth: float = checks.positive_field(default=0.05)
    damping: float = checks.field_in(0.0, math.inf, default=0.0)
    saturates: bool = False
    softens: bool = False
    young: tuple[float, float] | None = None

    history: ClassVar[int] = 3
    work_columns: ClassVar[tuple[int, int]] = (1, 2)
    senses = ("normal",)
    kernel = hysteresis
    energy_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        K = checks.positive("stiffness", self.stiffness)
        checks.number_in(
            "plastic_stiffness", self.plastic_stiffness, 0.0, K, open_low=True, remedy="at most the stiffness"
        )
        check_young(self)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel: the fields, with 0 for moduli that are not given."""
        plastic = self.stiffness, self.plastic_stiffness, self.adhesive_stiffness, self.plastic_depth
        return (*plastic, self.damping, self.saturates, self.softens, *(self.young or (0.0, 0.0)))

    def limit(self, radius: float) -> float:
        """Overlap d_lim [m] of contacts with the effective `radius` [m]; infinite without plasticity."""
        K, k1 = self.stiffness, self.plastic_stiffness
        return (
            2.0 * checks.positive("radius", radius) * self.plastic_depth * K / (K - k1)
            if k1 < K
            else math.inf
        )

    def unloading(self, largest: float, radius: float) -> tuple[float, float, float]:
        """k_2 [N/m], d_0 and d_min [m] after the `largest` overlap [m]; effective `radius` [m]."""
        limit = self.limit(radius)
        largest = checks.number_in("largest", largest, 0.0, math.inf, remedy="an overlap in metres")
        if self.saturates:
            largest = min(largest, limit)
        k1, K = float(self.plastic_stiffness), float(self.stiffness)
        return _unloading(largest, k1, K, float(self.adhesive_stiffness), limit)

    def plastic_work(self, largest: float, radius: float, rule: str = "loop") -> float:
        """Work [J] lost by loading to the `largest` overlap [m] and separation; effective `radius` [m].

        rule "loop": the area A of the loop; "documented": 2 A, as the documentation prints it; "program":
        that with d_0 bounded by its value at d_lim, as Woo computes it.

        Raises ValueError for another rule, a radius or an overlap out of range.
        """
        checks.choice("rule", rule, ("loop", "documented", "program"))
        k2, d0, d_min = self.unloading(largest, radius)
        k1, ka = self.plastic_stiffness, self.adhesive_stiffness
        reached = min(largest, self.limit(radius)) if self.saturates else largest
        if rule == "loop":
            return 0.5 * (k1 * reached + ka * d_min) * d0
        if rule == "documented":
            return (k1 * reached + ka * d_min) * d0
        d0 = min(d0, self.limit(radius) * (1.0 - k1 / k2))
        return (k1 * reached + ka * d0 * k2 / (k2 + ka)) * d0
