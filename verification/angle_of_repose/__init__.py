"""Angle of repose: the slope at which a flowing layer comes to rest.

Balls of sizes within 15 % flow down a rough incline, periodic along and across. The slope falls by steps of
a degree. The angle is in the middle between the last slope with flow and the first without.

It is compared with that of glass beads, whose friction law of dense flows begins at 0.38, the tangent of
20.9 degrees (Jop, Forterre and Pouliquen, Nature 441 (2006) 727). The coefficient of friction is 0.5 here.
The strength of packings of balls saturates at large ones. The tolerance is 2 degrees. A step of the slope
is one, and a layer of only seven diameters rests on steeper slopes than a thick one.
"""

from functools import partial

from nsgalpha.arrays import Floats
from verification.angle_of_repose import model
from verification.angle_of_repose.figure import draw
from verification.outcome import Outcome, Row
from verification.run import effort

PUBLISHED = 20.9  # [deg]


def angle(slopes: Floats, speeds: Floats) -> float:
    """The slope [deg] in the middle between flow and rest."""
    first = int((speeds < model.REST).argmax())
    return float(0.5 * (slopes[first - 1] + slopes[first]))


def run() -> Outcome:
    """All slopes, one after the other."""
    result, speeds = model.speeds()
    slopes = model.SLOPES
    rows = [
        Row("angle", "deg", PUBLISHED, angle(slopes, speeds), 2.0, "Jop, Forterre, Pouliquen 2006"),
        Row(f"speed at {slopes[-1]:g} deg", "sqrt(g d)", 0.0, float(speeds[-1]), model.REST, "it rests"),
        Row(f"speed at {slopes[0]:g} deg", "sqrt(g d)", 0.0, float(speeds[0]), None, "it flows"),
    ]
    figure = partial(draw, result, slopes, speeds)
    return Outcome(
        rows=rows,
        figures={"Speed of a layer on a slope that falls": figure},
        efforts=[effort("last slope", result)],
    )
