"""The topology and reference geometry of surfaces, and refusals."""

import re

import numpy as np
import pytest
from shell_meshes import icosphere, modelled, octahedron

import nsgalpha as ns


@pytest.mark.parametrize("n", [0, 1, 2])
def test_an_icosphere_is_closed_with_the_counts_of_euler(n):
    v, f = icosphere(n)
    _, _, surface = modelled(v, f)
    edges = surface.topology.edges
    assert len(v) - len(edges) + len(f) == 2
    assert surface.closed
    assert len(surface.interior) == len(edges)
    assert surface.topology.closed.tolist() == [True]


def test_edges_know_their_triangles_and_levers():
    """Triangle t1 is (l1, c1, c2) in its own order, t2 is (l2, c2, c1)."""
    _, f = icosphere(1)
    _, _, surface = modelled(*icosphere(1))
    for (c1, c2, l1, l2), (t1, t2) in zip(surface.topology.edges, surface.topology.sides, strict=True):
        turns = [[list(np.roll(f[t], k)) for k in range(3)] for t in (t1, t2)]
        assert [l1, c1, c2] in turns[0]
        assert [l2, c2, c1] in turns[1]
    known = {tuple(sorted(edge[:2])) for edge in surface.topology.edges.tolist()}
    assert len(known) == len(surface.topology.edges)


def test_reference_geometry_of_an_octahedron():
    v, f = octahedron()
    _, _, surface = modelled(2.0 * v, f)
    L = 2.0 * np.sqrt(2.0)
    reference = surface.reference
    assert reference.length == pytest.approx(np.full(12, L), rel=1e-15)
    assert reference.area == pytest.approx(np.full(8, np.sqrt(3.0) / 4.0 * L**2), rel=1e-15)
    assert reference.volume == pytest.approx([np.sqrt(2.0) / 3.0 * L**3], rel=1e-15)
    assert reference.angle == pytest.approx(np.full(12, np.arccos(1.0 / 3.0)), rel=1e-14)


def test_a_sheet_has_a_border_and_no_volume():
    v = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    _, _, surface = modelled(v, [(0, 1, 2), (0, 2, 3)], thickness=0.1)
    assert not surface.closed
    assert surface.interior.tolist() == [k for k, s in enumerate(surface.topology.sides) if s[1] >= 0]
    assert len(surface.interior) == 1
    assert surface.reference.angle == pytest.approx(np.zeros(5), abs=1e-15)
    assert surface.thickness.tolist() == [0.1, 0.1]


def test_pieces_are_told_apart():
    v, f = octahedron()
    _, _, surface = modelled(np.concatenate([v, 0.5 * v + (9.0, 0, 0)]), np.concatenate([f, f + 6]))
    assert surface.topology.piece.tolist() == 6 * [0] + 6 * [1]
    assert surface.piece.tolist() == 8 * [0] + 8 * [1]
    assert surface.reference.volume == pytest.approx([4.0 / 3.0, 1.0 / 6.0], rel=1e-14)


def test_nodes_may_stand_anywhere_among_the_bodies():
    model = ns.Model()
    model.add_sphere(radius=1.0, mass=1.0, position=(9, 9, 9))
    nodes = [model.add_point(position=x) for x in np.eye(3)]
    surface = model.add_surface(nodes[::-1], [(0, 1, 2)], name="a leaf")
    assert surface.bodies.tolist() == [3, 2, 1]
    assert int(surface) == 0
    assert model.surfaces == [surface]
    assert surface.name == "a leaf"


SQUARE = [(0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
REFUSED = {
    "no area": (
        [(0, 0, 0), (1, 0, 0), (2, 0, 0)],
        [(0, 1, 2)],
        "area of triangles[0] = 0.0: must be more than",
    ),
    "a node twice": (SQUARE, [(0, 1, 1), (0, 2, 3)], "triangles[0] = [0, 1, 1]: must be three different"),
    "doubled": (SQUARE, [(0, 1, 2), (0, 2, 3), (1, 2, 0)], "triangles[2]: has the nodes of triangles[0]"),
    "turned round and doubled": (SQUARE, [(0, 1, 2), (0, 2, 3), (0, 2, 1)], "triangles[2]: has the nodes of"),
    "not oriented": (
        SQUARE,
        [(0, 1, 2), (0, 3, 2)],
        "triangles: 0 and 1 go the same way along the edge of 'point 0' and 'point 2'",
    ),
    "a node alone": (SQUARE, [(0, 1, 2)], "nodes[3]: 'point 3' is in no triangle"),
    "three at an edge": (
        [*SQUARE, (0.5, 0, 1)],
        [(0, 1, 2), (1, 0, 3), (0, 1, 4)],
        "triangles: 0, 1, 2 meet at the edge of 'point 0' and 'point 1': must be at most two",
    ),
    "out of range": (SQUARE, [(0, 1, 4)], "triangles = 'rows from 0 to 4': must be in [0, 3]"),
    "no triangles": (SQUARE, np.empty((0, 3), int), "must be integers (T, 3), T >= 1"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_refused(why):
    v, f, message = REFUSED[why]
    with pytest.raises(ValueError, match=re.escape(message)):
        modelled(v, f)


@pytest.mark.parametrize("thickness", [0.0, -1.0, np.nan, [0.1, 0.2, 0.3]])
def test_refused_thickness(thickness):
    with pytest.raises(ValueError, match="thickness"):
        modelled(SQUARE, [(0, 1, 2), (0, 2, 3)], thickness=thickness)


def test_nodes_of_another_model_are_refused():
    _, nodes, _ = modelled(SQUARE, [(0, 1, 2), (0, 2, 3)])
    with pytest.raises(ValueError, match="belongs to another model"):
        ns.Model().add_surface(nodes, [(0, 1, 2)])


def test_a_name_is_used_once():
    model, nodes, _ = modelled(SQUARE, [(0, 1, 2), (0, 2, 3)])
    model.add_surface(nodes[:3], [(0, 1, 2)], name="sheet")
    with pytest.raises(ValueError, match="name = 'sheet'"):
        model.add_surface(nodes[:3], [(0, 1, 2)], name="sheet")


def test_nodes_of_a_surface_are_an_index():
    model = ns.Model()
    model.add_point(position=(9, 9, 9))
    nodes = [model.add_point(position=corner) for corner in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))]
    surface = model.add_surface(nodes[::-1], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    states = np.arange(2 * 5 * 3.0).reshape(2, 5, 3)
    assert np.array_equal(states[:, surface.nodes], states[:, [4, 3, 2, 1]])
    assert np.array_equal(states[0][surface.nodes], states[0, surface.bodies])
    assert np.array_equal(states[:, surface.nodes[1:3], 2], states[:, [3, 2], 2])
    assert [*surface.nodes] == nodes[::-1]
    assert surface.nodes[-1] is nodes[0]
    assert nodes[2] in surface.nodes
    assert repr(surface.nodes) == "<4 bodies>"
