"""Random scenes of touching balls in both formulations, and problems that have several solutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

import nsgalpha as ns
from nsgalpha.contact.augmented_lagrangian.lagrangian_system import Newton
from nsgalpha.contact.augmented_lagrangian.row_elements import BodySystem
from nsgalpha.contact.islands.islands import island_problem
from nsgalpha.contact.islands.small_islands import solve_impulses
from nsgalpha.contact.methods.dense_newton import PROXIMAL
from nsgalpha.contact.multiplier_sets import natural_map
from verification.random_scenes.scenes import Scene

STEPS = 12
TOL = 1e-10
SAME = 1e-7  # accepted difference of velocities over the speeds of the scene


@dataclass(frozen=True, slots=True)
class Comparison:
    """One scene in both formulations."""

    converged: bool  # every step at once
    apart: float  # largest difference of velocities before a step that is divided, over the speeds
    #: of the problem that parts them: residuals of both its solutions, if it has two
    residual: float | None = None


def compare(scene: Scene, penalty: float) -> Comparison:
    """Both runs of `scene`, and where they part the reason."""
    scheme = ns.GeneralizedAlpha(formulation="augmented Lagrangian", penalty=penalty)
    settings: dict[str, Any] = {"t_end": STEPS * scene.h, "h": scene.h, "tol": TOL}
    usual = ns.simulate(scene.model(), **settings)
    ours = ns.simulate(scene.model(), scheme=scheme, **settings)
    divided = np.flatnonzero(ours.stats.divided)
    whole = int(divided[0]) if len(divided) else len(ours.stats.divided)
    steps = 1 + min(whole, len(usual.t) - 1)
    speed = max(np.abs(scene.velocity).max(), float(np.linalg.norm(scene.gravity)) * scene.h)
    differences = np.abs(ours.velocity[:steps] - usual.velocity[:steps]).max(axis=(1, 2)) / speed
    converged = ours.status.ok and not len(divided)
    if differences.max() <= SAME:
        return Comparison(converged, float(differences.max()))
    step = int(np.argmax(differences > SAME))
    state = ours.state(step - 1) if step > 1 else None
    return Comparison(converged, float(differences.max()), _two_solutions(scene, state, scheme))


def _two_solutions(scene: Scene, state: ns.State | None, scheme: ns.GeneralizedAlpha) -> float | None:
    """Larger residual of two solutions of the first such problem in the step from `state`."""
    found: list[float] = []
    start, solve = BodySystem.__init__, BodySystem.newton

    def begin(self: Any, bodies: Any, inverse_inertia: Any, rows: Any, penalty: float) -> None:
        start(self, bodies, inverse_inertia, rows, penalty)
        self.of = rows, bodies

    def newton(self: Any, b: Any, r: Any, judge: Any) -> Newton:
        end = solve(self, b, r, judge)
        rows, bodies = self.of
        problem = island_problem(rows, bodies, 0, len(rows.contact))
        b, ours = b / problem.scale, end.r * problem.scale
        size, F = np.abs(b).max(), np.empty(len(b))
        for L in (np.zeros(len(b)), r * problem.scale):
            solve_impulses(problem.W, b, problem.sets, (0.1 * TOL, 0.0), L, PROXIMAL)
            if np.abs(problem.W @ (ours - L)).max() > 10.0 * SAME * size:
                both = [natural_map(problem.sets, each, problem.W @ each + b, F) for each in (ours, L)]
                found.append(float(max(both) / size))
        return end

    start_time = 0.0 if state is None else state.t
    with patch.object(BodySystem, "__init__", begin), patch.object(BodySystem, "newton", newton):
        ns.simulate(scene.model(), t_end=start_time + scene.h, h=scene.h, tol=TOL, state=state, scheme=scheme)
    return found[0] if found else None
