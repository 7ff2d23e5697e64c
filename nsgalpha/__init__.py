"""nsgalpha: nonsmooth multibody dynamics by the nonsmooth generalized-alpha scheme.

    model = Model(gravity=...);  model.add_sphere(...);  model.add(element);  simulate(model, ...)

model -> run -> stepping (large islands: large) -> contact -> linalg, and the same for compliant and explicit
contacts in the packages of these names. A step is in stepping/integrator.py; elements live in the
package `elements`.
"""

from nsgalpha.compliant.outputs import CompliantContacts, compliant_contacts
from nsgalpha.implicit.equilibrium import Equilibrium, equilibrium
from nsgalpha.io.stored import load
from nsgalpha.model.handles import Body, Plane, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.run.recording import Recording
from nsgalpha.run.result import Contacts, Result, Statistics
from nsgalpha.run.scheme import GeneralizedAlpha, Overdamped, SemiImplicit, VelocityVerlet
from nsgalpha.run.simulation import resume, simulate, step
from nsgalpha.run.status import Status, StepFailed
from nsgalpha.run.watch import Impact, Moment, OnImpact, Sensor, Series, StopWhen

__version__ = "0.1.0"

__all__ = [
    "Body",
    "CompliantContacts",
    "Contacts",
    "Equilibrium",
    "GeneralizedAlpha",
    "Impact",
    "Model",
    "Moment",
    "OnImpact",
    "Overdamped",
    "Plane",
    "Primitive",
    "Recording",
    "Result",
    "SemiImplicit",
    "Sensor",
    "Series",
    "State",
    "Statistics",
    "Status",
    "StepFailed",
    "StopWhen",
    "VelocityVerlet",
    "compliant_contacts",
    "equilibrium",
    "load",
    "resume",
    "simulate",
    "step",
]
