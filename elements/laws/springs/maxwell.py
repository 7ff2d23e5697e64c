"""Spring in series with a dashpot: its length at rest flows under its own force.

    f = -k y - c u_n,   y = r - r_0,   dr_0/dt = k y/eta where r > theta r_0,   k = k_s where y > 0, else k_c

In a step of size h the distance is taken to change at a constant speed, by s. Then the elongation is exactly

    y <- y e^(-z) + s (1 - e^(-z))/z,    z = k h/eta,

where y changes its sign in the step until then with one k, and from there with the other. This is of second
order, exact at a constant length and at a constant speed, and stable for steps of any size. For small steps
the force tends to that of the spring alone, for large ones to the -eta s/h of the dashpot alone. Where steps
are longer than the relaxation eta/k, that is the force of half a step before, an error of first order.

The threshold theta is 0, the dashpot always yields, or at least 1: only in tension, of more than (theta - 1)
r_0. There the step begins to yield where r = theta r_0, and r_0 does not become larger than r/theta. A spring
that yields faster than it is pulled stays at the threshold. A spring that is pulled back below the threshold
within a step does not yield in that step. Between 0 and 1 there would be springs that flow if they are
pressed a little, and not if they are pressed more; that is refused.

The history has the rupture, the flow r_0 - r_0(0), and the distance at the end of the step.

Source: documentation of mpacts, SerialDashpot; the exact flow is ours.
"""

import math
from dataclasses import field
from typing import ClassVar

from numpy.typing import ArrayLike

from elements.laws.springs.spring_table import BROKEN, NO_DIRECTION, TabledSprings, row_of
from elements.point_pairs import NOWHERE
from nsgalpha.arrays import Floats
from nsgalpha.checks import number_in, parameter_set, refuse
from nsgalpha.forces import law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.registration import offered


@kernel
def _mean_decay(z):
    """`(1 - e^-z)/z`."""
    return -math.expm1(-z) / z if z > 1e-8 else 1.0 - 0.5 * z


@kernel
def _decayed(y, s, z):
    """Elongation after a step in which it would grow by `s`, and its derivatives by `y` and `s`."""
    by_y, by_s = math.exp(-z), _mean_decay(z)
    return y * by_y + s * by_s, by_y, by_s


@kernel
def _flowed(y, s, p, h):
    """The same, with the stiffness of stretched and of compressed springs `p`."""
    k, other = (p.stretch, p.compression) if y > 0.0 or (y == 0.0 and s > 0.0) else (p.compression, p.stretch)
    z = k * h / p.dashpot
    end, by_y, by_s = _decayed(y, s, z)
    if end * y >= 0.0:
        return end, by_y, by_s
    # y = 0 after the part t of the step
    t = math.log1p(-z * y / s) / z if z > 1e-8 else -y / s
    rest = other * h * (1.0 - t) / p.dashpot
    decay, by_s = math.exp(-rest), (1.0 - t) * _mean_decay(rest)
    pace = decay / (s - z * y)
    return s * by_s, s * pace, by_s - y * pace


@kernel
def _yielded(y, s, r, p, h):
    """The same with a threshold; `r` is the distance in the end."""
    theta, length = p.threshold, r - s - y
    yields = r - theta * length  # beyond the threshold at the end
    if yields <= 0.0:
        return y + s, 1.0, 1.0
    z = p.stretch * h / p.dashpot
    if s <= yields:
        end, by_y, by_s = _decayed(y, s, z)
    else:  # it begins in the step
        part, limit = yields / s, (theta - 1.0) * length
        decay, mean = math.exp(-z * part), part * _mean_decay(z * part)
        end = limit * decay + s * mean
        by_y = decay * (1.0 - z * limit / s)
        by_s = mean + (1.0 - part) * by_y
    if end < r - r / theta:
        by_y = by_s = 1.0 - 1.0 / theta
        end = r * by_y
    elif end > y + s:
        end, by_y, by_s = y + s, 1.0, 1.0
    return end, by_y, by_s


@law_kernel
def maxwell_spring(contact, response, parameters):
    """Springs in series with dashpots; history (C, 3): broken, flow, distance."""
    for c in range(contact.overlap.shape[0]):
        p = row_of(parameters, c)
        r, flow, before = -contact.overlap[c], contact.history[c, 1], contact.history[c, 2]
        response.history[c, 1], response.history[c, 2] = flow, r
        if contact.history[c, 0] == BROKEN:
            response.history[c, 0] = BROKEN
            continue
        new = before == 0.0
        if new:
            before = r - contact.increment[c, 0]
        y, s = before - p.length - flow, r - before
        if p.threshold > 0.0:
            end, by_y, by_s = _yielded(y, s, r, p, contact.h)
        else:
            end, by_y, by_s = _flowed(y, s, p, contact.h)
        k = p.stretch if end > 0.0 else p.compression
        response.force[c, 0] = -k * end - p.damping * contact.rate[c, 0]
        response.by_overlap[c, 0] = k * by_y if new else k * by_s
        response.by_increment[c, 0, 0] = k * (by_y - by_s) if new else 0.0
        response.by_rate[c, 0, 0] = -p.damping
        response.energy[c] = 0.5 * k * end * end
        response.history[c, 1] = r - end - p.length
        if r == NOWHERE and (p.length + flow > 0.0 or p.damping > 0.0):
            response.force[c, 0] = NO_DIRECTION
        if r > p.rupture:
            response.history[c, 0] = BROKEN


@offered(
    "parts",
    page=(
        "Springs of given pairs",
        "`Maxwell`",
        "-k y - c u_n, y = r - r_0, dr_0/dt = k y/eta where r > theta r_0",
    ),
)
@parameter_set
class MaxwellSpring(TabledSprings):
    """Normal force of springs with flowing length at rest; numbers for all pairs, or each.

    stiffness k_s, length r_0, compression k_c, damping c (beside both), rupture r_max: see LinearSpring;
    dashpot eta [N s/m] > 0 in series with the spring, which relaxes in the time eta/k; threshold theta: 0
    (default), the dashpot always yields, or one number >= 1: only where r > theta r_0.

    History of a contact: 1 once it is broken, the flow [m] of the length at rest, the distance [m].

    Raises ValueError that names the parameter, its value and its range.
    """

    stiffness: ArrayLike
    dashpot: ArrayLike
    length: ArrayLike
    threshold: float = 0.0
    compression: ArrayLike | None = None
    damping: ArrayLike = 0.0
    rupture: ArrayLike | None = None
    parameters: Floats = field(init=False, repr=False, compare=False)  # input of the kernel

    history: ClassVar[int] = 3
    flows = True
    kernel = maxwell_spring
    energy_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.dashpot is None:
            raise refuse("dashpot", None, "a number, or one for each pair", "LinearSpring has none in series")
        if number_in("threshold", self.threshold, 0.0, math.inf) < 1.0 and self.threshold != 0.0:
            remedy = "it is a length over the length at rest"
            raise refuse("threshold", self.threshold, "0, or at least 1", remedy)
        TabledSprings.__post_init__(self)
