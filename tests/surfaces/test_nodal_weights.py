"""Forces of a contact on the corners of a triangle that deforms."""

import json
from pathlib import Path

import numpy as np
import pytest

import nsgalpha as ns
from elements import Hertz, RoundedTriangles
from nsgalpha.forces.attachments import patch_rows
from nsgalpha.forces.contact_outputs import evaluated
from nsgalpha.system.system import System

DATA = Path(__file__).parents[1] / "laws" / "data" / "s7_small_parts.json"
S = {name: np.array(value) for name, value in json.loads(DATA.read_text())["triangle_nodes"].items()}


def test_nodal_forces_of_a_force_and_a_couple():
    """sum f_i = F, sum f_i (x_i - p) x n = M, of M the part normal to n: to the digits that are given."""
    B = np.empty((3, 6, 6))
    patch_rows(S["x"], 1.0, np.zeros(3), True, S["n"], S["p"], np.empty((3, 3)), B)
    forces = B[:, :3, :3].transpose(0, 2, 1) @ (S["F"] * S["n"]) + B[:, 3:, :3].transpose(0, 2, 1) @ S["M"]
    assert forces @ S["n"] == pytest.approx(S["normal_forces"], rel=1e-14)
    along = forces - np.outer(forces @ S["n"], S["n"])
    assert np.abs(along).max() < 1e-15


def tilted(degrees, **options):
    """A ball at a triangle on the unit sphere, `degrees` from the line of the centres."""
    model = ns.Model()
    t = np.radians(degrees)
    n, e = np.array([np.cos(t), 0, np.sin(t)]), np.array([-np.sin(t), 0, np.cos(t)])
    corners = [0.99 * n + 0.14107 * (np.cos(a) * e + np.sin(a) * np.array([0, 1, 0])) for a in (0, 2.1, 4.2)]
    nodes = [model.add_point(position=x / np.linalg.norm(x), mass=1.0) for x in corners]
    ball = model.add_sphere(radius=5.0, mass=1.0, position=(4.0, 0, 0))
    skin = model.add_mesh(nodes, [(0, 2, 1)])
    element = RoundedTriangles(
        skin, [ball], radius=[1.0], centre=[(0, 0, 0)], normal=Hertz(modulus=1.0), reach=1.0, **options
    )
    model.add(element)
    return model, element


@pytest.mark.parametrize(("degrees", "there"), [(80, True), (88, False)])
def test_a_triangle_near_edge_on_has_no_patch(degrees, there):
    """The area is 5.8 and 29 times the projection."""
    model, _ = tilted(degrees)
    assert bool(len(ns.compliant_contacts(model, model.initial_state()).force)) == there
    model, _ = tilted(degrees, steepest=1e9)
    wrench = evaluated(System(model), model.initial_state())[2]
    assert wrench[3, 0] > 0.0
    assert np.abs(wrench[:, :3].sum(axis=0)).max() < 1e-9 * np.abs(wrench).max()


def test_rounded_triangles_that_do_not_act_have_no_contact():
    model, element = tilted(40)
    assert len(ns.compliant_contacts(model, model.initial_state()).force) == 1
    element.active = False
    assert not len(ns.compliant_contacts(model, model.initial_state()).force)


def test_bounds_below_one_are_refused():
    for wrong in (1.0, 0.5, -1.0, np.nan, np.inf, "ten"):
        with pytest.raises(ValueError, match=r"steepest = .*"):
            tilted(40, steepest=wrong)
