"""Adhesion of large, soft spheres after Johnson, Kendall and Roberts.

    d = a^2/R - sqrt(2 pi W a/E*),    f = 4 E* a^3/(3 R) - sqrt(8 pi W E* a^3)

with the contact radius a = L x^2 and L^3 = 2 pi W R^2/E*:

    d = (L^2/R) (x^4 - x),    f = 4 pi W R (2 x^6/3 - x^3),
    U = 4 pi W L^2 (4 x^10/15 - 2 x^7/3 + x^4/4)

U is the elastic energy less W pi a^2. Stable are x > 4^(-1/3). A contact comes about at touch, d >= 0, where
the force jumps to -(4/3) pi W R. It is lost at d_c = -(3/4) (pi^2 W^2 R/E*^2)^(1/3), with the force -(5/6) pi
W R. The smallest force is -(3/2) pi W R, at x^3 = 1/2.

History of a contact: whether it has come about. The element needs a `reach` of at least -d_c.

Source: K. L. Johnson, K. Kendall, A. D. Roberts, Proc. R. Soc. Lond. A 324 (1971) 301.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from elements.laws.hertzian.hertz import overlap_and_radius
from elements.laws.hertzian.pair_materials import RULES, SERIES, OfMaterials, number_of
from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, parameter_set, positive, truths
from nsgalpha.forces import law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.handles import Body
from nsgalpha.model.registration import offered

FOLD = 0.25 ** (1.0 / 3.0)  # x at the detachment


@kernel
def _root(D):
    """The x >= FOLD with x^4 - x = D, by Newton's method from above, where it converges monotonically."""
    low = FOLD**4 - FOLD
    x = FOLD + math.sqrt(max(D - low, 0.0) / (6.0 * FOLD * FOLD))
    if D > 0.0:
        x = min(x, 1.0 + math.sqrt(math.sqrt(D)))
    for _ in range(100):
        slope = 4.0 * x**3 - 1.0
        if not slope > 0.0:
            return FOLD
        new = max(x - ((x * x * x - 1.0) * x - D) / slope, FOLD)
        if not new < x:
            return x
        x = new
    return x


@law_kernel
def jkr(contact, response, parameters):
    """Force, tangent, energy, and whether the bodies hold each other.

    Parameters: rule of the work, and those of number_of.
    """
    rule = int(parameters[0])
    for c in range(contact.overlap.shape[0]):
        d, R, part = contact.overlap[c], contact.radius[c], contact.fraction[c]
        modulus = number_of(parameters, 1, 2, 0, SERIES, contact.a[c], contact.b[c])
        work = number_of(parameters, 1, 2, 1, rule, contact.a[c], contact.b[c])
        if math.isnan(modulus + work):
            if d >= 0.0:
                response.force[c, 0] = math.nan
            continue
        size = (2.0 * math.pi * work * R * R / modulus) ** (1.0 / 3.0)
        depth = size * size / R
        D = d / depth
        if not (D >= 0.0 or (contact.history[c, 0] != 0.0 and D > FOLD**4 - FOLD)):
            continue
        x, scale = _root(D), part * 4.0 * math.pi * work
        cube = x**3
        contact.area[c] = part * math.pi * (size * x * x) ** 2
        response.history[c, 0] = 1.0
        response.force[c, 0] = scale * R * cube * (2.0 / 3.0 * cube - 1.0)
        response.energy[c] = scale * size * size * x**4 * ((4.0 / 15.0 * cube - 2.0 / 3.0) * cube + 0.25)
        response.by_overlap[c, 0] = scale * R / depth * (4.0 * cube - 3.0) * x * x / (4.0 * cube - 1.0)


@kernel
def _radii(overlap, radius, attached, modulus, work, a):
    for c in range(overlap.shape[0]):
        size = (2.0 * math.pi * work * radius[c] ** 2 / modulus) ** (1.0 / 3.0)
        D = overlap[c] * radius[c] / (size * size)
        holds = D >= 0.0 or (attached[c] and D > FOLD**4 - FOLD)
        a[c] = size * _root(D) ** 2 if holds else 0.0


@offered(
    "laws",
    page=(
        "Normal force",
        "4 E* a^3/(3 R) - sqrt(8 pi W E* a^3), d = a^2/R - sqrt(2 pi W a/E*)",
        "Johnson, Kendall, Roberts 1971",
    ),
)
@parameter_set
class JKR(OfMaterials):
    """Adhesion of large, soft spheres after Johnson, Kendall and Roberts.

    modulus E* [Pa] > 0, see `contact_modulus`, and work of adhesion W [J/m^2] > 0 of all contacts; or of each
    of `bodies` its plane modulus, see `plane_modulus`, and the W between two of its kind. joined: how the
    works of both sides are joined, "geometric" (default), "arithmetic" or "harmonic". The element needs a
    `reach` of at least `detachment` of the largest effective radius.

    History of a contact: 1 from touch to detachment.

    Raises ValueError that names the parameter, its value and its range; in a contact of a body that is not
    one of `bodies` too.
    """

    modulus: float | Sequence[float]
    work: float | Sequence[float]
    bodies: Sequence[Body] | None = None
    joined: str = "geometric"

    NUMBERS: ClassVar = {"modulus": (True, SERIES), "work": (True, None)}

    history: ClassVar[int] = 1
    holds_apart: ClassVar[bool] = True
    senses = ("normal",)
    kernel = jkr
    energy_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice("joined", self.joined, RULES)
        self._check()

    @property
    def parameters(self) -> Floats:
        """Parameters of the kernel."""
        return np.array([RULES.index(self.joined), *self._table("modulus", "work")])

    def contact_radius(self, overlap: ArrayLike, radius: ArrayLike, attached: ArrayLike = True) -> Floats:
        """Radius a [m] of the contact circle at the `overlap` [m], 0 where there is none.

        radius: effective [m]; attached: whether the bodies have touched, see the history.
        """
        known = truths("attached", attached).astype(float)
        d, R, holds = overlap_and_radius(overlap, radius, attached=known)
        a = np.empty(d.size)
        flat = d.ravel(), R.ravel(), holds.astype(bool).ravel()
        _radii(*flat, self._single("modulus"), self._single("work"), a)
        return a.reshape(d.shape)

    def detachment(self, radius: float) -> float:
        """Gap -d_c [m] at which spheres of the effective `radius` [m] let go: the least `reach`."""
        R = positive("radius", radius)
        ratio = self._single("work") / self._single("modulus")
        return 0.75 * float((math.pi * ratio) ** 2 * R) ** (1.0 / 3.0)

    def pull_off(self, radius: float) -> float:
        """Smallest force -(3/2) pi W R [N], at which spheres separate that are pulled with a given force."""
        return -1.5 * math.pi * self._single("work") * positive("radius", radius)
