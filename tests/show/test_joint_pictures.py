"""Joints in scenes, pages and files for ParaView."""

import json
import re

import numpy as np
import pytest
from test_paraview import read, series

import nsgalpha as ns
from nsgalpha import show
from nsgalpha.show.row_reader import picked
from nsgalpha.show.scene import scene_of
from tests.constraints.jointed_models import H, chain, hammer


@pytest.fixture(scope="module")
def run():
    return ns.simulate(chain(), t_end=40 * H, h=H)


def test_joints_are_balls_at_their_points_with_axes(run):
    scene = scene_of(run)
    rods = scene.rods[scene.is_joint]
    planar = [type(joint).__name__ == "Planar" for joint in run.model.joints]
    balls = np.split(rods[rods[:, 0] == rods[:, 1], 0], np.cumsum(np.where(planar, 1, 2)))
    assert [len(each) for each in balls] == [*np.where(planar, 1, 2), 0]
    (on_b,) = balls[planar.index(True)]  # nothing stays where the plane began
    assert scene.owner[on_b] == run.model.joints[planar.index(True)].carriers[1].index
    for record in (0, 40):
        at = scene.points(*scene.pose(run, record))
        for a, b in (balls[k] for k in (1, 4, 5, 6)):  # the hinge, the ball joint, ...
            assert at[a] == pytest.approx(at[b], abs=1e-13)
        a, b = balls[7]
        assert np.linalg.norm(at[a] - at[b]) == pytest.approx(run.model.joints[7].length, abs=1e-13)
    assert (scene.rod_radius[scene.is_joint] > 0.0).all()


def test_a_mechanism_without_surfaces_is_seen(run):
    scene = scene_of(run)
    assert (scene.high - scene.low > 0.1).all()
    size = (scene.high - scene.low).max()
    assert scene.rod_radius.max() < 0.02 * size
    sticks = scene.place[scene.rods[:, 0]]
    assert (np.abs(sticks).sum(axis=1) == 0.0).sum() >= len(run.model.bodies) - 1  # from the centres


def test_bodies_with_surfaces_have_no_sticks():
    result = ns.simulate(hammer(), t_end=2 * H, h=H)
    scene = scene_of(result)
    rods = scene.rods[~(scene.rods[:, 0] == scene.rods[:, 1])]
    from_centres = rods[(scene.place[rods[:, 0]] == 0.0).all(axis=1)]
    assert set(scene.owner[from_centres[:, 0]]) == {0}  # the rod of the hammer
    assert len(picked(result, [0, 2]).joints) == 2


def test_a_page_has_them(run, tmp_path):
    page = show.viewer(run, tmp_path / "run.html").read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert "rods" in data
    kept = tmp_path / "run.h5"
    ns.simulate(chain(), t_end=4 * H, h=H, recording=ns.Recording(file=kept))
    show.viewer(ns.load(kept), tmp_path / "kept.html", contacts=True)


def test_paraview_has_points_and_reactions(run, tmp_path):
    folder = show.paraview(run, tmp_path / "series", every=20)
    times, files = series(folder / "joints.pvd")
    assert times == pytest.approx([0.0, 20 * H, 40 * H])
    for record, file in zip((0, 20, 40), files, strict=True):
        found = read(file)
        assert found.point["joint"].tolist() == list(range(9))
        force, torque = run.reaction("hinge")
        assert found.point["force"][1] == pytest.approx(force[record], rel=1e-6, abs=1e-6)
        assert found.point["torque"][1] == pytest.approx(torque[record], rel=1e-6, abs=1e-6)
    at_start = read(files[0]).points
    assert at_start[1] == pytest.approx([0.5, 0.1, 0.1])
    shapes = read(series(folder / "shapes.pvd")[1][0])
    assert (shapes.cell["kind"] == 2).sum() == scene_of(run).is_joint.sum()
