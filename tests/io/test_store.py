"""Result files: a run equals its file, also after a kill, and continues."""

import json
import os
import pickle
import signal
import subprocess

import h5py
import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.io.file_repair import repair
from nsgalpha.io.hdf5_tables import CONTACTS, STATES, read_text, write_text
from tests.fresh_python import begin_python, run_python
from tests.interface.test_restart import scene
from tests.io.kept import agree


def grains(scheme):
    """Compliant spheres whose laws have histories."""
    rng = np.random.default_rng(5)
    model = ns.Model(gravity=(0, 0, -9.81))
    for k in range(9):
        place = (0.019 * (k % 3), 0.019 * (k // 3), 0.001 * k)
        model.add_sphere(radius=0.01, mass=0.01, position=place, velocity=0.1 * rng.normal(size=3))
    normal = e.LudingNormal(
        stiffness=5e3, plastic_stiffness=1e3, adhesive_stiffness=1e2, plastic_depth=1e-3, damping=0.01
    )
    friction = e.LudingFriction(stiffness=200.0, tan_phi=0.3)
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=normal, tangential=friction))
    return model, scheme


def same(a, b):
    """Whether two results hold the same numbers."""
    for name in STATES:
        assert agree(a, b, name), name
    assert np.array_equal(a.contacts.start, b.contacts.start)
    for name in (*CONTACTS, "record"):
        assert np.array_equal(getattr(a.contacts, name), getattr(b.contacts, name)), name
    for name in ns.Statistics.__slots__:
        assert np.array_equal(getattr(a.stats, name), getattr(b.stats, name)), name
    assert len(a.histories) == len(b.histories)
    for one, two in zip(a.histories, b.histories, strict=True):
        for name in one.__slots__:
            assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert set(a.sensors) == set(b.sensors)
    for name, series in a.sensors.items():
        assert np.array_equal(series.t, b.sensors[name].t)
        assert np.array_equal(series.value, b.sensors[name].value)


@pytest.mark.parametrize("every", [1, 7])
def test_a_file_holds_what_the_run_would_have_returned(tmp_path, every):
    model = scene(count=60)
    kept = ns.simulate(model, t_end=0.1, h=1e-3, record_every=every)
    recording = ns.Recording(every=every, file=tmp_path / "run.h5", seconds=1e-9)
    stored = ns.simulate(model, t_end=0.1, h=1e-3, recording=recording)
    assert stored.status == kept.status == ns.load(tmp_path / "run.h5").status
    assert len(kept.contacts.record) > 10
    same(kept, stored)
    same(kept, ns.load(tmp_path / "run.h5"))
    assert stored.energy() == pytest.approx(kept.energy(), rel=1e-14)


@pytest.mark.parametrize("count", [5, 60])
@pytest.mark.parametrize("first", [0.03, 0.047])
def test_a_finished_run_goes_on_as_if_it_had_not_ended(tmp_path, count, first):
    path = tmp_path / "run.h5"
    whole = ns.simulate(scene(count=count), t_end=0.1, h=1e-3)
    ns.simulate(scene(count=count), t_end=first, h=1e-3, recording=ns.Recording(file=path))
    same(whole, ns.resume(path, t_end=0.1))


@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet(), ns.SemiImplicit()])
def test_a_run_with_histories_goes_on_too(tmp_path, scheme):
    model, scheme = grains(scheme)
    path = tmp_path / "run.h5"
    whole = ns.simulate(model, t_end=0.006, h=1e-4, scheme=scheme, record_every=10)
    assert len(whole.histories[3].pair) > 3
    recording = ns.Recording(file=path, every=10, seconds=1e-9)
    ns.simulate(model, t_end=0.003, h=1e-4, scheme=scheme, recording=recording)
    resumed = ns.resume(path, t_end=0.006)
    assert resumed.t == pytest.approx(whole.t, abs=1e-15)
    same(whole, resumed)
    assert len(resumed.compliant_contacts().gap) == len(whole.compliant_contacts().gap)


def test_a_scheme_that_names_bodies_is_in_the_file(tmp_path):
    model = ns.Model(gravity=(0, 0, -1))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0)) for k in range(3)]
    model.add(e.CompliantSphereSphere(among=balls, normal=e.ExudynNormal(stiffness=1e3)))
    scheme = ns.Overdamped([e.Drag(balls, translational=2.0, rotational=1.0)])
    whole = ns.simulate(model, t_end=1.0, h=0.1, scheme=scheme)
    path = tmp_path / "run.h5"
    ns.simulate(model, t_end=0.5, h=0.1, scheme=scheme, recording=ns.Recording(file=path))
    same(whole, ns.resume(path, t_end=1.0))


def test_stored_arrays_stand_for_arrays(tmp_path):
    model = scene()
    kept = ns.simulate(model, t_end=0.05, h=1e-3)
    stored = ns.simulate(model, t_end=0.05, h=1e-3, recording=ns.Recording(file=tmp_path / "run.h5"))
    a, b = kept.velocity, stored.velocity
    ball = model.bodies[2]
    keys = [
        -1,
        (slice(None), ball),
        (-1, ball, 2),
        (slice(None, None, -1), 0),
        ([3, 1], 2),
        (Ellipsis, 2),
        (slice(5, 900), slice(1, -1), slice(None, None, 2)),
        kept.t > 0.02,
        (slice(9, 3),),
    ]
    for key in keys:
        assert np.array_equal(a[key], b[key]), key
    with pytest.raises(IndexError):
        b[51]
    assert len(b) == 51
    assert (b.shape, b.ndim, b.size, b.dtype) == (a.shape, 3, a.size, a.dtype)
    assert np.array_equal(np.linalg.norm(b, axis=2), np.linalg.norm(a, axis=2))
    assert np.array_equal(2.0 * b - a**2, 2.0 * a - a**2)
    assert b.max() == a.max()
    assert [row[0, 0] for row in b] == [row[0, 0] for row in a]
    assert np.array_equal(pickle.loads(pickle.dumps(b)), a)
    assert (stored.contacts.status == "slip").sum() == (kept.contacts.status == "slip").sum()
    assert "(51, 5, 3)" in repr(b)


def test_contacts_may_be_left_out_and_the_run_goes_on_all_the_same(tmp_path):
    path = tmp_path / "run.h5"
    whole = ns.simulate(scene(count=60), t_end=0.1, h=1e-3)
    recording = ns.Recording(file=path, contacts=False)
    half = ns.simulate(scene(count=60), t_end=0.06, h=1e-3, recording=recording)
    assert len(half.contacts.at(-1).gap) == len(whole.contacts.at(60).gap) > 0
    assert len(half.contacts.at(30).gap) == 0
    resumed = ns.resume(path, t_end=0.1)
    for name in STATES:
        assert agree(resumed, whole, name), name
    rare = ns.simulate(scene(count=60), t_end=0.1, h=1e-3, recording=ns.Recording(contacts=False))
    same_forces, kept = rare.state().forces, whole.state().forces
    assert np.array_equal(same_forces.wrench, kept.wrench)


KILLED = """
    import os, signal, sys, time
    import numpy as np
    import nsgalpha as ns
    from tests.interface.test_restart import scene

    path, step, model = sys.argv[1], int(sys.argv[2]), scene()
    # a visit after every step: nearly all of the time is spent writing
    sensor = ns.Sensor("v", lambda now: now.state.velocity[0], every=1)
    ns.simulate(model, t_end=0.01, h=1e-3)
    for trial in range(0, 12, step):
        child = os.fork()
        if child == 0:
            recording = ns.Recording(file=f"{path}/{trial}.h5", seconds=1e-9)
            ns.simulate(model, t_end=1e3, h=1e-3, recording=recording, watch=[sensor])
        while not os.path.exists(f"{path}/{trial}.h5"):
            time.sleep(0.001)
        while len(ns.load(f"{path}/{trial}.h5").t) < 2 * trial:
            time.sleep(0.001)
        time.sleep(0.0013 * trial)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process that can be copied")
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_a_killed_run_keeps_its_file_and_goes_on_from_it(tmp_path, step):
    run_python("-c", KILLED, tmp_path, step)
    whole = ns.simulate(scene(), t_end=0.3, h=1e-3)
    recorded = []
    for trial in range(0, 12, step):
        path = tmp_path / f"{trial}.h5"
        found = ns.load(path)
        recorded.append(len(found.t))
        assert not found.status.ok
        assert "resume" in found.status.message
        assert len(found.sensors["v"].t) in (len(found.t), len(found.t) + 1)
        known = min(recorded[-1], len(whole.t))
        for name in STATES:
            assert agree(found, whole, name, known), name
        if found.t[-1] < 0.3 and trial % 3 == 0:
            same(whole, _without_sensors(_resumed(path, t_end=0.3)))
    assert max(recorded) > 10


def test_torn_rows_of_a_sensor_are_repaired_before_the_run_goes_on(tmp_path):
    path, sensor = tmp_path / "run.h5", ns.Sensor("v", lambda now: now.state.velocity[0], every=1)
    ns.simulate(scene(), t_end=0.05, h=1e-3, recording=ns.Recording(file=path), watch=[sensor])
    with h5py.File(path) as file:
        chunk = file["sensors/v/value"].id.get_chunk_info(0)
    with path.open("r+b") as file:
        file.seek(chunk.byte_offset + chunk.size // 2)
        file.write(bytes(chunk.size // 2))
    with pytest.raises(ValueError, match=r"damaged in the last rows of sensors/v/value; .* --repair"):
        ns.resume(path, t_end=0.1)
    whole = ns.simulate(scene(), t_end=0.1, h=1e-3)
    same(whole, _without_sensors(_resumed(path, t_end=0.1)))


def _resumed(path, t_end):
    """The run in a killed file, continued.

    A kill may tear the last rows of a sensor, which have no checksums: then the file is repaired first.
    """
    try:
        return ns.resume(path, t_end=t_end)
    except ValueError as error:
        refused = str(error)
    assert "damaged in the last rows of sensors/v/" in refused
    repaired = path.with_name(f"repaired_{path.name}")
    assert repair(path, repaired) > 0
    return ns.resume(repaired, t_end=t_end)


def _without_sensors(result):
    result.sensors.clear()
    return result


def test_a_run_that_goes_on_can_be_read(tmp_path):
    path = tmp_path / "run.h5"
    seen = []

    def look(now):
        if now.t > 0.02:
            script = f"import nsgalpha as ns; print(ns.load({str(path)!r}).t[-1])"
            seen.append(float(run_python("-c", script).stdout))
        return 0.0

    recording = ns.Recording(file=path, seconds=1e-9)
    ns.simulate(scene(), t_end=0.03, h=1e-3, recording=recording, watch=[ns.Sensor("look", look, every=15)])
    assert seen == [pytest.approx(0.015)]


def test_what_ends_with_an_error_keeps_its_file(tmp_path):
    def fails(now):
        raise RuntimeError("out of ink")

    path = tmp_path / "run.h5"
    watch = [ns.StopWhen(fails, every=20)]
    with pytest.raises(RuntimeError, match="ink"):
        ns.simulate(scene(), t_end=0.1, h=1e-3, recording=ns.Recording(file=path), watch=watch)
    found = ns.load(path)
    assert "RuntimeError" in found.status.message
    assert "ink" in found.status.message
    same(ns.simulate(scene(), t_end=0.1, h=1e-3), ns.resume(path, t_end=0.1))


def test_a_file_is_not_replaced_unless_asked(tmp_path):
    path = tmp_path / "run.h5"
    first = ns.simulate(scene(), t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    with pytest.raises(FileExistsError, match="overwrite"):
        ns.simulate(scene(), t_end=0.02, h=1e-3, recording=ns.Recording(file=path))
    assert len(first.position[:]) == 11
    second = ns.simulate(scene(), t_end=0.02, h=1e-3, recording=ns.Recording(file=path, overwrite=True))
    assert len(second.position[:]) == 21
    with pytest.raises(OSError, match="another run by now"):
        first.position[0]


def test_functions_of_a_script_must_be_given_again(tmp_path):
    path = tmp_path / "run.h5"
    whole = ns.simulate(scene(load=True, motion=True), t_end=0.1, h=1e-3)
    half = ns.simulate(scene(load=True, motion=True), t_end=0.05, h=1e-3, recording=ns.Recording(file=path))
    assert half.energy("kinetic")[-1] > 0.0  # all but the function is there
    with pytest.raises(ValueError, match=r"the function scene.*give resume\(.*model=\.\.\.\)"):
        ns.resume(path, t_end=0.1)
    with pytest.raises(ValueError, match="bodies differ"):
        ns.resume(path, t_end=0.1, model=scene(count=4, load=True, motion=True))
    other = scene(load=True, motion=True)
    other.elements[0] = e.SphereSphere(among=other.spheres, mu=0.1)
    with pytest.raises(ValueError, match="elements differ"):
        ns.resume(path, t_end=0.1, model=other)
    same(whole, ns.resume(path, t_end=0.1, model=scene(load=True, motion=True)))


def test_bad_files_are_refused(tmp_path):
    text, other = tmp_path / "text.h5", tmp_path / "other.h5"
    text.write_text("no file of this kind")
    with h5py.File(other, "w") as file:
        file["x"] = 1
    with pytest.raises(FileNotFoundError, match="no such file"):
        ns.load(tmp_path / "none.h5")
    with pytest.raises(OSError, match="no HDF5 file"):
        ns.load(text)
    with pytest.raises(OSError, match="not the file of a run"):
        ns.resume(other, t_end=1.0)
    with pytest.raises(ValueError, match="in a folder that exists"):
        ns.Recording(file=tmp_path / "no" / "run.h5")
    with pytest.raises(ValueError, match="this is a folder"):
        ns.Recording(file=tmp_path)
    path = tmp_path / "run.h5"
    ns.simulate(scene(), t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    with pytest.raises(ValueError, match="after the last recorded state"):
        ns.resume(path, t_end=0.01)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 99
        file.attrs["nsgalpha"] = "9.9"
    with pytest.raises(ValueError, match=r"nsgalpha 9\.9, which is later"):
        ns.load(path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 1
    for door in (ns.load, lambda path: ns.resume(path, t_end=1.0)):
        with pytest.raises(ValueError, match=r"run\.h5.*format_version = 1: must be in \[2, 4\]"):
            door(path)


def test_a_package_that_is_gone_is_named(tmp_path):
    path = tmp_path / "run.h5"
    ns.simulate(scene(), t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    with h5py.File(path, "r+") as file:
        text = read_text(file["model"], "description", 10**6).replace('"SpherePlane"', '"Gone"')
        del file["model/description"]
        write_text(file["model"], "description", text)
    found = ns.load(path)
    assert found.position[:].shape == (11, 5, 3)
    with pytest.raises(ValueError, match=r"elements\[1\].*'Gone'.*installed"):
        found.model.elements  # noqa: B018


def test_another_process_that_writes_is_seen(tmp_path):
    path = tmp_path / "run.h5"
    ns.simulate(scene(), t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    script = (
        f"import h5py, sys; f = h5py.File({str(path)!r}, 'r+'); print('open', flush=True); sys.stdin.read()"
    )
    with begin_python("-c", script, stdin=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(OSError, match="another process is writing"):
            ns.resume(path, t_end=0.02)
        writer.send_signal(signal.SIGKILL)
    assert ns.resume(path, t_end=0.02).status.ok


def test_the_file_says_what_made_it(tmp_path):
    path = tmp_path / "run.h5"
    ns.simulate(scene(), t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    with h5py.File(path) as file:
        assert file.attrs["nsgalpha"].decode() == ns.__version__
        assert {"python", "numpy", "scipy", "numba", "h5py"} <= set(json.loads(file.attrs["packages"]))
        settings = json.loads(read_text(file, "settings", 10**6))
        assert (settings["h"], settings["tol"], settings["every"]) == (1e-3, 1e-10, 1)
        assert np.array_equal(file["model/bodies/radius"], np.full(5, 0.05))


def test_a_file_is_opened_without_the_solver(tmp_path):
    path = tmp_path / "run.h5"
    ns.simulate(scene(), t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    script = f"""
        import sys, numpy as np, nsgalpha as ns
        result = ns.load({str(path)!r})
        np.linalg.norm(result.velocity[:, 2], axis=1)
        before = "numba" in sys.modules
        print(before, len(result.model.elements), "numba" in sys.modules)
    """
    assert run_python("-c", script).stdout == "False 2 True\n"


def recorded(path):
    """Bytes of a file's content, before they are packed."""
    sizes = []
    with h5py.File(path) as file:
        file.visititems(lambda name, thing: sizes.append(getattr(thing, "nbytes", 0)))
    return sum(sizes)


def test_memory_does_not_grow_with_the_run(tmp_path):
    script = f"""
        import resource, nsgalpha as ns
        from tests.interface.test_restart import scene
        peak, model = [], scene()
        for k in range(200):
            model.add_sphere(radius=0.05, mass=1.0, position=(9, 0.2 * k, 0))
        for t_end in (0.2, 0.2, 3.0):
            recording = ns.Recording(file={str(tmp_path / "run.h5")!r}, overwrite=True)
            ns.simulate(model, t_end=t_end, h=1e-3, recording=recording)
            peak.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        print(peak[2] - peak[1])
    """
    run = run_python("-c", script)
    size = recorded(tmp_path / "run.h5") / 1024
    assert size > 60e3
    assert float(run.stdout) < 0.35 * size  # KiB


def test_models_of_planes_that_are_carried_and_of_primitives_come_back(tmp_path):
    model = ns.Model(gravity=(0, 0, -9.81))
    tray = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 1), name="tray")
    floor = model.add_plane(normal=(0, 0, 1), body=tray, name="floor")
    ball = model.add_sphere(radius=0.1, mass=0.1, position=(0, 0, 1.2), name="ball")
    model.add_primitive([(0, 0, 0), (1, 0, 0)], radius=0.01, carrier=tray, name="edge")
    model.add(e.SpherePlane(ball, floor, mu=0.3))
    path = tmp_path / "run.h5"
    whole = ns.simulate(model, t_end=0.1, h=1e-3)
    ns.simulate(model, t_end=0.05, h=1e-3, recording=ns.Recording(file=path))
    found = ns.load(path).model
    assert [body.name for body in found.bodies] == ["tray", "ball"]
    assert found.planes[0].body is found.bodies[0]
    assert found.primitives[0].carrier is found.bodies[0]
    assert np.array_equal(found.bodies[1].inertia, ball.inertia)
    with pytest.raises(ValueError, match="edge"):
        found.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0), name="edge")
    same(whole, ns.resume(path, t_end=0.1))
