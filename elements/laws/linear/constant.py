"""Constant force between bodies that overlap, or within reach.

    f = p F,    energy p F d

p is the part of the contact circle that lies on the face of a polygon. Source: documentation of mpacts,
N_ConstantForce.
"""

import math

from nsgalpha.checks import number_in, parameter_set
from nsgalpha.compliant import Contact, Response, law_kernel


@law_kernel
def constant_force(contact, response, parameters):
    """Constant force."""
    force, apart = parameters[0], parameters[1] != 0.0
    for c in range(contact.overlap.shape[0]):
        if apart or contact.overlap[c] >= 0.0:
            response.force[c, 0] = contact.fraction[c] * force
            response.energy[c] = contact.fraction[c] * force * contact.overlap[c]


@parameter_set
class ConstantForce:
    """Constant normal force.

    force F [N], > 0 pushes apart; apart: also between bodies with a gap, up to the reach of the element.

    Raises ValueError that names the parameter, its value and its range.
    """

    force: float
    apart: bool = False

    rows = (1,)
    kernel = constant_force

    def __post_init__(self) -> None:
        number_in("force", self.force, -math.inf, math.inf, remedy="it is a force in newtons")

    @property
    def holds_apart(self) -> bool:
        """Whether the element needs a reach."""
        return bool(self.apart)

    @property
    def parameters(self) -> tuple[float, ...]:
        """What the kernel gets."""
        return self.force, self.apart

    def __call__(self, contact: Contact, response: Response) -> None:
        """Normal force of C contacts."""
        self.kernel(contact, response, self.parameters)
