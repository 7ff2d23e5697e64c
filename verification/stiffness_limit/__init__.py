"""Compliant contact tends to hard contact as it stiffens.

Both kinds in one model. A ball with side spin strikes another full on, as in `throw_angle`: the balls are
compliant, the cloth is hard. A stack of three is let go: compliant floor and hard balls, and the reverse. The
errors against the rigid results fall with the stiffness k as the closed forms of reference.py say. Angle and
speeds go with k^(-1/2), the duration of a contact; heights go with 1/k, the static overlap.

Compliant contact has to be resolved. Steps are 1/100 or 1/200 of the contact time, and 1/10 of the decay time
of a stack. There positions are off by 2.4 g h^2, 2.4 % of the overlap (docs/design/compliant.md). The
restitution is then right to 10/n^3 for n steps in a contact, the dissipation of the scheme. With fewer than
five it depends on the instant of touch within the step, and may well exceed 1. Implicit steps need no
resolution to stay bounded in a contact that lasts, but they do in an impact. The last figure shows it. Hard
contact has no such limit.

Friction is Coulomb's, regularised. A tangential spring in a fixed ratio to the normal one has another limit,
an impact with tangential restitution. Nor do several impacts at once tend to a rigid sequence of them: soft
contacts overlap in time at any stiffness. Hence the stacks here settle without impact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import nsgalpha as ns
from elements.laws.energy_restitution import clamped_restitution
from verification.balls import GRAVITY, MASS, RADIUS
from verification.outcome import Outcome, Row, bound_row, merge
from verification.run import effort
from verification.stiffness_limit import reference
from verification.stiffness_limit.figure import draw_errors, draw_steps
from verification.stiffness_limit.model import COUNT, contact_time, frequency, settle, strike
from verification.throw_angle import reference as throw
from verification.throw_angle.model import SPEED, throw_angle

STIFFNESSES = (1e4, 1e6, 1e8, 1e10)  # [N/m]
#: kind, spin, mu, damping over the critical one, steps per contact: a dashpot takes more.
SHOTS = (("slip", *throw.SHOTS[0], 0.0, 100), ("stick", *throw.SHOTS[4], 0.024, 200))
PER_DECAY = 10  # steps in the decay time of a stack
RESOLUTIONS = (100, 50, 20, 10, 5, 2.5, 1)  # steps per contact
PARTS = (0.25, 0.5, 0.75, 1.0)  # of a step to the touch
JUDGED = 10  # fewest steps per contact for which the restitution is judged
FIRST_ORDER = "first-order error, stiffness_limit/reference.py"


@dataclass(frozen=True, slots=True)
class Study:
    """Distances from the rigid result over the stiffness, and their expected order."""

    label: str
    unit: str
    order: float
    stiffness: Sequence[float]
    errors: Sequence[float]

    @property
    def slope(self) -> float:
        """Least-squares slope of log(error) over log(k), without the softest, where it is not small."""
        return float(np.polyfit(np.log(self.stiffness[1:]), np.log(self.errors[1:]), 1)[0])

    @property
    def row(self) -> Row:
        """The slope against the order."""
        return Row(f"{self.label}: order in k", "-", self.order, self.slope, 0.02, FIRST_ORDER)


def run() -> Outcome:
    """Shots, stacks, and the restitution over the step."""
    return merge([shots(), stacks(), resolution()])


def shots() -> Outcome:
    """Throw angles over the stiffness."""
    rows, studies, results = [], [], []
    source = "closed form of rigid balls; tolerance: turn of the line of centres"
    for kind, spin, mu, rate, steps in SHOTS:
        e_n = clamped_restitution(rate)
        rigid = throw.throw_angle(spin, mu, e_n)
        name, errors = f"throw angle, {kind}, e_n {e_n:.3g}", []
        for k in STIFFNESSES:
            result = strike(spin, mu, rate, k, contact_time(k) / steps)
            angle = throw_angle(result.velocity[-1, 1])
            rows.append(
                Row(f"{name}, k {k:.0e} N/m", "deg", rigid, angle, reference.largest_turn(mu, k), source)
            )
            results.append(result)
            errors.append(abs(angle - rigid))
        studies.append(Study(name, "deg", -0.5, STIFFNESSES, errors))
        rows.append(studies[-1].row)
    k, turn = STIFFNESSES[-1], reference.turned(SHOTS[0][2], STIFFNESSES[-1])
    what, error = f"error of the sliding shot, k {k:.0e} N/m", studies[0].errors[-1]
    rows.append(Row(what, "deg", turn, error, 2e-3 * turn, FIRST_ORDER))
    return Outcome(
        rows=rows,
        figures={"Throw angle: distance from the rigid result": partial(draw_errors, studies)},
        efforts=[effort("shots", *results)],
    )


def stacks() -> Outcome:
    """Settling and rest of the two stacks over the stiffness."""
    rows, studies, results = [], [], []
    for soft, name in (("floor", "soft floor, hard balls"), ("balls", "hard floor, soft balls")):
        found = []
        for k in STIFFNESSES:
            result = settle(soft, k, 1.0 / (PER_DECAY * frequency(soft, k)))
            results.append(result)
            found.append(sinking(result))
            rows += settled_rows(f"{name}, k {k:.0e} N/m", soft, k, result)
        sunk, speed = np.transpose(found)
        studies.append(Study(f"{name}: at rest", "m", -1.0, STIFFNESSES, sunk))
        studies.append(Study(f"{name}: speed", "m/s", -0.5, STIFFNESSES, speed))
        rows += [study.row for study in studies[-2:]]
    return Outcome(
        rows=rows,
        figures={"Stacks: distance from the rigid result": partial(draw_errors, studies)},
        efforts=[effort("stacks", *results)],
    )


def sinking(result: ns.Result) -> tuple[float, float]:
    """Distance from the rigid heights at the end [m], largest speed [m/s]."""
    rigid = (2 * np.arange(COUNT) + 1) * RADIUS
    return np.abs(result.position[-1, :, 2] - rigid).max(), np.abs(result.velocity[:, :, 2]).max()


def settled_rows(name: str, soft: str, k: float, result: ns.Result) -> list[Row]:
    """Heights, speeds and loads of the hard contacts of one stack."""
    sunk, speed = sinking(result)
    hard = result.contacts.multipliers[result.contacts.start[-2] :, 0] / (result.t[-1] - result.t[-2])
    loads = np.sort(hard) / (MASS * GRAVITY)
    expected = [1.0, 2.0] if soft == "floor" else [3.0]
    source = "closed form, stiffness_limit/reference.py"
    sinks, fastest = reference.compression(k), reference.largest_speed(soft, k)
    values = [("sinks", "m", sinks, sunk), ("largest speed", "m/s", fastest, speed)]
    return [Row(f"{name}: {what}", unit, r, u, 0.03 * r, source) for what, unit, r, u in values] + [
        bound_row(
            f"{name}: loads of the hard contacts", "m g", np.abs(loads - expected).max(), 1e-3, "weight above"
        )
    ]


def resolution() -> Outcome:
    """Worst restitution of an undamped impact over the steps in a contact."""
    k = STIFFNESSES[-1]
    worst = []
    for steps in RESOLUTIONS:
        runs = [strike(0.0, 0.0, 0.0, k, contact_time(k) / steps, part) for part in PARTS]
        errors = [np.diff(result.velocity[-1, :, 0])[0] / SPEED - 1.0 for result in runs]
        worst.append(max(errors, key=abs))
    rows, source = [], "no dissipation; worst over the instant of touch"
    for steps, error in zip(RESOLUTIONS, worst, strict=True):
        what, tolerance = f"restitution, {steps:g} steps in a contact", 10.0 / steps**3
        rows.append(Row(what, "-", 1.0, 1.0 + error, tolerance if steps >= JUDGED else None, source))
    return Outcome(
        rows=rows,
        figures={"Restitution over the steps in a contact": partial(draw_steps, RESOLUTIONS, worst)},
    )
