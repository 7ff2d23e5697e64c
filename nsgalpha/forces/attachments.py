"""Attachments: velocities of a contact point from those of its carriers, and wrenches on these.

A rigid side has one slot, the frame that carries it; one that deforms has a slot for every corner. With the
velocities V (6,) of the slots the sides move in the contact point p by

    (c, w) = sum B V,      rigid:     c = v + w x (p - x),
                           deforms:   c = sum w_k v_k + w x (p - y),   y = sum w_k x_k

A side that deforms turns as its corners do in the mean,

    w = J^-1 sum r_k x v_k,   J = sum |r_k|^2 - r_k r_k^T,   r_k = x_k - mean x,

which for two corners leaves out the spin about their axis. By duality B^T takes force and couple (F, M) to
the slots: w_k F + (J^-1 M') x r_k, M' = M + (p - y) x F, the lever rule with its torque; without the torque w
is zero. B of side B has the other sign, so that (c, w) are those of A relative to B. Triangles under pressure
on a patch: see patch_contacts.py.
"""

from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.forces.contact_frames import initial, put, transported, world
from nsgalpha.geometry.vector_triples import cross, dot, plus, row, store
from nsgalpha.jit.decorators import kernel

FORCE, TORQUE, PATCH, THIRDS = range(4)  # forces on deforming sides; the last two: of pressure on patches


class Corners(NamedTuple):
    """One side of a contact: its corners and its slots."""

    X: Floats  # (N, 3)
    many: int  # corners that there are
    rigid: bool
    weight: Floats  # (N,) of the contact point among the corners
    centre: Floats  # (S, 3) of the slots
    sign: float  # 1 for A, -1 for B


class Before(NamedTuple):
    """Contacts at the start of the step."""

    normal: Floats  # (C, 3)
    tangent: Floats  # (C, 3) t1, zero for a new contact
    B: Floats  # (C, S, 6, 6)


class LocalMotion(NamedTuple):
    """Frames of contacts, and the motion of A relative to B in them."""

    E: Floats  # (C, 3, 3)
    rate: Floats  # (C, 6)
    increment: Floats  # (C, 6)


@kernel
def _cross_matrix(a, out):
    """`out` (3, 3) with `out b = a x b`."""
    out[0, 0] = out[1, 1] = out[2, 2] = 0.0
    out[0, 1], out[0, 2], out[1, 2] = -a[2], a[1], -a[0]
    out[1, 0], out[2, 0], out[2, 1] = a[2], -a[1], a[0]


@kernel
def _spin(X, n, r, inverse):
    """Corners `r` (n, 3) from their mean, and inverse of J (two: normal to their axis)."""
    for i in range(3):
        mean = 0.0
        for k in range(n):
            mean += X[k, i] / n
        for k in range(n):
            r[k, i] = X[k, i] - mean
    for i in range(3):
        for j in range(3):
            inverse[i, j] = 0.0
    if n == 1:
        return
    square = 0.0
    for k in range(n):
        for i in range(3):
            square += r[k, i] * r[k, i]
    if n == 2:
        # J^-1 = (1 - t t^T)/square, with the axis t = r_1/|r_1|
        for i in range(3):
            for j in range(3):
                inverse[i, j] = -2.0 * r[1, i] * r[1, j] / (square * square)
            inverse[i, i] += 1.0 / square
        return
    J = np.zeros((3, 3))
    for i in range(3):
        J[i, i] = square
        for j in range(3):
            for k in range(n):
                J[i, j] -= r[k, i] * r[k, j]
    det = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        det += J[0, i] * (J[1, j] * J[2, k] - J[1, k] * J[2, j])
    for i in range(3):
        for j in range(3):
            a, b, c, d = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
            inverse[j, i] = (J[a, c] * J[b, d] - J[a, d] * J[b, c]) / det


@kernel
def projected_gradients(X, n, g):
    """Gradients `g` (3, 3) of the barycentric coordinates in the projection of a triangle `X` along `n`.

    Returns the normal of the triangle, twice its area long.
    """
    N = cross(plus(row(X, 1), -1.0, row(X, 0)), plus(row(X, 2), -1.0, row(X, 0)))
    for k in range(3):
        along = cross(n, plus(row(X, (k + 2) % 3), -1.0, row(X, (k + 1) % 3)))
        store(plus((0.0, 0.0, 0.0), 1.0 / dot(N, n), along), g, k, 0)
    return N


@kernel
def barycentric(g, X, y, k):
    """Coordinate `k` of the point `y` in the projection of a triangle `X` with the gradients `g`."""
    third = 1.0 / 3.0
    mean = plus(plus(plus((0.0, 0.0, 0.0), third, row(X, 0)), third, row(X, 1)), third, row(X, 2))
    return third + dot(row(g, k), plus(y, -1.0, mean))


@kernel
def patch_rows(X, sign, weight, thirds, normal, point, g, B):
    """`B` (3, 6, 6) of a triangle that deforms, see patch_contacts.py; `g` (3, 3) is overwritten."""
    n, p, y = (normal[0], normal[1], normal[2]), (point[0], point[1], point[2]), (0.0, 0.0, 0.0)
    projected_gradients(X, n, g)
    for k in range(3):
        y = plus(y, 1.0 / 3.0 if thirds else weight[k], row(X, k))
    height = dot(plus(p, -1.0, y), n)
    for k in range(3):
        share, turn = 1.0 / 3.0 if thirds else weight[k], cross(row(g, k), n)
        pushed = barycentric(g, X, p, k) - share
        for i in range(3):
            for j in range(3):
                B[k, i, j] = sign * ((pushed * n[i] - height * g[k, i]) * n[j] + (share if i == j else 0.0))
                B[k, 3 + i, j] = sign * turn[i] * n[j]


@kernel
def _rows(side, nodal, normal, point, r, inverse, B):
    """`B` (S, 6, 6) of one side with its `Corners`."""
    X, n, rigid, weight, centre, sign = side
    arm = np.empty(3)
    lever = np.empty((3, 3))
    for s in range(B.shape[0]):
        for i in range(6):
            for j in range(6):
                B[s, i, j] = 0.0
    if rigid:
        for i in range(3):
            arm[i] = point[i] - centre[0, i]
        _cross_matrix(arm, lever)
        for i in range(3):
            B[0, i, i] = B[0, 3 + i, 3 + i] = sign
            for j in range(3):
                B[0, i, 3 + j] = -sign * lever[i, j]
        return
    if nodal >= PATCH and n == 3:
        patch_rows(X, sign, weight, nodal == THIRDS, normal, point, r, B)
        return
    for k in range(n):
        for i in range(3):
            B[k, i, i] = sign * weight[k]
    if nodal == FORCE:
        return
    _spin(X, n, r, inverse)
    for i in range(3):
        arm[i] = point[i]
        for k in range(n):
            arm[i] -= weight[k] * X[k, i]
    _cross_matrix(arm, lever)
    turn = np.empty((3, 3))
    for k in range(n):
        _cross_matrix(r[k], turn)
        for i in range(3):
            for j in range(3):
                for m in range(3):
                    B[k, 3 + i, j] += sign * inverse[i, m] * turn[m, j]
        for i in range(3):
            for j in range(3):
                for m in range(3):
                    B[k, i, j] -= lever[i, m] * B[k, 3 + m, j]


@kernel
def slot_rows(XA, XB, sides, first, nodal, measured, centre, B):
    """`B` (C, S, 6, 6) of contacts with the corners `XA`, `XB` (C, N, 3) and slots in `centre` (C, S, 3).

    `sides` (C, 4): numbers of corners and whether rigid, of A and B; slots from `first` on are those of B.
    `nodal`: FORCE, TORQUE, PATCH, THIRDS.
    """
    r = np.empty((max(XA.shape[1], XB.shape[1]), 3))
    inverse = np.empty((3, 3))
    for c in range(B.shape[0]):
        point, normal = measured.point[c], measured.normal[c]
        for side in range(2):
            n, rigid = sides[c, 2 * side], sides[c, 2 * side + 1] == 1
            X = XA[c] if side == 0 else XB[c]
            weight = measured.weight_a[c] if side == 0 else measured.weight_b[c]
            begin, end = (0, first) if side == 0 else (first, B.shape[1])
            corners = Corners(X, n, rigid, weight, centre[c, begin:end], 1.0 - 2.0 * side)
            _rows(corners, nodal, normal, point, r, inverse, B[c, begin:end])


@kernel
def _moved(B, V, out):
    """`out` (6,): the sum of `B V` over the slots."""
    for i in range(6):
        out[i] = 0.0
        for s in range(B.shape[0]):
            for j in range(6):
                out[i] += B[s, i, j] * V[s, j]


@kernel
def _add_local(E, y, factor, out):
    """`out += factor` times the six local components of (c, w) = `y` in the frame `E`."""
    for axis in range(3):
        turning = 3 + (axis + 2) % 3
        for i in range(3):
            out[axis] += factor * E[axis, i] * y[i]
            out[turning] += factor * E[axis, i] * y[3 + i]


@kernel
def local_motion(before, n, B, first, V, D, local):
    """Fill the `LocalMotion` of contacts.

    `before` is the start of the step, `n`, `B` are its end. Slots from `first` on are those of side B. `V`,
    `D` (C, S, 6) are the velocities of the slots and their displacements over the step.
    """
    n0, known, B0 = before
    E, rate, increment = local
    E0 = np.empty((1, 3, 3))
    y = np.empty(6)
    both = np.empty(6)
    for c in range(n.shape[0]):
        before_step = initial(row(n0, c), row(known, c))
        put(before_step, E0, 0)
        _moved(B[c, :first], D[c, :first], both)
        _moved(B[c, first:], D[c, first:], y)
        phi = 0.0
        for i in range(3):
            phi += 0.25 * (n0[c, i] + n[c, i]) * (both[3 + i] - y[3 + i])  # B of side B has the other sign
        put(transported(before_step, row(n, c), phi), E, c)
        for i in range(6):
            rate[c, i] = increment[c, i] = 0.0
            both[i] += y[i]
        _add_local(E[c], both, 0.5, increment[c])
        _moved(B0[c], D[c], y)
        _add_local(E0[0], y, 0.5, increment[c])
        _moved(B[c], V[c], y)
        _add_local(E[c], y, 1.0, rate[c])


@kernel
def slot_wrenches(E, force, B, wrench):
    """`wrench` (C, S, 6) on the slots from the local forces `force` (C, 6)."""
    for c in range(force.shape[0]):
        F, M = world(E, force, c)
        for s in range(B.shape[1]):
            for j in range(6):
                wrench[c, s, j] = 0.0
                for i in range(3):
                    wrench[c, s, j] += B[c, s, i, j] * F[i] + B[c, s, 3 + i, j] * M[i]


@kernel
def add_slots(body, slots, wrench):
    """Add the wrenches `slots` (C, S, 6), or forces (C, S, 3), to the wrenches of the frames (B, 6)."""
    for c in range(body.shape[0]):
        for s in range(body.shape[1]):
            for i in range(slots.shape[2]):
                wrench[body[c, s], i] += slots[c, s, i]


@kernel
def add_blocks(blocks, place, body, indptr, values):
    """Add `blocks` (C, S, S, 6, 6) [row slot, column slot] to a sparse matrix, see tangent.fill."""
    for c in range(body.shape[0]):
        for column in range(body.shape[1]):
            for r in range(body.shape[1]):
                if place[c, r, column] < 0:
                    continue
                for j in range(6):
                    first = indptr[6 * body[c, column] + j] + 6 * place[c, r, column]
                    for i in range(6):
                        values[first + i] += blocks[c, r, column, i, j]


@kernel
def add_rates(E, B, by_rate, factor, blocks):
    """Add `factor G^T by_rate G`, G the rows of the local rates, to `blocks` (C, S, S, 6, 6)."""
    S = B.shape[1]
    G = np.empty((6, 6 * S))
    T = np.empty((6, 6 * S))
    for k in range(B.shape[0]):
        for s in range(S):
            for j in range(6):
                for axis in range(3):
                    force, couple = 0.0, 0.0
                    for i in range(3):
                        force += E[k, axis, i] * B[k, s, i, j]
                        couple += E[k, axis, i] * B[k, s, 3 + i, j]
                    G[axis, 6 * s + j], G[3 + (axis + 2) % 3, 6 * s + j] = force, couple
        for r in range(6):
            for column in range(6 * S):
                T[r, column] = 0.0
            for q in range(6):
                if by_rate[k, r, q] != 0.0:
                    for column in range(6 * S):
                        T[r, column] += factor * by_rate[k, r, q] * G[q, column]
        for r in range(6):
            for s in range(S):
                for i in range(6):
                    g = G[r, 6 * s + i]
                    if g != 0.0:
                        for t in range(S):
                            for j in range(6):
                                blocks[k, s, t, i, j] += g * T[r, 6 * t + j]


def local_rows(E: Floats, B: Floats) -> Floats:
    """Rows (C, 6, S, 6) of the local rates by the velocities of the slots."""
    G = np.empty((len(E), 6, B.shape[1], 6))
    G[:, :3] = np.einsum("cai,csij->casj", E, B[:, :, :3])
    G[:, [5, 3, 4]] = np.einsum("cai,csij->casj", E, B[:, :, 3:])
    return G
