r"""Newton's cradle of soft balls

Five balls on strings have a contact with duration and depth: Exudyn's impact law. It is a spring of Hertz's
exponent with a damping that follows from the restitution $e$ and the velocity at touch. The balls are two
millimetres apart, so that one contact is over before the next begins. Then each passes $\frac{1+e}2$ of its
speed on and keeps $\frac{1-e}2$: the last of five has $\left(\frac{1+e}2\right)^4$ of the first. The
set-valued cradle of the other example has the same without duration.

To look at: with $e = 1$ the balls in the middle stay where they are; with $e = 0.8$ all follow slowly.
"""

import math

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, ExudynImpact
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main
from verification.examples import cradle
from verification.outcome import Row
from verification.run import simulate

STIFFNESS, EXPONENT = 1e8, 1.5  # [N/m^1.5] and of the overlap
RESTITUTIONS = (1.0, 0.8)
BALLS, H, T_END = 5, 4e-5, 0.31  # [-], [s], [s]: until shortly after the impacts


def build(e: float = 1.0, balls: int = BALLS) -> ns.Model:
    """One of the `balls` hangs at the angle of the other example, to the left."""
    impact = ExudynImpact(stiffness=STIFFNESS, restitution=e, exponent=EXPONENT)
    return cradle.build(1, balls, contact=lambda spheres: CompliantSphereSphere(among=spheres, normal=impact))


def run(restitutions: tuple[float, ...] = RESTITUTIONS) -> list[ns.Result]:
    """One run for each restitution, by velocity Verlet, until the last ball has been struck."""
    scheme = ns.VelocityVerlet()
    return [simulate(build(e), t_end=T_END, h=H, scheme=scheme, record_every=5) for e in restitutions]


def passed_on(e: float) -> np.ndarray:
    """Speeds (BALLS,) over that of the first ball before, by impacts of pairs one after another."""
    part = (0.5 * (1.0 + e)) ** np.arange(BALLS)
    return np.asarray(part * np.where(np.arange(BALLS) < BALLS - 1, 0.5 * (1.0 - e), 1.0))


def rates(result: ns.Result) -> tuple[float, np.ndarray]:
    """Speed before the impacts [m/s], and those (BALLS,) of the balls at their end over it."""
    v = result.velocity[..., 0]
    before = float(v[:, 0].max())
    return before, v[int(np.argmax(v[:, -1]))] / before


def check(results: list[ns.Result]) -> list[Row]:
    """Speeds by the restitution of the impacts, and of the first ball by its fall."""
    rows = []
    fall = math.sqrt(2.0 * cradle.GRAVITY * cradle.DROP * (1.0 - math.cos(math.radians(cradle.ANGLE))))
    for e, result in zip(RESTITUTIONS, results, strict=True):
        before, after = rates(result)
        rows.append(Row(f"e = {e:g}: speed of the first ball", "m/s", fall, before, 1e-3))
        for k, (expected, found) in enumerate(zip(passed_on(e), after, strict=True)):
            rows.append(Row(f"e = {e:g}: speed of ball {k + 1} over it", "-", expected, found, 0.02))
    return rows


def figure(results: list[ns.Result]) -> Figure:
    """The cradles at the end of the impacts, and the speeds over time."""
    drawn, axes = new_figure(2, len(results), size=(9.6, 5.2), height_ratios=(3, 2))
    for above, below, result in zip(*axes, results, strict=True):
        cradle.paint_cradle(above, result, len(result.t) - 1)
        late = result.t > T_END - 0.04
        for i, one in enumerate(result.velocity[late, :, 0].T):
            below.plot(1e3 * result.t[late], one, color=COLOURS[i % len(COLOURS)])
        label(below, "t [ms]", "speed [m/s]")
    return drawn


if __name__ == "__main__":
    main(__file__)
