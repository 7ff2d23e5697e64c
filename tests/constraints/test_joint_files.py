"""Result files with joints: a run equals its file, and continues to the bit."""

import dataclasses
import json
import os
from unittest import mock

import h5py
import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.io import hdf5_tables
from nsgalpha.io.file_repair import repair, whole_parts
from nsgalpha.io.hdf5_tables import STATES, read_text, write_text
from nsgalpha.io.model_description import describe, missing
from tests.constraints.jointed_models import H, chain, hammer, pendulum
from tests.io.kept import agree, kept

END = 320 * H


def same(a, b):
    """Whether two results hold the same numbers."""
    for name in (*STATES, "joints"):
        assert agree(b, a, name), name
    for name in ("start", "impulse", "wrench", "gap"):
        assert np.array_equal(getattr(a.contacts, name), getattr(b.contacts, name)), name


def into(path, every=1):
    return ns.Recording(file=path, every=every, seconds=1e-9)


@pytest.mark.parametrize("every", [1, 7])
def test_a_file_holds_what_the_run_would_have_returned(tmp_path, every):
    kept = ns.simulate(hammer(), t_end=END, h=H, record_every=every)
    stored = ns.simulate(hammer(), t_end=END, h=H, recording=into(tmp_path / "run.h5", every))
    assert kept.joints.shape == (len(kept.t), 9, 3)
    assert np.abs(kept.joints[:, :, 2]).max() > 0.1 or every > 1  # impacts
    same(kept, stored)
    same(kept, ns.load(tmp_path / "run.h5"))
    assert np.array_equal(ns.load(tmp_path / "run.h5").state(3).joints, kept.state(3).joints)


@pytest.mark.parametrize("build", [hammer, chain])
def test_a_run_goes_on_from_its_file_to_the_bit(tmp_path, build):
    whole = ns.simulate(build(), t_end=END, h=H, record_every=5)
    path = tmp_path / "run.h5"
    ns.simulate(build(), t_end=0.375 * END, h=H, recording=into(path, 5))
    same(whole, ns.resume(path, t_end=END))
    assert whole_parts(path)[1] == []


def test_a_run_that_was_killed_goes_on_to_the_bit(tmp_path):
    whole = ns.simulate(hammer(), t_end=END, h=H, record_every=3)
    path = tmp_path / "run.h5"
    child = os.fork()
    if not child:  # killed by itself, without a word, in the middle of the run
        stop = ns.StopWhen(lambda now: now.t > 0.5 * END and os._exit(9))
        ns.simulate(hammer(), t_end=END, h=H, recording=into(path, 3), watch=[stop])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert not ns.load(path).status.ok
    same(whole, ns.resume(path, t_end=END))


def test_all_joints_come_back_as_they_were_stated(tmp_path):
    model, path = chain(), tmp_path / "run.h5"
    assert not missing(describe(model))
    ns.simulate(model, t_end=3 * H, h=H, recording=into(path))
    found = ns.load(path).model
    assert json.dumps(describe(found)) == json.dumps(describe(model))
    for one, two in zip(model.joints, found.joints, strict=True):
        assert type(one) is type(two)
        assert one.name == two.name
        assert np.array_equal(one.points, two.points)
        assert np.array_equal(one.axes, two.axes)
        assert one.length == two.length


def test_a_joint_with_a_frame_that_a_script_moves_needs_the_model(tmp_path):
    def motion(t):
        w = 4.0 * np.pi
        return (0.1 * np.sin(w * t), 0, 0), (0.1 * w * np.cos(w * t), 0, 0)

    path = tmp_path / "run.h5"
    whole = ns.simulate(chain(motion), t_end=40 * H, h=H)
    ns.simulate(chain(motion), t_end=20 * H, h=H, recording=into(path))
    found = ns.load(path)
    assert len(found.model.joints) == 9
    assert found.state().joints.shape == whole.joints.shape[1:]
    with pytest.raises(ValueError, match=r"motion.* is not in the file; give resume\(path, model"):
        ns.resume(path, t_end=40 * H)
    with pytest.raises(ValueError, match=r"motion.*cannot be kept in a file"):
        ns.simulate(found.model, t_end=1.0, h=H)
    same(whole, ns.resume(path, t_end=40 * H, model=chain(motion)))


def test_another_model_is_refused(tmp_path):
    path = tmp_path / "run.h5"
    model, rod, _ = pendulum()
    ns.simulate(model, t_end=5 * H, h=H, recording=into(path))
    other, rod, _ = pendulum()
    other.joints.clear()
    with pytest.raises(ValueError, match="model: its joints differ"):
        ns.resume(path, t_end=10 * H, model=other)
    other.add(e.Spherical(None, rod, point=(0, 0, 0)))
    with pytest.raises(ValueError, match="model: its joints differ"):
        ns.resume(path, t_end=10 * H, model=other)
    ns.resume(path, t_end=10 * H, model=model)
    free = tmp_path / "free.h5"
    other.joints.clear()
    ns.simulate(other, t_end=5 * H, h=H, recording=into(free))
    with pytest.raises(ValueError, match="model: its joints differ"):
        ns.resume(free, t_end=10 * H, model=model)


def test_a_file_of_a_model_without_joints_is_as_before(tmp_path):
    model, _, _ = pendulum()
    model.joints.clear()
    path = tmp_path / "run.h5"
    result = ns.simulate(model, t_end=5 * H, h=H, recording=into(path))
    with h5py.File(path) as file:
        assert "joints" not in file["states"]
        assert "joints" not in json.loads(read_text(file["model"], "description", 1 << 20))
        assert "states/joints" not in json.loads(file["parts/tables"][:].tobytes())
    assert result.joints.shape == (6, 0, 3)
    assert result.state().joints is None


def test_damage_is_named_and_repaired(tmp_path):
    kept, path, whole = (tmp_path / f"{name}.h5" for name in ("kept", "run", "whole"))
    make = hdf5_tables.make_tables
    with mock.patch.object(hdf5_tables, "make_tables", lambda file, n, r, _: make(file, n, r, 4)):
        ns.simulate(hammer(), t_end=10 * H, h=H, recording=into(kept))
    ns.resume(kept, t_end=20 * H)
    ns.resume(kept, t_end=40 * H)
    with h5py.File(kept) as file:
        rows = file["states/joints"].id
        chunk = rows.get_chunk_info(rows.get_num_chunks() - 1)
    data = bytearray(kept.read_bytes())
    data[chunk.byte_offset + 40] ^= 0xFF
    path.write_bytes(data)
    assert "states/joints" in whole_parts(path)[1][0]
    with pytest.raises(OSError, match="states/joints"):
        np.asarray(ns.load(path).joints)
    count, joints = repair(path, whole), ns.load(kept).joints[:]
    assert 2 < count == len(ns.load(whole).joints) < len(joints)
    assert np.array_equal(ns.load(whole).joints, joints[:count])
    assert np.array_equal(ns.resume(whole, t_end=40 * H).joints, joints)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda joints: joints[0].update(record="os.system"), r"joints\[0\].*'os.system'.*one of the joints"),
        (lambda joints: joints[0].update(record="Force"), r"joints\[0\].*'Force'.*one of the joints"),
        (lambda joints: joints[0]["arguments"].update(axis=[0, 0, 0]), r"joints\[0\]: Revolute: axis"),
        (
            lambda joints: joints[0]["arguments"].update(b={"body": 7}),
            r"joints\[0\].b = 7: must be the number",
        ),
        (
            lambda joints: joints[0]["arguments"].update(b=None),
            r"joints\[0\]: Revolute: .*fixed to the ground",
        ),
        (lambda joints: joints.extend(joints * 9), r"states/joints = \(5, 5, 3\): must be one to 6 rows"),
        (lambda joints: joints.clear(), None),
    ],
)
def test_what_no_run_has_written_is_refused(tmp_path, change, says):
    path = tmp_path / "run.h5"
    model, _, _ = pendulum()
    ns.simulate(model, t_end=4 * H, h=H, recording=into(path))
    with h5py.File(path, "r+") as file:
        described = json.loads(read_text(file["model"], "description", 1 << 20))
        change(described["joints"])
        del file["model/description"]
        write_text(file["model"], "description", json.dumps(described))
    if says is None:
        assert ns.load(path).model.joints == []
        return
    with pytest.raises(ValueError, match=says) as caught:
        assert ns.load(path).model.joints
    assert "run.h5" in str(caught.value)


def test_a_state_of_a_file_starts_a_run(tmp_path):
    path = tmp_path / "run.h5"
    ns.simulate(hammer(), t_end=END, h=H, recording=into(path))
    found, whole = ns.load(path), ns.simulate(hammer(), t_end=END, h=H)
    k = int(np.flatnonzero(kept(found.acceleration)[:-1])[-1])  # the end of a part
    again = ns.step(found.model, found.state(k), H)
    for name in ("position", "rotation", "velocity", "joints", "auxiliary"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)[k + 1]), name
    anew = dataclasses.replace(found.state(80), joints=None, acceleration=None, auxiliary=None)
    assert ns.step(found.model, anew, H).position == pytest.approx(whole.position[81], abs=1e-5)
