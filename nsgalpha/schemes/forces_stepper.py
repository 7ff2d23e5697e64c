"""The common part of steppers whose contacts are all forces: explicit/verlet_stepper.py and
implicit/implicit_stepper.py.
"""

from __future__ import annotations

from typing import Any

from nsgalpha.arrays import Floats
from nsgalpha.checks import refuse
from nsgalpha.forces.compiled_forces import CompiledForces
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.geometry.broad_phase import reach_of, speeds
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import images_of, stray_velocities
from nsgalpha.model.state import ContactHistory, State
from nsgalpha.schemes.explicit.velocity_verlet import keep
from nsgalpha.schemes.stepper_interface import BasicStepper, Failure, Recorder
from nsgalpha.stepping.step_motion import reached
from nsgalpha.system.periodic_checks import touching_distance
from nsgalpha.system.system import System


def refuse_set_valued(system: System, scheme: str) -> None:
    """ValueError if contacts of the system are no forces."""
    if system.elements:
        names = sorted({type(element).__name__ for element in system.elements})
        allowed = f"GeneralizedAlpha for set-valued contact ({', '.join(names)})"
        remedy = "other schemes need forces: state these contacts as compliant ones, or leave the scheme out"
        raise refuse("scheme", scheme, allowed, remedy)


class ForcesStepper(BasicStepper):
    """System and motion from `state` on, in a next step of `h` [s] under `scheme`, a name."""

    contacts: CompiledForces | CompliantForces
    sliders: Any = None  # bodies that joints guide; a scheme without them knows no joints
    has_sliders = False

    def __init__(self, model: Model, state: State, h: float, scheme: str) -> None:
        self.system = system = System(model)
        refuse_set_valued(system, scheme)
        if not self.has_sliders:
            system.refuse_joints(scheme)
        self.h, self.last_h = h, state.h
        self.motion = system.motion(state)

    def history(self) -> ContactHistory | None:
        """See Stepper."""
        return self.contacts.history()

    def state(self, t: float) -> State:
        """See Stepper."""
        return self.system.state(t, self.motion, self.history(), h=self.last_h)

    def find(self) -> None:
        """Broad phase at the present positions, with a skin that lasts for several steps."""
        speed = speeds(stray_velocities(self.system.cell, self.motion.x, self.motion.v))
        self.reach = reach_of(speed, self.system.bodies.extent[: self.system.count], self.h)
        self.anchor = self.motion.x.copy()
        self.images = images_of(self.system.cell, self.anchor, touching_distance(self.system) + self.reach)
        self.contacts.find(self.motion, self.reach)

    def out_of_reach(self) -> bool:
        """True if bodies or images have moved so far that candidates may be missing."""
        return bool(reached(self.motion.x, self.anchor, self.images, self.reach))

    def make_room(self, recorder: Recorder) -> None:
        """See Stepper."""
        recorder.make_room(0)

    def record(self, t: float, h: float, recorder: Recorder) -> None:
        """See Stepper."""
        if recorder.block.filled[0] == len(recorder.block.t):
            recorder.make_room(0)
        frames = self.system.frames
        if frames.rows and frames.cell is not None:
            recorder.block.joint[int(recorder.block.filled[0]), -frames.rows :] = frames.cell.rows
        keep(recorder.block, t, h, self.motion, self.sliders)
        recorder.add_history(self.history())

    def renew(self) -> None:
        """See Stepper."""
        self.find()

    def failure(self, outcome: int, worst: int, row: Floats) -> Failure:
        """See Stepper."""
        return Failure(outcome)
