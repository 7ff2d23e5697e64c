"""A run that is left by an error, by Ctrl-C or for want of memory keeps what it has recorded."""

import os
import random
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha.io.stored import CONTACTS, STATES
from nsgalpha.run import growing
from tests.interface.test_restart import scene
from tests.interface.test_watch import falling_ball
from tests.io.test_store import grains, same

ROOT = Path(__file__).resolve().parents[2]
H = 1e-3


class OutOfInkError(RuntimeError):
    """No error that the package raises itself."""


def begins(part, whole, h=H, *, more=False):
    """Whether a run that was cut short holds the first states of the `whole` one, and no more than these.

    A file may know `more` steps than those to its last state.
    """
    rows = np.rint((part.t - whole.t[0]) / h).astype(int)
    for name in STATES:
        assert np.array_equal(getattr(part, name)[:], getattr(whole, name)[rows]), name
    first, last = whole.contacts.start[rows], whole.contacts.start[rows + 1]
    assert np.array_equal(np.diff(part.contacts.start), last - first)
    contacts = np.concatenate([np.arange(*ends) for ends in zip(first, last, strict=True)])
    for name in CONTACTS:
        found, expected = (getattr(run.contacts, name)[:] for run in (part, whole))
        assert np.array_equal(found, expected[contacts]), name
    for name in ns.Statistics.__slots__:
        found = getattr(part.stats, name)[: rows[-1] if more else None]
        assert np.array_equal(found, getattr(whole.stats, name)[: rows[-1]]), name
    assert len(part.histories) == (len(rows) if len(whole.histories) else 0)
    for history, row in list(zip(part.histories, rows, strict=False))[-3:]:
        for name in history.__slots__:
            assert np.array_equal(getattr(history, name), getattr(whole.histories[row], name)), name


def with_load(build, last):
    """A model with a load that does nothing, and fails after the time `last` [s]."""
    model = build()

    def load(t, state):
        if t > last:
            raise OutOfInkError("no ink\nat all")
        return np.zeros_like(state.velocity)

    model.add_load(load)
    return model


@pytest.mark.parametrize(
    ("build", "options"),
    [
        (scene, {}),
        (lambda: scene(count=60), {}),
        (lambda: grains(None)[0], {}),
        (lambda: grains(None)[0], {"scheme": ns.VelocityVerlet()}),
        (lambda: grains(None)[0], {"scheme": ns.SemiImplicit()}),
    ],
)
def test_an_error_in_a_load_brings_the_run_before_it(build, options):
    h = 1e-4
    whole = ns.simulate(with_load(build, 1.0), t_end=0.01, h=h, **options)
    with pytest.raises(OutOfInkError) as caught:
        ns.simulate(with_load(build, 47.5 * h), t_end=0.01, h=h, **options)
    result = caught.value.result
    begins(result, whole, h)
    assert len(result.t) in (47, 48)  # loads are those at the end of the step, or at its start
    assert not result.status.ok
    steps = len(result.t) - 1
    expected = f"interrupted by OutOfInkError at t = {steps * h:g} s after {steps} steps: no ink at all"
    assert result.status.message == expected
    assert result.status.time == result.t[-1]
    assert expected in caught.value.__notes__[0]
    assert ".result" in caught.value.__notes__[0]


def test_the_result_of_an_error_goes_on():
    whole = ns.simulate(with_load(scene, 1.0), t_end=0.1, h=H)
    with pytest.raises(OutOfInkError) as caught:
        ns.simulate(with_load(scene, 0.0335), t_end=0.1, h=H)
    rest = ns.simulate(with_load(scene, 1.0), t_end=0.1, h=H, state=caught.value.result.state())
    assert rest.position[-1] == pytest.approx(whole.position[-1], rel=1e-11, abs=1e-11)


def fails_after(last, value=lambda now: now.t):
    """A function of a moment that fails after the time `last` [s]."""

    def function(now):
        if now.t > last:
            raise OutOfInkError("no ink")
        return value(now)

    return function


def stops_after(last):
    return ns.StopWhen(fails_after(last, value=lambda now: False))


def test_an_error_in_a_watcher_brings_the_run_and_what_was_measured():
    whole = ns.simulate(scene(), t_end=0.1, h=H, watch=[ns.Sensor("t", fails_after(1.0), every=3)])
    for every in (1, 7, 10**9):
        watch = [
            ns.Sensor("t", fails_after(1.0), every=3),
            ns.StopWhen(fails_after(0.0405, lambda now: False), every=2),
        ]
        with pytest.raises(OutOfInkError) as caught:
            ns.simulate(scene(), t_end=0.1, h=H, record_every=every, watch=watch)
        result = caught.value.result
        begins(result, whole)
        assert result.t[-1] == pytest.approx(0.042)  # the moment of the error, also where few are recorded
        assert np.array_equal(result.sensors["t"].value, whole.sensors["t"].value[:15])


def test_an_error_in_a_motion_brings_the_run():
    def build(last):
        def motion(t):
            if t > last:
                raise OutOfInkError("no ink")
            return (0, 0, 0.01 * np.sin(9 * t)), (0, 0, 0.09 * np.cos(9 * t))

        model = falling_ball()
        model.add(SpherePlane(model.spheres, model.add_plane(normal=(1, 0, 0), offset=-9.0, motion=motion)))
        return model

    whole = ns.simulate(build(9.0), t_end=0.5, h=H)
    with pytest.raises(OutOfInkError) as caught:
        ns.simulate(build(0.3), t_end=0.5, h=H)
    begins(caught.value.result, whole)
    assert len(caught.value.result.t) > 32  # motions are asked for all steps of a chunk at once


def test_a_chunk_of_steps_that_fails_leaves_the_state_before_it():
    whole = ns.simulate(with_load(scene, 1.0), t_end=0.1, h=H)
    with pytest.raises(OutOfInkError) as caught:
        ns.simulate(with_load(scene, 0.0605), t_end=0.1, h=H, record_every=10**6)
    result = caught.value.result
    begins(result, whole)
    assert len(result.t) == 2
    assert 0.032 - 1e-9 < result.t[1] < 0.061  # after the first chunk of steps, or a later one


def test_an_error_in_the_first_moment_brings_the_start():
    with pytest.raises(OutOfInkError) as caught:
        ns.simulate(scene(), t_end=0.1, h=H, watch=[ns.Sensor("t", fails_after(-1.0))])
    assert caught.value.result.t.tolist() == [0.0]
    assert len(caught.value.result.stats.contacts) == 0


def test_the_result_is_that_of_the_run_that_was_called():
    """A watcher runs another model, whose error passes through both."""

    def nested(now):
        ns.simulate(with_load(lambda: scene(count=3), 0.0105), t_end=0.1, h=H)

    with pytest.raises(OutOfInkError) as caught:
        ns.simulate(scene(count=5), t_end=0.1, h=H, watch=[ns.Sensor("nested", nested, times=[0.02])])
    assert caught.value.result.position.shape == (21, 5, 3)
    assert len(caught.value.__notes__) == 2


class FixedError(RuntimeError):
    """An error with a result that is not ours to set."""

    @property
    def result(self):
        return "fixed"


def test_an_error_that_takes_no_attribute_is_raised_as_it_is():
    def fails(now):
        raise FixedError("fixed")

    with pytest.raises(FixedError, match="fixed") as caught:
        ns.simulate(scene(), t_end=0.1, h=H, watch=[ns.Sensor("s", fails, times=[0.02])])
    assert not hasattr(caught.value, "__notes__")


def test_an_error_in_a_run_with_a_file_brings_all_that_was_recorded(tmp_path):
    whole = ns.simulate(scene(), t_end=0.1, h=H)
    recording = ns.Recording(file=tmp_path / "run.h5", seconds=1e9)  # no part is due
    with pytest.raises(OutOfInkError) as caught:
        ns.simulate(scene(), t_end=0.1, h=H, recording=recording, watch=[stops_after(0.0405)])
    result = caught.value.result
    begins(result, whole)
    assert len(result.t) == 42
    assert ns.load(tmp_path / "run.h5").status == result.status
    assert "interrupted by OutOfInkError at t = 0.041 s after 41 steps: no ink" in result.status.message
    same(whole, ns.resume(tmp_path / "run.h5", t_end=0.1))


def test_a_disk_that_fails_leaves_what_was_written(tmp_path, monkeypatch):
    from nsgalpha.io.store import RunFile

    append, count = RunFile.append, []

    def fails(self, part):
        count.append(len(part.states["t"]))
        if len(count) == 4:
            self.file["states/t"].resize(1000, axis=0)  # half of a part
            raise OSError("the disk is gone")
        append(self, part)

    whole = ns.simulate(scene(), t_end=0.1, h=H)
    monkeypatch.setattr(RunFile, "append", fails)
    watch = [ns.Sensor("t", lambda now: now.t, every=10)]
    recording = ns.Recording(file=tmp_path / "run.h5", seconds=1e-9)
    with pytest.raises(OSError, match="disk is gone") as caught:
        ns.simulate(scene(), t_end=0.1, h=H, recording=recording, watch=watch)
    result = caught.value.result
    begins(result, whole)
    assert len(result.t) == sum(count[:3])
    assert result.t[-1] == result.status.time


def test_a_file_that_cannot_be_begun_leaves_the_run_in_memory(tmp_path, monkeypatch):
    from nsgalpha.io.place import Place

    def fails(self):
        raise OSError("no")

    monkeypatch.setattr(Place, "publish", fails)
    with pytest.raises(OSError, match="no") as caught:
        ns.simulate(scene(), t_end=0.1, h=H, recording=ns.Recording(file=tmp_path / "run.h5"))
    assert caught.value.result.t.tolist() == [0.0]
    assert os.listdir(tmp_path) == []


def test_a_result_that_cannot_be_kept_is_a_note(tmp_path, monkeypatch):
    from nsgalpha.io.store import RunFile

    def fails(self, status):
        raise OSError("the disk is gone")

    monkeypatch.setattr(RunFile, "close", fails)
    with pytest.raises(OutOfInkError) as caught:
        ns.simulate(
            scene(),
            t_end=0.1,
            h=H,
            recording=ns.Recording(file=tmp_path / "run.h5"),
            watch=[stops_after(0.0405)],
        )
    assert "could not be kept: OSError: the disk is gone" in caught.value.__notes__[0]


@contextmanager
def struck_after(seconds):
    """A sensor that lets Ctrl-C strike so many seconds after it has seen the start of a run."""
    before = signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))

    def see(now):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return 0.0

    try:
        yield ns.Sensor("clock", see, times=[0.0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("build", "scheme", "t_end", "h"),
    [
        (scene, None, 1.0, 1e-3),
        (lambda: scene(load=True, motion=True), None, 0.1, 1e-3),
        (lambda: grains(None)[0], ns.VelocityVerlet(), 0.2, 1e-4),
        (lambda: grains(None)[0], ns.SemiImplicit(), 0.01, 1e-4),
    ],
)
@pytest.mark.parametrize("kept", ["memory", "file"])
def test_ctrl_c_at_any_time_leaves_whole_states(tmp_path, build, scheme, t_end, h, kept):
    """Wherever it strikes: in kernels, in between, while a part is written."""
    model, rng = build(), random.Random(3)
    ns.simulate(model, t_end=10 * h, h=h, scheme=scheme)
    begun = perf_counter()
    whole = ns.simulate(model, t_end=t_end, h=h, scheme=scheme)
    seconds, compared = perf_counter() - begun, 0
    for trial in range(6):
        recording = ns.Recording(every=rng.choice([1, 7, 10**9]))
        if kept == "file":
            path = tmp_path / f"{trial}.h5"
            recording = ns.Recording(every=recording.every, file=path, seconds=rng.choice([1e-9, 1.0]))
        with struck_after(seconds * rng.random()) as clock, pytest.raises(KeyboardInterrupt) as caught:
            ns.simulate(model, t_end=1e3, h=h, scheme=scheme, recording=recording, watch=[clock])
        result = caught.value.result
        assert not result.status.ok
        assert len(result.stats.contacts) >= round(result.t[-1] / h)
        if result.t[-1] <= t_end:
            begins(result, whole, h, more=kept == "file")
            compared += result.t[-1] > 0.0
    assert compared > 0


CRASH = """
    import signal
    import nsgalpha as ns
    from tests.interface.test_interrupted_runs import struck_after
    from tests.interface.test_restart import scene

    model = scene(load=True)
    ns.simulate(model, t_end=0.1, h=1e-3)
    for trial in range(60):
        try:
            with struck_after(0.005 + 4e-4 * trial) as clock:
                ns.simulate(model, t_end=1e3, h=1e-3, watch=[clock])
        except KeyboardInterrupt as error:
            assert error.result.t[-1] >= 0.0
        else:
            raise AssertionError
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print("alive")
"""


def test_ctrl_c_in_a_run_with_loads_does_not_end_the_interpreter():
    """Functions pass to the kernels of every step, and numba does not look whether that has raised."""
    script = textwrap.dedent(CRASH)
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "alive\n", "")


def test_a_program_that_handles_the_signal_itself_goes_on_to_do_so():
    struck = []
    before = signal.signal(signal.SIGINT, lambda number, frame: struck.append(number))
    try:
        with struck_after(0.01) as clock:
            stop = ns.StopWhen(lambda now: bool(struck))
            result = ns.simulate(scene(), t_end=1e3, h=1e-3, watch=[clock, stop])
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.status.ok
    assert struck == [signal.SIGINT]


SCRIPT = """
    import os, signal, sys, threading
    import nsgalpha as ns
    from tests.interface.test_restart import scene

    ns.simulate(scene(), t_end=0.01, h=1e-3)
    for k in range(1000):
        print("run", k, flush=True)
        ns.simulate(scene(), t_end=1e3, h=1e-3{options})
"""


@pytest.mark.parametrize("options", ["", ", recording=ns.Recording(file='{path}')"])
def test_ctrl_c_ends_a_script_that_loops_over_runs(tmp_path, options):
    path = tmp_path / "run.h5"
    script = textwrap.dedent(SCRIPT.format(options=options.format(path=path)))
    command = [sys.executable, "-c", script]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "run 0\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=100)
    assert process.returncode == -signal.SIGINT
    assert out == ""  # no second run
    assert "interrupted by KeyboardInterrupt at t = " in error
    assert "sys.last_value.result" in error
    if options:
        assert "interrupted by KeyboardInterrupt" in ns.load(path).status.message
        assert len(ns.load(path).t) > 1


INTERACTIVE = """\
import sys, os, signal, threading, nsgalpha as ns
from tests.interface.test_restart import scene
result = ns.simulate(scene(), t_end=0.01, h=1e-3)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
result = ns.simulate(scene(), t_end=1e3, h=1e-3)
result = sys.last_value.result
print(len(result.t) > 100, len(result.t) == len(result.stats.contacts) + 1, result.status)
"""


def test_an_interactive_session_finds_the_result_after_ctrl_c():
    command = [sys.executable, "-i", "-q"]
    run = subprocess.run(command, cwd=ROOT, input=INTERACTIVE, capture_output=True, text=True, timeout=100)
    assert "True True interrupted by KeyboardInterrupt at t = " in run.stdout, run.stderr


@pytest.mark.parametrize("kept", ["memory", "file"])
@pytest.mark.parametrize("at", [1, 2, 5, 9])
def test_a_run_without_memory_ends_with_what_it_has(tmp_path, monkeypatch, kept, at):
    model = scene(count=60)
    whole = ns.simulate(model, t_end=0.3, h=H)
    enlarge, count = growing.enlarge, []
    monkeypatch.setattr("nsgalpha.run.recorder.BLOCK_BYTES", 1e3)

    def fails(arrays, rows):
        count.append(rows)
        if len(count) == at:
            arrays[-1].resize((rows + 7, *arrays[-1].shape[1:]), refcheck=False)  # not all of them
            raise MemoryError
        enlarge(arrays, rows)

    monkeypatch.setattr("nsgalpha.run.growing.enlarge", fails)
    monkeypatch.setattr("nsgalpha.run.recorder.enlarge", fails)
    recording = ns.Recording(file=tmp_path / "run.h5", seconds=1e9) if kept == "file" else None
    result = ns.simulate(model, t_end=0.3, h=H, recording=recording)
    assert len(count) >= at
    begins(result, whole, more=kept == "file")
    assert not result.status.ok
    assert result.status.message.startswith(f"out of memory at t = {result.t[-1]:g} s after ")
    assert "Recording(every=...)" in result.status.message


LIMITED = """
    import resource, sys
    import numpy as np
    import nsgalpha as ns
    from tests.interface.test_restart import scene

    def small(now):
        return now.t

    model = scene()
    whole = ns.simulate(model, t_end=1.0, h=1e-3, watch=[ns.Sensor("t", small, every=100)])
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 120_000_000, -1))
    result = ns.simulate(model, t_end=1e4, h=1e-3, watch=[ns.Sensor("t", small, every=100)])
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    n = len(whole.t)
    assert np.array_equal(result.position[:n], whole.position)
    assert np.array_equal(result.contacts.impulse[: len(whole.contacts.gap)], whole.contacts.impulse)
    assert np.array_equal(result.contacts.status[: len(whole.contacts.gap)], whole.contacts.status)
    assert len(result.stats.contacts) == len(result.t) - 1
    assert len(result.contacts.gap) == result.contacts.start[-1]
    assert len(result.sensors["t"].t) - 1 == (len(result.t) - 1) // 100
    print(result.position.nbytes + result.contacts.wrench.nbytes, result.status)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_the_end_of_memory_is_the_end_of_a_run():
    script = textwrap.dedent(LIMITED)
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    size, _, status = run.stdout.partition(" ")
    assert int(size) > 10e6
    assert status.startswith("out of memory at t = ")
