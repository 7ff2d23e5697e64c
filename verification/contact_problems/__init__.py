"""Contact problems of stacks, walls, piles and packings.

Made-up problems of families that simulations meet (families.py), all but the smallest hyperstatic. No
reference solution is needed: the scaled natural map vanishes at solutions and nowhere else. The rows judge a
fixed set of moderate problems; `python -m verification.contact_problems` is the larger study.
"""

from functools import partial

from verification.contact_problems.families import FAMILIES
from verification.contact_problems.figure import draw_times
from verification.contact_problems.sample import draw
from verification.contact_problems.study import TOLERANCE, Solved, solve_one
from verification.outcome import Outcome, Row, bound_row

EACH = 6  # problems of a family
CONTACTS = 40  # about


def run() -> Outcome:
    """Solve the fixed set; rows of solved problems and of the residual, by family."""
    rows: list[Row] = []
    results: list[Solved] = []
    for family in FAMILIES:
        found = [solve_one(family, *draw(family, seed, CONTACTS)) for seed in range(EACH)]
        results += found
        solved, residual = sum(each.solved for each in found), max(each.solution.residual for each in found)
        what = f"{family}: largest natural map over |q|"
        rows += [
            Row(f"{family}: problems solved", "-", EACH, solved, 0.5, "all are to be solved"),
            bound_row(what, "-", residual, TOLERANCE, "vanishes at solutions"),
        ]
    return Outcome(rows=rows, figures={"Time over the number of contacts": partial(draw_times, results)})
