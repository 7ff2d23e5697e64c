"""Packed chunks: HDF5's readings of them, and remainders after a kill."""

import os
import struct

import h5py
import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.io import chunk_packing
from nsgalpha.io.file_repair import whole_parts
from nsgalpha.io.hdf5 import open_to_read
from nsgalpha.io.hdf5_structure import check_object, check_root, messages, opened
from nsgalpha.io.hdf5_tables import append_rows, no_rows
from nsgalpha.io.new_file import LIBRARY, new_file
from nsgalpha.io.open_file import VERSION, format_of
from tests.interface.test_restart import scene
from tests.io.kept import kept


def table(file, chunk=(7, 4, 3), tail=(10, 3), dtype="f8"):
    no_rows(file, "x", np.dtype(dtype), chunk, (None, *tail), tail)
    return file["x"]


@pytest.mark.parametrize("dtype", ["f8", "i4", "i1", "u4"])
@pytest.mark.parametrize("parts", [(7,), (3, 4), (1, 1, 30, 2), (50,), (14, 7, 1)])
def test_hdf5_reads_what_was_appended(tmp_path, dtype, parts):
    rng = np.random.default_rng(1)
    rows = (100 * rng.normal(size=(sum(parts), 10, 3))).astype(dtype)
    with h5py.File(tmp_path / "a.h5", "w", libver=LIBRARY) as file:
        data, count = table(file, dtype=dtype), 0
        for part in parts:
            append_rows(data, rows[count : count + part])
            count += part
            assert np.array_equal(data[:], rows[:count])
        with h5py.File(tmp_path / "packed.h5", "w", libver=LIBRARY) as other:
            chunk_packing.copy(file, other)
            assert np.array_equal(other["x"][:], rows)
            with h5py.File(tmp_path / "again.h5", "w", libver=LIBRARY) as again:
                chunk_packing.copy(other, again, {"x": count})
                assert not chunk_packing.is_packed(again, ["x"])
                append_rows(again["x"], rows)
                assert np.array_equal(again["x"][:], np.concatenate([rows, rows]))


def test_a_new_file_has_small_trees_of_chunks(tmp_path):
    rows = np.arange(5000.0).reshape(500, 10)
    with new_file(tmp_path / "a.h5") as file:
        no_rows(file, "x", np.dtype("f8"), (2, 10), (None, 10), (10,))
        append_rows(file["x"], rows)  # 250 chunks, a tree of three levels
    with opened(tmp_path / "a.h5") as data:
        (extension,) = data.unpack("Q", 20)
        assert dict(messages(data, extension))[0x13] == b"\0" + struct.pack("<3H", 4, 16, 4)
    check_root(tmp_path / "a.h5")
    with open_to_read(tmp_path / "a.h5") as file:
        check_object(tmp_path / "a.h5", h5py.h5o.get_info(file["x"].id).addr)
        assert np.array_equal(file["x"][:], rows)
    with pytest.raises(FileExistsError):
        new_file(tmp_path / "a.h5")


def test_a_run_of_two_balls_takes_little_room(tmp_path):
    model = ns.Model(gravity=(0, 0, -9.8))
    for x, v in ((-0.5, 2.0), (0.0, 0.0)):
        model.add_sphere(radius=0.03, mass=0.17, position=(x, 0.6 * x, 0.03), velocity=(v, 1.16 * v, 0))
    model.add(SphereSphere(among=model.spheres, mu=0.06, e_n=0.93))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    path = tmp_path / "two.h5"
    ns.simulate(model, t_end=1.5, h=1e-3, recording=ns.Recording(file=path, every=10))
    assert ns.load(path).position.shape == (151, 2, 3)
    assert path.stat().st_size < 85_000  # 196 kB with trees as HDF5 makes them


@pytest.mark.parametrize("size", [0, 1, 2, 3, 719, 720, 721, 200_001])
@pytest.mark.parametrize("kind", ["zeros", "ones", "noise"])
def test_the_checksum_is_that_of_hdf5(tmp_path, size, kind):
    """HDF5 refuses another one; here it writes its own."""
    noise = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    values = {"zeros": noise * 0, "ones": noise | 255, "noise": noise}[kind]
    if not size:
        assert chunk_packing.fletcher32(b"") == 0
        return
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("x", data=values, chunks=(size,), fletcher32=True)
        stored = data.id.read_direct_chunk((0,))[1]
    assert int.from_bytes(stored[-4:], "little") == chunk_packing.fletcher32(stored[:-4])


def test_noise_is_left_and_what_repeats_is_packed():
    noise = np.random.default_rng(1).normal(size=4096)
    assert 0.85 < len(chunk_packing.packed(chunk_packing.planes_of(noise))) / noise.nbytes < 1.0
    assert len(chunk_packing.packed(chunk_packing.planes_of(np.full(4096, 0.1)))) < 500


def test_whenever_it_is_killed_a_file_holds_what_was_complete(tmp_path, monkeypatch):
    """After every write the file, as a kill leaves it, has all complete rows."""
    rows = np.random.default_rng(1).normal(size=(40, 10, 3))
    path, seen, real = tmp_path / "a.h5", [], chunk_packing._write

    def look(data, corner, body):
        real(data, corner, body)
        copy = tmp_path / "copy.h5"
        copy.write_bytes(path.read_bytes())
        with h5py.File(copy) as file:
            seen.append(np.array_equal(file["x"][: len(done)], done))

    with h5py.File(path, "w", libver=LIBRARY) as file:
        data = table(file)
        monkeypatch.setattr(chunk_packing, "_write", look)
        done = rows[:0]
        for first in range(0, 40, 10):
            file.flush()
            done = rows[:first]
            append_rows(data, rows[first : first + 10])
    assert len(seen) > 3
    assert all(seen)


def two_balls():
    model = ns.Model(gravity=(0, 0, -9.8))
    model.add_sphere(radius=0.028575, mass=0.17, position=(-0.5, 0, 0.028575), velocity=(2, 0, 0))
    model.add_sphere(radius=0.028575, mass=0.17, position=(0, 0.02, 0.028575))
    table = model.add_plane(normal=(0, 0, 1))
    model.add(SphereSphere(among=model.spheres, mu=0.06, e_n=0.93))
    model.add(SpherePlane(model.spheres, table, mu=0.2))
    return model


def test_a_small_run_is_a_small_file(tmp_path):
    path = tmp_path / "run.h5"
    recording = ns.Recording(file=path, every=10)
    result = ns.simulate(two_balls(), t_end=1.5, h=1e-3, recording=recording)
    assert len(result.t) == 151
    assert path.stat().st_size < 180e3  # 1.5 MB before; the trees of 45 tables are 100 kB of it
    assert [each.name for each in tmp_path.iterdir()] == ["run.h5"]
    assert whole_parts(path)[1] == []
    longer = ns.resume(path, t_end=2.0)
    whole = ns.simulate(two_balls(), t_end=2.0, h=1e-3, record_every=10)
    assert np.array_equal(longer.position, whole.position)
    assert np.array_equal(longer.contacts.impulse, whole.contacts.impulse)
    assert path.stat().st_size < 220e3


def test_many_bodies_at_rest_take_little_room(tmp_path):
    path = tmp_path / "run.h5"
    model = ns.Model()
    for k in range(500):
        model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0), velocity=(0, 0, float(k == 7)))
    ns.simulate(model, t_end=0.2, h=1e-3, recording=ns.Recording(file=path))
    assert path.stat().st_size < 0.04 * 201 * 500 * 25 * 8


def test_the_memory_of_the_integrator_is_kept_where_a_run_goes_on(tmp_path):
    recording = ns.Recording(file=tmp_path / "run.h5")
    stored = ns.simulate(scene(), t_end=0.1, h=1e-3, recording=recording)
    whole = ns.simulate(scene(), t_end=0.1, h=1e-3)
    there = kept(stored.acceleration)
    assert there[-1]
    assert not there.all()
    assert np.array_equal(kept(stored.auxiliary), there)
    assert np.array_equal(np.asarray(stored.acceleration)[there], whole.acceleration[there])
    state = stored.state(50)
    assert state.acceleration is None
    assert state.auxiliary is None
    anew = ns.simulate(stored.model, t_end=0.06, h=1e-3, state=state)
    assert anew.position[-1] == pytest.approx(whole.position[60], abs=1e-5)


def test_the_format_has_a_number_of_its_own(tmp_path):
    recording = ns.Recording(file=tmp_path / "run.h5")
    ns.simulate(scene(), t_end=0.01, h=1e-3, recording=recording)
    with h5py.File(tmp_path / "run.h5") as file:
        assert format_of(file) == VERSION == 4


@pytest.mark.skipif(not hasattr(os, "link"), reason="needs hard links")
def test_a_file_with_two_names_keeps_them(tmp_path):
    path, other = tmp_path / "run.h5", tmp_path / "other.h5"
    ns.simulate(scene(), t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    other.hardlink_to(path)
    ns.resume(path, t_end=0.02)
    assert path.samefile(other)
    assert ns.load(other).t[-1] == pytest.approx(0.02)


def test_a_damaged_last_chunk_ends_a_continuation_in_the_error_of_damaged_files(tmp_path):
    """Behind a right checksum, so that the packed bytes alone say so."""
    whole = tmp_path / "whole.h5"
    ns.simulate(scene(), t_end=0.02, h=1e-3, recording=ns.Recording(file=whole))
    with h5py.File(whole) as file:
        found: list[str] = []
        file.visititems(lambda name, each: found.append(name) if isinstance(each, h5py.Dataset) else None)
        names = [name for name in found if file[name].chunks and chunk_packing.is_packed(file, [name])]
    assert len(names) > 5
    for name in names[::3]:
        path = tmp_path / "damaged.h5"
        path.write_bytes(whole.read_bytes())
        with h5py.File(path, "r+") as file:
            data = file[name]
            corner = (len(data) // data.chunks[0] * data.chunks[0], *(0 for _ in data.shape[1:]))
            stored = data.id.read_direct_chunk(corner)[1][: -chunk_packing.CHECKSUM]
            torn = stored[: len(stored) // 2]
            chunk_packing._write(data, corner, torn)
        with pytest.raises((OSError, ValueError), match="damaged"):
            ns.resume(path, t_end=0.03)
