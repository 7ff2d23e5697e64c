"""Functions with models, which worker processes of sweeps import."""

import numpy as np
from swept import log

import nsgalpha as ns
from elements import Revolute, SpherePlane, SphereSphere


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


def collide(speed):
    """Three balls, two of which touch, on a plane; a negative speed is an error."""
    if speed < 0.0:
        raise ValueError(f"speed = {speed}")
    model = ns.Model(gravity=(0, 0, -9.8))
    for x in (-0.5, 0.0, 0.2):
        model.add_sphere(radius=0.1, mass=1.0, position=(x, 0.1 * x, 0.1), velocity=(speed * (x < 0), 0, 0))
    model.add(SphereSphere(among=model.spheres, mu=0.1, e_n=0.9))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.2, e_n=0.5))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    return {
        "velocity": result.velocity[-1],
        "impacts": result.stats.sub_impacts.sum(),
        "status": result.status,
    }


def endless_from_four(a, folder):
    """Balls on a plane, of which those from number four on roll for years."""
    log(folder, a)
    model = ns.Model(gravity=(0, 0, -9.8))
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(1.0, 0, 0))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    return last_speed(ns.simulate(model, t_end=0.05 if a < 4 else 1e8, h=1e-3, record_every=1000))
