"""Time and quality of every step of a scene."""

import resource
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

import nsgalpha as ns
from nsgalpha.run.run_progress import Run
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.stepping.status import Status, finished
from nsgalpha.stepping.step_times import StepTimes
from verification.scenes import GRAVITY, at_rest, column, compression, drum, pile, table_break

TOL = 1e-8
RESTING = 200  # steps of a pile that is held, twice
LIMIT = 3600.0  # [s] after which a run is ended

#: Scene, sizes, steps, step [s].
SCENES: dict[str, tuple[Callable[[int], ns.Model], tuple[int, ...], int, float]] = {
    "column": (column, (10, 100, 1000), 100, 1e-3),
    "pile": (pile, (27, 100, 300, 1000, 10000), 1000, 1e-3),
    "compression": (compression, (27, 125), 200, 1e-3),
    "drum": (drum, (100, 1000), 500, 1e-3),
    "break": (table_break, (3, 15), 2000, 1e-3),
}


@dataclass(frozen=True, slots=True)
class Line:
    """The effort of a run; `ending` is its status."""

    scene: str
    bodies: int
    steps: int
    contacts: int  # most
    median: float  # [ms] of a step
    slow: float  # [ms] 95th percentile
    rest: float  # [ms] median of the last RESTING steps of a pile, from rest; of another scene's last tenth
    iterations: float  # mean of both corrections
    residual: float  # largest
    settled: float  # largest in the steps of `rest`
    penetration: float  # largest, over the radius
    kinetic: float  # mean energy of a body over m g R, at the end
    relaxed: int  # steps
    memory: float  # [MiB] peak of the process so far
    ending: str


def measure(scene: str, count: int, limit: float = LIMIT) -> Line:
    """Run `scene` with `count` bodies, one step at a time, for at most `limit` [s].

    A finished pile is held, which stops the freely rolling spheres, and continues. It is held once more, as
    some of these were stopped at unstable places, and continues for its figures at rest.
    """
    build, _, steps, h = SCENES[scene]
    small = _start(build(min(count, 27)), None, h, 3)
    small.advance(0, 3)  # compiles
    model = build(count)
    run = _start(model, None, h, steps)
    times, status = _advance(run, steps, limit)
    stats = _statistics(run, status)
    ending = "finished" if len(times) == steps else f"ended after {limit:g} s"
    end = resting = slice(-max(len(times) // 10, 1), None)
    last, rest, kinetic = times[end], stats, _energy(model, run.state())
    if scene == "pile" and len(times) == steps:
        for _ in range(2):
            run = _start(model, at_rest(run.state()), h, RESTING)
            last, status = _advance(run, RESTING, limit)
        rest, resting, kinetic = _statistics(run, status), slice(None), _energy(model, run.state())
    return Line(
        scene,
        len(model.bodies),
        len(times),
        int(stats.contacts.max(initial=0)),
        float(np.median(times)),
        float(np.percentile(times, 95)),
        float(np.median(last)),
        float(np.mean(stats.position_iterations + stats.velocity_iterations)),
        _residual(stats),
        _residual(rest, resting),
        float(stats.penetration.max(initial=0.0)),
        kinetic,
        int(np.count_nonzero(stats.relaxed)),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
        ending if status is None else status.message,
    )


def _statistics(run: Run, status: Status | None) -> ns.Statistics:
    return run.result(finished(run.t, run.step) if status is None else status).stats


def _residual(stats: ns.Statistics, steps: slice = slice(None)) -> float:
    """Largest of both corrections in these `steps`."""
    both = np.maximum(stats.position_residual, stats.velocity_residual)
    return float(both[steps].max(initial=0.0))


def _start(model: ns.Model, state: ns.State | None, h: float, steps: int) -> Run:
    state = model.initial_state() if state is None else state
    stepper = GeneralizedAlphaStepper(model, state, h, ns.GeneralizedAlpha(0.8), TOL)
    run = Run(stepper, StepTimes(state.t, h))
    run.plan(steps, max(steps // 10, 1))
    return run


def _advance(run: Run, steps: int, limit: float) -> tuple[list[float], Status | None]:
    """Times [ms] of the steps, and the status of the one that failed."""
    times: list[float] = []
    status = None
    begin = perf_counter()
    while len(times) < steps and status is None and perf_counter() - begin < limit:
        start = perf_counter()
        _, status = run.advance(len(times), len(times) + 1)
        times.append(1e3 * (perf_counter() - start))
    return times, status


def _energy(model: ns.Model, state: ns.State) -> float:
    """Mean kinetic energy of translation over m g R."""
    radius = np.array([body.radius for body in model.bodies])
    return float((0.5 * (state.velocity**2).sum(axis=1) / (GRAVITY * radius)).mean())
