"""Materials of Luding's model, contacts of two materials, and closed forms of head-on impacts.

    CompliantSphereSphere(among=grains, **luding(sand, glass, stiffness=1e5))

Stiffnesses are parts of K, the stiffness of the pair, lengths parts of a_12 = 2 a_1 a_2/(a_1 + a_2):

                       normal             sliding    rolling          twisting
    stiffness          K                  k_t/K      (k_r/K) a_12^2   (k_w/K) a_12^2     average
    normal plasticity  k_1/K, phi_f a_12                                                 average
    adhesion           k_a/K                                                             average
    static friction                       tan phi_t  tan phi_r a_12   tan phi_w a_12     minimum
    dynamic friction                      phi_d      phi_d            phi_d              minimum
    viscosity          gamma_n            gamma_t    gamma_r          gamma_w            minimum

K is the same for all contacts, or follows from the Young's moduli of the materials and the radii of each
contact. In `bar_stiffness` a wall has the radius of the sphere. At a plane a_12 is twice the radius of the
sphere, its limit for a_2 to infinity.

Source: the documentation of the Luding model in Woo, its tables and its worked example. The equations of the
components are in luding_normal.py and luding_friction.py.
"""

import math
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any

from elements.laws.luding_friction import LudingFriction
from elements.laws.luding_normal import LudingNormal, bars
from nsgalpha.checks import instance, number_in, parameter_set, positive, refuse, truth
from nsgalpha.model.registration import offered


def average(a: float, b: float) -> float:
    """Mean of two values."""
    return 0.5 * (a + b)


def in_series(a: float | None, b: float | None) -> float | None:
    """Harmonic mean of two values, if there are two."""
    return None if a is None or b is None else 2.0 / (1.0 / a + 1.0 / b)


def _of(rule: Callable[[Any, Any], Any], default: float | None = 0.0) -> Any:
    """A field whose value for a pair of materials is `rule(a, b)`."""
    return field(default=default, metadata={"rule": rule})


@offered()
@parameter_set
class LudingMaterial:
    """Parameters of one material; `pair` gives those of a contact of two.

    Without units, averages: plastic_ratio k_1/K in (0, 1], default 1: no plasticity; adhesive_ratio k_a/K >=
    0; plastic_depth phi_f > 0, default 0.05; sliding_ratio k_t/K, rolling_ratio k_r/K, twisting_ratio k_w/K
    >= 0, default 0: a sense without force. Without units, minima: tan_phi_t, tan_phi_r, tan_phi_w >= 0:
    static friction; dynamic_ratio phi_d in [0, 1], default 1.
    Minima: gamma_n, gamma_t [N s/m], gamma_r, gamma_w [N m s/rad] >= 0.
    young E [N/m^2] > 0: Young's modulus, in series, for a K that follows the radii.

    Raises ValueError that names the parameter, its value and its range.
    """

    plastic_ratio: float = _of(average, 1.0)
    adhesive_ratio: float = _of(average)
    plastic_depth: float = _of(average, 0.05)
    sliding_ratio: float = _of(average)
    rolling_ratio: float = _of(average)
    twisting_ratio: float = _of(average)
    tan_phi_t: float = _of(min)
    tan_phi_r: float = _of(min)
    tan_phi_w: float = _of(min)
    dynamic_ratio: float = _of(min, 1.0)
    gamma_n: float = _of(min)
    gamma_t: float = _of(min)
    gamma_r: float = _of(min)
    gamma_w: float = _of(min)
    young: float | None = _of(in_series, None)

    def __post_init__(self) -> None:
        number_in("plastic_ratio", self.plastic_ratio, 0.0, 1.0, open_low=True, remedy="1 is no plasticity")
        positive("plastic_depth", self.plastic_depth)
        number_in("dynamic_ratio", self.dynamic_ratio, 0.0, 1.0)
        if self.young is not None:
            positive("young", self.young, "it is a modulus in N/m^2")
        for each in fields(self):
            if each.name not in ("plastic_ratio", "plastic_depth", "dynamic_ratio", "young"):
                number_in(each.name, getattr(self, each.name), 0.0, math.inf)

    def pair(self, other: "LudingMaterial") -> "LudingMaterial":
        """Averages and minima with the `other` material."""
        instance("other", other, LudingMaterial, "a LudingMaterial")
        rules = {each.name: each.metadata["rule"] for each in fields(self)}
        both = {name: (getattr(self, name), getattr(other, name)) for name in rules}
        return LudingMaterial(**{name: rule(*both[name]) for name, rule in rules.items()})


@offered("law_sets")
def luding(
    a: LudingMaterial,
    b: LudingMaterial | None = None,
    *,
    stiffness: float | None = None,
    saturates: bool = False,
    softens: bool = False,
    documented_unit: bool = False,
    old_spring: bool = False,
) -> dict[str, Any]:
    """The laws `normal`, `tangential`, `rolling`, `twisting` of contacts between the materials `a` and `b`.

    a: of side A, the first of a pair or set, the sphere at a wall; b: `a` if left out. stiffness K [N/m] > 0:
    the same for all contacts; without it each contact has that of its radii and of the Young's moduli of both
    materials. A component is left out if its stiffness is zero. The options are those of LudingNormal
    (`saturates`, `softens`) and LudingFriction (`documented_unit`, `old_spring`).

    Raises ValueError if the stiffness is not positive, or missing and a material has no Young's modulus, or a
    component without stiffness has a viscosity.
    """
    b = a if b is None else b
    options = {"saturates": saturates, "softens": softens}
    options |= {"documented_unit": documented_unit, "old_spring": old_spring}
    for name, value in options.items():
        truth(name, value)
    for name, material in (("a", a), ("b", b)):
        instance(name, material, LudingMaterial, "a LudingMaterial")
    m, young = a.pair(b), None
    if stiffness is not None:
        K = positive("stiffness", stiffness)
    elif a.young is not None and b.young is not None:
        K, young = 1.0, (a.young, b.young)
    else:
        raise refuse("stiffness", None, "given", "or give both materials a Young's modulus `young`")
    laws: dict[str, Any] = {
        "normal": LudingNormal(
            stiffness=K,
            plastic_stiffness=K * m.plastic_ratio,
            adhesive_stiffness=K * m.adhesive_ratio,
            plastic_depth=m.plastic_depth,
            damping=m.gamma_n,
            saturates=saturates,
            softens=softens,
            young=young,
        )
    }
    senses = (
        ("tangential", "gamma_t", m.sliding_ratio, m.tan_phi_t, m.gamma_t),
        ("rolling", "gamma_r", m.rolling_ratio, m.tan_phi_r, m.gamma_r),
        ("twisting", "gamma_w", m.twisting_ratio, m.tan_phi_w, m.gamma_w),
    )
    for sense, name, ratio, tan_phi, gamma in senses:
        if ratio == 0.0:
            if gamma != 0.0:
                raise refuse(name, gamma, "0 without a stiffness", f"give the materials a ratio for {sense}")
            continue
        laws[sense] = LudingFriction(
            stiffness=K * ratio,
            tan_phi=tan_phi,
            dynamic_ratio=m.dynamic_ratio,
            damping=gamma,
            adhesive_stiffness=K * m.adhesive_ratio,
            couple=sense != "tangential",
            documented_unit=documented_unit,
            old_spring=old_spring,
            young=young,
        )
    return laws


@offered()
def bar_stiffness(young_a: float, young_b: float, radius_a: float, radius_b: float) -> float:
    """K [N/m] of two bars in series, 1/K = a_1/(E_1 A) + a_2/(E_2 A) with A = pi min(a_1, a_2)^2.

    Young's moduli [N/m^2] and radii [m]. Raises ValueError if one is not positive.
    """
    given = {"young_a": young_a, "young_b": young_b, "radius_a": radius_a, "radius_b": radius_b}
    return float(bars(*(positive(name, value) for name, value in given.items())))


@offered()
def contact_time(stiffness: float, mass: float, damping: float = 0.0) -> float:
    """Duration of an impact [s], t_c = pi/omega with omega^2 = k/m_12 - eta_0^2, eta_0 = gamma_n/(2 m_12).

    stiffness k [N/m], constant; mass m_12 [kg] effective; damping gamma_n [N s/m]. The end is where the
    overlap vanishes, after the force has pulled for a while.

    Raises ValueError for values out of range, or a damping with which the bodies do not rebound.
    """
    k, m = positive("stiffness", stiffness), positive("mass", mass)
    critical = 2.0 * math.sqrt(k * m)
    gamma = number_in(
        "damping", damping, 0.0, critical, open_high=True, remedy="from 2 sqrt(k m_12) on there is no rebound"
    )
    return math.pi / math.sqrt(k / m - (gamma / (2.0 * m)) ** 2)


@offered()
def viscous_restitution(stiffness: float, mass: float, damping: float) -> float:
    """Restitution exp(-eta_0 t_c) of an impact without plasticity; arguments and errors of `contact_time`."""
    duration = contact_time(stiffness, mass, damping)
    return math.exp(-damping / (2.0 * mass) * duration)


@offered()
def plastic_restitution(law: LudingNormal, speed: float, mass: float, radius: float) -> float:
    """Restitution of an impact at `speed` [m/s] without viscosity; 0 if adhesion keeps the bodies together.

        e^2 = 1 - A(d_max)/(m_12 v^2/2),    d_max = v sqrt(m_12/k_1)

    and sqrt(k_1/k_2(d_max)) without adhesion. mass m_12 [kg], radius [m]: effective ones.

    Raises ValueError for values out of range, and for a law with damping, saturation, softening or `young`.
    """
    instance("law", law, LudingNormal, "a LudingNormal")
    for name in ("damping", "saturates", "softens", "young"):
        if getattr(law, name):
            raise refuse(name, getattr(law, name), "off", "there is a closed form without it only")
    v, m = positive("speed", speed), positive("mass", mass)
    energy = 0.5 * m * v * v
    if not 0.0 < energy < math.inf:
        raise refuse("speed, mass", (v, m), "such that m v^2/2 is a number above 0")
    largest = v * math.sqrt(m / law.plastic_stiffness)
    return math.sqrt(max(1.0 - law.plastic_work(largest, radius) / energy, 0.0))
