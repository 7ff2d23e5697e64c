"""The catalogue of elements: everything that acts between bodies."""

from elements.compliant import (
    Compliant,
    CompliantSphereInShell,
    CompliantSpherePlane,
    CompliantSphereSphere,
)
from elements.dissipation import dissipation
from elements.glue import glued
from elements.groups import by_group
from elements.laws import (
    Bond,
    CundallStrack,
    ExudynImpact,
    ExudynNormal,
    ExudynPlastic,
    LudingFriction,
    LudingMaterial,
    LudingNormal,
    RegularisedCoulomb,
    RockableAvalanche,
    RockableDefault,
    SpringDashpot,
    StickedLinks,
    luding,
)
from elements.resistance import Drag
from elements.sphere_in_shell import SphereInShell
from elements.sphere_plane import SpherePlane
from elements.sphere_sphere import SphereSphere

__all__ = [
    "Bond",
    "Compliant",
    "CompliantSphereInShell",
    "CompliantSpherePlane",
    "CompliantSphereSphere",
    "CundallStrack",
    "Drag",
    "ExudynImpact",
    "ExudynNormal",
    "ExudynPlastic",
    "LudingFriction",
    "LudingMaterial",
    "LudingNormal",
    "RegularisedCoulomb",
    "RockableAvalanche",
    "RockableDefault",
    "SphereInShell",
    "SpherePlane",
    "SphereSphere",
    "SpringDashpot",
    "StickedLinks",
    "by_group",
    "dissipation",
    "glued",
    "luding",
]
