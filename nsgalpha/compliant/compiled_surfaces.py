"""The contacts of an element of primitives whose laws are compiled: surfaces.py, one kernel a pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nsgalpha.arrays import Floats, Motion, no_planes
from nsgalpha.compliant.law_parts import are_compiled, parts_of
from nsgalpha.compliant.surface_pass import gather, react, stiffness
from nsgalpha.compliant.surface_room import Room, Table, first_of, no_room
from nsgalpha.compliant.surfaces import DIFFERENCE, Pass, SurfaceGroup
from nsgalpha.model.element import SurfaceElement
from nsgalpha.model.primitives import Measured
from nsgalpha.pointers import named

if TYPE_CHECKING:
    from nsgalpha.model.system import System


class CompiledSurfaceGroup(SurfaceGroup):
    """The contacts of one element of primitives."""

    def __init__(self, element: SurfaceElement, system: System) -> None:
        super().__init__(element, system)
        geometry = element.geometry
        self._table: Table = named(
            Table(
                self.A,
                self.B,
                self.solids,
                parts_of([self.law]),
                system.bodies.inverse_mass,
                int(geometry.kernel.address),
                np.array(geometry.options, float),
                element.torque,
                np.array(self.law.on),
                system.count,
                no_planes(),
                np.empty((0, 4)),
            )
        )
        self._room = self._make_room(1)
        self._probe: Room | None = None  # of the differences

    def _make_room(self, count: int) -> Room:
        return named(no_room(count, self._table, self.law.history))

    def _react(self, measured: Measured, points: Floats, motion: Motion, increment: Floats) -> None:
        """Sides and laws of the active contacts, `measured` at the end of a step."""
        n = len(self.active)
        if n > len(self._room.E):
            self._room, self._probe = self._make_room(2 * n), None
        room, before, after = self._room, (self._before, self._x), (points, motion.x)
        moving, memory = (motion, increment), (self.tangent, self.history)
        gather(
            self._table,
            room,
            self.active,
            self.candidates,
            self.start,
            measured,
            before,
            after,
            *moving,
            *memory,
        )
        react(self._table, room, n, self.h)
        self.given, self.place = first_of(room.given, n), first_of(room.place, n)
        self.body = self.given.slots.copy()
        response = first_of(room.response, n)
        last = room.B[:n], room.E[:n], room.seen.mass[:n], response, room.wrench[:n], room.seen.area[:n]
        self.last, self.response = Pass(first_of(room.measured, n), *last), response

    def _add_stiffness(self, factor: float, blocks: Floats) -> None:
        """Add `factor` times minus the derivatives of the wrenches by displacements to `blocks`."""
        if self._probe is None:
            base = self._room
            own, seen = no_room(len(base.E), self._table, self.law.history), base.seen
            shared = {name: getattr(seen, name) for name in ("branch", "radius_a", "pair", "a", "b")}
            own = own._replace(given=base.given, sides=base.sides, seen=own.seen._replace(**shared))
            self._probe = named(own)
        n, size = len(self.active), DIFFERENCE * self.size
        stiffness(self._table, self._room.place, self._probe, n, self.h, factor, size, blocks)


def surface_group(element: SurfaceElement, system: System) -> SurfaceGroup:
    """The contacts of `element`: compiled if its laws are."""
    return (CompiledSurfaceGroup if are_compiled(element.law) else SurfaceGroup)(element, system)
