"""Reports of meshes find each fault; repairs return the solid or a refusal."""

import json

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.commands import command_line
from nsgalpha.io.mesh_command import Mesh
from nsgalpha.model.mass_properties import mesh_properties
from nsgalpha.model.mesh_faults import winding_numbers

SIZE = np.array((0.3, 0.2, 0.1))
TURN = Rotation.from_rotvec((0.3, -1.1, 0.7))
SHIFT = np.array((5.0, -3.0, 2.0))


def box():
    """A box, turned and away from the origin."""
    mesh = trimesh.creation.box(SIZE)
    return TURN.apply(mesh.vertices) + SHIFT, np.array(mesh.faces)


def ring():
    """A ring with a wall of 0.1 that is 0.3 long: no ball, not convex."""
    mesh = trimesh.creation.annulus(0.2, 0.3, 0.3, sections=24)
    return TURN.apply(mesh.vertices) + SHIFT, np.array(mesh.faces)


def sphere(radius, centre=(0, 0, 0)):
    mesh = trimesh.creation.icosphere(2, radius=radius)
    return mesh.vertices + np.array(centre), np.array(mesh.faces)


def together(*meshes):
    first = np.cumsum([0, *(len(x) for x, _ in meshes)])
    return np.vstack([x for x, _ in meshes]), np.vstack(
        [t + k for (_, t), k in zip(meshes, first, strict=False)]
    )


def counts(report):
    return {
        kind: len(rows) for kind, rows in report.faults._asdict().items() if kind != "component" and len(rows)
    }


def test_measures_of_a_box_are_closed_forms():
    report = ns.mesh_report(box(), scale=2.0)
    assert report.sound
    assert report.watertight
    assert report.convex
    assert report.components == 1
    assert report.volume == pytest.approx(8 * SIZE.prod(), rel=1e-12)
    assert report.area == pytest.approx(8 * (0.3 * 0.2 + 0.2 * 0.1 + 0.1 * 0.3), rel=1e-12)
    assert report.thickness == pytest.approx(2 * 0.1, rel=1e-12)
    assert report.rays == 12
    middle = TURN.inv().apply(report.thinnest / 2.0 - SHIFT)
    assert abs(middle[2]) == pytest.approx(0.05, rel=1e-9)  # on a large face
    assert np.array_equal(report.low, report.mesh.vertices.min(axis=0))
    assert not report.remarks
    assert not report.repairs


def test_the_wall_of_a_ring_is_its_thickness():
    report = ns.mesh_report(ring())
    wall = 0.1 * np.cos(np.pi / 24)  # between flat sides
    assert report.sound
    assert not report.convex
    assert report.thickness == pytest.approx(wall, rel=1e-9)


def test_a_plate_is_as_thin_wherever_its_thin_place_is():
    """A plate of 10 cm, with 1 mm left below a groove."""
    heights = np.full((8, 5), 0.1)
    heights[4:6, 1:4] = 1e-3
    top, faces = ns.height_field(heights, 0.1)
    floor = top * (1, 1, 0)
    border = trimesh.Trimesh(top, faces, process=False)
    lone = border.edges[trimesh.grouping.group_rows(border.edges_sorted, require_count=1)]
    n = len(top)
    sides = [t for i, j in lone for t in ((j, i, i + n), (j, i + n, j + n))]
    mesh = np.vstack([top, floor]), np.vstack([faces, faces[:, ::-1] + n, sides])
    report = ns.mesh_report(mesh)
    assert report.sound
    assert report.thickness == pytest.approx(1e-3, rel=1e-9)
    assert 0.35 < report.thinnest[0] < 0.55


def test_a_cavity_is_turned_inwards():
    outer, (x, inner) = sphere(1.0), sphere(0.8)
    hollow = ns.mesh_report(together(outer, (x, inner[:, ::-1])))
    assert hollow.sound
    assert hollow.components == 2
    assert hollow.thickness == pytest.approx(0.2, rel=0.05)
    twice = ns.mesh_report(together(outer, (x, inner)))
    assert counts(twice) == {"inside_out": 1}
    repaired = ns.mesh_report(together(outer, (x, inner)), repair=True)
    assert repaired.volume == pytest.approx(hollow.volume, rel=1e-12)
    assert repaired.repairs == ["1 of 2 components turned"]
    core = together(outer, (x, inner[:, ::-1]), sphere(0.5))  # matter within the cavity
    assert ns.mesh_report(core).sound


def test_winding_numbers_are_those_of_a_ball():
    x, t = sphere(1.0)
    points = np.array([(0, 0, 0), (0.5, 0.3, -0.4), (1.5, 0, 0), (0, -9, 9)])
    assert winding_numbers(points, x[t]) == pytest.approx((1, 1, 0, 0), abs=1e-12)


def opened(x, t):
    return x, np.delete(t, 5, axis=0)


def turned(x, t):
    return x, np.vstack([t[:1, ::-1], t[1:]])


def inverted(x, t):
    return x, t[:, ::-1]


def doubled(x, t):
    return x, np.vstack([t, t[3:4]])


def doubled_backwards(x, t):
    return x, np.vstack([t, t[3:4, ::-1]])


def collapsed(x, t):
    return x, np.vstack([t, (t[0, 0], t[0, 0], t[0, 1])])


def split_vertices(x, t):
    """Each triangle has own corners, 1e-8 of the size away from those of others."""
    rng = np.random.default_rng(3)
    own = x[t.ravel()]
    return own + 1e-8 * rng.uniform(-1, 1, own.shape), np.arange(len(own)).reshape(-1, 3)


def divided_on_one_side(x, t):
    """A vertex on an edge, of which only one of both triangles knows."""
    a, b, c = t[0]
    middle = len(x)
    return np.vstack([x, 0.5 * (x[a] + x[b])]), np.vstack([t[1:], (a, middle, c), (middle, b, c)])


def needle(x, t):
    """The same, with a triangle without area between."""
    x, t = divided_on_one_side(x, t)
    return x, np.vstack([t, (t[-2, 0], t[-1, 1], len(x) - 1)])


FAULTS = {
    opened: {"open": 3},
    turned: {"misoriented": 3},
    inverted: {"inside_out": 1},
    doubled: {"duplicate": 1, "crowded": 3},
    doubled_backwards: {"duplicate": 1, "crowded": 3},
    collapsed: {"degenerate": 1},
    divided_on_one_side: {"open": 3},
    needle: {"degenerate": 1},
}


@pytest.mark.parametrize("shape", [box, ring])
@pytest.mark.parametrize("spoil", FAULTS)
def test_each_fault_is_found_and_repaired(spoil, shape):
    x, t = spoil(*shape())
    report = ns.mesh_report((x, t))
    assert not report.sound
    assert counts(report) == FAULTS[spoil]
    with pytest.raises(ValueError, match=r"source = .*; ns.mesh_report lists the faults, repair=True"):
        ns.Model().add_solid((x, t), density=1.0, position=(0, 0, 0))
    assert_repaired(x, t, shape)


def assert_repaired(x, t, shape, rel=1e-9):
    whole, found = mesh_properties(shape(), 1.0, False), mesh_properties((x, t), 1.0, False, repair=True)
    assert found.volume == pytest.approx(whole.volume, rel=rel)
    assert found.centre == pytest.approx(whole.centre, abs=rel * 10)
    assert found.inertia == pytest.approx(whole.inertia, abs=rel * 10 * whole.inertia.max())
    report = ns.mesh_report((x, t), repair=True)
    assert report.sound
    assert report.repairs
    again = ns.mesh_report(report.mesh, repair=True)
    assert not again.repairs
    assert np.array_equal(again.mesh.triangles, report.mesh.triangles)


def test_places_of_faults_are_in_the_report():
    x, t = opened(*box())
    missing = x[box()[1][5]]
    report = ns.mesh_report((x, t))
    ends = {tuple(np.round(x[k], 9)) for k in report.faults.open.ravel()}
    assert ends == {tuple(np.round(corner, 9)) for corner in missing}
    (hole,) = report.holes
    assert hole.centre == pytest.approx(missing.mean(axis=0))
    assert sorted(x[hole.vertices].tolist()) == sorted(missing.tolist())


@pytest.mark.parametrize("seed", range(8))
def test_many_faults_at_once_are_repaired(seed):
    """Torn apart, turned at random, mixed, with a hole, doubles and needless vertices."""
    rng = np.random.default_rng(seed)
    x, t = ring()
    gone = rng.choice(len(t), 1)
    t = np.delete(t, gone, axis=0)
    t = np.vstack([t, t[rng.choice(len(t), 5, replace=False)]])
    t = np.where(rng.random(len(t))[:, None] < 0.3, t[:, ::-1], t)
    x, t = split_vertices(x, rng.permutation(t))
    x = np.vstack([x, rng.normal(size=(4, 3)) * 0.1 + SHIFT])
    assert_repaired(x, t, ring, rel=1e-6)
    repairs = " ".join(ns.mesh_report((x, t), repair=True).repairs)
    for words in (
        "merged",
        "5 triangles with the corners",
        "turned",
        "a hole of 3 edges",
        "4 vertices without",
    ):
        assert words in repairs


@pytest.mark.parametrize("seed", range(5))
def test_watertight_and_oriented_are_as_trimesh_has_them(seed):
    rng = np.random.default_rng(seed)
    x, t = ring()
    for damaged in (t, t[rng.permutation(len(t))[: len(t) - seed]], np.vstack([t[:seed, ::-1], t[seed:]])):
        theirs, ours = trimesh.Trimesh(x, damaged, process=False), ns.mesh_report((x, damaged))
        assert ours.watertight == theirs.is_watertight
        assert (len(ours.faults.misoriented) == 0) == theirs.is_winding_consistent


def test_a_hole_is_filled_up_to_a_tenth_of_the_size():
    """A ball without its cap, alone and beside a large one."""
    x, t = sphere(1.0)
    pole = int(x[:, 2].argmax())
    around = (t == pole).any(axis=1)
    for others, is_filled in (([], False), ([sphere(10.0, (0, 0, 30))], True)):
        mesh = together((x, t[~around]), *others)
        report = ns.mesh_report(mesh, repair=True)
        assert report.sound == is_filled
        assert len(report.holes) == (not is_filled)
    words = r"must be watertight.*after the repair . edges have one, the first from \(.*\) to \(.*\) m"
    with pytest.raises(ValueError, match=words):
        ns.Model().add_solid((x, t[~around]), mass=1.0, position=(0, 0, 0), repair=True)


def test_a_filling_has_the_least_area():
    """A flat hole of twelve edges, not convex, is filled within its plane."""
    steps = np.array(
        [(0, 0), (3, 0), (3, 1), (2, 1), (2, 2), (3, 2), (3, 3), (0, 3), (0, 2), (1, 2), (1, 1), (0, 1)]
    )
    n = len(steps)
    low, high = (np.column_stack([0.01 * steps, np.full(n, z)]) for z in (0.0, 1.0))
    sides = [f for i in range(n) for f in ((i, (i + 1) % n, n + i), ((i + 1) % n, n + (i + 1) % n, n + i))]
    report = ns.mesh_report((np.vstack([low, high]), sides), repair=True)  # 0.03 wide, 1 long: both ends open
    assert report.sound
    assert report.volume == pytest.approx(7e-4, rel=1e-12)  # seven squares
    assert sum("a hole of 12 edges" in each for each in report.repairs) == 2


def moebius():
    n = 12
    angle = 2 * np.pi * np.arange(n) / n
    side = np.array(
        [
            (1.0 + w * np.cos(a / 2)) * np.array((np.cos(a), np.sin(a), 0)) + (0, 0, w * np.sin(a / 2))
            for a in angle
            for w in (-0.3, 0.3)
        ]
    )
    faces = []
    for k in range(n):
        a, b = 2 * k, 2 * k + 1
        c, d = (2 * k + 2, 2 * k + 3) if k < n - 1 else (1, 0)
        faces += [(a, c, b), (b, c, d)]
    return side, np.array(faces)


def two_boxes_at_an_edge():
    x, t = box()
    x = TURN.inv().apply(x - SHIFT)
    return together((x, t), (x + SIZE * (1, 1, 0), t))


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (moebius, "oriented alike; after the repair 1 edge has two triangles that go the same way"),
        (
            two_boxes_at_an_edge,
            r"two triangles at every edge; after the repair 1 edge has more, .* from \(0.15, 0.1",
        ),
    ],
)
def test_other_surfaces_are_refused_with_the_place(mesh, words):
    with pytest.raises(ValueError, match=words):
        ns.Model().add_solid(mesh(), mass=1.0, position=(0, 0, 0), repair=True)
    assert not ns.mesh_report(mesh(), repair=True).sound


def test_one_inverted_component_is_refused():
    """Its volume would be taken from that of the other one."""
    x, t = sphere(0.5, (3, 0, 0))
    mesh = together(sphere(1.0), (x, t[:, ::-1]))
    with pytest.raises(
        ValueError, match=r"counter-clockwise from outside; it is inverted, 1 of 2 components"
    ):
        ns.Model().add_solid(mesh, density=1.0, position=(0, 0, 0))
    body = ns.Model().add_solid(mesh, density=1.0, position=(0, 0, 0), repair=True)
    assert body.mass == pytest.approx(1.125 * ns.mesh_report(sphere(1.0)).volume, rel=1e-12)


def test_components_that_may_overlap_are_remarked():
    meshes = together(sphere(1.0), sphere(1.0, (1.5, 0, 0)))
    (remark,) = ns.mesh_report(meshes).remarks
    assert remark.startswith("of components 1 pair has boxes")
    assert not ns.mesh_report(together(sphere(1.0), sphere(1.0, (3, 0, 0)))).remarks


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (100.0, "30 m is large; if the source is in millimetres, take scale=0.1"),
        (1e-4, "3e-05 m is small"),
        (1, ""),
    ],
)
def test_a_doubtful_unit_is_remarked(scale, words):
    mesh = trimesh.creation.box(SIZE)
    remarks = ns.mesh_report((mesh.vertices, mesh.faces), scale=scale).remarks
    assert [each[: len(words)] for each in remarks] == [words] * bool(words)


def test_a_part_and_a_body_are_repaired(tmp_path):
    path = tmp_path / "part.stl"
    trimesh.Trimesh(*split_vertices(*opened(*box())), process=False).export(path)
    with pytest.raises(ValueError, match="watertight"):
        ns.Model().add_solid(path, density=1000.0, position=(0, 0, 0))
    body = ns.Model().add_solid(path, density=1000.0, position=(0, 0, 0), repair=True)
    assert body.mass == pytest.approx(6.0, rel=1e-5)
    part = ns.parts.solid(path, repair=True)
    assert part.bulk.volume == pytest.approx(6e-3, rel=1e-5)
    with pytest.raises(ValueError, match="hull and repair"):
        ns.parts.solid(path, repair=True, hull=True)
    with pytest.raises(ValueError, match="repair = 1: must be True or False"):
        ns.mesh_report(path, repair=1)
    with pytest.raises(ValueError, match="scale = 0"):
        ns.mesh_report(path, scale=0)


def test_a_mesh_of_collapsed_triangles_is_refused():
    mesh = (np.zeros((3, 3)), [(0, 1, 2)])
    report = ns.mesh_report(mesh, repair=True)
    assert not report.sound
    assert "0 triangles" in str(report)
    with pytest.raises(ValueError, match="volume"):
        ns.Model().add_solid(mesh, mass=1.0, position=(0, 0, 0), repair=True)


def test_a_report_is_some_lines():
    lines = str(ns.mesh_report(opened(*box()))).split("\n")
    assert lines[:2] == ["8 vertices, 11 triangles", "  8 vertices, 11 triangles, 1 component"]
    assert any(
        "must be watertight: two triangles at every edge; 3 edges have one, the first from (" in each
        for each in lines
    )
    assert any(each.startswith("  hole of 3 edges around (") for each in lines)
    assert "least thickness 0.1 m" in str(ns.mesh_report(box()))


@pytest.fixture
def command(monkeypatch):
    monkeypatch.setattr(command_line, "commands", lambda: {"mesh": Mesh()})
    return command_line.main


def test_the_command_reports_and_says_by_its_code_if_the_mesh_is_sound(command, tmp_path, capsys):
    path = tmp_path / "part.stl"
    trimesh.Trimesh(*opened(*box()), process=False).export(path)
    assert command(["mesh", str(path)]) == 1
    assert "3 edges have one" in capsys.readouterr().out
    assert command(["mesh", str(path), "--repair", "--scale", "0.5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["volume"] == pytest.approx(SIZE.prod() / 8, rel=1e-5)
    assert found["faults"] == dict.fromkeys(found["faults"], 0)
    assert len(found["repairs"]) == 1
    assert command(["mesh", str(tmp_path / "none.stl")]) == 2
    assert "must be a file that exists" in capsys.readouterr().err


def deleted(rng, x, t):
    return x, np.delete(t, rng.integers(len(t), size=2), axis=0)


def repeated(rng, x, t):
    return x, np.vstack([t, t[rng.integers(len(t), size=3)]])


def any_triangles(rng, x, t):
    return x, np.vstack([t, rng.integers(len(x), size=(2, 3))])


def turned_at_random(rng, x, t):
    return x, np.where(rng.random(len(t))[:, None] < 0.4, t[:, ::-1], t)


def moved_vertex(rng, x, t):
    x = x.copy()
    x[rng.integers(len(x))] = x[rng.integers(len(x))]
    return x, t


def torn_apart(rng, x, t):
    return x[t.ravel()], np.arange(t.size).reshape(-1, 3)


@pytest.mark.parametrize("seed", range(40))
def test_any_mesh_has_a_report_that_says_if_a_body_can_be_made(seed):
    """In any unit; the second repair of a mesh changes nothing."""
    rng = np.random.default_rng(seed)
    kinds = deleted, repeated, any_triangles, turned_at_random, moved_vertex, torn_apart
    x, t = (box, ring)[seed % 2]()
    x = x * 10.0 ** rng.integers(-4, 4)
    for _ in range(rng.integers(1, 4)):
        x, t = kinds[rng.integers(len(kinds))](rng, x, t)
    for repair in (False, True):
        report = ns.mesh_report((x, t), repair=repair)
        assert str(report)
        if report.sound:
            body = ns.Model().add_solid((x, t), density=1.0, position=(0, 0, 0), repair=repair)
            assert body.mass == pytest.approx(report.volume, rel=1e-9)
        else:
            with pytest.raises(ValueError, match="source"):
                ns.Model().add_solid((x, t), density=1.0, position=(0, 0, 0), repair=repair)
    if report.sound:
        assert not ns.mesh_report(report.mesh, repair=True).repairs
