"""A pile settles

Balls with radii of 8 to 12 mm fall into a box and come to rest on each other, held by friction. Once all is
quiet the floor and the walls carry the weight, to the last digit of the solver's tolerance. No ball has sunk
into another, and the contacts are as many as a packing needs. With friction there are about five for each
ball, between four, the fewest that can hold it, and six, the number without friction.

To look at: the network of forces. A few chains carry most of the weight, and some balls carry nothing: they
rattle.
"""

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

RADIUS, SCATTER = 0.01, 0.2  # [m] of a ball, and its relative scatter
DENSITY, GRAVITY = 2500.0, 9.81  # [kg/m^3], [m/s^2]
EDGE, LAYERS = 3, 3  # balls along an edge of the box, layers
WIDTH = 0.025  # [m] for a ball
H, T_END = 4e-3, 1.2  # [s]


def build(edge: int = EDGE, layers: int = LAYERS, mu: float = 0.5, seed: int = 4) -> ns.Model:
    """A lattice of balls with some scatter, in a box of five planes."""
    model, rng = ns.Model(gravity=(0.0, 0.0, -GRAVITY)), np.random.default_rng(seed)
    for k, j, i in np.ndindex(layers, edge, edge):
        radius = RADIUS * rng.uniform(1.0 - SCATTER, 1.0 + SCATTER)
        at = (np.array([i, j, k]) + 0.5) * WIDTH + 5e-4 * rng.uniform(-1.0, 1.0, 3)
        model.add_sphere(radius=radius, mass=DENSITY * 4.0 / 3.0 * np.pi * radius**3, position=at)
    planes = []
    for normal in np.eye(3)[:2]:
        planes += [model.add_plane(normal=normal), model.add_plane(normal=-normal, offset=-edge * WIDTH)]
    planes.append(model.add_plane(normal=(0.0, 0.0, 1.0)))
    model.add(SphereSphere(among=model.spheres, mu=mu))
    model.add(SpherePlane(model.spheres, planes, mu=mu))
    return model


def run(edge: int = EDGE, layers: int = LAYERS, mu: float = 0.5) -> ns.Result:
    """Until it is quiet."""
    return simulate(build(edge, layers, mu), t_end=T_END, h=H, record_every=10)


def coordination(result: ns.Result) -> float:
    """Mean number of loaded contacts per ball with any, walls included."""
    last = result.contacts.at(-1)
    carries = last.multipliers[:, 0] > 0.0
    bodies = np.concatenate([last.body_a[carries], last.body_b[carries & (last.plane < 0)]])
    return 2.0 * carries.sum() / len(np.unique(bodies))


def check(result: ns.Result) -> list[Row]:
    """Weight, penetration over the whole run, coordination, rest."""
    last = result.contacts.at(-1)
    weight = GRAVITY * sum(ball.mass for ball in result.model.bodies)
    carried = float(last.wrench[last.plane >= 0, 2].sum())
    deepest = -min(result.contacts.gap.min(), 0.0) / RADIUS
    return [
        Row("weight on floor and walls", "N", weight, carried, 1e-6 * weight),
        Row("deepest overlap, over the radius", "-", 0.0, deepest, 1e-8),
        Row("fastest ball at the end", "m/s", 0.0, np.linalg.norm(result.velocity[-1], axis=1).max(), 5e-3),
        Row("contacts of a ball", "-", 5.0, coordination(result), 1.0, "4, isostatic with friction, to 6"),
    ]


def figure(result: ns.Result) -> Figure:
    """The pile, and the forces in it from the side."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.4))
    paint(left, result, Camera((0.16, -0.2, 0.16), (0.037, 0.037, 0.03), angle=26.0), size=(800, 720))
    draw_forces(right, result)
    return drawn


def draw_forces(axis: Axes, result: ns.Result) -> None:
    """Lines from centre to centre or wall, as wide as the force is large [mm]."""
    from matplotlib.patches import Circle

    x, last = 1e3 * np.asarray(result.position[-1]), result.contacts.at(-1)
    for ball, (y, z) in zip(result.model.bodies, x[:, 1:], strict=True):
        axis.add_patch(Circle((y, z), 1e3 * ball.radius, facecolor="0.95", edgecolor="0.8", linewidth=0.5))
    push = np.linalg.norm(last.wrench[:, :3], axis=1)
    for a, b, plane, normal, size in zip(
        last.body_a, last.body_b, last.plane, last.normal, push / push.max(), strict=True
    ):
        radius = 1e3 * result.model.bodies[a].radius
        ends = np.array([x[a], x[b] if plane < 0 else x[a] - radius * normal])
        axis.plot(*ends[:, 1:].T, color=COLOURS[1], linewidth=5.0 * size, solid_capstyle="round", alpha=0.8)
    axis.set_aspect("equal")
    label(axis, "y [mm]", "z [mm]", "forces at the end")


if __name__ == "__main__":
    main(__file__)
