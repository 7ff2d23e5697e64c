"""Reset of a chain of laws: the forces before it are removed.

Laws are evaluated in the order normal, contact, bond, tangential, rolling, twisting, those of one place as
they are listed. Source: documentation of mpacts, ResetForceData.
"""

from nsgalpha.checks import parameter_set
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.model.registration import offered


@law_kernel
def reset(contact, response, parameters):
    """No force: the evaluation of laws removes the forces before it."""


@offered("laws")
@parameter_set
class Reset(CompiledLaw):
    """Removes forces, moments and energies of all laws evaluated before it, in any place.

        normal=JKR(modulus=E, work=W), contact=[Reset(), Resistance(normal=c, tangential=c, weight="area")]

    Those laws still measure: they keep their history, and resistances see their area of contact. Laws behind
    it act, those of friction with a normal force of 0; as `twisting=` it removes the forces of all laws. It
    is refused by `RoundedTriangles`.
    """

    senses = ("normal", "contact", "bond", "tangential", "rolling", "twisting")
    kernel = reset
    resets = True
