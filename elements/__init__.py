"""The catalogue of elements: everything that acts between bodies."""

from elements import laws
from elements.capsule_contacts import CapsuleCapsule, CapsulePlane, CapsuleSphere
from elements.cells import (
    Cell,
    Cluster,
    Cycles,
    DividingContact,
    Growth,
    LineTension,
    Pipette,
    Since,
    SurfaceContact,
    add_cell,
    add_cluster,
    ring_of,
)
from elements.compliant_elements import (
    Compliant,
    CompliantSphereInShell,
    CompliantSpherePlane,
    CompliantSphereSphere,
)
from elements.contact_groups import by_group
from elements.dissipation import dissipation
from elements.drives import Differential, Drive, Gear, RackAndPinion, Screw
from elements.glued_bonds import glued
from elements.joint_friction import JointFriction, SpeedMotor
from elements.joint_limits import Limit
from elements.joint_markers import Marker
from elements.joint_motors import PD, JointSpring, Motor
from elements.joints import (
    Cylindrical,
    Distance,
    Link,
    Planar,
    Prismatic,
    Revolute,
    Rigid,
    Spherical,
    Telescope,
    Universal,
)
from elements.laws import *
from elements.layered_spheres import LayeredSpheres
from elements.motion_resistance import Drag
from elements.patch_outputs import contact_patches
from elements.point_pairs import PointPairs
from elements.point_springs import Dashpot, Maxwell, Spring
from elements.primitive_contacts import (
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
from elements.rockable_file import read_rockable
from elements.ropes import Rope
from elements.rounded_triangles import RoundedTriangles
from elements.segment_drag import SegmentDrag
from elements.shells import (
    Bending,
    ChainSprings,
    FungMembrane,
    GlobalArea,
    JuelicherBending,
    LimMembrane,
    LinearMembrane,
    LocalArea,
    MaxwellShell,
    NeoHookeanMembrane,
    ShellBending,
    ShellSprings,
    ShellViscosity,
    SkalakMembrane,
    Volume,
    icosphere,
)
from elements.solid_contacts import CompliantSolidPlane, CompliantSolids
from elements.sphere_in_shell import SphereInShell
from elements.sphere_plane import SpherePlane
from elements.sphere_polygon import SpherePolygon
from elements.sphere_sphere import SphereSphere

__all__ = [
    "PD",
    "Bending",
    "CapsuleCapsule",
    "CapsulePlane",
    "CapsuleSphere",
    "Cell",
    "ChainSprings",
    "Cluster",
    "Compliant",
    "CompliantCapsuleSphere",
    "CompliantCapsules",
    "CompliantCylinderSphere",
    "CompliantDiskSphere",
    "CompliantPolygonCapsule",
    "CompliantPolygonSphere",
    "CompliantPolygons",
    "CompliantPrimitiveSpheres",
    "CompliantSolidPlane",
    "CompliantSolids",
    "CompliantSphereInShell",
    "CompliantSpherePlane",
    "CompliantSphereSphere",
    "CompliantSurfaces",
    "Cycles",
    "Cylindrical",
    "Dashpot",
    "Differential",
    "Distance",
    "DividingContact",
    "Drag",
    "Drive",
    "FungMembrane",
    "Gear",
    "GlobalArea",
    "Growth",
    "JointFriction",
    "JointSpring",
    "JuelicherBending",
    "LayeredSpheres",
    "LimMembrane",
    "Limit",
    "LineTension",
    "LinearMembrane",
    "Link",
    "LocalArea",
    "Marker",
    "Maxwell",
    "MaxwellShell",
    "Motor",
    "NeoHookeanMembrane",
    "Pipette",
    "Planar",
    "PointPairs",
    "Prismatic",
    "RackAndPinion",
    "Revolute",
    "Rigid",
    "Rope",
    "RoundedTriangles",
    "Screw",
    "SegmentDrag",
    "ShellBending",
    "ShellSprings",
    "ShellViscosity",
    "Since",
    "SkalakMembrane",
    "SpeedMotor",
    "SphereInShell",
    "SpherePlane",
    "SpherePolygon",
    "SphereSphere",
    "Spherical",
    "Spring",
    "SurfaceContact",
    "Telescope",
    "Universal",
    "Volume",
    "add_cell",
    "add_cluster",
    "by_group",
    "contact_patches",
    "dissipation",
    "glued",
    "icosphere",
    "read_rockable",
    "ring_of",
]
__all__ += laws.__all__
