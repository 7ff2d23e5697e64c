"""Servo walls: planes under a force or a pressure.

    m c'' = F(t) - d c' - N,        F = p(t) A

c is the displacement along the normal, which points to the grains, N the sum of the contact forces against
it. The wall is a body of the mass m without weight, on a slider (Prismatic) with a motor. So it obeys the
exact equation of motion under hard and soft contact alike, and N = F where it rests. Controllers that read
contact forces and set a velocity are usual elsewhere. They have no limit for rigid grains, where a change of
place has no finite force. The damping d bounds the speed by F/d. With a stiffness k of the grains a wall with
d = 2 sqrt(k m) settles without a swing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from elements.joint_motors import JointSpring, Motor
from elements.joints import Prismatic
from nsgalpha.checks import instance, number_in, positive, refuse, scaled_direction
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.model import Model
from nsgalpha.model.registration import offered
from nsgalpha.model.time_function import Given, time_function

PARTS = "{} body", "damper of {}"


@offered()
@dataclass(frozen=True, eq=False)
class ServoWall:
    """A servo wall: its plane for contact, its body, its slider and its motor."""

    plane: Plane
    body: Body
    slider: Prismatic
    motor: Motor


@offered("walls")
def add_servo_wall(
    model: Model,
    *,
    normal: ArrayLike,
    offset: float = 0.0,
    mass: float,
    force: Given | None = None,
    pressure: Given | None = None,
    area: float | None = None,
    damping: float = 0.0,
    velocity: float = 0.0,
    name: str | None = None,
) -> ServoWall:
    """Add a wall that a force pushes along its `normal` to the `model`, and return it.

    normal (3,) and offset [m]: of the plane at the start, as for `Model.add_plane`; spheres are on the
    normal's side. mass [kg]: inertia of the wall, which has no weight. force [N] along the normal: a number,
    a table (n, 2) of times [s] and values, joined by straight lines, or a function f(t). Or pressure [Pa] in
    the same forms, on an area [m^2]. damping [N s/m] >= 0 of its motion. velocity [m/s] at the start, along
    the normal.

    The wall neither turns nor moves within its plane. `wall.plane` is for contact elements,
    `result.coordinate(name)` the displacement and velocity along the normal, `ns.plane_force(result, name)`
    the force on it, `result.effort(name)` the load. For `GeneralizedAlpha` and `VelocityVerlet`.

    Raises ValueError if a value is out of its range, none or both of force and pressure are given, or a name
    is in use. Nothing is added then.

    >>> from elements import SpherePlane, add_servo_wall
    >>> model = ns.Model()
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    >>> lid = add_servo_wall(model, normal=(0, 0, -1), offset=-0.2, mass=5.0, force=40.0, name="lid")
    >>> element = model.add(SpherePlane(ball, [lid.plane, model.add_plane(normal=(0, 0, 1))]))
    >>> ns.plane_force(ns.simulate(model, t_end=0.1, h=0.01), "lid")[-1].round(9) + 0.0
    array([ 0.,  0., 40.])
    """
    instance("model", model, Model, "a Model")
    n, length = scaled_direction("normal", normal)
    place = number_in("offset", offset, -np.inf, np.inf) / length
    m = positive("mass", mass, "a wall is driven by a force, and needs an inertia")
    load = _load(force, pressure, area)
    d = number_in("damping", damping, 0.0, np.inf)
    v = number_in("velocity", velocity, -np.inf, np.inf)
    label = model.names.free(name, "wall", len(model.planes))
    for part in PARTS:
        model.names.free(part.format(label), "body", 0)
    body = model.add_body(
        mass=m,
        inertia=m,  # without effect, since it does not turn
        position=place * n,
        velocity=v * n,
        gravity=0.0,
        name=PARTS[0].format(label),
    )
    plane = model.add_plane(normal=n, body=body, name=label)
    slider = model.add(Prismatic(None, body, point=place * n, axis=n, name=label))
    motor = model.add(Motor(slider, load, name=label))
    if d > 0.0:
        model.add(JointSpring(slider, stiffness=0.0, damping=d, name=PARTS[1].format(label)))
    return ServoWall(plane, body, slider, motor)


def _load(force: Given | None, pressure: Given | None, area: float | None) -> Given:
    """The force as a number, table or function."""
    if (force is None) == (pressure is None):
        raise ValueError("force and pressure: give one of them")
    if force is not None:
        if area is not None:
            raise refuse("area", area, "left out with a force", "it is that of a pressure")
        time_function("force", force, straight=True)
        return force
    if area is None:
        raise refuse("area", None, "given with a pressure", "it is in m^2")
    size = positive("area", area, "it is in m^2")
    time_function("pressure", pressure, straight=True)
    given: Any = pressure
    if callable(given):
        return _Scaled(given, size)
    table = np.asarray(given, float)
    return (
        float(size * table) if table.ndim == 0 else (table * ([1.0] + [size] * (table.shape[1] - 1))).tolist()
    )


@dataclass(frozen=True)
class _Scaled:
    """A function of time times a constant."""

    function: Any
    factor: float

    def __call__(self, t: float) -> Any:
        """Its value, or value and rate, at `t` [s]."""
        given = self.function(t)
        if isinstance(given, tuple | list):
            return tuple(self.factor * each for each in given)
        return self.factor * given
