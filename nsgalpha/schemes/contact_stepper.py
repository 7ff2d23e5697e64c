"""The common part of steppers with set-valued contact: generalized_alpha/alpha_stepper.py and
moreau_jean/moreau_stepper.py.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Motion
from nsgalpha.model.state import ContactHistory, State
from nsgalpha.schemes.stepper_interface import BasicStepper, Recorder
from nsgalpha.stepping.step_outcome import OUT_OF_REACH
from nsgalpha.system.step_candidates import StepCandidates

TRIES = 6  # of the broad phase, each four times as far


class ContactStepper(BasicStepper):
    """Candidates and records of the steps of `now`."""

    def __init__(self, now: StepCandidates) -> None:
        self.system = now.system
        self._steps = now
        self.tries = 0

    @property
    def motion(self) -> Motion:
        """The last accepted state."""
        return self._steps.old

    def history(self) -> ContactHistory | None:
        """See Stepper."""
        return None

    def state(self, t: float) -> State:
        """See Stepper."""
        now = self._steps
        memory = self.history(), now.forces.contacts(now.candidates), float(now.size[0])
        return self.system.state(t, now.old, *memory)

    def begin_recording(self, recorder: Recorder) -> None:
        """See Stepper."""
        recorder.add_acting(self._steps.candidates, self._steps.forces.wrench)

    def make_room(self, recorder: Recorder) -> None:
        """See Stepper."""
        recorder.make_room(len(self._steps.candidates.a))

    def record(self, t: float, h: float, recorder: Recorder) -> None:
        """See Stepper."""
        self.make_room(recorder)
        self._steps.record(h, recorder.filling)
        recorder.record(t, h, self.motion, self.history())

    def find_again(self, outcome: int) -> bool:
        """True, with new candidates, if bodies have left the reach of those before.

        They are for where bodies are. A step that still leaves their reach has a larger one.
        """
        again = outcome == OUT_OF_REACH and self.tries < TRIES and np.isfinite(self._steps.new.x).all()
        if again:
            self._steps.find(self.tries)
            self.tries += 1
        return bool(again)
