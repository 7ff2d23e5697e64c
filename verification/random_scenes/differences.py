"""Differences between the ways to state a scene, to run it and to go on with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.random_scenes.scenes import Scene

STEPS = 12
TOL = 1e-12  # of the runs
TOLERANCE = 1e-7  # [m/s] accepted difference after the first step over the speeds of the scene,
GROWTH = 30.0  # and how much a step may multiply it: what follows an impact is chaotic


@dataclass(frozen=True, slots=True)
class Difference:
    """Largest difference of a scene to another statement of it, over what is accepted."""

    way: str
    step: int  # first in which it is above
    size: float  # [m/s]


def run(scene: Scene, *, load: bool = False, steps: int = STEPS, state: ns.State | None = None) -> ns.Result:
    """The scene over some steps."""
    model = scene.model(load=load)
    start = 0.0 if state is None else state.t
    return ns.simulate(model, t_end=start + steps * scene.h, h=scene.h, tol=TOL, state=state)


def differences(scene: Scene, seed: int) -> tuple[ns.Result, list[Difference]]:
    """The run of a scene, and the statements of it that move otherwise; a restart must agree to the bit."""
    rng = np.random.default_rng(seed)
    whole = run(scene)
    count = len(scene.mass)
    turn, order = Rotation.random(rng=rng), rng.permutation(count)
    mirror = np.array([1.0, -1.0, 1.0])
    turned = run(scene.turned(turn)).velocity
    ways = {
        "rotated": turn.inv().apply(turned.reshape(-1, 3)).reshape(turned.shape),
        "mirrored": mirror * run(scene.mirrored()).velocity,
        "permuted": run(scene.permuted(order)).velocity[:, np.argsort(order)],
        "a user's load": run(scene, load=True).velocity,
        # to rounding: the error of coordinates is that of the farthest, and sparse methods take over
        "beside a raft": run(replace(scene, raft=True)).velocity[:, :count],
    }
    found = [d for way, v in ways.items() if (d := _compare(way, whole.velocity, v, scene)) is not None]
    half = STEPS // 2
    if len(whole.t) > half:
        rest = run(scene, steps=len(whole.t) - 1 - half, state=whole.state(half))
        apart = np.abs(rest.velocity - whole.velocity[half:]).max(axis=(1, 2))
        if apart.max() > 0.0:
            found.append(Difference("restarted", int(np.argmax(apart > 0.0)), float(apart.max())))
    return whole, found


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
