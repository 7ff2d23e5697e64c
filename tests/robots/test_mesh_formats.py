"""Shapes and mesh files that tools of robots write: capsules, OBJ with materials, GLB and COLLADA."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.model import mesh_sources

BOX = [(x, y, z) for x in (0.0, 0.5) for y in (0.0, 0.25) for z in (0.0, 0.125)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [(a, *two) for a, b, c, d in SIDES for two in ((b, c), (c, d))]
LINK = "<link name='a'><collision>{}<geometry>{}</geometry></collision></link>"


def robot_of(folder, geometry, origin="", **given):
    path = folder / "one.urdf"
    path.write_text(f"<robot name='r'>{LINK.format(origin, geometry)}</robot>")
    return ns.read_urdf(path, **given)


def obj_with_materials(path):
    """Two groups of quads with own normals and textures, and a missing library."""
    lines = ["mtllib none.mtl", *(f"v {x} {y} {z}" for x, y, z in BOX)]
    lines += [f"vt {k} 0" for k in range(4)] + [f"vn 0 0 {k + 1}" for k in range(6)]
    for k, side in enumerate(SIDES):
        lines += [f"g part{k % 2}", f"usemtl colour{k % 2}"]
        lines.append("f " + " ".join(f"{v + 1}/{j + 1}/{k + 1}" for j, v in enumerate(side)))
    path.write_text("\n".join(lines))


def scene(path):
    """The surface of a box in three nodes, one mirrored, one moved."""
    triangles = np.array(TRIANGLES)
    whole, mirror = trimesh.Scene(), np.diag((-1.0, 1.0, 1.0, 1.0))
    moved = trimesh.transformations.translation_matrix((1.0, 2.0, 3.0))
    for rows, place in ((slice(0, 4), np.eye(4)), (slice(4, 8), mirror), (slice(8, 12), moved)):
        inverse = np.linalg.inv(place)
        own = trimesh.Trimesh(trimesh.transform_points(BOX, inverse), triangles[rows], process=False)
        if np.linalg.det(place) < 0.0:
            own.invert()
        whole.add_geometry(own, transform=place)
    path.write_bytes(whole.export(file_type="glb"))


def collada(path, unit='<unit name="millimeter" meter="0.001"/>', up="Z_UP", more=""):
    numbers = " ".join(f"{1e3 * each}" for x in BOX for each in x)
    faces = " ".join(str(k) for row in TRIANGLES for k in row)
    path.write_text(
        f"""<?xml version="1.0"?>{more}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><contributor/><created>2026-01-01T00:00:00</created><modified>2026-01-01T00:00:00</modified>
{unit}<up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="n" count="24">{numbers}</float_array>
<technique_common><accessor source="#n" count="8" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 500</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
    )


def extent(part):
    x = part.bulk.vertices + part.bulk.centre
    return np.array([x.min(axis=0), x.max(axis=0)])


@pytest.mark.parametrize(
    ("file", "write", "origin"),
    [("a.obj", obj_with_materials, (0, 0, 0)), ("a.glb", scene, (0, 0, 0)), ("a.dae", collada, (0, 0, 0.5))],
)
def test_the_solid_in_a_file_is_the_box(tmp_path, file, write, origin):
    if file == "a.dae":
        pytest.importorskip("collada")
    write(tmp_path / file)
    report = ns.mesh_report(tmp_path / file)
    assert report.sound, str(report)
    assert report.convex
    assert len(report.mesh.vertices) == 8
    part = ns.parts.solid(tmp_path / file)
    assert part.bulk.volume == pytest.approx(1 / 64, rel=1e-12)
    assert extent(part) == pytest.approx(np.array([(0, 0, 0), (0.5, 0.25, 0.125)]) + origin)
    robot = robot_of(tmp_path, f"<mesh filename='{file}' scale='1 -2 1'/>")
    x = np.array([robot.model.shapes.places[k] for each in robot.model.primitives for k in each.corners])
    assert np.ptp(x, axis=0) == pytest.approx((0.5, 0.5, 0.125))
    assert not robot.not_taken


def test_collada_has_its_unit_and_keeps_its_axes(tmp_path):
    """As RViz and Gazebo take it; without a unit it is in metres."""
    pytest.importorskip("collada")
    collada(tmp_path / "a.dae", unit="", up="Y_UP")
    assert extent(ns.parts.solid(tmp_path / "a.dae", scale=1e-3))[1] == pytest.approx((0.5, 0.25, 0.625))
    for unit, words in (("<unit meter='0'/>", "meter of <unit>"), ("<unit meter='x'/>", "could not convert")):
        collada(tmp_path / "a.dae", unit=unit)
        with pytest.raises(ValueError, match=f"a mesh that can be read.*{words}"):
            ns.parts.solid(tmp_path / "a.dae")
    collada(tmp_path / "a.dae", more='<!DOCTYPE a [<!ENTITY b "c">]>')
    with pytest.raises(ValueError, match="must be without a document type"):
        ns.parts.solid(tmp_path / "a.dae")


def test_without_pycollada_the_extra_is_named(tmp_path, monkeypatch):
    collada(tmp_path / "a.dae")
    monkeypatch.setitem(__import__("sys").modules, "collada", None)
    with pytest.raises(ImportError, match=r"pip install nsgalpha\[collada\]"):
        ns.parts.solid(tmp_path / "a.dae")
    robot = robot_of(tmp_path, "<mesh filename='a.dae'/>")
    (line,) = robot.not_taken
    assert "pip install nsgalpha[collada]" in line.why
    assert not robot.model.primitives


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    obj_with_materials(tmp_path / "a.obj")
    monkeypatch.setattr(mesh_sources, "LARGEST", 100)
    with pytest.raises(ValueError, match=r"must be at most 0\.0001 MB"):
        ns.parts.solid(tmp_path / "a.obj")


@pytest.mark.parametrize("word", ["capsule", "drake:capsule"])
def test_a_capsule_of_urdf_is_a_capsule(tmp_path, word):
    origin = "<origin xyz='1 2 3' rpy='0.2 -0.4 0.7'/>"
    robot = robot_of(tmp_path, f"<{word} radius='0.1' length='0.6'/>", origin)
    (primitive,) = robot.model.primitives
    ends = np.array([robot.model.shapes.places[k] for k in primitive.corners])
    axis = Rotation.from_euler("xyz", (0.2, -0.4, 0.7)).apply((0, 0, 0.3))
    assert ends == pytest.approx(np.array((1, 2, 3)) + np.outer((-1, 1), axis), abs=1e-12)
    assert primitive.radius == 0.1
    assert not robot.not_taken
    with pytest.raises(ValueError, match=r"line 1, <.*capsule> of link 'a': length = -1"):
        robot_of(tmp_path, f"<{word} radius='0.1' length='-1'/>")
