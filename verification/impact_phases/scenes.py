"""The scenes: touching balls that are struck, most of them under a load. SI units.

All start shortly before the impact. Names state the differences: numbers of balls, e, mu, gaps.
"""

import math
from functools import partial

import numpy as np

from verification.balls import E_BALLS, GRAVITY, INERTIA, MASS, MU_BALLS, MU_CLOTH, RADIUS, triangle
from verification.impact_reference.scene import Law, Plane, Scene, String, alike

LEAD = 0.02  # [m] way of the striker to the rack
BREAK = 10.792  # [m/s] cue ball of the paper's break
GAP = 1e-4  # [m] between the balls of a loose rack
FLOOR = (0.0, 0.0, 1.0)
DOWN = (0.0, 0.0, -GRAVITY)

CRADLE_RADIUS, CRADLE_MASS = 0.02, 0.26  # [m], [kg]
DROP, SPREAD = 0.3, 0.12  # [m] of the strings, downwards and to each side
STIFFNESS = 1e4  # [N/m] of a string
SWING = 0.1  # [rad] amplitude of the cradles
HUNG = (CRADLE_RADIUS, CRADLE_MASS, 0.4 * CRADLE_MASS * CRADLE_RADIUS**2)  # radius, mass, inertia

#: Billiard balls at places (N, 3) [m]; those named in `velocities` [m/s] move.
balls = partial(alike, (RADIUS, MASS, INERTIA))


def rack(mu: float = MU_BALLS, gap: float = 0.0, rows: int = 5) -> Scene:
    """A rack on a cloth; the cue ball, first, slides towards it along its axis."""
    pitch = RADIUS + 0.5 * gap
    places = [(-2.0 * RADIUS - LEAD, 0.0, RADIUS)]
    places += [(x, y, RADIUS) for x, y in triangle(rows, pitch)]
    cloth = Plane(FLOOR, 0.0, Law(mu=MU_CLOTH if mu else 0.0))
    law = Law(mu, E_BALLS)
    return balls(places, {0: (BREAK, 0.0, 0.0)}, balls=law, planes=(cloth,), gravity=DOWN)


def shipped_break() -> Scene:
    """The break of `nsgalpha run break` from LEAD before the rack on, without rolling resistance.

    The cue ball has slid on the cloth from 8 m/s at x = -0.635 m to there: v^2 = v0^2 - 2 mu g s, R w = 5/2
    mu g t.
    """
    slowing = MU_CLOTH * GRAVITY
    path = 1.27 - 2.0 * RADIUS - LEAD
    speed = math.sqrt(8.0**2 - 2.0 * slowing * path)
    scene = rack()
    velocity, spin = scene.velocity.copy(), scene.spin.copy()
    velocity[0, 0], spin[0, 1] = speed, 2.5 * (8.0 - speed) / RADIUS
    return scene.but(velocity=velocity, spin=spin)


def column(count: int, e: float, gravity: float = GRAVITY) -> Scene:
    """`count` balls upright on a floor; one more, the last, falls on them at 1 m/s."""
    heights = RADIUS * (2 * np.arange(count + 1) + 1.0)
    heights[-1] += 1e-2
    places = np.stack([np.zeros(count + 1), np.zeros(count + 1), heights], axis=1)
    floor = Plane(FLOOR, 0.0, Law(e=e))
    down = (0.0, 0.0, -gravity)
    return balls(places, {count: (0.0, 0.0, -1.0)}, balls=Law(e=e), planes=(floor,), gravity=down)


def loaded_row(count: int, load: float, e: float = 1.0) -> Scene:
    """A row along x, the first ball coming at 1 m/s; a `load` [N] presses the last on the others."""
    x = 2.0 * RADIUS * np.arange(count)
    x[0] -= 1e-2
    force = np.zeros((count, 3))
    force[-1, 0] = -load
    places = np.stack([x, np.zeros(count), np.zeros(count)], axis=1)
    return balls(places, {0: (1.0, 0.0, 0.0)}, balls=Law(e=e), force=force)


def rolling_cue(count: int = 4, speed: float = 2.0) -> Scene:
    """A cue ball rolls into a frozen row of `count` balls on the cloth."""
    x = 2.0 * RADIUS * np.arange(count + 1)
    x[0] -= LEAD
    places = np.stack([x, np.zeros(count + 1), np.full(count + 1, RADIUS)], axis=1)
    spin = np.zeros((count + 1, 3))
    spin[0, 1] = speed / RADIUS
    cloth = Plane(FLOOR, 0.0, Law(mu=MU_CLOTH))
    law = Law(MU_BALLS, E_BALLS)
    return balls(places, {0: (speed, 0.0, 0.0)}, balls=law, planes=(cloth,), gravity=DOWN, spin=spin)


def incline(count: int = 3, slope: float = 20.0, e: float = 1.0) -> Scene:
    """`count` balls on an incline lean on a wall; one more rolls onto them.

    The incline is the plane z = 0, gravity is turned by `slope` [degrees]; the wall is the plane x = 0.
    """
    x = RADIUS * (2 * np.arange(count + 1) + 1.0)
    x[-1] += 1e-2
    angle = math.radians(slope)
    gravity = (-GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))
    places = np.stack([x, np.zeros(count + 1), np.full(count + 1, RADIUS)], axis=1)
    planes = (Plane(FLOOR, 0.0, Law(mu=MU_CLOTH)), Plane((1.0, 0.0, 0.0), 0.0, Law(e=e)))
    spin = np.zeros((count + 1, 3))
    spin[-1, 1] = -1.0 / RADIUS
    return balls(places, {count: (-1.0, 0.0, 0.0)}, balls=Law(e=e), planes=planes, gravity=gravity, spin=spin)


def stack(mu: float = 0.5, e: float = 0.5) -> Scene:
    """Two balls on a floor carry a third by friction; a fourth strikes one."""
    pair = [(-RADIUS, 0.0, RADIUS), (RADIUS, 0.0, RADIUS)]
    third, fourth = (0.0, 0.0, RADIUS * (1.0 + math.sqrt(3.0))), (-3.0 * RADIUS - 1e-2, 0.0, RADIUS)
    places = [*pair, third, fourth]
    floor = Plane(FLOOR, 0.0, Law(mu=mu))
    return balls(places, {3: (1.0, 0.0, 0.0)}, balls=Law(mu, e), planes=(floor,), gravity=DOWN)


def tower(mu: float = 0.3, e: float = 0.9) -> Scene:
    """Three balls upright on each other; a fourth flies horizontally against the middle one."""
    heights = RADIUS * np.array([1.0, 3.0, 5.0, 3.0])
    places = np.stack([[0.0, 0.0, 0.0, -2.0 * RADIUS - 1e-2], np.zeros(4), heights], axis=1)
    floor = Plane(FLOOR, 0.0, Law(mu=mu))
    return balls(places, {3: (1.0, 0.0, 0.0)}, balls=Law(mu, e), planes=(floor,), gravity=DOWN)


def swinging_cradle(raised: int, count: int = 5) -> Scene:
    """Touching balls, each drawn to its place along x as a pendulum is; the first are `raised`."""
    home = np.stack([2.0 * CRADLE_RADIUS * np.arange(count), np.zeros(count), np.zeros(count)], axis=1)
    places = home.copy()
    places[:raised, 0] -= DROP * SWING
    return alike(HUNG, places, {}, balls=Law(e=1.0), restoring=(GRAVITY / DROP, 0.0, 0.0), home=home)


def string_cradle(raised: int, count: int = 5) -> Scene:
    """Touching balls, each on two springs as strings; the first are `raised`."""
    length = math.hypot(DROP, SPREAD)
    rest = length - 0.5 * CRADLE_MASS * GRAVITY * length / DROP / STIFFNESS
    x = 2.0 * CRADLE_RADIUS * np.arange(count)
    angle = np.where(np.arange(count) < raised, SWING, 0.0)
    places = np.stack([x - DROP * np.sin(angle), np.zeros(count), -DROP * np.cos(angle)], axis=1)
    strings = [
        String(i, (float(x[i]), side * SPREAD, 0.0), STIFFNESS, rest)
        for i in range(count)
        for side in (-1, 1)
    ]
    return alike(HUNG, places, {}, balls=Law(e=1.0), gravity=DOWN, strings=tuple(strings))
