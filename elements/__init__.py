"""The catalogue of elements: everything that acts between bodies."""

from elements import laws
from elements.capsules import CapsuleCapsule, CapsulePlane, CapsuleSphere
from elements.compliant import (
    Compliant,
    CompliantSphereInShell,
    CompliantSpherePlane,
    CompliantSphereSphere,
)
from elements.dissipation import dissipation
from elements.glue import glued
from elements.groups import by_group
from elements.joints import (
    Cylindrical,
    Distance,
    Link,
    Marker,
    Planar,
    Prismatic,
    Revolute,
    Rigid,
    Spherical,
    Universal,
)
from elements.laws import *
from elements.points import PointPairs
from elements.resistance import Drag
from elements.sphere_in_shell import SphereInShell
from elements.sphere_plane import SpherePlane
from elements.sphere_sphere import SphereSphere
from elements.springs import Dashpot, Maxwell, Spring
from elements.surfaces import (
    CompliantCapsules,
    CompliantCapsuleSphere,
    CompliantCylinderSphere,
    CompliantDiskSphere,
    CompliantPolygonCapsule,
    CompliantPolygons,
    CompliantPolygonSphere,
    CompliantPrimitiveSpheres,
    CompliantSurfaces,
)

__all__ = [
    "CapsuleCapsule",
    "CapsulePlane",
    "CapsuleSphere",
    "Compliant",
    "CompliantCapsuleSphere",
    "CompliantCapsules",
    "CompliantCylinderSphere",
    "CompliantDiskSphere",
    "CompliantPolygonCapsule",
    "CompliantPolygonSphere",
    "CompliantPolygons",
    "CompliantPrimitiveSpheres",
    "CompliantSphereInShell",
    "CompliantSpherePlane",
    "CompliantSphereSphere",
    "CompliantSurfaces",
    "Cylindrical",
    "Dashpot",
    "Distance",
    "Drag",
    "Link",
    "Marker",
    "Maxwell",
    "Planar",
    "PointPairs",
    "Prismatic",
    "Revolute",
    "Rigid",
    "SphereInShell",
    "SpherePlane",
    "SphereSphere",
    "Spherical",
    "Spring",
    "Universal",
    "by_group",
    "dissipation",
    "glued",
]
__all__ += laws.__all__
