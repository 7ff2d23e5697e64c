"""Twists and wrenches of all bodies: arithmetic without arrays of its own, and what hardly moves them."""

import math

from nsgalpha.jit.decorators import kernel

ROUNDING = 1e-14  # of a velocity, relative to the largest, that is no change


@kernel
def copy(source, target):
    """`target = source`, of one shape (n, m)."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def add(a, b, out):
    """`out = a + b`, of one shape (n, m)."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a[i, j] + b[i, j]


@kernel
def less(a, b, out):
    """`out = a - b` (N, 6); `a` may have more rows."""
    for i in range(b.shape[0]):
        for j in range(6):
            out[i, j] = a[i, j] - b[i, j]


@kernel
def divide(bodies, inverse_inertia, factor, wrench, out):
    """`out = factor M^-1 wrench` (B, 6), for wrenches (N, 6)."""
    for b in range(wrench.shape[0]):
        for i in range(3):
            turned = 0.0
            for j in range(3):
                turned += inverse_inertia[b, i, j] * wrench[b, 3 + j]
            out[b, i] = factor * bodies.inverse_mass[b] * wrench[b, i]
            out[b, 3 + i] = factor * turned


@kernel
def size_of(lever, twist):
    """Largest entry of `twist` (B, 6), of rotations at the `lever` (N,) of the body; NaN if none is."""
    size, check = 0.0, 0.0
    for b in range(lever.shape[0]):
        for i in range(3):
            size = max(size, abs(twist[b, i]), lever[b] * abs(twist[b, 3 + i]))
            check += 0.0 * (twist[b, i] + twist[b, 3 + i])
    return size if check == 0.0 else math.nan


@kernel
def least_change(constants, lever, motion, start):
    """Negligible change [m/s] of a velocity: the tolerance of what changes from `start` to `motion`."""
    fastest, change = 0.0, 0.0
    for b in range(lever.shape[0]):
        for i in range(3):
            v, w = start.v[b, i], start.w[b, i]
            fastest = max(fastest, abs(v), lever[b] * abs(w))
            change = max(change, abs(motion.v[b, i] - v), lever[b] * abs(motion.w[b, i] - w))
    return max(constants.tol * change, ROUNDING * fastest)


@kernel
def negligible(constants, lever, inverse_inertia, h, rest, motion, start, room):
    """True if the wrenches `rest` (N, 6) hardly change velocities over `h`; see `least_change`.

    By forces light bodies would count for nothing beside heavy ones. `room` (B, 6).
    """
    divide(constants.bodies, inverse_inertia, h, rest, room)
    return size_of(lever, room) <= least_change(constants, lever, motion, start)
