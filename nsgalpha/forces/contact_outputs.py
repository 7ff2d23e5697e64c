"""The compliant contacts of a state: one row per closed contact, all elements together.

    c = result.compliant_contacts(i)    or    compliant_contacts(model, state)

A run keeps states and histories only. The laws are evaluated again at the state, with their histories and
without a further displacement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.checks import either, finite, instance, named, refuse
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.contact_columns import rows_of
from nsgalpha.model.compliant_law import INSTANT, CompliantLaw
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.system.system import System


@dataclass(frozen=True, slots=True)
class CompliantContacts:
    """Closed compliant contacts of one state, arrays (C, ...); vectors are inertial and of A, relative to B.

    A side is a body, itself or as carrier of the primitive that touches, and its centre that of the body. For
    any other side the number is -1. Its centre is the foot of that of A on the plane `plane`, or the given
    point in space. For a deforming or fixed primitive it is the point of its axis or face at the contact, the
    weighted mean of its corners.

    The force on a contact reaches S `bodies`, that of the side or the corners of a primitive that deforms,
    with their shares of the contact. Sums by body are of the N bodies of the model. Of elements that act on
    one side, `wrench` and the sums have zeros for the other; force and torques are those of both.
    """

    model: Model = field(repr=False)
    element: Ints  # (C,) number among the compliant elements of the model
    body_a: Ints  # -1 where side A is no body
    body_b: Ints  # -1 where side B is no body
    plane: Ints  # -1 where side B is no plane
    primitive_a: Ints  # number in `model.primitives` of the side, -1 for a body as a sphere
    primitive_b: Ints  # -1 for bodies, planes and points in space
    normal: Floats  # (C, 3) unit, from B to A
    gap: Floats  # (C,) minus the overlap [m]
    displacement: Floats  # (C, 3) of the centres, x_A - x_B [m]
    velocity: Floats  # (C, 3) of the centres, v_A - v_B [m/s]
    force: Floats  # (C, 3) on A; B gets the opposite [N]
    torque_a: Floats  # (C, 3) on A about its centre [N m]
    torque_b: Floats  # (C, 3) on B about its centre
    point: Floats  # (C, 3) of contact, in the middle between the sides [m]
    lever_a: Floats  # (C, 3) from the centre of A to the point of contact [m]
    lever_b: Floats  # (C, 3)
    area: Floats  # (C,) of contact [m^2], as the law sees it: of primitives the part that lies on them
    local: Floats  # (C, 6) forces and couples: normal, sliding (2), rolling (2), twisting
    rate: Floats  # (C, 6) of A relative to B in these components, at the point of contact [m/s, rad/s]
    energy: Floats  # (C,) stored [J]
    history: Floats  # (C, k) of the law, filled up with zeros to the longest
    bodies: Ints  # (C, S) on which the forces act, those of A first; -1 where there are less
    share: Floats  # (C, S) of the contact: the sum of a side that moves is 1
    wrench: Floats  # (C, S, 6) force and torque about the centre, on each of `bodies`
    arms: Floats  # (C, S, 3) from their centres to the point of contact [m]

    @property
    def tension(self) -> Floats:
        """Minus the normal force (C,) [N]: > 0 pulls the sides together, as a stretched spring does."""
        return -self.local[:, 0]

    @property
    def sliding_speed(self) -> Floats:
        """Tangential velocity (C,) [m/s], >= 0, of the sides at the point of contact, with their spins."""
        speed: Floats = np.hypot(self.rate[:, 1], self.rate[:, 2])
        return speed

    def history_variable(self, name: str) -> Floats:
        """Values (C,) of a history variable, NaN in contacts whose laws do not have it.

        "impact_velocity" [m/s] of `ExudynImpact`, infinite where nothing dissipates; "plastic_overlap" [m] of
        `ExudynPlastic`; a law of the user names its own in the attribute `history_variables`, one for each
        number of its history.

        Raises ValueError if no law of the model has such a variable.
        """
        values, known = np.full(len(self.gap), np.nan), set()
        for number, element in enumerate(_compliant(self.model)):
            column = 0
            for traits, size in zip(element.law.traits, element.law.memory, strict=True):
                known.update(traits.history_variables)
                if name in traits.history_variables:
                    at = self.element == number
                    values[at] = self.history[at, column + traits.history_variables.index(name)]
                column += size
        if name not in known:
            raise refuse("name", name, either(sorted(known)) if known else "that of a law which has names")
        return values

    def of(self, element: Any) -> CompliantContacts:
        """Contacts of one `element` of the model, or of that with the name `element`.

        Raises ValueError if it is not a compliant element of the model.
        """
        if isinstance(element, str):
            element = self.model.element(element)
        numbers = [k for k, e in enumerate(_compliant(self.model)) if e is element]
        if not numbers:
            remedy = "give the one that was added"
            raise refuse("element", element, "a compliant element of the model", remedy)
        chosen = self.element == numbers[0]
        return replace(
            self, **{f.name: getattr(self, f.name)[chosen] for f in fields(self) if f.name != "model"}
        )

    def resultant(self) -> Floats:
        """Force and torque about its centre (N, 6) of every body: the sum over its contacts; [N], [N m].

        Bodies that do not turn take up no torque.
        """
        total = self._by_body(self.wrench)
        total[[not body.turns for body in self.model.bodies], 3:] = 0.0
        return total

    def contact_area(self) -> Floats:
        """Area of contact (N,) [m^2] of every body: the sum over its contacts, of corners their shares."""
        return self._by_body(self.share * self.area[:, None])

    def line_tension(self) -> Floats:
        """Tension (N,) [N] of a string at every body: half the sum of both sides.

        Contacts of primitives do not count.
        """
        return self._by_body(0.5 * self.tension[:, None] * self._of_centres)

    def surface_tension(self, triangles: ArrayLike | None = None) -> Floats:
        """Tension (N,) [N/m] of a triangulated surface at every body, by its springs.

        It is the mean over the n springs of a node of force over length. The length is that of the side of
        the regular polygon around it which a spring of length r crosses, r tan(pi/n). triangles (N,): n where
        it is another number than that of the springs, as at an edge of the surface, >= 3 where there is a
        spring. Contacts of primitives do not count.

        Raises ValueError for other numbers.
        """
        n = self._by_body(self._of_centres)
        at = n > 0
        if triangles is not None:
            n = finite("triangles", triangles)
        if n.shape != at.shape or not (n[at] >= 3).all():
            value = "what the springs say" if triangles is None else triangles
            raise refuse("triangles", value, f"({len(at)},) and >= 3 at every node of a spring")
        per_length = self.tension / np.linalg.norm(self.displacement, axis=1)
        tension = self._by_body(per_length[:, None] * self._of_centres)
        tension[at] /= n[at] * np.tan(np.pi / n[at])
        return tension

    def virial_stress(self, volume: ArrayLike | None = None) -> Floats:
        """Mean stress (N, 3, 3) [Pa] in every body by its contacts, > 0 in tension:

            sigma = sym( sum F p^T )/V

        with the forces F on the body, the levers p from its centre, and its volume V [m^3], a number or
        (N,), by default that of its ball. The lever of a spring is half of it: over all bodies V sigma adds
        up to the virial. Corners of primitives have the forces that reach them, with levers to the point of
        contact. Of bodies in equilibrium the sum is symmetric by itself.

        Raises ValueError if the volume of a body that has contacts is not positive.
        """
        total = self._by_body(self.wrench[:, :, :3, None] * self.arms[:, :, None, :])
        radius = np.array([body.radius for body in self.model.bodies])
        V = 4.0 / 3.0 * np.pi * radius**3 if volume is None else finite("volume", volume)
        if V.shape not in ((), radius.shape):
            raise refuse("volume", volume, f"a number, or one for each of the {len(radius)} bodies")
        V = np.broadcast_to(V, radius.shape)
        at = self._by_body(np.ones_like(self.share)) > 0
        if not (V[at] > 0.0).all():
            raise refuse("volume", volume, "positive for every body with contacts", "a point has none")
        total[at] /= V[at, None, None]
        return 0.5 * (total + total.transpose(0, 2, 1))

    @property
    def _of_centres(self) -> Floats:
        """1 (C, S) where a contact acts on a body and no side is a primitive, else 0."""
        alone = (self.primitive_a < 0) & (self.primitive_b < 0)
        return self.share * alone[:, None]

    def _by_body(self, given: Floats) -> Floats:
        """Sums (N, ...) of contact quantities of their `bodies` (C, S, ...)."""
        total = np.zeros((len(self.model.bodies), *given.shape[2:]))
        known = self.bodies >= 0
        np.add.at(total, self.bodies[known], given[known])
        return total


@named
def compliant_contacts(model: Model, state: State) -> CompliantContacts:
    """The closed compliant contacts of `model` in `state`; `result.compliant_contacts(i)` for recorded ones.

    Raises ValueError if the state is of another model. Raises the errors of laws that miss their history.

    >>> from elements import CompliantSpherePlane, Hertz
    >>> model = ns.Model()
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.099))
    >>> law = Hertz(modulus=1e6)
    >>> element = model.add(CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    >>> contacts = ns.compliant_contacts(model, model.initial_state())
    >>> contacts.force.round(4)  # 4/3 E* sqrt(R) d^(3/2)
    array([[ 0.    ,  0.    , 13.3333]])
    """
    instance("model", model, Model, "a Model")
    instance("state", state, State, "a State", "such as result.state()")
    compliant, motion, _ = evaluated(System(model), state)
    if not compliant:
        raise ValueError("model: has no compliant contacts; add an element with a compliant law")
    groups = {id(e): group for e, group in zip(compliant.elements, compliant.groups, strict=True)}
    rows = [rows_of(groups[id(element)], motion) for element in _compliant(model)]
    if not rows:
        raise ValueError(
            "model: has force elements, and no compliant contacts; surface_outputs(model, state, surface) "
            "has their tensions, forces and energy"
        )
    for number, row in enumerate(rows):
        row["element"] = np.full(len(row["gap"]), number)
    names = [f.name for f in fields(CompliantContacts) if f.name != "model"]
    return CompliantContacts(model, **{name: _joined([row[name] for row in rows]) for name in names})


def _compliant(model: Model) -> list[Any]:
    """The compliant elements of the model."""
    return [element for element in model.elements if isinstance(element.law, CompliantLaw)]


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """Rows of all `parts`, filled up in the second dimension: bodies with -1, all others with 0."""
    if parts[0].ndim == 1:
        return np.concatenate(parts)
    width = max(part.shape[1] for part in parts)
    whole = np.full(
        (sum(map(len, parts)), width, *parts[0].shape[2:]), -1 if parts[0].dtype == np.int64 else 0.0
    )
    first = 0
    for part in parts:
        whole[first : first + len(part), : part.shape[1]] = part
        first += len(part)
    return whole


def has_compliant(model: Model) -> bool:
    """True if the model has compliant contacts, including springs, or lacks elements of its file."""
    return any(not isinstance(each.law, ContactLaw) for each in model.elements)


def stored_energy(model: Model, states: Iterable[State]) -> Floats:
    """Energy [J] stored in the compliant contacts of `model` in each of `states`, as their laws state it.

    Raises as `compliant_contacts`, but takes models without compliant contacts, whose energy is 0.
    """
    system = System(model)
    return np.array([evaluated(system, s)[0].energy for s in states])


def evaluated(system: System, state: State) -> tuple[CompliantForces, Motion, Floats]:
    """The contacts of `system` after an evaluation at `state`, the motion there, their wrenches (N, 6)."""
    motion = system.motion(state)
    compliant = CompliantForces(system)
    compliant.find(motion, float(system.bodies.radius.max()))
    if state.contacts is not None:
        compliant.remember(state.contacts)
    compliant.begin(motion)
    compliant.set_time(state.t)
    return compliant, motion, compliant.evaluate(motion, np.zeros((system.size, 6)), INSTANT)
