"""A run that is left by an error keeps its record."""

import dataclasses
import os

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha.io.hdf5_tables import CONTACTS, STATES
from tests.interface.test_restart import scene
from tests.interface.test_watch import falling_ball
from tests.io.kept import agree
from tests.io.test_store import grains, same

H = 1e-3


class OutOfInkError(RuntimeError):
    """No error that the package raises itself."""


def begins(part, whole, h=H, *, more=False):
    """True if a cut run holds only first states of the `whole` one.

    A file may know `more` steps than those to its last state.
    """
    rows = np.rint((part.t - whole.t[0]) / h).astype(int)
    for name in STATES:
        assert agree(part, dataclasses.replace(whole, **{name: getattr(whole, name)[rows]}), name), name
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
    for k in range(len(part.histories))[-3:]:
        history, row = part.histories[k], rows[k]
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
    from nsgalpha.io.run_file import RunFile

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
    from nsgalpha.io.atomic_file import FilePlace

    def fails(self):
        raise OSError("no")

    monkeypatch.setattr(FilePlace, "publish", fails)
    with pytest.raises(OSError, match="no") as caught:
        ns.simulate(scene(), t_end=0.1, h=H, recording=ns.Recording(file=tmp_path / "run.h5"))
    assert caught.value.result.t.tolist() == [0.0]
    assert os.listdir(tmp_path) == []


def test_a_result_that_cannot_be_kept_is_a_note(tmp_path, monkeypatch):
    from nsgalpha.io.run_file import RunFile

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
