"""Result files and watchers in hard cases: errors, odd values, several writers."""

import os
from functools import partial

import h5py
import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.io import atomic_file
from nsgalpha.io.model_description import missing, plain
from nsgalpha.io.model_reader import Reader
from tests.interface.test_restart import scene
from tests.interface.test_watch import falling_ball
from tests.io.test_store import same


def short(path, t_end=0.05, **options):
    recording = ns.Recording(file=path, **options.pop("recording", {}))
    return ns.simulate(
        options.pop("model", None) or scene(), t_end=t_end, h=1e-3, recording=recording, **options
    )


def test_contacts_are_left_out_of_parts_without_states(tmp_path):
    result = short(tmp_path / "run.h5", recording={"every": 1000, "contacts": False, "seconds": 1e-9})
    assert result.t.tolist() == [0.0, 0.05]


def test_whole_numbers_and_floats_of_numpy_are_settings(tmp_path):
    options = {"every": np.int64(5), "seconds": np.float32(1.0), "contacts": np.True_}
    short(tmp_path / "run.h5", recording=options)
    assert len(ns.resume(tmp_path / "run.h5", t_end=0.1).t) == 21
    assert ns.Recording(every=5.0).every == 5
    assert isinstance(ns.Recording(every=5.0).every, int)


def test_an_enormous_every_records_start_and_end():
    assert len(ns.simulate(scene(), t_end=0.05, h=1e-3, record_every=2**62).t) == 2


def test_a_scheme_calculates_in_double_precision():
    for scheme in (ns.GeneralizedAlpha(np.float32(0.7)), ns.SemiImplicit(np.float32(0.7))):
        value = scheme.rho_inf if isinstance(scheme, ns.GeneralizedAlpha) else scheme.implicitness
        assert type(value) is float


@pytest.mark.parametrize(
    "quantity",
    [
        lambda now: max(0, now.t - 0.02),  # 0 and then floats
        lambda now: now.t > 0.02 or 0.5,
        lambda now: now.state.position.T,
        lambda now: np.zeros((2, 0)),
        lambda now: np.float32(now.t),
    ],
)
@pytest.mark.sampled(3)
def test_a_sensor_writes_what_it_keeps_in_memory(tmp_path, quantity):
    sensor = ns.Sensor("s", quantity, every=1)
    kept = ns.simulate(scene(), t_end=0.05, h=1e-3, watch=[sensor])
    stored = short(tmp_path / "run.h5", watch=[sensor], recording={"seconds": 1e-9})
    same(kept, stored)
    assert kept.sensors["s"].value.dtype == stored.sensors["s"].value.dtype == float


def test_a_run_before_time_zero_keeps_the_last_measurement(tmp_path):
    start = scene().initial_state()
    start = ns.State(-1.0, start.position, start.rotation, start.velocity, start.angular_velocity)
    sensor = ns.Sensor("t", lambda now: now.t, every=1)
    whole = ns.simulate(scene(), t_end=-0.9, h=1e-3, state=start, watch=[sensor])
    short(tmp_path / "run.h5", t_end=-0.95, state=start, watch=[sensor])
    same(whole, ns.resume(tmp_path / "run.h5", t_end=-0.9, watch=[sensor]))


def test_a_resume_that_is_refused_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "run.h5"
    sensor = ns.Sensor("t", lambda now: now.t, every=1)
    short(path, watch=[sensor])
    before = path.read_bytes()
    with pytest.raises(ValueError, match="after the last recorded state"):
        ns.resume(path, t_end=0.01)
    with pytest.raises(ValueError, match="two sensors"):
        ns.resume(path, t_end=0.1, watch=[sensor, sensor])
    assert path.read_bytes() == before
    assert ns.load(path).status.ok


def test_a_resumed_run_that_fails_at_once_repeats_no_state(tmp_path):
    def build(bad):
        model = scene()
        model.add_load(lambda t, s: np.full((5, 3), np.nan if bad and t > 0.0235 else 0.0))
        return model

    path = tmp_path / "run.h5"
    stop = ns.StopWhen(lambda now: now.t > 0.0225)
    short(path, model=build(bad=False), watch=[stop], recording={"every": 7})
    failed = ns.resume(path, t_end=0.05, model=build(bad=True))
    assert not failed.status.ok
    assert failed.t == pytest.approx([0.0, 0.007, 0.014, 0.021, 0.023])
    done = ns.resume(path, t_end=0.05, model=build(bad=False))
    whole = ns.simulate(build(bad=False), t_end=0.05, h=1e-3)
    assert np.array_equal(done.position[-1], whole.position[-1])
    assert np.array_equal(done.stats.contacts, whole.stats.contacts)


def test_the_status_of_a_resumed_run_counts_the_troubles_before(tmp_path):
    path = tmp_path / "run.h5"
    short(path, recording={"seconds": 1e-9})
    with h5py.File(path, "r+") as file:
        file["statistics/capped"][0] = 1  # in the first part; the last one is verified
        file["statistics/capped"][2] = 1
    assert "in 2 steps impacts reached their cap" in ns.resume(path, t_end=0.1).status.message


def test_a_load_at_rest_is_no_impact_where_a_run_goes_on(tmp_path):
    model, hits = falling_ball(height=0.0), []
    watch = [ns.OnImpact(hits.append)]  # g h is more than its threshold
    recording = ns.Recording(file=tmp_path / "run.h5")
    half = ns.simulate(model, t_end=0.5, h=1e-2, watch=watch, recording=recording)
    first = len(hits)
    ns.resume(tmp_path / "run.h5", t_end=1.0, watch=watch)
    ns.simulate(model, t_end=1.0, h=1e-2, watch=watch, state=half.state(50))
    assert len(hits) == first == 1


def test_a_callback_reads_the_file_of_its_own_run(tmp_path):
    path, seen = tmp_path / "run.h5", []

    def look(now):
        seen.append(len(ns.load(path).position[:]) if now.t > 0.0 else 0)
        return seen[-1]

    short(path, watch=[ns.Sensor("n", look, every=10)], recording={"seconds": 1e-9})
    assert seen[0] == 0
    assert seen[1:] == sorted(seen[1:])
    assert seen[-1] > 1


def test_a_file_has_one_writer_in_a_process(tmp_path):
    path = tmp_path / "run.h5"

    def resume(now):
        if now.t > 0.03:
            ns.resume(path, t_end=1.0)
        return False

    with pytest.raises(OSError, match="open already in this process"):
        short(path, watch=[ns.StopWhen(resume)], recording={"seconds": 1e-9})
    same(ns.simulate(scene(), t_end=0.05, h=1e-3), ns.resume(path, t_end=0.05))


def test_a_run_that_ends_before_its_first_part_leaves_nothing(tmp_path):
    def fails(now):
        raise RuntimeError("out of ink")

    path = tmp_path / "run.h5"
    path.write_text("precious")
    with pytest.raises(RuntimeError, match="ink"):
        short(path, watch=[ns.Sensor("s", fails)], recording={"overwrite": True})
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["run.h5"]


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(OSError, match=r"file = .*x\.h5.*cannot be written"):
        short(tmp_path / ("x" * 300 + "x.h5"))


def test_a_disk_that_is_nearly_full_ends_the_run_and_not_the_file(tmp_path, monkeypatch):
    path, free = tmp_path / "run.h5", [1e9] * 5
    monkeypatch.setattr(
        atomic_file, "disk_usage", lambda folder: type("Usage", (), {"free": free.pop(0) if free else 1e6})
    )
    watch = [ns.Sensor("t", lambda now: now.t, every=5)]
    with pytest.raises(OSError, match="make room and resume"):
        short(path, watch=watch, recording={"seconds": 1e-9})
    assert "make room" in ns.load(path).status.message
    monkeypatch.undo()
    resumed = ns.resume(path, t_end=0.05, watch=watch)
    same(ns.simulate(scene(), t_end=0.05, h=1e-3, watch=watch), resumed)


def test_a_result_knows_its_file_from_every_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stored = short("run.h5")
    monkeypatch.chdir("/")
    assert stored.position[:].shape == (51, 5, 3)


def test_a_stored_array_is_no_truth_and_is_not_changed(tmp_path):
    speed = short(tmp_path / "run.h5").velocity
    with pytest.raises(ValueError, match="ambiguous"):
        bool(speed)
    assert speed[3, 2, 1] in speed
    assert np.inf not in speed
    with pytest.raises(ValueError, match="cannot be changed"):
        speed += 1.0
    total = np.zeros(speed.shape)
    total += speed
    assert np.array_equal(total, speed)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="copy=False asks for less there")
def test_a_stored_array_is_never_the_same_memory(tmp_path):
    with pytest.raises(ValueError, match="copy = False"):
        np.asarray(short(tmp_path / "run.h5").velocity, copy=False)


def pulled(t, state, *, gain):
    return -gain * state.velocity


def test_loads_of_importable_modules_are_missing_and_given_again(tmp_path):
    def build(gain=0.3):
        model = scene()
        model.add_load(partial(pulled, gain=gain))
        return model

    whole = ns.simulate(build(), t_end=0.1, h=1e-3)
    short(tmp_path / "run.h5", model=build())
    assert "partial" in ns.load(tmp_path / "run.h5").model.loads[0].text
    with pytest.raises(ValueError, match=r"partial.*give resume\(.*model"):
        ns.resume(tmp_path / "run.h5", t_end=0.1)
    same(whole, ns.resume(tmp_path / "run.h5", t_end=0.1, model=build()))


def test_what_cannot_be_described_is_missing():
    for value in (
        np.array([1j]),
        np.array(["a"]),
        np.array([None]),
        lambda: 0,
        1j,
        {3},
        {"a": 1},
        Gains(1.0),
    ):
        assert missing(plain([value])), value
    values = np.float32(0.1), np.array([[1, 2], [3, 4]], np.int8), -np.inf, (1, (2.0, "a", None, True))
    for value in values:
        found = Reader().read(plain(value), "value")
        assert np.array_equal(found, value) if isinstance(value, np.ndarray) else found == value
        assert type(found) is type(value)


class Gains:
    def __init__(self, gain):
        self.gain = gain


def test_a_model_with_nan_is_the_model_of_its_file(tmp_path):
    def build():
        model = scene()
        model.add_load(partial(pulled, gain=np.array([0.5])))
        model.loads[0].keywords["unused"] = np.array([np.nan])
        model.loads[0] = partial(pulled_too, **model.loads[0].keywords)
        model.add_load(lambda t, s: 0.0 * s.velocity)
        return model

    whole = ns.simulate(build(), t_end=0.1, h=1e-3)
    short(tmp_path / "run.h5", model=build())
    same(whole, ns.resume(tmp_path / "run.h5", t_end=0.1, model=build()))


def pulled_too(t, state, *, gain, unused):
    return -gain * state.velocity


def test_sensors_have_names_that_a_file_can_hold():
    for name in (".", "a\0b", "a/b"):
        with pytest.raises(ValueError, match="name ="):
            ns.Sensor(name, abs)


def test_elements_with_floats_of_less_precision_go_on_identically(tmp_path):
    model = scene(count=10)
    model.elements.clear()
    model.add(SphereSphere(among=model.spheres, mu=np.float32(0.2), e_n=np.float16(0.3)))
    model.add(SpherePlane(model.spheres, model.planes[0], mu=np.float32(0.3)))
    whole = ns.simulate(model, t_end=0.1, h=1e-3)
    short(tmp_path / "run.h5", model=model)
    same(whole, ns.resume(tmp_path / "run.h5", t_end=0.1))
