"""The force of all contacts on a plane, as of a load cell.

Forces of set-valued contacts are means over the step that led to the state, with its impacts: impulse over
step. Of a start to which no step led they are those with which it was given. Compliant ones are evaluated
again at the state.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import instance, named, refuse
from nsgalpha.forces.contact_outputs import has_compliant
from nsgalpha.model.handles import Plane
from nsgalpha.run.result import Result


@named
def plane_force(result: Result, plane: Plane | str) -> Floats:
    """Inertial force (n, 3) [N] of all contacts on a plane of the model.

    plane: itself, or its name. Set-valued contacts must be recorded. Without contact the force is 0.

    Raises ValueError if the model has no such plane.

    >>> from elements import SpherePlane
    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 0.1))
    >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1), name="floor")))
    >>> ns.plane_force(ns.simulate(model, t_end=0.1, h=0.01), "floor")[-1].round(9) + 0.0
    array([  0.,   0., -20.])
    """
    instance("result", result, Result, "a Result", "such as simulate and load return")
    number = _number(result, plane)
    total = np.zeros((len(result.t), 3))
    c = result.contacts
    rows = np.flatnonzero(np.asarray(c.plane) == number)
    record, h = c.record[rows], np.asarray(result.h)
    led = h[record] > 0.0
    force = np.asarray(c.wrench)[rows, :3].copy()
    force[led] = np.asarray(c.impulse)[rows[led]] / h[record[led], None]
    np.subtract.at(total, record, force)
    if has_compliant(result.model):
        for i in range(len(total)):
            soft = result.compliant_contacts(i)
            total[i] -= soft.force[soft.plane == number].sum(axis=0)
    return total


def _number(result: Result, plane: Plane | str) -> int:
    """Number of the plane in the model of the `result`."""
    model = result.model
    if isinstance(plane, Plane):
        if plane.index < len(model.planes) and model.planes[plane.index].name == plane.name:
            return plane.index
        raise refuse("plane", plane.name, "a plane of the model of the result")
    return model.plane(plane).index
