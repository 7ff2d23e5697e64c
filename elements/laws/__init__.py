"""Laws of compliant contact: Exudyn's, Luding's, Rockable's, and by kind those of the literature."""

from elements.laws.cells import Contractile, Delile, Dividing
from elements.laws.coulomb import CundallStrack, HaffWerner, TorsionalCoulomb
from elements.laws.exudyn import ExudynNormal, RegularisedCoulomb
from elements.laws.exudyn_impact import ExudynImpact
from elements.laws.exudyn_plastic import ExudynPlastic
from elements.laws.hertzian import (
    DMT,
    JKR,
    CapsuleMoment,
    Hertz,
    MaugisDugdale,
    capsule_moment,
    contact_modulus,
)
from elements.laws.linear import (
    ConstantForce,
    LinearAdhesion,
    LinearPressure,
    Lubrication,
    PresetForce,
    Resistance,
    SpringDashpot,
    mesh_weight,
)
from elements.laws.luding import (
    LudingMaterial,
    bar_stiffness,
    contact_time,
    luding,
    plastic_restitution,
    viscous_restitution,
)
from elements.laws.luding_friction import LudingFriction
from elements.laws.luding_normal import LudingNormal
from elements.laws.rockable import Bond, RockableAvalanche, RockableDefault, StickedLinks
from elements.laws.springs import LinearDashpot, LinearSpring, MaxwellSpring

__all__ = [
    "DMT",
    "JKR",
    "Bond",
    "CapsuleMoment",
    "ConstantForce",
    "Contractile",
    "CundallStrack",
    "Delile",
    "Dividing",
    "ExudynImpact",
    "ExudynNormal",
    "ExudynPlastic",
    "HaffWerner",
    "Hertz",
    "LinearAdhesion",
    "LinearDashpot",
    "LinearPressure",
    "LinearSpring",
    "Lubrication",
    "LudingFriction",
    "LudingMaterial",
    "LudingNormal",
    "MaugisDugdale",
    "MaxwellSpring",
    "PresetForce",
    "RegularisedCoulomb",
    "Resistance",
    "RockableAvalanche",
    "RockableDefault",
    "SpringDashpot",
    "StickedLinks",
    "TorsionalCoulomb",
    "bar_stiffness",
    "capsule_moment",
    "contact_modulus",
    "contact_time",
    "luding",
    "mesh_weight",
    "plastic_restitution",
    "viscous_restitution",
]
