r"""A belt throws grains on a heap

Grains fall on a belt, slide, roll, and ride. They leave its end with the speed $v$ of the belt. The first
ones land where the parabola ends, $x = v \sqrt{2 h/g}$, later ones on the heap.

A ball of the rolling radius $\varrho$ that is put on a belt slides at $\mu g$ for

$$t = \frac{v}{g\,(\frac{7}{2} \mu - \frac{5}{2} \varrho/R)}.$$

Then it rolls backwards on the belt. Rolling friction ends that at $\frac{5}{7} g \varrho/R$: without it the
ball would keep $\frac{2}{7} v$.

A plane has no ends. The belt is a geometry of this example: a plane that is there for $x < 0$ only, with an
edge. Its frame moves with $v$, so that friction sees a surface that runs, while its end stays where it is.

To look at: the grains on the belt, their parabola, and the heap below.
"""

import math
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main, paint_grains
from verification.outcome import Row
from verification.run import simulate

RADIUS, DENSITY, GRAVITY = 0.01, 2500.0, 9.81  # [m], [kg/m^3], [m/s^2]
SPEED, HEIGHT, START = 0.8, 0.3, -0.45  # [m/s], [m] of the belt over the floor, [m] where grains come
WIDTH = 8.0 * RADIUS  # half of that of the belt
MU, ROLLING, E_N = 0.5, 0.3 * RADIUS, 0.1
GRAINS, RATE, T_END, H = 75, 40.0, 2.4, 1e-3  # number, [1/s], [s], [s]


@geometry_kernel
def measure_belt(first, last, candidates, section, scene):
    """Spheres and horizontal planes that move along x, for x < 0 alone."""
    planes, radius, x = scene.planes, scene.shapes.radius, scene.x
    gap, normal, lever = candidates.gap, candidates.normal, candidates.lever
    for c in range(first, last):
        i, p = candidates.a[c], candidates.plane[c]
        frame = planes.body[p]
        height = x[i, 2] - planes.offset[p] - x[frame, 2]
        normal[c, 0], normal[c, 1], normal[c, 2] = 0.0, 0.0, 1.0
        if x[i, 0] > 0.0:  # the edge is nearest
            distance = math.sqrt(x[i, 0] ** 2 + height**2)
            normal[c, 0], normal[c, 2] = x[i, 0] / distance, height / distance
            height = distance
        gap[c] = height - radius[i]
        for k in range(3):
            lever[c, 0, k] = -radius[i] * normal[c, k]
            lever[c, 1, k] = x[i, k] - height * normal[c, k] - x[frame, k]


class SphereBelt(SpherePlane):
    """Pairs of spheres and such belts."""

    geometry = measure_belt


def build(grains: int = GRAINS, seed: int = 0) -> ns.Model:
    """The belt, the floor, and a feeder that adds the grains."""
    model = ns.Model(gravity=(0, 0, -GRAVITY))
    belt = model.add_plane(
        normal=(0, 0, 1), offset=HEIGHT, motion=ns.ConstantVelocity(velocity=(SPEED, 0, 0)), name="belt"
    )
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    above = HEIGHT + 1.5 * RADIUS
    place = ns.regions.Box(low=(START, -WIDTH, above), high=(START, WIDTH, above))
    feeder = ns.feed_spheres(
        model, place, radius=RADIUS, density=DENSITY, number=grains, rate=RATE, seed=seed, name="spout"
    )
    law: dict[str, Any] = {"mu": MU, "e_n": E_N, "rolling_radius": ROLLING}
    model.add(SphereSphere(among=feeder.bodies, **law))
    model.add(SphereBelt(feeder.bodies, belt, **law))
    model.add(SpherePlane(feeder.bodies, floor, **law))
    return model


def run(grains: int = GRAINS) -> ns.Result:
    """From the empty belt on."""
    return simulate(build(grains), t_end=T_END, h=H)


def ride(t: np.ndarray) -> np.ndarray:
    """Speed (n,) [m/s] of a ball that has been on the belt for `t` (n,) [s]."""
    sliding = SPEED / (GRAVITY * (3.5 * MU - 2.5 * ROLLING / RADIUS))
    rolling = MU * GRAVITY * sliding + 5.0 / 7.0 * GRAVITY * ROLLING / RADIUS * (t - sliding)
    return np.where(t < sliding, MU * GRAVITY * t, np.minimum(rolling, SPEED))


def first_grain(result: ns.Result) -> tuple[np.ndarray, np.ndarray, int]:
    """Path of the first grain, its speed along x, and the step in which it lands."""
    x, v = result.position[:, 0], result.velocity[:, 0, 0]
    down = (x[:, 2] < RADIUS + 2e-3) & (x[:, 0] > 0.0)
    return x, v, int(down.argmax())


def check(result: ns.Result) -> list[Row]:
    """Speed on the belt, place of landing, rate at the end."""
    x, v, landed = first_grain(result)
    touched = math.sqrt(2.0 * 0.5 * RADIUS / GRAVITY)  # the time of its fall on the belt
    riding = (result.t > touched + 0.02) & (x[:, 0] < 0.0)
    known = ride(result.t)  # impacts and their friction make up for the time of the falls
    way = SPEED * math.sqrt(2.0 * HEIGHT / GRAVITY)
    over = np.asarray(result.position[:, :, 0] > 0.0).sum(axis=1)
    during = (result.t > 0.8) & (result.t < 1.6)
    rate = float(np.polyfit(result.t[during], over[during], 1)[0])
    return [
        Row("speed of the first grain on the belt", "m/s", 0.0, abs(v - known)[riding].max(), 1e-12),
        Row("speed at its end", "m/s", SPEED, float(v[x[:, 0] < 0.0][-1]), 1e-6),
        Row("where it lands", "m", way, float(x[landed, 0]), 3.0 * H * SPEED + 1e-3, "parabola"),
        Row("grains that leave the belt", "1/s", RATE, rate, 0.01 * RATE, "as many as come"),
        Row("grains below the floor", "-", 0.0, float((result.position[-1, :, 2] < 0.0).sum()), 1e-9),
    ]


def figure(result: ns.Result) -> Figure:
    """The scene from the side; the speed of the first grain beside the closed form."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    side_view(left, result, int(0.8 * len(result.t)))
    x, v, landed = first_grain(result)
    right.plot(result.t[:landed], v[:landed], color=COLOURS[0], label="first grain")
    on = x[:landed, 0] < 0.0
    known = ride(result.t[:landed])[on]
    right.plot(result.t[:landed][on], known, color=COLOURS[1], linestyle=":", label="slides, rolls, rides")
    label(right, "t [s]", "speed along the belt [m/s]", legend="lower right")
    return drawn


def side_view(axis: Axes, result: ns.Result, record: int) -> None:
    """Grains, coloured by speed, the belt and the floor [mm]."""
    there = np.asarray(result.present[record])
    x = 1e3 * np.asarray(result.position[record])[there]
    speed = np.linalg.norm(result.velocity[record], axis=1)[there]
    paint_grains(axis, x, speed, 1e3 * RADIUS, (-500.0, 450.0), (-30.0, 400.0))
    axis.plot([-500.0, 0.0], [1e3 * HEIGHT] * 2, color="0.3", linewidth=2.0)
    axis.plot([-500.0, 450.0], [0.0, 0.0], color="0.3", linewidth=1.0)
    t = np.linspace(0.0, math.sqrt(2.0 * HEIGHT / GRAVITY), 50)
    path = 1e3 * np.array([SPEED * t, HEIGHT + RADIUS - 0.5 * GRAVITY * t * t])
    axis.plot(*path, color=COLOURS[1], linestyle=":")
    label(axis, "x [mm]", "z [mm]", f"t = {result.t[record]:.2f} s")


if __name__ == "__main__":
    main(__file__)
