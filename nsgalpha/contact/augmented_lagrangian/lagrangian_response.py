"""Contact problems of a correction, solved by the paper's system.

They are those of island_response.py. One system has the contacts of all islands. Where Newton's method does
not converge, nothing else is tried: the step fails, and the status says so.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Bodies, Floats
from nsgalpha.contact.augmented_lagrangian.lagrangian_system import Judgement, Newton
from nsgalpha.contact.augmented_lagrangian.row_elements import BodySystem
from nsgalpha.contact.islands.contact_residual import relative_residual
from nsgalpha.contact.islands.island_response import Effort, Inertia
from nsgalpha.contact.islands.islands import scaled_sets
from nsgalpha.contact.islands.large_island import Graphs
from nsgalpha.contact.islands.small_islands import pressed
from nsgalpha.contact.multiplier_sets import start_alone
from nsgalpha.contact.rows.contact_kinematics import Rows


class LagrangianResponse(Inertia):
    """The operator M of a correction, with contacts solved by the paper's system.

    The `penalty` is that of row_elements.py; the others are those of Inertia.
    """

    def __init__(self, bodies: Bodies, inverse_inertia: Floats, tol: float, penalty: float) -> None:
        super().__init__(bodies, inverse_inertia, Graphs(), "", tol)
        self._penalty = penalty

    def solve(self, rows: Rows, b: Floats, r: Floats, tol: float, floor: Floats, effort: Effort) -> None:
        """See BodyResponse."""
        if not pressed(rows, 0, len(rows.contact), b, floor):
            r[:] = 0.0
            return
        system = BodySystem(self._bodies, self._inverse_inertia, rows, self._penalty)
        end = system.newton(b, r if r.any() else alone(rows, b), judgement(rows, b, tol, floor))
        r[:] = end.r
        effort.iterations += end.iterations
        note(end, rows, effort)


def alone(rows: Rows, b: Floats) -> Floats:
    """Impulses (R,) of each contact as if it were alone: a start."""
    sets, _, scale = scaled_sets(rows, 0, len(rows.contact))
    r = np.empty_like(b)
    start_alone(sets, b / scale, r)
    return r / scale


def judgement(rows: Rows, b: Floats, tol: float, floor: Floats) -> Judgement:
    """The natural map relative to the largest gap, as for all other methods."""
    return lambda r, u: relative_residual(rows, r, u, b, tol, floor)


def note(end: Newton, rows: Rows, effort: Effort) -> None:
    """Add the `end` of a solution of the contacts of `rows` to the `effort`."""
    effort.residual = max(effort.residual, end.residual)
    if not end.solved:
        effort.acceptable, effort.worst = False, int(rows.contact[end.worst])
