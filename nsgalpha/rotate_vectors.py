"""Rotation of many vectors by quaternions, in numpy."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Reals = TypeVar("Reals", NDArray[np.float32], NDArray[np.float64])


def turned(rotation: Reals, vector: Reals) -> Reals:
    """`R(q) v` of quaternions (..., 4), scalar first, and vectors (..., 3)."""
    s, u = rotation[..., :1], rotation[..., 1:]
    c = 2.0 * np.cross(u, vector)
    return vector + s * c + np.cross(u, c)


def turned_back(rotation: Reals, vector: Reals) -> Reals:
    """`R(q)^T v`: inertial vectors (..., 3) in the frames of quaternions (..., 4)."""
    return turned(rotation * np.array([1.0, -1.0, -1.0, -1.0], rotation.dtype), vector)
