"""The catalogue of elements: everything that acts between bodies."""

from elements.compliant import (
    Compliant,
    CompliantSphereInShell,
    CompliantSpherePlane,
    CompliantSphereSphere,
)
from elements.laws import (
    ExudynImpact,
    ExudynNormal,
    ExudynPlastic,
    LudingFriction,
    LudingMaterial,
    LudingNormal,
    RegularisedCoulomb,
    luding,
)
from elements.sphere_in_shell import SphereInShell
from elements.sphere_plane import SpherePlane
from elements.sphere_sphere import SphereSphere

__all__ = [
    "Compliant",
    "CompliantSphereInShell",
    "CompliantSpherePlane",
    "CompliantSphereSphere",
    "ExudynImpact",
    "ExudynNormal",
    "ExudynPlastic",
    "LudingFriction",
    "LudingMaterial",
    "LudingNormal",
    "RegularisedCoulomb",
    "SphereInShell",
    "SpherePlane",
    "SphereSphere",
    "luding",
]
