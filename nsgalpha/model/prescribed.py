"""Motion of the frames behind the bodies, ground and prescribed planes, as a table for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nsgalpha.arrays import Floats, empty_motion

if TYPE_CHECKING:
    from nsgalpha.model.system import System


def frames_at(system: System, times: Sequence[float]) -> tuple[Floats, str]:
    """Motion of ground and prescribed frames at the `times` (times, frames, 13).

    Position, rotation, velocity, angular velocity. The table ends before a time at which a motion is not
    valid; the text then says why.
    """
    table = np.zeros((len(times), system.size - system.count, 13))
    table[:, :, 3] = 1.0
    if system.moving_planes:
        motion = empty_motion(system.size)
        for row, t in enumerate(times):
            try:
                system.place_frames(motion, t)
            except ValueError as error:
                return table[:row], str(error)
            table[row] = np.hstack([part[system.count :] for part in motion[:4]])
    return table, ""
