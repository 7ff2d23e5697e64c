"""The periodic cell in the recorded states of a run: periods, strains, rates, volumes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import refuse
from nsgalpha.model.cell_motion import STATE_ROWS, kinematics_from, period_vectors
from nsgalpha.model.model_repr import counted
from nsgalpha.model.periodic_cell import cell_of, mean_field, placed_cell, wrapped


@dataclass(frozen=True, slots=True, repr=False)
class CellSeries:
    """The cell in n recorded states; 0 along directions without a period.

    Strains are logarithmic, from the stated periods on: a period is L exp(strain).
    """

    t: Floats  # (n,) [s]
    vectors: Floats  # (n, 3, 3) [m] ways to the next images along x, y, z, as rows
    rates: Floats  # (n, 3, 3) [m/s] of these; under a target stress those of the next step
    strain: Floats  # (n, 3) of the periods
    strain_rate: Floats  # (n, 3) [1/s]
    shear: Floats  # (n,) integral of the shear rate
    shear_rate: Floats  # (n,) [1/s]
    gradient: int  # number of the axis of its gradient

    def __repr__(self) -> str:
        return f"<CellSeries: {counted(len(self.t), 'states')}, strain {self.strain[-1].round(6).tolist()}>"

    @property
    def periods(self) -> Floats:
        """Periods (n, 3) [m]."""
        return np.einsum("nii->ni", self.vectors).copy()

    @property
    def volume(self) -> Floats:
        """Volumes (n,) [m^3], 0 of a cell that is not periodic in all directions."""
        return self.periods.prod(axis=1)

    @property
    def deformation_gradient(self) -> Floats:
        """F (n, 3, 3) from the first state on: an image at X from a body is later at F X."""
        found: Floats = (np.linalg.inv(_filled(self.vectors[:1])) @ _filled(self.vectors)).swapaxes(1, 2)
        return found

    @property
    def velocity_gradient(self) -> Floats:
        """D (n, 3, 3) [1/s]: the mean field has the velocity D x at x."""
        found: Floats = (np.linalg.inv(_filled(self.vectors)) @ self.rates).swapaxes(1, 2)
        return found

    def wrap(self, position: Floats) -> Floats:
        """Places (n, ..., 3) [m] of the recorded states in the cell, such as `result.position`."""
        if np.shape(position)[:1] != np.shape(self.t) or np.shape(position)[-1] != 3:
            raise refuse("position", np.shape(position), f"places ({len(self.t)}, ..., 3) of all states")
        places = zip(np.asarray(position, float), self.vectors, strict=True)
        none = np.zeros((3, 3))
        none[2] = self.gradient
        return np.array([wrapped(x, placed_cell(none, vectors)) for x, vectors in places])


def cell_series(result: Any) -> CellSeries:
    """The periodic cell of a `result`; see Result.cell."""
    model, t = result.model, np.asarray(result.t)
    if model.periodic is None:
        raise refuse("result", "a result without a cell", "of a model with `periodic`")
    motion, n = model.cell_motion, len(t)
    vectors, rates = np.zeros((2, n, 3, 3))
    strain, strain_rate, shears = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 2))
    controlled = motion is not None and motion.is_controlled
    rows = np.asarray(result.joints)[:, -STATE_ROWS:] if controlled else None
    for k, time in enumerate(t.tolist()):
        kinematics = None
        if motion is not None:
            kinematics = motion.kinematics if rows is None else kinematics_from(motion, time, rows[k])
            strain[k], strain_rate[k], _, _ = kinematics.at(time)
            shears[k] = motion.strain(time), motion.rate(time)
        vectors[k], rates[k] = period_vectors(model, time, kinematics)
    gradient = 1 if motion is None else motion.axes[1]
    return CellSeries(t, vectors, rates, strain, strain_rate, shears[:, 0], shears[:, 1], gradient)


def cells_of(result: Any) -> list[Floats]:
    """Placed cells of all recorded states, see `placed_cell`."""
    fixed = cell_of(result.model.periodic, result.model.cell_motion)
    if len(fixed) < 3:
        return [fixed] * len(result.t)
    return [placed_cell(fixed, vectors) for vectors in cell_series(result).vectors]


def field_velocities(result: Any) -> Floats:
    """Velocities (n, N, 3) of the mean field of a cell, 0 at the origin.

    Those less these are the same for all images of a body.
    """
    x = np.asarray(result.position)
    if result.model.cell_motion is None:
        return np.zeros_like(x)
    cell = cell_series(result)
    return mean_field(x, cell.vectors[:, None], cell.rates[:, None])


def _filled(vectors: Floats) -> Floats:
    """The `vectors` with unit ways along directions without a period."""
    filled: Floats = vectors + np.eye(3) * (np.einsum("nii->ni", vectors) == 0.0)[:, None]
    return filled
