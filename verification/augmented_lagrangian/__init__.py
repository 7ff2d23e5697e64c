"""The paper's own system beside the default formulation.

`GeneralizedAlpha(formulation="augmented Lagrangian")` solves the augmented Lagrangian of the paper, its
equations (2) to (6) and (16), in velocities and multipliers by Newton's method. Rows: the three examples in
both formulations, iterations beside those that the paper reports, contact problems of the families of
`contact_problems`, and random scenes.

Iterations are those to the paper's tolerance 1e-5, and k = p = 0.1 m, m the mass of a ball. The paper says "a
characteristic mass". With the mass itself full steps cycle in a few of its impacts, because a sliding row
feels m/7. The paper's position correction has rows of friction, the scheme here has none. So its count is
that of the printed problem (printed_position.py). The count of the velocities is that of one solution: an
impact, or the loads of a step. A difference of one remains, and is accepted: the paper does not state its
norm of the residual, nor the start of its iterations.

Tolerances: ten times `tol` for velocities. Random scenes with much friction have impacts with two solutions.
They are counted as such where both fulfil the problem.
"""

from collections.abc import Iterator

import numpy as np

import nsgalpha as ns
from nsgalpha.schemes.scheme_settings import PENALTY
from verification.augmented_lagrangian import examples, random_runs
from verification.augmented_lagrangian.examples import EXAMPLES, Example
from verification.augmented_lagrangian.printed_position import iterations
from verification.augmented_lagrangian.problem_system import solve
from verification.contact_problems.families import FAMILIES
from verification.contact_problems.sample import draw
from verification.outcome import Effort, Outcome, Row, bound_row
from verification.random_scenes.scenes import random_scene
from verification.run import effort

TOL = 1e-10
PAPER_TOL = 1e-5  # Newton tolerance of sections 5.1 and 5.2
SAME = 1e-9  # of velocities, over the largest speed
WITHIN = 1.0  # iterations
SCENES = range(200)
PENALTIES = (1.0,)  # shown besides the default
LEFT = 0.05  # part of the scenes in which a step does not converge at once: twice as many as seen
EACH, CONTACTS = 4, 12  # problems of a family


def example_rows(example: Example) -> tuple[list[Row], Effort]:
    """Differences of the formulations, and counts of iterations."""
    usual = examples.run(example, TOL, ns.GeneralizedAlpha())
    ours = examples.run(example, TOL)
    apart = max(examples.apart(a, b) for a, b in zip(usual, ours, strict=True))
    of = f"section {example.section}"
    rows = [bound_row(f"{of}: velocities over the largest", "-", apart, SAME, "the default formulation")]
    with examples.counted() as counts:
        rough = examples.run(example, PAPER_TOL)
    if example.counts is not None:
        smooth, position, velocity = example.counts
        source = f"paper, {of}"
        largest = max(int(result.stats.smooth_iterations.max()) for result in rough)
        printed = max(
            iterations(meeting, phase, PENALTY, PAPER_TOL)
            for meeting in example.meetings
            for phase in examples.PHASES
        )
        mean = float(np.mean([result.stats.velocity_iterations.mean() for result in rough]))
        rows += [
            Row(f"{of}: most iterations, smooth motion", "-", smooth, largest, WITHIN, source),
            Row(f"{of}: most iterations, position as printed", "-", position, printed, WITHIN, source),
            Row(f"{of}: most iterations, velocity", "-", velocity, max(counts), WITHIN, source),
            Row(f"{of}: mean of the iterations in a step, velocity", "-", 1, mean, 0.1, source),
        ]
    return rows, effort(f"{of}, tol {PAPER_TOL:g}", *rough)


def problem_rows() -> list[Row]:
    """Problems of the families that Newton's method solves from rest; the others it leaves."""
    solved, residual, total = 0, 0.0, 0
    for family in FAMILIES:
        for seed in range(EACH):
            _, problem = draw(family, seed, CONTACTS)
            end = solve(problem, TOL, PENALTY)
            total += 1
            if end.solved:
                solved += 1
                residual = max(residual, problem.residual(end.r))
    return [
        Row("problems of the families, solved", "-", total, solved, None, "full steps from rest"),
        bound_row("  largest natural map over |q|", "-", residual, 1e-9, "vanishes at solutions"),
    ]


def scene_rows() -> Iterator[Row]:
    """Random scenes: steps that converge, and differences."""
    for penalty in (PENALTY, *PENALTIES):
        found = [random_runs.compare(random_scene(seed), penalty) for seed in SCENES]
        left = sum(not each.converged for each in found)
        judged = penalty == PENALTY
        of = f"{len(found)} random scenes, k = p = {penalty:g} m"
        most = max(LEFT * len(found), 1.0) if judged else None
        yield Row(f"{of}: with a step that fails", "-", 0, left, most, "full steps from rest")
        if not judged:
            continue
        same = [each.apart for each in found if each.apart <= random_runs.SAME]
        others = [each.residual for each in found if each.apart > random_runs.SAME]
        yield bound_row(f"{of}: velocities over the speeds", "-", max(same), random_runs.SAME, "the default")
        yield Row(f"{of}: with an impact of two solutions", "-", 0, len(others), None, "both fulfil it")
        proven = max((np.inf if each is None else each for each in others), default=0.0)
        yield bound_row("  largest residual of both", "-", proven, 1e-9, "vanishes at solutions")


def run() -> Outcome:
    """Examples, problems and scenes."""
    rows: list[Row] = []
    efforts = []
    for example in EXAMPLES:
        of_example, of_runs = example_rows(example)
        rows += of_example
        efforts.append(of_runs)
    return Outcome(rows=[*rows, *problem_rows(), *scene_rows()], efforts=efforts)
