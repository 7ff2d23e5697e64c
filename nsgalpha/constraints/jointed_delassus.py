"""The Delassus operator of contacts on jointed bodies: `G_c P G_c^T`, P of jointed_response.py.

Each row of a contact asks for the answer of a mechanism, `S^-1 G M^-1 G_c^T`. WIDTH of them are found at a
time: blocks and rows are read once for all, and the numbers of one row fill a register. Every number is
rounded as joint_factor.py does for a single answer.
"""

import numpy as np

from nsgalpha.constraints.joint_factor import HINGE, REFINEMENTS, index, is_rounding
from nsgalpha.jit.decorators import inlined, kernel

WIDTH = 4  # answers found at a time
HELD = 1e-13  # part of G_c M^-1 G_c^T that rounding leaves of a row which joints hold


@inlined
def _four(X, r):
    """Row `r` of `X` (R, 4)."""
    x = X[index(r)]
    return x[0], x[1], x[2], x[3]


@inlined
def _store(X, r, x):
    """`X[r] = x`, of `X` (R, 4)."""
    row = X[index(r)]
    row[0], row[1], row[2], row[3] = x


@inlined
def _more(x, factor, y):
    """`x + factor y` of four numbers."""
    return x[0] + factor * y[0], x[1] + factor * y[1], x[2] + factor * y[2], x[3] + factor * y[3]


@inlined
def _forward(pattern, factor, k, X, n):
    """As in joint_factor.py."""
    blocks, row, size, r = factor.blocks, pattern.row, pattern.size, pattern.row[k]
    for e in range(pattern.column[k] + 1, pattern.column[k + 1]):
        i = pattern.block_row[e]
        block, first = blocks[e], row[i]
        for a in range(size[i]):
            total = (0.0, 0.0, 0.0, 0.0)
            for b in range(n):
                total = _more(total, block[a, b], _four(X, r + b))
            _store(X, first + a, _more(_four(X, first + a), -1.0, total))


@inlined
def _backward(pattern, factor, k, X, n):
    """As in joint_factor.py."""
    blocks, Z, row, size, r = factor.blocks, factor.wide, pattern.row, pattern.size, pattern.row[k]
    inverse = blocks[pattern.column[k]]
    for a in range(n):
        total = (0.0, 0.0, 0.0, 0.0)
        for b in range(n):
            total = _more(total, inverse[a, b], _four(X, r + b))
        _store(Z, a, total)
    for e in range(pattern.column[k] + 1, pattern.column[k + 1]):
        i = pattern.block_row[e]
        block, first = blocks[e], row[i]
        for b in range(size[i]):
            known = _four(X, first + b)
            for a in range(n):
                _store(Z, a, _more(_four(Z, a), -block[b, a], known))
    for a in range(n):
        _store(X, r + a, _four(Z, a))


@kernel
def _substitute(pattern, factor, m, X):
    """`substitute` for the columns of `X` (R, 4)."""
    first, last = pattern.mechanism[m], pattern.mechanism[m + 1]
    for k in range(first, last):
        n = pattern.size[k]
        if n == HINGE:
            _forward(pattern, factor, k, X, HINGE)
        elif n == 1:
            _forward(pattern, factor, k, X, 1)
        else:
            _forward(pattern, factor, k, X, n)
    for k in range(last - 1, first - 1, -1):
        n = pattern.size[k]
        if n == HINGE:
            _backward(pattern, factor, k, X, HINGE)
        elif n == 1:
            _backward(pattern, factor, k, X, 1)
        else:
            _backward(pattern, factor, k, X, n)


@kernel
def _move(pattern, MG, factor, m, X):
    """Twists `M^-1 G^T X` (B, 6, 4) of the bodies of mechanism `m`, `factor.twists`."""
    twists, body, row, size = factor.twists, pattern.body, pattern.row, pattern.size
    sides = body.shape[1]
    for k in range(pattern.mechanism[m], pattern.mechanism[m + 1]):
        for side in range(sides):
            for d in range(6):
                _store(twists[body[k, side]], d, (0.0, 0.0, 0.0, 0.0))
    for k in range(pattern.mechanism[m], pattern.mechanism[m + 1]):
        for side in range(sides):
            V = twists[body[k, side]]
            for d in range(6):
                total = _four(V, d)
                for r in range(row[k], row[k] + size[k]):
                    total = _more(total, MG[index(r), side, d], _four(X, r))
                _store(V, d, total)


@inlined
def _rates(G, A, B):
    """Rates of a row `G` (K, 6) on bodies with the twists `A`, `B` (6, 4)."""
    total = (0.0, 0.0, 0.0, 0.0)
    for d in range(6):
        a, b = _four(A, d), _four(B, d)
        p, q = G[0, d], G[1, d]
        both = p * a[0] + q * b[0], p * a[1] + q * b[1], p * a[2] + q * b[2], p * a[3] + q * b[3]
        total = _more(total, 1.0, both)
    return total


@kernel
def _subtract(pattern, G, factor, m, X, out):
    """`out -= S X` in the rows of mechanism `m`, of which `factor.twists` are those by `X` (R, 4)."""
    twists, body, row, size = factor.twists, pattern.body, pattern.row, pattern.size
    for k in range(pattern.mechanism[m], pattern.mechanism[m + 1]):
        A, B = twists[body[k, 0]], twists[body[k, 1]]
        for r in range(row[k], row[k] + size[k]):
            total = _rates(G[index(r)], A, B)
            for side in range(2, body.shape[1]):
                V = twists[body[k, side]]
                for d in range(6):
                    total = _more(total, G[index(r), side, d], _four(V, d))
            total = _more(total, factor.compliance[index(r)], _four(X, r))
            _store(out, r, _more(_four(out, r), -1.0, total))


@kernel
def _solve(joints, m):
    """Answers of mechanism `m` to right-hand sides, and twists by them; as `solve_mechanism`."""
    pattern, factor, G, MG = joints.pattern, joints.factor, joints.rows.G, joints.rows.MG
    b, X, residual = factor.answers[0], factor.answers[1], factor.answers[2]
    rows = pattern.rows[pattern.mechanism_rows[m] : pattern.mechanism_rows[m + 1]]
    before, refined = np.full(WIDTH, np.inf), np.ones(WIDTH, np.bool_)
    for r in rows:
        _store(X, r, _four(b, r))
    _substitute(pattern, factor, m, X)
    for k in range(REFINEMENTS + 1):
        _move(pattern, MG, factor, m, X)
        if k == REFINEMENTS:
            break
        for r in rows:
            _store(residual, r, _four(b, r))
        _subtract(pattern, G, factor, m, X, residual)
        found = False
        for c in range(WIDTH):
            size, largest = 0.0, 0.0
            for r in rows:
                if factor.pivot[r] > 0.0:
                    size = max(size, residual[r, c] * residual[r, c] / factor.diagonal[r])
                    largest = max(largest, X[r, c] * X[r, c] * factor.diagonal[r])
            refined[c] = refined[c] and not is_rounding(size, largest, before[c])
            found = found or refined[c]
            before[c] = size
        if not found:
            break
        _substitute(pattern, factor, m, residual)
        for r in rows:
            for c in range(WIDTH):
                if refined[c]:
                    X[r, c] += residual[r, c]


@kernel
def subtract_joint_response(joints, rows, contacts, start, W):
    """Subtract `G_c M^-1 G^T S^-1 G M^-1 G_c^T` from the operator `W` (n, n) of `contacts` (K,) of `rows`.

    `start` (K + 1,) are offsets into W. Rows that joints hold, which no impulse moves, become zero: of two
    bodies that touch and are one, of a driven wheel.
    """
    if joints is None:
        return
    known = np.zeros((2, joints.pattern.mechanism.shape[0]), np.bool_)
    for side in range(2):
        for c in contacts:
            m = _mechanism_at(joints, rows, c, side)
            if m >= 0 and not known[side, m]:
                known[side, m] = True
                _subtract_answers(joints, m, side, rows, contacts, start, W)
    _clear_held(rows, contacts, start, W)


@inlined
def _mechanism_at(joints, rows, c, side):
    """The mechanism at a `side` of contact `c`; -1: none, or also at the first."""
    m = joints.number[rows.body[c, side]]
    return -1 if side == 1 and m == joints.number[rows.body[c, 0]] else m


@kernel
def _subtract_answers(joints, m, side, rows, contacts, start, W):
    """The part of mechanism `m` in the rows of W whose contacts have it at that `side`."""
    columns, count = np.empty(WIDTH, np.int64), 0
    for k in range(contacts.shape[0]):
        if _mechanism_at(joints, rows, contacts[k], side) != m:
            continue
        for i in range(start[k], start[k + 1]):
            if count == 0:
                _clear(joints, m)
            _push(joints, m, rows, contacts[k], rows.row[contacts[k]] + i - start[k], count)
            columns[count] = i
            count += 1
            if count == WIDTH:
                _solve(joints, m)
                _subtract_rates(joints, m, rows, contacts, start, columns, W)
                count = 0
    if count > 0:
        _solve(joints, m)
        _subtract_rates(joints, m, rows, contacts, start, columns[:count], W)


@kernel
def _clear(joints, m):
    """No right-hand sides of mechanism `m`."""
    pattern = joints.pattern
    for r in pattern.rows[pattern.mechanism_rows[m] : pattern.mechanism_rows[m + 1]]:
        _store(joints.factor.answers[0], r, (0.0, 0.0, 0.0, 0.0))


@kernel
def _push(joints, m, rows, c, r, column):
    """Rates `G M^-1 G_c^T` of the joints by row `r` of contact `c` as a right-hand side of mechanism `m`."""
    body, row, G, b = joints.table.body, joints.table.row, joints.rows.G, joints.factor.answers[0]
    for side in range(2):
        moved = rows.body[c, side]
        if joints.number[moved] != m:
            continue
        for e in range(joints.first[moved], joints.first[moved + 1]):
            j = joints.end[e, 0]
            for s in range(row[j], row[j + 1]):
                total = 0.0
                for other in range(body.shape[1]):
                    for end in range(2):
                        if body[j, other] == rows.body[c, end] and joints.number[body[j, other]] == m:
                            for d in range(6):
                                total += G[s, other, d] * rows.MG[r, end, d]
                b[s, column] = total


@kernel
def _subtract_rates(joints, m, rows, contacts, start, columns, W):
    """`W[i] -= G_c V` (n,) of the `contacts`, for the rows i of the `columns`, with their twists V."""
    twists = joints.factor.twists
    still = twists[-1]
    for k in range(contacts.shape[0]):
        c = contacts[k]
        a, b = rows.body[c, 0], rows.body[c, 1]
        at_a, at_b = joints.number[a] == m, joints.number[b] == m
        if at_a or at_b:
            A, B = twists[a] if at_a else still, twists[b] if at_b else still
            for j in range(start[k], start[k + 1]):
                total = _rates(rows.G[rows.row[c] + j - start[k]], A, B)
                for n in range(columns.shape[0]):
                    W[columns[n], j] -= total[n]


@kernel
def _clear_held(rows, contacts, start, W):
    """Clear rows and columns of W of which joints leave no more than rounding."""
    held = np.zeros(W.shape[0], np.bool_)
    for k in range(contacts.shape[0]):
        for i in range(start[k], start[k + 1]):
            free = 0.0
            r = rows.row[contacts[k]] + i - start[k]
            for side in range(2):
                for d in range(6):
                    free += rows.G[r, side, d] * rows.MG[r, side, d]
            held[i] = W[i, i] <= HELD * free
    for i in range(W.shape[0]):
        for j in range(W.shape[0]):
            if held[i] or held[j]:
                W[i, j] = 0.0
