"""Static constraints: poses at which joints hold, and their reactions at rest.

    g(q) = 0,      r = F + G^T lambda,      S lambda = -G D^-1 F,      S = G D^-1 G^T

F are all forces but those of the hard rows: gravity, loads, motors, contacts, and springs of joints, -k g of
a soft row. D, the resistance of balance_newton.py, stands in the place of the mass, and r is the part of F
left by joints. A step of Newton's method keeps to G du = 0 (constrained_newton.py). The pose is then moved
onto g = 0 by -D^-1 G^T S^-1 g, as often as that takes. Stops and ropes are eliminated after the joints
(unilateral_equilibrium.py).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial.transform import Rotation

from nsgalpha.arrays import Flags, Floats, Motion, copy_motion
from nsgalpha.constraints.geometric_stiffness import stiffness_of
from nsgalpha.constraints.jointed_response import note_coordinates, spread_joints
from nsgalpha.constraints.saddle_point import owners, sparse_rows
from nsgalpha.contact.rows.marker_rows import keep_angles
from nsgalpha.jit.addresses import named
from nsgalpha.schemes.implicit.unilateral_equilibrium import UnilateralConstraints
from nsgalpha.stepping.poses import displace
from nsgalpha.system.consistent_start import (
    begin_coordinates,
    measure_start,
    refuse_violation,
    set_rigid,
    solve_start,
)
from nsgalpha.system.system import System

CLOSING = 30  # displacements at most that close the joints of a pose,
CLOSED = 1e-13  # to which they must, over the coordinates
ROUNDING = 4e-16  # of a displacement, over the coordinates
SINGULAR = 1e-10  # part of a row, squared, that joints and other stops let through, which is none


def composed(second: Floats, first: Floats) -> Floats:
    """The displacement (N, 6) that is the `first` one and then the `second`."""
    turn = Rotation.from_rotvec(second[:, 3:]) * Rotation.from_rotvec(first[:, 3:])
    return np.hstack([first[:, :3] + second[:, :3], turn.as_rotvec()])


class StaticConstraints:
    """The joints of a `system`, which hold in `motion`; `lever` (N,) [m] is that of the resistance.

    Raises ValueError where they do not, or where they are on a wrong branch.
    """

    def __init__(self, system: System, motion: Motion, memory: Floats | None, lever: Floats) -> None:
        self.system, self.joints, self.lever = system, system.joints, lever
        self.count = system.count
        n, size = system.count, system.size
        self.owner = owners(self.joints)  # (R, K)
        if system.inactive.any:
            name = system.model.bodies[int(system.inactive.still.argmax())].name
            raise ValueError(
                f"{name!r}: stands still, which equilibrium with joints or stops does not know; state a "
                "primitive on the ground, carrier=None, in its place"
            )
        self.inverse = np.zeros((size, 6))  # of D
        self.inverse[:n, :3] = 1.0
        self.inverse[:n, 3:] = np.where(system.turns, 1.0 / lever**2, 0.0)[:, None]
        self._work = self.inverse[:, 3:, None] * np.eye(3)
        resisting = system.bodies._replace(
            inverse_mass=self.inverse[:, 0].copy(),
            inverse_inertia=self._work.copy(),
            isotropic=np.ones(size, np.bool_),
        )
        self._resisting = named(resisting)
        set_rigid(system.joints)
        begin_coordinates(system, motion, memory)
        rest = motion._replace(v=np.zeros_like(motion.v), w=np.zeros_like(motion.w))
        refuse_violation(system, rest, 1.0)
        self.stops = UnilateralConstraints(system, motion)
        self.holding = np.zeros(self.stops.count, bool)  # those of them that hold in a step
        self.scale = np.sqrt(self.inverse)
        self.hard = np.ones(len(self.owner), bool)
        self.hard[system.soft] = False
        self.load = np.zeros(len(self.joints.coordinates.joint))  # of motors on coordinates
        self.largest = 0.0  # force of a row or a motor in the last balance [N]

    def moved(self, motion: Motion, u: Floats, du: Floats, limit: float) -> Floats | None:
        """The displacement (N, 6) at which joints hold after `u`, which leads to `motion`, and then `du`.

        None where they would not close without displacements above the `limit` [m].
        """
        here, stops = motion, self.stops
        U = np.zeros((self.system.size, 6))
        U[: self.count], last = du, np.inf
        size = max(1.0, float(np.abs(motion.x[: self.system.places]).max()))
        met = self.holding.copy()
        for _ in range(CLOSING):
            if U.any():
                there = copy_motion(here)
                displace(here.x, here.q, U, there)
                here, u = there, composed(U[: self.count], u)
            self._measure(here)
            stops.measure(here)
            beyond = stops.one_sided & (stops.gap < 0.0) & ~met
            met |= beyond
            g = np.where(self.hard, self.joints.rows.g, 0.0)
            U = self._closing(g, met)
            longest = self._longest(U)
            open_by = max(np.abs(g).max(initial=0.0), np.abs(stops.gap[met]).max(initial=0.0))
            stalls = longest > 0.5 * last and open_by <= CLOSED * size
            if longest <= ROUNDING * size or stalls:
                return u
            if not longest <= limit:
                return None
            last = np.inf if beyond.any() else longest
        return None

    def _closing(self, g: Floats, met: Flags) -> Floats:
        """The displacement (B, 6) that closes joints, open by `g` (R,), and the stops that are `met` (C,)."""
        U = -self._scattered(self.joints.rows.MG, solve_start(self.system, g))
        rows, A = self._through(met)[0], self.stops.rows[met]
        if met.any():
            # projections of the rows by joints, of length 1; zero ones have none
            W = np.einsum("jbi,bi,kbi->jk", rows, self.inverse, rows)
            length = np.sqrt(np.einsum("kbi,bi,kbi->k", A, self.inverse, A))
            wanted = -self.stops.gap[met] - np.einsum("kbi,bi->k", A, U)
            y = np.linalg.lstsq(W / np.outer(length, length), wanted / length, rcond=SINGULAR)[0] / length
            U += self.inverse * np.einsum("k,kbi->bi", y, rows)
        return U

    def _through(self, chosen: Flags) -> tuple[Floats, Floats]:
        """Rows (K, B, 6) of `chosen` (C,) stops, projected by the joints, and their loads on them (K, R)."""
        rows, exerted = self.stops.rows[chosen], np.zeros((int(chosen.sum()), len(self.owner)))
        for k, row in enumerate(rows):
            rates = np.einsum("rsi,rsi->r", self.joints.rows.G, (self.inverse * row)[self.owner])
            exerted[k] = -np.where(self.hard, solve_start(self.system, np.where(self.hard, rates, 0.0)), 0.0)
            rows[k] += self._scattered(self.joints.rows.G, exerted[k])
        return rows, exerted

    def balance(self, motion: Motion, force: Floats, part: float) -> Floats:
        """The rest (N, 6) that joints leave of the `force` (N, 6) and a `part` of the motors at `motion`."""
        joints, n, stops = self.joints, self.count, self.stops
        self._measure(motion)
        stops.measure(motion)
        note_coordinates(self.joints, motion)
        self.load = part * joints.measured.effort
        total = np.zeros((self.system.size, 6))
        total[:n] = force
        pair = joints.table.body[joints.coordinates.joint, :2]
        np.add.at(total, pair, joints.measured.G * self.load[:, None, None])
        soft = np.zeros(len(self.owner))
        soft[~self.hard] = -(joints.relations.stiffness * joints.measured.gap)[joints.relations.soft]
        motors = np.einsum("k,kbi->bi", np.where(stops.one_sided, 0.0, stops.force), stops.rows)
        total += self._scattered(joints.rows.G, soft) + motors
        total[:n, 3:][~self.system.turns] = 0.0
        c = np.einsum("rsi,rsi->r", joints.rows.G, (self.inverse * total)[self.owner])
        joints.multiplier[:] = np.where(
            self.hard, -solve_start(self.system, np.where(self.hard, c, 0.0)), soft
        )
        total += self._scattered(joints.rows.G, np.where(self.hard, joints.multiplier, 0.0))
        if stops.count:
            touching = stops.one_sided & (stops.gap <= 0.0)
            rows, exerted = self._through(touching)
            stops.push(touching, rows, total, self.scale)
            total += np.einsum("k,kbi->bi", stops.force[touching], rows)
            joints.multiplier[:] += stops.force[touching] @ exerted
        total[:n, 3:][~self.system.turns] = 0.0
        self.largest = self._largest()
        return total[:n]

    def _largest(self) -> float:
        """Largest force of a row or a motor on a body, torques over the lever [N]."""
        joints = self.joints
        pair = joints.table.body[joints.coordinates.joint, :2]
        stops = self.stops
        own = np.einsum("kbi,k->kbi", stops.rows, stops.force) * self.scale
        parts = (joints.rows.G, joints.multiplier, self.owner), (joints.measured.G, self.load, pair)
        forces = (np.abs(G * x[:, None, None]) * np.sqrt(self.inverse)[owner] for G, x, owner in parts)
        return max(float(force.max(initial=0.0)) for force in (np.abs(own), *forces))

    def stiffness(self, motion: Motion) -> sparse.csc_array:
        """Stiffness (6 N, 6 N) of the joints' loads in the last `balance`, at the same `motion`."""
        joints, n = self.joints, self.count
        every = stiffness_of(joints, motion.x, joints.multiplier, self.load), self.stops.stiffness(motion)
        body, blocks = (np.concatenate(parts) for parts in zip(*every, strict=True))
        column = 6 * body[:, :, None] + np.arange(6)
        shape = (len(body), 2, 6, 2, 6)
        row, col = column[:, :, :, None, None], column[:, None, None]
        entries = [np.broadcast_to(each, shape).ravel() for each in (row, col)]
        size = 6 * self.system.size
        K = sparse.coo_array((blocks.ravel(), tuple(entries)), shape=(size, size)).tocsc()
        soft = self._rows(~self.hard, self.system.size)
        stiff = joints.relations.stiffness[joints.relations.soft]
        return sparse.csc_array((K + soft.T @ sparse.diags_array(stiff) @ soft)[: 6 * n, : 6 * n])

    def rows(self) -> sparse.csr_array:
        """The independent hard rows G (., 6 N) at the pose of the last balance."""
        self.holding = self.stops.pushing()
        pushing = self.stops.rows[self.holding, : self.count].reshape(-1, 6 * self.count)
        own = self._rows(self.hard & (self.joints.factor.pivot > 0.0), self.count)
        return sparse.csr_array(sparse.vstack([own, sparse.csr_array(pushing)]))

    def _rows(self, chosen: Flags, bodies: int) -> sparse.csr_array:
        """Rows (R,) that are `chosen`, with columns of so many `bodies`."""
        return sparse_rows(self.owner[chosen], self.joints.rows.G[chosen], bodies)

    def keep(self, motion: Motion) -> None:
        """The bodies rest in `motion`: the joints' loads are a part of the state.

        Of joints that are redundant it is spread as a run does, by the masses.
        """
        joints, rows = self.joints, len(self.owner)
        if not self.system.massless:
            measure_start(self.system, motion)
            yielding = np.where(self.hard, 0.0, joints.multiplier)
            joints.multiplier[:] -= yielding
            spread_joints(self.joints, self.joints.multiplier)
            joints.multiplier[:] += yielding
            self._measure(motion)
        joints.acted[:rows, :2] = joints.multiplier[:, None]
        joints.acted[:rows, 2] = 0.0
        if self.stops.count:
            keep_angles(self.system.options, self.system.joints)

    def _measure(self, motion: Motion) -> None:
        """Rows at `motion`, with the factor of bodies that D resists."""
        measure_start(self.system, motion, self._resisting, self._work)

    def _scattered(self, rows: Floats, x: Floats) -> Floats:
        """`rows^T x` (B, 6) of values `x` (R,)."""
        total = np.zeros((self.system.size, 6))
        np.add.at(total, self.owner, rows * x[:, None, None])
        return total

    def _longest(self, U: Floats) -> float:
        """Largest displacement in `U` (B, 6), rotations times the lever [m]."""
        moved = np.abs(U[: self.count])
        return float(max(moved[:, :3].max(), (self.lever[:, None] * moved[:, 3:]).max()))
