"""A pile settles

Balls of three sizes fall into a box and come to rest on each other, held by friction. Once all is quiet the floor and the
walls carry the weight, to the last digit that the solver was asked for; no ball has sunk into another; and the contacts are
as many as a packing needs: with friction about five for each ball, between four, the fewest that can hold it, and six,
the number without friction.

To look at: the network of forces. A few chains carry most of the weight, and some balls carry nothing: they rattle.
"""

from typing import TYPE_CHECKING

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.show import Camera
from nsgalpha.show.figures import label, new_figure
from verification.example import main, paint, row
from verification.outcome import Row
from verification.run import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RADII, DENSITY, GRAVITY = (0.008, 0.01, 0.012), 2500.0, 9.81  # [m], [kg/m^3], [m/s^2]
EDGE, LAYERS = 3, 5  # balls along an edge of the box, layers
WIDTH = 0.025  # [m] for a ball
H = 1e-3  # [s]


def build(edge: int = EDGE, layers: int = LAYERS, mu: float = 0.5, seed: int = 4) -> ns.Model:
    """A lattice of balls with some scatter, in a box of five planes."""
    model, rng = ns.Model(gravity=(0.0, 0.0, -GRAVITY)), np.random.default_rng(seed)
    for k, i, j in np.ndindex(layers, edge, edge):
        radius = float(rng.choice(RADII))
        at = (np.array([i, j, k]) + 0.5) * WIDTH + rng.uniform(-5e-4, 5e-4, 3)
        model.add_sphere(radius=radius, mass=4.0 / 3.0 * np.pi * radius**3 * DENSITY, position=at)
    planes = [model.add_plane(normal=(0.0, 0.0, 1.0))]
    for normal in np.eye(3)[:2]:
        planes += [model.add_plane(normal=normal), model.add_plane(normal=-normal, offset=-edge * WIDTH)]
    law = {"mu": mu, "rolling_radius": 2e-4}
    model.add(SphereSphere(among=model.spheres, **law))
    model.add(SpherePlane(model.spheres, planes, **law))
    return model
