"""Gaps of random pairs of shapes, beside distances of Coal and MuJoCo.

    NSGALPHA_PEERS=/path/to/python nsgalpha bench distances

For overlapping shapes Coal's distance is the depth along one direction, ours the least gap. These are the
same while the overlap is small, as here. MuJoCo has no cones.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints
from verification.benchmarks.line import Line, line
from verification.benchmarks.peers import ask
from verification.shapes.convex_shapes import described, shapes
from verification.shapes.random_pairs import GAPS, Pairs

PAIRS = 100_000  # of every two kinds
PEERS = {"Coal": "coal", "MuJoCo": "mujoco"}


def poses(pairs: Pairs, numbers: Ints) -> list[list[tuple[Any, Any]]]:
    """Rotation matrices and places of both shapes."""
    found = []
    for shape, turn, side in zip(pairs.shapes, pairs.turns, pairs.sides, strict=True):
        matrices = turn.as_matrix()[numbers]
        places = pairs.motion.x[side[numbers]] - pairs.centres[numbers]
        places = places + described(shape)[2] * matrices[:, :, 2]
        found.append(list(zip(matrices.tolist(), places.tolist(), strict=True)))
    return found


def of_two(one: str, two: str) -> list[Line]:
    """Lines of PAIRS of two kinds."""
    kinds, rng = shapes(), np.random.default_rng(1)
    pairs = Pairs(kinds[one], kinds[two])
    gaps: list[Floats] = []
    placed: list[list[Any]] = [[], []]
    while sum(len(each) for each in gaps) < PAIRS:
        rows, numbers = pairs.place(rng, GAPS[len(gaps) % len(GAPS)])
        gaps.append(pairs.candidates.gap[rows].copy())
        for side, more in zip(placed, poses(pairs, numbers), strict=True):
            side.extend(more)
    gap = np.concatenate(gaps)
    scene = {"shapes": [described(kinds[name])[:2] for name in (one, two)], "poses": placed}
    lines = [line(f"{one} and {two}", len(gap), "pairs")]
    for name, code in PEERS.items():
        if code == "mujoco" and "cone" in (one, two):
            continue
        answer = ask(code, "distances", scene)
        if isinstance(answer, str):
            lines.append(line(f"    {name}", np.nan, "m", answer))
        else:
            lines.append(_difference(name, answer, gap))
    return lines


def _difference(name: str, answer: dict[str, Any], gap: Floats) -> Line:
    """Line of the differences of our gaps from the distances of another code."""
    off = np.abs(np.array(answer["distance"]) - gap)
    failed = ~(off < 1.0)  # [m]
    median, overlapping = np.median(off[gap > 0.0]), off[~failed & (gap < 0.0)].max()
    words = (
        f"{answer['version']}; median {median:.1e}, overlapping {overlapping:.1e}, failed {failed.sum()}; "
    )
    words += f"{1e6 * answer['seconds'] / len(gap):.1f} us a pair"
    return line(f"    {name}: largest difference", float(off[~failed & (gap > 0.0)].max()), "m", words)


def bench_distances() -> list[Line]:
    """All pairs of kinds."""
    return [each for two in combinations_with_replacement(shapes(), 2) for each in of_two(*two)]
