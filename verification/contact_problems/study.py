"""Solution of a problem, and its cost."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nsgalpha.contact import ContactProblem, ContactSolution, solve
from nsgalpha.io import fclib
from verification.contact_problems.families import FAMILIES
from verification.contact_problems.sample import draw

TOLERANCE = 1e-8
SLOW = 2.0  # [s]


@dataclass(frozen=True, slots=True)
class Solved:
    """A problem of a family and its solution, found in so many seconds."""

    family: str
    name: str
    contacts: int
    rows: int
    solution: ContactSolution
    seconds: float

    @property
    def solved(self) -> bool:
        """To the tolerance."""
        return self.solution.status.ok

    def line(self) -> str:
        """One line of the table."""
        s = self.solution
        iterations = f"{s.newton} + {s.proximal} + {s.sweeps}"
        verdict = "" if self.solved else "  not solved"
        return (
            f"{self.name:44s} {self.contacts:8d} {self.rows:4d} {s.residual:9.1e} {s.method:18s} "
            f"{iterations:>18s} {self.seconds:9.3f}{verdict}"
        )


HEADER = (
    f"{'problem':44s} {'contacts':>8s} {'rows':>4s} {'residual':>9s} {'method':18s} "
    f"{'newton+prox+sweeps':>18s} {'time [s]':>9s}"
)


def solve_one(family: str, name: str, problem: ContactProblem) -> Solved:
    """Solve `problem` of a family from zero."""
    start = time.perf_counter()
    solution = solve(problem, TOLERANCE)
    seconds = time.perf_counter() - start
    return Solved(family, name, problem.contacts, problem.rows, solution, seconds)


def run_family(family: str, seeds: range, contacts: int | None, keep: Path | None) -> list[Solved]:
    """Solve and print the problems of a family; `keep` gets slow and unsolved ones."""
    results = []
    for seed in seeds:
        name, problem = draw(family, seed, contacts)
        results.append(solve_one(family, name, problem))
        print(results[-1].line(), flush=True)
        if keep is not None and (not results[-1].solved or results[-1].seconds > SLOW):
            fclib.write(keep / f"{family.replace(' ', '_')}_{seed}.hdf5", problem, title=name)
    return results


def summary(results: dict[str, list[Solved]]) -> str:
    """A line for each family."""
    lines = [f"{'family':16s} {'solved':>9s} {'contacts':>8s} {'median [s]':>10s} {'largest [s]':>11s}"]
    for family, found in results.items():
        seconds = [each.seconds for each in found]
        lines.append(
            f"{family:16s} {sum(each.solved for each in found):4d}/{len(found):4d} "
            f"{max(each.contacts for each in found):8d} {np.median(seconds):10.3f} {max(seconds):11.3f}"
        )
    return "\n".join(lines)


def run_study(
    families: list[str], each: int, first: int, contacts: int | None, keep: Path | None
) -> dict[str, list[Solved]]:
    """All problems of the study, by family."""
    print(HEADER)
    seeds = range(first, first + each)
    results = {family: run_family(family, seeds, contacts, keep) for family in families or FAMILIES}
    print(f"\n{summary(results)}")
    return results
