"""Springs and dashpots between given pairs of points: of bodies, in space, or prescribed.

    chain = Spring([(a, b), (b, c), (c, (0, 0, 1))], stiffness=1e3)
    model.add(chain)

is `Compliant(PointPairs(pairs), normal=LinearSpring(...))` with the lengths of the model as stated. The pairs
may have contact as well, and several springs: forces are added.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from elements.compliant_elements import Compliant
from elements.laws.springs.dashpot import LinearDashpot
from elements.laws.springs.linear_spring import LinearSpring
from elements.laws.springs.maxwell import MaxwellSpring
from elements.point_pairs import NOWHERE, End, PointPairs
from nsgalpha.arrays import Flags, Floats
from nsgalpha.checks import floats, refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.registration import offered

Ends = Sequence[tuple[End, End]]


@offered("elements")
@recorded
def Spring(  # noqa: N802, it makes an element
    pairs: Ends,
    *,
    stiffness: ArrayLike,
    compression: ArrayLike | None = None,
    length: ArrayLike | None = None,
    damping: ArrayLike = 0.0,
    rupture: ArrayLike | None = None,
    strain: ArrayLike | None = None,
) -> Compliant:
    """Springs between the `pairs` of points, see PointPairs and LinearSpring.

    length [m] at rest: by default the distance in the model as stated. rupture [m] or strain [-] > 0: length,
    or elongation over the length at rest, above which a spring breaks for good. Every number is one for all
    pairs, or one for each.

    Raises the errors of PointPairs and LinearSpring. Raises ValueError if numbers are not as many as the
    pairs, or rupture and strain are both given. Also raises it if the points of a spring that needs a
    direction coincide.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> bead = model.add_sphere(radius=0.01, mass=0.1, position=(0, 0, -1))
    >>> spring = model.add(Spring([((0, 0, 0), bead)], stiffness=20.0))
    >>> ns.equilibrium(model).state.position[bead].round(9)  # 1 m at rest, and m g / k
    array([ 0.  ,  0.  , -1.05])
    """
    points, given = _stated(pairs, length, rupture, strain, stiffness, compression, damping)
    return Compliant(points, normal=LinearSpring(**given))


@offered("elements")
@recorded
def Maxwell(  # noqa: N802
    pairs: Ends,
    *,
    stiffness: ArrayLike,
    dashpot: ArrayLike,
    threshold: float = 0.0,
    compression: ArrayLike | None = None,
    length: ArrayLike | None = None,
    damping: ArrayLike = 0.0,
    rupture: ArrayLike | None = None,
    strain: ArrayLike | None = None,
) -> Compliant:
    """Springs in series with a `dashpot` [N s/m] > 0, see MaxwellSpring; all else is as for `Spring`."""
    points, given = _stated(pairs, length, rupture, strain, stiffness, compression, damping, dashpot)
    return Compliant(points, normal=MaxwellSpring(dashpot=dashpot, threshold=threshold, **given))


@offered("elements")
@recorded
def Dashpot(pairs: Ends, *, damping: float) -> Compliant:  # noqa: N802
    """Dashpots of `damping` [N s/m] > 0 between the `pairs` of points at any distance, see PointPairs.

    Raises the errors of PointPairs and LinearDashpot, and ValueError if the points of a pair coincide.
    """
    points = PointPairs(pairs)
    law = LinearDashpot(damping=damping)
    _refuse_one_place(points, np.ones(len(points), bool))
    return Compliant(points, normal=law)


def _stated(
    pairs: Ends,
    length: ArrayLike | None,
    rupture: ArrayLike | None,
    strain: ArrayLike | None,
    stiffness: ArrayLike,
    compression: ArrayLike | None,
    damping: ArrayLike,
    dashpot: ArrayLike = 1.0,
) -> tuple[PointPairs, dict[str, Any]]:
    """The pairs, and the arguments of the law of an elastic spring."""
    points = PointPairs(pairs)
    if rupture is not None and strain is not None:
        raise ValueError("rupture and strain: give one of them; rupture is a length, strain is relative")
    at_rest = points.lengths if length is None else length
    given: dict[str, Any] = {
        "stiffness": stiffness,
        "length": at_rest,
        "compression": compression,
        "damping": damping,
        "rupture": rupture,
    }
    for name, value in {**given, "strain": strain, "dashpot": dashpot}.items():
        allowed = f"a number, or one for each of the {len(points)} pairs"
        if value is not None and (shape := floats(name, value, allowed).shape) not in ((), (len(points),)):
            raise refuse(name, f"array {shape}", allowed)
    if strain is not None:
        given["rupture"] = _broken_at(strain, at_rest)
    LinearSpring(**given)  # raises for numbers out of range
    _refuse_one_place(points, (np.asarray(at_rest) > 0.0) | (np.asarray(damping) > 0.0))
    return points, given


def _broken_at(strain: ArrayLike, length: ArrayLike) -> Floats:
    """Length [m] at rupture."""
    e, r = np.broadcast_arrays(np.asarray(strain, float), np.asarray(length, float))
    if not (np.isfinite(e) & (e > 0.0)).all():
        remedy = "it is the elongation at rupture over the length"
        raise refuse("strain", strain, "positive and finite", remedy)
    if not (r > 0.0).all():
        raise refuse("strain", strain, "left out where a length at rest is 0", "give the length at rupture")
    return np.asarray((1.0 + e) * r)


def _refuse_one_place(points: PointPairs, needs: Flags) -> None:
    """Raises ValueError if the points of a pair that `needs` a direction coincide in the model."""
    for k in np.flatnonzero((points.lengths <= NOWHERE) & needs)[:1]:
        one, two = points.names(int(k))
        raise ValueError(
            f"pairs[{k}]: {one!r} and {two!r} are at one place, where their force has no direction; move "
            "them apart, or give a spring the length 0 and no damping"
        )
