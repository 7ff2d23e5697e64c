"""Spheres and capsules on convex solids: pairs at random poses, independent distances, runs."""

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CapsuleSolid, SphereSolid
from nsgalpha.arrays import copy_motion
from nsgalpha.system.system import System

G = 9.81
UP = (0, 0, 1)
SCHEMES = pytest.mark.parametrize("scheme", [None, ns.MoreauJean()], ids=["generalized-alpha", "Moreau-Jean"])
KINDS = pytest.mark.parametrize("kind", ["box", "hull", "prism", "rounded"])
NAMES = ("position", "rotation", "velocity", "angular_velocity")
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
RADIUS, ROUNDING = 0.07, 0.03
ENDS = np.array([(-0.3, 0.1, 0.05), (0.35, -0.2, 0.1)])


def quaternion(turn):
    """Scalar-first quaternion of a scipy Rotation."""
    return np.roll(turn.as_quat(), 1)


def run(model, t_end, h, **settings):
    """The result of a run, which succeeds."""
    result = ns.simulate(model, t_end=t_end, h=h, **settings)
    assert result.status, result.status
    return result


def same(one, two):
    """Two runs are the same to the bit, with their contacts."""
    for name in NAMES:
        assert np.array_equal(getattr(one, name)[:], getattr(two, name)[:]), name
    for name in ("feature", "wrench", "impulse"):
        assert np.array_equal(getattr(one.contacts, name)[:], getattr(two.contacts, name)[:]), name


def distance(points, vertices):
    """Distance of two convex hulls, 0 if they overlap: the least point of their difference.

    Lawson and Hanson, Solving Least Squares Problems, ch. 23, Least distance programming.
    """
    differences = (vertices[:, None] - points[None]).reshape(-1, 3)
    rows = np.vstack([differences.T, np.ones(len(differences))])
    weights, _ = nnls(rows, (0.0, 0.0, 0.0, 1.0), maxiter=1000)
    return np.linalg.norm(weights @ differences / weights.sum())


class RoundPair:
    """A ball or a capsule, and a solid, at any poses, with their candidates."""

    def __init__(self, shape, kind):
        self.model = ns.Model()
        rng = np.random.default_rng(3)
        body = {"mass": 1.0, "position": (0, 0, 0)}
        if shape == "sphere":
            self.ends = np.zeros((1, 3))
            self.model.add_sphere(radius=RADIUS, **body)
        else:
            self.ends = ENDS
            rod = self.model.add_primitive(
                ENDS, radius=RADIUS, carrier=self.model.add_body(inertia=1, **body)
            )
        if kind == "box":
            self.model.add_box((0.4, 0.3, 0.2), mass=1.0, position=(1, 0, 0))
        elif kind in ("hull", "prism"):
            ring = [(np.cos(a), np.sin(a), z) for z in (-1, 1) for a in np.arange(8) * np.pi / 4]
            points = 0.2 * np.array(ring) if kind == "prism" else 0.3 * rng.normal(size=(12, 3))
            source = (points, [(0, 1, 2)])
            self.model.add_solid(source, hull=True, mass=1.0, position=(1, 0, 0))
        else:
            other = self.model.add_body(mass=1.0, inertia=1.0, position=(1, 0, 0))
            self.model.add_mesh(CORNERS * (0.2, 0.1, 0.15), FACES, carrier=other, radius=ROUNDING)
        self.reach = RADIUS + ROUNDING * (kind == "rounded")  # from core to core
        solid = self.model.bodies[1]
        add = SphereSolid(self.model.bodies[0], solid) if shape == "sphere" else CapsuleSolid(rod, solid)
        self.model.add(add)
        self.system = System(self.model)
        self.motion = self.system.motion(self.model.initial_state())
        self.candidates = self.system.candidates(self.motion.x, np.inf)
        places = np.array(self.model.shapes.places)
        owners = [each.index for each in self.model.shapes.carriers]
        self.vertices = places[np.equal(owners, 1)]
        self.planes = ConvexHull(self.vertices).equations

    def place(self, rng):
        """Random poses and velocities, the bodies near each other; measured."""
        self.motion.x[:2] = 0.3 * rng.normal(size=(2, 3))
        self.motion.q[:2] = rng.normal(size=(2, 4))
        self.motion.q[:2] /= np.linalg.norm(self.motion.q[:2], axis=1)[:, None]
        self.motion.v[:2], self.motion.w[:2] = rng.normal(size=(2, 2, 3))
        self.system.measure(self.motion, self.candidates)
        return self.candidates

    def turns(self, s=0.0):
        """Rotations of both bodies after `s` seconds."""
        motion = self.motion
        return [
            Rotation.from_rotvec(s * motion.w[k]) * Rotation.from_quat(np.roll(motion.q[k], -1))
            for k in range(2)
        ]

    def axis(self):
        """Ends of the axis, or the centre, in the frame of the solid."""
        turns, x = self.turns(), self.motion.x
        return turns[1].inv().apply(x[0] - x[1] + turns[0].apply(self.ends))

    def gaps(self, s):
        """All gaps after `s` seconds."""
        moved, kept = copy_motion(self.motion), self.candidates.gap.copy()
        moved.x[:2] += s * self.motion.v[:2]
        moved.q[:2] = [quaternion(turn) for turn in self.turns(s)]
        self.system.measure(moved, self.candidates)
        gaps = self.candidates.gap.copy()
        self.candidates.gap[:] = kept
        return gaps

    def check_rates(self):
        """Rates by normals and levers are those of differences; feet are a gap apart."""
        c, x, v, w = self.candidates, self.motion.x, self.motion.v, self.motion.w
        n, p, gap = c.normal.copy(), c.lever.copy(), c.gap.copy()
        there = np.isfinite(gap)
        assert there.any()
        rate = ((v[0] + np.cross(w[0], p[:, 0]) - v[1] - np.cross(w[1], p[:, 1])) * n).sum(axis=1)
        eps = 1e-6
        difference = (self.gaps(eps)[there] - self.gaps(-eps)[there]) / (2.0 * eps)
        assert rate[there] == pytest.approx(difference, abs=1e-6)
        feet = x[0] + p[:, 0] - x[1] - p[:, 1]
        assert feet[there] == pytest.approx(gap[there, None] * n[there], abs=1e-13)
        assert np.linalg.norm(n[there], axis=1) == pytest.approx(1.0, abs=1e-14)
