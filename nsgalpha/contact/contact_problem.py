"""The contact problem as a separate object, without a model behind it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import floats, integer, integers, named_methods, truth
from nsgalpha.contact import friction_cone
from nsgalpha.contact.delassus_interface import Cones
from nsgalpha.contact.multiplier_sets import FREE, HALF_LINE, INTERVAL, Sets
from nsgalpha.contact.problem_arguments import (
    Matrix,
    check_semidefinite,
    checked_matrix,
    checked_symmetric,
    checked_vector,
    inverse_of_mass,
)

UNIT = np.finfo(float).eps / 2  # roundoff
MOST_BOUNDED = 3  # rows of a bound
HUGE = 1e280  # entries of W and q beyond which, or below whose inverse, nothing is calculated


@named_methods
class ContactProblem:
    """Find `r` and `u = W r + q` that fulfil unilateral contact with friction, contact by contact:

        0 <= u_N   orthogonal to   r_N >= 0
        |r_T| <= mu r_N,    r_T = -mu r_N u_T/|u_T| when u_T is not zero;  likewise rolling and drilling

    Rows of a contact, in this order: normal, sliding (2, or 1 in a planar problem), rolling (2) if
    `rolling_radius` is given, drilling (1) if `drilling_radius` is given: 2, 3, 5, 4 or 6 rows. Behind the
    contacts' rows there may be those of joints, and then those of motors or friction that no contact presses:

        bilateral    u = 0,    r takes any value; rows may be redundant
        bounded      |r| <= bound,    r = -bound u/|u| when u is not zero;  1 to 3 rows each

    Args:
        W: (n, n) Delassus operator, positive semidefinite; an array or a SciPy sparse matrix. An asymmetry
            up to 1e-2 of its diagonal, as programs record it, is kept.
        q: (n,) rates without impulses [m/s].
        mu: (K,) friction coefficients, >= 0.
        rolling_radius: (K,) [m], >= 0; for rows of torques [N m s] and spins [rad/s].
        drilling_radius: (K,) [m], >= 0.
        bilateral: number of bilateral rows.
        bounds: (J,) largest impulses of the bounded rows, >= 0.
        bound_rows: (J,) number of rows of each bound, by default 1.
        symmetrise: take `(W + W^T)/2` in place of W.

    Attributes:
        contacts: K.
        rows: of a contact.
        bilateral: number of bilateral rows.
        asymmetry: of the W given, largest `|W_ij - W_ji| / sqrt(W_ii W_jj)`.
        symmetrised: True if that was taken away.

    Raises:
        ValueError: a shape, a value, an unsymmetric or an indefinite W; the message names it.

    >>> problem = ContactProblem(W=np.eye(3), q=[-1.0, 0.5, 0.0], mu=[0.2])
    >>> problem.contacts, problem.rows
    (1, 3)
    """

    def __init__(
        self,
        W: Matrix,
        q: ArrayLike,
        mu: ArrayLike,
        rolling_radius: ArrayLike | None = None,
        drilling_radius: ArrayLike | None = None,
        *,
        bilateral: int = 0,
        bounds: ArrayLike = (),
        bound_rows: ArrayLike | None = None,
        symmetrise: bool = False,
    ) -> None:
        self.q = checked_vector("q", q)
        self.mu = checked_vector("mu", mu)
        self.contacts = len(self.mu)
        self.bilateral = integer("bilateral", bilateral, 0)
        self.bounds = checked_vector("bounds", bounds)
        self._check_not_negative("bounds", self.bounds)
        self.bound_rows = _checked_bound_rows(bound_rows, len(self.bounds))
        self.rolling_radius = self._radius("rolling_radius", rolling_radius)
        self.drilling_radius = self._radius("drilling_radius", drilling_radius)
        self._check_not_negative("mu", self.mu)
        torques = 2 * (self.rolling_radius is not None) + (self.drilling_radius is not None)
        others = self.bilateral + int(self.bound_rows.sum())
        self.rows = _count_rows("q", len(self.q), self.contacts, torques, others)
        W = checked_matrix("W", W, (len(self.q), len(self.q)), "of q")
        self.W, self.asymmetry = checked_symmetric("W", W, truth("symmetrise", symmetrise))
        self.symmetrised = symmetrise and self.asymmetry > 0.0
        check_semidefinite(self.W)

    @classmethod
    def from_global(
        cls,
        M: Matrix,
        H: Matrix,
        f: ArrayLike,
        w: ArrayLike,
        mu: ArrayLike,
        rolling_radius: ArrayLike | None = None,
        drilling_radius: ArrayLike | None = None,
        *,
        G: Matrix | None = None,
        b: ArrayLike | None = None,
        symmetrise: bool = False,
    ) -> ContactProblem:
        """The problem `M v = H r + f`, `u = H^T v + w`:  `W = H^T M^-1 H`, `q = H^T M^-1 f + w`.

        With joints `M v = H r + G l + f`, `G^T v + b = 0`, whose rows become the bilateral ones.

        Args:
            M: (m, m) mass matrix, symmetric and positive definite, best block diagonal.
            H: (m, n) directions of the impulses.
            f: (m,) momentum without impulses.
            w: (n,) rates at rest.
            mu: as for `ContactProblem`, and the radii too.
            rolling_radius: (K,) [m].
            drilling_radius: (K,) [m].
            G: (m, p) directions of the impulses `l` of joints.
            b: (p,) rates of these rows at rest.
            symmetrise: take `(M + M^T)/2` in place of M; `asymmetry` is then that of M.

        Raises ValueError as `ContactProblem`, and if M is singular or not positive definite, or if W would
        have more than 1e7 entries.
        """
        f, w = checked_vector("f", f), checked_vector("w", w)
        if rolling_radius is not None:
            rolling_radius = checked_vector("rolling_radius", rolling_radius)
        if drilling_radius is not None:
            drilling_radius = checked_vector("drilling_radius", drilling_radius)
        torques = 2 * (rolling_radius is not None) + (drilling_radius is not None)
        contacts = len(checked_vector("mu", mu))
        rows = _count_rows("w", len(w), contacts, torques, 0)
        H = checked_matrix("H", H, (len(f), len(w)), "of f and w")
        if (G is None) != (b is None):
            raise ValueError("G, b: the one is given without the other")
        if G is not None and b is not None:
            b = checked_vector("b", b)
            G = checked_matrix("G", G, (len(f), len(b)), "of f and b")
            H, w = sparse.csr_array(sparse.hstack([H, G])), np.concatenate([w, b])
        M, asymmetry = checked_symmetric(
            "M", checked_matrix("M", M, (len(f), len(f)), "of f"), truth("symmetrise", symmetrise)
        )
        inverse = inverse_of_mass(M, H, rows, contacts)
        q, bilateral = H.T @ (inverse @ f) + w, len(w) - rows * contacts
        laws = mu, rolling_radius, drilling_radius
        problem = cls(H.T @ inverse @ H, q, *laws, bilateral=bilateral, symmetrise=symmetrise)
        if symmetrise:
            problem.asymmetry, problem.symmetrised = asymmetry, asymmetry > 0.0
        return problem

    def velocities(self, r: ArrayLike) -> Floats:
        """Rates `u = W r + q` (n,) at the impulses `r` (n,) or (K, rows)."""
        r = self._impulses(r)
        return self.W @ r + self.q

    @cached_property
    def cones(self) -> Cones:
        """Sets of all rows, and offsets (B + 1,) of those of the blocks: contacts, joints, bounds."""
        count, each = self.contacts, 1 + len(self._balls)
        first = np.arange(count) * self.rows
        size, parent = np.empty((count, each), np.int64), np.empty((count, each), np.int64)
        radius = np.zeros((count, each))
        size[:, 0], parent[:, 0] = 1, HALF_LINE
        for k, (_, rows, bound) in enumerate(self._balls, start=1):
            size[:, k], parent[:, k], radius[:, k] = rows, first, bound
        joints = self._joint_rows()
        sizes = np.concatenate([size.ravel(), joints, self.bound_rows])
        kinds = np.repeat([FREE, INTERVAL], [len(joints), len(self.bounds)])
        parents = np.concatenate([parent.ravel(), kinds])
        radii = np.concatenate([radius.ravel(), np.zeros(len(joints)), self.bounds])
        sets = Sets(np.cumsum(sizes) - sizes, sizes, parents, radii, np.ones(len(sizes)))
        block = np.concatenate([np.arange(count) * each, np.arange(count * each, len(sizes) + 1)])
        return sets, block

    @cached_property
    def block_rows(self) -> Ints:
        """Number of rows of each block (B,)."""
        sets, block = self.cones
        return np.diff(np.r_[sets.row, len(self.q)][block])

    def _joint_rows(self) -> Ints:
        """Numbers of adjacent bilateral rows that couple with the same rows, as a joint's."""
        W, sizes = self.W, [0]
        for i in range(self.rows * self.contacts, self.rows * self.contacts + self.bilateral):
            here, before = (W.indices[W.indptr[j] : W.indptr[j + 1]] for j in (i, i - 1))
            if sizes[-1] in (0, friction_cone.MOST_ROWS) or not np.array_equal(here, before):
                sizes.append(0)
            sizes[-1] += 1
        return np.array(sizes[1:], np.int64)

    @cached_property
    def scale(self) -> Floats:
        """`d` (n,): root of the mean diagonal of W over each set's rows (docs/theory.md, 3).

        The problem in `d r`, `u/d`, `q/d` has an operator of unit diagonal and does not depend on units. Sets
        without mobility take the mean of those of other contacts.
        """
        diagonal = self.W.diagonal()
        d = np.ones_like(diagonal)
        usual = 1.0
        for rows in self._alike():
            root = np.sqrt((diagonal[rows] / rows.shape[1]).sum(axis=1))
            usual = float(root[root > 0.0].mean()) if root.any() else usual
            d[rows] = np.where(root > 0.0, root, usual)[:, None]
        return d

    def _alike(self) -> list[Ints]:
        """Rows (count, size) of the sets of each kind; bilateral ones apart (multiplier_sets.py)."""
        first = self.rows * np.arange(self.contacts)[:, None]
        kinds = [first, *(first + start + np.arange(size) for start, size, _ in self._balls)]
        start = self.rows * self.contacts
        kinds.append(start + np.arange(self.bilateral)[:, None])
        bounded = start + self.bilateral + np.cumsum(self.bound_rows) - self.bound_rows
        return kinds + [bounded[self.bound_rows == n][:, None] + np.arange(n) for n in (1, 2, 3)]

    def natural_map(self, r: ArrayLike) -> Floats:
        """`F = r^ - P(r^ - u^ - s e_N)` (n,) over |q^| at impulses `r` (n,) or (K, rows).

        This is (28) of docs/theory.md for the scaled problem, `r^ = d r`, `u^ = u/d`, `q^ = q/d` with
        d = `scale`. P projects on the cones `|r^_i| <= rho_i r^_N` of the balls i of each contact, and
        `s = sum rho_i |u^_i|`. Not a number where W or q are too large or too small for that.
        """
        r, (sets, block) = self._impulses(r), self.cones
        shifted, projected = np.empty_like(self.q), np.empty_like(self.q)
        with np.errstate(over="ignore", invalid="ignore"):
            unit = self._length_of_data(r)
            over = np.where(sets.parent >= 0, self.scale[np.maximum(sets.parent, 0)], unit)
            sets = sets._replace(radius=sets.radius * (self.scale[sets.row] / over))
            scaled = r * self.scale / unit
            friction_cone.shift(sets, block, self.velocities(r) / self.scale / unit, shifted)
            friction_cone.project(sets, block, scaled - shifted, projected)
            return scaled - projected

    def residual(self, r: ArrayLike) -> float:
        """Euclidean norm of `natural_map`: 0 at solutions and nowhere else, and the same in all units."""
        return float(np.linalg.norm(self.natural_map(r)))

    def rounding(self, r: ArrayLike) -> float:
        """Bound of the error that rounding makes in `residual(r)`.

        With the unit roundoff e, and k_i entries in row i of W, storing W and q and adding up make an error
        of at most

            E_i = (k_i + 4) e (|W| |r| + |q|)_i / d_i

        in `u^` (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). The projection is
        nonexpansive, and the shift carries the errors of the balls to the normal row: contact by contact

            |dF| |q^| <= |E'| + sum rho_i |E'_i| + 10 e |r^|,     E' = E + 10 e (|W| |r| + |q|) / d

        where the terms in 10 e are the arithmetic of the map itself. Rows without a shift have the first and
        the last term, row by row.
        """
        r, last, shape = self._impulses(r), self.contacts * self.rows, (self.contacts, self.rows)
        with np.errstate(over="ignore", invalid="ignore"):
            unit = self._length_of_data(r)
            size = (abs(self.W) @ np.abs(r) + np.abs(self.q)) / self.scale / unit
            all_errors = UNIT * (np.diff(self.W.indptr) + 14.0) * size
            scaled = r * self.scale / unit
            error, d = all_errors[:last].reshape(shape), self.scale[:last].reshape(shape)
            total = _norms(error) + 10.0 * UNIT * _norms(scaled[:last].reshape(shape))
            for first, width, radius in self._balls:
                total += radius * d[:, first] / d[:, 0] * _norms(error[:, first : first + width])
            others = all_errors[last:] + 10.0 * UNIT * np.abs(scaled[last:])
            return float(np.linalg.norm(np.concatenate([total, others])))

    def _length_of_data(self, r: Floats) -> float:
        """`|q^|`, or `|r^|` where there is no rate; not a number where squares or products might overflow."""
        data = self.q / self.scale if self.q.any() else r * self.scale
        largest = float(np.abs(data).max(initial=0.0))
        if largest == 0.0 and not self.q.any():
            return 1.0
        speed = float(np.abs(self.q).max()) or largest
        sizes = largest, speed, float(self.scale.min()) ** 2, float(self.scale.max()) ** 2
        if not all(1.0 / HUGE <= size <= HUGE for size in sizes):
            return np.nan
        return largest * float(np.linalg.norm(data / largest))

    @cached_property
    def _balls(self) -> list[tuple[int, int, Floats]]:
        """First row, number of rows and radii (K,) of the balls of sliding, rolling, drilling."""
        balls = [(1, min(2, self.rows - 1), self.mu)]
        if self.rolling_radius is not None:
            balls.append((3, 2, self.rolling_radius))
        if self.drilling_radius is not None:
            balls.append((self.rows - 1, 1, self.drilling_radius))
        return balls

    def _impulses(self, r: ArrayLike) -> Floats:
        """`r` (n,) or, where all rows are contacts', (K, rows) as (n,)."""
        array = floats("r", r, "impulses")
        shapes = self.shapes
        if array.shape not in shapes:
            raise ValueError(f"r: has shape {array.shape}, must be {' or '.join(map(str, shapes))}")
        return array.ravel()

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes that impulses may have."""
        shape = self.contacts, self.rows
        return [self.q.shape] + [shape] * (shape[0] * shape[1] == len(self.q))

    def _radius(self, name: str, value: ArrayLike | None) -> Floats | None:
        if value is None:
            return None
        radius = checked_vector(name, value)
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


def _count_rows(name: str, length: int, contacts: int, torques: int, others: int) -> int:
    """Rows of a contact: vector `length`, `torques` rows, `others` bilateral or bounded."""
    allowed = [3 + torques] if torques else [2, 3]
    for rows in allowed:
        if length == rows * contacts + others:
            return rows
    expected = " or ".join(str(rows * contacts + others) for rows in allowed)
    behind = f", and {others} of bilateral and bounds (bound_rows)" if others else ""
    raise ValueError(
        f"{name}: has {length} entries, must have {expected}: {' or '.join(map(str, allowed))} rows for each "
        f"of the {contacts} contacts of mu with the radii given (rolling_radius, drilling_radius){behind}"
    )


def _checked_bound_rows(value: ArrayLike | None, count: int) -> Ints:
    """Number of rows of each of `count` bounds, or ValueError."""
    if value is None:
        return np.ones(count, np.int64)
    rows = integers("bound_rows", value, "integers")
    if rows.shape != (count,):
        raise ValueError(f"bound_rows: has shape {rows.shape}, must be ({count},) as bounds")
    if count and not (rows.min() >= 1 and rows.max() <= MOST_BOUNDED):
        raise ValueError(f"bound_rows = {rows.tolist()}: must be 1 to {MOST_BOUNDED}")
    return rows


def _norms(values: Floats) -> Floats:
    """Euclidean norms of rows."""
    norms: Floats = np.linalg.norm(values, axis=1)
    return norms
