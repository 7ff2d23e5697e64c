"""Bodies that have come or gone, in pictures, pages and files for ParaView."""

import base64
import json
import re

import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha import show
from nsgalpha.show.live_view import frame_of, lines_of_none, model_scene
from nsgalpha.show.scene import scene_of


@pytest.fixture(scope="module")
def result():
    """A ball that stays, one that leaves at 0.1 s, one that comes at 0.2 s from far away."""
    model = ns.Model()
    for name, x in (("stays", 0.0), ("leaves", 0.3), ("comes", 50.0)):
        model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0), name=name)
    model.add(ns.Outlet(None, bodies=model.body("leaves"), start=0.1))
    place = ns.regions.Box(low=(-0.3, 0, 0), high=(-0.3, 0, 0))
    model.add(ns.Feeder(model.body("comes"), place, times=[0.2]))
    return ns.simulate(model, t_end=0.3, h=0.01)


def test_pictures_show_who_is_there(result):
    camera = show.look(result, azimuth=-90.0, elevation=0.0)
    seen = []
    for t in (0.05, 0.15, 0.3):
        dark = np.ptp(show.still(result, t=t, camera=camera, size=(320, 120)), axis=2).max(axis=0) > 45
        seen.append(int((np.diff(dark.astype(int)) == 1).sum()))
    assert seen == [2, 1, 2]


def test_the_view_is_that_of_places_where_bodies_are(result):
    scene = scene_of(result)
    assert scene.high[0] < 1.0
    assert scene.low[0] > -1.0


def test_the_page_knows_who_is_there(result, tmp_path):
    page = show.viewer(result, tmp_path / "run.html").read_text(encoding="utf-8")
    packed = re.search(r'"absent": ?(\{[^}]*\})', page)
    absent = np.frombuffer(base64.b64decode(json.loads(packed[1])["base64"]), np.uint8).reshape(31, 3)
    assert (absent == ~result.present).all()
    state = result.state(-1)
    frame = frame_of(model_scene(result.model, state), state, lines_of_none())
    assert np.frombuffer(base64.b64decode(frame["absent"]["base64"]), np.uint8).tolist() == [0, 1, 0]


def test_paraview_has_cells_for_those_that_are_there(result, tmp_path):
    folder = show.paraview(result, tmp_path / "vtp", every=30)
    numbers = [
        int(re.search(r'NumberOfVerts="(\d+)"', path.read_text())[1])
        for path in sorted(folder.glob("bodies_*.vtp"))
    ]
    assert numbers == [2, 2]
    assert result.present.sum(axis=1)[[5, 15, 30]].tolist() == [2, 1, 2]


def test_a_run_without_anybody_at_first_has_a_picture():
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    model.add(ns.Feeder(ball, times=[10.0]))
    result = ns.simulate(model, t_end=0.1, h=0.01)
    assert not result.present.any()
    assert np.ptp(show.still(result, size=(64, 64))) < 45
