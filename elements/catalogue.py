"""The catalogue of this package for case files (entry point of the group `nsgalpha.elements`)."""

import elements as e
from nsgalpha.case.plugin_catalogue import Catalogue

#: Arguments of elements that case files do not name.
PARTS = (
    e.Compliant,
    e.PointPairs,
    e.Bond,
    e.LinearSpring,
    e.MaxwellSpring,
    e.LinearDashpot,
    e.Marker,
    e.Growth,
    e.Cycles,
    e.StepFunction,
)
LAWS = [getattr(e, name) for name in e.laws.__all__ if hasattr(getattr(e, name), "kernel")]

SETS = (
    *(e.SphereSphere, e.SpherePlane, e.SpherePolygon, e.SphereInShell),
    *(e.CapsulePlane, e.CapsuleSphere, e.CapsuleCapsule),
)
SPHERES = (
    e.CompliantSphereSphere,
    e.CompliantSpherePlane,
    e.CompliantSphereInShell,
    e.CompliantPrimitiveSpheres,
)
ROUND = e.CompliantCapsules, e.CompliantCapsuleSphere, e.CompliantCylinderSphere, e.CompliantDiskSphere
SOLIDS = e.CompliantSolids, e.CompliantSolidPlane
POLYGONS = e.CompliantPolygonSphere, e.CompliantPolygonCapsule, e.CompliantPolygons, e.RoundedTriangles
SPRINGS = e.Spring, e.Maxwell, e.Dashpot
EDGES = e.ShellSprings, e.MaxwellShell, e.ShellViscosity, e.Bending, e.ShellBending
MEMBRANES = e.LinearMembrane, e.NeoHookeanMembrane, e.SkalakMembrane, e.LimMembrane, e.FungMembrane
SHELLS = *EDGES, *MEMBRANES, e.ChainSprings, e.JuelicherBending, e.LocalArea, e.GlobalArea, e.Volume
CELLS = e.SurfaceContact, e.DividingContact, e.LineTension
TURNING = e.Spherical, e.Revolute, e.Cylindrical, e.Universal
JOINTS = *TURNING, e.Prismatic, e.Planar, e.Rigid, e.Distance, e.Link, e.Telescope
DRIVES = e.Drive, e.Gear, e.RackAndPinion, e.Screw, e.Differential, e.Motor, e.PD, e.JointSpring

MARKERS = e.Rope, e.Limit, e.JointFriction, e.SpeedMotor

CATALOGUE = Catalogue(
    joints=JOINTS,
    drives=DRIVES,
    elements=(
        *SETS,
        *SPHERES,
        e.LayeredSpheres,
        *ROUND,
        *POLYGONS,
        *SOLIDS,
        *SPRINGS,
        e.SegmentDrag,
        *SHELLS,
        *CELLS,
        *MARKERS,
    ),
    laws=tuple(law for law in LAWS if law not in PARTS),
    law_sets=(e.luding,),
    loads=(e.Drag, e.Drag.stokes),
    resistances=(e.Drag, e.Drag.stokes),
    starts=(e.glued,),
    cells=(e.add_cluster,),
    parts=PARTS,
)
