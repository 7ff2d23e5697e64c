"""Two halves of a dividing cell, or a mother and its bud, driven apart.

    f = k (s(t) - r),    s(t) = min(s_0 + v t, s_1),    k = k_rep where s > r, k_att where s < r

r is the distance of the centres, s the desired one at the time t since the division began. The energy k (s -
r)^2/2 is that of the spring; the law drives the motion with the power k (s - r) v.

Give the pairs to the element, and let the element of all cells leave them out:

    CompliantSphereSphere(pairs=dividing, normal=Dividing(...), reach=...)
    CompliantSphereSphere(among=cells, without=dividing, normal=...)

History of a contact: time since the division began [s]. It acts at any distance.

Source: documentation of mpacts, N_Dividing and N_Budding, which have one formula.
"""

import math
from typing import ClassVar

from nsgalpha.checks import field_in, number_in, parameter_set, positive_field
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def dividing(contact, response, parameters):
    """Spring whose length at rest grows."""
    repulsion, attraction = parameters[0], parameters[1]
    first, last, speed = parameters[2], parameters[3], parameters[4]
    for c in range(contact.overlap.shape[0]):
        age = contact.history[c, 0] + contact.h
        error = min(first + speed * age, last) - contact.branch[c] + contact.overlap[c]
        k = repulsion if error > 0.0 else attraction
        response.history[c, 0] = age
        response.force[c, 0] = k * error
        response.by_overlap[c, 0] = k
        response.energy[c] = 0.5 * k * error * error


@offered("laws", page=("Normal force", "k (s(t) - r), s(t) = min(s_0 + v t, s_1)", ""))
@parameter_set
class Dividing(CompiledLaw):
    """Linear force that drives the two particles of a dividing or budding cell apart.

    repulsion k_rep [N/m] > 0 while they are nearer than they should be, attraction k_att [N/m] >= 0 while
    they are farther; start s_0 [m] >= 0: distance of the centres at the beginning; end s_1 [m] >= s_0: in the
    end; speed v [m/s] >= 0 of the desired distance. The element needs a reach of the largest gap, that at the
    end and more.

    Raises ValueError that names the parameter, its value and its range.
    """

    repulsion: float = positive_field()
    attraction: float = field_in(0.0, math.inf)
    start: float
    end: float
    speed: float = field_in(0.0, math.inf)

    history: ClassVar[int] = 1
    holds_apart: ClassVar[bool] = True
    senses = ("normal",)
    holds: ClassVar[int] = 0  # the clock runs at any distance
    kernel = dividing

    def __post_init__(self) -> None:
        start = number_in("start", self.start, 0.0, math.inf, remedy="it is a distance in metres")
        number_in("end", self.end, start, math.inf, remedy="not less than start")
