"""The contact problem as an object of its own, without a model behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nsgalpha import linalg
from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import floats, refuse
from nsgalpha.contact import cone
from nsgalpha.contact.sets import HALF_LINE, Sets

INDEFINITE = 1e-6  # a negative eigenvalue of W beyond this part of its diagonal is no rounding
UNSYMMETRIC = 1e-2  # the same for its asymmetry


class ContactProblem:
    """Find `r` and `u = W r + q` that fulfil unilateral contact with friction, contact by contact:

        0 <= u_N   orthogonal to   r_N >= 0
        |r_T| <= mu r_N,    r_T = -mu r_N u_T/|u_T| when u_T is not zero;  likewise rolling and drilling

    Rows of a contact, in this order: normal, sliding (2, or 1 in a planar problem), rolling (2) if
    `rolling_radius` is given, drilling (1) if `drilling_radius` is given: 2, 3, 5, 4 or 6 rows.

    Args:
        W: (n, n) Delassus operator, positive semidefinite; an array or a SciPy sparse matrix. A small
            asymmetry, as programs record it, is kept.
        q: (n,) rates without impulses [m/s].
        mu: (K,) friction coefficients, >= 0.
        rolling_radius: (K,) [m], >= 0; for rows of torques [N m s] and spins [rad/s].
        drilling_radius: (K,) [m], >= 0.

    Raises:
        ValueError: a shape, a value or an indefinite W; the message names it.

    >>> problem = ContactProblem(W=np.eye(3), q=[-1.0, 0.5, 0.0], mu=[0.2])
    >>> problem.contacts, problem.rows
    (1, 3)
    """

    def __init__(
        self,
        W: ArrayLike | sparse.sparray | sparse.spmatrix,
        q: ArrayLike,
        mu: ArrayLike,
        rolling_radius: ArrayLike | None = None,
        drilling_radius: ArrayLike | None = None,
    ) -> None:
        self.q = _vector("q", q)
        self.mu = _vector("mu", mu)
        self.contacts = len(self.mu)
        self.rolling_radius = self._radius("rolling_radius", rolling_radius)
        self.drilling_radius = self._radius("drilling_radius", drilling_radius)
        self._check_not_negative("mu", self.mu)
        torques = 2 * (self.rolling_radius is not None) + (self.drilling_radius is not None)
        self.rows = _count_rows("q", len(self.q), self.contacts, torques)
        self.W = _matrix("W", W, (len(self.q), len(self.q)), "of q")
        _check_operator(self.W)

    @classmethod
    def from_global(
        cls,
        M: ArrayLike | sparse.sparray | sparse.spmatrix,
        H: ArrayLike | sparse.sparray | sparse.spmatrix,
        f: ArrayLike,
        w: ArrayLike,
        mu: ArrayLike,
        rolling_radius: ArrayLike | None = None,
        drilling_radius: ArrayLike | None = None,
    ) -> ContactProblem:
        """The problem `M v = H r + f`, `u = H^T v + w`:  `W = H^T M^-1 H`, `q = H^T M^-1 f + w`.

        Args:
            M: (m, m) mass matrix, symmetric and positive definite, best block diagonal.
            H: (m, n) directions of the impulses.
            f: (m,) momentum without impulses.
            w: (n,) rates at rest.
            mu: as for `ContactProblem`, and the radii too.
            rolling_radius: (K,) [m].
            drilling_radius: (K,) [m].

        Raises ValueError as `ContactProblem`, and if M is singular or not positive definite.
        """
        f, w = _vector("f", f), _vector("w", w)
        if rolling_radius is not None:
            rolling_radius = _vector("rolling_radius", rolling_radius)
        if drilling_radius is not None:
            drilling_radius = _vector("drilling_radius", drilling_radius)
        torques = 2 * (rolling_radius is not None) + (drilling_radius is not None)
        _count_rows("w", len(w), len(_vector("mu", mu)), torques)
        M = _matrix("M", M, (len(f), len(f)), "of f")
        H = _matrix("H", H, (len(f), len(w)), "of f and w")
        _check_symmetric("M", M, M)
        inverse = _inverse(M)
        W = H.T @ inverse @ H
        return cls(W, H.T @ (inverse @ f) + w, mu, rolling_radius, drilling_radius)

    def velocities(self, r: ArrayLike) -> Floats:
        """Rates `u = W r + q` (n,) at the impulses `r` (n,) or (K, rows)."""
        r = self._impulses(r)
        return self.W @ r + self.q

    def sets(self, contacts: Ints | None = None) -> tuple[Sets, Ints]:
        """Sets of `contacts` (all by default) and the offsets of each contact's sets (K + 1,)."""
        contacts = np.arange(self.contacts) if contacts is None else contacts
        sliding = min(2, self.rows - 1)
        balls = [(1, sliding, self.mu)]
        if self.rolling_radius is not None:
            balls.append((3, 2, self.rolling_radius))
        if self.drilling_radius is not None:
            balls.append((self.rows - 1, 1, self.drilling_radius))
        count, each = len(contacts), 1 + len(balls)
        first = np.arange(count) * self.rows
        row, size = np.empty((count, each), np.int64), np.empty((count, each), np.int64)
        parent, radius = np.empty((count, each), np.int64), np.zeros((count, each))
        row[:, 0], size[:, 0], parent[:, 0] = first, 1, HALF_LINE
        for k, (offset, rows, bound) in enumerate(balls, start=1):
            row[:, k], size[:, k], parent[:, k], radius[:, k] = first + offset, rows, first, bound[contacts]
        sets = Sets(row.ravel(), size.ravel(), parent.ravel(), radius.ravel())
        return sets, np.arange(0, (count + 1) * each, each)

    def natural_map(self, r: ArrayLike) -> Floats:
        """`r - P(r - u - s e_N)` (n,), with P the projection on the cones and `s = sum rho_i |u_i|`.

        Each contact's cone is `|r_i| <= rho_i r_N` for its balls i; see cone.py.
        """
        r, cones = self._impulses(r), self.sets()
        shifted, projected = np.empty_like(self.q), np.empty_like(self.q)
        cone.shift(*cones, self.velocities(r), shifted)
        cone.project(*cones, r - shifted, projected)
        return r - projected

    def residual(self, r: ArrayLike) -> float:
        """Euclidean norm of the natural map over that of `q`, at impulses `r` (n,) or (K, rows)."""
        size = float(np.linalg.norm(self.natural_map(r)))
        scale = float(np.linalg.norm(self.q))
        return size / scale if scale > 0.0 else size

    def _impulses(self, r: ArrayLike) -> Floats:
        """`r` (n,) or (K, rows) as (n,)."""
        array = floats("r", r, "impulses")
        shapes = self.q.shape, (self.contacts, self.rows)
        if array.shape not in shapes:
            raise ValueError(f"r: has shape {array.shape}, must be {shapes[0]} or {shapes[1]}")
        return array.ravel()

    def _radius(self, name: str, value: ArrayLike | None) -> Floats | None:
        if value is None:
            return None
        radius = _vector(name, value)
        if len(radius) != self.contacts:
            allowed = f"must have one per contact, {self.contacts} as mu says"
            raise ValueError(f"{name}: has {len(radius)} entries, {allowed}")
        self._check_not_negative(name, radius)
        return radius

    @staticmethod
    def _check_not_negative(name: str, values: Floats) -> None:
        if (values < 0.0).any():
            k = int(np.argmax(values < 0.0))
            raise ValueError(f"{name}[{k}] = {values[k]:g}: must be >= 0")


def _count_rows(name: str, length: int, contacts: int, torques: int) -> int:
    """Rows of a contact, `torques` of them of rolling and drilling, where the vector has `length` entries."""
    allowed = [3 + torques] if torques else [2, 3]
    for rows in allowed:
        if length == rows * contacts:
            return rows
    expected = " or ".join(str(rows * contacts) for rows in allowed)
    raise ValueError(
        f"{name}: has {length} entries, must have {expected}: {' or '.join(map(str, allowed))} rows for "
        f"each of the {contacts} contacts of mu with the radii given (rolling_radius, drilling_radius)"
    )


def _vector(name: str, value: ArrayLike) -> Floats:
    vector = floats(name, value, "a vector of numbers")
    if vector.ndim != 1:
        raise ValueError(f"{name}: has shape {vector.shape}, must be a vector")
    _check_finite(name, vector)
    return vector


def _matrix(
    name: str, value: ArrayLike | sparse.sparray | sparse.spmatrix, shape: tuple[int, int], of: str
) -> sparse.csr_array:
    """`value` as a matrix of the `shape`, the length of the vectors `of` the problem, or a ValueError."""
    given: Any = value if sparse.issparse(value) else floats(name, value, "a matrix of numbers")
    if given.dtype.kind not in "iuf":
        raise refuse(name, value, "a matrix of numbers")
    if given.shape != shape:
        raise ValueError(f"{name}: has shape {given.shape}, must be {shape}, the length {of}")
    matrix = sparse.csr_array(given, dtype=float)
    _check_finite(name, matrix.data)
    matrix.sum_duplicates()
    return matrix


def _check_finite(name: str, values: Floats) -> None:
    if not np.isfinite(values).all():
        k = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name}: entry {k} is {values[k]}, must be finite")


def _check_operator(W: sparse.csr_array) -> None:
    """Raise ValueError unless W is symmetric and positive semidefinite, but for what rounding explains."""
    diagonal = W.diagonal()
    if (diagonal < 0.0).any():
        k = int(np.argmax(diagonal < 0.0))
        raise ValueError(f"W[{k}, {k}] = {diagonal[k]:g}: W must be positive semidefinite")
    size = np.sqrt(np.where(diagonal > 0.0, diagonal, diagonal.max(initial=0.0) or 1.0))
    scaled = sparse.diags_array(1.0 / size) @ W @ sparse.diags_array(1.0 / size)
    _check_symmetric("W", W, scaled)
    shifted = sparse.csc_array(0.5 * (scaled + scaled.T) + INDEFINITE * sparse.eye_array(len(size)))
    shifted.sum_duplicates()
    try:
        if len(size):
            linalg.analyse(shifted, kind="spd").factorise(shifted)
    except linalg.SingularMatrixError:
        raise ValueError(
            "W: has a negative eigenvalue; it must be positive semidefinite, as W = H^T M^-1 H is"
        ) from None


def _check_symmetric(name: str, matrix: sparse.csr_array, scaled: sparse.csr_array) -> None:
    """Raise ValueError unless the entries of `scaled` agree across the diagonal; name those of `matrix`."""
    difference = abs(scaled - scaled.T).tocoo()
    if difference.nnz and difference.max() > UNSYMMETRIC * abs(scaled.diagonal()).max(initial=0.0):
        k = int(difference.data.argmax())
        (i, j), at = sorted((int(difference.row[k]), int(difference.col[k]))), matrix
        raise ValueError(
            f"{name}[{i}, {j}] = {at[i, j]:g}, {name}[{j}, {i}] = {at[j, i]:g}: {name} must be symmetric"
        )


def _inverse(M: sparse.csr_array) -> sparse.csr_array:
    """Inverse of a mass matrix, body by body: each connected part is inverted dense."""
    count, label = connected_components(M, directed=False)
    inverse = sparse.lil_array(M.shape)
    order = np.argsort(label, kind="stable")
    for part in np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1]):
        block = M[part][:, part].toarray()
        try:
            np.linalg.cholesky(0.5 * (block + block.T))
        except np.linalg.LinAlgError:
            raise ValueError(
                f"M: the part with the rows {part[:6].tolist()} is not positive definite"
            ) from None
        inverse[np.ix_(part, part)] = np.linalg.inv(block)
    return inverse.tocsr()
