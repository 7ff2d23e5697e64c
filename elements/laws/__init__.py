"""Laws of compliant contact: Exudyn's, Luding's, Rockable's, and by kind those of the literature.

This is the one list of them: `elements` offers the same names, and its catalogue finds the laws among them.
"""

from elements.laws.cells.contractile import Contractile
from elements.laws.cells.delile import Delile
from elements.laws.cells.dividing_pair import Dividing
from elements.laws.coulomb.cundall_strack import CundallStrack
from elements.laws.coulomb.haff_werner import HaffWerner
from elements.laws.coulomb.torsional_friction import TorsionalCoulomb
from elements.laws.exudyn import ExudynNormal, RegularisedCoulomb
from elements.laws.exudyn_impact import ExudynImpact
from elements.laws.exudyn_plastic import ExudynPlastic
from elements.laws.hertzian.capsule_couple import CapsuleMoment, capsule_moment
from elements.laws.hertzian.contact_modulus import contact_modulus, plane_modulus
from elements.laws.hertzian.geometric_adhesion import GeometricMaugisDugdale, TruncatedTraction
from elements.laws.hertzian.hertz import DMT, Hertz
from elements.laws.hertzian.jkr import JKR
from elements.laws.hertzian.maugis import MaugisDugdale
from elements.laws.linear.constant_force import ConstantForce
from elements.laws.linear.contact_resistance import Resistance, mesh_weight
from elements.laws.linear.force_reset import Reset
from elements.laws.linear.geometric_area import GeometricArea
from elements.laws.linear.linear_adhesion import LinearAdhesion, PresetForce
from elements.laws.linear.linear_pressure import LinearPressure
from elements.laws.linear.lubrication import Lubrication
from elements.laws.linear.sph_viscosity import SPH
from elements.laws.linear.spring_dashpot import SpringDashpot
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
from elements.laws.rockable.rockable_contact import RockableAvalanche, RockableDefault
from elements.laws.rockable.sticked_links import Bond, StickedLinks
from elements.laws.springs.dashpot import LinearDashpot
from elements.laws.springs.linear_spring import LinearSpring
from elements.laws.springs.maxwell import MaxwellSpring

__all__ = [
    "DMT",
    "JKR",
    "SPH",
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
    "GeometricArea",
    "GeometricMaugisDugdale",
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
    "Reset",
    "Resistance",
    "RockableAvalanche",
    "RockableDefault",
    "SpringDashpot",
    "StickedLinks",
    "TorsionalCoulomb",
    "TruncatedTraction",
    "bar_stiffness",
    "capsule_moment",
    "contact_modulus",
    "contact_time",
    "luding",
    "mesh_weight",
    "plane_modulus",
    "plastic_restitution",
    "viscous_restitution",
]
