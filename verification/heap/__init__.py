"""A heap of 130 balls beside LAMMPS with stiff springs.

Balls are poured into a box from the same places, ten times (verification/benchmarks/heap.py). A heap is
chaotic: single runs part after some impacts. Means over the runs are compared, with twice the scatter of
the ten heaps of LAMMPS as tolerance. Springs of 1e5 N/m overlap by .007 radii. Impacts without duration have
an error of first order in the step: at h = 0.25 ms the heaps of three seeds lie 0.3 mm lower. Contacts are
compared at the end alone: a step counts all that close in it, LAMMPS those at an instant. `lammps_heap.py`
computes the reference.
"""

import json
from functools import partial
from pathlib import Path

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.benchmarks.heap import H, build
from verification.heap.figure import draw
from verification.outcome import Outcome, Row, bound_row
from verification.run import effort, simulate

REFERENCE = Path(__file__).with_name("lammps.json")
COUNT, E_N = 130, 0.3
SEEDS = tuple(range(10))
TIMES = 6  # of the reference
QUANTITIES = "height of the centre of mass", "kinetic energy", "contacts"
UNITS = "m", "J", "-"


def run() -> Outcome:
    """Heaps of all seeds; rows of means."""
    known = json.loads(REFERENCE.read_text(encoding="utf-8"))
    t, theirs = np.array(known["t"])[:TIMES], np.array(known["heaps"])[:, :TIMES]
    results = [simulate_heap(seed, t[-1]) for seed in SEEDS]
    ours = np.array([measured(result, t) for result in results])
    scatter, last = theirs.std(axis=0), len(known["t"]) - 1
    rows, source = (
        [],
        f"LAMMPS {known['version']}, springs of {known['stiffness']:g} N/m, the same {len(SEEDS)} starts",
    )
    for k, (quantity, unit) in enumerate(zip(QUANTITIES, UNITS, strict=True)):
        for i, time in enumerate(t):
            if quantity == "contacts" and i < last:
                continue
            values = theirs[SEEDS, i, k].mean(), ours[:, i, k].mean()
            rows.append(Row(f"{quantity} at {time:g} s", unit, *values, 2.0 * scatter[i, k], source))
    penetration = max(float(result.stats.penetration.max()) for result in results)
    rows.append(bound_row("penetration, over the radius", "-", penetration, 1e-8, "tolerance of the gaps"))
    efforts = [effort(f"seed {seed}", result) for seed, result in zip(SEEDS, results, strict=True)]
    return Outcome(rows=rows, efforts=efforts, figures={"Heaps": partial(draw, t, ours, theirs)})


def simulate_heap(seed: int, t_end: float) -> ns.Result:
    """The heap of one seed until `t_end` [s]."""
    return simulate(build(COUNT, E_N, seed), t_end=t_end, h=H, record_every=10)


def measured(result: ns.Result, t: Floats) -> Floats:
    """The QUANTITIES (T, 3) of a heap at the times `t` (T,)."""
    step = np.rint(t / H).astype(int)
    record = np.searchsorted(result.t, t - 0.5 * H)
    mass = np.array([body.mass for body in result.model.bodies])
    height = result.position[record, :, 2].mean(axis=1)
    energy = 0.5 * np.einsum("b,tbi->t", mass, result.velocity[record] ** 2)
    return np.stack([height, energy, result.stats.contacts[step - 1]], axis=1)
