"""Laws of compliant contact, by the document they come from."""

from elements.laws.cundall_strack import CundallStrack, SpringDashpot
from elements.laws.exudyn import ExudynNormal, RegularisedCoulomb
from elements.laws.exudyn_impact import ExudynImpact
from elements.laws.exudyn_plastic import ExudynPlastic
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

__all__ = [
    "Bond",
    "CundallStrack",
    "ExudynImpact",
    "ExudynNormal",
    "ExudynPlastic",
    "LudingFriction",
    "LudingMaterial",
    "LudingNormal",
    "RegularisedCoulomb",
    "RockableAvalanche",
    "RockableDefault",
    "SpringDashpot",
    "StickedLinks",
    "bar_stiffness",
    "contact_time",
    "luding",
    "plastic_restitution",
    "viscous_restitution",
]
