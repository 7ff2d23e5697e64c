"""Differences between the ways to state, run and continue a scene."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.random_scenes.problems import compare, problems
from verification.random_scenes.scenes import Scene
from verification.random_scenes.statements import STEPS, Statement, statements

TOLERANCE = 1e-7  # [m/s] accepted difference after the first step over the speeds of the scene,
GROWTH = 30.0  # and its allowed growth in a step: motion after an impact is chaotic
SOLUTION = 1e-10  # residual, over the largest rate or multiplier, of a solution,
ANOTHER = 1e-7  # and how far apart two of its solutions are


@dataclass(frozen=True, slots=True)
class Difference:
    """Largest difference of a scene to another statement of it, over the accepted one."""

    way: str
    step: int  # first in which it is above
    size: float  # [m/s]
    residual: float | None = None  # if it comes from several solutions of one problem: of both, in both


def differences(scene: Scene, seed: int) -> tuple[ns.Result, list[Difference]]:
    """A scene's run, and deviating statements; a restart must agree to the bit."""
    first, *others = statements(scene, seed)
    whole = first.run()
    found = []
    for other in others:
        result = other.run()
        difference = _compare(other.way, whole.velocity, other.there(result.velocity), scene)
        if difference is not None:
            residual = several_solutions(first, whole, other, result, difference.step)
            found.append(replace(difference, residual=residual))
    half = STEPS // 2
    if len(whole.t) > half:
        rest = first.run(len(whole.t) - 1 - half, whole.state(half))
        apart = np.abs(rest.velocity - whole.velocity[half:]).max(axis=(1, 2))
        if apart.max() > 0.0:
            found.append(Difference("restarted", int(np.argmax(apart > 0.0)), float(apart.max())))
    return whole, found


def several_solutions(
    first: Statement, a: ns.Result, other: Statement, b: ns.Result, step: int
) -> float | None:
    """Residual at which two statements differ, if both solutions solve both problems.

    None if the statements part in another way up to this `step`.
    """
    for k in range(min(step, len(a.t) - 1, len(b.t) - 1)):
        before = (None, None) if k == 0 else (a.state(k), b.state(k))
        for one, two in zip(problems(first, before[0]), problems(other, before[1]), strict=False):
            found = compare(one, two)
            if found is None:
                return None
            apart, residual = found
            if apart > ANOTHER or residual > SOLUTION:
                return residual if residual <= SOLUTION else None
    return None


def _compare(way: str, a: Floats, b: Floats, scene: Scene) -> Difference | None:
    """The first step after which velocities differ by more than is accepted."""
    speed = max(np.abs(scene.velocity).max(), float(np.linalg.norm(scene.gravity)) * scene.h)
    n = min(len(a), len(b))
    apart = np.abs(a[:n] - b[:n]).max(axis=(1, 2)) if len(a) == len(b) else np.array([np.inf])
    accepted = TOLERANCE * speed
    for step in range(1, len(apart)):
        before = apart[step - 1]
        if apart[step] > max(accepted, GROWTH * before):
            return Difference(way, step, float(apart[step]))
        accepted = max(accepted, apart[step])
    return Difference(way, 0, np.inf) if len(a) != len(b) else None
