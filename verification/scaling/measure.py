"""Time and quality of every step of a scene."""

import resource
from dataclasses import dataclass
from time import perf_counter

import numpy as np

import nsgalpha as ns
from nsgalpha.run import Run
from nsgalpha.status import finished
from verification.scaling.scenes import SCENES

TOL = 1e-8
LIMIT = 300.0  # [s] after which a run is ended


@dataclass(frozen=True, slots=True)
class Line:
    """What a run took; `ending` is its status."""

    scene: str
    bodies: int
    steps: int
    contacts: int  # most
    median: float  # [ms] of a step
    slow: float  # [ms] 95th percentile
    last: float  # [ms] median of the last tenth of the steps
    iterations: float  # mean of both corrections
    residual: float  # largest
    penetration: float  # largest, over the radius
    kinetic: float  # energy of a body at the end, over m g R
    relaxed: int  # steps
    memory: float  # [MiB] peak of the process so far
    ending: str


def measure(scene: str, count: int, limit: float = LIMIT) -> Line:
    """Run `scene` with `count` bodies, one step at a time, for at most `limit` [s]."""
    build, _, steps, h = SCENES[scene]
    warm = Run(build(min(count, 27)), None, h, ns.GeneralizedAlpha(0.8), TOL)
    warm.plan(3, 3)
    warm.advance(0, 3)  # compiles
    model = build(count)
    run = Run(model, None, h, ns.GeneralizedAlpha(0.8), TOL)
    run.plan(steps, max(steps // 10, 1))
    times: list[float] = []
    status = None
    begin = perf_counter()
    while len(times) < steps and status is None and perf_counter() - begin < limit:
        start = perf_counter()
        _, status = run.advance(len(times), len(times) + 1)
        times.append(perf_counter() - start)
    ending = status.message if status else "finished" if len(times) == steps else f"ended after {limit:g} s"
    result = run.result(status or finished(run.t, len(times), 0, 0, 0))
    stats, state = result.stats, run.state()
    mass = np.array([body.mass for body in model.bodies])
    radius = np.array([body.radius for body in model.bodies])
    kinetic = 0.5 * mass * (state.velocity**2).sum(axis=1)
    spent = 1e3 * np.array(times)
    return Line(
        scene,
        len(model.bodies),
        len(times),
        int(stats.contacts.max(initial=0)),
        float(np.median(spent)),
        float(np.percentile(spent, 95)),
        float(np.median(spent[-max(len(spent) // 10, 1) :])),
        float(np.mean(stats.position_iterations + stats.velocity_iterations)),
        float(max(stats.position_residual.max(initial=0.0), stats.velocity_residual.max(initial=0.0))),
        float(stats.penetration.max(initial=0.0)),
        float((kinetic / (9.81 * mass * radius)).mean()),
        int(np.count_nonzero(stats.relaxed)),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
        ending,
    )
