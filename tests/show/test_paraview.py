import base64
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
import pytest
from shown_runs import shapes, slide, soft

from nsgalpha import show

TYPES = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4", "Int64": "<i8"}


def decoded(array):
    """The array of a DataArray, without its header, which is checked."""
    raw = base64.b64decode(array.text)
    assert int.from_bytes(raw[:8], "little") == len(raw) - 8
    values = np.frombuffer(raw[8:], TYPES[array.get("type")])
    width = int(array.get("NumberOfComponents"))
    return values.reshape(-1, width) if width > 1 else values


def read(path):
    """Content of a .vtp file; its announced counts are checked."""
    piece = ElementTree.parse(path).getroot().find("PolyData/Piece")
    parts = {part.tag: {a.get("Name"): decoded(a) for a in part} for part in piece}
    points = parts["Points"]["Points"].reshape(-1, 3)
    assert len(points) == int(piece.get("NumberOfPoints"))
    cells = {}
    for kind in ("Verts", "Lines", "Polys"):
        ends = parts[kind]["offsets"]
        cells[kind] = np.split(parts[kind]["connectivity"], ends)[:-1] if len(ends) else []
        assert len(cells[kind]) == int(piece.get(f"NumberOf{kind}"))
    for values in parts["PointData"].values():
        assert len(values) == len(points)
    for values in parts["CellData"].values():
        assert len(values) == sum(map(len, cells.values()))
    return SimpleNamespace(points=points, point=parts["PointData"], cell=parts["CellData"], **cells)


def series(path):
    """Times and files of a .pvd file."""
    entries = ElementTree.parse(path).getroot().findall("Collection/DataSet")
    return [float(e.get("timestep")) for e in entries], [path.parent / e.get("file") for e in entries]


def test_bodies_come_back_at_their_times(tmp_path):
    result = slide()
    folder = show.paraview(result, tmp_path / "new" / "series", every=200)
    times, files = series(folder / "bodies.pvd")
    assert times == [0.0, 0.4, 0.8, 1.0]
    for record, file in zip((0, 200, 400, 500), files, strict=True):
        bodies = read(file)
        assert np.array_equal(bodies.points, result.position[record])
        for name in ("velocity", "angular_velocity", "rotation"):
            assert np.array_equal(bodies.point[name], getattr(result, name)[record].astype(np.float32))
        assert bodies.point["radius"].tolist() == pytest.approx([0.1, 0.1])
        assert bodies.point["id"].tolist() == [0, 1]
        assert len(bodies.Verts) == 2


def test_contacts_have_the_weight(tmp_path):
    result = slide()
    _, files = series(show.paraview(result, tmp_path, every=50) / "contacts.pvd")
    contacts = read(files[1])
    assert contacts.cell["normal_force"] == pytest.approx([9.81, 9.81], rel=1e-6)
    assert contacts.cell["tangential_force"] == pytest.approx([0.2 * 9.81, 0.0], rel=1e-6, abs=1e-12)
    assert contacts.cell["status"].tolist() == [4, 3]
    assert contacts.cell["body_a"].tolist() == [0, 1]
    assert contacts.cell["plane"].tolist() == [0, 0]
    for line, ball in zip(contacts.Lines, (0, 1), strict=True):
        assert np.allclose(contacts.points[line[0]], result.position[50, ball])
        assert np.allclose(contacts.points[line[1]], result.position[50, ball] * (1, 1, 0), atol=1e-12)
    assert read(files[0]).Lines == []


def test_compliant_contacts_are_among_them(tmp_path):
    result = soft()
    _, files = series(show.paraview(result, tmp_path, every=5) / "contacts.pvd")
    expected = result.compliant_contacts(5)
    contacts = read(files[1])
    assert np.allclose(contacts.cell["force"], expected.force, rtol=1e-6)
    assert np.allclose(contacts.cell["gap"], expected.gap, rtol=1e-6)
    assert np.allclose(
        contacts.points[contacts.Lines[0]], result.position[5, [expected.body_a[0], expected.body_b[0]]]
    )


def test_shapes_follow_their_carriers(tmp_path):
    result = shapes()
    times, files = series(show.paraview(result, tmp_path, every=50) / "shapes.pvd")
    assert len(set(files)) == len(times) == 3
    first, last = read(files[0]), read(files[-1])
    assert (len(first.Verts), len(first.Lines), len(first.Polys)) == (1, 6, 7)
    assert first.cell["kind"].tolist() == [1] * 12 + [0, 0]
    capsule = int(np.flatnonzero(np.isclose(last.cell["radius"], 0.05))[0]) - 1
    assert np.allclose(last.points[last.Lines[capsule]].mean(axis=0), result.position[-1, 0])


def test_planes_at_rest_are_written_once(tmp_path):
    _, files = series(show.paraview(slide(), tmp_path, every=100) / "shapes.pvd")
    assert len(files) == 6
    assert len(set(files)) == 1
    assert np.allclose(read(files[0]).points[:, 2], 0.0)


def test_bad_intervals_are_refused(tmp_path):
    with pytest.raises(ValueError, match="every = 0"):
        show.paraview(slide(), tmp_path, every=0)
