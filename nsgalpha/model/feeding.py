"""Spheres for a feeder, by their number, mass or solid fraction.

    n v rho = mass,    n v = solid_fraction V        for equal balls of the volume v

Of given radii as many are taken, in their order, as come nearest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, instance, integer, named, number_in, positive, refuse, vector
from nsgalpha.model.inlets_outlets import SHAPES, Feeder
from nsgalpha.model.model import Model
from nsgalpha.model.model_names import checked_name
from nsgalpha.model.regions import Bounded

MOST = 10_000_000  # bodies
DENSEST = 0.74  # solid fraction


@named
def feed_spheres(
    model: Model,
    region: Bounded,
    *,
    radius: ArrayLike,
    density: float,
    number: int | None = None,
    mass: float | None = None,
    solid_fraction: float | None = None,
    volume: float | None = None,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    rate: float | None = None,
    start: float = 0.0,
    seed: int = 0,
    name: str | None = None,
) -> Feeder:
    """Add balls to the `model` and a feeder that brings them into the `region`; return the feeder.

    radius [m]: one for all, or (n,), of which as many are taken, in their order, as are asked for. density
    [kg/m^3]. One of number; mass [kg] of all; or solid_fraction, of the `volume` [m^3], by default that of
    the region. The nearest number of balls is taken: `len(feeder.bodies)`. velocity (3,) [m/s]: with which
    they come. region, rate, start, seed and name: as for `Feeder`; centres are in the region.

    Raises ValueError if a value is out of its range, more or less than one of the three is given, or there
    are too few radii. Nothing is added then.

    >>> model = ns.Model(gravity=(0, 0, -9.81))
    >>> spout = ns.regions.Box(low=(0, 0, 0.5), high=(0.1, 0.1, 0.6))
    >>> rain = ns.feed_spheres(
    ...     model, spout, radius=0.005, density=2500, solid_fraction=0.6, volume=1e-3, rate=500
    ... )
    >>> len(rain.bodies), round(sum(ball.mass for ball in rain.bodies), 3)
    (1146, 1.5)
    """
    instance("model", model, Model, "a Model")
    instance("region", region, Bounded, SHAPES)
    r = fed_radii(
        region=region,
        radius=radius,
        density=density,
        number=number,
        mass=mass,
        solid_fraction=solid_fraction,
        volume=volume,
    )
    first = integer("seed", seed, 0)
    v, begin = vector("velocity", velocity), number_in("start", start, -math.inf, math.inf)
    if rate is not None:
        rate = positive("rate", rate, "it is in bodies per second")
    model.names.free(None if name is None else checked_name(name), "feeder", len(model.open_boundaries))
    place = region.draw(np.random.default_rng(first))
    weight = float(density) * 4.0 / 3.0 * np.pi * r**3
    balls = model.add_spheres(position=np.tile(place, (len(r), 1)), radius=r, mass=weight, velocity=v)
    return model.add(Feeder(balls, region, rate=rate, start=begin, seed=first, name=name))


def fed_radii(
    *,
    region: Bounded,
    radius: ArrayLike,
    density: float,
    number: int | None = None,
    mass: float | None = None,
    solid_fraction: float | None = None,
    volume: float | None = None,
) -> Floats:
    """Radii (n,) [m] of the balls that `feed_spheres` adds; arguments and errors are the same."""
    rho = positive("density", density, "it is in kg/m^3")
    space = _space(region, volume, solid_fraction)
    given = {"number": number, "mass": mass, "solid_fraction": solid_fraction}
    stated = [key for key, value in given.items() if value is not None]
    if len(stated) != 1:
        raise ValueError(f"{', '.join(stated) or 'number, mass, solid_fraction'}: give one of them")
    r = finite("radius", radius, "one radius [m], or one for each ball")
    if r.ndim > 1 or not r.size or not (r > 0.0).all():
        raise refuse("radius", radius, "one radius [m] above 0, or one for each ball")
    if number is not None:
        count = integer("number", number, 1)
    else:
        wanted = (
            positive("mass", mass, "it is that of all balls in kg") / rho
            if mass is not None
            else space * number_in("solid_fraction", solid_fraction, 0.0, DENSEST, open_low=True)
        )
        count = _nearest(r, wanted, stated[0], given[stated[0]])
    if count > MOST:
        raise refuse(stated[0], given[stated[0]], f"for at most {MOST} balls", f"it asks for {count}")
    if r.ndim and count > len(r):
        raise refuse("radius", f"{len(r)} radii", f"{count} or more", "give more, or one for all")
    return r[:count].copy() if r.ndim else np.full(count, float(r))


def _space(region: Bounded, volume: float | None, solid_fraction: float | None) -> float:
    """Volume [m^3] that is to be filled, 0 where none is asked for."""
    if solid_fraction is None:
        if volume is not None:
            raise refuse("volume", volume, "left out without a solid_fraction")
        return 0.0
    if volume is not None:
        return positive("volume", volume, "it is in m^3")
    own = float(getattr(region, "volume", 0.0))
    if not own > 0.0:
        raise refuse("volume", None, f"given for a {type(region).__name__} without a volume")
    return own


def _nearest(r: Floats, wanted: float, name: str, value: float | None) -> int:
    """Number of balls whose volume is nearest to `wanted` [m^3]. Raises ValueError by the argument `name`."""
    volume = 4.0 / 3.0 * np.pi * r**3
    if r.ndim == 0:
        count = round(min(wanted / float(volume), 2.0 * MOST))
    else:
        total = np.cumsum(volume)
        if total[-1] < wanted - 0.5 * volume[-1]:
            most = float(value or 0.0) * total[-1] / wanted
            raise refuse(name, value, f"up to {most:.3g}, that of all {len(r)} radii", "give more")
        count = int(abs(np.concatenate([[0.0], total]) - wanted).argmin())
    if count < 1:
        raise refuse(name, value, "at least half a ball", "take smaller balls, or more of them")
    return count
