"""Hostile files: every door refuses with file and place, and runs nothing."""

import os
import socket
from pathlib import Path

import pytest

import nsgalpha as ns
from tests.io.file_doors import BAD_INPUT, command, refusals
from tests.io.file_runs import RUNS
from tests.io.hostile_files import FILES, tried

SAMPLE = list(FILES)[::8]  # python -m tests.io.hostile_files tries all, at all doors


@pytest.mark.parametrize("name", SAMPLE)
@pytest.mark.sampled(4)
def test_a_hostile_file_is_refused_and_nothing_is_run(name, originals, tmp_path):
    hostile = FILES[name]
    outcome, said = tried(hostile, originals[hostile.run], tmp_path, every=False)
    assert outcome in ("refused", "read"), said
    assert outcome == "refused" or not hostile.doors


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.sampled(4)
def test_the_corpus_begins_from_runs_that_are_read(name, originals):
    found = refusals(originals[name])
    assert {door for door, said in found.items() if said} <= {"report"}


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
    with pytest.raises(ValueError, match="must be a text without control characters"):
        ns.load("a\0b")
