"""Contact moduli of two materials, normal and tangential.

    1/E* = (1 - nu_A^2)/E_A + (1 - nu_B^2)/E_B
    1/G* = (2 - nu_A)/G_A + (2 - nu_B)/G_B,    G = E/(2 (1 + nu))

Source: K. L. Johnson, Contact Mechanics (1985), eqs. (4.2) and (7.43).
"""

from collections.abc import Iterator

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
    for E, nu in _materials(young_a, poisson_a, young_b, poisson_b):
        ease += (1.0 - nu * nu) / E
    return 1.0 / ease


@offered()
def contact_shear_modulus(young_a: float, poisson_a: float, young_b: float, poisson_b: float) -> float:
    """G* [Pa] of Mindlin's tangential stiffness 8 G* a; arguments and errors of `contact_modulus`."""
    ease = 0.0
    for E, nu in _materials(young_a, poisson_a, young_b, poisson_b):
        ease += 2.0 * (1.0 + nu) * (2.0 - nu) / E
    return 1.0 / ease


def _materials(
    young_a: float, poisson_a: float, young_b: float, poisson_b: float
) -> Iterator[tuple[float, float]]:
    """Young's modulus and Poisson's ratio of each side, or a ValueError."""
    for side, young, poisson in (("a", young_a, poisson_a), ("b", young_b, poisson_b)):
        E = positive(f"young_{side}", young, "it is a modulus in Pa")
        nu = number_in(f"poisson_{side}", poisson, -1.0, 0.5, open_low=True, remedy="0.5 is incompressible")
        yield E, nu


@offered()
def plane_modulus(young: ArrayLike, poisson: ArrayLike) -> Floats:
    """E/(1 - nu^2) [Pa] of materials, from Young's moduli [Pa] > 0 and Poisson's ratios in (-1, 0.5].

    Two of them in series are the contact modulus: 1/E* = 1/M_A + 1/M_B.

    Raises ValueError that names the argument, its value and its range.
    """
    E, nu = _elastic(young, poisson)
    return np.asarray(E / (1.0 - nu * nu))


@offered()
def tangential_modulus(young: ArrayLike, poisson: ArrayLike) -> Floats:
    """G/(2 - nu) [Pa] of materials; arguments and errors of `plane_modulus`.

    Two of them in series are the contact shear modulus G* of Mindlin's tangential stiffness.
    """
    E, nu = _elastic(young, poisson)
    return np.asarray(E / (2.0 * (1.0 + nu) * (2.0 - nu)))


def _elastic(young: ArrayLike, poisson: ArrayLike) -> list[Floats]:
    """Both numbers in one shape, or a ValueError."""
    E, nu = together(young=young, poisson=poisson)
    if not (E > 0.0).all():
        raise refuse("young", young, "positive", "it is a modulus in Pa")
    if not ((nu > -1.0) & (nu <= 0.5)).all():
        raise refuse("poisson", poisson, "in (-1, 0.5]", "0.5 is incompressible")
    return [E, nu]
