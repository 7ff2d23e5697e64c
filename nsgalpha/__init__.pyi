"""The public names, each imported when it is first used: `import nsgalpha` alone is quick."""
# ruff: noqa: I001

from . import case as case, show as show
from .case import layouts as layouts
from .constraints.joint_outputs import Coordinate as Coordinate, Reaction as Reaction
from .forces.contact_outputs import CompliantContacts as CompliantContacts
from .forces.contact_outputs import compliant_contacts as compliant_contacts
from .forces.surface_outputs import SurfaceOutputs as SurfaceOutputs, surface_outputs as surface_outputs
from .io.result_reader import load as load
from .model import parts as parts, regions as regions
from .model.cell_motion import CellMotion as CellMotion
from .model.contact_element import ContactLaw as ContactLaw
from .model.feeding import feed_spheres as feed_spheres
from .model.frame_motions import ConstantVelocity as ConstantVelocity, MotionTable as MotionTable
from .model.frame_motions import Rotation as Rotation, Shaking as Shaking
from .model.handles import Body as Body, Plane as Plane, Primitive as Primitive
from .model.height_fields import height_field as height_field
from .model.inlets_outlets import Feeder as Feeder, Outlet as Outlet
from .model.materials import Material as Material, MaterialPair as MaterialPair
from .model.materials import Materials as Materials
from .model.mesh_report import MeshReport as MeshReport, mesh_report as mesh_report
from .model.model import Model as Model
from .model.state import State as State
from .model.triangulated_surface import Surface as Surface
from .robots.mjcf_robot import read_mjcf as read_mjcf
from .robots.robot_model import Robot as Robot, read_urdf as read_urdf
from .run.body_events import Event as Event, Events as Events
from .run.contact_network import ContactNetwork as ContactNetwork, contact_network as contact_network
from .run.cell_series import CellSeries as CellSeries
from .run.contact_network import granular_temperature as granular_temperature
from .run.dense_output import MotionAt as MotionAt
from .run.energy_budget import Budget as Budget
from .run.mean_stress import MeanStress as MeanStress, mean_stress as mean_stress
from .run.plane_forces import plane_force as plane_force
from .run.recording import Recording as Recording
from .run.redundant_joints import RedundantJoints as RedundantJoints
from .run.result import Result as Result
from .run.run_records import Contacts as Contacts, Series as Series, Statistics as Statistics
from .api.separation import Separation as Separation, separate as separate
from .api.simulation import resume as resume, simulate as simulate, step as step
from .run.watchers import Impact as Impact, Moment as Moment, OnImpact as OnImpact, Sensor as Sensor
from .run.watchers import StopWhen as StopWhen
from .schemes.generalized_alpha.joint_assembly import Assembly as Assembly, assemble as assemble
from .schemes.implicit.equilibrium import Equilibrium as Equilibrium, equilibrium as equilibrium
from .schemes.moreau_jean.moreau_jean import MoreauJean as MoreauJean
from .schemes.scheme_settings import GeneralizedAlpha as GeneralizedAlpha, Overdamped as Overdamped
from .schemes.scheme_settings import SemiImplicit as SemiImplicit, VelocityVerlet as VelocityVerlet
from .show.live_view import view as view
from .stepping.status import Status as Status, StepFailed as StepFailed
from .sweeps.sweep import sweep as sweep
from .sweeps.sweep_grid import Grid as Grid
from .sweeps.sweep_points import sample_points as sample_points
from .sweeps.sweep_table import Table as Table

__version__: str
__all__: list[str]
