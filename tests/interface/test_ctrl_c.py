"""Ctrl-C ends a run at any time, and keeps its record."""

import random
import signal
import subprocess
from contextlib import contextmanager
from time import process_time

import pytest

import nsgalpha as ns
from tests.fresh_python import begin_python, run_python
from tests.interface.test_interrupted_runs import begins
from tests.interface.test_restart import scene
from tests.io.test_store import grains


@contextmanager
def struck_after(seconds):
    """A sensor that raises Ctrl-C after seconds of computing in a run."""
    before = signal.signal(signal.SIGVTALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))

    def see(now):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        return 0.0

    try:
        yield ns.Sensor("clock", see, times=[0.0])
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize(
    ("build", "scheme", "t_end", "h"),
    [
        (scene, None, 1.0, 1e-3),
        (lambda: scene(load=True, motion=True), None, 0.1, 1e-3),
        (lambda: grains(None)[0], ns.VelocityVerlet(), 0.1, 1e-4),  # some ten ticks of the timer
        pytest.param(lambda: grains(None)[0], ns.VelocityVerlet(), 0.2, 1e-4, marks=pytest.mark.long),
        (lambda: grains(None)[0], ns.SemiImplicit(), 0.01, 1e-4),
    ],
)
@pytest.mark.parametrize("kept", ["memory", "file"])
@pytest.mark.sampled(3)
def test_ctrl_c_at_any_time_leaves_whole_states(tmp_path, build, scheme, t_end, h, kept):
    """Wherever it strikes: in kernels, in between, while a part is written.

    The time until then halves after a trial that went past the compared run, and doubles after one without a
    step. The speed of the machine therefore decides no comparison.
    """
    model, rng = build(), random.Random(3)
    with struck_after(1e6) as clock:  # kernels are compiled
        ns.simulate(model, t_end=10 * h, h=h, scheme=scheme, watch=[clock])
    before = process_time()
    whole = ns.simulate(model, t_end=t_end, h=h, scheme=scheme)
    seconds, compared = process_time() - before, 0
    for trial in range(40):
        recording = ns.Recording(every=rng.choice([1, 7, 10**9]))
        if kept == "file":
            path = tmp_path / f"{trial}.h5"
            recording = ns.Recording(every=recording.every, file=path, seconds=rng.choice([1e-9, 1.0]))
        with struck_after(seconds * rng.random()) as clock, pytest.raises(KeyboardInterrupt) as caught:
            ns.simulate(model, t_end=1e3, h=h, scheme=scheme, recording=recording, watch=[clock])
        result = caught.value.result
        assert not result.status.ok
        assert len(result.stats.contacts) >= round(result.t[-1] / h)
        if result.t[-1] > t_end:
            seconds /= 2
            continue
        begins(result, whole, h, more=kept == "file")
        if result.t[-1] == 0.0:
            seconds *= 2
            continue
        compared += 1
        if compared == 4:
            return
    pytest.fail(f"{compared} of 40 trials struck within the steps that are compared")


CRASH = """
    import signal
    import nsgalpha as ns
    from tests.interface.test_ctrl_c import struck_after
    from tests.interface.test_restart import scene

    model = scene(load=True)
    ns.simulate(model, t_end=0.1, h=1e-3)
    for trial in range(40):
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
    """Functions pass to the kernels of every step; numba does not check for errors there."""
    run_python("-c", CRASH.partition("    for trial")[0])  # compiles, and says so
    run = run_python("-c", CRASH)
    assert (run.stdout, run.stderr) == ("alive\n", "")


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
@pytest.mark.sampled(2)
def test_ctrl_c_ends_a_script_that_loops_over_runs(tmp_path, options):
    path = tmp_path / "run.h5"
    with begin_python("-c", SCRIPT.format(options=options.format(path=path))) as process:
        assert process.stdout.readline() == "run 0\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
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
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
result = ns.simulate(scene(), t_end=1e3, h=1e-3)
result = sys.last_value.result
print(len(result.t) > 100, len(result.t) == len(result.stats.contacts) + 1, result.status)
"""


def test_an_interactive_session_finds_the_result_after_ctrl_c():
    with begin_python("-i", "-q", stdin=subprocess.PIPE) as process:
        out, err = process.communicate(INTERACTIVE, timeout=100)
    assert "True True interrupted by KeyboardInterrupt at t = " in out, err
