"""Two bodies at random poses: gaps, rates by differences, and distances of hulls."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from nsgalpha.arrays import copy_motion
from nsgalpha.model.contact_keys import contact_key, key_parts
from nsgalpha.stepping.contact_slots import arrange
from nsgalpha.system.system import System


def least_point(lowest, size):
    """Least point of a convex body, by its points that are `lowest` along a direction; 0 within.

    P. Wolfe, Finding the nearest point in a polytope, Math. Program. 11 (1976) 128. size: that of the body.
    """
    points, weight = lowest(np.array((1.0, 0.0, 0.0)))[None], np.ones(1)
    for _ in range(1000):
        x = weight @ points
        far = lowest(x)
        if far @ x > x @ x - 1e-15 * size * size or (np.abs(points - far).max(axis=1) == 0.0).any():
            break
        points, weight = np.vstack([points, far]), np.append(weight, 0.0)
        while True:
            rows = points - points[0]  # affine: the least point is orthogonal to all of these
            part = np.linalg.lstsq(rows[1:].T, -points[0], rcond=1e-14)[0]
            affine = np.array([1.0 - part.sum(), *part])
            if affine.min() > 1e-15:
                weight = affine
                break
            low = affine <= 1e-15
            step = np.min(weight[low] / np.maximum(weight[low] - affine[low], 1e-300))
            weight = weight + min(step, 1.0) * (affine - weight)
            kept = weight > 1e-15
            points, weight = points[kept], weight[kept] / weight[kept].sum()
    x = weight @ points
    return x if np.linalg.norm(x) > 1e-8 * size else np.zeros(3)


def hulls_distance(one, two):
    """Distance of two convex hulls of points, 0 if they overlap."""

    def lowest(n):
        return one[(one @ n).argmin()] - two[(two @ n).argmax()]

    return np.linalg.norm(least_point(lowest, max(np.abs(one).max(), np.abs(two).max())))


def corners_of_body(model, k):
    """Corners (n, 3) of the primitives of body `k` in its frame."""
    places, owners = np.array(model.shapes.places), [body.index for body in model.shapes.carriers]
    return places[np.equal(owners, k)]


class PosedPair:
    """The first two bodies of a model with an element, at any poses."""

    def __init__(self, model, spread):
        self.model, self.spread = model, spread
        self.system = System(model)
        self.motion = self.system.motion(model.initial_state())
        self.candidates = self.system.candidates(self.motion.x, np.inf)

    def place(self, rng):
        """Random poses and velocities, the bodies near each other; rows of contacts."""
        self.motion.x[:2] = self.spread * rng.normal(size=(2, 3))
        self.motion.q[:2] = rng.normal(size=(2, 4))
        self.motion.q[:2] /= np.linalg.norm(self.motion.q[:2], axis=1)[:, None]
        self.motion.v[:2], self.motion.w[:2] = rng.normal(size=(2, 2, 3))
        return self.select()

    def place_as(self, other):
        """The poses of another pair; rows of contacts."""
        for name in ("x", "q", "v", "w"):
            getattr(self.motion, name)[:] = getattr(other.motion, name)
        return self.select()

    def select(self):
        """Rows of the contacts that are selected at the poses, or have a gap."""
        tables = self.system.element_tables
        assert arrange(tables.selection, tables, self.motion, self.candidates, None) < 0
        self.system.measure(self.motion, self.candidates)
        if tables.selection is None:
            return np.flatnonzero(np.isfinite(self.candidates.gap))
        return np.flatnonzero(self.candidates.feature >= 0)

    def turns(self, s=0.0):
        """Rotations of both bodies after `s` seconds."""
        motion = self.motion
        return [
            Rotation.from_rotvec(s * motion.w[k]) * Rotation.from_quat(np.roll(motion.q[k], -1))
            for k in range(2)
        ]

    def seen(self, k, points):
        """Points (n, 3) of the frame of body `k` where they are."""
        return self.motion.x[k] + self.turns()[k].apply(points)

    def gaps(self, s):
        """Gaps of the same features after `s` seconds at constant velocities; the measured ones stay."""
        moved, kept = copy_motion(self.motion), self.candidates.gap.copy()
        moved.x[:2] += s * self.motion.v[:2]
        moved.q[:2] = [np.roll(turn.as_quat(), 1) for turn in self.turns(s)]
        self.system.measure(moved, self.candidates)
        gaps = self.candidates.gap.copy()
        self.candidates.gap[:] = kept
        return gaps

    def check_rates(self, rows=None, eps=1e-6, tolerance=1e-6, apart=1.0):
        """Rates are those of differences; levers end a part of the gap `apart`."""
        rows = np.flatnonzero(np.isfinite(self.candidates.gap)) if rows is None else rows
        assert len(rows)
        c, x, v, w = self.candidates, self.motion.x, self.motion.v, self.motion.w
        n, p, gap = c.normal[rows].copy(), c.lever[rows].copy(), c.gap[rows].copy()
        rate = ((v[0] + np.cross(w[0], p[:, 0]) - v[1] - np.cross(w[1], p[:, 1])) * n).sum(axis=1)
        difference = (self.gaps(eps)[rows] - self.gaps(-eps)[rows]) / (2.0 * eps)
        assert rate == pytest.approx(difference, abs=tolerance)
        feet = x[0] + p[:, 0] - x[1] - p[:, 1]
        assert feet == pytest.approx(apart * gap[:, None] * n, abs=1e-13)
        assert np.linalg.norm(n, axis=1) == pytest.approx(1.0, abs=1e-14)
        return np.abs(rate - difference)


def exchanged_rows(one, rows, two, others):
    """Rows of the pair `two`, with its sides exchanged, that have the features of `rows` of `one`."""
    names = [key_parts(key) for key in two.candidates.feature[others].tolist()]
    place = {contact_key(*name[2:], *name[:2]): row for name, row in zip(names, others, strict=True)}
    return [place[key] for key in one.candidates.feature[rows].tolist()]
