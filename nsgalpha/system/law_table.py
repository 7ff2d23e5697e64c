"""The parameters of set-valued laws as arrays for the kernels."""

from collections.abc import Sequence

import numpy as np

from nsgalpha.arrays import LawTable
from nsgalpha.model.contact_element import OWNERS, ContactLaw

PLAIN = "mu", "e_n", "e_t", "rolling_radius", "drilling_radius"


def law_table(laws: Sequence[ContactLaw]) -> LawTable:
    """The `laws` of the elements of a system, in their order."""
    mu, e_n, e_t, rolling, drilling = (
        np.array([getattr(law, name) for law in laws], float) for name in PLAIN
    )
    static = np.array([law.mu if law.mu_static is None else law.mu_static for law in laws], float)
    speed = np.array([law.stribeck_velocity or 1.0 for law in laws], float)
    across = np.array([1.0 if law.mu_across is None else law.mu_across / law.mu for law in laws], float)
    axis = np.array([law.axis or (0.0, 0.0, 0.0) for law in laws], float).reshape(-1, 3)
    varies = (static > mu) | axis.any(axis=1)
    owner = np.array([OWNERS.index(law.owner) for law in laws], np.int64)
    surface = np.array([law.surface_velocity or (0.0, 0.0, 0.0) for law in laws], float).reshape(-1, 3)
    if not surface.any():
        surface = np.zeros((0, 3))
    return LawTable(mu, e_n, e_t, rolling, drilling, static, speed, across, axis, varies, owner, surface)
