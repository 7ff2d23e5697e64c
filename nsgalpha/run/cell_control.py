"""Target stresses of a cell under schemes of set-valued contact.

They set strain rates by the stress of a step. The velocity Verlet scheme sets those of compliant contact
itself, see nsgalpha/system/stressed_cell.py. The impulses of set-valued contacts over the step are their
forces, see nsgalpha/run/mean_stress.py.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.checks import refuse
from nsgalpha.model.periodic_cell import placed_cell
from nsgalpha.run.mean_stress import set_valued_sums, with_shapes
from nsgalpha.run.recorder import Recorder
from nsgalpha.schemes.explicit.verlet_stepper import VerletStepper
from nsgalpha.schemes.stepper_interface import Stepper
from nsgalpha.system.stressed_cell import mean_stress, set_rates


def control_of(stepper: Stepper) -> CellControl | None:
    """The control of a cell that its `stepper` does not have itself, None without target stresses."""
    if not stepper.system.frames.rows:
        return None
    if isinstance(stepper, VerletStepper):
        if stepper.threads > 1:
            raise refuse("threads", stepper.threads, "1 with a target stress of the cell")
        return None
    if stepper.system.compliant:
        raise ValueError(
            "cell_motion: a target stress of compliant contact needs VelocityVerlet: must be left out; "
            "or take scheme=VelocityVerlet(); other schemes take one of set-valued contact"
        )
    return CellControl(stepper)


class CellControl:
    """The targets of the cell of a `stepper`'s model."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper, cell = stepper, stepper.system.frames.cell
        assert cell is not None
        self.cell, self.motion = cell, cell.motion
        self.shaped = with_shapes(stepper.system.model)
        self.held = np.array([target is not None for target in cell.motion.targets])

    def follow(self, t: float, h: float, recorder: Recorder) -> None:
        """Set the rates after a step of `h` [s] to `t` [s], whose state was recorded last."""
        system, motion, now = self.stepper.system, self.motion, self.stepper.motion
        contacts = recorder.last_contacts()
        known = system.bodies.radius, np.array([h]), self.shaped, [(now.x, placed_cell(system.cell, now.x))]
        sigma = set_valued_sums(contacts, *known)[0].diagonal().copy()
        mass = np.where(system.inactive.still, 0.0, system.bodies.mass[: system.count])
        mean_stress(mass, motion.axes, now, sigma)
        self.cell.move_to(t)
        target = np.array([0.0 if each is None else each.at(t)[0] for each in motion.targets])
        set_rates(self.cell.rows, self.held, target, (motion.viscosity, motion.max_rate), sigma)
        now.v[-3:] = self.cell.at(t)[1]  # as of a run that continues from here
        self.note(recorder)

    def note(self, recorder: Recorder) -> None:
        """Put the rows of the cell to the state that was recorded last."""
        recorder.block.joint[int(recorder.block.filled[0]) - 1, -len(self.cell.rows) :] = self.cell.rows
