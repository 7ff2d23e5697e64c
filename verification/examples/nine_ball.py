"""Nine-ball: a break with pockets

The cue ball meets the diamond of nine balls, and balls that fall into one of the six pockets leave the table.
Each pocket is an outlet: it takes the balls whose centre comes into it, all in one run with one result. The
rack has small seeded gaps, as every rack has that was set by hand; with another seed other balls fall.

To look at: who fell where and when, as it is written beside the pockets. The nine is among the first: the
one who broke has won.
"""

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.show.colours import body_colours
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main
from verification.outcome import Row
from verification.run import simulate

RADIUS, MASS, GRAVITY = 0.028575, 0.17, 9.81  # [m], [kg], [m/s^2]
LONG, WIDE = 1.27, 0.635  # [m] from the middle of the table to its cushions
SPEED, GAP, T_END, H = 11.0, 2e-4, 6.0, 1e-3  # [m/s], [m], [s], [s]
#: Middles and radii of the pockets [m]; a ball at the cushion is its own radius from it.
POCKETS = {
    f"{across} {along}": (x, y, 0.085 if x else 0.062)
    for x, along in ((-LONG, "left"), (0.0, "middle"), (LONG, "right"))
    for y, across in ((-WIDE, "near"), (WIDE, "far"))
}
ORDER = (1, 2, 3, 4, 9, 5, 6, 7, 8)  # in the diamond: the one in front, the nine in the middle


def build(seed: int = 27) -> ns.Model:
    """The table, its pockets, the rack by its `seed`, and the cue ball on its way."""
    model, x, v = ns.Model(gravity=(0, 0, -GRAVITY)), (-0.7 * LONG, 0.11, RADIUS), (0.9953, -0.0972, 0.0)
    velocity = SPEED * np.array(v)
    balls = [model.add_sphere(radius=RADIUS, mass=MASS, position=x, velocity=velocity, name="cue")]
    places = ns.layouts.diamond(radius=RADIUS, apex=(0.5 * LONG, 0, RADIUS), gap=GAP, seed=seed)
    for number, place in zip(ORDER, places, strict=True):
        balls.append(model.add_sphere(radius=RADIUS, mass=MASS, position=place, name=str(number)))
    cloth = model.add_plane(normal=(0, 0, 1))
    sides = ((1, 0, 0), -LONG), ((-1, 0, 0), -LONG), ((0, 1, 0), -WIDE), ((0, -1, 0), -WIDE)
    cushions = [model.add_plane(normal=normal, offset=offset) for normal, offset in sides]
    model.add(SphereSphere(among=balls, mu=0.06, e_n=0.93))
    model.add(SpherePlane(balls, cloth, mu=0.2, rolling_radius=3e-4))
    model.add(SpherePlane(balls, cushions, mu=0.2, e_n=0.85))
    for name, (px, py, radius) in POCKETS.items():
        model.add(ns.Outlet(ns.regions.Ball(centre=(px, py, RADIUS), radius=radius), name=name))
    return model


def run(seed: int = 27) -> ns.Result:
    """The break, until few balls roll."""
    return simulate(build(seed), t_end=T_END, h=H, record_every=10)


def check(result: ns.Result) -> list[Row]:
    """No ball is lost or beyond a cushion; energy never exceeds the cue ball's."""
    there, energy = result.present[-1], result.energy("kinetic")
    beyond = np.abs(result.position[-1, there, :2]) - (LONG - RADIUS, WIDE - RADIUS)
    return [
        Row("balls on the table and in pockets", "-", 10.0, len(result.events) + int(there.sum()), 1e-9),
        Row("balls beyond a cushion", "m", 0.0, max(float(beyond.max()), 0.0), 1e-6),
        Row("largest kinetic energy over that of the cue ball", "-", 1.0, energy.max() / energy[0], 1e-9),
    ]


def figure(result: ns.Result) -> Figure:
    """The table from above: paths, balls that are left, and who fell where and when."""
    from matplotlib.patches import Circle, Rectangle

    drawn, axis = new_figure(size=(9.0, 5.0))
    axis.add_patch(Rectangle((-LONG, -WIDE), 2 * LONG, 2 * WIDE, facecolor="#e6efe8", edgecolor="0.25"))
    for name, (x, y, radius) in POCKETS.items():
        axis.add_patch(Circle((x, y), radius, color="0.25"))
        fallen = [f"{e.body.name} at {e.t:.2f} s" for e in result.events if e.boundary.name == name]
        place = (x, y + 0.13 * np.sign(y))
        axis.annotate(", ".join(fallen), place, ha="center", va="center", fontsize=9)
    paths = np.where(result.present[:, :, None], result.position, np.nan)
    for body, colour in zip(result.model.bodies, body_colours(len(result.model.bodies)), strict=True):
        axis.plot(paths[:, body, 0], paths[:, body, 1], color=colour, linewidth=0.7, alpha=0.6)
        x, y, _ = paths[-1, body].tolist()
        if np.isfinite(x):
            axis.add_patch(Circle((x, y), RADIUS, facecolor=colour, edgecolor="0.2", zorder=3))
            axis.annotate(body.name, (x, y + 0.045), ha="center", va="center", fontsize=7)
    axis.set_xlim(-1.15 * LONG, 1.15 * LONG)
    axis.set_ylim(-1.3 * WIDE, 1.3 * WIDE)
    axis.set_aspect("equal")
    axis.grid(visible=False)
    label(axis, "x [m]", "y [m]")
    return drawn


if __name__ == "__main__":
    main(__file__)
