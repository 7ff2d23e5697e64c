"""Shells and cells on nodes: the command is `nsgalpha bench shells`.

A cell of 642 nodes (1280 triangles, 1920 edges) in a random shape has springs, bending, local and global
area, and volume. Measured are one evaluation of all forces, their tangents, and a step without inertia. Cells
of 162 nodes are on a cubic lattice, in adhesive contact with their neighbours. Measured are a step without
inertia, the exponent of its time over the number of cells, and the largest memory of the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import process_time

import numpy as np

import nsgalpha as ns
from elements import Bending, Drag, GlobalArea, LocalArea, ShellSprings, SurfaceContact, Volume, icosphere
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.run.run_progress import Run
from nsgalpha.schemes.implicit.implicit_stepper import ImplicitStepper
from nsgalpha.stepping.step_times import StepTimes
from nsgalpha.system.system import System
from verification.benchmarks.line import Line, line

REFINED = 3  # 642 nodes
DISORDER = 0.02  # of the radius
H = 1e-3
DRAG = 0.05  # of a node
REPEATED = 60
SHAPES = (5, 2, 1), (5, 3, 2), (5, 5, 4), (8, 5, 5)  # of the lattice
SPACING = 1.9
LONG, STEPS = 5e-3, 10


def cells(subdivisions: int, places: Sequence[tuple[float, ...]]) -> ns.Model:
    """Cells of radius 1 around `places` with all their forms, whose rest shape is the sphere."""
    x, triangles = icosphere(subdivisions)
    model = ns.Model()
    for centre in places:
        nodes = [model.add_point(position=each + centre, mass=1.0) for each in x]
        surface = model.add_surface(nodes, triangles)
        for form in (
            ShellSprings(surface, modulus=1.0, thickness=1.0),
            Bending(surface, stiffness=0.01),
            LocalArea(surface, stiffness=1.0),
            GlobalArea(surface, stiffness=1.0, tension=0.1),
            Volume(surface, stiffness=10.0),
        ):
            model.add(form)
    return model


def tissue(shape: tuple[int, int, int]) -> ns.Model:
    """Cells of 162 nodes on a lattice that stick to their neighbours."""
    model = cells(2, [tuple(SPACING * k for k in place) for place in np.ndindex(*shape)])
    model.add(SurfaceContact(model.surfaces, stiffness=50.0, work=0.02, reach=0.05))
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
    model = cells(REFINED, [(0.0, 0.0, 0.0)])
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
    lines.append(
        line(text + "a step without inertia", step(model, state, REPEATED, H), "ms", "processor time")
    )
    times = []
    for shape in SHAPES:
        model = tissue(shape)
        times.append(step(model, model.initial_state(), STEPS, LONG))
        text = f"{np.prod(shape)} cells of 162 nodes in contact, a step without inertia"
        lines.append(line(text, times[-1], "ms", "processor time"))
    slope = np.polyfit(np.log(np.prod(SHAPES, axis=1)), np.log(times), 1)[0]
    lines.append(line("exponent of the time over the cells", float(slope), "-"))
    return [*lines, *memory()]


def step(model: ns.Model, state: ns.State, steps: int, h: float) -> float:
    """The shortest processor time [ms] of some steps."""
    stepper = ImplicitStepper(model, state, h, ns.Overdamped(Drag(model.bodies, translational=DRAG)))
    run, numbers = Run(stepper, StepTimes(0.0, h)), iter(range(steps))
    run.plan(steps, steps)

    def advance() -> None:
        k = next(numbers)
        _, failure = run.advance(k, k + 1)
        if failure is not None:
            raise RuntimeError(str(failure))

    return least(advance, steps)


def memory() -> list[Line]:
    """The largest memory of this process so far, where the system tells it."""
    if sys.platform == "win32":
        return []
    import resource

    unit = 2.0**20 if sys.platform == "darwin" else 2.0**10  # bytes there, kilobytes elsewhere
    return [line("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, "MB", "largest")]
