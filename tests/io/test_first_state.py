"""The first state of a run: alone in its file, with another run's forces."""

import os
import signal

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha.io.hdf5_tables import STATES
from tests.fresh_python import run_python
from tests.interface.test_restart import scene
from tests.io.test_store import same

KILLED = """
    import os, signal, sys
    import nsgalpha as ns
    from nsgalpha.io.run_file import RunFile
    from tests.interface.test_restart import scene
    from tests.io.test_first_state import at_rest, watchers

    append = RunFile.append

    def killed(self, part):
        append(self, part)
        os.kill(os.getpid(), signal.SIGKILL)

    RunFile.append = killed
    start = at_rest().state() if sys.argv[2] == "forces" else None
    model = scene(count=60) if start is not None else scene()
    recording = ns.Recording(file=sys.argv[1])
    ns.simulate(model, t_end=0.2, h=1e-3, recording=recording, state=start, watch=watchers([]))
"""


def at_rest():
    """Grains with forces between them."""
    return ns.simulate(scene(count=60), t_end=0.125, h=1e-3)


def watchers(impacts):
    """Sensors of values that unwritten memory would spoil."""
    return [
        ns.Sensor("contacts", lambda now: len(now.contacts.gap), every=1),
        ns.Sensor("impulse", lambda now: np.abs(now.contacts.impulse).sum(), every=1),
        ns.Sensor("wrench", lambda now: np.abs(now.contacts.wrench).sum(), times=[0.0, 0.05, 0.125, 0.15]),
        ns.OnImpact(impacts.append),
    ]


def killed(path, begun):
    """A file of a run that was killed when it had written its first part."""
    run_python("-c", KILLED, path, begun, code=-signal.SIGKILL)
    assert len(ns.load(path).t) == 1


def test_a_file_of_the_start_alone_goes_on_with_its_sensors(tmp_path):
    path = tmp_path / "run.h5"
    killed(path, "at rest")
    assert os.listdir(tmp_path) == ["run.h5"]  # nothing is left beside it
    impacts, expected = [], []
    resumed = ns.resume(path, t_end=0.1, watch=watchers(impacts))
    whole = ns.simulate(scene(), t_end=0.1, h=1e-3, watch=watchers(expected))
    same(whole, resumed)
    assert len(impacts) == len(expected) > 0
    assert [impact.t for impact in impacts] == [impact.t for impact in expected]


def test_a_file_of_the_start_alone_goes_on_with_the_forces_of_the_start(tmp_path):
    path = tmp_path / "run.h5"
    killed(path, "forces")
    start = at_rest().state()
    whole = ns.simulate(scene(count=60), t_end=0.2, h=1e-3, state=start, watch=watchers([]))
    same(whole, ns.resume(path, t_end=0.2, watch=watchers([])))


def by_pair(forces):
    """The wrench of every contact."""
    b = np.where(forces.plane >= 0, -1, forces.b)
    pairs = zip(forces.a, b, forces.plane, strict=True)
    return dict(zip(pairs, forces.wrench.tolist(), strict=True))


def test_the_first_state_has_the_forces_with_which_it_was_begun(tmp_path):
    start = at_rest().state()
    assert len(start.forces.a) > 4
    for file in (None, tmp_path / "run.h5"):
        recording = ns.Recording(file=file, contacts=False)
        result = ns.simulate(scene(count=60), t_end=0.14, h=1e-3, state=start, recording=recording)
        assert len(result.contacts.at(-1).gap) > 4
    result = ns.simulate(scene(count=60), t_end=0.14, h=1e-3, state=start)
    assert by_pair(result.state(0).forces) == by_pair(start.forces)
    contacts = result.contacts.at(0)
    assert not contacts.impulse.any()  # sums of impulses over runs that follow one another are right
    assert not contacts.multipliers.any()
    assert set(contacts.status) == {"idle"}
    again = ns.simulate(scene(count=60), t_end=0.14, h=1e-3, state=result.state(0))
    for name in STATES:
        assert np.array_equal(getattr(result, name), getattr(again, name)), name


@pytest.mark.parametrize("at", [0.1255, 0.1505])
def test_the_last_state_before_a_failure_has_its_contacts_wherever_it_is(at):
    """Off the grid of recorded states, too: 125 and 150 are no multiples of 7."""

    def build():
        model = scene(count=60)
        wall = model.add_plane(
            normal=(1, 0, 0), offset=-5.0, motion=lambda t: ((np.nan if t > at else 0, 0, 0), (0, 0, 0))
        )
        model.add(SpherePlane(model.spheres, wall))
        return model

    every, rare = (ns.simulate(build(), t_end=0.2, h=1e-3, record_every=n) for n in (1, 7))
    assert not rare.status.ok
    assert rare.t[-1] == every.t[-1]
    a, b = (run.contacts.at(-1) for run in (every, rare))
    i, j = (np.lexsort((c.plane, c.body_b, c.body_a)) for c in (a, b))  # pairs are found at other times
    assert len(b.gap) > 4
    for name in ("body_a", "body_b", "plane", "status"):
        assert np.array_equal(getattr(a, name)[i], getattr(b, name)[j]), name
    for name in ("gap", "normal", "impulse", "wrench", "multipliers"):
        assert getattr(a, name)[i] == pytest.approx(getattr(b, name)[j], rel=1e-12, abs=1e-15), name
    on = [ns.simulate(scene(count=60), t_end=0.2, h=1e-3, state=run.state()) for run in (every, rare)]
    assert np.array_equal(on[0].position, on[1].position)
