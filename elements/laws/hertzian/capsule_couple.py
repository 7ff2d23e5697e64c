"""Couple of the adhesion of two crossing capsules.

    M = -2 f F L (t_A . t_B)/((t_A . t_A)(t_B . t_B)) (t_A x t_B),    F = 2 pi W R,    L = (2/3) sqrt(R d)

acts on B, its opposite on A. They rotate the axes t (not of unit length) until parallel. This is a heuristic
for the ellipse over which the adhesion of DMT acts, with its mean lever L in a circle. At the end spheres
the couple is zero. Where the hulls touch, t_A x t_B is along the normal n (of crowned capsules, nearly), and
M a twisting couple, on A

    m = 2 f F L s,    s = (t_A . t_B)(t_A x t_B) . n/((t_A . t_A)(t_B . t_B)) = sin(2 phi)/2

with the angle phi from t_A to t_B about n. At a given overlap it is that of the energy -f F L cos^2(phi). As
L grows with the overlap and the normal force does not depend on it, it is not conservative, and stores
nothing.

Source: documentation of the chain element DMT_Capsule of mpacts.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from elements.laws.hertzian.hertz import circle
from nsgalpha.arrays import Floats
from nsgalpha.checks import field_in, finite, number_in, parameter_set, refuse
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@offered()
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
    W = number_in("work", work, 0.0, np.inf, remedy="it is an energy over an area in J/m^2")
    f = number_in("factor", factor, 0.0, np.inf)
    a, b, contact_radius = _axis("axis_a", axis_a), _axis("axis_b", axis_b), circle(overlap, radius)
    try:
        np.broadcast_shapes(a.shape[:-1], b.shape[:-1], contact_radius.shape)
    except ValueError as error:
        raise ValueError(f"axis_a, axis_b, overlap, radius: must go together; {error}") from None
    lengths = (a * a).sum(axis=-1) * (b * b).sum(axis=-1)
    if not (lengths > 0.0).all():
        remedy = "a capsule without length is a sphere"
        raise refuse("axis_a, axis_b", (axis_a, axis_b), "longer than zero", remedy)
    force = 2.0 * np.pi * W * np.asarray(radius, float)
    size = -2.0 * f * force * (2.0 / 3.0) * contact_radius * (a * b).sum(axis=-1) / lengths
    return size[..., None] * np.cross(a, b)


def _axis(name: str, value: ArrayLike) -> Floats:
    """Vectors (..., 3), or a ValueError."""
    axis = finite(name, value, "finite vectors (..., 3)")
    if axis.shape[-1:] != (3,):
        raise refuse(name, value, "finite vectors (..., 3)")
    return axis


@law_kernel
def crossing_couple(contact, response, parameters):
    """Couple about the normal on A, `parameters` is 2 f (2 pi W) (2/3)."""
    for c in range(contact.overlap.shape[0]):
        d, R, s = contact.overlap[c], contact.radius[c], contact.crossing[c]
        if d > 0.0 and s != 0.0:
            response.force[c, 0] = parameters[0] * R * math.sqrt(R * d) * s
            response.by_overlap[c, 0] = 0.5 * response.force[c, 0] / d


@offered("laws")
@parameter_set
class CapsuleMoment(CompiledLaw):
    """Couple that turns crossing adhesive capsules parallel, for `twisting` of `CompliantCapsules`.

    work W [J/m^2] >= 0: work of adhesion, that of the `DMT` under `normal`; factor f >= 0 weighs it. Contacts
    of other shapes, and at the end spheres, have none.

    Raises ValueError that names the parameter, its value and its range.
    """

    work: float = field_in(0.0, math.inf, remedy="it is an energy over an area in J/m^2")
    factor: float = field_in(0.0, math.inf, default=1.0)

    senses = ("twisting",)
    kernel = crossing_couple

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel."""
        return (2.0 * self.factor * 2.0 * math.pi * self.work * 2.0 / 3.0,)
