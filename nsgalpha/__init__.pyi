"""The public names, each imported when it is first used: `import nsgalpha` alone is quick."""

from . import case, show
from .case import layouts
from .constraints.joint_outputs import Coordinate, Reaction
from .forces.contact_outputs import CompliantContacts, compliant_contacts
from .forces.surface_outputs import SurfaceOutputs, surface_outputs
from .io.result_reader import load
from .model import regions
from .model.frame_motions import ConstantVelocity, MotionTable, Rotation, Shaking
from .model.handles import Body, Plane, Primitive
from .model.inlets_outlets import Feeder, Outlet
from .model.model import Model
from .model.state import State
from .model.triangulated_surface import Surface
from .run.body_events import Event, Events
from .run.energy_budget import Budget
from .run.mean_stress import MeanStress, mean_stress
from .run.recording import Recording
from .run.redundant_joints import RedundantJoints
from .run.result import Result
from .run.run_records import Contacts, Series, Statistics
from .run.simulation import resume, simulate, step
from .run.watchers import Impact, Moment, OnImpact, Sensor, StopWhen
from .schemes.generalized_alpha.joint_assembly import Assembly, assemble
from .schemes.implicit.equilibrium import Equilibrium, equilibrium
from .schemes.moreau_jean.moreau_jean import MoreauJean
from .schemes.scheme_settings import GeneralizedAlpha, Overdamped, SemiImplicit, VelocityVerlet
from .show.live_view import view
from .stepping.status import Status, StepFailed
from .study.sweep import sweep
from .study.sweep_grid import Grid
from .study.sweep_points import sample_points
from .study.sweep_table import Table

__version__: str

__all__ = [
    "Assembly",
    "Body",
    "Budget",
    "CompliantContacts",
    "ConstantVelocity",
    "Contacts",
    "Coordinate",
    "Equilibrium",
    "Event",
    "Events",
    "Feeder",
    "GeneralizedAlpha",
    "Grid",
    "Impact",
    "MeanStress",
    "Model",
    "Moment",
    "MoreauJean",
    "MotionTable",
    "OnImpact",
    "Outlet",
    "Overdamped",
    "Plane",
    "Primitive",
    "Reaction",
    "Recording",
    "RedundantJoints",
    "Result",
    "Rotation",
    "SemiImplicit",
    "Sensor",
    "Series",
    "Shaking",
    "State",
    "Statistics",
    "Status",
    "StepFailed",
    "StopWhen",
    "Surface",
    "SurfaceOutputs",
    "Table",
    "VelocityVerlet",
    "assemble",
    "case",
    "compliant_contacts",
    "equilibrium",
    "layouts",
    "load",
    "mean_stress",
    "regions",
    "resume",
    "sample_points",
    "show",
    "simulate",
    "step",
    "surface_outputs",
    "sweep",
    "view",
]
