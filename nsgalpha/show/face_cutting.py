"""Flat convex faces cut by planes, and balls that hold others."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Flags, Floats


def plane_face(normal: Floats, offset: float, middle: Floats, half: float) -> Floats:
    """Square (4, 3) [m] of side 2 `half` on the plane `normal . x = offset`, around the foot of `middle`."""
    first = np.eye(3)[np.argmin(np.abs(normal))]
    first = first - (first @ normal) * normal
    first *= half / np.linalg.norm(first)
    second = np.cross(normal, first)
    foot = middle - (normal @ middle - offset) * normal
    return foot + np.array([-first - second, first - second, first + second, second - first])


def cut(face: Floats, normal: Floats, offset: float) -> Floats:
    """The part (m, 3) of the convex `face` (n, 3) with `normal . x >= offset`; Sutherland and Hodgman's."""
    if len(face) == 0:
        return face
    height = face @ normal - offset
    height[np.abs(height) < 1e-9 * np.abs(face).max()] = 0.0
    kept = []
    for k in range(len(face)):
        here, last = height[k], height[k - 1]
        if here * last < 0.0:
            kept.append(face[k - 1] + (face[k] - face[k - 1]) * last / (last - here))
        if here >= 0.0:
            kept.append(face[k])
    return np.array(kept) if len(kept) > 2 else np.empty((0, 3))


def shells(x: Floats, radius: Floats) -> Flags:
    """Flags of the balls at `x` (N, 3) that contain another one: `|x_A - x_B| + r_B <= r_A`."""
    from scipy.spatial import cKDTree

    hollow = np.zeros(len(radius), bool)
    balls = np.flatnonzero(radius > 0.0)
    if len(balls) < 2:
        return hollow
    tree = cKDTree(x[balls])
    for a in balls[radius[balls] > radius[balls].min()]:
        near = balls[tree.query_ball_point(x[a], radius[a] - radius[balls].min())]
        apart = np.linalg.norm(x[near] - x[a], axis=1) + radius[near]
        hollow[a] = (apart[near != a] <= radius[a] * (1.0 + 1e-9)).any()
    return hollow
