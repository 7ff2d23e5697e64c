"""The loop over the steps of a run, and the result after an error.

A step that cannot be solved and the end of memory are ends of a run: the status of its result says so. Errors
of the user's functions and of the disk, and Ctrl-C, are raised. A script that continues with half of a run
would be wrong. They carry the result, see docs/how-to/status.md.
"""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter

from tqdm import tqdm

from nsgalpha.jit.compile_messages import begun
from nsgalpha.linalg import Substituted
from nsgalpha.run.bond_images import BondImages
from nsgalpha.run.energy_growth import EnergyGrowth
from nsgalpha.run.recording import Recording
from nsgalpha.run.redundant_joints import of_measured
from nsgalpha.run.result import Result
from nsgalpha.run.run_progress import Run
from nsgalpha.run.step_stability import StepStability
from nsgalpha.run.watchers import NEVER, WatcherVisits
from nsgalpha.stepping.interrupts import serve
from nsgalpha.stepping.status import NONE, Status, StepRemarks, finished, interrupted, stopped, unsound

LOOK = 0.2  # seconds between two updates of the progress bar, and of the state that is kept for Ctrl-C
AHEAD = 65536  # most steps between them
PATIENCE = 1.5  # seconds before a progress bar appears


def drive(
    run: Run,
    end: float,
    recording: Recording,
    visits: WatcherVisits,
    note: str,
    progress: bool,
    *,
    troubles: StepRemarks = NONE,
    resumed: bool = False,
) -> Result:
    """All steps to the first at or after `end`, with the visits that are due.

    `note` is the status's remark on the step, `troubles` are those before, see Run; the state from which a
    run is `resumed` was recorded and visited before.
    """
    substituted = Substituted.patterns
    steps = max(run.times.first_at(end), run.step + 1)
    recorder, joints = run.recorder, run.system.joints
    redundant = str(of_measured(run.system)) if joints.factor.missing.any() else ""
    recorder.recording, recorder.visits, recorder.steps = recording, visits, run.step
    energy_growth = EnergyGrowth(run.system, run.state(), run.times.most, run.stepper.has_inertia)
    bonds = BondImages(run.system)
    stability = StepStability(run.system, run.times.most, run.stepper.explicit)
    recorder.watchers = [run.unseen.look, energy_growth.look, bonds.look, stability.look]
    try:
        if visits.watch:
            run.impulse()  # they are added up from here on
        if not resumed:
            if visits.due(0) == 0:
                visits.see(run.system.model, 0, run.state(), recorder.last()[1], run.impulse())
            recorder.hand_over(now=True)
        status = _steps(run, end, steps, min(recording.every, NEVER), visits, progress)
        if status is None:
            recorder.show()
            slow = Substituted.remark if Substituted.patterns > substituted else ""
            # polygons that push grains through from behind give them energy at any step
            growth = "" if run.unseen.gave_energy else str(energy_growth) or str(stability)
            remarks = "; ".join(filter(None, (redundant, str(run.unseen), growth, slow)))
            status = finished(run.t, run.step, run.troubles.after(troubles), note, remarks)
        return run.result(unsound(status, run.unseen.passage, bonds))
    except BaseException as error:
        result = _recorded(run, error)
        if result is not None and isinstance(error, MemoryError):
            return result
        raise


def _steps(
    run: Run, end: float, steps: int, every: int, visits: WatcherVisits, progress: bool
) -> Status | None:
    """The planned `steps` to the time `end` [s]; the status of a run that ends before."""
    recorder, done, chunk = run.recorder, run.step, 32
    with tqdm(
        total=steps, initial=done, disable=None if progress else True, delay=PATIENCE, unit="step"
    ) as bar:
        while done < steps:
            serve()
            clock, before = perf_counter(), done
            planned = min(steps, done + (chunk if run.control is None else 1), visits.due(done + 1))
            run.plan(planned, every)
            done, failure = run.advance(done, planned)
            bar.total = steps = max(run.times.first_at(end), done)  # steps may end early
            begun()
            bar.update(done - before)
            if failure is not None:
                return failure
            if visits.due(done) == done:
                reason = visits.see(run.system.model, done, *recorder.last(), run.impulse())
                if reason:
                    return stopped(run.t, done, reason)
            if done == planned and done % every and done < steps:
                recorder.set_aside()
            recorder.hand_over()
            pace = (done - before) / (perf_counter() - clock)
            chunk = max(1, min(AHEAD, 4 * chunk, int(LOOK * pace)))
    return None


def _recorded(run: Run, error: BaseException) -> Result | None:
    """The result of a run that `error` has ended, attached to the error, or None."""
    step = run.times.nearest
    try:
        result = run.recorder.cut_short(step, lambda t: interrupted(t, step(t), error))
    except Exception as second:
        error.add_note(f"What the run had recorded could not be kept: {type(second).__name__}: {second}")
        return None
    with suppress(AttributeError, TypeError):  # of an error whose attributes are fixed
        error.result = result  # type: ignore[attr-defined]
        error.add_note(
            f"The run was {result.status}.\nThis error has its result so far: `except ... as error: "
            "error.result`, in an interactive session sys.last_value.result."
        )
    return result
