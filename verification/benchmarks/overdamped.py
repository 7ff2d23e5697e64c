"""Adhesive spheres that relax without inertia: the command is `nsgalpha bench overdamped`.

Unit spheres are on a disturbed cubic lattice, pressed together by 2 % of a diameter, with Luding's adhesive
springs and dashpots, and with JKR's law. Drag is 1 for each, steps are 0.2 times drag over stiffness, with
the stiffness felt at their end.
"""

from __future__ import annotations

from statistics import median
from time import process_time

import numpy as np

import nsgalpha as ns
from elements import JKR, CompliantSphereSphere, Drag, LudingNormal
from nsgalpha.forces import Laws
from nsgalpha.run.run_progress import Run
from nsgalpha.schemes.implicit.implicit_stepper import ImplicitStepper
from nsgalpha.stepping.step_times import StepTimes
from verification.benchmarks.line import Line, line

EDGES = 10, 15, 22  # spheres along an edge of the lattice
SPACING, DISORDER = 1.96, 0.1  # in radii
H, STEPS = 0.2, 12
ELASTIC = JKR(modulus=2.5, work=0.005)  # stiffness 1 at an overlap of 0.08
LAWS: dict[str, Laws] = {
    "Luding": {
        "normal": LudingNormal(
            stiffness=2.0, plastic_stiffness=1.0, adhesive_stiffness=0.5, plastic_depth=0.1, damping=0.2
        )
    },
    "JKR": {"normal": ELASTIC, "reach": 1.01 * ELASTIC.detachment(0.5)},
}


def build(edge: int, law: Laws) -> ns.Model:
    """`edge`^3 spheres."""
    rng = np.random.default_rng(0)
    model = ns.Model()
    for cell in np.ndindex(edge, edge, edge):
        position = SPACING * np.array(cell) + rng.uniform(-DISORDER, DISORDER, 3)
        model.add_sphere(radius=1.0, mass=1.0, position=position)
    model.add(CompliantSphereSphere(among=model.spheres, **law))
    return model


def bench_overdamped() -> list[Line]:
    """Adhesive spheres relax without inertia."""
    return [each for name, law in LAWS.items() for each in _lines(name, law)]


def _lines(name: str, law: Laws) -> list[Line]:
    """Times of one law, and their slope."""
    lines, times = [], []
    for edge in EDGES:
        model = build(edge, law)
        scheme = ns.Overdamped(Drag(model.spheres, translational=1.0))
        stepper = ImplicitStepper(model, model.initial_state(), H, scheme)
        run = Run(stepper, StepTimes(0.0, H))
        run.plan(STEPS, STEPS)
        spent = []
        for k in range(STEPS):
            start = process_time()
            _, failure = run.advance(k, k + 1)
            spent.append(1e3 * (process_time() - start))
            if failure is not None:
                raise RuntimeError(str(failure))
        times.append(median(spent))
        text = f"{name}, {edge**3} spheres, {stepper.contacts.closed} contacts"
        lines.append(line(text, times[-1], "ms/step", "processor time"))
    slope = np.polyfit(3.0 * np.log(EDGES), np.log(times), 1)[0]
    return [*lines, line(f"{name}, exponent of the time over the spheres", float(slope), "-")]
