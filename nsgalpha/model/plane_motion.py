"""The motion of a prescribed plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import direction, shown, vector
from nsgalpha.model.frame_motions import WIDTH, Motion
from nsgalpha.model.handles import Plane


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


def frame_rows(plane: Plane, times: Floats) -> tuple[Floats, str]:
    """`frame_motion` at the `times` [s], rows (n, 13) up to the first that has none; a text says why."""
    if isinstance(plane.motion, Motion):
        return plane.motion.through(times)
    rows = np.empty((len(times), WIDTH))
    for k, t in enumerate(times.tolist()):
        try:
            rows[k] = np.concatenate(frame_motion(plane, t))
        except ValueError as error:
            return rows[:k], str(error)
    return rows, ""
