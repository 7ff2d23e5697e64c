"""Errors of solids name the argument that is wrong."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Contact, SolidSolid

POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


@pytest.mark.parametrize(
    ("source", "settings", "words"),
    [
        (
            ([(0, 0, np.nan), *POINTS[1:]], FACES),
            {},
            r"vertices of the source = .* finite coordinates \(V, 3\)",
        ),
        ((POINTS, 1.0 * np.array(FACES)), {}, r"triangles of the source = .* whole numbers \(T, 3\)"),
        ((POINTS, FACES[:3]), {}, "'4 vertices, 3 triangles': must be watertight: .* 3 edges have one"),
        ((POINTS[:3], FACES[:1]), {"hull": True}, "'3 vertices, 1 triangles': must be at least four points"),
        (np.eye(3), {"hull": True}, "'3 points': must be at least four points"),
        (np.array(POINTS), {}, "'4 points': must be a surface, .*hull=True"),
        (np.eye(4), {"hull": True}, r"an array \(4, 4\).* points \(V, 3\)"),
    ],
)
def test_a_source_that_is_no_solid(source, settings, words):
    with pytest.raises(ValueError, match=words):
        ns.Model().add_solid(source, mass=1.0, position=(0, 0, 0), **settings)


@pytest.mark.parametrize("size", [(1e-9, 1, 1), (1e300, 1, 1)])
def test_a_box_out_of_range(size):
    with pytest.raises(
        ValueError, match=r"size = .* the least at least 1e-08 of the largest, up to 1e\+12 m"
    ):
        ns.Model().add_box(size, mass=1.0, position=(0, 0, 0))


def test_a_material_names_its_entry_and_other_models_are_refused():
    one, two = ns.Model(), ns.Model()
    box, floor = one.add_box((1, 1, 1), mass=1.0, position=(0, 0, 2)), one.add_plane(normal=(0, 0, 1))
    other = two.add_box((1, 1, 1), mass=1.0, position=(0, 0, 4))
    groups = {"steel": [box], "wood": [floor]}
    for law, words in (({"mu": -0.3}, "mu = -0.3"), ({"muu": 0.3}, "did you mean 'mu'")):
        with pytest.raises((TypeError, ValueError), match=rf"materials\[\('steel', 'wood'\)\]: .*{words}"):
            Contact(among=groups, materials={("steel", "wood"): law})
    with pytest.raises(ValueError, match="'primitive 0' belongs to another model"):
        Contact(among=[box, other])
    with pytest.raises(ValueError, match="a solid of 'box 0' is in both sets"):
        SolidSolid(between=([box], [box]))
