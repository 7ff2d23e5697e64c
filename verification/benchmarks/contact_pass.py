"""One pass over a dense packing: geometry, law and scatter, with and without derivatives.

Balls are on a face-centred cubic lattice, pressed together by 1 % of a diameter, with random velocities. The
laws are linear spring-dashpot and the friction of Cundall and Strack, compiled and in numpy, as a user would
write them. The same step is evaluated again and again, so that the springs grow until they slip. The command
is `nsgalpha bench pass`.
"""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, CundallStrack, SpringDashpot
from nsgalpha.arrays import Floats, Motion
from nsgalpha.forces import Contact, Response
from nsgalpha.forces.compiled_forces import CompiledForces
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.system.system import System
from verification.benchmarks.line import Line, line
from verification.scenes import add_spheres

RADIUS, MASS = 0.01, 0.0105
STIFFNESS, SLIDING, DAMPING, MU = 1e5, 2e4, 3.0, 0.3
BALLS = 3706  # which make 20 000 contacts
H = 1e-4  # [s]
SPEED = 0.5  # [m/s]
REPEATS = 30
TARGET, RATIO = 2.0, 20.0  # milliseconds of a compiled pass, and how much longer one in numpy may take


def spring_dashpot(contact: Contact, response: Response) -> None:
    """Linear normal force with a dashpot that does not pull."""
    d = np.maximum(contact.overlap, 0.0)
    force = STIFFNESS * d - DAMPING * contact.rate[:, 0]
    pushes = force >= 0.0
    response.force[:, 0] = np.where(pushes, force, 0.0)
    response.by_overlap[:, 0] = np.where(pushes, STIFFNESS, 0.0)
    response.by_rate[:, 0, 0] = np.where(pushes, -DAMPING, 0.0)
    response.energy[:] = 0.5 * STIFFNESS * d * d


def cundall_strack(contact: Contact, response: Response) -> None:
    """Spring with Coulomb's cap."""
    trial = -SLIDING * (contact.history + contact.increment)
    size, cap = np.linalg.norm(trial, axis=1), MU * np.maximum(contact.normal, 0.0)
    slips = size > cap
    part = np.where(slips, cap / np.maximum(size, 1e-300), 1.0)
    along = np.where(slips, 1.0 / np.maximum(size, 1e-300), 0.0)[:, None] * trial
    response.force[:] = part[:, None] * trial
    response.by_normal[:] = MU * along
    turn = np.eye(2) - along[:, :, None] * along[:, None, :]
    response.by_increment[:] = -SLIDING * part[:, None, None] * turn
    response.history[:] = -response.force / SLIDING
    response.energy[:] = 0.5 * SLIDING * (response.history**2).sum(axis=1)


cundall_strack.history = 2  # type: ignore[attr-defined]

LAWS: dict[str, dict[str, Any]] = {
    "compiled": {
        "normal": SpringDashpot(stiffness=STIFFNESS, damping=DAMPING),
        "tangential": CundallStrack(stiffness=SLIDING, mu=MU),
    },
    "numpy": {"normal": spring_dashpot, "tangential": cundall_strack},
}


def lattice() -> Floats:
    """Centres (BALLS, 3) of balls on a face-centred cubic lattice, from the bottom upwards."""
    edge = 2.0**1.5 * 0.99 * RADIUS
    cells = np.array(list(np.ndindex(10, 10, 10)), float)
    sites = np.array([(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)])
    points = (cells[:, None] + sites).reshape(-1, 3)
    return edge * points[np.lexsort((points[:, 0], points[:, 1], points[:, 2]))][:BALLS]


def packing(laws: dict[str, Any]) -> tuple[System, Motion]:
    """The packing under the `laws`, and its motion at the start."""
    rng = np.random.default_rng(0)
    model = ns.Model()
    v, w = rng.uniform(-SPEED, SPEED, (BALLS, 2, 3)).swapaxes(0, 1)
    add_spheres(model, RADIUS, MASS, lattice(), v, w / RADIUS)
    model.add(CompliantSphereSphere(among=model.spheres, **laws))
    system = System(model)
    return system, system.motion(model.initial_state())


def step(motion: Motion) -> Floats:
    """Move all balls by a step of H at constant velocities; the increment (B, 6)."""
    increment = H * np.hstack([motion.v, motion.w])
    motion.x[:] += increment[:, :3]
    return increment


def measure(laws: dict[str, Any]) -> tuple[float, int, Floats]:
    """Processor time [ms] of a pass, number of contacts, and the wrenches (N, 6) of the last one."""
    system, motion = packing(laws)
    contacts = CompiledForces(system)
    contacts.find(motion, 0.2 * RADIUS)
    contacts.start(motion, None)
    increment = step(motion)
    times = []
    for _ in range(REPEATS + 1):
        wrench = np.zeros((system.size, 6))
        start = process_time()
        count = contacts.evaluate(motion, increment, H, wrench)
        times.append(1e3 * (process_time() - start))
    return median(times[1:]), count, wrench


def measure_implicit() -> tuple[float, float]:
    """Processor times [ms] of a pass with derivatives and of the tangents."""
    system, motion = packing(LAWS["compiled"])
    compliant = CompliantForces(system)
    compliant.find(motion, 0.2 * RADIUS)
    compliant.begin(motion)
    increment = step(motion)
    times = []
    for _ in range(REPEATS + 1):
        clocks = [process_time()]
        compliant.evaluate(motion, increment, H)
        clocks.append(process_time())
        compliant.tangents(H * H, H)
        clocks.append(process_time())
        times.append(1e3 * np.diff(clocks))
    evaluation, tangents = np.median(times[1:], axis=0)
    return float(evaluation), float(tangents)


def bench_pass() -> list[Line]:
    """A pass over 20 000 contacts."""
    lines, found = [], {}
    for name, laws in LAWS.items():
        time, count, found[name] = measure(laws)
        lines += [line(f"{name} laws, {count} contacts", time, "ms", f"median of {REPEATS}")]
    compiled, numpy = (entry["value"] for entry in lines)
    difference = float(np.abs(found["numpy"] - found["compiled"]).max() / np.abs(found["compiled"]).max())
    evaluation, tangents = measure_implicit()
    return [
        *lines,
        line("implicit: evaluation", evaluation, "ms", f"median of {REPEATS}"),
        line("implicit: tangents", tangents, "ms", f"median of {REPEATS}"),
        line("numpy / compiled", numpy / compiled, "-", f"wanted: up to {RATIO:g}"),
        line("compiled, wanted", TARGET, "ms"),
        line("largest difference of the wrenches", difference, "-"),
    ]
