"""Target stresses of a cell: strain rates by its mean stress after every step.

    deps/dt = (target - sigma)/viscosity        at most max_rate to either side

sigma is the mean normal stress of the step, tension positive, see nsgalpha/run/mean_stress.py. Of compliant
contacts the sum of branch vectors times forces is that of places times forces, over all bodies and the frames
of the cell. Set-valued contacts give their impulses over the step.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import refuse
from nsgalpha.model.periodic_cell import stray_velocities
from nsgalpha.run.mean_stress import set_valued_sums
from nsgalpha.run.recorder import Recorder
from nsgalpha.schemes.explicit.verlet_stepper import VerletStepper
from nsgalpha.schemes.stepper_interface import Stepper


class CellControl:
    """The targets of the cell of a `stepper`'s model."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper, system = stepper, stepper.system
        cell = system.frames.cell
        assert cell is not None
        self.cell, self.motion = cell, cell.motion
        if isinstance(stepper, VerletStepper):
            if stepper.threads > 1:
                raise refuse("threads", stepper.threads, "1 with a target stress of the cell")
        elif system.compliant:
            raise ValueError(
                "cell_motion: a target stress of compliant contact needs VelocityVerlet: must be left out; "
                "or take scheme=VelocityVerlet(); other schemes take one of set-valued contact"
            )

    def follow(self, t: float, h: float, recorder: Recorder) -> None:
        """Set the rates after a step of `h` [s] to `t` [s], whose state was recorded last."""
        stress = self._stress(h, recorder)
        rate = np.zeros(3)
        for i, target in enumerate(self.motion.targets):
            if target is not None:
                wanted = (target.at(t)[0] - stress[i]) / self.motion.viscosity
                rate[i] = min(max(wanted, -self.motion.max_rate), self.motion.max_rate)
        self.cell.hold(t, rate)
        self.stepper.motion.v[-3:] = self.cell.at(t)[1]  # as of a run that continues from here
        self.note(recorder)

    def note(self, recorder: Recorder) -> None:
        """Put the rows of the cell to the state that was recorded last."""
        recorder.block.joint[int(recorder.block.filled[0]) - 1, -len(self.cell.rows) :] = self.cell.rows

    def _stress(self, h: float, recorder: Recorder) -> Floats:
        """Normal stresses (3,) [Pa] of the last step."""
        system, motion = self.stepper.system, self.stepper.motion
        count = system.count
        volume = float(np.prod(motion.x[-3:].diagonal()))
        if isinstance(self.stepper, VerletStepper):
            virial = -np.einsum("bi,bi->i", self.stepper.contact_wrench()[:, :3], motion.x)
        else:
            radius = system.bodies.radius
            virial = set_valued_sums(recorder.last()[1], radius, np.array([h]))[0].diagonal()
        stray = stray_velocities(system.cell, motion.x, motion.v)[:count]
        mass = np.where(system.inactive.still, 0.0, system.bodies.mass[:count])[:, None]
        stray = stray - (mass * stray).sum(axis=0) / max(float(mass.sum()), np.finfo(float).tiny)
        found: Floats = (virial - (mass * stray**2).sum(axis=0)) / volume
        return found
