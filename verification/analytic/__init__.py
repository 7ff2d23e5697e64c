"""Exact solutions of rolling, bouncing, spinning and colliding balls.

One file per problem: its docstring derives the closed form, `build` states the model, `run` compares.
"""

from verification.analytic import (
    ball_chains,
    bouncing_ball,
    incline,
    oblique_impact,
    rolling_ball,
    spinning_ball,
    top,
)
from verification.outcome import Outcome, merge

PROBLEMS = (rolling_ball, spinning_ball, bouncing_ball, oblique_impact, incline, top, ball_chains)


def run() -> Outcome:
    """All problems, one after the other."""
    return merge(problem.run() for problem in PROBLEMS)
