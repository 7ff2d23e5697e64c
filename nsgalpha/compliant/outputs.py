"""What the compliant contacts of a state do: one row per closed contact, all elements together.

    c = result.compliant_contacts(i)    or    compliant_contacts(model, state)

A run keeps states and histories only. The laws are evaluated again at the state, with what they remember
there and without a further displacement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.compliant.contacts import Compliant
from nsgalpha.compliant.group import PairGroup
from nsgalpha.model.state import State

if TYPE_CHECKING:
    from nsgalpha.arrays import Motion
    from nsgalpha.model.model import Model
    from nsgalpha.model.system import System


@dataclass(frozen=True, slots=True)
class CompliantContacts:
    """Closed compliant contacts of one state, arrays (C, ...); vectors are inertial and of A, relative to B.

    B is a body or, where `body_b` is -1, the plane `plane`, whose point is then the foot of the centre of A.
    """

    element: Ints  # (C,) number among the compliant elements of the model
    body_a: Ints
    body_b: Ints  # -1 where side B is a plane
    plane: Ints  # -1 where side B is a body
    normal: Floats  # (C, 3) unit, from B to A
    gap: Floats  # (C,) minus the overlap [m]
    displacement: Floats  # (C, 3) of the centres, x_A - x_B [m]
    velocity: Floats  # (C, 3) of the centres, v_A - v_B [m/s]
    force: Floats  # (C, 3) on A; B gets the opposite [N]
    torque_a: Floats  # (C, 3) on A about its centre [N m]
    torque_b: Floats  # (C, 3) on B about its centre
    local: Floats  # (C, 6) forces and couples: normal, sliding (2), rolling (2), twisting
    energy: Floats  # (C,) stored [J]
    history: Floats  # (C, k) of the law, filled up with zeros to the longest


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
    return CompliantContacts(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))


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
    compliant.evaluate(motion, np.zeros((system.size, 6)), 1.0)
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
        np.where(plane >= 0, -1, b),
        plane,
        normal,
        gap,
        motion.x[a] - motion.x[b] - foot,
        motion.v[a] - motion.v[b] - np.cross(motion.w[b], foot),
        force,
        couple + np.cross(f.p[:, 0], force),
        -couple - np.cross(f.p[:, 1], force),
        local,
        group.response.energy,
        np.pad(group.response.history, ((0, 0), (0, width - group.law.history))),
    )
