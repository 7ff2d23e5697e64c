"""The heap in LAMMPS, as the reference of the case: `python -m verification.heap.lammps_heap --write`.

It needs an interpreter with LAMMPS and its package GRANULAR, see verification/benchmarks/peers. Its springs
and dashpots are linear, with history (`gran/hooke/history`). Tangential over normal stiffness is 2/7. The
normal dashpot has the coefficient of restitution of two balls.
"""

import argparse
import json

import numpy as np

from nsgalpha.arrays import Floats
from verification.benchmarks.heap import MU, RADIUS, STIFFNESS, build, soft_law
from verification.benchmarks.peers import ask, balls_of
from verification.heap import COUNT, E_N, REFERENCE, SEEDS
from verification.scenes import GRAVITY, ball_mass

STEP = 2e-6  # [s]
T = (0.15, 0.2, 0.25, 0.3, 0.4, 0.6)  # [s]


def heap(seed: int) -> tuple[Floats, str, float]:
    """Height of the centre of mass, kinetic energy, contacts (T, 3); the version of LAMMPS; seconds."""
    model = build(COUNT, E_N, seed)
    answer = ask("lammps", "balls", balls_of(model, GRAVITY, law=soft_law(E_N), h=STEP, times=T))
    if isinstance(answer, str):
        raise SystemExit(answer)
    found = []
    for x, v in zip(np.array(answer["position"]), np.array(answer["velocity"]), strict=True):
        i, j = np.triu_indices(COUNT, 1)
        pairs = np.linalg.norm(x[i] - x[j], axis=1) < 2 * RADIUS
        walls = [x @ plane.normal - plane.offset < RADIUS for plane in model.planes]
        energy = 0.5 * ball_mass(RADIUS) * (v**2).sum()
        found.append((x[:, 2].mean(), energy, pairs.sum() + np.sum(walls)))
    return np.array(found, float), answer["version"], sum(answer["seconds"])


def main() -> None:
    """Print means and scatter of the heaps, and their time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep them as the reference of the case")
    given = parser.parse_args()
    heaps, versions, seconds = zip(*(heap(seed) for seed in SEEDS), strict=True)
    took = sum(seconds) / len(SEEDS) / T[-1]
    for t, mean, scatter in zip(T, np.mean(heaps, axis=0), np.std(heaps, axis=0), strict=True):
        print(t, *(f"{m:.5g} +- {s:.2g}" for m, s in zip(mean, scatter, strict=True)))
    print(f"{took:.3g} ms of processor time for each ms")
    if given.write:
        known = {
            "version": int(versions[0]),
            "stiffness": STIFFNESS,
            "h": STEP,
            "e": E_N,
            "mu": MU,
            "t": T,
        }
        known |= {"heaps": [each.round(9).tolist() for each in heaps]}
        REFERENCE.write_text(json.dumps(known) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
