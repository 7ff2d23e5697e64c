"""Vectors as tuples of three numbers: they stay in registers, and read like the formulas."""

from nsgalpha.jit.decorators import fused


@fused
def row(A, i):
    """Row `i` of `A` (n, 3)."""
    return A[i, 0], A[i, 1], A[i, 2]


@fused
def three(A, i, j):
    """`A[i, j : j + 3]`."""
    return A[i, j], A[i, j + 1], A[i, j + 2]


@fused
def store(a, A, i, j):
    """`A[i, j : j + 3] = a`."""
    A[i, j], A[i, j + 1], A[i, j + 2] = a


@fused
def leg(A, i, j):
    """Row `j` of block `i` of `A` (n, m, 3)."""
    return A[i, j, 0], A[i, j, 1], A[i, j, 2]


@fused
def dot(a, b):
    """`a . b`."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@fused
def cross(a, b):
    """`a x b`."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@fused
def plus(a, s, b):
    """`a + s b`."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@fused
def mean(a, b):
    """`(a + b)/2`."""
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])


@fused
def combined(f, a, g, b, h, c):
    """`f a + g b + h c`."""
    return (f * a[0] + g * b[0] + h * c[0], f * a[1] + g * b[1] + h * c[1], f * a[2] + g * b[2] + h * c[2])
