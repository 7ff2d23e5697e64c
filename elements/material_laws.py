"""The laws of contacts from the table of materials (nsgalpha/model/materials.py).

Set-valued contact has `mu`, restitution and radii of the pair. Compliant contact has

    spheres, planes    Hertz and Mindlin with the contact moduli of both (Johnson 1985, eqs. (4.2), (7.43))
    solids             elastic layers on both faces, in series: a pressure k d and a traction k_t xi,

        1/k = L_A/M_A + L_B/M_B,      M = E (1 - nu)/((1 + nu)(1 - 2 nu))
        1/k_t = L_A/G_A + L_B/G_B,    G = E/(2 (1 + nu))

M is the modulus of a layer that cannot expand sideways (Johnson, Contact Mechanics (1985), 5.8). Both have
the restitution of the pair, for the mass m_A m_B/(m_A + m_B).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elements.laws.coulomb.cundall_strack import CundallStrack
from elements.laws.coulomb.layer_friction import LayerFriction
from elements.laws.hertzian.contact_modulus import contact_modulus, contact_shear_modulus
from elements.laws.hertzian.hertz import Hertz
from elements.laws.hertzian.mindlin import Mindlin
from elements.laws.linear.linear_pressure import LinearPressure
from nsgalpha.checks import refuse
from nsgalpha.model.materials import Material, MaterialPair, Materials


def set_valued_law(table: Materials, pair: MaterialPair) -> Mapping[str, Any]:
    """Arguments of ContactLaw for the `pair`."""
    law: dict[str, Any] = {
        "mu": _of_pair(pair, "mu"),
        "e_n": _of_pair(pair, "restitution"),
        "rolling_radius": pair.rolling_radius,
        "drilling_radius": pair.drilling_radius,
    }
    if pair.mu_static is not None:
        law |= {"mu_static": pair.mu_static, "stribeck_velocity": pair.stribeck_velocity}
    return law


def compliant_law(table: Materials, pair: MaterialPair, faces: bool) -> Mapping[str, Any]:
    """Arguments of CompliantLaw for the `pair`: of spheres and planes, or of solids with their `faces`."""
    a, b = table.material(pair.a), table.material(pair.b)
    e, mu = _of_pair(pair, "restitution"), _of_pair(pair, "mu")
    static = mu if pair.mu_static is None else pair.mu_static
    laws: dict[str, Any] = _of_faces(a, b, e, static, mu) if faces else _of_spheres(a, b, e, static, mu)
    for place, kind in (("rolling", "rolling"), ("twisting", "drilling")):
        radius = getattr(pair, f"{kind}_radius")
        if radius > 0.0:
            stiffness = _of_pair(pair, f"{kind}_stiffness", f"beside {kind}_radius, for compliant contact")
            laws[place] = CundallStrack(stiffness=stiffness, mu=radius)
    return laws


def _of_spheres(a: Material, b: Material, e: float, static: float, mu: float) -> dict[str, Any]:
    """Hertz and Mindlin."""
    sides = _number(a, "young"), _number(a, "poisson"), _number(b, "young"), _number(b, "poisson")
    laws: dict[str, Any] = {"normal": Hertz(modulus=contact_modulus(*sides), restitution=e)}
    if static > 0.0:
        shear = contact_shear_modulus(*sides)
        laws["tangential"] = Mindlin(shear_modulus=shear, mu=static, dynamic_mu=mu, restitution=e)
    return laws


def _of_faces(a: Material, b: Material, e: float, static: float, mu: float) -> dict[str, Any]:
    """Elastic layers."""
    normal = tangential = 0.0
    for side in (a, b):
        layer = _number(side, "layer", "for compliant contact of solids; 0 is rigid")
        if layer > 0.0:
            E, nu = _number(side, "young"), _number(side, "poisson")
            if nu == 0.5:
                allowed = "below 0.5 in a layer"
                raise refuse(f"poisson of {side.name!r}", nu, allowed, "an incompressible layer is rigid")
            normal += layer * (1.0 + nu) * (1.0 - 2.0 * nu) / (E * (1.0 - nu))
            tangential += layer * 2.0 * (1.0 + nu) / E
    if normal == 0.0:
        raise refuse(f"layer of {a.name!r}, {b.name!r}", 0.0, "positive in one of them", "both are rigid")
    laws: dict[str, Any] = {"normal": LinearPressure(stiffness=1.0 / normal, restitution=e)}
    if static > 0.0:
        k = 1.0 / tangential
        laws["tangential"] = LayerFriction(stiffness=k, mu=static, dynamic_mu=mu, restitution=e)
    return laws


def _of_pair(pair: MaterialPair, name: str, why: str = "") -> float:
    """A number of the `pair`, or a ValueError that names it."""
    found = getattr(pair, name)
    if found is None:
        raise refuse(f"{name} of the pair {pair.a!r}, {pair.b!r}", None, f"given {why}".strip())
    return float(found)


def _number(material: Material, name: str, why: str = "for compliant contact") -> float:
    """A number of the `material`, or a ValueError that names it."""
    found = getattr(material, name)
    if found is None:
        raise refuse(f"{name} of the material {material.name!r}", None, f"given {why}")
    return float(found)
