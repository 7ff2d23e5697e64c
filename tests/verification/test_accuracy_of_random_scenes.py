"""Random scenes to an accuracy, beside fixed steps of first order that are far smaller.

An error that neither size of a step sees, as of friction that turns back early in it, is seen by these.
"""

import math

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

G, T = 9.81, 1.0
FINE, FINER = 5e-5, 2.5e-5
MOST, LEAST = 10.0, 1e-3  # times the change from fine to finer steps; of the largest velocity, and [m]


def scene(seed):
    """Some balls and blocks on a plane of any slope, within four walls."""
    random = np.random.default_rng(seed)
    straight = random.random() < 0.5  # up and down the slope, where friction turns back at once
    slope, way = random.uniform(0.0, 0.7), 0.0 if straight else random.uniform(0.0, 2.0 * math.pi)
    along = math.sin(slope) * np.array([math.cos(way), math.sin(way), 0.0])
    model = ns.Model(gravity=G * (along - [0.0, 0.0, math.cos(slope)]))
    for k in range(random.integers(1, 5)):
        radius, turns = random.uniform(0.05, 0.1), not straight and random.random() < 0.6
        height = radius + random.choice([0.0, 0.2])
        model.add_sphere(
            radius=radius,
            mass=random.uniform(0.5, 2.0),
            inertia=None if turns else 1e6,
            position=(0.3 * k, 0.0 if straight else random.uniform(-0.05, 0.05), height),
            velocity=random.uniform(-2.0, 2.0, 3) * [1.0, not straight, random.choice([0.0, 0.5])],
            angular_velocity=random.uniform(-5.0, 5.0, 3) * turns,
        )
    law = {"mu": random.choice([0.1, 0.3, 0.6]), "e_n": random.choice([0.0, 0.3, 0.8, 1.0])}
    for name in ("rolling_radius", "drilling_radius"):
        law[name] = random.choice([0.0, 2e-3])
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), **law))
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        plane = model.add_plane(normal=normal, offset=-1.5)
        model.add(SpherePlane(model.spheres, plane, mu=random.choice([0.0, 0.2]), e_n=0.7))
    if len(model.bodies) > 1:
        model.add(SphereSphere(among=model.spheres, mu=0.2, e_n=random.choice([0.0, 0.5, 0.9])))
    return model


def ended(seed, **way):
    result = ns.simulate(scene(seed), t_end=T, **way)
    assert result.status.ok, result.status
    state = result.state()
    return state.position, np.hstack([state.velocity, 0.1 * state.angular_velocity])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_a_run_to_an_accuracy_is_where_fixed_steps_lead(seed):
    (x, v), (fine_x, fine_v), (finer_x, finer_v) = (
        ended(seed, accuracy=1e-5),
        *(ended(seed, h=h, record_every=int(T / h)) for h in (FINE, FINER)),
    )
    assert np.abs(x - finer_x).max() < MOST * np.abs(fine_x - finer_x).max() + LEAST
    most = MOST * np.abs(fine_v - finer_v).max() + LEAST * max(np.abs(v).max(), 1.0)
    assert np.abs(v - finer_v).max() < most
