"""Ten soft boxes on each other, explicit steps, beside MuJoCo where it is there.

Cubes of 10 cm and 1 kg rest on a plane for a second; springs of 1e5 N/m with dashpots for a restitution of
0.3, friction 0.5. Steps are half of the longest ones with which the stack stands. MuJoCo has its own contact,
and a step that is as long as it takes by default.
"""

from __future__ import annotations

import math
from time import process_time
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSolidPlane, CompliantSolids, CundallStrack, SpringDashpot
from verification.benchmarks.box import dashpot
from verification.benchmarks.line import Line, line
from verification.benchmarks.peers import ask
from verification.run import simulate
from verification.scenes import GRAVITY

COUNT, HALF, MASS, STIFFNESS, MU, RESTITUTION = 10, 0.05, 1.0, 1e5, 0.5, 0.3
H, THEIR_H, T_END = 1e-3, 2e-3, 1.0  # [s]


def places() -> list[tuple[float, float, float]]:
    """Centres of the boxes [m]."""
    return [(0.0, 0.0, HALF * (2 * k + 1)) for k in range(COUNT)]


def build() -> ns.Model:
    """The boxes on a plane."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    floor = model.add_plane(normal=(0, 0, 1))
    boxes = [model.add_box((2 * HALF,) * 3, mass=MASS, position=place) for place in places()]
    law: dict[str, Any] = {
        "normal": SpringDashpot(stiffness=STIFFNESS, damping=dashpot(RESTITUTION, STIFFNESS, MASS / 2.0)),
        "tangential": CundallStrack(stiffness=STIFFNESS * 2 / 7, mu=MU),
    }
    model.add(CompliantSolids(among=boxes, **law))
    model.add(CompliantSolidPlane(boxes, floor, **law))
    return model


def bench_stack() -> list[Line]:
    """A stack of ten soft boxes: its time, and the way of the top box."""
    options: dict[str, Any] = {"h": H, "scheme": ns.VelocityVerlet(), "record_every": 10**9}
    simulate(build(), t_end=5 * H, **options)  # compiles, or loads the kernels
    begun = process_time()
    result = simulate(build(), t_end=T_END, **options)
    second, top = (process_time() - begun) / T_END, places()[-1][2]
    lines = [
        line("ten boxes, a second", second, "s"),
        line("    a step", second * 1e3 * H, "ms/step"),
        line("    way of the top box downwards", top - float(result.position[-1, -1, 2]), "m"),
    ]
    scene = {"half": HALF, "mass": [MASS] * COUNT, "position": places(), "mu": MU, "gravity": GRAVITY}
    answer = ask("mujoco", "boxes", scene | {"h": THEIR_H, "times": [T_END]})
    if isinstance(answer, str):
        return [*lines, line("MuJoCo, a second", math.nan, "s", answer)]
    theirs = answer["seconds"][0] / T_END
    return [
        *lines,
        line("MuJoCo, a second", theirs, "s", f"{answer['version']}, same run, h = {THEIR_H:g} s"),
        line("    a step", theirs * 1e3 * THEIR_H, "ms/step"),
        line("    ours / MuJoCo, a second", second / theirs, "-"),
        line("    ours / MuJoCo, a step", second * H / (theirs * THEIR_H), "-"),
        line("    way of its top box downwards", top - float(np.asarray(answer["position"])[0, -1, 2]), "m"),
    ]
