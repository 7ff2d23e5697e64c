"""Sheared cells in files, case files and pictures."""

import json

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.io.model_description import describe
from nsgalpha.io.model_reader import model_of
from nsgalpha.show import contact_forces, scene, still
from nsgalpha.show.paraview_series import paraview
from nsgalpha.show.periodic_images import shown_path
from tests.case.case_texts import table

R, L = 0.1, 1.0


def pressed(soft=False, **motion):
    """Two spheres pressed together across the sheared face, one goes up by periods."""
    motion = {"flow": "x", "gradient": "z", "shear_rate": 0.4} | motion
    model = ns.Model(periodic=(L, L, L), cell_motion=ns.CellMotion(**motion))
    for x, z, v, g in ((0.4, 0.1, 0.0, -2.0), (0.45, 0.9, 0.4, 2.0)):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0.2, z), velocity=(v, 0, 0), gravity=(0, 0, g))
    model.add_sphere(radius=R, mass=1.0, position=(0.5, 0.7, 0.5), velocity=(0.3, 0, 4.0))
    if soft:
        normal = e.SpringDashpot(stiffness=1e4, damping=20.0)
        model.add(e.CompliantSphereSphere(among=model.spheres, normal=normal))
    else:
        model.add(e.SphereSphere(among=model.spheres))
    return model


@pytest.mark.parametrize(
    "motion",
    [
        {},
        {"shear_rate": [(0.0, 0.4), (2.0, 0.1)]},
        {"shear_rate": None, "shear": [(0.0, 0.0), (1.0, 0.3), (2.0, 0.4)]},
    ],
)
def test_a_file_keeps_the_motion_of_the_cell(motion, tmp_path):
    result = ns.simulate(pressed(**motion), t_end=0.3, h=1e-3, recording=ns.Recording(every=10))
    loaded = ns.load(result.save(tmp_path / "sheared.h5"))
    ours, theirs = result.model.cell_motion, loaded.model.cell_motion
    assert theirs.axes == (0, 2)
    for t in (0.0, 0.7, 1.9):
        assert (ours.strain(t), ours.rate(t)) == (theirs.strain(t), theirs.rate(t))
    assert repr(loaded.model) == repr(result.model)
    assert repr(result.model).endswith("periodic (1, 1, 1) sheared along x by z>")
    assert "sheared along x by z" in result.model._repr_html_()
    assert np.array_equal(ns.mean_stress(loaded).total, ns.mean_stress(result).total)


def test_a_function_needs_the_script_again(tmp_path):
    def swing(t):
        return 0.1 * np.sin(t), 0.1 * np.cos(t)

    path, model = tmp_path / "swing.h5", pressed(shear_rate=None, shear=swing)
    whole = ns.simulate(model, t_end=0.2, h=1e-3)
    ns.simulate(model, t_end=0.1, h=1e-3, recording=ns.Recording(file=path))
    with pytest.raises(ValueError, match=r"the function .*swing of a script is not in the file; give resume"):
        ns.resume(path, t_end=0.2)
    rest = ns.resume(path, t_end=0.2, model=model)
    assert (rest.position[-1] == whole.position[-1]).all()


def test_a_run_does_not_go_on_under_another_shear(tmp_path):
    path = tmp_path / "sheared.h5"
    ns.simulate(pressed(), t_end=0.1, h=1e-3, recording=ns.Recording(file=path))
    with pytest.raises(ValueError, match="model"):
        ns.resume(path, t_end=0.2, model=pressed(shear_rate=0.5))


@pytest.mark.parametrize("motion", ["x", [1.0], [{}], [{"record": "Ball", "version": 1, "arguments": {}}]])
def test_a_damaged_motion_in_a_file_is_refused(motion):
    data = json.loads(json.dumps(describe(ns.Model()))) | {"cell_motion": motion}
    with pytest.raises(ValueError, match="cell_motion"):
        model_of(data, [], {}, {})


def test_a_case_file_states_a_shear(tmp_path):
    text = "\nperiodic = [1.0, 1.0, 0]\ncell_motion = {MOTION}\n"
    for x in ([0.5, 0.1, 0], [0.5, 0.85, 0]):
        text += table("bodies", type="sphere", radius=0.1, mass=1, position=x)
    text += table("elements", type="SphereSphere", among="all") + "[run]\nt_end = 0.1\nh = 0.001\n"
    path = tmp_path / "sheared.toml"
    for shear, strain in (("shear_rate = 2", 2.0), ("shear_rate = [[0, 0], [1, 2]]", 1.0)):
        path.write_text(text.replace("MOTION", f'flow = "x", gradient = "y", {shear}'))
        case = ns.case.load_case(path)
        assert case.model.cell_motion.strain(1.0) == strain
        assert case.run().status
    for motion, error in (
        ('flow = "z", gradient = "y", shear_rate = 2', "flow = 'z'"),
        ('flow = "x", gradient = "y"', "shear_rate and shear"),
        ("rate = 2", "rate"),
    ):
        path.write_text(text.replace("MOTION", motion))
        with pytest.raises(ns.case.CaseError, match=error):
            ns.case.load_case(path)


@pytest.mark.parametrize("soft", [False, True])
def test_pictures_have_the_images_of_their_time(soft, tmp_path):
    result = ns.simulate(pressed(soft), t_end=0.4, h=1e-3)
    made = scene.scene_of(result)
    for record in (0, 200, 400):
        x, _ = made.pose(result, record)
        t = result.t[record]
        assert ((x[:3] >= 0.0) & (x[:3] < L)).all()
        n = np.floor(result.position[record, :, 2] / L)
        off = (result.position[record, :, 0] - 0.4 * t * L * n - x[:3, 0]) / L
        assert abs(off - np.round(off)).max() < 1e-12
    lines = contact_forces.contact_lines(result, 400)
    assert len(lines.start) == 1
    assert abs(np.linalg.norm(lines.start - lines.end, axis=1) - 2 * R).max() < 5e-3
    path = shown_path(result.model, result.model.bodies[2], result.position[:, 2], result.t)
    up = np.isnan(path[:, 0]).sum()
    assert up >= np.floor(result.position[-1, 2, 2]) >= 2
    assert np.nanmax(abs(np.diff(path, axis=0))) < 0.05
    assert still(result).shape == (720, 960, 3)
    assert (paraview(result, tmp_path / "series", every=200) / "bodies.pvd").exists()


@pytest.mark.parametrize("soft", [False, True])
def test_joints_springs_and_loads_stand_by(soft):
    """They act where bodies are placed; contacts across the face stay."""

    def scene_of(alone):
        model = pressed(soft)
        if alone:
            return ns.simulate(model, t_end=0.3, h=1e-3)
        a, b, c = (
            model.add_sphere(radius=0.02, mass=0.1, position=(x, 0.45, 0.5), velocity=(0, 0, v))
            for x, v in ((0.1, 0.0), (0.2, 1.0), (0.3, 0.0))
        )
        model.add(e.Distance(a, b, points=((0.1, 0.45, 0.5), (0.2, 0.45, 0.5))))
        model.add(e.Spring([(b, c)], stiffness=10.0))

        def push(t, state):
            force = np.zeros_like(state.position)
            force[c.index, 2] = 0.1
            return force

        model.add_load(push)
        return ns.simulate(model, t_end=0.3, h=1e-3)

    one, two = scene_of(True), scene_of(False)
    assert two.status, two.status
    assert abs(one.position[-1, :2] - one.position[0, :2]).max() > 0.05
    assert abs(one.velocity - two.velocity[:, :3]).max() < 1e-7
    rod = np.linalg.norm(two.position[:, 3] - two.position[:, 4], axis=1)
    assert abs(rod - 0.1).max() < 1e-9
    assert abs(two.velocity[-1, 3:]).max() > 0.1
