r"""Boxes on a shaken table

A table swings along itself with the amplitude $A$ and the rate $\omega$. A box goes with it as long as
friction holds, $A \omega^2 < \mu g$. Beyond that it slides in a part of every swing, and where friction is
small it hardly moves. While it slides its velocity changes at the rate $\mu g$; if it always does, by $\mu g
T/4$ to either side, with the period $T$.

To look at: the boxes differ in friction alone.
"""

from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSolidPlane, CundallStrack, SpringDashpot
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

AMPLITUDE, FREQUENCY, SIZE, MASS, G = 0.02, 3.0, 0.05, 0.2, 9.81  # [m], [1/s], [m], [kg], [m/s^2]
FRICTION = (0.9, 0.4, 0.05)  # the first holds: A w^2 = 0.72 g


def table_at(t: Any) -> tuple[Any, Any]:
    """Displacement [m] and velocity [m/s] of the table at the times `t`."""
    rate = 2 * np.pi * FREQUENCY
    return AMPLITUDE * np.sin(rate * t), AMPLITUDE * rate * np.cos(rate * t)


def build(friction: tuple[float, ...] = FRICTION) -> ns.Model:
    """A box for each friction on a table that is shaken."""
    model = ns.Model(gravity=(0, 0, -G))
    shaking = ns.Shaking(amplitude=(AMPLITUDE, 0, 0), frequency=FREQUENCY)
    table = model.add_plane(normal=(0, 0, 1), motion=shaking)
    normal = SpringDashpot(stiffness=1e5, damping=100.0)
    for k, mu in enumerate(friction):
        place, velocity = (0, 2 * SIZE * k, 0.5 * SIZE), (table_at(0.0)[1] * (mu > 0.1), 0, 0)
        box = model.add_box((SIZE,) * 3, mass=MASS, position=place, velocity=velocity)
        law = CundallStrack(stiffness=5e4, damping=20.0, mu=mu)
        model.add(CompliantSolidPlane(box, table, normal=normal, tangential=law))
    return model


def run() -> ns.Result:
    """Three swings."""
    return simulate(build(), t_end=3 / FREQUENCY, h=2e-4, scheme=ns.VelocityVerlet(), record_every=10)


def check(result: ns.Result) -> list[Row]:
    """Over the last swing."""
    t, last = np.asarray(result.t), np.asarray(result.t) > 2 / FREQUENCY
    off = np.asarray(result.position)[:, 0, 0] - table_at(t)[0]
    v = np.asarray(result.velocity)[last][:, :, 0]
    between = np.abs(np.diff(t[last][[v.argmin(axis=0), v.argmax(axis=0)]], axis=0))[0]
    a = np.ptp(v, axis=0) / between / (np.array(FRICTION) * G)
    swing, width = FRICTION[2] * G / (4 * FREQUENCY), 0.5 * np.ptp(v[:, 2])
    return [
        Row("friction 0.9: largest distance from its place", "m", 0.0, np.abs(off).max(), 1e-4),
        Row("friction 0.4: mean acceleration over mu g", "-", 1.0, a[1], 0.03),
        Row("friction 0.05: mean acceleration over mu g", "-", 1.0, a[2], 0.03),
        Row("friction 0.05: amplitude of the velocity", "m/s", swing, width, 0.05 * swing),
    ]


def figure(result: ns.Result) -> Figure:
    """The boxes in the end, and their velocities."""
    drawn, (above, below) = new_figure(2, 1, size=(6.4, 6.4), height_ratios=(3, 2))
    paint(above, result, Camera((0.35, -0.2, 0.3), (0.0, 2 * SIZE, 0.0)), size=(960, 560))
    below.plot(result.t, table_at(np.asarray(result.t))[1], color="0.5", linestyle=":", label="table")
    for k, mu in enumerate(FRICTION):
        below.plot(result.t, result.velocity[:, k, 0], label=f"friction {mu:g}")
    label(below, "t [s]", "velocity [m/s]", legend="lower right")
    return drawn


if __name__ == "__main__":
    main(__file__)
