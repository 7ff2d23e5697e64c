"""A scheme at work on one model, as the driver (run_progress.py, step_loop.py) sees it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from nsgalpha.arrays import Candidates, Floats, Motion
from nsgalpha.model.state import ContactHistory, State
from nsgalpha.stepping.record_kernels import Record
from nsgalpha.stepping.step_outcome import SOLVED
from nsgalpha.stepping.step_times import Steps
from nsgalpha.system.system import System


class Advance(NamedTuple):
    """How far the steps have come."""

    done: int  # steps, from the start of the run on
    outcome: int = SOLVED  # of the next step if it failed, NO_ROOM if the block is full
    worst: int = -1  # candidate of the contact that was furthest from its solution, where one is to blame
    size: float | None = None  # [s] of the last step, where it may be another than planned,
    following: float = 0.0  # and of those after it


class Failure(NamedTuple):
    """The failure of a step, see status.failed."""

    outcome: int
    contact: tuple[str, str] | None = None
    residual: float = 0.0
    reason: str = ""


class Recorder(Protocol):
    """The recorder of a run (nsgalpha/run/recorder.py), as schemes fill it."""

    block: Record  # the arrays

    @property
    def filling(self) -> Record:
        """The block for kernels, until it is enlarged."""

    def record(self, t: float, h: float, motion: Motion, history: ContactHistory | None) -> None:
        """Record a state after a step of `h` [s], whose contacts are there already."""

    def add_acting(self, candidates: Candidates, wrench: Floats) -> None:
        """Record the contacts that exert the `wrench` (C, 6) on the first state of a continued run."""

    def make_room(self, contacts: int) -> None:
        """Enlarge the block for one more state with `contacts` contacts."""

    def add_history(self, history: ContactHistory | None) -> None:
        """Keep the histories of compliant contacts of the state recorded last."""


class OpenBoundaries(Protocol):
    """Outlets and feeders (nsgalpha/run/body_insertion.py), as steps see them that may end early."""

    near: bool  # a body may reach an outlet, or leave the place of another, in the next step

    def next_time(self, t: float, h: float) -> float:
        """The next time [s] at which a body is due or an outlet opens.

        It is after the time `t` [s], where a step of `h` [s] begins.
        """

    def first_change(self, t: float, h: float, before: Motion, after: Motion) -> float:
        """Time [s] from `t` on after which a body enters an outlet; inf if none does.

        Or it leaves the place of one that waits. `before` and `after` are the motions at both ends of a step
        of `h` [s].
        """


class Stepper(Protocol):
    """A scheme, which holds the last accepted state and takes steps from it.

    It knows the block and the histories of a recorder, to which it writes the states. It does not know files,
    watchers and progress.
    """

    ahead: float  # part of a step by which prescribed frames are ahead of the bodies
    begins: bool  # no step has led to its first state, and the scheme keeps the step before
    has_inertia: bool  # bodies have inertia, and a kinetic energy
    explicit: bool  # steps of velocity Verlet, which stiff contacts make unstable
    ends_early: bool  # steps may end before they were planned to
    boundaries: OpenBoundaries | None  # the run's, where such steps end, too

    @property
    def system(self) -> System:
        """The arrays of the model."""

    @property
    def intact(self) -> bool:
        """True if there is an accepted state: a step that fails may leave none."""

    @property
    def motion(self) -> Motion:
        """The last accepted state."""

    def history(self) -> ContactHistory | None:
        """The history of compliant contacts, None if no law has one."""

    def state(self, t: float) -> State:
        """The last accepted state, at `t` [s]: the data to continue a run."""

    def impulse(self) -> Floats | None:
        """Impulses (B, 6) [N s], [N m s] of compliant contacts on bodies and frames since the first call.

        Sums of h times the forces of the scheme, about the centres; None where they are not added up.
        """

    def begin_recording(self, recorder: Recorder) -> None:
        """Record the contacts of the first state."""

    def make_room(self, recorder: Recorder) -> None:
        """Make workspace for the next state."""

    def record(self, t: float, h: float, recorder: Recorder) -> None:
        """Record the last accepted state, at the time `t` after a step of `h` [s]."""

    def advance(self, steps: Steps, frames: Floats, stats: Floats, recorder: Recorder) -> Advance:
        """Take `steps` steps, or some: the driver repeats until all are done or one fails.

        `frames` (steps + 1, F, 13) move the frames, from the start of the first step on; `stats` (steps,
        STATISTICS) takes the statistics of each step.
        """

    def forces(self, t: float) -> Floats:
        """Wrenches (N, 6) of weight, loads and compliant contacts on the last accepted state, at `t` [s]."""

    def renew(self) -> None:
        """Bodies have come or gone, by `motion` and `system.inactive`: continue with these."""

    def failure(self, outcome: int, worst: int, row: Floats) -> Failure:
        """The failure of a step that ended with an `outcome`; `row` are its statistics."""


class BasicStepper:
    """The part of a stepper that most schemes have in common."""

    ahead = 0.0
    begins = False
    has_inertia = True
    explicit = False
    ends_early = False
    boundaries: OpenBoundaries | None = None
    intact = True  # a step that fails leaves the last accepted state as it is
    system: System

    def impulse(self) -> Floats | None:
        """See Stepper: not added up."""
        return None

    def begin_recording(self, recorder: Recorder) -> None:
        """See Stepper: nothing."""

    def forces(self, t: float) -> Floats:
        """See Stepper; only schemes that take bodies in and out have forces."""
        return np.zeros((self.system.count, 6))
