"""Random scenes for the geometries, and geometries as functions of arrays."""

import numpy as np
from scipy.spatial.transform import Rotation

from elements.geometry import measured, primitives


def on_arrays(measure, *options, contacts=1):
    """`measure` as a function of corners and radii of both sides."""

    def geometry(corners_a, radius_a, corners_b, radius_b):
        A, B = primitives(corners_a, radius_a), primitives(corners_b, radius_b)
        return measured(measure, A, B, *options, contacts=contacts)

    return geometry


def one(measure, corners_a, radius_a, corners_b, radius_b, *options, contacts=1):
    """The contacts of one pair."""
    A = primitives(np.array(corners_a, float)[None], radius_a)
    B = primitives(np.array(corners_b, float)[None], radius_b)
    return measured(measure, A, B, *options, contacts=contacts)


def points(rng, count, number, spread):
    """Normally distributed points (count, number, 3)."""
    return spread * rng.normal(size=(count, number, 3))


def regular(corners, radius=1.0):
    """A regular polygon (corners, 3) in the plane z = 0, counter-clockwise."""
    angle = 2 * np.pi * np.arange(corners) / corners
    return radius * np.stack([np.cos(angle), np.sin(angle), np.zeros(corners)], axis=1)


def turned(rng, corners):
    """`corners` (C, N, 3), each turned at random."""
    R = Rotation.random(len(corners), random_state=rng.integers(1 << 31)).as_matrix()
    return np.einsum("cij,cnj->cni", R, corners)
