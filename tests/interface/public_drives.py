"""Drives, transmissions and motors with valid arguments, see public_calls.py."""

from functools import wraps

import elements as e
import nsgalpha as ns
from tests.constraints.jointed_models import pendulum


def two_bodies():
    """A model, and its bodies."""
    model = ns.Model()
    given = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
    return model, model.add_body(**given, position=(0, 0, 0)), model.add_body(**given, position=(1, 0, 0))


def _added(maker):
    """What makes a drive and adds it to a model: joints may be names, which only a model knows."""

    @wraps(maker)
    def add(**arguments):
        model, a, b = two_bodies()
        model.add(e.Revolute(None, a, point=(0, 0, 0), axis=(0, 0, 1), name="pin"))
        model.add(e.Cylindrical(None, b, point=(0, 0, 0), axis=(0, 0, 1), name="nut"))
        return model.add(maker(**arguments))

    return add


def drives(folder):
    """Drives, transmissions and motors, and what is asked of them."""
    model, _, pin = pendulum()
    model.add(e.Drive(pin, 0.0, name="servo"))
    result = ns.simulate(model, t_end=2e-3, h=1e-3)
    _, a, b = two_bodies()
    return {
        "Drive": (_added(e.Drive), {"joint": "pin", "motion": 0.0, "coordinate": "angle", "name": "it"}),
        "Drive at a rate": (_added(e.Drive), {"joint": "pin", "rate": 1.0}),
        "Gear": (
            _added(e.Gear),
            {"first": "pin", "second": "nut", "ratio": 2.0, "coordinates": (None, "angle")},
        ),
        "RackAndPinion": (_added(e.RackAndPinion), {"pinion": "pin", "rack": "nut", "radius": 0.1}),
        "Screw": (_added(e.Screw), {"joint": "nut", "lead": 0.1}),
        "Differential": (
            _added(e.Differential),
            {"joints": ("pin", "nut"), "weights": (1.0, 2.0), "coordinates": ("angle", "displacement")},
        ),
        "Motor": (_added(e.Motor), {"joint": "pin", "load": 1.0, "coordinate": "angle", "name": "it"}),
        "PD": (_added(e.PD), {"joint": "pin", "target": 1.0, "stiffness": 1.0, "damping": 1.0}),
        "JointSpring": (
            _added(e.JointSpring),
            {"joint": "pin", "stiffness": 1.0, "damping": 1.0, "rest": 0.0},
        ),
        "Telescope": (e.Telescope, {"a": a, "b": b, "points": ((0, 0, 0), (1, 0, 0))}),
        "Result.effort": (result.effort, {"drive": "servo"}),
        "Model.add of a drive": (lambda element: model.add(element), {"element": e.Motor("pin", 1.0)}),
    }
