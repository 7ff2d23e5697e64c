"""The public names, each imported when it is first used: `import nsgalpha` alone is quick."""

from . import case, show
from .case import layouts
from .compliant.outputs import CompliantContacts, compliant_contacts
from .compliant.surface_outputs import SurfaceOutputs, surface_outputs
from .io.stored import load
from .model import regions
from .model.gates import Feeder, Outlet
from .model.handles import Body, Plane, Primitive
from .model.model import Model
from .model.motions import ConstantVelocity, MotionTable, Rotation, Shaking
from .model.state import State
from .model.surface import Surface
from .run.budget import Budget
from .run.events import Event, Events
from .run.joint_outputs import Coordinate, Reaction
from .run.recording import Recording
from .run.redundant_joints import RedundantJoints
from .run.result import Contacts, Result, Series, Statistics
from .run.scheme import GeneralizedAlpha, Overdamped, SemiImplicit, VelocityVerlet
from .run.simulation import resume, simulate, step
from .run.status import Status, StepFailed
from .run.stress import MeanStress, mean_stress
from .run.watch import Impact, Moment, OnImpact, Sensor, StopWhen
from .schemes.generalized_alpha.assemble import Assembly, assemble
from .schemes.implicit.equilibrium import Equilibrium, equilibrium
from .show.live import view
from .study.grid import Grid
from .study.points import scattered
from .study.sweep import sweep
from .study.table import Table

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
    "scattered",
    "show",
    "simulate",
    "step",
    "surface_outputs",
    "sweep",
    "view",
]
