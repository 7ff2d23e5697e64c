"""Rockable's law StickedLinks: bonds that break for good, and then ordinary contact.

With the elongation e = g - g_0, g the gap and g_0 that of the bond at rest, u the rates and s the
displacements of the step, a bond has

    f_n = -k_n e - c u_n,    f_t <- f_t - k_t s_t,    M <- M - k_r s_r,    c = 2 alpha sqrt(k_n m)

not clamped, and breaks at the end of a step, with all others between the same two bodies, where

    (|f_t|/f_t0)^p + (|M|/M_0)^p - f_n/f_n0 > 1.

Contact is that of Default with friction by f_n; it takes over the springs. The document has no formula for M,
this is the program's, which in addition (options of StickedLinks)

    cuts:           |f_t| <= mu |f_n| with f_n of the bond, f_t = 0 where the bodies are apart, M stays
    keeps_damping:  contact after the bond has its c, not that of the contact

The second holds as long as the pair is not forgotten: with `keeps_history` of the contact also while it is
open.

Shear may be damped as well, `shear="damped"`, -c u_t beside the spring. The program puts it into the spring,
f_t <- f_t - k_t s_t - c u_t, which adds c/h to k_t and depends on the step: `shear="accumulated"`. It holds
inner bonds at rest at g_0 = 0, `rest="touch"`, where the document has the initial gap.
"""

import math
from typing import NamedTuple

import numpy as np

from elements.laws.energy_restitution import rate_of
from elements.laws.rockable.rockable_contact import RockableDefault
from elements.laws.rockable.rockable_kernels import (
    MOMENTS,
    Bound,
    Spring,
    SpringNumbers,
    capped,
    coefficients,
    damping,
    of_same_bodies,
    shares,
    touch,
)
from nsgalpha.checks import choice, field_in, instance, parameter_set, positive, refuse
from nsgalpha.forces import CompiledLaw, law_kernel
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.registration import offered

# first column of the history, the second is g_0; -INNER, -OUTER: contact with the damping of a bond
CONTACT, INNER, OUTER = 0.0, 1.0, 2.0
SHEAR = ("elastic", "damped", "accumulated")
REST = ("gap", "touch")


class Glue(NamedTuple):
    """The numbers of a bond that the kernels read."""

    k_n: float
    viscosity: float  # 2 alpha
    k_t: float
    k_r: float
    f_n0: float
    f_t0: float
    M_0: float
    power: float
    shear: float  # place in SHEAR


@kernel
def glue(p):
    """The parameters `p` of a bond by name."""
    return Glue(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8])


CONTACTS, BONDS = len(SpringNumbers._fields), len(Glue._fields)  # numbers of each in the parameters
CUTS, KEEPS = CONTACTS + 2 * BONDS, CONTACTS + 2 * BONDS + 1  # places of the options


@kernel
def _damping(contact, c, b):
    """Damping [N s/m] of contact `c` as the bond `b`."""
    return b.viscosity * math.sqrt(b.k_n * contact.mass[c])


@kernel
def _length(vectors, c, first, last):
    square = 0.0
    for r in range(first, last):
        square += vectors[c, r] ** 2
    return math.sqrt(square)


@kernel
def _hold(contact, response, c, b):
    """Contact `c` held by the bond `b`; returns whether it has reached its strength."""
    moments = contact.rate.shape[1] - MOMENTS
    resistance = _damping(contact, c, b)
    stretch = -contact.overlap[c] - contact.history[c, 1]
    response.force[c, 0] = -b.k_n * stretch - resistance * contact.rate[c, 0]
    response.by_overlap[c, 0] = b.k_n
    response.by_rate[c, 0, 0] = -resistance
    response.energy[c] = 0.5 * b.k_n * stretch * stretch
    response.history[c, 0], response.history[c, 1] = contact.history[c, 0], contact.history[c, 1]
    none = Bound(np.inf, 0.0, 0.0)
    capped(contact, response, c, Spring(1, moments, 2), b.k_t, none)
    capped(contact, response, c, Spring(moments, moments + MOMENTS, moments + 1), b.k_r, none)
    if b.shear > 0:
        for r in range(1, moments):
            response.force[c, r] -= resistance * contact.rate[c, r]
            response.by_rate[c, r, r] = -resistance
            if b.shear == 2:
                response.history[c, r + 1] = response.force[c, r]
    sheared = _length(response.force, c, 1, moments) / b.f_t0
    turned = _length(response.force, c, moments, moments + MOMENTS) / b.M_0
    return sheared**b.power + turned**b.power - response.force[c, 0] / b.f_n0 > 1.0


@kernel
def _cut(contact, response, c, mu):
    """Shear force left by a broken bond: at most `mu` times the normal force, 0 if open."""
    bound = mu * abs(response.force[c, 0]) if contact.overlap[c] > 0.0 else 0.0
    moments = contact.rate.shape[1] - MOMENTS
    size = _length(response.force, c, 1, moments)
    for r in range(1, moments):
        if size > bound:
            response.history[c, 1 + r] = response.force[c, r] * (bound / size)


@kernel
def _break_whole(contact, response, broken, mu, cuts, keeps):
    """Contacts that are `broken` (C,) break all bonds of its two bodies, for the next step."""
    order = np.argsort(contact.pair)
    first = 0
    while first < order.shape[0]:
        last = of_same_bodies(contact.pair, order, first)
        together = order[first:last]
        if broken[together].any():
            for c in together:
                if response.history[c, 0] <= CONTACT:
                    continue
                response.history[c, 0] = -response.history[c, 0] if keeps else CONTACT
                if cuts:
                    _cut(contact, response, c, mu)
        first = last


@law_kernel
def sticked_links(contact, response, parameters):
    """Bonds and contacts."""
    p = coefficients(parameters)
    inner, outer = glue(parameters[CONTACTS:]), glue(parameters[CONTACTS + BONDS :])
    weight = shares(contact, p.weights)
    broken = np.zeros(contact.overlap.shape[0], np.bool_)
    for c in range(contact.overlap.shape[0]):
        state = contact.history[c, 0]
        if state == INNER:
            broken[c] = _hold(contact, response, c, inner)
        elif state == OUTER:
            broken[c] = _hold(contact, response, c, outer)
        elif state == CONTACT:
            touch(contact, response, c, 2, p, weight[c], damping(contact, c, p, weight[c]))
        else:
            was = _damping(contact, c, inner if state == -INNER else outer)
            touch(contact, response, c, 2, p, weight[c], math.sqrt(weight[c]) * was)
            if contact.overlap[c] > 0.0 or p.keeps_history != 0.0:
                response.history[c, 0] = state
    if broken.any():
        _break_whole(contact, response, broken, p.mu, parameters[CUTS] != 0.0, parameters[KEEPS] != 0.0)


@offered("parts")
@parameter_set
class Bond:
    """A bond of StickedLinks.

    k_n, k_t > 0 [N/m], k_r >= 0 [N m/rad] (default 0): stiffnesses; f_n0, f_t0 [N], M_0 [N m] > 0: strengths
    in tension, shear and moment, infinite if it does not break by them; power p >= 1 of the rupture surface
    (default 2); en2 or viscous_rate in [0, 1], elastic without; shear: "elastic", "damped" or "accumulated";
    rest: at the initial "gap" or at "touch".

    Raises ValueError that names the parameter, its value and its range.
    """

    k_n: float
    k_t: float
    k_r: float = field_in(0.0, math.inf, default=0.0)
    f_n0: float
    f_t0: float
    M_0: float
    power: float = field_in(1.0, math.inf, default=2.0, remedy="below 1 the safe set is not convex")
    en2: float | None = None
    viscous_rate: float | None = None
    shear: str = "elastic"
    rest: str = "gap"

    def __post_init__(self) -> None:
        for name in ("k_n", "k_t"):
            positive(name, getattr(self, name))
        for name in ("f_n0", "f_t0", "M_0"):
            if not getattr(self, name) > 0.0:
                remedy = "it is a strength, infinite for a bond that never breaks by it"
                raise refuse(name, getattr(self, name), "positive", remedy)
        rate_of(self.en2, self.viscous_rate)
        for name, allowed in (("shear", SHEAR), ("rest", REST)):
            choice(name, getattr(self, name), allowed)

    @property
    def parameters(self) -> Glue:
        """Parameters of the kernel."""
        stiffness = self.k_n, 2.0 * rate_of(self.en2, self.viscous_rate), self.k_t, self.k_r
        strength = self.f_n0, self.f_t0, self.M_0, self.power
        return Glue._make(map(float, (*stiffness, *strength, SHEAR.index(self.shear))))


@offered("laws")
@parameter_set
class StickedLinks(CompiledLaw):
    """Contact with bonds, for `contact=`: all six rows; `elements.glued` makes the bonds of a start.

    touching: the contact without bond; inner, outer: bonds within a cluster and between clusters, one may be
    missing. cuts: a broken bond leaves at most mu times its normal force of the shear force, and none between
    separated bodies (default: all of it). keeps_damping: contact after a bond is damped as the bond was
    (default: as any contact). Both as the program.

    A bond keeps its pair among the neighbours, however far the bodies are apart: the element needs no reach.

    Raises ValueError if there is no bond.
    """

    touching: RockableDefault
    inner: Bond | None = None
    outer: Bond | None = None
    cuts: bool = False
    keeps_damping: bool = False

    senses = ("contact", "bond")
    kernel = sticked_links
    energy_known = True
    whole = by_pair = True  # the contacts of a pair share weights and breakage
    holds = 0  # a bond keeps its pair

    def __post_init__(self) -> None:
        instance("touching", self.touching, RockableDefault, "a RockableDefault, the contact without bond")
        for name in ("inner", "outer"):
            instance(name, getattr(self, name), Bond | None, "a Bond or None")
        if self.inner is None and self.outer is None:
            raise ValueError("inner, outer: no bond is given; RockableDefault is contact without")

    @property
    def history(self) -> int:
        """State, g_0, f_t, M."""
        return 7

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernel; a kind of bond that is missing does not occur."""
        none = (0.0,) * BONDS
        inner, outer = (none if bond is None else bond.parameters for bond in (self.inner, self.outer))
        options = float(self.cuts), float(self.keeps_damping)
        return *self.touching.parameters._replace(elastic=0.0), *inner, *outer, *options
