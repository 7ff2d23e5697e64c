"""Functions with models, which worker processes of sweeps import."""

import numpy as np

import nsgalpha as ns
from elements import Revolute, SpherePlane


def bounce(force):
    """A ball on a plane; a load that is not a number ends the run."""
    model = ns.Model(gravity=(0, 0, -9.8))
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(1.0, 0, 0))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    model.add_load(lambda t, state: np.full((1, 3), force if t > 0.005 else 0.0))
    return ns.simulate(model, t_end=0.02, h=1e-3)


def last_speed(result):
    return {"speed": result.velocity[-1, 0, 0], "t": result.t[-1]}


def stated(force):
    result = bounce(force)
    return {"steps": len(result.t) - 1, "status": result.status}


def swing(length):
    """Force in the pin of a rod after a second of swing, and angle."""
    model = ns.Model(gravity=(0, 0, -9.81))
    inertia = length**2 / 12
    rod = model.add_body(mass=1.0, inertia=(1e-3, inertia, inertia), position=(length / 2, 0, 0))
    model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0), name="pin"))
    result = ns.simulate(model, t_end=0.5, h=2e-3)
    return {"force": result.reaction("pin").force[-1], "angle": result.coordinate("pin").value[-1]}
