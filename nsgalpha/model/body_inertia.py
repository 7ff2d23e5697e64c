"""Inertia of a body from the stated arguments."""

import math

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, positive, refuse, truth


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

    Raises ValueError unless it is finite, symmetric and positive definite. Each principal value must be at
    most the sum of the other two (as for every distribution of mass).
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


def stated_mass(mass: float | None, fixed: bool) -> float:
    """The `mass` [kg] of a rigid body, 0 if it is `fixed` and has none; ValueError unless positive."""
    if mass is None and truth("fixed", fixed):
        return 0.0
    if mass is None:
        raise refuse("mass", None, "a number, positive and finite", "only fixed=True needs none")
    return positive("mass", mass)


def stated_inertia(value: ArrayLike | None, mass: float, radius: float | None = None) -> Floats:
    """Inertia (3, 3) as given, or of a ball of the `radius`; 0 for massless fixed bodies."""
    if value is None and mass == 0.0:
        return np.zeros((3, 3))
    if value is None and radius is not None:
        return ball_inertia(mass, radius)
    if value is None:
        raise refuse("inertia", None, "given", "only fixed bodies without mass need none")
    return inertia_tensor("inertia", value)


def own_gravity(value: ArrayLike | None, gravity: Floats) -> Floats | None:
    """A body's own acceleration (3,) [m/s^2] from that, or a factor on `gravity`; None: it has none."""
    if value is None:
        return None
    allowed = "an acceleration of three finite numbers, or a factor, such as 0"
    array = floats("gravity", value, allowed)
    if array.shape not in ((), (3,)) or not np.isfinite(array).all():
        raise refuse("gravity", value, allowed)
    with np.errstate(over="ignore"):
        own = array * gravity if array.shape == () else array
    if not np.isfinite(own).all():
        raise refuse("gravity", value, "such that the acceleration is finite")
    return own + 0.0  # no negative zeros


def refuse_motion(name: str, velocity: Floats, spin: Floats) -> None:
    """ValueError unless both are 0, of a body that is fixed."""
    for what, value in (("velocity", velocity), ("angular_velocity", spin)):
        if value.any():
            remedy = "a primitive on a plane with a motion moves as prescribed"
            raise refuse(f"{what} of {name!r}, which is fixed,", value.tolist(), "0", remedy)
