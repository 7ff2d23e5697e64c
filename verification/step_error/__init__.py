"""Error of the step of an impact.

An impact is resolved to its step. Bodies enter each other for the rest of it, and the normal is that of the
pose to which the position correction brings them. For single impacts all consequences have closed forms
(reference.py). The line of centres rotates, the average impact transfers less, and angular momentum grows. An
elastic ball gains or loses energy under gravity, and fast balls pass each other.

Tolerance: rounding. Impacts that are missed are counted, one of so many runs is the accuracy.
"""

from functools import partial
from typing import SupportsFloat

import numpy as np

from verification.balls import GRAVITY, RADIUS
from verification.outcome import Outcome, Row
from verification.phases import fractions
from verification.step_error import reference
from verification.step_error.figure import draw
from verification.step_error.model import Floats, collide, energy_after_bounce

SHOTS = ((2.0, 30.0), (10.0, 60.0))  # [m/s], [deg]
STEPS = (1e-3, 1e-4, 1e-5)  # [s]
PHASES = 50
RATIOS = (0.1, 0.01)  # v h / 2R
ANGLES = 100  # of impacts at random, cos^2 of the angle evenly spread
BOUNCE = 3.0  # [m/s]
FAST = (1.1, 2.0)  # v h / 2R
ROUNDING = 1e-9  # of angles [deg], and of parts
STEP = "closed form of the step (step_error/reference.py)"
EXACT = "exact, without a step; shown"


def part_row(quantity: str, unit: str, step: SupportsFloat, ours: SupportsFloat) -> Row:
    """A number that the closed form of the step gives."""
    return Row(quantity, unit, float(step), float(ours), ROUNDING, STEP)


def root_mean_square(values: Floats) -> float:
    """Of the values (n,)."""
    return float(np.sqrt((values**2).mean()))


def direction_rows() -> list[Row]:
    """Direction of the struck ball, over the arrival within the step."""
    rows = []
    left = 1.0 - fractions(PHASES)
    for speed, cut in SHOTS:
        phi = np.full(PHASES, np.radians(cut))
        for h in STEPS:
            v = collide(speed, h, phi, left).velocity[:, 1]
            ours = np.degrees(np.arctan2(v[:, 1], v[:, 0]) - phi)
            expected = np.degrees(reference.turned(phi, left * speed * h / (2.0 * RADIUS)))
            name = f"direction, {speed:g} m/s, {cut:g} deg, h {h:g}"
            rows += [
                part_row(f"{name}, {kind}", "deg", of(expected), of(ours))
                for kind, of in (("rms", root_mean_square), ("largest", np.max))
            ]
    return rows


def average_rows() -> list[Row]:
    """Average impacts: momentum passed on, impacts missed, angular momentum."""
    cosine = np.sqrt(fractions(ANGLES))
    phi, left = (each.ravel() for each in np.meshgrid(np.arccos(cosine), fractions(PHASES)))
    rows = []
    for ratio in RATIOS:
        h = 1e-3
        speed, tau = ratio * 2.0 * RADIUS / h, ratio * left
        after = collide(speed, h, phi, left)
        ours = after.velocity[:, 1, 0] / speed
        apart, relative = np.diff(after.position, axis=1)[:, 0], np.diff(after.velocity, axis=1)[:, 0]
        spin = np.cross(apart, relative)[:, 2] / (2.0 * RADIUS * np.sin(phi) * speed) - 1.0
        hit = ~reference.missed(phi, tau)
        handed, gain = reference.transfer(phi, tau), reference.spin_up(phi, tau)
        name = f"v h / 2R = {ratio:g}"
        rows += [
            part_row(f"{name}: momentum handed over, mean", "m v", handed.mean(), ours.mean()),
            Row(f"{name}: momentum handed over, mean", "m v", 0.5, ours.mean(), None, EXACT),
            part_row(f"{name}: impacts missed", "1", 1.0 - hit.mean(), (ours == 0.0).mean()),
            part_row(f"{name}: gain of angular momentum, largest", "1", gain[hit].max(), spin[hit].max()),
        ]
    return rows


def bounce_rows() -> list[Row]:
    """Energy of an elastic ball under gravity, over m g h v."""
    left, h = 1.0 - fractions(PHASES), 1e-3
    unit = GRAVITY * h * BOUNCE
    rows = []
    for name, ceiling in (("floor", False), ("ceiling", True)):
        of_step = reference.gained_at_ceiling if ceiling else reference.lost_on_floor
        expected = of_step(BOUNCE, left * h, h, GRAVITY) / (unit if ceiling else -unit)
        ours = energy_after_bounce(BOUNCE, h, left, ceiling=ceiling) / unit
        rows += [
            part_row(f"elastic bounce at a {name}: energy, {kind}", "m g h v", of(expected), of(ours))
            for kind, of in (("mean", np.mean), ("least", np.min), ("largest", np.max))
        ]
    return rows


def passing_rows() -> list[Row]:
    """Head-on impacts of balls that cover more than a diameter in a step."""
    h, count = 1e-3, 4 * PHASES
    left = fractions(count)
    rows = []
    for ratio in FAST:
        after = collide(ratio * 2.0 * RADIUS / h, h, np.zeros(count), left, passing=True)
        name, missed = f"v h / 2R = {ratio:g}: head-on", (after.velocity[:, 1, 0] == 0.0).mean()
        rows += [
            Row(f"{name} impacts missed", "1", 1.0 - 1.0 / ratio, missed, 1.0 / count, STEP),
            part_row(f"{name} impacts, in steps that are counted", "1", 1.0, float(after.stats.fast[-1] > 0)),
            part_row(f"{name} impacts, missed without success", "1", 1.0, float(not after.status.ok)),
        ]
    return rows


def run() -> Outcome:
    """All errors of the step of an impact."""
    return Outcome(
        rows=[*direction_rows(), *average_rows(), *bounce_rows(), *passing_rows()],
        figures={
            "Turn of the line of centres and momentum handed over, over the step": partial(draw, RATIOS)
        },
    )
