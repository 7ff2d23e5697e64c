"""Volumes, centres and inertias of solids; files of meshes; refusals."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CompliantSolidPlane, CompliantSolids, SpringDashpot
from nsgalpha.model.mass_properties import (
    box_properties,
    capsule_properties,
    cylinder_properties,
    mesh_properties,
)

POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
LAW = {"normal": SpringDashpot(stiffness=1e5)}
MESHES = {
    "box": (box_properties((0.3, 0.2, 0.1)), trimesh.creation.box((0.3, 0.2, 0.1)), 1e-12),
    "cylinder": (cylinder_properties(0.1, 0.3), trimesh.creation.cylinder(0.1, 0.3, sections=512), 1e-4),
    "capsule": (capsule_properties(0.1, 0.3), trimesh.creation.capsule(0.3, 0.1, count=(128, 128)), 1e-3),
}


@pytest.mark.parametrize("name", MESHES)
def test_closed_forms_are_those_of_a_fine_mesh(name):
    ours, mesh, close = MESHES[name]
    by_mesh = mesh_properties((mesh.vertices, mesh.faces), 1.0, False)
    assert by_mesh.volume == pytest.approx(ours.volume, rel=close)
    assert by_mesh.inertia == pytest.approx(ours.inertia, rel=close, abs=close * ours.inertia.max())


def turned_mesh():
    """A mesh that is not convex and has its centre anywhere."""
    mesh = trimesh.creation.annulus(0.1, 0.2, 0.3, sections=24)
    mesh.apply_transform(trimesh.transformations.random_rotation_matrix(np.array((0.1, 0.6, 0.8))))
    mesh.apply_translation((3.0, -2.0, 1.0))
    return mesh


def test_volume_centre_and_inertia_of_a_mesh_are_those_of_trimesh():
    mesh = turned_mesh()
    ours = mesh_properties((mesh.vertices, mesh.faces), 1.0, False)
    assert ours.volume == pytest.approx(mesh.volume, rel=1e-12)
    assert ours.centre == pytest.approx(mesh.center_mass, rel=1e-12)
    assert ours.inertia == pytest.approx(mesh.moment_inertia, abs=1e-10 * ours.inertia.max())


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply"])
def test_a_mesh_from_a_file_is_the_mesh(tmp_path, suffix):
    mesh, path = turned_mesh(), tmp_path / f"ring.{suffix}"
    mesh.export(path)
    model = ns.Model()
    body = model.add_solid(path, density=1000.0, position=(0, 0, 0), scale=1e-3, name="ring")
    assert body.mass == pytest.approx(1000.0 * mesh.volume * 1e-9, rel=1e-5)
    assert body.inertia == pytest.approx(1e-12 * mesh.moment_inertia, rel=1e-4, abs=1e-17)
    assert len(model.primitives) == len(mesh.faces)


@pytest.mark.parametrize("kind", [list, np.array])
def test_the_hull_of_points_needs_no_triangles(kind):
    points = [*POINTS, (0.1, 0.1, 0.1)]  # the last one is inside
    found, whole = mesh_properties(kind(points), 2.0, True), mesh_properties((points, FACES), 2.0, True)
    assert found.volume == pytest.approx(8.0 / 6.0, rel=1e-14)
    assert np.array_equal(found.vertices, whole.vertices)
    assert np.array_equal(found.inertia, whole.inertia)
    part = ns.parts.solid(kind(points), hull=True)
    assert len(part.bulk.vertices) == 4


def test_the_hull_of_a_ring_is_a_cylinder():
    mesh = turned_mesh()
    ring, hull = (mesh_properties((mesh.vertices, mesh.faces), 1.0, hull) for hull in (False, True))
    assert hull.volume == pytest.approx(ring.volume * 4.0 / 3.0, rel=1e-9)
    model = ns.Model()
    body = model.add_solid((mesh.vertices, mesh.faces), mass=1.0, position=(0, 0, 0))
    other = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 2))
    floor = model.add_plane(normal=(0, 0, 1))
    CompliantSolidPlane(body, floor, **LAW)
    with pytest.raises(ValueError, match="convex"):
        CompliantSolids(among=[body, other], **LAW)


def opened(mesh):
    return mesh.vertices, mesh.faces[:-1]


def inverted(mesh):
    return mesh.vertices, mesh.faces[:, ::-1]


def mixed(mesh):
    return mesh.vertices, np.vstack([mesh.faces[:1, ::-1], mesh.faces[1:]])


def empty(mesh):
    return mesh.vertices, np.empty((0, 3), int)


def beyond(mesh):
    return mesh.vertices, mesh.faces + 1


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (opened, "watertight.*3 edges"),
        (inverted, "inverted"),
        (mixed, "oriented alike"),
        (empty, "triangles"),
        (beyond, "numbers of the 8 vertices"),
    ],
)
def test_bad_meshes_are_named(spoil, says):
    with pytest.raises(ValueError, match=says):
        ns.Model().add_solid(spoil(trimesh.creation.box()), mass=1.0, position=(0, 0, 0))


def test_bad_files_are_named(tmp_path):
    text, nothing = tmp_path / "words.stl", tmp_path / "none.stl"
    text.write_text("solid nothing\nendsolid nothing\n")
    model = ns.Model()
    for path, says in (
        (nothing, "exists"),
        (tmp_path, "exists"),
        (tmp_path / "words.txt", "exists"),
        (text, "mesh"),
        (42, "path"),
    ):
        with pytest.raises(ValueError, match=says):
            model.add_solid(path, mass=1.0, position=(0, 0, 0))
    assert not model.bodies


def test_without_trimesh_the_extra_is_named(tmp_path, monkeypatch):
    path = tmp_path / "box.stl"
    trimesh.creation.box().export(path)
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)
    with pytest.raises(ImportError, match=r"nsgalpha\[mesh\]"):
        ns.Model().add_solid(path, mass=1.0, position=(0, 0, 0))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "mass and density"),
        ({"mass": 1.0, "density": 1.0}, "mass and density"),
        ({"mass": -1.0}, "mass"),
        ({"density": 0.0}, "density"),
    ],
)
def test_one_of_mass_and_density_is_given(given, says):
    with pytest.raises(ValueError, match=says):
        ns.Model().add_box((1, 1, 1), position=(0, 0, 0), **given)


@pytest.mark.parametrize("size", [(1, 1), (1, 1, 0), (1, -1, 1), (1, 1, np.inf), "box"])
def test_sizes_of_boxes_are_three_lengths(size):
    with pytest.raises(ValueError, match="size"):
        ns.Model().add_box(size, mass=1.0, position=(0, 0, 0))


def test_open_surfaces_and_bodies_without_one_are_refused():
    model = ns.Model()
    box = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0))
    bare = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 3))
    with pytest.raises(ValueError, match="closed surface"):
        CompliantSolids(among=model.primitives[:5], **LAW)
    with pytest.raises(ValueError, match="surface"):
        CompliantSolids(among=[box, bare], **LAW)
    with pytest.raises(ValueError, match="both sets"):
        CompliantSolids(between=([box], [box]), **LAW)
    with pytest.raises(ValueError, match="give one of them"):
        CompliantSolids(**LAW)
    top = model.add_plane(normal=(0, 0, 1), offset=0.5, body=box)
    with pytest.raises(ValueError, match="no contact with itself"):
        CompliantSolidPlane(box, top, **LAW)
    model.add(CompliantSolids(among=[box, model.add_box((1, 1, 1), mass=1, position=(0, 0, 4))], **LAW))
    again = CompliantSolids(among=model.bodies[::2], **LAW)
    model.add(again)
    with pytest.raises(ValueError, match="pair of two elements"):
        ns.simulate(model, t_end=0.01, h=0.01)


def test_solids_come_back_from_a_file(tmp_path):
    model = ns.Model()
    turn = Rotation.from_rotvec((0.1, 0.2, 0.3)).as_quat()[[3, 0, 1, 2]]
    model.add_box((0.3, 0.2, 0.1), mass=1.0, position=(0, 0, 1), rotation=turn)
    model.add_cylinder(0.1, 0.2, density=500.0, position=(0, 0, 2))
    model.add_capsule(0.1, 0.2, density=500.0, position=(0, 0, 3))
    element = model.add(CompliantSolids(among=model.bodies, **LAW), name="stack")
    path = tmp_path / "stack.h5"
    ns.simulate(model, t_end=0.01, h=0.01, recording=ns.Recording(file=path))
    found = ns.load(path).model
    assert len(found.primitives) == len(model.primitives) == 6 + 34 + 1
    again = found.element("stack")
    for ours, theirs in zip(element.sides[0], again.sides[0], strict=True):
        assert type(ours) is type(theirs)
        assert ours.name == theirs.name
    assert found.bodies[1].inertia == pytest.approx(model.bodies[1].inertia, rel=1e-15)
