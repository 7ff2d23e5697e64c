"""Sequences of impacts whose problems are the paper's system; the sequence is that of impact_sequence.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from nsgalpha.arrays import Candidates, Floats
from nsgalpha.contact.augmented_lagrangian.lagrangian_response import alone, judgement, note
from nsgalpha.contact.augmented_lagrangian.row_elements import BodySystem
from nsgalpha.contact.impacts.impact_sequence import (
    Rates,
    Sequence,
    add_impulses,
    begin_impacts,
    begin_sequence,
    end_sequence,
    next_impact,
)
from nsgalpha.contact.impacts.velocity_problem import Ends, Impulses
from nsgalpha.contact.islands.island_response import Effort
from nsgalpha.contact.rows.contact_kinematics import Rows, contact_rows

TOLERANCE = 0.1  # of an impact, over that of the step


class Impacts:
    """The impacts of the closed contacts `rows` of a step, island by island; see LagrangianResponse."""

    def __init__(
        self, rows: Rows, constants: Any, candidates: Candidates, inverse_inertia: Floats, penalty: float
    ) -> None:
        self._rows, self._constants, self._penalty = rows, constants, penalty
        self._candidates, self._inverse_inertia = candidates, inverse_inertia

    def solve(self, rates: Rates, impulses: Impulses, ends: Ends) -> Effort:
        """Solve all sequences; `impulses` take their impulses, and `ends` the islands without restitution."""
        effort, constants = Effort(), self._constants
        for i, (first, last) in enumerate(zip(self._rows.island[:-1], self._rows.island[1:], strict=True)):
            tol_v, limit = begin_impacts(self._rows, first, last, constants, rates)
            ends.together[i] = limit == 0
            effort.impacts = max(effort.impacts, int(limit == 0))
            if limit > 0:
                sequence = begin_sequence(self._rows, first, last, constants, rates, tol_v, limit)
                self._run(sequence, rates.floor, effort)
                end_sequence(self._rows, sequence, impulses)
        return effort

    def _run(self, sequence: Sequence, floor: Floats, effort: Effort) -> None:
        """Impact after impact, until no contact approaches."""
        V = np.zeros((len(self._constants.bodies.mass), 6))
        passes = total = 0
        while passes <= sequence.limit and next_impact(sequence, passes) and effort.acceptable:
            total += self._impact(sequence, floor, V, effort)
            passes += 1
        effort.iterations = max(effort.iterations, total)
        effort.impacts = max(effort.impacts, passes)
        effort.capped += passes > sequence.limit and not sequence.simultaneous

    def _impact(self, sequence: Sequence, floor: Floats, V: Floats, effort: Effort) -> int:
        """Solve the active contacts and add their impulses; returns the iterations."""
        rows, constants = self._rows, self._constants
        contacts = np.flatnonzero(sequence.active) + sequence.first
        taken = np.concatenate([np.arange(rows.row[k], rows.row[k + 1]) for k in contacts])
        own = taken - rows.row[sequence.first]
        island = np.array([0, len(contacts)])
        of = self._candidates, constants.laws, constants.bodies, self._inverse_inertia
        active = contact_rows(rows.contact[contacts], island, *of)
        b = (sequence.rates + sequence.target)[own] * sequence.scale[own]
        judge = judgement(active, b, TOLERANCE * constants.tol, floor[taken])
        system = BodySystem(constants.bodies, self._inverse_inertia, active, self._penalty)
        end = system.newton(b, alone(active, b), judge)
        note(end, active, effort)
        L = np.zeros(len(sequence.rates))
        L[own] = end.r * sequence.scale[own]
        if end.solved:
            add_impulses(rows, sequence, L, V)
        return end.iterations
