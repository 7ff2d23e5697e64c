"""Contacts of a state as lines between the centres of their sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints

Pose = tuple[float, Floats, Floats]  # time [s], positions (N, 3) [m] and rotations (N, 4) of the bodies


class Lines(NamedTuple):
    """K contacts. Set-valued ones come first, with the mean force of the step that led to the state."""

    start: Floats  # (K, 3) centre of side A [m]
    end: Floats  # (K, 3) centre of side B, or the foot on a plane
    body_a: Ints  # (K,) -1 where side A is no body
    body_b: Ints  # -1 where side B is no body
    plane: Ints  # -1 where side B is no plane
    gap: Floats  # [m]
    normal: Floats  # (K, 3) unit, from B to A
    force: Floats  # (K, 3) on A [N]
    status: Ints  # numbers in STATUSES
    point: Floats  # (K, 3) in the contact [m]
    element: Ints  # (K,) numbers in `model.elements`; -1 of set-valued ones without `owners`

    @property
    def pressure(self) -> Floats:
        """Normal force (K,) [N], > 0 pushes apart."""
        return np.einsum("ki,ki->k", self.force, self.normal)
