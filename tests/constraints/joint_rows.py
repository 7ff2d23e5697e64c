"""Rows of joints, random ones and hinges, and their operator as a dense matrix."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nsgalpha.constraints.joint_factor import empty_factor, factorise, solve
from nsgalpha.constraints.joint_pattern import pattern
from nsgalpha.constraints.joint_redundancy import spread


class Mechanism(NamedTuple):
    body: np.ndarray  # (J, 2)
    row: np.ndarray  # (J + 1,)
    moving: np.ndarray  # (B,)
    G: np.ndarray  # (R, 2, 6)
    MG: np.ndarray  # (R, 2, 6)


def symbolic(mechanism):
    return pattern(mechanism.body, mechanism.row, mechanism.moving)


def factorised(mechanism):
    """Pattern and factor."""
    found = symbolic(mechanism)
    factor = empty_factor(found, len(mechanism.moving))
    factorise(found, mechanism.G, mechanism.MG, factor)
    return found, factor


def solution(mechanism, b):
    found, factor = factorised(mechanism)
    x = b.copy()
    solve(found, mechanism.G, mechanism.MG, factor, x)
    return x


def smallest(mechanism, b):
    """The solution that `spread` finds."""
    found, factor = factorised(mechanism)
    x = b.copy()
    solve(found, mechanism.G, mechanism.MG, factor, x)
    spread(found, mechanism.G, mechanism.MG, factor, x)
    return x


def owners(mechanism):
    """Bodies (R, 2) of every row."""
    return np.repeat(mechanism.body, np.diff(mechanism.row), axis=0)


def velocities(mechanism, x):
    """`M^-1 G^T x` (B, 6)."""
    out = np.zeros((len(mechanism.moving), 6))
    for side, b in enumerate(owners(mechanism).T):
        np.add.at(out, b, mechanism.MG[:, side] * x[:, None])
    return out


def rates(mechanism, velocity):
    """`G V` (R,)."""
    return np.einsum("rsi,rsi->r", mechanism.G, velocity[owners(mechanism)])


def dense(mechanism):
    """The operator `G M^-1 G^T` (R, R)."""
    rows = mechanism.row[-1]
    return np.array([rates(mechanism, velocities(mechanism, e)) for e in np.eye(rows)]).reshape(rows, rows)


def random_rows(body, moving, rng, sizes=None):
    """Joints `body` (J, 2) of `sizes` random rows, 1 to 6 if not given, on random masses and inertias."""
    body, moving = np.asarray(body).reshape(-1, 2), np.asarray(moving)
    sizes = rng.integers(1, 7, len(body)) if sizes is None else np.full(len(body), sizes)
    row = np.concatenate([[0], np.cumsum(sizes)])
    G = rng.normal(size=(row[-1], 2, 6))
    root = rng.normal(size=(len(moving), 6, 6))
    inverse = root @ root.transpose(0, 2, 1) / 6.0 + np.eye(6)
    inverse[~moving] = 0.0
    MG = np.einsum("rsij,rsj->rsi", inverse[np.repeat(body, sizes, axis=0)], G)
    return Mechanism(body, row, moving, G, MG)


def hinges(body, point, axis, centre, moving):
    """Hinges at `point` (J, 3) about `axis` (3,) of bars of 1 kg and 1 m with the `centre` (B, 3)."""
    body, moving = np.asarray(body), np.asarray(moving)
    G = np.zeros((len(body), 5, 2, 6))
    for k, pair in enumerate(body):
        for side, b in enumerate(pair):
            sign = 1.0 - 2.0 * side
            G[k, :3, side, :3] = sign * np.eye(3)
            G[k, :3, side, 3:] = sign * np.cross(point[k] - centre[b], np.eye(3))
            G[k, 3:, side, 3:] = sign * np.linalg.svd(np.array([axis]))[2][1:]
    G = G.reshape(-1, 2, 6)
    inverse = np.array([1.0, 1.0, 1.0, 12.0, 12.0, 12.0]) * moving[:, None]
    return Mechanism(body, 5 * np.arange(len(body) + 1), moving, G, G * inverse[np.repeat(body, 5, axis=0)])


def chain(count):
    """A straight chain of `count` bars hanging at the ground, with parallel hinges."""
    number = np.arange(count)
    point, centre = np.zeros((count, 3)), np.zeros((count + 1, 3))
    point[:, 0], centre[:, 0] = number, np.arange(count + 1) - 0.5
    body = np.column_stack([number, number + 1])
    return hinges(body, point, [0.0, 0.0, 1.0], centre, np.arange(count + 1) > 0)


def polygon(count, axis=(0.0, 0.0, 1.0)):
    """A planar closed loop of `count` bars, hinged about the normal `axis` of its plane."""
    plane = np.linalg.svd(np.array([axis]))[2][1:]
    number, angle = np.arange(count), 2.0 * np.pi * np.arange(count) / count
    corner = 0.5 / np.sin(np.pi / count) * np.column_stack([np.cos(angle), np.sin(angle)]) @ plane
    centre = (corner + np.roll(corner, 1, axis=0)) / 2.0
    body = np.column_stack([number, (number + 1) % count])
    return hinges(body, corner, axis, centre, np.ones(count, bool))


def door():
    """A door on two hinges; body 0 is the wall."""
    point = np.array([[0.0, 0.0, 0.5], [0.0, 0.0, -0.5]])
    centre = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    return hinges([[0, 1], [0, 1]], point, [0.0, 0.0, 1.0], centre, [False, True])


def together(*mechanisms):
    """Mechanisms side by side, without a common body."""
    body, row, bodies = [], [0], 0
    for each in mechanisms:
        body.append(each.body + bodies)
        row += list(each.row[1:] + row[-1])
        bodies += len(each.moving)
    moving, G, MG = (np.concatenate([each[i] for each in mechanisms]) for i in (2, 3, 4))
    return Mechanism(np.concatenate(body), np.array(row), moving, G, MG)


def joined(first, second, body):
    """Two mechanisms; body 0 of the `second`, of its ground too, is the given one of the `first`."""
    count = len(first.moving)
    of_second = np.where(second.body == 0, body, second.body + count - 1)
    mechanism = together(first, second)
    return mechanism._replace(
        body=np.concatenate([first.body, of_second]),
        moving=np.concatenate([first.moving, second.moving[1:]]),
    )


def net_of_links(side):
    """Pairs of links that meet at a square grid's nodes; their number."""
    at, links = {}, 0
    for i in range(side):
        for j in range(side):
            for other in ((i + 1, j), (i, j + 1)):
                if max(other) < side:
                    at.setdefault((i, j), []).append(links)
                    at.setdefault(other, []).append(links)
                    links += 1
    pairs = [pair for meeting in at.values() for pair in pairwise(meeting)]
    return np.array(pairs), links
