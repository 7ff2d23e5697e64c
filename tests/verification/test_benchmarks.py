"""Benchmarks: measures of a heap, codes that are not there, the choice of names."""

import json
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from nsgalpha.commands import command_line
from verification import benchmarks
from verification.benchmarks import box, hard, heap, robots, soft_stack, start
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
    assert "/nowhere/python: No such file" in robots.theirs("dog", {}, {})
    for lines in (box.others(2, 1e-3, found), heap.others(8, 0.0, 1.0), soft_stack.bench_stack()[3:]):
        assert len(lines) > 1
        assert all(math.isnan(line["value"]) for line in lines)
        assert all("/nowhere/python: No such file" in line["source"] for line in lines)


def quaternion(turn):
    return np.roll(turn.as_quat(), 1)


def test_the_way_of_a_box_in_a_hand_is_that_without_the_motion_of_the_hand():
    """The hand turns; the box moves by 3 mm in it, and turns by 0.01 rad."""
    turns = Rotation.from_rotvec([(0.1, 0.2, 0.3), (-1.0, 0.5, 2.0)])
    own, own_turn = (
        np.array([(0, 0, 0.1), (0, 0.003, 0.1)]),
        Rotation.from_rotvec([(0, 0, 0), (0.006, 0, 0.008)]),
    )
    hand = np.array([(0.0, 0.0, 0.0), (5.0, 6.0, 7.0)])
    x = np.stack([hand, hand + turns.apply(own)], axis=1)
    q = np.stack([list(map(quaternion, turns)), list(map(quaternion, turns * own_turn))], axis=1)
    found = robots.of_arm(x, q)
    assert found["way of the box in the hand"][0] == pytest.approx(3e-3, rel=1e-9)
    assert found["its turn"][0] == pytest.approx(0.01, rel=1e-4)


def test_the_depth_of_feet_is_measured_at_the_feet():
    """Calves are 0.1 m above their feet, or beside them where they lie."""
    x, q = np.zeros((2, 5, 3)), np.tile((1.0, 0.0, 0.0, 0.0), (2, 5, 1))
    x[:, 0] = (0.0, 0.0, 0.3), (0.03, 0.04, 0.3)
    x[:, 1:, 2] = 0.1 + robots.quadruped.RADIUS
    found = robots.of_dog(x, q)
    assert found["way of the trunk"][0] == pytest.approx(0.05)
    assert found["depth of feet in the floor"][0] == pytest.approx(0.0, abs=1e-15)
    x[1, 2, 2], q[1, 2] = robots.quadruped.RADIUS - 1e-3, (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    assert robots.of_dog(x, q)["depth of feet in the floor"][0] == pytest.approx(1e-3)


def test_scenes_of_robots_name_what_the_files_have():
    """Joints, bodies and the start; a code that is not there gives its reason."""
    for name, example, make, _ in robots.SCENES:
        scene, names = make()
        model = example.build()
        bodies, joints = ({each.name for each in things} for things in (model.bodies, model.joints))
        assert set(names) <= bodies
        assert set(scene["servos"]) | set(scene.get("motors", ())) <= joints
        assert set(scene["start"]) <= joints
        for k, tables in enumerate(scene["pairs"]):
            assert set(tables) <= bodies | {"floor"}, k
        assert np.diff(scene["times"]) == pytest.approx(robots.EVERY)
        assert name in robots.ARMATURES


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
