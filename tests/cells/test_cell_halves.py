"""Halves of a surface do not depend on the frame in which it is given."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from elements import icosphere
from elements.cells.cell_halves import halves

SHAPE = np.array([[1.5, 0.13, -0.21], [0.13, 1.2, 0.07], [-0.21, 0.07, 1.1]])
VERTICES, TRIANGLES = icosphere(1)


def cut(turn, shift):
    """The halves, mother's first, (2, N, 3) in the frame of the cell that is turned and then shifted."""
    x = VERTICES @ SHAPE @ turn.T + shift
    return (np.array(halves(x, TRIANGLES, VERTICES @ turn.T, np.ones(3))) - shift) @ turn


@pytest.mark.parametrize("vector", [(3.1, 0.0, 0.0), (0.0, 3.1, 0.0), (0.0, 0.0, 3.1), (0.7, -1.1, 0.4)])
def test_the_mother_keeps_the_same_half_however_the_cell_is_turned(vector):
    turn = Rotation.from_rotvec(vector).as_matrix()
    assert cut(turn, np.zeros(3)) == pytest.approx(cut(np.eye(3), np.zeros(3)), abs=1e-12)


def test_halves_ten_thousand_sizes_from_the_origin_are_those_at_the_origin():
    shift = np.array([6e3, -6.4e3, 4.8e3])
    assert cut(np.eye(3), shift) == pytest.approx(cut(np.eye(3), np.zeros(3)), abs=1e-9)
