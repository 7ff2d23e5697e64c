"""Flat cells in layers: crowded cells climb on one another, and descend again.

Every cell has a level l, an integer >= 0 that is part of the state. Forces act between cells of one level,
between those of different levels a resistance, if any. At the end of each step, with the distance r of the
centres and the mean radius R of two cells,

    1. of two cells of one level with r < R one, by a fair coin, has the level l + 1
    2. a cell comes down by one while no cell of the level below is within r < R

Pairs are taken in the order of the numbers of their bodies, cells by level and then number. The coin is the
parity of a number of Philox's generator of the seed, at the step and the two cells in their order. It does
not depend on the order in which cells are named, on other bodies, or on the parts of a run.

Source: documentation of mpacts, N_Contractile_dewet and ProcessDewetLevelsCommand. In its words a random one
of two cells rises and a cell drops as far as it can; the passes are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Unpack

import numpy as np

from elements.law_arguments import shows
from nsgalpha.arrays import Floats, Ints, LowRank
from nsgalpha.checks import instance, integer, number_in, refuse
from nsgalpha.forces import CompliantLaw, Contact, Laws
from nsgalpha.forces.attachments import add_slots
from nsgalpha.forces.contact_outputs import evaluated
from nsgalpha.geometry.broad_phase import near_pairs
from nsgalpha.model.compliant_law import Traits, no_response, round_area
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.force_element import ElementMotion, ForcePass
from nsgalpha.model.handles import Body, sphere_list
from nsgalpha.model.model import Model
from nsgalpha.model.registration import offered
from nsgalpha.model.state import State
from nsgalpha.model.switched_elements import Switched
from nsgalpha.system.system import System

LEVEL, STEPS = 0, 1  # columns of the history


class LayerMemory:
    """The memory of layers: the level of a cell, and the number of steps, see ForceElementLaw."""

    history = 2
    traits = (Traits(history=history),)


@offered("elements")
@recorded
@shows(CompliantLaw)
class LayeredSpheres(Switched):
    """Normal forces among `spheres` that lie in layers, see the module; levels begin at 0.

        cells = LayeredSpheres(model.spheres, normal=Contractile(substrate=W_s, contraction=W_c))

    normal: a law, or several, without history; reach [m] as in `CompliantLaw`; its other arguments are
    refused. resistance [N s/m] >= 0 (default 0): -resistance (v_A - v_B) between cells of different levels
    that overlap. seed: an integer >= 0, of the coin.

    Raises ValueError that names the argument.
    """

    def __init__(
        self, spheres: Sequence[Body], *, resistance: float = 0.0, seed: int = 0, **law: Unpack[Laws]
    ) -> None:
        self.spheres = sphere_list("spheres", spheres)
        if len(self.spheres) < 2:
            raise refuse("spheres", [body.name for body in self.spheres], "at least two")
        self.resistance = number_in("resistance", resistance, 0.0, math.inf, open_high=True)
        self.seed = integer("seed", seed, 0)
        for name in law:
            if name not in ("normal", "reach"):
                raise refuse(name, law[name], "left out", "layers take laws under normal")  # type: ignore[literal-required]
        self.force = CompliantLaw(**law)
        for part, traits in zip(self.force.parts, self.force.traits, strict=True):
            if traits.history or traits.holds is not None:
                raise refuse("normal", part[0], "a law without history", "levels change who touches")
        self.law = LayerMemory()
        self.cells = np.sort(np.array([body.index for body in self.spheres], np.int64))
        self.nodes = self.cells[:, None]

    @property
    def count(self) -> int:
        """How many cells."""
        return len(self.cells)

    def handles(self) -> Sequence[Body]:
        """The cells."""
        return self.spheres

    @cached_property
    def _sizes(self) -> tuple[Floats, Floats, Ints]:
        """Radii and masses of the model's bodies, and numbers of the cells among them."""
        bodies = self.spheres[0].model.bodies
        place = np.full(len(bodies), -1)
        place[self.cells] = np.arange(self.count)
        return np.array([body.radius for body in bodies]), np.array([body.mass for body in bodies]), place

    def near(self, x: Floats) -> tuple[Ints, Floats]:
        """Pairs (C, 2) of cells within reach of the law, and the distances (C,) [m] of their centres."""
        radius, _, _ = self._sizes
        pairs = near_pairs(x, radius, self.cells, self.force.reach)
        r = np.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1)
        known = r - radius[pairs].sum(axis=1) < self.force.reach
        return pairs[known], r[known]

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        return LayerPass(self, motion)

    def levels(self, state: State) -> Ints:
        """The levels of the cells, in the order of `spheres`, in a state such as `result.state(i)`.

        Raises ValueError for a state of another model, or if the element is in none.
        """
        instance("state", state, State, "a State", "such as result.state()")
        model = self.spheres[0].model
        if not isinstance(model, Model) or not any(each is self for each in model.elements):
            raise ValueError("levels: the element is in no model; add it, model.add(...)")
        compliant = evaluated(System(model), state)[0]
        history = next(group.history for group in compliant.force_elements if group.element is self)
        place = self._sizes[2][[body.index for body in self.spheres]]
        return history[place, LEVEL].astype(np.int64)

    def moved(self, pairs: Ints, level: Ints, steps: int) -> Ints:
        """The `level`s (K,) after step number `steps`, for the `pairs` (n, 2) of bodies with r < R."""
        level, place = level.copy(), self._sizes[2]
        around: dict[int, list[int]] = {}
        for a, b in pairs.tolist():
            i, j = int(place[a]), int(place[b])
            around.setdefault(i, []).append(j)
            around.setdefault(j, []).append(i)
            if level[i] == level[j]:
                level[i if self._coin(steps, i, j) else j] += 1
        for k in sorted(np.flatnonzero(level > 0).tolist(), key=lambda k: (level[k], k)):
            below = {int(level[j]) for j in around.get(k, ())}
            while level[k] > 0 and level[k] - 1 not in below:
                level[k] -= 1
        return level

    def _coin(self, steps: int, a: int, b: int) -> bool:
        """A fair coin of the seed, the step and two cells (their numbers)."""
        generator = np.random.Philox(key=self.seed, counter=[steps, a, b, 0])
        return bool(int(generator.random_raw()) & 1)


class LayerPass:
    """One evaluation of LayeredSpheres, see ForcePass; its parts are pairs of cells."""

    def __init__(self, layers: LayeredSpheres, motion: ElementMotion) -> None:
        self._layers = layers
        radius, mass, self._place = layers._sizes
        self._all, self._distance = layers.near(motion.x)
        self._level = motion.history[:, LEVEL].astype(np.int64)
        self._mean = 0.5 * radius[self._all].sum(axis=1)
        same = self._of_one_level(self._all)
        dragged = ~same & (layers.resistance > 0.0) & (self._distance < 2.0 * self._mean)
        chosen = same | dragged
        self.nodes, self._r = self._all[chosen], self._distance[chosen]
        self._gamma = np.where(dragged[chosen], layers.resistance, 0.0)
        a, b = self._sides = np.ascontiguousarray(self.nodes.T)
        self._n = (motion.x[a] - motion.x[b]) / self._r[:, None]
        self._v = motion.v[a] - motion.v[b]
        moved = motion.x - motion.start
        self._s = moved[a] - moved[b]
        self._respond(radius, mass, motion.h)
        own = np.repeat(0.5 * self._response.energy, 2)
        self.history = self._moved(motion.history)
        self.energy = np.bincount(self._place[self.nodes].ravel(), own, layers.count).astype(float)

    def _of_one_level(self, pairs: Ints) -> np.ndarray:
        level = self._level[self._place[pairs]]
        return np.asarray(level[:, 0] == level[:, 1])

    def _respond(self, radius: Floats, mass: Floats, h: float) -> None:
        """The law for all parts; those of different levels have no force of it."""
        (a, b), count = self._sides, len(self.nodes)
        ra, rb = radius[a], radius[b]
        R, d = ra * rb / (ra + rb), ra + rb - self._r
        rate, increment = np.zeros((2, count, 6))
        rate[:, 0], increment[:, 0] = (self._v * self._n).sum(axis=1), (self._s * self._n).sum(axis=1)
        none, one = np.zeros(count), np.ones(count)
        with np.errstate(divide="ignore"):
            effective = 1.0 / (1.0 / mass[a] + 1.0 / mass[b])
        kinematics = d, rate, increment, none, np.zeros((count, 0)), R, effective, h, ra + rb
        rest = a * len(radius) + b, ra, one, round_area(R, d), a, b, none, one
        self._response = no_response(count, 6, 0)
        self._layers.force(Contact(*kinematics, *rest), self._response)
        for part in self._response[:-1]:
            part[self._gamma > 0.0] = 0.0

    def _moved(self, history: Floats) -> Floats:
        """Levels and number of steps (K, 2) at the end of the step."""
        over = self._all[self._distance < self._mean]
        new = history.copy()
        new[:, STEPS] += 1.0
        new[:, LEVEL] = self._layers.moved(over, self._level, int(new[0, STEPS]))
        return new

    @property
    def force(self) -> Floats:
        """Forces (C, 2, 3) on the two cells of each part."""
        on_a = self._response.force[:, :1] * self._n - self._gamma[:, None] * self._v
        return np.stack([on_a, -on_a], axis=1)

    def add_forces(self, wrench: Floats) -> None:
        """See ForcePass."""
        add_slots(self.nodes, self.force, wrench)

    def damping(self, velocity: Floats) -> Floats | None:
        """`C v`, see ForcePass."""
        v = velocity[self.nodes[:, 0]] - velocity[self.nodes[:, 1]]
        along = -self._response.by_rate[:, 0, 0] * (self._n * v).sum(axis=1)
        on_a = along[:, None] * self._n + self._gamma[:, None] * v
        return np.stack([on_a, -on_a], axis=1)

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """See ForcePass."""
        n, r, response = self._n, self._r[:, None], self._response
        by_rate, by_increment = response.by_rate[:, 0, 0], response.by_increment[:, 0, 0]
        eye = np.eye(3)
        across = eye - n[:, :, None] * n[:, None, :]
        turned = by_rate[:, None] * self._v + by_increment[:, None] * self._s
        slope = (by_increment - response.by_overlap[:, 0])[:, None] * n
        slope += np.einsum("cij,cj->ci", across, turned) / r
        K = -n[:, :, None] * slope[:, None, :] - (response.force[:, :1] / r)[:, :, None] * across
        C = self._gamma[:, None, None] * eye - by_rate[:, None, None] * n[:, :, None] * n[:, None, :]
        block = factor_q * K + factor_v * C
        for row in range(2):
            for column in range(2):
                blocks[:, row, :, column] += block if row == column else -block

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None
