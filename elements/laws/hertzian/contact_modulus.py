"""Contact modulus of two materials.

    1/E* = (1 - nu_A^2)/E_A + (1 - nu_B^2)/E_B

Source: K. L. Johnson, Contact Mechanics (1985), eq. (4.2).
"""

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import number_in, positive, refuse, together
from nsgalpha.model.registration import offered


@offered()
def contact_modulus(young_a: float, poisson_a: float, young_b: float, poisson_b: float) -> float:
    """E* [Pa] from Young's moduli [Pa] > 0 and Poisson's ratios in (-1, 0.5] of both sides.

    Raises ValueError that names the argument, its value and its range.
    """
    ease = 0.0
    for side, young, poisson in (("a", young_a, poisson_a), ("b", young_b, poisson_b)):
        E = positive(f"young_{side}", young, "it is a modulus in Pa")
        nu = number_in(f"poisson_{side}", poisson, -1.0, 0.5, open_low=True, remedy="0.5 is incompressible")
        ease += (1.0 - nu * nu) / E
    return 1.0 / ease


@offered()
def plane_modulus(young: ArrayLike, poisson: ArrayLike) -> Floats:
    """E/(1 - nu^2) [Pa] of materials, from Young's moduli [Pa] > 0 and Poisson's ratios in (-1, 0.5].

    Two of them in series are the contact modulus: 1/E* = 1/M_A + 1/M_B.

    Raises ValueError that names the argument, its value and its range.
    """
    E, nu = together(young=young, poisson=poisson)
    if not (E > 0.0).all():
        raise refuse("young", young, "positive", "it is a modulus in Pa")
    if not ((nu > -1.0) & (nu <= 0.5)).all():
        raise refuse("poisson", poisson, "in (-1, 0.5]", "0.5 is incompressible")
    return np.asarray(E / (1.0 - nu * nu))
