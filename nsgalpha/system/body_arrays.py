"""The bodies of a model as arrays: masses, inertias, how far they reach."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Bodies, Floats
from nsgalpha.model.carried_shapes import extent_of
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import cell_of


def body_arrays(model: Model, size: int) -> Bodies:
    """The bodies of `model`, and behind them frames that cannot move, `size` together; without joints."""
    mass = np.zeros(size)
    radius = np.zeros(size)
    inertia = np.zeros((size, 3, 3))
    inverse = np.zeros((size, 3, 3))
    isotropic = np.ones(size, np.bool_)
    for body in model.bodies:
        mass[body.index] = body.mass
        radius[body.index] = body.radius
        if body.turns and not body.fixed:
            inertia[body.index] = body.inertia
            inverse[body.index] = np.linalg.inv(body.inertia)
            isotropic[body.index] = np.array_equal(body.inertia, body.inertia[0, 0] * np.eye(3))
        else:
            inertia[body.index] = np.eye(3)  # any: no torque reaches it
    inverse_mass = np.zeros(size)
    count = len(model.bodies)
    with np.errstate(divide="ignore"):
        inverse_mass[:count] = 1.0 / mass[:count]
    extents = _extents(model, radius)
    cell = cell_of(model.periodic)
    return Bodies(mass, inverse_mass, inertia, inverse, isotropic, radius, extents, None, cell)


def _extents(model: Model, radius: Floats) -> Floats:
    """Radius (B,) [m] of the spheres around the centres that hold all that has set-valued contact."""
    extent = radius.copy()
    for element in model.elements:
        for handle in element.handles() if isinstance(element.law, ContactLaw) else ():
            if isinstance(handle, Primitive) and isinstance(handle.carrier, Body):
                body = handle.carrier.index
                extent[body] = max(extent[body], extent_of(handle))
    return extent
