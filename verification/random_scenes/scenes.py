"""Random scenes as plain data, and models of them in another frame or order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.arrays import Floats, Ints
from verification.scenes import add_spheres

RADIUS = 0.05  # [m]
GRAVITY = 9.81  # [m/s^2]
KINDS = ("rack", "column", "row", "heap", "gas", "corner", "incline")
FAR = 50.0  # [m] to the raft
RAFT = 5  # balls along each of its sides


@dataclass(frozen=True, slots=True)
class Scene:
    """Bodies, planes (normal, offset), the law of all contacts, gravity [m/s^2], a step [s]."""

    kind: str
    position: Floats  # (N, 3)
    velocity: Floats
    spin: Floats
    radius: Floats  # (N,)
    mass: Floats
    planes: tuple[tuple[Floats, float], ...]
    law: dict[str, Any]
    gravity: Floats  # (3,)
    h: float
    raft: bool = False
    order: Ints = field(default_factory=lambda: np.empty(0, np.int64))

    def turned(self, turn: Rotation) -> Scene:
        """The scene in a frame rotated by `turn`."""
        names = ("position", "velocity", "spin", "gravity")
        vectors = {name: turn.apply(getattr(self, name)) for name in names}
        return replace(self, **vectors, planes=tuple((turn.apply(n), d) for n, d in self.planes))

    def mirrored(self) -> Scene:
        """The mirror image in the plane y = 0: spins are axial."""
        mirror = np.array([1.0, -1.0, 1.0])
        vectors = {name: mirror * getattr(self, name) for name in ("position", "velocity", "gravity")}
        planes = tuple((mirror * n, d) for n, d in self.planes)
        return replace(self, **vectors, spin=-mirror * self.spin, planes=planes)

    def permuted(self, order: Ints) -> Scene:
        """The scene with its bodies in another order."""
        names = ("position", "velocity", "spin", "radius", "mass")
        rows = {name: getattr(self, name)[order] for name in names}
        return replace(self, **rows, order=order)

    def model(self, *, load: bool = False) -> ns.Model:
        """The model; gravity is a user's `load` if asked for."""
        model = ns.Model(gravity=np.zeros(3) if load else self.gravity)
        add_spheres(model, self.radius, self.mass, self.position, self.velocity, self.spin)
        model.add(SphereSphere(among=model.spheres, **self.law))
        if self.planes:
            walls = [model.add_plane(normal=n, offset=d) for n, d in self.planes]
            model.add(SpherePlane(model.spheres, walls, **self.law))
        if self.raft:
            _add_raft(model)
        if load:
            weight = np.array([body.mass for body in model.bodies])[:, None] * self.gravity
            model.add_load(lambda t, state: weight)
        return model


def _add_raft(model: ns.Model) -> None:
    """Touching balls on a far plane, at rest under gravity along -z."""
    floor = model.add_plane(normal=(0, 0, 1), offset=-FAR)
    places = [(FAR + 2 * RADIUS * i, 2 * RADIUS * j, RADIUS - FAR) for i in range(RAFT) for j in range(RAFT)]
    balls = add_spheres(model, RADIUS, 1.0, places)
    model.add(SphereSphere(among=balls, mu=0.3))
    model.add(SpherePlane(balls, floor, mu=0.3))


def random_scene(seed: int) -> Scene:
    """The scene of a `seed`: 2 to 12 balls, with or without friction, restitution, gravity."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    count = int(rng.integers(2, 13))
    law = {"mu": float(rng.choice([0.0, 0.06, 0.3, 0.8])), "e_n": float(rng.choice([0.0, 0.5, 0.93, 1.0]))}
    if law["mu"] > 0.0 and rng.random() < 0.3:
        law["rolling_radius"] = 1e-3
    places, planes = _places(kind, count, rng)
    count = len(places)
    velocity, spin = np.zeros((count, 3)), np.zeros((count, 3))
    moving = rng.integers(count) if kind in ("rack", "column", "row", "heap") else slice(None)
    shape = velocity[moving].shape
    velocity[moving] = rng.normal(size=shape)
    spin[moving] = rng.normal(size=shape) * 10.0
    heavy = 10.0 ** rng.uniform(-1.0, 1.0, count) if rng.random() < 0.3 else np.ones(count)
    down = -GRAVITY * np.array([0.0, 0.0, 1.0])
    gravity = down if kind in ("column", "corner", "incline") or rng.random() < 0.5 else np.zeros(3)
    h = float(rng.choice([2e-2, 1e-2, 1e-3, 1e-4]))
    return Scene(kind, places, velocity, spin, np.full(count, RADIUS), heavy, planes, law, gravity, h)


def _places(
    kind: str, count: int, rng: np.random.Generator
) -> tuple[Floats, tuple[tuple[Floats, float], ...]]:
    """Centres (count, 3) and planes; those of a rack are 3, 6 or 10."""
    z = np.array([0.0, 0.0, 1.0])
    d, index = 2.0 * RADIUS, np.arange(count)
    if kind == "rack":
        rows = int(rng.integers(2, 5))
        flat = [(i * d * np.sqrt(0.75), (j - i / 2) * d, RADIUS) for i in range(rows) for j in range(i + 1)]
        return np.array(flat), ((z, 0.0),)
    if kind == "column":
        return np.outer(RADIUS + d * index, z), ((z, 0.0),)
    if kind == "row":
        return np.column_stack((d * index, 0.0 * index, RADIUS + 0.0 * index)), ((z, 0.0),)
    if kind == "heap":
        return _heap(count, rng), ()
    if kind == "gas":
        lattice = 1.6 * d * np.array([(i % 3, i // 3 % 3, i // 9) for i in index])
        return lattice + rng.uniform(-0.15, 0.15, (count, 3)) * d, ()
    if kind == "corner":
        walls = tuple((np.eye(3)[i], 0.0) for i in range(3))
        shift = 1e-3 * (rng.random() < 0.5)
        lattice = (d + shift) * np.array([(i % 2, i // 2 % 2, i // 4) for i in index])
        return RADIUS + lattice + rng.uniform(0.0, shift, (count, 3)), walls
    slope = np.radians(rng.uniform(5.0, 40.0))
    normal, along = np.array([-np.sin(slope), 0, np.cos(slope)]), np.array([np.cos(slope), 0, np.sin(slope)])
    places = RADIUS * normal + np.outer(RADIUS + d * index, along)
    return places, ((normal, 0.0), (along, 0.0))


def _heap(count: int, rng: np.random.Generator) -> Floats:
    """Touching balls on a face-centred cubic lattice."""
    steps = np.array([(a, b, 0) for a in (-1, 1) for b in (-1, 1)])
    steps = np.concatenate([np.roll(steps, k, axis=1) for k in range(3)])
    sites = [np.zeros(3, np.int64)]
    while len(sites) < count:
        site = sites[rng.integers(len(sites))] + steps[rng.integers(len(steps))]
        if not any((site == other).all() for other in sites):
            sites.append(site)
    return np.array(sites) * RADIUS * np.sqrt(2.0)
