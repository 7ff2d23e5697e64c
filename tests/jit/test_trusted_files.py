"""Kernels on disk are pickles: those that others could have written are not read."""

import grp
import os
import pickle
import pwd
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest
from kernel_scripts import run_module, write_modules

from nsgalpha.jit import trusted_files
from tests.fresh_python import run_python

CALLER = """
@kernel
def half(x):
    return 0.5 * x

print(half(3.0), sum(half.stats.cache_hits.values()), half._cache.cache_path)
print(unkept(half))
"""


class Planted:
    """A pickle that runs a command where it is read."""

    def __reduce__(self):
        return os.system, ("touch ran",)


@pytest.fixture
def folder(tmp_path):
    write_modules(tmp_path, caller=CALLER)
    (tmp_path / "cache").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path


def run(folder):
    """Value, kernels from the cache and folder of it; why there is none."""
    home = folder / "home"
    done = run_module(folder, HOME=str(home), XDG_CACHE_HOME=str(home / "cache"))
    assert not (folder / "ran").exists()
    first, reason = done.stdout.split("\n")[:2]
    value, hits, place = first.split(" ", 2)
    assert float(value) == 1.5
    return int(hits), place, reason


def planted(folder):
    """Put the pickle in place of all kernels in the folder; the files."""
    files = [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]
    assert files
    for file in files:
        file.write_bytes(pickle.dumps(Planted()))
    return files


def other_user(path, monkeypatch):
    """Give `path` to another user, or this process to one where it may not."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)


@pytest.fixture
def asked(monkeypatch):
    """The question, asked each time, with the test's folders as a root."""
    monkeypatch.setattr(trusted_files, "_private", lambda group: False)

    def ask(path):
        trusted_files.distrusted.cache_clear()
        return trusted_files.distrusted(str(path))

    yield ask
    trusted_files.distrusted.cache_clear()


def test_kernels_in_a_folder_of_ones_own_are_kept(folder):
    assert run(folder)[0] == 0
    hits, place, reason = run(folder)
    assert (hits, reason) == (1, "")
    assert place.startswith(str(folder / "cache"))


def test_kernels_in_a_folder_for_all_are_not_read(folder):
    assert run(folder)[0] == 0
    files = planted(folder / "cache")
    (folder / "cache").chmod(0o777)
    hits, place, reason = run(folder)
    assert (hits, reason) == (0, "")
    assert place == str(folder / "__pycache__")  # the next one that numba would take
    assert all(pickle.dumps(Planted()) == file.read_bytes() for file in files)
    assert run(folder)[:2] == (1, place)


@pytest.mark.long
def test_the_folder_of_the_user_serves_where_others_write_beside_the_sources(folder):
    (folder / "cache").chmod(0o777)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__").chmod(0o777)
    assert run(folder)[1].startswith(str(folder / "home" / "cache"))
    assert run(folder)[0] == 1


def test_without_any_folder_kernels_are_compiled_in_every_process(folder):
    for name in ("cache", "__pycache__", "home/cache"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name).chmod(0o777)
    for _ in range(2):
        hits, place, reason = run(folder)
        assert (hits, place) == (0, "None")
        for name in ("cache", "__pycache__", "home/cache"):
            assert f"{str(folder / name)!r} can be written to by everybody" in reason


@pytest.mark.parametrize("mode", [0o666, 0o646])
@pytest.mark.sampled(2)
def test_a_file_that_all_can_write_is_not_read_and_is_replaced(folder, mode):
    run(folder)
    files = planted(folder / "cache")
    for file in files:
        file.chmod(mode)
    assert run(folder)[0] == 0
    assert run(folder)[0] == 1
    assert {stat.S_IMODE(file.stat().st_mode) & 0o022 for file in files} == {0}


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("part", [0.5, 0.0])
@pytest.mark.sampled(4)
def test_a_file_that_a_crash_has_cut_is_replaced(folder, ending, part):
    run(folder)
    (file,) = (folder / "cache").rglob(f"*.half_from_python-*{ending}")
    whole = file.read_bytes()
    file.write_bytes(whole[: int(part * len(whole))])
    assert run(folder)[0] == 0
    assert run(folder)[0] == 1


@pytest.mark.long
def test_a_file_of_another_place_is_not_read(folder):
    run(folder)
    (folder / "elsewhere").write_bytes(pickle.dumps(Planted()))
    for file in planted(folder / "cache"):
        file.unlink()
        file.symlink_to(folder / "elsewhere")
    assert run(folder)[0] == 0


@pytest.mark.long
def test_the_umask_does_not_matter_for_files(folder):
    before = os.umask(0o002)
    try:
        run(folder)
    finally:
        os.umask(before)
    files = [file for file in (folder / "cache").rglob("*") if file.is_file()]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o644}


def test_folders_and_those_around_them_are_asked(folder, asked, monkeypatch):
    monkeypatch.setenv("HOME", str(folder / "nowhere"))
    place = folder / "around" / "cache"
    place.mkdir(parents=True)
    assert asked(place) == ""
    place.chmod(0o770)
    assert "can be written to by its group" in asked(place)
    place.chmod(0o1777)  # sticky: who may write may plant, too
    assert "by everybody" in asked(place)
    place.chmod(0o755)
    place.parent.chmod(0o777)
    assert asked(place) == f"{str(place.parent)!r} can be written to by everybody"
    monkeypatch.setenv("HOME", str(place))  # beyond the home is the business of the system
    assert asked(place) == ""
    monkeypatch.setenv("HOME", str(folder / "nowhere"))
    place.parent.chmod(0o1777)  # sticky: nobody else can put another folder in its place
    assert asked(place) == ""
    assert "cannot be looked at: No such file" in asked(folder / "no")


def test_links_are_followed_one_by_one(folder, asked, monkeypatch):
    place, link = folder / "place", folder / "link"
    place.mkdir()
    link.symlink_to("between")
    (folder / "between").symlink_to(place)
    assert asked(link) == ""
    place.chmod(0o777)
    assert asked(link) == f"{str(place)!r} can be written to by everybody"
    place.chmod(0o755)
    shared = folder / "shared"
    shared.mkdir()
    (shared / "between").symlink_to(place)
    (folder / "between").unlink()
    (folder / "between").symlink_to(shared / "between")
    assert asked(link) == ""
    shared.chmod(0o777)
    assert asked(link) == f"{str(shared)!r} can be written to by everybody"


def test_what_belongs_to_another_user_is_not_trusted(folder, asked, monkeypatch):
    place = folder / "place"
    place.mkdir()
    (place / "file").write_text("")
    assert trusted_files.distrusted_file(str(place / "file")) == ""
    other_user(place / "file", monkeypatch)
    assert "belongs to another user" in trusted_files.distrusted_file(str(place / "file"))
    other_user(place, monkeypatch)
    assert asked(place) == f"{str(place)!r} belongs to another user"


@pytest.mark.parametrize(
    ("number", "group", "members", "private"),
    [
        (500, "ann", [], True),  # made with the user, as most systems do
        (500, "ann", ["ann"], True),
        (500, "ann", ["bob"], False),
        (500, "users", [], False),  # everybody's first group
        (501, "ann", [], False),  # not the user's first group
        (0, "root", [], True),
        (0, "wheel", ["root", "bob"], False),
    ],
)
def test_a_group_is_private_if_it_has_no_other_members(monkeypatch, number, group, members, private):
    user = SimpleNamespace(pw_name="ann", pw_gid=500)
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: user)
    monkeypatch.setattr(grp, "getgrgid", lambda gid: SimpleNamespace(gr_name=group, gr_mem=members))
    assert trusted_files._private.__wrapped__(number) is private


def test_a_group_without_a_name_is_not_private(monkeypatch):
    def unknown(number):
        raise KeyError(number)

    monkeypatch.setattr(grp, "getgrgid", unknown)
    assert trusted_files._private.__wrapped__(500) is False


def test_each_folder_is_asked_once():
    script = (
        "import nsgalpha.schemes.generalized_alpha.compiled_loop\n"
        "from nsgalpha.jit import trusted_files\n"
        "found = trusted_files.distrusted.cache_info()\n"
        "print(found.hits, found.misses, found.currsize)"
    )
    hits, misses, size = map(int, run_python("-c", script).stdout.split())
    assert hits > 10 * misses
    assert size < 60


def test_where_there_are_no_owners_nothing_is_asked(monkeypatch):
    monkeypatch.setattr(trusted_files.os, "name", "nt")
    assert trusted_files.distrusted.__wrapped__("nowhere") == ""
    assert trusted_files.distrusted_file("nowhere") == ""


def test_nsgalpha_keeps_its_kernels_here():
    from nsgalpha.schemes.generalized_alpha.compiled_loop import advance

    assert Path(advance._cache._cache_file._index_path).parent.is_dir()
