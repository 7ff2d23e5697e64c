"""Motion of the frames behind the bodies (ground, prescribed planes, anchors) as a table for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, empty_motion
from nsgalpha.checks import direction, shown, vector

if TYPE_CHECKING:
    from nsgalpha.model.handles import Plane
    from nsgalpha.model.system import System

ROOM = 2e6  # numbers of a table, and
LEAST = 64  # times that it has at least


def frames_at(system: System, times: Sequence[float]) -> tuple[Floats, str]:
    """Motion of ground and prescribed frames at the `times` (times, frames, 13).

    Position, rotation, velocity, angular velocity. The table ends early where it would be too large, and
    before a time at which a motion is not valid; the text then says why.
    """
    frames = system.size - system.count
    times = times[: max(LEAST, int(ROOM / (13 * frames)))]
    table = np.zeros((len(times), frames, 13))
    table[:, :, 3] = 1.0
    table[:, frames - len(system.anchors) :, :3] = system.anchors
    if system.moving_planes:
        motion = empty_motion(system.size)
        for row, t in enumerate(times):
            try:
                system.place_frames(motion, t)
            except ValueError as error:
                return table[:row], str(error)
            table[row] = np.hstack([part[system.count :] for part in motion[:4]])
    return table, ""


def frame_motion(plane: Plane, t: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Position, rotation, velocity and angular velocity of a prescribed plane's frame at time `t` [s].

    Raises ValueError if the callable returns something else than two or four finite vectors.
    """
    assert plane.motion is not None
    parts: Sequence[ArrayLike] = plane.motion(t)
    if not isinstance(parts, tuple | list) or len(parts) not in (2, 4):
        raise ValueError(
            f"motion of {plane.name!r} returned {shown(parts)}: must be (position, velocity) or "
            "(position, velocity, rotation, angular_velocity)"
        )
    label = f"motion of {plane.name!r} at t = {t:g}"
    rotation = parts[2] if len(parts) == 4 else (1.0, 0.0, 0.0, 0.0)
    spin = parts[3] if len(parts) == 4 else (0.0, 0.0, 0.0)
    return (
        vector(f"{label}, position", parts[0]),
        direction(f"{label}, rotation", rotation, 4),
        vector(f"{label}, velocity", parts[1]),
        vector(f"{label}, angular velocity", spin),
    )
