"""Benchmarks: measures of a heap, codes that are not there, the choice of names."""

import json
import math

import numpy as np
import pytest

from nsgalpha.commands import command_line
from verification import benchmarks
from verification.benchmarks import box, hard, heap, soft_stack, start
from verification.benchmarks.peers import VARIABLE
from verification.scenes import ball_mass


def test_quality_of_a_heap_is_its_deepest_overlap_height_and_energy():
    model, R = heap.build(3, 0.0), heap.RADIUS
    x = R * np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.9], [3.0, 0.0, 5.0]])
    v = np.array([[0.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    expected = 0.1, R * 8.9 / 3, 2.5 * ball_mass(R)
    assert heap.quality(model, x, v) == pytest.approx(expected)
    x[2] = 0.5 * heap.WIDTH - 0.8 * R, 0.0, 5.0 * R
    assert heap.quality(model, x, v)[0] == pytest.approx(0.2)
    assert heap.quality(model, 2.0 * x[:1], v[:1])[0] == 0.0


def test_heaps_of_all_sizes_have_one_shape():
    assert [heap.side(count) for count in heap.COUNTS] == [5, 8, 12]
    x = heap.centres(500, edge=8)
    assert len(np.unique(np.round(x[:, 2], 9))) == 8
    assert np.abs(x[:, :2]).max() < 0.5 * heap.WIDTH * 8 / 5 - heap.RADIUS
    planes = heap.build(500, 0.0, edge=8).planes
    assert planes[1].offset == pytest.approx(-0.5 * heap.WIDTH * 8 / 5)


def test_codes_that_are_not_there_have_lines_that_say_so(monkeypatch):
    monkeypatch.setenv(VARIABLE, "/nowhere/python")
    found = box.Measured(*np.ones(6))
    for lines in (box.others(2, 1e-3, found), heap.others(8, 0.0, 1.0), soft_stack.bench_stack()[3:]):
        assert len(lines) > 1
        assert all(math.isnan(line["value"]) for line in lines)
        assert all("/nowhere/python: No such file" in line["source"] for line in lines)


def test_the_start_of_a_run_and_its_one_step_are_measured_apart():
    first, whole = start.bench_start()[:2]
    assert first["value"] > 0.0
    assert whole["value"] > 0.0


def test_the_longest_benchmarks_run_where_they_are_named(monkeypatch, tmp_path):
    def bench(value):
        def measure():
            """A number."""
            return [hard.line("number", value, "-")]

        return measure

    monkeypatch.setattr(hard, "bench_short", bench(1.0), raising=False)
    monkeypatch.setattr(hard, "bench_long", bench(2.0), raising=False)
    monkeypatch.setattr("verification.command.MODULES", {"short": "hard", "long": "hard"})
    monkeypatch.setattr("verification.command.LONGEST", {"long"})
    file = tmp_path / "found.json"
    for names, expected in (((), {"short"}), (("long",), {"long"})):
        assert command_line.main(["bench", *names, "--json", str(file)]) == 0
        assert set(json.loads(file.read_text())) == expected
    assert benchmarks.LONGEST.issubset(benchmarks.MODULES)
