"""Runs: `simulate` from start to end, `step` for those who drive the loop themselves."""

from __future__ import annotations

import math
from time import perf_counter

from tqdm import tqdm

from nsgalpha.checks import count, number, positive, refuse
from nsgalpha.model import Model
from nsgalpha.result import Result
from nsgalpha.run import Run
from nsgalpha.scheme import GeneralizedAlpha
from nsgalpha.state import State
from nsgalpha.status import StepFailed, finished

LOOK = 0.2  # seconds between two updates of the progress bar
PATIENCE = 1.5  # seconds before a progress bar appears


def simulate(
    model: Model,
    *,
    t_end: float,
    h: float,
    rho_inf: float = 0.8,
    tol: float = 1e-10,
    record_every: int = 1,
    progress: bool = False,
    state: State | None = None,
) -> Result:
    """Run `model` to `t_end` [s] in steps of `h` [s] and return what was recorded.

    The run starts from the state in which the model was stated or from `state`, and ends with the
    first step at or after `t_end`. rho_inf: spectral radius of the scheme, in [0, 1]. tol: relative
    residual to which each subproblem is solved. record_every: steps between recorded states; start
    and end are always recorded. progress: a bar on the terminal for runs of more than a second.

    A step that cannot be solved ends the run: `result.status` says why, all states before it are
    kept. Raises ValueError if an argument is out of range, or bodies overlap at the start.
    """
    h = positive("h", h)
    scheme = GeneralizedAlpha(rho_inf)
    every = count("record_every", record_every)
    run = Run(model, state, h, scheme, _tolerance(tol))
    end = number("t_end", t_end)
    if not run.t0 < end < math.inf:
        raise refuse("t_end", t_end, f"finite and after the start, t = {run.t0:g}")
    steps = max(math.ceil((end - run.t0) / h * (1.0 - 1e-12) - 1e-6), 1)
    run.plan(steps, every)
    done, chunk = 0, 32
    with tqdm(total=steps, disable=None if progress else True, delay=PATIENCE, unit="step") as bar:
        while done < steps:
            clock = perf_counter()
            before = done
            done, failure = run.advance(done, min(done + chunk, steps))
            bar.update(done - before)
            if failure is not None:
                return run.result(failure)
            chunk = max(1, min(4096, int(chunk * min(4.0, LOOK / (perf_counter() - clock)))))
    return run.result(finished(run.t0 + steps * h, steps, run.capped, run.relaxed, run.divided))


def step(
    model: Model,
    state: State,
    h: float,
    *,
    rho_inf: float = 0.8,
    tol: float = 1e-10,
) -> State:
    """The state after one step of `h` [s] from `state`; `model.initial_state()` is the first.

    Raises StepFailed with the status if the step cannot be solved, ValueError for bad arguments.
    """
    run = Run(model, state, positive("h", h), GeneralizedAlpha(rho_inf), _tolerance(tol))
    run.plan(1, 1)
    _, failure = run.advance(0, 1)
    if failure is not None:
        raise StepFailed(failure)
    return run.state()


def _tolerance(tol: float) -> float:
    tol = positive("tol", tol, "1e-10 is a good choice")
    if not 1e-14 <= tol <= 1e-3:
        raise refuse("tol", tol, "in [1e-14, 1e-3]", "below is rounding, above is no solution")
    return tol
