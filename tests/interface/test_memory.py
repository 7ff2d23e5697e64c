"""Records are in memory once, also in a result; out of memory is a status."""

import sys
from itertools import pairwise

import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.run import growable_array
from nsgalpha.run.growable_array import GrowableArray, enlarge, fit
from tests.fresh_python import run_python
from tests.interface.test_interrupted_runs import begins
from tests.interface.test_restart import scene

PEAK = """
    import sys
    import numpy as np
    import nsgalpha as ns
    from nsgalpha.run.run_records import Contacts, Statistics
    from nsgalpha.run.result import Result
    from tests.interface.test_restart import scene

    def kilobytes(name):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name))

    def size(thing):
        if isinstance(thing, np.ndarray):
            return thing.nbytes
        if isinstance(thing, dict):
            return sum(map(size, thing.values()))
        if isinstance(thing, Result | Contacts | Statistics | ns.Series):
            return sum(size(getattr(thing, name)) for name in thing.__slots__ if name != "model")
        return 0

    def whole(thing):
        return thing if thing.base is None else whole(thing.base)

    def grains():
        return scene(count=60), {"t_end": 8.0}

    def moving():
        return scene(motion=True), {"t_end": 120.0}

    def measured():
        model = ns.Model(gravity=(0, 0, -9.81))
        for k in range(3):
            model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 1e6))
        return model, {"t_end": 15.0, "watch": [ns.Sensor("v", lambda now: np.tile(now.state.velocity, 100))]}

    model, options = locals()[sys.argv[1]]()
    ns.simulate(model, h=1e-3, **options | {"t_end": 0.1})
    before = kilobytes("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak is now
    result = ns.simulate(model, h=1e-3, **options)
    peak = kilobytes("VmHWM") - before
    some = result.position, result.contacts.impulse, result.stats.contacts
    held, named = sum(whole(array).nbytes for array in some), sum(map(size, some))
    print(1024 * peak, size(result), held, named)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is that of Linux")
@pytest.mark.parametrize(
    "kind", ["grains", *(pytest.param(each, marks=pytest.mark.long) for each in ("moving", "measured"))]
)
def test_a_run_needs_little_more_memory_than_its_result(kind):
    # without this, glibc keeps blocks of up to 32 MB on its heap, where growing copies them and leaves holes
    run = run_python("-c", PEAK, kind, environment={"MALLOC_MMAP_THRESHOLD_": "131072"})
    peak, size, held, named = map(int, run.stdout.split())
    assert size > 100e6
    # a fourth by which arrays grow, and code that is loaded meanwhile
    assert peak < 1.25 * size + 15e6
    assert held == named  # no frames of planes, no unused memory


def test_arrays_that_grow_keep_what_they_have():
    rng = np.random.default_rng(2)
    growable_array, blocks = GrowableArray(np.empty(0), np.empty((0, 3, 2)), np.empty((0, 0), np.int64)), []
    for count in (1, 0, 5, 100, 3, 0, 1000):
        blocks.append((rng.normal(size=count), rng.normal(size=(count, 3, 2)), np.zeros((count, 0), int)))
        growable_array.extend(*blocks[-1])
    growable_array.append(0.5, np.ones((3, 2)), np.empty(0))
    expected = [
        np.concatenate([*column, last])
        for column, last in zip(
            zip(*blocks, strict=True), ([0.5], np.ones((1, 3, 2)), np.zeros((1, 0), int)), strict=True
        )
    ]
    for found, copy, whole in zip(growable_array.fitted(), growable_array.copies(), expected, strict=True):
        assert np.array_equal(found, whole)
        assert np.array_equal(copy, whole)
        assert not np.shares_memory(found, copy)
        assert found.base is None
    assert len(growable_array) == 1110


def test_arrays_that_are_cut_are_written_over():
    growable_array = GrowableArray(np.empty(0))
    growable_array.extend(np.arange(10.0))
    growable_array.cut(4)
    growable_array.cut(7)
    growable_array.append(9.0)
    assert growable_array.copies()[0].tolist() == [0.0, 1.0, 2.0, 3.0, 9.0]


def test_arrays_grow_by_a_fourth_and_are_fitted():
    arrays = [np.empty(0), np.empty((0, 2))]
    sizes = []
    for rows in range(1, 1000):
        if rows > len(arrays[0]):
            enlarge(arrays, rows)
            sizes.append(len(arrays[0]))
    assert len(sizes) < 30
    assert all(later <= 1.25 * size + 8 for size, later in pairwise(sizes))
    fit(arrays, 3)
    assert [array.shape for array in arrays] == [(3,), (3, 2)]


@pytest.mark.parametrize("kept", ["memory", "file"])
@pytest.mark.parametrize("at", [1, 2, 5, 9])
def test_a_run_without_memory_ends_with_what_it_has(tmp_path, monkeypatch, kept, at):
    model = scene(count=60)
    whole = ns.simulate(model, t_end=0.3, h=1e-3)
    enlarge, count = growable_array.enlarge, []
    monkeypatch.setattr("nsgalpha.run.recorder.BLOCK_BYTES", 1e3)

    def fails(arrays, rows):
        count.append(rows)
        if len(count) == at:
            arrays[-1].resize((rows + 7, *arrays[-1].shape[1:]), refcheck=False)  # not all of them
            raise MemoryError
        enlarge(arrays, rows)

    monkeypatch.setattr("nsgalpha.run.growable_array.enlarge", fails)
    monkeypatch.setattr("nsgalpha.run.recorder.enlarge", fails)
    recording = ns.Recording(file=tmp_path / "run.h5", seconds=1e9) if kept == "file" else None
    result = ns.simulate(model, t_end=0.3, h=1e-3, recording=recording)
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
    size, _, status = run_python("-c", LIMITED).stdout.partition(" ")
    assert int(size) > 10e6
    assert status.startswith("out of memory at t = ")
