"""A body and a bumpy height field at any poses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.arrays import copy_motion
from nsgalpha.model.contact_keys import key_parts
from nsgalpha.stepping.contact_slots import arrange
from nsgalpha.system.system import System
from tests.solids.mesh_scenes import quaternion


class MeshPair:
    """A body that `add` makes, and a bumpy height field, at any poses.

    add: a function of the model and a random generator, which returns the shapes of the body.
    """

    def __init__(self, add, element, bumps):
        rng, self.model = np.random.default_rng(0), ns.Model()
        shapes = add(self.model, rng)
        ground = self.model.add_body(fixed=True, position=(0, 0, 0))
        self.mesh = ns.height_field(bumps * rng.normal(size=(7, 7)), 0.4, origin=(-1.2, -1.2, 0))
        self.model.add_mesh(*self.mesh, carrier=ground)
        self.model.add(element(shapes, ground))
        self.system = System(self.model)
        self.motion = self.system.motion(self.model.initial_state())
        self.candidates = self.system.candidates(self.motion.x, np.inf)
        owners = [body.index for body in self.model.shapes.carriers]
        self.own = np.array(self.model.shapes.places)[np.equal(owners, 0)]
        self.counts = self.system.shapes.meshes.first[1]

    def place(self, x, turn, rng):
        """Place the solid at `x`, turned, over the field, and both together at random in space."""
        world, x0 = Rotation.random(None, rng), rng.normal(size=3)
        self.motion.q[:2] = quaternion(world * turn), quaternion(world)
        self.motion.x[:2] = x0 + world.apply(x), x0
        self.motion.v[:2], self.motion.w[:2] = rng.normal(size=(2, 2, 3))
        tables = self.system.element_tables
        assert arrange(tables.selection, tables, self.motion, self.candidates, None) < 0
        self.system.measure(self.motion, self.candidates)
        return np.flatnonzero(self.candidates.feature >= 0)

    def gaps(self, s):
        """Gaps of the same features after the time `s` at constant velocities."""
        moved = copy_motion(self.motion)
        moved.x[:] += s * self.motion.v
        for k in range(2):
            turn = Rotation.from_rotvec(s * self.motion.w[k])
            moved.q[k] = quaternion(turn * Rotation.from_quat(np.roll(self.motion.q[k], -1)))
        self.system.measure(moved, self.candidates)
        return self.candidates.gap.copy()

    def landing(self, x, y, turn, cuts):
        """Height at which the body that is let down over (x, y) touches.

        cuts: a function of the pair, place, rotation, True where the body cuts a triangle.
        """
        high = 2.0
        while not cuts(self, np.array((x, y, high - 0.1)), turn):
            high -= 0.1
        low = high - 0.1
        while high - low > 1e-7:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if cuts(self, np.array((x, y, middle)), turn) else (low, middle)
        return low

    def check_landing(self, rng, cuts):
        """The least gap is below 0 where, at random places, the body `cuts` a triangle."""
        x, y = rng.uniform(-0.7, 0.7, 2)
        turn = Rotation.random(None, rng)
        z = self.landing(x, y, turn, cuts)
        for above in (1e-4, -1e-4, -5e-3):
            rows = self.place(np.array([x, y, z + above]), turn, rng)
            least = self.candidates.gap[rows].min(initial=np.inf)
            assert min(above, 0.0) - 2e-7 <= least <= max(above, 0.0) + 2e-7
            assert (least > 0.0) == (above > 0.0)

    def check_rates(self, rng, apart=1.0):
        """At a random pose rates are those of differences; levers end `apart` gaps apart.

        Returns the kinds of the features.
        """
        eps, x = 1e-5, np.array([*rng.uniform(-0.7, 0.7, 2), rng.uniform(0.0, 0.5)])
        if rng.random() < 0.5:  # over a vertex
            vertices = self.mesh.vertices[np.abs(self.mesh.vertices[:, :2]).max(axis=1) < 0.9]
            x = rng.choice(vertices) + 0.03 * rng.normal(size=3) + (0.0, 0.0, 0.15)
        rows = self.place(x, Rotation.random(None, rng), rng)
        c, at, v, w = self.candidates, self.motion.x, self.motion.v, self.motion.w
        n, p, gap = c.normal[rows].copy(), c.lever[rows].copy(), c.gap[rows].copy()
        rate = ((v[0] + np.cross(w[0], p[:, 0]) - v[1] - np.cross(w[1], p[:, 1])) * n).sum(axis=1)
        near, far = (self.gaps(s * eps)[rows] - self.gaps(-s * eps)[rows] for s in (1, 2))
        difference = (8.0 * near - far) / (12.0 * eps)  # of fourth order
        assert rate == pytest.approx(difference, abs=1e-6)
        feet = at[0] + p[:, 0] - at[1] - p[:, 1]
        assert feet == pytest.approx(apart * gap[:, None] * n, abs=1e-13)
        return self.kinds(rows)

    def kinds(self, rows):
        """Kinds of the contacts `rows`."""
        _, _, _, j = key_parts(self.candidates.feature[rows])
        vertices, edges = self.counts[:2]
        return {"vertex" if b < vertices else "edge" if b < vertices + edges else "face" for b in j.tolist()}
