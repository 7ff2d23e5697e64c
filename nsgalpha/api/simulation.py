"""Runs: `simulate` from start to end, `resume` from a file, `step` for those who drive the loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from typing import get_args

import numpy as np

from nsgalpha.api import separation
from nsgalpha.api.view_option import viewed
from nsgalpha.checks import (
    choice,
    count,
    either,
    instance,
    integer,
    named,
    number,
    number_in,
    positive,
    refuse,
    truth,
)
from nsgalpha.checks import path as checked_path
from nsgalpha.forces.step_size import contact_time
from nsgalpha.io.open_file import refusing
from nsgalpha.io.run_file import RunFile
from nsgalpha.jit.compile_messages import announced
from nsgalpha.jit.thread_team import MOST
from nsgalpha.linalg.single_thread import one_thread
from nsgalpha.model.force_element import JumpingElement
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.run.recording import Recording
from nsgalpha.run.result import Result
from nsgalpha.run.run_progress import Run
from nsgalpha.run.run_settings import FIXED, IMPACTS, LOCATED, Settings
from nsgalpha.run.step_loop import drive
from nsgalpha.run.watchers import NEVER, Watcher, WatcherVisits, watchers
from nsgalpha.schemes.explicit.verlet_stepper import VerletStepper
from nsgalpha.schemes.generalized_alpha import joint_assembly as assembly
from nsgalpha.schemes.generalized_alpha.accurate_stepper import AccurateStepper
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.schemes.generalized_alpha.located_stepper import LocatedStepper
from nsgalpha.schemes.implicit.implicit_stepper import ImplicitStepper
from nsgalpha.schemes.moreau_jean.moreau_jean import MoreauJean
from nsgalpha.schemes.moreau_jean.moreau_stepper import MoreauJeanStepper
from nsgalpha.schemes.scheme_settings import (
    GeneralizedAlpha,
    Overdamped,
    Scheme,
    SemiImplicit,
    VelocityVerlet,
)
from nsgalpha.schemes.stepper_interface import Stepper
from nsgalpha.stepping.error_control import LEAST, ErrorControl
from nsgalpha.stepping.interrupts import interruptible
from nsgalpha.stepping.status import StepFailed
from nsgalpha.stepping.step_times import StepTimes, step_sizes

LEAST_ACCURACY, MOST_ACCURACY = 1e-12, 0.1


@named
@interruptible()
@announced()
@one_thread()
def simulate(
    model: Model,
    *,
    t_end: float,
    h: float | Sequence[float] | None = None,
    accuracy: float | None = None,
    scheme: Scheme | None = None,
    rho_inf: float | None = None,
    impacts: str | None = None,
    tol: float = 1e-10,
    record_every: int = 1,
    recording: Recording | None = None,
    watch: Sequence[Watcher] = (),
    progress: bool = False,
    state: State | None = None,
    assemble: bool = False,
    separate: bool = False,
    view: bool | Callable[[str], object] = False,
    threads: int = 1,
) -> Result:
    """Run `model` to `t_end` [s] in steps of `h` [s], or to an `accuracy`, and return the record.

    The run starts from the state in which the model was stated or from `state`, and ends with the first step
    at or after `t_end`. h: a number, or sizes of the first steps, the last of which is that of all others.
    accuracy: relative error of positions and velocities at the end, from which steps are found. `h` is then
    the largest of them, if given. impacts: "fixed", at the ends of steps, or "located", by default where an
    accuracy is given. A step then ends at its first impact. See docs/how-to/step-and-tolerance.md.
    scheme: GeneralizedAlpha(rho_inf), SemiImplicit() with one linear system in a step,
    or Overdamped(resistance) for motion without inertia. Models whose contacts are all compliant may take the
    explicit VelocityVerlet(), which finds its step itself without `h`. A number rho_inf alone is short for
    GeneralizedAlpha(rho_inf), by default with 0.8. MoreauJean(theta) is the time stepping of Moreau and Jean,
    with one impulse of each contact in a step. tol: relative residual to which each subproblem is solved.
    recording: the records, their frequency, and their file; record_every=n is short for Recording(every=n).
    watch: sensors, conditions that end the run, calls at impacts: Sensor, StopWhen, OnImpact. progress: a bar
    on the terminal for runs of more than a second. assemble: joints that the start violates are closed by
    moving bodies, see `assemble`; the status says by how much. separate: set-valued contacts that overlap at
    the start are opened, see `separate`; the status says so. view: opens a page in the browser that follows
    the run and can hold, step and stop it, see docs/how-to/viewer.md. A function is called with the address
    of that page. threads: 1 to 64, which share compiled steps of VelocityVerlet and GeneralizedAlpha where
    contacts are many, but not with an accuracy. The result is the same to the bit for any number.

    A step that cannot be solved ends the run, and so does the end of memory: `result.status` says why, all
    states before it are kept. Errors in loads, motions and watchers are raised, and KeyboardInterrupt at
    Ctrl-C; their attribute `result` is the result of the run so far. Raises ValueError if an argument is out
    of range, or bodies overlap at the start; FileExistsError if the file of the recording exists.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 20), velocity=(3, 0, 0))
    >>> result = ns.simulate(model, t_end=1.0, h=0.01)
    >>> print(result.status)
    finished at t = 1 s after 100 steps
    >>> print(result.position[-1, ball].round(9))
    [ 3.  0. 15.]
    """
    recording, progress = _recording(recording, record_every), truth("progress", progress)
    watch = watchers(watch)
    state, closed = _corrected(_first_state(model, state), model, assemble, separate)
    impacts = _impacts(impacts, h, accuracy)
    control = None if accuracy is None else _control(accuracy, h, t_end, state, _tolerance(tol))
    h = h if control is None else control.first()
    run, note = _begin(model, state, h, scheme, rho_inf, tol, threads, impacts=impacts, control=control)
    note += closed
    end = _end(t_end, run.t, "the start", run)
    sizes = [run.times.size(0)] if h is None else step_sizes(h).tolist()
    step = sizes if len(sizes) > 1 else sizes[0]
    kept = recording.every, recording.contacts, recording.seconds, note, impacts
    settings = Settings(scheme or _default(rho_inf), step, tol, run.t, *kept)
    if control is not None:
        settings = replace(settings, h=control.most, accuracy=control.accuracy, span=control.span)
    run.recorder.settings = settings
    if recording.file is not None:
        run.recorder.store = RunFile.new(recording, model, settings, run.state(), run.recorder.states)
    with viewed(view, model, run.state()) as pages:
        visits = WatcherVisits([*watch, *pages], run.times)
        result = drive(run, end, recording, visits, note, progress)
        for page in pages:
            page.finish(result)
    return result


@named
@interruptible()
@announced()
@one_thread()
def resume(
    path: str | PathLike[str],
    *,
    t_end: float,
    model: Model | None = None,
    watch: Sequence[Watcher] = (),
    progress: bool = False,
    threads: int = 1,
) -> Result:
    """Continue the run in the file `path`, finished or killed, to `t_end` [s], and return all of it.

    The run continues from the state recorded last, in the same steps and into the same file. The result is
    that of an uninterrupted run: to the last digit, to rounding where large sparse systems are solved.
    model: needed where the model has loads, motions or resistances that are functions of a script, which no
    file can hold. It is the model of the first run, built again. watch, threads: as for `simulate`.

    Raises ValueError if `t_end` is not after the last state or the model is another one. Raises
    FileNotFoundError, or OSError for other files and while another process writes to it.
    """
    t_end, watch, progress = number("t_end", t_end), watchers(watch), truth("progress", progress)
    threads = _threads(threads)
    instance("model", model, Model | None, "a Model or None")
    with RunFile.reopen(checked_path("path", path), model) as store:
        settings, state = store.settings, store.last_state
        with refusing(path) if model is None else nullcontext():
            h, control = store.h, None
            if settings.accuracy is not None:
                span, most = max(settings.span, t_end - settings.t0), float(np.max(settings.h))
                most = span if most >= settings.span else most  # no h was given
                following, speed = store.following
                control = ErrorControl(settings.accuracy, span, t_end, most, settings.tol, speed)
                h = [*store.taken, control.until_end(state.t, following)]
            given = store.model, state, h, settings.scheme, None, settings.tol, threads
            impacts, t0, first = settings.impacts, settings.t0, store.steps
            run, _ = _begin(*given, impacts=impacts, control=control, t0=t0, first=first)
        end = _end(t_end, state.t, "the last recorded state", run)
        visits = WatcherVisits(watch, run.times)
        visits.begin(run.step, state)
        run.recorder.begin_again()
        run.recorder.store = store
        store.cut()
        recording = Recording(every=settings.every, contacts=settings.contacts, seconds=settings.seconds)
        before, note = store.troubles, settings.note
        return drive(run, end, recording, visits, note, progress, troubles=before, resumed=True)


@named
@interruptible()
@announced()
@one_thread()
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

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 20))
    >>> state = model.initial_state()
    >>> while state.velocity[ball, 2] > -0.95:
    ...     state = ns.step(model, state, h=0.01)
    >>> round(state.t, 9)
    0.1
    """
    instance("state", state, State, "a State", "such as model.initial_state()")
    run, _ = _begin(model, state, h, scheme, rho_inf, tol)
    run.plan(1, 1)
    _, failure = run.advance(0, 1)
    if failure is not None:
        raise StepFailed(failure)
    return run.state()


def _corrected(state: State, model: Model, assemble: bool, separate: bool) -> tuple[State, str]:
    """`state`, assembled and separated if asked, with the motion in words."""
    moved = ""
    for name, wanted, correct in (
        ("assemble", assemble, assembly.assemble),
        ("separate", separate, separation.separate),
    ):
        if truth(name, wanted):
            found = correct(model, state)
            state, moved = found.state, f"{moved}; {found}" if found.text else moved
    return state, moved


def _first_state(model: Model, state: State | None) -> State:
    """`state`, or that in which the `model` was stated; a ValueError for other things."""
    instance("model", model, Model, "a Model")
    instance("state", state, State | None, "a State", "such as result.state()")
    return model.initial_state() if state is None else state


def _impacts(impacts: str | None, h: float | Sequence[float] | None, accuracy: float | None) -> str:
    """The places of impacts, by default those of steps to an `accuracy` or of `h`; or a ValueError."""
    given = FIXED if accuracy is None else LOCATED
    impacts = given if impacts is None else choice("impacts", impacts, IMPACTS)
    if accuracy is not None and impacts != LOCATED:
        raise refuse("impacts", impacts, "'located' with an accuracy", "leave one of them out")
    if impacts == LOCATED and h is not None and np.ndim(h):
        if accuracy is None:
            raise refuse("h", h, "a number with impacts='located'")
        raise refuse("h", h, "a number, the largest step, with an accuracy", "leave h out")
    return impacts


def _control(
    accuracy: float, h: float | Sequence[float] | None, t_end: float, state: State, tol: float
) -> ErrorControl:
    """The control of steps to an `accuracy`, of at most `h` [s], from `state` on; or a ValueError."""
    accuracy = number_in("accuracy", accuracy, LEAST_ACCURACY, MOST_ACCURACY)
    end = _after(t_end, state.t, "the start")
    span = end - state.t
    most = span if h is None else positive("h", h)
    if most < LEAST * span:
        allowed = f"at least {LEAST:g} of the run, {LEAST * span:.3g} s, with an accuracy"
        raise refuse("h", h, allowed, "leave h out")
    return ErrorControl(accuracy, span, end, min(most, span), tol)


def _end(t_end: float, start: float, what: str, run: Run) -> float:
    """`t_end` as a float that the `run` reaches from the time `start` [s] of `what` on, or a ValueError."""
    end, h = _after(t_end, start, what), run.times.least
    if (end - start) / h > NEVER:
        raise refuse("t_end", t_end, f"at most {NEVER:.2g} steps of h = {h:g} s away", "take a larger h")
    return end


def _after(t_end: float, start: float, what: str) -> float:
    """`t_end` as a float after the time `start` [s] of `what`, or a ValueError."""
    end = number("t_end", t_end)
    if not start < end < math.inf:
        raise refuse("t_end", t_end, f"finite and after {what}, t = {start:g}")
    return end


def _recording(recording: Recording | None, every: int) -> Recording:
    every = count("record_every", every)
    instance("recording", recording, Recording | None, "a Recording(...)")
    if recording is None:
        return Recording(every=every)
    if every != 1:
        raise refuse("record_every", every, "left out where recording is given", "say Recording(every=...)")
    return recording


def _begin(
    model: Model,
    state: State | None,
    h: float | Sequence[float] | None,
    scheme: Scheme | None,
    rho_inf: float | None,
    tol: float,
    threads: int = 1,
    *,
    impacts: str = FIXED,
    control: ErrorControl | None = None,
    t0: float | None = None,
    first: int = 0,
) -> tuple[Run, str]:
    """The run of a scheme, and its remark on the step for the status.

    `state` is that before step `first`; t0 [s] of step 0 is needed where that is another.
    """
    state = _first_state(model, state)
    if scheme is not None and rho_inf is not None:
        raise refuse("rho_inf", rho_inf, "left out where scheme is given", "say GeneralizedAlpha(rho_inf)")
    if not isinstance(scheme, Scheme | None):
        schemes = either([f"{each.__name__}(...)" for each in get_args(Scheme)])
        raise refuse("scheme", scheme, schemes)
    tol, note = _tolerance(tol), ""
    threads = _threads(threads)
    scheme = scheme or _default(rho_inf)
    if impacts == LOCATED and not isinstance(scheme, GeneralizedAlpha):
        given, remedy = type(scheme).__name__, "take GeneralizedAlpha"
        if control is not None:
            raise refuse("accuracy", control.accuracy, f"left out with {given}", f"{remedy}, or state h")
        raise refuse("impacts", impacts, f"'fixed' with {given}", remedy)
    if h is None and isinstance(scheme, VelocityVerlet):
        h = contact_time(model) / scheme.steps_per_contact
        note = f" of h = {h:.3g} s, 1/{scheme.steps_per_contact:g} of the shortest contact time"
    if h is None:
        raise refuse("h", h, "given", "accuracy=1e-6 finds steps, and so does VelocityVerlet")
    times = StepTimes(state.t if t0 is None else t0, step_sizes(h), state.h or 0.0)

    if model.open_boundaries and isinstance(scheme, SemiImplicit | Overdamped):
        name = model.open_boundaries[0].name
        allowed = f"GeneralizedAlpha or VelocityVerlet for bodies that come and go ({name})"
        raise refuse("scheme", scheme, allowed)

    def again(state: State, h: float) -> Stepper:
        return stepper(model, state, h, scheme, tol, threads, impacts, control)

    bounded = not isinstance(scheme, GeneralizedAlpha | MoreauJean)  # by contacts, or by their times
    return Run(again(state, times.size(first)), times, None if bounded else again, first), note


def stepper(
    model: Model,
    state: State,
    h: float,
    scheme: Scheme,
    tol: float,
    threads: int,
    impacts: str = FIXED,
    control: ErrorControl | None = None,
) -> Stepper:
    """The steps of a scheme from `state` on."""
    jumping = [type(each).__name__ for each in model.elements if isinstance(each, JumpingElement)]
    if jumping and not isinstance(scheme, Overdamped):
        raise refuse("scheme", type(scheme).__name__, f"Overdamped for cells that divide ({jumping[0]})")
    if isinstance(scheme, VelocityVerlet):
        return VerletStepper(model, state, h, threads)
    if isinstance(scheme, Overdamped | SemiImplicit):
        return ImplicitStepper(model, state, h, scheme)
    if isinstance(scheme, MoreauJean):
        return MoreauJeanStepper(model, state, h, scheme, tol)
    if control is not None:
        return AccurateStepper(model, state, h, scheme, control)
    kind = LocatedStepper if impacts == LOCATED else GeneralizedAlphaStepper
    found = kind(model, state, h, scheme, tol)
    found.threads = threads
    return found


def _default(rho_inf: float | None) -> GeneralizedAlpha:
    return GeneralizedAlpha() if rho_inf is None else GeneralizedAlpha(rho_inf)


def _threads(number: int) -> int:
    return integer("threads", number, 1, MOST, "more than the processors gain nothing")


def _tolerance(tol: float) -> float:
    tol = positive("tol", tol, "1e-10 is a good choice")
    if not 1e-14 <= tol <= 1e-3:
        raise refuse("tol", tol, "in [1e-14, 1e-3]", "below is rounding, above is no solution")
    return tol
