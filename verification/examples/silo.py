"""A silo passes on its inflow

Grains come by a feeder, slide down a funnel of four plates and leave through its mouth, where an outlet takes
them away. The mouth is wide enough: after a while as many leave as come. The number inside is then, by
Little's law, the rate times the mean time that a grain stays. All in one run, with as many bodies as come.

To look at: the two straight lines of grains that have come and left, and the distance between them.
"""

import numpy as np

import nsgalpha as ns
from elements import SpherePolygon, SphereSphere
from nsgalpha.show import look
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

RADIUS, MASS, GRAVITY = 0.005, 1e-3, 9.81  # [m], [kg], [m/s^2]
MOUTH, TOP, HEIGHT = 0.018, 0.05, 0.04  # [m] half widths of the funnel below and above, and its height
GRAINS, RATE, T_END, H = 150, 300.0, 0.6, 1e-3  # number, [1/s], [s], [s]


def build(grains: int = GRAINS) -> ns.Model:
    """The funnel, the grains that will come, feeder and outlet."""
    model = ns.Model(gravity=(0, 0, -GRAVITY))
    funnel = model.add_body(position=(0, 0, 0), fixed=True, name="funnel")
    ring = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    low, high = np.c_[MOUTH * ring, np.zeros(4)], np.c_[TOP * ring, np.full(4, HEIGHT)]
    plates = [
        model.add_primitive([low[k - 1], low[k], high[k], high[k - 1]], carrier=funnel) for k in range(4)
    ]
    balls = [
        model.add_sphere(radius=RADIUS, mass=MASS, position=(0, 0, 0.1), velocity=(0, 0, -0.5))
        for _ in range(grains)
    ]
    model.add(SphereSphere(among=balls, mu=0.4, e_n=0.3))
    model.add(SpherePolygon(balls, plates, mu=0.4, e_n=0.3))
    spout = ns.regions.Box(low=(-0.02, -0.02, 0.09), high=(0.02, 0.02, 0.11))
    model.add(ns.Feeder(balls, spout, rate=RATE, name="spout"))
    below = ns.regions.HalfSpace(normal=(0, 0, 1), offset=-0.03)
    model.add(ns.Outlet(below, bodies=balls, name="mouth"))
    return model


def run(grains: int = GRAINS) -> ns.Result:
    """From the empty silo on."""
    return simulate(build(grains), t_end=T_END, h=H, record_every=5)


def counts(result: ns.Result) -> tuple[np.ndarray, np.ndarray]:
    """Grains (n,) that have come and have left before each recorded state."""
    events = result.events
    come, left = (np.sort(events.t[events.entered == which]) for which in (True, False))
    return np.searchsorted(come, result.t), np.searchsorted(left, result.t)


def check(result: ns.Result) -> list[Row]:
    """As many leave as come, and Little's law."""
    come, left = counts(result)
    during = (result.t > 0.2) & (result.t < come.argmax() * (result.t[1] - result.t[0]))
    rate = float(np.polyfit(result.t[during], left[during], 1)[0])
    events = result.events.of(result.model.open_boundaries[1])
    stays = events.t - [result.events.of(result.model.bodies[body]).t[0] for body in events.body]
    inside = float(result.present[during, 1:].sum(axis=1).mean())
    return [
        Row("grains that leave", "1/s", RATE, rate, 0.05 * RATE),
        Row("grains inside", "-", RATE * float(stays[20:100].mean()), inside, 2.0, "Little's law"),
        Row("grains that are lost", "-", 0.0, float((come - left)[-1] - result.present[-1, 1:].sum()), 1e-9),
    ]


def figure(result: ns.Result) -> Figure:
    """The funnel while it is full, and how many have come and left."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    paint(left, result, look(result, elevation=25.0, zoom=1.7), t=0.4, colour="speed", size=(800, 720))
    for number, words, colour in zip(counts(result), ("came", "left"), COLOURS, strict=False):
        right.plot(result.t, number, color=colour, label=words)
    label(right, "t [s]", "grains", legend="upper left")
    return drawn


if __name__ == "__main__":
    main(__file__)
