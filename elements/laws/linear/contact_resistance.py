"""Resistance between two bodies that are in contact: a friction matrix and a weight.

    f = -w Gamma u,    Gamma = gamma_n n n^T + gamma_t (1 - n n^T),    g < g_0

u is the rate of the contact point of A relative to that of B. The force acts in that point, with its levers
on both sides: momentum and angular momentum are conserved. Of bodies that do not turn u is the difference of
the velocities of their centres. The weight w is

    p                  part of the contact circle that lies on the face of a polygon
    "area"             area of contact A, of which the numbers then are per m^2
    "viscosity"        A/r, r the distance of the centres; the numbers then are viscosities [Pa s]
    numbers            (w_A + w_B)/2, one for each body, times p; mesh_weight for the nodes of a mesh

and gamma a number, or one for each body, of its material. Both sides are joined so that two of one material
have that of it: as two films in series, 2 g_A g_B/(g_A + g_B), "harmonic"; "arithmetic"; or "geometric". A
fixed or prescribed plane, and a primitive that no body carries, take the numbers of the body at it.

With "viscosity" the bodies are pieces of a viscous medium, joined by prisms of the section A from centre to
centre. Sheared by u_t they resist with eta A u_t/r. Stretched without a change of their section they resist
with (4/3 eta + zeta) A u_n/r, zeta being the bulk viscosity, in a free one with 3 eta A u_n/r.

Source: documentation of mpacts, N_T_ConstantResistance and its kin; how both sides are joined, and how
resistances follow from a viscosity, is not printed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from elements.laws.hertzian.pair_materials import RULES, joined, refuse_unknown
from nsgalpha.arrays import Floats
from nsgalpha.checks import choice, field_in, finite, floats, number_in, parameter_set, refuse
from nsgalpha.forces import CompiledLaw, Contact, Response, law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.handles import Body, handle_list
from nsgalpha.model.registration import offered

WEIGHTS = ("numbers", "area", "viscosity")
HEAD = 4  # parameters before the tables: kind of weight, distance, rule, number of bodies


@kernel
def _joined(parameters, table, a, b, rule):
    """The number of `table` for a contact of `a` and `b`, bodies or frames beyond the bodies."""
    count = int(parameters[3])
    if count == 0:
        return parameters[HEAD + table]
    first = HEAD + table * count
    if a >= count:
        a, b = b, a
    if a >= count:
        return 0.0
    one = parameters[first + a]
    if b >= count:
        return one
    return joined(one, parameters[first + b], rule)


@kernel
def is_round(area, fraction, R, d):
    """True for the `area` pi R d of a round contact, or its `fraction`; not for an adhesive neck."""
    if math.isinf(R):
        return True
    whole = math.pi * R * max(d, 0.0)
    return not (abs(area - whole) > 1e-9 * area and abs(area - fraction * whole) > 1e-9 * area)


@law_kernel
def resistance(contact, response, parameters):
    """Friction matrix of six rows; rolling and twisting meet none."""
    kind, distance, rule = int(parameters[0]), parameters[1], int(parameters[2])
    for c in range(contact.overlap.shape[0]):
        if not (contact.overlap[c] > -distance or (kind > 0 and contact.area[c] > 0.0)):
            continue
        a, b = contact.a[c], contact.b[c]
        weight, slope, d = contact.area[c], 0.0, contact.overlap[c]
        if kind == 0:
            weight = contact.fraction[c] * _joined(parameters, 2, a, b, 1)
        elif d > 0.0 and is_round(weight, contact.fraction[c], contact.radius[c], d):
            slope = 1.0 / d  # areas of round surfaces go with the overlap, those of necks are as they are
        if kind == 2:
            r = contact.branch[c] - d
            if not r > 0.0:
                r = math.nan  # faces, whose centres are not known
            weight, slope = weight / r, slope + 1.0 / r
        for i in range(3):
            gamma = weight * _joined(parameters, min(i, 1), a, b, rule)
            response.force[c, i] = -gamma * contact.rate[c, i]
            response.by_rate[c, i, i] = -gamma
            response.by_overlap[c, i] = slope * response.force[c, i]


@offered("laws")
@parameter_set
class Resistance(CompiledLaw):
    """Linear resistance between two bodies in contact, for `contact`.

    normal gamma_n, tangential gamma_t [N s/m] >= 0, [N s/m^3] with `weight="area"`, [Pa s] with "viscosity":
    a number, or one for each of `bodies`. weight: None, "area", "viscosity", or a number >= 0 for each of
    `bodies`, whose mean counts. joined: how numbers of both sides are joined, "harmonic" (default),
    "arithmetic" or "geometric". distance [m] >= 0 (default 0): gap up to which it acts, to which the reach of
    the element is set if it is less.

    Raises ValueError that names the parameter, its value and its range; in a contact of a body that is not
    one of `bodies` too.
    """

    normal: float | Sequence[float]
    tangential: float | Sequence[float]
    weight: str | Sequence[float] | None = None
    bodies: Sequence[Body] | None = None
    joined: str = "harmonic"
    distance: float = field_in(0.0, math.inf, default=0.0, remedy="it is a gap in metres")

    senses = ("contact",)
    kernel = resistance
    energy_known = True

    def __post_init__(self) -> None:
        if self.bodies is not None:
            object.__setattr__(self, "bodies", tuple(handle_list("bodies", self.bodies, Body)))
        for name in ("normal", "tangential"):
            object.__setattr__(self, name, self._numbers(name, getattr(self, name)))
        if isinstance(self.weight, str):
            if self.weight not in WEIGHTS[1:]:
                raise refuse("weight", self.weight, "'area', 'viscosity', None or numbers")
        elif self.weight is not None:
            object.__setattr__(self, "weight", self._numbers("weight", self.weight))
        choice("joined", self.joined, RULES)

    def _numbers(self, name: str, value: ArrayLike) -> float | tuple[float, ...]:
        """A number >= 0, or as many as there are bodies."""
        array = floats(name, value, "a number >= 0, or one for each body")
        if array.ndim == 0:
            return number_in(name, float(array), 0.0, math.inf)
        if self.bodies is None:
            raise refuse(name, value, "a number", "for one of each body say which: bodies=...")
        if array.shape != (len(self.bodies),) or not (np.isfinite(array) & (array >= 0.0)).all():
            raise refuse(name, value, f"a number >= 0, or one for each of the {len(self.bodies)} bodies")
        return tuple(array.tolist())

    def handles(self) -> Sequence[Body]:
        """The bodies that have numbers."""
        return self.bodies or ()

    @property
    def by_body(self) -> bool:
        """True if it has to know the bodies: primitives that deform have none."""
        return self.bodies is not None

    @property
    def reach(self) -> float:
        """Gap [m] up to which it acts."""
        return float(self.distance)

    @property
    def parameters(self) -> Floats:
        """Parameters of the kernel: HEAD, then gamma_n, gamma_t, w of all bodies; nan where none is given."""
        kind = self.weight if isinstance(self.weight, str) else WEIGHTS[0]
        weight = 1.0 if self.weight is None or isinstance(self.weight, str) else self.weight
        values = self.normal, self.tangential, weight
        head = [WEIGHTS.index(kind), self.distance, RULES.index(self.joined)]
        if self.bodies is None:
            return np.array([*head, 0, *values], float)
        tables = np.full((3, len(self.bodies[0].model.bodies)), np.nan)
        for table, value in zip(tables, values, strict=True):
            table[[body.index for body in self.bodies]] = value
        return np.concatenate([head, [tables.shape[1]], tables.ravel()])

    def __call__(self, contact: Contact, response: Response) -> None:
        """Forces of C contacts."""
        self.kernel(contact, response, self.parameters)
        if self.bodies is not None and np.isnan(response.force).any():
            refuse_unknown(self.bodies, contact, response)


@offered()
def mesh_weight(connected: ArrayLike) -> Floats:
    """Weight `sin(pi/N)/sin(2 pi/N)` of mesh nodes with `connected` = N triangles (...); 1/sqrt(3) of six.

    Raises ValueError where N is below 3.
    """
    N = finite("connected", connected)
    if not (N >= 3.0).all():
        raise refuse("connected", connected, "at least 3", "an inner node has three triangles or more")
    return np.asarray(0.5 / np.cos(np.pi / N))
