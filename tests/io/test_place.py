"""A run returns its own result for any fate of its file."""

import os
import shutil
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import nsgalpha as ns
from nsgalpha.io.hdf5_tables import STATES
from tests.io.kept import agree

ROOT = Path(__file__).resolve().parents[2]
OVER = {"overwrite": True}


def balls(count):
    model = ns.Model(gravity=(0, 0, -9.81))
    for k in range(count):
        model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 9), velocity=(0, 0, k))
    return model


def run(path, count=1, meanwhile=None, t_end=0.05, **recording):
    """A run of so many balls into a file; `meanwhile` is called at t = 0.02 s, between two parts."""

    def look(now):
        if now.t == pytest.approx(0.02):
            meanwhile()
        return now.t

    watch = [ns.Sensor("look", look, every=5)] if meanwhile is not None else []
    recording = ns.Recording(file=path, seconds=1e-9, **recording)
    return ns.simulate(balls(count), t_end=t_end, h=1e-3, recording=recording, watch=watch)


def is_run(result, count):
    """Whether this is the whole run of so many balls."""
    whole = ns.simulate(balls(count), t_end=0.05, h=1e-3)
    for name in STATES:
        assert agree(result, whole, name), name
    assert len(result.stats.contacts) == 50


def saved(result, path):
    """The file that the status of a result names in the place of `path`."""
    place = Path(result.status.message.rpartition(" is in '")[2].rstrip("'"))
    assert place != path
    assert place.parent == path.parent
    return place


@pytest.mark.parametrize("happened", ["nested", "copied", "text"])
def test_a_file_that_is_replaced_during_a_run_does_not_replace_its_result(tmp_path, happened):
    path, inner = tmp_path / "run.h5", []

    def meanwhile():
        if happened == "nested":
            inner.append(run(path, count=3, overwrite=True))
        elif happened == "copied":  # the same run, but older
            shutil.copy(path, tmp_path / "copy")
            (tmp_path / "copy").replace(path)
        else:
            path.unlink()
            path.write_text("notes")

    before = run(path, count=2) if happened == "nested" else None
    result = run(path, meanwhile=meanwhile, overwrite=True)
    is_run(result, 1)
    assert result.status.ok
    place = saved(result, path)
    found = ns.load(place)
    is_run(found, 1)
    assert found.status == result.status
    assert f"finished at t = 0.05 s after 50 steps; its file {str(path)!r} was replaced" in str(found.status)
    if happened == "nested":
        is_run(inner[0], 3)
        is_run(ns.load(path), 3)
        assert str(inner[0].status) == "finished at t = 0.05 s after 50 steps"
        with pytest.raises(OSError, match="another run by now"):
            before.position[0]
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, place.name])
    assert len(ns.resume(place, t_end=0.1).t) == 101


def test_a_file_that_is_deleted_during_a_run_loses_nothing(tmp_path):
    path = tmp_path / "run.h5"
    result = run(path, meanwhile=path.unlink)
    is_run(result, 1)
    assert "was deleted meanwhile" in result.status.message
    assert os.listdir(tmp_path) == [saved(result, path).name]


def test_a_folder_that_is_deleted_during_a_run_loses_nothing(tmp_path):
    path = tmp_path / "a" / "b" / "run.h5"
    path.parent.mkdir(parents=True)
    result = run(path, meanwhile=lambda: shutil.rmtree(tmp_path / "a"))
    is_run(result, 1)
    assert [name for name in os.listdir(tmp_path) if name.startswith("run-")]


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_file_that_is_moved_during_a_run_is_found(tmp_path, what, overwrite):
    folder = tmp_path / "here"
    folder.mkdir()
    path, new = folder / "run.h5", tmp_path / "there"
    old = path if what == "file" else folder
    result = run(path, meanwhile=lambda: old.rename(new), overwrite=overwrite)
    is_run(result, 1)
    assert "was moved meanwhile" in result.status.message
    moved = new if what == "file" else new / "run.h5"
    is_run(ns.load(moved), 1)
    if sys.platform == "linux":  # two names of one file
        assert moved.samefile(saved(result, path if what == "file" else folder))


def test_a_run_that_goes_on_in_a_file_that_is_deleted_loses_nothing(tmp_path):
    path = tmp_path / "run.h5"
    run(path, t_end=0.01)

    def look(now):
        if now.t == pytest.approx(0.02):
            path.unlink()
        return now.t

    result = ns.resume(path, t_end=0.05, watch=[ns.Sensor("look", look, every=5)])
    is_run(result, 1)
    assert "was deleted meanwhile" in result.status.message


def test_an_error_of_a_run_whose_file_is_gone_brings_its_result(tmp_path):
    path = tmp_path / "run.h5"

    def meanwhile():
        path.unlink()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        run(path, meanwhile=meanwhile)
    assert len(caught.value.result.t) == 21
    assert "interrupted by KeyboardInterrupt at t = 0.02 s" in caught.value.result.status.message
    assert "was deleted meanwhile" in caught.value.result.status.message


def test_data_that_cannot_be_saved_are_an_error_that_says_so(tmp_path, monkeypatch):
    path = tmp_path / "run.h5"

    def fails(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.pread", fails)
    with pytest.raises(OSError, match=r"run\.h5'.*deleted.*could not be saved as .*No space left"):
        run(path, meanwhile=path.unlink)
    assert os.listdir(tmp_path) == []


def test_a_nested_run_that_is_first_keeps_its_file(tmp_path):
    """A visit at the start comes before the first part and the file's name."""
    path, inner = tmp_path / "run.h5", []

    def first(now):
        if not inner:
            inner.append(run(path, count=3))
        return 0.0

    recording = ns.Recording(file=path)
    with pytest.raises(FileExistsError, match="written by another run since this one began") as caught:
        ns.simulate(balls(1), t_end=0.05, h=1e-3, recording=recording, watch=[ns.Sensor("s", first)])
    assert caught.value.result.position.shape == (1, 1, 3)
    is_run(inner[0], 3)
    assert os.listdir(tmp_path) == ["run.h5"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_threads_that_write_to_one_path_keep_their_results(tmp_path, overwrite):
    path, found, start = tmp_path / "run.h5", {}, threading.Barrier(2)

    def work(count):
        start.wait()
        try:
            found[count] = run(path, count, overwrite=overwrite)
        except FileExistsError as error:
            found[count] = error

    threads = [threading.Thread(target=work, args=(count,)) for count in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = [count for count, result in found.items() if isinstance(result, FileExistsError)]
    assert len(refused) == (0 if overwrite else 1)
    for count in found.keys() - refused:
        is_run(found[count], count)


SECOND = """
    import sys
    import nsgalpha as ns
    from tests.io.test_place import is_run, run

    def meanwhile():
        print("first", flush=True)
        assert sys.stdin.readline() == "go on\\n"

    result = run(sys.argv[1], meanwhile=meanwhile, overwrite=True)
    is_run(result, 1)
    print(result.status, flush=True)
"""


def test_processes_that_write_to_one_path_keep_their_results(tmp_path):
    path = tmp_path / "run.h5"
    command = [sys.executable, "-c", textwrap.dedent(SECOND), str(path)]
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    with subprocess.Popen(command, **options) as process:
        assert process.stdout.readline() == "first\n"
        with pytest.raises(FileExistsError, match="overwrite"):
            run(path, count=2)
        is_run(run(path, count=2, overwrite=True), 2)
        out, _ = process.communicate("go on\n", timeout=60)
    assert process.returncode == 0
    assert "was replaced meanwhile" in out
    is_run(ns.load(path), 2)
    assert len(os.listdir(tmp_path)) == 2


def test_a_link_in_the_place_of_a_draft_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in (".run.h5.draft", "run.h5.draft", ".nsgalpha-run.h5"):
        (tmp_path / name).symlink_to(victim)
    is_run(run(tmp_path / "run.h5"), 1)
    assert victim.read_text() == "precious"
    assert not (tmp_path / "run.h5").is_symlink()


def test_drafts_are_made_where_nobody_else_may_write(tmp_path, monkeypatch):
    seen, opened = [], Path.open

    def look(path, mode="r", **options):
        if mode not in ("r", "rb") and path.suffix == ".h5":
            folder = path.parent
            seen.append((folder, mode, stat.S_IMODE(folder.stat().st_mode), os.listdir(folder)))
        return opened(path, mode, **options)

    monkeypatch.setattr(Path, "open", look)
    for _ in range(2):
        run(tmp_path / "run.h5", overwrite=True)
    assert [(mode, rights, there) for _, mode, rights, there in seen] == [
        ("xb", 0o700, [])
    ] * 4  # packed, too
    assert len({folder for folder, *_ in seen}) == 4
    assert all(folder.parent == tmp_path for folder, *_ in seen)


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [None, 0o600, 0o400, 0o664, 0o4755])
def test_a_file_that_is_overwritten_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "run.h5"
    if mode is not None:
        path.write_text("old")
        path.chmod(mode)
    is_run(run(path, overwrite=True), 1)
    assert stat.S_IMODE(path.stat().st_mode) == (0o640 if mode is None else mode & 0o777)


def test_a_file_that_is_saved_keeps_its_mode(tmp_path):
    path = tmp_path / "run.h5"
    path.write_text("old")
    path.chmod(0o600)
    result = run(path, meanwhile=path.unlink, overwrite=True)
    assert stat.S_IMODE(saved(result, path).stat().st_mode) == 0o600


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_file_is_refused_at_once(tmp_path, overwrite):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    for path in (pipe, link):
        with pytest.raises(ValueError, match=r"must be a file; this is a device, a pipe or a socket"):
            ns.Recording(file=path, overwrite=overwrite)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_a_link_is_replaced_and_what_it_names_is_left(tmp_path):
    target, link, nowhere = (tmp_path / name for name in ("target", "link", "nowhere"))
    target.write_text("precious")
    link.symlink_to(target)
    nowhere.symlink_to(tmp_path / "none")
    for path in (link, nowhere):
        with pytest.raises(FileExistsError, match="overwrite"):
            run(path)
        is_run(run(path, overwrite=True), 1)
        assert not path.is_symlink()
    assert target.read_text() == "precious"
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("taken", [False, True])
def test_a_file_system_without_hard_links_will_do(tmp_path, monkeypatch, taken):
    path = tmp_path / "run.h5"

    def no_links(self, target):
        if taken:
            path.write_text("precious")
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    if taken:
        with pytest.raises(FileExistsError, match="since this one began"):
            run(path)
        assert path.read_text() == "precious"
    else:
        is_run(run(path), 1)
    assert os.listdir(tmp_path) == ["run.h5"]


def test_long_names_have_drafts_and_are_saved(tmp_path):
    path = tmp_path / ("ä" * 120 + ".h5")
    is_run(run(path, meanwhile=path.unlink), 1)
    assert len(os.listdir(tmp_path)) == 1


def test_a_file_that_is_replaced_between_two_looks_is_not_gone_on_with(tmp_path, monkeypatch):
    from nsgalpha.io import run_file

    path, other = tmp_path / "run.h5", tmp_path / "other.h5"
    run(path)
    run(other, count=2)
    load = run_file.load

    def replaced(name):
        found = load(name)
        other.replace(path)
        return found

    monkeypatch.setattr(run_file, "load", replaced)
    with pytest.raises(OSError, match="replaced while it was opened"):
        ns.resume(path, t_end=0.1)
    monkeypatch.undo()
    assert len(ns.load(path).t) == 51


def test_a_file_that_is_replaced_at_the_very_end_is_not_taken_for_the_run(tmp_path, monkeypatch):
    from nsgalpha.io import run_file

    path, other = tmp_path / "run.h5", tmp_path / "other.h5"
    run(other, count=2)
    load = run_file.load

    def replaced(name):
        if other.exists():
            other.replace(path)
        return load(name)

    monkeypatch.setattr(run_file, "load", replaced)
    result = run(path)
    is_run(result, 1)
    assert "was replaced meanwhile" in result.status.message
    is_run(load(path), 2)
