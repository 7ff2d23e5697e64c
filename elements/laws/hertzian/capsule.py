"""Couple of the adhesion of two crossing capsules.

    M = -2 f F L (t_A . t_B)/((t_A . t_A)(t_B . t_B)) (t_A x t_B),    F = 2 pi W R,    L = (2/3) sqrt(R d)

acts on B, its opposite on A: they turn the axes t (not of unit length) parallel, a heuristic for the ellipse
over which the adhesion of DMT acts, with its mean lever L in a circle. There is none at the end spheres.

Source: documentation of the chain element DMT_Capsule of mpacts.
"""

import numpy as np
from numpy.typing import ArrayLike

from elements.laws.hertzian.hertz import circle
from nsgalpha.arrays import Floats
from nsgalpha.checks import number_in, refuse


def capsule_moment(
    axis_a: ArrayLike,
    axis_b: ArrayLike,
    overlap: ArrayLike,
    radius: ArrayLike,
    work: float,
    factor: float = 1.0,
) -> Floats:
    """Couple M (..., 3) [N m] on B; on A acts the opposite.

    axis_a, axis_b: axes (..., 3) from end to end [m]; overlap (...) and effective radius (...) [m]; work W >=
    0 [J/m^2]; factor f >= 0 weighs it.

    Raises ValueError for an axis of length zero, or work or factor out of range.
    """
    number_in("work", work, 0.0, np.inf, remedy="it is an energy over an area in J/m^2")
    number_in("factor", factor, 0.0, np.inf)
    a, b = np.asarray(axis_a, float), np.asarray(axis_b, float)
    lengths = (a * a).sum(axis=-1) * (b * b).sum(axis=-1)
    if not (lengths > 0.0).all():
        raise refuse(
            "axis_a, axis_b", (axis_a, axis_b), "longer than zero", "a capsule without length is a sphere"
        )
    force = 2.0 * np.pi * work * np.asarray(radius, float)
    size = -2.0 * factor * force * (2.0 / 3.0) * circle(overlap, radius) * (a * b).sum(axis=-1) / lengths
    return size[..., None] * np.cross(a, b)
