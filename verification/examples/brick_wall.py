r"""A wall hit by a ball

A wall of bricks in running bond, without mortar and without space between, stands on a floor. A heavy ball
flies into it. Before the ball touches, nothing moves: the wall is in equilibrium, held by friction. Then
bricks are knocked out, and the upper part falls. All contacts are set-valued.

To look at: bricks that the ball does not reach stay, and the energy never rises.
"""

import numpy as np

import nsgalpha as ns
from elements import Contact
from nsgalpha.arrays import Floats
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

BRICK, ROWS, LONG = (0.2, 0.1, 0.06), 7, 5  # [m], rows, bricks in the lowest one
MASS, MU, G = 2.4, 0.6, 9.81
RADIUS, HEAVY, SPEED, AWAY, HIT = 0.09, 15.0, 6.0, 0.6, 0.28
# of the ball [m], [kg], [m/s], [m] from the wall, [m] of its height
H, T_END = 1e-3, 1.5  # [s]


def build(speed: float = SPEED) -> ns.Model:
    """The wall along x, and a ball that flies along y."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    floor = model.add_plane(normal=(0.0, 0.0, 1.0))
    for row in range(ROWS):
        for k in range(LONG - row % 2):
            x = BRICK[0] * (k + 0.5 * (row % 2) - 0.5 * (LONG - 1))
            model.add_box(BRICK, mass=MASS, position=(x, 0.0, BRICK[2] * (row + 0.5)))
    flight = AWAY / speed
    place = 0.0, -(AWAY + RADIUS + 0.5 * BRICK[1]), HIT
    rise = 0.5 * G * flight  # it comes at the height of its start
    model.add_sphere(radius=RADIUS, mass=HEAVY, position=place, velocity=(0.0, speed, rise), name="ball")
    model.add(Contact(among=[floor, *model.bodies], mu=MU))
    return model


def run() -> ns.Result:
    """Until most of the bricks lie."""
    return simulate(build(), t_end=T_END, h=H, record_every=5)


def energies(result: ns.Result) -> Floats:
    """Kinetic and potential energy (n,) [J]."""
    return np.asarray(result.energy())


def hit(result: ns.Result) -> int:
    """Number of the first recorded state after the ball has touched."""
    return int(np.ceil(AWAY / SPEED / H / 5.0))


def check(result: ns.Result) -> list[Row]:
    """The wall stands until it is hit, and energy is only lost."""
    x, first = np.asarray(result.position), hit(result) - 1
    bricks = len(result.model.bodies) - 1
    before = np.abs(x[first, :bricks] - x[0, :bricks]).max()
    rise = float(np.maximum(np.diff(energies(result)), 0.0).max()) / energies(result)[0]
    stays = [k for k in range(LONG) if np.linalg.norm(x[-1, k] - x[0, k]) < 0.02]
    fallen = int((np.linalg.norm(x[-1, :bricks] - x[0, :bricks], axis=1) > 0.05).sum())
    return [
        Row("way of the bricks before the impact", "m", 0.0, float(before), 1e-11),
        Row("largest rise of the energy, over the first", "-", 0.0, rise, 1e-6),
        Row("bricks that have moved by 5 cm", "-", 0.0, fallen, None),
        Row("bricks of the lowest row that stay", "-", LONG, len(stays), None),
        Row("largest overlap, over the size", "-", 0.0, float(result.stats.penetration.max()), 1e-9),
    ]


def figure(result: ns.Result) -> Figure:
    """The wall as it breaks, and the energy."""
    drawn, (first, second, below) = new_figure(3, 1, size=(6.4, 9.6), height_ratios=(3, 3, 2))
    camera = Camera((1.3, -1.7, 1.0), (0.0, 0.0, 0.2))
    paint(first, result, camera, t=AWAY / SPEED + 0.1, size=(960, 560))
    paint(second, result, camera, t=T_END, size=(960, 560))
    below.plot(result.t, energies(result))
    label(below, "t [s]", "energy [J]")
    return drawn


if __name__ == "__main__":
    main(__file__)
