"""What runs share whose contacts are all forces: explicit/run.py and implicit/run.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nsgalpha.arrays import Motion
from nsgalpha.checks import refuse
from nsgalpha.explicit.verlet import keep
from nsgalpha.model.state import ContactHistory
from nsgalpha.model.system import System
from nsgalpha.run.recorder import Recorder
from nsgalpha.stepping.broadphase import reach_of

if TYPE_CHECKING:
    from nsgalpha.model.model import Model
    from nsgalpha.model.state import State
    from nsgalpha.run.result import Result
    from nsgalpha.run.status import Status


class Contacts(Protocol):
    """The compliant contacts of a run."""

    def find(self, motion: Motion, reach: float) -> None:
        """New candidate pairs with gaps below `reach` [m]."""

    def history(self) -> ContactHistory | None:
        """What is remembered, None if no law remembers."""


def refuse_set_valued(system: System, scheme: str) -> None:
    """ValueError if contacts of the system are no forces."""
    if system.elements:
        names = sorted({type(element).__name__ for element in system.elements})
        raise refuse(
            "scheme",
            scheme,
            f"GeneralizedAlpha for set-valued contact ({', '.join(names)})",
            "other schemes need forces: state these contacts as compliant ones, or leave the scheme out",
        )


class ForcesRun:
    """System, state and recorder of one run from `state` on (None: the model's), under `scheme`, a name."""

    troubles = 0, 0, 0  # nothing is capped, relaxed or divided
    fast = 0, ""  # no body passes another unseen
    contacts: Contacts

    def __init__(self, model: Model, state: State, h: float, scheme: str) -> None:
        self.system = system = System(model)
        refuse_set_valued(system, scheme)
        self.h = h
        self.t0 = state.t
        self.motion = system.motion(state)
        self.step = self.first = 0  # the state of the first is recorded already
        self.failed = False

    def begin_recording(self) -> None:
        """Record the state as it is."""
        history = self.contacts.history()
        self.recorder = Recorder(self.system, history is not None)
        self.recorder.record(self.t, self.motion, history)

    def plan(self, steps: int, every: int) -> None:
        """The run has `steps` steps, of which every `every`-th and the last are recorded."""
        self.steps, self.every = steps, every

    @property
    def t(self) -> float:
        """Time of the last accepted state [s]."""
        return self.t0 + self.step * self.h

    def state(self) -> State:
        """The last accepted state."""
        return self.system.state(self.t, self.motion, self.contacts.history())

    def find(self) -> None:
        """Broad phase at the present positions, with a skin that lasts for several steps."""
        self.reach = reach_of(self.motion.v, self.system.bodies.radius[: self.system.count], self.h)
        self.anchor = self.motion.x.copy()
        self.contacts.find(self.motion, self.reach)

    def record(self) -> None:
        """Record the last accepted state."""
        if self.recorder.block.filled[0] == len(self.recorder.block.t):
            self.recorder.make_room(0)
        keep(self.recorder.block, self.t, self.motion)
        self.recorder.add_history(self.contacts.history())

    def result(self, status: Status) -> Result:
        """What was recorded, with the last accepted state as its end unless it became infinite."""
        recorded = self.step % self.every == 0 or self.step in (self.first, self.steps)
        if not recorded and not self.failed:
            self.record()
        return self.recorder.result(status)
