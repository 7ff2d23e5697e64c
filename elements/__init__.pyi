# Written by `python -m verification.catalogue`.
# ruff: noqa: I001
from .capsule_contacts import CapsulePlane as CapsulePlane, CapsuleSphere as CapsuleSphere
from .capsule_contacts import CapsuleCapsule as CapsuleCapsule
from .cells.cell_cluster import Cycles as Cycles, StepFunction as StepFunction, Cluster as Cluster
from .cells.cell_cluster import add_cluster as add_cluster
from .cells.cell_contact import Pipette as Pipette, SurfaceContact as SurfaceContact
from .cells.deformable_cell import Growth as Growth, Cell as Cell, add_cell as add_cell
from .cells.dividing_contact import DividingContact as DividingContact
from .cells.line_tension import LineTension as LineTension, ring_of as ring_of
from .compliant_elements import Compliant as Compliant, CompliantSphereSphere as CompliantSphereSphere
from .compliant_elements import CompliantSpherePlane as CompliantSpherePlane
from .compliant_elements import CompliantSphereInShell as CompliantSphereInShell
from .compliant_primitives import CompliantSurfaces as CompliantSurfaces
from .compliant_primitives import CompliantPrimitiveSpheres as CompliantPrimitiveSpheres
from .compliant_primitives import CompliantCapsules as CompliantCapsules
from .compliant_primitives import CompliantCapsuleSphere as CompliantCapsuleSphere
from .compliant_primitives import CompliantCylinderSphere as CompliantCylinderSphere
from .compliant_primitives import CompliantDiskSphere as CompliantDiskSphere
from .compliant_primitives import CompliantPolygonSphere as CompliantPolygonSphere
from .compliant_primitives import CompliantPolygonCapsule as CompliantPolygonCapsule
from .compliant_primitives import CompliantPolygons as CompliantPolygons
from .compliant_solids import CompliantSolids as CompliantSolids, CompliantSolidPlane as CompliantSolidPlane
from .compliant_solids import CompliantSolidMesh as CompliantSolidMesh
from .contact import Contact as Contact, CompliantContact as CompliantContact
from .contact_groups import by_group as by_group
from .dissipation import dissipation as dissipation
from .drives import Drive as Drive, Gear as Gear, RackAndPinion as RackAndPinion, Screw as Screw
from .drives import Differential as Differential
from .glued_bonds import glued as glued
from .joint_friction import JointFriction as JointFriction, SpeedMotor as SpeedMotor
from .joint_limits import Limit as Limit
from .joint_markers import Marker as Marker
from .joint_motors import Motor as Motor, PD as PD, JointSpring as JointSpring
from .joints import Spherical as Spherical, Revolute as Revolute, Cylindrical as Cylindrical
from .joints import Prismatic as Prismatic, Planar as Planar, Rigid as Rigid, Universal as Universal
from .joints import Distance as Distance, Telescope as Telescope, Link as Link
from .laws.cells.contractile import Contractile as Contractile
from .laws.cells.delile import Delile as Delile
from .laws.cells.dividing_pair import Dividing as Dividing
from .laws.coulomb.cundall_strack import CundallStrack as CundallStrack
from .laws.coulomb.haff_werner import HaffWerner as HaffWerner
from .laws.coulomb.layer_friction import LayerFriction as LayerFriction
from .laws.coulomb.torsional_friction import TorsionalCoulomb as TorsionalCoulomb
from .laws.exudyn import ExudynNormal as ExudynNormal, RegularisedCoulomb as RegularisedCoulomb
from .laws.exudyn_impact import ExudynImpact as ExudynImpact
from .laws.exudyn_plastic import ExudynPlastic as ExudynPlastic
from .laws.hertzian.capsule_couple import capsule_moment as capsule_moment, CapsuleMoment as CapsuleMoment
from .laws.hertzian.contact_modulus import contact_modulus as contact_modulus
from .laws.hertzian.contact_modulus import contact_shear_modulus as contact_shear_modulus
from .laws.hertzian.contact_modulus import plane_modulus as plane_modulus
from .laws.hertzian.contact_modulus import tangential_modulus as tangential_modulus
from .laws.hertzian.geometric_adhesion import GeometricMaugisDugdale as GeometricMaugisDugdale
from .laws.hertzian.geometric_adhesion import TruncatedTraction as TruncatedTraction
from .laws.hertzian.hertz import Hertz as Hertz, DMT as DMT
from .laws.hertzian.jkr import JKR as JKR
from .laws.hertzian.maugis import MaugisDugdale as MaugisDugdale
from .laws.hertzian.mindlin import Mindlin as Mindlin, hertz_mindlin as hertz_mindlin
from .laws.linear.constant_force import ConstantForce as ConstantForce
from .laws.linear.contact_resistance import Resistance as Resistance, mesh_weight as mesh_weight
from .laws.linear.force_reset import Reset as Reset
from .laws.linear.geometric_area import GeometricArea as GeometricArea
from .laws.linear.linear_adhesion import LinearAdhesion as LinearAdhesion, PresetForce as PresetForce
from .laws.linear.linear_pressure import LinearPressure as LinearPressure
from .laws.linear.lubrication import Lubrication as Lubrication
from .laws.linear.sph_viscosity import SPH as SPH
from .laws.linear.spring_dashpot import SpringDashpot as SpringDashpot
from .laws.luding import LudingMaterial as LudingMaterial, luding as luding, bar_stiffness as bar_stiffness
from .laws.luding import contact_time as contact_time, viscous_restitution as viscous_restitution
from .laws.luding import plastic_restitution as plastic_restitution
from .laws.luding_friction import LudingFriction as LudingFriction
from .laws.luding_normal import LudingNormal as LudingNormal
from .laws.rockable.rockable_contact import RockableDefault as RockableDefault
from .laws.rockable.rockable_contact import RockableAvalanche as RockableAvalanche
from .laws.rockable.sticked_links import Bond as Bond, StickedLinks as StickedLinks
from .laws.springs.dashpot import LinearDashpot as LinearDashpot
from .laws.springs.linear_spring import LinearSpring as LinearSpring
from .laws.springs.maxwell import MaxwellSpring as MaxwellSpring
from .layered_spheres import LayeredSpheres as LayeredSpheres
from .motion_resistance import Drag as Drag
from .patch_outputs import contact_patches as contact_patches
from .point_pairs import PointPairs as PointPairs
from .point_springs import Spring as Spring, Maxwell as Maxwell, Dashpot as Dashpot
from .rockable_file import read_rockable as read_rockable
from .ropes import Rope as Rope
from .round_meshes import SphereMesh as SphereMesh, CapsuleMesh as CapsuleMesh
from .round_solids import SphereSolid as SphereSolid, CapsuleSolid as CapsuleSolid
from .rounded_triangles import RoundedTriangles as RoundedTriangles
from .segment_drag import SegmentDrag as SegmentDrag
from .servo_walls import ServoWall as ServoWall, add_servo_wall as add_servo_wall
from .shells.area_volume_elasticity import LocalArea as LocalArea, GlobalArea as GlobalArea, Volume as Volume
from .shells.chain_springs import ChainSprings as ChainSprings
from .shells.edge_bending import Bending as Bending, ShellBending as ShellBending
from .shells.edge_springs import ShellSprings as ShellSprings, MaxwellShell as MaxwellShell
from .shells.edge_springs import ShellViscosity as ShellViscosity
from .shells.icosphere import icosphere as icosphere
from .shells.mean_curvature_bending import JuelicherBending as JuelicherBending
from .shells.membranes import LinearMembrane as LinearMembrane, NeoHookeanMembrane as NeoHookeanMembrane
from .shells.membranes import SkalakMembrane as SkalakMembrane, LimMembrane as LimMembrane
from .shells.membranes import FungMembrane as FungMembrane
from .solid_mesh import SolidMesh as SolidMesh
from .solid_plane import SolidPlane as SolidPlane
from .solid_solid import SolidSolid as SolidSolid
from .sphere_in_shell import SphereInShell as SphereInShell
from .sphere_plane import SpherePlane as SpherePlane
from .sphere_polygon import SpherePolygon as SpherePolygon
from .sphere_sphere import SphereSphere as SphereSphere

__all__: list[str]
