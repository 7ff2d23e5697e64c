"""Parameters of the scheme of Moreau and Jean."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nsgalpha.checks import field_in, typed

EFFORT = "1 is the default, 0 leaves Gauss-Seidel alone"


@typed
@dataclass(frozen=True, slots=True)
class MoreauJean:
    """Moreau and Jean's time stepping for set-valued contact: one impulse per contact and step.

    Contacts and joints hold at velocity level. Bodies therefore overlap by up to about h times their approach
    speed, and joints drift by O(h^2); the statistics have the overlap. All contacts of a step are solved
    together, with Newton's impact law: an impact passes on to a neighbour with the next step. The sequences
    of impacts of GeneralizedAlpha are resolved within a step.

    theta in [1/2, 1]: part of the step at whose end forces are felt. 1/2, the default, is of second order in
    smooth motion and keeps the energy; 1 is of first order and damps. With impacts both are of first order.
    gamma in [0, 1]: contacts are closed whose gap at `q + h gamma v` is at most 1e-6 of their length.

    It takes set-valued contact, joints, their limits and ropes, gravity and loads. Compliant contact, drives,
    friction in joints, and bodies that come and go are refused.

    effort: as for GeneralizedAlpha.

    Raises ValueError if a number is out of its range.

    >>> from elements import SpherePlane
    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(1, 0, 0))
    >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01, scheme=ns.MoreauJean())
    >>> print(result.velocity[-1, ball].round(8))  # slides, then rolls with 5/7 of the speed
    [0.71428571 0.         0.        ]
    """

    theta: float = field_in(0.5, 1.0, default=0.5, remedy="1/2 keeps the energy of smooth motion, 1 damps")
    gamma: float = field_in(0.0, 1.0, default=0.5, remedy="1/2 is the usual choice")
    effort: float = field_in(0.0, math.inf, default=1.0, remedy=EFFORT)
