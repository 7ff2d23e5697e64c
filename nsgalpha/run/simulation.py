"""Runs: `simulate` from start to end, `step` for those who drive the loop themselves."""

from __future__ import annotations

import math
from time import perf_counter

from tqdm import tqdm

from nsgalpha.checks import count, number, positive, refuse
from nsgalpha.explicit.run import ExplicitRun
from nsgalpha.explicit.step_size import contact_time
from nsgalpha.implicit.run import ImplicitRun
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.run.result import Result
from nsgalpha.run.run import Run
from nsgalpha.run.scheme import GeneralizedAlpha, Overdamped, Scheme, SemiImplicit, VelocityVerlet
from nsgalpha.run.status import StepFailed, finished

LOOK = 0.2  # seconds between two updates of the progress bar
AHEAD = 65536  # most steps between them
PATIENCE = 1.5  # seconds before a progress bar appears


def simulate(
    model: Model,
    *,
    t_end: float,
    h: float | None = None,
    scheme: Scheme | None = None,
    rho_inf: float | None = None,
    tol: float = 1e-10,
    record_every: int = 1,
    progress: bool = False,
    state: State | None = None,
) -> Result:
    """Run `model` to `t_end` [s] in steps of `h` [s] and return what was recorded.

    The run starts from the state in which the model was stated or from `state`, and ends with the
    first step at or after `t_end`. scheme: GeneralizedAlpha(rho_inf) or, for models whose contacts are all
    compliant, the explicit VelocityVerlet(), which finds its step itself if `h` is not given, SemiImplicit()
    with one linear system in a step, or Overdamped(resistance) for motion without inertia; rho_inf alone is
    short for GeneralizedAlpha(rho_inf), by default with 0.8. tol: relative residual to which each subproblem
    is solved. record_every: steps between recorded states; start and end are always recorded. progress: a bar
    on the terminal for runs of
    more than a second.

    A step that cannot be solved ends the run: `result.status` says why, all states before it are
    kept. Raises ValueError if an argument is out of range, or bodies overlap at the start.
    """
    every = count("record_every", record_every)
    run, note = _begin(model, state, h, scheme, rho_inf, tol)
    h = run.h
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
            chunk = max(1, min(AHEAD, int(chunk * min(4.0, LOOK / (perf_counter() - clock)))))
    return run.result(finished(run.t0 + steps * h, steps, *run.troubles, note))


def step(
    model: Model,
    state: State,
    h: float,
    *,
    scheme: Scheme | None = None,
    rho_inf: float | None = None,
    tol: float = 1e-10,
) -> State:
    """The state after one step of `h` [s] from `state`; `model.initial_state()` is the first.

    Raises StepFailed with the status if the step cannot be solved, ValueError for bad arguments.
    """
    run, _ = _begin(model, state, h, scheme, rho_inf, tol)
    run.plan(1, 1)
    _, failure = run.advance(0, 1)
    if failure is not None:
        raise StepFailed(failure)
    return run.state()


def _begin(
    model: Model,
    state: State | None,
    h: float | None,
    scheme: Scheme | None,
    rho_inf: float | None,
    tol: float,
) -> tuple[Run | ExplicitRun | ImplicitRun, str]:
    """The run of a scheme, and what its status should say of the step."""
    if scheme is not None and rho_inf is not None:
        raise refuse("rho_inf", rho_inf, "left out where scheme is given", "say GeneralizedAlpha(rho_inf)")
    if not isinstance(scheme, Scheme | None):
        schemes = "GeneralizedAlpha(...), VelocityVerlet(...), SemiImplicit(...) or Overdamped(...)"
        raise refuse("scheme", scheme, schemes)
    tol, note = _tolerance(tol), ""
    if not isinstance(scheme, VelocityVerlet):
        if scheme is None:
            scheme = GeneralizedAlpha() if rho_inf is None else GeneralizedAlpha(rho_inf)
        if h is None:
            raise refuse("h", h, "given", "only VelocityVerlet finds its step itself")
        if isinstance(scheme, Overdamped | SemiImplicit):
            return ImplicitRun(model, state, positive("h", h), scheme), note
        return Run(model, state, positive("h", h), scheme, tol), note
    if h is None:
        h = contact_time(model) / scheme.steps_per_contact
        note = f" of h = {h:.3g} s, 1/{scheme.steps_per_contact:g} of the shortest contact time"
    return ExplicitRun(model, state, positive("h", h)), note


def _tolerance(tol: float) -> float:
    tol = positive("tol", tol, "1e-10 is a good choice")
    if not 1e-14 <= tol <= 1e-3:
        raise refuse("tol", tol, "in [1e-14, 1e-3]", "below is rounding, above is no solution")
    return tol
