"""Two spheres in contact, from the parameters of Exudyn's ObjectContactSphereSphere."""

from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, ExudynImpact, ExudynNormal, ExudynPlastic, RegularisedCoulomb
from verification.compliant_exudyn.resolved import Phases, approach, overlaps
from verification.scenes import add_spheres

Law = ExudynNormal | ExudynPlastic | ExudynImpact
MODELS = {1: "hunt-crossley", 2: "mixed"}


def first_data(p: dict[str, Any]) -> tuple[float, ...]:
    """Gap, tangential velocity, impact velocity and plastic overlap that the program's data start with.

    Raises ValueError for a plastic overlap, with which no run here can start.
    """
    data = tuple(map(float, p.get("dataInit") or (0.0,) * 4))
    if data[3] != 0.0:
        raise ValueError(f"dataInit = {data}: the plastic overlap must be 0")
    return data


def normal_law(p: dict[str, Any]) -> Law:
    """The normal law of the parameters `p`, named as in Exudyn."""
    elastic = {
        "stiffness": p["contactStiffness"],
        "damping": p["contactDamping"],
        "exponent": p["contactStiffnessExponent"],
    }
    if p["impactModel"]:
        return ExudynImpact(
            restitution=p["restitutionCoefficient"],
            model=MODELS[p["impactModel"]],
            minimum_velocity=p["minimumImpactVelocity"],
            impact_velocity=first_data(p)[2],  # it counts where contacts overlap at the start
            **elastic,
        )
    if p["contactPlasticityRatio"]:
        linear = p["contactStiffnessExponent"] == 1.0  # there the program ignores the adhesion's exponent
        return ExudynPlastic(
            plasticity=p["contactPlasticityRatio"],
            pull_off=p["constantPullOffForce"],
            adhesion=p["adhesionCoefficient"],
            adhesion_exponent=1.0 if linear else p["adhesionExponent"],
            **elastic,
        )
    return ExudynNormal(**elastic)  # which ignores pull-off, as the program does without plasticity


def build(p: dict[str, Any]) -> ns.Model:
    """Spheres 0 and 1 of the parameters `p`, with the program's friction by the signed normal force."""
    model = ns.Model()
    first, second = add_spheres(
        model, p["radii"], p["masses"], *([p[f"{name}{i}"] for i in range(2)] for name in "xvw")
    )
    friction = None
    if p["dynamicFriction"]:
        friction = RegularisedCoulomb(
            mu=p["dynamicFriction"], velocity_zone=p["frictionProportionalZone"], signed=True
        )
    model.add(CompliantSphereSphere(pairs=[(second, first)], normal=normal_law(p), tangential=friction))
    return model


def phases(law: Law) -> Phases:
    """Phases of two spheres under a normal law: of motion, and 3 to 5 in adhesion."""
    if not isinstance(law, ExudynPlastic):
        return approach

    def with_adhesion(result: ns.Result) -> np.ndarray:
        d = np.maximum(overlaps(result.model, result.position), 0.0)
        d_p = np.array([h.values[:1].sum(axis=1) if h and len(h.values) else [0.0] for h in result.histories])
        elastic = law.stiffness / (1.0 - law.plasticity) * (d**law.exponent - d_p**law.exponent)
        return approach(result) + 3 * (elastic < -law.adhesion * d**law.adhesion_exponent)

    return with_adhesion
