r"""Rocks through a hopper

Hulls of random points, in set-valued contact with friction, fall into a hopper of plates and through its
outlet onto the ground. The hopper is one fixed body of eight boxes. Rocks jam where a few of them arch
over an outlet that is less than some three rocks wide. Here they pass.

To look at: no rock is within another one or within a plate, and all come to rest on the ground.
"""

import math

import numpy as np

import nsgalpha as ns
from elements import Contact
from nsgalpha.arrays import Floats
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

ROCKS, POINTS, SIZE = 60, 14, 0.04  # SIZE: [m] mean radius
DENSITY, MU = 2600.0, 0.4
OUTLET, SLOPE, PLATE = 0.2, math.radians(50.0), 0.5  # [m], [rad], [m]
HEIGHT = 0.5  # [m] of the outlet
H, T_END = 2e-3, 2.0  # [s]


def hopper(model: ns.Model) -> ns.Body:
    """Four plates around an outlet, and four walls on them."""
    parts = []
    half, thick = 0.5 * OUTLET, 0.02
    reach = PLATE * math.cos(SLOPE)
    for k in range(4):
        a = 0.5 * math.pi * k
        out = np.array([math.cos(a), math.sin(a), 0.0])
        tilt = -SLOPE  # about y, upwards outside
        about_y = np.array([math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0])
        c, s = math.cos(0.5 * a), math.sin(0.5 * a)
        q = (c * about_y[0], -s * about_y[2], c * about_y[2], s * about_y[0])
        up = math.cos(SLOPE) * np.array([0.0, 0.0, 1.0]) - math.sin(SLOPE) * out
        along = math.cos(SLOPE) * out + math.sin(SLOPE) * np.array([0.0, 0.0, 1.0])
        middle = half * out + 0.5 * PLATE * along - 0.5 * thick * up
        parts.append(ns.parts.box((PLATE, 2.0 * (half + reach), thick), position=middle, rotation=q))
        wall = (half + reach + 0.5 * thick) * out + np.array([0.0, 0.0, PLATE * math.sin(SLOPE) + 0.2])
        turn = (c, 0.0, 0.0, s)
        size = (thick, 2.0 * (half + reach + thick), 0.4)
        parts.append(ns.parts.box(size, position=wall, rotation=turn))
    return model.add_compound(parts, origin=(0.0, 0.0, HEIGHT), fixed=True, name="hopper")


def build(rocks: int = ROCKS, seed: int = 1) -> ns.Model:
    """Rocks above the hopper."""
    model, rng = ns.Model(gravity=(0.0, 0.0, -9.81)), np.random.default_rng(seed)
    around = hopper(model)
    floor = model.add_plane(normal=(0.0, 0.0, 1.0))
    grid = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    found = []
    for k in range(rocks):
        directions = rng.normal(size=(POINTS, 3))
        points = SIZE * rng.uniform(0.8, 1.2, (POINTS, 1)) * directions
        points /= np.linalg.norm(directions, axis=1)[:, None]
        i, j = grid[k % 9]
        place = (0.11 * i, 0.11 * j, HEIGHT + 0.35 + 0.11 * (k // 9))
        found.append(
            model.add_solid(points, hull=True, density=DENSITY, position=place, rotation=rng.normal(size=4))
        )
    model.add(Contact(among=[*found, floor], mu=MU))
    model.add(Contact(between=(found, around), mu=MU))
    return model


def run(rocks: int = ROCKS) -> ns.Result:
    """Until most have fallen through."""
    return simulate(build(rocks), t_end=T_END, h=H, record_every=5)


def fallen(result: ns.Result) -> Floats:
    """Mass (n,) [kg] below the outlet."""
    masses = np.array([body.mass for body in result.model.bodies])
    return np.asarray((np.asarray(result.position)[:, :, 2] < HEIGHT) @ masses)


def check(result: ns.Result) -> list[Row]:
    """All rocks fall through, do not overlap, and come to rest."""
    masses = np.array([body.mass for body in result.model.bodies])
    energy = 0.5 * masses @ (np.asarray(result.velocity)[-1] ** 2).sum(axis=1)
    return [
        Row("mass that has fallen through", "of all", 1.0, fallen(result)[-1] / masses.sum(), 1e-9),
        Row("kinetic energy in the end", "J", 0.0, energy, 1e-2),
        Row("largest overlap, over the size", "-", 0.0, float(result.stats.penetration.max()), 1e-9),
    ]


def figure(result: ns.Result) -> Figure:
    """The hopper while they flow, and the mass below."""
    drawn, (above, below) = new_figure(2, 1, size=(6.4, 7.2), height_ratios=(3, 2))
    paint(above, result, Camera((2.0, -2.0, 2.3), (0.0, 0.0, 0.55)), t=0.5, size=(960, 640))
    below.plot(result.t, fallen(result))
    label(below, "t [s]", "mass below the outlet [kg]")
    return drawn


if __name__ == "__main__":
    main(__file__)
