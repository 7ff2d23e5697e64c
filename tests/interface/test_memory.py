"""What a run records is in memory once: while it runs, and when it becomes a result."""

import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from nsgalpha.run.growing import Growing, enlarge, fit

ROOT = Path(__file__).resolve().parents[2]

PEAK = """
    import sys
    import numpy as np
    import nsgalpha as ns
    from nsgalpha.run.result import Contacts, Result, Statistics
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
        return scene(count=60), {"t_end": 4.0}

    def moving():
        return scene(motion=True), {"t_end": 60.0}

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
@pytest.mark.parametrize("scene", ["grains", "moving", "measured"])
def test_a_run_needs_little_more_memory_than_its_result(scene):
    script = textwrap.dedent(PEAK)
    run = subprocess.run([sys.executable, "-c", script, scene], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    peak, size, held, named = map(int, run.stdout.split())
    assert size > 80e6
    assert peak < 1.3 * size + 15e6  # of code that is loaded meanwhile
    assert held == named  # no frames of planes, no room that is not used


def test_arrays_that_grow_keep_what_they_have():
    rng = np.random.default_rng(2)
    growing, blocks = Growing(np.empty(0), np.empty((0, 3, 2)), np.empty((0, 0), np.int64)), []
    for count in (1, 0, 5, 100, 3, 0, 1000):
        blocks.append((rng.normal(size=count), rng.normal(size=(count, 3, 2)), np.zeros((count, 0), int)))
        growing.extend(*blocks[-1])
    growing.append(0.5, np.ones((3, 2)), np.empty(0))
    expected = [
        np.concatenate([*column, last])
        for column, last in zip(
            zip(*blocks, strict=True), ([0.5], np.ones((1, 3, 2)), np.zeros((1, 0), int)), strict=True
        )
    ]
    for found, copy, whole in zip(growing.fitted(), growing.copies(), expected, strict=True):
        assert np.array_equal(found, whole)
        assert np.array_equal(copy, whole)
        assert not np.shares_memory(found, copy)
        assert found.base is None
    assert len(growing) == 1110


def test_arrays_that_are_cut_are_written_over():
    growing = Growing(np.empty(0))
    growing.extend(np.arange(10.0))
    growing.cut(4)
    growing.cut(7)
    growing.append(9.0)
    assert growing.copies()[0].tolist() == [0.0, 1.0, 2.0, 3.0, 9.0]


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
