"""The cell in a run: periods by functions of time or target stresses.

Under a target stress the strain rates of the axes are constant in each step. Rows of the state keep strains
along the axes, rates of the next step, and the integral J of the shear (nsgalpha/model/cell_kinematics.py).
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.model.cell_kinematics import CellKinematics, ways_to_images
from nsgalpha.model.cell_motion import STATE_ROWS, WithCell, kinematics_from, period_vectors
from nsgalpha.system.stressed_cell import ROUNDING, CellSteps, cell_steps


class RunCell:
    """The cell of `model`, which moves."""

    steps: CellSteps  # under target stresses, at the times of the last `table`

    def __init__(self, model: WithCell) -> None:
        assert model.cell_motion is not None
        assert model.periodic is not None
        self.model, self.motion, self.periods = model, model.cell_motion, model.periodic
        self.t, self.rows = 0.0, np.zeros((STATE_ROWS, 3))  # those of the state at `t` [s]

    def begin(self, t: float, rows: Floats | None) -> None:
        """Continue from the `rows` of a state at `t` [s]; without them from the stated periods."""
        self.t, self.rows[:] = t, 0.0 if rows is None else rows
        if rows is None:
            self.rows[2, 0] = self.motion.kinematics.at(t)[2]

    def move_to(self, t: float) -> None:
        """Strains and J at `t` [s], the end of a step."""
        self.rows[0], _, self.rows[2, 0], _ = self._kinematics().at(t)
        self.t = t

    def _kinematics(self) -> CellKinematics:
        """The strains in the next step."""
        return kinematics_from(self.motion, self.t, self.rows)

    def at(self, t: float, joints: Floats | None = None) -> tuple[Floats, Floats]:
        """Ways to the next images, rows (3, 3) [m], at `t` [s] of the next step, and their rates.

        joints (R, 3): those of another state at `t`.
        """
        rows = None if joints is None else joints[-STATE_ROWS:]
        there = self._kinematics() if rows is None else kinematics_from(self.motion, t, rows)
        return period_vectors(self.model, t, there)

    def table(self, times: Floats, least: Floats) -> tuple[Floats, Floats, str]:
        """`at` for the `times` (n,) [s], up to the first that is not valid; a text says why.

        Under a stress they are those of one step; the kernel of the steps places the others. least: periods
        (3,) [m].
        """
        if not len(times):
            return *np.zeros((2, 0, 3, 3)), ""
        kinematics, text = self._kinematics(), ""
        vectors, rates = np.zeros((2, len(times), 3, 3))
        if self.motion.is_controlled:
            length = np.array(self.periods, float)
            cell, text = cell_steps(self.motion, kinematics, length, self.rows, times)
            self.steps = cell._replace(least=least)
            vectors, rates, times = vectors[: len(cell.t)], rates[: len(cell.t)], cell.t[:2]
        *values, why = kinematics.through(times)
        n = len(values[0])
        vectors[:n], rates[:n] = ways_to_images(self.periods, kinematics, *values)
        if why:
            vectors, rates, text = vectors[:n], rates[:n], why
        length = np.einsum("nii->ni", vectors[:n])
        short = np.argwhere(length < least * (1.0 - ROUNDING))
        if len(short):
            n, axis = short[0].tolist()
            text = (
                f"cell_motion: the period along {'xyz'[axis]} is {length[n, axis]:.6g} m at "
                f"t = {times[n]:g} s: must be at least {least[axis]:.6g} m, three times the distance of "
                "centres that touch; take a larger cell, or compress it less"
            )
            vectors, rates = vectors[:n], rates[:n]
        return vectors, rates, text
