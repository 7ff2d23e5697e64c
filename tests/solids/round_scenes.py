"""Spheres and capsules on convex solids: pairs at random poses, independent distances, runs."""

import numpy as np
import pytest
from posed_pairs import PosedPair, corners_of_body
from scipy.spatial import ConvexHull

import nsgalpha as ns
from elements import CapsuleSolid, SphereSolid

G = 9.81
UP = (0, 0, 1)
KINDS = pytest.mark.parametrize("kind", ["box", "hull", "prism", "rounded"])
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
RADIUS, ROUNDING = 0.07, 0.03
ENDS = np.array([(-0.3, 0.1, 0.05), (0.35, -0.2, 0.1)])


class RoundPair(PosedPair):
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
            self.model.add_solid(points, hull=True, mass=1.0, position=(1, 0, 0))
        else:
            other = self.model.add_body(mass=1.0, inertia=1.0, position=(1, 0, 0))
            self.model.add_mesh(CORNERS * (0.2, 0.1, 0.15), FACES, carrier=other, radius=ROUNDING)
        self.reach = RADIUS + ROUNDING * (kind == "rounded")  # from core to core
        solid = self.model.bodies[1]
        add = SphereSolid(self.model.bodies[0], solid) if shape == "sphere" else CapsuleSolid(rod, solid)
        self.model.add(add)
        super().__init__(self.model, 0.3)
        self.vertices = corners_of_body(self.model, 1)
        self.planes = ConvexHull(self.vertices).equations

    def axis(self):
        """Ends of the axis, or the centre, in the frame of the solid."""
        turns, x = self.turns(), self.motion.x
        return turns[1].inv().apply(x[0] - x[1] + turns[0].apply(self.ends))
