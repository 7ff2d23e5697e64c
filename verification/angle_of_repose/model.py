"""A layer of balls on a rough periodic incline, whose slope falls by steps."""

import itertools
import math
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, CundallStrack, SpringDashpot
from nsgalpha.arrays import Floats
from verification.run import simulate

D, MASS, GRAVITY = 1.0, 1.0, 1.0  # diameter, mass, acceleration: the units
ALONG, ACROSS, LAYERS = 9, 8, 14  # balls of the floor, and layers that flow
STIFFNESS, RESTITUTION = 2e4, 0.5
MU, TIME = 0.5, 40.0  # friction; time at each slope
SLOPES = np.arange(24.0, 18.9, -1.0)  # [deg]
REST = 1e-3  # mean speed [sqrt(g d)] of a layer that is at rest


def build(slope: float, seed: int = 1) -> ns.Model:
    """The layer on a loose lattice above a floor of fixed balls, on a slope [deg]."""
    rng, angle = np.random.default_rng(seed), math.radians(slope)
    gravity = GRAVITY * np.array([math.sin(angle), 0.0, -math.cos(angle)])
    model = ns.Model(gravity=gravity, periodic=(ALONG * D, ACROSS * D, None))
    for i, j in itertools.product(range(ALONG), range(ACROSS)):
        rough = rng.uniform(-0.3, 0.3, 3) * (1.0, 1.0, 1.5)
        model.add_sphere(
            radius=0.5 * D * rng.uniform(0.8, 1.2), position=np.array([i, j, 0.0]) + rough, fixed=True
        )
    cell = np.array([ALONG / (ALONG - 2), ACROSS / (ACROSS - 2), 1.25])
    cells = np.array(list(itertools.product(range(ALONG - 2), range(ACROSS - 2), range(LAYERS))), float)
    places = cell * (cells + np.array([0.0, 0.0, 1.3])) + rng.uniform(-0.04, 0.04, cells.shape)
    sizes = rng.uniform(0.85, 1.15, len(places))
    model.add_spheres(position=places, radius=0.5 * D * sizes, mass=MASS * sizes**3, velocity=(0.5, 0.0, 0.0))
    log = math.log(RESTITUTION)
    ratio = -log / math.hypot(log, math.pi)
    law: dict[str, Any] = {
        "normal": SpringDashpot(stiffness=STIFFNESS, damping=2.0 * ratio * math.sqrt(STIFFNESS * 0.5 * MASS))
    }
    law["tangential"] = CundallStrack(stiffness=2.0 / 7.0 * STIFFNESS, mu=MU)
    model.add(CompliantSphereSphere(among=model.spheres, **law))
    return model


def speeds() -> tuple[ns.Result, Floats]:
    """The last run, and the late mean speed (n,) at each slope."""
    state, found = None, []
    for slope in SLOPES.tolist():
        start = 0.0 if state is None else state.t
        scheme = ns.VelocityVerlet(steps_per_contact=15)
        result = simulate(build(slope), t_end=start + TIME, scheme=scheme, state=state, record_every=500)
        state, half = result.state(), len(result.t) // 2
        way = (result.position[-1] - result.position[half])[ALONG * ACROSS :, 0].mean()
        found.append(float(way) / float(result.t[-1] - result.t[half]))
    return result, np.array(found)
