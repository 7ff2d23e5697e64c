"""Shells and cells on nodes: the command is `nsgalpha bench shells`.

A cell of 642 nodes (1280 triangles, 1920 edges) in a random shape, with springs, bending, local and global
area, and volume: one evaluation of all forces, their tangents, and a step without inertia.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np

import nsgalpha as ns
from elements import Bending, Drag, GlobalArea, LocalArea, ShellSprings, Volume, icosphere
from nsgalpha.compliant.contacts import CompliantForces
from nsgalpha.model.system import System
from nsgalpha.run.run import Run
from nsgalpha.schemes.implicit.stepper import ImplicitStepper
from verification.benchmarks.line import Line, line

REFINED = 3  # 642 nodes
DISORDER = 0.02  # of the radius
H = 1e-3
DRAG = 0.05  # of a node
REPEATED = 60


def cell(subdivisions: int, disorder: float = DISORDER) -> ns.Model:
    """A cell of radius 1 with all its forms, whose rest shape is the sphere."""
    x, triangles = icosphere(subdivisions)
    model = ns.Model()
    surface = model.add_surface([model.add_point(position=each, mass=1.0) for each in x], triangles)
    for form in (
        ShellSprings(surface, modulus=1.0, thickness=1.0),
        Bending(surface, stiffness=0.01),
        LocalArea(surface, stiffness=1.0),
        GlobalArea(surface, stiffness=1.0, tension=0.1),
        Volume(surface, stiffness=10.0),
    ):
        model.add(form)
    return model


def disturbed(model: ns.Model, disorder: float = DISORDER) -> ns.State:
    """The state in which every node is somewhere near its place."""
    state = model.initial_state()
    state.position[:] += disorder * np.random.default_rng(0).normal(size=state.position.shape)
    return state


def least(function: Callable[[], object], repeated: int = REPEATED) -> float:
    """The shortest of some processor times [ms]."""
    times = []
    for _ in range(repeated):
        start = process_time()
        function()
        times.append(1e3 * (process_time() - start))
    return min(times)


def bench_shells() -> list[Line]:
    """Shells and cells on nodes."""
    model = cell(REFINED)
    system, state = System(model), disturbed(model)
    motion, forces = system.motion(state), CompliantForces(system)
    forces.find(motion, 1.0)
    forces.begin(motion)
    still = np.zeros((system.size, 6))
    text = f"cell of {system.count} nodes, "
    lines = [
        line(text + "forces", least(lambda: forces.evaluate(motion, still, H)), "ms", "processor time"),
        line(text + "tangents", least(lambda: forces.tangents(H, 1.0)), "ms", "processor time"),
    ]
    scheme = ns.Overdamped(Drag(model.bodies, translational=DRAG))
    stepper = ImplicitStepper(model, state, H, scheme)
    run = Run(stepper, 0.0, H)
    run.plan(REPEATED, REPEATED)
    step = iter(range(REPEATED))

    def advance() -> None:
        k = next(step)
        _, failure = run.advance(k, k + 1)
        if failure is not None:
            raise RuntimeError(str(failure))

    return [*lines, line(text + "a step without inertia", least(advance), "ms", "processor time")]
