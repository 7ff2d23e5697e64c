"""Spheres and planes for the event-driven reference: data, gaps and rows, in plain numpy.

Nothing here comes from nsgalpha. Candidates are numbered: all pairs of balls (a < b), then every ball with
every plane. A contact has the unit normal n from b to a and the velocity of the contact point of a against
that of b,

    u = v_a - v_b - (r_a w_a + r_b w_b) x n    (b at rest for a plane),

so that its rows are n.u and t_1.u, t_2.u. Spheres are isotropic: rotations need not be followed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Floats = np.ndarray


@dataclass(frozen=True, slots=True)
class Law:
    """Friction and restitution of a kind of contact."""

    mu: float = 0.0
    e: float = 0.0


@dataclass(frozen=True, slots=True)
class Plane:
    """The plane `normal`.x = `offset` [m]; balls are on the side of the unit `normal`."""

    normal: tuple[float, float, float]
    offset: float
    law: Law


@dataclass(frozen=True, slots=True)
class String:
    """A linear spring of `stiffness` [N/m] and `length` [m] at rest from `ball` to a fixed `anchor` [m]."""

    ball: int
    anchor: tuple[float, float, float]
    stiffness: float
    length: float


@dataclass(frozen=True, slots=True)
class State:
    """Time [s], positions [m], velocities [m/s] and spins [rad/s] of the balls, each (N, 3)."""

    t: float
    x: Floats
    v: Floats
    w: Floats


@dataclass(frozen=True, slots=True)
class Scene:
    """Equal laws between balls, one for each plane.

    gravity: (3,) [m/s^2]; force: (N, 3) [N] constant; restoring: (3,) [1/s^2], an acceleration
    -restoring * (x - home) towards the places at rest `home` (N, 3) [m].
    """

    radius: Floats
    mass: Floats
    inertia: Floats
    position: Floats
    velocity: Floats
    spin: Floats
    balls: Law = Law()
    planes: Sequence[Plane] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    force: Floats | None = None
    strings: Sequence[String] = ()
    restoring: tuple[float, float, float] = (0.0, 0.0, 0.0)
    home: Floats | None = None
    _pairs: Floats = field(init=False, repr=False)
    _strings: tuple[Floats, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        count = len(self.radius)
        a, b = np.triu_indices(count, 1)
        object.__setattr__(self, "_pairs", np.stack([a, b], axis=1))
        columns = [(each.ball, each.anchor, each.stiffness, each.length) for each in self.strings]
        object.__setattr__(self, "_strings", tuple(map(np.array, zip(*columns, strict=True))))

    @property
    def count(self) -> int:
        """Number of balls."""
        return len(self.radius)

    @property
    def start(self) -> State:
        """The state at t = 0."""
        return State(0.0, self.position.copy(), self.velocity.copy(), self.spin.copy())

    def but(self, **changes: Any) -> "Scene":
        """A copy with other values."""
        return replace(self, **changes)

    def applied(self, x: Floats) -> Floats:
        """Forces (N, 3) [N] of gravity, loads and strings on balls at `x` (N, 3)."""
        total = self.mass[:, None] * np.array(self.gravity)
        if self.force is not None:
            total = total + self.force
        if self.home is not None:
            total = total - self.mass[:, None] * np.array(self.restoring) * (x - self.home)
        if self.strings:
            ball, anchor, stiffness, rest = self._strings
            d = x[ball] - anchor
            length = np.linalg.norm(d, axis=1)
            np.add.at(total, ball, -(stiffness * (length - rest) / length)[:, None] * d)
        return total

    def sides(self, contact: int) -> tuple[int, int | None]:
        """The balls a and b of a candidate; b is None for a plane."""
        if contact < len(self._pairs):
            a, b = self._pairs[contact]
            return int(a), int(b)
        return (contact - len(self._pairs)) % self.count, None

    def plane(self, contact: int) -> Plane:
        """The plane of a candidate."""
        return self.planes[(contact - len(self._pairs)) // self.count]

    def law(self, contact: int) -> Law:
        """Law of a candidate."""
        return self.balls if contact < len(self._pairs) else self.plane(contact).law

    def gaps(self, x: Floats) -> Floats:
        """Gaps (C,) [m] of all candidates for positions (..., N, 3); the leading axes are kept."""
        a, b = self._pairs.T
        apart = np.linalg.norm(x[..., a, :] - x[..., b, :], axis=-1) - self.radius[a] - self.radius[b]
        heights = [x @ np.array(plane.normal) - plane.offset - self.radius for plane in self.planes]
        return np.concatenate([apart, *heights], axis=-1)

    def closing(self, contact: int, state: State) -> float:
        """Rate [m/s] at which the gap of `contact` opens."""
        a, b = self.sides(contact)
        return float(self.normal(contact, state.x) @ (state.v[a] - (0.0 if b is None else state.v[b])))

    def normal(self, contact: int, x: Floats) -> Floats:
        """Unit normal (3,) from b to a."""
        a, b = self.sides(contact)
        if b is None:
            return np.array(self.plane(contact).normal)
        d = x[a] - x[b]
        return d / np.sqrt(d @ d)

    def rows(self, contact: int, x: Floats) -> Floats:
        """Rows (3, 6 N): normal and two tangents of u, for velocities ordered (v, w) ball by ball."""
        n = self.normal(contact, x)
        axis = np.eye(3)[np.argmin(np.abs(n))]
        t = np.cross(axis, n)
        t /= np.sqrt(t @ t)
        return np.stack([self.along(contact, x, each) for each in (n, t, np.cross(n, t))])

    def slip(self, contact: int, state: State) -> Floats:
        """Velocity (3,) [m/s] at which the surface of a slides on that of b."""
        a, b = self.sides(contact)
        n = self.normal(contact, state.x)
        u = state.v[a] - self.radius[a] * np.cross(state.w[a], n)
        if b is not None:
            u = u - state.v[b] - self.radius[b] * np.cross(state.w[b], n)
        return u - (u @ n) * n

    def along(self, contact: int, x: Floats, direction: Floats) -> Floats:
        """Row (6 N,) of u in a `direction` (3,)."""
        a, b = self.sides(contact)
        turn = -np.cross(self.normal(contact, x), direction)  # d.(-r w x n) = -r (n x d).w
        out = np.zeros((self.count, 2, 3))
        out[a] = direction, self.radius[a] * turn
        if b is not None:
            out[b] = -direction, self.radius[b] * turn
        return out.ravel()

    def drift(self, contact: int, state: State, rows: Floats) -> Floats:
        """Rates of change (3,) of the rows of u [m/s^2] at constant velocities: the turn of n alone."""
        a, b = self.sides(contact)
        if b is None:
            return np.zeros(3)
        d, v = state.x[a] - state.x[b], state.v[a] - state.v[b]
        length = np.sqrt(d @ d)
        n = d / length
        across = v - (v @ n) * n
        roll = self.radius[a] * state.w[a] + self.radius[b] * state.w[b]
        tangents = rows.reshape(3, self.count, 2, 3)[1:, a, 0]
        return np.concatenate([[across @ across / length], -tangents @ np.cross(roll, across / length)])

    def inverse_mass(self) -> Floats:
        """Diagonal (6 N,) of the inverse mass matrix."""
        both = np.stack([self.mass, self.inertia], axis=1)
        return np.repeat(1.0 / both, 3, axis=1).ravel()


def alike(
    ball: tuple[float, float, float], places: Any, velocities: Mapping[int, Sequence[float]], **changes: Any
) -> Scene:
    """Equal balls at `places` (N, 3) [m]; those named in `velocities` [m/s] move.

    ball: radius [m], mass [kg], inertia [kg m^2].
    """
    x = np.array(places, dtype=float)
    v = np.zeros_like(x)
    for i, velocity in velocities.items():
        v[i] = velocity
    radius, mass, inertia = (np.full(len(x), value) for value in ball)
    return Scene(radius, mass, inertia, x, v, np.zeros_like(x)).but(**changes)


def twists(state: State) -> Floats:
    """Velocities (6 N,) ordered (v, w) ball by ball."""
    return np.stack([state.v, state.w], axis=1).ravel()


def moving(state: State, V: Floats) -> State:
    """`state` with the velocities `V` (6 N,)."""
    both = V.reshape(-1, 2, 3)
    return replace(state, v=both[:, 0].copy(), w=both[:, 1].copy())
