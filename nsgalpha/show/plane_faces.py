"""Faces of planes: each ends at other planes, or at the box of the scene.

Planes of one mover bound each other for good. A plane that moves against another, and that no body carries,
bounds it where its normal keeps its direction, at its furthest. Where it rotates about the normal of the
other (a drum and its ends) it bounds it at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints, turned, turned_back
from nsgalpha.model.handles import Plane
from nsgalpha.model.plane_motion import frame_motion
from nsgalpha.show.face_cutting import cut, plane_face

STILL = 1e-3  # change of a unit vector below which it keeps its direction
FAR = 2.0  # of the diagonal of the scene: where faces reach further beyond its box they end at that
SAMPLES = 9  # times at which motions are compared
LOOKS, GOLDEN = 64, 0.5 * (np.sqrt(5.0) - 1.0)  # times, of no period, at which planes are looked at
LEVEL = 0.7  # a plane whose normal is less upright than that is a wall
FLAT = 0.9  # one whose normal is more upright is no funnel: it has no end
ROOM = 0.05  # of the size of a container, by which the bodies may be beyond it
CARRIED = 2.0  # radii, by which a plane that a body carries extends from it


Box = tuple[Floats, Floats]  # lowest and highest corner (3,), (3,) [m]


class Poses(NamedTuple):
    """M movers at S times of the run, the first of them the start."""

    x: Floats  # (S, M, 3) [m]
    q: Floats  # (S, M, 4)


def frames_of(planes: Sequence[Plane], start: float, end: float) -> list[list[Plane]]:
    """Prescribed planes, those that move alike from `start` to `end` [s] together."""
    times = np.linspace(start, end, SAMPLES)
    frames: list[list[Plane]] = []
    known: list[Floats] = []
    for plane in planes:
        if plane.motion is None:
            continue
        motion = np.array([np.concatenate(frame_motion(plane, t)[:2]) for t in times])
        alike = [k for k, other in enumerate(known) if np.array_equal(other, motion)]
        if alike:
            frames[alike[0]].append(plane)
        else:
            frames.append([plane])
            known.append(motion)
    return frames


def glide(planes: Sequence[Plane], start: float, end: float) -> bool:
    """True if planes of one motion move within themselves from `start` to `end` [s], as belts do."""
    times = start + (end - start) * (GOLDEN * np.arange(LOOKS) % 1.0)
    poses = [frame_motion(planes[0], t)[:2] for t in times]
    x, q = (np.array(part) for part in zip(*poses, strict=True))
    if np.abs(q[:, 1:]).max() > 0.0:
        return False
    away = np.abs(x @ np.array([plane.normal for plane in planes]).T).max()
    return bool(away <= STILL**2 * np.abs(x).max())


def boxes_of_planes(
    planes: Sequence[Plane], movers: Ints, poses: Poses, level: Flags, reach: Floats, floor: Box, wall: Box
) -> list[Box]:
    """The box of each plane: of a `floor`, a `wall`, or around its body.

    level: those that have no end; reach (N,) [m]: how far bodies extend.
    """
    found = []
    for plane, mover, is_level in zip(planes, movers, level, strict=True):
        own = float(reach[mover]) if mover < len(reach) else 0.0
        half, x = abs(plane.offset) + CARRIED * own, poses.x[0, mover]
        found.append((x - half, x + half) if own > 0.0 else floor if is_level else wall)
    return found


def faces_of_planes(
    planes: Sequence[Plane], movers: Sequence[int], poses: Poses, boxes: Sequence[Box]
) -> list[Floats]:
    """Corners (n, 3) [m] of each plane in the frame of its mover; n = 0 for one out of sight.

    boxes: of the planes, inertial.
    """
    found = []
    for plane, mover, (low, high) in zip(planes, movers, boxes, strict=True):
        size, middle = float(np.linalg.norm(high - low)), 0.5 * (low + high)
        x, q = poses.x[0, mover], poses.q[0, mover]
        centre = turned_back(q, middle - x)
        whole = plane_face(plane.normal, plane.offset, centre, 3.0 * FAR * size)
        face = whole
        for other, owner in zip(planes, movers, strict=True):
            if other is not plane and (half := _bound(plane, mover, other, owner, poses)) is not None:
                face = cut(face, *half)
        if len(face) == 0:
            face = whole
        for normal, offset in _sides(x, q, low, high):
            if abs(normal @ plane.normal) < 0.9 and (face @ normal - offset).min(initial=0.0) < -FAR * size:
                face = cut(face, normal, offset)
        found.append(face)
    return found


def _bound(plane: Plane, mover: int, other: Plane, owner: int, poses: Poses) -> tuple[Floats, float] | None:
    """Normal and offset of `other` in the frame of `mover`, if it bounds the plane."""
    if owner == mover:
        return other.normal, other.offset
    if other.body is not None:
        return None
    count = len(poses.x)
    inertial = turned(poses.q[:, owner], np.tile(other.normal, (count, 1)))
    apart = poses.x[:, owner] - poses.x[:, mover]
    offsets = other.offset + np.einsum("si,si->s", inertial, apart)
    normals = turned_back(poses.q[:, mover], inertial)
    if np.abs(normals - normals[0]).max() < STILL:
        return normals[0], float(offsets.min())
    if np.abs((normals - normals[0]) @ plane.normal).max() < STILL:
        return normals[0], float(offsets[0])
    return None


def _sides(x: Floats, q: Floats, low: Floats, high: Floats) -> list[tuple[Floats, float]]:
    """The half spaces of a box in the frame at `x`, `q`."""
    normals = turned_back(np.tile(q, (6, 1)), np.concatenate([np.eye(3), -np.eye(3)]))
    return list(zip(normals, np.concatenate([low - x, x - high]).tolist(), strict=True))


def container(faces: Sequence[Floats], middles: Floats) -> Flags:
    """Flags of fixed polygons (n, 3) to turn inwards; empty if none enclose bodies.

    middles (S, 3) [m]: of the bodies at S times. Polygons hold the bodies if a middle is in their box.
    """
    if not len(faces) or not len(middles):
        return np.zeros(0, bool)
    corners = np.concatenate(faces)
    low, high = corners.min(axis=0), corners.max(axis=0)
    workspace = ROOM * (high - low).max()
    within = ((middles >= low - workspace * (high > low)) & (middles <= high + workspace * (high > low))).all(
        axis=1
    )
    if not within.any() or not (high > low).all():
        return np.zeros(0, bool)
    towards = middles[within][-1]
    return np.array([np.cross(f[1] - f[0], f[2] - f[1]) @ (towards - f[0]) < 0.0 for f in faces])


def levels(
    planes: Sequence[Plane], movers: Ints, poses: Poses, ground: int, up: Floats, least: float = LEVEL
) -> Flags:
    """Flags of floors: planes that no body carries, and that stay level; least: `up . normal`."""
    q, s = poses.q, len(poses.q)
    upright = [
        (turned(q[:, m], np.tile(p.normal, (s, 1))) @ up).min() for p, m in zip(planes, movers, strict=True)
    ]
    return (movers >= ground) & (np.array(upright) > least)
