"""The contact problems of a step, each with the solution that a run finds, and whether another is one, too.

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
from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.compiled import entry
from nsgalpha.contact.scaled_problem import ScaledProblem
from nsgalpha.contact.sets import Sets, scaled_natural_map
from nsgalpha.contact.strategy import SolverOutcome
from nsgalpha.large import corrections
from nsgalpha.large import impacts as large
from nsgalpha.large.large_island import solve_relative
from nsgalpha.large.positions import correct_position
from nsgalpha.large.present import Present
from nsgalpha.large.stepwise import advance_stepwise
from nsgalpha.run.recorder import Recorder
from nsgalpha.run.scheme import GeneralizedAlpha
from nsgalpha.stepping.impacts import Rates, begin_sequence, impact, next_impact, rebound_rates
from nsgalpha.stepping.islands import LARGE, island_problem
from nsgalpha.stepping.kinematics import Rows
from nsgalpha.stepping.position import correct_position as by_kernels
from nsgalpha.stepping.steps import Steps
from nsgalpha.stepping.velocity import Impulses, apply_impulses, carry_loads, rates_of_rows, settle
from verification.random_scenes.statements import TOL, Statement

Pair = tuple[int, int]  # bodies of the first statement, or a body and -1 - plane


@entry
def _island(rows, bodies, first, last):
    """`island_problem`, for Python."""
    return island_problem(rows, bodies, first, last)


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
        scaled_natural_map(self.sets, L, self.W @ L + b, F)
        part = np.repeat(self.active, np.diff(self.row))
        size = max(np.abs(b[part]).max(), np.abs(L).max())
        return float(np.abs(F[part]).max() / size)


def compare(a: Problem, other: Problem) -> tuple[float, float] | None:
    """How far apart the solutions are, over the largest multiplier, and the residual of both in both.

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
    """Velocity corrections, as in large/impacts.py, that keep their problems."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.problems: list[Problem] = []

    def _keep(self, now: Present, rows: Rows, k0: int, k1: int, island: Any, **what: Any) -> None:
        order, frame = self.statement.order, self.statement.frame
        pairs, signs = [], []
        for c in rows.contact[k0:k1]:
            a, b, plane = (int(column[c]) for column in now.candidates[:3])
            if a >= len(order):
                return  # the raft
            one = int(order[a])
            two = -1 - plane if plane >= 0 else int(order[b])
            signs.append(1 if plane >= 0 or one < two else -1)
            pairs.append((one, two) if signs[-1] == 1 else (two, one))
        r0, r1 = rows.row[k0], rows.row[k1]
        force, torque = rows.G[r0:r1, 0, :3].copy(), rows.G[r0:r1, 0, 3:].copy()
        torque[force.any(axis=1)] = 0.0  # what the lever of a force adds
        direction = np.stack([force @ frame, np.linalg.det(frame) * torque @ frame], axis=1)
        row = rows.row[k0 : k1 + 1] - r0
        active = what.pop("active", np.ones(k1 - k0, bool)).copy()
        arrays = {name: value.copy() for name, value in what.items()}
        self.problems.append(
            Problem(pairs, signs, row, direction, island.scale, island.W, island.sets, active, **arrays)
        )

    def correct_velocity(
        self, now: Present, h: float, rows: Rows, impulses: Impulses, stats: Floats
    ) -> tuple[int, bool]:
        """As `large.impacts.correct_velocity`."""
        impulses.load[:] = h * now.forces.recall(rows)
        system, effort = now.system, large.Effort()
        rates = rates_of_rows(rows, system.bodies, now.old, now.new)
        number = 0
        for k0, k1 in zip(rows.island[:-1], rows.island[1:], strict=True):
            island = _island(rows, system.bodies, k0, k1)
            if self._dense(now, rows, k0, k1, island, rates, impulses):
                continue
            sparse = now.graphs.island("impulses", number, system, rows, k0, k1)
            number += 1
            with self._watching(now, rows, k0, k1, island):
                large._solve_island(now, rows, sparse, rates, True, impulses, effort)
            if not effort.acceptable:
                break
        effort.write(stats)
        if effort.acceptable:
            settle(rows, impulses)
            apply_impulses(rows, impulses.impact + impulses.load, now.new)
        return effort.worst, effort.acceptable

    def _dense(
        self,
        now: Present,
        rows: Rows,
        k0: int,
        k1: int,
        island: Any,
        rates: Rates,
        impulses: Impulses,
    ) -> bool:
        """As `velocity.solve_island`; False if the island is left."""
        part, n = slice(rows.row[k0], rows.row[k1]), len(island.scale)
        if n > LARGE:
            return False
        sequence = begin_sequence(rows, k0, k1, now.system.laws, island.scale, rates, now.tol)
        tolerance = 0.1 * now.tol, rates.floor / float(island.scale.min())
        passes = 0
        while passes <= sequence.limit:
            count = next_impact(island.sets, island.block, island.scale, sequence, passes)
            if count == 0:
                break
            b, L = sequence.rates + sequence.target, sequence.impulse.copy()
            if not impact(island, sequence, count, tolerance)[2]:
                return False
            self._keep(now, rows, k0, k1, island, active=sequence.active, b=b, L=sequence.impulse - L)
            passes += 1
        rebound = np.zeros(n)
        if passes:
            rebound_rates(island.sets, island.scale, sequence, rebound)
        b = sequence.rates + (rates.after - rates.before)[part] / island.scale - rebound
        L = impulses.load[part] * island.scale
        if not carry_loads(island, b, L, tolerance)[2]:
            return False
        self._keep(now, rows, k0, k1, island, b=b, L=L)
        impulses.impact[part] = sequence.impulse / island.scale
        impulses.load[part] = L / island.scale
        impulses.rebound[part] = rebound * island.scale
        return True

    @contextmanager
    def _watching(self, now: Present, rows: Rows, k0: int, k1: int, island: Any) -> Iterator[None]:
        """Keep what the sparse path solves of an island: all contacts at once, or some of them dense."""

        def solved(problem: ScaledProblem, r: Floats, tol: float, floor: float) -> SolverOutcome:
            outcome = solve_relative(problem, r, tol, floor)
            if len(r) == len(island.scale):
                self._keep(now, rows, k0, k1, island, b=problem.q, L=r)
            return outcome

        with patch.object(large, "solve_relative", solved):
            yield


def _correct_position(now: Present, h: float, stats: Floats) -> Any:
    """As the compiled step: by kernels, where these leave nothing."""
    new = now.new
    x, q, w, increment = new.x.copy(), new.q.copy(), new.w.copy(), now.increment.copy()
    found = by_kernels(now.system.elements_of(), now.constants, now.instant, h)
    if found[4]:
        return found[0], found[3], True
    new.x[:], new.q[:], new.w[:], now.increment[:] = x, q, w, increment
    return correct_position(now, h, stats)


def problems(statement: Statement, state: ns.State | None) -> list[Problem]:
    """The problems of the scene in the step from `state` (None: the model's), in the order of solution."""
    recorder = _Recorder(statement)
    model, h = statement.model(), statement.scene.h
    state = model.initial_state() if state is None else state
    now = Present(model, state, h, GeneralizedAlpha(0.8).coefficients, TOL)
    frames, _ = now.system.frames_at([state.t, state.t + h])
    step, kept = Steps(state.t, h, 0, 1, 2, 2), Recorder(now.system, False)  # no state is recorded
    position = correct_position if statement.scene.raft else _correct_position
    with (
        patch.object(corrections, "correct_velocity", recorder.correct_velocity),
        patch.object(corrections, "correct_position", position),
    ):
        advance_stepwise(now, step, frames, kept.begin_steps(1), kept)
    return recorder.problems
