"""Damage of a result file that checksums miss, or HDF5 does not survive."""

import re
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.io import chunk_packing
from nsgalpha.io.file_repair import repair, whole_parts
from nsgalpha.io.new_file import LIBRARY
from tests.fresh_python import run_python
from tests.interface.test_restart import scene


@pytest.fixture
def path(originals, tmp_path):
    return shutil.copy(originals["hard"], tmp_path / "hard.h5")


def as_while_rows_are_added(path, name, row=-1):
    """Store the chunk with a row as during a run; returns its first row."""
    with h5py.File(path) as file, h5py.File(path.with_suffix(".new"), "w", libver=LIBRARY) as new:
        rows, step = len(file[name]), file[name].chunks[0]
        chunk_packing.copy(file, new, {name: range(rows)[row]})
    path.with_suffix(".new").replace(path)
    return range(rows)[row] // step * step


def chunks(path, name):
    """Places and sizes of the chunks of a table."""
    with h5py.File(path) as file:
        data = file[name].id
        found = [data.get_chunk_info(k) for k in range(data.get_num_chunks())]
    return [(each.byte_offset, each.size) for each in sorted(found, key=lambda each: each.chunk_offset)]


def overwrite(path, place, content):
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)


@pytest.mark.parametrize("byte", [b"\0", b"\xff"])
@pytest.mark.parametrize("name", ["states/velocity", "contacts/gap", "statistics/capped"])
@pytest.mark.sampled(2)
def test_a_block_that_a_disk_has_lost_is_noticed(path, name, byte):
    group, _, column = name.partition("/")
    place, size = chunks(path, name)[40 if group == "states" else 1]  # which has row 40
    overwrite(path, place, byte * size)
    result = ns.load(path)
    owner = {"states": result, "contacts": result.contacts, "statistics": result.stats}[group]
    table = getattr(owner, column)
    for key in (slice(None), 40):
        with pytest.raises(OSError, match=rf"hard\.h5.*damaged in part \d.*{name}"):
            table[key]


@pytest.mark.parametrize("name", ["model/bodies/velocity", "settings", "filled", "sensors/height/value"])
def test_a_lost_block_of_what_has_no_parts_is_noticed(path, name):
    place, size = chunks(path, name)[0]
    overwrite(path, place, bytes(size))
    with pytest.raises(OSError, match=r"hard\.h5"):
        ns.resume(path, t_end=1.0) if name == "settings" else ns.load(path).sensors["height"].value[:]


def test_bytes_of_ones_are_no_zeros(path):
    # the sums of Fletcher are modulo 65535
    as_while_rows_are_added(path, "statistics/capped")
    for place, size in chunks(path, "statistics/capped")[-1:]:
        content = bytearray(path.read_bytes()[place : place + size])
        zeros = content.index(bytes(32))
        zeros += zeros % 2
        overwrite(path, place + zeros, b"\xff" * 16)
    with pytest.raises(OSError, match="damaged in part"):
        ns.load(path).stats.capped[:]


def test_a_chunk_in_the_place_of_another_is_noticed_when_the_table_is_read_or_the_run_goes_on(path):
    places = chunks(path, "states/velocity")
    (a, size), (b, _) = places[5], places[-1]
    content = path.read_bytes()
    overwrite(path, a, content[b : b + size])
    overwrite(path, b, content[a : a + size])
    damaged = r"hard\.h5.*damaged in part \d+ .*states/velocity"
    with pytest.raises(OSError, match=damaged):
        ns.load(path).velocity[:]
    with pytest.raises(OSError, match=damaged):
        np.asarray(ns.load(path).velocity)
    with pytest.raises(OSError, match=r"hard\.h5.*damaged in part \d+: states/velocity"):
        ns.resume(path, t_end=1.0)
    assert len(whole_parts(path)[1]) == 2


def test_times_of_another_part_are_noticed(path):
    (a, size), (b, _), *_ = chunks(path, "states/t")
    content = path.read_bytes()
    overwrite(path, a, content[b : b + size])
    with pytest.raises(OSError, match=r"hard\.h5.*states/t"):
        ns.load(path)


@pytest.mark.parametrize("name", ["states/velocity", "model/bodies/radius"])
@pytest.mark.parametrize("place", [0, 4])  # length of a chunk, mask of its filters
@pytest.mark.sampled(2)
def test_an_index_that_is_wrong_on_a_chunk_does_not_end_the_process(path, tmp_path, name, place):
    first, size = chunks(path, name)[0]
    content, velocity = bytearray(path.read_bytes()), ns.load(path).velocity[:]
    with h5py.File(path) as file:
        dimensions = file[name].ndim + 1
    entry = content.index(first.to_bytes(8, "little")) - 8 * (dimensions + 1)  # length(4) mask(4) corner(8n)
    assert int.from_bytes(content[entry : entry + 4], "little") == size
    for number in (0, 1) if place else (0, 5, size - 1):
        content[entry + place : entry + place + 4] = number.to_bytes(4, "little")
        path.write_bytes(content)
        script = "import sys, nsgalpha as ns; print(ns.load(sys.argv[1]).velocity[:].tobytes().hex())"
        run = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
        assert run.returncode in (0, 1), run.stderr
        if run.returncode == 0:  # read past the index, by the checksums of the parts
            assert run.stdout.strip() == velocity.tobytes().hex()
        else:
            assert "RefusedFile" in run.stderr.splitlines()[-1]


def test_repair_survives_a_damaged_index_of_chunks(path):
    # HDF5's copy of an object frees memory twice for some of these: in a separate process
    trees = [found.start() for found in re.finditer(rb"TREE\x01", path.read_bytes())][:12:6]
    script = """
        import sys; from pathlib import Path; from nsgalpha.io.file_repair import repair
        path, trees = Path(sys.argv[1]), eval(sys.argv[2])
        good, target, tried = path.read_bytes(), path.with_name('kept.h5'), 0
        for tree in trees:
            for place in (24, 31, 47, 48, 55):
                bad = bytearray(good); bad[tree + place] ^= 1; path.write_bytes(bad)
                try:
                    repair(path, target)
                except ValueError as error:
                    assert path.name in str(error), error
                finally:
                    target.unlink(missing_ok=True)
                    tried += 1
        print(tried)
    """
    assert run_python("-c", script, path, trees).stdout == "10\n"


def test_a_repair_that_fails_leaves_no_file(path, tmp_path):
    ((place, size),) = chunks(path, "model/bodies/mass")
    overwrite(path, place, bytes(size))
    with pytest.raises(ValueError, match=r"hard\.h5"):
        repair(path, tmp_path / "kept.h5")
    assert not (tmp_path / "kept.h5").exists()


def test_a_file_without_its_end_is_repaired_as_far_as_it_is_there(tmp_path):
    path, copy = tmp_path / "run.h5", tmp_path / "copy.h5"

    def copied(now):
        if now.t > 0.1 and not copy.exists():  # as a process leaves it that is killed
            copy.write_bytes(path.read_bytes())
        return 0.0

    recording = ns.Recording(file=path, seconds=1e-9)
    whole = ns.simulate(scene(), t_end=0.15, h=1e-3, recording=recording, watch=[ns.Sensor("c", copied, 1)])
    copy.write_bytes(copy.read_bytes()[:-3000])
    with pytest.raises(OSError, match=r"copy\.h5.*cut off.*--repair"):
        ns.load(copy)
    target = tmp_path / "kept.h5"
    states = repair(copy, target)
    assert 50 < states <= 102
    assert np.array_equal(ns.load(target).velocity[:], whole.velocity[:states])
    assert sorted(each.name for each in tmp_path.iterdir()) == ["copy.h5", "kept.h5", "run.h5"]


@pytest.mark.parametrize("name", ["contacts/gap", "statistics/capped"])
def test_a_chunk_torn_behind_the_rows_that_count_is_read_and_written_once_more(path, tmp_path, name):
    """As a kill leaves it: HDF5 refuses the chunk, whose other rows are whole."""
    whole = ns.load(shutil.copy(path, tmp_path / "whole.h5"))
    as_while_rows_are_added(path, name)
    with h5py.File(path) as file:
        rows, step = len(file[name]), file[name].chunks[0]
        assert file[name][:1].nbytes == file[name].dtype.itemsize
    assert rows % step > 0
    place, _ = chunks(path, name)[-1]
    overwrite(path, place + 7 + rows % step, b"\x5a")  # after the head of a stored block, of the first bytes
    with h5py.File(path) as file, pytest.raises(OSError, match="filter"):
        file[name][-1]
    found = ns.load(path)
    assert np.array_equal(found.velocity, whole.velocity)
    assert np.array_equal(found.velocity[-3:, 0], whole.velocity[-3:, 0])
    assert np.array_equal(found.velocity[-1], whole.velocity[-1])
    assert np.array_equal(found.contacts.gap, whole.contacts.gap)
    assert np.array_equal(found.stats.capped, whole.stats.capped)
    t_end = float(whole.t[-1]) + 0.02
    on, as_if = ns.resume(path, t_end=t_end), ns.resume(tmp_path / "whole.h5", t_end=t_end)
    assert np.array_equal(on.velocity, as_if.velocity)
    assert np.array_equal(on.contacts.gap, as_if.contacts.gap)
    assert whole_parts(path)[1] == []


def test_a_table_that_cannot_be_opened_costs_only_the_parts_that_are_in_it(path, tmp_path):
    # as a kill leaves it when the first rows are written
    whole = ns.load(path)
    places = chunks(path, "contacts/gap")
    content = path.read_bytes()
    tree = content.rfind(b"TREE\x01", 0, content.index(places[0][0].to_bytes(8, "little")))
    overwrite(path, tree, bytes(4))
    with pytest.raises(OSError, match=r"hard\.h5.*contacts/gap cannot be opened"):
        ns.load(path)
    states = repair(path, tmp_path / "kept.h5")
    assert 0 < states <= np.flatnonzero(np.diff(whole.contacts.start))[0] + 1
    assert np.array_equal(ns.load(tmp_path / "kept.h5").velocity[:], whole.velocity[:states])


@pytest.mark.parametrize("name", ["contacts/wrench", "contacts/gap"])
def test_a_table_whose_description_is_damaged_costs_only_the_parts_that_have_rows_in_it(path, tmp_path, name):
    # as a loss of power leaves it, when a table gets its first rows
    whole = ns.load(path)
    with h5py.File(path) as file:
        place = h5py.h5o.get_info(file[name].id).addr
    content = path.read_bytes()
    overwrite(path, place + 20, bytes([content[place + 20] ^ 0xFF]))
    with pytest.raises(OSError, match=rf"hard\.h5.*{name} cannot be opened"):
        ns.load(path)
    states = repair(path, tmp_path / "kept.h5")
    assert 0 < states <= np.flatnonzero(np.diff(whole.contacts.start))[0] + 1
    assert np.array_equal(ns.load(tmp_path / "kept.h5").velocity[:], whole.velocity[:states])
    kept = ns.resume(tmp_path / "kept.h5", t_end=float(whole.t[-1]))
    assert kept.status.ok
    assert len(kept.contacts.wrench[:]) > 0


def test_a_torn_list_of_parts_is_named_and_keeps_the_parts_before(path, tmp_path):
    with h5py.File(path) as file:
        rows, step = len(file["parts/filled"]), file["parts/filled"].chunks[0]
    first = as_while_rows_are_added(path, "parts/filled", -2)
    place, _ = chunks(path, "parts/filled")[first // step]
    for plane in range(8):  # of the bytes of the 4 numbers of the rows, after the head of a stored block
        overwrite(path, place + 7 + 4 * (plane * step + rows - 2 - first), b"\xff")
    parts, damage = whole_parts(path)
    assert parts == rows - 2
    assert all("parts/filled" in each for each in damage)
    with pytest.raises(OSError, match=r"hard\.h5.*damaged in .* parts/filled.*--repair"):
        ns.resume(path, t_end=1.0)
    repair(path, tmp_path / "kept.h5")
    assert ns.resume(tmp_path / "kept.h5", t_end=0.08).status.ok


@pytest.mark.timeout(60)
@pytest.mark.parametrize("size", [0, 2**64 - 8])
def test_a_damaged_heap_of_texts_is_refused_and_does_not_hang(path, size):
    with h5py.File(path, "r+") as file:
        file.attrs["status"] = "x" * 100
    content = bytearray(path.read_bytes())
    heap = content.index(b"GCOL")
    content[heap + 24 : heap + 32] = size.to_bytes(8, "little")  # of the first text
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"hard\.h5.*@status .*damaged heap of texts"):
        ns.load(path)


def test_texts_in_sound_heaps_are_read(path):
    with h5py.File(path, "r+") as file:
        file.attrs["run"] = "now" * 10000  # in a heap larger than others
        file.attrs["extra"] = ["more", "texts"]
    assert ns.load(path).status.ok
