"""Touching balls struck, over the arrival within the step.

Racks, columns, rows, inclines, stacks and cradles: contacts that touch and mostly bear a load when they are
struck. Each runs by all ways of solving a step (compiled, with a user's load, beside springs), for arrivals
at several fractions of a step. The reference is a stepper that ends at impacts (impact_reference,
reference.json). A part is done here; all of it, down to h = 1e-6 s, by `python -m
verification.impact_phases`.

Tolerance: in the step of an impact loads act for a part of it as if before, gravity at most 3 g h. Lines of
centres rotate by up to h v / 2R (cases.py). A rounding of 1e-6 m/s is all where loads are negligible. The
ways to solve a step agree to the tolerance, but where the friction of a stack at rest is not unique.
"""

from functools import partial

from verification.impact_phases.cases import CASES
from verification.impact_phases.compare import paths_apart
from verification.impact_phases.figure import draw
from verification.impact_phases.phases import case_studies
from verification.impact_phases.record import COMMAND, reference
from verification.outcome import Outcome, Row, bound_row
from verification.phases import Study

PHASES = 2
ROUNDING = 1e-6  # [m/s]
SAME = 1e-8  # [m/s] each path solves to 1e-10 of the data of its problem, pass after pass
UNDETERMINED = 5.0  # [m/s^3] times h^2: friction of the stack at rest is not unique, and moves it in a step
ORDER = 0.1  # of racks, over two arrivals
PROVENANCE = f"motion from impact to impact ({COMMAND})"
#: Cases with the steps [s] of their rows, by the first of their paths; others must agree at the first step.
PART = {
    "rack, mu 0.06": (1e-3, 1e-4, 1e-5),
    "rack, no friction": (1e-3, 1e-4, 1e-5),
    "rack, no friction, gaps": (4e-6,),
    **dict.fromkeys((f"column of 3, e {e:g}" for e in (1.0, 0.93, 0.5)), (1e-2, 1e-4)),
    **dict.fromkeys(("column of 10, e 1", "column of 10, e 0.93"), (1e-2, 1e-4)),
    **dict.fromkeys(("column of 3, e 1, light", "row of 5, 1e-9 N", "row of 5, 1 N"), (1e-2, 1e-4)),
    **dict.fromkeys(("rolling cue ball", "incline with a wall"), (1e-3, 1e-4)),
    **dict.fromkeys(("stack of three", "tower of three"), (1e-3, 1e-4)),
}
#: In the figure.
SHOWN = (
    *("rack, mu 0.06", "rack, no friction", "column of 3, e 1"),
    *("rolling cue ball", "stack of three", "tower of three"),
)


def rows_of(name: str, study: Study) -> list[Row]:
    """Largest errors of a study; for a rack also the order of the mean."""
    rate = CASES[name].rate
    rows = [
        bound_row(f"{study.label}, h {h:g}", study.unit, largest, rate * h + ROUNDING, PROVENANCE)
        for h, largest in zip(study.steps, study.largest, strict=True)
    ]
    if name.startswith("rack") and len(study.steps) > 1:
        what, source = f"{study.label}, order of the mean", "an impact is resolved to one step"
        rows.append(Row(what, "-", 1.0, study.order, ORDER, source))
    return rows


def path_row(name: str, h: float) -> Row:
    """Difference between the paths: the way in which a step is solved does not show."""
    apart = paths_apart(CASES[name], reference(name), h, 0.3)
    label = f"{name}, h {h:g}: velocities by different paths"
    bound = SAME + UNDETERMINED * h**2 if name == "stack of three" else SAME
    return bound_row(label, "m/s", apart, bound, "one formulation in all paths")


def run() -> Outcome:
    """Largest error of each study, order of racks, differences between the paths."""
    studies = {name: case_studies(name, PHASES, CASES[name].paths[:1], steps) for name, steps in PART.items()}
    rows = [row for name, found in studies.items() for study in found for row in rows_of(name, study)]
    rows += [path_row(name, steps[0]) for name, steps in PART.items() if not CASES[name].after]
    shown = [studies[name][0] for name in SHOWN]
    return Outcome(rows=rows, figures={"Errors over the arrival within the step": partial(draw, shown)})
