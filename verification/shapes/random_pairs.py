"""Pairs of shapes of all kinds at random poses, just apart and just overlapping.

A body comes along a random way until the least gap of the pair is one of GAPS. The gap is then proved by the
formulas of convex_shapes.py alone. Supports along the normal are apart by the gap, and its end points belong
to both shapes. A negative gap ends at a point within both.

Two forces on the ends have the moment (x_A - x_B) x f, which is none for those along the normal. Rates are
compared with those by differences of fourth order, except where a feature ends within 2 EPSILON. Rims nearly
parallel curve so much that central differences would be off by 5e-6 m/s.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Contact
from nsgalpha.arrays import Floats, Ints
from nsgalpha.system.system import System
from verification.outcome import Row, bound_row
from verification.shapes.convex_shapes import Shape, shapes

PAIRS = 100_000  # of every two kinds
TOGETHER, PITCH = 1000, 3.0  # pairs in one model, and their distance [m]
REACH = 0.02  # of candidates [m]
GAPS = (1e-6, -1e-6)  # [m]
NEAR, FAR = 1e-3, 0.02  # where gaps take the place of projections, and how far they lead [m]
LONGEST = 5e-4  # step towards each other by gaps [m]: features are those of shapes that hardly overlap
APPROACHES, PROJECTIONS, STEPS, FEW = 6, 40, 14, 5  # FEW: projections of a step
EPSILON = 1e-7  # of differences [s]
DIFFERENCES = ((1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0))  # steps and weights
PROVED = 1e-9  # largest error of a proof [m]
UNSEEN = 3e-4  # share of pairs without proof: capsules nearly parallel, tips and vertices beside rims
PROOF = "supports and points of the shapes"


def _length(p: Floats) -> Floats:
    """Lengths (n, 1) of vectors (n, 3)."""
    return np.linalg.norm(p, axis=1)[:, None]


def _dot(a: Floats, b: Floats) -> Floats:
    """Products (n, 1) of vectors (n, 3)."""
    return (a * b).sum(axis=1)[:, None]


class Pairs:
    """TOGETHER pairs of two shapes in one model, at any poses."""

    def __init__(self, one: Shape, two: Shape) -> None:
        self.shapes, model = (one, two), ns.Model()
        side = np.arange(np.ceil(TOGETHER ** (1.0 / 3.0)))
        self.centres = PITCH * np.stack(np.meshgrid(side, side, side), axis=-1).reshape(-1, 3)[:TOGETHER]
        bodies = [[shape.add(model, position=place) for place in self.centres] for shape in self.shapes]
        model.add(Contact(between=(bodies[0], bodies[1]), mu=0.3))
        self.sides = [np.array([body.index for body in each]) for each in bodies]
        self.number = np.empty(2 * TOGETHER, np.int64)
        for each in self.sides:
            self.number[each] = np.arange(TOGETHER)
        self.system = System(model)
        self.motion = self.system.motion(model.initial_state())
        self.candidates = self.system.candidates(self.motion.x, REACH)

    def place(self, rng: np.random.Generator, gap: float) -> tuple[Ints, Ints]:
        """Random poses with a least `gap`: rows of the gaps, numbers of the pairs.

        Pairs that do not come near are left out. Projections are slow where many vertices are equally near.
        """
        m, (first, second) = self.motion, self.sides
        m.q[:] = np.roll(Rotation.random(len(m.q), rng).as_quat(), 1, axis=1)
        m.v[:], m.w[:] = rng.normal(size=(2, len(m.v), 3))
        self.turns = [Rotation.from_quat(np.roll(m.q[side], -1, axis=1)) for side in self.sides]
        way = rng.normal(size=self.centres.shape)
        way /= _length(way)
        m.x[second], m.x[first] = self.centres, self.centres + 0.5 * PITCH * way
        n = way
        for _ in range(APPROACHES):
            n, width = self.apart(n, PROJECTIONS)
            m.x[first] -= np.maximum(width - NEAR, 0.0) / np.maximum(_dot(n, way), 0.1) * way
        begun = m.x[first].copy()
        for _ in range(STEPS):
            rows, pairs = self.select()
            n, width = self.apart(n, FEW)
            step = np.maximum(width, 0.0) / np.maximum(_dot(n, way), 0.1)
            along = _dot(self.normals(rows), way[pairs])
            step[pairs] = (self.candidates.gap[rows] - gap)[:, None] / np.maximum(along, 0.1)
            m.x[first] -= np.minimum(step, LONGEST) * way
        rows, pairs = self.select()
        near = np.abs(self.candidates.gap[rows] - gap) < 0.1 * abs(gap)
        near &= _length(m.x[first] - begun)[pairs, 0] < FAR
        return rows[near], pairs[near]

    def normals(self, rows: Ints) -> Floats:
        """Normals (n, 3) of contacts, from the second shapes to the first."""
        sign = np.where(np.isin(self.candidates.a[rows], self.sides[0]), 1.0, -1.0)
        return sign[:, None] * self.candidates.normal[rows]

    def ends(self, n: Floats) -> tuple[Floats, Floats]:
        """Points (TOGETHER, 3) farthest along -`n` and `n`, from the centre of the second shape."""
        one, two = (
            turn.apply(shape.farthest(turn.inv().apply(sign * n)))
            for shape, turn, sign in zip(self.shapes, self.turns, (-1.0, 1.0), strict=True)
        )
        return one + self.motion.x[self.sides[0]] - self.motion.x[self.sides[1]], two

    def apart(self, n: Floats, projections: int) -> tuple[Floats, Floats]:
        """Unit vectors (TOGETHER, 3) from second shapes to first ones, and their widths.

        They begin with `n`. E. G. Gilbert, An iterative procedure for computing the minimum of a quadratic
        form on a convex set, SIAM J. Control 4 (1966) 61.
        """
        one, two = self.ends(n)
        best, most, way = n, np.full((TOGETHER, 1), -np.inf), one - two
        for _ in range(projections):
            n = way / _length(way)
            one, two = self.ends(n)
            width = _dot(one - two, n)
            best, most = np.where(width > most, n, best), np.maximum(width, most)
            step = one - two - way
            part = -_dot(step, way) / np.maximum(_dot(step, step), 1e-300)
            way = way + np.clip(part, 0.0, 1.0) * step
        return best, most

    def select(self) -> tuple[Ints, Ints]:
        """Rows of the least gaps, and the numbers of their pairs."""
        c = self.candidates
        self.system.select(self.motion, c)
        self.system.measure(self.motion, c)
        rows = np.flatnonzero(np.isfinite(c.gap))
        pair = self.number[c.a[rows]]
        order = np.lexsort((c.gap[rows], pair))
        pairs, first = np.unique(pair[order], return_index=True)
        return rows[order[first]], pairs

    def proofs(self, rows: Ints, pairs: Ints) -> tuple[Floats, Floats]:
        """How far gaps are from those of the supports, and their ends outside the shapes (n,) [m]."""
        c, x, (first, second) = self.candidates, self.motion.x, self.sides
        n, gap = self.normals(rows), c.gap[rows][:, None]
        along = np.zeros_like(self.centres)
        along[pairs] = n
        one, two = (end[pairs] for end in self.ends(along))
        middle = 0.5 * (x[c.a[rows]] + c.lever[rows, 0] + x[c.b[rows]] + c.lever[rows, 1])
        outside = np.full(len(rows), np.inf)
        for part in (0.0, 0.5, 1.0):  # of the gap, from the middle of the ends to the first shape
            ends = middle + part * gap * n, middle - (1.0 - part) * gap * n
            worst = np.full(len(rows), -np.inf)
            for shape, turn, side, end in zip(self.shapes, self.turns, (first, second), ends, strict=True):
                local = turn[pairs].inv().apply(end - x[side[pairs]])
                worst = np.maximum(worst, shape.outside(local))
            outside = np.minimum(outside, worst)
        return np.abs(_dot(one - two, n) - gap)[:, 0], outside

    def rate_errors(self, rows: Ints) -> Floats:
        """Rates of gaps (n,) [m/s] less those by differences."""
        c, m = self.candidates, self.motion
        n, p, a, b = c.normal[rows].copy(), c.lever[rows].copy(), c.a[rows], c.b[rows]
        first, second = (m.v[k] + np.cross(m.w[k], p[:, side]) for side, k in enumerate((a, b)))
        x, q, rate = m.x.copy(), m.q.copy(), np.zeros(len(rows))
        with np.errstate(invalid="ignore"):  # of features that end
            for step, weight in DIFFERENCES:
                for s in (step * EPSILON, -step * EPSILON):
                    m.x[:] = x + s * m.v
                    turned = Rotation.from_rotvec(s * m.w) * Rotation.from_quat(np.roll(q, -1, axis=1))
                    m.q[:] = np.roll(turned.as_quat(), 1, axis=1)
                    self.system.measure(m, c)
                    rate += weight * step * c.gap[rows] / s
        m.x[:], m.q[:] = x, q
        self.system.measure(m, c)
        error = _dot(first - second, n)[:, 0] - rate
        return error[np.isfinite(error)]

    def moments(self, rows: Ints) -> Floats:
        """Moments (n,) [m] of unit forces along the normal on both ends."""
        c, x = self.candidates, self.motion.x
        ends = [x[body[rows]] + c.lever[rows, side] for side, body in enumerate((c.a, c.b))]
        return _length(np.cross(ends[0] - ends[1], c.normal[rows]))[:, 0]


def of_two(one: str, two: str) -> list[Row]:
    """Rows of PAIRS of two kinds. Errors are of those that are proved."""
    kinds, rng, names = shapes(), np.random.default_rng(0), f"{one} and {two}"
    pairs = Pairs(kinds[one], kinds[two])
    worst, counts, batch = np.zeros(4), np.zeros(3, np.int64), 0
    while counts[0] < PAIRS:
        rows, numbers = pairs.place(rng, GAPS[batch % len(GAPS)])
        off, outside = pairs.proofs(rows, numbers)
        proved = np.maximum(off, outside) < PROVED
        rate, moment = pairs.rate_errors(rows[proved]), pairs.moments(rows)
        for i, each in enumerate((off[proved], outside[proved], np.abs(rate), moment)):
            worst[i] = max(worst[i], each.max(initial=0.0))
        counts += len(rows), proved.sum(), len(rate)
        batch += 1
    proved_share, smooth_share = counts[1] / counts[0], counts[2] / counts[1]
    return [
        Row(f"{names}: share of proofs", "-", 1.0, proved_share, UNSEEN, PROOF),
        bound_row(f"{names}: gap", "m", worst[0], 1e-13, PROOF),
        bound_row(f"{names}: end outside", "m", worst[1], 1e-13, PROOF),
        bound_row(f"{names}: rate of the gap", "m/s", worst[2], 1e-6, "differences"),
        bound_row(f"{names}: moment over force", "m", worst[3], 1e-13, "none"),
        Row(f"{names}: share of features that go on", "-", 1.0, smooth_share, 1e-3, "nearly all"),
    ]


def run_all() -> list[Row]:
    """All of them."""
    return [row for two in combinations_with_replacement(shapes(), 2) for row in of_two(*two)]
