"""The bodies of a model as arrays: masses, inertias, how far they reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nsgalpha.arrays import Bodies, Floats
from nsgalpha.model.carried_shapes import extent_of
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import cell_of
from nsgalpha.system.primitive_measures import Points


def body_arrays(model: Model, size: int) -> Bodies:
    """The bodies of `model`, and behind them frames that cannot move, `size` together; without joints."""
    bodies, count = model.bodies, len(model.bodies)
    mass, radius, inverse_mass = np.zeros((3, size))
    mass[:count] = [body.mass for body in bodies]
    radius[:count] = [body.radius for body in bodies]
    with np.errstate(divide="ignore"):
        inverse_mass[:count] = 1.0 / mass[:count]
    inertia, inverse = np.tile(np.eye(3), (size, 1, 1)), np.zeros((size, 3, 3))
    turning = np.flatnonzero([body.turns and not body.fixed for body in bodies])  # no torque reaches others
    inertia[turning] = np.reshape([bodies[k].inertia for k in turning], (-1, 3, 3))
    inverse[turning] = np.linalg.inv(inertia[turning])
    isotropic = (inertia == inertia[:, :1, :1] * np.eye(3)).all(axis=(1, 2))
    extents = _extents(model, radius)
    cell = cell_of(model.periodic, model.cell_motion)
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


def widths(model: Model, bodies: Bodies) -> Floats:
    """Radii (N,) [m] of bodies with set-valued contact; of solids half the least width.

    0 of bodies without a sphere that stand still, or carry polygons alone.
    """
    width = bodies.radius[: len(model.bodies)].copy()
    for body, size in _half_widths(model):
        if not body.fixed:
            width[body.index] = max(width[body.index], size)
    return width


def thicknesses(model: Model, bodies: Bodies) -> Floats:
    """Radii (B,) [m] of bodies with set-valued contact; of solids half the least width; inf of others."""
    thickness = np.where(bodies.radius > 0.0, bodies.radius, np.inf)
    for body, size in _half_widths(model):
        if size > 0.0:
            thickness[body.index] = min(thickness[body.index], size)
    return thickness


def _half_widths(model: Model) -> Iterator[tuple[Body, float]]:
    """Bodies with half the least width [m] of each of their shapes with set-valued contact."""
    for element in model.elements:
        if not isinstance(element.law, ContactLaw):
            continue
        found = [(each.carrier, float(each.size[1])) for each in getattr(element, "polytopes", ())]
        found += [(each.carrier, each.radius) for each in element.handles() if isinstance(each, Primitive)]
        for carrier, size in found:
            if isinstance(carrier, Body):
                yield carrier, size


def arms_of(primitives: Sequence[Primitive], points: Points, count: int) -> Floats:
    """Distance [m] (N,) from the centres of `count` bodies to the `primitives` that they carry, else 0.

    points: corners of the primitives, behind those that are bodies.
    """
    many = [len(each.corners) for each in primitives]
    rows = np.array([corner for each in primitives for corner in each.corners], np.int64)
    rows += count * np.repeat(np.array([each.rigid for each in primitives], np.int64), many)
    thick = np.repeat(np.abs(np.array([each.radius for each in primitives], float)), many)
    owner, arm = points.owner[rows], np.linalg.norm(points.place[rows], axis=1) + thick
    moving, arms = owner < count, np.zeros(count)
    np.maximum.at(arms, owner[moving], arm[moving])
    return arms
