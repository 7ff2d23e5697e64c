"""Segments without inertia in a viscous medium: drag on motion, rotation and growth.

    v_c = (v_1 + v_2)/2,   w = (v_2 - v_1)/l,   F = F_1 + F_2,   T = (l/2) (F_2 - F_1)
    F = Gamma v_c,   T = Gamma_r w,   Gamma = g_along t t^T + g_across (1 - t t^T),   Gamma_r likewise

of the ends 1, 2 with the axis t and the length l: blocks Gamma/4 + Gamma_r/l^2 on, Gamma/4 - Gamma_r/l^2 off
the diagonal. T is the sum of (x - x_c) . t F over the forces at points x; its part along t stretches. A
slender rod with z per length has g = z l and g_r = z l^3/12.

Source: documentation of mpacts, ComputeVelocitiesFromSegmentForcesAndTorque.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from elements.shells.membranes import NoMemory
from nsgalpha.arrays import Bodies, Floats, LowRank, Motion
from nsgalpha.checks import finite, floats, refuse
from nsgalpha.forces.attachments import add_slots
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.force_element import ElementMotion, ForcePass
from nsgalpha.model.handles import Body, pair_list
from nsgalpha.model.registration import offered
from nsgalpha.model.switched_elements import Switched

SIGNS = np.array([-1.0, 1.0])


@offered("elements")
@recorded
class SegmentDrag(Switched):
    """Linear resistance to the motion of `segments`, pairs of points (a, b).

    along, across [N s/m]: to translation along the axis and across it; stretching, turning [N m s]: to growth
    and to rotation, those of the centre. Each is a number >= 0, or one for each segment.

    It is an element, felt by all schemes, and may stand for the resistance of Overdamped where nothing else
    resists. Raises ValueError that names the argument.

    >>> model = ns.Model()
    >>> ends = [model.add_point(position=(x, 0, 0)) for x in (0, 2)]
    >>> rod = model.add(SegmentDrag([ends], along=1.0, across=2.0, stretching=1.0, turning=1.0))
    >>> model.add_load(lambda t, state: [[1, 1, 0], [1, 1, 0]])
    >>> result = ns.simulate(model, t_end=1.0, h=0.1, scheme=ns.Overdamped(rod))
    >>> result.velocity[-1].round(6).tolist()  # F/gamma
    [[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        segments: Sequence[tuple[Body, Body]],
        *,
        along: ArrayLike,
        across: ArrayLike,
        stretching: ArrayLike,
        turning: ArrayLike,
    ) -> None:
        self.segments = _pairs(segments)
        self.nodes = np.array([[a.index, b.index] for a, b in self.segments], np.int64)
        self.law = NoMemory()
        given = {"along": along, "across": across, "stretching": stretching, "turning": turning}
        #: g_along, g_across, and of the rotation, (4, K)
        self.numbers: Floats = np.array([_numbers(name, value, self.count) for name, value in given.items()])

    @property
    def count(self) -> int:
        """How many segments."""
        return len(self.segments)

    def handles(self) -> Sequence[Body]:
        """The ends of the segments."""
        return list({id(body): body for pair in self.segments for body in pair}.values())

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        return SegmentPass(self, motion)

    def matrix(self, motion: Motion, bodies: Bodies) -> Floats:
        """No resistance (N, 6, 6) of single bodies: as an element of the model it couples the ends.

        Raises ValueError if it was not added to the model.
        """
        model = self.segments[0][0].model
        if not any(each is self for each in model.elements):
            message = "resistance: SegmentDrag is an element; add it to the model, model.add(...), too"
            raise ValueError(message)
        return np.zeros((len(model.bodies), 6, 6))

    def resultants(self, position: ArrayLike, force: ArrayLike) -> tuple[Floats, Floats]:
        """Force F and moment T (K, 3) [N, N m] of each segment.

        position [m] and force [N] of all bodies of the model, (bodies, 3) each. Raises ValueError for others.
        """
        many = len(self.segments[0][0].model.bodies)
        x, f = finite("position", position), finite("force", force)
        for name, array in (("position", x), ("force", f)):
            if array.shape != (many, 3):
                raise refuse(name, f"array {array.shape}", f"({many}, 3), a row for each body")
        length = np.linalg.norm(x[self.nodes[:, 1]] - x[self.nodes[:, 0]], axis=1)
        first, second = f[self.nodes[:, 0]], f[self.nodes[:, 1]]
        return first + second, 0.5 * length[:, None] * (second - first)


def _pairs(segments: Sequence[tuple[Body, Body]]) -> list[tuple[Body, Body]]:
    """`segments` as a list of two bodies each, or a ValueError."""
    pairs = pair_list("segments", segments, "a pair of points (a, b)")
    for k, (a, b) in enumerate(pairs):
        if not isinstance(a, Body) or not isinstance(b, Body):
            raise refuse(f"segments[{k}]", pairs[k], "two bodies of the model")
        if a is b or not (a.position != b.position).any():
            raise refuse(f"segments[{k}]", (a.name, b.name), "two points at different places")
    if not pairs:
        raise refuse("segments", segments, "at least one segment")
    return pairs


def _numbers(name: str, value: ArrayLike, count: int) -> Floats:
    """`value` as one number >= 0 for each segment, or a ValueError."""
    allowed = f"a number >= 0, or one for each of the {count} segments"
    array = floats(name, value, allowed)
    if array.shape not in ((), (count,)) or not (np.isfinite(array) & (array >= 0.0)).all():
        raise refuse(name, value, allowed)
    return np.full(count, array)


class SegmentPass:
    """One evaluation of SegmentDrag, see ForcePass."""

    def __init__(self, drag: SegmentDrag, motion: ElementMotion) -> None:
        self._nodes, self._numbers, self._v = drag.nodes, drag.numbers, motion.v
        apart = motion.x[drag.nodes[:, 1]] - motion.x[drag.nodes[:, 0]]
        self._length = np.linalg.norm(apart, axis=1)
        self._t = apart / self._length[:, None]
        self.force = -self.damping(motion.v)
        self.energy, self.history = np.zeros(drag.count), np.zeros((drag.count, 0))

    def _resisted(self, k: int, u: Floats) -> Floats:
        """Gamma u (K, 3), of the motion (k = 0) or the rotation (2) of the segments."""
        along, across = self._numbers[k], self._numbers[k + 1]
        axial = (self._t * u).sum(axis=1)
        return across[:, None] * u + ((along - across) * axial)[:, None] * self._t

    def _parts(self, velocity: Floats) -> tuple[Floats, Floats]:
        """Velocities (K, 3) of the centres, and of the second end relative to the first."""
        first, second = velocity[self._nodes[:, 0]], velocity[self._nodes[:, 1]]
        return 0.5 * (first + second), second - first

    def damping(self, velocity: Floats) -> Floats:
        """`C v`, see ForcePass."""
        centre, apart = self._parts(velocity)
        half = 0.5 * self._resisted(0, centre)
        turn = self._resisted(2, apart) / self._length[:, None] ** 2
        return np.stack([half - turn, half + turn], axis=1)

    def add_forces(self, wrench: Floats) -> None:
        """See ForcePass."""
        add_slots(self._nodes, self.force, wrench)

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """See ForcePass; Gamma turns with the axis."""
        eye, t, length = np.eye(3), self._t, self._length
        axis = t[:, :, None] * t[:, None, :]
        g = [self._numbers[k][:, None, None] for k in range(4)]
        matrices = g[0] * axis + g[1] * (eye - axis), g[2] * axis + g[3] * (eye - axis)
        square = length[:, None, None] ** 2
        centre, apart = self._parts(self._v)
        turns = [self._turned(k, u) for k, u in ((0, centre), (2, apart))]
        # d(Gamma_r u/l^2): the axis turns, the length grows
        grows = -2.0 * self._resisted(2, apart)[:, :, None] * t[:, None, :] / length[:, None, None]
        by_place = 0.5 * turns[0], (turns[1] + grows) / square
        for row, one in enumerate(SIGNS):
            for column, other in enumerate(SIGNS):
                block = factor_v * (0.25 * matrices[0] + one * other * matrices[1] / square)
                block = block + factor_q * other * (by_place[0] + one * by_place[1])
                blocks[:, row, :, column] += block

    def _turned(self, k: int, u: Floats) -> Floats:
        """Derivatives (K, 3, 3) of Gamma u by the place of the second end."""
        t = self._t
        across = (np.eye(3) - t[:, :, None] * t[:, None, :]) / self._length[:, None, None]
        axial = (t * u).sum(axis=1)[:, None, None]
        by_t = axial * np.eye(3) + t[:, :, None] * u[:, None, :]
        factor = (self._numbers[k] - self._numbers[k + 1])[:, None, None]
        return np.asarray(factor * (by_t @ across))

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None
