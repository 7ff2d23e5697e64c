"""Crowds: bodies with many contacts that touch or close in the same step.

Where impacts follow each other faster than steps, a step that ends at each of them costs more than it gains.
"""

import numpy as np

from nsgalpha.arrays import FRICTION
from nsgalpha.contact.islands.islands import islands
from nsgalpha.jit.decorators import kernel

CROWD = 80  # contacts of an island, above which impacts are at ends of steps
NARROW = 0.5  # radii, beyond which none is near


@kernel
def find_crowds(candidates, bodies, flight, touched, crowd, h, count):
    """Mark in `flight.crowded` all contacts with a body of a crowd; they do not fly.

    crowd: contacts of an island, above which it is one. `count` contacts are near in a step of `h` [s].
    """
    crowded, flying = flight.crowded, flight.flying
    near, k = np.empty(count, np.int64), 0
    for c in range(crowded.shape[0]):
        if is_near(candidates, flight, touched, h, c):
            near[k] = c
            k += 1
    order, offset = islands(near, candidates, bodies)
    among = np.zeros(bodies.mass.shape[0], np.bool_)
    for i in range(offset.shape[0] - 1):
        if offset[i + 1] - offset[i] > crowd:
            for k in range(offset[i], offset[i + 1]):
                among[candidates.a[order[k]]] = among[candidates.b[order[k]]] = True
    for c in range(crowded.shape[0]):
        for b in (candidates.a[c], candidates.b[c]):
            if among[b] and bodies.inverse_mass[b] > 0.0:
                crowded[c], flying[c] = True, False


@kernel
def is_near(candidates, flight, touched, h, c):
    """True if the contact `c` touches, or would with the opposite velocity, in a step of `h` [s]."""
    near = min(h * abs(flight.rate[c]), NARROW * candidates.length[c])
    return candidates.plane[c] > FRICTION and (touched[c] or flight.gap[c] <= near)
