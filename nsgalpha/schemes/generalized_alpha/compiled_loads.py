"""Loads and springs that are compiled: their wrenches f(t, q, v), without a return to Python."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion, empty_motion
from nsgalpha.constraints.coordinate_loads import add_efforts
from nsgalpha.forces.compiled_forces import CompiledForces
from nsgalpha.forces.force_kernels import FRAME, ForceArrays, Moving, evaluate
from nsgalpha.forces.law_kernel import CompiledLaw
from nsgalpha.geometry.twists import copy
from nsgalpha.jit.addresses import AVAILABLE, Handle, addresses, caller
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.contact_element import AnchoredPairs, CompliantElement
from nsgalpha.model.load_interface import CompiledLoad
from nsgalpha.model.load_signature import LOAD
from nsgalpha.model.state import ContactHistory
from nsgalpha.model.switched_elements import timed
from nsgalpha.schemes.generalized_alpha.anderson import Iterates, no_iterates
from nsgalpha.system.system import System

call_load = caller(LOAD)

RECORDS = 64  # states with histories of springs that are recorded before the loop returns
TANGENT = slice(3, 6)  # of a memory


class Loads(NamedTuple):
    """The forces of a model that are compiled."""

    weight: Floats  # (N, 6)
    turns: Floats  # (N,) 0 for bodies without rotation, else 1
    lever: Floats  # (N,) of forces on a body [m]
    address: Ints  # (L,) of the kernels of loads
    body: Ints  # (L + 1,) offsets into `at`
    at: Ints  # bodies on which they act
    first: Ints  # (L + 1,) offsets into `parameters`
    parameters: Floats
    springs: ForceArrays
    joints: Any  # a Handle of the joints, on whose coordinates loads act
    memory: Floats  # of the springs at the start of the step
    recorded: Floats  # (RECORDS, C, k) memories at states that are recorded,
    filled: Ints  # (1,) and their number
    total: Floats  # (B, 6) wrenches of the last evaluation
    smooth: Floats  # (N, 6) wrenches of the smooth motion
    iterates: Iterates  # workspace for those of N wrenches,
    wrench: Floats  # (3, N, 6) for wrenches,
    moved: Floats  # (2, B, 6) for motions over a step,
    before: Floats  # (B, 6)
    kept: Motion  # for the smooth motion,
    trial: Motion  # and for one that is tried


@kernel
def keep_memory(loads):
    """The step is accepted: keep the histories of the springs. Returns the number of springs."""
    copy(loads.springs.table.memory, loads.memory)
    return loads.springs.table.a.shape[0]


@kernel
def wrenches(loads, t, motion, increment, h):
    """`loads.total` (B, 6) at the time `t`, at the end of a step of `h` with that `motion`, `increment`."""
    total = loads.total
    for b in range(total.shape[0]):
        for i in range(6):
            total[b, i] = loads.weight[b, i] if b < loads.weight.shape[0] else 0.0
    for k in range(loads.address.shape[0]):
        at = loads.at[loads.body[k] : loads.body[k + 1]]
        parameters = loads.parameters[loads.first[k] : loads.first[k + 1]]
        call_load(loads.address[k], (t, motion.x, motion.q, motion.v, motion.w, at, parameters, total))
    add_efforts(loads.joints, motion, total)
    if loads.springs.table.a.shape[0] > 0:
        copy(loads.memory, loads.springs.table.memory)
        evaluate(loads.springs, Moving(motion, increment), h, total)
    for b in range(loads.turns.shape[0]):
        for i in range(3, 6):
            total[b, i] *= loads.turns[b]


@kernel
def record_memory(loads):
    """The accepted state is recorded: record the histories of the springs, too."""
    if loads.recorded.shape[0] > 0:
        copy(loads.memory, loads.recorded[loads.filled[0]])
        loads.filled[0] += 1


def are_compiled(system: System) -> bool:
    """True if all loads and compliant elements run in the compiled loop."""
    if not (system.model.loads or system.compliant or system.surfaces or system.force_elements):
        return True
    loads = all(isinstance(load, CompiledLoad) for load in system.model.loads)
    return (
        AVAILABLE
        and loads
        and not (system.surfaces or system.force_elements)
        and all(map(_is_spring, system.compliant))
        and not any(map(timed, system.compliant))
    )


def _is_spring(element: CompliantElement) -> bool:
    """True for given pairs of points with compiled central laws, at any distance."""
    laws = element.law.parts
    central = all(isinstance(law, CompiledLaw) and (first, last) == (0, 1) for law, first, last in laws)
    return central and isinstance(element.pairs, AnchoredPairs) and element.law.reach == math.inf


class CompiledLoads:
    """The loads of a system for the compiled loop, and the histories of its springs."""

    def __init__(self, system: System) -> None:
        self.springs = CompiledForces(system)
        self.springs.find(empty_motion(system.size), math.inf)
        table, acting = self.springs.table, cast(Sequence[CompiledLoad], system.model.loads)
        bodies, numbers = [load.at for load in acting], [load.parameters for load in acting]
        own = system.weight, system.turns.astype(float), system.levers()
        address = addresses([load.kernel.function for load in acting], LOAD)
        at = np.cumsum([0, *map(len, bodies)]), np.concatenate([np.empty(0, np.int64), *bodies])
        parameters = np.cumsum([0, *map(len, numbers)]), np.concatenate([np.empty(0), *numbers])
        joints = system.joints if len(system.joints.efforts.coordinate) else None
        recorded = np.zeros((RECORDS if self.springs.width else 0, *table.memory.shape))
        memory = table.memory.copy(), recorded, np.zeros(1, np.int64)
        n, size = system.count, system.size
        iterates = np.zeros((size, 6)), np.zeros((n, 6)), no_iterates(6 * n)
        work = np.zeros((3, n, 6)), np.zeros((2, size, 6)), np.zeros((size, 6))
        values = *own, address, *at, *parameters, self.springs.forces, joints, *memory, *iterates, *work
        self.arrays = Loads(*values, empty_motion(size), empty_motion(size))
        self.handle = Handle(self.arrays)

    def begin(self, motion: Motion, history: ContactHistory | None) -> None:
        """Continue from `motion` with the histories of the springs there."""
        if len(self.springs.table.a):
            self.springs.start(motion, history)
            self.arrays.memory[:] = self.springs.table.memory

    def histories(self) -> list[ContactHistory]:
        """The histories of the springs at the states recorded since the last call."""
        count, self.arrays.filled[0] = int(self.arrays.filled[0]), 0
        memory = self.arrays.recorded[:count].copy()
        if not count or not memory[:, :, TANGENT].any(axis=2).all():  # some have no frame
            return [self._at(each) for each in memory]
        first = self._at(memory[0])
        states = zip(memory[:, :, TANGENT], memory[:, :, FRAME:], strict=True)
        return [ContactHistory(first.pair, t, values, first.opened, first.feature) for t, values in states]

    def _at(self, memory: Floats) -> ContactHistory:
        self.springs.table.memory[:] = memory
        history = self.springs.history()
        assert history is not None
        return history

    def history(self) -> ContactHistory:
        """The memory of the springs at the last accepted state."""
        return self._at(self.arrays.memory)
