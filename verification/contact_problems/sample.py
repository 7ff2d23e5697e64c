"""A problem drawn from the families, by name, seed and size."""

from __future__ import annotations

import numpy as np

from nsgalpha.contact import ContactProblem
from verification.contact_problems.families import FAMILIES
from verification.contact_problems.scene import Array

GRAVITY = 9.81
STEP = 5e-3  # [s]
LOADS = ("fall", "push", "impact")


def velocities(rng: np.random.Generator, bodies: int, load: str) -> Array:
    """Free velocities (bodies, 6): gravity, sideways acceleration, or landing bodies."""
    v = np.zeros((bodies, 6))
    v[:, 2] = -GRAVITY * STEP
    if load == "push":
        direction = rng.uniform(0.0, 2.0 * np.pi)
        v[:, :2] += rng.uniform(0.0, 1.0) * GRAVITY * STEP * np.array([np.cos(direction), np.sin(direction)])
    if load == "impact":
        v += 0.3 * rng.normal(size=v.shape)
        v[:, 2] -= rng.uniform(0.0, 3.0)
    return v


def draw(family: str, seed: int, contacts: int | None = None) -> tuple[str, ContactProblem]:
    """A problem of `family` and a sentence on it; `contacts` about, 10 to 500 by default."""
    rng = np.random.default_rng([list(FAMILIES).index(family), seed])
    if contacts is None:
        contacts = int(10.0 ** rng.uniform(1.0, 2.7))
    scene = FAMILIES[family](rng, contacts)
    load = LOADS[seed % len(LOADS)]
    count = len(scene.pair)
    mu = float(rng.choice([0.1, 0.3, 0.5, 0.7, 1.0]))
    rolling = 0.05 if family in ("rock pile", "sphere packing") and rng.uniform() < 0.3 else None
    friction = mu * rng.uniform(0.5, 1.0, count) if rng.uniform() < 0.3 else np.full(count, mu)
    problem = scene.problem(velocities(rng, len(scene.position), load), friction, STEP, rolling)
    return f"{family} {seed}, {load}, mu {mu:g}{', rolling' if rolling else ''}", problem
