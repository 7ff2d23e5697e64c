"""Nearest images in a periodic cell: the shortest of equivalent differences of two places.

    d - L round(d/L)

along every periodic direction. `cell` (2, 3) has the periods L and their inverses, both 0 along directions
that are not periodic, where nothing is taken off. Bodies keep the places to which they have moved, and no
image is stored. The place of the difference is rounded as its terms are: after a way of n periods to n eps L.

In a cell that moves the way to the next image along the gradient has a part along the flow. Periods along the
gradient are taken off first, then those along the other axes. The ways to the next images along the three
axes are the last three rows of the places `x` of a motion. The last rows of its velocities are their rates,
those of an increment their changes in a step.
"""

import numpy as np

from nsgalpha.jit.decorators import fused, inlined


@fused
def _whole(d, period):
    """The difference `d` in periods, rounded; 0 without a period."""
    return np.rint(d * (1.0 / period)) if period > 0.0 else 0.0


@fused
def periods_between(d, cell, x):
    """Periods, three numbers, by which the difference `d` exceeds that to the nearest image.

    The `cell` moves.
    """
    k, g = x.shape[0] - 3, int(cell[2, 0])
    off = d[0] if g == 0 else d[1] if g == 1 else d[2]
    m = _whole(off, x[k + g, g])
    n0 = m if g == 0 else _whole(d[0] - m * x[k + g, 0], x[k, 0])
    n1 = m if g == 1 else _whole(d[1] - m * x[k + g, 1], x[k + 1, 1])
    n2 = m if g == 2 else _whole(d[2] - m * x[k + g, 2], x[k + 2, 2])
    return n0, n1, n2


@fused
def way_of(n, table):
    """The way (or velocity) of `n` periods, three numbers, by the last three rows of `table` (B, 3 or 6)."""
    k = table.shape[0] - 3
    return (
        n[0] * table[k, 0] + n[1] * table[k + 1, 0] + n[2] * table[k + 2, 0],
        n[0] * table[k, 1] + n[1] * table[k + 1, 1] + n[2] * table[k + 2, 1],
        n[0] * table[k, 2] + n[1] * table[k + 1, 2] + n[2] * table[k + 2, 2],
    )


@fused
def image_way(image, c, table):
    """`way_of` the periods of candidate `c`, `image` (C, 3); none where the cell does not move."""
    if image.shape[0] == 0:
        return 0.0, 0.0, 0.0
    return way_of((image[c, 0], image[c, 1], image[c, 2]), table)


@inlined
def push_images(n, part, F, wrench):
    """Add the force `F` times `part`, on an image `n` periods away, to the cell's frames.

    They are the last three rows of `wrench` (B, 6). Their power with the rates of the ways to the images is
    that of the forces on images. The sum of the forces times the places of all rows is that of the contacts
    times their branch vectors.
    """
    k = wrench.shape[0] - 3
    for j in range(3):
        if n[j] != 0.0:
            for i in range(3):
                wrench[k + j, i] += part * n[j] * F[i]


@fused
def less_periods(d, n, x):
    """The difference `d` less `n` periods."""
    k = x.shape[0] - 3
    return (
        d[0] - n[0] * x[k, 0] - n[1] * x[k + 1, 0] - n[2] * x[k + 2, 0],
        d[1] - n[1] * x[k + 1, 1] - n[0] * x[k, 1] - n[2] * x[k + 2, 1],
        d[2] - n[2] * x[k + 2, 2] - n[0] * x[k, 2] - n[1] * x[k + 1, 2],
    )


@fused
def nearest_image(d, cell, x):
    """The difference `d` of two places `x` of a motion, three numbers, to the nearest image."""
    if cell.shape[0] > 2:
        return less_periods(d, periods_between(d, cell, x), x)
    return (
        d[0] - cell[0, 0] * np.rint(d[0] * cell[1, 0]),
        d[1] - cell[0, 1] * np.rint(d[1] * cell[1, 1]),
        d[2] - cell[0, 2] * np.rint(d[2] * cell[1, 2]),
    )
