"""Spheres against spheres: set-valued contact.

    n = (x_A - x_B) / |x_A - x_B|,    g = |x_A - x_B| - (r_A + r_B),    p_A = -r_A n,  p_B = r_B n

Source: the paper's eq. (7) and (8), with the direction of n corrected (docs/theory.md, section 4).
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from nsgalpha.arrays import Floats, Ints, Planes
from nsgalpha.broadphase import near_pairs
from nsgalpha.checks import refuse
from nsgalpha.element import ContactLaw, geometry_kernel
from nsgalpha.model import Body, handle_list


@geometry_kernel
def measure_sphere_sphere(first, last, a, b, plane, normals, offsets, radius, x, q, gap, normal, lever):
    """Gap, normal and levers of pairs of spheres."""
    for c in range(first, last):
        i, j = a[c], b[c]
        d0 = x[i, 0] - x[j, 0]
        d1 = x[i, 1] - x[j, 1]
        d2 = x[i, 2] - x[j, 2]
        distance = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        gap[c] = distance - (radius[i] + radius[j])
        scale = 1.0 / distance
        normal[c, 0] = d0 * scale
        normal[c, 1] = d1 * scale
        normal[c, 2] = d2 * scale
        for k in range(3):
            lever[c, 0, k] = -radius[i] * normal[c, k]
            lever[c, 1, k] = radius[j] * normal[c, k]


class SphereSphere:
    """Contact of spheres, all pairs `among` a set or the given `pairs`.

    mu: sliding friction [-]; e_n in [0, 1], e_t in (-1, 1): normal and tangential restitution [-];
    rolling_radius, drilling_radius [m]: bounds of the friction torques per unit normal force.

    Raises ValueError if a parameter is out of range, a body is paired with itself or named twice,
    or not exactly one of `among` and `pairs` is given.
    """

    def __init__(
        self,
        among: Sequence[Body] | None = None,
        *,
        pairs: Sequence[tuple[Body, Body]] | None = None,
        mu: float = 0.0,
        e_n: float = 0.0,
        e_t: float = 0.0,
        rolling_radius: float = 0.0,
        drilling_radius: float = 0.0,
    ) -> None:
        self.law = ContactLaw(
            mu=mu, e_n=e_n, e_t=e_t, rolling_radius=rolling_radius, drilling_radius=drilling_radius
        )
        if (among is None) == (pairs is None):
            raise ValueError("among and pairs: give exactly one of them")
        self._among = handle_list("among", among or [], Body)
        self._pairs: list[tuple[Body, Body]] = []
        for pair in pairs or []:
            if len(pair) != 2:
                raise refuse("pairs", pair, "a list of pairs of bodies")
            a, b = (handle_list("pairs", [body], Body)[0] for body in pair)
            self._pairs.append((a, b))
            if a is b:
                raise ValueError(f"pairs: {a.name!r} is paired with itself; a pair needs two bodies")
        if len({frozenset((id(a), id(b))) for a, b in self._pairs}) < len(self._pairs):
            raise ValueError("pairs: a pair is given twice; name each one once")

    @property
    def geometry(self) -> Callable[..., None]:
        """The compiled measuring function."""
        return measure_sphere_sphere

    def shared_pair(self, other: "SphereSphere") -> tuple[str, str] | None:
        """Names of a pair that `other` has too; None if there is none."""
        common = [body for body in self._among if any(body is item for item in other._among)]
        if len(common) > 1:
            return common[0].name, common[1].name
        for one, two in ((self, other), (other, self)):
            among = {id(body) for body in two._among}
            listed = {frozenset((id(a), id(b))) for a, b in two._pairs}
            for a, b in one._pairs:
                if {id(a), id(b)} <= among or frozenset((id(a), id(b))) in listed:
                    return a.name, b.name
        return None

    def handles(self) -> Sequence[Body]:
        """The spheres of the element."""
        return [*self._among, *(body for pair in self._pairs for body in pair)]

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, Ints, Ints]:
        """Pairs of spheres nearer than `reach` [m]; given pairs always."""
        if self._pairs:
            found = np.array([(a.index, b.index) for a, b in self._pairs], np.int64)
        else:
            members = np.array([body.index for body in self._among], np.int64)
            found = near_pairs(x, radius, members, reach)
        return found[:, 0].copy(), found[:, 1].copy(), np.full(len(found), -1, np.int64)
