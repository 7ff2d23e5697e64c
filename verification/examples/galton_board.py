"""Galton boards

Balls fall through rows of pegs, and at each peg to the left or to the right. If a ball forgets at each peg
where it came from, the numbers in the slots below follow the binomial distribution. With a restitution of a
quarter they do, as far as three hundred balls can show. Ten boards stand one behind the other and get thirty
balls each, which start within a millimetre.

A ball is in contact with pegs alone, and the pegs are heavy and weightless. The weight of the balls is a
constant force towards the floor: an element, like the contacts, so that the run is explicit and compiled.

To look at: how far apart the paths are after a few rows, and how many balls are in the slots. Bouncier
balls skip pegs and spread more, duller ones run in the same ruts and spread less.
"""

import numpy as np
from scipy.stats import binom, chi2

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, ConstantForce, SpringDashpot
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

ROWS, BOARDS, BALLS = 8, 10, 30
PITCH, PEG, BALL = 0.012, 0.002, 0.0025  # [m] between pegs, radii
MASS, GRAVITY = 5e-4, 9.81  # [kg], [m/s^2]
STIFFNESS, DAMPING_RATIO = 5e3, 0.42  # [N/m]
HEIGHT = np.sqrt(0.75) * PITCH  # [m] of a row
APART, NEXT = 0.036, 3e-5  # [m] from board to board, and from ball to ball at the start
T_END, H, EVERY = 1.0, 1e-4, 10


def build(damping_ratio: float = DAMPING_RATIO, seed: int = 1) -> ns.Model:
    """The pegs row by row, then the balls over the first peg of each board."""
    model, rng = ns.Model(), np.random.default_rng(seed)
    pegs, balls = [], []
    for k in range(ROWS):
        for board in range(BOARDS):
            for j in range(-2, k + 3):
                at = ((j - 0.5 * k) * PITCH, board * APART, -k * HEIGHT)
                pegs.append(model.add_sphere(radius=PEG, mass=1e6, position=at))
    for board in range(BOARDS):
        for i in range(BALLS):
            x = NEXT * (i + 0.5 - 0.5 * BALLS) + 0.5 * NEXT * rng.uniform(-1.0, 1.0, 3)[0]
            at = (x, board * APART, 1.5 * HEIGHT)
            balls.append(model.add_sphere(radius=BALL, mass=MASS, position=at))
    floor = model.add_plane(normal=(0, 0, 1), offset=-(ROWS + 2) * HEIGHT)
    damping = 2.0 * damping_ratio * np.sqrt(STIFFNESS * MASS)
    law = SpringDashpot(stiffness=STIFFNESS, damping=damping)
    model.add(CompliantSphereSphere(between=(balls, pegs), normal=law))
    weight = ConstantForce(force=-MASS * GRAVITY, distance=1.0)
    model.add(CompliantSpherePlane(balls, floor, normal=[weight, law]))
    return model


def run(damping_ratio: float = DAMPING_RATIO, seed: int = 1) -> ns.Result:
    """Until all balls are through."""
    model = build(damping_ratio, seed)
    return simulate(model, t_end=T_END, h=H, scheme=ns.VelocityVerlet(), record_every=EVERY)


def slots(result: ns.Result) -> np.ndarray:
    """Slots (balls,), 0 to ROWS, at the last row; balls outside count as outermost."""
    x = np.asarray(result.position[:, -BOARDS * BALLS :])
    passed = x[:, :, 2] < -(ROWS - 1) * HEIGHT
    if not passed[-1].all():
        raise ValueError(f"{np.sum(~passed[-1])} balls are still above the last row; run longer")
    at = x[np.argmax(passed, axis=0), np.arange(x.shape[1]), 0]
    return np.clip(np.floor(at / PITCH + 0.5 * (ROWS - 1)).astype(int) + 1, 0, ROWS)


def deviation(taken: np.ndarray) -> tuple[float, int]:
    """Pearson's chi-square of the slots, and degrees of freedom; outer slots are merged."""
    expected = len(taken) * binom.pmf(np.arange(ROWS + 1), ROWS, 0.5)
    seen = np.bincount(taken, minlength=ROWS + 1).astype(float)
    while expected[0] < 5.0:
        for counts in (expected, seen):
            counts[1] += counts[0]
            counts[-2] += counts[-1]
        expected, seen = expected[1:-1], seen[1:-1]
    return float(((seen - expected) ** 2 / expected).sum()), len(expected) - 1


def check(result: ns.Result) -> list[Row]:
    """Within the range of chance in 999 of 1000 cases."""
    taken = slots(result)
    square, freedom = deviation(taken)
    mean, variance, n = ROWS / 2.0, ROWS / 4.0, len(taken)
    return [
        Row("mean slot", "-", mean, taken.mean(), 3.3 * np.sqrt(variance / n)),
        Row("variance of the slot", "-", variance, taken.var(), 3.3 * variance * np.sqrt(2.0 / n)),
        Row("chi-square", "-", freedom, square, chi2.ppf(0.999, freedom) - freedom, "binomial distribution"),
    ]


def figure(result: ns.Result) -> Figure:
    """The boards while balls fall, and the slots."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.4))
    camera = Camera((-0.04, -0.9, 0.02), (0.0, 0.0, -0.045), angle=11.0)
    paint(left, result, camera, t=0.35, colour="speed", size=(800, 720))
    number, seen = np.arange(ROWS + 1), np.bincount(slots(result), minlength=ROWS + 1)
    expected = BOARDS * BALLS * binom.pmf(number, ROWS, 0.5)
    right.bar(number, seen, color=COLOURS[0], alpha=0.6, label="balls")
    right.plot(number, expected, "o-", color=COLOURS[1], label="binomial")
    label(right, "slot", "number of balls", legend="upper right")
    return drawn


if __name__ == "__main__":
    main(__file__)
