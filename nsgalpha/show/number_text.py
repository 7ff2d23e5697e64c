"""Numbers for people: few digits, and no rounding noise around zero."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.run.result import Result

TOLERANCE = 1e-10  # of a run whose own is not known
BLOCK = 2_000_000  # numbers that are read at once


class Resolution(NamedTuple):
    """The sizes below which numbers of a run say nothing, see `resolution`."""

    position: float  # [m]
    velocity: float  # [m/s]
    spin: Floats  # (N,) [rad/s]


def resolution(result: Result, tol: float | None = None) -> Resolution:
    """The sizes below which the tolerance `tol` or rounding leaves numbers of a run open.

    A velocity correction is solved to `tol` of the velocities that it corrects. These are at least those that
    gravity adds in a step. A sum over n steps is rounded to n eps of its size. So a velocity is noise below
    max(tol, n eps) max(|v|, |g| h), with the largest recorded speed. A spin is noise below that over the
    radius of gyration, or max(tol, n eps) of the largest spin. A position is noise below that part of the
    largest coordinate or radius.
    """
    n, t, bodies = len(result.stats.contacts), result.t, result.model.bodies
    if tol is None:
        tol = result.settings.tol if result.settings else TOLERANCE
    part = max(tol, n * float(np.finfo(float).eps))
    fall = float(np.linalg.norm(result.model.gravity)) * float(t[-1] - t[0]) / max(n, 1)
    size = max([largest(result.position), *(body.radius for body in bodies)])
    velocity = part * max(largest(result.velocity), fall)
    square = np.array([max(np.trace(body.inertia) / (3.0 * body.mass), 1e-300) for body in bodies])
    spin = np.maximum(velocity / np.sqrt(square), part * largest(result.angular_velocity))
    return Resolution(part * size, velocity, spin)


def largest(vectors: Floats) -> float:
    """Largest finite entry of the vectors (n, N, 3) of a run."""
    rows = max(1, BLOCK // max(3 * vectors.shape[1], 1))
    blocks = (np.abs(np.asarray(vectors[k : k + rows])) for k in range(0, len(vectors), rows))
    return max(float(block[block < math.inf].max(initial=0.0)) for block in blocks)
