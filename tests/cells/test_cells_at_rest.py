"""Cells on coarse meshes meet planes and one another at closed-form angles."""

import numpy as np
import pytest

from verification.deformable_cells import closed, parts
from verification.deformable_cells.models import graded, part_above


@pytest.mark.parametrize("name", ["spreading", "doublets"])
def test_angles_of_contact_follow_from_the_work_of_adhesion(name, monkeypatch):
    monkeypatch.setattr(parts, "WORKS", (1.0,))
    rows, found = getattr(parts, name)(2)
    assert rows
    assert [row for row in rows if not row.passed] == []
    assert 50.0 < found[0, 1] < 95.0


def test_closed_forms_have_the_digits_of_independent_ones():
    """Of s6 and s12 of data/cells: spread, doublet, compressed drop, cleavage, aspiration."""
    whole = closed.cap(0.5)
    assert np.allclose(whole, np.array([6.349604207872801, 5.498918547994412, 9.524406311809204]) / 6)
    assert np.allclose(2 * closed.cap(0.9).height, 22.855367827527104 / 6)
    assert np.allclose(closed.pressed(0.2), (0.9075095712255771, 0.2670968039559054), rtol=1e-9)
    assert np.allclose(closed.pressed(0.6), (0.5370722027053011, 4.295921537653563), rtol=1e-9)
    assert np.isclose(closed.force_at(0.5370722027053011), 4.295921537653563)
    assert np.allclose(closed.ring(0.7), (0.8102941881393596, 0.5787815629566855))
    assert np.allclose(closed.largest_ring(), (0.8106503779874522, 0.5883724612455248))
    assert np.allclose(closed.held(0.6311233920682999), (0.6311233920682999, 0.7889042400853749))
    outer = closed.outer_radius(0.3, 0.4)
    assert np.isclose(outer, 4.972748747439293 / 5)
    assert np.isclose(closed.suction(0.3, 0.4, 0.0, outer), 16.734238577628346 * 5e-6 / 3e-5)
    assert np.isclose(closed.suction(0.6, 0.4, 0.0, 4.9138269999884685 / 5), 17.78955791481043 / 6)


def test_graded_meshes_and_parts_of_triangles():
    x, triangles = graded(2, 2.5)
    edges = np.linalg.norm(x[triangles[:, 0]] - x[triangles[:, 1]], axis=1)
    low = x[triangles].mean(axis=1)[:, 2]
    assert np.allclose(np.linalg.norm(x, axis=1), 1.0)
    assert edges[low > 0.97].max() < 0.5 * edges[low < -0.5].min()
    heights = np.array([(1.0, 2, 3), (-1, -2, -3), (-1, -1, 1), (1, 1, -1), (0, 1, 0)])
    assert np.allclose(part_above(heights), [1, 0, 0.25, 0.75, 1])
