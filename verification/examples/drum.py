"""A rotating drum

Grains in a drum that turns are carried up on one side, and slide or tumble down a slope that stays. Its
angle grows with the friction. Without friction the drum slips by under them and the surface stays level.

In the mean the drum's torque on the grains is their weight times the horizontal distance of their centre of
mass from the axis. The drum does this work, and the grains turn it into heat.

The drum is a slice of a hollow sphere between two planes, so thin that its wall is nearly a cylinder. It is a
heavy body and does not feel gravity: the weight of the grains is an element, a constant force downwards.

To look at: the slope, and the thin layer that flows (yellow) over grains that turn with the drum.
"""

import math

import numpy as np

import nsgalpha as ns
from elements import (
    CompliantSphereInShell,
    CompliantSpherePlane,
    CompliantSphereSphere,
    ConstantForce,
    RegularisedCoulomb,
    SpringDashpot,
)
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main, paint_grains
from verification.outcome import Row
from verification.run import simulate

DRUM, RADIUS = 0.06, 0.004  # [m]
MASS, GRAVITY = 2500.0 * 4.0 / 3.0 * math.pi * RADIUS**3, 9.81  # [kg], [m/s^2]
STEP, SHIFT = 0.0084, 1.6e-4  # [m] of the lattice of the grains, and how far they are off it
ROW, WIDTH = 10, 3  # grains along a row, and from end to end of the drum
CORNER = (-4.5, -1.0, -4.0)  # of the lattice, in steps
GRAINS, RATE = 200, 3.0  # [rad/s]
STIFFNESS, DAMPING_RATIO = 1e3, 0.3  # [N/m]
FRICTIONS = (0.0, 0.2, 0.6)
H, T_END = 5e-5, 1.2  # [s]


def build(mu: float = FRICTIONS[-1], grains: int = GRAINS, rate: float = RATE, seed: int = 0) -> ns.Model:
    """The drum, body 0, and grains in its lower half."""
    model, rng = ns.Model(), np.random.default_rng(seed)
    drum = model.add_sphere(
        radius=DRUM, mass=1e6, inertia=1e6, position=(0.0, 0.0, 0.0), angular_velocity=(0.0, -rate, 0.0)
    )
    cells = ((k % ROW, k // ROW % WIDTH, k // (ROW * WIDTH)) for k in range(grains))
    balls = []
    for cell in cells:
        at = STEP * (np.array(cell) + CORNER) + SHIFT * rng.uniform(-1.0, 1.0, 3)
        balls.append(model.add_sphere(radius=RADIUS, mass=MASS, position=at))
    ends = [model.add_plane(normal=(0, side, 0), offset=-0.5 * WIDTH * STEP) for side in (1, -1)]
    below = model.add_plane(normal=(0, 0, 1), offset=-2.0 * DRUM)
    law = SpringDashpot(stiffness=STIFFNESS, damping=2.0 * DAMPING_RATIO * math.sqrt(STIFFNESS * MASS))
    friction = RegularisedCoulomb(mu=mu, velocity_zone=0.05)
    model.add(CompliantSphereSphere(among=balls, normal=law, tangential=friction))
    model.add(CompliantSphereInShell(balls, drum, normal=law, tangential=friction))
    model.add(CompliantSpherePlane(balls, ends, normal=law))
    model.add(CompliantSpherePlane(balls, below, normal=ConstantForce(force=-MASS * GRAVITY, distance=1.0)))
    return model


def run(frictions: tuple[float, ...] = FRICTIONS) -> list[ns.Result]:
    """One run for each friction."""
    scheme = ns.VelocityVerlet()
    return [simulate(build(mu), t_end=T_END, h=H, scheme=scheme, record_every=120) for mu in frictions]


def angles(result: ns.Result) -> np.ndarray:
    """Angle of the grains' centre of mass (n,) [deg], > 0 as the drum carries them."""
    x, _, z = np.asarray(result.position[:, 1:]).mean(axis=1).T
    return np.degrees(np.arctan2(x, -z))


def torques(result: ns.Result) -> tuple[float, float]:
    """Means over the second half [N m]: torques of the drum and of the weight."""
    late = range(len(result.t) // 2, len(result.t))
    drum = np.mean([result.compliant_contacts(i).resultant()[0, 4] for i in late])
    arm = np.mean([result.position[i, 1:, 0].sum() for i in late])
    return float(drum), float(MASS * GRAVITY * arm)


def check(results: list[ns.Result]) -> list[Row]:
    """Means over the second half of each run."""
    rows, slopes = [], []
    for result, mu in zip(results, FRICTIONS, strict=True):
        drum, weight = torques(result)
        slopes.append(angles(result)[len(result.t) // 2 :].mean())
        rows.append(
            Row(f"friction {mu:g}: torque of the drum", "N m", weight, drum, 1e-3, "torque of the weight")
        )
    rows.append(Row("friction 0: slope", "deg", 0.0, slopes[0], 2.0))
    rows.append(Row("slopes grow with the friction", "-", 1.0, float(slopes == sorted(slopes)), 0.5))
    return rows


def figure(results: list[ns.Result]) -> Figure:
    """Grains of the largest friction by speed, and angles of the centre of mass."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    front_view(left, results[-1])
    for k, (result, mu) in enumerate(zip(results, FRICTIONS, strict=True)):
        right.plot(result.t, angles(result), color=COLOURS[k], label=f"friction {mu:g}")
    label(right, "t [s]", "angle of the centre of mass [deg]", legend="upper left")
    return drawn


def front_view(axis: Axes, result: ns.Result) -> None:
    """The foremost grains at the end [mm], the mean slope, the drum."""
    from matplotlib.patches import Circle

    x, speed = 1e3 * np.asarray(result.position[-1, 1:]), np.linalg.norm(result.velocity[-1, 1:], axis=1)
    order = np.argsort(-x[:, 1])
    paint_grains(axis, x[order], speed[order], 1e3 * RADIUS, (-65.0, 65.0), (-65.0, 65.0))
    axis.add_patch(Circle((0.0, 0.0), 1e3 * DRUM, fill=False, edgecolor="0.3", linewidth=2.0))
    label(axis, "x [mm]", "z [mm]", f"friction {FRICTIONS[-1]:g}")


if __name__ == "__main__":
    main(__file__)
