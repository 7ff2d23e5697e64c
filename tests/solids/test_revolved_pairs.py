"""Set-valued contact of cylinders, cones and rounded solids: gaps and rates at any poses."""

import numpy as np
import pytest
from posed_pairs import PosedPair, exchanged_rows, least_point
from round_scenes import CORNERS, FACES

import nsgalpha as ns
from elements import CapsuleSolid, SolidSolid

ROUNDING = 0.03
KINDS = {
    "can": ("cylinder", (0.15, 0.3)),
    "coin": ("cylinder", (0.2, 0.02)),
    "cone": ("cone", (0.15, 0.3)),
    "needle": ("cone", (0.05, 0.5)),
    "box": ("box", ((0.4, 0.3, 0.2),)),
    "rounded": ("rounded", ()),
    "capsule": ("capsule", (0.06, 0.4)),
}
SHARP = ["can-can", "can-coin", "coin-coin", "cone-cone", "cone-can", "needle-coin", "cone-box", "can-box"]
ROUND = ["rounded-rounded", "rounded-box", "rounded-can", "rounded-cone", "capsule-can", "capsule-cone"]
PAIRS = pytest.mark.parametrize("kinds", SHARP + ROUND)


def add(model, kind, position):
    """A body of a kind."""
    maker, size = KINDS[kind]
    own = {"mass": 1.0, "position": position}
    if maker != "rounded":
        return getattr(model, f"add_{maker}")(*size, **own)
    body = model.add_body(inertia=1.0, **own)
    model.add_mesh(CORNERS * (0.2, 0.1, 0.15), FACES, carrier=body, radius=ROUNDING)
    return body


def lowest_of(kind, n):
    """Point of a shape, without its rounding, that is lowest along `n`."""
    maker, size = KINDS[kind]
    if maker in ("box", "rounded"):
        half = np.array((0.2, 0.1, 0.15) if maker == "rounded" else size[0]) * (
            1 if maker == "rounded" else 0.5
        )
        return -np.sign(n) * half
    if maker == "capsule":
        return np.array((0.0, 0.0, -np.sign(n[2]) * 0.5 * size[1]))
    (R, L), across = size, np.hypot(n[0], n[1])
    x, y = -R * n[:2] / across if across > 0.0 else (0.0, 0.0)
    if maker == "cylinder":
        return np.array((x, y, -np.sign(n[2]) * 0.5 * L))
    apex, base = np.array((0.0, 0.0, 0.75 * L)), np.array((x, y, -0.25 * L))
    return apex if n @ apex < n @ base else base


class Pair(PosedPair):
    """Two bodies of the kinds, at any poses."""

    def __init__(self, kinds, order=(0, 1)):
        self.kinds, model = kinds.split("-"), ns.Model()
        bodies = [add(model, kind, (k, 0, 0)) for k, kind in enumerate(self.kinds)]
        if "capsule" in self.kinds:
            model.add(CapsuleSolid(model.primitives[0], bodies[1]))
        else:
            model.add(SolidSolid(between=[[bodies[k]] for k in order]))
        super().__init__(model, 0.15)
        radius = {"rounded": ROUNDING, "capsule": 0.06}
        self.rounding = sum(radius.get(kind, 0.0) for kind in self.kinds)

    def apart(self):
        """The shortest way (3,) from the second core to the first; 0 if they overlap."""
        turns, x = self.turns(), self.motion.x

        def lowest(n):
            ends = [
                x[k] + turns[k].apply(lowest_of(kind, turns[k].inv().apply((1 - 2 * k) * n)))
                for k, kind in enumerate(self.kinds)
            ]
            return ends[0] - ends[1]

        return least_point(lowest, 0.5)


@PAIRS
def test_rates_of_gaps_are_those_of_differences(kinds):
    pair, rng, errors = Pair(kinds), np.random.default_rng(0), []
    for _ in range(800):
        rows = pair.place(rng)
        rows = rows[pair.candidates.gap[rows] > -0.5 * pair.rounding] if pair.rounding > 0.0 else rows
        if len(rows):
            errors.extend(pair.check_rates(rows, eps=1e-5, tolerance=1e-4))
    assert len(errors) > 100
    assert np.quantile(errors, 0.99) < 1e-6


@PAIRS
def test_least_gaps_are_distances(kinds):
    """Cores overlap where a gap is negative. No gap is below the distance, and most least ones are that.

    Vertices at rims are no features. An axis crosses a side only beside its ends (BESIDE).
    """
    pair, rng, equal, counts = Pair(kinds), np.random.default_rng(1), [], [0, 0]
    capsule = "capsule" in kinds
    near = 2e-4 + (0.06 if capsule else 0.0)  # of cores, so that features are selected
    for _ in range(400):
        pair.place(rng)
        way = pair.apart()
        distance = np.linalg.norm(way)
        counts[int(distance > 0.0)] += 1
        if distance > 0.0:
            pair.motion.x[0] -= (1.0 - near / distance) * way
        rows = pair.select()
        least = pair.candidates.gap[rows].min(initial=np.inf) + pair.rounding
        if distance == 0.0:
            assert capsule or least < pair.rounding + 1e-12  # an axis within a solid is too deep
        else:
            assert least > near - 1e-9
            assert not capsule or least < near + 0.01 * pair.rounding
            equal.append(least < near + 1e-9)
    assert min(counts) > 20
    assert np.mean(equal) > (0.88 if kinds in SHARP else 0.98)


@pytest.mark.parametrize("kinds", SHARP + ROUND[:4])
def test_sides_may_be_exchanged(kinds):
    one, two = Pair(kinds), Pair(kinds, (1, 0))
    rng, pairs = np.random.default_rng(2), 0
    for _ in range(300):
        rows, others = one.place(rng), two.place_as(one)
        assert len(rows) == len(others)
        if len(rows):
            pairs += 1
            others = exchanged_rows(one, rows, two, others)
            a, b = one.candidates, two.candidates
            assert a.gap[rows] == pytest.approx(b.gap[others], abs=1e-13)
            assert a.normal[rows] == pytest.approx(-b.normal[others], abs=1e-9)
    assert pairs > 50
