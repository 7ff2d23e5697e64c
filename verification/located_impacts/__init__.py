"""Steps that end at impacts: mechanisms that strike, random shots.

Pendulum on a stop, double pendulum on a plane and slider-crank with clearance are those of `mechanisms`. With
steps that end at impacts their times and rates are of second order. Reference are a closed form and
event-driven integrations.

Shots are breaks of racks and scattered balls on a cloth within four cushions, in steps of 10 ms and to an
accuracy of 1e-6. No ball leaves the table or overlaps another, in recorded states, and with an accuracy also
between them. Curves between states are right to the accuracy, and so is that bound, of a radius. With
friction Newton's law can raise the energy in an impact of several contacts (docs/design/impacts.md). Energy
never grows in any other step. `python -m verification.located_impacts --shots 10000 --accuracy 1e-6` plays
more.
"""

from collections.abc import Sequence

from verification.located_impacts import mechanisms
from verification.located_impacts.shots import RADIUS, Shot, played
from verification.outcome import Outcome, Row, bound_row

SHOTS, SEED, ACCURACY = 200, 0, 1e-6
OVERLAPS = 1e-8  # of a radius
GROWS, GROWS_IN_FOUND = 1e-12, 1e-10  # of the energy; in steps that are found by the tolerance of a problem
SOURCE = "no ball leaves or passes another"


def shot_rows(shots: Sequence[Shot], accuracy: float | None = None) -> list[Row]:
    """Worst of all `shots`, in steps of 10 ms or to an `accuracy`."""
    unexplained = [each for each in shots if each.failure or set(each.remarks) - {each.missed_remark}]
    missed = sum(each.missed for each in shots) / sum(each.impacts for each in shots)
    steps = "steps of 10 ms" if accuracy is None else f"accuracy {accuracy:g}"
    grows = GROWS if accuracy is None else GROWS_IN_FOUND
    what = f"{len(shots)} random shots, {steps}:"
    outside, overlap = (
        max(part) / RADIUS for part in ([e.outside for e in shots], [e.overlap for e in shots])
    )
    growth = max(each.growth for each in shots)
    several = max(each.growth_in_several for each in shots)
    curves = []
    if accuracy is not None:
        between = max(each.between for each in shots) / RADIUS
        curves = [
            bound_row(f"{what} larger of both on curves between states", "-", between, accuracy, SOURCE)
        ]
    return [
        *curves,
        bound_row(f"{what} way into a cushion or the cloth, over the radius", "-", outside, OVERLAPS, SOURCE),
        bound_row(f"{what} overlap of two balls, over the radius", "-", overlap, OVERLAPS, SOURCE),
        bound_row(f"{what} growth of energy in a step", "-", max(growth, 0.0), grows, "passive laws"),
        Row(
            f"{what} growth of energy in impacts of several contacts with friction",
            "-",
            0.0,
            several,
            None,
            "Newton's law",
        ),
        Row(
            f"{what} ends before their time, or remarks that are not explained",
            "-",
            0,
            len(unexplained),
            0.5,
            "all end",
        ),
        Row(f"{what} impacts that were not located, of all", "-", 0, missed, 1e-3, "counted in the status"),
    ]


def run() -> Outcome:
    """Mechanisms, then shots."""
    shots = [
        row for accuracy in (None, ACCURACY) for row in shot_rows(played(SHOTS, SEED, accuracy), accuracy)
    ]
    return Outcome(rows=[*mechanisms.rows(), *shots])
