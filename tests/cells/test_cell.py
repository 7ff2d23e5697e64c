"""Cells: Laplace, growth, rings, files, case files, and refusals."""

import numpy as np
import pytest
from cell_meshes import cells

import nsgalpha as ns
from elements import LineTension, SurfaceContact, add_cell, icosphere, ring_of
from nsgalpha import testing

MESH = icosphere(1)
STATED = {"tension": 1.0, "volume_stiffness": 1.0}


def test_a_cell_at_rest_has_laplaces_pressure():
    model, (cell,) = cells((0, 0, 0), subdivisions=2)
    result = ns.simulate(model, t_end=20.0, h=0.5, scheme=ns.Overdamped(cell.drag(1.0)))
    found = result.surface(cell.surface, -1)
    virial = 3 * found.pressure[0] * found.volume[0] / (2 * found.area.sum())
    assert np.isclose(virial, 1.0, atol=1e-7)
    radius = (3 * found.volume[0] / (4 * np.pi)) ** (1 / 3)
    assert np.isclose(found.pressure[0] * radius, 2.0, rtol=0.02)


def test_a_cell_grows_by_its_rate():
    model, (cell,) = cells((0, 0, 0), growth=0.1, volume_stiffness=1e4)
    result = ns.simulate(model, t_end=5.0, h=0.1, scheme=ns.Overdamped(cell.drag(1.0)))
    grown = result.surface(cell.surface, -1).volume[0] / cell.surface.reference.volume[0]
    assert np.isclose(grown, 1.5, rtol=1e-3)


def test_a_cell_that_would_shrink_to_less_than_nothing_is_named():
    model, (cell,) = cells((0, 0, 0), growth=-1.0)
    with pytest.raises(ValueError, match=r"volume\(1\) = .*: must be positive") as error:
        ns.simulate(model, t_end=2.0, h=0.1, scheme=ns.Overdamped(cell.drag(1.0)))
    assert error.value.result.t[-1] >= 0.85


def test_a_ring_pulls_with_its_tension():
    model, (cell,) = cells((0, 0, 0))
    ring = ring_of(cell.surface, MESH[0][0], width=1e-9)
    assert len(ring) == 10
    line = model.add(LineTension(cell.surface, ring, tension=0.3))
    testing.check_force_element(line, size=0.5)
    before = ns.surface_outputs(model, model.initial_state(), cell.surface).force
    line.active = False
    without = ns.surface_outputs(model, model.initial_state(), cell.surface).force
    inward = (before - without)[np.unique(ring)]
    assert np.allclose(np.linalg.norm(inward, axis=1), 2 * 0.3 * np.sin(np.pi / 10))


def test_models_of_cells_are_kept_in_files(tmp_path):
    model, made = cells((0, 0, 0), (0, 0, 1.9), growth=0.1, viscosity=0.1, thickness=1.0, bending=0.01)
    model.add(SurfaceContact([cell.surface for cell in made], stiffness=10.0, work=0.1, reach=0.1))
    model.add(LineTension(made[0].surface, ring_of(made[0].surface, MESH[0][0], width=1e-9), tension=0.1))
    scheme, path = ns.Overdamped([cell.drag(1.0) for cell in made]), tmp_path / "run.h5"
    result = ns.simulate(model, t_end=0.2, h=0.05, scheme=scheme, recording=ns.Recording(file=path))
    again = ns.resume(path, t_end=0.4)
    whole = ns.simulate(model, t_end=0.4, h=0.05, scheme=scheme)
    assert result.status.ok
    assert np.allclose(again.position[-1], whole.position[-1], atol=1e-12)


def test_means_at_nodes():
    _, (cell,) = cells((0, 0, 0))
    assert np.allclose(cell.surface.at_nodes(np.full(80, 2.0)), 2.0)
    with pytest.raises(ValueError, match="value"):
        cell.surface.at_nodes([1.0])


def turned_inside_out():
    return MESH[0], MESH[1][:, ::-1]


@pytest.mark.parametrize(
    ("mesh", "given", "words"),
    [
        (MESH, {"tension": -1.0}, "tension"),
        (MESH, {"volume_stiffness": -1.0}, "volume_stiffness"),
        (MESH, {"volume_stiffness": 0.0}, "volume_stiffness"),
        (MESH, {"area_stiffness": -1.0}, "area_stiffness"),
        (MESH, {"bending": -1.0}, "bending"),
        (MESH, {"modulus": 1.0}, "thickness"),
        (MESH, {"viscosity": 1.0}, "thickness"),
        (MESH, {"modulus": -1.0, "thickness": 1.0}, "modulus"),
        (MESH, {"modulus": 1.0, "thickness": -1.0}, "thickness"),
        (MESH, {"radius": 0.0}, "radius"),
        (MESH, {"growth": float("inf")}, "growth"),
        (MESH, {"mass": -1.0}, "mass"),
        (MESH, {"shown": "no"}, "shown"),
        ((MESH[0], MESH[1][1:]), {}, "closed"),
        (turned_inside_out(), {}, "volume"),
        ((MESH[0], np.vstack([MESH[1][:1, ::-1], MESH[1][1:]])), {}, "same way"),
        ((MESH[0], np.vstack([MESH[1], MESH[1][:1]])), {}, "has the nodes of"),
        ((MESH[0] * (1, 1, 0), MESH[1]), {}, "area"),
        ((MESH[0] * np.nan, MESH[1]), {}, "mesh"),
        (3, {}, "mesh"),
        ((MESH[0][:, :2], MESH[1]), {}, "mesh"),
    ],
)
def test_what_cannot_be_is_refused_and_adds_nothing(mesh, given, words):
    model = ns.Model()
    with pytest.raises(ValueError, match=words):
        add_cell(model, mesh, **(STATED | given))
    assert not [*model.bodies, *model.surfaces, *model.elements, *model.primitives]


@pytest.mark.parametrize(
    ("edges", "tension", "words"),
    [
        ([(0, 0)], 1.0, "edges"),
        ([(0, 99)], 1.0, "edges"),
        ([0, 1], 1.0, "edges"),
        ("ring", [1.0], "tension"),
        ("ring", np.nan, "tension"),
        ("twice", 1.0, "twice"),
    ],
)
def test_lines_that_cannot_be_are_refused(edges, tension, words):
    _, (cell,) = cells((0, 0, 0))
    ring = ring_of(cell.surface, MESH[0][0], width=1e-9)
    given = {"ring": ring, "twice": np.vstack([ring, ring[:1, ::-1]])}.get(str(edges), edges)
    with pytest.raises(ValueError, match=words):
        LineTension(cell.surface, given, tension=tension)
    with pytest.raises(ValueError, match="width"):
        ring_of(cell.surface, MESH[0][0], offset=0.03, width=1e-9)


def test_a_mesh_that_folds_is_what_ends_the_run():
    """Under tension and weight alone nodes slide; halved steps do not pass the fold."""
    model = ns.Model(gravity=(0, 0, -2.0))
    given = {"radius": 1.0, "tension": 1.0, "volume_stiffness": 50.0, "mass": 4.0, "thickness": 0.1}
    cell = add_cell(model, icosphere(1), viscosity=0.1, name="drop", **given)
    plate = model.add_plane(normal=(0, 0, 1), offset=-1.02)
    model.add(SurfaceContact(cell.surface, planes=plate, stiffness=300.0))
    result = ns.simulate(model, t_end=6.0, h=0.5, scheme=ns.Overdamped(cell.drag(1.0)))
    assert not result.status.ok
    assert "the mesh of 'drop' has folded" in result.status.message
    assert np.abs(cell.surface.at(result.position[-1]).angle).max() > 0.9 * np.pi
