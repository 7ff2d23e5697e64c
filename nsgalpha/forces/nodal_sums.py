"""From the parts of forms to the bodies: sums of forces and of blocks of three."""

import math

from nsgalpha.jit.decorators import kernel


@kernel
def add_along(nodes, direction, factor, wrench):
    """Add the forces `factor` (C,) times `direction` (C, S, 3) to the wrenches (B, 6)."""
    for c in range(nodes.shape[0]):
        for s in range(nodes.shape[1]):
            for i in range(3):
                wrench[nodes[c, s], i] += factor[c] * direction[c, s, i]


@kernel
def add_nodal_blocks(blocks, place, nodes, size, indptr, values):
    """Add `blocks` (C, S, 3, S, 3), [row, column], to a sparse matrix of blocks of `size`."""
    for c in range(nodes.shape[0]):
        for column in range(nodes.shape[1]):
            for j in range(3):
                first = indptr[size * nodes[c, column] + j]
                for row in range(nodes.shape[1]):
                    if place[c, row, column] < 0:
                        continue
                    start = first + size * place[c, row, column]
                    for i in range(3):
                        values[start + i] += blocks[c, row, i, column, j]


@kernel
def note_largest(nodes, force, size):
    """`size` (B,): at least the largest of the forces (C, S, 3) on each node."""
    for c in range(nodes.shape[0]):
        for s in range(nodes.shape[1]):
            f = force[c, s]
            size[nodes[c, s]] = max(size[nodes[c, s]], math.sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]))


@kernel
def along(nodes, gradient, of, v, rate):
    """Add `gradient` (C, S, 3) times `v` (B, 3) to `rate` (K,), of the coordinates `of` (C,) of the parts."""
    for c in range(nodes.shape[0]):
        total = 0.0
        for s in range(nodes.shape[1]):
            for i in range(3):
                total += gradient[c, s, i] * v[nodes[c, s], i]
        rate[of[c]] += total


@kernel
def add_outer(w, g, factor, blocks):
    """Add `factor w g^T`, w, g (C, S, 3) and factor (C,), to `blocks` (C, S, 3, S, 3)."""
    for c in range(w.shape[0]):
        for s in range(w.shape[1]):
            for i in range(3):
                left = factor[c] * w[c, s, i]
                for r in range(w.shape[1]):
                    for j in range(3):
                        blocks[c, s, i, r, j] += left * g[c, r, j]
