"""Single impacts of far pairs in one model, each with its angle and instant."""

from dataclasses import dataclass

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.balls import GRAVITY, MASS, RADIUS
from verification.run import simulate
from verification.scenes import add_spheres

STEPS_BEFORE = 2  # steps of a run before that of the impact
APART = 20.0 * RADIUS

Floats = np.ndarray


@dataclass(frozen=True, slots=True)
class Collisions:
    """Pairs after their impact: velocities and positions (pairs, 2, 3), the striker first; how it went."""

    velocity: Floats
    position: Floats
    stats: ns.Statistics
    status: ns.Status


def collide(speed: float, h: float, phi: Floats, left: Floats, *, passing: bool = False) -> Collisions:
    """Elastic impacts without friction or gravity of balls that come at `speed` [m/s] along x.

    phi: angles (pairs,) of the lines of centres to x [rad]. left: fractions (pairs,) of the step `h` [s] that
    are left when the balls touch. passing: balls may pass through each other, and the run have no success.
    """
    model, places = ns.Model(), []
    for i, (angle, part) in enumerate(zip(phi, left, strict=True)):
        struck = np.array([0.0, APART * (i % 100), APART * (i // 100)])
        way = speed * h * (STEPS_BEFORE + 1.0 - part)
        touching = struck - 2.0 * RADIUS * np.array([np.cos(angle), np.sin(angle), 0.0])
        places += [touching - (way, 0, 0), struck]
    add_spheres(model, RADIUS, MASS, places, [(speed, 0, 0), (0, 0, 0)] * len(phi))
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    result = (ns.simulate if passing else simulate)(model, t_end=(STEPS_BEFORE + 0.5) * h, h=h)
    velocity, position = result.velocity[-1].reshape(-1, 2, 3), result.position[-1].reshape(-1, 2, 3)
    return Collisions(velocity, position, result.stats, result.status)


def energy_after_bounce(speed: float, h: float, left: Floats, *, ceiling: bool) -> Floats:
    """Energy gain per mass [J/kg] of balls bouncing on a floor or ceiling.

    speed [m/s]: at the instant of the impact. left: as of `collide`.
    """
    up = -1.0 if ceiling else 1.0
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    plane = model.add_plane(normal=(0.0, 0.0, up))
    for i, part in enumerate(left):
        time = h * (STEPS_BEFORE + 1.0 - part)
        start = up * speed - GRAVITY * time  # downwards, before
        place = up * RADIUS + up * speed * time - 0.5 * GRAVITY * time**2
        model.add_sphere(radius=RADIUS, mass=MASS, position=(APART * i, 0, place), velocity=(0, 0, -start))
    model.add(SpherePlane(model.spheres, plane, e_n=1.0))
    result = simulate(model, t_end=(STEPS_BEFORE + 0.5) * h, h=h)
    height, rate = result.position[:, :, 2], result.velocity[:, :, 2]
    energy = 0.5 * rate**2 + GRAVITY * height
    return energy[-1] - energy[0]
