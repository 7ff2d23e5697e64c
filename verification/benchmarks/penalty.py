"""Break of four balls with penalty contact: time for an error below a millimetre.

A rolling cue ball strikes a triangle of three with gaps of 20 micrometres; springs of 1e6 N/m with dashpots
that do not pull, regularised friction. The positions after 3 s are compared with those of a fine step of the
same model, and these with Exudyn's (general contact, h = 1e-6 s). The command is `nsgalpha bench penalty`.
"""

from __future__ import annotations

import math
from statistics import median
from time import process_time

import numpy as np

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, RegularisedCoulomb, SpringDashpot
from nsgalpha.arrays import Floats
from nsgalpha.forces import Laws
from verification.benchmarks.box import dashpot
from verification.benchmarks.line import Line, line
from verification.run import simulate
from verification.scenes import add_spheres

RADIUS, MASS, GRAVITY, SPEED, GAP = 0.028575, 0.17, 9.81, 3.0, 2e-5
STIFFNESS, MU_BALLS, MU_TABLE, E_BALLS, E_TABLE, ZONE = 1e6, 0.06, 0.2, 0.95, 0.5, 0.01
T_END = 3.0  # [s]
STEPS = (1e-4, 5e-5, 4e-5, 3e-5, 2e-5, 1e-5, 5e-6)
FINE = 1e-6
GOOD = 1e-3  # [m]
REPEATS = 3
EXUDYN = 0.85  # [s] for 0.76 mm, explicit RK44 with steps of 0.2 ms, two shared cores

#: Positions [m] of Exudyn 1.13.6 at the end: cue, apex, and the two behind.
REFERENCE = (
    (0.48752099045872094, 0.558492104070004, 0.0285733323),
    (0.13052746565981074, -0.17928145093438067, 0.0285733323),
    (3.5195712162749184, 1.8594222795387094, 0.0285733323),
    (3.9717651708749218, -2.1975533718596116, 0.0285733323),
)


def build() -> ns.Model:
    """Cue ball and rack on a table without end."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    spacing = 2.0 * RADIUS + GAP
    behind = math.sqrt(3.0) / 2.0 * spacing
    rack = [(0.0, 0.0, RADIUS), (behind, spacing / 2, RADIUS), (behind, -spacing / 2, RADIUS)]
    add_spheres(model, RADIUS, MASS, [(-0.3, 0.004, RADIUS)], (SPEED, 0.0, 0.0), (0.0, SPEED / RADIUS, 0.0))
    add_spheres(model, RADIUS, MASS, rack)
    table = model.add_plane(normal=(0.0, 0.0, 1.0))
    model.add(CompliantSphereSphere(among=model.spheres, **laws(E_BALLS, MASS / 2, MU_BALLS)))
    model.add(CompliantSpherePlane(model.spheres, table, **laws(E_TABLE, MASS, MU_TABLE)))
    return model


def laws(restitution: float, mass: float, mu: float) -> Laws:
    """Spring, dashpot for the `restitution` of an effective `mass` [kg], and friction."""
    normal = SpringDashpot(stiffness=STIFFNESS, damping=dashpot(restitution, STIFFNESS, mass))
    return {"normal": normal, "tangential": RegularisedCoulomb(mu=mu, velocity_zone=ZONE)}


def run(h: float) -> tuple[Floats, float]:
    """Positions (4, 3) at the end with steps of `h` [s], and the processor time [s] it took."""
    model = build()
    start = process_time()
    result = simulate(model, t_end=T_END, h=h, scheme=ns.VelocityVerlet(), record_every=10**9)
    return result.position[-1], process_time() - start


def bench_penalty() -> list[Line]:
    """Break of four balls with penalty contact, explicit steps."""
    run(1e-3)  # compiles, or loads the kernels
    fine, _ = run(FINE)
    apart = 1e3 * float(np.abs(fine - REFERENCE).max())
    lines = [line("Exudyn's reference from ours", apart, "mm", f"h = {FINE:g} s")]
    found = math.nan
    for h in STEPS:
        position, _ = run(h)
        seconds = median(run(h)[1] for _ in range(REPEATS))
        error = float(np.abs(position - fine).max())
        lines.append(line(f"h = {h:g} s: error", 1e3 * error, "mm"))
        lines.append(line(f"h = {h:g} s", seconds, "s", f"processor time, median of {REPEATS}"))
        if error <= GOOD and math.isnan(found):
            found = seconds
    lines.append(line("for an error up to 1 mm", found, "s"))
    lines.append(line("Exudyn, 0.76 mm", EXUDYN, "s", "recorded"))
    lines.append(line("Exudyn / ours", EXUDYN / found, "-"))
    return lines
