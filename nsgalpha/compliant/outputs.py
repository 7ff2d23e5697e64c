"""What the compliant contacts of a state do: one row per closed contact, all elements together.

    c = result.compliant_contacts(i)    or    compliant_contacts(model, state)

A run keeps states and histories only. The laws are evaluated again at the state, with what they remember
there and without a further displacement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import refuse
from nsgalpha.compliant.contacts import Compliant
from nsgalpha.compliant.group import PairGroup
from nsgalpha.compliant.law import INSTANT, CompliantLaw
from nsgalpha.model.state import State

if TYPE_CHECKING:
    from nsgalpha.arrays import Motion
    from nsgalpha.model.model import Model
    from nsgalpha.model.system import System


@dataclass(frozen=True, slots=True)
class CompliantContacts:
    """Closed compliant contacts of one state, arrays (C, ...); vectors are inertial and of A, relative to B.

    B is a body or, where `body_b` is -1, the plane `plane`, whose point is then the foot of the centre of A,
    or, where both are -1, a point in space. What is summed by body is of the N bodies of the model.
    """

    model: Model = field(repr=False)
    element: Ints  # (C,) number among the compliant elements of the model
    body_a: Ints
    body_b: Ints  # -1 where side B is a plane or a point in space
    plane: Ints  # -1 where side B is a body
    normal: Floats  # (C, 3) unit, from B to A
    gap: Floats  # (C,) minus the overlap [m]
    displacement: Floats  # (C, 3) of the centres, x_A - x_B [m]
    velocity: Floats  # (C, 3) of the centres, v_A - v_B [m/s]
    force: Floats  # (C, 3) on A; B gets the opposite [N]
    torque_a: Floats  # (C, 3) on A about its centre [N m]
    torque_b: Floats  # (C, 3) on B about its centre
    lever_a: Floats  # (C, 3) from the centre of A to the point of contact, the middle between the bodies [m]
    lever_b: Floats  # (C, 3)
    area: Floats  # (C,) of contact [m^2], as the law sees it
    local: Floats  # (C, 6) forces and couples: normal, sliding (2), rolling (2), twisting
    energy: Floats  # (C,) stored [J]
    history: Floats  # (C, k) of the law, filled up with zeros to the longest

    @property
    def tension(self) -> Floats:
        """Minus the normal force (C,) [N]: > 0 pulls the sides together, as a stretched spring does."""
        return -self.local[:, 0]

    def of(self, element: Any) -> CompliantContacts:
        """Those of one `element` of the model.

        Raises ValueError if it is not a compliant element of the model.
        """
        compliant = [
            e for e in self.model.elements if isinstance(e.law, CompliantLaw) and hasattr(e, "pairs")
        ]
        numbers = [k for k, e in enumerate(compliant) if e is element]
        if not numbers:
            raise refuse(
                "element", element, "a compliant element of the model", "give the one that was added"
            )
        chosen = self.element == numbers[0]
        return replace(
            self, **{f.name: getattr(self, f.name)[chosen] for f in fields(self) if f.name != "model"}
        )

    def contact_area(self) -> Floats:
        """Area of contact (N,) [m^2] of every body: the sum over its contacts."""
        return self._by_body(self.area, self.area)

    def line_tension(self) -> Floats:
        """Tension (N,) [N] of a string at every body: half the sum over the springs on both of its sides."""
        return self._by_body(0.5 * self.tension, 0.5 * self.tension)

    def surface_tension(self, triangles: ArrayLike | None = None) -> Floats:
        """Tension (N,) [N/m] of a triangulated surface at every body, a node, by the springs along its edges.

        The mean over the n springs of a node of force over length, of that side of the regular polygon
        around it which a spring of length r crosses, r tan(pi/n). triangles (N,): n where it is another
        number than that of the springs, as at an edge of the surface, >= 3 where there is a spring.

        Raises ValueError for other numbers.
        """
        n = self._by_body(np.ones_like(self.gap), np.ones_like(self.gap))
        at = n > 0
        if triangles is not None:
            n = np.array(triangles, float)
        if n.shape != at.shape or not (n[at] >= 3).all():
            value = "what the springs say" if triangles is None else triangles
            raise refuse("triangles", value, f"({len(at)},) and >= 3 at every node of a spring")
        per_length = self.tension / np.linalg.norm(self.displacement, axis=1)
        tension = self._by_body(per_length, per_length)
        tension[at] /= n[at] * np.tan(np.pi / n[at])
        return tension

    def virial_stress(self, volume: ArrayLike | None = None) -> Floats:
        """Mean stress (N, 3, 3) [Pa] in every body by its contacts, > 0 in tension:

            sigma = sym( sum F p^T )/V

        with the forces F on the body, the levers p from its centre, and its volume V [m^3], a number or
        (N,), by default that of its ball. The lever of a spring is half of it: over all bodies V sigma adds
        up to the virial. Of bodies in equilibrium the sum is symmetric by itself.

        Raises ValueError if the volume of a body that has contacts is not positive.
        """
        total = self._by_body(_dyads(self.force, self.lever_a), _dyads(-self.force, self.lever_b))
        radius = np.array([body.radius for body in self.model.bodies])
        V = np.broadcast_to(4.0 / 3.0 * np.pi * radius**3 if volume is None else volume, radius.shape)
        at = self._by_body(np.ones_like(self.gap), np.ones_like(self.gap)) > 0
        if not (V[at] > 0.0).all():
            raise refuse(
                "volume", volume, "positive for every body with contacts", "a point has none of its own"
            )
        total[at] /= V[at, None, None]
        return 0.5 * (total + total.transpose(0, 2, 1))

    def _by_body(self, of_a: Floats, of_b: Floats) -> Floats:
        """Sums (N, ...) of what the contacts (C, ...) give to their sides."""
        total = np.zeros((len(self.model.bodies), *of_a.shape[1:]))
        np.add.at(total, self.body_a, of_a)
        moves = self.body_b >= 0
        np.add.at(total, self.body_b[moves], of_b[moves])
        return total


def _dyads(a: Floats, b: Floats) -> Floats:
    """`a b^T` (C, 3, 3)."""
    return a[:, :, None] * b[:, None, :]


def compliant_contacts(model: Model, state: State) -> CompliantContacts:
    """The closed compliant contacts of `model` in `state`; `result.compliant_contacts(i)` for recorded ones.

    Raises ValueError if the state is of another model, and what laws raise that miss their history.
    """
    from nsgalpha.model.system import System  # which imports the elements' protocol, and that the laws

    compliant, motion = _evaluated(System(model), state)
    width = max((group.law.history for group in compliant.pairs), default=0)
    rows = [_rows(number, group, motion, width) for number, group in enumerate(compliant.pairs)]
    if not rows:
        raise ValueError("model: has no compliant contacts; add an element with a compliant law")
    return CompliantContacts(model, *(np.concatenate(parts) for parts in zip(*rows, strict=True)))


def stored_energy(model: Model, states: Iterable[State]) -> Floats:
    """Energy [J] stored in the compliant contacts of `model` in each of `states`, as their laws state it.

    Raises as `compliant_contacts`, but takes models without compliant contacts, whose energy is 0.
    """
    from nsgalpha.model.system import System

    system = System(model)
    return np.array([_evaluated(system, s)[0].energy for s in states])


def _evaluated(system: System, state: State) -> tuple[Compliant, Motion]:
    """The contacts of `system` after an evaluation at `state`, and the motion there."""
    motion = system.motion(state)
    compliant = Compliant(system)
    compliant.find(motion, float(system.bodies.radius.max()))
    if state.contacts is not None:
        compliant.remember(state.contacts)
    compliant.begin(motion)
    compliant.evaluate(motion, np.zeros((system.size, 6)), INSTANT)
    return compliant, motion


def _rows(number: int, group: PairGroup, motion: Motion, width: int) -> tuple[np.ndarray, ...]:
    """The fields of CompliantContacts of one element, in their order."""
    f, local = group.frames, group.response.force
    a, b, plane = f.body[:, 0], f.body[:, 1], f.plane
    normal, gap = f.E[:, 0], -f.overlap
    force = np.einsum("cr,cri->ci", local[:, :3], f.E)
    couple = np.einsum("cr,cri->ci", local[:, [5, 3, 4]], f.E)
    at_plane = (plane >= 0)[:, None]
    foot = np.where(at_plane, f.p[:, 1] - 0.5 * gap[:, None] * normal, 0.0)
    return (
        np.full(len(a), number),
        a,
        np.where((plane >= 0) | (b >= group.system.count), -1, b),
        plane,
        normal,
        gap,
        motion.x[a] - motion.x[b] - foot,
        motion.v[a] - motion.v[b] - np.cross(motion.w[b], foot),
        force,
        couple + np.cross(f.p[:, 0], force),
        -couple - np.cross(f.p[:, 1], force),
        f.p[:, 0],
        f.p[:, 1],
        f.area,
        local,
        group.response.energy,
        np.pad(group.response.history, ((0, 0), (0, width - group.law.history))),
    )
