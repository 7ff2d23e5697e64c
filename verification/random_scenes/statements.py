"""Ways to state a scene: frame, order, other bodies, a user's load."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.arrays import Floats, Ints
from verification.random_scenes.scenes import Scene

STEPS = 12
TOL = 1e-12  # of the runs


@dataclass(frozen=True, slots=True)
class Statement:
    """A scene as it is stated, and how that reads in the first statement."""

    way: str
    scene: Scene
    frame: Floats  # (3, 3) orthogonal: vectors here are `frame` times those of the first statement
    order: Ints  # (N,) number there of each body here
    load: bool = False  # whether gravity is a user's load

    def model(self) -> ns.Model:
        """The model of this statement."""
        return self.scene.model(load=self.load)

    def run(self, steps: int = STEPS, state: ns.State | None = None) -> ns.Result:
        """The scene over some steps."""
        start = 0.0 if state is None else state.t
        h = self.scene.h
        return ns.simulate(self.model(), t_end=start + steps * h, h=h, tol=TOL, state=state)

    def there(self, vectors: Floats) -> Floats:
        """Polar vectors (T, bodies, 3) of this statement's bodies, as those (T, N, 3) of the first."""
        return (vectors @ self.frame)[:, : len(self.order)][:, np.argsort(self.order)]


def statements(scene: Scene, seed: int) -> list[Statement]:
    """The scene as it is, and all others."""
    rng = np.random.default_rng(seed)
    count = len(scene.mass)
    turn, order = Rotation.random(None, rng), rng.permutation(count)
    same, first = np.eye(3), np.arange(count)
    return [
        Statement("as it is", scene, same, first),
        Statement("rotated", scene.turned(turn), turn.as_matrix(), first),
        Statement("mirrored", scene.mirrored(), np.diag([1.0, -1.0, 1.0]), first),
        Statement("permuted", scene.permuted(order), same, order),
        Statement("a user's load", scene, same, first, load=True),
        # to rounding: the error of coordinates is that of the farthest, and sparse methods take over
        Statement("beside a raft", replace(scene, raft=True), same, first),
    ]
