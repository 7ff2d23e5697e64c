"""Scenes that grow: columns, piles, a packing under a moving wall, a drum, a rack. SI units."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.balls import triangle

RADIUS = 0.01  # [m] mean radius of the spheres
DENSITY = 2500.0  # [kg/m^3]
GRAVITY = 9.81  # [m/s^2]
BALL, BALL_MASS = 0.028575, 0.17  # [m], [kg] of the rack's


def add_spheres(
    model: ns.Model,
    radius: ArrayLike,
    mass: ArrayLike,
    position: ArrayLike,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    spin: ArrayLike = (0.0, 0.0, 0.0),
) -> list[ns.Body]:
    """`Model.add_spheres` with the arguments in this order."""
    motion = {"position": position, "velocity": velocity, "angular_velocity": spin}
    return model.add_spheres(radius=radius, mass=mass, **motion)


def ball_mass(radius: Any) -> Any:
    """Mass [kg] of a sphere of DENSITY."""
    return DENSITY * 4.0 / 3.0 * math.pi * radius**3


def column(count: int) -> ns.Model:
    """`count` equal spheres upright on each other, at rest."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    add_spheres(model, RADIUS, ball_mass(RADIUS), [(0.0, 0.0, (2 * k + 1) * RADIUS) for k in range(count)])
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(SphereSphere(among=model.spheres, mu=0.3))
    model.add(SpherePlane(model.spheres, floor, mu=0.3))
    return model


def _grid(model: ns.Model, count: int, seed: int, spacing: float = 2.3) -> float:
    """Spheres of 0.9 to 1.1 times RADIUS on a disturbed cubic grid; returns its width [m]."""
    rng = np.random.default_rng(seed)
    side = max(2, math.ceil(count ** (1.0 / 3.0)))
    step = spacing * RADIUS
    for k in range(count):
        cell = np.array([k % side, k // side % side, k // side**2])
        radius = float(RADIUS * rng.uniform(0.9, 1.1))
        place = (cell + 0.5) * step + rng.uniform(-0.03, 0.03, 3) * RADIUS
        model.add_sphere(radius=radius, mass=ball_mass(radius), position=place)
    return side * step


def add_walls(model: ns.Model, axis: int, low: float, high: float) -> list[ns.Plane]:
    """Two planes that keep the coordinate `axis` between `low` and `high` [m]."""
    normal = np.eye(3)[axis]
    return [model.add_plane(normal=normal, offset=low), model.add_plane(normal=-normal, offset=-high)]


def add_box(model: ns.Model, width: float) -> list[ns.Plane]:
    """A floor and four walls."""
    floor = model.add_plane(normal=(0, 0, 1))
    return [floor, *add_walls(model, 0, 0.0, width), *add_walls(model, 1, 0.0, width)]


def pile(count: int, rolling_radius: float = 0.0) -> ns.Model:
    """`count` slightly polydisperse spheres that fall into a box and come to rest.

    Without a `rolling_radius` [m] some may roll on the floor for ever.
    """
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    planes = add_box(model, _grid(model, count, seed=1))
    model.add(SphereSphere(among=model.spheres, mu=0.5, rolling_radius=rolling_radius))
    model.add(SpherePlane(model.spheres, planes, mu=0.5, rolling_radius=rolling_radius))
    return model


def compression(count: int) -> ns.Model:
    """A loose packing between walls, pressed together by a lid that comes down at 0.1 m/s."""
    model = ns.Model()
    width = _grid(model, count, seed=2)
    planes = add_box(model, width)
    lid = model.add_plane(
        normal=(0, 0, -1), motion=lambda t: ((0.0, 0.0, width + RADIUS - 0.1 * t), (0.0, 0.0, -0.1))
    )
    model.add(SphereSphere(among=model.spheres, mu=0.3))
    model.add(SpherePlane(model.spheres, [*planes, lid], mu=0.3))
    return model


def drum(count: int, sides: int = 24, turns: float = 0.5) -> ns.Model:
    """A drum of `sides` planes about the y axis, `turns` revolutions a second, a third filled."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    width = _grid(model, count, seed=3)
    drum_radius = 1.15 * width
    rate = 2.0 * math.pi * turns

    def motion(t: float) -> tuple[tuple[float, ...], ...]:
        half = 0.5 * rate * t
        return (
            (0.5 * width, 0.5 * width, 0.5 * width),
            (0.0, 0.0, 0.0),
            (math.cos(half), 0.0, math.sin(half), 0.0),
            (0.0, rate, 0.0),
        )

    ring = [
        model.add_plane(normal=(-math.cos(a), 0.0, -math.sin(a)), offset=-drum_radius, motion=motion)
        for a in 2.0 * math.pi * np.arange(sides) / sides
    ]
    ends = add_walls(model, 1, 0.0, width)
    model.add(SphereSphere(among=model.spheres, mu=0.5))
    model.add(SpherePlane(model.spheres, ring, mu=0.5))
    model.add(SpherePlane(model.spheres, ends, mu=0.1))
    return model


def rack(rows: int = 5, h: float = 1e-6, speed: float = 1.0) -> ns.Model:
    """A touching triangular rack, and a cue ball that strikes in step one of `h` [s]."""
    model = ns.Model()
    add_spheres(model, BALL, BALL_MASS, [(-2.0 * BALL - 0.3 * h * speed, 0.0, 0.0)], (speed, 0.0, 0.0))
    add_spheres(model, BALL, BALL_MASS, [(x, y, 0.0) for x, y in triangle(rows, BALL)])
    model.add(SphereSphere(among=model.spheres, e_n=0.93))
    return model


def table_break(count: int) -> ns.Model:
    """The break of a rack of `count` (1, 3, 6, 10, 15 ...) balls on a cloth, between cushions."""
    rows = round((math.sqrt(8 * count + 1) - 1) / 2)
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    add_spheres(model, BALL, BALL_MASS, [(-0.635, 0.0, BALL)], (8.0, 0.0, 0.0))
    add_spheres(model, BALL, BALL_MASS, [(0.635 + x, y, BALL) for x, y in triangle(rows, BALL)])
    cloth = model.add_plane(normal=(0, 0, 1))
    cushions = [*add_walls(model, 0, -1.27, 1.27), *add_walls(model, 1, -0.635, 0.635)]
    model.add(SphereSphere(among=model.spheres, mu=0.06, e_n=0.93))
    model.add(SpherePlane(model.spheres, cloth, mu=0.2, rolling_radius=2e-4))
    model.add(SpherePlane(model.spheres, cushions, mu=0.2, e_n=0.85))
    return model


def at_rest(state: ns.State) -> ns.State:
    """The pose and the forces of `state`, without velocities."""
    still = np.zeros_like(state.velocity)
    return ns.State(0.0, state.position, state.rotation, still, still, forces=state.forces)
