r"""Domino tiles

Boxes stand in a row, and each falls against the next. The wave takes a speed that does not depend on the
first push; by dimensions it is

$$v = \sqrt{g\,l}\; f(d/l, b/l, \mu, e)$$

for tiles of the height $l$ and thickness $b$ at the distances $d$. Measured rows have $f$ between 1 and 2
(McLachlan, Beaupre, Cox, Gore, The Physics Teacher 21, 1983).

To look at: two rows, one of which was pushed twice as hard. The waves run at the same speed, and the
tiles come to rest leaning on each other.
"""

from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSolidPlane, CompliantSolids, CundallStrack, SpringDashpot
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

SIZE, PITCH, TILES, MASS = (0.0075, 0.024, 0.048), 0.02, 20, 0.012  # [m], [kg]
PUSHES = (6.0, 12.0)  # [rad/s] about the lower edge of the first tile
NORMAL = SpringDashpot(stiffness=2e4, damping=4.0)
LAW: Any = {"normal": NORMAL, "tangential": CundallStrack(stiffness=1e4, damping=2.0, mu=0.25)}


def build(pushes: tuple[float, ...] = PUSHES, tiles: int = TILES) -> ns.Model:
    """A row of tiles for each push."""
    model = ns.Model(gravity=(0, 0, -9.81))
    for row, i in np.ndindex(len(pushes), tiles):
        place, w = (PITCH * i, 0.06 * row, 0.5 * SIZE[2]), (0, pushes[row] * (i == 0), 0)
        v = np.cross(w, (-0.5 * SIZE[0], 0, 0.5 * SIZE[2]))
        model.add_box(SIZE, mass=MASS, position=place, velocity=v, angular_velocity=w)
    model.add(CompliantSolidPlane(model.bodies, model.add_plane(normal=(0, 0, 1)), **LAW))
    model.add(CompliantSolids(among=model.bodies, **LAW))
    return model


def run(tiles: int = TILES) -> ns.Result:
    """Until all tiles have fallen."""
    return simulate(build(tiles=tiles), t_end=0.75, h=1e-4, scheme=ns.VelocityVerlet(), record_every=10)


def struck(result: ns.Result) -> np.ndarray:
    """Times (rows, tiles) [s] at which the tiles begin to fall."""
    turns = np.asarray(result.angular_velocity)[:, :, 1] > 0.5
    return np.asarray(result.t)[np.argmax(turns, axis=0)].reshape(len(PUSHES), -1)


def check(result: ns.Result) -> list[Row]:
    """Speeds over the last third of the rows, and rest in the end."""
    times = struck(result)
    third = times.shape[1] // 3
    speeds = third * PITCH / (times[:, -1] - times[:, -1 - third]) / np.sqrt(9.81 * SIZE[2])
    names = [f"push {push:g} rad/s: speed over root of g l" for push in PUSHES]
    rows = [Row(name, "-", 1.5, speed, 0.5, "experiment") for name, speed in zip(names, speeds, strict=True)]
    rows.append(Row("the same after both pushes", "-", 1.0, speeds[1] / speeds[0], 0.05))
    standing = int(np.count_nonzero(np.asarray(result.position)[-1, :, 2] > 0.45 * SIZE[2]))
    return [*rows, Row("tiles that stand in the end", "-", 0.0, standing, 0.5)]


def figure(result: ns.Result) -> Figure:
    """The rows while the waves run, and when the tiles are struck."""
    drawn, (above, below) = new_figure(2, 1, size=(6.4, 6.4), height_ratios=(3, 2))
    middle = 0.5 * PITCH * TILES
    paint(above, result, Camera((middle, -0.4, 0.2), (middle, 0.02, 0.0)), t=0.3, size=(960, 560))
    for push, times in zip(PUSHES, struck(result), strict=True):
        below.plot(times[1:], PITCH * np.arange(1, len(times)), "o-", label=f"push {push:g} rad/s")
    label(below, "t [s]", "place of the wave [m]", legend="lower right")
    return drawn


if __name__ == "__main__":
    main(__file__)
