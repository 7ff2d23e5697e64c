"""Billiard balls, cloth and table of the published cases, in one place.

Source, "the paper" in all cases: Sanchez, Cardona, Cosimo, Bruls, Cavalieri, *Simulation of spherical rigid
bodies subject to friction with multiple impacts*, sections 5.1 to 5.3. Its values for balls and cloth are
those of Alciatore, *The Illustrated Principles of Pool and Billiards*.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import nsgalpha as ns

RADIUS = 0.028575  # [m]
MASS = 0.17  # [kg]
INERTIA = 0.4 * MASS * RADIUS**2  # [kg m^2], homogeneous ball
GRAVITY = 9.8  # [m/s^2]
MU_BALLS = 0.06
MU_CLOTH = 0.2
E_BALLS = 0.93

UP = np.array([0.0, 0.0, 1.0])


def billiard_model(gravity: float = GRAVITY) -> ns.Model:
    """A model with gravity [m/s^2] along -z."""
    return ns.Model(gravity=-gravity * UP)


def add_ball(model: ns.Model, position: ArrayLike, **properties: Any) -> ns.Body:
    """A billiard ball resting on the plane z = 0; position (2,) of its centre in that plane [m]."""
    x, y = np.asarray(position, dtype=float)
    return model.add_sphere(position=(x, y, RADIUS), **{"radius": RADIUS, "mass": MASS, **properties})


def triangle(rows: int, half: float) -> list[tuple[float, float]]:
    """Places [m] of a rack of `rows` rows along x, the apex at the origin; `half` the pitch [m]."""
    return [(i * math.sqrt(3.0) * half, (2 * j - i) * half) for i in range(rows) for j in range(i + 1)]


def add_cloth(model: ns.Model) -> ns.Plane:
    """The table z = 0."""
    return model.add_plane(normal=UP, name="cloth")


def slip(velocity: np.ndarray, angular_velocity: np.ndarray) -> np.ndarray:
    """Velocity [m/s] of the point of the ball on the cloth; inputs and result (..., 3)."""
    return velocity - RADIUS * np.cross(angular_velocity, UP)


def rolling_velocity(velocity: np.ndarray, angular_velocity: np.ndarray) -> np.ndarray:
    """Velocity (..., 3) [m/s] at which a homogeneous ball will roll when all slip has ceased.

    Impulses of the cloth act at the point of contact, hence keep m v + I w x z / R: with
    I = 2/5 m R^2 and v = R w x z in the end, v_end = 5/7 v + 2/7 R w x z. Hops do not matter.
    """
    v_end = 5.0 / 7.0 * velocity + 2.0 / 7.0 * RADIUS * np.cross(angular_velocity, UP)
    return v_end * (1.0 - UP)
