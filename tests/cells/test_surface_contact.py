"""Contact of surfaces: forces and tangents against differences, balance, contacts that change, outputs."""

import numpy as np
import pytest
from cell_meshes import LAW, cells, shaken

import nsgalpha as ns
from elements import Drag, Growth, Pipette, SurfaceContact
from nsgalpha.model.force_element import ElementMotion

SIDES = "plane", "sphere", "pipette", "cells"


def contact_with(side):
    """A model with a contact of one kind."""
    model, (cell, *others) = cells((0, 0, 0), *([(0.1, 0.1, 1.9)] if side == "cells" else []), subdivisions=2)
    if side == "plane":
        given = {"planes": model.add_plane(normal=(0, 0.1, 1), offset=-0.95)}
    elif side == "sphere":
        given = {"spheres": model.add_sphere(radius=0.5, mass=1, position=(0, 0.1, 1.45))}
    elif side == "pipette":
        given = {"pipettes": Pipette(radius=0.5, lip=0.1, point=(0.02, 0, 0.85), axis=(0.1, 0, 1))}
    else:
        given = {}
    return model, SurfaceContact([cell.surface, *(each.surface for each in others)], **given, **LAW)


def at(x):
    return ElementMotion(x, 0 * x, x, np.zeros((0, 0)), 1.0, 0.0)


def forces(element, x, near):
    total = np.zeros((len(x), 6))
    element.neighbour_pass(at(x), near).add_forces(total)
    return total[:, :3]


@pytest.mark.parametrize("side", SIDES)
def test_forces_and_tangents_are_derivatives(side):
    model, element = contact_with(side)
    x, step = shaken(model), 1e-6
    near = element.candidates(x)
    answer, force = element.neighbour_pass(at(x), near), forces(element, x, near)
    assert len(answer.nodes) > 10
    blocks = np.zeros((len(answer.nodes), 6, 3, 6, 3))
    answer.add_tangents(1.0, 0.0, blocks)
    assert np.abs(blocks - blocks.transpose(0, 3, 4, 1, 2)).max() < 1e-12 * np.abs(blocks).max()
    for seed in range(3):
        way = np.random.default_rng(seed).normal(size=x.shape)
        there, back = x + step * way, x - step * way
        energies = [element.neighbour_pass(at(each), near).energy.sum() for each in (there, back)]
        assert np.isclose((energies[1] - energies[0]) / (2 * step), (force * way).sum(), rtol=1e-6)
        product = np.zeros_like(x)
        np.add.at(product, answer.nodes, np.einsum("csirj,crj->csi", blocks, way[answer.nodes]))
        slope = (forces(element, back, near) - forces(element, there, near)) / (2 * step)
        assert np.abs(product - slope).max() < 1e-7 * np.abs(slope).max()


@pytest.mark.parametrize("side", ["sphere", "cells"])
def test_forces_and_moments_between_bodies_add_up_to_nothing(side):
    model, element = contact_with(side)
    x = shaken(model)
    force = forces(element, x, element.candidates(x))
    assert np.abs(force.sum(axis=0)).max() < 1e-13 * np.abs(force).sum()
    if side == "cells":
        assert np.abs(np.cross(x, force).sum(axis=0)).max() < 1e-13 * np.abs(force).sum()


def test_adhesion_acts_on_the_projected_area():
    """A closed surface far below a plane has no projection: only the overlap pushes."""
    model, (cell,) = cells((0, 0, 0))
    plane = model.add_plane(normal=(0, 0, 1), offset=100.0)
    element = SurfaceContact(cell.surface, planes=plane, stiffness=10.0, work=3.0, reach=0.1)
    x = model.initial_state().position
    answer = element.neighbour_pass(at(x), element.candidates(x))
    overlap, area = 100.0 - x[cell.surface.triangles, 2], cell.surface.reference.area
    square = (overlap.sum(axis=1) ** 2 + (overlap**2).sum(axis=1)) / 12.0  # mean over a triangle
    assert np.isclose(answer.touching.sum(), 0.0, atol=1e-12)
    assert np.isclose(answer.energy.sum(), 5.0 * (square * area).sum())


def test_candidates_of_a_wider_search_change_nothing():
    model, element = contact_with("cells")
    x = shaken(model)
    near = element.candidates(x)
    element.skin *= 10.0
    far = element.candidates(x)
    assert len(far.candidate) > 2 * len(near.candidate)
    assert np.allclose(forces(element, x, near), forces(element, x, far), atol=1e-14)


def rolling(subdivisions=1):
    """Two cells on a moving plate, pulled past each other, with changing contacts."""
    model, made = cells((0, 0, 0), (0.4, 0, 2.0), subdivisions=subdivisions, mass=1.0)
    plane = model.add_plane(normal=(0, 0, 1), offset=-1.0, motion=lambda t: ((0, 0, 0.02 * t), (0, 0, 0.02)))
    surfaces = [cell.surface for cell in made]
    law = {"stiffness": 50.0, "work": 0.3, "reach": 0.2}
    model.add(SurfaceContact(surfaces, planes=plane, **law))
    pull = np.zeros((len(model.bodies), 3))
    pull[made[1].surface.bodies, 0] = -0.3
    model.add_load(lambda t, state: pull)
    return model, made


@pytest.mark.parametrize("scheme", ["overdamped", "semi-implicit", "generalized-alpha"])
@pytest.mark.sampled(2)
def test_contacts_that_change_run_and_go_on_from_a_file(scheme, tmp_path):
    """The sparse pattern follows the contacts; a run in two parts is the same."""
    model, made = rolling()
    drags = [cell.drag(1.0) for cell in made]
    chosen = {
        "overdamped": ns.Overdamped(drags),
        "semi-implicit": ns.SemiImplicit(resistance=drags),
        "generalized-alpha": ns.GeneralizedAlpha(),
    }[scheme]
    if scheme == "generalized-alpha":
        for drag in drags:
            model.add_load(drag)
    settings = {"h": 0.04, "scheme": chosen}
    whole = ns.simulate(model, t_end=1.2, **settings)
    assert whole.status.ok, whole.status.message
    assert len(np.unique(whole.stats.contacts[:])) > 5
    path = tmp_path / "run.h5"
    ns.simulate(model, t_end=0.6, recording=ns.Recording(file=path), **settings)
    again = ns.resume(path, t_end=1.2, model=model)
    assert again.status.ok, again.status.message
    assert np.allclose(again.position[-1], whole.position[-1], atol=1e-9)


def test_a_cell_pressed_by_plates_pushes_back_as_it_is_pushed():
    model, (cell,) = cells((0, 0, 0), subdivisions=2)
    plates = [model.add_plane(normal=(0, 0, s), offset=-0.9) for s in (1, -1)]
    model.add(SurfaceContact(cell.surface, planes=plates, stiffness=1e3))
    result = ns.simulate(model, t_end=3.0, h=0.05, scheme=ns.Overdamped(cell.drag(1.0)))
    found = result.surface(cell.surface, -1)
    up = found.contact_force[:, 2]
    assert np.isclose(up[up > 0].sum(), -up[up < 0].sum(), rtol=1e-2)
    height = np.ptp(result.position[-1][:, 2])
    assert 1.78 < height < 1.83
    assert np.abs(found.force + found.contact_force).max() < 0.02 * np.abs(found.contact_force).max()


@pytest.mark.parametrize("implicitness", [0.5, 1.0])
def test_triangles_that_nothing_else_couples_come_to_rest_on_a_plane_one_by_one(implicitness):
    """A tilted sheet without elasticity: walls couple the corners of its triangles, as they touch."""
    model, n = ns.Model(gravity=(0, 0, -1)), 4
    corner = [n * i + j for i in range(n - 1) for j in range(n - 1)]
    triangles = [each for k in corner for each in ((k, k + 1, k + n), (k + 1, k + n + 1, k + n))]
    places = [(0.1 * i, 0.1 * j, 1e-3 * (0.1 + i + 0.3 * j)) for i in range(n) for j in range(n)]
    nodes = [model.add_point(mass=1e-3, position=each) for each in places]
    sheet = model.add_surface(nodes, triangles)
    model.add(SurfaceContact(sheet, planes=model.add_plane(normal=(0, 0, 1)), stiffness=1e5))
    scheme = ns.Overdamped(Drag(nodes, translational=0.1), implicitness=implicitness)
    result = ns.simulate(model, t_end=1.0, h=2e-3, scheme=scheme)
    assert result.status.ok
    assert result.surface(sheet).contact_force[:, 2] == pytest.approx(1e-3, rel=1e-6)  # each has its weight


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"stiffness": -1.0}, "stiffness"),
        ({"work": 1.0}, "reach"),
        ({"work": -1.0}, "work"),
        ({"reach": -0.1}, "reach"),
        ({"points": 4}, "points"),
        ({"planes": ()}, "surfaces"),
        ({"pipettes": 3}, "pipettes"),
        ({"among": 1}, "among"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given, words):
    model, (cell,) = cells((0, 0, 0))
    plane = model.add_plane(normal=(0, 0, 1))
    with pytest.raises(ValueError, match=words):
        SurfaceContact(cell.surface, **({"stiffness": 1.0, "planes": plane} | given))


def test_planes_of_bodies_and_surfaces_of_other_models_are_refused():
    model, (cell,) = cells((0, 0, 0))
    stranger = cells((0, 0, 0))[1][0]
    ball = model.add_sphere(radius=1, mass=1, position=(0, 0, 5))
    with pytest.raises(ValueError, match="fixed"):
        SurfaceContact(cell.surface, stiffness=1, planes=model.add_plane(normal=(0, 0, 1), body=ball))
    with pytest.raises(ValueError, match="one model"):
        SurfaceContact([cell.surface, stranger.surface], stiffness=1)
    with pytest.raises(ValueError, match="twice"):
        SurfaceContact([cell.surface, cell.surface], stiffness=1)
    with pytest.raises(ValueError, match="rate"):
        Growth(volume=1.0, rate=float("nan"))
