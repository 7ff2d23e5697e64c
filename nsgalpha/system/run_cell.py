"""The cell in a run: periods by functions of time or target stresses.

Under a target stress the strain rates of the axes are constant in each step. Rows of the state keep strains
along the axes, rates of the next step, and the integral J of the shear (nsgalpha/model/cell_kinematics.py).
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.model.cell_kinematics import CellKinematics, ways_to_images
from nsgalpha.model.cell_motion import STATE_ROWS, CellMotion, WithCell, period_vectors
from nsgalpha.model.time_function import Linear

ROUNDING = 1e-9  # of a least period


class RunCell:
    """The cell of `model`, which moves."""

    def __init__(self, model: WithCell) -> None:
        assert model.cell_motion is not None
        assert model.periodic is not None
        self.model, self.motion, self.periods = model, model.cell_motion, model.periodic
        self.rows = np.zeros((STATE_ROWS, 3))  # those of the state
        self._t: list[float] = []  # when rates were set, with the rows of these times
        self._rows: list[Floats] = []

    def begin(self, t: float, rows: Floats | None) -> None:
        """Continue from the `rows` of a state at `t` [s]; without them from the stated periods."""
        self.rows[:] = 0.0 if rows is None else rows
        if rows is None:
            self.rows[2, 0] = self.motion.kinematics.at(t)[2]
        self._t, self._rows = [t], [self.rows.copy()]

    def hold(self, t: float, rate: Floats) -> None:
        """From `t` [s] on strain the axes under a stress with the `rate` (3,) [1/s]."""
        strain, _, J, _ = self._kinematics(t).at(t)
        self.rows[:] = strain, rate, (J, 0.0, 0.0)
        self._t.append(t)
        self._rows.append(self.rows.copy())

    def _kinematics(self, t: float) -> CellKinematics:
        """The strains at about `t` [s]."""
        if not self.motion.is_controlled:
            return self.motion.kinematics
        k = max(bisect_right(self._t, t) - 1, 0)
        return kinematics_from(self.motion, self._t[k], self._rows[k])

    def at(self, t: float) -> tuple[Floats, Floats]:
        """Ways to the next images, rows (3, 3) [m], at `t` [s], and their rates."""
        return period_vectors(self.model, t, self._kinematics(t))

    def table(self, times: Floats, least: Floats) -> tuple[Floats, Floats, str]:
        """`at` for the `times` (n,) [s], up to the first that is not valid; a text says why.

        Under a stress they are those of one step. least: periods (3,) [m].
        """
        if not len(times):
            return *np.zeros((2, 0, 3, 3)), ""
        kinematics = self._kinematics(float(times[0]))
        *values, text = kinematics.through(times)
        vectors, rates = ways_to_images(self.periods, kinematics, *values)
        length = np.einsum("nii->ni", vectors)
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


def kinematics_from(motion: CellMotion, t: float, rows: Floats) -> CellKinematics:
    """The strains of a cell under target stresses from the `rows` of a state at `t` [s] on."""
    each = zip(motion.kinematics.strains, motion.targets, rows[0].tolist(), rows[1].tolist(), strict=True)
    x, y, z = (given if target is None else Linear(e, rate, t) for given, target, e, rate in each)
    return motion.kinematics._replace(strains=(x, y, z), begin=t, first=float(rows[2, 0]))
