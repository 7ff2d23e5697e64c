"""The pattern of the operator `S = G M^-1 G^T` of joints, and of its factor `S = (1 + T) D (1 + T)^T`.

A block of S couples two joints that share a body which can move: S is a sum of cliques, one for each body. To
eliminate a joint joins the cliques that it is in to one, its *front*, which is the column of the joint in T.
A joint in a single clique goes first, for it leaves no fill. Then comes that with the least neighbours
(minimum degree, by the bound of Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17, 1996). Chains and
trees are eliminated from their ends, without fill; a closed loop costs one more block for each joint.
"""

from heapq import heapify, heappop, heappush
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from nsgalpha.arrays import Flags, Ints


class Pattern(NamedTuple):
    """Blocks of S and of its factor, by columns.

    *Positions* 0 .. J-1 number the joints in the order of elimination, one mechanism after the other. The
    first block of a column is on the diagonal.
    """

    body: Ints  # (J, K) of the joint at each position
    row: Ints  # (J,) first row of the joint
    size: Ints  # (J,) its number of rows
    joint: Ints  # (J,) its number
    mechanism: Ints  # (M + 1,) offsets of the mechanisms
    rows: Ints  # (R,) all rows, in the order of the positions
    mechanism_rows: Ints  # (M + 1,) offsets of the mechanisms into `rows`
    column: Ints  # (J + 1,) offsets into the blocks
    block_row: Ints  # (E,) position of the row of a block
    left: Ints  # (J + 1,) offsets into the blocks left of the diagonal, by rows
    left_block: Ints  # (E - J,)
    left_column: Ints  # (E - J,)
    term: Ints  # (J + 1,) offsets into the terms of S, by columns
    term_block: Ints  # (T,) block to which the term is added
    term_side: Ints  # (T, 2) sides of the joints of the row and of the column on the shared body


def components(body: Ints, moving: Flags) -> Ints:
    """Mechanism (B,) of every body: joints `body` (J, K) join those that are `moving` (B,).

    A body that cannot move, or that has no joints, is a mechanism by itself.
    """
    if not len(body):
        return np.arange(len(moving))
    anchor = _anchors(body, moving)
    linked = np.concatenate(
        [np.column_stack([anchor, side])[moving[anchor] & moving[side]] for side in body.T]
    )
    graph = coo_array((np.ones(len(linked)), linked.T), shape=(len(moving), len(moving)))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _anchors(body: Ints, moving: Flags) -> Ints:
    """The first body (J,) of each joint that can move, its first one if none can."""
    return body[np.arange(len(body)), moving[body].argmax(axis=1)]


def pattern(body: Ints, row: Ints, moving: Flags) -> Pattern:
    """The `Pattern` of joints between the bodies `body` (J, K), with rows from `row` (J + 1,) on.

    `moving` (B,): the body can move. K is 2, or more with relations of coordinates. No moving body is twice
    in a row, and rows of fewer sides are filled up with a body that cannot move.
    """
    count = len(body)
    order, front = _eliminate(body, moving)
    mechanism = components(body, moving)[_anchors(body, moving)]
    order = order[np.argsort(mechanism[order], kind="stable")]
    position = np.empty(count, np.int64)
    position[order] = np.arange(count)

    mechanisms = _offsets(np.unique(mechanism, return_counts=True)[1])
    size = np.diff(row)[order]
    ends = _offsets(size)
    rows = np.repeat(row[order] - ends[:-1], size) + np.arange(ends[-1])

    columns = [np.sort(position[[joint, *front[joint]]]) for joint in order]
    column = _offsets([len(rows) for rows in columns])
    block_row = np.concatenate([np.empty(0, np.int64), *columns])
    block_column = np.repeat(np.arange(count), np.diff(column))
    below = np.flatnonzero(block_row > block_column)
    left_block = below[np.argsort(block_row[below], kind="stable")]

    term_row, term_column, term_side = _terms(body[order], moving)
    code = block_column * count + block_row
    left = _offsets(np.bincount(block_row[below], minlength=count)), left_block, block_column[left_block]
    terms = _offsets(np.bincount(term_column, minlength=count))
    block = np.searchsorted(code, term_column * count + term_row)
    joints = body[order], row[order], size, order, mechanisms, rows, ends[mechanisms]
    return Pattern(*joints, column, block_row, *left, terms, block, term_side)


def numbers(pattern: Pattern, moving: Flags) -> Ints:
    """Number (B,) of the mechanism of every body in the `pattern`; -1 of those that are in none."""
    number = np.full(len(moving), -1)
    own = np.repeat(np.arange(len(pattern.mechanism) - 1), np.diff(pattern.mechanism))
    for side in pattern.body.T:
        number[side] = own
    number[~moving] = -1
    return number


def _offsets(lengths: Ints | list[int]) -> Ints:
    """Offsets (n + 1,) of parts with the `lengths` (n,)."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _eliminate(body: Ints, moving: Flags) -> tuple[Ints, dict[int, set[int]]]:
    """Order (J,) of elimination of the joints `body` (J, K), and the front of each."""
    members: dict[int, set[int]] = {}  # joints in each clique; those of bodies first, then fronts
    cliques: list[set[int]] = [{int(b) for b in pair if moving[b]} for pair in body]
    for joint, own in enumerate(cliques):
        for clique in own:
            members.setdefault(clique, set()).add(joint)
    cliques = [{clique for clique in own if len(members[clique]) > 1} for own in cliques]
    # who is in a single clique goes first
    rank = [(len(own) > 1, sum(len(members[clique]) - 1 for clique in own)) for own in cliques]
    queue = [(place, joint) for joint, place in enumerate(rank)]
    heapify(queue)
    front: dict[int, set[int]] = {}
    while queue:
        place, joint = heappop(queue)
        if joint in front or place != rank[joint]:
            continue  # eliminated, or queued again
        new = set[int]().union(*(members.pop(clique) for clique in cliques[joint])) - {joint}
        front[joint] = new
        outside: dict[int, int] = {}  # members of the other cliques that are not in the front
        for other in new:
            cliques[other] -= cliques[joint]
            for clique in cliques[other]:
                outside[clique] = outside.get(clique, len(members[clique])) - 1
        members[-1 - joint] = new
        for other in new:
            cliques[other] = {clique for clique in cliques[other] if outside[clique]}
            degree = len(new) - 1 + sum(outside[clique] for clique in cliques[other])
            if len(new) > 1:
                cliques[other].add(-1 - joint)
            rank[other] = len(cliques[other]) > 1, degree
            heappush(queue, (rank[other], other))
    return np.array(list(front), np.int64), front


def _terms(body: Ints, moving: Flags) -> tuple[Ints, Ints, Ints]:
    """Row, column (T,) and sides (T, 2) of the terms of S, sorted by column, of the joints `body` (J, K)."""
    at: dict[int, list[tuple[int, int]]] = {}
    for position, pair in enumerate(body.tolist()):
        for side, b in enumerate(pair):
            if moving[b]:
                at.setdefault(b, []).append((position, side))
    terms = [
        (column, row, side, other)
        for joints in at.values()
        for (column, other), (row, side) in combinations_with_replacement(joints, 2)
    ]
    table = np.array(sorted(terms), np.int64).reshape(-1, 4)
    return table[:, 1], table[:, 0], table[:, 2:].copy()
