"""nsgalpha: nonsmooth multibody dynamics by the nonsmooth generalized-alpha scheme.

    model = Model(gravity=...);  model.add_sphere(...);  model.add(element);  simulate(model, ...)

A step runs through smooth.py, position.py, velocity.py (see integrator.py); elements live in the
package `elements`.
"""

from nsgalpha.compliant.outputs import CompliantContacts, compliant_contacts
from nsgalpha.model import Body, Model, Plane
from nsgalpha.result import Contacts, Result, Statistics
from nsgalpha.scheme import GeneralizedAlpha, VelocityVerlet
from nsgalpha.simulation import simulate, step
from nsgalpha.state import State
from nsgalpha.status import Status, StepFailed

__version__ = "0.1.0"

__all__ = [
    "Body",
    "CompliantContacts",
    "Contacts",
    "GeneralizedAlpha",
    "Model",
    "Plane",
    "Result",
    "State",
    "Statistics",
    "Status",
    "StepFailed",
    "VelocityVerlet",
    "compliant_contacts",
    "simulate",
    "step",
]
