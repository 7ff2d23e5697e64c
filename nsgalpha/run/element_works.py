"""Works of single elements and drives on the bodies of a run.

    W_e(t) = sum over the steps of  h/2 (P_n + P_{n+1})  for compliant elements, P = sum over bodies of F . V

These are contacts and springs, and the elements of shells and surfaces. Set-valued elements work by friction
and impacts (contact_work.py), drives by their loads (energy_budget.py). Loads and moving frames work, too.
All works add up to the change of the kinetic and potential energy, but for the residual of the budget.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.forces.contact_outputs import evaluated, has_compliant
from nsgalpha.model.state import State
from nsgalpha.run.contact_work import contact_work
from nsgalpha.run.energy_budget import refuse_gaps, work_of_drives
from nsgalpha.system.system import System


def element_works(result: Any) -> dict[str, Floats]:
    """See Result.works."""
    refuse_gaps(result, "works")
    model, h = result.model, np.diff(np.asarray(result.t))
    hard = contact_work(result)
    known = {id(each): work for each, work in zip(hard.elements, hard.friction + hard.impacts, strict=True)}
    if has_compliant(model):
        known |= _of_compliant(result, h, hard.jumps)
    found: dict[str, Floats] = {}
    for number, element in enumerate(model.elements):
        name = model.labels.get(number, f"{type(element).__name__} {number}")
        work = known.get(id(element), np.zeros(len(h)))
        found[name] = np.concatenate([[0.0], np.cumsum(work)])
    for drive, work in zip(model.drives, work_of_drives(result, h), strict=True):
        found[drive.name] = np.concatenate([[0.0], np.cumsum(work)])
    return found


def _of_compliant(result: Any, h: Floats, jumps: dict[int, Floats]) -> dict[int, Floats]:
    """Works (n - 1,) of compliant elements by their identity; steps with `jumps` end before these."""
    system, start, end = System(result.model), list[Floats](), list[Floats]()
    for i in range(len(result.t)):
        state = result.state(i)
        elements, power = _powers(system, state)
        start.append(power)
        if i - 1 in jumps:
            change = jumps[i - 1][: system.count]
            v, w = state.velocity - change[:, :3], state.angular_velocity - change[:, 3:]
            _, power = _powers(system, replace(state, velocity=v, angular_velocity=w))
        end.append(power)
    works = 0.5 * h[:, None] * (np.array(start)[:-1] + np.array(end)[1:])
    return dict(zip(map(id, elements), works.T, strict=True))


def _powers(system: System, state: State) -> tuple[list[Any], Floats]:
    """The compliant elements, and the power (E,) [W] of each on the bodies."""
    compliant, _, _ = evaluated(system, state)
    twist, power = np.hstack([state.velocity, state.angular_velocity]), np.zeros(len(compliant.groups))
    for k, group in enumerate(compliant.groups):
        wrench = np.zeros((system.size, 6))
        group.add_wrenches(wrench)
        system.clear_wrenches(wrench[: system.count])
        power[k] = (wrench[: system.count] * twist).sum()
    return compliant.elements, power
