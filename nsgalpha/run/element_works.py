"""Works of single elements and drives on the bodies of a run.

    W_e(t) = sum over the steps of  h/2 (P_n + P_{n+1})  for compliant elements, P = sum over bodies of F . V

Set-valued elements work by friction and impacts (contact_work.py), drives by their loads (energy_budget.py).
Loads, moving frames and force elements work, too. All works add up to the change of the kinetic and potential
energy, but for the residual of the budget.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.forces.contact_outputs import CompliantContacts, compliant_contacts
from nsgalpha.model.contact_element import CompliantElement
from nsgalpha.model.state import State
from nsgalpha.run.contact_work import contact_work
from nsgalpha.run.energy_budget import refuse_gaps, work_of_drives


def element_works(result: Any) -> dict[str, Floats]:
    """See Result.works."""
    refuse_gaps(result, "works")
    model, h = result.model, np.diff(np.asarray(result.t))
    hard = contact_work(result)
    of_hard = {id(each): work for each, work in zip(hard.elements, hard.friction + hard.impacts, strict=True)}
    compliant = [each for each in model.elements if isinstance(each, CompliantElement)]
    of_soft = dict(zip(map(id, compliant), _of_compliant(result, h, len(compliant), hard.jumps), strict=True))
    found: dict[str, Floats] = {}
    for number, element in enumerate(model.elements):
        name = model.labels.get(number, f"{type(element).__name__} {number}")
        work = (of_hard | of_soft).get(id(element), np.zeros(len(h)))
        found[name] = np.concatenate([[0.0], np.cumsum(work)])
    for drive, work in zip(model.drives, work_of_drives(result, h), strict=True):
        found[drive.name] = np.concatenate([[0.0], np.cumsum(work)])
    return found


def _of_compliant(result: Any, h: Floats, count: int, jumps: dict[int, Floats]) -> Floats:
    """Works (E, n - 1) of the `count` compliant elements; steps with `jumps` end before these."""
    start, end = np.zeros((2, count, len(result.t)))
    if not count:
        return start[:, 1:]
    bodies = len(result.model.bodies)
    for i in range(len(result.t)):
        state = result.state(i)
        start[:, i] = end[:, i] = _power(compliant_contacts(result.model, state), state, count)
        if i - 1 in jumps:
            change = jumps[i - 1][:bodies]
            v, w = state.velocity - change[:, :3], state.angular_velocity - change[:, 3:]
            before = replace(state, velocity=v, angular_velocity=w)
            end[:, i] = _power(compliant_contacts(result.model, before), before, count)
    return 0.5 * h * (start[:, :-1] + end[:, 1:])


def _power(contacts: CompliantContacts, state: State, count: int) -> Floats:
    """Power (E,) [W] of the `count` elements on the bodies."""
    bodies: Ints = contacts.bodies
    twist = np.hstack([state.velocity, state.angular_velocity])[np.maximum(bodies, 0)]
    power = np.where(bodies >= 0, np.einsum("csi,csi->cs", contacts.wrench, twist), 0.0).sum(axis=1)
    return np.bincount(contacts.element, power, minlength=count).astype(float)
