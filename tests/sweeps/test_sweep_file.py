"""A sweep with a file continues where it was."""

import json
import os
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest
from swept import fails_once, log, logged, product

import nsgalpha as ns
from nsgalpha.sweeps.sweep_file import SweepStore


def points(n, folder):
    return [{"a": a, "folder": str(folder)} for a in range(n)]


def calls(folder):
    return (folder / "log").read_text().split()


def test_points_on_file_are_not_run_again_and_are_the_same(tmp_path):
    file = tmp_path / "sweep.jsonl"
    first = ns.sweep(logged, points(4, tmp_path), workers=1, file=file)
    again = ns.sweep(logged, points(4, tmp_path), workers=1, file=file)
    assert again.same(first)
    assert np.array_equal(again.seconds, first.seconds)
    more = ns.sweep(logged, points(6, tmp_path), workers=1, file=file)
    assert calls(tmp_path) == list("012345")
    assert more.same(ns.sweep(logged, points(6, tmp_path), workers=1))


def test_a_failed_point_is_tried_again(tmp_path):
    file = tmp_path / "sweep.jsonl"
    first = ns.sweep(fails_once, points(4, tmp_path), workers=1, file=file)
    assert first.outcome.tolist() == ["done", "done", "failed", "done"]
    assert ns.sweep(fails_once, points(4, tmp_path), workers=1, file=file).done.all()
    assert calls(tmp_path) == list("01232")
    assert ns.sweep(fails_once, points(4, tmp_path), workers=1, file=file).done.all()
    assert calls(tmp_path) == list("01232")


@pytest.mark.parametrize("cut", [1, 30, 100])
def test_a_line_without_an_end_is_cut_off(tmp_path, cut):
    file = tmp_path / "sweep.jsonl"
    whole = ns.sweep(logged, points(4, tmp_path), workers=1, file=file)
    text = file.read_bytes()
    file.write_bytes(text[:-cut])
    assert ns.sweep(logged, points(4, tmp_path), workers=1, file=file).same(whole)
    assert calls(tmp_path) == list("01233")
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == 5


SECOND = """
import sys
import nsgalpha as ns
from swept import product
try:
    ns.sweep(product, {"a": [1, 2]}, workers=1, file=sys.argv[1])
except ValueError as error:
    print(error)
"""


def test_two_sweeps_do_not_write_to_one_file(tmp_path):
    file = tmp_path / "sweep.jsonl"
    first = ns.sweep(product, {"a": [1]}, workers=1, file=file)
    content = file.read_bytes()
    paths = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    with closing(SweepStore(file, product)):
        second = subprocess.run(
            [sys.executable, "-c", SECOND, str(file)],
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "must be a file that no other sweep is writing to; wait until it has ended" in second.stdout
        assert file.read_bytes() == content
    assert ns.sweep(product, {"a": [1]}, workers=1, file=file).same(first)


def test_an_empty_file_or_half_a_head_is_a_new_one(tmp_path):
    for number, content in enumerate((b"", b'{"form')):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(content)
        ns.sweep(product, {"a": [1]}, workers=1, file=file)
        assert len(file.read_text().splitlines()) == 2


def everything(a):
    return {
        "nan": np.nan,
        "infinite": -np.inf,
        "third": 1 / 3,
        "whole": 2**60 + 1,
        "yes": True,
        "text": "ä, b",
        "floats": np.arange(6.0).reshape(2, 3) / 7,
        "short": np.float32(1 / 3) * np.ones(2, dtype=np.float32),
        "empty": np.zeros((0, 3)),
        "complex": 1 / 3 + 2j,
        "texts": ["a", "bc"],
        "ragged": np.arange(a),
    }


def test_all_that_a_table_holds_comes_back_to_the_bit(tmp_path):
    cases = {"a": [1, 2]}
    first = ns.sweep(everything, cases, workers=1, file=tmp_path / "sweep.jsonl")
    assert first.done.all(), first.status
    again = ns.sweep(everything, cases, workers=1, file=tmp_path / "sweep.jsonl")
    assert again.same(first)
    assert again["short"].dtype == np.float32
    assert again["ragged"].dtype == object


def test_points_are_known_by_what_they_are_not_by_their_order(tmp_path):
    file = tmp_path / "sweep.jsonl"
    ns.sweep(product, [{"a": 1, "b": np.float64(3)}, {"a": 2, "b": 4}], workers=1, file=file)
    size = file.stat().st_size
    table = ns.sweep(product, [{"b": 4, "a": 2}, {"b": 3.0, "a": 1}], workers=1, file=file)
    assert file.stat().st_size == size
    assert table["product"].tolist() == [8, 3]


def test_files_of_others_are_refused_and_left_alone(tmp_path):
    file = tmp_path / "sweep.jsonl"
    ns.sweep(product, {"a": [1]}, workers=1, file=file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"of the function swept.logged; it holds points of swept.product"):
        ns.sweep(logged, points(1, tmp_path), workers=1, file=file)
    assert file.read_bytes() == before
    for content in (b"some text\n", b"[1]\n", b'{"format": "other"}\n'):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="must be a file written by sweep, or a new one"):
            ns.sweep(product, {"a": [1]}, workers=1, file=file)
        assert file.read_bytes() == content


def test_a_pipe_is_no_file_of_a_sweep(tmp_path):
    os.mkfifo(tmp_path / "sweep.jsonl")
    with pytest.raises(ValueError, match=r"must be a regular file; it is a pipe or a device"):
        ns.sweep(product, {"a": [1]}, workers=1, file=tmp_path / "sweep.jsonl")


def test_a_parameter_that_cannot_be_written_is_refused_before_anything_runs(tmp_path):
    cases = [{"a": 1, "folder": str(tmp_path)}, {"a": {1}, "folder": str(tmp_path)}]
    with pytest.raises(ValueError, match=r"a = \{1\}: must be a number, a text, None, or a list"):
        ns.sweep(logged, cases, workers=1, file=tmp_path / "sweep.jsonl")
    log(tmp_path, "end")
    assert calls(tmp_path) == ["end"]


class Interrupted:
    """A stream with one Ctrl-C, before or after the third call of a method."""

    def __init__(self, stream, method, after):
        self._stream, self._method, self._after, self._calls = stream, method, after, 0

    def __getattr__(self, name):
        def call(*given):
            self._calls += name == self._method
            strikes = name == self._method and self._calls == 3
            if strikes and not self._after:
                raise KeyboardInterrupt
            found = getattr(self._stream, name)(*given)
            if strikes:
                raise KeyboardInterrupt
            return found

        return call


@pytest.mark.parametrize("method", ["seek", "write", "flush"])
@pytest.mark.parametrize("after", [False, True])
def test_what_is_done_when_ctrl_c_comes_is_in_the_file(tmp_path, monkeypatch, method, after):
    file, begin = tmp_path / "sweep.jsonl", SweepStore.__init__

    def interrupted(store, *given):
        begin(store, *given)
        store._stream = Interrupted(store._stream, method, after)

    monkeypatch.setattr(SweepStore, "__init__", interrupted)
    table = ns.sweep(product, {"a": range(5), "b": [2]}, workers=1, file=file)
    assert table.outcome.tolist() == ["done"] * 3 + ["not run"] * 2
    assert len(file.read_bytes().splitlines()) == 1 + 3
    monkeypatch.undo()
    assert ns.sweep(product, {"a": range(5), "b": [2]}, workers=1, file=file).done.all()
    assert len(file.read_bytes().splitlines()) == 1 + 5
