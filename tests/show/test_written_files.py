"""Written files appear whole or not at all, for links, devices, odd names."""

import os
import stat
import subprocess
import sys

import pytest
from shown_runs import slide

from nsgalpha import show
from nsgalpha.show import picture_view
from nsgalpha.user_files import read_bytes, replacing, write_text

SIZE = (120, 90)
WRITERS = {
    "page.html": lambda path: show.viewer(slide(), path),
    "still.png": lambda path: show.still(slide(), path, size=SIZE),
    "film.gif": lambda path: show.film(slide(), path, size=SIZE, fps=2),
    "film.mp4": lambda path: show.film(slide(), path, size=SIZE, fps=2),
}


@pytest.fixture(params=WRITERS)
def writer(request, tmp_path):
    """A name, and the function that writes to it."""
    if request.param.endswith(".mp4"):
        pytest.importorskip("imageio_ffmpeg")
    return tmp_path / request.param, WRITERS[request.param]


def test_a_link_is_replaced_and_what_it_leads_to_is_left_alone(writer, tmp_path):
    path, write = writer
    kept = tmp_path / "kept"
    kept.write_bytes(b"mine")
    path.symlink_to(kept)
    write(path)
    assert kept.read_bytes() == b"mine"
    assert path.is_file()
    assert not path.is_symlink()


def test_a_file_keeps_its_mode_and_a_new_one_has_the_usual(writer):
    path, write = writer
    mask = os.umask(0)
    os.umask(mask)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o600)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_folder_or_a_missing_one_is_said_before_anything_is_drawn(writer, tmp_path):
    path, write = writer
    with pytest.raises(FileNotFoundError, match="its folder does not exist; make it, or name another one"):
        write(tmp_path / "nowhere" / path.name)
    path.mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"):
        write(path)


@pytest.mark.parametrize("failure", [OSError("disk"), KeyboardInterrupt(), MemoryError()])
def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path, failure):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail():
        with replacing(path) as draft:
            draft.write_text("half")
            raise failure

    with pytest.raises(type(failure)):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("name", ["film.gif", "film.mp4"])
def test_a_film_that_is_interrupted_leaves_the_old_one(tmp_path, monkeypatch, name):
    pytest.importorskip("imageio_ffmpeg")
    path, painted = tmp_path / name, []
    path.write_bytes(b"old")

    def interrupted(*arguments):
        painted.append(1)
        if len(painted) == 3:
            raise KeyboardInterrupt
        return paint(*arguments)

    paint = picture_view.paint
    monkeypatch.setattr(picture_view, "paint", interrupted)
    with pytest.raises(KeyboardInterrupt):
        show.film(slide(), path, size=SIZE, fps=10)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize(
    "name", ["-y.mp4", "http:x.mp4", "pipe:1.mp4", "concat:a|b.mp4", "a b;touch c.mp4", "%d.mp4", "$(x).mp4"]
)
def test_names_of_films_are_names(tmp_path, monkeypatch, name):
    pytest.importorskip("imageio_ffmpeg")
    monkeypatch.chdir(tmp_path)
    show.film(slide(), name, size=SIZE, fps=2)
    assert os.listdir(tmp_path) == [name]
    assert b"ftyp" in (tmp_path / name).read_bytes()[:12]


def test_a_draft_cannot_be_planted(tmp_path, monkeypatch):
    monkeypatch.setattr("nsgalpha.user_files.token_hex", lambda size: "known")
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / ".known.txt").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_text(tmp_path / "a.txt", "text")
    assert victim.read_text() == "mine"


def test_devices_and_pipes_are_written_to_as_they_are(tmp_path):
    write_text("/dev/null", "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    code = "from nsgalpha.user_files import write_text; write_text('/dev/stdout', 'text')"
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "text"
    assert os.path.islink("/dev/stdout")


def test_the_folder_of_a_series_is_none_if_it_is_a_file(tmp_path):
    (tmp_path / "series").write_text("mine")
    with pytest.raises(
        ValueError, match=r"folder = .*: must be a folder, or the name of a new one; this is a file"
    ):
        show.paraview(slide(), tmp_path / "series")


def test_regular_files_of_a_bounded_size_are_read(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(ValueError, match="must be at most 4e-06 MB"):
        read_bytes(path, 4)
    os.mkfifo(tmp_path / "pipe")
    for other in (tmp_path / "pipe", "/dev/zero", tmp_path):
        with pytest.raises(OSError, match=r"name a (regular )?file"):
            read_bytes(other, 5)
