"""Nearest images in a periodic cell: the shortest of equivalent differences of two places.

    d - L round(d/L)

along every periodic direction. `cell` (2, 3) has the periods L and their inverses, both 0 along directions
that are not periodic, where nothing is taken off. Bodies keep the places to which they have moved, and no
image is stored. The place of the difference is rounded as its terms are: after a way of n periods to n eps L.
"""

import numpy as np

from nsgalpha.jit.decorators import fused


@fused
def nearest_image(d, cell):
    """The difference `d` of two places, three numbers, to the nearest image."""
    return (
        d[0] - cell[0, 0] * np.rint(d[0] * cell[1, 0]),
        d[1] - cell[0, 1] * np.rint(d[1] * cell[1, 1]),
        d[2] - cell[0, 2] * np.rint(d[2] * cell[1, 2]),
    )
