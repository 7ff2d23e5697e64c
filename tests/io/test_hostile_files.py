"""Hostile files: every door refuses what it must, with the file and the place, and nothing is ever run."""

import os
import re
import shutil
import socket
from pathlib import Path

import pytest

import nsgalpha as ns
from tests.io.file_doors import REFUSALS, clean, command, readings, repaired, resumed
from tests.io.file_runs import former_files, make_runs
from tests.io.hostile_files import FILES

BAD_INPUT = 2


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return make_runs(folder) | former_files(folder)


def refusals(path):
    """What each door says of a file: None if it reads it. An error that is no refusal passes through."""
    found = {}

    def tried(name, door):
        found[name] = None
        try:
            return door()
        except REFUSALS as error:
            found[name] = str(error)
            if not clean(error, path):
                raise
        return None

    def told(*arguments):
        code, _, err = command(*arguments)
        assert code in (0, 1, BAD_INPUT)
        if code == BAD_INPUT:
            raise ValueError(err.strip())

    for name, read in tried("load", lambda: list(readings(path))) or ():
        tried(name, read)
    tried("info", lambda: told("info", str(path)))
    tried("info --json", lambda: told("info", str(path), "--json"))
    tried("info --repair", lambda: repaired(path))
    if found["info"]:
        tried("report", lambda: told("report", str(path), "-o", str(path.parent / "report")))
    tried("resume", lambda: resumed(path))
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_and_nothing_is_run(name, runs, tmp_path, monkeypatch):
    hostile, path = FILES[name], tmp_path / "hostile.h5"
    shutil.copy(runs[hostile.run], path)
    hostile.change(path)
    monkeypatch.chdir(tmp_path)
    found = refusals(path)
    for door in hostile.doors:
        said = found.get(door, found["load"])
        if door == "report" and door not in found:
            continue
        assert said is not None, f"{door} does not refuse it"
        assert re.search(hostile.says, said), said
    assert not (tmp_path / "executed").exists()
    assert {each.name for each in tmp_path.iterdir()} <= {"hostile.h5", "report"}


def test_the_corpus_begins_from_runs_that_are_read(runs):
    for path in runs.values():
        found = refusals(path)
        allowed = {"resume", "info --repair"} if path.stem.startswith("former") else {"report"}
        assert {name for name, said in found.items() if said} <= allowed, path


def test_what_is_no_file_is_refused_at_once(tmp_path):
    pipe, bound, loop = tmp_path / "pipe", tmp_path / "socket", tmp_path / "loop"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(bound))
        for path in (pipe, bound, tmp_path, Path("/dev/zero"), Path("/dev/null")):
            with pytest.raises(ValueError, match="must be a regular file"):
                ns.load(path)
            with pytest.raises(ValueError, match="must be a regular file"):
                ns.resume(path, t_end=1.0)
            assert command("info", str(path))[0] == BAD_INPUT
    with pytest.raises(OSError, match="loop: cannot be read"):
        ns.load(loop)
    with pytest.raises(ValueError, match="is no name of a file"):
        ns.load("a\0b")
