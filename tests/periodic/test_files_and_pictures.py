"""Periodic cells in files, case files, sweeps, pictures and the page for the browser."""

import json

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSphereSphere, Distance, SpherePlane, SphereSphere, Spring, SpringDashpot
from nsgalpha.io.model_description import describe
from nsgalpha.io.model_reader import model_of
from nsgalpha.show import contact_forces, page_data, paths, scene, still, viewer
from nsgalpha.show.paraview_series import paraview
from nsgalpha.show.periodic_images import CELL, shown_path, shown_places
from tests.case.case_texts import table

R, L = 0.1, 1.0


def train(soft=False, **options):
    """Two spheres that go round, and a third that they push."""
    model = ns.Model(periodic=(L, None, None), gravity=(0, 0, -10), **options)
    for x, v in ((0.1, 2.0), (0.4, 2.0), (0.7, 0.0)):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0, R), velocity=(v, 0, 0))
    if soft:
        model.add(CompliantSphereSphere(among=model.spheres, normal=SpringDashpot(stiffness=1e5)))
    else:
        model.add(SphereSphere(among=model.spheres, e_n=0.8))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1))))
    return model


@pytest.fixture(scope="module")
def result():
    return ns.simulate(train(), t_end=1.5, h=1e-3, recording=ns.Recording(every=5))


def test_a_file_keeps_the_cell_and_places_that_go_on(result, tmp_path):
    path = result.save(tmp_path / "train.h5")
    loaded = ns.load(path)
    assert loaded.model.periodic == (L, None, None)
    assert repr(loaded.model) == repr(result.model)
    assert result.position[..., 0].max() > 2.0
    assert np.array_equal(loaded.position[:], result.position)
    assert abs(np.diff(result.position[..., 0], axis=0)).max() < 0.02  # displacements are continuous
    inside = result.model.wrap(result.position)
    assert 0.0 <= inside[..., 0].min() < inside[..., 0].max() < L


def test_a_run_does_not_go_on_in_another_cell(tmp_path):
    path = tmp_path / "train.h5"
    ns.simulate(train(), t_end=0.1, h=1e-3, recording=ns.Recording(file=path))
    other = train()
    other.periodic = (2.0 * L, None, None)
    with pytest.raises(ValueError, match="model"):
        ns.resume(path, t_end=0.2, model=other)
    assert ns.resume(path, t_end=0.2, model=train()).status


def test_files_without_a_cell_are_as_they_were():
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0))
    assert "periodic" not in describe(model)
    assert describe(train())["periodic"] == [L, 0.0, 0.0]


@pytest.mark.parametrize(
    "periodic", ["x", [1.0], [1.0, 2.0, -3.0], [1.0, "y", 0.0], [float("nan"), 0, 0], {}]
)
def test_a_damaged_cell_in_a_file_is_refused(periodic):
    data = json.loads(json.dumps(describe(ns.Model()))) | {"periodic": periodic}
    with pytest.raises(ValueError, match="periodic"):
        model_of(data, [], {}, {})


def test_a_case_file_states_a_cell(tmp_path):
    ball = {"type": "sphere", "radius": 0.1, "mass": 1}
    text = "\nperiodic = [PERIODS]\n" + table("bodies", position=[0.9, 0, 0], velocity=[1, 0, 0], **ball)
    text += table("bodies", position=[0.25, 0, 0], **ball) + table(
        "elements", type="SphereSphere", among="all"
    )
    text += "e_n = 1\n[run]\nt_end = 0.5\nh = 0.001\n"
    path = tmp_path / "pair.toml"
    path.write_text(text.replace("PERIODS", "1.0, 0, 0"))
    case = ns.case.load_case(path)
    assert case.model.periodic == (1.0, None, None)
    assert abs(case.run().velocity[-1, :, 0] - [0, 1.0]).max() < 1e-9
    for periods, error in (("-1, 0, 0", "periodic"), ("1, 0", "periodic"), ('"x", 0, 0', "periodic")):
        path.write_text(text.replace("PERIODS", periods))
        with pytest.raises(ns.case.CaseError, match=f"line 2, {error}"):
            ns.case.load_case(path)


def last_place(speed):
    model = ns.Model(periodic=(1.0, None, None))
    for x, v in ((0.9, speed), (0.25, 0.0)):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0), velocity=(v, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    return {"x": float(ns.simulate(model, t_end=0.5, h=1e-3).position[-1, 1, 0])}


def test_a_sweep_over_models_with_a_cell():
    table = ns.sweep(last_place, {"speed": [1.0, 1.2]}, workers=1)
    assert abs(table["x"] - [0.25 + 0.5 - 0.15, 0.25 + 1.2 * (0.5 - 0.125)]).max() < 1e-9


def test_energy_and_its_budget_are_those_of_images():
    """The same train on a ring and, until its first bead returns, in space."""
    closed = ns.simulate(train(), t_end=0.5, h=1e-3)
    model = train()
    model.periodic = None
    opened = ns.simulate(model, t_end=0.2, h=1e-3)
    for part in ("kinetic", "impacts", "residual"):
        ours, theirs = (getattr(each.budget(), part)[: len(opened.t)] for each in (closed, opened))
        assert abs(ours - theirs).max() < 1e-9
    budget = closed.budget()
    assert budget.impacts[-1] < budget.impacts[len(opened.t)] - 1e-3  # one across the face
    assert abs(budget.residual).max() < 1e-9


def test_what_is_shown_is_within_the_cell(result, tmp_path):
    made = scene.scene_of(result)
    for record in (0, 150, 300):
        x, _ = made.pose(result, record)
        assert (x[:3, 0] >= 0.0).all()
        assert (x[:3, 0] < L).all()
    assert made.high[0] < 1.3 * L
    edges = [k for k, thing in enumerate(made.rod_thing) if thing >= 0 and made.things[thing][0] == CELL]
    assert len(edges) == 12
    corners = made.place[made.rods[edges].ravel()]
    assert set(corners[:, 0]) == {0.0, L}
    folder = paraview(result, tmp_path / "series", every=100)
    assert (folder / "bodies.pvd").exists()
    lines = contact_forces.contact_lines(result, 300)
    assert (abs(lines.start - lines.end)[:, 0] < 3 * R).all()
    page = viewer(result, tmp_path / "train.html").read_text().replace(" ", "")
    assert f'"periods":[{L},0.0,0.0]' in page


@pytest.mark.parametrize("soft", [False, True])
def test_lines_of_contacts_do_not_cross_the_cell(soft):
    model = ns.Model(periodic=(L, None, None))
    for x, g in ((0.05 + 3 * L, -1.0), (0.85 - 2 * L, 1.0)):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0), gravity=(g, 0, 0))
    if soft:
        model.add(CompliantSphereSphere(among=model.spheres, normal=SpringDashpot(stiffness=1e3)))
    else:
        model.add(SphereSphere(among=model.spheres))
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    lines = contact_forces.contact_lines(result, len(result.t) - 1)
    assert len(lines.start) == 1
    assert abs(lines.start[0, 0] - 0.05) < 5e-3
    assert abs(lines.end[0, 0] + 0.15) < 5e-3
    assert abs(lines.point[0, 0] + 0.05) < 5e-3
    if soft:
        contacts = result.compliant_contacts()
        assert abs(contacts.displacement[0, 0] - 0.2) < 5e-3


def test_paths_end_at_faces(result):
    body = result.model.bodies[0]
    path = shown_path(result.model, body, result.position[:, 0], result.t)
    gaps = np.isnan(path[:, 0]).sum()
    assert gaps == round(np.floor(result.position[-1, 0, 0]))
    steps = np.diff(path[:, 0])
    assert np.nanmax(abs(steps)) < 0.05
    assert paths(result) is not None


def test_what_is_tied_is_shown_where_it_is_placed():
    model = ns.Model(periodic=(L, None, None))
    for x in (0.2, 1.3, 2.4, 3.5, 4.6):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0))
    a, b, c, d, _ = model.spheres
    model.add(Distance(a, b, points=((0.2, 0, 0), (1.3, 0, 0))))
    model.add(Spring([(c, d)], stiffness=1.0))
    x = model.initial_state().position
    assert abs(shown_places(model, x, 0.0)[:, 0] - [0.2, 1.3, 2.4, 3.5, 0.6]).max() < 1e-12
    result = ns.simulate(model, t_end=0.01, h=1e-3)
    assert still(result).shape == (720, 960, 3)
    assert page_data.still_data(scene.scene_of(result))["periods"] == [L, 0.0, 0.0]
