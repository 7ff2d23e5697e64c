"""Friction and solid fraction at small inertial numbers, and their limits.

    I = rate sqrt(m/(d P)),    mu = mu_0 + c I^0.39,    1/phi = 1/phi_0 + e I^0.42

with mu the shear stress over the pressure along the gradient. The exponents are those that Peyneau and Roux
give for their fits, from memory. Each limit and slope is found by least squares. For elastic balls phi is
that of balls smaller by their mean overlap. It grows with the pressure, that of rigid balls does not.
"""

from typing import NamedTuple

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.simple_shear import model

#: Friction and solid fraction of slow shear: tan 5.76 degrees, and 0.64
FRICTION, SOLID = float(np.tan(np.radians(5.76))), 0.64
SPREAD = float(np.tan(np.radians(5.76 + 0.22))) - FRICTION
EXPONENTS = 0.39, 0.42  # of friction and of volume
PARTS = 6  # of a flow, whose means scatter


class Flow(NamedTuple):
    """Means of steady shear at one inertial number."""

    number: float  # inertial
    friction: float
    scatter: float  # standard error of the friction, by the means of parts
    solid: float  # fraction, without overlaps
    pressure: float  # along the gradient, over the target


def flows(result: ns.Result) -> list[Flow]:
    """Means of all inertial numbers of a run."""
    stress, found = ns.mean_stress(result), []
    for number, begin, end in model.windows():
        now = (result.t > begin) & (result.t < end)
        shear, normal = stress.total[now, 0, 1], -stress.total[now, 1, 1]
        parts = zip(np.array_split(shear, PARTS), np.array_split(normal, PARTS), strict=True)
        means = [float(a.mean() / b.mean()) for a, b in parts]
        values = shear.mean() / normal.mean(), np.std(means, ddof=1) / np.sqrt(PARTS)
        last = result.compliant_contacts(int(np.flatnonzero(now)[-1]))
        rigid = (1.0 + last.gap.mean() / model.D) ** 3
        solid, pressure = rigid * stress.solid_fraction[now].mean(), normal.mean() / model.PRESSURE
        found.append(Flow(number, *map(float, (*values, solid, pressure))))
    return found


def limit(numbers: Floats, values: Floats, exponent: float) -> tuple[float, float]:
    """Limit and slope of `values` (n,) over the powers of inertial `numbers` (n,)."""
    slope, first = np.polyfit(np.asarray(numbers) ** exponent, values, 1)
    return float(first), float(slope)
