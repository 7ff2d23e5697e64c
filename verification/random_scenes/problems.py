"""Contact problems of a step, their solutions, and checks of other solutions.

A step is taken again from the state before it, with its sequence of impacts driven from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Bodies, Flags, Floats, Ints
from nsgalpha.contact.impacts import large_impacts
from nsgalpha.contact.impacts.impact_sequence import (
    Rates,
    Sequence,
    add_impulses,
    begin_impacts,
    impact,
    next_impact,
)
from nsgalpha.contact.impacts.velocity_problem import Ends
from nsgalpha.contact.islands.island_response import Inertia
from nsgalpha.contact.islands.islands import island_problem, scaled_sets
from nsgalpha.contact.multiplier_sets import Sets, natural_map
from nsgalpha.contact.rows.contact_kinematics import Rows
from nsgalpha.run.recorder import Recorder
from nsgalpha.schemes.generalized_alpha import corrections
from nsgalpha.schemes.generalized_alpha.python_step import advance_stepwise
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha
from nsgalpha.stepping.step_times import Steps, StepTimes
from verification.random_scenes.statements import TOL, Statement

Pair = tuple[int, int]  # bodies of the first statement, or a body and -1 - plane


@dataclass(slots=True)
class Problem:
    """A contact problem `u = W L + b` of one island, scaled, and its solution."""

    pairs: list[Pair]
    sign: list[int]  # -1 where sides A and B are those of the first statement exchanged
    row: Ints  # (K + 1,) offsets of the contacts' rows
    direction: Floats  # (n, 2, 3) force and torque on A of each row, in the frame of the first statement
    scale: Floats  # (n,)
    W: Floats
    sets: Sets
    active: Flags  # (K,) contacts that take part
    b: Floats
    L: Floats

    def wrenches(self, rows: Floats) -> dict[Pair, Floats]:
        """Sums (2, 3) of the directions of the contacts' rows, times these numbers (n,)."""
        total = rows[:, None, None] * self.direction
        parts = zip(self.pairs, self.sign, self.row[:-1], self.row[1:], strict=True)
        return {pair: sign * total[i:j].sum(axis=0) for pair, sign, i, j in parts}

    def of_rows(self, wrenches: dict[Pair, Floats]) -> Floats:
        """The numbers (n,) of the rows that give these."""
        out = np.empty(len(self.scale))
        for pair, sign, i, j in zip(self.pairs, self.sign, self.row[:-1], self.row[1:], strict=True):
            out[i:j] = sign * np.einsum("rsd,sd->r", self.direction[i:j], wrenches[pair])
        return out

    def residual(self, b: Floats, L: Floats) -> float:
        """Natural map of the contacts that take part, over the largest rate or multiplier."""
        F = np.zeros_like(L)
        natural_map(self.sets, L, self.W @ L + b, F)
        part = np.repeat(self.active, np.diff(self.row))
        size = max(np.abs(b[part]).max(), np.abs(L).max())
        return float(np.abs(F[part]).max() / size)


def compare(a: Problem, other: Problem) -> tuple[float, float] | None:
    """Distance of the solutions over the largest multiplier, and both residuals in both.

    None if these are problems of other contacts.
    """
    known = {pair for pair, active in zip(a.pairs, a.active, strict=True) if active}
    if known != {pair for pair, active in zip(other.pairs, other.active, strict=True) if active}:
        return None
    if set(a.pairs) != set(other.pairs):
        return None
    L = a.of_rows(other.wrenches(other.L / other.scale)) * a.scale
    b = a.of_rows(other.wrenches(other.b * other.scale)) / a.scale
    apart = float(np.abs(L - a.L).max() / max(np.abs(a.L).max(), 1e-300))
    return apart, max(a.residual(rates, r) for rates in (a.b, b) for r in (a.L, L))


class _Recorder:
    """Keeps the problems of the velocity correction of one step from `now` on."""

    def __init__(self, statement: Statement, now: StepData) -> None:
        self.statement, self.now = statement, now
        self.problems: list[Problem] = []

    def keep(self, rows: Rows, first: int, last: int, active: Flags, b: Floats, L: Floats) -> None:
        """Keep the problem of the `active` of the contacts `first` to `last` - 1, with its solution."""
        order, frame = self.statement.order, self.statement.frame
        pairs, signs, candidates = [], [], self.now.candidates
        for c in rows.contact[first:last]:
            a, other, plane = (int(each[c]) for each in (candidates.a, candidates.b, candidates.plane))
            if a >= len(order):
                return  # the raft
            one = int(order[a])
            two = -1 - plane if plane >= 0 else int(order[other])
            signs.append(1 if plane >= 0 or one < two else -1)
            pairs.append((one, two) if signs[-1] == 1 else (two, one))
        r0, r1 = rows.row[first], rows.row[last]
        force, torque = rows.G[r0:r1, 0, :3].copy(), rows.G[r0:r1, 0, 3:].copy()
        torque[force.any(axis=1)] = 0.0  # contribution of a force's lever
        direction = np.stack([force @ frame, np.linalg.det(frame) * torque @ frame], axis=1)
        row = rows.row[first : last + 1] - r0
        W, sets, _, scale = island_problem(rows, self.now.system.bodies, first, last)
        self.problems.append(Problem(pairs, signs, row, direction, scale, W, sets, active.copy(), b, L))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Solve impact by impact from here, and keep the solved problems."""

        def leave(_: None, rows: Rows, constants: Any, rates: Rates, given: Any, ends: Ends) -> Any:
            for i, (first, last) in enumerate(zip(rows.island[:-1], rows.island[1:], strict=True)):
                limit = begin_impacts(rows, first, last, constants, rates)[1]
                ends.together[i], ends.unsolved[i] = limit == 0, limit > 0
            return 0, 0, 0.0, 0, int(ends.unsolved.sum())

        def run(rows: Rows, bodies: Bodies, sequence: Sequence, impacts: int, tolerance: Any, _: Any) -> Any:
            while impacts <= sequence.limit and (count := next_impact(sequence, impacts)):
                b, L = sequence.rates + sequence.target, sequence.impulse.copy()
                if not impact(rows, bodies, sequence, count, tolerance, None)[2]:
                    return 0, impacts, 0.0, False
                self.keep(rows, *sequence[:2], sequence.active, b, sequence.impulse - L)
                impacts += 1
            return 0, impacts, 0.0, True

        def take(rows: Rows, sequence: Sequence, L: Floats, V: Floats) -> None:
            self.keep(rows, *sequence[:2], sequence.active, sequence.rates + sequence.target, L.copy())
            add_impulses(rows, sequence, L, V)

        class Watched(Inertia):
            def solve(_, rows: Rows, b: Floats, r: Floats, *given: Any) -> None:  # noqa: N805
                super().solve(rows, b, r, *given)
                for first, last in zip(rows.island[:-1], rows.island[1:], strict=True):
                    part = slice(rows.row[first], rows.row[last])
                    scale = scaled_sets(rows, first, last)[2]
                    self.keep(
                        rows, first, last, np.ones(last - first, bool), b[part] / scale, r[part] * scale
                    )

        with (
            patch.object(corrections, "solve_impacts", leave),
            patch.object(large_impacts, "run_sequence", run),
            patch.object(large_impacts, "add_impulses", take),
            patch.object(corrections, "Inertia", Watched),
        ):
            yield


def problems(statement: Statement, state: ns.State | None) -> list[Problem]:
    """Problems of the step from `state` (None: the model's), in order of solution."""
    model, h = statement.model(), statement.scene.h
    state = model.initial_state() if state is None else state
    now = StepData(model, state, h, GeneralizedAlpha(0.8), TOL)
    recorder = _Recorder(statement, now)
    frames, _ = now.system.frames_at([state.t, state.t + h])
    levels = StepTimes(state.t, h).levels(0, 1)
    step, kept = Steps(*levels, 0, 1, 2, 2), Recorder(now.system, False)  # no state is recorded
    with recorder.watching():
        advance_stepwise(now, step, frames, kept.begin_steps(1), kept)
    return recorder.problems
