"""Ten soft boxes on each other, explicit steps, beside MuJoCo and Bullet.

Cubes of 10 cm and 1 kg rest on a plane for a second; springs of 1e5 N/m with dashpots for a restitution of
0.3, friction 0.5. Steps are nearly the longest ones with which the stack comes to rest. Other codes have
their own contact, and steps as long as they take by default.
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
H, T_END = 1e-3, 1.0  # [s]
THEIR_H = {"MuJoCo": 2e-3, "Bullet": 1.0 / 240.0}  # [s]


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
    scene: dict[str, Any] = {
        "half": HALF,
        "mass": [MASS] * COUNT,
        "position": places(),
        "mu": MU,
        "gravity": GRAVITY,
    }
    scene["planes"] = [((0.0, 0.0, 1.0), 0.0)]
    for name, h in THEIR_H.items():
        answer = ask(name.lower(), "boxes", scene | {"h": h, "times": [T_END]})
        if isinstance(answer, str):
            lines.append(line(f"{name}, a second", math.nan, "s", answer))
            continue
        theirs = answer["seconds"][0] / T_END
        lines += [
            line(f"{name}, a second", theirs, "s", f"{answer['version']}, same run, h = {h:g} s"),
            line("    a step", theirs * 1e3 * h, "ms/step"),
            line(f"    ours / {name}, a second", second / theirs, "-"),
            line(f"    ours / {name}, a step", second * H / (theirs * h), "-"),
            line("    way of its top box", top - float(np.asarray(answer["position"])[0, -1, 2]), "m"),
        ]
    return lines
