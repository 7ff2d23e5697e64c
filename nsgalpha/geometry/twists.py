"""Arithmetic of twists and wrenches of all bodies without allocation, and negligible motions."""

import math

from nsgalpha.jit.decorators import inlined, kernel

ROUNDING = 1e-14  # of a velocity, relative to the largest, that is no change


@inlined
def twist(V):
    """The six numbers of `V` (6,), which are then no longer looked up."""
    return V[0], V[1], V[2], V[3], V[4], V[5]


@inlined
def scaled(factor, V):
    """`factor V` (6,) as six numbers."""
    return factor * V[0], factor * V[1], factor * V[2], factor * V[3], factor * V[4], factor * V[5]


@inlined
def more(v, factor, V):
    """`v + factor V` of a twist `v` of six numbers and another, or an array (6,)."""
    x, y, z = v[0] + factor * V[0], v[1] + factor * V[1], v[2] + factor * V[2]
    return x, y, z, v[3] + factor * V[3], v[4] + factor * V[4], v[5] + factor * V[5]


@inlined
def set_twist(V, v):
    """`V = v`, an array (6,) and six numbers."""
    V[0], V[1], V[2], V[3], V[4], V[5] = v


@inlined
def rate(G, A, B):
    """Rate `G[0] A + G[1] B` of a row `G` (K, 6) on two bodies with the twists `A`, `B` (6,)."""
    total = 0.0
    for d in range(6):
        total += G[0, d] * A[d] + G[1, d] * B[d]
    return total


@inlined
def more_rate(total, G, V):
    """`total + G V` of a row `G` (6,) and a twist `V` (6,)."""
    for d in range(6):
        total += G[d] * V[d]
    return total


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
    """Negligible change [m/s] of a velocity: the tolerance of the change from `start` to `motion`."""
    fastest, change = 0.0, 0.0
    for b in range(lever.shape[0]):
        for i in range(3):
            v, w = start.v[b, i], start.w[b, i]
            fastest = max(fastest, abs(v), lever[b] * abs(w))
            change = max(change, abs(motion.v[b, i] - v), lever[b] * abs(motion.w[b, i] - w))
    return max(constants.tol * change, ROUNDING * fastest)


@kernel
def negligible(constants, lever, inverse_inertia, h, rest, motion, start, workspace):
    """True if the wrenches `rest` (N, 6) hardly change velocities over `h`; see `least_change`.

    By forces light bodies would count for nothing beside heavy ones. `workspace` (B, 6).
    """
    divide(constants.bodies, inverse_inertia, h, rest, workspace)
    return size_of(lever, workspace) <= least_change(constants, lever, motion, start)
