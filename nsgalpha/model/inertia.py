"""Inertia of a body from what users state of it."""

import math

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, refuse


def ball_inertia(mass: float, radius: float) -> Floats:
    """Inertia (3, 3) of a homogeneous ball, `2/5 m r^2`; ValueError if that is no number above 0."""
    try:
        value = 0.4 * mass * radius**2
    except OverflowError:
        value = math.inf
    if not 0.0 < value < math.inf:
        allowed = "such that the inertia 2/5 m r^2 is a number above 0"
        raise refuse("mass, radius", (mass, radius), allowed, "give the inertia")
    return np.eye(3) * value


def inertia_tensor(name: str, value: ArrayLike) -> Floats:
    """Inertia (3, 3) [kg m^2] from a scalar, three principal values or a symmetric tensor.

    Raises ValueError unless it is finite, symmetric, positive definite, and each principal value is
    at most the sum of the other two (as for every distribution of mass).
    """
    allowed = "a scalar, 3 principal values or a 3 x 3 tensor"
    array = floats(name, value, allowed)
    if not np.isfinite(array).all():
        raise refuse(name, value, "finite")
    if array.shape == ():
        tensor = np.eye(3) * array
    elif array.shape == (3,):
        tensor = np.diag(array)
    elif array.shape == (3, 3):
        tensor = array
    else:
        raise refuse(name, value, allowed)
    if not np.allclose(tensor, tensor.T, rtol=1e-12, atol=0.0):
        raise refuse(name, value, "symmetric")
    principal = np.linalg.eigvalsh(tensor)
    if principal[0] <= 0.0:
        raise refuse(name, value, "positive definite", f"its principal values are {principal}")
    if principal[2] > (principal[0] + principal[1]) * (1.0 + 1e-12):
        allowed = "the inertia of a body: no principal value above the sum of the other two"
        raise refuse(name, value, allowed, f"its principal values are {principal}")
    return tensor
