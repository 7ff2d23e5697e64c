"""Kernels of Rockable's contact: the normal force of Default, springs with a cap, shared stiffness.

    f <- f - k s,    f <- cap f/|f| where |f| > cap

The columns of a contact's rates are the normal one, those of sliding, and three of rolling and twisting.
Sliding has two in the frame of the contact; springs held in inertial axes have three.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.jit.decorators import kernel

MOMENTS = 3  # the last rows: rolling and twisting
WEIGHTS = ("none", "number", "overlap")


class SpringNumbers(NamedTuple):
    """The numbers that the kernels read; options are 0 or 1."""

    k_n: float
    viscosity: float  # 2 alpha
    unload: float  # part of k_n while unloading: Avalanche's en2
    k_t: float
    mu: float
    k_r: float
    mu_r: float
    cohesion: float
    clamped: float
    elastic: float  # F is f_el
    rolling_length: float
    keeps_history: float
    weights: float  # place in WEIGHTS


class Bound(NamedTuple):
    """A force that bounds another, with its derivatives by the overlap and the normal rate."""

    force: float
    by_overlap: float
    by_rate: float


class Spring(NamedTuple):
    """The rows `first` to `last` - 1 of a spring, and the first column of its history."""

    first: int
    last: int
    column: int


@kernel
def coefficients(p):
    """The first numbers of the parameters `p` by name."""
    return SpringNumbers(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12])


@kernel
def scaled(mu, bound):
    """`mu` times the `bound`."""
    return Bound(mu * bound.force, mu * bound.by_overlap, mu * bound.by_rate)


@kernel
def capped(contact, response, c, spring, k, bound):
    """The `spring` with the stiffness `k`, its force at most the `bound`."""
    first, last, at = spring
    cap, by_overlap, by_rate = bound
    square = 0.0
    for r in range(first, last):
        f = contact.history[c, at + r - first] - k * contact.increment[c, r]
        response.force[c, r] = f
        square += f * f
    size = math.sqrt(square)
    for r in range(first, last):
        response.by_increment[c, r, r] = -k
    if size > cap:
        for r in range(first, last):
            e = response.force[c, r] / size
            response.by_overlap[c, r] = e * by_overlap
            response.by_rate[c, r, 0] = e * by_rate
            for j in range(first, last):
                along = e * response.force[c, j] / size
                response.by_increment[c, r, j] = -k * cap / size * ((1.0 if j == r else 0.0) - along)
        for r in range(first, last):
            response.force[c, r] *= cap / size
        size = cap
    for r in range(first, last):
        response.history[c, at + r - first] = response.force[c, r]
    if k > 0.0:
        response.energy[c] += 0.5 * size * size / k


@kernel
def springs(contact, response, c, at, p, w, F, f):
    """Sliding, rolling and twisting under the forces `F` and `f`."""
    moments = contact.rate.shape[1] - MOMENTS
    capped(contact, response, c, Spring(1, moments, at), w * p.k_t, scaled(p.mu, F))
    if p.k_r > 0.0:
        turning = Spring(moments, moments + MOMENTS, at + moments - 1)
        m = p.mu_r if p.rolling_length != 0.0 else p.mu_r * contact.branch[c]
        bound = f if p.rolling_length != 0.0 else F
        capped(contact, response, c, turning, w * p.k_r, scaled(m, bound))


@kernel
def forget(contact, response, c, at, p):
    """An open contact: no force; the springs are cancelled, or kept as they are."""
    if p.keeps_history != 0.0:
        for k in range(at, contact.history.shape[1]):
            response.history[c, k] = contact.history[c, k]


@kernel
def damping(contact, c, p, w):
    """Damping [N s/m] of contact `c` of Default, with the weight `w`."""
    return p.viscosity * math.sqrt(w * p.k_n * contact.mass[c])


@kernel
def touch(contact, response, c, at, p, w, resistance):
    """Contact `c` of Default, with the weight `w` and a dashpot; springs from column `at` of its history."""
    d, u, k = contact.overlap[c], contact.rate[c, 0], w * p.k_n
    if d <= 0.0:
        forget(contact, response, c, at, p)
        return
    f_u = -resistance
    f, f_d = k * d + f_u * u, k
    if f < 0.0 and p.clamped != 0.0:
        f, f_d, f_u = 0.0, 0.0, 0.0
    response.force[c, 0] = f - p.cohesion
    response.by_overlap[c, 0] = f_d
    response.by_rate[c, 0, 0] = f_u
    response.energy[c] = (0.5 * k * d - p.cohesion) * d
    if f < 0.0:
        f, f_d, f_u = 0.0, 0.0, 0.0
    normal = Bound(f, f_d, f_u)
    springs(contact, response, c, at, p, w, Bound(k * d, k, 0.0) if p.elastic != 0.0 else normal, normal)


@kernel
def of_same_bodies(pair, order, first):
    """End of the run of `order` from `first` on whose contacts have the same `pair`."""
    last = first + 1
    while last < pair.shape[0] and pair[order[last]] == pair[order[first]]:
        last += 1
    return last


@kernel
def shares(contact, by):
    """Weights (C,) of the contacts among those of their two bodies; `by` indexes WEIGHTS.

    Derivatives leave the weights out.
    """
    weight = np.ones(contact.overlap.shape[0])
    if by == 0:
        return weight
    order = np.argsort(contact.pair)
    first = 0
    while first < weight.shape[0]:
        last = of_same_bodies(contact.pair, order, first)
        total = 0.0
        for c in order[first:last]:
            weight[c] = contact.overlap[c] if by == 2 else 1.0
            total += weight[c] if contact.overlap[c] > 0.0 else 0.0
        for c in order[first:last]:
            weight[c] = weight[c] / total if contact.overlap[c] > 0.0 else 1.0
        first = last
    return weight
