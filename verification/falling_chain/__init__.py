"""A chain of a thousand balls falls on a floor until all of it lies.

Balls of 5 cm on points, .12 m apart in a zigzag, one end .2 m above the other, in steps of 1 ms; no
restitution, friction .3. Joints and contacts are one island of up to 3000 rows between 1000 bodies: it is
solved through the factor of the joints (docs/design/joints.md). The model is that of `nsgalpha bench chains`.

Judged is the opening of all joints in all recorded states, at both levels, over the length and the largest
speed. The number of balls on the floor at the end is judged, too. Energy must never grow. The floor carries
the weight, to the remaining acceleration. Tolerance: 1e-12 for joints, 1e-9 of the fallen energy, 1 % of the
weight.

Between impacts the scheme of second order adds about 4e-8 J in 10 ms, with h^2, for any number of balls and
any tolerance. Over the fallen energy it is 1e-8 with 40 balls, and 4e-10 with a thousand.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.benchmarks.chains import SPACING, falling
from verification.falling_chain.figure import draw
from verification.mechanisms.rows import measure
from verification.outcome import Outcome, Row, bound_row
from verification.run import effort, simulate

BALLS, T_END, H, EVERY = 1000, 0.5, 1e-3, 10  # number, [s], [s], steps from one recorded state to the next
G, MASS = 9.81, 0.1  # [m/s^2], [kg]
LAW = "closed form"


def openings(result: ns.Result) -> tuple[Floats, Floats]:
    """The largest violation (n,) [m] of all joints in every state, and their largest rate (n,) [m/s]."""
    g, rate = np.zeros(len(result.t)), np.zeros(len(result.t))
    for joint in result.model.joints:
        found = measure(result, joint)
        g = np.maximum(g, np.abs(found.g).max(axis=1))
        rate = np.maximum(rate, np.abs(found.rate).max(axis=1))
    return g, rate


def on_the_floor(result: ns.Result) -> float:
    """Force [N] of the floor on all balls in the last step."""
    contacts = result.contacts
    last = np.asarray(contacts.record) == len(result.t) - 1
    return float(np.asarray(contacts.wrench)[last, 2].sum())


def run() -> Outcome:
    """The fall of the whole chain."""
    result = simulate(falling(BALLS), t_end=T_END, h=H, record_every=EVERY)
    g, rate = openings(result)
    length, speed = BALLS * SPACING, float(np.abs(result.velocity).max())
    energy = result.energy()
    weight = BALLS * MASS * G
    rise = BALLS * MASS * np.diff(result.velocity[-2:, :, 2].mean(axis=1))[0] / (EVERY * H)
    rows = [
        bound_row("joints open, over the length", "-", g.max() / length, 1e-12, LAW),
        bound_row("rate of joints, over the largest speed", "-", rate.max() / speed, 1e-12, LAW),
        Row(
            "balls on the floor at the end", "-", BALLS, float(result.stats.contacts[-1]), 0.5, "all of them"
        ),
        bound_row(
            "growth of energy, over what has fallen",
            "-",
            max(float(np.diff(energy).max()), 0.0) / float(energy[0] - energy[-1]),
            1e-9,
            LAW,
        ),
        Row("force of the floor at the end", "N", weight + rise, on_the_floor(result), 0.01 * weight, LAW),
        Row(
            "largest speed at the end", "m/s", 0.0, float(np.abs(result.velocity[-1]).max()), None, "at rest"
        ),
    ]
    return Outcome(
        rows=rows,
        figures={"A chain of 1000 balls falls on a floor": partial(draw, result, g, rate)},
        efforts=[effort("chain of 1000 balls", result)],
    )
