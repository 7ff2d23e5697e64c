r"""A box through a chute

A box slides in a trough of triangles, whose two sides are at right angles and whose bottom edge falls by the
angle $\alpha$. It lies with two faces on the sides. Each carries $m g \cos\alpha/\sqrt 2$, so that

$$
a = g\,(\sin\alpha - \sqrt 2\,\mu \cos\alpha)
$$

It crosses the edges of the triangles without a jolt, leaves the chute, and tips over its end. It comes to
rest on the ground.

To look at: speed against $a t$ up to the end of the chute; the box lies on a face in the end.
"""

import math

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Contact
from nsgalpha.arrays import Floats
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

SLOPE, MU, G = math.radians(35.0), 0.2, 9.81
SIDE, LENGTH, PANELS, TOP = 0.12, 1.6, 8, 1.4  # [m] of the sides, of the chute, their number, [m] its start
BOX, DENSITY, START = (0.16, 0.08, 0.06), 700.0, 0.1  # [m], [kg/m^3], [m] from the upper end to its tail
H, T_END = 1e-3, 2.6  # [s]
#: axes of the chute: along it, across, and away from its bottom edge
AXES = Rotation.from_euler("y", SLOPE)
ACCELERATION = G * (math.sin(SLOPE) - math.sqrt(2.0) * MU * math.cos(SLOPE))


def trough() -> tuple[Floats, list[tuple[int, int, int]]]:
    """Points and triangles of the two sides, the bottom edge along x from the origin on."""
    high = SIDE / math.sqrt(2.0)
    rows = [(x, y, abs(y)) for x in np.linspace(0.0, LENGTH, PANELS + 1) for y in (-high, 0.0, high)]
    faces = []
    for first in range(0, 3 * PANELS, 3):
        for k in (first, first + 1):
            faces += [(k, k + 3, k + 4), (k, k + 4, k + 1)]
    return np.array(rows), faces


def build() -> ns.Model:
    """The chute on its slope, the box in it, and the ground."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    x, y, z, w = AXES.as_quat()
    chute = model.add_body(fixed=True, position=(0.0, 0.0, TOP), rotation=(w, x, y, z), name="chute")
    model.add_mesh(*trough(), carrier=chute)
    middle = np.array([START + 0.5 * BOX[0], 0.0, (BOX[1] + BOX[2]) / 2.0 / math.sqrt(2.0)])
    middle[1] = (BOX[1] - BOX[2]) / 2.0 / math.sqrt(2.0)
    x, y, z, w = (AXES * Rotation.from_euler("x", 45.0, degrees=True)).as_quat()
    place = AXES.apply(middle) + np.array([0.0, 0.0, TOP])
    box = model.add_box(BOX, density=DENSITY, position=place, rotation=(w, x, y, z), name="box")
    ground = model.add_plane(normal=(0.0, 0.0, 1.0), name="ground")
    model.add(Contact(among=[chute, box, ground], mu=MU))
    return model


def run() -> ns.Result:
    """Until it lies on the ground."""
    return simulate(build(), t_end=T_END, h=H)


def speed(result: ns.Result) -> Floats:
    """Speeds (n,) [m/s] along the chute."""
    return np.asarray(result.velocity)[:, 1] @ AXES.apply((1.0, 0.0, 0.0))


def in_the_chute(result: ns.Result) -> int:
    """Number of the states before the front of the box reaches the end."""
    along = (np.asarray(result.position)[:, 1] - (0.0, 0.0, TOP)) @ AXES.apply((1.0, 0.0, 0.0))
    return int(np.argmax(along > LENGTH - 0.5 * BOX[0]))


def check(result: ns.Result) -> list[Row]:
    """Speed in the chute, no turn there, and rest on the ground."""
    last = in_the_chute(result)
    t, v = np.asarray(result.t)[:last], speed(result)[:last]
    turning = np.abs(np.asarray(result.angular_velocity)[:last, 1]).max()
    moving = np.linalg.norm(np.asarray(result.velocity)[-1, 1])
    return [
        Row("speed in the chute, largest error", "m/s", 0.0, float(np.abs(v - ACCELERATION * t).max()), 1e-8),
        Row("angular velocity in the chute", "rad/s", 0.0, float(turning), 1e-8),
        Row("speed in the end", "m/s", 0.0, float(moving), 1e-9),
        Row("height in the end, half of an edge", "m", 0.5 * min(BOX), result.position[-1, 1, 2], 1e-9),
        Row("largest overlap, over the size", "-", 0.0, float(result.stats.penetration.max()), 1e-9),
    ]


def figure(result: ns.Result) -> Figure:
    """The box as it leaves the chute, and its speed."""
    drawn, (above, below) = new_figure(2, 1, size=(6.4, 7.2), height_ratios=(3, 2))
    last = in_the_chute(result)
    leaves = float(result.t[last]) + 0.06
    paint(above, result, Camera((1.4, -2.4, 1.9), (0.8, 0.0, 0.6)), t=leaves, size=(960, 640))
    t = np.asarray(result.t)
    below.plot(t, np.linalg.norm(np.asarray(result.velocity)[:, 1], axis=1), label="speed")
    below.plot(t[:last], ACCELERATION * t[:last], "--", color="0.4", label="a t")
    label(below, "t [s]", "speed [m/s]", legend="upper right")
    return drawn


if __name__ == "__main__":
    main(__file__)
